/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_perf_data.c - any bytes as perf.data: what is read keeps its promises, what is refused has words. */
#include <stdlib.h>
#include <string.h>

#include "common/measurement/profile.h"
#include "store/perftool/perf_record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_stacks(const struct profile *profile)
{
	for (uint32_t i = 0; i < profile->nstacks; i++)
		if (profile->stacks[i].place >= profile->nplaces ||
		    (profile->stacks[i].caller != PROFILE_NONE && profile->stacks[i].caller >= i))
			abort();
	for (uint32_t i = 0; i < profile->nplaces; i++)
		if (profile->places[i].module >= profile->nmodules)
			abort();
}

static void check_rows(const struct profile *profile)
{
	for (uint32_t e = 0; e < profile->nevents; e++) {
		uint64_t samples = 0;

		for (uint32_t i = 0; i < profile->nrows; i++)
			samples += profile->rows[i].event == e ? profile->rows[i].samples : 0;
		if (samples != profile->events[e].samples)
			abort();
	}
	for (uint32_t i = 0; i < profile->nrows; i++)
		if (profile->rows[i].stack >= profile->nstacks || profile->rows[i].task >= profile->ntasks ||
		    profile->rows[i].event >= profile->nevents)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct stored_bytes stored = { .bytes = malloc(size + 1), .length = size };
	struct error err = { .text = "" };
	struct measurement measured;
	struct arena arena;
	int result;

	if (!stored.bytes)
		abort();
	arena_init(&arena);
	memcpy(stored.bytes, data, size);
	result = perf_data_read(&measured, &stored, "fuzz", &arena, &err);
	if ((result < 0) != is_error(&err))
		abort();
	if (result == 0) {
		check_stacks(measured.profile);
		check_rows(measured.profile);
	}
	stored_bytes_release(&stored);
	arena_release(&arena);
	return 0;
}
