/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * software.h - what the kernel counts of a program by itself, whatever the PMU counts: context switches, page faults,
 * user and system time, bytes. A row of the table is a kind; files, reports and events of -e have its names.
 */
#ifndef TOPDOWN_COMMON_MEASUREMENT_SOFTWARE_H
#define TOPDOWN_COMMON_MEASUREMENT_SOFTWARE_H

#include <stdbool.h>
#include <stddef.h>

enum software_kind {
	SOFTWARE_TASK_CLOCK, /* CPU time of the tasks, s */
	SOFTWARE_USER,	     /* its part in user mode, s */
	SOFTWARE_SYSTEM,     /* and in the kernel, s */
	SOFTWARE_SWITCHES,
	SOFTWARE_MIGRATIONS,
	SOFTWARE_MINOR, /* page faults that need no disk */
	SOFTWARE_MAJOR,
	SOFTWARE_ALIGNMENT,
	SOFTWARE_EMULATION,
	SOFTWARE_READ, /* bytes from storage: what the page cache had costs none */
	SOFTWARE_WRITTEN,
	/* --pressure: time in which work was held up, s; of the subject itself, its cgroup and the whole machine */
	SOFTWARE_RUN_DELAY, /* runnable, and waiting for a CPU; summed over its threads */
	SOFTWARE_GROUP_CPU,
	SOFTWARE_GROUP_MEMORY,
	SOFTWARE_GROUP_IO,
	SOFTWARE_MACHINE_CPU,
	SOFTWARE_MACHINE_MEMORY,
	SOFTWARE_MACHINE_IO,
	SOFTWARE_KINDS
};

#define SOFTWARE_PRESSURE SOFTWARE_RUN_DELAY /* the first kind that is measured only when asked for */

/* What is known of each kind, whoever counted it. */
struct software_row {
	const char *key;     /* in files: "context_switches" */
	const char *event;   /* as perf spells it, "context-switches"; NULL: perf has none */
	const char *alias;   /* perf's short name, "cs"; NULL: it has none */
	const char *words;   /* to people: "context switches" */
	const char *unit;    /* "s", "B"; "": a number */
	const char *meaning; /* a sentence */
};

extern const struct software_row software_rows[SOFTWARE_KINDS];

/* The kind of this name in any spelling; SOFTWARE_KINDS: there is none. "page-faults" is two kinds, and none here. */
enum software_kind software_find(const char *name);

struct software;
struct software_value;

/* What an event of -e comes to, "page-faults" too. software NULL: nothing was counted. */
struct software_value software_event(const struct software *software, const char *event);

/* One kind, as it was counted. */
struct software_value {
	double value;	    /* NAN: unknown */
	const char *source; /* "perf", "getrusage", "/proc", "cgroup"; NULL: unknown */
	const char *reason; /* why it is unknown; NULL: it is known, or was not asked for */
};

/* A tracepoint that -e names: "sched:sched_switch". */
struct software_traced {
	const char *name;
	struct software_value value;
};

/* All kinds, by their numbers, and tracepoints. */
struct software {
	struct software_value values[SOFTWARE_KINDS];
	struct software_traced *traced;
	size_t ntraced;
};

/* Nothing is known yet, and nobody has asked. */
struct software software_unknown(void);

/* Known: counted by source. */
struct software_value software_known(double value, const char *source);

/* Unknown: withheld, for this reason. */
struct software_value software_withheld(const char *reason);

/* Is there anything to say of it: a value, or why there is none? */
bool is_software_asked(const struct software_value *value);

/* What both have; where one is unknown the sum is, for its reason. */
struct software_value software_sum(struct software_value a, struct software_value b);

/* What came since; unknown where either is, or where it is less than before. */
struct software_value software_since(struct software_value now, struct software_value before);

#endif
