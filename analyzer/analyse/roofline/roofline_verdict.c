/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/roofline/roofline_internal.h"

#include <math.h>

#include "common/base/text.h"

#define NEAR	     0.5  /* of a ceiling: what is nearer is bound by it */
#define BEYOND	     1.1  /* what is more can't be */
#define NEXT_TO_NONE 1e-4 /* of the peak: the operations of a clock or a printed number, say */
#define FEW_VECTORS  0.5  /* of the operations: what has fewer gains by more */
#define WORTH_SAYING 1.2  /* times as fast, at least */

const char *roofline_bound_name(enum roofline_bound bound)
{
	static const char *const names[] = { "unknown", "no operations", "memory", "compute", "neither" };

	return names[bound];
}

const char *roofline_clock_name(enum roofline_clock clock)
{
	static const char *const names[] = { "unknown", "wall", "native", "modelled" };

	return names[clock];
}

const char *roof_name(const struct roof *roof, struct arena *arena)
{
	bool is_scalar = roof->type && roof->bits == (is_same_name(roof->type, "f64") ? 64 : 32);

	if (roof->level)
		return arena_printf(arena, "%s%s%s", roof->level, roof->pattern ? " " : "",
				    roof->pattern ? roof->pattern : "");
	return arena_printf(arena, "%s %s%s%s", roof->type ? roof->type : "?",
			    is_scalar ? "scalar" : arena_printf(arena, "%zu bits", roof->bits),
			    roof->operation ? " " : "", roof->operation ? roof->operation : "");
}

const char *roofline_width_name(const struct roofline_width *width, struct arena *arena)
{
	const char *type = width->type == ROOFLINE_ANY_TYPE ? "" : roofline_type_name(width->type);
	const char *blank = *type ? " " : "";

	if (width->bits == ROOFLINE_ANY_BITS)
		return type;
	if (width->bits == ROOFLINE_VECTOR)
		return arena_printf(arena, "%s%svectors", type, blank);
	if (width->bits <= (width->type == ROOFLINE_F32 ? 32 : 64))
		return arena_printf(arena, "%s%sscalar", type, blank);
	return arena_printf(arena, "%s%s%d bits", type, blank, width->bits);
}

/* ---- ceilings ---- */

static bool is_of_type(const struct roof *roof, enum roofline_type type)
{
	const char *name = type == ROOFLINE_F32 ? "f32" : "f64";

	return roof->type && is_same_name(roof->type, name);
}

/* The highest peak of computing of a type, with vectors of so many bits (0: any); NULL: none was measured. */
static const struct roof *find_peak(const struct roofline *roofline, enum roofline_type type, size_t bits)
{
	const struct roof *best = NULL;

	for (size_t i = 0; roofline->roofs && i < roofline->roofs->count; i++) {
		const struct roof *roof = &roofline->roofs->items[i];

		if (roof->level || roof->threads != roofline->threads || !is_of_type(roof, type) ||
		    (bits && roof->bits != bits))
			continue;
		if (roof->value > (best ? best->value : 0))
			best = roof;
	}
	return best;
}

static const struct roof *find_bandwidth(const struct roofline *roofline, enum roofline_quantity level)
{
	const struct roof *best = NULL;

	for (size_t i = 0; roofline->roofs && i < roofline->roofs->count; i++) {
		const struct roof *roof = &roofline->roofs->items[i];

		if (!roof->level || roof->threads != roofline->threads ||
		    !is_same_name(roof->level, roofline_quantity_name(level)))
			continue;
		if (roof->value > (best ? best->value : 0))
			best = roof;
	}
	return best;
}

static enum roofline_type main_type(const struct roofline_point *point)
{
	return point->nwidths ? point->widths[0].type : ROOFLINE_ANY_TYPE;
}

static const struct roof *own_peak(const struct roofline_point *point, const struct roofline *roofline)
{
	int bits = point->nwidths ? point->widths[0].bits : ROOFLINE_ANY_BITS;

	return bits > 0 ? find_peak(roofline, main_type(point), (size_t)bits) : NULL;
}

