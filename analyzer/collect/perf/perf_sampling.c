/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/perf/perf_sampling.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "collect/perf/refusals.h"

#define MSR_LOAD_LATENCY 0x3f6
#define AUXILIARY	 "mem-loads-aux" /* arch/x86/events/intel/core.c, require_mem_loads_aux_event */
#define IBS_OP		 "ibs_op"
#define IBS_STEP	 16u /* periods of IBS are multiples of it (arch/x86/events/amd/ibs.c) */

#define MOST_MEMBERS 64 /* of a group that is read */

#define TIMES (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)
#ifndef PERF_FORMAT_LOST
#define PERF_FORMAT_LOST (1u << 4)
#endif

uint64_t perf_sampling_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* An event for sentences about one that no model has. */
static struct event event_named(const char *name)
{
	return (struct event){ .name = name };
}

static void exclude_by_scope(struct perf_event_attr *attr, enum scope scope)
{
	attr->exclude_kernel = attr->exclude_hv = scope == SCOPE_USER;
	attr->exclude_user = scope == SCOPE_KERNEL;
}

/* What all records of the ring have in common. */
static void attr_add_records(struct perf_event_attr *attr, uint64_t extra)
{
	attr->sample_type = SAMPLING_TYPE | extra;
	attr->sample_id_all = 1;
	attr->use_clockid = 1;
	attr->clockid = CLOCK_MONOTONIC;
	attr->watermark = 1; /* without a number: half of the ring (kernel/events/ring_buffer.c, ring_buffer_init) */
	attr->read_format = TIMES | PERF_FORMAT_LOST;
}

static void attr_add_period(struct perf_event_attr *attr, const struct perf_sampling *how)
{
	attr->freq = !how->period;
	if (attr->freq)
		attr->sample_freq = how->frequency;
	else
		attr->sample_period = how->period;
}

static int attr_of_sampling(struct perf_event_attr *attr, const struct perf_target *target,
			    const struct perf_sampling *how, struct error *err)
{
	if (how->event && perf_attr_of_event(attr, target, how->event, err) < 0)
		return -1;
	if (!how->event) {
		*attr = (struct perf_event_attr){ .size = sizeof(*attr), .type = how->type, .config = how->config };
		attr->inherit = perf_target_is_task(target);
		exclude_by_scope(attr, target->scope);
		/* Nobody waits for the time of a CPU that has nothing to do. */
		attr->exclude_idle = how->type == PERF_TYPE_SOFTWARE;
		attr->context_switch = how->has_turns;
		if (how->has_turns) /* it is the kernel that switches: without it there are no samples */
			attr->exclude_kernel = attr->exclude_user = attr->exclude_hv = 0;
	}
	attr->disabled = 1;
	attr->pinned = how->is_pinned;
	attr->enable_on_exec = target->start == PERF_START_WITH_EXEC && perf_target_is_task(target);
	attr_add_records(attr, how->extra);
	attr_add_period(attr, how);
	/* The kernel's frames are the scheduler's; where a stack is copied, the user's chain is not needed. */
	attr->exclude_callchain_kernel = how->has_turns;
	attr->exclude_callchain_user = how->has_turns && how->extra & PERF_SAMPLE_STACK_USER;
	attr->sample_regs_user = how->extra & PERF_SAMPLE_REGS_USER ? how->registers : 0;
	attr->sample_stack_user = how->extra & PERF_SAMPLE_STACK_USER ? how->stack_bytes : 0;
	if (how->extra & PERF_SAMPLE_BRANCH_STACK)
		attr->branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK;
	return 0;
}

/* PERF_FORMAT_LOST came with Linux 6.0. */
static int open_at(struct perf_sampled *sampled, struct perf_event_attr *attr, const struct perf_target *target)
{
	int fd = perf_open_at(attr, target, sampled->leader);

	if (fd == -EINVAL && attr->read_format & PERF_FORMAT_LOST) {
		attr->read_format &= ~(uint64_t)PERF_FORMAT_LOST;
		fd = perf_open_at(attr, target, sampled->leader);
		if (fd < 0)
			attr->read_format |= PERF_FORMAT_LOST;
	}
	sampled->has_lost = attr->read_format & PERF_FORMAT_LOST;
	return fd;
}

/* ---- fallbacks ---- */

