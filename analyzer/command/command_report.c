/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * command_report.c - topdown report [FILE]: counts that were saved, or come from elsewhere, evaluated again; without a
 * file those of the last measurement.
 */
#include "analyse/evaluate/report.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyse/evaluate/timeline.h"
#include "analyse/hotspots/whereabouts.h"
#include "command/commands.h"
#include "command/jobs/flames.h"
#include "command/jobs/paged.h"
#include "command/jobs/recorded.h"
#include "command/output.h"
#include "common/base/text.h"
#include "common/measurement/division.h"
#include "common/measurement/interval_series.h"
#include "engine/interval_samples.h"
#include "engine/reports.h"
#include "engine/unnamed.h"
#include "engine/variant.h"
#include "engine/wanted.h"
#include "store/session/last.h"

/* The counts say what they are of; --cpu may only confirm it. */
static int check_cpu(struct target *target, const char *file, const struct request *request, struct error *err)
{
	const char *cpu = request->setup->machine.cpu;
	const char *named = cpu ? database_name(&target->database, cpu, request->arena, err) : target->cpu;

	if (!named)
		return -1;
	if (!is_same_name(named, target->cpu))
		return error_set(err, "%s: these counts are of a %s, not of a %s", file, target->cpu, named);
	return 0;
}

static enum form_choice saved_form(const struct counts *counts, const struct request *request)
{
	const char *form = counts->origin.form ? counts->origin.form : "";

	if (request->setup->machine.form != FORM_CHOICE_AUTO)
		return request->setup->machine.form;
	return !strcmp(form, "general") ? FORM_CHOICE_GENERAL : FORM_CHOICE_PERF_METRICS;
}

/* --smt says what counts from elsewhere do not; a session says it itself. */
static int take_smt(struct counts *counts, const char *file, const struct request *request, struct error *err)
{
	enum toggle smt = request->setup->machine.smt;

	if (smt == TOGGLE_UNSAID)
		return 0;
	if (!counts->origin.is_flat)
		return error_set(
			err,
			"%s: a session records whether SMT was on; --smt is for flat counts and perf stat's output",
			file);
	counts->origin.facts.smt_on = smt == TOGGLE_ON;
	counts->origin.has_smt = true;
	return 0;
}

static int find_target(struct target *target, struct counts *counts, const char *file, const struct request *request,
		       struct error *err)
{
	struct target_request named = { .cpu = counts->origin.cpu,
					.facts = &counts->origin.facts,
					.events = counts->question.events,
					.wants_roofline = counts->question.wants_roofline,
					.form = saved_form(counts, request) };

	if (counts->origin.form && strcmp(counts->origin.form, "general") != 0 &&
	    strcmp(counts->origin.form, "perf-metrics") != 0)
		return error_set(err, "%s: form: it is \"perf-metrics\" or \"general\", not \"%s\"", file,
				 counts->origin.form);
	if (take_smt(counts, file, request, err) < 0)
		return -1;
	if (!counts->origin.cpu)
		return unnamed_find(target, counts, request, err) < 0 ? error_in(err, "%s", file) : 0;
	if (target_named(target, &named, request, err) < 0)
		return error_in(err, "%s", file);
	return check_cpu(target, file, request, err);
}

/* What is asked for now takes the place of all that the file's measurement was asked for. */
static void ask(struct counts *counts, const struct question *question)
{
	counts->origin.level = counts->question.level;
	counts->origin.has_causes = counts->question.wants_causes;
	counts->question.wants_lines = question->wants_lines;
	counts->question.wants_roofline |= question->wants_roofline;
	counts->question.nper_function = question->nper_function;
	counts->question.wants_worst_only = question->wants_worst_only;
	if (!question->level && !question_is_selecting(question))
		return;
	counts->question.level = question->level;
	counts->question.nodes = question->nodes;
	counts->question.groups = question->groups;
	counts->question.metrics = question->metrics;
	counts->question.wants_causes = question->wants_causes;
}

