/* SPDX-License-Identifier: GPL-2.0-or-later */
/* judge_events.c - which events this machine lacks, which nodes that leaves without a value, and what stays exact. */
#include "analyse/diagnose/judges.h"

#define NAMED 6 /* events and nodes that are named; the rest is counted */

/* Names, the first few; count is of all. */
struct names {
	struct string text;
	size_t count;
};

static void judge_events_add_name(struct names *names, const char *name)
{
	if (names->count++ < NAMED)
		string_printf(&names->text, "%s%s", names->count > 1 ? ", " : "", name);
}

static const char *names_text(struct names *names)
{
	if (names->count > NAMED)
		string_printf(&names->text, " and %zu more", names->count - NAMED);
	return names->text.text;
}

static void collect_events(struct names *names, const struct plan *plan, const struct model *model, struct arena *arena)
{
	bool *is_seen = arena_array(arena, model->events.count + 1, sizeof(*is_seen));

	for (size_t i = 0; i < plan->nwanted; i++) {
		const struct metric *metric = &model->metrics[plan->wanted[i]];

		for (size_t k = 0; k < metric->nevents; k++) {
			const struct event *event = &model->events.events[metric->events[k]];

			if (event->absent && !is_seen[metric->events[k]])
				judge_events_add_name(names, event->name);
			is_seen[metric->events[k]] = true;
		}
	}
}

/* The nodes that the plan can't give; of a CPU without a tree the metrics. */
static size_t collect_missing(struct names *names, const struct plan *plan, const struct model *model)
{
	size_t wanted = 0;

	for (size_t i = 0; i < plan->nwanted; i++)
		wanted += plan->wanted[i] < model->nnodes || !model->nnodes;
	for (size_t i = 0; i < plan->nmissing; i++)
		if (plan->missing[i] < model->nnodes || !model->nnodes)
			judge_events_add_name(names, model->metrics[plan->missing[i]].title);
	return wanted;
}

static const char *missing_text(const struct judgement *j, struct names *missing, size_t wanted)
{
	size_t others = wanted - missing->count;
	const char *what = j->about->model->nnodes ? "node" : "metric";

	if (!others)
		return arena_printf(j->arena, "No %s of the level has a value. `topdown metrics` shows what does.",
				    what);
	return arena_printf(j->arena, "Without a value: %s. The other %zu %s%s ha%s one, as exact as elsewhere.",
			    names_text(missing), others, what, others == 1 ? "" : "s", others == 1 ? "s" : "ve");
}

/* Codes of events that the level does not need and -e may ask for; NULL: all that the CPU has. */
static const char *unpaired_codes(const struct judgement *j)
{
	const struct event_database *database = j->about->model->events.database;

	return database && !can_pair_counters(j->about->machine) ? database->paired : NULL;
}

static void judge_complete(const struct judgement *j)
{
	const char *codes = unpaired_codes(j),
		   *found = j->about->abilities ? "all can be counted" : "none is known to be absent";

	if (!codes || !*codes) {
		j->finding->found = found;
		verdict(j, FINDING_OK, "Each node of the level has its events.", NULL);
		return;
	}
	j->finding->found = arena_printf(j->arena, "%s but those with code %s", found, codes);
	verdict(j, FINDING_OK,
		"Each node of the level has its events. Those with that code take two counters as one, which a virtual "
		"machine's host does not pair.",
		NULL);
}

void judge_events(const struct judgement *j)
{
	const struct plan *plan = j->about->plan;
	struct names events = { .text = STRING_INIT(j->arena) }, missing = { .text = STRING_INIT(j->arena) };
	size_t wanted;

	if (!plan) {
		(void)tried(j, NULL);
		if (!j->finding->found) {
			j->finding->found = "unknown";
			verdict(j, FINDING_UNKNOWN, NULL, NULL);
		}
		return;
	}
	collect_events(&events, plan, j->about->model, j->arena);
	wanted = collect_missing(&missing, plan, j->about->model);
	if (!events.count && !missing.count) {
		judge_complete(j);
		return;
	}
	j->finding->found = events.count ? arena_printf(j->arena, "%zu absent: %s", events.count, names_text(&events))
					 : "some have no counter";
	if (!missing.count)
		verdict(j, FINDING_LIMITS, "Each node of the level has a value without them.", NULL);
	else
		verdict(j, FINDING_LIMITS, missing_text(j, &missing, wanted),
			j->about->machine->hypervisor ? "its host decides; a bare-metal instance has all of them"
						      : NULL);
}