static bool is_unsupported(int fd)
{
	return fd == -EOPNOTSUPP || fd == -EINVAL || fd == -ENOENT || fd == -ENODEV;
}

/* AMD's 0x76, "ls_not_halted_cyc" or "CPU_CLK_UNHALTED": of other vendors' CPUs none has ibs_op. */
static bool counts_cycles(const struct perf_sampling *how)
{
	return how->event ? how->event->row && how->event->row->code == 0x76 && !how->event->row->umask
			  : how->type == PERF_TYPE_HARDWARE && how->config == PERF_COUNT_HW_CPU_CYCLES;
}

/*
 * Before 6.2 the kernel takes cycles:p for ibs_op on whole CPUs only, and refuses what leaves the kernel out; then
 * ibs_op itself is tried, whose samples are of cycles too.
 */
static int open_by_ibs(struct perf_sampled *sampled, const struct perf_target *target,
		       const struct perf_event_attr *precise)
{
	struct perf_event_attr attr = *precise;
	int fd;

	attr.type = machine_pmu_type(IBS_OP, target->arena);
	if (!attr.type)
		return -ENOENT;
	attr.config = attr.config1 = attr.config2 = 0;
	attr.precise_ip = 0;
	if (!attr.freq)
		attr.sample_period = attr.sample_period / IBS_STEP * IBS_STEP;
	fd = open_at(sampled, &attr, target);
	if (fd < 0)
		return fd;
	sampled->is_by_ibs = true;
	return fd;
}

/* As precise as the PMU takes it. */
static int open_precise(struct perf_sampled *sampled, const struct perf_target *target, struct perf_event_attr *attr,
			const struct perf_sampling *how)
{
	int fd = -EINVAL;

	for (unsigned precise = how->precise;; precise--) {
		attr->precise_ip = precise & 3;
		sampled->precise = precise;
		fd = open_at(sampled, attr, target);
		if (fd >= 0 || !precise || !is_unsupported(fd))
			return fd;
		if (precise > 1 || !counts_cycles(how))
			continue;
		fd = open_by_ibs(sampled, target, attr);
		if (fd >= 0)
			return fd;
	}
}

/* It has to be on a counter for load latency to be right, whatever it counts. */
static void open_auxiliary(struct perf_sampled *sampled, const struct perf_target *target,
			   const struct perf_event_attr *main, const struct perf_sampling *how)
{
	struct pmu_term terms[EVENT_TERMS];
	struct error ignored = { .status = 0 };
	struct perf_event_attr attr;
	const char *text;
	int count;

	if (!how->event || how->event->msr != MSR_LOAD_LATENCY)
		return;
	text = pmu_event(target->pmu, AUXILIARY);
	count = text ? pmu_parse_terms(text, terms, COUNT_OF(terms), target->arena, &ignored) : -1;
	if (count < 0 || perf_attr_init(&attr, target->pmu, terms, (size_t)count, &ignored) < 0)
		return;
	attr.disabled = 1;
	attr.enable_on_exec = main->enable_on_exec;
	attr.inherit = main->inherit;
	attr.exclude_kernel = main->exclude_kernel;
	attr.exclude_user = main->exclude_user;
	attr.exclude_hv = main->exclude_hv;
	sampled->leader = perf_open_at(&attr, target, -1);
	if (sampled->leader < 0)
		sampled->leader = -1;
}

/* ---- groups ---- */

static void close_members(struct perf_sampled *sampled)
{
	for (size_t i = sampled->nmembers; i-- > 0;)
		if (sampled->fds[i] >= 0)
			close(sampled->fds[i]);
	sampled->fd = sampled->leader = -1;
	sampled->nmembers = 0;
}

static int member_attr(struct perf_event_attr *attr, const struct perf_target *target, const struct perf_sampling *how,
		       const struct event *member, struct error *err)
{
	if (member == how->event) {
		if (attr_of_sampling(attr, target, how, err) < 0)
			return -1;
	} else if (perf_attr_of_event(attr, target, member, err) < 0) {
		return -1;
	}
	/* With inherit, the kernel reads a thread's own count only of events that have PERF_SAMPLE_READ. */
	attr->sample_type |= PERF_SAMPLE_READ | PERF_SAMPLE_TID | PERF_SAMPLE_IDENTIFIER;
	attr->read_format = SAMPLED_GROUP_FORMAT;
	/* A group has one clock (kernel/events/core.c, perf_event_open). */
	attr->use_clockid = 1;
	attr->clockid = CLOCK_MONOTONIC;
	attr->disabled = attr->enable_on_exec = 0;
	return 0;
}

