/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/roofline/roofline_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/hotspots/function_deltas.h"
#include "analyse/hotspots/functions.h"
#include "analyse/hotspots/weighing.h"
#include "common/base/text.h"

/* ---- names of loops ---- */

/* "loop at file.c:12-14", "loop of inlined_function at file.c:12-14" */
static const char *loop_name(const struct profile_loop *loop, struct arena *arena)
{
	const char *file = loop->file ? strrchr(loop->file, '/') : NULL;
	const char *of = loop->inlined ? arena_printf(arena, " of %s", function_plain_name(loop->inlined, arena)) : "";

	file = file ? file + 1 : loop->file;
	if (!file || !loop->line)
		return arena_printf(arena, "loop at +0x%" PRIx64, loop->offset);
	if (loop->last_line <= loop->line)
		return arena_printf(arena, "loop%s at %s:%" PRIu32, of, file, loop->line);
	return arena_printf(arena, "loop%s at %s:%" PRIu32 "-%" PRIu32, of, file, loop->line, loop->last_line);
}

/* Of a loop, the function's name becomes whose it is. */
static void name_loop(struct roofline_point *point, const struct profile_loop *loop, struct arena *arena)
{
	point->function = point->name;
	point->loop = loop;
	point->name = loop_name(loop, arena);
}

/* ---- by exact counts ---- */

struct hot {
	uint32_t function; /* or a loop's number */
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

/* A function, or a loop of it: 0 is all of it. */
struct exact_part {
	const struct functions *functions;
	uint32_t function, loop;
};

static bool is_row_of(const struct exact_part *part, const struct profile_row *row)
{
	const struct profile *profile = part->functions->profile;

	return function_of_row(part->functions, row) == part->function &&
	       (!part->loop || profile->places[profile->stacks[row->stack].place].loop == part->loop);
}

static double *part_values(const struct exact_part *part, const struct placing *p)
{
	const struct profile *profile = part->functions->profile;
	double *values = arena_array(p->arena, p->nitems + 1, sizeof(*values));

	for (uint32_t i = 0; i < profile->nrows; i++)
		for (size_t k = 0; k < profile->rows[i].ncounts && is_row_of(part, &profile->rows[i]); k++)
			values[profile->rows[i].counts[k].item] += profile->rows[i].counts[k].value;
	return values;
}

static void add_exact(struct placing *p, const struct exact_part *part, double share, double seconds)
{
	const struct profile *profile = part->functions->profile;
	const struct profile_function *function = &part->functions->items[part->function];
	struct roofline_point *point = &p->roofline->points[p->roofline->count++];

	*point = (struct roofline_point){ .name = function->name ? function->name : "[unknown]",
					  .module = module_base_name(profile->modules[function->module].path),
					  .time_share = share,
					  .seconds = seconds * share };
	if (part->loop)
		name_loop(point, &profile->loops[part->loop - 1], p->arena);
	placing_take(point, p, part_values(part, p));
	placing_judge(point, p);
}

/* The cycles of a function, and of all. */
static double least_of_loop(double function, double all)
{
	return fmax(PLACED_LOOP_SHARE * function, PLACED_LOOP_OF_ALL * all);
}

/* Each loop's cycles, the most first. */
static struct hot *find_hot_loops(const struct exact_part *function, const struct weighing *cycles, struct arena *arena)
{
	const struct profile *profile = function->functions->profile;
	struct hot *hot = arena_array(arena, profile->nloops + 1u, sizeof(*hot));

