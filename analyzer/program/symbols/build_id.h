/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * build_id.h - what an ELF file says that it is: read by this program itself, since files come from strangers, and
 * before a library sees them it should be sure that they are the right ones.
 */
#ifndef TOPDOWN_PROGRAM_SYMBOLS_BUILD_ID_H
#define TOPDOWN_PROGRAM_SYMBOLS_BUILD_ID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BUILD_ID_MOST 64 /* bytes; linkers write 8, 16, 20 or 32 */

struct elf_identity {
	uint16_t machine;		      /* EM_... */
	char build_id[2 * BUILD_ID_MOST + 1]; /* in hex; "": it has none */
};

/* False: it can't be read, or is no ELF file of this byte order. */
bool elf_identify(struct elf_identity *identity, int descriptor);

/* The build-id among ELF notes, such as those of /sys/kernel/notes: "" if there is none. */
void build_id_of_notes(char *text, const unsigned char *notes, size_t length);

#endif
