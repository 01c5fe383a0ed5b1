/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "count/count.h"

#define DEFAULT_PATH "/bin:/usr/bin" /* as execvp without PATH */

/* 0, or why path can't be executed. */
static int check(const char *path)
{
	struct stat stat_of;

	if (stat(path, &stat_of) < 0)
		return errno;
	if (S_ISDIR(stat_of.st_mode))
		return EISDIR;
	return faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) < 0 ? errno : 0;
}

static int not_executable(const char *path, int error_number, struct error *err)
{
	err->status = error_number == ENOENT ? 127 : 126;
	if (error_number == EACCES)
		return error_set(err, "%s can't be executed: permission denied; `chmod +x` makes a file executable",
				 path);
	return error_set(err, "%s can't be executed: %s", path, strerror(error_number));
}

/* An empty part of PATH is the current directory. */
static char *candidate(const char *directory, size_t length, const char *name, struct arena *arena)
{
	if (length == 0)
		return arena_printf(arena, "./%s", name);
	return arena_printf(arena, "%.*s/%s", (int)length, directory, name);
}

static int search(const char **path, const char *name, struct arena *arena, struct error *err)
{
	const char *part = getenv("PATH"), *unusable = NULL;
	int why = 0;

	for (part = part ? part : DEFAULT_PATH;; part++) {
		size_t length = strcspn(part, ":");
		const char *tried = candidate(part, length, name, arena);
		int error_number = check(tried);

		if (error_number == 0) {
			*path = tried;
			return 0;
		}
		if (error_number == EACCES && !unusable) {
			unusable = tried;
			why = error_number;
		}
		part += length;
		if (!*part)
			break;
	}
	if (unusable)
		return not_executable(unusable, why, err);
	err->status = 127;
	return error_set(err, "%s: no such program in PATH; one that is not there needs its directory, as in ./%s",
			 name, name);
}

int program_find(const char **path, const char *name, struct arena *arena, struct error *err)
{
	int error_number;

	if (!strchr(name, '/') && *name)
		return search(path, name, arena, err);
	error_number = check(name);
	if (error_number)
		return not_executable(*name ? name : "''", error_number, err);
	*path = arena_strdup(arena, name);
	return 0;
}
