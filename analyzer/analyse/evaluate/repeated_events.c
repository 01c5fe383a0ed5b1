/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * repeated_events.c - flat counts name no groups, and may have the same event several times: `perf stat -M` counts a
 * copy for each metric. A metric takes copies that were counted together: those on a counter for the same time,
 * where there are such; of these the ones closest to each other in the order of the lines.
 */
#include <math.h>
#include <string.h>

#include "analyse/evaluate/evaluation.h"

/*
 * Of a group the kernel gives all counts the same time, and single events of one run differ by their reading; groups
 * that are multiplexed differ by a multiplexing interval.
 */
#define SAME_TIME 1e-4

/* Copies that differ by less say the same. */
#define SAME_COUNT 0.02

/* Which copies a metric takes: for each of its events the first one from here on. */
struct window {
	size_t start;  /* item */
	bool is_timed; /* only those that were on a counter for as long as the first */
	size_t span;   /* lines from the first to the last copy */
	bool is_split; /* an event is there again in between */
};

static bool is_usable(const struct evaluation *e, size_t item)
{
	return e->bound[item] != TABLE_NONE && e->repeat->items[item].state == COUNT_OK;
}

/* Another name of the same event has no counts of its own: its counts are those of the name that has some. */
static size_t find_source(const struct evaluation *e, const bool *is_counted, size_t event, uint64_t (*configs)[4],
			  const bool *has_config)
{
	const struct event *events = e->model->events.events;

	for (size_t i = 0; events[event].kind == EVENT_UNIT && i < e->model->events.count; i++)
		if (is_counted[i] && events[i].kind == EVENT_UNIT && events[i].same_as == events[event].same_as)
			return i;
	for (size_t i = 0; has_config[event] && i < e->model->events.count; i++)
		if (is_counted[i] && has_config[i] && !memcmp(configs[i], configs[event], sizeof(configs[i])) &&
		    events[i].user_only == events[event].user_only &&
		    events[i].kernel_only == events[event].kernel_only)
			return i;
	return event;
}

static void find_sources(struct evaluation *e, const bool *is_counted)
{
	size_t count = e->model->events.count;
	uint64_t(*configs)[4] = arena_array(e->arena, count + 1, sizeof(*configs));
	bool *has_config = arena_array(e->arena, count + 1, sizeof(*has_config));

	for (size_t i = 0; i < count; i++)
		has_config[i] = event_set_encode(configs[i], &e->model->events, i);
	for (size_t i = 0; i < count; i++)
		e->copies.sources[i] = is_counted[i] ? i : find_source(e, is_counted, i, configs, has_config);
}

/* A formula that reads an event under two names wants two counts of it (tma_info_system_mux). */
bool copies_lack(const struct evaluation *e, const struct metric *metric, size_t event)
{
	const size_t *sources = e->copies.sources;

	for (size_t i = 0; sources && sources[event] != event && i < metric->nevents; i++)
		if (metric->events[i] != event && sources[metric->events[i]] == sources[event])
			return true;
	return false;
}

/* A group has what other names were counted as. */
static void take_sources(const struct evaluation *e, struct context *context)
{
	for (size_t i = 0; i < e->model->events.count; i++) {
		size_t source = e->copies.sources[i];

		context->events[i] = context->events[source];
		context->running_shares[i] = context->running_shares[source];
		context->groups[i] = context->groups[source];
	}
}

static bool is_event_of(const struct evaluation *e, const struct metric *metric, size_t item)
{
	for (size_t i = 0; i < metric->nevents; i++)
		if (e->copies.sources[metric->events[i]] == e->bound[item])
			return true;
	return false;
}

static bool is_same_time(const struct evaluation *e, size_t a, size_t b)
{
	double first = (double)e->repeat->items[a].running_ns, second = (double)e->repeat->items[b].running_ns;

	return fabs(first - second) <= SAME_TIME * fmax(first, second);
}

static bool is_same_group(const struct evaluation *e, size_t a, size_t b)
{
	return e->repeat->items[a].group == e->repeat->items[b].group;
}