static void find_ceilings(struct roofline_point *point, const struct roofline *roofline)
{
	point->peak = find_peak(roofline, main_type(point), 0);
	point->own = own_peak(point, roofline);
	point->own = point->own ? point->own : point->peak;
	point->limit = ROOFLINE_FLOPS;
	point->ceiling = point->own ? point->own->value : NOT_COUNTED;
	for (enum roofline_quantity i = ROOFLINE_L1; i < ROOFLINE_QUANTITIES; i++) {
		struct roofline_level *level = &point->levels[i];

		level->roof = find_bandwidth(roofline, i);
		level->attainable = level->roof ? level->intensity * level->roof->value : NOT_COUNTED;
		level->rate = point->seconds > 0 ? level->bytes / point->seconds : NOT_COUNTED;
		level->share = level->roof ? level->rate / level->roof->value : NOT_COUNTED;
		if (level->attainable < (isnan(point->ceiling) ? (double)INFINITY : point->ceiling)) {
			point->ceiling = level->attainable;
			point->limit = i;
		}
	}
	point->share = point->performance / point->ceiling;
}

/* Of what computes nothing: the bandwidth of which it uses the most. */
static void find_bandwidth_used(struct roofline_point *point)
{
	point->limit = ROOFLINE_FLOPS;
	point->ceiling = NOT_COUNTED;
	point->share = NOT_COUNTED;
	for (enum roofline_quantity i = ROOFLINE_L1; i < ROOFLINE_QUANTITIES; i++)
		if (point->levels[i].share > (isnan(point->share) ? -1 : point->share)) {
			point->limit = i;
			point->share = point->levels[i].share;
		}
}

/* ---- words ---- */

/* "12.3 GFLOP/s" */
static const char *rate_text(double rate, const char *unit, struct arena *arena)
{
	static const char *const prefixes[] = { "", "k", "M", "G", "T", "P" };
	size_t i = 0;

	while (rate >= 1000 && i + 1 < COUNT_OF(prefixes)) {
		rate /= 1000;
		i++;
	}
	return arena_printf(arena, "%.3g %s%s", rate, prefixes[i], unit);
}

static const char *speed_text(double flops, struct arena *arena)
{
	return rate_text(flops, "FLOP/s", arena);
}

static const char *beyond_text(const struct roofline_point *point)
{
	return point->share > BEYOND ? ": more than was measured, so bytes or time are not this machine's" : "";
}

static const char *limit_text(const struct roofline_point *point, struct arena *arena)
{
	if (point->limit == ROOFLINE_FLOPS)
		return arena_printf(arena, "the peak of %s", roof_name(point->own, arena));
	return arena_printf(arena, "the bandwidth of %s", roofline_quantity_name(point->limit));
}

/* "1.2 GFLOP/s, 87 % of what the bandwidth of DRAM allows (1.4 GFLOP/s)" */
static const char *reached_text(const struct roofline_point *point, struct arena *arena)
{
	return arena_printf(arena, "%s, %.0f %% of what %s allows (%s)%s", speed_text(point->performance, arena),
			    100 * point->share, limit_text(point, arena), speed_text(point->ceiling, arena),
			    beyond_text(point));
}

static const char *verdict_of_bytes(const struct roofline_point *point, struct arena *arena)
{
	const struct roofline_level *level = &point->levels[point->limit];
	const char *none = point->flops > 0 ? "next to nothing" : "nothing", *name, *moved;

	if (isnan(point->share))
		return arena_printf(arena, "It computes %s with floating-point numbers, so a roofline does not apply.",
				    none);
	name = roofline_quantity_name(point->limit);
	moved = arena_printf(arena, "%s, %.0f %% of its bandwidth (%s)%s", rate_text(level->rate, "B/s", arena),
			     100 * point->share, rate_text(level->roof->value, "B/s", arena), beyond_text(point));
	if (point->share >= NEAR)
		return arena_printf(arena,
				    "It computes %s with floating-point numbers. Memory bound at %s: it moves %s.",
				    none, name, moved);
	return arena_printf(arena,
			    "It computes %s with floating-point numbers, and is far below all bandwidths. Nearest is "
			    "%s: it moves %s.",
			    none, name, moved);
}

