/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unwind_image.c - an ELF file's segments and its sections of call frame information. */
#include "program/unwind/unwind_image.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "program/unwind/cfi_entry.h"

/* .eh_frame of the largest browsers has 30 MB, .debug_frame of the kernel 10 MB. */
enum { MOST_HEADERS = 65536, MOST_NAMES = 1 << 20, MOST_SECTION = 256 << 20 };

/* An ELF file, while it is read. */
struct reading {
	const struct unwind_source *source;
	Elf64_Ehdr header;
	Elf64_Phdr *segments;
	Elf64_Shdr *sections; /* NULL: none */
	size_t nsegments, nsections;
	char *names; /* of the sections; ends in '\0' */
	uint64_t names_size;
};

struct unwind_source unwind_source_file(int fd)
{
	struct stat status;

	if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode))
		return (struct unwind_source){ fd, NULL, 0 };
	return (struct unwind_source){ fd, NULL, (uint64_t)status.st_size };
}

/* Into a buffer of the caller's. */
static bool read_into(const struct unwind_source *source, uint64_t offset, void *into, size_t length)
{
	size_t done = 0;
	ssize_t got = 1;

	if (offset > source->size || length > source->size - offset)
		return false;
	if (source->memory) {
		memcpy(into, source->memory + offset, length);
		return true;
	}
	for (; done < length && got > 0; done += got > 0 ? (size_t)got : 0)
		got = pread(source->fd, (char *)into + done, length - done, (off_t)(offset + done));
	return done == length;
}

unsigned char *unwind_source_read(const struct unwind_source *source, uint64_t offset, uint64_t length)
{
	unsigned char *bytes;

	if (!length || length > MOST_SECTION || offset > source->size || length > source->size - offset)
		return NULL;
	bytes = malloc(length + 1);
	if (bytes && !read_into(source, offset, bytes, length)) {
		free(bytes);
		bytes = NULL;
	}
	if (bytes)
		bytes[length] = 0;
	return bytes;
}

static bool unwind_image_read_header(struct reading *reading, uint16_t machine)
{
	const Elf64_Ehdr *header = &reading->header;

	return read_into(reading->source, 0, &reading->header, sizeof(reading->header)) &&
	       !memcmp(header->e_ident, ELFMAG, SELFMAG) && header->e_ident[EI_CLASS] == ELFCLASS64 &&
	       header->e_ident[EI_DATA] == ELFDATA2LSB && header->e_ident[EI_VERSION] == EV_CURRENT &&
	       (header->e_type == ET_EXEC || header->e_type == ET_DYN) && header->e_machine == machine;
}

static void read_sections(struct reading *reading)
{
	const Elf64_Ehdr *header = &reading->header;
	const Elf64_Shdr *names;

	if (header->e_shentsize != sizeof(*reading->sections) || !header->e_shnum)
		return;
	reading->sections = (Elf64_Shdr *)unwind_source_read(reading->source, header->e_shoff,
							     header->e_shnum * sizeof(*reading->sections));
	if (!reading->sections || header->e_shstrndx >= header->e_shnum)
		return;
	names = &reading->sections[header->e_shstrndx];
	if (names->sh_size > MOST_NAMES)
		return;
	reading->names = (char *)unwind_source_read(reading->source, names->sh_offset, names->sh_size);
	reading->names_size = names->sh_size;
	reading->nsections = reading->names ? header->e_shnum : 0;
}

static bool read_segments(struct reading *reading)
{
	const Elf64_Ehdr *header = &reading->header;

	if (header->e_phentsize != sizeof(*reading->segments) || !header->e_phnum)
		return false;
	reading->segments = (Elf64_Phdr *)unwind_source_read(reading->source, header->e_phoff,
							     header->e_phnum * sizeof(*reading->segments));
	reading->nsegments = header->e_phnum;
	return reading->segments;
}

static void reading_release(struct reading *reading)
{
	free(reading->segments);
	free(reading->sections);
	free(reading->names);
}

static bool reading_open(struct reading *reading, const struct unwind_source *source, uint16_t machine)
{
	*reading = (struct reading){ .source = source };
	if (!unwind_image_read_header(reading, machine) || !read_segments(reading)) {
		reading_release(reading);
		return false;
	}
	read_sections(reading);
	return true;
}

static const Elf64_Shdr *section_named(const struct reading *reading, const char *name)
{
	for (size_t i = 0; i < reading->nsections; i++) {
		const Elf64_Shdr *section = &reading->sections[i];

		if (section->sh_name < reading->names_size && section->sh_type != SHT_NOBITS &&
		    !strcmp(reading->names + section->sh_name, name))
			return section;
	}
	return NULL;
}

static void unwind_image_keep(struct unwind_image *image, unsigned char *bytes, uint64_t size, uint64_t address)
{
	if (!bytes)
		return;
	image->memory[0] = bytes;
	image->eh = (struct cfi){ .data = bytes, .size = size, .address = address };
	cfi_index(&image->eh);
}

