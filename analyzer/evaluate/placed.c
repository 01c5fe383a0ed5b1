/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "evaluate/placed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "evaluate/functions.h"
#include "evaluate/placed_verdict.h"
#include "evaluate/weighing.h"

/* While it is made, of one part. */
struct placing {
	struct placed *roofline;
	const struct report *report;
	const struct counts *counts;
	const struct roofline_sets *sets;
	const size_t **items; /* of each set of sets: its events' numbers among the counts; NULL: one was not counted */
	size_t nitems;
	struct arena *arena;
};

/* ---- counts ---- */

static double mean_count(const struct counts *counts, size_t item)
{
	double sum = 0;

	for (size_t i = 0; i < counts->nrepeats; i++)
		sum += item < counts->repeats[i].count ? counts->repeats[i].items[item].value : NOT_COUNTED;
	return sum / (double)counts->nrepeats;
}

/* The first item with a value; TABLE_NONE: there is none. */
static size_t find_item(const struct placing *p, const char *name)
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
		items[i] = find_item(p, set->events[i].name);
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

/* Of each quantity the first set that was counted whole. */
static void choose_sets(struct placing *p)
{
	struct placed *roofline = p->roofline;

	p->items = arena_array(p->arena, p->sets->count + 1, sizeof(*p->items));
	for (size_t i = 0; i < p->sets->count; i++) {
		const struct roofline_set *set = &p->sets->items[i];

		p->items[i] = find_items(p, set);
		if (p->items[i] && !roofline->sets[set->quantity])
			roofline->sets[set->quantity] = set;
	}
	for (enum roofline_quantity quantity = ROOFLINE_FLOPS; quantity < ROOFLINE_QUANTITIES; quantity++)
		roofline->missing[quantity] = roofline->sets[quantity] ? NULL : missing_text(p, quantity);
}

/* ---- a point ---- */

static void add_width(struct placed_point *point, const struct roofline_event *event, double flops)
{
	struct placed_width *width = point->widths;

	while (width < point->widths + point->nwidths && (width->type != event->type || width->bits != event->bits))
		width++;
	if (width == point->widths + point->nwidths) {
		*width = (struct placed_width){ .type = event->type, .bits = event->bits };
		point->nwidths++;
	}
	width->flops += flops;
}

static bool is_vector(const struct placed_width *width)
{
	return width->bits == ROOFLINE_VECTOR || width->bits > (width->type == ROOFLINE_F32 ? 32 : 64);
}

static double vector_share(const struct placed_point *point)
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
	const struct placed_width *a = first, *b = second;

	return (a->flops < b->flops) - (a->flops > b->flops);
}

/* values: of each item of the counts. */
static void add_flops(struct placed_point *point, const struct placing *p, const double *values)
{
	const struct roofline_set *set = p->roofline->sets[ROOFLINE_FLOPS];
	const size_t *items = set ? p->items[set - p->sets->items] : NULL;

	point->flops = items ? 0 : NOT_COUNTED;
	point->widths = arena_array(p->arena, (set ? set->count : 0) + 1, sizeof(*point->widths));
	for (size_t i = 0; items && i < set->count; i++) {
		double flops = values[items[i]] * set->events[i].each;

		point->flops += flops;
		add_width(point, &set->events[i], flops);
	}
	if (point->nwidths)
		qsort(point->widths, point->nwidths, sizeof(*point->widths), compare_widths);
	point->vector_share = vector_share(point);
}

static void add_bytes(struct placed_point *point, const struct placing *p, const double *values,
		      enum roofline_quantity quantity)
{
	const struct roofline_set *set = p->roofline->sets[quantity];
	const size_t *items = set ? p->items[set - p->sets->items] : NULL;
	struct placed_level *level = &point->levels[quantity];

	level->bytes = items ? 0 : NOT_COUNTED;
	for (size_t i = 0; items && i < set->count; i++)
		level->bytes += values[items[i]] * set->events[i].each;
	level->intensity = level->bytes > 0 ? point->flops / level->bytes : level->bytes + (double)INFINITY;
}

