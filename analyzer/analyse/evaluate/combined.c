/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * combined.c - which groups a metric takes its events from that no group has whole: as few as possible, so that both
 * sides of a difference come from one run wherever one group has both. The first one chosen is the base of the others.
 */
#include <math.h>
#include <string.h>

#include "analyse/evaluate/evaluation.h"
#include "common/base/cover.h"

/* A metric's events by group. */
struct choice {
	struct cover cover;
	bool *is_needed; /* [cover.nitems]: some group counted it */
	bool *may_begin; /* [cover.nsets]: not tried yet as the base */
	size_t *members; /* the groups, the base first */
	size_t count;
};

static struct choice combined_choice_of(const struct evaluation *e, const struct metric *metric)
{
	size_t groups = e->repeat->ngroups, events = metric->nevents;
	bool *has = arena_array(e->arena, groups * events + 1, sizeof(*has));
	double *ranks = arena_array(e->arena, groups + 1, sizeof(*ranks));
	struct choice c = { .cover = { .nsets = groups, .nitems = events, .has = has, .ranks = ranks } };

	c.is_needed = arena_array(e->arena, events + 1, sizeof(*c.is_needed));
	c.may_begin = arena_array(e->arena, groups + 1, sizeof(*c.may_begin));
	c.members = arena_array(e->arena, groups + 1, sizeof(*c.members));
	for (size_t g = 0; g < groups; g++) {
		ranks[g] = e->contexts[g].running;
		c.may_begin[g] = true;
		for (size_t i = 0; i < events; i++) {
			has[g * events + i] = e->contexts[g].groups[metric->events[i]] != TABLE_NONE;
			c.is_needed[i] = c.is_needed[i] || has[g * events + i];
		}
	}
	return c;
}

/* Of the groups that nothing ties to the first one no count can be taken. Is all there that is needed? */
static bool combined_choose(const struct evaluation *e, struct choice *c)
{
	bool *is_left = arena_array(e->arena, c->cover.nitems + 1, sizeof(*is_left));
	bool *may_take = arena_array(e->arena, c->cover.nsets + 1, sizeof(*may_take));
	size_t group, left = 1;

	memcpy(is_left, c->is_needed, c->cover.nitems * sizeof(*is_left));
	c->count = 0;
	group = cover_next(&c->cover, is_left, c->may_begin);
	for (size_t g = 0; group != TABLE_NONE && g < c->cover.nsets; g++)
		may_take[g] = !isnan(context_factor(e, &e->contexts[group], &e->contexts[g]));
	for (; left && group != TABLE_NONE; group = cover_next(&c->cover, is_left, may_take)) {
		c->members[c->count++] = group;
		left = cover_take(&c->cover, group, is_left);
	}
	return !left;
}

/* Metrics that choose the same groups share a context. */
static size_t find_made(const struct evaluation *e, const struct choice *c)
{
	for (size_t i = e->repeat->ngroups + 1; i < e->ncontexts; i++)
		if (e->contexts[i].nmembers == c->count && !e->contexts[i].stands_in &&
		    !memcmp(e->contexts[i].members, c->members, c->count * sizeof(*c->members)))
			return i;
	return TABLE_NONE;
}

static size_t make(struct evaluation *e, const struct choice *c)
{
	size_t number = find_made(e, c);
	struct context *made;

	if (number != TABLE_NONE)
		return number;
	number = context_add(e);
	made = &e->contexts[number];
	made->is_combined = true;
	made->members = c->members;
	made->nmembers = c->count;
	for (size_t i = 0; i < c->count; i++)
		context_merge(e, made, &e->contexts[c->members[0]], &e->contexts[c->members[i]]);
	return number;
}

/* Some group has each event, or all of them together have it otherwise. */
static bool combined_is_counted(const struct evaluation *e, const struct choice *c, const struct metric *metric,
				bool is_without)
{
	const struct context *all = &e->contexts[e->repeat->ngroups];

	for (size_t i = 0; i < metric->nevents; i++)
		if (!c->is_needed[i] && isnan(all->events[metric->events[i]]) &&
		    !(is_without && metric_is_correction(metric, metric->events[i])))
			return false;
	return true;
}

size_t combined_context(struct evaluation *e, const struct metric *metric, bool is_without)
{
	size_t all = e->repeat->ngroups;
	struct choice c = combined_choice_of(e, metric);

	if (!combined_is_counted(e, &c, metric, is_without))
		return TABLE_NONE;
	while (!combined_choose(e, &c) && c.count)
		c.may_begin[c.members[0]] = false;
	if (c.count) {
		size_t number = make(e, &c);

		if (context_has_all(&e->contexts[number], metric, is_without))
			return number;
	}
	return context_has_all(&e->contexts[all], metric, is_without) ? all : TABLE_NONE;
}
