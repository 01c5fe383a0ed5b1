/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_perf_map.c - any bytes as a map or a dump of code that a process made: an address has only code that covers it,
 * and only lines at or before it.
 */
#include <stdlib.h>
#include <string.h>

#include "program/symbols/jit_codes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint64_t addresses[] = { 0,      1,      0x1000,	      0x1010,	      0x1018,
				      0x2000, 0x5000, 0x7f0000001000, UINT64_MAX - 1, UINT64_MAX };

enum { COUNT = sizeof(addresses) / sizeof(*addresses) };

static void check(const struct jit_codes *codes)
{
	for (size_t i = 0; i < COUNT; i++) {
		const struct jit_code *code = jit_codes_at(codes, i);
		const struct jit_line *line = code ? jit_code_line(code, addresses[i]) : NULL;

		if (!code)
			continue;
		if (addresses[i] - code->begin >= code->size || !code->name || strlen(code->name) > 1 << 20)
			abort();
		if (line && (line->address > addresses[i] - code->begin + code->made_at ||
			     (line->file && strlen(line->file) > 1 << 20)))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct jit_codes codes;
	struct arena arena;

	arena_init(&arena);
	jit_codes_init(&codes, addresses, COUNT, &arena);
	(void)jitdump_read(&codes, data, size);
	check(&codes);
	perf_map_read(&codes, arena_strndup(&arena, (const char *)data, size));
	check(&codes);
	arena_release(&arena);
	return 0;
}
