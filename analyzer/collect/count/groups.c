/* SPDX-License-Identifier: GPL-2.0-or-later */
/* groups.c - the groups of a run, opened, switched, read and closed at all sites. */
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "collect/count/collector.h"
#include "common/system/loop.h"

#define SPARE	     3	/* descriptors: the report, a file that it is made from, and one more */
#define ATTACH_TRIES 10 /* while new threads come as fast as they are found */

/* The items of a group, before anything is known of them. */
static struct count *make_items(const struct collector *c, const struct site *site, size_t group)
{
	const struct count_type *type = &c->request->types[site->type];
	const struct plan_group *plan = &type->plan->groups[group];
	struct count *items = arena_array(c->arena, plan->count, sizeof(*items));

	for (size_t i = 0; i < plan->count; i++)
		items[i] = (struct count){
			.event = type->model->events.events[plan->events[i]].name,
			.group = group,
			.run = c->run,
			.value = NOT_COUNTED,
			.state = COUNT_NEVER_RAN,
		};
	return items;
}

/* Does the group of the site count now? Always, unless each interval has a group of its own. */
static bool is_group_active(const struct collector *c, const struct site *site, size_t group)
{
	return !is_multiplexed_by_interval(c) || group == c->ninterval % site->ngroups;
}

/* A group that is not active yet must not start by itself. */
static enum perf_start start_of(const struct collector *c, const struct site *site, size_t group)
{
	return is_group_active(c, site, group) ? c->start : PERF_START_LATER;
}

/* What is opened at a site. */
static struct perf_target site_target(const struct collector *c, const struct site *site)
{
	const struct count_type *type = &c->request->types[site->type];

	return (struct perf_target){
		.pid = site->pid == PID_OF_PROGRAM && c->program ? c->program->pid : site->pid,
		.cpu = site->cpu,
		.is_cgroup = c->request->subject.kind == SUBJECT_CGROUP,
		.is_attached = site->pid != PID_OF_PROGRAM,
		.scope = c->scope,
		.pmu = type->model ? type->model->events.pmu : NULL,
		.machine = c->request->machine,
		.events = type->model ? type->model->events.events : NULL,
		.arena = c->arena,
	};
}

static void open_site(struct collector *c, struct site *site)
{
	const struct plan *plan = c->request->types[site->type].plan;
	struct perf_target target = site_target(c, site);
	const struct plan_run *run = c->run < plan->nruns ? &plan->runs[c->run] : NULL;

	site->is_gone = false;
	site->ngroups = run ? run->count : 0;
	site->groups = arena_array(c->arena, site->ngroups, sizeof(*site->groups));
	site->before = arena_array(c->arena, site->ngroups, sizeof(struct count *));
	for (size_t i = 0; i < site->ngroups; i++) {
		struct perf_group *group = &site->groups[i];

		target.start = start_of(c, site, i);
		perf_group_open(group, &target, &plan->groups[run->first + i], make_items(c, site, run->first + i));
		site->before[i] = arena_array(c->arena, group->plan->count, sizeof(struct count));
		site->is_gone = site->is_gone || group->is_gone;
	}
}

static int open_observers(struct collector *c, struct error *err)
{
	struct observer_site *items = arena_array(c->arena, c->sites.count, sizeof(*items));
	struct observer_sites sites = {
		.items = items, .request = c->request, .program = c->program, .run = c->run, .repeat = c->repeat
	};

	for (; sites.count < c->sites.count; sites.count++) {
		const struct site *site = &c->sites.items[sites.count];

		items[sites.count] = (struct observer_site){
			.target = site_target(c, site), .type = site->type, .part = site->part, .own_cpu = site->own_cpu
		};
		items[sites.count].target.start = c->start;
	}
	return observers_open(c->request->observers, &sites, err);
}

/* Descriptors that the events must leave, even where they take all others: the report needs some. */
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

static int open_sites(struct collector *c, struct error *err)
{
	int spare[SPARE], status;

	hold_spare(spare);
	for (size_t i = 0; i < c->sites.count; i++)
		open_site(c, &c->sites.items[i]);
	status = open_observers(c, err);
	release_spare(spare);
	return status;
}

/* What runs already and keeps the CPUs busy must not be in the way; a program that topdown starts waits for it. */
static void hurry(const struct collector *c)
{
	if (c->request->subject.kind != SUBJECT_PROGRAM)
		priority_hurry(&c->request->priority);
}

