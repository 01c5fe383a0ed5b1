/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hidden_instructions.c - which of the instructions that Valgrind hides a file has code for, whatever its symbols. */
#include "collect/simulate/simulate_internal.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Behind 0F with a prefix F2 or F3 there are moves, conversions and arithmetic of floating-point numbers alone. */
static bool is_scalar(unsigned char opcode)
{
	static const unsigned char ranges[][2] = { { 0x10, 0x16 }, { 0x2a, 0x2d }, { 0x51, 0x5f }, { 0x6f, 0x70 },
						   { 0x78, 0x7f }, { 0xc2, 0xc2 }, { 0xe6, 0xe6 } };

	for (size_t i = 0; i < COUNT_OF(ranges); i++)
		if (opcode >= ranges[i][0] && opcode <= ranges[i][1])
			return true;
	return false;
}

/* Intel SDM, volume 2, section 2.7: the prefix, with the bits of it that are fixed, and the maps of AVX-512. */
static bool has_evex(const unsigned char *code)
{
	unsigned map = code[1] & 0xf, prefix = code[2] & 3;

	if (code[0] != 0x62 || !(code[2] & 4))
		return false;
	return (map == 1 && (prefix < 2 || is_scalar(code[4]))) || (map == 2 && prefix) || (map == 3 && prefix < 2);
}

/* Section 2.1: the byte of the operands, and what follows it up to a constant. */
static size_t operands_length(const unsigned char *operands)
{
	unsigned mode = operands[0] >> 6, base = operands[0] & 7;
	size_t length = 1;

	if (mode == 3)
		return length;
	if (base == 4) {
		base = operands[1] & 7;
		length++;
	}
	return length + (mode == 1 ? 1 : mode == 2 || base == 5 ? 4 : 0);
}

/* In map 3 all have a constant, in map 1 shifts, comparisons, insertions and shuffles. */
static bool has_constant(unsigned map, unsigned char opcode)
{
	return map == 3 || (map == 1 && ((opcode >= 0x70 && opcode <= 0x73) || (opcode >= 0xc2 && opcode <= 0xc6)));
}

/* Two right behind each other: 62 is a frequent byte of displacements. */
static bool is_avx512(const unsigned char *code)
{
	return has_evex(code) && has_evex(code + 5 + operands_length(code + 5) + has_constant(code[1] & 0xf, code[4]));
}

/* SHA1NEXTE to SHA256MSG2, SHA1RNDS4 */
static bool is_sha(const unsigned char *code)
{
	return (code[1] == 0x38 && code[2] >= 0xc8 && code[2] <= 0xcd) || (code[1] == 0x3a && code[2] == 0xcc);
}

/* VAESENC to VAESDECLAST of 256 bits */
static bool is_vaes(const unsigned char *code)
{
	return (code[1] & 0x1f) == 2 && (code[2] & 7) == 5 && code[3] >= 0xdc && code[3] <= 0xdf;
}

static const struct hidden_kind kinds[HIDDEN_KINDS] = {
	[HIDDEN_AVX512] = { "avx512f", "AVX-512", 0x62, is_avx512 },
	[HIDDEN_SHA] = { "sha_ni", "SHA", 0x0f, is_sha },
	[HIDDEN_VAES] = { "vaes", "VAES", 0xc4, is_vaes },
	[HIDDEN_SVE] = { "sve", "SVE", 0, NULL },
};

const struct hidden_kind *hidden_kind(size_t number)
{
	return &kinds[number];
}

/* ---- code ---- */

/* So many within so many bytes are code that uses them. Fewer are bytes of something else. */
#define GROUP	    6
#define GROUP_BYTES 512
#define ALIKE	    6

#define LONGEST 16 /* bytes that are looked at */

struct matches {
	uint64_t at[GROUP]; /* the last ones, in a ring */
	size_t count;
	unsigned char last[ALIKE];
};

/* True: there is a group. A table of numbers, such as a switch has, repeats the same bytes. */
static bool add_match(struct matches *matches, const unsigned char *code, uint64_t at)
{
	uint64_t first = matches->at[(matches->count + 1) % GROUP];

	if (!memcmp(matches->last, code, ALIKE))
		return false;
	memcpy(matches->last, code, ALIKE);
	matches->at[matches->count++ % GROUP] = at;
	return matches->count >= GROUP && at - first < GROUP_BYTES;
}

