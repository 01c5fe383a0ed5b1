/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/system/embedded.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/system/file.h"

const struct embedded_file *embedded_find(const char *name)
{
	if (is_embedded(name))
		name += strlen(BUILT_IN);
	for (size_t i = 0; i < embedded_count; i++)
		if (!strcmp(embedded_files[i].name, name))
			return &embedded_files[i];
	return NULL;
}

const char *embedded_path(const char *file, struct arena *arena)
{
	return embedded_find(file) ? arena_printf(arena, BUILT_IN "%s", file) : NULL;
}

bool is_embedded(const char *path)
{
	return !strncmp(path, BUILT_IN, strlen(BUILT_IN));
}

/* Eight bytes at a time; the machines that topdown is for all have the low byte first. */
static uint64_t embedded_mix(uint64_t sum, uint64_t word)
{
	sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
	return sum ^ sum >> 32;
}

static uint64_t add_content(uint64_t sum, const char *content, size_t length)
{
	uint64_t word;

	for (; length >= sizeof(word); content += sizeof(word), length -= sizeof(word)) {
		memcpy(&word, content, sizeof(word));
		sum = embedded_mix(sum, word);
	}
	word = 0;
	memcpy(&word, content, length);
	return length ? embedded_mix(sum, word) : sum;
}

uint64_t content_hash(const char *content, size_t length)
{
	return add_content(length, content, length);
}

/* Each start asks this of two or three files, so nothing is kept of them. */
static bool has_hash(int descriptor, uint64_t size, uint64_t hash)
{
	char part[16384]; /* whole words, but for the last part */
	uint64_t sum = size, rest = size;

	while (rest) {
		size_t wanted = rest < sizeof(part) ? (size_t)rest : sizeof(part);

		if (read(descriptor, part, wanted) != (ssize_t)wanted)
			return false;
		sum = add_content(sum, part, wanted);
		rest -= wanted;
	}
	return sum == hash;
}

bool is_same_as_embedded(const char *path, const char *name)
{
	const struct embedded_file *file = embedded_find(name);
	int descriptor = file ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	struct stat status;
	bool is_same;

	if (descriptor < 0)
		return false;
	is_same = fstat(descriptor, &status) == 0 && (uint64_t)status.st_size == file->size &&
		  has_hash(descriptor, file->size, file->hash);
	close(descriptor);
	return is_same;
}

int embedded_rows(struct bytes *rows, const char *path, struct error *err)
{
	const struct embedded_file *file = embedded_find(path);

	if (!file || !file->is_rows)
		return error_set(err, "%s: no such file in the program", path);
	*rows = (struct bytes){ .at = embedded_bytes + file->offset,
				.end = embedded_bytes + file->offset + file->length };
	if (content_hash((const char *)rows->at, file->length) != file->sum)
		return error_set(err, "%s: this copy of the program is damaged; copy it again", path);
	return 0;
}

const char *source_read(const char *path, size_t *length, struct arena *arena, struct error *err)
{
	const struct embedded_file *file = is_embedded(path) ? embedded_find(path) : NULL;

	if (!is_embedded(path))
		return file_read(path, length, arena, err);
	if (!file || file->is_rows) {
		error_set(err, "%s: no such %s in the program", path, file ? "text" : "file");
		return NULL;
	}
	*length = file->length - 1;
	return (const char *)embedded_bytes + file->offset;
}
