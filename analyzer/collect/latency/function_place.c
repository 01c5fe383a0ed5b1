/* SPDX-License-Identifier: GPL-2.0-or-later */
/* function_place.c - where a function of a name begins in a file, by its symbols or those of its debug file. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collect/latency/latency_parts.h"
#include "collect/sample/elf_layout.h"
#include "collect/sample/elf_tables.h"
#include "common/base/text.h"
#include "program/symbols/symbols.h"

#define MOST_BYTES ((uint64_t)2 << 30)
#define DEBUG_FILE "/usr/lib/debug/.build-id/%.2s/%s.debug"

struct function_search {
	const char *name;
	struct latency_target *target;
	const struct elf_layout *layout;
	struct arena *arena;
	const char **others; /* names of functions that are there */
	size_t nothers, room;
	bool is_chosen;	  /* its symbol is that of a function which chooses it (STT_GNU_IFUNC) */
	bool is_imported; /* another file has it */
};

/* "f" of "f.isra.0" and "f.constprop.1", which are f with other parameters. f.cold and f.part.0 are pieces of it. */
static bool is_whole_function(const char *rest)
{
	return !*rest || has_name_prefix(rest, ".isra.") || has_name_prefix(rest, ".constprop.") || *rest == '@';
}

/* C++ and Rust: with parameters or without. */
static bool is_demangled(const char *symbol, const char *name, struct arena *arena)
{
	const char *shown;
	size_t length = strlen(name);

	if (strncmp(symbol, "_Z", 2) != 0 && strncmp(symbol, "_R", 2) != 0)
		return false;
	shown = symbol_demangle(symbol, arena);
	return !strncmp(shown, name, length) && (!shown[length] || shown[length] == '(');
}

static bool is_function_named(const struct function_search *search, const char *symbol)
{
	size_t length = strlen(search->name);

	if (!strncmp(symbol, search->name, length) && is_whole_function(symbol + length))
		return true;
	return is_demangled(symbol, search->name, search->arena);
}

static void add_offset(struct latency_target *target, uint64_t offset)
{
	for (size_t i = 0; i < target->noffsets; i++)
		if (target->offsets[i] == offset)
			return;
	if (target->noffsets < MOST_PLACES)
		target->offsets[target->noffsets++] = offset;
}

static bool take_symbol(void *context, const Elf64_Sym *symbol, const char *name)
{
	struct function_search *search = context;
	unsigned type = ELF64_ST_TYPE(symbol->st_info);
	bool is_there = symbol->st_shndx != SHN_UNDEF;
	uint64_t offset;

	if (!strcmp(name, "__cxa_begin_catch"))
		search->target->has_exceptions = true;
	if (type != STT_FUNC && type != STT_GNU_IFUNC && !(type == STT_NOTYPE && !is_there))
		return true;
	if (!is_function_named(search, name)) {
		if (!is_there)
			return true;
		search->others =
			arena_grow(search->arena, search->others, search->nothers, &search->room, sizeof(char *));
		search->others[search->nothers++] = arena_strdup(search->arena, name);
		return true;
	}
	search->is_imported = search->is_imported || !is_there;
	search->is_chosen = search->is_chosen || type == STT_GNU_IFUNC;
	if (is_there && type == STT_FUNC && elf_layout_offset(search->layout, symbol->st_value, &offset))
		add_offset(search->target, offset);
	return true;
}

/* ---- what is said where there is none ---- */

/* As a whole text of the debug information's. */
static bool is_in_debug_information(const struct elf_file_part *file, const char *name)
{
	size_t size = 0, length = strlen(name) + 1;
	char *texts = elf_section_named(file, ".debug_str", &size);
	bool is_there = false;

	for (char *at = texts; at && !is_there;) {
		at = memmem(at, size - (size_t)(at - texts), name, length);
		is_there = at && (at == texts || !at[-1]);
		at = at ? at + 1 : NULL;
	}
	free(texts);
	return is_there;
}

static int refuse_function(const struct function_search *search, const struct elf_file_part *file, struct error *err)
{
	const char *path = search->target->file, *name = search->name, *near;

	if (search->is_chosen)
		return error_set(
			err,
			"%s: %s is one of several functions, which the loader chooses by the CPU (IFUNC); name "
			"that one, as `perf report` or `nm` do",
			path, name);
	if (search->is_imported)
		return error_set(err, "%s calls %s, but a library has it: name that too, as in libc:%s", path, name,
				 name);
	if (is_in_debug_information(file, name))
		return error_set(err,
				 "%s has no function %s of its own, though its debug information names it: it was "
				 "inlined; compile it with __attribute__((noinline)), or name the function around it",
				 path, name);
	near = nearest_names(search->arena, name, search->others, search->nothers);
	if (near)
		return error_set(err, "%s has no function '%s': did you mean %s?", path, name, near);
	return error_set(err,
			 "%s has no function '%s': it may be inlined, or its symbols are stripped; `nm -C -D %s` lists "
			 "what there is",
			 path, name, path);
}

/* ---- the file ---- */

static bool search_file(struct function_search *search, int fd)
{
	uint64_t bytes = MOST_BYTES;

	return elf_tables_visit(&(struct elf_file_part){ fd, &bytes }, take_symbol, search);
}

/* Distributions keep the symbols that they strip in files of their own. */
static void search_debug_file(struct function_search *search)
{
	const char *id = search->layout->build_id;
	int fd = id && strlen(id) > 2 ? open(arena_printf(search->arena, DEBUG_FILE, id, id + 2), O_RDONLY | O_CLOEXEC)
				      : -1;

	if (fd < 0)
		return;
	(void)search_file(search, fd);
	close(fd);
}

static int check_kind(const struct elf_file_part *file, const char *path, struct error *err)
{
	size_t size;
	char *go = elf_section_named(file, ".gopclntab", &size);

	free(go);
	if (go)
		return error_set(err,
				 "%s is a program of Go, which moves its stacks: a probe at a return would crash it; "
				 "`topdown sample` shows where its time goes",
				 path);
	return 0;
}

/* What the function begins with decides how the kernel does it in the program's place. */
static void read_code(struct latency_target *target, int fd)
{
	if (target->noffsets && pread(fd, target->code, sizeof(target->code), (off_t)target->offsets[0]) < 0)
		target->code[0] = 0;
}

static int find_in(struct function_search *search, int fd, struct error *err)
{
	uint64_t bytes = MOST_BYTES;
	const struct elf_file_part file = { fd, &bytes };
	struct elf_layout layout;

	elf_layout_read(&layout, fd, search->arena);
	search->layout = &layout;
	if (!search_file(search, fd))
		return error_set(err,
				 "%s is no program or library of 64 bits; of a script name its interpreter's "
				 "function, as in python3:FUNC",
				 search->target->file);
	if (!search->target->noffsets)
		search_debug_file(search);
	if (!search->target->noffsets || search->is_chosen)
		return refuse_function(search, &file, err);
	read_code(search->target, fd);
	return check_kind(&file, search->target->file, err);
}

int function_place_find(struct latency_target *target, const char *name, struct arena *arena, struct error *err)
{
	struct function_search search = { .name = name, .target = target, .arena = arena };
	int fd = open(target->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), status;

	if (fd < 0)
		return error_set(err, "%s: %s", target->file, strerror(errno));
	status = find_in(&search, fd, err);
	close(fd);
	return status;
}
