/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan_draws.h - made-up CPUs with made-up models: a draw's number decides all of it. */
#ifndef TOPDOWN_TEST_PLAN_DRAWS_H
#define TOPDOWN_TEST_PLAN_DRAWS_H

#include "plan_checks.h"

#define MOST_EVENTS  20
#define MOST_METRICS 10

enum shape {
	SHAPE_INTEL,	/* fixed counters; cycles and instructions have one each, and general ones as second choice */
	SHAPE_METRICS,	/* the same with slots and PERF_METRICS */
	SHAPE_NO_FIXED, /* AMD: all counters are alike */
	SHAPE_CYCLES,	/* Arm: a counter for cycles, which the general ones can count too */
	SHAPE_WILD,	/* anything */
	SHAPE_COUNT
};

struct draw {
	uint64_t state;
	enum shape shape;
	bool has_rules; /* exclusive or paired events */
	struct arena arena;
	struct event_row cycles;
	struct event_database database;
	struct event events[MOST_EVENTS];
	struct metric metrics[MOST_METRICS];
	size_t asked[2];
	struct model model;
	struct plan_request request;
};

/* Sebastiano Vigna's splitmix64 */
static inline unsigned pick(struct draw *draw, unsigned below)
{
	uint64_t x = draw->state += 0x9e3779b97f4a7c15ull;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return (unsigned)((x ^ x >> 31) >> 32) % below;
}

static inline bool chance(struct draw *draw, unsigned one_in)
{
	return pick(draw, one_in) == 0;
}

static inline void draw_limits(struct draw *draw)
{
	struct plan_limits *limits = &draw->request.limits;

	limits->general = chance(draw, 40) ? 0 : 1 + pick(draw, chance(draw, 3) ? 8 : 5);
	limits->has_watchdog = chance(draw, 3);
	limits->has_metrics =
		draw->shape == SHAPE_METRICS ? !chance(draw, 10) : draw->shape == SHAPE_WILD && chance(draw, 2);
	if (draw->shape == SHAPE_INTEL || draw->shape == SHAPE_METRICS)
		limits->fixed = FIXED(0) | FIXED(1) | FIXED(2) | (limits->has_metrics ? FIXED(3) : 0);
	if (draw->shape == SHAPE_CYCLES)
		limits->fixed = FIXED(0);
	for (unsigned i = 0; i < 4 && draw->shape == SHAPE_WILD; i++)
		limits->fixed |= chance(draw, 2) ? FIXED(i) : 0;
}

/* What is sampled beside the groups. */
static inline void draw_held(struct draw *draw)
{
	struct plan_limits *limits = &draw->request.limits;

	limits->nheld = chance(draw, 4) ? 1 + pick(draw, 2) : 0;
	for (unsigned i = 0; i < limits->nheld; i++)
		limits->held[i] = GENERAL_COUNTERS;
}

static inline uint64_t draw_mask(struct draw *draw)
{
	static const uint64_t masks[] = { 0x1, 0x2, 0x3, 0x4, 0x8, 0xc, 0x6, 0xf, 0xf, 0xff, 0xfe, 0x33, 0x5 };

	if (draw->shape == SHAPE_NO_FIXED || draw->shape == SHAPE_CYCLES || chance(draw, 2))
		return GENERAL_COUNTERS;
	if (draw->shape == SHAPE_WILD && chance(draw, 4))
		return chance(draw, 2) ? FIXED(pick(draw, 4)) : FIXED(pick(draw, 4)) | GENERAL_COUNTERS;
	return chance(draw, 60) ? 0x10000 : masks[pick(draw, COUNT_OF(masks))];
}

static inline void draw_msr(struct draw *draw, struct event *event)
{
	static const unsigned msrs[] = { 0x1a6, 0x3f7, 0x3f6 };

	event->msr = msrs[pick(draw, COUNT_OF(msrs))];
	event->nmsr = event->msr == 0x1a6 ? 2 : 1;
	event->msr_value = 1 + pick(draw, 4);
	event->taken_alone = chance(draw, 4);
}

