/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gate/gate_calls.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

#define CALLS	    "syscalls."
#define UNNAMED	    "call_"
#define ALL_OF_THEM "all" /* count/traced_calls.h */

/* The build lists what asm/unistd.h has on the machine that it is for: NAME(read) NAME(write) ... */
static const char *const names[] = {
#define NAME(call) #call,
#include "system_call_names.inc"
#undef NAME
};

const char *gate_call_of(const char *metric)
{
	return has_name_prefix(metric, CALLS) && !is_same_name(metric, CALLS "all") ? metric + strlen(CALLS) : NULL;
}

bool is_call_name(const char *call)
{
	uint64_t number;

	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (!strcmp(names[i], call))
			return true;
	return !strncmp(call, UNNAMED, strlen(UNNAMED)) && text_u64(call + strlen(UNNAMED), &number);
}

const char *gate_near_calls(const char *call, struct arena *arena)
{
	return nearest_names(arena, call, names, COUNT_OF(names));
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