static int check_lines(const struct measurement *measured, const char *file, const struct question *question,
		       struct error *err)
{
	if (!question_is_where(question) || has_whereabouts(measured))
		return 0;
	if (measured->profile)
		return error_set(err, "%s: no sample was taken, so no places are known; sample for longer", file);
	return error_set(
		err,
		"%s: it has no source lines; `topdown --pmu sim --lines --save FILE PROGRAM` makes a session that "
		"has them",
		file);
}

static bool is_found(const struct target_types *types, const struct counts *counts)
{
	for (size_t i = 0; i < types->count; i++)
		if (is_target_of(&types->items[i], counts))
			return true;
	return false;
}

/* What is known of the machine, or was assumed of it; which threads were counted each part says itself. */
static void take_facts(struct counts *counts, const struct counts *known)
{
	double core_wide = counts->origin.facts.core_wide;

	counts->origin.facts = known->origin.facts;
	if (counts->origin.cores == known->origin.cores)
		counts->origin.is_core_wide_guessed = known->origin.is_core_wide_guessed;
	else
		counts->origin.facts.core_wide = core_wide;
	counts->origin.has_smt = known->origin.has_smt;
	counts->origin.is_smt_guessed = known->origin.is_smt_guessed;
}

/* What perf stat printed names no CPU: parts with the same type of cores are of the same. */
static void take_known(struct counts *counts, const struct measurement *measured)
{
	for (const struct counts *known = measured->parts; known < counts && !counts->origin.cpu; known++)
		if (compare_texts(known->origin.pmu, counts->origin.pmu) == 0) {
			counts->origin.cpu = known->origin.cpu;
			take_facts(counts, known);
		}
}

/* The core types of all parts, each once. */
static int find_types(struct target_types *types, const struct measurement *measured, const char *file,
		      const struct request *request, struct error *err)
{
	*types = (struct target_types){ .items = arena_array(request->arena, measured->count, sizeof(*types->items)) };
	for (size_t i = 0; i < measured->count; i++) {
		struct counts *counts = &measured->parts[i];
		struct target *target = &types->items[types->count];

		ask(counts, request->question);
		take_known(counts, measured);
		if (is_found(types, counts))
			continue;
		if (find_target(target, counts, file, request, err) < 0)
			return -1;
		if (target_suit(target, counts, request, err) < 0)
			return -1;
		target_warn(target, request);
		counts->origin.cpu = target->cpu;
		types->count++;
	}
	return target_check_form(types, request, err);
}

/* An interval's parts get their CPUs from those of all of the time, which are found by now. */
static void take_cpus(struct measurement *interval, const struct measurement *all)
{
	for (size_t i = 0; i < interval->count; i++)
		for (size_t k = 0; k < all->count; k++)
			if (compare_texts(interval->parts[i].origin.part, all->parts[k].origin.part) == 0) {
				interval->parts[i].question = all->parts[k].question;
				interval->parts[i].origin.cpu = all->parts[k].origin.cpu;
				interval->parts[i].origin.file = all->parts[k].origin.file;
				take_facts(&interval->parts[i], &all->parts[k]);
			}
}

/* Parts that all of the time has no more, because they are left out, have no CPU. */
static void leave_out_unknown(struct measurement *interval)
{
	size_t count = 0;

	for (size_t i = 0; i < interval->count; i++)
		if (interval->parts[i].origin.cpu)
			interval->parts[count++] = interval->parts[i];
	interval->count = count;
}

/* What the output gets: intervals, where the file has them, then all of the time. */
struct printed {
	const struct target_types *types;
	struct output output;
	struct report_set reports; /* the next one */
	struct page_facts page;
	struct timeline *intervals;  /* of a page, which has all of them; NULL: each is a report of its own */
	struct arena arena;	     /* of an interval */
	struct interval_names names; /* of the profile, where intervals have functions */
	bool is_open;
};

static int print(struct printed *series, const struct measurement *measured, const struct options *options,
		 struct arena *arena, struct error *err)
{
	enum format format = options->output.format;
	bool is_story = format == FORMAT_MARKDOWN || format == FORMAT_HTML;

