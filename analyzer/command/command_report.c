/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * command_report.c - topdown report [FILE]: counts that were saved, or come from elsewhere, evaluated again; without a
 * file those of the last measurement.
 */
#include "command/commands.h"
#include "command/jobs/progress.h"
#include "command/pages/page_open.h"
#include "command/pages/report_output.h"
#include "command/jobs/rank_files.h"
#include "command/jobs/saved_files.h"
#include "engine/saved.h"

/* What the sink's functions know. */
struct reading {
	struct report_output to;
	struct saved_file recorded;
};

static int command_report_on_measured(void *context, struct measurement *measured, struct error *err UNUSED)
{
	struct reading *reading = context;

	report_output_keep(&reading->to, measured);
	for (size_t i = 0; i < measured->count; i++)
		measured->parts[i].origin.file = reading->recorded.place;
	return 0;
}

static int on_outcome(void *context, const struct outcome *outcome, struct error *err)
{
	return report_output_add(&((struct reading *)context)->to, outcome, err);
}

static int run_report(const struct options *options, struct arena *arena, struct error *err)
{
	enum format format = options->output.opens ? FORMAT_HTML : options->output.format;
	struct reading reading;
	const struct sink sink = { .context = &reading,
				   .measured = command_report_on_measured,
				   .outcome = on_outcome,
				   .notice = notice_print,
				   .says_where = output_says_where(format) };
	const struct saved_files files = options_files(options);
	struct output_choice choice = options->output;
	const struct request request = { &options->question, &options->setup, &sink, arena };
	struct saved saved = { .measured = &reading.recorded.measured,
			       .has_no_intervals = format == FORMAT_MARKDOWN }; /* a ticket is about all of the time */
	int status;

	if (page_open_choose(&choice, arena, err) < 0 ||
	    report_output_check_source(&choice, &options->question, err) < 0)
		return -1;
	if ((are_rank_files(&files) ? rank_files_read(&reading.recorded, &files, arena, err)
				    : saved_files_find(&reading.recorded, files, &request, err)) < 0)
		return -1;
	saved.file = reading.recorded.file;
	report_output_init(&reading.to, &choice, stdout, arena);
	reading.to.source = options->question.source;
	reading.to.joins_rows = format == FORMAT_TEXT && !options->output.is_verbose;
	status = engine_report(&saved, &request, err);
	if (status >= 0)
		page_open(&choice);
	return status;
}

/* clang-format off */
static const struct option_row roofline_rows[] = {
	{ "roofline", 0, TAKE_FLAG, REPEATED_NEVER, NULL, AT(question.wants_roofline), NULL,
	  "how far the program is from the ceilings saved with the counts" },
};
/* clang-format on */

static const struct option_set roofline_options = OPTION_SET("what to look at", roofline_rows);

const struct command command_report = {
	.name = "report",
	.arguments = "[OPTION]... [FILE]...",
	.summary = "evaluate saved counts again, or those of the last measurement",
	.examples = "topdown report run.json\n"
		    "topdown report -l3 -v run.json\n"
		    "topdown report r-*.json\n"
		    "topdown report -l3 --format csv -o run.csv run.json\n",
	.run = run_report,
	.sets = { &level_options, &selection_options, &worst_options, &lines_options, &source_options,
		  &roofline_options, &division_options, &cpu_options, &form_options, &smt_options, &sysroot_options,
		  &file_options, &page_data_options, &style_options, &general_options },
};