	for (uint32_t i = 0; i < profile->nloops; i++)
		hot[i].function = i + 1;
	for (uint32_t i = 0; i < profile->nrows; i++) {
		uint32_t loop = profile->places[profile->stacks[profile->rows[i].stack].place].loop;

		if (loop && is_row_of(function, &profile->rows[i]))
			hot[loop - 1].weight += cycles->weights[i];
	}
	if (profile->nloops)
		qsort(hot, profile->nloops, sizeof(*hot), compare_hot);
	return hot;
}

static void add_exact_loops(struct placing *p, const struct exact_part *function, const struct weighing *cycles,
			    double seconds)
{
	const struct roofline_point *whole = &p->roofline->points[p->roofline->count - 1];
	const double least = least_of_loop(whole->time_share * cycles->whole, cycles->whole);
	const struct hot *hot = find_hot_loops(function, cycles, p->arena);

	for (size_t i = 0; i < PLACED_LOOPS && i < function->functions->profile->nloops && hot[i].weight > 0 &&
			   hot[i].weight >= least;
	     i++) {
		const struct exact_part loop = { function->functions, function->function, hot[i].function };

		add_exact(p, &loop, hot[i].weight / cycles->whole, seconds);
	}
}

bool roofline_functions_exact(struct placing *p, const struct roofline_request *request)
{
	const struct profile *profile = request->profile;
	const struct exact_rows rows = { profile, p->counts, p->report->model };
	struct functions functions;
	struct weighing cycles;
	struct hot *hot;

	if (!has_exact_rows(profile) || !weighing_of_cycles(&cycles, &rows, p->arena) || !(cycles.whole > 0))
		return false;
	functions = functions_of(profile, p->arena);
	hot = find_hot(&functions, &cycles, p->arena);
	for (size_t i = 0; i < functions.count && i < request->most && hot[i].weight > 0; i++) {
		const struct exact_part function = { &functions, hot[i].function, 0 };

		add_exact(p, &function, hot[i].weight / cycles.whole, request->seconds);
		add_exact_loops(p, &function, &cycles, request->seconds);
	}
	return true;
}

/* ---- by samples ---- */

/* What is estimated of a function, in the order of a formula's values. */
enum { AT_SPEED, AT_VECTORS, AT_INTENSITY, ESTIMATED = AT_INTENSITY + ROOFLINE_QUANTITIES };

struct sampled_placing {
	const struct placing *p;
	const struct function_deltas *deltas;
	const struct function_delta *function;
	size_t *events;		/* of each item of the counts, among the model's; TABLE_NONE: none of these */
	double cycles, seconds; /* of the function */
};

static size_t event_of(const struct placing *p, const char *name)
{
	return event_set_find(&p->report->model->events, name);
}

/* The function's own, of each item of the counts; NAN: not sampled, or too rarely. */
static double *sampled_values(const struct sampled_placing *s, const struct delta_sums *sums)
{
	double *values = arena_array(s->p->arena, s->p->nitems + 1, sizeof(*values));

	for (size_t i = 0; i < s->p->nitems; i++) {
		bool is_enough = s->events[i] != TABLE_NONE &&
				 function_deltas_samples(s->deltas, s->function, s->events[i]) >= PLACED_LEAST;

		values[i] = is_enough ? sums->events[s->events[i]] / sums->cycles * s->cycles : NOT_COUNTED;
	}
	return values;
}

static void estimate_point(const void *context, double *values, const struct delta_sums *sums)
{
	const struct sampled_placing *s = context;
	struct roofline_point point = { .name = NULL };

	placing_take(&point, s->p, sampled_values(s, sums));
	values[AT_SPEED] = s->seconds > 0 ? point.flops / s->seconds : NOT_COUNTED;
	values[AT_VECTORS] = point.vector_share;
	for (size_t i = 0; i < ROOFLINE_QUANTITIES; i++)
		values[AT_INTENSITY + i] = i == ROOFLINE_FLOPS ? NOT_COUNTED : point.levels[i].intensity;
}

static struct roofline_interval roofline_functions_interval_of(const struct delta_estimates *estimates, size_t at)
{
	return (struct roofline_interval){ isnan(estimates->low[at]) ? NOT_COUNTED : fmax(estimates->low[at], 0),
					   estimates->high[at] };
}

/* The fewest of the set's events; 0 where there is no set. */
static uint64_t samples_of(const struct sampled_placing *s, const struct roofline_set *set)
{
	uint64_t fewest = UINT64_MAX;

	for (size_t i = 0; set && i < set->count; i++) {
		uint64_t samples = function_deltas_samples(s->deltas, s->function, event_of(s->p, set->events[i].name));

		fewest = samples < fewest ? samples : fewest;
	}
	return set ? fewest : 0;
}

static void fill_sampled(struct roofline_point *point, const struct sampled_placing *s)
{
	const struct delta_formula formula = { ESTIMATED, estimate_point, s };
	const struct delta_estimates estimates =
		function_deltas_estimate(&formula, s->deltas, s->function, s->p->arena);
	struct delta_sums sums = { arena_array(s->p->arena, s->deltas->events->count + 1, sizeof(double)), 0 };

	function_deltas_sum(&sums, s->deltas, s->function, ALL_BATCHES);
	placing_take(point, s->p, sampled_values(s, &sums));
	point->samples = samples_of(s, point->sources->sets[ROOFLINE_FLOPS]);
	point->performance_within = roofline_functions_interval_of(&estimates, AT_SPEED);
	point->vectors_within = roofline_functions_interval_of(&estimates, AT_VECTORS);
	for (enum roofline_quantity i = ROOFLINE_L1; i < ROOFLINE_QUANTITIES; i++) {
		point->levels[i].samples = samples_of(s, point->sources->sets[i]);
		point->levels[i].intensity_within = roofline_functions_interval_of(&estimates, AT_INTENSITY + i);
	}
	placing_judge(point, s->p);
	if (point->sources->sets[ROOFLINE_FLOPS] && point->samples < PLACED_LEAST)
		point->verdict =
			arena_printf(s->p->arena, "Its operations come from only %llu samples, which are too few.",
				     (unsigned long long)point->samples);
}

/* ---- which events were sampled ---- */

static bool is_sampled(const struct placing *p, const struct function_deltas *deltas, const struct roofline_set *set)
{
	for (size_t i = 0; i < set->count; i++) {
		size_t event = event_of(p, set->events[i].name);

		if (event == TABLE_NONE || !function_deltas_has(deltas, event))
			return false;
	}
	return true;
}

/* Why no function has a part of what the set counts. */
static const char *unsampled_text(const struct placing *p, const struct roofline_set *set)
{
	const char *name = set->events[0].name;

	if (set->is_machine)
		return arena_printf(p->arena, "%s counts for the whole machine, so no function has a part of it", name);
	return arena_printf(p->arena, "not read with samples: %s%s", name, set->count > 1 ? " and others" : "");
}

/* Of each quantity the first set that was counted, and read with samples. */
static void choose_sampled(struct roofline_sources *sources, const struct placing *p,
			   const struct function_deltas *deltas)
{
	const struct roofline_sources *whole = &p->roofline->whole;

	for (size_t i = 0; i < p->sets->count; i++) {
		const struct roofline_set *set = &p->sets->items[i];

		if (p->items[i] && !sources->sets[set->quantity] && is_sampled(p, deltas, set))
			sources->sets[set->quantity] = set;
	}
	for (size_t i = 0; i < ROOFLINE_QUANTITIES; i++)
		if (!sources->sets[i])
			sources->missing[i] = whole->sets[i] ? unsampled_text(p, whole->sets[i]) : whole->missing[i];
}

/* ---- all of them ---- */

static size_t *find_events(const struct placing *p)
{
	size_t *events = arena_array(p->arena, p->nitems + 1, sizeof(*events));

	for (size_t i = 0; i < p->nitems; i++)
		events[i] = event_of(p, p->counts->repeats[0].items[i].event);
	return events;
}

/* Of the run that was counted it has its share of the cycles; where that has none, of a sampled run. */
static void place_sampled(struct sampled_placing *s, const struct roofline_request *request)
{
	const struct weighing whole = { .whole = s->deltas->cycles, .samples = s->deltas->pairs };
	const struct share share = share_of_weight(&whole, s->function->cycles, s->function->pairs);
	const double counted = s->p->report->summary.cycles;
	struct roofline *roofline = s->p->roofline;
	struct roofline_point *point = &roofline->points[roofline->count++];

	*point = (struct roofline_point){ .name = s->function->function ? s->function->function : "[unknown]",
					  .module = module_base_name(s->function->module),
					  .is_sampled = true,
					  .time_samples = s->function->pairs,
					  .time_share = share.percent / 100,
					  .time_within = { share.low / 100, share.high / 100 } };
	point->seconds = s->seconds = request->seconds * point->time_share;
	if (s->function->loop)
		name_loop(point, &s->deltas->profile->loops[s->function->loop - 1], s->p->arena);
	s->cycles = (counted > 0 ? counted : s->deltas->run_cycles) * point->time_share;
	fill_sampled(point, s);
}

static void place_loops(struct sampled_placing *s, const struct roofline_request *request)
{
	const struct function_delta *function = s->function;
	const double least = least_of_loop(function->cycles, s->deltas->cycles);
	size_t count;
	const struct function_delta *loops =
		function_deltas_loops(&count, s->deltas, function, PLACED_LOOPS, s->p->arena);

	for (size_t i = 0; i < count && loops[i].cycles >= least; i++) {
		s->function = &loops[i];
		if (loops[i].pairs >= PLACED_LEAST)
			place_sampled(s, request);
	}
	s->function = function;
}

bool roofline_functions_sampled(struct placing *p, const struct roofline_request *request)
{
	const struct profile *profile = request->profile;
	struct roofline_sources *sources = &p->roofline->functions;
	struct delta_request wanted = { .profile = profile,
					.events = &p->report->model->events,
					.most = request->most };
	struct function_deltas deltas;
	struct sampled_placing s = { .p = p, .deltas = &deltas };

	if (!profile->ndeltas)
		return false;
	wanted.pmu = profile->events[profile->groups[0].event].pmu;
	if (!function_deltas_fill(&deltas, &wanted, p->arena))
		return false;
	choose_sampled(sources, p, &deltas);
	p->sources = sources;
	s.events = find_events(p);
	for (size_t i = 0; i < deltas.count; i++) {
		s.function = &deltas.items[i];
		if (s.function->is_mixed) {
			p->roofline->mixed = s.function->cycles / deltas.cycles;
			continue;
		}
		place_sampled(&s, request);
		place_loops(&s, request);
	}
	return true;
}
