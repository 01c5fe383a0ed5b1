/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/perf/abilities.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "collect/perf/perf_group.h"
#include "collect/perf/refusals.h"
#include "common/measurement/scope.h"
#include "cpu/plan/bits.h"

#define PRECISE_MOST 3
#define PERIOD	     100003 /* of samples that are never taken: the events stay disabled */
#define MOMENT_NS    12500  /* what a group is counted for before it is looked at; each time twice as long */
#define MOMENTS	     11	    /* 25 ms in all: the kernel multiplexes groups that share the counters, at 100 Hz twice */

bool is_scope_user_only(void)
{
	/* The kernel checks permission before it looks for a PMU, so an event that needs none gives the answer. */
	int answer = perf_try_dummy(false);

	/* Where both are refused the widest scope stays, and opening the events will say why. */
	return (answer == -EACCES || answer == -EPERM) && perf_try_dummy(true) == 0;
}

/* Closes it at once; true when it opened. */
static bool opens(const struct perf_event_attr *attr, int leader)
{
	int fd = perf_open(attr, 0, leader);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static int open_leader(const struct perf_event_attr *attr)
{
	struct perf_event_attr leader = *attr;

	leader.disabled = 1;
	leader.enable_on_exec = 1; /* else arm64 does not take it for a counter's user */
	return perf_open(&leader, 0, -1);
}

/* Refusals that are about the event, not about permissions or descriptors. */
static bool is_event_refused(int fd)
{
	return fd == -ENOENT || fd == -EINVAL || fd == -EOPNOTSUPP || fd == -ENODEV;
}

enum answer abilities_probe_metrics(const struct pmu *pmu, const struct event_database *database,
				    const struct machine *machine, struct arena *arena)
{
	const struct ability_probe probe = { .pmu = pmu, .database = database, .machine = machine };
	struct perf_event_attr slots, field, cycles;
	enum answer answer = ANSWER_UNKNOWN;
	int leader;

	if (!probe_attr(&slots, &probe, "slots", arena) || !probe_attr(&field, &probe, "topdown\\-retiring", arena) ||
	    !probe_attr(&cycles, &probe, "cycles", arena))
		return answer;
	leader = open_leader(&slots);
	if (leader >= 0)
		answer = opens(&field, leader) ? ANSWER_YES : ANSWER_NO;
	else if (is_event_refused(leader) && opens(&cycles, -1))
		answer = ANSWER_NO;
	if (leader >= 0)
		close(leader);
	return answer;
}

static void probe_slots(struct abilities *abilities, const struct ability_probe *probe, struct arena *arena)
{
	static const char *const fields[] = { "topdown\\-retiring", "topdown\\-bad\\-spec", "topdown\\-fe\\-bound",
					      "topdown\\-be\\-bound" };
	struct perf_event_attr slots, field;
	int leader;

	if (!probe->published->has_metrics || !probe_attr(&slots, probe, "slots", arena))
		return;
	leader = open_leader(&slots);
	abilities->has_slots = leader >= 0;
	abilities->has_metrics = leader >= 0;
	for (size_t i = 0; i < COUNT_OF(fields) && abilities->has_metrics; i++)
		abilities->has_metrics = probe_attr(&field, probe, fields[i], arena) && opens(&field, leader);
	if (leader >= 0)
		close(leader);
}

/* The generic event, because the kernel knows the precise form of that one. */
static struct perf_event_attr sampled_cycles(const struct pmu *pmu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.sample_period = PERIOD,
		.sample_type = PERF_SAMPLE_IP,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	/* a hybrid CPU has several core PMUs: PERF_PMU_TYPE_SHIFT of linux/perf_event.h */
	if (pmu->type != PERF_TYPE_RAW)
		attr.config |= (uint64_t)pmu->type << 32;
	return attr;
}

/* arm64's core PMUs open whatever is asked for and sample as ever: there SPE is what is precise. */
static void probe_sampling(struct abilities *abilities, const struct ability_probe *probe)
{
	struct perf_event_attr attr = sampled_cycles(probe->pmu);

	if (probe->machine->arch == ARCH_ARM64)
		return;
	for (unsigned precise = PRECISE_MOST; precise > 0 && !abilities->precise; precise--) {
		attr.precise_ip = precise & 3;
		if (opens(&attr, -1))
			abilities->precise = precise;
	}
	attr.precise_ip = 0;
	attr.sample_type |= PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY;
	abilities->has_branches = opens(&attr, -1);
}

void abilities_probe_process(struct abilities *abilities)
{
	struct rlimit files = { 0 };

	getrlimit(RLIMIT_NOFILE, &files);
	abilities->files_soft = files.rlim_cur;
	abilities->files_hard = files.rlim_max;
	abilities->is_user_only = is_scope_user_only();
}

void abilities_probe(struct abilities *abilities, const struct ability_probe *probe, struct arena *arena)
{
	abilities_probe_process(abilities);
	probe_slots(abilities, probe, arena);
	probe_sampling(abilities, probe);
}

/* The first item of the group that was not counted, or NULL. */
static const struct count *find_uncounted(const struct perf_group *group, const struct event *events)
{
	for (size_t i = 0; i < group->plan->count; i++)
		if (is_kernel_event(&events[group->plan->events[i]]) && group->items[i].state != COUNT_OK)
			return &group->items[i];
	return NULL;
}

static void spend(long nanoseconds)
{
	struct timespec start, now;

	clock_gettime(CLOCK_MONOTONIC, &start);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while ((now.tv_sec - start.tv_sec) * 1000000000L + now.tv_nsec - start.tv_nsec < nanoseconds);
}

static void count_for_a_moment(const struct perf_group *group, const struct perf_target *target)
{
	if (group->leader < 0 || ioctl(group->leader, PERF_EVENT_IOC_ENABLE, 0) < 0)
		return;
	for (int i = 0; i < MOMENTS; i++) {
		spend((long)MOMENT_NS << i);
		perf_group_read(group);
		if (!find_uncounted(group, target->events))
			break;
	}
}

static const char *failure_text(const struct count *item, struct arena *arena)
{
	if (item->state == COUNT_REFUSED && item->reason)
		return item->reason;
	return arena_printf(
		arena,
		"%s was opened, but the kernel never put it on a counter: the NMI watchdog, or another user of the "
		"counters, holds what it needs; `sudo lsof 2>/dev/null | grep perf_event` shows who",
		item->event);
}

/* One item for each event of the group, as it was opened and counted for a moment. */
static struct count *try_items(const struct perf_target *target, const struct plan_group *plan)
{
	struct count *items = arena_array(target->arena, plan->count, sizeof(*items));
	const struct count *uncounted;
	struct perf_group group;

	for (size_t i = 0; i < plan->count; i++)
		items[i] = (struct count){ .event = target->events[plan->events[i]].name, .state = COUNT_NEVER_RAN };
	perf_group_open(&group, target, plan, items);
	uncounted = find_uncounted(&group, target->events);
	if (!uncounted || uncounted->state != COUNT_REFUSED)
		count_for_a_moment(&group, target);
	perf_group_close(&group);
	return items;
}

/* The first event of the group that was not counted, or NULL. */
static const struct count *try_group(const struct perf_target *target, const struct plan_group *plan)
{
	const struct perf_group tried = { .plan = plan, .items = try_items(target, plan) };

	return find_uncounted(&tried, target->events);
}

/* Why an event that a wanted metric reads is in no group; NULL: there is none. */
static const char *left_out(const struct plan *plan, const struct model *model, struct arena *arena)
{
	for (size_t i = 0; i < plan->nwanted; i++) {
		const struct metric *metric = &model->metrics[plan->wanted[i]];

		for (size_t k = 0; k < metric->nevents; k++) {
			const struct event *event = &model->events.events[metric->events[k]];

			if (!is_kernel_event(event) || event->is_retire_latency || plan->counted[metric->events[k]])
				continue;
			if (event->absent)
				return event->absent;
			return arena_printf(arena, "no counter that was found here can count %s", event->name);
		}
	}
	return NULL;
}

static struct perf_target this_process(const struct model *model, const struct machine *machine, struct arena *arena)
{
	return (struct perf_target){
		.scope = is_scope_user_only() ? SCOPE_USER : SCOPE_ALL,
		.pmu = model->events.pmu,
		.machine = machine,
		.events = model->events.events,
		.arena = arena,
	};
}

void abilities_try(struct trial *trial, const struct plan *plan, const struct model *model,
		   const struct machine *machine, struct arena *arena)
{
	const struct perf_target target = this_process(model, machine, arena);
	const char *missing = left_out(plan, model, arena);

	*trial = (struct trial){ .groups = plan->ngroups, .runs = plan->nruns, .failure = missing };
	for (size_t i = 0; i < plan->nruns; i++) {
		size_t descriptors = 0;

		for (size_t k = 0; k < plan->runs[i].count; k++) {
			const struct plan_group *group = &plan->groups[plan->runs[i].first + k];
			const struct count *uncounted = try_group(&target, group);

			descriptors += group->count;
			trial->counted += !uncounted;
			if (uncounted && !trial->failure)
				trial->failure = failure_text(uncounted, arena);
		}
		if (descriptors > trial->descriptors)
			trial->descriptors = descriptors;
	}
}

/* The event with nothing beside it but the leader that it needs. */
static const struct count *try_alone(const struct perf_target *target, const struct plan *plan, size_t event)
{
	bool needs_leader = target->events[event].kind == EVENT_METRIC && plan->roles[ROLE_SLOTS] != TABLE_NONE;
	size_t events[2] = { needs_leader ? plan->roles[ROLE_SLOTS] : event, event };
	const struct plan_group group = { .events = events, .count = needs_leader ? 2 : 1 };

	return try_group(target, &group);
}

/* True: each of the group's events can be counted, but not all at once. */
static bool find_uncountable(struct event *events, const struct perf_target *target, const struct plan *plan,
			     const struct plan_group *group)
{
	bool is_too_large = true;

	for (size_t i = 0; i < group->count; i++) {
		struct event *event = &events[group->events[i]];
		const struct count *uncounted = NULL;

		if (is_kernel_event(event) && !event->absent)
			uncounted = try_alone(target, plan, group->events[i]);
		if (!uncounted)
			continue;
		event->absent = failure_text(uncounted, target->arena);
		event->counters = 0;
		is_too_large = false;
	}
	return is_too_large;
}

bool abilities_find_uncountable(bool *is_too_large, const struct plan *plan, struct model *model,
				const struct machine *machine, struct arena *arena)
{
	const struct perf_target target = this_process(model, machine, arena);
	struct rlimit descriptors;
	bool has_some = false, is_known = getrlimit(RLIMIT_NOFILE, &descriptors) == 0;

	*is_too_large = false;
	for (size_t i = 0; i < plan->ngroups; i++) {
		if (!try_group(&target, &plan->groups[i]))
			continue;
		if (find_uncountable(model->events.events, &target, plan, &plan->groups[i]))
			*is_too_large = true;
		has_some = true;
	}
	if (is_known) /* what perf_open may have raised */
		setrlimit(RLIMIT_NOFILE, &descriptors);
	return has_some;
}
