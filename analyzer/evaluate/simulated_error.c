/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * simulated_error.c - how far a simulation can be from the machine: the interval that sampling leaves (--sim-sample),
 * and the modelled cycles against the user time of a native run.
 */
#include <math.h>
#include <string.h>

#include "evaluate/evaluation.h"

/*
 * ---- windows that were modelled in detail ----
 *
 * Values are ratios x / y of two totals. What was modelled in full is known exactly; the windows stand for the rest.
 * The error of a ratio is that of the total of x - value * y (Cochran, Sampling Techniques, chapter 6), which is the
 * number of windows that the rest would have, times the mean of those that were modelled; less what was not left to
 * chance because it was modelled.
 */

/* A sum over windows by its event's name; NAN: not counted. */
static double sum_of(const struct evaluation *e, const char *name, const char *suffix)
{
	const char *event = arena_printf(e->arena, "%s%s", name, suffix);

	for (size_t i = 0; i < e->repeat->count; i++)
		if (!strcmp(e->repeat->items[i].event, event))
			return e->repeat->items[i].value;
	return NOT_COUNTED;
}

#define SAMPLE_UNIT 64.0 /* slots and instructions in a unit of the sums (simulator/windows.h) */

/* What a window can't see, as a share of what the windows stand for: it begins with a core that was empty. */
#define UNSEEN 0.01

/* What was sampled: n windows, so many of them in all, and the share of them that was modelled. */
struct windows {
	double n, all, modelled;
};

/* The sums of x and of y over the windows, and of their squares and products. */
struct ratio {
	double value, x, y, xx, xy, yy;
};

/* Half of the 95 % interval of the total of x - value * y; NAN: not enough windows. */
static double total_error(const struct windows *w, const struct ratio *r)
{
	double value = r->value, sum = r->x - value * r->y;
	double squares = r->xx - 2 * value * r->xy + value * value * r->yy - sum * sum / w->n;

	if (!(w->n >= 2))
		return NOT_COUNTED;
	return student_t95((size_t)w->n - 1) * w->all *
	       sqrt(fmax(squares, 0) / (w->n * (w->n - 1)) * fmax(1 - w->modelled, 0));
}

static void set_spread(struct statistics *spread, double n, double mean, double ci95)
{
	*spread = (struct statistics){ .n = (size_t)n, .mean = mean, .stddev = NOT_COUNTED, .ci95 = ci95 };
}

/* Slots of the whole program, in the unit of the sums. */
static double all_slots(const struct evaluation *e)
{
	return sum_of(e, "slots.all", "") / SAMPLE_UNIT;
}

/* The slots that the windows stand for, of all. */
static double sampled_share(const struct evaluation *e, const struct windows *w)
{
	double sampled = w->all / w->n * sum_of(e, "sample.slots", "");

	return fmin(sampled / all_slots(e), 1);
}

/* Level 1: shares of the slots. */
static void fill_part(struct evaluation *e, const struct windows *w, const char *node, const char *sum)
{
	struct ratio ratio = { .x = sum_of(e, sum, ""),
			       .y = sum_of(e, "sample.slots", ""),
			       .xx = sum_of(e, sum, "_squared"),
			       .xy = sum_of(e, sum, "_slots"),
			       .yy = sum_of(e, "sample.slots", "_squared") };

	for (size_t i = 0; i < e->model->nnodes; i++) {
		struct result *result = &e->results[i];

		if (strcmp(e->model->metrics[i].name, node) != 0)
			continue;
		ratio.value = result->value / 100;
		set_spread(&result->spread, w->n, result->value,
			   100 * (total_error(w, &ratio) / all_slots(e) + UNSEEN * sampled_share(e, w)));
	}
}

