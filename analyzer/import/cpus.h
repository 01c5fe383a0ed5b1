/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cpus.h - events/cpus.json: what the vendors' files do not say of a CPU in a form that a program can read. */
#ifndef TOPDOWN_IMPORT_CPUS_H
#define TOPDOWN_IMPORT_CPUS_H

#include "base/arena.h"
#include "base/error.h"

struct cpu_facts {
	const char *file; /* perfmon: NAME of NAME_core.json; perf: the folder; arm: NAME of NAME.json */
	const char *name; /* "alderlake:atom" */
	const char *short_name, *vendor, *title, *pmu,
		*pfm;	     /* as in the header of the events; "" where nothing is known */
	const char *match;   /* patterns of the map, separated by blanks */
	const char *slots;   /* width, or "" */
	const char *metrics; /* name of the metrics file, or of the folder of Linux that has them; "": as file */
	const char *
		domains; /* a metrics file beside the platform's folder that says what the same nodes are shares of, or "" */
	const char *cycles;  /* the cycles event, where it is not the vendor's usual one; or "" */
	const char *no_tree; /* why there is no tree of slots, or "" */
};

struct cpu_list {
	struct cpu_facts *items;
	size_t count, capacity;
};

/* path may be NULL: an empty list. */
int cpus_read(struct cpu_list *cpus, const char *path, struct arena *arena, struct error *err) MUST_CHECK;

/* The facts of a CPU that nobody wrote down. */
struct cpu_facts cpu_unknown(const char *file, const char *vendor, struct arena *arena);

/* Place in the list, or its length. */
size_t cpu_place(const struct cpu_list *cpus, const char *name);

#endif
