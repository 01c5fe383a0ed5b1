/* SPDX-License-Identifier: GPL-2.0-or-later */
/* groups.c - the groups of a run, opened, switched, read and closed at all places. */
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "count/collector.h"

#define SPARE	     3	/* descriptors: the report, a file that it is made from, and one more */
#define ATTACH_TRIES 10 /* while new threads come as fast as they are found */

/* The items of a group, before anything is known of them. */
static struct count *make_items(const struct collector *c, const struct place *place, size_t group)
{
	const struct count_type *type = &c->request->types[place->type];
	const struct plan_group *plan = &type->plan->groups[group];
	struct count *items = arena_array(c->arena, plan->count, sizeof(*items));

	for (size_t i = 0; i < plan->count; i++)
		items[i] = (struct count){
			.event = type->model->events.events[plan->events[i]].name,
			.group = group,
			.run = c->run,
			.value = (double)NAN,
			.state = COUNT_NEVER_RAN,
		};
	return items;
}

/* A group that has to wait for its turn does not start by itself. */
static enum perf_start start_of(const struct collector *c, const struct place *place, size_t group)
{
	return is_its_turn(c, place, group) ? c->start : PERF_START_LATER;
}

static struct perf_target make_target(const struct collector *c, const struct place *place, pid_t program)
{
	const struct count_type *type = &c->request->types[place->type];

	return (struct perf_target){
		.pid = place->pid == PID_OF_PROGRAM ? program : place->pid,
		.cpu = place->cpu,
		.is_cgroup = c->request->subject.kind == SUBJECT_CGROUP,
		.is_attached = place->pid != PID_OF_PROGRAM,
		.scope = c->scope,
		.pmu = type->model->events.pmu,
		.machine = c->request->machine,
		.events = type->model->events.events,
		.arena = c->arena,
	};
}

static void open_place(struct collector *c, struct place *place, pid_t program)
{
	const struct plan *plan = c->request->types[place->type].plan;
	struct perf_target target = make_target(c, place, program);
	const struct plan_run *run = &plan->runs[c->run];

	place->is_gone = false;
	place->ngroups = c->run < plan->nruns ? run->count : 0;
	place->groups = arena_array(c->arena, place->ngroups, sizeof(*place->groups));
	place->before = arena_array(c->arena, place->ngroups, sizeof(struct count *));
	for (size_t i = 0; i < place->ngroups; i++) {
		struct perf_group *group = &place->groups[i];

		target.start = start_of(c, place, i);
		perf_group_open(group, &target, &plan->groups[run->first + i], make_items(c, place, run->first + i));
		place->before[i] = arena_array(c->arena, group->plan->count, sizeof(struct count));
		place->is_gone = place->is_gone || group->is_gone;
	}
}

/* What is kept from the events where they take all descriptors that there are: the report needs some. */
static void hold_spare(int spare[SPARE])
{
	for (size_t i = 0; i < SPARE; i++)
		spare[i] = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static void release_spare(const int spare[SPARE])
{
	for (size_t i = 0; i < SPARE; i++)
		if (spare[i] >= 0)
			close(spare[i]);
}

static void open_places(struct collector *c, pid_t program)
{
	int spare[SPARE];

	hold_spare(spare);
	for (size_t i = 0; i < c->places.count; i++)
		open_place(c, &c->places.items[i], program);
	release_spare(spare);
}

void groups_close(struct collector *c)
{
	for (size_t i = 0; i < c->places.count; i++) {
		struct place *place = &c->places.items[i];

		for (size_t k = 0; k < place->ngroups; k++)
			perf_group_close(&place->groups[k]);
		place->ngroups = 0;
	}
}

/*
 * A thread that comes while others are being attached belongs to what is measured, but nobody knows whether it has inherited
 * their groups: all is done again, until it was done between two new threads.
 */
static int attach(struct collector *c, struct error *err)
{
	const struct subject *subject = &c->request->subject;

	c->is_incomplete = true;
	for (int tries = 0; tries < ATTACH_TRIES && c->is_incomplete; tries++) {
		if (tries) {
			groups_close(c);
			places_release(&c->places);
			if (places_find(&c->places, c->request, c->arena, err) < 0)
				return -1;
		}
		open_places(c, 0);
		c->is_incomplete =
			subject->kind == SUBJECT_PROCESSES && places_are_incomplete(&c->places, subject, c->arena);
	}
	return 0;
}

/* The first reason why the place counts nothing; NULL where it does, or has nothing to count. */
static const char *failure(const struct place *place)
{
	const char *reason = NULL;

	for (size_t i = 0; i < place->ngroups; i++) {
		const struct perf_group *group = &place->groups[i];

		if (group->leader >= 0)
			return NULL;
		for (size_t k = 0; k < group->plan->count && !reason; k++)
			reason = group->items[k].reason;
	}
	return reason;
}

/* -1 with the first refusal when the kernel shall count something in this run and opened nothing. */
static int check_places(const struct collector *c, struct error *err)
{
	const char *first = NULL;

	for (size_t i = 0; i < c->places.count; i++) {
		const struct place *place = &c->places.items[i];
		const char *reason = place->is_gone ? NULL : failure(place);

		if (!place->is_gone && !reason)
			return 0;
		first = first ? first : reason;
	}
	if (first)
		return error_set(err, "%s", first);
	return error_set(err, "%s is not there any more, so there is nothing to count",
			 c->request->subject.name ? c->request->subject.name : "the program");
}

int groups_open(struct collector *c, pid_t program, struct error *err)
{
	if (program)
		open_places(c, program);
	else if (attach(c, err) < 0)
		return -1;
	/* What fails after the first run costs the rest of the plan, not what was counted. */
	return c->run == 0 ? check_places(c, err) : 0;
}

bool is_its_turn(const struct collector *c, const struct place *place, size_t group)
{
	return !is_rotating(c) || group == c->turn % place->ngroups;
}

void groups_switch(struct collector *c, bool is_on)
{
	double before = clock_now();

	for (size_t i = 0; i < c->places.count; i++) {
		struct place *place = &c->places.items[i];

		for (size_t k = 0; k < place->ngroups && !place->is_gone; k++)
			if (is_its_turn(c, place, k))
				perf_group_switch(&place->groups[k], is_on);
	}
	c->watch.turning += clock_now() - before;
}

void groups_read(struct collector *c)
{
	for (size_t i = 0; i < c->places.count; i++) {
		struct place *place = &c->places.items[i];

		for (size_t k = 0; k < place->ngroups && !place->is_gone; k++)
			if (is_its_turn(c, place, k))
				perf_group_read(&place->groups[k]);
	}
}

bool has_metric_groups(const struct collector *c)
{
	for (size_t i = 0; i < c->places.count; i++)
		for (size_t k = 0; k < c->places.items[i].ngroups; k++)
			if (c->places.items[i].groups[k].has_metrics)
				return true;
	return false;
}

void groups_read_metrics(struct collector *c)
{
	for (size_t i = 0; i < c->places.count; i++) {
		struct place *place = &c->places.items[i];

		for (size_t k = 0; k < place->ngroups && !place->is_gone; k++)
			if (place->groups[k].has_metrics)
				perf_group_read(&place->groups[k]);
	}
}
