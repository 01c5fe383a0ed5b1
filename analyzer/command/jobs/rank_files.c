/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command/jobs/rank_files.h"

#include <string.h>
#include <sys/stat.h>

#include "analyse/ranks/ranks.h"
#include "common/system/file.h"

/* A file that is to be read, and which one it is. */
struct rank_path {
	const char *path;
	dev_t device;
	ino_t inode; /* 0: it is not there */
};

struct path_list {
	struct rank_path *items;
	size_t count, room;
};

static void add_path(struct path_list *list, const char *path, struct arena *arena)
{
	struct rank_path *added;
	struct stat status;

	list->items = arena_grow(arena, list->items, list->count, &list->room, sizeof(*list->items));
	added = &list->items[list->count++];
	*added = (struct rank_path){ .path = path };
	if (stat(path, &status) < 0)
		return;
	added->device = status.st_dev;
	added->inode = status.st_ino;
}

/* The same file before it, by whatever name; NULL: there is none. */
static const char *find_same(const struct path_list *list, size_t number)
{
	const struct rank_path *one = &list->items[number];

	for (size_t i = 0; one->inode && i < number; i++)
		if (list->items[i].inode == one->inode && list->items[i].device == one->device)
			return list->items[i].path;
	return NULL;
}

/* `perf record --threads` makes folders, too. */
static bool is_rank_folder(const char *path)
{
	char data[4096];

	return is_directory(path) && (size_t)snprintf(data, sizeof(data), "%s/data", path) < sizeof(data) &&
	       !is_file(data);
}

bool are_rank_files(const struct saved_files *files)
{
	return files->count > 1 || (files->count && is_rank_folder(files->names[0]));
}

static int add_folder(struct path_list *list, const char *folder, struct arena *arena, struct error *err)
{
	static const char *const suffixes[] = { ".json", ".json.gz" };
	size_t before = list->count;

	for (size_t i = 0; i < COUNT_OF(suffixes); i++) {
		size_t count;
		const char **names = directory_list(folder, suffixes[i], &count, arena, err);

		if (!names)
			return -1;
		for (size_t k = 0; k < count; k++)
			add_path(list, arena_printf(arena, "%s/%s", folder, names[k]), arena);
	}
	if (list->count == before)
		return error_set(err,
				 "%s: there is no session in this folder: no file's name ends in .json or .json.gz",
				 folder);
	return 0;
}

/* A session's own parts stay in arena where the sum is of them; the rest goes with scratch. */
static void add_session(struct rank_sums *sums, const char *path, struct arena *scratch, struct arena *arena)
{
	struct measurement one;
	struct error err = { .text = "" };
	const char *named;

	if (saved_files_read(&one, path, scratch, &err) < 0) {
		named = strncmp(err.text, path, strlen(path)) ? err.text : err.text + strlen(path);
		rank_sums_leave_out(sums, path, arena_strdup(arena, named + strspn(named, ": ")));
		return;
	}
	if (rank_sums_is_new(sums, &one) && saved_files_read(&one, path, arena, &err) < 0)
		return;
	rank_sums_add(sums, &one, path);
}

int rank_files_read(struct saved_file *recorded, const struct saved_files *files, struct arena *arena,
		    struct error *err)
{
	struct rank_sums *sums = rank_sums_new(arena);
	struct path_list list = { .count = 0 };
	struct arena scratch;

	for (size_t i = 0; i < files->count; i++) {
		if (!is_rank_folder(files->names[i]))
			add_path(&list, files->names[i], arena);
		else if (add_folder(&list, files->names[i], arena, err) < 0)
			return -1;
	}
	arena_init(&scratch);
	for (size_t i = 0; i < list.count; i++) {
		const char *same = find_same(&list, i);

		if (same)
			rank_sums_leave_out(sums, list.items[i].path, arena_printf(arena, "it is the file %s", same));
		else
			add_session(sums, list.items[i].path, &scratch, arena);
		arena_reset(&scratch);
	}
	arena_release(&scratch);
	*recorded = (struct saved_file){ .file = files->count == 1 ? files->names[0] : "these sessions" };
	return rank_sums_finish(&recorded->measured, sums, err);
}
