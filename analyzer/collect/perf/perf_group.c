/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/perf/perf_group.h"

#include <errno.h>
#include <math.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "collect/perf/refusals.h"

#define TRIES 16 /* of a group that is torn */
#define TIMES (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

/* The value of one event, as PERF_FORMAT_ID and the times without PERF_FORMAT_GROUP return it. */
struct perf_single {
	uint64_t value, enabled_ns, running_ns, id;
};

/* As PERF_FORMAT_GROUP returns it. */
struct perf_values {
	uint64_t count, enabled_ns, running_ns;
	struct perf_value {
		uint64_t value, id;
	} values[];
};

/* A group's answer, which is never shorter than that of a single event. */
static size_t words_size(size_t events)
{
	return sizeof(struct perf_values) + (events + 1) * sizeof(struct perf_value);
}

static bool has_metric_events(const struct plan_group *plan, const struct event *events)
{
	for (size_t i = 0; i < plan->count; i++)
		if (events[plan->events[i]].kind == EVENT_METRIC)
			return true;
	return false;
}

/*
 * Only the leader starts disabled, with enable_on_exec: arm64 leaves a leader that stays off out of its count of used
 * counters, and a group that is too large would open and never run. A task that runs already and shall be counted later
 * has to do without.
 */
static int open_leader(struct perf_group *group, const struct perf_target *target, struct perf_event_attr *attr)
{
	int fd;

	attr->disabled = 1;
	attr->enable_on_exec = target->start == PERF_START_WITH_EXEC || !perf_target_is_task(target);
	attr->read_format = TIMES | PERF_FORMAT_ID | PERF_FORMAT_GROUP;
	fd = perf_open_at(attr, target, -1);
	if (fd != -EINVAL || group->has_metrics)
		return fd;
	/* Before 4.13 the kernel can't read an inherited group at once; PERF_METRICS need that, other events do not. */
	attr->read_format = TIMES | PERF_FORMAT_ID;
	fd = perf_open_at(attr, target, -1);
	group->is_read_singly = fd >= 0;
	return fd;
}

static int open_sibling(const struct perf_group *group, const struct perf_target *target, struct perf_event_attr *attr)
{
	attr->read_format = TIMES | PERF_FORMAT_ID;
	if (!group->is_read_singly)
		attr->read_format |= PERF_FORMAT_GROUP;
	return perf_open_at(attr, target, group->leader);
}

/*
 * A guest that has no access to an event's register gets the number of a CPU that is offline
 * (arch/x86/events/core.c, x86_pmu_extra_regs).
 */
static bool is_register_absent(const struct event *event, int error_number)
{
	return error_number == ENXIO && event->msr;
}

static int open_event(struct perf_group *group, const struct perf_target *target, size_t i, struct error *err)
{
	const struct event *event = &target->events[group->plan->events[i]];
	struct perf_event_attr attr;
	int fd;

	if (perf_attr_of_event(&attr, target, event, err) < 0)
		return -1;
	if (event->kind == EVENT_METRIC && group->leader < 0)
		return error_set(err, "%s is a share of slots, which the kernel refused", event->name);
	fd = group->leader < 0 ? open_leader(group, target, &attr) : open_sibling(group, target, &attr);
	if (fd < 0) {
		group->is_gone =
			group->is_gone || (perf_target_is_gone(target, -fd) && !is_register_absent(event, -fd));
		return perf_refuse(err, -fd, target, event, group->leader >= 0);
	}
	if (ioctl(fd, PERF_EVENT_IOC_ID, &group->ids[i]) < 0) {
		refusal(err, errno, target->machine, event->name);
		close(fd);
		return -1;
	}
	group->fds[i] = fd;
	if (group->leader < 0)
		group->leader = fd;
	return 0;
}

static void group_init(struct perf_group *group, const struct perf_target *target, const struct plan_group *plan,
		       struct count *items)
{
	*group = (struct perf_group){ .plan = plan, .items = items, .leader = -1 };
	group->fds = arena_array(target->arena, plan->count, sizeof(*group->fds));
	group->ids = arena_array(target->arena, plan->count, sizeof(*group->ids));
	group->words = arena_alloc(target->arena, words_size(plan->count));
	group->has_metrics = has_metric_events(plan, target->events);
	for (size_t i = 0; i < plan->count; i++)
		group->fds[i] = -1;
}

static size_t open_events(struct perf_group *group, const struct perf_target *target)
{
	const struct plan_group *plan = group->plan;
	size_t opened = 0;

	for (size_t i = 0; i < plan->count; i++) {
		struct error err = { 0 };

		if (!is_kernel_event(&target->events[plan->events[i]]))
			continue;
		if (open_event(group, target, i, &err) == 0) {
			opened++;
			continue;
		}
		group->items[i].state = COUNT_REFUSED;
		group->items[i].reason = arena_strdup(target->arena, err.text);
	}
	return opened;
}

