/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lookup.h - one module's places, and the ways to find their names. Each way runs in a process of its own and gives an
 * answer; its strings die with it.
 */
#ifndef TOPDOWN_PROGRAM_SYMBOLS_LOOKUP_H
#define TOPDOWN_PROGRAM_SYMBOLS_LOOKUP_H

#include <stdbool.h>

#include "program/symbols/symbol_answer.h"
#include "program/symbols/symbol_table.h"
#include "program/symbols/symbols.h"
#include "program/unwind/unwind_image.h"

struct lookup {
	const struct symbol_request *request;
	const struct profile *profile;
	uint32_t module;	   /* the first one of the kernel's, whose places are looked up together */
	const char *path;	   /* of the file to read; NULL: the way finds it itself */
	const char *name;	   /* of the file before it was deleted: debug files stand beside it */
	const uint64_t *addresses; /* rising, each once: a place's number in the answer is its index here */
	size_t count;
};

typedef void lookup_way(const struct lookup *lookup, struct answer *answer, struct arena *arena);

/* An ELF file: symbols, separate debug file, DWARF. */
lookup_way elf_lookup;

/* The symbol table of an ELF file alone. */
lookup_way elf_lookup_plain;

/* This kernel's vdso. */
lookup_way vdso_lookup;

/* The kernel and its modules. */
lookup_way kallsyms_lookup;

/* Code that a process made: /tmp/perf-PID.map, and jitdump, which is asked first. */
lookup_way jit_lookup;

/* Adds the frame that the table has of a place. False: none. */
bool lookup_add_symbol(const struct symbol_table *table, uint64_t address, uint32_t place, struct answer *answer);

/* The number of the symbol's name as people write it. */
uint32_t lookup_symbol_text(struct table_symbol *symbol, struct answer *answer);

/* ---- unnamed_code.c ---- */

/*
 * Functions that no symbol names, by the ranges of .eh_frame, which strip leaves. They are called by where they
 * begin: "prog+0x1139", with the address that objdump shows.
 */

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
