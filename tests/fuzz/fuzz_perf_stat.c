/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_perf_stat.c - any bytes as perf stat's output: what is read keeps its promises, what is refused has words. */
#include <math.h>
#include <stdlib.h>

#include "store/perftool/perf_record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct repeat *repeat, const struct count *count)
{
	bool is_counted = count->state == COUNT_OK;
	bool has_reason = count->state == COUNT_REFUSED || count->state == COUNT_WITHHELD;

	if (!*count->event || isnan(count->value) == is_counted || (is_counted && !(count->value >= 0)) ||
	    count->group >= repeat->ngroups || count->run >= repeat->nruns || !count->running_ns ||
	    count->running_ns > count->enabled_ns || has_reason != (count->reason != NULL))
		abort();
}

static void check_part(const struct counts *counts)
{
	size_t items = 0;

	if (counts->origin.cpu || !counts->nrepeats)
		abort();
	for (size_t i = 0; i < counts->nrepeats; i++) {
		for (size_t k = 0; k < counts->repeats[i].count; k++, items++)
			check(&counts->repeats[i], &counts->repeats[i].items[k]);
		items += counts->repeats[i].nprinted; /* perf's own shares are as good as counts */
	}
	if (!items)
		abort();
}

static void check_parts(const struct measurement *measured)
{
	for (size_t i = 0; i < measured->count; i++)
		check_part(&measured->parts[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct session_text text = { .text = (const char *)data, .length = size, .source = "fuzz" };
	struct error err = { .text = "" };
	struct measurement measured;
	struct arena arena;
	int result;

	arena_init(&arena);
	result = perf_stat_read(&measured, &text, &arena, &err);
	if ((result < 0) != is_error(&err) || (result == 0 && !measured.count))
		abort();
	if (result == 0)
		check_parts(&measured);
	for (size_t i = 0; result == 0 && i < measured.nintervals; i++) {
		if (!(measured.intervals[i].to_s >= measured.intervals[i].from_s))
			abort();
		check_parts(&measured.intervals[i]);
	}
	(void)is_perf_stat(&text);
	arena_release(&arena);
	return 0;
}
