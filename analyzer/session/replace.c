/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A link stays a link: the file it leads to is replaced. */
static char *follow(struct arena *arena, const char *path)
{
	char *real = realpath(path, NULL), *copy = arena_strdup(arena, real ? real : path);

	free(real);
	return copy;
}

static int begin_failed(struct replacement *file, struct error *err)
{
	int cause = errno;

	arena_release(&file->arena);
	return error_set(err, "%s: %s", file->path, strerror(cause));
}

/* The new file gets the old one's permissions, or the usual ones. */
static int open_temporary(struct replacement *file, mode_t mode)
{
	int fd;

	file->temporary = arena_printf(&file->arena, "%s.%ld.tmp", file->target, (long)getpid());
	unlink(file->temporary); /* left behind by a process of the same number that was killed */
	fd = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd >= 0 && mode && fchmod(fd, mode & 0777) < 0)
		errno = 0; /* a file system without permissions */
	return fd;
}

int replace_begin(struct replacement *file, const char *path, struct error *err)
{
	struct stat status = { .st_mode = 0 };
	bool is_there, is_stdout = !strcmp(path, "-");
	int fd;

	*file = (struct replacement){ .path = is_stdout ? "standard output" : path };
	arena_init(&file->arena);
	file->target = follow(&file->arena, path);
	is_there = !is_stdout && stat(path, &status) == 0;
	if (is_stdout)
		fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
	else if (is_there && !S_ISREG(status.st_mode))
		fd = open(path, O_WRONLY | O_CLOEXEC);
	else
		fd = open_temporary(file, status.st_mode);
	if (fd < 0)
		return begin_failed(file, err);
	file->stream = fdopen(fd, "w");
	if (file->stream)
		return 0;
	close(fd);
	return begin_failed(file, err);
}

int replace_end(struct replacement *file, int result, struct error *err)
{
	bool is_synced =
		result < 0 || !file->temporary || (fflush(file->stream) == 0 && fsync(fileno(file->stream)) == 0);

	if ((fclose(file->stream) != 0 || !is_synced) && result == 0)
		result = error_set(err, "%s", strerror(errno));
	if (result == 0 && file->temporary && rename(file->temporary, file->target) < 0)
		result = error_set(err, "%s", strerror(errno));
	if (result < 0) {
		error_in(err, "%s", file->path);
		if (file->temporary)
			unlink(file->temporary);
	}
	arena_release(&file->arena);
	return result;
}
