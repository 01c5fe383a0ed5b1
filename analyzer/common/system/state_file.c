/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/system/state_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/system/output_file.h"

#define DIRECTORY "topdown"

/* As the XDG base directory specification has it: what is not absolute does not count. */
static const char *absolute(const char *variable)
{
	const char *path = getenv(variable);

	return path && *path == '/' ? path : NULL;
}

/* Services have / for a home, where nothing of theirs belongs. */
static const char *home_directory(void)
{
	const char *home = absolute("HOME");

	return home && home[strspn(home, "/")] ? home : NULL;
}

static const char *state_directory(struct arena *arena)
{
	const char *state = absolute("XDG_STATE_HOME"), *home = home_directory();

	return state ? state : home ? arena_printf(arena, "%s/.local/state", home) : NULL;
}

const char *state_path(const char *name, struct arena *arena)
{
	const char *state = state_directory(arena);

	return state ? arena_printf(arena, "%s/" DIRECTORY "/%s", state, name) : NULL;
}

const char *state_name(const char *kind, const char *machine, struct arena *arena)
{
	char *name = arena_printf(arena, "%s-%.100s.json", kind, machine);

	for (char *at = name; *at; at++)
		if (*at == '/' || (unsigned char)*at <= ' ')
			*at = '_';
	return name;
}

/* ---- reading ---- */

static bool is_own_file(int descriptor, size_t most)
{
	struct stat status;

	return fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
	       !(status.st_mode & (S_IWGRP | S_IWOTH)) && (size_t)status.st_size <= most;
}

char *state_read(const char *name, size_t most, size_t *length, struct arena *arena)
{
	const char *path = state_path(name, arena);
	/* A FIFO would otherwise wait for a writer. */
	int descriptor = path ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) : -1;
	char *text = NULL;
	ssize_t got;

	if (descriptor < 0)
		return NULL;
	if (is_own_file(descriptor, most)) {
		text = arena_alloc(arena, most + 1);
		got = read(descriptor, text, most);
		*length = got < 0 ? 0 : (size_t)got;
		text[*length] = '\0';
	}
	close(descriptor);
	return text;
}

/* ---- writing ---- */

/* sudo may leave HOME as it was: what root makes there the user could not replace. */
static bool is_own(int directory, mode_t forbidden)
{
	struct stat status;

	return fstat(directory, &status) == 0 && status.st_uid == geteuid() && !(status.st_mode & forbidden);
}

static int state_file_refuse(int directory)
{
	close(directory);
	errno = EPERM;
	return -1;
}

/* A directory of the user's own, or -1 with errno. One that links to somewhere else is only taken on the way there. */
static int open_own(int parent, const char *path, int flags, mode_t forbidden)
{
	int directory = !path ? -1 : openat(parent, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags);

	return directory < 0 || is_own(directory, forbidden) ? directory : state_file_refuse(directory);
}

/* The same, and made where it is missing; parent is closed. */
static int make_own(int parent, const char *name, int flags, mode_t forbidden)
{
	int directory = -1, cause;

	if (parent < 0)
		return -1;
	if (mkdirat(parent, name, 0700) == 0 || errno == EEXIST)
		directory = open_own(parent, name, flags, forbidden);
	cause = errno;
	close(parent);
	errno = cause;
	return directory;
}

/* XDG_STATE_HOME itself is made, but nothing above it. */
static int open_state(void)
{
	const char *state = absolute("XDG_STATE_HOME");

	if (!state)
		return make_own(make_own(open_own(AT_FDCWD, home_directory(), 0, 0), ".local", 0, 0), "state", 0, 0);
	if (mkdir(state, 0700) < 0 && errno != EEXIST)
		return -1;
	return open_own(AT_FDCWD, state, 0, 0);
}

struct replacing {
	const char *name;
	state_writer *write;
	const void *what;
	unsigned flags; /* of output_file.h */
};

static int replace_in(int directory, const char *path, const struct replacing *replacing, struct error *err)
{
	struct output_file file;
	int result;

	if (directory < 0)
		return error_set(err, "%s: %s", path, strerror(errno));
	result = output_file_open_in(&file, directory, path, OUTPUT_PRIVATE | replacing->flags, err);
	close(directory);
	return result < 0 ? -1 : output_file_end(&file, replacing->write(file.stream, replacing->what, err), err);
}

static int state_file_put(const struct replacing *replacing, struct error *err)
{
	struct arena arena;
	const char *path;
	int result;

	arena_init(&arena);
	path = state_path(replacing->name, &arena);
	if (path)
		result = replace_in(make_own(open_state(), DIRECTORY, O_NOFOLLOW, S_IWGRP | S_IWOTH), path, replacing,
				    err);
	else
		result = error_set(err, "HOME is not a directory of this user; set XDG_STATE_HOME=DIR");
	arena_release(&arena);
	return result;
}

int state_replace(const char *name, state_writer *write, const void *what, struct error *err)
{
	return state_file_put(&(struct replacing){ .name = name, .write = write, .what = what }, err);
}

int state_create(const char *name, state_writer *write, const void *what, struct error *err)
{
	return state_file_put(
		&(struct replacing){ .name = name, .write = write, .what = what, .flags = OUTPUT_NEW | OUTPUT_KEPT },
		err);
}