/* 0, or -errno with what is open closed, or 1 with err. */
static int open_members(struct perf_sampled *sampled, const struct perf_target *target, const struct perf_sampling *how,
			struct error *err)
{
	bool starts = target->start == PERF_START_WITH_EXEC && perf_target_is_task(target);

	for (size_t i = 0; i < how->nmembers; i++) {
		struct perf_event_attr attr;
		int fd;

		if (member_attr(&attr, target, how, how->members[i], err) < 0)
			return 1;
		attr.inherit = attr.inherit && !sampled->is_alone;
		attr.disabled = i == 0;
		attr.enable_on_exec = i == 0 && starts;
		fd = perf_open_at(&attr, target, i ? sampled->fds[0] : -1);
		if (fd < 0)
			return fd;
		sampled->fds[i] = fd;
		if (ioctl(fd, PERF_EVENT_IOC_ID, &sampled->ids[i]) < 0) {
			close(fd);
			return -errno;
		}
		sampled->nmembers++;
		if (how->members[i] == how->event)
			sampled->fd = fd;
	}
	return 0;
}

/* First as what the task starts inherits it; the kernel takes that together with reading since Linux 6.12. */
static int open_group(struct perf_sampled *sampled, const struct perf_target *target, const struct perf_sampling *how,
		      struct error *err)
{
	size_t refused;
	int status;

	sampled->fds = arena_array(target->arena, how->nmembers, sizeof(*sampled->fds));
	sampled->ids = arena_array(target->arena, how->nmembers, sizeof(*sampled->ids));
	status = open_members(sampled, target, how, err);
	if (status == -EINVAL && perf_target_is_task(target)) {
		close_members(sampled);
		sampled->is_alone = true;
		status = open_members(sampled, target, how, err);
	}
	if (status == 0) {
		sampled->leader = sampled->fds[0] == sampled->fd ? -1 : sampled->fds[0];
		return 0;
	}
	refused = sampled->nmembers;
	close_members(sampled);
	if (status > 0)
		return -1;
	sampled->fd = status;
	return perf_refuse(err, -status, target, how->members[refused], refused > 0);
}

static int complete(struct perf_sampled *sampled, const struct perf_target *target, const char *name, struct error *err)
{
	if (ioctl(sampled->fd, PERF_EVENT_IOC_ID, &sampled->id) == 0)
		return 0;
	refusal(err, errno, target->machine, name);
	perf_sampled_close(sampled);
	return -1;
}

int perf_sampled_open(struct perf_sampled *sampled, const struct perf_target *target, const struct perf_sampling *how,
		      struct error *err)
{
	const struct event named = event_named(how->name);
	struct perf_event_attr attr;

	*sampled = PERF_NOT_SAMPLED;
	if (how->nmembers)
		return open_group(sampled, target, how, err) < 0 ? -1 : complete(sampled, target, how->name, err);
	if (attr_of_sampling(&attr, target, how, err) < 0)
		return -1;
	open_auxiliary(sampled, target, &attr, how);
	if (sampled->leader >= 0)
		attr.disabled = attr.enable_on_exec = 0;
	sampled->fd = open_precise(sampled, target, &attr, how);
	if (how->has_turns && (sampled->fd == -EACCES || sampled->fd == -EPERM))
		return error_set(
			err, "the kernel reports where threads wait to root and to whoever has CAP_PERFMON, and with "
			     "`sudo sysctl kernel.perf_event_paranoid=1` to every user");
	if (sampled->fd < 0)
		return perf_refuse(err, -sampled->fd, target, how->event ? how->event : &named, sampled->leader >= 0);
	return complete(sampled, target, how->name, err);
}

int perf_tracking_open(struct perf_sampled *sampled, const struct perf_target *target, struct error *err)
{
	const struct event named = event_named("dummy");
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.inherit = perf_target_is_task(target),
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	*sampled = PERF_NOT_SAMPLED;
	attr_add_records(&attr, 0);
	sampled->fd = open_at(sampled, &attr, target);
	if (sampled->fd < 0)
		return perf_refuse(err, -sampled->fd, target, &named, false);
	return complete(sampled, target, named.name, err);
}

