/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "common/base/text.h"
#include "common/system/file.h"
#include "program/code/disassembly.h"

static size_t count_lines(const char *text)
{
	size_t count = 0;

	for (; *text; text += *text == '\n') {
		text += strcspn(text, "\n");
		count++;
	}
	return count;
}

/* Cut in place. */
static void split(struct source_text *source, char *text, struct arena *arena)
{
	size_t lines = count_lines(text);

	source->lines = arena_array(arena, lines + 1, sizeof(*source->lines));
	while (source->count < lines) {
		char *end = text + strcspn(text, "\n");
		bool is_last = !*end;

		*end = '\0';
		if (end > text && end[-1] == '\r')
			end[-1] = '\0';
		source->lines[source->count++] = text;
		text = is_last ? end : end + 1;
	}
}

static bool is_newer(const struct stat *source, const char *binary)
{
	struct stat status;

	if (!binary || stat(binary, &status) < 0)
		return false;
	return source->st_mtim.tv_sec != status.st_mtim.tv_sec ? source->st_mtim.tv_sec > status.st_mtim.tv_sec
							       : source->st_mtim.tv_nsec > status.st_mtim.tv_nsec;
}

/* ---- where it is ---- */

/* The file without its links, where it is below the folder, which has none; else NULL. */
static const char *below(const char *folder, const char *path, struct arena *arena)
{
	char *real = realpath(path, NULL);
	size_t length = strlen(folder);
	bool is_below = real && !strncmp(real, folder, length) && (real[length] == '/' || folder[length - 1] == '/');
	const char *found = is_below ? arena_strdup(arena, real) : NULL;

	free(real);
	return found;
}

/* The file itself, or what has the longest end of its path. */
static const char *find_below(const char *folder, const char *file, struct arena *arena)
{
	char *real = realpath(folder, NULL);
	const char *found = real ? below(real, file, arena) : NULL;

	for (const char *end = file; real && !found && end; end = strchr(end, '/')) {
		end += strspn(end, "/");
		found = below(real, arena_printf(arena, "%s/%s", real, end), arena);
	}
	free(real);
	return found;
}

/* The kernel makes what is in proc and sys when it is read: some of it waits, and none is a source. */
static bool is_on_disk(const char *path)
{
	struct statfs status;

	return statfs(path, &status) < 0 || (status.f_type != PROC_SUPER_MAGIC && status.f_type != SYSFS_MAGIC);
}

/* NULL, with err: there is none, or none that may be read. */
static const char *find(const struct source_request *request, struct arena *arena, struct error *err)
{
	const char *found = request->folder ? find_below(request->folder, request->file, arena) : NULL;
	struct stat status;

	if (!found && request->is_foreign) {
		if (request->folder)
			error_set(err, "%s is not below %s", request->file, request->folder);
		else
			error_set(err,
				  "%s: these counts were not made by you on this machine; {source} DIR says where "
				  "their sources are",
				  request->file);
		return NULL;
	}
	if (!found)
		found = request->file;
	if (stat(found, &status) < 0 || (S_ISREG(status.st_mode) && is_on_disk(found)))
		return found;
	error_set(err, "%s: it is not a regular file", found);
	return NULL;
}

void source_text_read(struct source_text *source, const struct source_request *request, struct arena *arena)
{
	struct error err = { .text = "" };
	const char *file = find(request, arena, &err);
	struct stat status = { .st_size = 0 };
	size_t length;
	char *text = file ? file_read(file, &length, arena, &err) : NULL;

	*source = (struct source_text){ .count = 0 };
	if (!text) {
		source->remark = arena_printf(arena, "The source can't be read: %s.", err.text);
		return;
	}
	source->file = file;
	split(source, text, arena);
	if (stat(file, &status) == 0 && is_newer(&status, request->binary))
		source->remark = arena_printf(arena, "%s was changed after %s was built: lines may have moved.", file,
					      request->binary);
	else if (!source->count)
		source->remark = arena_printf(arena, "%s is empty.", file);
	else if (compare_texts(file, request->file) != 0)
		source->remark = arena_printf(arena, "The source was read from %s.", file);
}
