/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * division.h - counts that are kept by CPU, as parts: all of them, each socket, each core, each CPU. What is summed is
 * the tallies of the CPUs, so that a saved measurement can be divided again, and otherwise.
 */
#ifndef TOPDOWN_COMMON_MEASUREMENT_DIVISION_H
#define TOPDOWN_COMMON_MEASUREMENT_DIVISION_H

#include "common/measurement/counts.h"

/* As a session has it: "all,socket,core,cpu", those that are wanted; NULL: none is. */
const char *division_text(const struct division *division, struct arena *arena);

/* The reverse. False if the text is nothing that division_text makes. */
bool division_parse(struct division *division, const char *text) MUST_CHECK;

/* Is any kind of parts wanted? */
bool is_dividing(const struct division *division);

/* Are all of the measurement's counts kept by CPU? */
bool is_divisible(const struct measurement *measured);

/*
 * The wanted parts of each part of what was measured, which is_divisible: first all, then sockets, cores and CPUs.
 * Where nothing is wanted, the parts are those that were measured. The result borrows from what was measured.
 */
void measurement_divide(struct measurement *divided, const struct measurement *measured,
			const struct division *division, struct arena *arena);

/* Was anything of the repeat on a counter, or refused: had something run where it was counted? */
bool has_run(const struct repeat *repeat);

#endif
