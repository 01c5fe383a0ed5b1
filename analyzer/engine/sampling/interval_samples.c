/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/sampling/interval_samples.h"

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
	names->is_waited = !sampling->request->sink->wants_sampled_intervals;
	names->search = name_search_new(names->profile, &request);
}

void interval_names_end(struct interval_names *names)
{
	if (names->search)
		name_search_end(names->search);
	names->loop = NULL;
}

#define MOST_WAIT_S 1.0

static void find_names(struct profile *part, struct interval_names *names, const struct measurement *interval,
		       struct arena *arena)
{
	double half_s = (interval->to_s - interval->from_s) / 2;

	if (!names->search)
		return;
	if (names->is_waited && names->loop) {
		name_search_begin(names->search, names->loop);
		name_search_wait(names->search, half_s < MOST_WAIT_S ? half_s : MOST_WAIT_S);
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
