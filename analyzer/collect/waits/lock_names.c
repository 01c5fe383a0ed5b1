/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lock_names.c - what a lock is called: the object in an ELF file's symbols that its address is in, or where it is. */
#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collect/sample/elf_layout.h"
#include "collect/waits/wait_parts.h"
#include "common/base/text.h"

#define MOST_BYTES ((uint64_t)256 << 20)
#define MOST_LOCKS 4096 /* that are looked for; others are called by their address */
#define MOST_PATH  4096

struct known_lock {
	struct known_lock *next;
	uint32_t pid;
	uint64_t address;
	const char *name;
};

struct lock_names {
	struct arena *arena;
	uint64_t bytes; /* of symbol tables, that may still be read: a look must not take long */
	struct known_lock *known;
	size_t count;
};

struct lock_names *lock_names_new(struct arena *arena)
{
	struct lock_names *names = arena_alloc(arena, sizeof(*names));

	names->arena = arena;
	names->bytes = MOST_BYTES;
	return names;
}

/* ---- where it is ---- */

/* A line of maps that an address is in. */
struct area {
	uint64_t begin, end, offset;
	char path[MOST_PATH]; /* "": anonymous */
	uint64_t file_begin, file_offset;
	char file[MOST_PATH]; /* the first mapping of the file that the address is in, or that ends where it begins */
};

static bool read_area(struct area *area, const char *line)
{
	unsigned long long begin, end, offset;
	int length = 0;

	if (sscanf(line, "%llx-%llx %*s %llx %*s %*s%n", &begin, &end, &offset, &length) < 3 || !length)
		return false;
	area->begin = begin;
	area->end = end;
	area->offset = offset;
	length += (int)strspn(line + length, " ");
	snprintf(area->path, sizeof(area->path), "%s", line + length);
	area->path[strcspn(area->path, "\n")] = '\0';
	return true;
}

/* Zeroed data of a file stands behind its last mapping, without a name. */
static bool find_area(struct area *found, uint32_t pid, uint64_t address)
{
	char path[64], line[MOST_PATH + 128];
	uint64_t last_end = 0;
	bool is_there = false;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	maps = fopen(path, "re");
	*found = (struct area){ .begin = 0 };
	while (maps && !is_there && fgets(line, sizeof(line), maps)) {
		if (!read_area(found, line))
			continue;
		if (*found->path == '/' && strcmp(found->path, found->file) != 0) {
			memcpy(found->file, found->path, sizeof(found->file));
			found->file_begin = found->begin;
			found->file_offset = found->offset;
		} else if (*found->path != '/' && found->begin != last_end) {
			*found->file = '\0';
		}
		last_end = found->end;
		is_there = address >= found->begin && address < found->end;
	}
	if (maps)
		fclose(maps);
	return is_there;
}

/* ---- what is there ---- */

/* A part of a file, which may be anybody's; NULL: it is not there, too much, or makes no sense. To be freed. */
static void *read_part(struct lock_names *names, int fd, uint64_t offset, uint64_t size)
{
	unsigned char *part = size && size <= names->bytes ? malloc(size + 1) : NULL;

	if (part && pread(fd, part, size, (off_t)offset) != (ssize_t)size) {
		free(part);
		return NULL;
	}
	names->bytes -= part ? size : 0;
	if (part)
		part[size] = '\0'; /* texts end there at the latest */
	return part;
}

/* An object of a table of symbols that the address is in. */
static const char *search_symbols(struct lock_names *known, int fd, const Elf64_Shdr *table, const Elf64_Shdr *texts,
				  uint64_t address)
{
	struct arena *arena = known->arena;
	Elf64_Sym *symbols = read_part(known, fd, table->sh_offset, table->sh_size);
	char *names = symbols ? read_part(known, fd, texts->sh_offset, texts->sh_size) : NULL;
	const char *name = NULL;

	for (size_t i = 0; names && !name && i < table->sh_size / sizeof(*symbols); i++) {
		const Elf64_Sym *symbol = &symbols[i];

		if (ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT || address < symbol->st_value ||
		    address - symbol->st_value >= symbol->st_size || symbol->st_name >= texts->sh_size ||
		    !names[symbol->st_name])
			continue;
		name = arena_strdup(arena, names + symbol->st_name);
		if (address != symbol->st_value)
			name = arena_printf(arena, "%s+0x%" PRIx64, name, address - symbol->st_value);
	}
	free(symbols);
	free(names);
	return name;
}

/* Files of this machine's kind only: the process runs here. */
static const char *search_sections(struct lock_names *names, int fd, uint64_t address)
{
	Elf64_Ehdr header;
	Elf64_Shdr *sections;
	const char *name = NULL;

	if (pread(fd, &header, sizeof(header), 0) != (ssize_t)sizeof(header) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    header.e_shentsize != sizeof(*sections))
		return NULL;
	sections = read_part(names, fd, header.e_shoff, header.e_shnum * sizeof(*sections));
	for (size_t i = 0; sections && !name && i < header.e_shnum; i++)
		if ((sections[i].sh_type == SHT_SYMTAB || sections[i].sh_type == SHT_DYNSYM) &&
		    sections[i].sh_link < header.e_shnum)
			name = search_symbols(names, fd, &sections[i], &sections[sections[i].sh_link], address);
	free(sections);
	return name;
}

static const char *search_file(struct lock_names *names, const struct area *area, uint32_t pid, uint64_t address)
{
	struct arena *arena = names->arena;
	int fd = open(arena_printf(arena, "/proc/%u/root%s", pid, area->file), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct elf_layout layout;
	const char *name;

	if (fd < 0)
		return NULL;
	elf_layout_read(&layout, fd, arena);
	name = search_sections(names, fd, address - area->file_begin + elf_layout_address(&layout, area->file_offset));
	close(fd);
	return name;
}

static const char *name_at(struct lock_names *names, uint32_t pid, uint64_t address)
{
	struct arena *arena = names->arena;
	const char *name, *file;
	struct area area;

	if (!find_area(&area, pid, address))
		return arena_printf(arena, "futex 0x%" PRIx64, address);
	if (!strcmp(area.path, "[heap]") || !strcmp(area.path, "[stack]"))
		return arena_printf(arena, "%.*s 0x%" PRIx64, (int)strlen(area.path) - 2, area.path + 1, address);
	if (!*area.file)
		return arena_printf(arena, "futex 0x%" PRIx64, address);
	name = search_file(names, &area, pid, address);
	file = strrchr(area.file, '/');
	return name ? name : arena_printf(arena, "%s+0x%" PRIx64, file + 1, address - area.file_begin);
}

const char *lock_name(struct lock_names *names, uint32_t pid, uint64_t address)
{
	struct known_lock *lock = names->known;

	while (lock && (lock->pid != pid || lock->address != address))
		lock = lock->next;
	if (lock)
		return lock->name;
	if (names->count >= MOST_LOCKS)
		return "further locks";
	lock = arena_alloc(names->arena, sizeof(*lock));
	*lock = (struct known_lock){ names->known, pid, address, name_at(names, pid, address) };
	names->known = lock;
	names->count++;
	return lock->name;
}
