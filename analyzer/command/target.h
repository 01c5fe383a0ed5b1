/* SPDX-License-Identifier: GPL-2.0-or-later */
/* target.h - the CPU that a command is about: this machine's, a named one's, or that of saved counts, with its data loaded. */
#ifndef TOPDOWN_TARGET_H
#define TOPDOWN_TARGET_H

#include "command/options.h"
#include "evaluate/report.h"
#include "identify/machine.h"
#include "load/database.h"
#include "load/model.h"

struct target {
	struct database database;
	struct machine machine;
	bool has_machine;      /* machine is filled: the command is about this machine (or the one below --sysroot) */
	const char *cpu;       /* database name */
	const struct pmu *pmu; /* the machine's, or an assumed one */
	struct event_database events;
	struct model model;
};

/* This machine, or the one below --sysroot, with --cpu's data if that is given. */
int target_machine(struct target *target, const struct options *options, struct arena *arena,
		   struct error *err) MUST_CHECK;

/* The machine and the database, with nothing loaded yet. */
int target_identify(struct target *target, const struct options *options, struct arena *arena,
		    struct error *err) MUST_CHECK;

/*
 * The core types of an identified machine, usually one, each with its events and model. One for which nothing is known is
 * left out with a warning on stderr, unless it is the only one. is_core_wide: what formulas may ask as #core_wide.
 */
struct target_types {
	struct target *items;
	size_t count;
};
struct target_facts {
	const struct target *identified;
	bool is_core_wide;
};
int target_types(struct target_types *types, const struct target_facts *facts, const struct options *options,
		 struct arena *arena, struct error *err) MUST_CHECK;

struct target_request {
	const struct options *options;
	const char *cpu;	   /* name or short name */
	const struct facts *facts; /* NULL: assumed */
	const char *events;	   /* asked for by name, NULL: none */
};

/* A CPU that is named. */
int target_named(struct target *target, const struct target_request *request, struct arena *arena,
		 struct error *err) MUST_CHECK;

/* The CPU that --cpu names, else this machine's. */
int target_find(struct target *target, const struct options *options, struct arena *arena,
		struct error *err) MUST_CHECK;

/* The words about the worst node of the report. Without a glossary the report has none. */
void target_words(struct report *report, const struct target *target, struct arena *arena);

/* Prints the warnings of the loaded data to stderr, the first few. */
void target_warn(const struct target *target);

#endif