/*
 * A task that forked while its group was being opened has given its child half of it, and the kernel adds up only what
 * is alike (kernel/events/core.c, __perf_read_group_add: ECHILD).
 */
static bool is_torn(const struct perf_group *group)
{
	return group->leader >= 0 && !group->is_read_singly &&
	       read(group->leader, group->words, words_size(group->plan->count)) < 0 && errno == ECHILD;
}

size_t perf_group_open(struct perf_group *group, const struct perf_target *target, const struct plan_group *plan,
		       struct count *items)
{
	size_t opened;

	group_init(group, target, plan, items);
	opened = open_events(group, target);
	for (int i = 0; i < TRIES && perf_target_is_task(target) && target->start == PERF_START_LATER && is_torn(group);
	     i++) {
		perf_group_close(group);
		opened = open_events(group, target);
	}
	return opened;
}

/* Without running time it was never on a counter: whatever number there is, it was not counted. */
static void item_set(struct count *item, const struct perf_single *read)
{
	item->raw = read->value;
	item->enabled_ns = read->enabled_ns;
	item->running_ns = read->running_ns;
	item->state = COUNT_NEVER_RAN;
	if (!read->enabled_ns || !read->running_ns)
		return;
	item->state = COUNT_OK;
	item->value = (double)read->value;
	if (read->running_ns < read->enabled_ns)
		item->value *= (double)read->enabled_ns / (double)read->running_ns;
}

/* At end of file the event is in error state: it never ran. */
static struct perf_single read_single(const struct perf_group *group, size_t i)
{
	struct perf_single single;

	if (read(group->fds[i], &single, sizeof(single)) != (ssize_t)sizeof(single))
		single = (struct perf_single){ 0 };
	return single;
}

static void read_singly(const struct perf_group *group)
{
	for (size_t i = 0; i < group->plan->count; i++) {
		struct perf_single single = { 0 };

		if (group->fds[i] < 0)
			continue;
		single = read_single(group, i);
		item_set(&group->items[i], &single);
	}
}

static const struct perf_value *find_value(const struct perf_values *values, uint64_t id)
{
	for (size_t i = 0; i < values->count; i++)
		if (values->values[i].id == id)
			return &values->values[i];
	return NULL;
}

/*
 * An event that the leader's values lack was detached when its CPU was unplugged (kernel/events/core.c,
 * perf_group_detach): it is a group of its own now, which still has what it counted until then.
 */
static struct perf_single read_lone(const struct perf_group *group, size_t i)
{
	struct {
		uint64_t count, enabled_ns, running_ns;
		struct perf_value value;
	} lone;

	if (read(group->fds[i], &lone, sizeof(lone)) != (ssize_t)sizeof(lone) || lone.value.id != group->ids[i])
		return (struct perf_single){ 0 };
	return (struct perf_single){ lone.value.value, lone.enabled_ns, lone.running_ns, 0 };
}

#define ENDING_TRIES	250
#define ENDING_PAUSE_NS 200000

/*
 * While a process that has inherited the group ends, it has lost some of the events, and the kernel gives none of the
 * counts but ECHILD (kernel/events/core.c, __perf_read_group_add, since 6.6 and 6.1.60). That is over in a moment.
 */
static bool has_read(const struct perf_group *group, struct perf_values *values)
{
	const struct timespec pause = { .tv_nsec = ENDING_PAUSE_NS };
	ssize_t got;

	for (size_t i = 0; i < ENDING_TRIES; i++) {
		got = read(group->leader, values, words_size(group->plan->count));
		if (got >= 0 || errno != ECHILD)
			break;
		nanosleep(&pause, NULL);
	}
	return got >= (ssize_t)sizeof(*values);
}

static void read_together(const struct perf_group *group)
{
	struct perf_values *values = (struct perf_values *)group->words;

	if (!has_read(group, values))
		*values = (struct perf_values){ 0 };
	for (size_t i = 0; i < group->plan->count; i++) {
		const struct perf_value *value = find_value(values, group->ids[i]);
		struct perf_single single;

		if (group->fds[i] < 0)
			continue;
		if (value)
			single = (struct perf_single){ value->value, values->enabled_ns, values->running_ns, 0 };
		else
			single = read_lone(group, i);
		item_set(&group->items[i], &single);
	}
}

void perf_group_read(const struct perf_group *group)
{
	if (group->leader < 0)
		return;
	if (group->is_read_singly)
		read_singly(group);
	else
		read_together(group);
}

void perf_group_switch(const struct perf_group *group, bool is_on)
{
	if (group->leader >= 0)
		ioctl(group->leader, is_on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

void perf_group_close(struct perf_group *group)
{
	/* The leader last: without it the others would become single events, which the kernel would schedule anew. */
	for (size_t i = group->plan->count; i > 0; i--) {
		if (group->fds[i - 1] >= 0)
			close(group->fds[i - 1]);
		group->fds[i - 1] = -1;
	}
	group->leader = -1;
}