	if (reports_evaluate(&series->reports, series->types, measured, arena, err) < 0 ||
	    (is_story ? reports_locate_implied : reports_locate)(&series->reports, measured, &options->question, arena,
								 err) < 0)
		return -1;
	if (!isnan(measured->from_s) && series->names.profile &&
	    interval_samples(&series->reports, measured, &series->names, arena, err) < 0)
		return -1;
	if (!series->is_open && output_open(&series->output, options, stdout, err) < 0)
		return -1;
	series->is_open = true;
	paged_lend(&series->reports, &series->page, measured, options->output.format, arena);
	if (series->reports.where)
		output_make_private(&series->output);
	if (isnan(series->reports.from_s))
		flames_add(&series->output, measured, &series->reports.parts[0], arena);
	if (render_reports(series->output.file, &series->reports, &series->output.style, err) < 0)
		return output_failed(&series->output, err);
	series->reports.before++;
	return 0;
}

static int collect(struct printed *series, const struct measurement *interval, struct arena *arena, struct error *err)
{
	if (reports_evaluate(&series->reports, series->types, interval, arena, err) < 0)
		return -1;
	timeline_add(series->intervals, &series->reports);
	return 0;
}

/* The parts that are asked for now, or else were asked for when it was measured; NULL: it can't be divided. */
static const struct division *chosen_division(const struct measurement *measured, const struct division *asked)
{
	if (!is_divisible(measured))
		return NULL;
	return is_dividing(asked) ? asked : &measured->parts[0].question.division;
}

static int print_interval(struct printed *series, struct measurement *interval, const struct measurement *measured,
			  const struct options *options, struct error *err)
{
	int result = 0;

	take_cpus(interval, measured);
	leave_out_unknown(interval);
	if (interval->count && series->intervals)
		result = collect(series, interval, &series->arena, err);
	else if (interval->count)
		result = print(series, interval, options, &series->arena, err);
	arena_reset(&series->arena);
	return result;
}

static int print_intervals(struct printed *series, const struct measurement *measured, const struct options *options,
			   struct error *err)
{
	int result = 0;

	for (size_t i = 0; i < measured->nintervals && result == 0; i++)
		result = print_interval(series, &measured->intervals[i], measured, options, err);
	return result;
}

/* Those of a session are in the parts that were counted: saved. */
static int print_series(struct printed *series, const struct measurement *saved, const struct measurement *measured,
			const struct options *options, struct error *err)
{
	struct series_cursor cursor = { .series = saved->series };
	const struct division *division = chosen_division(saved, &options->question.division);
	struct measurement kept, interval;
	int result = 0;

	while (result == 0 && saved->series && interval_series_next(&kept, &cursor, saved, &series->arena)) {
		interval = kept;
		if (division)
			measurement_divide(&interval, &kept, division, &series->arena);
		for (size_t i = 0; i < interval.count; i++)
			interval.parts[i].origin.cpu = NULL; /* until it is found among those that are shown */
		result = print_interval(series, &interval, measured, options, err);
	}
	return result;
}

/* What a reader of the intervals must know. */
static void remark_series(const struct measurement *measured, struct arena *arena)
{
	const struct interval_series *series = measured->series;
	struct repeat *repeat = &measured->parts[0].repeats[0];
	const char **remarks;

	if (!series || series->each < 2)
		return;
	remarks = arena_array(arena, repeat->nremarks + 1, sizeof(*remarks));
	if (repeat->nremarks)
		memcpy(remarks, repeat->remarks, repeat->nremarks * sizeof(*remarks));
	remarks[repeat->nremarks++] = arena_printf(
		arena,
		"The %zu intervals are kept as %zu, each the sum of %zu, because all of them would take too much room.",
		series->total, series->count, series->each);
	repeat->remarks = remarks;
}

static int divide(struct measurement *measured, const char *file, const struct request *request, struct error *err)
{
	const struct division *asked = &request->question->division, *division = chosen_division(measured, asked);
	const struct measurement whole = *measured;

	if (is_dividing(asked) && !division)
		return error_set(err,
				 "%s: its counts are not recorded per CPU, so they can't be divided differently; those "
				 "of -a, -C, --cgroup and --per-core are",
				 file);
	if (division)
		measurement_divide(measured, &whole, division, request->arena);
	return 0;
}

