/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/roofline/roofline_internal.h"

#include <math.h>
#include <stdlib.h>

#include "common/base/text.h"

/* ---- counts ---- */

double placing_mean(const struct counts *counts, size_t item)
{
	double sum = 0;

	for (size_t i = 0; i < counts->nrepeats; i++)
		sum += item < counts->repeats[i].count ? counts->repeats[i].items[item].value : NOT_COUNTED;
	return sum / (double)counts->nrepeats;
}

size_t placing_find(const struct placing *p, const char *name)
{
	const struct event_set *events = &p->report->model->events;
	const struct repeat *repeat = &p->counts->repeats[0];
	size_t number = event_set_find(events, name);

	for (size_t i = 0; i < repeat->count; i++)
		if (!isnan(repeat->items[i].value) &&
		    (is_same_name(repeat->items[i].event, name) ||
		     (number != TABLE_NONE && event_set_find(events, repeat->items[i].event) == number)))
			return i;
	return TABLE_NONE;
}

static const size_t *find_items(const struct placing *p, const struct roofline_set *set)
{
	size_t *items = arena_array(p->arena, set->count, sizeof(*items));

	for (size_t i = 0; i < set->count; i++) {
		items[i] = placing_find(p, set->events[i].name);
		if (items[i] == TABLE_NONE)
			return NULL;
	}
	return items;
}

static const char *missing_text(const struct placing *p, enum roofline_quantity quantity)
{
	for (size_t i = 0; i < p->sets->count; i++)
		if (p->sets->items[i].quantity == quantity)
			return arena_printf(p->arena, "not counted: %s%s", p->sets->items[i].events[0].name,
					    p->sets->items[i].count > 1 ? " and others" : "");
	return quantity == ROOFLINE_L1 ? "no event of this CPU counts the bytes of loads and stores"
				       : "this CPU has no events for it";
}

void placing_choose(struct placing *p)
{
	struct roofline_sources *sources = &p->roofline->whole;

	p->sources = sources;
	p->nitems = p->counts->repeats[0].count;

	p->items = arena_array(p->arena, p->sets->count + 1, sizeof(*p->items));
	for (size_t i = 0; i < p->sets->count; i++) {
		const struct roofline_set *set = &p->sets->items[i];

		p->items[i] = find_items(p, set);
		if (p->items[i] && !sources->sets[set->quantity])
			sources->sets[set->quantity] = set;
	}
	for (enum roofline_quantity quantity = ROOFLINE_FLOPS; quantity < ROOFLINE_QUANTITIES; quantity++)
		sources->missing[quantity] = sources->sets[quantity] ? NULL : missing_text(p, quantity);
}

/* ---- a point ---- */

static void add_width(struct roofline_point *point, const struct roofline_event *event, double flops)
{
	struct roofline_width *width = point->widths;

	while (width < point->widths + point->nwidths && (width->type != event->type || width->bits != event->bits))
		width++;
	if (width == point->widths + point->nwidths) {
		*width = (struct roofline_width){ .type = event->type, .bits = event->bits };
		point->nwidths++;
	}
	width->flops += flops;
}

static bool is_vector(const struct roofline_width *width)
{
	return width->bits == ROOFLINE_VECTOR || width->bits > (width->type == ROOFLINE_F32 ? 32 : 64);
}

static double vector_share(const struct roofline_point *point)
{
	double vectors = 0;

	for (size_t i = 0; i < point->nwidths; i++) {
		if (point->widths[i].bits == ROOFLINE_ANY_BITS && point->widths[i].flops > 0)
			return NOT_COUNTED;
		vectors += is_vector(&point->widths[i]) ? point->widths[i].flops : 0;
	}
	return point->flops > 0 ? vectors / point->flops : NOT_COUNTED;
}

static int compare_widths(const void *first, const void *second)
{
	const struct roofline_width *a = first, *b = second;

	return (a->flops < b->flops) - (a->flops > b->flops);
}

/* values: of each item of the counts. */
static void add_flops(struct roofline_point *point, const struct placing *p, const double *values)
{
	const struct roofline_set *set = p->sources->sets[ROOFLINE_FLOPS];
	const size_t *items = set ? p->items[set - p->sets->items] : NULL;

	point->flops = items ? 0 : NOT_COUNTED;
	point->widths = arena_array(p->arena, (set ? set->count : 0) + 1, sizeof(*point->widths));
	for (size_t i = 0; items && i < set->count; i++) {
		double flops = values[items[i]] * set->events[i].each;

		point->flops += flops;
		add_width(point, &set->events[i], flops);
	}
	if (isnan(point->flops))
		point->nwidths = 0;
	if (point->nwidths)
		qsort(point->widths, point->nwidths, sizeof(*point->widths), compare_widths);
	point->vector_share = vector_share(point);
}

static void add_bytes(struct roofline_point *point, const struct placing *p, const double *values,
		      enum roofline_quantity quantity)
{
	const struct roofline_set *set = p->sources->sets[quantity];
	const size_t *items = set ? p->items[set - p->sets->items] : NULL;
	struct roofline_level *level = &point->levels[quantity];

	level->bytes = items ? 0 : NOT_COUNTED;
	for (size_t i = 0; items && i < set->count; i++)
		level->bytes += values[items[i]] * set->events[i].each;
	level->intensity = level->bytes > 0 ? point->flops / level->bytes : level->bytes + (double)INFINITY;
}

void placing_take(struct roofline_point *point, const struct placing *p, const double *values)
{
	point->sources = p->sources;
	add_flops(point, p, values);
	for (enum roofline_quantity quantity = ROOFLINE_L1; quantity < ROOFLINE_QUANTITIES; quantity++)
		add_bytes(point, p, values, quantity);
}

void placing_judge(struct roofline_point *point, const struct placing *p)
{
	point->performance = point->seconds > 0 ? point->flops / point->seconds : NOT_COUNTED;
	roofline_judge(point, p->roofline, p->arena);
}
