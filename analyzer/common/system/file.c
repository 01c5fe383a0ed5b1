/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/system/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/text.h"

#define FIRST_BYTES 4096
#define MOST_MIB    256 /* a session of every event of every CPU stays far below */
#define MOST_BYTES  ((size_t)MOST_MIB << 20)

/* What is read grows outside of the arena, where moving it leaves no copy behind. */
struct content {
	char *text;
	size_t length, capacity;
};

static int file_make_room(struct content *content, size_t capacity)
{
	char *grown = realloc(content->text, capacity);

	if (!grown)
		return ENOMEM;
	content->text = grown;
	content->capacity = capacity;
	return 0;
}

/* A device such as /dev/zero has no end; a terminal has one, and so has /dev/null. */
static bool is_endless(int descriptor, const struct stat *status)
{
	char byte;

	return S_ISBLK(status->st_mode) ||
	       (S_ISCHR(status->st_mode) && !isatty(descriptor) && read(descriptor, &byte, 1) != 0);
}

/* 0, or errno. */
static int read_to_end(struct content *content, int descriptor)
{
	int failure = 0;

	while (!failure) {
		ssize_t got =
			read(descriptor, content->text + content->length, content->capacity - content->length - 1);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? errno : 0;
		content->length += (size_t)got;
		if (content->length > MOST_BYTES)
			return EFBIG;
		if (content->length + 1 == content->capacity)
			failure = file_make_room(content, content->capacity * 2);
	}
	return failure;
}

/* 0, or errno. A regular file takes two reads: one for all of it, one that finds its end. */
static int read_all(struct content *content, int descriptor)
{
	struct stat status = { .st_size = 0 };
	size_t size = FIRST_BYTES;
	int failure;

	if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode))
		size += (size_t)status.st_size;
	if (is_endless(descriptor, &status))
		return ENOTSUP;
	if (size > MOST_BYTES)
		return EFBIG;
	failure = file_make_room(content, size);
	return failure ? failure : read_to_end(content, descriptor);
}

static int read_path(struct content *content, const char *path)
{
	int descriptor = open(path, O_RDONLY | O_CLOEXEC), failure;

	if (descriptor < 0)
		return errno;
	failure = read_all(content, descriptor);
	close(descriptor);
	return failure;
}

static const char *failure_text(int failure)
{
	switch (failure) {
	case ENOTSUP: return "it is a device, not a file, pipe or terminal";
	case EFBIG: return "it has more than " AS_TEXT(MOST_MIB) " MiB, which is more than counts ever take";
	default: return strerror(failure);
	}
}

char *file_read(const char *path, size_t *length, struct arena *arena, struct error *err)
{
	bool is_stdin = !strcmp(path, "-");
	struct content content = { .text = NULL };
	int failure = is_stdin ? read_all(&content, STDIN_FILENO) : read_path(&content, path);
	char *text = NULL;

	if (failure)
		error_set(err, "%s: %s", is_stdin ? "standard input" : path, failure_text(failure));
	else
		text = arena_strndup(arena, content.text, content.length);
	*length = content.length;
	free(content.text);
	return text;
}

bool is_file(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

bool is_one_file(const char *a, const char *b)
{
	struct stat first, second;

	if (!strcmp(a, "-") || !strcmp(b, "-") || stat(a, &first) < 0 || stat(b, &second) < 0)
		return !strcmp(a, b);
	return S_ISREG(first.st_mode) && first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

bool is_directory(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* A directory that was removed while somebody is in it: what is written there can be neither made nor found. */
static bool is_removed(const char *directory)
{
	struct stat status, here;
	char *current;

	if (stat(directory, &status) < 0)
		return false;
	if (status.st_nlink == 0)
		return true;
	/* Some file systems count no links: then the system itself says whether it still has a name. */
	if (stat(".", &here) < 0 || status.st_dev != here.st_dev || status.st_ino != here.st_ino)
		return false;
	current = getcwd(NULL, 0);
	free(current);
	return !current && errno == ENOENT;
}

static int check_directory(const char *path, struct error *err)
{
	const char *slash = strrchr(path, '/');
	struct arena arena;
	const char *directory;
	int status = 0;

	arena_init(&arena);
	directory = slash ? arena_strndup(&arena, path, (size_t)(slash - path) + 1) : ".";
	if (is_removed(directory))
		status = error_set(err, "%s: the directory %s was removed; `cd` to another one", path,
				   slash ? directory : "that this is run in");
	else if (access(directory, W_OK | X_OK) < 0)
		status = error_set(err, "%s: %s", path, strerror(errno));
	arena_release(&arena);
	return status;
}

int file_check_writable(const char *path, struct error *err)
{
	if (!*path)
		return error_set(err, "'': a file needs a name");
	if (is_directory(path))
		return error_set(err, "%s: %s", path, strerror(EISDIR));
	if (access(path, F_OK) == 0)
		return access(path, W_OK) == 0 ? 0 : error_set(err, "%s: %s", path, strerror(errno));
	return check_directory(path, err);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool has_suffix(const char *text, const char *suffix)
{
	size_t length = strlen(text), tail = strlen(suffix);

	return length >= tail && !strcmp(text + length - tail, suffix);
}

const char *write_failure_text(int error_number)
{
	if (error_number == EFBIG)
		return "File too large: the shell limits the size of files, and `ulimit -f unlimited` lifts that";
	if (error_number == ENOSPC)
		return "No space left on device: `df` shows which file system is full";
	return strerror(error_number);
}

int file_flush(FILE *out, struct error *err)
{
	if (!ferror(out))
		errno = 0;
	if (fflush(out) == 0 && !ferror(out))
		return 0;
	return error_set(err, "can't write the output: %s",
			 errno ? write_failure_text(errno) : "the stream has failed before");
}

const char **directory_list(const char *path, const char *suffix, size_t *count, struct arena *arena, struct error *err)
{
	DIR *directory = opendir(path);
	const char **names = arena_array(arena, 1, sizeof(*names));
	size_t capacity = 1;
	struct dirent *entry;

	*count = 0;
	if (!directory) {
		error_set(err, "%s: %s", path, strerror(errno));
		return NULL;
	}
	while ((entry = readdir(directory)) != NULL) {
		if (!has_suffix(entry->d_name, suffix))
			continue;
		names = arena_grow(arena, names, *count, &capacity, sizeof(*names));
		names[(*count)++] = arena_strdup(arena, entry->d_name);
	}
	closedir(directory);
	qsort(names, *count, sizeof(*names), by_text);
	return names;
}
