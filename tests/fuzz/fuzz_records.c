/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_records.c - any bytes as what is in a ring buffer, behind a format: nothing outside is read, and the profile
 * keeps its promises. The input: sample_type, read_format, branch_sample_type, regs_user, where the ring begins, records.
 */
#include <stdlib.h>
#include <string.h>

#include "collect/sample/intake.h"
#include "collect/sample/sampler.h"

#define CONTROL 4096
#define RING	((size_t)16384)
#define NUMBERS 5
#define SAMPLED 0u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void take(void *context, const struct record *record)
{
	if (record->type == PERF_RECORD_SAMPLE &&
	    (record->of.sample.nchain > RING / 8 || record->of.sample.stack_bytes > RING))
		abort();
	intake_take(context, record, SAMPLED);
}

static void check(const struct profile *profile)
{
	uint64_t samples = 0;

	for (uint32_t i = 0; i < profile->nrows; i++) {
		const struct profile_row *row = &profile->rows[i];

		samples += row->samples;
		if (row->stack >= profile->nstacks || row->task >= profile->ntasks || row->event != 0)
			abort();
	}
	for (uint32_t i = 0; i < profile->nstacks; i++)
		if (profile->stacks[i].place >= profile->nplaces ||
		    (profile->stacks[i].caller != PROFILE_NONE && profile->stacks[i].caller >= i))
			abort();
	for (uint32_t i = 0; i < profile->nplaces; i++)
		if (profile->places[i].module >= profile->nmodules)
			abort();
	if (samples != profile->events[0].samples)
		abort();
}

static void read_all(struct profile *profile, const uint64_t numbers[NUMBERS], const uint8_t *data, size_t size)
{
	static uint64_t memory[(CONTROL + RING) / sizeof(uint64_t)];
	const struct record_format format = { numbers[0], numbers[1], numbers[2], numbers[3], 0, numbers[4] & 1 };
	const struct intake_setup setup = { .profile = profile, .most_chain = 127 };
	struct intake *intake = intake_new(&setup);
	struct perf_event_mmap_page *control = (struct perf_event_mmap_page *)(void *)memory;
	uint64_t begin = numbers[4] & ~7ull;
	struct rings rings = { .count = 0 };

	memset(memory, 0, sizeof(memory));
	for (size_t i = 0; i < size; i++)
		((uint8_t *)memory)[CONTROL + ((begin + i) & (RING - 1))] = data[i];
	control->data_tail = begin;
	perf_ring_use(&rings_use(&rings, 0)->ring, memory, CONTROL, RING);
	control->data_head = begin + (size & ~(size_t)7);
	rings_read(&rings, &format, UINT64_MAX, take, intake);
	if (control->data_tail != control->data_head)
		abort();
	rings_release(&rings);
	intake_release(intake);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct profile_event event = { .event = "cycles" };
	uint64_t numbers[NUMBERS];
	struct profile profile;
	struct arena arena;

	if (size < sizeof(numbers) || size - sizeof(numbers) > RING)
		return 0;
	memcpy(numbers, data, sizeof(numbers));
	arena_init(&arena);
	profile_init(&profile, &arena);
	profile_event(&profile, &event);
	read_all(&profile, numbers, data + sizeof(numbers), size - sizeof(numbers));
	check(&profile);
	arena_release(&arena);
	return 0;
}
