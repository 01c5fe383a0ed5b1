/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cpu/identify/sysfile.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/text.h"

#define FILE_LIMIT  ((size_t)64 * 1024) /* cpuinfo can be larger, but only its first CPU is read */
#define NAMES_LIMIT 65536		/* processes of a large machine */

struct sysfiles sysfiles_below(const char *sysroot, struct arena *arena)
{
	const char *end = sysroot ? sysroot : "";

	while (*end == '/')
		end++;
	return (struct sysfiles){ .root = *end ? sysroot : "", .arena = arena };
}

bool is_live(const struct sysfiles *files)
{
	return !*files->root;
}

/* O_NONBLOCK: a snapshot may contain a FIFO, and nobody writes to it. */
static int open_regular(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat info;

	if (fd >= 0 && (fstat(fd, &info) < 0 || !S_ISREG(info.st_mode))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* Files of /proc and /sys have no size, so read until the end. False on an error. */
static bool read_up_to(int fd, char *buffer, size_t size, size_t *length)
{
	ssize_t got = 1;

	*length = 0;
	while (*length < size && got > 0) {
		got = read(fd, buffer + *length, size - *length);
		if (got > 0)
			*length += (size_t)got;
	}
	return got >= 0;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static char *trimmed(const char *text, size_t length, struct arena *arena)
{
	char *copy;

	while (length && is_blank(*text))
		text++, length--;
	while (length && is_blank(text[length - 1]))
		length--;
	copy = arena_strndup(arena, text, length);
	for (char *c = copy; *c; c++)
		if (((unsigned char)*c < ' ' && !is_blank(*c)) || *c == 0x7f)
			*c = '?';
	return copy;
}

static char *read_path(const struct sysfiles *files, const char *path)
{
	int fd = open_regular(arena_printf(files->arena, "%s/%s", files->root, path));
	char buffer[FILE_LIMIT], *text = NULL;
	size_t length;

	if (fd < 0)
		return NULL;
	if (read_up_to(fd, buffer, sizeof(buffer), &length))
		text = trimmed(buffer, strnlen(buffer, length), files->arena);
	close(fd);
	return text;
}

char *sysfile_read(const struct sysfiles *files, const char *path, ...)
{
	va_list args;
	char *text;

	va_start(args, path);
	text = read_path(files, arena_vprintf(files->arena, path, args));
	va_end(args);
	return text;
}

bool sysfile_u64(const struct sysfiles *files, uint64_t *value, const char *path, ...)
{
	va_list args;
	char *text;

	va_start(args, path);
	text = read_path(files, arena_vprintf(files->arena, path, args));
	va_end(args);
	return text && text_u64(text, value);
}

static int sysfile_by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

size_t sysfile_list(const struct sysfiles *files, const char *directory, const char ***names)
{
	DIR *dir = opendir(arena_printf(files->arena, "%s/%s", files->root, directory));
	size_t count = 0, capacity = 0;
	struct dirent *entry;

	*names = NULL;
	if (!dir)
		return 0;
	while (count < NAMES_LIMIT && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		*names = arena_grow(files->arena, *names, count, &capacity, sizeof(**names));
		(*names)[count++] = arena_strdup(files->arena, entry->d_name);
	}
	closedir(dir);
	if (count)
		qsort(*names, count, sizeof(**names), sysfile_by_name);
	return count;
}

char *sysfile_field(const char *text, const char *key, struct arena *arena)
{
	size_t length = strlen(key);

	for (const char *line = text; *line;) {
		size_t end = strcspn(line, "\n");
		const char *colon = line + length;

		if (end > length && !strncmp(line, key, length)) {
			colon += strspn(colon, " \t");
			if (*colon == ':')
				return trimmed(colon + 1, (size_t)(line + end - colon) - 1, arena);
		}
		line += end + (line[end] == '\n');
	}
	return NULL;
}

double sysfile_value(const char *text, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = text; at && (at = strstr(at, name)); at += length) {
		bool is_start = at == text || at[-1] == '\n' || at[-1] == ' ';
		const char *value = at + length;
		double number;

		if (is_start && *value && strchr(": =\t", *value) &&
		    text_double_prefix(value + strspn(value, ": =\t"), &value, &number))
			return number;
	}
	return NOT_COUNTED;
}
