/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_limits.c - any bytes as the limits of a gate: what is taken has an amount and a place, what is not has words. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/gate/gate_limits.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_limit(const struct gate_limit *limit, const char *text)
{
	size_t lines = 1;

	for (; *text; text++)
		lines += *text == '\n';
	if (!limit->metric || !*limit->metric || !limit->written || !isfinite(limit->value) || !limit->place.line ||
	    !limit->place.column || limit->place.line > lines || (is_relative(limit) && limit->value < 0))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error err = { .text = "" };
	struct gate_limits limits;
	struct arena arena;
	char *text;

	arena_init(&arena);
	text = arena_alloc(&arena, size + 1);
	memcpy(text, data, size);
	text[size] = '\0';
	if (gate_limits_read_text(&limits, text, "limits", &arena, &err) < 0 && !*err.text)
		abort();
	for (size_t i = 0; !*err.text && i < limits.count; i++)
		check_limit(&limits.items[i], text);
	arena_release(&arena);
	return 0;
}
