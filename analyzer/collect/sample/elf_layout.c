/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/sample/elf_layout.h"

#include <elf.h>
#include <string.h>
#include <unistd.h>

#define MOST_HEADERS 512
#define MOST_NOTES   65536 /* bytes */
#define BUILD_ID     3	   /* NT_GNU_BUILD_ID */
#define PAGE	     4096u /* a mapping begins at a page, its segment where the linker put it */

/* What both classes have in common of a program header. */
struct segment_header {
	uint32_t type;
	uint64_t offset, size, address;
};

static bool read_at(int fd, void *bytes, size_t size, uint64_t offset)
{
	return offset <= INT64_MAX && pread(fd, bytes, size, (off_t)offset) == (ssize_t)size;
}

static struct segment_header header_at(const unsigned char *bytes, bool is_64)
{
	Elf64_Phdr wide;
	Elf32_Phdr narrow;

	if (is_64) {
		memcpy(&wide, bytes, sizeof(wide));
		return (struct segment_header){ wide.p_type, wide.p_offset, wide.p_filesz, wide.p_vaddr };
	}
	memcpy(&narrow, bytes, sizeof(narrow));
	return (struct segment_header){ narrow.p_type, narrow.p_offset, narrow.p_filesz, narrow.p_vaddr };
}

const char *build_id_text(const unsigned char *bytes, size_t count, struct arena *arena)
{
	static const char digits[] = "0123456789abcdef";
	char *text;

	if (!count)
		return NULL;
	text = arena_alloc(arena, 2 * count + 1);
	for (size_t i = 0; i < count; i++) {
		text[2 * i] = digits[bytes[i] >> 4];
		text[2 * i + 1] = digits[bytes[i] & 15];
	}
	return text;
}

static size_t padded(size_t size)
{
	return (size + 3) & ~(size_t)3;
}

/* A note is three numbers of 32 bits (sizes of name and content, type), the name and the content. */
static const char *find_build_id(const unsigned char *notes, size_t size, struct arena *arena)
{
	uint32_t head[3];

	while (size >= sizeof(head)) {
		size_t name, content;

		memcpy(head, notes, sizeof(head));
		name = padded(head[0]);
		content = padded(head[1]);
		if (name > size || content > size || sizeof(head) + name + content > size)
			return NULL;
		if (head[2] == BUILD_ID && head[0] == 4 && memcmp(notes + sizeof(head), "GNU", 4) == 0)
			return build_id_text(notes + sizeof(head) + name, head[1], arena);
		notes += sizeof(head) + name + content;
		size -= sizeof(head) + name + content;
	}
	return NULL;
}

static void read_notes(struct elf_layout *layout, int fd, const struct segment_header *header, struct arena *arena)
{
	struct arena scratch;
	unsigned char *notes;

	if (layout->build_id || !header->size || header->size > MOST_NOTES)
		return;
	arena_init(&scratch);
	notes = arena_alloc(&scratch, (size_t)header->size);
	if (read_at(fd, notes, (size_t)header->size, header->offset))
		layout->build_id = find_build_id(notes, (size_t)header->size, arena);
	arena_release(&scratch);
}

/* Where the program headers are. False: it is no ELF file that was made for this byte order. */
static bool find_headers(int fd, bool *is_64, uint64_t *offset, size_t *count)
{
	const unsigned char native = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
	union {
		unsigned char ident[EI_NIDENT];
		Elf64_Ehdr wide;
		Elf32_Ehdr narrow;
	} file = { .ident = { 0 } };

	if (!read_at(fd, &file, sizeof(file.narrow), 0) || memcmp(file.ident, ELFMAG, SELFMAG) != 0 ||
	    file.ident[EI_DATA] != native)
		return false;
	*is_64 = file.ident[EI_CLASS] == ELFCLASS64;
	if (*is_64 && !read_at(fd, &file, sizeof(file.wide), 0))
		return false;
	*offset = *is_64 ? file.wide.e_phoff : file.narrow.e_phoff;
	*count = *is_64 ? file.wide.e_phnum : file.narrow.e_phnum;
	return *count <= MOST_HEADERS &&
	       (*is_64 ? file.wide.e_phentsize == sizeof(Elf64_Phdr) : file.narrow.e_phentsize == sizeof(Elf32_Phdr));
}

void elf_layout_read(struct elf_layout *layout, int fd, struct arena *arena)
{
	unsigned char bytes[sizeof(Elf64_Phdr)];
	uint64_t offset = 0;
	bool is_64 = false;
	size_t count = 0, size;

	*layout = (struct elf_layout){ .count = 0 };
	if (!find_headers(fd, &is_64, &offset, &count))
		return;
	size = is_64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
	layout->segments = arena_array(arena, count, sizeof(*layout->segments));
	for (size_t i = 0; i < count && read_at(fd, bytes, size, offset + i * size); i++) {
		struct segment_header header = header_at(bytes, is_64);

		if (header.type == PT_NOTE)
			read_notes(layout, fd, &header, arena);
		if (header.type == PT_LOAD && header.size)
			layout->segments[layout->count++] =
				(struct elf_segment){ header.offset, header.size, header.address };
	}
}

uint64_t elf_layout_address(const struct elf_layout *layout, uint64_t offset)
{
	for (size_t i = 0; i < layout->count; i++) {
		const struct elf_segment *segment = &layout->segments[i];

		if (offset >= segment->offset && offset - segment->offset < segment->size)
			return segment->address + (offset - segment->offset);
	}
	for (size_t i = 0; i < layout->count; i++) {
		const struct elf_segment *segment = &layout->segments[i];
		uint64_t begin = segment->offset & ~(uint64_t)(PAGE - 1);

		if (offset >= begin && offset - begin < segment->size + 2 * PAGE)
			return segment->address - (segment->offset - offset);
	}
	return offset;
}

bool elf_layout_offset(const struct elf_layout *layout, uint64_t address, uint64_t *offset)
{
	for (size_t i = 0; i < layout->count; i++) {
		const struct elf_segment *segment = &layout->segments[i];

		if (address < segment->address || address - segment->address >= segment->size)
			continue;
		*offset = segment->offset + (address - segment->address);
		return true;
	}
	return false;
}