static void relax(const struct collector *c)
{
	if (c->request->subject.kind != SUBJECT_PROGRAM)
		priority_relax(&c->request->priority);
}

void groups_close(struct collector *c)
{
	hurry(c);
	for (size_t i = 0; i < c->sites.count; i++) {
		struct site *site = &c->sites.items[i];

		for (size_t k = 0; k < site->ngroups; k++)
			perf_group_close(&site->groups[k]);
		site->ngroups = 0;
	}
	observers_close(c->request->observers);
	relax(c);
}

/*
 * A thread that starts while others are being attached belongs to the subject, but may or may not have inherited their
 * groups. So everything is opened anew, until no thread has started meanwhile.
 */
static int attach(struct collector *c, struct error *err)
{
	const struct subject *subject = &c->request->subject;

	c->is_incomplete = true;
	for (int tries = 0; tries < ATTACH_TRIES && c->is_incomplete; tries++) {
		if (tries) {
			groups_close(c);
			sites_release(&c->sites);
			if (sites_find(&c->sites, c->request, c->arena, err) < 0)
				return -1;
		}
		if (open_sites(c, err) < 0)
			return -1;
		c->is_incomplete =
			subject->kind == SUBJECT_PROCESSES && sites_are_incomplete(&c->sites, subject, c->arena);
	}
	return 0;
}

/* The first reason why the site counts nothing; NULL where it does, or has nothing to count. */
static const char *failure(const struct site *site)
{
	const char *reason = NULL;

	for (size_t i = 0; i < site->ngroups; i++) {
		const struct perf_group *group = &site->groups[i];

		if (group->leader >= 0)
			return NULL;
		for (size_t k = 0; k < group->plan->count && !reason; k++)
			reason = group->items[k].reason;
	}
	return reason;
}

/* -1 with the first refusal when the run has events for the kernel to count and none was opened. */
static int check_sites(const struct collector *c, struct error *err)
{
	const char *first = NULL;

	for (size_t i = 0; i < c->sites.count; i++) {
		const struct site *site = &c->sites.items[i];
		const char *reason = site->is_gone ? NULL : failure(site);

		if (!site->is_gone && !reason)
			return 0;
		first = first ? first : reason;
	}
	if (first)
		return error_set(err, "%s", first);
	return error_set(err, "%s no longer exists, so there is nothing to count",
			 c->request->subject.name ? c->request->subject.name : "the program");
}

int groups_open(struct collector *c, struct error *err)
{
	int status;

	hurry(c);
	status = c->program ? open_sites(c, err) : attach(c, err);
	relax(c);
	if (status < 0)
		return -1;
	/* What fails after the first run costs the rest of the plan, not what was counted. */
	return c->run == 0 ? check_sites(c, err) : 0;
}

void groups_switch(struct collector *c, bool is_on)
{
	double before = clock_now();

	hurry(c);
	for (size_t i = 0; i < c->sites.count; i++) {
		struct site *site = &c->sites.items[i];

		for (size_t k = 0; k < site->ngroups && !site->is_gone; k++)
			if (is_group_active(c, site, k))
				perf_group_switch(&site->groups[k], is_on);
	}
	relax(c);
	c->stopwatch.switching += clock_now() - before;
}

void beside_switch(const struct collector *c, bool is_on)
{
	hurry(c);
	observers_change(c->request->observers, is_on);
	relax(c);
}

void groups_read(struct collector *c)
{
	for (size_t i = 0; i < c->sites.count; i++) {
		struct site *site = &c->sites.items[i];

		for (size_t k = 0; k < site->ngroups && !site->is_gone; k++)
			if (is_group_active(c, site, k))
				perf_group_read(&site->groups[k]);
	}
}

bool has_metric_groups(const struct collector *c)
{
	for (size_t i = 0; i < c->sites.count; i++)
		for (size_t k = 0; k < c->sites.items[i].ngroups; k++)
			if (c->sites.items[i].groups[k].has_metrics)
				return true;
	return false;
}

void groups_read_metrics(struct collector *c)
{
	for (size_t i = 0; i < c->sites.count; i++) {
		struct site *site = &c->sites.items[i];

		for (size_t k = 0; k < site->ngroups && !site->is_gone; k++)
			if (site->groups[k].has_metrics)
				perf_group_read(&site->groups[k]);
	}
}
