/* SPDX-License-Identifier: GPL-2.0-or-later */
/* input_files.h - the files that a program is given, by size and digest, so that another input is noticed. */
#ifndef TOPDOWN_ENGINE_INPUT_FILES_H
#define TOPDOWN_ENGINE_INPUT_FILES_H

#include "common/measurement/counts.h"
#include "common/request/setup.h"

/*
 * Fills origin->inputs with the regular files that the words behind the program name ("FILE", "--input=FILE"), and
 * with standard input where it is one: of more than 16 MiB, or what can't be read, only the size. In the arena. The
 * offset of standard input stays.
 */
void input_files_find(struct origin *origin, const struct program_choice *program, struct arena *arena);

#endif
