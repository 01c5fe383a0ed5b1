/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/perf/perf.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collect/perf/refusals.h"

#define TRIES		 16
#define MOST_DESCRIPTORS ((rlim_t)1 << 20) /* the kernel's own limit, fs.nr_open, unless somebody changed it */

bool is_kernel_event(const struct event *event)
{
	return event->kind == EVENT_CORE || event->kind == EVENT_METRIC || event->kind == EVENT_SLOTS;
}

/*
 * Each event needs a descriptor. The usual soft limit of 1024 only exists for programs that use select; root
 * may exceed the hard limit too.
 */
static bool raise_descriptor_limit(void)
{
	struct rlimit limit, most = { MOST_DESCRIPTORS, MOST_DESCRIPTORS };

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return false;
	if (limit.rlim_cur >= limit.rlim_max)
		return limit.rlim_max < MOST_DESCRIPTORS && setrlimit(RLIMIT_NOFILE, &most) == 0;
	limit.rlim_cur = limit.rlim_max;
	return setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

static bool can_help_to_retry(int error_number)
{
	return error_number == EINTR || error_number == EAGAIN || (error_number == EMFILE && raise_descriptor_limit());
}

int perf_open_at(const struct perf_event_attr *attr, const struct perf_target *target, int leader)
{
	unsigned long flags = PERF_FLAG_FD_CLOEXEC | (target->is_cgroup ? PERF_FLAG_PID_CGROUP : 0);
	int cpu = target->cpu ? (int)*target->cpu : -1;
	struct perf_event_attr copy;
	int error_number = 0;
	long fd;

	for (int i = 0; i < TRIES; i++) {
		copy = *attr; /* the kernel overwrites size when it answers E2BIG */
		fd = syscall(SYS_perf_event_open, &copy, target->pid, cpu, leader, flags);
		if (fd >= 0)
			return (int)fd;
		error_number = errno; /* the attempt to help may set another one */
		if (!can_help_to_retry(error_number))
			break;
	}
	return -error_number;
}

int perf_open(const struct perf_event_attr *attr, pid_t pid, int leader)
{
	const struct perf_target target = { .pid = pid };

	return perf_open_at(attr, &target, leader);
}

int perf_try_dummy(bool is_user_only)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.disabled = 1,
		.exclude_kernel = is_user_only,
		.exclude_hv = is_user_only,
	};
	int fd = perf_open(&attr, 0, -1);

	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

int perf_attr_init(struct perf_event_attr *attr, const struct pmu *pmu, const struct pmu_term *terms, size_t count,
		   struct error *err)
{
	uint64_t config[4] = { 0 };

	if (pmu_pack(config, pmu, terms, count, err) < 0)
		return -1;
	memset(attr, 0, sizeof(*attr));
	attr->size = sizeof(*attr);
	attr->type = pmu->type;
	attr->config = config[0];
	attr->config1 = config[1];
	attr->config2 = config[2];
#ifdef PERF_ATTR_SIZE_VER8
	attr->config3 = config[3];
#else
	if (config[3])
		return error_set(err, "its config3 was unknown to the kernel headers that topdown was built with");
#endif
	return 0;
}

static void attr_exclude(struct perf_event_attr *attr, const struct event *event, enum scope scope)
{
	bool without_kernel = event->user_only || (scope == SCOPE_USER && !event->kernel_only);
	bool without_user = event->kernel_only || (scope == SCOPE_KERNEL && !event->user_only);

	attr->exclude_kernel = without_kernel;
	attr->exclude_user = without_user;
	attr->exclude_hv = without_kernel || without_user;
}

bool perf_target_is_task(const struct perf_target *target)
{
	return target->pid >= 0 && !target->is_cgroup;
}

int perf_attr_of_event(struct perf_event_attr *attr, const struct perf_target *target, const struct event *event,
		       struct error *err)
{
	if (event->is_retire_latency)
		return error_set(err, "%s is a latency: it has to be sampled, or to be published as a mean",
				 event->name);
	if (perf_attr_init(attr, target->pmu, event->terms, event->nterms, err) < 0)
		return error_in(err, "%s", event->name);
	attr->inherit = perf_target_is_task(target);
	attr_exclude(attr, event, target->scope);
	return 0;
}

int perf_refuse(struct error *err, int error_number, const struct perf_target *target, const struct event *event,
		bool is_member)
{
	struct refusal known = {
		.error_number = error_number,
		.machine = target->machine,
		.event = event->name,
		.counts_kernel = event->kernel_only || target->scope == SCOPE_KERNEL,
		.is_wide = !perf_target_is_task(target),
		.is_cgroup = target->is_cgroup,
		.is_member = is_member,
		.is_attached = perf_target_is_task(target) && target->is_attached,
	};

	refusal_complete(&known);
	for (size_t i = 0; i < event->nterms; i++)
		known.is_any_thread = known.is_any_thread || !strcmp(event->terms[i].name, "any");
	return refusal_explain(err, &known);
}

bool perf_target_is_gone(const struct perf_target *target, int error_number)
{
	return perf_target_is_task(target) ? error_number == ESRCH : error_number == ENODEV || error_number == ENXIO;
}