int perf_switches_open(struct perf_sampled *sampled, const struct perf_target *target, const struct perf_sampling *how)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.inherit = perf_target_is_task(target),
		.comm = 1,
		.task = 1,
		.context_switch = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	*sampled = PERF_NOT_SAMPLED;
	attr_add_records(&attr, how->extra);
	attr.sample_regs_user = how->registers;
	if (how->registers) { /* a sample of each switch: of the kernel's, which is where a thread leaves its CPU */
		attr.config = PERF_COUNT_SW_CONTEXT_SWITCHES;
		attr.sample_period = 1;
		attr.exclude_kernel = attr.exclude_hv = 0;
	}
	sampled->fd = open_at(sampled, &attr, target);
	return sampled->fd < 0 ? sampled->fd : 0;
}

int perf_tracepoint_sampled_open(struct perf_sampled *sampled, const struct perf_target *target,
				 const struct perf_sampling *how)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = how->config,
		.sample_period = 1,
		.inherit = perf_target_is_task(target),
	};

	*sampled = PERF_NOT_SAMPLED;
	attr_add_records(&attr, how->extra);
	attr.sample_regs_user = how->registers;
	sampled->fd = open_at(sampled, &attr, target);
	return sampled->fd < 0 ? sampled->fd : 0;
}

static int passing_complete(struct perf_sampled *sampled, const char *filter)
{
	if (filter && ioctl(sampled->fd, PERF_EVENT_IOC_SET_FILTER, filter) < 0)
		return -errno;
	return ioctl(sampled->fd, PERF_EVENT_IOC_ID, &sampled->id) < 0 ? -errno : 0;
}

int perf_passing_open(struct perf_sampled *sampled, const struct perf_target *target,
		      const struct perf_passing *passing)
{
	struct perf_event_attr attr = {
		.type = passing->type,
		.size = sizeof(attr),
		.config = passing->config,
		.config1 = passing->config1,
		.config2 = passing->config2,
		.sample_period = 1,
		.disabled = 1,
		.inherit = perf_target_is_task(target),
		.enable_on_exec = target->start == PERF_START_WITH_EXEC && perf_target_is_task(target),
		.sample_regs_user = passing->registers,
		.sample_stack_user = passing->stack_bytes,
	};

	*sampled = PERF_NOT_SAMPLED;
	attr_add_records(&attr, passing->extra);
	sampled->fd = open_at(sampled, &attr, target);
	return sampled->fd < 0 ? sampled->fd : passing_complete(sampled, passing->filter);
}

int perf_sampled_share(const struct perf_sampled *sampled, int fd)
{
	return ioctl(sampled->fd, PERF_EVENT_IOC_SET_OUTPUT, fd) < 0 ? -errno : 0;
}

void perf_sampled_switch(const struct perf_sampled *sampled, bool is_on)
{
	int fd = sampled->leader >= 0 ? sampled->leader : sampled->fd;

	if (fd >= 0)
		ioctl(fd, is_on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

/* Of a group: as SAMPLED_GROUP_FORMAT has it, the number of values before the times. */
static void read_times(struct perf_sampled *sampled)
{
	uint64_t answer[3 + 2 * MOST_MEMBERS];

	if (read(sampled->fd, answer, sizeof(answer)) < (ssize_t)(3 * sizeof(uint64_t)))
		return;
	sampled->enabled_ns = answer[1];
	sampled->running_ns = answer[2];
}

void perf_sampled_read(struct perf_sampled *sampled)
{
	struct {
		uint64_t value, enabled_ns, running_ns, lost;
	} answer = { 0 };

	if (sampled->nmembers) {
		read_times(sampled);
		return;
	}
	if (sampled->fd < 0 || read(sampled->fd, &answer, sizeof(answer)) < (ssize_t)(3 * sizeof(uint64_t)))
		return;
	sampled->enabled_ns = answer.enabled_ns;
	sampled->running_ns = answer.running_ns;
	sampled->lost = answer.lost;
}

void perf_sampled_close(struct perf_sampled *sampled)
{
	if (sampled->nmembers) {
		close_members(sampled);
		return;
	}
	if (sampled->fd >= 0)
		close(sampled->fd);
	if (sampled->leader >= 0)
		close(sampled->leader);
	sampled->fd = sampled->leader = -1;
}
