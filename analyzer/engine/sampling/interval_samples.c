/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/sampling/interval_samples.h"

#include <math.h>

#include "analyse/hotspots/hotspots.h"

/* Of the events what is in these rows. */
static void count_samples(struct profile *profile, struct arena *arena)
{
	struct profile_event *events = arena_array(arena, profile->nevents + 1, sizeof(*events));

	for (uint32_t i = 0; i < profile->nevents; i++) {
		events[i] = profile->events[i];
		events[i].samples = 0;
		events[i].weight = 0;
	}
	for (uint32_t i = 0; i < profile->nrows; i++) {
		const struct profile_row *row = &profile->rows[i];

		if (row->event >= profile->nevents)
			continue;
		events[row->event].samples += row->samples;
		events[row->event].weight += row->weight;
	}
	profile->events = events;
}

/*
 * The same profile with the rows of one interval only, and nothing said of what was given up. Rows before the first of
 * this interval, or of a later one, are of earlier ones: no next interval looks at them.
 */
static struct profile rows_of(struct interval_names *names, uint32_t interval, struct arena *arena)
{
	const struct profile *whole = names->profile;
	struct profile part = *whole;

	while (names->first < whole->nrows && whole->rows[names->first].interval < interval)
		names->first++;
	part.rows = arena_array(arena, (size_t)(whole->nrows - names->first) + 1, sizeof(*part.rows));
	part.nrows = part.ndeltas = part.nintervals = 0;
	part.nremarks = 0;
	for (uint32_t i = names->first; i < whole->nrows; i++)
		if (whole->rows[i].interval == interval)
			part.rows[part.nrows++] = whole->rows[i];
	count_samples(&part, arena);
	return part;
}

void interval_names_begin(struct interval_names *names, struct loop *loop, const struct sampling *sampling)
{
	const struct symbol_request request = { .sysroot = sampling->request->setup->machine.sysroot };

	names->profile = &sampling->profile;
	names->loop = loop;
	names->is_screen = sampling->request->sink->wants_sampled_intervals;
	names->search = name_search_new(names->profile, &request);
}

void interval_names_end(struct interval_names *names)
{
	if (names->search)
		name_search_end(names->search);
	names->loop = NULL;
}

/* Of the interval, and seconds. A screen that follows has what is missing the next time; a line of text never will. */
#define WAIT_PART	   0.5
#define MOST_WAIT_S	   1.0
#define SCREEN_WAIT_PART   0.6
#define MOST_SCREEN_WAIT_S 0.4

static double wait_s(const struct interval_names *names, const struct measurement *interval)
{
	double length = interval->to_s - interval->from_s;

	return names->is_screen ? fmin(SCREEN_WAIT_PART * length, MOST_SCREEN_WAIT_S)
				: fmin(WAIT_PART * length, MOST_WAIT_S);
}

static void find_names(struct profile *part, struct interval_names *names, const struct measurement *interval,
		       struct arena *arena)
{
	if (!names->search)
		return;
	if (names->loop) {
		name_search_begin(names->search, names->loop);
		name_search_wait(names->search, wait_s(names, interval));
	}
	part->places = name_search_places(names->search, arena);
	if (names->loop)
		name_search_begin(names->search, names->loop);
}

int interval_samples(struct report_set *set, const struct measurement *interval, struct interval_names *names,
		     struct arena *arena, struct error *err)
{
	struct measurement *measured = arena_alloc(arena, sizeof(*measured));
	struct hotspots *where = arena_alloc(arena, sizeof(*where));
	struct profile *part = arena_alloc(arena, sizeof(*part));
	struct question *question = arena_alloc(arena, sizeof(*question));

	*part = rows_of(names, (uint32_t)set->before, arena);
	find_names(part, names, interval, arena);
	*measured = *interval;
	measured->profile = part;
	*question = (struct question){ .wants_functions = true };
	if (!set->parts)
		reports_sampled(set, measured, arena);
	if (!part->nrows)
		return 0;
	if (hotspots_fill(where, &(struct hotspots_request){ measured, set, question }, arena, err) < 0)
		return -1;
	set->where = where;
	return 0;
}
