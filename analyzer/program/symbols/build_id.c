/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "program/symbols/build_id.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/macros.h"

#define MOST_SEGMENTS 512
#define MOST_NOTES    (64u << 10)

#define BYTE_ORDER_HERE (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB)

static size_t padded(size_t length)
{
	return (length + 3) & ~(size_t)3;
}

static void write_hex(char *text, const unsigned char *bytes, size_t count)
{
	for (size_t i = 0; i < count && i < BUILD_ID_MOST; i++)
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
}

void build_id_of_notes(char *text, const unsigned char *notes, size_t length)
{
	Elf64_Nhdr note; /* the same in 32 bits */

	*text = '\0';
	while (length > sizeof(note)) {
		const unsigned char *name = notes + sizeof(note);
		size_t needed;

		memcpy(&note, notes, sizeof(note));
		if (note.n_namesz > MOST_NOTES || note.n_descsz > MOST_NOTES)
			return;
		needed = sizeof(note) + padded(note.n_namesz) + note.n_descsz;
		if (needed > length)
			return;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof("GNU") &&
		    !memcmp(name, "GNU", sizeof("GNU"))) {
			write_hex(text, name + padded(note.n_namesz), note.n_descsz);
			return;
		}
		needed = padded(needed) < length ? padded(needed) : length;
		notes += needed;
		length -= needed;
	}
}

static bool read_at(int descriptor, void *bytes, size_t length, uint64_t offset)
{
	return offset <= INT64_MAX - length && pread(descriptor, bytes, length, (off_t)offset) == (ssize_t)length;
}

/* A program header of either class in the form of 64 bits. */
static bool read_segment(Elf64_Phdr *segment, int descriptor, bool is_64, uint64_t offset)
{
	Elf32_Phdr narrow;

	if (is_64)
		return read_at(descriptor, segment, sizeof(*segment), offset);
	if (!read_at(descriptor, &narrow, sizeof(narrow), offset))
		return false;
	*segment = (Elf64_Phdr){ .p_type = narrow.p_type, .p_offset = narrow.p_offset, .p_filesz = narrow.p_filesz };
	return true;
}

static void read_notes(struct elf_identity *identity, int descriptor, const Elf64_Phdr *segment)
{
	size_t length = segment->p_filesz < MOST_NOTES ? (size_t)segment->p_filesz : MOST_NOTES;
	unsigned char *notes = malloc(length + 1);

	if (notes && read_at(descriptor, notes, length, segment->p_offset))
		build_id_of_notes(identity->build_id, notes, length);
	free(notes);
}

/* The file header of either class in the form of 64 bits. */
static bool build_id_read_header(Elf64_Ehdr *header, int descriptor)
{
	Elf32_Ehdr narrow;

	if (!read_at(descriptor, &narrow, sizeof(narrow), 0) || memcmp(narrow.e_ident, ELFMAG, SELFMAG) != 0 ||
	    narrow.e_ident[EI_DATA] != BYTE_ORDER_HERE)
		return false;
	if (narrow.e_ident[EI_CLASS] == ELFCLASS64)
		return read_at(descriptor, header, sizeof(*header), 0);
	*header = (Elf64_Ehdr){ .e_machine = narrow.e_machine,
				.e_phoff = narrow.e_phoff,
				.e_phnum = narrow.e_phnum,
				.e_phentsize = narrow.e_phentsize };
	memcpy(header->e_ident, narrow.e_ident, sizeof(header->e_ident));
	return true;
}

bool elf_identify(struct elf_identity *identity, int descriptor)
{
	Elf64_Ehdr header;
	Elf64_Phdr segment;
	bool is_64;

	*identity = (struct elf_identity){ .machine = EM_NONE };
	if (!build_id_read_header(&header, descriptor))
		return false;
	is_64 = header.e_ident[EI_CLASS] == ELFCLASS64;
	identity->machine = header.e_machine;
	for (unsigned i = 0; i < header.e_phnum && i < MOST_SEGMENTS && !*identity->build_id; i++)
		if (read_segment(&segment, descriptor, is_64, header.e_phoff + (uint64_t)i * header.e_phentsize) &&
		    segment.p_type == PT_NOTE)
			read_notes(identity, descriptor, &segment);
	return true;
}
