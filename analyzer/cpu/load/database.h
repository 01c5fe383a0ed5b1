/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * database.h - where the event databases and models lie, and which of them belongs to a CPU: events/mapfile.csv by
 * perf's rules (linux tools/perf/pmu-events, arch/x86/util/header.c, arch/arm64/util/header.c).
 */
#ifndef TOPDOWN_CPU_LOAD_DATABASE_H
#define TOPDOWN_CPU_LOAD_DATABASE_H

#include <stdbool.h>

#include "common/base/arena.h"
#include "common/base/error.h"
#include "cpu/identify/pmu.h"

/* What the simulator counts has a name, but no row: no CPU is it. */
#define SIMULATED_CPU "sim"

/* What the names of those begin with that stand for all CPUs of an architecture that no row knows. */
#define GENERIC_CPU_PREFIX "generic-"

struct cpu_row {
	const char *pattern; /* x86: regular expression for the CPU string; arm64: MIDR, at least this revision */
	const char *version;
	/* "sapphirerapids": events/NAME.json and models/NAME.json; "alderlake:atom": alderlake-atom.json */
	const char *name;
	const char *short_name; /* fifth column, ours: "SPR"; "" if there is none */
	/* sixth column, ours: the row is of machines whose PMU shows this event of the kernel's; "": of all */
	const char *kernel_event;
};

struct database_directory {
	const char *path;
	/* made together with the program: what it has inside is used for each file that is the same */
	bool may_be_built_in;
};

struct database {
	struct database_directory *directories; /* searched in this order; what is inside the program comes last */
	size_t ndirectories;
	struct cpu_row *cpus; /* rows of all mapfiles, in that order; the first match wins */
	size_t ncpus, capacity;
	bool is_complete; /* the rows inside the program, which come last, are there too */
	struct arena *arena;
};

/*
 * Directories: option (--db, may be NULL), $TOPDOWN_DB, $XDG_DATA_HOME/topdown, the installed share directory; for a
 * program of the build folder, the source tree instead of the last. -1 when option or $TOPDOWN_DB is no database, or a
 * mapfile can't be read. That there are none is no error.
 */
int database_open(struct database *database, const char *option, struct arena *arena, struct error *err) MUST_CHECK;

/*
 * Where a directory has a mapfile, that inside the program is unpacked only when something is not in it; this does so
 * now, for who asks for all CPUs. -1 when this copy of the program is damaged.
 */
int database_complete(struct database *database, struct error *err) MUST_CHECK;

/* The name for a CPU string and its PMU (NULL: it shows none), or NULL when no row matches. */
const char *database_match(struct database *database, const char *cpuid, const struct pmu *pmu);

/* The same for the cores of one type of a hybrid: "atom" finds "alderlake:atom". */
const char *database_match_type(struct database *database, const char *cpuid, const struct pmu *pmu);

/*
 * The name that was typed, or whose short name was typed; of a hybrid CPU without a core type the performance
 * core. NULL and err with the nearest names otherwise.
 */
const char *database_name(struct database *database, const char *typed, struct arena *arena,
			  struct error *err) MUST_CHECK;

/*
 * The path of a file such as "events/sim/cores.csv" in the first directory that has it, else
 * inside the program, else NULL.
 */
const char *database_find(const struct database *database, const char *file, struct arena *arena) MUST_CHECK;

/*
 * The path of kind/NAME.json ("events" or "models"), or of the directory events/NAME of an upstream drop-in; where no
 * directory has it, the name of the file inside the program. NULL and err when that has none either.
 */
const char *database_file(const struct database *database, const char *kind, const char *name, struct arena *arena,
			  struct error *err) MUST_CHECK;

#endif
