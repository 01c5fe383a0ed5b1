/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/steps.h"

#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/text.h"

#define MOST_INPUTS    16
#define MOST_BYTES     (16u << 20) /* that are read before a program starts: some ms */
#define CHUNK	       65536u
#define STANDARD_INPUT "standard input"

/* A step of splitmix64, for each eight bytes. The file's length is compared besides. */
static uint64_t input_files_mix(uint64_t state, const unsigned char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i += sizeof(uint64_t)) {
		uint64_t word = 0;

		memcpy(&word, bytes + i, length - i < sizeof(word) ? length - i : sizeof(word));
		state = (state ^ word) + 0x9e3779b97f4a7c15;
		state = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9;
		state = (state ^ (state >> 27)) * 0x94d049bb133111eb;
		state ^= state >> 31;
	}
	return state;
}

/* All chunks but the last one are full, however many bytes a read returns. */
static size_t read_chunk(int file, unsigned char *chunk, uint64_t at)
{
	size_t length = 0;
	ssize_t got;

	while (length < CHUNK && (got = pread(file, chunk + length, CHUNK - length, (off_t)(at + length))) > 0)
		length += (size_t)got;
	return length;
}

/* Of what the file has now. NULL: it can't be read. */
static const char *digest(int file, uint64_t bytes, struct arena *arena)
{
	unsigned char *chunk = arena_alloc(arena, CHUNK);
	uint64_t state = 0, at = 0;

	while (at < bytes) {
		size_t length = read_chunk(file, chunk, at);

		if (!length)
			return NULL;
		state = input_files_mix(state, chunk, length);
		at += length;
	}
	return arena_printf(arena, "%016" PRIx64, state);
}

static void input_files_add(struct origin *origin, const char *name, int file, struct arena *arena)
{
	struct input_file *input = &origin->inputs[origin->ninputs];
	struct stat status;

	if (fstat(file, &status) < 0 || !S_ISREG(status.st_mode))
		return;
	*input = (struct input_file){ .name = name, .bytes = (uint64_t)status.st_size };
	if (input->bytes <= MOST_BYTES)
		input->digest = digest(file, input->bytes, arena);
	origin->ninputs++;
}

static bool is_regular(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

/* The whole word, else what is behind its first "=". NULL: neither is a file. */
static const char *path_in(const char *word)
{
	const char *sign = strchr(word, '=');

	if (is_regular(word))
		return word;
	return sign && is_regular(sign + 1) ? sign + 1 : NULL;
}

static void add_path(struct origin *origin, const char *path, struct arena *arena)
{
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat status;

	if (file >= 0) {
		input_files_add(origin, arena_strdup(arena, path), file, arena);
		close(file);
	} else if (stat(path, &status) == 0) {
		origin->inputs[origin->ninputs++] =
			(struct input_file){ .name = arena_strdup(arena, path), .bytes = (uint64_t)status.st_size };
	}
}

void input_files_find(struct origin *origin, const struct program_choice *program, struct arena *arena)
{
	if (!program->nwords)
		return;
	origin->inputs = arena_array(arena, MOST_INPUTS, sizeof(*origin->inputs));
	input_files_add(origin, STANDARD_INPUT, STDIN_FILENO, arena);
	for (size_t i = 1; i < program->nwords && origin->ninputs < MOST_INPUTS; i++) {
		const char *path = path_in(program->words[i]);

		if (path)
			add_path(origin, path, arena);
	}
}
