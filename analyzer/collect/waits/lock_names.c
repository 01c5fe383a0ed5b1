/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lock_names.c - what a lock is called: the object in an ELF file's symbols that its address is in, or where it is. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collect/sample/elf_layout.h"
#include "collect/sample/elf_tables.h"
#include "collect/waits/wait_parts.h"
#include "common/base/text.h"

#define MOST_BYTES ((uint64_t)256 << 20)
#define MOST_LOCKS 4096 /* that are looked for; others are called by their address */
#define MOST_PATH  4096

struct known_lock {
	struct known_lock *next;
	uint32_t pid, image;
	uint64_t address;
	const char *name;
};

struct lock_names {
	struct arena *arena;
	uint64_t bytes; /* of symbol tables, that may still be read: a look must not take long */
	struct known_lock *known;
	size_t count;
	struct number_table images; /* of processes: struct process_image */
};

/* Which of its programs a process runs now. */
struct process_image {
	uint32_t number; /* from 0 on */
	enum { IS_UNKNOWN, IS_GO, IS_OTHER } language;
};

struct lock_names *lock_names_new(struct arena *arena)
{
	struct lock_names *names = arena_alloc(arena, sizeof(*names));

	names->arena = arena;
	names->bytes = MOST_BYTES;
	return names;
}

void lock_names_release(struct lock_names *names)
{
	number_table_release(&names->images);
}

static struct process_image *image_of(struct lock_names *names, uint32_t pid)
{
	struct process_image *image = number_table_get(&names->images, pid);

	if (!image) {
		image = arena_alloc(names->arena, sizeof(*image));
		number_table_set(&names->images, pid, image);
	}
	return image;
}

void lock_names_exec(struct lock_names *names, uint32_t pid)
{
	struct process_image *image = image_of(names, pid);

	*image = (struct process_image){ .number = image->number + 1 };
}

uint32_t lock_names_image(const struct lock_names *names, uint32_t pid)
{
	const struct process_image *image = number_table_get(&names->images, pid);

	return image ? image->number : 0;
}

/* Go's linker leaves its build-id in a section of its own, stripped or not. */
static bool is_of_go(struct lock_names *names, uint32_t task)
{
	int fd = open(arena_printf(names->arena, "/proc/%u/exe", task), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	size_t size;
	void *note;

	if (fd < 0)
		return false;
	note = elf_section_named(&(struct elf_file_part){ fd, &names->bytes }, ".note.go.buildid", &size);
	close(fd);
	free(note);
	return note != NULL;
}

bool lock_names_is_go(struct lock_names *names, const struct waiting_call *call)
{
	struct process_image *image = image_of(names, call->pid);

	if (image->language == IS_UNKNOWN)
		image->language = is_of_go(names, task_with_memory(call->pid, call->tid)) ? IS_GO : IS_OTHER;
	return image->language == IS_GO;
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

/* An object that has the address. */
struct object_search {
	uint64_t address;
	struct arena *arena;
	const char *name; /* NULL: none was found yet */
};

static bool is_other_object(void *context, const Elf64_Sym *symbol, const char *name)
{
	struct object_search *search = context;
	uint64_t inside = search->address - symbol->st_value;

	if (ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT || search->address < symbol->st_value ||
	    inside >= symbol->st_size)
		return true;
	search->name =
		inside ? arena_printf(search->arena, "%s+0x%" PRIx64, name, inside) : arena_strdup(search->arena, name);
	return false;
}

static const char *search_file(struct lock_names *names, const struct area *area, uint32_t pid, uint64_t address)
{
	struct arena *arena = names->arena;
	int fd = open(arena_printf(arena, "/proc/%u/root%s", pid, area->file), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct object_search search = { .arena = arena };
	struct elf_layout layout;

	if (fd < 0)
		return NULL;
	elf_layout_read(&layout, fd, arena);
	search.address = address - area->file_begin + elf_layout_address(&layout, area->file_offset);
	elf_tables_visit(&(struct elf_file_part){ fd, &names->bytes }, is_other_object, &search);
	close(fd);
	return search.name;
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
	/* also what mmap(MAP_SHARED | MAP_ANONYMOUS) and shmget() give, whose path is no file's */
	if (has_name_prefix(area.path, "/dev/zero (deleted)") || has_name_prefix(area.path, "/SYSV"))
		return arena_printf(arena, "shared memory+0x%" PRIx64, address - area.begin + area.offset);
	if (!*area.file)
		return arena_printf(arena, "futex 0x%" PRIx64, address);
	name = search_file(names, &area, pid, address);
	file = strrchr(area.file, '/');
	return name ? name : arena_printf(arena, "%s+0x%" PRIx64, file + 1, address - area.file_begin);
}

const char *lock_name(struct lock_names *names, const struct waiting_call *call)
{
	const uint32_t pid = call->pid, image = lock_names_image(names, pid);
	const uint64_t address = call->arguments[0];
	struct known_lock *lock = names->known;

	while (lock && (lock->pid != pid || lock->image != image || lock->address != address))
		lock = lock->next;
	if (lock)
		return lock->name;
	if (names->count >= MOST_LOCKS)
		return "further locks";
	lock = arena_alloc(names->arena, sizeof(*lock));
	*lock = (struct known_lock){ names->known, pid, image, address,
				     name_at(names, task_with_memory(pid, call->tid), address) };
	names->known = lock;
	names->count++;
	return lock->name;
}
