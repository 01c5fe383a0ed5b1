/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "load/embedded.h"

#include <string.h>
#define ZLIB_CONST /* zlib only reads what it unpacks */
#include <zlib.h>

#include "base/file.h"
#include "load/embedded_files.h"

static const struct embedded_file *find(const char *name)
{
	for (size_t i = 0; i < embedded_count; i++)
		if (!strcmp(embedded_files[i].name, name))
			return &embedded_files[i];
	return NULL;
}

const char *embedded_path(const char *file, struct arena *arena)
{
	return find(file) ? arena_printf(arena, BUILT_IN "%s", file) : NULL;
}

bool is_embedded(const char *path)
{
	return !strncmp(path, BUILT_IN, strlen(BUILT_IN));
}

#define GZIP_FORMAT (16 + MAX_WBITS) /* zlib.h, inflateInit2: gzip's header, and its checksum is compared */

static bool unpack(unsigned char *content, const struct embedded_file *file)
{
	z_stream stream = {
		.next_in = &embedded_bytes[file->offset],
		.avail_in = (uInt)file->packed,
		.next_out = content,
		.avail_out = (uInt)file->size,
	};
	bool is_whole;

	if (inflateInit2(&stream, GZIP_FORMAT) != Z_OK)
		return false;
	is_whole = inflate(&stream, Z_FINISH) == Z_STREAM_END && stream.avail_out == 0;
	inflateEnd(&stream);
	return is_whole;
}

static char *embedded_read(const char *path, size_t *length, struct arena *arena, struct error *err)
{
	const struct embedded_file *file = find(path + strlen(BUILT_IN));
	char *content = file ? arena_alloc(arena, file->size + 1) : NULL;

	if (!file) {
		error_set(err, "%s: no such file in the program", path);
		return NULL;
	}
	if (!unpack((unsigned char *)content, file)) {
		error_set(err, "%s: this copy of the program is damaged; copy it again", path);
		return NULL;
	}
	*length = file->size;
	return content;
}

char *source_read(const char *path, size_t *length, struct arena *arena, struct error *err)
{
	return is_embedded(path) ? embedded_read(path, length, arena, err) : file_read(path, length, arena, err);
}
