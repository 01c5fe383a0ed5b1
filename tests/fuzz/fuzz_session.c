/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_session.c - any bytes as a session: what is read keeps its promises, what is refused has words. */
#include <math.h>
#include <stdlib.h>

#include "common/measurement/division.h"
#include "common/measurement/profile.h"
#include "store/session/session.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_repeat(const struct repeat *repeat)
{
	for (size_t i = 0; i < repeat->count; i++)
		if (repeat->items[i].group >= repeat->ngroups || repeat->items[i].run >= repeat->nruns ||
		    isnan(repeat->items[i].value) != (repeat->items[i].state != COUNT_OK))
			abort();
}

static void check_parts(const struct measurement *measured)
{
	for (size_t i = 0; i < measured->count; i++)
		for (size_t k = 0; k < measured->parts[i].nrepeats; k++)
			check_repeat(&measured->parts[i].repeats[k]);
}

/* What refers to something refers to what is there, and no stack has itself among its callers. */
static void check_profile(const struct profile *profile, size_t nitems)
{
	for (uint32_t i = 0; i < profile->nplaces; i++)
		if (profile->places[i].module >= profile->nmodules)
			abort();
	for (uint32_t i = 0; i < profile->nstacks; i++)
		if (profile->stacks[i].place >= profile->nplaces ||
		    (profile->stacks[i].caller != PROFILE_NONE && profile->stacks[i].caller >= i))
			abort();
	for (uint32_t i = 0; i < profile->nrows; i++) {
		const struct profile_row *row = &profile->rows[i];

		if (row->stack >= profile->nstacks || row->task >= profile->ntasks ||
		    (row->event != PROFILE_NONE && row->event >= profile->nevents) || !(row->weight >= 0))
			abort();
		for (size_t k = 0; k < row->ncounts; k++)
			if (row->counts[k].item >= nitems)
				abort();
	}
}

/* Counts that are kept by CPU keep the promises in other parts too. */
static void check_divided(const struct measurement *measured, struct arena *arena)
{
	const struct division every = { .is_whole = true, .by_socket = true, .by_core = true, .by_cpu = true };
	struct measurement divided;

	measurement_divide(&divided, measured, &every, arena);
	check_parts(&divided);
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
	if (result == 0) {
		check_parts(&measured);
		check_divided(&measured, &arena);
		if (measured.profile)
			check_profile(measured.profile, measured.parts[0].repeats[0].count);
	}
	arena_release(&arena);
	return 0;
}
