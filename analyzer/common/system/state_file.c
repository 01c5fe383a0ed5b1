/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/system/state_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/system/file.h"

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

static FILE *create(int directory, const char *name)
{
	int descriptor = openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	FILE *stream = descriptor < 0 ? NULL : fdopen(descriptor, "w");
	int cause = errno;

	if (!stream && descriptor >= 0) {
		close(descriptor);
		unlinkat(directory, name, 0);
	}
	errno = cause;
	return stream;
}

struct replacing {
	const char *name, *temporary;
	state_writer *write;
	const void *what;
	bool keeps_old;
};

/* The temporary file, which is whole, gets the name. */
static int name_file(int directory, const struct replacing *replacing)
{
	if (!replacing->keeps_old)
		return renameat(directory, replacing->temporary, directory, replacing->name);
	if (linkat(directory, replacing->temporary, directory, replacing->name, 0) < 0 && errno != EEXIST)
		return -1;
	return unlinkat(directory, replacing->temporary, 0);
}

static int write_file(int directory, const struct replacing *replacing, struct error *err)
{
	FILE *stream = create(directory, replacing->temporary);
	int result;

	if (!stream)
		return error_set(err, "%s", strerror(errno));
	result = replacing->write(stream, replacing->what, err);
	if (fclose(stream) != 0 && result == 0)
		result = error_set(err, "%s", write_failure_text(errno));
	if (result == 0 && name_file(directory, replacing) < 0)
		result = error_set(err, "%s", strerror(errno));
	if (result < 0)
		unlinkat(directory, replacing->temporary, 0);
	return result;
}

/* Two that end at once, be it in two containers that share a home, have names of their own; the later one stays. */
static const char *temporary_name(const char *name, struct arena *arena)
{
	struct timespec now = { 0 };

	clock_gettime(CLOCK_REALTIME, &now);
	return arena_printf(arena, ".%s.%ld.%ld.tmp", name, (long)getpid(), now.tv_nsec);
}

static int replace(struct replacing *replacing, struct arena *arena, struct error *err)
{
	const char *path = state_path(replacing->name, arena);
	int directory, result;

	if (!path)
		return error_set(err, "HOME is not a directory of this user; set XDG_STATE_HOME=DIR");
	directory = make_own(open_state(), DIRECTORY, O_NOFOLLOW, S_IWGRP | S_IWOTH);
	if (directory < 0)
		return error_set(err, "%s: %s", path, strerror(errno));
	replacing->temporary = temporary_name(replacing->name, arena);
	result = write_file(directory, replacing, err);
	close(directory);
	return result < 0 ? error_in(err, "%s", path) : 0;
}

static int state_file_put(struct replacing *replacing, struct error *err)
{
	struct arena arena;
	int result;

	arena_init(&arena);
	result = replace(replacing, &arena, err);
	arena_release(&arena);
	return result;
}

int state_replace(const char *name, state_writer *write, const void *what, struct error *err)
{
	return state_file_put(&(struct replacing){ .name = name, .write = write, .what = what }, err);
}

int state_create(const char *name, state_writer *write, const void *what, struct error *err)
{
	return state_file_put(&(struct replacing){ .name = name, .write = write, .what = what, .keeps_old = true },
			      err);
}
