/* SPDX-License-Identifier: GPL-2.0-or-later */
/* elf_symbols.h - the functions of an ELF file: its symbol tables, and stubs that call other files' functions. */
#ifndef TOPDOWN_PROGRAM_SYMBOLS_ELF_SYMBOLS_H
#define TOPDOWN_PROGRAM_SYMBOLS_ELF_SYMBOLS_H

#include <elfutils/libdw.h>
#include <gelf.h>
#include <stdbool.h>

#include "program/symbols/symbol_answer.h"
#include "program/symbols/symbol_table.h"

/* An ELF file's sections, for symbols of it. */
struct elf_sections {
	Elf *elf;
	GElf_Half machine;
	GElf_Shdr *headers;
	size_t count;
};

void elf_sections_read(struct elf_sections *sections, Elf *elf, struct arena *arena);

/* Adds a symbol that is a function, or seems to be one: other code than data. */
void elf_symbols_add(struct symbol_table *table, const struct elf_sections *sections, const GElf_Sym *symbol,
		     const char *name);

/* Adds all of .symtab, or else of .dynsym: true if there was a .symtab. */
bool elf_symbols_read(struct symbol_table *table, const struct elf_sections *sections);

/*
 * Fills stubs, and sorts them: puts@plt and the like, by the relocation of the slot that a stub jumps through (x86,
 * AArch64). Where that calls a resolver, the stub has its name, of the symbols, which are sorted.
 */
void elf_stubs_read(struct symbol_table *stubs, const struct symbol_table *symbols,
		    const struct elf_sections *sections);

/* The lowest address of code; 0 where there is none. */
uint64_t elf_text_begin(const struct elf_sections *sections);

/* ---- debug_info.c ---- */

/*
 * The frames of an address by DWARF: lines, and the calls that were inlined there. Only the units that were asked
 * for are read, each once. To be used in a process of its own: libdw may crash on what strangers wrote.
 */

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