/* The file that is named, or the last measurement's. NULL and err where there is none. */
static const char *choose_file(const struct options *options, struct arena *arena, struct error *err)
{
	const char *last, *command = options->command->name;
	struct stat status;

	if (options->nwords == 1)
		return options->words[0];
	last = options->nwords ? NULL : last_path(arena);
	if (last && stat(last, &status) == 0 && S_ISREG(status.st_mode)) /* nobody writes into a FIFO there */
		return last;
	if (options->nwords)
		error_set(err, "%s: which file? `topdown %s [OPTION]... FILE`, one at a time", command, command);
	else
		error_set(err,
			  "%s: which file? No measurement was kept%s%s; `topdown PROGRAM` measures and keeps one, "
			  "`topdown %s FILE` reads a saved one",
			  command, last ? " in " : ": HOME is not a directory of this user", last ? last : "", command);
	return NULL;
}

/* On stderr, so that the report stays as it is for a named file. */
static void announce_last(const struct origin *origin, const struct request *request)
{
	const char *what = origin->command ? origin->command : origin->target;

	request_notice(request, NOTICE_PLAIN, "the last measurement: %s, %s", what ? what : "an unnamed program",
		       origin->started ? origin->started : "at an unknown time");
}

/* Where the commands below the report find these counts (struct origin). */
static const char *place_of(const char *file, bool is_last, struct arena *arena)
{
	struct string word = STRING_INIT(arena);

	if (!strcmp(file, "-"))
		return NULL;
	if (!is_last)
		string_add_shell_word(&word, file);
	return word.text;
}

/* Were samples taken, and nothing counted? */
static bool is_sampled_only(const struct measurement *measured)
{
	return measured->profile && !measured->parts[0].repeats[0].count;
}

