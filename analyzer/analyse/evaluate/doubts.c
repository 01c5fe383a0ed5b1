/* SPDX-License-Identifier: GPL-2.0-or-later */
/* doubts.c - where the values themselves say that they decide little, or that they cannot be. */
#include <math.h>

#include "common/base/text.h"

#include "analyse/evaluate/evaluation.h"

#define TIE_POINTS     1.0 /* level-1 values closer than this are a tie */
#define NEAR_POINTS    5.0 /* below level 1, where values are shares of different things, as in toplev */
#define SUM_POINTS     2.0 /* level 1 may miss 100 % by this much: rounding, and groups a little apart */
#define PART_POINTS    5.0 /* a part of the slots that is larger than the whole by more than this cannot be */
#define NAMED_SIBLINGS 3

bool is_level_1_shown(const struct evaluation *e)
{
	for (size_t i = 0; i < e->model->nnodes; i++)
		if (e->results[i].metric->level == 1 && !e->shown[i])
			return false;
	return true;
}

static bool is_rival(const struct evaluation *e, const struct result *result, const struct result *worst)
{
	return result != worst && result->metric->parent == worst->metric->parent && result->is_bottleneck &&
	       !result_is_impossible(result) && e->shown[result->metric - e->model->metrics];
}

static void note_level_1_tie(struct evaluation *e, const struct result *worst)
{
	for (size_t i = 0; i < e->model->nnodes; i++) {
		const struct result *other = &e->results[i];

		if (is_rival(e, other, worst) && fabs(worst->value - other->value) < TIE_POINTS)
			note_add(e,
				 "Level 1 is a tie: %s (%.1f %%) and %s (%.1f %%) are too close to call one the "
				 "bottleneck.",
				 worst->metric->title, worst->value, other->metric->title, other->value);
	}
}

/* The path has to go somewhere; a reader knows then where else it could have gone. */
static void note_near(struct evaluation *e, const struct result *worst)
{
	struct string text = STRING_INIT(e->arena);
	size_t count = 0;

	for (size_t i = 0; i < e->model->nnodes; i++) {
		const struct result *other = &e->results[i];

		if (!is_rival(e, other, worst) || fabs(worst->value - other->value) >= NEAR_POINTS ||
		    ++count > NAMED_SIBLINGS)
			continue;
		string_printf(&text, "%s%s (%.1f %%)", count > 1 ? ", " : "", other->metric->title, other->value);
	}
	if (count > NAMED_SIBLINGS)
		string_printf(&text, " and %zu more", count - NAMED_SIBLINGS);
	if (count)
		note_add(e, "Below %s it is close: %s (%.1f %%) is within %.0f points of %s.",
			 e->model->metrics[worst->metric->parent].title, worst->metric->title, worst->value,
			 NEAR_POINTS, text.text);
}

static void note_ties(struct evaluation *e)
{
	for (size_t i = 0; i < e->model->nnodes; i++) {
		const struct result *result = &e->results[i];

		if (!result->is_on_worst_path)
			continue;
		if (result->metric->level == 1)
			note_level_1_tie(e, result);
		else if (!e->is_decided || result != e->report->worst)
			note_near(e, result);
	}
}

static const char *sum_reason(const struct evaluation *e, double sum)
{
	bool is_runs = false, is_scaled = false, is_clamped = false, is_printed = false;

	for (size_t i = 0; i < e->model->nnodes; i++) {
		if (e->results[i].metric->level != 1)
			continue;
		is_runs = is_runs || e->results[i].quality == QUALITY_RUNS;
		is_scaled = is_scaled || e->results[i].quality == QUALITY_SCALED;
		is_printed = is_printed || e->results[i].quality == QUALITY_PRINTED;
		is_clamped = is_clamped || e->results[i].quality == QUALITY_CLAMPED;
	}
	if (is_printed)
		return "perf stat printed its parts, from counts that do not belong together";
	if (is_scaled)
		return "the events were multiplexed, and the program changed in between; count without "
		       "multiplexing";
	if (is_runs)
		return "its parts come from different runs, which did not behave alike";
	if (is_clamped)
		return "a part left its possible range: the counts do not belong together";
	if (e->model->form == FORM_GENERAL && sum < 100) /* models/README.md: Ice Lake and its kin */
		return "the general form of Backend_Bound leaves out the slots that clears take";
	if (e->model->facts.smt_on == 1)
		return "these counters see both threads of a core, and the other thread was busy with something else";
	return "the counts do not belong together, or an event counts something else on this machine";
}

