/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pressure_counts.c - --pressure: how long the work waited for a CPU, and PSI, of the machine and of a cgroup. The
 * kernel has the former for each thread while it runs, so threads are looked at now and then.
 */
#include <math.h>
#include <stdio.h>

#include "collect/observe/kernel_counts.h"
#include "collect/observe/observer.h"
#include "common/request/request.h"
#include "cpu/identify/usage.h"

#define NO_PSI	  "the kernel has no PSI there (CONFIG_PSI, and psi=1 on its command line)"
#define NO_DELAYS "the kernel has no /proc/PID/schedstat (CONFIG_SCHED_INFO)"
#define BY_TASK	  "Linux keeps it per thread: it is known for a program, processes and threads only"
#define NO_CGROUP "only a cgroup of version 2 has it, and there is none"

/* ---- threads, looked at ---- */

struct delay_of_thread {
	pid_t thread;
	double before; /* of others that had its number, s */
	double last;   /* as it was seen last, s */
};

static void pressure_counts_see(struct pressure_watch *watch, pid_t thread, double delay_s)
{
	struct delay_of_thread *seen = watch->seen;
	size_t i = 0;

	if (isnan(delay_s))
		return;
	while (i < watch->nseen && seen[i].thread != thread)
		i++;
	if (i == watch->nseen) {
		watch->seen = seen = arena_grow(watch->arena, seen, watch->nseen, &watch->capacity, sizeof(*seen));
		seen[watch->nseen++] = (struct delay_of_thread){ .thread = thread };
	}
	if (delay_s < seen[i].last)
		seen[i].before += seen[i].last;
	seen[i].last = delay_s;
}

static void look_at(struct pressure_watch *watch, pid_t task, enum usage_extent extent)
{
	struct arena arena;
	struct sysfiles files;
	pid_t *threads;
	size_t count;

	arena_init(&arena);
	files = sysfiles_below("", &arena);
	count = usage_threads(&threads, &files, task, extent);
	for (size_t i = 0; i < count; i++)
		pressure_counts_see(watch, threads[i], usage_run_delay(&files, threads[i]));
	arena_release(&arena);
}

struct pressure_watch *pressure_watch_new(const struct pressure_subject *subject, struct arena *arena)
{
	struct pressure_watch *watch = arena_alloc(arena, sizeof(*watch));

	*watch = (struct pressure_watch){ .of = *subject, .arena = arena };
	return watch;
}

void pressure_look(struct pressure_watch *watch)
{
	const struct subject *subject = watch ? watch->of.subject : NULL;
	const struct child *child = watch ? watch->of.child : NULL;

	for (size_t i = 0; subject && i < subject->nids; i++)
		look_at(watch, subject->ids[i], subject->kind == SUBJECT_PROCESSES ? USAGE_PROCESS : USAGE_THREAD);
	if (!child || (subject && subject->kind != SUBJECT_PROGRAM))
		return;
	if (child->has_ended)
		pressure_counts_see(watch, child->pid, child->used.run_delay_s);
	else
		look_at(watch, child->pid, USAGE_TREE);
}

/* Of one thread, or of all. */
static struct software_value delay_of(const struct pressure_watch *watch, pid_t thread)
{
	const struct subject *subject = watch->of.subject;
	double sum = 0;

	if (subject && (subject->kind == SUBJECT_CPUS || subject->kind == SUBJECT_CGROUP))
		return software_withheld(BY_TASK);
	if (!watch->nseen)
		return software_withheld(NO_DELAYS);
	for (size_t i = 0; i < watch->nseen; i++)
		if (!thread || watch->seen[i].thread == thread)
			sum += watch->seen[i].before + watch->seen[i].last;
	return software_known(sum, "/proc");
}

/* ---- PSI ---- */

static struct software_value stalled(double seconds, const char *source)
{
	return isnan(seconds) ? software_withheld(NO_PSI) : software_known(seconds, source);
}

static void add_cgroup(struct software *s, const struct pressure_watch *watch, const struct sysfiles *files)
{
	struct pressure p;
	const char *directory = watch->of.cgroup > 0 ? arena_printf(files->arena, "proc/self/fd/%d", watch->of.cgroup)
						     : own_cgroup(files);
	const char *why = directory ? NO_PSI : NO_CGROUP;

	if (!directory || !pressure_read(&p, files, directory)) {
		for (size_t i = SOFTWARE_GROUP_CPU; i <= SOFTWARE_GROUP_IO; i++)
			s->values[i] = software_withheld(why);
		return;
	}
	s->values[SOFTWARE_GROUP_CPU] = stalled(p.cpu_s, "cgroup");
	s->values[SOFTWARE_GROUP_MEMORY] = stalled(p.memory_s, "cgroup");
	s->values[SOFTWARE_GROUP_IO] = stalled(p.io_s, "cgroup");
}

void pressure_tell(struct software *s, const struct pressure_watch *watch, pid_t thread)
{
	struct arena arena;
	struct sysfiles files;
	struct pressure p;

	if (!watch)
		return;
	arena_init(&arena);
	files = sysfiles_below(watch->of.sysroot, &arena);
	pressure_read(&p, &files, "proc/pressure");
	s->values[SOFTWARE_MACHINE_CPU] = stalled(p.cpu_s, "/proc");
	s->values[SOFTWARE_MACHINE_MEMORY] = stalled(p.memory_s, "/proc");
	s->values[SOFTWARE_MACHINE_IO] = stalled(p.io_s, "/proc");
	files = sysfiles_below("", &arena);
	add_cgroup(s, watch, &files);
	s->values[SOFTWARE_RUN_DELAY] = delay_of(watch, thread);
	arena_release(&arena);
}

/* ---- is there any? ---- */

static bool is_pressure_wanted(const struct request *request)
{
	return request->setup->packing.wants_pressure;
}

static int check_pressure(const struct request *request, struct error *err)
{
	struct arena arena;
	struct sysfiles files;
	struct pressure p;
	bool has_any;

	arena_init(&arena);
	files = sysfiles_below(request->setup->machine.sysroot, &arena);
	has_any = pressure_read(&p, &files, "proc/pressure") || sysfile_read(&files, "proc/self/schedstat");
	arena_release(&arena);
	if (has_any)
		return 0;
	return error_set(err, "{pressure}: this kernel has neither /proc/pressure (CONFIG_PSI, and psi=1 on its "
			      "command line) nor /proc/PID/schedstat (CONFIG_SCHED_INFO)");
}

const struct observer_kind observe_pressure = { is_pressure_wanted, check_pressure, NULL };
