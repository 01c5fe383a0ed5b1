/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simulator/windows.h"

#include "simulator/wire.h"

_Static_assert(SAMPLE_WINDOW + SAMPLE_WARM_UP == WIRE_WINDOW, "topdown works out from it how often a window begins");

static uint64_t page_cycles(const struct core *core, enum side side)
{
	const struct traffic *traffic = &core->hierarchy.traffic;
	const struct parameters *p = &core->parameters;

	return traffic->tlb_misses[side] * p->stlb_latency + traffic->walks[side] * (p->walk_latency + p->l2.latency);
}

void core_triggers(const struct core *core, uint64_t triggers[TRIGGER_COUNT])
{
	const struct traffic *traffic = &core->hierarchy.traffic;
	const struct parameters *p = &core->parameters;

	triggers[TRIGGER_MISPREDICTED] = core->mispredicted;
	triggers[TRIGGER_UNKNOWN] = core->unknown_branches;
	triggers[TRIGGER_CODE] = p->width * traffic->code_cycles;
	triggers[TRIGGER_CODE_PAGE] = p->width * page_cycles(core, SIDE_CODE);
	triggers[TRIGGER_DATA_PAGE] = p->width * page_cycles(core, SIDE_DATA);
	triggers[TRIGGER_L2] = p->width * p->l2.latency * traffic->found[LEVEL_L2];
	triggers[TRIGGER_L3] = p->width * p->l3.latency * traffic->found[LEVEL_L3];
	triggers[TRIGGER_DRAM] = p->width * p->dram_latency * traffic->found[LEVEL_DRAM];
}

static struct slot_counts counts_now(const struct core *core)
{
	struct slot_counts counts = { .retired = core->retired };

	core_triggers(core, counts.triggers);
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
	for (unsigned i = 0; i < TRIGGER_COUNT; i++)
		sum->triggers[i] += now->triggers[i] - start->triggers[i];
}

static const uint8_t parts[CAUSE_COUNT] = {
	[CAUSE_MISPREDICT] = PART_SPECULATION,
	[CAUSE_RESTEER] = PART_FRONTEND,
	[CAUSE_ICACHE] = PART_FRONTEND,
	[CAUSE_ITLB] = PART_FRONTEND,
	[CAUSE_UNKNOWN_BRANCH] = PART_FRONTEND,
	[CAUSE_LEGACY_DECODE] = PART_FRONTEND,
	[CAUSE_UOP_CACHE] = PART_FRONTEND,
	[CAUSE_MICROCODE_SWITCH] = PART_FRONTEND,
	[CAUSE_DTLB] = PART_BACKEND,
	[CAUSE_L1] = PART_BACKEND,
	[CAUSE_L2] = PART_BACKEND,
	[CAUSE_L3] = PART_BACKEND,
	[CAUSE_DRAM] = PART_BACKEND,
	[CAUSE_CONTESTED] = PART_BACKEND,
	[CAUSE_SHARED] = PART_BACKEND,
	[CAUSE_FALSE] = PART_BACKEND,
	[CAUSE_STORE] = PART_BACKEND,
	[CAUSE_DIVIDER] = PART_BACKEND,
	[CAUSE_PORTS] = PART_BACKEND,
	[CAUSE_DEPENDENCY] = PART_BACKEND,
	[CAUSE_SERIALIZATION] = PART_BACKEND,
};

static void add_window(struct sample_sums *sums, const struct slot_counts *window, double instructions)
{
	double part[PART_COUNT] = { [PART_RETIRING] = (double)window->retired / SAMPLE_UNIT }, slots = 0;

	for (unsigned i = 0; i < CAUSE_COUNT; i++)
		part[parts[i]] += (double)window->lost[i] / SAMPLE_UNIT;
	for (unsigned i = 0; i < PART_COUNT; i++)
		slots += part[i];
	for (unsigned i = 0; i < PART_COUNT; i++) {
		sums->part[i] += part[i];
		sums->part_squared[i] += part[i] * part[i];
		sums->part_slots[i] += part[i] * slots;
	}
	instructions /= SAMPLE_UNIT;
	sums->windows++;
	sums->instructions += instructions;
	sums->instructions_squared += instructions * instructions;
	sums->slots += slots;
	sums->slots_squared += slots * slots;
	sums->slots_instructions += slots * instructions;
}

/* A number below most. */
static uint64_t draw(struct sampler *sampler, uint64_t most)
{
	sampler->random = sampler->random * 1664525u + 1013904223u;
	return most * (sampler->random >> 16) >> 16;
}