/* Cycles for each instruction; the number of instructions is known. */
static void fill_cycles(struct evaluation *e, const struct windows *w)
{
	struct summary *s = &e->report->summary;
	struct ratio ratio = { .x = sum_of(e, "sample.slots", ""),
			       .y = sum_of(e, "sample.instructions", ""),
			       .xx = sum_of(e, "sample.slots", "_squared"),
			       .xy = sum_of(e, "sample.slots", "_instructions"),
			       .yy = sum_of(e, "sample.instructions", "_squared") };
	double relative;

	ratio.value = ratio.x / ratio.y;
	relative = total_error(w, &ratio) / all_slots(e) + UNSEEN * sampled_share(e, w);
	set_spread(&s->spread[FIGURE_CYCLES], w->n, s->cycles, s->cycles * relative);
	set_spread(&s->spread[FIGURE_IPC], w->n, s->ipc, s->ipc * relative);
}

/* Older sessions do not say what was modelled in full: nothing was where something was sampled. */
static double whole_instructions(const struct evaluation *e)
{
	double whole = sum_of(e, "inst.unsampled", "");

	return whole > 0 ? whole : 0;
}

void sampling_fill(struct evaluation *e)
{
	double modelled = sum_of(e, "inst.modelled", ""), retired = sum_of(e, "inst.retired", ""), whole;
	struct windows windows = { .n = sum_of(e, "sample.windows", "") };
	struct summary *s = &e->report->summary;

	/* Older sessions, and a whole simulation. */
	if (!e->model->is_simulated || !(modelled < retired))
		return;
	whole = whole_instructions(e);
	windows.modelled = (modelled - whole) / (retired - whole);
	windows.all = (retired - whole) / SAMPLE_UNIT / (sum_of(e, "sample.instructions", "") / windows.n);
	s->is_sampled = true;
	s->modelled = modelled / retired;
	s->windows = windows.n > 0 ? (size_t)windows.n : 0;
	s->whole_instructions = whole;
	fill_part(e, &windows, "tma_retiring", "sample.retiring");
	fill_part(e, &windows, "tma_bad_speculation", "sample.speculation");
	fill_part(e, &windows, "tma_frontend_bound", "sample.frontend");
	fill_part(e, &windows, "tma_backend_bound", "sample.backend");
	fill_cycles(e, &windows);
}

/* ---- the native run ---- */

#define FAR_LIMIT    0.25  /* of what was measured; a simulation within it is as good as a model of that size gets */
#define LEAST_USER_S 0.010 /* less is mostly start-up, and a few clock ticks */
#define MUCH_SYSTEM  0.20  /* of the CPU time; the caches and page tables that the kernel touches are not modelled */
#define BUSY_RATE    50.0  /* preemptions in a second of CPU time; on an idle CPU there are hardly ten */

static const char *find_reason(const struct anchor *anchor, double modelled)
{
	if (anchor->reason)
		return anchor->reason;
	if (isnan(anchor->user_s))
		return "the native run's user time is not known";
	if (anchor->user_s < LEAST_USER_S)
		return "a native run took under 10 ms of user time, too short to compare";
	if (!(anchor->hz > 0))
		return "the clock rate of this CPU is not known";
	return modelled > 0 ? NULL : "no cycles were modelled";
}

/*
 * Of n clock ticks each meets the program in user mode or in the kernel, so the user's share is that of a sample: two
 * standard deviations, and a tick that may have been met at either end. Kernels that keep exact times are better than
 * this.
 */
static double user_error(const struct anchor *anchor)
{
	double runs = anchor->runs > 1 ? anchor->runs : 1;
	double share = anchor->user_s / anchor->cpu_s, ticks = runs * anchor->cpu_s / anchor->tick_s;

	if (!(anchor->cpu_s > 0) || !(anchor->tick_s > 0))
		return 0;
	return anchor->tick_s * (1 + 2 * sqrt(fmax(share * (1 - share), 0) * ticks)) / runs;
}

/* Unknown and 0 are the same there. */
static double known(double value, const struct anchor *anchor)
{
	return anchor->cpu_s > 0 ? value : NOT_COUNTED;
}