static const char *verdict_of(const struct roofline_point *point, struct arena *arena)
{
	switch (point->bound) {
	case ROOFLINE_NO_FLOPS: return verdict_of_bytes(point, arena);
	case ROOFLINE_MEMORY:
		return arena_printf(arena, "Memory bound at %s: it reaches %s.", roofline_quantity_name(point->limit),
				    reached_text(point, arena));
	case ROOFLINE_COMPUTE: return arena_printf(arena, "Compute bound: it reaches %s.", reached_text(point, arena));
	case ROOFLINE_NEITHER:
		return arena_printf(arena, "Far below all ceilings: it reaches %s.", reached_text(point, arena));
	case ROOFLINE_UNKNOWN: break;
	}
	if (isnan(point->flops))
		return "Its operations were not counted.";
	return isnan(point->ceiling) ? "There are no ceilings to compare it with." : "Its time is unknown.";
}

/* What vectors would gain: the next ceiling above, once computing is no longer the nearest. */
static double gain_of_vectors(const struct roofline_point *point)
{
	double next = point->peak ? point->peak->value : NOT_COUNTED;

	for (enum roofline_quantity i = ROOFLINE_L1; i < ROOFLINE_QUANTITIES; i++)
		if (point->levels[i].attainable < next)
			next = point->levels[i].attainable;
	return next / point->ceiling;
}

static const char *advice_of_compute(const struct roofline_point *point, struct arena *arena)
{
	double gain = gain_of_vectors(point);

	if (gain >= WORTH_SAYING && point->vector_share < FEW_VECTORS)
		return arena_printf(
			arena,
			"Vectors would lift the ceiling to %.1f times its height: %.0f %% of the operations use them.",
			gain, 100 * point->vector_share);
	if (gain >= WORTH_SAYING && point->own != point->peak)
		return arena_printf(
			arena, "Wider vectors or fused operations would lift the ceiling to %.1f times its height.",
			gain);
	return "Only fewer operations make it faster: another algorithm, or a narrower type.";
}

static const char *advice_of_memory(enum roofline_quantity level)
{
	switch (level) {
	case ROOFLINE_L1:
		return "Keep values in registers, and load whole vectors: each load brings too few operations.";
	case ROOFLINE_L2: return "Work on blocks that fit into L1, so that each line from L2 is used more often.";
	case ROOFLINE_L3: return "Work on blocks that fit into L2, so that each line from L3 is used more often.";
	default: break;
	}
	return "Fewer bytes for each operation make it faster: blocks that fit into the caches, loops over the same "
	       "data "
	       "joined, narrower types, stores past the caches.";
}

static const char *advice_of(const struct roofline_point *point, struct arena *arena)
{
	switch (point->bound) {
	case ROOFLINE_NO_FLOPS: return point->share >= NEAR ? advice_of_memory(point->limit) : NULL;
	case ROOFLINE_MEMORY: return advice_of_memory(point->limit);
	case ROOFLINE_COMPUTE: return advice_of_compute(point, arena);
	case ROOFLINE_NEITHER:
		return "Neither bandwidth nor the units of computing hold it back, but latency, dependencies, branches "
		       "or other "
		       "instructions: the tree shows which.";
	default: return NULL;
	}
}

static enum roofline_bound bound_of(const struct roofline_point *point)
{
	if (point->flops <= 0 || (point->own && point->performance < NEXT_TO_NONE * point->own->value))
		return ROOFLINE_NO_FLOPS;
	if (isnan(point->share))
		return ROOFLINE_UNKNOWN;
	if (point->share < NEAR)
		return ROOFLINE_NEITHER;
	return point->limit == ROOFLINE_FLOPS ? ROOFLINE_COMPUTE : ROOFLINE_MEMORY;
}

void roofline_judge(struct roofline_point *point, const struct roofline *roofline, struct arena *arena)
{
	find_ceilings(point, roofline);
	point->bound = bound_of(point);
	if (point->bound == ROOFLINE_NO_FLOPS)
		find_bandwidth_used(point);
	point->verdict = verdict_of(point, arena);
	point->advice = advice_of(point, arena);
}
