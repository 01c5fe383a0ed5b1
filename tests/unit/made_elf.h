/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * made_elf.h - an ELF file with code and call frame information of a test's choice: one segment, mapped at MADE_ADDRESS;
 * .eh_frame is found through .eh_frame_hdr, .debug_frame through section headers, which the file has only then.
 */
#ifndef TOPDOWN_TEST_MADE_ELF_H
#define TOPDOWN_TEST_MADE_ELF_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { MADE_ADDRESS = 0x40000, MADE_CODE = 0x200, MADE_HEADER = 0x1000, MADE_FRAMES = 0x1010, MADE_ROOM = 0x4000 };

struct made_elf {
	unsigned char bytes[MADE_ROOM];
	size_t size;   /* so far: entries are put behind it */
	size_t common; /* where the last CIE begins */
};

static inline void made_put(struct made_elf *made, const void *bytes, size_t size)
{
	if (size > MADE_ROOM - made->size)
		size = MADE_ROOM - made->size;
	memcpy(made->bytes + made->size, bytes, size);
	made->size += size;
}

static inline void made_number(struct made_elf *made, int64_t value, size_t size)
{
	made_put(made, &value, size);
}

static inline void made_begin(struct made_elf *made, uint16_t machine)
{
	memset(made, 0, sizeof(*made));
	made->size = MADE_FRAMES;
	memcpy(made->bytes,
	       &(Elf64_Ehdr){ .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			      .e_type = ET_DYN,
			      .e_machine = machine,
			      .e_version = EV_CURRENT,
			      .e_phoff = sizeof(Elf64_Ehdr),
			      .e_ehsize = sizeof(Elf64_Ehdr),
			      .e_phentsize = sizeof(Elf64_Phdr),
			      .e_phnum = 2,
			      .e_shentsize = sizeof(Elf64_Shdr) },
	       sizeof(Elf64_Ehdr));
}

/* letters: of the augmentation, "zR" or "zRS"; of .debug_frame "". */
static inline void made_common(struct made_elf *made, const char *letters, unsigned return_column, const char *program,
			       size_t length)
{
	const size_t begin = made->size;
	uint32_t total;

	made->common = begin;
	made_number(made, 0, 4);
	made_number(made, *letters ? 0 : -1, 4);
	made_number(made, *letters ? 1 : 3, 1);
	made_put(made, letters, strlen(letters) + 1);
	made_number(made, 1, 1);    /* code_factor */
	made_number(made, 0x78, 1); /* data_factor: -8 */
	made_number(made, return_column, 1);
	if (*letters) {
		made_number(made, 1, 1);
		made_number(made, 0x1b, 1); /* addresses: relative, 4 bytes */
	}
	made_put(made, program, length);
	total = (uint32_t)(made->size - begin - 4);
	memcpy(made->bytes + begin, &total, 4);
}

/* begin: offset of the code in the file. */
static inline void made_function(struct made_elf *made, size_t begin, size_t size, const char *program, size_t length)
{
	const size_t start = made->size;
	const int is_debug = made->bytes[made->common + 4] == 0xff;
	uint32_t total;

	made_number(made, 0, 4);
	made_number(made, (int64_t)(is_debug ? made->common - MADE_FRAMES : made->size - made->common), 4);
	if (is_debug) {
		made_number(made, (int64_t)(MADE_ADDRESS + begin), 8);
		made_number(made, (int64_t)size, 8);
	} else {
		made_number(made, (int64_t)begin - (int64_t)made->size, 4);
		made_number(made, (int64_t)size, 4);
		made_number(made, 0, 1);
	}
	made_put(made, program, length);
	total = (uint32_t)(made->size - start - 4);
	memcpy(made->bytes + start, &total, 4);
}

/* Behind the last entry. section: ".debug_frame", or NULL for .eh_frame without section headers. */
static inline void made_end(struct made_elf *made, const char *section)
{
	Elf64_Ehdr *header = (Elf64_Ehdr *)made->bytes;
	const unsigned char start[8] = { 1, 0x1b, 0xff, 0xff, MADE_FRAMES - MADE_HEADER - 4 };
	const size_t end = made->size;
	const Elf64_Shdr sections[2] = {
		{ .sh_name = 1, .sh_type = SHT_PROGBITS, .sh_offset = MADE_FRAMES, .sh_size = end - MADE_FRAMES },
		{ .sh_type = SHT_STRTAB, .sh_offset = end, .sh_size = section ? strlen(section) + 2 : 0 }
	};
	const Elf64_Phdr segments[2] = {
		{ .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = MADE_ADDRESS, .p_filesz = end, .p_memsz = end },
		{ .p_type = section ? PT_NULL : PT_GNU_EH_FRAME,
		  .p_offset = MADE_HEADER,
		  .p_vaddr = MADE_ADDRESS + MADE_HEADER,
		  .p_filesz = sizeof(start) }
	};

	memcpy(made->bytes + sizeof(*header), segments, sizeof(segments));
	memcpy(made->bytes + MADE_HEADER, start, sizeof(start));
	if (!section)
		return;
	made_number(made, 0, 1);
	made_put(made, section, strlen(section) + 1);
	made->size = (made->size + 7) / 8 * 8;
	header->e_shoff = made->size;
	header->e_shnum = 2;
	header->e_shstrndx = 1;
	made_put(made, sections, sizeof(sections));
}

#endif