static void note_sum(struct evaluation *e)
{
	double sum = 0;

	if (e->model->no_tree || !is_level_1_shown(e))
		return;
	for (size_t i = 0; i < e->model->nnodes; i++)
		if (e->results[i].metric->level == 1)
			sum += e->results[i].raw;
	if (!isnan(sum) && fabs(sum - 100) > SUM_POINTS)
		note_add(e, "Level 1 adds up to %.1f %% instead of 100 %%. Likely reason: %s.", sum,
			 sum_reason(e, sum));
}

static bool is_parent_on_worst_path(const struct evaluation *e, const struct result *result)
{
	size_t parent = result->metric->parent;

	return parent != NO_PARENT && e->results[parent].is_on_worst_path;
}

static bool is_clamped(const struct result *result)
{
	return result->quality == QUALITY_CLAMPED ||
	       (result->quality == QUALITY_PRINTED && result->raw != result->value);
}

/* Of deeper nodes only those that could have been on the worst path. */
static void note_clamped(struct evaluation *e)
{
	for (size_t i = 0; i < e->model->nnodes; i++) {
		const struct result *result = &e->results[i];

		if (!is_clamped(result) || !e->shown[i])
			continue;
		if (result->metric->level == 1)
			note_add(e, "%s came out as %.1f %%, which is impossible; it is shown as %.1f %%.",
				 result->metric->title, result->raw, result->value);
		else if (result_is_impossible(result) && result->is_bottleneck && is_parent_on_worst_path(e, result))
			note_add(e, "%s came out as %.1f %%, which is impossible: the path marked <== leaves it out.",
				 result->metric->title, result->raw);
	}
}

static bool is_share_of_slots(const struct evaluation *e, size_t node)
{
	return node != NO_PARENT && e->shown[node] && is_same_name(e->results[node].metric->domain, "Slots");
}

/* Of the nodes that a reader looks at first. What is clamped has its own note. */
static bool is_too_large(const struct evaluation *e, size_t node)
{
	const struct result *part = &e->results[node];

	return (part->is_on_worst_path || part->is_bottleneck) && !result_is_impossible(part) &&
	       is_share_of_slots(e, node) && is_share_of_slots(e, part->metric->parent) &&
	       part->value - e->results[part->metric->parent].value > PART_POINTS;
}

static void note_parts(struct evaluation *e)
{
	for (size_t i = 0; i < e->model->nnodes; i++) {
		const struct result *part = &e->results[i], *whole;

		if (!is_too_large(e, i))
			continue;
		whole = &e->results[part->metric->parent];
		note_add(e,
			 "%s (%.1f %%) is more than %s (%.1f %%), of which it is a part: their counts do not "
			 "belong together.",
			 part->metric->title, part->value, whole->metric->title, whole->value);
	}
}

/* A whole of level 1 and its parts, which are all of it. */
struct family {
	double whole, sum, squares; /* the intervals' squares */
	size_t parts;
	bool is_complete, is_apart; /* all are known, and none has its own note; not all come from the same counts */
};

static double ci95_squared(const struct result *result)
{
	return isnan(result->spread.ci95) ? 0 : result->spread.ci95 * result->spread.ci95;
}

static bool is_of_groups(const struct result *result)
{
	return result->quality == QUALITY_SCALED || result->quality == QUALITY_RUNS;
}

static struct family family_of(const struct evaluation *e, size_t whole)
{
	const struct result *parent = &e->results[whole];
	struct family family = { .whole = parent->value,
				 .squares = ci95_squared(parent),
				 .is_complete = is_share_of_slots(e, whole),
				 .is_apart = is_of_groups(parent) };

	for (size_t i = 0; i < e->model->nnodes; i++) {
		const struct result *part = &e->results[i];

		if (part->metric->parent != whole)
			continue;
		family.parts++;
		family.sum += part->value;
		family.squares += ci95_squared(part);
		family.is_complete = family.is_complete && is_share_of_slots(e, i) && !is_too_large(e, i);
		family.is_apart = family.is_apart || is_of_groups(part);
	}
	family.is_complete = family.is_complete && family.parts > 1 && !isnan(family.sum + family.whole);
	return family;
}

static const char *parts_text(const struct evaluation *e, size_t whole)
{
	struct string text = STRING_INIT(e->arena);

	for (size_t i = 0; i < e->model->nnodes; i++)
		if (e->results[i].metric->parent == whole)
			string_printf(&text, "%s%s (%.1f %%)", text.length ? " and " : "", e->results[i].metric->title,
				      e->results[i].value);
	return text.text;
}

