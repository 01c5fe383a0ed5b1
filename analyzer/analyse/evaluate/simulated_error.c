/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * simulated_error.c - how far a simulation can be from the machine: the interval that sampling leaves (--sim-sample),
 * and the modelled cycles against the user time of a native run.
 */
#include <math.h>
#include <string.h>

#include "analyse/evaluate/evaluation.h"
#include "common/measurement/sampled_windows.h"

/* ---- windows that were modelled in detail ---- */

/* Layouts are repeats: their values stay, and no interval is narrower than a sample's. */
static void set_spread(struct statistics *spread, double n, double mean, double ci95)
{
	if (spread->values) {
		spread->ci95 = fmax(spread->ci95, ci95);
		return;
	}
	*spread = (struct statistics){ .n = (size_t)n, .mean = mean, .stddev = NOT_COUNTED, .ci95 = ci95 };
}

/* Level 1: shares of the slots. */
static void fill_part(struct evaluation *e, const struct sampled_windows *windows, const char *node, const char *sum)
{
	for (size_t i = 0; i < e->model->nnodes; i++) {
		struct result *result = &e->results[i];

		if (!strcmp(e->model->metrics[i].name, node))
			set_spread(&result->spread, windows->n, result->value,
				   100 * sampled_windows_share_error(windows, sum, result->value / 100));
	}
}

void sampling_fill(struct evaluation *e)
{
	struct summary *s = &e->report->summary;
	struct sampled_windows windows;
	double relative;

	/* Older sessions, and a whole simulation. */
	if (!e->model->is_simulated || !sampled_windows_read(&windows, e->repeat))
		return;
	s->is_sampled = true;
	s->modelled = windows.part;
	s->windows = windows.n > 0 ? (size_t)windows.n : 0;
	s->whole_instructions = windows.whole;
	fill_part(e, &windows, "tma_retiring", "sample.retiring");
	fill_part(e, &windows, "tma_bad_speculation", "sample.speculation");
	fill_part(e, &windows, "tma_frontend_bound", "sample.frontend");
	fill_part(e, &windows, "tma_backend_bound", "sample.backend");
	relative = sampled_windows_cycles_error(&windows);
	set_spread(&s->spread[FIGURE_CYCLES], windows.n, s->cycles, s->cycles * relative);
	set_spread(&s->spread[FIGURE_IPC], windows.n, s->ipc, s->ipc * relative);
}

/* ---- sessions of an earlier simulator ---- */

static bool was_counted(const struct evaluation *e, size_t event)
{
	for (size_t i = 0; i < e->repeat->count; i++)
		if (e->bound[i] == event)
			return true;
	return false;
}

/* An event of the metric that the counts do not have at all; NULL: they have each. */
static const char *unknown_event(const struct evaluation *e, const struct metric *metric)
{
	for (size_t i = 0; i < metric->nevents; i++)
		if (!was_counted(e, metric->events[i]))
			return e->model->events.events[metric->events[i]].name;
	return NULL;
}

void note_older_simulator(struct evaluation *e)
{
	const char *first = NULL;
	size_t count = 0;

	if (!e->model->is_simulated || e->counts->origin.is_flat)
		return;
	for (size_t i = 0; i < e->model->nnodes; i++) {
		const char *event = e->shown[i] ? unknown_event(e, &e->model->metrics[i]) : NULL;

		count += event != NULL;
		first = first ? first : event;
	}
	if (count)
		note_add(e,
			 "%zu node%s %s no value: an earlier version of the simulator made these counts, and it did "
			 "not count what they need (%s ...). Simulate the program again for them.",
			 count, count == 1 ? "" : "s", count == 1 ? "has" : "have", first);
}

/* ---- vectors of two kinds ---- */

#define MUCH_MIXED 0.001 /* of the instructions: each can take as long as 160 others */

static double value_of_item(const struct source_line *line, size_t item)
{
	for (size_t i = 0; i < line->count; i++)
		if (line->counts[i].item == item)
			return line->counts[i].value;
	return 0;
}

/* ", mostly in mix (mix.c:12)": the line that has most of the item; "": no lines were counted. */
static const char *place_with_most(const struct evaluation *e, size_t item)
{
	const struct source_line *most = NULL;
	const char *slash;

	for (size_t i = 0; i < e->counts->nlines; i++) {
		const struct source_line *line = &e->counts->lines[i];

		if (value_of_item(line, item) > (most ? value_of_item(most, item) : 0))
			most = line;
	}
	if (!most || !most->function)
		return "";
	if (!most->file || !most->line)
		return arena_printf(e->arena, ", mostly in %s", most->function);
	slash = strrchr(most->file, '/');
	return arena_printf(e->arena, ", mostly in %s (%s:%zu)", most->function, slash ? slash + 1 : most->file,
			    most->line);
}

