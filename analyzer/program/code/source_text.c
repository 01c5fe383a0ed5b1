/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

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

void source_text_read(struct source_text *source, const char *file, const char *binary, struct arena *arena)
{
	struct error err = { .text = "" };
	struct stat status = { .st_size = 0 };
	size_t length;
	char *text = NULL;

	*source = (struct source_text){ .count = 0 };
	if (stat(file, &status) == 0 && !S_ISREG(status.st_mode))
		error_set(&err, "%s: it is not a regular file", file);
	else
		text = file_read(file, &length, arena, &err);
	if (!text) {
		source->remark = arena_printf(arena, "The source can't be read: %s.", err.text);
		return;
	}
	split(source, text, arena);
	if (is_newer(&status, binary))
		source->remark =
			arena_printf(arena, "%s was changed after %s was built: lines may have moved.", file, binary);
	else if (!source->count)
		source->remark = arena_printf(arena, "%s is empty.", file);
}
