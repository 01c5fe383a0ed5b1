/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_session.c - any bytes as a session: what is read keeps its promises, what is refused has words. */
#include <math.h>
#include <stdlib.h>

#include "session/session.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_part(const struct counts *counts)
{
	for (size_t i = 0; i < counts->count; i++)
		if (counts->items[i].group >= counts->ngroups || counts->items[i].run >= counts->nruns ||
		    isnan(counts->items[i].value) != (counts->items[i].state != COUNT_OK))
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct session_text text = { .text = (const char *)data, .length = size, .source = "fuzz" };
	struct error err = { .text = "" };
	struct measurement measured;
	struct arena arena;
	int result;

	arena_init(&arena);
	result = session_read_text(&measured, &text, &arena, &err);
	if ((result < 0) != is_error(&err))
		abort();
	for (size_t i = 0; result == 0 && i < measured.count; i++)
		check_part(&measured.parts[i]);
	arena_release(&arena);
	return 0;
}
