/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

#define FIRST_BYTES 4096
#define MOST_BYTES  ((size_t)1 << 28) /* a session of every event of every CPU stays far below */

/* 0, or errno. A regular file is asked for once and told at its end, so that it takes two calls. */
static int read_all(struct string *content, int descriptor)
{
	struct stat status;
	ssize_t got;

	if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && (size_t)status.st_size <= MOST_BYTES)
		string_reserve(content, (size_t)status.st_size + 1);
	for (;;) {
		if (content->length + 1 >= content->capacity)
			string_reserve(content, content->capacity * 2 + FIRST_BYTES);
		got = read(descriptor, content->text + content->length, content->capacity - content->length - 1);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? errno : 0;
		content->length += (size_t)got;
		if (content->length > MOST_BYTES)
			return EFBIG;
	}
}

static int read_path(struct string *content, const char *path)
{
	int descriptor = open(path, O_RDONLY | O_CLOEXEC), failure;

	if (descriptor < 0)
		return errno;
	failure = read_all(content, descriptor);
	close(descriptor);
	return failure;
}

char *file_read(const char *path, size_t *length, struct arena *arena, struct error *err)
{
	bool is_stdin = !strcmp(path, "-");
	struct string content = STRING_INIT(arena);
	int failure = is_stdin ? read_all(&content, STDIN_FILENO) : read_path(&content, path);

	if (failure) {
		error_set(err, "%s: %s", is_stdin ? "standard input" : path, strerror(failure));
		return NULL;
	}
	content.text[content.length] = '\0';
	*length = content.length;
	return content.text;
}

bool is_file(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

bool is_directory(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

int file_check_writable(const char *path, struct error *err)
{
	const char *slash = strrchr(path, '/');
	struct arena arena;
	int result;

	if (is_directory(path))
		return error_set(err, "%s: %s", path, strerror(EISDIR));
	if (access(path, F_OK) == 0)
		return access(path, W_OK) == 0 ? 0 : error_set(err, "%s: %s", path, strerror(errno));
	arena_init(&arena);
	result = access(slash ? arena_strndup(&arena, path, (size_t)(slash - path) + 1) : ".", W_OK | X_OK);
	arena_release(&arena);
	return result == 0 ? 0 : error_set(err, "%s: %s", path, strerror(errno));
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