void note_mixed_vectors(struct evaluation *e)
{
	double instructions = e->report->summary.instructions;
	size_t item = 0;

	if (!e->model->is_simulated)
		return;
	while (item < e->repeat->count && strcmp(e->repeat->items[item].event, "inst.mixed") != 0)
		item++;
	if (item == e->repeat->count || !(e->repeat->items[item].value > MUCH_MIXED * instructions))
		return;
	note_add(e,
		 "In 1000 instructions SSE follows 256-bit AVX %.3g times without VZEROUPPER%s. Each time costs up to "
		 "160 cycles on Intel's cores, which is not modelled. Build all of it with -mavx, or call "
		 "_mm256_zeroupper() in between.",
		 1000 * e->repeat->items[item].value / instructions, place_with_most(e, item));
}

/* ---- the native run ---- */

#define FAR_LIMIT    0.25  /* of what was measured; a simulation within it is as good as a model of that size gets */
#define LEAST_USER_S 0.010 /* less is mostly start-up, and a few clock ticks */
#define MUCH_SYSTEM  0.20  /* of the CPU time; the caches and page tables that the kernel touches are not modelled */
#define OTHER_CLOCK  0.85  /* of the fastest: turbo, or another core's state */
#define OTHER_WORK   0.20  /* modelled by measured: no model is so far off, the work differs */
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
static double simulated_error_known(double value, const struct anchor *anchor)
{
	return anchor->cpu_s > 0 ? value : NOT_COUNTED;
}

static const char *times_text(const struct anchoring *judged, struct arena *arena)
{
	double factor = fmax(judged->ratio, 1 / judged->ratio);

	return arena_printf(arena, "a factor of %.*f", factor < 9.95 ? 1 : 0, factor);
}

/* What the model and the machine may differ by, as far as the share of the work is known. */
struct gap {
	double share; /* 0 ... 1, or NAN */
	double least; /* below, it explains nothing */
	const char *text;
};

/* The one that is largest, beside the least that counts; NULL: none is large enough. */
static const struct gap *largest_gap(const struct gap *gaps, size_t count)
{
	const struct gap *largest = NULL;

	for (size_t i = 0; i < count; i++)
		if (gaps[i].share >= gaps[i].least &&
		    (!largest || gaps[i].share / gaps[i].least > largest->share / largest->least))
			largest = &gaps[i];
	return largest;
}

#define X87	"are x87's, whose eight registers and latencies are modelled roughly"
#define GATHERS "gather a vector from several addresses, which is modelled roughly"
#define STRINGS "are rounds of repeated string instructions, whose microcode is modelled roughly"
#define CRYPTO	"are rounds of AES and the like, whose latency is modelled roughly"

/* Of code that both run; NULL: there is little of it. */
static const char *code_text(const struct anchored_work *work, struct arena *arena)
{
	const struct gap gaps[] = { { work->x87, 0.05, X87 },
				    { work->gathers, 0.01, GATHERS },
				    { work->strings, 0.01, STRINGS },
				    { work->crypto, 0.02, CRYPTO } };
	const struct gap *gap = largest_gap(gaps, COUNT_OF(gaps));

	return gap ? arena_printf(arena, "%.0f %% of its instructions %s", fmax(100 * gap->share, 1), gap->text) : NULL;
}

/* Natively other code runs, which is faster; NULL: nothing speaks for it. */
static const char *hidden_text(const struct anchor *anchor, const struct anchored_work *work, struct arena *arena)
{
	bool has_vectors = anchor->hidden && strcmp(anchor->hidden, "SHA") != 0 && work->vector >= 0.1;

	if (anchor->hidden_code)
		return anchor->hidden_code;
	if (has_vectors)
		return arena_printf(
			arena,
			"%.0f %% of its instructions use vector registers, and Valgrind hides this CPU's %s, "
			"so that libraries may run other code natively",
			100 * work->vector, anchor->hidden);
	return NULL;
}

