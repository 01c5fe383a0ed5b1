/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debug_info.h - the frames of an address by DWARF: lines, and the calls that were inlined there. Only the units that
 * were asked for are read, each once. To be used in a process of its own: libdw may crash on what strangers wrote.
 */
#ifndef TOPDOWN_PROGRAM_SYMBOLS_DEBUG_INFO_H
#define TOPDOWN_PROGRAM_SYMBOLS_DEBUG_INFO_H

#include <elfutils/libdw.h>
#include <stdbool.h>

#include "program/symbols/answer.h"

struct debug_info;

/* text_begin: the lowest address of code; bias: what addresses of the module have more than those of its DWARF. */
struct debug_info *debug_info_new(Dwarf *dwarf, Dwarf_Addr bias, uint64_t text_begin, struct arena *arena);

/* The function that an address is in, by the module's symbols; text ANSWER_NO_TEXT: they don't say. */
struct debug_function_name {
	uint32_t text;
	uint64_t begin, size;
};

/* Adds the frames of a place. False: nothing is known there. */
bool debug_info_frames(struct debug_info *info, uint64_t address, uint32_t place, struct debug_function_name outermost,
		       struct answer *answer);

#endif
