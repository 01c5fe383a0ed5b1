/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/gate/gate_calls.h"

#include <math.h>
#include <string.h>

#include "common/base/text.h"
#include "cpu/identify/tracepoint.h"

#define CALLS	    "syscalls."
#define UNNAMED	    "call_"
#define ALL_OF_THEM "all" /* collect/observe/traced_calls.c */

const char *gate_call_of(const char *metric)
{
	return has_name_prefix(metric, CALLS) && !is_same_name(metric, CALLS "all") ? metric + strlen(CALLS) : NULL;
}

bool is_call_name(const char *call)
{
	uint64_t number;

	return system_call_number(&number, call) ||
	       (!strncmp(call, UNNAMED, strlen(UNNAMED)) && text_u64(call + strlen(UNNAMED), &number));
}

/* What has no number here can't be asked for: such a limit is refused, or can't be judged. */
const char *gate_calls_asked(const struct gate_limits *limits, struct arena *arena)
{
	struct string text = STRING_INIT(arena);
	uint64_t number;

	for (size_t i = 0; i < limits->count; i++) {
		const char *metric = limits->items[i].metric;
		const char *call = has_name_prefix(metric, CALLS) ? metric + strlen(CALLS) : "";

		if (is_same_name(call, ALL_OF_THEM))
			string_printf(&text, "%s" ALL_OF_THEM, text.length ? "," : "");
		else if (system_call_number(&number, call))
			string_printf(&text, "%s%s", text.length ? "," : "", call);
	}
	return text.length ? text.text : NULL;
}

/* NAN: it was not counted. A list with the sum (--syscalls) has only the calls that were asked for. */
static double count_in(const struct repeat *repeat, const char *call)
{
	bool is_list = false;

	if (!repeat->calls)
		return NOT_COUNTED;
	for (size_t i = 0; i < repeat->ncalls; i++) {
		if (!strcmp(repeat->calls[i].name, call))
			return repeat->calls[i].count;
		is_list |= !strcmp(repeat->calls[i].name, ALL_OF_THEM);
	}
	return is_list ? NOT_COUNTED : 0;
}

const double *gate_call_counts(const struct counts *counts, const char *call, struct arena *arena)
{
	double *values = arena_array(arena, counts->nrepeats + 1, sizeof(*values));

	for (size_t i = 0; i < counts->nrepeats; i++) {
		values[i] = count_in(&counts->repeats[i], call);
		if (isnan(values[i]))
			return NULL;
	}
	return values;
}
