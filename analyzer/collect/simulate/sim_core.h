/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sim_core.h - the cores that can be simulated: events/sim/NAME.json, and cores.csv, which
 * says what stands for which CPU.
 */
#ifndef TOPDOWN_COLLECT_SIMULATE_SIM_CORE_H
#define TOPDOWN_COLLECT_SIMULATE_SIM_CORE_H

#include <stdint.h>

#include "cpu/load/database.h"

struct sim_parameter {
	const char *name;
	uint64_t value;
};

struct sim_core {
	const char *name, *title; /* "zen4", "like AMD Zen 4 (...)" */
	const char *path;	  /* of its file */
	struct sim_parameter *parameters;
	size_t count;
	const char *instructions; /* lines of single instructions for the simulator; "": it has none */
};

/* The core that is nearest to a CPU string; NULL and err when no directory has a cores.csv that matches. */
const char *sim_core_match(const struct database *database, const char *cpuid, struct arena *arena,
			   struct error *err) MUST_CHECK;

/* Of all cores, the shipped ones and those of the database's directories, sorted. */
const char **sim_core_names(const struct database *database, size_t *count, struct arena *arena) MUST_CHECK;

/*
 * name: upper and lower case are the same; with a slash in it, it is the file. -1 when there is no such core (err
 * lists those that there are) or its file is no description of one. Which parameters there have to be, and what they
 * may be, the simulator knows.
 */
int sim_core_load(struct sim_core *core, const struct database *database, const char *name, struct arena *arena,
		  struct error *err) MUST_CHECK;

/* Puts another value in the place of a parameter that the core has. */
void sim_core_set(struct sim_core *core, const char *name, uint64_t value);

/* What a parameter is; 0: the core has none of this name. */
uint64_t sim_core_get(const struct sim_core *core, const char *name);

/* The same core with parameters of its own, and with room for so many more of them. */
struct sim_core sim_core_copy(const struct sim_core *core, size_t more, struct arena *arena);

/* As the simulator reads it (simulator/wire.h). */
const char *sim_core_text(const struct sim_core *core, struct arena *arena);

#endif