/* Without section headers: .eh_frame_hdr says where .eh_frame begins; it ends with the segment at the latest. */
static void find_by_header(struct unwind_image *image, const struct reading *reading, const Elf64_Phdr *eh)
{
	unsigned char start[8]; /* version 1, how three numbers are written, the first of them: relative, 4 bytes */
	uint64_t address;

	if (!read_into(reading->source, eh->p_offset, start, sizeof(start)) || start[0] != 1 || start[1] != 0x1b)
		return;
	address = eh->p_vaddr + 4;
	address += (uint64_t)bytes_signed(&(struct bytes){ start + 4, start + 8, false }, 4);
	for (size_t i = 0; i < reading->nsegments; i++) {
		const Elf64_Phdr *segment = &reading->segments[i];
		const uint64_t inside = address - segment->p_vaddr;

		if (segment->p_type != PT_LOAD || address < segment->p_vaddr || inside >= segment->p_filesz)
			continue;
		unwind_image_keep(
			image,
			unwind_source_read(reading->source, segment->p_offset + inside, segment->p_filesz - inside),
			segment->p_filesz - inside, address);
		return;
	}
}

static void find_eh_frame(struct unwind_image *image, const struct reading *reading)
{
	const Elf64_Shdr *section = section_named(reading, ".eh_frame");

	if (section) {
		unwind_image_keep(image, unwind_source_read(reading->source, section->sh_offset, section->sh_size),
				  section->sh_size, section->sh_addr);
		return;
	}
	for (size_t i = 0; i < reading->nsegments && !image->eh.data; i++)
		if (reading->segments[i].p_type == PT_GNU_EH_FRAME)
			find_by_header(image, reading, &reading->segments[i]);
}

/* A note: three numbers, the owner's name "GNU", the id. */
static void find_id(struct unwind_image *image, const struct reading *reading)
{
	const Elf64_Shdr *section = section_named(reading, ".note.gnu.build-id");
	Elf64_Nhdr note;

	if (!section || !read_into(reading->source, section->sh_offset, &note, sizeof(note)) || note.n_namesz != 4 ||
	    note.n_descsz > sizeof(image->id))
		return;
	if (read_into(reading->source, section->sh_offset + sizeof(note) + 4, image->id, note.n_descsz))
		image->id_length = note.n_descsz;
}

static void find_segments(struct unwind_image *image, const struct reading *reading)
{
	for (size_t i = 0; i < reading->nsegments && image->nsegments < IMAGE_SEGMENTS; i++) {
		const Elf64_Phdr *segment = &reading->segments[i];

		if (segment->p_type == PT_LOAD && (segment->p_flags & PF_X))
			image->segments[image->nsegments++] =
				(struct unwind_segment){ segment->p_offset, segment->p_filesz, segment->p_vaddr };
	}
}

bool unwind_image_read(struct unwind_image *image, const struct unwind_source *source, uint16_t machine)
{
	struct reading reading;

	*image = (struct unwind_image){ 0 };
	if (!reading_open(&reading, source, machine))
		return false;
	find_segments(image, &reading);
	find_eh_frame(image, &reading);
	find_id(image, &reading);
	reading_release(&reading);
	return true;
}

void unwind_image_add_debug(struct unwind_image *image, const struct unwind_source *source)
{
	struct reading reading;
	const Elf64_Shdr *section;
	Elf64_Ehdr header;

	if (image->debug.data || !read_into(source, 0, &header, sizeof(header)) ||
	    !reading_open(&reading, source, header.e_machine))
		return;
	section = section_named(&reading, ".debug_frame");
	if (section && !(section->sh_flags & SHF_COMPRESSED)) {
		unsigned char *bytes = unwind_source_read(source, section->sh_offset, section->sh_size);

		image->memory[1] = bytes;
		image->debug =
			(struct cfi){ .data = bytes, .size = bytes ? section->sh_size : 0, .is_debug_frame = true };
		cfi_index(&image->debug);
	}
	reading_release(&reading);
}

void unwind_image_release(struct unwind_image *image)
{
	cfi_release(&image->eh);
	cfi_release(&image->debug);
	free(image->memory[0]);
	free(image->memory[1]);
	*image = (struct unwind_image){ 0 };
}

bool unwind_image_address(const struct unwind_image *image, uint64_t offset, uint64_t *address)
{
	for (size_t i = 0; i < image->nsegments; i++) {
		const struct unwind_segment *segment = &image->segments[i];

		if (offset >= segment->offset && offset - segment->offset < segment->size) {
			*address = segment->address + (offset - segment->offset);
			return true;
		}
	}
	return false;
}

bool unwind_image_offset(const struct unwind_image *image, uint64_t address, uint64_t *offset)
{
	for (size_t i = 0; i < image->nsegments; i++) {
		const struct unwind_segment *segment = &image->segments[i];

		if (address >= segment->address && address - segment->address < segment->size) {
			*offset = segment->offset + (address - segment->address);
			return true;
		}
	}
	return false;
}