/* Between half and one and a half of what is left of the period, so that no loop keeps in step with the windows. */
static uint64_t pause_length(struct sampler *sampler, const struct sampling *sampling)
{
	uint64_t whole = sampling->period > SAMPLE_WINDOW + SAMPLE_WARM_UP
				 ? sampling->period - SAMPLE_WINDOW - SAMPLE_WARM_UP
				 : 1;

	return whole / 2 + draw(sampler, whole) + 1;
}

static void pause(struct sampler *sampler, uint64_t instructions)
{
	sampler->state = SAMPLE_PAUSE;
	sampler->left = instructions;
}

/* The first window begins anywhere in the first period: a program's start is as likely to be seen as the rest of it. */
void sampler_init(struct sampler *sampler, const struct sampling *sampling, uint32_t number)
{
	*sampler = (struct sampler){ .state = SAMPLE_ACCOUNTED, .left = UINT64_MAX };
	/* Neighbouring numbers end up far apart: multiplied by 2^32 and 2^64 over the golden ratio. */
	sampler->random = 2 + (number - 1) * 0x9e3779b9u + (uint32_t)(sampling->seed * 0x9e3779b97f4a7c15u >> 32);
	if (!sampling->period)
		return;
	pause(sampler, draw(sampler, sampling->period) + 1);
}

static void close_window(struct sampler *sampler, const struct core *core, uint64_t instructions)
{
	struct slot_counts now = counts_now(core), window = { 0 };

	add_difference(&window, &now, &sampler->start);
	add_difference(&sampler->sum, &now, &sampler->start);
	add_difference(&window, &sampler->partial, &(struct slot_counts){ 0 });
	add_window(&sampler->sums, &window, (double)instructions);
	sampler->start = now;
	sampler->partial = (struct slot_counts){ 0 };
}

void sampler_step(struct sampler *sampler, const struct sampling *sampling, struct core *core, uint32_t instructions)
{
	if (sampler->left > instructions) {
		sampler->left -= instructions;
		return;
	}
	switch (sampler->state) {
	case SAMPLE_ACCOUNTED:
		close_window(sampler, core, SAMPLE_WINDOW - sampler->left + instructions);
		pause(sampler, pause_length(sampler, sampling));
		break;
	case SAMPLE_PAUSE:
		core_resume(core);
		sampler->state = SAMPLE_WARMING_UP;
		sampler->left = SAMPLE_WARM_UP;
		break;
	case SAMPLE_OUTSIDE: break;
	case SAMPLE_WARMING_UP:
	default:
		sampler->start = counts_now(core);
		sampler->state = SAMPLE_ACCOUNTED;
		sampler->left = SAMPLE_WINDOW;
		break;
	}
}

struct slot_counts sampler_counts(const struct sampler *sampler, const struct core *core)
{
	struct slot_counts counts = sampler->sum, now = counts_now(core);

	if (sampler->state == SAMPLE_ACCOUNTED)
		add_difference(&counts, &now, &sampler->start);
	return counts;
}

static void stay_outside(struct sampler *sampler)
{
	sampler->inside = sampler->state;
	sampler->inside_left = sampler->left;
	sampler->state = SAMPLE_OUTSIDE;
	sampler->left = UINT64_MAX;
}

/* What the window has so far. */
static void set_aside(struct sampler *sampler, const struct core *core)
{
	struct slot_counts now = counts_now(core);

	if (sampler->state == SAMPLE_ACCOUNTED) {
		add_difference(&sampler->partial, &now, &sampler->start);
		add_difference(&sampler->sum, &now, &sampler->start);
	}
	sampler->start = now;
}

void sampler_leave(struct sampler *sampler, const struct core *core)
{
	set_aside(sampler, core);
	stay_outside(sampler);
}

void sampler_enter(struct sampler *sampler, struct core *core)
{
	sampler->state = sampler->inside;
	sampler->left = sampler->inside_left;
	if (sampler_is_detailed(sampler))
		core_resume(core);
	sampler->start = counts_now(core);
}

void sampler_forget(struct sampler *sampler, const struct core *core)
{
	set_aside(sampler, core);
	sampler->sum = (struct slot_counts){ 0 };
	sampler->sums = (struct sample_sums){ 0 };
	sampler->rounds = (struct rounds){ 0 };
}

void sampler_restart(struct sampler *sampler, const struct sampling *sampling, uint32_t number)
{
	struct slot_counts start = sampler->start;
	bool is_outside = sampler_is_outside(sampler);

	sampler_init(sampler, sampling, number);
	sampler->start = start;
	if (is_outside)
		stay_outside(sampler);
}
