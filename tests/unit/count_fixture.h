/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * count_fixture.h - a machine whose core PMU is the kernel's software PMU: real groups on real programs wherever the
 * tests run, also where there is no CPU PMU.
 */
#ifndef TOPDOWN_TEST_COUNT_FIXTURE_H
#define TOPDOWN_TEST_COUNT_FIXTURE_H

#include <linux/perf_event.h>
#include <math.h>

#include "collect/count/count.h"

enum test_event {
	TASK_CLOCK,
	PAGE_FAULTS,
	MINOR_FAULTS,
	MAJOR_FAULTS,
	UNKNOWN, /* refused: ENOENT */
	DURATION,
	TSC,
	TEST_EVENTS,
};

#define TEST_TSC_HZ 2e9
#define TEST_GROUPS 6

/* Groups of a plan, each with its run; an unused group has no events. */
struct test_plan {
	struct test_group {
		size_t run;
		size_t events[4], count;
	} groups[TEST_GROUPS];
};

struct fixture {
	struct arena arena;
	struct error err;
	struct pmu_format format;
	struct pmu pmu;
	struct machine machine;
	struct event events[TEST_EVENTS];
	struct pmu_term terms[TEST_EVENTS];
	struct model model;
	struct plan_group groups[TEST_GROUPS];
	struct plan_run runs[TEST_GROUPS];
	struct plan plan;
	struct test_plan shape; /* groups borrow from it */
	struct counts template;
	struct count_type type;
	struct count_request request; /* tests change what they are about */
	struct measurement measured;
	struct counts counts; /* of the first part */
};

static inline void fixture_add(struct fixture *fixture, enum test_event number, const char *name, uint64_t config)
{
	fixture->terms[number] = (struct pmu_term){ "event", config };
	fixture->events[number] = (struct event){ .name = name, .terms = &fixture->terms[number], .nterms = 1 };
}

static inline void fixture_events(struct fixture *fixture)
{
	fixture_add(fixture, TASK_CLOCK, "task-clock", PERF_COUNT_SW_TASK_CLOCK);
	fixture_add(fixture, PAGE_FAULTS, "page-faults", PERF_COUNT_SW_PAGE_FAULTS);
	fixture_add(fixture, MINOR_FAULTS, "minor-faults", PERF_COUNT_SW_PAGE_FAULTS_MIN);
	fixture_add(fixture, MAJOR_FAULTS, "major-faults", PERF_COUNT_SW_PAGE_FAULTS_MAJ);
	fixture_add(fixture, UNKNOWN, "unknown", 999);
	fixture->events[DURATION] = (struct event){ .name = "duration_time", .kind = EVENT_DURATION };
	fixture->events[TSC] = (struct event){ .name = "TSC", .kind = EVENT_TSC };
}

static inline void fixture_plan(struct fixture *fixture, const struct test_plan *shape)
{
	struct plan *plan = &fixture->plan;

	fixture->shape = *shape;
	*plan = (struct plan){ .groups = fixture->groups, .runs = fixture->runs };
	for (; plan->ngroups < TEST_GROUPS && shape->groups[plan->ngroups].count; plan->ngroups++) {
		struct test_group *group = &fixture->shape.groups[plan->ngroups];

		fixture->groups[plan->ngroups] = (struct plan_group){ .events = group->events, .count = group->count };
		if (group->run == plan->nruns)
			plan->runs[plan->nruns++] = (struct plan_run){ .first = plan->ngroups };
		plan->runs[group->run].count++;
	}
}

/* Release with fixture_release; does not move. */
static inline void fixture_init(struct fixture *fixture, const struct test_plan *shape)
{
	*fixture = (struct fixture){ .err = { .status = 0 } };
	arena_init(&fixture->arena);
	fixture->format = (struct pmu_format){ .name = "event", .bits = { { 0, 63 } }, .nbits = 1 };
	fixture->pmu = (struct pmu){
		.name = "cpu",
		.type = PERF_TYPE_SOFTWARE,
		.is_real = true,
		.formats = &fixture->format,
		.nformats = 1,
	};
	fixture->machine = (struct machine){ .pmus = &fixture->pmu, .npmus = 1, .paranoid = 2, .tick_hz = TEST_TSC_HZ };
	fixture_events(fixture);
	fixture->model.events =
		(struct event_set){ .pmu = &fixture->pmu, .events = fixture->events, .count = TEST_EVENTS };
	fixture_plan(fixture, shape);
	fixture->type =
		(struct count_type){ .plan = &fixture->plan, .model = &fixture->model, .template = &fixture->template };
	fixture->request = (struct count_request){ .types = &fixture->type, .ntypes = 1, .machine = &fixture->machine };
}

static inline void fixture_release(struct fixture *fixture)
{
	arena_release(&fixture->arena);
}

/* argv NULL: no program */
static inline int fixture_count(struct fixture *fixture, char *const *argv)
{
	int result;

	error_clear(&fixture->err);
	fixture->request.program = (struct program){ .argv = argv, .path = argv ? argv[0] : NULL };
	result = count_measure(&fixture->measured, &fixture->request, &fixture->arena, &fixture->err);
	if (result == 0)
		fixture->counts = fixture->measured.parts[0];
	return result;
}

static inline int fixture_shell(struct fixture *fixture, const char *script)
{
	char shell[] = "/bin/sh", option[] = "-c";
	char *argv[] = { shell, option, arena_strdup(&fixture->arena, script), NULL };

	return fixture_count(fixture, argv);
}

/* The first item of the event, or NULL. */
static inline const struct count *fixture_item(const struct fixture *fixture, enum test_event number)
{
	for (size_t i = 0; i < fixture->counts.repeats[0].count; i++)
		if (fixture->counts.repeats[0].items[i].event == fixture->events[number].name)
			return &fixture->counts.repeats[0].items[i];
	return NULL;
}

static inline double fixture_value(const struct fixture *fixture, enum test_event number)
{
	const struct count *item = fixture_item(fixture, number);

	return item ? item->value : (double)NAN;
}

#endif
