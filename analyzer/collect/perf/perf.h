/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf.h - what opening an event takes, whatever it is opened for: its attr, the system call with its retries, and the
 * reason of a refusal. perf_group.h counts with it. The only folder that calls perf_event_open.
 */
#ifndef TOPDOWN_COLLECT_PERF_PERF_H
#define TOPDOWN_COLLECT_PERF_PERF_H

#include <linux/perf_event.h>
#include <sys/types.h>

#include "common/measurement/scope.h"
#include "cpu/event/event.h"
#include "cpu/identify/machine.h"

/* How leaders start; their siblings go with them. */
enum perf_start {
	PERF_START_WITH_EXEC, /* of the task, by themselves */
	PERF_START_LATER,     /* when they are switched on */
};

/* Whose work is counted or sampled, and where. */
struct perf_target {
	pid_t pid;	     /* process or thread; -1: all on the CPU; with is_cgroup the descriptor of its directory */
	const unsigned *cpu; /* NULL: any */
	bool is_cgroup;
	bool is_attached; /* a process that somebody else has started */
	enum perf_start start;
	enum scope scope;      /* whatever the events say, but for their own modifiers */
	const struct pmu *pmu; /* real */
	const struct machine *machine;
	const struct event *events; /* model->events.events */
	struct arena *arena;
};

/* perf_event_open, repeated where that can help: interrupted, or at the soft limit of descriptors. fd or -errno. */
int perf_open_at(const struct perf_event_attr *attr, const struct perf_target *target, int leader) MUST_CHECK;

/* The same of a process or thread, on any CPU. */
int perf_open(const struct perf_event_attr *attr, pid_t pid, int leader) MUST_CHECK;

/*
 * Opens an event of the kernel's own on this process, for which permission is checked as for any other: 0 or -errno.
 */
int perf_try_dummy(bool is_user_only) MUST_CHECK;

/* attr of these terms on the PMU, neither enabled nor inherited; -1 and err as pmu_pack. */
int perf_attr_init(struct perf_event_attr *attr, const struct pmu *pmu, const struct pmu_term *terms, size_t count,
		   struct error *err) MUST_CHECK;

/* The same for an event of the model, with the target's scope; a task's event is inherited by what it starts. */
int perf_attr_of_event(struct perf_event_attr *attr, const struct perf_target *target, const struct event *event,
		       struct error *err) MUST_CHECK;

/*
 * Always -1: why the kernel refused the event, and what changes that. is_member: others of its group are open already.
 */
int perf_refuse(struct error *err, int error_number, const struct perf_target *target, const struct event *event,
		bool is_member);

/*
 * Counts how often the tracepoint of this number is passed, and where filter is not NULL only what it fits
 * ("id == 1"). fd or -errno. It starts with the task's exec, or when it is switched on.
 */
int perf_tracepoint_open(const struct perf_target *target, uint64_t number, const char *filter) MUST_CHECK;
void perf_tracepoint_switch(int fd, bool is_on);
/* False: it could not be read. */
bool perf_tracepoint_close(int fd, uint64_t *count);

/* What a task starts belongs to it; a CPU or a cgroup has everything already. */
bool perf_target_is_task(const struct perf_target *target);

/* Does that error mean that the task has ended since it was found, or the CPU was taken away? That is no refusal. */
bool perf_target_is_gone(const struct perf_target *target, int error_number);

/* Is it counted by the kernel? The others come from a clock. */
bool is_kernel_event(const struct event *event);

#endif
