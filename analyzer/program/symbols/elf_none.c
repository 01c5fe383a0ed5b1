/* SPDX-License-Identifier: GPL-2.0-or-later */
/* elf_none.c - of a program without libdw: no ELF file is read. */
#include "program/symbols/lookup.h"

#ifndef TOPDOWN_DW

void elf_lookup(const struct lookup *lookup UNUSED, struct answer *answer, struct arena *arena UNUSED)
{
	answer->state = ANSWER_UNREADABLE;
}

void elf_lookup_plain(const struct lookup *lookup UNUSED, struct answer *answer, struct arena *arena UNUSED)
{
	answer->state = ANSWER_UNREADABLE;
}

void vdso_lookup(const struct lookup *lookup UNUSED, struct answer *answer, struct arena *arena UNUSED)
{
	answer->state = ANSWER_UNREADABLE;
}
#endif
