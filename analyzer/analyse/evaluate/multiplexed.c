/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * multiplexed.c - groups that shared the counters saw different parts of the time. Their slices take what they counted
 * to all of it, and say how sure that leaves each value (common/measurement/slices.h).
 */
#include <math.h>

#include "analyse/evaluate/evaluation.h"

#define ENOUGH_SLICES 12 /* fewer may all be in step with the program: the groups have to agree as well */
/*
 * No interval is smaller than so many points, or than so many over the slices. Slices do not see what begins and ends
 * with the run, or between two turns. Where they agreed to 0.3 points, runs in guests were up to 0.6 away in half a
 * second (14 slices), and up to 1.2 in a quarter (6).
 */
#define LEAST_POINTS 0.2
#define SLICE_POINTS 8.0
#define ROUGH_POINTS 2.0 /* a short run is worth a note where it may be off by more */

/* The slices of the event in the group as numbers; NULL: there are none. */
static double *slices_of(const struct evaluation *e, size_t group, size_t event, size_t *count)
{
	for (size_t i = 0; event != TABLE_NONE && i < e->repeat->count; i++) {
		const struct count *item = &e->repeat->items[i];
		double *numbers;

		if (item->group != group || e->bound[i] != event || item->state != COUNT_OK || !item->nslices)
			continue;
		numbers = arena_array(e->arena, item->nslices, sizeof(*numbers));
		for (size_t k = 0; k < item->nslices; k++)
			numbers[k] = (double)item->slices[k];
		*count = item->nslices;
		return numbers;
	}
	return NULL;
}

static double multiplexed_sum_of(const double *numbers, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += numbers[i];
	return sum;
}

/* A group whose counts can be corrected: it has slices of cycles. */
static bool group_slices(struct group_slices *slices, const struct evaluation *e, size_t group)
{
	size_t count = 0, others = 0;

	*slices = (struct group_slices){ .ipc = NOT_COUNTED, .number = group };
	slices->cycles = slices_of(e, group, e->model->roles[ROLE_CYCLES], &count);
	slices->instructions = slices_of(e, group, e->model->roles[ROLE_INSTRUCTIONS], &others);
	if (others != count)
		slices->instructions = NULL;
	slices->count = count;
	return slices->cycles && multiplexed_sum_of(slices->cycles, count) > 0;
}

/* What all groups of a run together saw is all of the time. */
static double ipc_of_run(const struct evaluation *e, const struct group_slices *groups, size_t run)
{
	double cycles = 0, instructions = 0;

	for (size_t g = 0; g < e->repeat->ngroups; g++) {
		if (!groups[g].cycles || !groups[g].instructions || context_run(e, g) != run)
			continue;
		cycles += multiplexed_sum_of(groups[g].cycles, groups[g].count);
		instructions += multiplexed_sum_of(groups[g].instructions, groups[g].count);
	}
	return cycles > 0 ? instructions / cycles : NOT_COUNTED;
}

/* Cycles stay what they are, and so does each count's ratio to them but for what the slices say. */
static void correct_event(const struct evaluation *e, const struct group_slices *slices, size_t item)
{
	const struct count *count = &e->repeat->items[item];
	struct context *context = &e->contexts[count->group];
	double *numbers = arena_array(e->arena, slices->count, sizeof(*numbers));
	double plain, away;

	for (size_t i = 0; i < slices->count; i++)
		numbers[i] = (double)count->slices[i];
	plain = slices_rate(slices, numbers, SLICES_AS_THEY_ARE);
	away = slices_rate(slices, numbers, e->weights) - plain;
	if (isfinite(away) && away != 0)
		context->events[e->bound[item]] =
			fmax(context->events[e->bound[item]] + away * context->events[e->model->roles[ROLE_CYCLES]], 0);
}

static bool is_sliced(const struct count *count)
{
	return count->state == COUNT_OK && count->nslices >= LEAST_SLICES;
}

static bool has_slices(const struct repeat *repeat)
{
	for (size_t i = 0; i < repeat->count; i++)
		if (is_sliced(&repeat->items[i]))
			return true;
	return false;
}

void slices_correct(struct evaluation *e)
{
	struct group_slices *groups;

	if (e->weights == SLICES_AS_THEY_ARE || !has_slices(e->repeat))
		return;
	groups = arena_array(e->arena, e->repeat->ngroups + 1, sizeof(*groups));
	for (size_t g = 0; g < e->repeat->ngroups; g++)
		if (e->contexts[g].running >= 1 || !group_slices(&groups[g], e, g))
			groups[g].cycles = NULL;
	for (size_t g = 0; g < e->repeat->ngroups; g++)
		groups[g].ipc = ipc_of_run(e, groups, context_run(e, g));
	for (size_t i = 0; i < e->repeat->count; i++) {
		const struct count *count = &e->repeat->items[i];

		if (is_sliced(count) && e->bound[i] != TABLE_NONE && groups[count->group].cycles &&
		    count->nslices == groups[count->group].count)
			correct_event(e, &groups[count->group], i);
	}
}

