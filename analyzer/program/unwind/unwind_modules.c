/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unwind_modules.c - modules by device and inode, rows by module and address. */
#include "program/unwind/unwind_internal.h"

#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/arena.h"

/* After that many addresses (32 MB) the cache begins anew: who has as many finds few of them twice. */
enum { MOST_ADDRESSES = 1 << 20, LEAST_SLOTS = 1 << 10, ROW_NONE = 1, ROW_FIRST = 2 };
enum { MOST_PATH = 4352, READ_FLAGS = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY };

struct slot {
	uint64_t address;
	uint32_t module; /* its number; 0: free */
	uint32_t row;	 /* ROW_NONE, or its number and ROW_FIRST */
};

struct unwind_modules {
	const char *sysroot;
	const struct unwind_machine *machine;
	struct unwind_module *list;
	uint32_t count;
	struct slot *slots; /* nslots: a power of two, at most half of them are taken */
	size_t nslots, ntaken;
	struct arena arena;    /* of the rows */
	struct cfi_row **rows; /* each once */
	size_t nrows, row_capacity;
	uint32_t *row_slots; /* row + 1 by its bytes' hash; 0: free */
	size_t nrow_slots;
};

static void *zeroed(size_t count, size_t size)
{
	void *memory = calloc(count, size);

	if (!memory)
		memory_ended();
	return memory;
}

struct unwind_modules *unwind_modules_new(const char *sysroot, const struct unwind_machine *machine)
{
	struct unwind_modules *modules = zeroed(1, sizeof(*modules));

	modules->sysroot = sysroot;
	modules->machine = machine;
	modules->nslots = modules->nrow_slots = LEAST_SLOTS;
	modules->slots = zeroed(modules->nslots, sizeof(*modules->slots));
	modules->row_slots = zeroed(modules->nrow_slots, sizeof(*modules->row_slots));
	arena_init(&modules->arena);
	return modules;
}

void unwind_modules_free(struct unwind_modules *modules)
{
	struct unwind_module *next;

	for (struct unwind_module *module = modules->list; module; module = next) {
		next = module->next;
		unwind_image_release(&module->image);
		free(module->path);
		free(module);
	}
	arena_release(&modules->arena);
	free(modules->slots);
	free(modules->row_slots);
	free(modules);
}

/* Where a mapped file can be opened. */
enum way { BELOW_ROOT, BY_MAPPING, BY_PROGRAM, BY_PATH, WAYS };

static int print_way(const struct unwind_modules *modules, const struct unwind_file *file, enum way way, char *path)
{
	const char *root = modules->sysroot;
	const unsigned pid = file->pid;

	switch (way) {
	case BELOW_ROOT: return snprintf(path, MOST_PATH, "%s/proc/%u/root%s", root, pid, file->path);
	case BY_MAPPING:
		return snprintf(path, MOST_PATH, "%s/proc/%u/map_files/%" PRIx64 "-%" PRIx64, root, pid, file->begin,
				file->end);
	case BY_PROGRAM: return snprintf(path, MOST_PATH, "%s/proc/%u/exe", root, pid);
	default: return snprintf(path, MOST_PATH, "%s%s", root, file->path);
	}
}

/* Without the inode only the path says whether it is the file. */
static bool is_mapped_file(const struct unwind_file *file, enum way way, int fd)
{
	struct stat status;

	if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode))
		return false;
	return file->inode ? file->inode == status.st_ino : way != BY_PROGRAM;
}

/* The mapped file itself: where the process sees it, or through the kernel's links where it is deleted or replaced. */
static int unwind_modules_open_file(const struct unwind_modules *modules, const struct unwind_file *file, char *path)
{
	for (enum way way = BELOW_ROOT; way < WAYS; way++) {
		const int written = print_way(modules, file, way, path);
		const int fd = written < MOST_PATH ? open(path, READ_FLAGS) : -1;

		if (fd >= 0 && is_mapped_file(file, way, fd))
			return fd;
		if (fd >= 0)
			close(fd);
	}
	return -1;
}

static struct unwind_module *add_module(struct unwind_modules *modules, const struct unwind_source *source,
					const struct unwind_module *key)
{
	struct unwind_module *module = zeroed(1, sizeof(*module));

	*module = *key;
	module->next = modules->list;
	module->number = ++modules->count;
	modules->list = module;
	/* One that can't be read is kept too, so that it is not read again. */
	if (!unwind_image_read(&module->image, source, modules->machine->elf))
		module->image.has_looked_for_debug = true;
	return module;
}