/* The kernel, other programs, another clock: what makes a native run longer and is no part of the model; NULL: none. */
static const char *outside_text(const struct anchoring *judged, const struct anchor *anchor, struct arena *arena)
{
	double cpu_s = judged->user_s + judged->system_s;

	if (judged->ratio_high < OTHER_WORK)
		return arena_printf(arena, "natively it did far more: a program that works for a set time, or until "
					   "something comes, does less where it is slow");
	if (judged->preemptions > BUSY_RATE * cpu_s)
		return arena_printf(arena, "other programs had its CPU meanwhile, %.0f times", judged->preemptions);
	if (judged->system_s > MUCH_SYSTEM * cpu_s)
		return arena_printf(arena,
				    "%.0f %% of its CPU time was the kernel's, with %.0f page faults, which is not "
				    "modelled",
				    100 * judged->system_s / cpu_s, judged->faults);
	if (anchor->hz_low > 0 && anchor->hz_low < OTHER_CLOCK * anchor->hz)
		return arena_printf(arena, "the clock changed meanwhile, from %.2f to %.2f GHz", anchor->hz_low / 1e9,
				    anchor->hz / 1e9);
	return NULL;
}

/* The likeliest cause. What others do makes a native run longer, never shorter. */
static const char *cause_text(const struct anchoring *judged, const struct anchor *anchor,
			      const struct anchored_work *work, struct arena *arena)
{
	bool is_slower = judged->ratio > 1;
	const char *text = is_slower ? hidden_text(anchor, work, arena) : outside_text(judged, anchor, arena);

	if (!text)
		text = code_text(work, arena);
	if (text)
		return text;
	return is_slower ? "something is modelled as slower than it is here"
			 : "other load on this machine, or something that is not modelled";
}

static const char *remark_text(const struct anchoring *judged, const char *cause, struct arena *arena)
{
	return arena_printf(arena,
			    "The simulation and a native run disagree by %s (%s). Take the tree as a hint; "
			    "docs/SIMULATED.md lists what is not modelled.",
			    times_text(judged, arena), cause);
}

struct anchoring anchor_judge(const struct anchor *anchor, double modelled, const struct anchored_work *work,
			      struct arena *arena)
{
	struct anchoring judged = { .user_s = anchor->user_s,
				    .hz = anchor->hz,
				    .wall_s = anchor->wall_s > 0 ? anchor->wall_s : NOT_COUNTED,
				    .system_s = simulated_error_known(fmax(anchor->cpu_s - anchor->user_s, 0), anchor),
				    .faults = simulated_error_known(anchor->faults, anchor),
				    .preemptions = simulated_error_known(anchor->preemptions, anchor),
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

	if (judged.reason) {
		judged.remark = anchor->hidden_code ? arena_printf(arena, "%s.", anchor->hidden_code) : NULL;
		return judged;
	}
	if (anchor->cpu_s > 0)
		most = fmin(most, fmax(anchor->cpu_s, anchor->user_s));
	judged.ratio = modelled / judged.measured;
	judged.ratio_low = modelled / (most * anchor->hz);
	judged.ratio_high = modelled / (fmax(anchor->user_s - error, 0) * anchor->hz);
	/* Neighbours make a native run longer, never shorter, and not five times as long. */
	judged.is_far =
		judged.ratio_high < (judged.is_shared ? OTHER_WORK : 1 - FAR_LIMIT) || judged.ratio_low > 1 + FAR_LIMIT;
	if (judged.is_far)
		judged.remark = remark_text(&judged, cause_text(&judged, anchor, work, arena), arena);
	return judged;
}

void anchor_fill(struct evaluation *e)
{
	struct anchoring *anchor = arena_alloc(e->arena, sizeof(*anchor));
	double cycles, all = repeat_value(e->repeat, "inst.retired");
	const struct anchored_work work = { .vector = repeat_value(e->repeat, "inst.vector") / all,
					    .x87 = repeat_value(e->repeat, "inst.x87") / all,
					    .crypto = repeat_value(e->repeat, "inst.crypto") / all,
					    .gathers = repeat_value(e->repeat, "inst.gathers") / all,
					    .strings = repeat_value(e->repeat, "inst.strings") / all };

	if (!e->counts->anchor)
		return;
	cycles = e->counts->anchor->cycles > 0 ? e->counts->anchor->cycles : e->report->summary.cycles;
	*anchor = anchor_judge(e->counts->anchor, cycles, &work, e->arena);
	anchor->is_of_more = e->counts->anchor->cycles > 0;
	e->report->anchor = anchor;
}