/* ---- how sure that is ---- */

/* Of one repeat: what each result comes to with other weights. */
struct variants {
	double *values[REPLICATES]; /* [results] */
	double *as_they_are;
	size_t slices; /* of the repeat */
	double groups; /* groups_ci95() */
};

/* The repeat is evaluated again, in memory of its own. Events that were asked for follow the metrics. */
static double *evaluate_with(const struct evaluation *repeat, int weights, struct arena *arena)
{
	const struct model *model = repeat->model;
	double *values = arena_array(arena, model->count + model->nasked + 1, sizeof(*values));
	struct evaluation again = *repeat;
	struct arena scratch;

	arena_init(&scratch);
	again.arena = &scratch;
	again.weights = weights;
	contexts_fill(&again);
	results_fill(&again);
	for (size_t i = 0; i < model->count; i++)
		values[i] = again.results[i].raw;
	for (size_t i = 0; i < model->nasked; i++)
		values[model->count + i] = asked_value(&again, model->asked[i]);
	arena_release(&scratch);
	return values;
}

static size_t count_slices(const struct repeat *repeat)
{
	size_t most = 0;

	for (size_t i = 0; i < repeat->count; i++)
		if (is_sliced(&repeat->items[i]) && repeat->items[i].nslices > most)
			most = repeat->items[i].nslices;
	return most;
}

static struct variants variants_of(const struct evaluation *repeat, struct arena *arena)
{
	struct variants variants = { .slices = count_slices(repeat->repeat), .groups = groups_ci95(repeat) };

	for (int i = 0; variants.slices && i < REPLICATES; i++)
		variants.values[i] = evaluate_with(repeat, i, arena);
	if (variants.slices)
		variants.as_they_are = evaluate_with(repeat, SLICES_AS_THEY_ARE, arena);
	return variants;
}

/* Does the metric read nothing but groups whose slices say how much their counts vary? */
static bool is_covered(const struct evaluation *repeat, size_t metric)
{
	const struct metric *of = &repeat->model->metrics[metric];
	const struct context *context;

	if (repeat->context_of[metric] == TABLE_NONE)
		return false;
	context = &repeat->contexts[repeat->context_of[metric]];
	for (size_t i = 0; i < of->nevents; i++) {
		size_t group = context->groups[of->events[i]], count = 0;

		if (group == TABLE_NONE || context->running_shares[of->events[i]] >= 1)
			continue;
		if (!slices_of(repeat, group, repeat->model->roles[ROLE_CYCLES], &count) || count < LEAST_SLICES)
			return false;
	}
	return true;
}

/* What has a value in a repeat: a result, or an event that was asked for. */
struct valued {
	size_t number; /* in struct variants */
	double value, running;
	bool is_covered;
};

static struct valued multiplexed_value_of(const struct evaluation *repeat, size_t number)
{
	size_t event, group, count;

	if (number < repeat->model->count)
		return (struct valued){ number, repeat->results[number].raw, repeat->results[number].running,
					is_covered(repeat, number) };
	event = repeat->model->asked[number - repeat->model->count];
	group = asked_group(repeat, event);
	if (group == TABLE_NONE)
		return (struct valued){ number, NOT_COUNTED, 1, false };
	return (struct valued){ number, asked_value(repeat, event), repeat->contexts[group].running_shares[event],
				slices_of(repeat, group, event, &count) && count >= LEAST_SLICES };
}

static double slices_of_value(const struct valued *of, const struct variants *variants)
{
	double replicates[REPLICATES];

	if (!variants->slices || !of->is_covered)
		return NOT_COUNTED;
	for (size_t i = 0; i < REPLICATES; i++)
		replicates[i] = variants->values[i][of->number];
	return slices_ci95(replicates, of->value, variants->as_they_are[of->number], of->running, variants->slices);
}

/* Points are known of nodes, which are percentages. */
static double ci95_of(const struct evaluation *e, const struct valued *of, const struct variants *variants)
{
	double ci95 = slices_of_value(of, variants);

	if (of->number >= e->model->nnodes)
		return ci95;
	if (isnan(ci95))
		return isnan(variants->groups) ? ci95 : fmax(variants->groups, LEAST_POINTS);
	if (variants->slices < ENOUGH_SLICES)
		ci95 = fmax(ci95, variants->groups);
	return fmax(ci95, fmax(LEAST_POINTS, SLICE_POINTS / (double)variants->slices));
}

