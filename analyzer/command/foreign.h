/* SPDX-License-Identifier: GPL-2.0-or-later */
/* foreign.h - words of other tools (toplev, perf, topdown-tool, AMDuProfPcm), and what stands for them here. */
#ifndef TOPDOWN_COMMAND_FOREIGN_H
#define TOPDOWN_COMMAND_FOREIGN_H

#include "common/base/arena.h"
#include "common/base/error.h"

/* An option as typed, "--import=x" or "-S", that is another tool's: -1, and err names ours. 0: nobody's. */
int foreign_option(const char *word, struct error *err) MUST_CHECK;

/*
 * A program's words that are meant as a command of another tool, or of none: "diff a.json b.json". They are, where
 * some of them is a session or a file of counts. -1, and err says what there is. 0: they are a program to measure.
 */
int foreign_command(char *const *words, size_t count, struct arena *arena, struct error *err) MUST_CHECK;

/* What there is instead of a command of another tool; NULL: it is no such word. */
const char *foreign_answer(const char *word);

#endif
