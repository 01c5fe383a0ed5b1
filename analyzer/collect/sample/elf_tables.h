/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elf_tables.h - sections and symbols of an open ELF file of 64 bits, read without a library. Any file may be handed
 * in: every offset is checked, and no more bytes are read than are allowed.
 */
#ifndef TOPDOWN_COLLECT_SAMPLE_ELF_TABLES_H
#define TOPDOWN_COLLECT_SAMPLE_ELF_TABLES_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/macros.h"

struct elf_file_part {
	int fd;
	uint64_t *bytes; /* that may still be read; it becomes less */
};

/* Name and content last as long as the call. False: the visit is over. */
typedef bool elf_visit(void *context, const Elf64_Sym *symbol, const char *name);

/* Visits all symbols that have a name. False: it is no such file. */
bool elf_tables_visit(const struct elf_file_part *file, elf_visit *visit, void *context);

/* The content of the first section of this type (SHT_DYNAMIC) and that of the section it links to, to be freed. */
struct elf_linked {
	void *content, *texts; /* NULL: there is none; texts end with a zero */
	size_t size, texts_size;
};
struct elf_linked elf_linked_read(const struct elf_file_part *file, uint32_t type);

/* The content of the section of this name, to be freed. NULL: there is none. */
void *elf_section_named(const struct elf_file_part *file, const char *name, size_t *size);

#endif
