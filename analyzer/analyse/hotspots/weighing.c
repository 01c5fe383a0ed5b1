/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/hotspots/weighing.h"

#include <math.h>
#include <string.h>

#include "common/base/text.h"

/* ---- shares ---- */

#define Z95 1.959963984540054 /* of the normal distribution */

/* Wilson's interval of a share p that n samples found. */
static struct share wilson(double p, double n)
{
	double z2 = Z95 * Z95, scale = 1 / (1 + z2 / n);
	double middle = (p + z2 / (2 * n)) * scale, half = Z95 * scale * sqrt(p * (1 - p) / n + z2 / (4 * n * n));

	return (struct share){ .percent = 100 * p,
			       .low = p > 0 ? 100 * fmax(middle - half, 0) : 0,
			       .high = p < 1 ? 100 * fmin(middle + half, 1) : 100 };
}

static struct share share_unknown(void)
{
	return (struct share){ .percent = NOT_COUNTED, .low = NOT_COUNTED, .high = NOT_COUNTED };
}

struct share share_of_samples(uint64_t part, uint64_t whole)
{
	struct share share;

	if (!whole || part > whole)
		return share_unknown();
	share = wilson((double)part / (double)whole, (double)whole);
	share.samples = part;
	share.is_rough = part < ROUGH_SAMPLES;
	return share;
}

struct share share_exact(double part, double whole)
{
	double percent = whole > 0 ? 100 * part / whole : NOT_COUNTED;

	return (struct share){ .percent = percent, .low = percent, .high = percent };
}

struct share share_of_weight(const struct weighing *weighing, double weight, uint64_t samples)
{
	struct share share;

	if (weighing->is_exact)
		return share_exact(weight, weighing->whole);
	if (!weighing->samples || !(weighing->whole > 0))
		return share_unknown();
	if (weighing->is_waiting) {
		share = share_exact(weight, weighing->whole);
		share.samples = samples;
		return share;
	}
	share = wilson(fmin(fmax(weight / weighing->whole, 0), 1), (double)weighing->samples);
	share.samples = samples;
	share.is_rough = samples < ROUGH_SAMPLES;
	return share;
}

/* ---- samples ---- */

bool is_time_event(const struct profile_event *event)
{
	return has_name_prefix(event->event, "cpu-clock") || has_name_prefix(event->event, "task-clock");
}

bool is_waiting_event(const struct profile_event *event)
{
	return has_name_prefix(event->event, "offcpu-time");
}

static bool is_cycles(const char *event)
{
	return has_name_prefix(event, "cycles") || has_name_prefix(event, "cpu-cycles") ||
	       has_name_prefix(event, "cpu_cycles") || has_name_prefix(event, "cpu_clk_unhalted");
}

static struct weighing weighing_of_event(const struct profile *profile, uint32_t number, struct arena *arena)
{
	const struct profile_event *event = &profile->events[number];
	struct weighing w = { .name = event->event, .title = event->event, .node = event->node, .event = number };

	if (is_time_event(event))
		w.title = "time";
	w.is_waiting = is_waiting_event(event);
	if (w.is_waiting)
		w.title = "waiting";
	w.unit = is_time_event(event) || w.is_waiting ? "ns" : is_cycles(event->event) ? "cycles" : "events";
	w.weights = arena_array(arena, profile->nrows + 1, sizeof(*w.weights));
	for (uint32_t i = 0; i < profile->nrows; i++) {
		const struct profile_row *row = &profile->rows[i];

		if (row->event != number || !row->samples)
			continue;
		w.weights[i] = row->weight;
		w.total += row->weight;
		w.samples += row->samples;
	}
	/* Events a sample are unknown: each is one. */
	for (uint32_t i = 0; i < profile->nrows && !(w.total > 0); i++)
		w.weights[i] = profile->rows[i].event == number ? (double)profile->rows[i].samples : 0;
	if (!(w.total > 0)) {
		w.total = (double)w.samples;
		w.unit = "samples";
	}
	w.whole = w.total;
	return w;
}

struct weighings weighings_of_events(const struct profile *profile, struct arena *arena)
{
	struct weighings all = { .items = arena_array(arena, profile->nevents + 1, sizeof(*all.items)) };

	for (; all.count < profile->nevents; all.count++)
		all.items[all.count] = weighing_of_event(profile, (uint32_t)all.count, arena);
	return all;
}