static inline struct event draw_event(struct draw *draw)
{
	struct event event = { .kind = EVENT_CORE };

	if (draw->request.limits.has_metrics && chance(draw, 5))
		event.kind = EVENT_METRIC;
	else if (chance(draw, 25))
		event.kind = chance(draw, 2) ? EVENT_DURATION : EVENT_TSC;
	else
		event.counters = draw_mask(draw);
	event.is_retire_latency = event.kind == EVENT_CORE && chance(draw, 30);
	/* on CPUs without fixed counters, where all counters are alike; else half of the others */
	event.is_paired = draw->has_rules && draw->shape == SHAPE_NO_FIXED && chance(draw, 3);
	event.is_exclusive = draw->has_rules && draw->shape != SHAPE_NO_FIXED && event.kind == EVENT_CORE &&
			     !(event.counters & ~GENERAL_COUNTERS) && chance(draw, 3);
	if (event.kind == EVENT_CORE && draw->shape != SHAPE_NO_FIXED && chance(draw, 6))
		draw_msr(draw, &event);
	return event;
}

/* A fixed-role event, when there is one, at the front of the events. */
static inline void draw_role(struct draw *draw, enum role role, uint64_t counters)
{
	size_t number = draw->model.events.count;

	if (chance(draw, 12) && draw->shape != SHAPE_WILD) /* a CPU without it */
		return;
	draw->events[number].kind = role == ROLE_SLOTS ? EVENT_SLOTS : EVENT_CORE;
	draw->events[number].counters = counters;
	draw->model.roles[role] = number;
	draw->model.events.count++;
}

static inline void draw_roles(struct draw *draw)
{
	bool is_general = draw->shape == SHAPE_NO_FIXED || draw->shape == SHAPE_CYCLES;

	for (size_t i = 0; i < ROLE_COUNT; i++)
		draw->model.roles[i] = TABLE_NONE;
	draw_role(draw, ROLE_CYCLES,
		  draw->shape == SHAPE_CYCLES ? FIXED(0) | GENERAL_COUNTERS
		  : is_general		      ? GENERAL_COUNTERS
					      : FIXED(1) | (chance(draw, 2) ? GENERAL_COUNTERS : 0));
	draw_role(draw, ROLE_INSTRUCTIONS, is_general ? GENERAL_COUNTERS : FIXED(0) | GENERAL_COUNTERS);
	if (!is_general)
		draw_role(draw, ROLE_REFERENCE, FIXED(2));
	if (draw->request.limits.has_metrics)
		draw_role(draw, ROLE_SLOTS, FIXED(3));
}

static inline void draw_events(struct draw *draw)
{
	size_t count = 2 + pick(draw, chance(draw, 2) ? 6 : MOST_EVENTS - 6);
	struct event_set *set = &draw->model.events;

	set->events = draw->events;
	draw_roles(draw);
	for (; count > 0 && set->count < MOST_EVENTS; count--)
		draw->events[set->count++] = draw_event(draw);
	for (size_t i = 0; i < set->count; i++)
		draw->events[i].name = arena_printf(&draw->arena, "E%zu", i);
	draw->cycles = (struct event_row){ .name = "E0" };
	if (draw->model.roles[ROLE_CYCLES] == TABLE_NONE)
		return;
	draw->cycles.counters = draw->events[0].counters;
	draw->database.cycles = "E0";
	draw->database.rows = &draw->cycles;
	draw->database.count = 1;
	table_set(&draw->database.by_name, "E0", 0);
}

static inline void draw_metric(struct draw *draw, struct metric *metric, unsigned level)
{
	size_t cycles = draw->model.roles[ROLE_CYCLES], count = 1 + pick(draw, chance(draw, 8) ? 10 : 4);
	bool reads_cycles = cycles != TABLE_NONE && (draw->shape == SHAPE_NO_FIXED ? draw->state % 3 : chance(draw, 2));

	*metric = (struct metric){ .level = level, .name = "metric", .title = "Metric" };
	metric->events = arena_array(&draw->arena, draw->model.events.count, sizeof(*metric->events));
	metric->is_explaining = !level && !chance(draw, 3);
	metric->failure = chance(draw, 50) ? "drawn" : NULL;
	for (size_t i = 0; i < draw->model.events.count; i++)
		if (reads_cycles && i == cycles ? true : pick(draw, (unsigned)draw->model.events.count) < count)
			metric->events[metric->nevents++] = i;
}

