/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/roofline/roofline.h"

#include <math.h>

#include "analyse/hotspots/weighing.h"
#include "analyse/roofline/roofline_internal.h"
#include "common/base/text.h"

/* ---- time ---- */

static double clock_of(const struct roofline *roofline, const struct report *report)
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
	size_t item = placing_find(p, "core.threads");
	double cpus = p->report->summary.cpus_used;

	if (p->report->model->is_simulated)
		return item != TABLE_NONE && placing_mean(p->counts, item) > 1 ? (size_t)placing_mean(p->counts, item)
									       : 1;
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

/* ---- all ---- */

static void add_note(struct roofline *roofline, const char *note)
{
	roofline->notes[roofline->nnotes++] = note;
}

/* What the sets of one kind of points lack. */
static void add_set_notes(struct roofline *roofline, const struct roofline_sources *sources, struct arena *arena)
{
	for (enum roofline_quantity i = ROOFLINE_FLOPS; i < ROOFLINE_QUANTITIES; i++) {
		const char *of = i == ROOFLINE_FLOPS ? "Operations"
						     : arena_printf(arena, "Bytes of %s", roofline_quantity_name(i));

		if (sources->sets[i] && sources->sets[i]->note)
			add_note(roofline, arena_printf(arena, "%s: %s.", of, sources->sets[i]->note));
	}
}

/* What functions lack, and the whole does not. */
static void add_unsampled_notes(struct roofline *roofline, struct arena *arena)
{
	const struct roofline_sources *whole = &roofline->whole, *functions = &roofline->functions;

	for (enum roofline_quantity i = ROOFLINE_FLOPS; i < ROOFLINE_QUANTITIES; i++) {
		const char *of = i == ROOFLINE_FLOPS ? "operations"
						     : arena_printf(arena, "bytes of %s", roofline_quantity_name(i));

		if (whole->sets[i] && functions->missing[i])
			add_note(roofline, arena_printf(arena, "Functions have no %s: %s.", of, functions->missing[i]));
		else if (functions->sets[i] != whole->sets[i] && functions->sets[i]->note)
			add_note(roofline, arena_printf(arena, "Of functions, %s: %s.", of, functions->sets[i]->note));
	}
}

static void add_function_notes(struct roofline *roofline, const struct placing *p, const struct measurement *measured)
{
	const bool has_points = roofline->count > roofline->nwhole;

	if (!p->counts->question.nper_function || p->report->model->is_simulated)
		return;
	if (measured->count > 1) {
		add_note(roofline, "Functions are placed only where the report has one part.");
		return;
	}
	if (!has_points) {
		add_note(
			roofline,
			arena_worded(p->arena,
				     "Functions are not placed: no events were read with samples of them. That takes a "
				     "PMU, or {pmu} sim."));
		return;
	}
	add_note(roofline,
		 arena_printf(p->arena,
			      "Functions are placed by samples: by what was counted between two samples in the "
			      "function. A value from fewer than %d samples is \"-\".",
			      PLACED_LEAST));
	if (roofline->mixed >= 0.001)
		add_note(roofline, arena_printf(p->arena,
						"%.1f %% of the cycles lie between samples of different functions, "
						"and belong to none.",
						100 * roofline->mixed));
	add_unsampled_notes(roofline, p->arena);
}

static void add_loop_note(struct roofline *roofline, const struct placing *p, const struct measurement *measured)
{
	const struct profile *profile = measured->profile;

	if (p->counts->question.nper_function && profile && profile->no_loops && roofline->count > roofline->nwhole)
		add_note(roofline, arena_printf(p->arena, "Not all loops are distinguished from their functions: %s.",
						profile->no_loops));
}

static void roofline_add_notes(struct roofline *roofline, const struct placing *p, const struct measurement *measured)
{
	roofline->notes = arena_array(p->arena, 3 * ROOFLINE_QUANTITIES + 5, sizeof(*roofline->notes));
	add_set_notes(roofline, &roofline->whole, p->arena);
	if (!roofline->roofs)
		add_note(roofline, "No ceilings are known here: `topdown roofline` measures this machine's.");
	add_function_notes(roofline, p, measured);
	add_loop_note(roofline, p, measured);
	if (p->report->model->is_simulated)
		add_note(roofline, "Operations and bytes are those of the simulated core and its caches.");
}

static double *whole_values(const struct placing *p)
{
	double *values = arena_array(p->arena, p->nitems + 1, sizeof(*values));

	for (size_t i = 0; i < p->nitems; i++)
		values[i] = placing_mean(p->counts, i);
	return values;
}

/* One part. Its functions only where it is all that there is. */
static void place_part(struct placing *p, const struct measurement *measured)
{
	struct roofline_point *point = &p->roofline->points[p->roofline->count++];
	struct roofline_request functions = { measured->profile, p->counts->question.nper_function, NOT_COUNTED };

	p->roofline->threads = threads_of(p);
	functions.seconds = find_time(p);
	p->roofline->threads = threads_of_roofs(p->roofline->roofs, p->roofline->threads);
	*point = (struct roofline_point){ .name = p->report->summary.part,
					  .time_share = 1,
					  .seconds = functions.seconds };
	placing_choose(p);
	placing_take(point, p, whole_values(p));
	placing_judge(point, p);
	p->roofline->nwhole = p->roofline->count;
	if (functions.most && measured->count == 1 && functions.profile && !roofline_functions_exact(p, &functions))
		(void)roofline_functions_sampled(p, &functions);
}

struct roofline *roofline_of(const struct report_set *set, const struct measurement *measured, struct arena *arena)
{
	static const struct roofline_sets none = { .count = 0 };
	struct roofline *roofline = arena_alloc(arena, sizeof(*roofline));
	size_t most = set->count + measured->parts[0].question.nper_function * (1 + (size_t)PLACED_LOOPS);

	*roofline = (struct roofline){ .roofs = measured->roofs, .hz = NOT_COUNTED };
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
			roofline_add_notes(roofline, &p, measured);
	}
	return roofline;
}
