/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/system/gzip.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "common/base/macros.h"
#include "common/base/text.h"

#define SUFFIX ".gz"

bool is_gzip_name(const char *path)
{
	size_t length = strlen(path);

	return length > strlen(SUFFIX) && !strcasecmp(path + length - strlen(SUFFIX), SUFFIX);
}

bool is_gzip(const char *text, size_t length)
{
	return length > 2 && !memcmp(text, "\x1f\x8b\x08", 3);
}

#ifdef TOPDOWN_ZLIB

#include <zlib.h>

int gzip_check(const char *path UNUSED, struct error *err UNUSED)
{
	return 0;
}

/* ---- writing ---- */

static ssize_t write_packed(void *cookie, const char *text, size_t length)
{
	unsigned some = length < INT_MAX ? (unsigned)length : INT_MAX;
	int written = gzwrite(cookie, text, some);

	if (written == 0)
		errno = errno ? errno : EIO;
	return written;
}

/* What zlib still held is written here, so that a full disk shows here at the latest. */
static int close_packed(void *cookie)
{
	int status;

	errno = 0;
	status = gzclose(cookie);
	if (status == Z_OK)
		return 0;
	errno = errno ? errno : EIO;
	return -1;
}

FILE *gzip_stream(int fd)
{
	gzFile packed = gzdopen(fd, "wb");
	FILE *stream = NULL;

	if (packed)
		stream = fopencookie(packed, "w",
				     (cookie_io_functions_t){ .write = write_packed, .close = close_packed });
	if (packed && !stream)
		gzclose(packed);
	if (!packed)
		errno = ENOMEM; /* all that gzdopen fails for with a descriptor that is one */
	return stream;
}

void *gzip_pack(const char *text, size_t length, size_t *packed, struct arena *arena)
{
	z_stream stream = { .next_in = (z_const Bytef *)text, .avail_in = (uInt)length };
	void *out = NULL;

	*packed = 0;
	if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + 16, MAX_MEM_LEVEL,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return NULL;
	stream.avail_out = (uInt)deflateBound(&stream, length);
	stream.next_out = out = arena_alloc(arena, stream.avail_out);
	if (deflate(&stream, Z_FINISH) == Z_STREAM_END)
		*packed = stream.total_out;
	deflateEnd(&stream);
	return *packed ? out : NULL;
}

/* ---- reading ---- */

#define MOST_BYTES ((size_t)1 << 28) /* as of files that are not compressed */
#define PIECE	   16384

/* Z_STREAM_END, or another of zlib's answers. A file may be several, one behind the other. */
static int unpack(struct string *out, z_stream *stream)
{
	char piece[PIECE];
	int status = Z_OK;

	while (status == Z_OK && out->length <= MOST_BYTES) {
		stream->next_out = (Bytef *)piece;
		stream->avail_out = sizeof(piece);
		status = inflate(stream, Z_NO_FLUSH);
		string_addn(out, piece, sizeof(piece) - stream->avail_out);
		if (status == Z_STREAM_END && is_gzip((const char *)stream->next_in, stream->avail_in))
			status = inflateReset(stream);
	}
	return status;
}

static const char *unpacking_failed(int status, size_t length)
{
	if (length > MOST_BYTES)
		return "it is too large when it is unpacked";
	return status == Z_BUF_ERROR ? "the compressed file ends too early: it was cut"
				     : "the compressed file is damaged; `gzip -t FILE` tests one";
}

char *gzip_unpack(const char *text, size_t *length, const char *source, struct arena *arena, struct error *err)
{
	struct string out = STRING_INIT(arena);
	z_stream stream = { .next_in = (z_const Bytef *)text, .avail_in = (uInt)*length };
	int status;

	if (inflateInit2(&stream, MAX_WBITS + 16) != Z_OK) { /* + 16: gzip's header and checksum */
		error_set(err, "%s: no memory to unpack it", source);
		return NULL;
	}
	status = unpack(&out, &stream);
	inflateEnd(&stream);
	if (status != Z_STREAM_END) {
		error_set(err, "%s: %s", source, unpacking_failed(status, out.length));
		return NULL;
	}
	out.text[out.length] = '\0';
	*length = out.length;
	return out.text;
}

#else

int gzip_check(const char *path, struct error *err)
{
	return error_set(err, "%s: this topdown was built without zlib; leave out %s, and compress the file with gzip",
			 path, SUFFIX);
}

FILE *gzip_stream(int fd)
{
	close(fd);
	errno = ENOSYS;
	return NULL;
}

void *gzip_pack(const char *text UNUSED, size_t length UNUSED, size_t *packed, struct arena *arena UNUSED)
{
	*packed = 0;
	return NULL;
}

char *gzip_unpack(const char *text UNUSED, size_t *length UNUSED, const char *source, struct arena *arena UNUSED,
		  struct error *err)
{
	error_set(err, "%s: this topdown was built without zlib; `gunzip FILE` unpacks it", source);
	return NULL;
}

#endif
