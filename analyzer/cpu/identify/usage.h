/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * usage.h - what the kernel says in /proc and in a cgroup's files that was used: CPU time, page faults, bytes, and the
 * time in which work was held up (PSI). All of it counts from the start of the task, the cgroup or the machine: two
 * readings make a measurement. Unknown is NAN.
 */
#ifndef TOPDOWN_CPU_IDENTIFY_USAGE_H
#define TOPDOWN_CPU_IDENTIFY_USAGE_H

#include <sys/types.h>

#include "cpu/identify/sysfile.h"

enum usage_extent {
	USAGE_THREAD,  /* one thread */
	USAGE_PROCESS, /* all of its threads, ended ones too, and the children that it has waited for */
	USAGE_TREE,    /* ... and those that still run, with theirs */
};

struct usage {
	double user_s, system_s;
	double minor_faults, major_faults;
	double switches;		    /* of threads that run; of a process without those that have ended */
	double read_bytes, written_bytes;   /* storage's */
	const char *no_bytes, *no_cpu_time; /* why these are unknown; NULL: they are known */
};

/* Nothing is known. */
struct usage usage_unknown(void);

/* a and b together. */
void usage_add(struct usage *a, const struct usage *b);

enum usage_more { USAGE_PLAIN, USAGE_SWITCHES }; /* are the switches read too, thread by thread? */

/* False: the task has ended. Strings are constants. */
bool usage_of_task(struct usage *usage, const struct sysfiles *files, pid_t task, enum usage_extent extent,
		   enum usage_more more);

/* The threads that run now, in the arena of files; returns their number. */
size_t usage_threads(pid_t **threads, const struct sysfiles *files, pid_t task, enum usage_extent extent);

/* Seconds in which the thread could have run and had no CPU; NAN: it has ended, or the kernel does not say it. */
double usage_run_delay(const struct sysfiles *files, pid_t thread);

/* Of a CPU, or with ALL_CPUS of all: user_s and system_s, interrupts in it. False: /proc/stat does not have it. */
#define ALL_CPUS ((unsigned)-1)
bool usage_of_cpu(struct usage *usage, const struct sysfiles *files, unsigned cpu);

/* Seconds of a CPU since the machine's start; stolen: by the host of a virtual machine, NAN: the kernel is too old. */
struct cpu_spent {
	double user_s, system_s, interrupt_s, idle_s, iowait_s, stolen_s;
	double all_s, busy_s; /* the sum, and without idle_s and iowait_s */
};

/* Of the line that begins with this name ("cpu": all of them, "cpu7") in the text of /proc/stat. False: none has it. */
bool cpu_spent_parse(struct cpu_spent *times, const char *text, const char *name);

/* The kernel's ticks, in which it counts CPU time for users, as seconds. */
double tick_seconds(double count);

/* What the machine does now; times count from its start. NAN: unknown. */
struct machine_load {
	double all_s, stolen_s; /* of all CPUs together; stolen: by the host of a virtual machine */
	double interrupts;
	double running; /* tasks that run or could, this one too */
};
void machine_load_read(struct machine_load *load, const struct sysfiles *files);

/* CPUs that the cgroup of this process may use, INFINITY: any; NAN: unknown. throttled: how often it had to wait. */
double cgroup_quota(double *throttled, const struct sysfiles *files);

/* CPU time that the quota of this process's cgroup has kept from it; NAN: unknown, or it is in none. */
double cgroup_throttled_s(const struct sysfiles *files);

/* Of a cgroup of version 2: its directory below the root, "sys/fs/cgroup/a". False: it has no such files. */
bool usage_of_cgroup(struct usage *usage, const struct sysfiles *files, const char *directory);

/* Seconds in which some task was held up for want of it; full: all that could run were. */
struct pressure {
	double cpu_s, memory_s, io_s;
	double memory_full_s, io_full_s;
};

/* The directory is "proc/pressure" or a cgroup's. False: the kernel has no PSI there. */
bool pressure_read(struct pressure *pressure, const struct sysfiles *files, const char *directory);

/* The directory of this process's own cgroup of version 2, below the root; NULL: it has none. */
const char *own_cgroup(const struct sysfiles *files);

#endif
