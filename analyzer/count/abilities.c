/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count/abilities.h"

#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "count/perf.h"
#include "count/scope.h"

#define PRECISE_MOST 3
#define PERIOD	     100003  /* of samples that are never taken: the events stay disabled */
#define MOMENT_NS    1000000 /* what a group is counted for before it is looked at */
#define MOMENTS	     25	     /* with them the kernel has rotated what shares the counters, at 100 Hz twice */

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

/* attr of an event by name, for user mode, which needs the least permission. */
static bool attr_of(struct perf_event_attr *attr, const struct ability_probe *probe, const char *name,
		    struct arena *arena)
{
	struct error err = { .text = "" };
	struct event_set set;
	size_t number;

	event_set_init(&set, probe->database, probe->pmu, probe->machine->smt_on, arena);
	number = event_set_add(&set, name, &err);
	if (number == TABLE_NONE ||
	    perf_attr_init(attr, probe->pmu, set.events[number].terms, set.events[number].nterms, &err) < 0)
		return false;
	attr->exclude_kernel = 1;
	attr->exclude_hv = 1;
	return true;
}

/* An event that the fixed counter counts: one with a fixed role before others, which may be extensions of it. */
static const char *event_of_fixed(const struct event_database *database, uint64_t counter)
{
	const char *const roles[] = { database->instructions, database->cycles, database->reference,
				      database->slots_event };

	for (size_t i = 0; i < COUNT_OF(roles); i++) {
		const struct event_row *row = roles[i] ? event_database_find(database, roles[i]) : NULL;

		if (row && row->counters & counter)
			return row->name;
	}
	for (size_t i = 0; i < database->count; i++)
		if (database->rows[i].counters & counter && !database->rows[i].is_deprecated)
			return database->rows[i].name;
	return NULL;
}

/* It is there when its event takes none of the general counters away from the others of a group. */
static bool has_fixed(const struct abilities *abilities, const struct ability_probe *probe, uint64_t counter,
		      struct arena *arena)
{
	const char *event = event_of_fixed(probe->database, counter);
	struct perf_event_attr fixed, general;
	int fds[64], leader;
	unsigned count = 0;

	if (!event || !attr_of(&fixed, probe, event, arena) || !attr_of(&general, probe, probe->general->name, arena))
		return false;
	leader = open_leader(&fixed);
	if (leader < 0)
		return false;
	while (count < abilities->general && count < COUNT_OF(fds)) {
		fds[count] = perf_open(&general, 0, leader);
		if (fds[count] < 0)
			break;
		count++;
	}
	for (unsigned i = 0; i < count; i++)
		close(fds[i]);
	close(leader);
	return count == abilities->general;
}

static void probe_fixed(struct abilities *abilities, const struct ability_probe *probe, struct arena *arena)
{
	for (unsigned i = 0; i < FIXED_COUNTER; i++) {
		uint64_t counter = 1ull << (FIXED_COUNTER + i);

		if (probe->published->fixed & counter && has_fixed(abilities, probe, counter, arena))
			abilities->fixed |= 1ull << i;
	}
}

static void probe_slots(struct abilities *abilities, const struct ability_probe *probe, struct arena *arena)
{
	static const char *const fields[] = { "topdown\\-retiring", "topdown\\-bad\\-spec", "topdown\\-fe\\-bound",
					      "topdown\\-be\\-bound" };
	struct perf_event_attr slots, field;
	int leader;

	if (!probe->published->has_metrics || !attr_of(&slots, probe, "slots", arena))
		return;
	leader = open_leader(&slots);
	abilities->has_slots = leader >= 0;
	abilities->has_metrics = leader >= 0;
	for (size_t i = 0; i < COUNT_OF(fields) && abilities->has_metrics; i++)
		abilities->has_metrics = attr_of(&field, probe, fields[i], arena) && opens(&field, leader);
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
	probe_fixed(abilities, probe, arena);
	probe_slots(abilities, probe, arena);
	probe_sampling(abilities, probe);
}

/* The first item of the group that nobody counted, or NULL. */
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
		spend(MOMENT_NS);
		perf_group_read(group);
		if (!find_uncounted(group, target->events))
			break;
	}
}

static const char *failure_text(const struct count *item, struct arena *arena)
{
	if (item->state == COUNT_REFUSED && item->reason)
		return item->reason;
	return arena_printf(arena,
			    "%s was opened, but the kernel never put it on a counter: the NMI watchdog, or somebody "
			    "else who counts, holds what it needs; `sudo lsof 2>/dev/null | grep perf_event` shows who",
			    item->event);
}

static bool try_group(struct trial *trial, const struct perf_target *target, const struct plan_group *plan)
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
	uncounted = find_uncounted(&group, target->events);
	if (uncounted && !trial->failure)
		trial->failure = failure_text(uncounted, target->arena);
	return !uncounted;
}

/* An event that a wanted metric reads and no group has: no counter of this PMU can hold it. */
static const char *left_out(const struct plan *plan, const struct model *model)
{
	for (size_t i = 0; i < plan->nwanted; i++) {
		const struct metric *metric = &model->metrics[plan->wanted[i]];

		for (size_t k = 0; k < metric->nevents; k++) {
			const struct event *event = &model->events.events[metric->events[k]];

			if (is_kernel_event(event) && !event->is_retire_latency && !plan->counted[metric->events[k]])
				return event->name;
		}
	}
	return NULL;
}

void abilities_try(struct trial *trial, const struct plan *plan, const struct model *model,
		   const struct machine *machine, struct arena *arena)
{
	const struct perf_target target = {
		.scope = is_scope_user_only() ? SCOPE_USER : SCOPE_ALL,
		.pmu = model->events.pmu,
		.machine = machine,
		.events = model->events.events,
		.arena = arena,
	};
	const char *missing = left_out(plan, model);

	*trial = (struct trial){ .groups = plan->ngroups, .runs = plan->nruns };
	if (missing)
		trial->failure = arena_printf(arena, "no counter that was found here can count %s", missing);
	for (size_t i = 0; i < plan->nruns; i++) {
		size_t descriptors = 0;

		for (size_t k = 0; k < plan->runs[i].count; k++) {
			const struct plan_group *group = &plan->groups[plan->runs[i].first + k];

			descriptors += group->count;
			trial->counted += try_group(trial, &target, group);
		}
		if (descriptors > trial->descriptors)
			trial->descriptors = descriptors;
	}
}
