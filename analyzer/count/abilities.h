/* SPDX-License-Identifier: GPL-2.0-or-later */
/* abilities.h - what this process may count here, found by opening events on itself, as a measurement would. */
#ifndef TOPDOWN_COUNT_ABILITIES_H
#define TOPDOWN_COUNT_ABILITIES_H

#include "diagnose/abilities.h"
#include "identify/machine.h"
#include "plan/plan.h"

struct ability_probe {
	const struct pmu *pmu; /* real */
	const struct machine *machine;
	const struct event_database *database;
	const struct event_row *general; /* an event that every general counter can count */
	const struct plan_limits *published;
};

/* Fills all but refusal, general and trial; general must be what count_probe_counters found, not 0. */
void abilities_probe(struct abilities *abilities, const struct ability_probe *probe, struct arena *arena);

/* Descriptors and scope, which need no PMU. */
void abilities_probe_process(struct abilities *abilities);

/* Counts each group of the plan for a moment: an event can open and yet never be put on a counter. */
void abilities_try(struct trial *trial, const struct plan *plan, const struct model *model,
		   const struct machine *machine, struct arena *arena);

#endif
