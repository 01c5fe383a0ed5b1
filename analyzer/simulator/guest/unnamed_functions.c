/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simulator/guest/guest_internal.h"

#include <elf.h>

#define MOST_SEGMENTS 64
/* How numbers are written (DW_EH_PE_...): relative to here in 4 bytes; 4 bytes; relative to the section in 4 bytes. */
#define PCREL_SDATA4   0x1b
#define UDATA4	       0x03
#define DATAREL_SDATA4 0x3b

/* .eh_frame_hdr, where its table can be searched. */
struct header {
	UChar version, frame_encoding, count_encoding, table_encoding;
	Int frame;
	UInt count;
	Int pairs[];
};

/* The part of it that is searched. */
struct table {
	Addr header;	  /* which its numbers count from */
	const Int *pairs; /* a function's begin, its entry; rising */
	UInt count;
};

/* What a file says need not be there. */
static Bool is_there(Addr begin, SizeT length)
{
	return VG_(am_is_valid_for_client)(begin, length, VKI_PROT_READ);
}

/* Where the beginning of the file that has this code is mapped; 0: nowhere below it. */
static Addr find_file(Addr code)
{
	const NSegment *segment = VG_(am_find_nsegment)(code);

	for (const NSegment *before = segment; before && before->kind == SkFileC;) {
		if (before->dev != segment->dev || before->ino != segment->ino)
			return 0;
		if (!before->offset)
			return before->start;
		before = before->start ? VG_(am_find_nsegment)(before->start - 1) : NULL;
	}
	return 0;
}

static void take_table(struct table *table, Addr begin, SizeT size)
{
	const struct header *header = (const struct header *)begin;

	if (size < sizeof(*header) || !is_there(begin, size) || header->version != 1 ||
	    header->frame_encoding != PCREL_SDATA4 || header->count_encoding != UDATA4 ||
	    header->table_encoding != DATAREL_SDATA4 || header->count > (size - sizeof(*header)) / (2 * sizeof(Int)))
		return;
	*table = (struct table){ .header = begin, .pairs = header->pairs, .count = header->count };
}

static void find_table(struct table *table, Addr file, Addr bias)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)file;
	const Elf64_Phdr *segments;

	if (!file || !is_there(file, sizeof(*header)) || VG_(memcmp)(header->e_ident, ELFMAG, SELFMAG) != 0 ||
	    header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_phentsize != sizeof(*segments) ||
	    header->e_phnum > MOST_SEGMENTS || !is_there(file + header->e_phoff, header->e_phnum * sizeof(*segments)))
		return;
	segments = (const Elf64_Phdr *)(file + header->e_phoff);
	for (UInt i = 0; i < header->e_phnum; i++)
		if (segments[i].p_type == PT_GNU_EH_FRAME)
			take_table(table, bias + segments[i].p_vaddr, segments[i].p_memsz);
}

static Addr begin_of(const struct table *table, UInt number)
{
	return table->header + (Addr)(Word)table->pairs[2 * (SizeT)number];
}

#define STUB 16 /* bytes of an entry of the procedure linkage table; all of them have one entry in .eh_frame */

/* Does it jump through a slot: (endbr64) (bnd) jmp *slot(%rip); adrp x16? */
static Bool is_stub(Addr begin)
{
	const UChar *code = (const UChar *)begin;
	UInt at = 0;

	if (!is_there(begin, STUB))
		return False;
#if defined(VGA_amd64)
	at += code[at] == 0xf3 && code[at + 1] == 0x0f ? 4 : 0;
	at += code[at] == 0xf2;
	return code[at] == 0xff && code[at + 1] == 0x25;
#else
	return (code[at] & 0x1f) == 16 && (code[at + 3] & 0x9f) == 0x90;
#endif
}

Addr unnamed_functions_find(const DebugInfo *info, Addr address)
{
	struct table table = { .count = 0 };
	UInt low = 0, high;

	if (is_stub(address & -(Addr)STUB))
		return address & -(Addr)STUB;
	find_table(&table, find_file(address), (Addr)VG_(DebugInfo_get_text_bias)(info));
	for (high = table.count; low < high;) {
		UInt middle = low + (high - low) / 2;

		if (begin_of(&table, middle) <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? begin_of(&table, low - 1) : 0;
}