/* Where nothing runs but waits are, or the other way round, there is nothing to add. */
bool weighing_of_wall(struct weighing *wall, const struct weighings *events, const struct profile *profile,
		      struct arena *arena)
{
	const struct weighing *runs = events->count ? &events->items[0] : NULL, *waits = NULL;

	for (size_t i = 1; i < events->count; i++)
		if (events->items[i].is_waiting)
			waits = &events->items[i];
	if (!waits || strcmp(runs->unit, waits->unit) != 0 || !(runs->total > 0) || !(waits->total > 0))
		return false;
	*wall = (struct weighing){ .name = "wall-clock",
				   .title = "wall clock",
				   .unit = waits->unit,
				   .event = PROFILE_NONE,
				   .is_waiting = true,
				   .weights = arena_array(arena, profile->nrows + 1, sizeof(double)),
				   .total = runs->total + waits->total,
				   .samples = runs->samples + waits->samples };
	wall->whole = wall->total;
	for (uint32_t i = 0; i < profile->nrows; i++)
		wall->weights[i] = runs->weights[i] + waits->weights[i];
	return true;
}

bool is_wall(const struct weighing *weighing)
{
	return weighing->is_waiting && weighing->event == PROFILE_NONE;
}

/* Nearly all waits begin in its calls, and in those of what C++ has on top of it. */
static bool is_c_library(const struct profile_module *module)
{
	static const char *const names[] = { "libc.so", "libc-", "libpthread", "ld-linux", "ld-musl", "libstdc++" };
	const char *slash = module->path ? strrchr(module->path, '/') : NULL;

	for (size_t i = 0; slash && i < COUNT_OF(names); i++)
		if (has_name_prefix(slash + 1, names[i]))
			return true;
	return module->kind == MODULE_VDSO || module->kind == MODULE_KERNEL || module->kind == MODULE_DRIVER;
}

uint32_t program_place(const struct profile *profile, uint32_t innermost)
{
	uint32_t stack = innermost;

	while (stack != PROFILE_NONE &&
	       is_c_library(&profile->modules[profile->places[profile->stacks[stack].place].module]))
		stack = profile->stacks[stack].caller;
	return profile->stacks[stack == PROFILE_NONE ? innermost : stack].place;
}

uint32_t row_place(const struct profile *profile, uint32_t number)
{
	const struct profile_row *row = &profile->rows[number];

	if (row->event < profile->nevents && is_waiting_event(&profile->events[row->event]))
		return program_place(profile, row->stack);
	return profile->stacks[row->stack].place;
}

static size_t locating(const struct weighings *weighings, const char *node)
{
	size_t count = 0;

	for (size_t i = 0; i < weighings->count; i++)
		count += weighings->items[i].node && is_same_name(weighings->items[i].node, node);
	return count;
}

void weighings_take_titles(struct weighings *weighings, const struct model *model, struct arena *arena)
{
	for (size_t i = 0; i < weighings->count; i++) {
		struct weighing *w = &weighings->items[i];
		size_t node = w->node ? model_find(model, w->node) : TABLE_NONE;

		if (node == TABLE_NONE)
			continue;
		w->title = model->metrics[node].title;
		if (locating(weighings, w->node) > 1)
			w->title = arena_printf(arena, "%s, by %s", w->title, w->name);
	}
}

/* ---- exact counts ---- */

/* What rows are evaluated with, one after the other. */
struct divider {
	const struct exact_rows *rows;
	size_t *bound;		      /* event number of each item of the counts; TABLE_NONE: not in the model */
	double *all, *events;	      /* the counts of the whole; the same without a row */
	struct program_slice formula; /* the node's */
	double whole;		      /* the formula's value of the whole */
};

static void take_counts(struct divider *d, struct arena *arena)
{
	const struct model *model = d->rows->model;
	const struct repeat *repeat = &d->rows->counts->repeats[0];

	d->bound = arena_array(arena, repeat->count + 1, sizeof(*d->bound));
	d->all = arena_array(arena, model->events.count + 1, sizeof(*d->all));
	d->events = arena_array(arena, model->events.count + 1, sizeof(*d->events));
	for (size_t i = 0; i < model->events.count; i++)
		d->all[i] = NOT_COUNTED;
	for (size_t i = 0; i < repeat->count; i++) {
		d->bound[i] = event_set_find(&model->events, repeat->items[i].event);
		if (d->bound[i] != TABLE_NONE)
			d->all[d->bound[i]] = repeat->items[i].value;
	}
	memcpy(d->events, d->all, model->events.count * sizeof(*d->events));
}