/* The mean of repeats is as sure as they are together; NAN: nothing was multiplexed, or nothing says how sure it is. */
static double mean_ci95(const struct evaluation *e, const struct variants *variants, size_t number)
{
	double squares = 0, n = 0;
	bool is_multiplexed = false;

	for (size_t i = 0; i < e->nrepeats; i++) {
		struct valued of = multiplexed_value_of(&e->repeats[i], number);
		double ci95 = of.running < 1 ? ci95_of(e, &of, &variants[i]) : 0;

		if (isnan(of.value))
			continue;
		is_multiplexed = is_multiplexed || of.running < 1;
		squares += ci95 * ci95;
		n++;
	}
	return is_multiplexed ? sqrt(squares) / n : NOT_COUNTED;
}

void slices_widen(struct statistics *spread, double ci95)
{
	if (!(spread->ci95 >= ci95) && !isnan(ci95))
		spread->ci95 = ci95;
}

static void take_intervals(struct evaluation *e, const struct variants *variants)
{
	e->asked_ci95 = arena_array(e->arena, e->model->nasked + 1, sizeof(*e->asked_ci95));
	for (size_t i = 0; i < e->model->count; i++)
		slices_widen(&e->results[i].spread, mean_ci95(e, variants, i));
	for (size_t i = 0; i < e->model->nasked; i++)
		e->asked_ci95[i] = mean_ci95(e, variants, e->model->count + i);
}

/* Something was multiplexed, and there is something to say how sure it is. */
static bool is_judged(const struct variants *variants, const struct evaluation *repeat)
{
	bool is_multiplexed = false;

	for (size_t g = 0; g < repeat->repeat->ngroups; g++)
		is_multiplexed = is_multiplexed || repeat->contexts[g].running < 1;
	return is_multiplexed && (variants->slices || !isnan(variants->groups));
}

void slices_judge(struct evaluation *e)
{
	struct variants *variants;
	struct arena scratch;
	bool is_any = false;

	arena_init(&scratch);
	variants = arena_array(&scratch, e->nrepeats, sizeof(*variants));
	for (size_t i = 0; i < e->nrepeats; i++) {
		variants[i] = variants_of(&e->repeats[i], &scratch);
		is_any = is_any || is_judged(&variants[i], &e->repeats[i]);
	}
	if (is_any)
		take_intervals(e, variants);
	arena_release(&scratch);
	e->has_intervals = is_any;
}

/* The least sure of the nodes that are shown; others: multiplexed ones of which nothing is known. */
static size_t find_least_sure(const struct evaluation *e, size_t *others)
{
	size_t worst = TABLE_NONE;

	for (size_t i = 0; i < e->model->nnodes; i++) {
		const struct result *result = &e->results[i];

		if (!e->shown[i] || isnan(result->value) || !(result->running < 1))
			continue;
		if (isnan(result->spread.ci95))
			++*others;
		else if (worst == TABLE_NONE || result->spread.ci95 > e->results[worst].spread.ci95)
			worst = i;
	}
	return worst;
}

/* Few slices in one repeat are few. */
static bool is_short(const struct evaluation *e)
{
	for (size_t i = 0; i < e->nrepeats; i++)
		if (count_slices(&e->counts->repeats[i]) < LEAST_SLICES)
			return true;
	return false;
}

bool is_too_short(const struct evaluation *e)
{
	size_t others = 0, worst = e->has_intervals ? find_least_sure(e, &others) : TABLE_NONE;

	return worst != TABLE_NONE && is_short(e) && e->results[worst].spread.ci95 > ROUGH_POINTS;
}

static const char *points_text(const struct evaluation *e, double points)
{
	return points < 0.1 ? "less than 0.1 points" : arena_printf(e->arena, "%.1f points", points);
}

/* A node that a reader does not see without -v is not named. */
static const char *least_sure_text(const struct evaluation *e, const struct result *worst)
{
	if (worst->metric->level > 1 && !worst->over_threshold)
		return "";
	return arena_printf(e->arena, "; the least sure is %s", worst->metric->title);
}

void note_slices(struct evaluation *e, double running)
{
	size_t others = 0, worst = e->has_intervals ? find_least_sure(e, &others) : TABLE_NONE;
	const char *known;

	if (worst == TABLE_NONE) {
		note_add(e,
			 "Some events were on a counter for only %.0f %% of the time. How much error that causes is "
			 "not known: these counts have too few time slices to compare. To be sure, "
			 "count for longer, or without multiplexing.",
			 running * 100);
		return;
	}
	known = points_text(e, e->results[worst].spread.ci95);
	if (is_short(e))
		note_add(e,
			 "Some events were on a counter for only %.0f %% of the time, and that was too short to be "
			 "sure. "
			 "Judging by how much the groups of events differ, nodes are within %s (95 %%). To be sure, "
			 "count for "
			 "longer, or without multiplexing.",
			 running * 100, known);
	else
		note_add(e,
			 "Some events were on a counter for only %.0f %% of the time. Judging by how much their counts "
			 "varied, nodes are within %s of their values for the whole time (95 %%)%s.%s",
			 running * 100, known, least_sure_text(e, &e->results[worst]),
			 others ? arena_printf(e->arena, " The error of %zu others is not known.", others) : "");
}