static const char *times_text(const struct anchoring *judged, struct arena *arena)
{
	double factor = fmax(judged->ratio, 1 / judged->ratio);

	return arena_printf(arena, "a factor of %.*f", factor < 9.95 ? 1 : 0, factor);
}

/* Why a native run is longer than its model; what others do never makes it shorter. */
static const char *cause_text(const struct anchoring *judged, struct arena *arena)
{
	double cpu_s = judged->user_s + judged->system_s;

	if (judged->ratio > 1)
		return "something is modelled as slower than it is here";
	if (judged->preemptions > BUSY_RATE * cpu_s)
		return arena_printf(arena, "other programs had its CPU meanwhile, %.0f times", judged->preemptions);
	if (judged->system_s > MUCH_SYSTEM * cpu_s)
		return arena_printf(arena,
				    "%.0f %% of its CPU time was the kernel's, with %.0f page faults, which is not "
				    "modelled",
				    100 * judged->system_s / cpu_s, judged->faults);
	return "other load on this machine, or something that is not modelled";
}

static const char *remark_text(const struct anchoring *judged, struct arena *arena)
{
	return arena_printf(arena,
			    "The simulation and a native run disagree by %s (%s). Take the tree as a hint; "
			    "docs/SIMULATED.md has what is not modelled.",
			    times_text(judged, arena), cause_text(judged, arena));
}

struct anchoring anchor_judge(const struct anchor *anchor, double modelled, struct arena *arena)
{
	struct anchoring judged = { .user_s = anchor->user_s,
				    .hz = anchor->hz,
				    .wall_s = anchor->wall_s > 0 ? anchor->wall_s : NOT_COUNTED,
				    .system_s = known(fmax(anchor->cpu_s - anchor->user_s, 0), anchor),
				    .faults = known(anchor->faults, anchor),
				    .preemptions = known(anchor->preemptions, anchor),
				    .runs = anchor->runs > 0 ? anchor->runs : NOT_COUNTED,
				    .additions = anchor->additions > 0 ? anchor->additions : NOT_COUNTED,
				    .additions_alone =
					    anchor->additions_alone > 0 ? anchor->additions_alone : NOT_COUNTED,
				    .is_shared = anchor->additions > ADDITIONS_SHARED * anchor->additions_alone,
				    .modelled = modelled,
				    .measured = anchor->user_s * anchor->hz,
				    .ratio = NOT_COUNTED,
				    .ratio_low = NOT_COUNTED,
				    .ratio_high = NOT_COUNTED,
				    .reason = find_reason(anchor, modelled) };
	double error = user_error(anchor), most = anchor->user_s + error;

	if (judged.reason)
		return judged;
	if (anchor->cpu_s > 0)
		most = fmin(most, fmax(anchor->cpu_s, anchor->user_s));
	judged.ratio = modelled / judged.measured;
	judged.ratio_low = modelled / (most * anchor->hz);
	judged.ratio_high = modelled / (fmax(anchor->user_s - error, 0) * anchor->hz);
	/* Neighbours make a native run longer, never shorter. */
	judged.is_far = (judged.ratio_high < 1 - FAR_LIMIT && !judged.is_shared) || judged.ratio_low > 1 + FAR_LIMIT;
	judged.remark = judged.is_far ? remark_text(&judged, arena) : NULL;
	return judged;
}

void anchor_fill(struct evaluation *e)
{
	struct anchoring *anchor = arena_alloc(e->arena, sizeof(*anchor));
	double cycles;

	if (!e->counts->anchor)
		return;
	cycles = e->counts->anchor->cycles > 0 ? e->counts->anchor->cycles : e->report->summary.cycles;
	*anchor = anchor_judge(e->counts->anchor, cycles, e->arena);
	anchor->is_of_more = e->counts->anchor->cycles > 0;
	e->report->anchor = anchor;
}
