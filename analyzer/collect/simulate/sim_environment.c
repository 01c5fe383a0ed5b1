/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/simulate/simulate_internal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/macros.h"

#define PATH_LENGTH  256  /* paths are made as long as a multiple of it */
#define TEXT_LENGTH  8192 /* likewise all texts of arguments and environment */
#define STACK_STEP   112  /* bytes; seven times what the stack is aligned to, so that neighbours differ within a line */
#define MOST_SHIFT   4096 /* bytes: a page */
#define PAD	     "TOPDOWN_PAD="
#define LIBRARY_NAME "VALGRIND_LIB="

/* More slashes in the place of the last one lead to the same file. */
static const char *pad_path(const char *path, struct arena *arena)
{
	const char *slash = strrchr(path, '/');
	size_t length = strlen(path), padded = (length + PATH_LENGTH - 1) / PATH_LENGTH * PATH_LENGTH;
	size_t before = slash ? (size_t)(slash - path) : 0;
	char *text;

	if (!slash)
		return path;
	text = arena_alloc(arena, padded + 1);
	memcpy(text, path, before);
	memset(text + before, '/', padded - length);
	memcpy(text + before + padded - length, slash, length - before + 1);
	return text;
}

static size_t size_of(char *const *words)
{
	size_t size = 0;

	for (; *words; words++)
		size += strlen(*words) + 1;
	return size;
}

static char *padding(size_t length, struct arena *arena)
{
	char *text = arena_alloc(arena, sizeof(PAD) + length);

	memcpy(text, PAD, sizeof(PAD) - 1);
	memset(text + sizeof(PAD) - 1, 'x', length);
	text[sizeof(PAD) - 1 + length] = '\0';
	return text;
}

static char *as_it_is(const char *name, struct arena *arena)
{
	const char *value = getenv(name);

	return arena_printf(arena, "%s=%s", name, value ? value : "");
}

static size_t shift_of(const struct sim_environment_choice *choice)
{
	return (size_t)choice->layout * STACK_STEP % MOST_SHIFT;
}

static void make_pinned(struct sim_environment *frame, const struct sim_environment_choice *choice,
			const struct program *program, const char *library, struct arena *arena)
{
	const char *scratch = getenv("TMPDIR");
	char *const fixed[] = {
		arena_printf(arena, LIBRARY_NAME "%s", pad_path(library, arena)),
		/* for Valgrind's own files, before the program's */
		arena_printf(arena, "TMPDIR=%s", pad_path(scratch && *scratch ? scratch : "/tmp", arena)),
		as_it_is("PATH", arena),
		as_it_is("LD_LIBRARY_PATH", arena),
		"HOME=/",
		"LANG=C",
		"LC_ALL=C",
		"TZ=UTC0",
		NULL,
	};
	size_t used = size_of(fixed) + size_of(program->argv + 1) + sizeof(PAD);
	size_t wanted = (used + TEXT_LENGTH - 1) / TEXT_LENGTH * TEXT_LENGTH;

	frame->environment = arena_array(arena, COUNT_OF(fixed) + 1, sizeof(*frame->environment));
	memcpy(frame->environment, fixed, sizeof(fixed));
	frame->environment[COUNT_OF(fixed) - 1] = padding(wanted - used + shift_of(choice), arena);
	frame->path = pad_path(program->path, arena);
}

static void make_usual(struct sim_environment *frame, const struct sim_environment_choice *choice, const char *library,
		       struct arena *arena)
{
	size_t count = 0, kept = 0;

	while (environ[count])
		count++;
	frame->environment = arena_array(arena, count + 3, sizeof(*frame->environment));
	for (size_t i = 0; i < count; i++)
		if (strncmp(environ[i], LIBRARY_NAME, sizeof(LIBRARY_NAME) - 1) != 0)
			frame->environment[kept++] = environ[i];
	frame->environment[kept++] = arena_printf(arena, LIBRARY_NAME "%s", library);
	if (choice->layout)
		frame->environment[kept] = padding(shift_of(choice), arena);
}

void sim_environment_make(struct sim_environment *frame, const struct sim_environment_choice *choice,
			  const struct program *program, const char *library, struct arena *arena)
{
	*frame = (struct sim_environment){ .path = program->path };
	if (choice->is_pinned)
		make_pinned(frame, choice, program, library, arena);
	else
		make_usual(frame, choice, library, arena);
}
