/* SPDX-License-Identifier: GPL-2.0-or-later */
/* saved.c - the steps behind counting, for counts that are there: find their CPUs, divide, evaluate, locate. */
#include "engine/saved.h"

#include <math.h>
#include <string.h>

#include "analyse/hotspots/hotspots.h"
#include "analyse/hotspots/line_profile.h"
#include "common/base/text.h"
#include "common/measurement/division.h"
#include "common/measurement/interval_series.h"
#include "common/request/exclusions.h"
#include "engine/reports.h"
#include "engine/sampling/interval_samples.h"
#include "engine/selection.h"
#include "engine/steps.h"

/* The counts say what they are of; --cpu may only confirm it. */
static int check_cpu(struct target *target, const char *file, const struct request *request, struct error *err)
{
	const char *cpu = request->setup->machine.cpu;
	const char *named = cpu ? database_name(target->database, cpu, request->arena, err) : target->cpu;

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
			"%s: a session records whether SMT was on; {smt} is for flat counts and perf stat's output",
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
		return saved_cpus_find(target, counts, request, err) < 0 ? error_in(err, "%s", file) : 0;
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
	if (!question_is_where(question) || has_hotspots(measured))
		return 0;
	if (measured->profile)
		return error_set(err, "%s: no sample was taken, so no places are known; sample for longer", file);
	return error_set(
		err,
		"%s: it has no source lines; `topdown {pmu} sim {lines} {save} FILE PROGRAM` makes a session that "
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

/* The parts that are asked for now, or else were asked for when it was measured; NULL: it can't be divided. */
static const struct division *chosen_division(const struct measurement *measured, const struct division *asked)
{
	if (!is_divisible(measured))
		return NULL;
	return is_dividing(asked) ? asked : &measured->parts[0].question.division;
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

static int saved_divide(struct measurement *measured, const char *file, const struct request *request,
			struct error *err)
{
	const struct division *asked = &request->question->division, *division = chosen_division(measured, asked);
	const struct measurement whole = *measured;

	if (is_dividing(asked) && !division)
		return error_set(err,
				 "%s: its counts are not recorded per CPU, so they can't be divided differently; those "
				 "of {a}, {C}, {cgroup} and {per-core} are",
				 file);
	if (division)
		measurement_divide(measured, &whole, division, request->arena);
	return 0;
}

/* Were samples taken, and nothing counted? */
static bool is_sampled_only(const struct measurement *measured)
{
	return measured->profile && !measured->parts[0].repeats[0].count;
}

/* Samples have no tree, and no metrics: what asks for them is no option that may be left out in silence. */
static int check_sampled(const char *file, const struct question *question, struct error *err)
{
	char words[64];
	const struct {
		const char *name;
		bool is_given;
	} rows[] = {
		{ "{level}", question->level },
		{ "{bottlenecks}", question->wants_causes },
		{ "{nodes}", question->nodes },
		{ "{groups}", question->groups },
		{ "{metrics}", question->metrics },
		{ "{only-bottleneck}", question->wants_worst_only },
		{ "{per-function}", question->nper_function },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		if (rows[i].is_given)
			return error_set(err,
					 "%s: it has samples but no counts, so there is nothing for %s; `topdown {l}3 "
					 "{lines} {save} FILE PROGRAM` makes a session with both",
					 file, text_worded(words, sizeof(words), rows[i].name));
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
	if (saved_cpus_choose(measured, request, err) < 0 || find_types(&types, measured, file, request, err) < 0)
		return -1;
	return reports_evaluate(reports, &types, measured, request->arena, err);
}

/* Rows with their places, or the source lines alone. */
static const struct profile *profile_of(const struct measurement *measured, struct arena *arena)
{
	if (measured->profile && measured->profile->nrows)
		return measured->profile;
	return measured->parts[0].has_lines ? profile_of_lines(&measured->parts[0], arena) : NULL;
}

int saved_side(struct compare_side *side, struct measurement *measured, const struct request *request,
	       struct error *err)
{
	const struct question question = { .level = DEEPEST_LEVEL };
	struct request all = *request;
	struct arena *arena = request->arena;
	struct report_set *reports = arena_alloc(arena, sizeof(*reports));
	const struct profile **profile;

	all.question = &question;
	if (!measured->count)
		return error_set(err, "%s: nothing was measured in it", side->label);
	if (!measured->parts[0].repeats[0].count)
		reports->count = 0; /* times and samples alone */
	else if (saved_evaluate(reports, measured, side->label, &all, err) < 0)
		return -1;
	profile = arena_alloc(arena, sizeof(void *));
	*profile = profile_of(measured, arena);
	side->measured = measured;
	side->report = reports->count ? &reports->parts[0] : NULL;
	side->profiles = profile;
	side->nprofiles = *profile != NULL;
	return 0;
}

/* ---- all of it, interval by interval ---- */

struct pass {
	const struct saved *saved;
	const struct request *request;
	struct target_types types;
	struct interval_names names; /* of the profile, where intervals have functions */
	struct arena interval;
	size_t before; /* outcomes that the sink has */
	bool is_series;
};

static int hand_over(struct pass *pass, const struct measurement *measured, struct report_set *reports,
		     struct error *err)
{
	const struct sink *sink = pass->request->sink;
	const struct outcome outcome = { .measured = measured, .reports = reports, .is_last = isnan(measured->from_s) };

	pass->before++;
	return sink->outcome ? sink->outcome(sink->context, &outcome, err) : 0;
}

static int evaluate_and_locate(struct pass *pass, const struct measurement *measured, struct arena *arena,
			       struct error *err)
{
	const struct question *question = pass->request->question;
	struct report_set reports = { .is_series = pass->is_series,
				      .before = pass->before,
				      .idle_percent = question->division.idle_percent };

	if (reports_evaluate(&reports, &pass->types, measured, arena, err) < 0 ||
	    reports_locate(&reports, measured, pass->request, arena, err) < 0)
		return -1;
	if (!isnan(measured->from_s) && pass->names.profile &&
	    interval_samples(&reports, measured, &pass->names, arena, err) < 0)
		return -1;
	return hand_over(pass, measured, &reports, err);
}

static int report_interval(struct pass *pass, struct measurement *interval, const struct measurement *all,
			   struct error *err)
{
	int result = 0;

	take_cpus(interval, all);
	leave_out_unknown(interval);
	if (interval->count)
		result = evaluate_and_locate(pass, interval, &pass->interval, err);
	arena_reset(&pass->interval);
	return result;
}

/* Those of a session are in the parts that were counted: whole. */
static int report_series(struct pass *pass, const struct measurement *whole, const struct measurement *all,
			 struct error *err)
{
	struct series_cursor cursor = { .series = whole->series };
	const struct division *division = chosen_division(whole, &pass->request->question->division);
	struct measurement kept, interval;
	int result = 0;

	while (result == 0 && whole->series && interval_series_next(&kept, &cursor, whole, &pass->interval)) {
		interval = kept;
		if (division)
			measurement_divide(&interval, &kept, division, &pass->interval);
		for (size_t i = 0; i < interval.count; i++)
			interval.parts[i].origin.cpu = NULL; /* until it is found among those that are shown */
		result = report_interval(pass, &interval, all, err);
	}
	return result;
}

static int report_intervals(struct pass *pass, const struct measurement *whole, const struct measurement *all,
			    struct error *err)
{
	int result = 0;

	for (size_t i = 0; i < all->nintervals && result == 0; i++)
		result = report_interval(pass, &all->intervals[i], all, err);
	return result < 0 ? -1 : report_series(pass, whole, all, err);
}

/* No model is needed, nor even a CPU that is known. */
static int report_samples(struct pass *pass, const struct measurement *measured, struct error *err)
{
	const struct request *request = pass->request;
	struct report_set reports = { .is_series = false };
	struct question question = *request->question;

	if (check_sampled(pass->saved->file, &question, err) < 0)
		return -1;
	if (!question_is_where(&question))
		question.wants_functions = question.wants_lines = question.is_implied = true;
	/* As `topdown sample -I` has shown them. */
	if (measured->profile->nintervals > 1 && question.filter.by == BY_NOTHING && !question.callers &&
	    !question.annotated)
		question.filter.by = BY_INTERVAL;
	reports_sampled(&reports, measured, request->arena);
	if (reports_locate(&reports, measured, &(struct request){ .question = &question }, request->arena, err) < 0)
		return -1;
	return hand_over(pass, measured, &reports, err);
}

static int report_counts(struct pass *pass, const struct measurement *whole, struct measurement *all, struct error *err)
{
	const struct request *request = pass->request;
	const char *file = pass->saved->file;

	if (saved_cpus_choose(all, request, err) < 0)
		return error_in(err, "%s", file);
	if (find_types(&pass->types, all, file, request, err) < 0 ||
	    selection_parts(all, &pass->types, request, err) < 0)
		return -1;
	/* Intervals have tables of functions where the file keeps each by itself. */
	if (whole->series && whole->series->each == 1 && question_is_located(request->question))
		pass->names.profile = whole->profile;
	if (!pass->saved->has_no_intervals && report_intervals(pass, whole, all, err) < 0)
		return -1;
	return evaluate_and_locate(pass, all, request->arena, err);
}

/* As it was read: parts are divided, and left out, in another list. */
static struct measurement copy_of(const struct measurement *measured, struct arena *arena)
{
	struct measurement copy = *measured;

	copy.parts = arena_array(arena, measured->count + 1, sizeof(*copy.parts));
	memcpy(copy.parts, measured->parts, measured->count * sizeof(*copy.parts));
	return copy;
}

int engine_report(const struct saved *saved, const struct request *request, struct error *err)
{
	struct measurement all = *saved->measured, whole;
	struct pass pass = { .saved = saved, .request = request };
	int result;

	if (exclusions_check(request, PMU_AUTO, err) < 0)
		return -1;
	if (check_lines(&all, saved->file, request->question, err) < 0)
		return -1;
	for (size_t i = 0; i < all.count; i++)
		all.parts[i].origin.has_profile = all.profile && all.profile->nrows;
	if (request->sink->measured && request->sink->measured(request->sink->context, &all, err) < 0)
		return -1;
	remark_series(&all, request->arena);
	whole = copy_of(&all, request->arena);
	if (saved_divide(&all, saved->file, request, err) < 0)
		return -1;
	pass.is_series = !saved->has_no_intervals && (whole.nintervals || whole.series);
	arena_init(&pass.interval);
	result = is_sampled_only(&all) ? report_samples(&pass, &all, err) : report_counts(&pass, &whole, &all, err);
	arena_release(&pass.interval);
	return result;
}
