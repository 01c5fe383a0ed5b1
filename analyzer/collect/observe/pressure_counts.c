/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pressure_counts.c - --pressure: how long the work waited for a CPU, and PSI, of the machine and of a cgroup. The
 * kernel has the former for each thread while it runs, so threads are looked at now and then.
 */
#include "collect/observe/observer.h"

#include <math.h>

#include "collect/count/launch.h"
#include "common/measurement/software.h"
#include "common/request/request.h"
#include "cpu/identify/usage.h"

#define LOOK_S 0.1 /* between two looks at the threads: one that comes and goes in between is not seen */

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

struct pressure_watch {
	const struct subject *subject;
	const struct child *program; /* NULL: it is not the subject */
	const char *sysroot;
	int cgroup;		      /* descriptor of the subject's; 0: topdown's own, in which the program is too */
	struct delay_of_thread *seen; /* threads, as they were seen last */
	size_t nseen, capacity;
	struct loop_alarm look;
	struct arena *arena;
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

struct pressure_watch *pressure_watch_new(const struct observer_sites *sites, const char *sysroot, struct arena *arena)
{
	struct pressure_watch *watch = arena_alloc(arena, sizeof(*watch));

	*watch = (struct pressure_watch){
		.subject = &sites->request->subject, .program = sites->program, .sysroot = sysroot, .arena = arena
	};
	if (watch->subject->kind == SUBJECT_CGROUP && sites->count)
		watch->cgroup = sites->items[0].target.pid;
	return watch;
}

void pressure_look(struct pressure_watch *watch)
{
	const struct subject *subject = watch ? watch->subject : NULL;
	const struct child *program = watch ? watch->program : NULL;

	for (size_t i = 0; subject && i < subject->nids; i++)
		look_at(watch, subject->ids[i], subject->kind == SUBJECT_PROCESSES ? USAGE_PROCESS : USAGE_THREAD);
	if (program && program->has_ended)
		pressure_counts_see(watch, program->pid, program->used.run_delay_s);
	else if (program)
		look_at(watch, program->pid, USAGE_TREE);
}

static int look_is_due(void *context, struct error *err UNUSED)
{
	pressure_look(context);
	return 0;
}

void pressure_attach(struct pressure_watch *watch, struct loop *loop)
{
	if (!watch)
		return;
	watch->look = (struct loop_alarm){ .call = look_is_due, .context = watch, .period_s = LOOK_S };
	loop_set(loop, &watch->look, clock_now());
}

/* Of one thread, or of all. */
static struct software_value delay_of(const struct pressure_watch *watch, pid_t thread)
{
	enum subject_kind kind = watch->subject->kind;
	double sum = 0;

	if (kind == SUBJECT_CPUS || kind == SUBJECT_CGROUP)
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
	const char *directory =
		watch->cgroup > 0 ? arena_printf(files->arena, "proc/self/fd/%d", watch->cgroup) : own_cgroup(files);
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
	files = sysfiles_below(watch->sysroot, &arena);
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

int pressure_check(const struct request *request, struct error *err)
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