/* Samples have no tree, and no metrics: what asks for them is no option that may be left out in silence. */
static int check_sampled(const char *file, const struct question *question, struct error *err)
{
	const struct {
		const char *name;
		bool is_given;
	} rows[] = {
		{ "--level", question->level },
		{ "--bottlenecks", question->wants_causes },
		{ "--nodes", question->nodes },
		{ "--groups", question->groups },
		{ "--metrics", question->metrics },
		{ "--only-bottleneck", question->wants_worst_only },
		{ "--per-function", question->nper_function },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		if (rows[i].is_given)
			return error_set(err,
					 "%s: it has samples but no counts, so there is nothing for %s; `topdown -l3 "
					 "--lines --save FILE PROGRAM` makes a session with both",
					 file, rows[i].name);
	return 0;
}

/* No model is needed, nor even a CPU that is known. */
static int print_samples(const struct measurement *measured, const struct options *options, struct page_facts *page,
			 struct arena *arena, struct error *err)
{
	struct report_set reports = { .is_series = false };
	struct question question = options->question;
	struct output output;

	if (!question_is_where(&question))
		question.wants_functions = question.wants_lines = question.is_implied = true;
	/* As `topdown sample -I` has shown them. */
	if (measured->profile->nintervals > 1 && question.filter.by == BY_NOTHING && !question.callers &&
	    !question.annotated)
		question.filter.by = BY_INTERVAL;
	reports_sampled(&reports, measured, arena);
	if (reports_locate(&reports, measured, &question, arena, err) < 0)
		return -1;
	if (output_open(&output, options, stdout, err) < 0)
		return -1;
	output_make_private(&output);
	paged_lend(&reports, page, measured, options->output.format, arena);
	flames_add(&output, measured, NULL, arena);
	if (render_reports(output.file, &reports, &output.style, err) < 0)
		return output_failed(&output, err);
	return output_close(&output, err);
}

int saved_read(struct measurement *measured, const struct options *options, struct arena *arena, struct error *err)
{
	const struct request request = request_of(options, arena);
	const char *file = choose_file(options, arena, err);

	if (!file || recorded_read(measured, file, arena, err) < 0)
		return -1;
	if (!options->nwords)
		announce_last(&measured->parts[0].origin, &request);
	return 0;
}

int saved_evaluate(struct report_set *reports, struct measurement *measured, const char *file,
		   const struct request *request, struct error *err)
{
	struct target_types types;

	*reports = (struct report_set){ .from_s = NOT_COUNTED, .to_s = NOT_COUNTED };
	if (is_sampled_only(measured)) {
		reports_sampled(reports, measured, request->arena);
		return 0;
	}
	if (unnamed_choose(measured, request, err) < 0 || find_types(&types, measured, file, request, err) < 0)
		return -1;
	return reports_evaluate(reports, &types, measured, request->arena, err);
}

/* Intervals have tables of functions where the file keeps each by itself. */
static void find_series(struct printed *series, const struct measurement *saved, const struct options *options,
			struct arena *arena)
{
	series->reports.is_series = saved->nintervals || saved->series;
	series->reports.idle_percent = options->question.division.idle_percent;
	if (series->reports.is_series && options->output.format == FORMAT_HTML)
		series->intervals = timeline_new(arena);
	if (saved->series && saved->series->each == 1 && question_is_located(&options->question))
		series->names.profile = saved->profile;
}

static int print_all(struct printed *series, const struct measurement *saved, const struct measurement *measured,
		     const struct options *options, struct error *err)
{
	int result;

	arena_init(&series->arena);
	result = print_intervals(series, measured, options, err);
	if (result == 0)
		result = print_series(series, saved, measured, options, err);
	arena_release(&series->arena);
	return result;
}

/* As it was read: parts are divided, and left out, in another list. */
static struct measurement copy_of(const struct measurement *measured, const struct options *options,
				  struct arena *arena)
{
	struct measurement copy = *measured;

	copy.parts = arena_array(arena, measured->count + 1, sizeof(*copy.parts));
	memcpy(copy.parts, measured->parts, measured->count * sizeof(*copy.parts));
	if (options->output.format == FORMAT_MARKDOWN) /* a ticket is about all of the time */
		copy.series = NULL;
	return copy;
}

static int run_report(const struct options *options, struct arena *arena, struct error *err)
{
	const struct request request = request_of(options, arena);
	const char *file = choose_file(options, arena, err), *place;
	struct target_types types;
	struct measurement measured, saved;
	struct printed series = { .types = &types };

	if (!file || recorded_read(&measured, file, arena, err) < 0 ||
	    check_lines(&measured, file, &options->question, err) < 0)
		return -1;
	paged_keep(&series.page, &measured, options->output.format, arena);
	remark_series(&measured, arena);
	saved = copy_of(&measured, options, arena);
	if (divide(&measured, file, &request, err) < 0)
		return -1;
	place = place_of(file, !options->nwords, arena);
	for (size_t i = 0; i < measured.count; i++)
		measured.parts[i].origin.file = place;
	for (size_t i = 0; i < measured.count; i++)
		measured.parts[i].origin.has_profile = measured.profile && measured.profile->nrows;
	if (!options->nwords)
		announce_last(&measured.parts[0].origin, &request);
	if (is_sampled_only(&measured))
		return check_sampled(file, &options->question, err) < 0
			       ? -1
			       : print_samples(&measured, options, &series.page, arena, err);
	if (unnamed_choose(&measured, &request, err) < 0)
		return error_in(err, "%s", file);
	if (find_types(&types, &measured, file, &request, err) < 0)
		return -1;
	if (wanted_parts(&measured, &types, &request, err) < 0)
		return -1;
	find_series(&series, &saved, options, arena);
	if (print_all(&series, &saved, &measured, options, err) < 0)
		return -1;
	series.reports.timeline = series.intervals;
	if (print(&series, &measured, options, arena, err) < 0)
		return -1;
	return output_close(&series.output, err);
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
	.arguments = "[OPTION]... [FILE]",
	.summary = "evaluate saved counts again, or those of the last measurement",
	.examples = "topdown report run.json\n"
		    "topdown report -l3 -v run.json\n"
		    "topdown report -l3 --format csv -o run.csv run.json\n",
	.run = run_report,
	.sets = { &level_options, &selection_options, &worst_options, &lines_options, &roofline_options,
		  &division_options, &cpu_options, &form_options, &smt_options, &sysroot_options, &file_options,
		  &style_options, &general_options },
};