static void fill_point(struct placed_point *point, const struct placing *p, const double *values)
{
	add_flops(point, p, values);
	for (enum roofline_quantity quantity = ROOFLINE_L1; quantity < ROOFLINE_QUANTITIES; quantity++)
		add_bytes(point, p, values, quantity);
	point->performance = point->seconds > 0 ? point->flops / point->seconds : NOT_COUNTED;
	placed_judge(point, p->roofline, p->arena);
}

/* ---- time ---- */

static double clock_of(const struct placed *roofline, const struct report *report)
{
	if (report->anchor && report->anchor->hz > 0)
		return report->anchor->hz;
	for (size_t i = 0; roofline->roofs && i < roofline->roofs->count; i++)
		if (roofline->roofs->items[i].clock_hz > 0)
			return roofline->roofs->items[i].clock_hz;
	return NOT_COUNTED;
}

/* Threads of a simulation share its cycles: each has a core of its own. */
static double find_time(struct placing *p)
{
	const struct report *report = p->report;
	const struct anchoring *anchor = report->anchor;
	size_t threads = p->roofline->threads ? p->roofline->threads : 1;

	if (!report->model->is_simulated) {
		p->roofline->clock = report->summary.wall_s > 0 ? ROOFLINE_WALL : ROOFLINE_NO_TIME;
		return report->summary.wall_s > 0 ? report->summary.wall_s : NOT_COUNTED;
	}
	if (anchor && !anchor->reason && anchor->user_s > 0) {
		p->roofline->clock = ROOFLINE_NATIVE;
		return anchor->user_s / (double)threads;
	}
	p->roofline->hz = clock_of(p->roofline, report);
	p->roofline->clock = isnan(p->roofline->hz) ? ROOFLINE_NO_TIME : ROOFLINE_MODEL;
	return report->summary.cycles / p->roofline->hz / (double)threads;
}

/* The number of those that ran at once, by what was counted. */
static size_t threads_of(const struct placing *p)
{
	size_t item = find_item(p, "core.threads");
	double cpus = p->report->summary.cpus_used;

	if (p->report->model->is_simulated)
		return item != TABLE_NONE && mean_count(p->counts, item) > 1 ? (size_t)mean_count(p->counts, item) : 1;
	return cpus > 1.5 ? (size_t)(cpus + 0.5) : 1;
}

/* The ceilings of all cores hold for whoever has more than one. */
static size_t threads_of_roofs(const struct roofs *roofs, size_t threads)
{
	size_t most = 1;

	for (size_t i = 0; roofs && threads > 1 && i < roofs->count; i++)
		most = roofs->items[i].threads > most ? roofs->items[i].threads : most;
	return most;
}

/* ---- functions ---- */

struct hot {
	uint32_t function;
	double weight;
};

static int compare_hot(const void *first, const void *second)
{
	const struct hot *a = first, *b = second;
	int order = (a->weight < b->weight) - (a->weight > b->weight);

	return order ? order : (a->function > b->function) - (a->function < b->function);
}

/* The one around all that is inlined: intrinsics are functions too. */
static uint32_t function_of_row(const struct functions *functions, const struct profile_row *row)
{
	uint32_t place = functions->profile->stacks[row->stack].place;

	return functions->of[functions->first[place] + functions_frames(functions, place) - 1];
}

static struct hot *find_hot(const struct functions *functions, const struct weighing *cycles, struct arena *arena)
{
	struct hot *hot = arena_array(arena, functions->count + 1, sizeof(*hot));

	for (uint32_t i = 0; i < functions->count; i++)
		hot[i].function = i;
	for (uint32_t i = 0; i < functions->profile->nrows; i++)
		hot[function_of_row(functions, &functions->profile->rows[i])].weight += cycles->weights[i];
	if (functions->count)
		qsort(hot, functions->count, sizeof(*hot), compare_hot);
	return hot;
}

static double *function_values(const struct functions *functions, uint32_t function, const struct placing *p)
{
	const struct profile *profile = functions->profile;
	double *values = arena_array(p->arena, p->nitems + 1, sizeof(*values));

	for (uint32_t i = 0; i < profile->nrows; i++)
		for (size_t k = 0;
		     function_of_row(functions, &profile->rows[i]) == function && k < profile->rows[i].ncounts; k++)
			values[profile->rows[i].counts[k].item] += profile->rows[i].counts[k].value;
	return values;
}

