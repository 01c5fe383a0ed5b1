/* SPDX-License-Identifier: GPL-2.0-or-later */
/* known_code.c - kernels whose code is the point: it is made when it runs, so that the program does not carry it. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "analyse/verify/known_kernels.h"

#define LINE	    64
#define LINES	    16384	/* 1 MiB: more than L1 has, and more jumps than a branch target buffer */
#define PREFIXED    7000	/* of 4 bytes: less than L1, more than a cache of decoded instructions */
#define STEP_FACTOR 2891336453u /* 5 modulo 8: the cycle goes through every line */
#define STEP_SUM    12345u

typedef void code_function(void);

static unsigned char *take_code(size_t bytes, struct error *err)
{
	unsigned char *code = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (code != MAP_FAILED)
		return code;
	error_set(err, "memory for code: %s", strerror(errno));
	return NULL;
}

/* From now on it can be executed, and no longer written. */
static int seal(unsigned char *code, size_t bytes, struct error *err)
{
	__builtin___clear_cache((char *)code, (char *)code + bytes);
	return mprotect(code, bytes, PROT_READ | PROT_EXEC) == 0
		       ? 0
		       : error_set(err, "memory that can be executed: %s", strerror(errno));
}

static void call(const unsigned char *code, uint64_t times)
{
	code_function *function = (code_function *)(uintptr_t)code;

	for (uint64_t i = 0; i < times; i++)
		function();
}

/* A line ends in a jump to the line at the offset, or in a return. It does nothing else. */
#if defined(__x86_64__)
static void write_line(unsigned char *line, int64_t offset, bool is_last)
{
	static const unsigned char nothing[] = { 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0 }; /* nopl of 8 bytes */
	const size_t body = 7 * sizeof(nothing);
	int32_t distance = (int32_t)(offset - (int64_t)body - 5); /* from behind the jump */

	for (size_t i = 0; i < body; i += sizeof(nothing))
		memcpy(line + i, nothing, sizeof(nothing));
	line[body] = is_last ? 0xc3 : 0xe9;
	memcpy(line + body + 1, &distance, sizeof(distance));
}
#elif defined(__aarch64__)
static void write_line(unsigned char *line, int64_t offset, bool is_last)
{
	const uint32_t nothing = 0xd503201f, back = 0xd65f03c0, jump = 0x14000000;
	const size_t body = LINE - sizeof(nothing);
	uint32_t words = (uint32_t)((offset - (int64_t)body) / 4) & 0x03ffffff;
	uint32_t last = is_last ? back : jump | words;

	for (size_t i = 0; i < body; i += sizeof(nothing))
		memcpy(line + i, &nothing, sizeof(nothing));
	memcpy(line + body, &last, sizeof(last));
}
#endif

#if defined(__x86_64__) || defined(__aarch64__)
int run_jumps(const struct known_sizes *sizes, struct error *err)
{
	const size_t bytes = (size_t)LINES * LINE;
	unsigned char *code = take_code(bytes, err);
	uint32_t at = 0;

	if (!code)
		return -1;
	for (size_t i = 0; i < LINES; i++) {
		uint32_t next = (at * STEP_FACTOR + STEP_SUM) & (LINES - 1);

		write_line(code + (size_t)at * LINE, ((int64_t)next - at) * LINE, i + 1 == LINES);
		at = next;
	}
	if (seal(code, bytes, err) == 0)
		call(code, 400 * (uint64_t)sizes->times);
	munmap(code, bytes);
	return is_error(err) ? -1 : 0;
}
#else
int run_jumps(const struct known_sizes *sizes UNUSED, struct error *err)
{
	return error_set(err, "there is no such code for this architecture");
}
#endif

#if defined(__x86_64__)
bool has_prefixes(void)
{
	return true;
}

int run_prefixes(const struct known_sizes *sizes, struct error *err)
{
	static const unsigned char compare[] = { 0x66, 0x3d, 0x34, 0x12 }; /* cmp $0x1234, %ax */
	const size_t bytes = PREFIXED * sizeof(compare) + 1;
	unsigned char *code = take_code(bytes, err);

	if (!code)
		return -1;
	for (size_t i = 0; i < PREFIXED; i++)
		memcpy(code + i * sizeof(compare), compare, sizeof(compare));
	code[bytes - 1] = 0xc3;
	if (seal(code, bytes, err) == 0)
		call(code, 2500 * (uint64_t)sizes->times);
	munmap(code, bytes);
	return is_error(err) ? -1 : 0;
}
#else
bool has_prefixes(void)
{
	return false;
}

int run_prefixes(const struct known_sizes *sizes UNUSED, struct error *err)
{
	return error_set(err, "this architecture has no such prefixes");
}
#endif