static bool has_group(struct matches *matches, const struct hidden_kind *kind, const unsigned char *code, size_t length,
		      uint64_t begin)
{
	const unsigned char *end = code + length, *found = code;

	for (; (found = memchr(found, kind->first, (size_t)(end - found))) && end - found >= LONGEST; found++)
		if (kind->is_it(found) && add_match(matches, found, begin + (uint64_t)(found - code)))
			return true;
	return false;
}

#define AT_ONCE	  ((size_t)64 << 10)
#define MOST_CODE ((uint64_t)64 << 20) /* of a file: larger ones take longer to read than this is worth */

/* Pieces overlap by what one match may lack. left: bytes of the file that may still be read. */
static unsigned find_in_part(int file, const Elf64_Phdr *part, unsigned wanted, uint64_t *left)
{
	unsigned char piece[AT_ONCE];
	struct matches matches[HIDDEN_KINDS] = { 0 };
	unsigned found = 0;
	uint64_t at = 0, size = part->p_filesz < *left ? part->p_filesz : *left;

	*left -= size;
	while (at < size && found != wanted) {
		size_t most = size - at < AT_ONCE ? (size_t)(size - at) : AT_ONCE;
		ssize_t length = pread(file, piece, most, (off_t)(part->p_offset + at));

		if (length < LONGEST)
			break;
		for (size_t i = 0; i < HIDDEN_KINDS; i++)
			if (wanted & ~found & 1u << i && kinds[i].is_it &&
			    has_group(&matches[i], &kinds[i], piece, (size_t)length, at))
				found |= 1u << i;
		at += (uint64_t)length - LONGEST + 1;
	}
	return found;
}

/* ---- files ---- */

#define MOST_PARTS   64
#define MOST_ENTRIES 1024
#define OF_VECTORS   (1u << HIDDEN_AVX512 | 1u << HIDDEN_VAES)

/* Is it a program by itself, and no library? Compilers mark what lies anywhere in memory, as libraries do. */
static bool is_marked_program(int file, const Elf64_Phdr *part)
{
	Elf64_Dyn entry;

	for (uint64_t i = 0; i < MOST_ENTRIES && i < part->p_filesz / sizeof(entry); i++) {
		if (pread(file, &entry, sizeof(entry), (off_t)(part->p_offset + i * sizeof(entry))) != sizeof(entry))
			return false;
		if (entry.d_tag == DT_FLAGS_1)
			return entry.d_un.d_val & DF_1_PIE;
	}
	return false;
}

static void read_loader(char *loader, int file, const Elf64_Phdr *part)
{
	size_t size = part->p_filesz < MOST_LOADER ? (size_t)part->p_filesz : MOST_LOADER - 1;
	ssize_t length = pread(file, loader, size, (off_t)part->p_offset);

	loader[length > 0 ? length : 0] = '\0';
}

static void read_parts(struct code_file *read, int file, const Elf64_Ehdr *elf, unsigned wanted)
{
	bool is_program = elf->e_type == ET_EXEC;
	uint64_t left = MOST_CODE;
	Elf64_Phdr part;

	for (unsigned i = 0; i < elf->e_phnum && i < MOST_PARTS; i++) {
		if (pread(file, &part, sizeof(part), (off_t)(elf->e_phoff + i * sizeof(part))) != sizeof(part))
			break;
		if (part.p_type == PT_INTERP)
			read_loader(read->loader, file, &part);
		if (part.p_type == PT_DYNAMIC)
			is_program |= is_marked_program(file, &part);
		if (part.p_type == PT_LOAD && part.p_flags & PF_X)
			read->kinds |= find_in_part(file, &part, wanted & ~read->kinds, &left);
	}
	if (is_program && !*read->loader)
		read->kinds &= ~OF_VECTORS;
}

void code_file_read(struct code_file *read, const char *path, unsigned wanted)
{
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	Elf64_Ehdr elf;

	*read = (struct code_file){ .kinds = 0 };
	if (file < 0)
		return;
	if (pread(file, &elf, sizeof(elf), 0) == sizeof(elf) && !memcmp(elf.e_ident, ELFMAG, SELFMAG) &&
	    elf.e_ident[EI_CLASS] == ELFCLASS64)
		read_parts(read, file, &elf, wanted);
	close(file);
}
