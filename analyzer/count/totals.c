/* SPDX-License-Identifier: GPL-2.0-or-later */
/* totals.c - the counts of each part: what its places have read, summed. */
#include <math.h>
#include <string.h>

#include "count/collector.h"
#include "count/tally.h"

#define LOST_SHARE 0.9 /* a CPU that counted for a smaller share of the time was not there for the rest */

enum span { SPAN_RUN, SPAN_INTERVAL };

/* The sums of one part. */
struct sums {
	struct tally *tallies; /* for each event of each group of the run, group by group */
	uint64_t cpu_ns;
};

static const struct plan_run *run_of(const struct collector *c, size_t type)
{
	const struct plan *plan = c->request->types[type].plan;

	return c->run < plan->nruns ? &plan->runs[c->run] : NULL;
}

static size_t count_items(const struct plan *plan, const struct plan_run *run)
{
	size_t items = 0;

	for (size_t i = 0; run && i < run->count; i++)
		items += plan->groups[run->first + i].count;
	return items;
}

static uint64_t min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t max(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* What the item shows for the span. */
static struct count item_in(const struct place *place, size_t group, size_t i, enum span span)
{
	const struct count *now = &place->groups[group].items[i];

	return span == SPAN_RUN ? *now : count_since(now, &place->before[group][i]);
}

/* Times of a place's group: all of its events share them. */
static struct count group_in(const struct place *place, size_t group, enum span span)
{
	struct count times = { .raw = 0 };

	for (size_t i = 0; i < place->groups[group].plan->count; i++) {
		struct count item = item_in(place, group, i, span);

		times.enabled_ns = max(times.enabled_ns, item.enabled_ns);
		times.running_ns = max(times.running_ns, item.running_ns);
	}
	return times;
}

/*
 * The time in which the place's events could have counted: what the kernel calls enabled, which passes for a task wherever
 * it runs; so where the place is one CPU, or a core type, it is the time that its groups together were on counters there.
 * Groups that rotate stand for the whole run, of which each had a part.
 */
static uint64_t time_of_group(const struct collector *c, const struct place *place, size_t group, enum span span)
{
	uint64_t enabled = group_in(place, group, span).enabled_ns, all_enabled = 0, all_running = 0;

	for (size_t i = 0; i < place->ngroups; i++) {
		struct count times = group_in(place, i, span);

		all_enabled += times.enabled_ns;
		all_running += times.running_ns;
	}
	if (span == SPAN_RUN && is_rotating(c))
		enabled = all_enabled;
	return is_place_confined(place, c->request) ? min(enabled, all_running) : enabled;
}

static void add_place(const struct collector *c, struct sums *sums, const struct place *place, enum span span)
{
	struct tally *tally = sums->tallies;
	uint64_t cpu_ns = 0;

	for (size_t g = 0; g < place->ngroups; g++) {
		uint64_t enabled = time_of_group(c, place, g, span);

		cpu_ns = max(cpu_ns, enabled);
		for (size_t i = 0; i < place->groups[g].plan->count; i++) {
			struct count item = item_in(place, g, i, span);

			tally_add(tally++, &item, enabled);
		}
	}
	sums->cpu_ns += cpu_ns;
}

static struct sums *add_places(const struct collector *c, enum span span, struct arena *arena)
{
	struct sums *sums = arena_array(arena, c->places.nparts, sizeof(*sums));

	for (size_t i = 0; i < c->places.nparts; i++) {
		size_t type = c->places.parts[i].type;

		sums[i].tallies = arena_array(arena, count_items(c->request->types[type].plan, run_of(c, type)),
					      sizeof(*sums[i].tallies));
	}
	for (size_t i = 0; i < c->places.count; i++)
		if (!c->places.items[i].is_gone)
			add_place(c, &sums[c->places.items[i].part], &c->places.items[i], span);
	return sums;
}

/* What comes from a clock instead of the kernel's counters. */
static void fill_tool_item(struct count *item, const struct event *event, double wall_s, double tsc_hz)
{
	double value = event->kind == EVENT_TSC ? wall_s * tsc_hz : wall_s;

	item->enabled_ns = item->running_ns = (uint64_t)(wall_s * 1e9);
	if (isnan(value)) {
		item->state = COUNT_REFUSED;
		item->reason = "the frequency of the time stamp counter is unknown";
		return;
	}
	item->state = COUNT_OK;
	item->value = value;
	item->raw = event->kind == EVENT_TSC ? (uint64_t)value : item->enabled_ns;
}

/* A part of the result that is being filled from its sums. */
struct filling {
	const struct collector *c;
	const struct count_type *type;
	struct counts *counts;
	const struct sums *sums;
	enum span span;
	struct arena *arena;
};

static void fill_group(const struct filling *f, size_t group, const struct tally *tallies)
{
	const struct plan_group *plan = &f->type->plan->groups[group];
	size_t run = f->counts->nruns - 1;

	for (size_t i = 0; i < plan->count; i++) {
		const struct event *event = &f->type->model->events.events[plan->events[i]];
		struct count *item = &f->counts->items[f->counts->count++];

		*item = (struct count){ .event = event->name, .group = group, .run = run };
		if (is_kernel_event(event))
			tally_finish(item, &tallies[i], f->arena);
		else
			fill_tool_item(item, event, f->counts->runs[run].wall_s, f->c->request->machine->tsc_hz);
	}
}

/* Of groups that rotate, an interval has one; that the others never ran would be another thing. */
static bool is_told(const struct filling *f, const struct plan_run *run, size_t group)
{
	return f->span == SPAN_RUN || !is_rotating(f->c) || group == f->c->turn % run->count;
}

/* What the program's end told is better where all is one part: it has what passed before exec, and after the last read. */
static double cpu_seconds(const struct filling *f, double told)
{
	const struct collector *c = f->c;

	if (c->request->subject.kind == SUBJECT_CPUS)
		return (double)NAN;
	if (f->span == SPAN_RUN && c->places.nparts == 1 && !isnan(told))
		return told;
	return (double)f->sums->cpu_ns * 1e-9;
}

static void fill_part(const struct filling *f, const struct count_run *told)
{
	const struct plan_run *run = run_of(f->c, (size_t)(f->type - f->c->request->types));
	const struct tally *tallies = f->sums->tallies;
	struct counts *counts = f->counts;

	if (!run)
		return;
	counts->runs[counts->nruns] = *told;
	counts->runs[counts->nruns++].cpu_s = cpu_seconds(f, told->cpu_s);
	for (size_t i = 0; i < run->count; i++) {
		if (is_told(f, run, i))
			fill_group(f, run->first + i, tallies);
		tallies += f->type->plan->groups[run->first + i].count;
	}
	counts->ngroups = run->first + run->count;
}

/* measured is the collector's own, or one of its intervals, which arena outlives. */
static void fill_parts(const struct collector *c, struct measurement *measured, const struct count_run *told,
		       struct arena *arena)
{
	enum span span = measured == c->measured ? SPAN_RUN : SPAN_INTERVAL;
	struct arena scratch;
	struct sums *sums;

	arena_init(&scratch);
	sums = add_places(c, span, &scratch);
	for (size_t i = 0; i < measured->count; i++) {
		const struct filling filling = {
			.c = c,
			.type = &c->request->types[c->places.parts[i].type],
			.counts = &measured->parts[i],
			.sums = &sums[i],
			.span = span,
			.arena = arena,
		};

		fill_part(&filling, told);
	}
	arena_release(&scratch);
}

/* For all that the plan counts, behind what is there. */
static void make_room(struct counts *counts, const struct plan *plan, struct arena *arena)
{
	struct count *items;
	struct count_run *runs = arena_array(arena, plan->nruns, sizeof(*runs));
	size_t all = 0;

	for (size_t i = 0; i < plan->ngroups; i++)
		all += plan->groups[i].count;
	items = arena_array(arena, all, sizeof(*items));
	for (size_t i = 0; i < counts->count; i++)
		items[i] = counts->items[i];
	for (size_t i = 0; i < counts->nruns; i++)
		runs[i] = counts->runs[i];
	counts->planned_runs = plan->nruns;
	counts->items = items;
	counts->runs = runs;
}

static void make_part(struct counts *counts, const struct collector *c, const struct part *part)
{
	const struct count_type *type = &c->request->types[part->type];

	*counts = *type->known;
	counts->part = part->label;
	counts->target = c->request->subject.name;
	counts->selector = c->request->subject.selector;
	counts->scope = scope_name(c->scope);
	make_room(counts, type->plan, c->arena);
}

void parts_make(struct measurement *measured, const struct collector *c)
{
	*measured = (struct measurement){ .from_s = (double)NAN, .to_s = (double)NAN };
	measured->count = c->places.nparts;
	measured->parts = arena_array(c->arena, measured->count, sizeof(*measured->parts));
	for (size_t i = 0; i < measured->count; i++)
		make_part(&measured->parts[i], c, &c->places.parts[i]);
}

void parts_grow(struct measurement *measured, const struct collector *c)
{
	for (size_t i = 0; i < measured->count; i++)
		make_room(&measured->parts[i], c->request->types[c->places.parts[i].type].plan, c->arena);
}

static void remark(struct counts *counts, struct arena *arena, const char *text)
{
	const char **remarks = arena_array(arena, counts->nremarks + 1, sizeof(*remarks));

	for (size_t i = 0; i < counts->nremarks; i++)
		remarks[i] = counts->remarks[i];
	remarks[counts->nremarks++] = text;
	counts->remarks = remarks;
}

/* It was there, but the kernel opened nothing: that is told event by event. */
static bool is_refused(const struct place *place)
{
	for (size_t i = 0; i < place->ngroups; i++)
		if (place->groups[i].leader >= 0)
			return false;
	return !place->is_gone;
}

/* A CPU counts as long as it is there. */
static void remark_lost_cpu(struct collector *c, const struct place *place, double wall_s)
{
	struct counts *counts = &c->measured->parts[place->part];
	double seconds = 0;

	if (is_refused(place))
		return;
	for (size_t i = 0; i < place->ngroups && !place->is_gone; i++)
		seconds = fmax(seconds, (double)time_of_group(c, place, i, SPAN_RUN) * 1e-9);
	if (seconds <= 0)
		remark(counts, c->arena, arena_printf(c->arena, "CPU %u was offline: it is missing.", *place->cpu));
	else if (seconds < LOST_SHARE * (wall_s - c->watch.turning))
		remark(counts, c->arena,
		       arena_printf(c->arena,
				    "CPU %u was offline for %.0f %% of the time: what it did before is counted, and "
				    "its share of the rest is missing.",
				    *place->cpu, 100 * (1 - seconds / wall_s)));
}

static void remark_idle_part(struct collector *c, struct counts *counts)
{
	for (size_t i = 0; i < counts->count; i++)
		if (counts->items[i].state != COUNT_NEVER_RAN || counts->items[i].enabled_ns)
			return;
	if (counts->count)
		remark(counts, c->arena, "Nothing of what was measured ran here, so there is nothing to tell.");
}

static void remark_all(struct collector *c, const char *text)
{
	for (size_t i = 0; i < c->measured->count; i++)
		remark(&c->measured->parts[i], c->arena, text);
}

static void remark_control(struct collector *c)
{
	if (*c->control.unknown)
		remark_all(
			c,
			arena_printf(c->arena,
				     "--control got '%s', which is none of enable, disable and stop, and was left out.",
				     c->control.unknown));
}

static void remark_delay(struct collector *c)
{
	double delay_s = c->request->timing.delay_s;

	if (c->is_uncounted && delay_s > 0)
		remark_all(c, arena_printf(c->arena,
					   "Nothing was counted: it was over before the delay of %g ms had passed.",
					   1000 * delay_s));
	else if (c->is_uncounted)
		remark_all(c, "Nothing was counted: it was over before the sign to begin came.");
	else if (delay_s > 0)
		remark_all(c, arena_printf(c->arena, "What was done in the first %g ms was not counted (--delay).",
					   1000 * delay_s));
	else if (delay_s < 0)
		remark_all(c, "What was done before the sign to begin was not counted (--delay).");
}

/* The program has the limit that topdown was started with. */
static void remark_descriptors(struct collector *c)
{
	struct rlimit now;

	if (getrlimit(RLIMIT_NOFILE, &now) < 0 || now.rlim_cur <= c->descriptors.rlim_cur)
		return;
	remark_all(
		c,
		arena_printf(
			c->arena,
			"Each event at each place takes a descriptor: topdown raised its own limit of open files from "
			"%llu to %llu.",
			(unsigned long long)c->descriptors.rlim_cur, (unsigned long long)now.rlim_cur));
}

static void remark_single_reads(struct collector *c)
{
	for (size_t i = 0; i < c->places.count; i++)
		for (size_t k = 0; k < c->places.items[i].ngroups; k++) {
			if (!c->places.items[i].groups[k].is_read_singly)
				continue;
			remark_all(c, "This kernel can't read a group together with what the program starts, so events "
				      "were read one by one: what ran in between is in some of them only.");
			return;
		}
}

void totals_add_run(struct collector *c, const struct count_run *run)
{
	fill_parts(c, c->measured, run, c->arena);
	if (c->run > 0)
		return;
	remark_control(c);
	remark_delay(c);
	remark_descriptors(c);
	remark_single_reads(c);
	if (c->is_uncounted)
		return;
	for (size_t i = 0; c->request->subject.kind == SUBJECT_CPUS && i < c->places.count; i++)
		remark_lost_cpu(c, &c->places.items[i], run->wall_s);
	if (c->is_incomplete)
		remark(&c->measured->parts[0], c->arena,
		       "Threads were started faster than they could be attached: what some of them did is missing.");
	for (size_t i = 0; i < c->measured->count; i++)
		remark_idle_part(c, &c->measured->parts[i]);
}

/* From now on the next interval is counted. */
static void remember(struct collector *c)
{
	for (size_t i = 0; i < c->places.count; i++) {
		struct place *place = &c->places.items[i];

		for (size_t k = 0; k < place->ngroups; k++)
			memcpy(place->before[k], place->groups[k].items,
			       place->groups[k].plan->count * sizeof(struct count));
	}
}

void totals_make_interval(struct collector *c, double from_s, double to_s)
{
	const struct count_run run = { .wall_s = to_s - from_s, .cpu_s = (double)NAN };

	arena_reset(&c->interval_arena);
	c->interval.from_s = from_s;
	c->interval.to_s = to_s;
	for (size_t i = 0; i < c->interval.count; i++)
		c->interval.parts[i].count = c->interval.parts[i].nruns = 0;
	fill_parts(c, &c->interval, &run, &c->interval_arena);
	remember(c);
}
