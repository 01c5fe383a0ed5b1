/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * library_file.c - the file of a library's short name: of a process by what it has mapped, of a program by its
 * DT_RUNPATH, LD_LIBRARY_PATH, the loader's cache and the usual folders. Nothing of it is run.
 */
#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collect/latency/latency_parts.h"
#include "collect/sample/elf_tables.h"
#include "common/base/text.h"
#include "common/system/file.h"

#define CACHE	    "/etc/ld.so.cache"
#define CACHE_MAGIC "glibc-ld.so.cache1.1" /* glibc, sysdeps/generic/dl-cache.h */
#define MOST_BYTES  ((uint64_t)64 << 20)

struct library_search {
	const char *name;	  /* as it was typed */
	struct elf_linked needed; /* of the program: its dynamic section */
	const char *origin;	  /* its folder */
	struct arena *arena;
};

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* "libc" is libc.so.6 and libc-2.31.so, and not libcap.so.2; "python3" is python3.11 too. */
static bool is_called(const char *file, const char *name)
{
	size_t length = strlen(name);

	if (strncmp(file, name, length) != 0)
		return false;
	file += length;
	return !*file || has_name_prefix(file, ".so") ||
	       ((*file == '-' || *file == '.') && isdigit((unsigned char)file[1]));
}

/* ---- of a process ---- */

static const char *mapped_library(const char *name, uint32_t pid, struct arena *arena)
{
	struct error unknown = { .text = "" };
	size_t length;
	const char *maps = file_read(arena_printf(arena, "/proc/%u/maps", pid), &length, arena, &unknown), *line;

	while (maps && (length = text_next(&maps, "\n", &line)) > 0) {
		const char *path = memchr(line, '/', length);

		if (!path)
			continue;
		path = arena_strndup(arena, path, length - (size_t)(path - line));
		if (is_called(base_of(path), name))
			return arena_printf(arena, "/proc/%u/root%s", pid, path);
	}
	return NULL;
}

/* ---- of a program ---- */

/* The n-th text of this kind in the dynamic section; NULL: there are no more. */
static const char *dynamic_text(const struct library_search *search, int64_t tag, size_t number)
{
	const struct elf_linked *dynamic = &search->needed;
	const Elf64_Dyn *entries = dynamic->content;

	for (size_t i = 0; dynamic->texts && i < dynamic->size / sizeof(*entries); i++)
		if (entries[i].d_tag == tag && entries[i].d_un.d_val < dynamic->texts_size && !number--)
			return (const char *)dynamic->texts + entries[i].d_un.d_val;
	return NULL;
}

/* What the program itself needs goes before what is called alike. */
static const char *exact_name(const struct library_search *search)
{
	const char *needed;

	for (size_t i = 0; (needed = dynamic_text(search, DT_NEEDED, i)); i++)
		if (is_called(needed, search->name))
			return needed;
	return NULL;
}

static const char *in_folder(const struct library_search *search, const char *folder, const char *exact)
{
	struct error unknown = { .text = "" };
	const char **names;
	size_t count;

	if (exact) {
		const char *path = arena_printf(search->arena, "%s/%s", folder, exact);

		return is_file(path) ? path : NULL;
	}
	names = directory_list(folder, "", &count, search->arena, &unknown);
	for (size_t i = 0; names && i < count; i++)
		if (is_called(names[i], search->name) && strstr(names[i], ".so"))
			return arena_printf(search->arena, "%s/%s", folder, names[i]);
	return NULL;
}

/* A list of folders, ':'-separated, in which $ORIGIN is the program's. */
static const char *in_folders(const struct library_search *search, const char *folders, const char *exact)
{
	static const char *const origins[] = { "$ORIGIN", "${ORIGIN}" };
	const char *part, *found = NULL;
	size_t length;

	while (folders && !found && (length = text_next(&folders, ":", &part)) > 0) {
		const char *folder = arena_strndup(search->arena, part, length);

		for (size_t i = 0; i < COUNT_OF(origins); i++)
			if (has_name_prefix(folder, origins[i]))
				folder = arena_printf(search->arena, "%s%s", search->origin,
						      folder + strlen(origins[i]));
		found = in_folder(search, folder, exact);
	}
	return found;
}

struct cache_head {
	char magic[20];
	uint32_t count, texts;
	uint32_t unused[5];
};

struct cache_entry {
	int32_t flags;
	uint32_t key, value, os;
	uint64_t hwcap;
};

static bool fits_machine(const char *path)
{
	Elf64_Ehdr header, own;
	int fd = open(path, O_RDONLY | O_CLOEXEC), self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	bool fits = fd >= 0 && self >= 0 && read(fd, &header, sizeof(header)) == (ssize_t)sizeof(header) &&
		    read(self, &own, sizeof(own)) == (ssize_t)sizeof(own) &&
		    !memcmp(header.e_ident, own.e_ident, EI_DATA + 1) && header.e_machine == own.e_machine;

	if (fd >= 0)
		close(fd);
	if (self >= 0)
		close(self);
	return fits;
}

static const char *in_cache(const struct library_search *search, const char *exact)
{
	struct error unknown = { .text = "" };
	size_t length = 0;
	char *cache = file_read(CACHE, &length, search->arena, &unknown);
	struct cache_head head;

	if (!cache || length < sizeof(head) || memcmp(cache, CACHE_MAGIC, sizeof(head.magic)) != 0)
		return NULL;
	memcpy(&head, cache, sizeof(head));
	for (size_t i = 0; i < head.count && sizeof(head) + (i + 1) * sizeof(struct cache_entry) <= length; i++) {
		struct cache_entry entry;

		memcpy(&entry, cache + sizeof(head) + i * sizeof(entry), sizeof(entry));
		if (entry.key >= length || entry.value >= length ||
		    !(exact ? !strcmp(cache + entry.key, exact) : is_called(cache + entry.key, search->name)))
			continue;
		if (fits_machine(cache + entry.value))
			return cache + entry.value;
	}
	return NULL;
}

static const char *library_of_program(const struct library_search *search)
{
	static const char usual[] = "/usr/local/lib:/lib64:/usr/lib64:/lib:/usr/lib";
	const char *exact = exact_name(search), *found;

	found = in_folders(search, dynamic_text(search, DT_RPATH, 0), exact);
	found = found ? found : in_folders(search, getenv("LD_LIBRARY_PATH"), exact);
	found = found ? found : in_folders(search, dynamic_text(search, DT_RUNPATH, 0), exact);
	found = found ? found : in_cache(search, exact);
	return found ? found : in_folders(search, usual, exact);
}

static const char *find_for_program(const char *name, const char *program, struct arena *arena)
{
	struct library_search search = { .name = name, .arena = arena, .origin = "." };
	int fd = program ? open(program, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	uint64_t bytes = MOST_BYTES;
	const char *found;

	if (fd >= 0) {
		search.needed = elf_linked_read(&(struct elf_file_part){ fd, &bytes }, SHT_DYNAMIC);
		close(fd);
	}
	if (program && strchr(program, '/'))
		search.origin = arena_strndup(arena, program, (size_t)(base_of(program) - program));
	found = library_of_program(&search);
	free(search.needed.content);
	free(search.needed.texts);
	return found;
}

const char *library_file_find(const char *name, const struct latency_owner *owner, struct arena *arena)
{
	if (strchr(name, '/'))
		return is_file(name) ? name : NULL;
	if (owner->pid)
		return mapped_library(name, owner->pid, arena);
	if (owner->program && is_called(base_of(owner->program), name))
		return owner->program;
	return find_for_program(name, owner->program, arena);
}
