/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/sample/processes.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "common/base/text.h"

#define DELETED	     " (deleted)"
#define KERNEL	     "[kernel.kallsyms]"
#define MODULES_PATH "/proc/modules"
#define PATH_ROOM    4352 /* a path of the kernel's, and what stands before it */

struct mapped_file {
	const char *path;
	uint32_t major, minor;
	uint64_t inode;
	bool has_inode;
	const char *build_id;
	enum module_kind kind;
	bool is_known; /* layout was read, or can't be */
	bool is_by_process;
	struct elf_layout layout;
	uint32_t module; /* of the profile, once is_known and not by process */
	struct mapped_file *next;
};

struct kernel_module {
	const char *name;
	uint64_t begin, end;
};

struct mapped_files {
	struct profile *profile;
	struct arena *arena;
	struct table by_path; /* numbers of lists: files of the same path that differ in something */
	struct mapped_file **lists;
	size_t nlists, room;
	struct kernel_module *modules; /* ascending, once they are known */
	size_t nmodules, modules_room;
	bool is_live, knows_kernel;
};

struct mapped_files *mapped_files_new(struct profile *profile, bool is_live)
{
	struct mapped_files *files = arena_alloc(profile->arena, sizeof(*files));

	*files = (struct mapped_files){
		.profile = profile, .arena = profile->arena, .by_path = TABLE_INIT(profile->arena), .is_live = is_live
	};
	return files;
}

const char *mapped_file_path(const struct mapped_file *file)
{
	return file->path;
}

/* ---- kinds ---- */

/* Memory that no file on a disk stands behind. */
static enum module_kind kind_of(const char *path)
{
	static const struct {
		const char *prefix;
		enum module_kind kind;
	} kinds[] = {
		{ "//anon", MODULE_JIT },    { "[vdso]", MODULE_VDSO },	       { "[vdso32]", MODULE_VDSO },
		{ "[heap]", MODULE_JIT },    { "[stack", MODULE_JIT },	       { "/memfd:", MODULE_JIT },
		{ "/dev/zero", MODULE_JIT }, { "[anon:", MODULE_JIT },	       { "/anon_hugepage", MODULE_JIT },
		{ "/SYSV", MODULE_JIT },     { "[vsyscall]", MODULE_UNKNOWN }, { "[", MODULE_UNKNOWN },
	};

	if (!*path)
		return MODULE_JIT;
	for (size_t i = 0; i < COUNT_OF(kinds); i++)
		if (!strncmp(path, kinds[i].prefix, strlen(kinds[i].prefix)))
			return kinds[i].kind;
	return MODULE_FILE;
}

/* ---- files, each once ---- */

static bool is_file_of(const struct mapped_file *file, const struct record_mapping *mapping, const char *build_id)
{
	if (mapping->has_inode && file->has_inode)
		return file->inode == mapping->inode && file->major == mapping->major && file->minor == mapping->minor;
	return !compare_texts(file->build_id, build_id);
}

static size_t list_of(struct mapped_files *files, const char *path)
{
	size_t number;
	char *key = arena_alloc(files->arena, 2 * strlen(path) + 1), *end = key;

	/* Tables have no regard to case, files do: what is upper case gets a mark. */
	for (const char *c = path; *c; c++) {
		if (*c >= 'A' && *c <= 'Z')
			*end++ = '\1';
		*end++ = *c;
	}
	number = table_get(&files->by_path, key);
	if (number != TABLE_NONE)
		return number;
	files->lists =
		arena_grow(files->arena, files->lists, files->nlists, &files->room, sizeof(struct mapped_file *));
	files->lists[files->nlists] = NULL;
	table_set(&files->by_path, key, files->nlists);
	return files->nlists++;
}

struct mapped_file *mapped_file_of(struct mapped_files *files, const struct record_mapping *mapping)
{
	const char *build_id =
		mapping->build_id ? build_id_text(mapping->build_id, mapping->build_id_bytes, files->arena) : NULL;
	size_t list = list_of(files, mapping->path);
	struct mapped_file *file;

	for (file = files->lists[list]; file; file = file->next)
		if (is_file_of(file, mapping, build_id))
			return file;
	file = arena_alloc(files->arena, sizeof(*file));
	*file = (struct mapped_file){ .path = arena_strdup(files->arena, mapping->path),
				      .major = mapping->major,
				      .minor = mapping->minor,
				      .inode = mapping->inode,
				      .has_inode = mapping->has_inode,
				      .build_id = build_id,
				      .kind = kind_of(mapping->path),
				      .next = files->lists[list] };
	file->is_by_process = file->kind == MODULE_JIT || file->kind == MODULE_UNKNOWN;
	files->lists[list] = file;
	return file;
}

/* ---- looking at a file ---- */

static bool is_same_file(int fd, const struct mapped_file *file)
{
	struct stat status;

	if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode))
		return false;
	/* Overlays show another device in stat than in a mapping; the number of the inode is the same. */
	return !file->has_inode || !file->inode || status.st_ino == file->inode;
}

static int open_same(const char *path, const struct mapped_file *file)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd >= 0 && !is_same_file(fd, file)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* As the process sees it; as this process does; and what is mapped, whatever became of its name. */
static int mapped_files_open_file(const struct mapped_file *file, const struct mapping *mapping, uint32_t pid,
				  bool *is_elsewhere)
{
	char path[PATH_ROOM];
	int fd;

	*is_elsewhere = false;
	fd = open_same(file->path, file);
	if (fd >= 0)
		return fd;
	*is_elsewhere = true;
	snprintf(path, sizeof(path), "/proc/%u/root%s", pid, file->path);
	fd = open_same(path, file);
	if (fd >= 0)
		return fd;
	*is_elsewhere = false;
	snprintf(path, sizeof(path), "/proc/%u/map_files/%llx-%llx", pid, (unsigned long long)mapping->begin,
		 (unsigned long long)mapping->end);
	fd = open_same(path, file);
	if (fd >= 0)
		return fd;
	snprintf(path, sizeof(path), "/proc/%u/exe", pid);
	return file->has_inode && file->inode ? open_same(path, file) : -1;
}

