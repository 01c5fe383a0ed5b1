/* SPDX-License-Identifier: GPL-2.0-or-later */
/* data.h - one CPU's shipped data under examination, by the test data.CPU. */
#ifndef TOPDOWN_TEST_DATA_H
#define TOPDOWN_TEST_DATA_H

#include "model_fixture.h"

/* Loaded for one state of SMT; failed rows are named "CPU, SMT off: NAME". */
struct machine_check {
	struct rows *rows;
	const char *cpu; /* as the map has it: "alderlake:atom" */
	bool smt_on;
	struct loaded *loaded;
	const struct pmu *pmu;
};

void expect(const struct machine_check *e, const char *name, bool is_right, const char *what);

/* On counts of a possible execution, the level-1 nodes have the shares that were chosen, and these are all slots. */
void check_level_1(const struct machine_check *e);

#endif
