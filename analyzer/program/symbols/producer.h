/* SPDX-License-Identifier: GPL-2.0-or-later */
/* producer.h - which compiler made a program, with its options, as its debug information says. */
#ifndef TOPDOWN_PROGRAM_SYMBOLS_PRODUCER_H
#define TOPDOWN_PROGRAM_SYMBOLS_PRODUCER_H

#include "common/base/arena.h"

/*
 * DW_AT_producer of the first unit: "GNU C17 12.2.0 -mtune=generic -march=x86-64 -g -O2". NULL: the file has no debug
 * information, or it can't be read. A process of its own reads it, since files come from strangers.
 */
const char *program_producer(const char *path, struct arena *arena);

#endif