static void take_node(struct divider *d, size_t node, struct arena *arena)
{
	d->formula = program_slice(d->rows->model->program, node, arena);
	d->whole = program_slice_eval(&d->formula, d->all);
}

/* The node's value that is lost without the row. */
static double lost_without(const struct divider *d, const struct profile_row *row)
{
	double rest;

	for (size_t i = 0; i < row->ncounts; i++) {
		size_t event = d->bound[row->counts[i].item];

		if (event != TABLE_NONE)
			d->events[event] -= row->counts[i].value;
	}
	rest = program_slice_eval(&d->formula, d->events);
	for (size_t i = 0; i < row->ncounts; i++) {
		size_t event = d->bound[row->counts[i].item];

		if (event != TABLE_NONE)
			d->events[event] = d->all[event];
	}
	return d->whole - rest;
}

/* Adds the rows' parts of the node, in units of which all are `of`. */
static void weighing_add_parts(struct weighing *w, const struct divider *d, double of)
{
	const struct profile *profile = d->rows->profile;

	for (uint32_t i = 0; i < profile->nrows; i++) {
		double part = profile->rows[i].ncounts ? lost_without(d, &profile->rows[i]) * of : 0;

		if (!(part > 0))
			continue;
		w->weights[i] += part;
		w->total += part;
	}
	w->whole += d->whole * of;
}

static double weighing_count_of(const struct divider *d, size_t event)
{
	return event == TABLE_NONE ? NOT_COUNTED : d->all[event];
}

static double all_cycles(const struct divider *d)
{
	return weighing_count_of(d, d->rows->model->roles[ROLE_CYCLES]);
}

#define SIMULATED_SLOTS "slots.all" /* events/sim.json; no PMU's event, so it has no role */

static double all_slots(const struct divider *d)
{
	const struct model *model = d->rows->model;
	size_t event = model->roles[ROLE_SLOTS];

	return weighing_count_of(d, event == TABLE_NONE ? event_set_find(&model->events, SIMULATED_SLOTS) : event);
}

/* What the node is a share of. */
static double all_of(const struct divider *d, const struct metric *metric, const char **unit)
{
	double slots = has_name_prefix(metric->domain, "Slots") ? all_slots(d) : NOT_COUNTED;

	*unit = slots > 0 ? "slots" : "cycles";
	return slots > 0 ? slots : all_cycles(d);
}

bool weighing_of_node(struct weighing *weighing, const struct exact_rows *rows, size_t node, struct arena *arena)
{
	const struct metric *metric = &rows->model->metrics[node];
	struct divider d = { .rows = rows };
	double of;

	*weighing = (struct weighing){ .name = metric->name,
				       .title = metric->title,
				       .node = metric->name,
				       .event = PROFILE_NONE,
				       .is_exact = true };
	if (metric->failure || strcmp(metric->unit, "%") != 0)
		return false;
	take_counts(&d, arena);
	take_node(&d, node, arena);
	of = all_of(&d, metric, &weighing->unit);
	weighing->weights = arena_array(arena, rows->profile->nrows + 1, sizeof(*weighing->weights));
	if (!(d.whole >= 0) || !(of > 0))
		return false;
	weighing_add_parts(weighing, &d, of);
	return true;
}

bool weighing_of_cycles(struct weighing *weighing, const struct exact_rows *rows, struct arena *arena)
{
	const struct model *model = rows->model;
	struct divider d = { .rows = rows };

	*weighing = (struct weighing){
		.name = "cycles", .title = "cycles", .unit = "cycles", .event = PROFILE_NONE, .is_exact = true
	};
	weighing->weights = arena_array(arena, rows->profile->nrows + 1, sizeof(*weighing->weights));
	take_counts(&d, arena);
	for (size_t i = 0; i < model->nnodes; i++) {
		if (model->metrics[i].level != 1 || model->metrics[i].failure)
			continue;
		take_node(&d, i, arena);
		if (d.whole > 0)
			weighing_add_parts(weighing, &d, all_cycles(&d));
	}
	return weighing->whole > 0;
}

bool has_exact_rows(const struct profile *profile)
{
	for (uint32_t i = 0; profile && i < profile->nrows; i++)
		if (profile->rows[i].event == PROFILE_NONE)
			return true;
	return false;
}
