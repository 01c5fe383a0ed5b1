/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_perf_stat.c - any bytes as perf stat's output: what is read keeps its promises, what is refused has words. */
#include <math.h>
#include <stdlib.h>

#include "session/perf_stat.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct count *count)
{
	bool is_counted = count->state == COUNT_OK;
	bool has_reason = count->state == COUNT_REFUSED || count->state == COUNT_WITHHELD;

	if (!*count->event || isnan(count->value) == is_counted || (is_counted && !(count->value >= 0)) ||
	    count->group || count->run || !count->running_ns || count->running_ns > count->enabled_ns ||
	    has_reason != (count->reason != NULL))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct session_text text = { .text = (const char *)data, .length = size, .source = "fuzz" };
	struct error err = { .text = "" };
	struct counts counts;
	struct arena arena;
	int result;

	arena_init(&arena);
	result = perf_stat_read(&counts, &text, &arena, &err);
	if ((result < 0) != is_error(&err) || (result == 0 && (!counts.count || counts.cpu)))
		abort();
	for (size_t i = 0; result == 0 && i < counts.count; i++)
		check(&counts.items[i]);
	(void)is_perf_stat(&text);
	arena_release(&arena);
	return 0;
}