/* The place of the event's first copy at or behind an item. */
static size_t first_from(const struct evaluation *e, size_t event, size_t item)
{
	size_t low = e->copies.begins[event], high = e->copies.begins[event + 1];

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (e->copies.items[middle] < item)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The event's first copy in the window; TABLE_NONE: none. */
static size_t copy_in(const struct evaluation *e, const struct window *window, size_t event)
{
	size_t source = e->copies.sources[event];

	for (size_t k = first_from(e, source, window->start); k < e->copies.begins[source + 1]; k++) {
		size_t item = e->copies.items[k];

		if (is_same_group(e, window->start, item) &&
		    (!window->is_timed || is_same_time(e, window->start, item)))
			return item;
	}
	return TABLE_NONE;
}

static bool is_tool(const struct event *event)
{
	return event->kind == EVENT_DURATION || event->kind == EVENT_TSC || event->is_retire_latency;
}

/* Does the window have all of the metric's events? Then span is known. */
static bool copies_measure(const struct evaluation *e, struct window *window, const struct metric *metric,
			   bool is_without)
{
	size_t last = window->start;

	for (size_t i = 0; i < metric->nevents; i++) {
		size_t event = metric->events[i], copy = copy_in(e, window, event);

		if (is_tool(&e->model->events.events[event]))
			continue;
		if (copy == TABLE_NONE && !(is_without && metric_is_correction(metric, event)))
			return false;
		if (copy != TABLE_NONE && copy > last)
			last = copy;
	}
	window->span = last - window->start;
	window->is_split = e->copies.rounds[last] != e->copies.rounds[window->start];
	return true;
}

/* Do two windows give the metric other counts, by more than chance? */
static bool is_other(const struct evaluation *e, const struct window *a, const struct window *b,
		     const struct metric *metric)
{
	for (size_t i = 0; i < metric->nevents; i++) {
		size_t first = copy_in(e, a, metric->events[i]), second = copy_in(e, b, metric->events[i]);
		double one, other;

		if (first == TABLE_NONE || second == TABLE_NONE)
			continue;
		one = e->repeat->items[first].value;
		other = e->repeat->items[second].value;
		if (fabs(one - other) > SAME_COUNT * fmax(one, other))
			return true;
	}
	return false;
}

/* The best window, and whether another one would do as well. */
struct choice {
	struct window window;
	bool is_found, is_open;
};

/* Less than 0: a is the better one; 0: nothing distinguishes them. */
static int copies_compare(const struct window *a, const struct window *b)
{
	if (a->is_timed != b->is_timed)
		return a->is_timed ? -1 : 1;
	if (a->span != b->span)
		return a->span < b->span ? -1 : 1;
	return a->is_split - b->is_split;
}

static void consider(const struct evaluation *e, struct choice *choice, const struct window *window,
		     const struct metric *metric)
{
	int order = choice->is_found ? copies_compare(window, &choice->window) : -1;

	if (order < 0)
		*choice = (struct choice){ .window = *window, .is_found = true };
	else if (order == 0 && is_other(e, &choice->window, window, metric))
		choice->is_open = true;
}

static struct choice copies_choose(const struct evaluation *e, const struct metric *metric, bool is_without)
{
	struct choice choice = { .is_found = false };

	for (size_t i = 0; i < e->repeat->count; i++) {
		struct window timed = { .start = i, .is_timed = true }, any = { .start = i };

		if (!is_usable(e, i) || !is_event_of(e, metric, i))
			continue;
		if (copies_measure(e, &timed, metric, is_without))
			consider(e, &choice, &timed, metric);
		else if (copies_measure(e, &any, metric, is_without))
			consider(e, &choice, &any, metric);
	}
	choice.is_open |= choice.is_found && !choice.window.is_timed;
	return choice;
}

/* Has the metric a choice at all, between counts that differ? */
static bool has_choice(const struct evaluation *e, const struct metric *metric)
{
	for (size_t i = 0; i < e->repeat->count; i++) {
		struct window window = { .start = i };

		if (is_usable(e, i) && is_event_of(e, metric, i) &&
		    is_other(e, &window, &(struct window){ .start = 0 }, metric))
			return true;
	}
	return false;
}

/* All events that the window has, since metrics with other events may take it too. */
static size_t make_context(struct evaluation *e, const struct window *window)
{
	size_t number = context_add(e);
	struct context *context = &e->contexts[number];

	for (size_t i = 0; i < e->model->events.count; i++) {
		size_t copy = copy_in(e, window, i);

		if (copy != TABLE_NONE)
			context_take(e, context, copy, i);
	}
	context_complete(e, context, e->repeat->items[window->start].run);
	return number;
}

bool copies_concern(const struct evaluation *e, const struct metric *metric)
{
	for (size_t i = 0; e->copies.repeated && i < metric->nevents; i++)
		if (e->copies.is_repeated[e->copies.sources[metric->events[i]]])
			return true;
	return false;
}

size_t copies_context(struct evaluation *e, const struct metric *metric, bool is_without)
{
	struct choice choice = copies_choose(e, metric, is_without);
	const char *key;
	size_t found;

	if (!choice.is_found)
		return TABLE_NONE;
	e->copies.is_open |= choice.is_open && e->shown[metric - e->model->metrics] && has_choice(e, metric);
	key = arena_printf(e->arena, "%zu%s", choice.window.start, choice.window.is_timed ? "t" : "");
	found = table_get(&e->copies.windows, key);
	if (found == TABLE_NONE) {
		found = make_context(e, &choice.window);
		table_set(&e->copies.windows, key, found);
	}
	return context_has_all(&e->contexts[found], metric, is_without) ? found : TABLE_NONE;
}

/* Cycles and instructions of the head belong together as well. */
static void choose_roles(struct evaluation *e)
{
	size_t events[] = { e->model->roles[ROLE_CYCLES], e->model->roles[ROLE_INSTRUCTIONS] };
	struct metric both = { .events = events, .nevents = COUNT_OF(events) };
	struct choice choice;

	if (events[0] == TABLE_NONE || events[1] == TABLE_NONE || !copies_concern(e, &both))
		return;
	choice = copies_choose(e, &both, false);
	for (size_t i = 0; choice.is_found && i < both.nevents; i++) {
		size_t copy = copy_in(e, &choice.window, events[i]);

		context_take(e, &e->contexts[e->repeat->items[copy].group], copy, events[i]);
	}
}

/*
 * A round ends where one of its lines comes again, spelled as before: perf spells an event the same in all groups.
 * Which line that is depends on where it is in a group. So a file that ends with such a line, and does not begin
 * with one, is read from its end.
 */
static bool is_spelled_again(const struct evaluation *e, size_t item)
{
	size_t times = 0;

	for (size_t i = 0; i < e->repeat->count; i++)
		times += !strcmp(e->repeat->items[i].event, e->repeat->items[item].event);
	return times > 1;
}

static void find_rounds(struct evaluation *e)
{
	struct table last = TABLE_INIT(e->arena);
	size_t count = e->repeat->count, round = 1;
	bool is_backward = count && is_spelled_again(e, count - 1) && !is_spelled_again(e, 0);

	e->copies.rounds = arena_array(e->arena, count + 1, sizeof(*e->copies.rounds));
	for (size_t i = 0; i < count; i++) {
		size_t item = is_backward ? count - 1 - i : i;

		round += table_get(&last, e->repeat->items[item].event) == round;
		table_set(&last, e->repeat->items[item].event, round);
		e->copies.rounds[item] = round;
	}
}

/* Which events were counted, and which of them more than once in one group. */
static bool *find_repeated(struct evaluation *e)
{
	size_t count = e->model->events.count, *groups = arena_array(e->arena, count + 1, sizeof(*groups));
	bool *is_counted = arena_array(e->arena, count + 1, sizeof(*is_counted));

	e->copies.is_repeated = arena_array(e->arena, count + 1, sizeof(*e->copies.is_repeated));
	for (size_t i = 0; i < e->repeat->count; i++) {
		size_t event = e->bound[i], group = e->repeat->items[i].group;

		if (!is_usable(e, i))
			continue;
		if (is_counted[event] && groups[event] == group && !e->copies.is_repeated[event]) {
			e->copies.is_repeated[event] = true;
			e->copies.repeated++;
		}
		is_counted[event] = true;
		groups[event] = group;
	}
	return is_counted;
}

static void sort_items(struct evaluation *e)
{
	size_t events = e->model->events.count, *ends = arena_array(e->arena, events + 2, sizeof(*ends));

	e->copies.begins = arena_array(e->arena, events + 2, sizeof(*e->copies.begins));
	e->copies.items = arena_array(e->arena, e->repeat->count + 1, sizeof(*e->copies.items));
	for (size_t i = 0; i < e->repeat->count; i++)
		if (is_usable(e, i))
			e->copies.begins[e->bound[i] + 1]++;
	for (size_t i = 0; i < events; i++) {
		e->copies.begins[i + 1] += e->copies.begins[i];
		ends[i] = e->copies.begins[i];
	}
	for (size_t i = 0; i < e->repeat->count; i++)
		if (is_usable(e, i))
			e->copies.items[ends[e->bound[i]]++] = i;
}

void copies_find(struct evaluation *e)
{
	e->copies = (struct copies){ .windows = TABLE_INIT(e->arena) };
	if (!e->counts->origin.is_flat)
		return;
	e->copies.sources = arena_array(e->arena, e->model->events.count + 1, sizeof(*e->copies.sources));
	sort_items(e);
	find_sources(e, find_repeated(e));
	find_rounds(e);
	choose_roles(e);
	for (size_t g = 0; g < e->repeat->ngroups; g++)
		take_sources(e, &e->contexts[g]);
}

/* Both were on a counter all the time, and yet differ. */
static bool is_contradiction(const struct evaluation *e, size_t a, size_t b)
{
	const struct count *one = &e->repeat->items[a], *other = &e->repeat->items[b];

	return is_usable(e, a) && is_usable(e, b) && e->bound[a] == e->bound[b] && is_same_group(e, a, b) &&
	       one->running_ns >= one->enabled_ns && other->running_ns >= other->enabled_ns &&
	       fabs(one->value - other->value) > SAME_COUNT * fmax(one->value, other->value);
}

static void note_contradiction(struct evaluation *e)
{
	for (size_t i = 0; i < e->repeat->count; i++)
		for (size_t k = i + 1; k < e->repeat->count; k++)
			if (is_contradiction(e, i, k)) {
				note_add(e,
					 "%s appears as %.0f and as %.0f, each counted all the time: these counts are "
					 "not from one measurement.",
					 e->repeat->items[i].event, e->repeat->items[i].value,
					 e->repeat->items[k].value);
				return; /* the first stands for all */
			}
}

void note_copies(struct evaluation *e)
{
	const struct copies *copies = &e->repeats[0].copies;

	if (copies->repeated)
		note_contradiction(e);
	if (copies->is_open)
		note_add(e,
			 "%zu %s listed more than once, and nothing says which counts belong together: each node takes "
			 "those that are closest to each other.",
			 copies->repeated, copies->repeated == 1 ? "event is" : "events are");
}