static void add_functions(struct placing *p, const struct profile *profile, size_t most, double seconds)
{
	const struct exact_rows rows = { profile, p->counts, p->report->model };
	const struct functions functions = functions_of(profile, p->arena);
	struct weighing cycles;
	struct hot *hot;

	if (!weighing_of_cycles(&cycles, &rows, p->arena) || !(cycles.whole > 0))
		return;
	hot = find_hot(&functions, &cycles, p->arena);
	for (size_t i = 0; i < functions.count && i < most && hot[i].weight > 0; i++) {
		const struct profile_function *function = &functions.items[hot[i].function];
		struct placed_point *point = &p->roofline->points[p->roofline->count++];

		*point = (struct placed_point){ .name = function->name ? function->name : "[unknown]",
						.module = module_base_name(profile->modules[function->module].path),
						.time_share = hot[i].weight / cycles.whole };
		point->seconds = seconds * point->time_share;
		fill_point(point, p, function_values(&functions, hot[i].function, p));
	}
}

/* ---- all ---- */

static void add_note(struct placed *roofline, const char *note)
{
	roofline->notes[roofline->nnotes++] = note;
}

static void add_notes(struct placed *roofline, const struct placing *p)
{
	roofline->notes = arena_array(p->arena, ROOFLINE_QUANTITIES + 3, sizeof(*roofline->notes));
	for (enum roofline_quantity i = ROOFLINE_FLOPS; i < ROOFLINE_QUANTITIES; i++) {
		const char *of = i == ROOFLINE_FLOPS ? "Operations"
						     : arena_printf(p->arena, "Bytes of %s", roofline_quantity_name(i));

		if (roofline->sets[i] && roofline->sets[i]->note)
			add_note(roofline, arena_printf(p->arena, "%s: %s.", of, roofline->sets[i]->note));
	}
	if (!roofline->roofs)
		add_note(roofline, "No ceilings are known here: `topdown roofline` measures this machine's.");
	if (p->counts->question.nper_function && !p->report->model->is_simulated)
		add_note(roofline, "Functions are placed by simulated counts only: --pmu sim --per-function.");
	if (p->report->model->is_simulated)
		add_note(roofline, "Operations and bytes are those of the simulated core and its caches.");
}

static double *whole_values(const struct placing *p)
{
	double *values = arena_array(p->arena, p->nitems + 1, sizeof(*values));

	for (size_t i = 0; i < p->nitems; i++)
		values[i] = mean_count(p->counts, i);
	return values;
}

/* One part. Its functions only where it is all that there is. */
static void place_part(struct placing *p, const struct measurement *measured)
{
	struct placed_point *point = &p->roofline->points[p->roofline->count++];
	const struct question *question = &p->counts->question;
	double seconds;

	p->nitems = p->counts->repeats[0].count;
	p->roofline->threads = threads_of(p);
	seconds = find_time(p);
	p->roofline->threads = threads_of_roofs(p->roofline->roofs, p->roofline->threads);
	*point = (struct placed_point){ .name = p->report->summary.part, .time_share = 1, .seconds = seconds };
	choose_sets(p);
	fill_point(point, p, whole_values(p));
	p->roofline->nwhole = p->roofline->count;
	if (question->nper_function && measured->count == 1 && measured->profile && has_exact_rows(measured->profile))
		add_functions(p, measured->profile, question->nper_function, seconds);
}

struct placed *placed_of(const struct report_set *set, const struct measurement *measured, struct arena *arena)
{
	static const struct roofline_sets none = { .count = 0 };
	struct placed *roofline = arena_alloc(arena, sizeof(*roofline));
	size_t most = set->count + measured->parts[0].question.nper_function;

	*roofline = (struct placed){ .roofs = measured->roofs, .hz = NOT_COUNTED };
	roofline->points = arena_array(arena, most, sizeof(*roofline->points));
	for (size_t i = 0; i < set->count && i < measured->count; i++) {
		const struct report *report = &set->parts[i];
		struct placing p = { .roofline = roofline,
				     .report = report,
				     .counts = &measured->parts[i],
				     .sets = report->model->roofline ? report->model->roofline : &none,
				     .arena = arena };

		place_part(&p, measured);
		if (i == 0)
			add_notes(roofline, &p);
	}
	return roofline;
}