/* Of multiplexed counts, or of several runs: the whole that its parts miss by most. */
static void note_families(struct evaluation *e)
{
	size_t worst = TABLE_NONE;
	double most = 0;

	for (size_t i = 0; i < e->model->nnodes; i++) {
		struct family family;
		double away;

		if (e->results[i].metric->level != 1)
			continue;
		family = family_of(e, i);
		away = fabs(family.sum - family.whole);
		if (!family.is_complete || !family.is_apart || away <= most ||
		    away <= fmax(SUM_POINTS, sqrt(family.squares)))
			continue;
		most = away;
		worst = i;
	}
	if (worst != TABLE_NONE)
		note_add(e,
			 "%s do not add up to %s (%.1f %%): they come from different counts, which did not see the "
			 "same work.",
			 parts_text(e, worst), e->results[worst].metric->title, e->results[worst].value);
}

static double doubts_count_of(const struct evaluation *e, size_t context, size_t event)
{
	return event == TABLE_NONE ? NOT_COUNTED : e->contexts[context].events[event];
}

/* What advanced while another event stayed at 0: cycles, or what stands in for them. TABLE_NONE: nothing did. */
static size_t find_evidence(const struct evaluation *e, size_t context)
{
	static const enum role roles[] = { ROLE_CYCLES, ROLE_INSTRUCTIONS, ROLE_SLOTS, ROLE_REFERENCE };

	for (size_t i = 0; i < COUNT_OF(roles); i++)
		if (doubts_count_of(e, context, e->model->roles[roles[i]]) >= MANY_CYCLES)
			return e->model->roles[roles[i]];
	for (size_t event = 0; event < e->model->events.count; event++)
		if (e->model->events.events[event].kind == EVENT_CORE &&
		    doubts_count_of(e, context, event) >= MANY_CYCLES)
			return event;
	return TABLE_NONE;
}

/* Counts of 0 that cannot be; each event is named once. */
struct zeros {
	struct evaluation *e;
	bool *is_named; /* [model events] */
};

static size_t other_role(const struct evaluation *e, size_t event)
{
	const size_t *roles = e->model->roles;

	return event == roles[ROLE_CYCLES] ? roles[ROLE_INSTRUCTIONS] : roles[ROLE_CYCLES];
}

static void note_zero(struct zeros *zeros, size_t event, size_t context)
{
	const struct event *events = zeros->e->model->events.events;
	size_t evidence = context_stuck(zeros->e, &zeros->e->contexts[context]) == event
				  ? other_role(zeros->e, event)
				  : find_evidence(zeros->e, context);

	if (evidence == TABLE_NONE || zeros->is_named[event] || doubts_count_of(zeros->e, context, event) != 0)
		return;
	zeros->is_named[event] = true;
	note_add(zeros->e, "%s counted 0 while %s counted %.1f M, which is impossible: values that use it are wrong.",
		 events[event].name, events[evidence].name, doubts_count_of(zeros->e, context, evidence) / 1e6);
}

/* Cycles, instructions, slots and reference cycles advance together. */
static void note_idle_roles(struct zeros *zeros, size_t context)
{
	for (enum role role = 0; role < ROLE_COUNT; role++)
		if (zeros->e->model->roles[role] != TABLE_NONE)
			note_zero(zeros, zeros->e->model->roles[role], context);
}

/*
 * Every program retires something, and waits for its code at its start. A field of PERF_METRICS has 8 bits and can
 * be 0 for what is little.
 */
static bool is_never_zero(const struct metric *metric)
{
	return is_same_name(metric->title, "Retiring") || is_same_name(metric->title, "Frontend_Bound");
}

/* A value of level 1 that says that one of its counts is wrong: 0, out of range, or undefined. */
static bool is_wrong(const struct evaluation *e, const struct result *result)
{
	if (result->metric->level != 1 || e->context_of[result - e->results] == TABLE_NONE)
		return false;
	return isnan(result->raw) || result_is_impossible(result) ||
	       (result->raw == 0 && is_never_zero(result->metric));
}

static void note_idle_events(struct zeros *zeros, const struct result *result, size_t context)
{
	for (size_t i = 0; i < result->metric->nevents; i++) {
		size_t event = result->metric->events[i];

		if (!metric_is_correction(result->metric, event) &&
		    zeros->e->model->events.events[event].kind == EVENT_CORE)
			note_zero(zeros, event, context);
	}
}

static void note_zeros(struct evaluation *e)
{
	struct zeros zeros = { .e = e };

	if (e->model->is_simulated)
		return;
	zeros.is_named = arena_array(e->arena, e->model->events.count + 1, sizeof(*zeros.is_named));
	note_idle_roles(&zeros, e->repeat->ngroups);
	for (size_t i = 0; i < e->model->nnodes; i++)
		if (is_wrong(e, &e->results[i]))
			note_idle_events(&zeros, &e->results[i], e->context_of[i]);
}

void doubts_note(struct evaluation *e)
{
	note_ties(e);
	note_sum(e);
	note_clamped(e);
	note_parts(e);
	note_families(e);
	note_zeros(e);
}