static bool is_deleted(const struct mapped_file *file)
{
	size_t length = strlen(file->path), tail = sizeof(DELETED) - 1;

	return length > tail && !strcmp(file->path + length - tail, DELETED);
}

static const char *remark_of(const struct mapped_file *file)
{
	if (is_deleted(file))
		return "the file was deleted or replaced while it was in use";
	return access(file->path, F_OK) == 0 ? "the file is another one now than the one that ran"
					     : "the file is not there any more";
}

/*
 * A file of records from elsewhere or before: this machine's file is the one that was mapped where the build-id or, on
 * the same disk, the inode says so. -1: it is not, or nobody knows.
 */
static int open_recorded(struct mapped_file *file, struct arena *arena)
{
	int fd = open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return -1;
	if (!file->build_id && file->has_inode && file->inode && is_same_file(fd, file))
		return fd;
	elf_layout_read(&file->layout, fd, arena);
	if (file->build_id && !compare_texts(file->build_id, file->layout.build_id))
		return fd;
	file->layout = (struct elf_layout){ .count = 0 };
	close(fd);
	return -1;
}

static void look_at(struct mapped_files *files, struct mapped_file *file, const struct mapping *mapping, uint32_t pid)
{
	struct profile_module module = { .kind = file->kind, .path = file->path };
	bool is_elsewhere = false;
	int fd = -1;

	file->is_known = true;
	if (file->kind == MODULE_FILE) {
		fd = files->is_live ? mapped_files_open_file(file, mapping, pid, &is_elsewhere)
				    : open_recorded(file, files->arena);
		if (fd < 0 || is_deleted(file))
			module.remark = remark_of(file);
	}
	if (fd >= 0) {
		elf_layout_read(&file->layout, fd, files->arena);
		close(fd);
	}
	module.build_id = file->build_id ? file->build_id : file->layout.build_id;
	module.pid = is_elsewhere ? pid : 0;
	file->module = profile_module(files->profile, &module);
}

/* ---- places ---- */

static uint32_t place_unmapped(struct mapped_files *files, const struct mapped_file *file, uint32_t pid,
			       uint64_t address)
{
	const struct profile_module module = { .kind = file ? file->kind : MODULE_UNKNOWN,
					       .path = file && *file->path ? file->path
						       : file		   ? "//anon"
									   : "[unknown]",
					       .pid = pid };

	return profile_place(files->profile, profile_module(files->profile, &module), address);
}

uint32_t place_of_user(struct mapped_files *files, const struct mapping *mapping, uint32_t pid, uint64_t address)
{
	struct mapped_file *file = mapping ? mapping->file : NULL;
	uint64_t offset;

	if (!file || file->is_by_process)
		return place_unmapped(files, file, pid, address);
	if (!file->is_known)
		look_at(files, file, mapping, pid);
	offset = address - mapping->begin + mapping->offset;
	return profile_place(files->profile, file->module, elf_layout_address(&file->layout, offset));
}

/* ---- the kernel ---- */

static int compare_modules(const void *a, const void *b)
{
	const struct kernel_module *one = a, *other = b;

	return (one->begin > other->begin) - (one->begin < other->begin);
}

static void add_module(struct mapped_files *files, const char *name, uint64_t begin, uint64_t length)
{
	files->modules = arena_grow(files->arena, files->modules, files->nmodules, &files->modules_room,
				    sizeof(*files->modules));
	files->modules[files->nmodules++] = (struct kernel_module){ name, begin, begin + length };
}

static void sort_modules(struct mapped_files *files)
{
	if (files->nmodules)
		qsort(files->modules, files->nmodules, sizeof(*files->modules), compare_modules);
}

void kernel_add_module(struct mapped_files *files, const char *name, uint64_t begin, uint64_t length)
{
	add_module(files, arena_strdup(files->arena, name), begin, length);
	sort_modules(files);
}

/* "nf_tables 303104 5 - Live 0xffffffffc0a00000"; the address is 0 for those who may not see it. */
static void read_modules(struct mapped_files *files)
{
	FILE *list = files->is_live ? fopen(MODULES_PATH, "re") : NULL;
	unsigned long long size, address;
	char line[1024], name[128];

	files->knows_kernel = true;
	while (list && fgets(line, sizeof(line), list))
		if (sscanf(line, "%127s %llu %*s %*s %*s %llx", name, &size, &address) == 3 && address)
			add_module(files, arena_printf(files->arena, "[%s]", name), address, size);
	if (list)
		fclose(list);
	sort_modules(files);
}

static const struct kernel_module *find_module(const struct mapped_files *files, uint64_t address)
{
	size_t low = 0, high = files->nmodules;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (address < files->modules[middle].begin)
			high = middle;
		else if (address >= files->modules[middle].end)
			low = middle + 1;
		else
			return &files->modules[middle];
	}
	return NULL;
}

uint32_t place_of_kernel(struct mapped_files *files, uint64_t address)
{
	struct profile_module module = { .kind = MODULE_KERNEL, .path = KERNEL };
	const struct kernel_module *found;

	if (!files->knows_kernel)
		read_modules(files);
	found = find_module(files, address);
	if (found && strcmp(found->name, KERNEL) != 0) {
		module.kind = MODULE_DRIVER;
		module.path = found->name;
	}
	return profile_place(files->profile, profile_module(files->profile, &module), address);
}
