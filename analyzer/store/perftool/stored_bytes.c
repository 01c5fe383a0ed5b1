/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/perftool/stored_bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define FIRST_BYTES 65536
#define MOST_MIB    256 /* of what is not wanted */
#define MOST_TEXT   ((size_t)MOST_MIB << 20)

/* ---- whole files ---- */

static int stored_bytes_make_room(struct stored_bytes *stored, size_t *room)
{
	unsigned char *grown;

	if (stored->length < *room)
		return 0;
	*room = *room ? 2 * *room : FIRST_BYTES;
	grown = realloc(stored->bytes, *room);
	stored->bytes = grown ? grown : stored->bytes;
	return grown ? 0 : ENOMEM;
}

static int read_stream(struct stored_bytes *stored, int fd, bool (*is_wanted)(const void *, size_t))
{
	size_t room = 0;
	int failure;

	while ((failure = stored_bytes_make_room(stored, &room)) == 0) {
		ssize_t got = read(fd, stored->bytes + stored->length, room - stored->length);

		if (got == 0)
			return 0;
		if (got < 0 && errno != EINTR)
			return errno;
		stored->length += got > 0 ? (size_t)got : 0;
		if (stored->length > MOST_TEXT && !is_wanted(stored->bytes, stored->length))
			return EFBIG;
	}
	return failure;
}

static int map_file(struct stored_bytes *stored, int fd, size_t size)
{
	void *mapped = size ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0) : NULL;

	if (mapped == MAP_FAILED)
		return errno;
	stored->bytes = mapped;
	stored->length = size;
	stored->is_mapped = mapped;
	return 0;
}

/* 0, or errno. A file that was read from before, as a shell's redirection can be, is read on as a stream is. */
static int take_all(struct stored_bytes *stored, int fd, bool (*is_wanted)(const void *, size_t))
{
	unsigned char first[16];
	struct stat status;
	ssize_t got;

	if (fstat(fd, &status) < 0)
		return errno;
	if (S_ISDIR(status.st_mode))
		return EISDIR;
	if (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode) ||
	    (S_ISREG(status.st_mode) && lseek(fd, 0, SEEK_CUR) != 0))
		return read_stream(stored, fd, is_wanted);
	if (!S_ISREG(status.st_mode))
		return 0;
	got = pread(fd, first, sizeof(first), 0);
	if (got < 0)
		return errno;
	return is_wanted(first, (size_t)got) ? map_file(stored, fd, (size_t)status.st_size) : 0;
}

static const char *failure_text(int failure)
{
	return failure == EFBIG ? "it has more than " AS_TEXT(MOST_MIB) " MiB, which is more than counts ever take"
				: strerror(failure);
}

int stored_bytes_open(struct stored_bytes *stored, const char *path, bool (*is_wanted)(const void *, size_t),
		      struct error *err)
{
	bool is_stdin = !strcmp(path, "-");
	int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC), failure;

	*stored = (struct stored_bytes){ .bytes = NULL };
	if (fd < 0)
		return error_set(err, "%s: %s", path, strerror(errno));
	failure = take_all(stored, fd, is_wanted);
	if (!is_stdin)
		close(fd);
	return failure ? error_set(err, "%s: %s", is_stdin ? "standard input" : path, failure_text(failure)) : 0;
}

void stored_bytes_release(struct stored_bytes *stored)
{
	if (stored->is_mapped)
		munmap(stored->bytes, stored->length);
	else
		free(stored->bytes);
	*stored = (struct stored_bytes){ .bytes = NULL };
}

/* ---- parts of them ---- */

const unsigned char *byte_reader_skip(struct byte_reader *reader, uint64_t count)
{
	const unsigned char *at = reader->at;

	if (reader->is_broken || count > reader->left) {
		reader->is_broken = true;
		return NULL;
	}
	reader->at += count;
	reader->left -= (size_t)count;
	return at;
}

/* A number that is not there stays as it is. */
static void take_number(struct byte_reader *reader, void *number, size_t size)
{
	const unsigned char *at = byte_reader_skip(reader, size);

	if (at)
		memcpy(number, at, size);
}

uint32_t byte_reader_u32(struct byte_reader *reader)
{
	uint32_t number = 0;

	take_number(reader, &number, sizeof(number));
	return number;
}

uint64_t byte_reader_u64(struct byte_reader *reader)
{
	uint64_t number = 0;

	take_number(reader, &number, sizeof(number));
	return number;
}

const char *byte_reader_text(struct byte_reader *reader, struct arena *arena)
{
	uint32_t length = byte_reader_u32(reader);
	const char *text = (const char *)byte_reader_skip(reader, length);

	return text ? arena_strndup(arena, text, strnlen(text, length)) : NULL;
}