/* All metrics of some draws read cycles, because AMD's and Arm's do. */
static inline void draw_metrics(struct draw *draw)
{
	struct model *model = &draw->model;
	bool all_cycles = chance(draw, 2);

	model->metrics = draw->metrics;
	model->count = 1 + pick(draw, MOST_METRICS);
	model->nnodes = chance(draw, 10) ? 0 : 1 + pick(draw, (unsigned)model->count);
	for (size_t i = 0; i < model->count; i++) {
		struct metric *metric = &draw->metrics[i];

		draw_metric(draw, metric, i < model->nnodes ? 1 + pick(draw, 3) : 0);
		if (!all_cycles || model->roles[ROLE_CYCLES] != 0 || is_in(metric->events, metric->nevents, 0))
			continue;
		memmove(metric->events + 1, metric->events, metric->nevents * sizeof(*metric->events));
		metric->events[0] = 0;
		metric->nevents++;
	}
	model->asked = draw->asked;
	for (model->nasked = chance(draw, 6) ? 1 + pick(draw, 2) : 0; draw->asked[1] == 0 && model->nasked;)
		draw->asked[1] = draw->asked[0] = pick(draw, (unsigned)model->events.count);
}

/* draw does not move afterwards. Released with draw_release. */
static inline void draw_init(struct draw *draw, size_t number)
{
	*draw = (struct draw){ .state = number * 0xd1342543de82ef95ull };
	arena_init(&draw->arena);
	draw->shape = (enum shape)pick(draw, SHAPE_COUNT);
	draw->has_rules = chance(draw, 3);
	draw->database.by_name = TABLE_INIT(&draw->arena);
	draw->model.events.database = &draw->database;
	draw->model.database = &draw->database;
	draw->request.level = 1 + pick(draw, 3);
	draw->request.max_runs = chance(draw, 3) ? 1 + pick(draw, 4) : 0;
	draw->request.is_per_node = chance(draw, 5);
	draw_limits(draw);
	draw_events(draw);
	draw_metrics(draw);
	draw_held(draw);
}

static inline void draw_release(struct draw *draw)
{
	arena_release(&draw->arena);
}

/* All of it, so that a row can be made of it. */
static inline void draw_print(const struct draw *draw)
{
	const struct plan_request *request = &draw->request;
	const struct model *model = &draw->model;

	printf("  shape %d, level %u, max_runs %zu, per_node %d: %u general, fixed 0x%llx, metrics %d, watchdog %d, "
	       "held %u\n",
	       (int)draw->shape, request->level, request->max_runs, request->is_per_node, request->limits.general,
	       (unsigned long long)request->limits.fixed >> FIXED_COUNTER, request->limits.has_metrics,
	       request->limits.has_watchdog, request->limits.nheld);
	for (size_t i = 0; i < model->events.count; i++) {
		const struct event *event = &model->events.events[i];

		printf("  event %zu: kind %d, counters 0x%llx, msr 0x%x value %llu alone %d, latency %d, exclusive %d, "
		       "paired %d\n",
		       i, (int)event->kind, (unsigned long long)event->counters, event->msr,
		       (unsigned long long)event->msr_value, event->taken_alone, event->is_retire_latency,
		       event->is_exclusive, event->is_paired);
	}
	for (size_t i = 0; i < model->count; i++) {
		printf("  metric %zu: level %u, explaining %d, failed %d, events", i, model->metrics[i].level,
		       model->metrics[i].is_explaining, model->metrics[i].failure != NULL);
		for (size_t k = 0; k < model->metrics[i].nevents; k++)
			printf(" %zu", model->metrics[i].events[k]);
		puts("");
	}
	for (size_t i = 0; i < ROLE_COUNT; i++)
		printf("  role %zu: event %d\n", i, (int)model->roles[i]);
	for (size_t i = 0; i < model->nasked; i++)
		printf("  asked: event %zu\n", model->asked[i]);
}

#endif
