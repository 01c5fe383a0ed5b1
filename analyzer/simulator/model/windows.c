/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simulator/model/windows.h"

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

/* A number below most. */
static uint64_t windows_draw(struct sampler *sampler, uint64_t most)
{
	sampler->random = sampler->random * 1664525u + 1013904223u;
	return most * (sampler->random >> 16) >> 16;
}

/*
 * Each period has a window anywhere in it, so that no loop keeps in step with the windows, and each phase of the
 * program has its share of them.
 */
static void pause(struct sampler *sampler, const struct sampling *sampling)
{
	uint64_t room = sampling->period > SAMPLE_WINDOW + SAMPLE_WARM_UP
				? sampling->period - SAMPLE_WINDOW - SAMPLE_WARM_UP
				: 0;
	uint64_t behind = sampler->place < room ? room - sampler->place : 0;

	sampler->place = windows_draw(sampler, room + 1);
	behind += sampler->place;
	sampler->state = SAMPLE_PAUSE;
	sampler->left = behind > sampler->more ? behind - sampler->more : 1;
	sampler->more = 0;
}

void sampler_init(struct sampler *sampler, const struct sampling *sampling, uint32_t number)
{
	*sampler = (struct sampler){ .state = SAMPLE_ACCOUNTED, .left = UINT64_MAX, .place = UINT64_MAX };
	/* Neighbouring numbers end up far apart: multiplied by 2^32 and 2^64 over the golden ratio. */
	sampler->random = 2 + (number - 1) * 0x9e3779b9u + (uint32_t)(sampling->seed * 0x9e3779b97f4a7c15u >> 32);
	if (sampling->period)
		pause(sampler, sampling);
}

static void close_window(struct sampler *sampler, const struct sampling *sampling, const struct core *core,
			 uint64_t instructions)
{
	struct slot_counts now = counts_now(core), window = { 0 };

	add_difference(&window, &now, &sampler->start);
	add_difference(&sampler->sum, &now, &sampler->start);
	add_difference(&window, &sampler->partial, &(struct slot_counts){ 0 });
	if (sampling->has_bursts) {
		add_difference(&sampler->burst, &window, &(struct slot_counts){ 0 });
		sampler->burst_instructions += instructions;
	} else {
		window_moments_add(&sampler->moments, &window, (double)instructions);
	}
	sampler->start = now;
	sampler->partial = (struct slot_counts){ 0 };
}

/* Do lines come later than memory alone makes them, because more are asked for than it sends? */
static bool has_backlog(const struct core *core)
{
	return core->hierarchy.last_arrival > core->cycle + core->parameters.dram_latency;
}

/* How often what slots follow from happens between the windows of a burst is no part of how far bursts are apart. */
void sampler_close_burst(struct sampler *sampler, const struct sampling *sampling, const struct core *core)
{
	if (sampler->state == SAMPLE_ACCOUNTED)
		close_window(sampler, sampling, core, SAMPLE_WINDOW - sampler->left);
	for (unsigned i = 0; i < TRIGGER_COUNT; i++)
		sampler->burst.triggers[i] = 0;
	if (sampler->burst_instructions)
		window_moments_add(&sampler->moments, &sampler->burst, (double)sampler->burst_instructions);
	sampler->burst = (struct slot_counts){ 0 };
	sampler->burst_instructions = 0;
	sampler->place = UINT64_MAX;
	pause(sampler, sampling);
}

void sampler_step(struct sampler *sampler, const struct sampling *sampling, struct core *core, uint32_t instructions)
{
	if (sampler->left > instructions) {
		sampler->left -= instructions;
		return;
	}
	switch (sampler->state) {
	case SAMPLE_ACCOUNTED:
		close_window(sampler, sampling, core, SAMPLE_WINDOW - sampler->left + instructions);
		pause(sampler, sampling);
		break;
	case SAMPLE_PAUSE:
		core->last_line = NO_LINE;
		sampler->state = SAMPLE_WARMING_UP;
		sampler->left = SAMPLE_WARM_UP;
		break;
	case SAMPLE_OUTSIDE: break;
	case SAMPLE_WARMING_UP:
	default:
		if (!sampler->more && has_backlog(core)) {
			sampler->left = sampler->more = SAMPLE_BACKLOG;
			break;
		}
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

struct sample_sums sampler_sums(const struct sampler *sampler)
{
	return window_sums(&sampler->moments, &sampler->sum);
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
	sampler->moments = (struct window_moments){ 0 };
	sampler->rounds = (struct rounds){ 0 };
	sampler->burst = (struct slot_counts){ 0 };
	sampler->burst_instructions = 0;
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
