/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/hotspots/locating.h"

#include "common/base/text.h"

unsigned locating_precise(const struct event_database *database, const struct event_row *row)
{
	unsigned most = database->max_precise ? database->max_precise : 3;
	unsigned precise = row->precise ? row->precise + 1 : 0;

	return precise < most ? precise : most;
}

bool is_locating(const struct event_row *row)
{
	return row && !row->unit && !row->is_metric;
}

/* What is being listed. */
struct listing {
	struct locating_event *events;
	size_t count;
	const struct model *model;
	const struct metric *node;
};

static void locating_add(struct listing *listing, const struct event_row *row)
{
	if (!is_locating(row) || listing->count == MOST_LOCATING)
		return;
	for (size_t i = 0; i < listing->count; i++)
		if (listing->events[i].row == row)
			return;
	listing->events[listing->count++] =
		(struct locating_event){ .node = listing->node,
					 .row = row,
					 .period = row->period,
					 .precise = locating_precise(listing->model->database, row) };
}

static void add_published(struct listing *listing)
{
	for (size_t i = 0; i < listing->node->nsamples; i++)
		locating_add(listing, event_database_find(listing->model->database, listing->node->samples[i]));
}

/* Cycles and slots are where anything is, and not where the node is. */
static bool is_everywhere(const struct model *model, size_t event)
{
	for (enum role role = 0; role < ROLE_COUNT; role++)
		if (model->roles[role] == event)
			return true;
	return model->events.events[event].kind != EVENT_CORE;
}

static void add_numerators(struct listing *listing)
{
	const struct model *model = listing->model;
	size_t *events = arena_array(model->events.arena, model->events.count + 1, sizeof(*events));
	size_t count = program_numerators(model->program, (size_t)(listing->node - model->metrics), events);

	for (size_t i = 0; i < count; i++)
		if (!is_everywhere(model, events[i]))
			locating_add(listing, model->events.events[events[i]].row);
}

static void add_cycles(struct listing *listing)
{
	const struct event_database *database = listing->model->database;

	if (database->cycles)
		locating_add(listing, event_database_find(database, database->cycles));
}

size_t locating_published(struct locating_event *events, const struct model *model, const struct metric *node)
{
	struct listing listing = { .events = events, .model = model, .node = node };

	add_published(&listing);
	while (!listing.count && listing.node->parent != NO_PARENT) {
		listing.node = &model->metrics[listing.node->parent];
		add_published(&listing);
	}
	return listing.count;
}

size_t locating_events(struct locating_event *events, const struct model *model, const struct metric *node)
{
	struct listing listing = { .events = events, .model = model, .node = node };

	listing.count = locating_published(events, model, node);
	if (!listing.count)
		add_numerators(&listing);
	if (!listing.count)
		add_cycles(&listing);
	return listing.count;
}
