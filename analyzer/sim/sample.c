/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/sample.h"

static struct slot_counts counts_now(const struct core *core)
{
	struct slot_counts counts = { .retired = core->retired };

	for (unsigned i = 0; i < CAUSE_COUNT; i++)
		counts.lost[i] = core->lost[i];
	return counts;
}

/* sum += now - start */
static void add_difference(struct slot_counts *sum, const struct slot_counts *now, const struct slot_counts *start)
{
	sum->retired += now->retired - start->retired;
	for (unsigned i = 0; i < CAUSE_COUNT; i++)
		sum->lost[i] += now->lost[i] - start->lost[i];
}

static double slots_of(const struct slot_counts *counts)
{
	double slots = (double)counts->retired;

	for (unsigned i = 0; i < CAUSE_COUNT; i++)
		slots += (double)counts->lost[i];
	return slots;
}

void sampler_init(struct sampler *sampler, const struct sampling *sampling)
{
	*sampler = (struct sampler){ .state = SAMPLE_ACCOUNTED, .random = 1, .left = UINT64_MAX };
	if (sampling->period)
		sampler->left = SAMPLE_WINDOW;
}

static void close_window(struct sampler *sampler, const struct core *core)
{
	struct slot_counts now = counts_now(core), window = { 0 };
	double slots, instructions = SAMPLE_WINDOW;

	add_difference(&window, &now, &sampler->start);
	add_difference(&sampler->sum, &now, &sampler->start);
	slots = slots_of(&window);
	sampler->windows++;
	sampler->slots += slots;
	sampler->slots_squared += slots * slots;
	sampler->slots_instructions += slots * instructions;
	sampler->instructions_squared += instructions * instructions;
	sampler->instructions += SAMPLE_WINDOW;
	sampler->start = now;
}

/* Between half and one and a half of what is left of the period, so that no loop keeps in step with the windows. */
static uint64_t pause_length(struct sampler *sampler, const struct sampling *sampling)
{
	uint64_t whole = sampling->period > SAMPLE_WINDOW + SAMPLE_WARM_UP
				 ? sampling->period - SAMPLE_WINDOW - SAMPLE_WARM_UP
				 : 1;

	sampler->random = sampler->random * 1664525u + 1013904223u;
	return whole / 2 + (whole * (sampler->random >> 16) >> 16) + 1;
}

static void change_state(struct sampler *sampler, const struct sampling *sampling, struct core *core)
{
	switch (sampler->state) {
	case SAMPLE_ACCOUNTED:
		close_window(sampler, core);
		sampler->state = SAMPLE_PAUSE;
		sampler->left = pause_length(sampler, sampling);
		break;
	case SAMPLE_PAUSE:
		core_resume(core);
		sampler->state = SAMPLE_WARMING_UP;
		sampler->left = SAMPLE_WARM_UP;
		break;
	case SAMPLE_WARMING_UP:
	default:
		sampler->start = counts_now(core);
		sampler->state = SAMPLE_ACCOUNTED;
		sampler->left = SAMPLE_WINDOW;
		break;
	}
}

void sampler_step(struct sampler *sampler, const struct sampling *sampling, struct core *core, uint32_t instructions)
{
	if (sampler->left > instructions) {
		sampler->left -= instructions;
		return;
	}
	change_state(sampler, sampling, core);
}

struct slot_counts sampler_counts(const struct sampler *sampler, const struct core *core)
{
	struct slot_counts counts = sampler->sum, now = counts_now(core);

	if (sampler->state == SAMPLE_ACCOUNTED)
		add_difference(&counts, &now, &sampler->start);
	return counts;
}

void sampler_forget(struct sampler *sampler, const struct core *core)
{
	sampler->sum = (struct slot_counts){ 0 };
	sampler->start = counts_now(core);
	sampler->windows = sampler->instructions = 0;
	sampler->slots = sampler->slots_squared = 0;
	sampler->slots_instructions = sampler->instructions_squared = 0;
}
