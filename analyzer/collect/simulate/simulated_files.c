/* SPDX-License-Identifier: GPL-2.0-or-later */
/* simulated_files.c - the files that the simulator's processes have left: which ones are whole, and in what order. */
#include <stdlib.h>
#include <string.h>

#include "collect/simulate/simulated_counts.h"
#include "common/base/text.h"
#include "common/system/file.h"

static int compare_files(const void *first, const void *second)
{
	const struct counts_file *a = first, *b = second;

	if (a->is_own != b->is_own)
		return a->is_own ? -1 : 1;
	if (a->pid != b->pid)
		return a->pid > b->pid ? 1 : -1;
	return (a->number > b->number) - (a->number < b->number);
}

/* The program's own first, the others as they were started, as far as their numbers show it. */
static struct counts_file *sort_files(const char **names, size_t count, int own, struct arena *arena)
{
	struct counts_file *files = arena_array(arena, count + 1, sizeof(*files));

	for (size_t i = 0; i < count; i++) {
		char *rest;

		files[i].name = names[i];
		files[i].pid = strtoull(names[i], &rest, 10);
		files[i].number = *rest == '.' ? strtoull(rest + 1, NULL, 10) : 0;
		files[i].is_own = files[i].pid == (uint64_t)own;
	}
	if (count)
		qsort(files, count, sizeof(*files), compare_files);
	return files;
}

static bool is_this_version(const char *text)
{
	return has_name_prefix(text, WIRE_VERSION_LINE "\n");
}

/* Was the file written to its end? */
static bool is_whole(const char *text, size_t length)
{
	static const char mark[] = "\n" WIRE_END "\n";

	return length >= strlen(mark) && !strcmp(text + length - strlen(mark), mark);
}

/* What the file says of itself. */
static enum simulated_end load(struct counts_file *file, const char *folder, bool is_first, struct arena *arena)
{
	struct error err = { .text = "" };
	size_t length;
	char *text = file_read(arena_printf(arena, "%s/%s", folder, file->name), &length, arena, &err);

	if (!text || !is_whole(text, length))
		return is_first ? SIMULATED_CUT : SIMULATED_WHOLE;
	if (!is_this_version(text))
		return SIMULATED_VERSIONED;
	file->text = text;
	file->is_replaced = simulated_number(text, WIRE_EXECS_REFUSED) > 0;
	file->has_exec = simulated_number(text, WIRE_EXECS) > 0 && !file->is_replaced;
	file->is_continued = simulated_number(text, WIRE_CONTINUED) > 0;
	return SIMULATED_WHOLE;
}

enum simulated_end counts_files_load(struct counts_file **sorted, size_t *count, const struct simulated_files *files,
				     struct arena *arena)
{
	struct error err = { .text = "" };
	const char **names = directory_list(files->folder, WIRE_SUFFIX, count, arena, &err);
	enum simulated_end end = SIMULATED_WHOLE;

	*sorted = names ? sort_files(names, *count, files->pid, arena) : NULL;
	if (!*sorted || !*count || !(*sorted)[0].is_own)
		return SIMULATED_NONE;
	for (size_t i = 0; i < *count && end == SIMULATED_WHOLE; i++)
		end = load(&(*sorted)[i], files->folder, i == 0, arena);
	return end;
}