static struct unwind_module *find_module(const struct unwind_modules *modules, const struct unwind_module *key)
{
	struct unwind_module *module = modules->list;

	while (module &&
	       (module->device != key->device || module->inode != key->inode || module->changed_ns != key->changed_ns))
		module = module->next;
	return module;
}

static struct unwind_source vdso_source(void)
{
	const unsigned char *memory = (const unsigned char *)getauxval(AT_SYSINFO_EHDR);
	struct unwind_source source = { -1, memory, 0 };
	Elf64_Ehdr header;

	if (!memory)
		return source;
	memcpy(&header, memory, sizeof(header));
	source.size = header.e_shoff + (uint64_t)header.e_shnum * header.e_shentsize;
	return source;
}

/* Every process has the kernel's vdso at some place; it is the same in all. */
static struct unwind_module *open_vdso(struct unwind_modules *modules)
{
	const struct unwind_module key = { 0 };
	const struct unwind_source source = vdso_source();
	struct unwind_module *module = find_module(modules, &key);

	return module || !source.size || *modules->sysroot ? module : add_module(modules, &source, &key);
}

struct unwind_module *unwind_modules_open(struct unwind_modules *modules, const struct unwind_file *file)
{
	struct unwind_source source;
	struct unwind_module key = { 0 }, *module;
	struct stat status;
	char path[MOST_PATH];
	int fd;

	if (!strcmp(file->path, "[vdso]"))
		return open_vdso(modules);
	if (file->path[0] != '/' || !strncmp(file->path, "//", 2))
		return NULL;
	fd = unwind_modules_open_file(modules, file, path);
	if (fd < 0 || fstat(fd, &status) < 0) {
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	key.device = status.st_dev;
	key.inode = status.st_ino;
	key.changed_ns = (int64_t)status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec;
	module = find_module(modules, &key);
	if (!module) {
		source = unwind_source_file(fd);
		key.path = strdup(path);
		module = add_module(modules, &source, &key);
	}
	close(fd);
	return module;
}

static size_t hash_address(const struct unwind_modules *modules, uint32_t module, uint64_t address)
{
	return (size_t)(((address + ((uint64_t)module << 40)) * 0x9e3779b97f4a7c15u) >> 20) & (modules->nslots - 1);
}

static struct slot *unwind_modules_slot_of(const struct unwind_modules *modules, uint32_t module, uint64_t address)
{
	size_t i = hash_address(modules, module, address);

	while (modules->slots[i].module && (modules->slots[i].address != address || modules->slots[i].module != module))
		i = (i + 1) & (modules->nslots - 1);
	return &modules->slots[i];
}

static void unwind_modules_make_room(struct unwind_modules *modules)
{
	const size_t old = modules->nslots;
	struct slot *slots = modules->slots;

	if (modules->ntaken * 2 < old)
		return;
	if (modules->ntaken >= MOST_ADDRESSES) {
		memset(slots, 0, old * sizeof(*slots));
		modules->ntaken = 0;
		return;
	}
	modules->nslots = old * 2;
	modules->slots = zeroed(modules->nslots, sizeof(*slots));
	for (size_t i = 0; i < old; i++)
		if (slots[i].module)
			*unwind_modules_slot_of(modules, slots[i].module, slots[i].address) = slots[i];
	free(slots);
}

static size_t row_size(const struct cfi_row *row)
{
	return offsetof(struct cfi_row, cells) + row->ncells * sizeof(row->cells[0]);
}

static size_t hash_row(const struct cfi_row *row)
{
	const unsigned char *bytes = (const unsigned char *)row;
	uint64_t hash = 0xcbf29ce484222325u;

	for (size_t i = 0; i < row_size(row); i++)
		hash = (hash ^ bytes[i]) * 0x100000001b3u;
	return (size_t)(hash >> 16);
}

static uint32_t *row_slot(const struct unwind_modules *modules, const struct cfi_row *row)
{
	size_t i = hash_row(row) & (modules->nrow_slots - 1);
	const struct cfi_row *other;

	for (; modules->row_slots[i]; i = (i + 1) & (modules->nrow_slots - 1)) {
		other = modules->rows[modules->row_slots[i] - 1];
		if (other->ncells == row->ncells && !memcmp(other, row, row_size(row)))
			break;
	}
	return &modules->row_slots[i];
}

static void make_row_room(struct unwind_modules *modules)
{
	if (modules->nrows * 2 < modules->nrow_slots)
		return;
	free(modules->row_slots);
	modules->nrow_slots *= 2;
	modules->row_slots = zeroed(modules->nrow_slots, sizeof(*modules->row_slots));
	for (uint32_t i = 0; i < modules->nrows; i++)
		*row_slot(modules, modules->rows[i]) = i + 1;
}

/* The number of an equal row. */
static uint32_t intern(struct unwind_modules *modules, const struct cfi_row *row)
{
	uint32_t *slot = row_slot(modules, row);
	struct cfi_row *copy;

	if (*slot)
		return *slot - 1;
	modules->rows = arena_grow(&modules->arena, modules->rows, modules->nrows, &modules->row_capacity,
				   sizeof(struct cfi_row *));
	copy = arena_alloc(&modules->arena, row_size(row));
	memcpy(copy, row, row_size(row));
	modules->rows[modules->nrows++] = copy;
	*slot = (uint32_t)modules->nrows;
	make_row_room(modules);
	return (uint32_t)modules->nrows - 1;
}

/* What the module was read from; close fd. */
static struct unwind_source source_again(const struct unwind_module *module)
{
	const int fd = module->path ? open(module->path, READ_FLAGS) : -1;

