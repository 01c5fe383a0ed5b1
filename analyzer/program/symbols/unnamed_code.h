/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unnamed_code.h - functions that no symbol names, by the ranges of .eh_frame, which strip leaves. They are called by
 * where they begin: "prog+0x1139", with the address that objdump shows.
 */
#ifndef TOPDOWN_PROGRAM_SYMBOLS_UNNAMED_CODE_H
#define TOPDOWN_PROGRAM_SYMBOLS_UNNAMED_CODE_H

#include "program/symbols/lookup.h"
#include "program/unwind/unwind_image.h"

struct unnamed_code {
	struct unwind_image image;
	const char *module; /* base name */
};

/* Of the lookup's file. Without such information there is nothing in it. Release with unnamed_code_release. */
void unnamed_code_read(struct unnamed_code *code, const struct lookup *lookup, uint16_t machine, struct arena *arena);
void unnamed_code_release(struct unnamed_code *code);

/* The function that has the address. NULL: none is known. */
const struct cfi_range *unnamed_code_find(const struct unnamed_code *code, uint64_t address);

/* Its frame, as the only one of a place. */
void unnamed_code_add(const struct unnamed_code *code, const struct cfi_range *range, uint32_t place,
		      struct answer *answer);

#endif
