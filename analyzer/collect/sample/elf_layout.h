/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elf_layout.h - where a file's bytes stand in the addresses of its program headers, and its build-id: what a sample's
 * address is turned into while it comes. Names are symbols' business. Any file may be handed in.
 */
#ifndef TOPDOWN_COLLECT_SAMPLE_ELF_LAYOUT_H
#define TOPDOWN_COLLECT_SAMPLE_ELF_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/arena.h"

struct elf_segment {
	uint64_t offset, size; /* in the file */
	uint64_t address;
};

struct elf_layout {
	struct elf_segment *segments; /* PT_LOAD; none: it is no ELF file of this machine's byte order */
	size_t count;
	const char *build_id; /* in hex; NULL: none */
};

/* Reads an open file. In arena. */
void elf_layout_read(struct elf_layout *layout, int fd, struct arena *arena);

/* The address of the byte at that offset; the offset itself where no segment has it. */
uint64_t elf_layout_address(const struct elf_layout *layout, uint64_t offset);

/* The other way: where the byte of that address is in the file. False: no segment has it. */
bool elf_layout_offset(const struct elf_layout *layout, uint64_t address, uint64_t *offset) MUST_CHECK;

/* Of bytes, in hex, in arena; NULL: there are none. */
const char *build_id_text(const unsigned char *bytes, size_t count, struct arena *arena);

#endif