	return module->path ? unwind_source_file(fd) : vdso_source();
}

static void source_close(const struct unwind_source *source)
{
	if (source->fd >= 0)
		close(source->fd);
}

/* Where a build-id's separate debug file is kept. */
static void print_debug_path(const struct unwind_modules *modules, const struct unwind_image *image, char *path)
{
	int at = snprintf(path, MOST_PATH, "%s/usr/lib/debug/.build-id/%02x/", modules->sysroot, image->id[0]);

	for (size_t i = 1; i < image->id_length && at < MOST_PATH - 16; i++)
		at += snprintf(path + at, 3, "%02x", image->id[i]);
	if (at < MOST_PATH - 16)
		snprintf(path + at, 16, ".debug");
}

/* .debug_frame, which few files have: of the file, else of its separate debug file. */
static void add_debug(const struct unwind_modules *modules, struct unwind_module *module)
{
	struct unwind_source source = source_again(module);
	char path[MOST_PATH];

	module->image.has_looked_for_debug = true;
	unwind_image_add_debug(&module->image, &source);
	source_close(&source);
	if (module->image.debug.data || !module->image.id_length)
		return;
	print_debug_path(modules, &module->image, path);
	source = unwind_source_file(open(path, READ_FLAGS));
	unwind_image_add_debug(&module->image, &source);
	source_close(&source);
}

/* Does a handler return to the code behind this address? */
static bool is_trampoline(const struct unwind_modules *modules, const struct unwind_module *module, uint64_t address)
{
	const struct unwind_machine *machine = modules->machine;
	const struct unwind_source source = source_again(module);
	unsigned char *code = NULL;
	uint64_t offset;
	bool is_one;

	if (unwind_image_offset(&module->image, address + 1, &offset))
		code = unwind_source_read(&source, offset, machine->trampoline_length);
	is_one = code && !memcmp(code, machine->trampoline, machine->trampoline_length);
	free(code);
	source_close(&source);
	return is_one;
}

static uint32_t unwind_modules_find_row(struct unwind_modules *modules, struct unwind_module *module, uint64_t address)
{
	struct cfi_row row = { 0 };
	bool is_found = cfi_find(&module->image.eh, address, &row);

	if (!is_found && !module->image.has_looked_for_debug)
		add_debug(modules, module);
	if (!is_found)
		is_found = cfi_find(&module->image.debug, address, &row);
	/* The kernel's row for Arm leaves the interrupted function out. */
	if ((!is_found || row.is_signal) && is_trampoline(modules, module, address)) {
		unwind_machine_trampoline(modules->machine, &row);
		is_found = true;
	}
	return is_found ? intern(modules, &row) + ROW_FIRST : ROW_NONE;
}

const struct cfi_row *unwind_modules_row(struct unwind_modules *modules, struct unwind_module *module, uint64_t address)
{
	struct slot *slot = unwind_modules_slot_of(modules, module->number, address);

	if (!slot->module) {
		unwind_modules_make_room(modules);
		slot = unwind_modules_slot_of(modules, module->number, address);
		*slot = (struct slot){ address, module->number, unwind_modules_find_row(modules, module, address) };
		modules->ntaken++;
	}
	return slot->row == ROW_NONE ? NULL : modules->rows[slot->row - ROW_FIRST];
}
