/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command_sample.c - topdown sample: where a program spends its time, or where events happen; nothing is counted. */
#include "analyse/hotspots/hotspots.h"
#include "command/commands.h"
#include "common/base/text.h"

/* Nothing else says how long one is. */
static int check_intervals(const struct options *options, struct error *err)
{
	if (options->question.filter.by == BY_INTERVAL && !(options->setup.timing.interval_ms > 0))
		return error_set(err, "--by interval: how long is an interval? Give it with -I MS");
	return 0;
}

static int run_sample(const struct options *options, struct arena *arena, struct error *err)
{
	struct options own = *options;

	if (check_intervals(options, err) < 0)
		return -1;
	own.setup.sampling.is_only = true;
	if (!question_is_where(&own.question))
		own.question.wants_functions = own.question.wants_lines = true;
	if (own.setup.timing.interval_ms > 0 && own.question.filter.by == BY_NOTHING) {
		own.question.filter.by = BY_INTERVAL;
		own.question.filter.is_by_default = true;
	}
	return run_measurement(&own, arena, err);
}

/* clang-format off */
static const struct option_row sample_rows[] = {
	{ "event", 'e', TAKE_TEXT, REPEATED_QUESTION, "LIST", AT(question.events), NULL,
	  "sample these events, or cpu-clock (default: cycles, or cpu-clock)" },
	{ "nodes", 0, TAKE_TEXT, REPEATED_QUESTION, "LIST", AT(question.nodes), NULL,
	  "sample the events that locate these nodes, such as DRAM_Bound" },
};

static const struct option_row interval_rows[] = {
	{ "interval", 'I', TAKE_MS, REPEATED_SETUP, "MS", AT(setup.timing.interval_ms), NULL,
	  "share and hottest functions of every MS milliseconds" },
	{ "live", 0, TAKE_FLAG, REPEATED_NEVER, NULL, AT(output.is_live), NULL,
	  "redraw each interval in place (-I 1000); q quits, p pauses" },
};

static const struct option_row run_rows[] = {
	{ "all-output", 0, TAKE_FLAG, REPEATED_SETUP, NULL, AT(setup.program.wants_all_output), NULL,
	  "show the program's output in all runs, not only in the first" },
};
/* clang-format on */

static const struct option_set sampled_options = OPTION_SET("what to look at", sample_rows);
static const struct option_set intervals_options = MEASURING_SET("when", interval_rows);
static const struct option_set run_options = OPTION_SET("runs and counters", run_rows);

const struct command command_sample = {
	.name = "sample",
	.arguments = "[OPTION]... [PROGRAM [ARG]...]",
	.summary = "where a program spends its time, by sampling",
	.examples = "topdown sample ./prog\n"
		    "topdown sample -p 1234 --duration 5\n"
		    "topdown sample --nodes DRAM_Bound -- ./prog\n",
	.has_program = true,
	.begins_program = true,
	.run = run_sample,
	.sets = { &sampled_options, &lines_options, &source_options, &all_cpus_options, &subject_options,
		  &sampling_options, &intervals_options, &timing_options, &run_options, &pressure_options,
		  &wall_options, &steady_options, &cpu_options, &sysroot_options, &file_options, &page_data_options,
		  &save_options, &style_options, &general_options },
};
