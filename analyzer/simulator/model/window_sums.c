/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simulator/model/windows.h"

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

/* What topdown multiplies by the triggers of the whole, and how (collect/simulate/simulated_strata.c). */
static const struct triggered {
	enum cause cause;
	enum trigger trigger;
	bool is_partial; /* slots are lost without it too: to lines that were asked for ahead */
} triggered[] = {
	{ CAUSE_MISPREDICT, TRIGGER_MISPREDICTED, false },
	{ CAUSE_RESTEER, TRIGGER_MISPREDICTED, false },
	{ CAUSE_UNKNOWN_BRANCH, TRIGGER_UNKNOWN, false },
	{ CAUSE_ICACHE, TRIGGER_CODE, false },
	{ CAUSE_ITLB, TRIGGER_CODE_PAGE, false },
	{ CAUSE_DTLB, TRIGGER_DATA_PAGE, true },
	{ CAUSE_L2, TRIGGER_L2, true },
	{ CAUSE_L3, TRIGGER_L3, true },
	{ CAUSE_DRAM, TRIGGER_DRAM, true },
};

static void add_differences(struct window_moments *moments, const double figures[FIGURE_COUNT])
{
	double differences[FIGURE_COUNT];

	for (unsigned i = 0; i < FIGURE_COUNT; i++)
		differences[i] = figures[i] - moments->last[i];
	for (unsigned i = 0; i < FIGURE_COUNT; i++)
		for (unsigned k = 0; k < FIGURE_COUNT; k++)
			moments->product[i][k] += differences[i] * differences[k] / 2;
}

void window_moments_add(struct window_moments *moments, const struct slot_counts *window, double instructions)
{
	double figures[FIGURE_COUNT] = { instructions / SAMPLE_UNIT };

	figures[FIGURE_PART + PART_RETIRING] = (double)window->retired / SAMPLE_UNIT;
	for (unsigned i = 0; i < CAUSE_COUNT; i++)
		figures[FIGURE_PART + parts[i]] += (double)window->lost[i] / SAMPLE_UNIT;
	for (unsigned i = 0; i < TRIGGER_COUNT; i++)
		figures[FIGURE_TRIGGER + i] = (double)window->triggers[i] / SAMPLE_UNIT;
	if (moments->windows++)
		add_differences(moments, figures);
	for (unsigned i = 0; i < FIGURE_COUNT; i++) {
		moments->sum[i] += figures[i];
		moments->last[i] = figures[i];
	}
}

/* A value that is made of a window's figures, each times a weight. */
struct combination {
	double weights[FIGURE_COUNT];
};

static struct combination figure(unsigned number)
{
	struct combination combination = { .weights = { 0 } };

	combination.weights[number] = 1;
	return combination;
}

static double window_sums_sum_of(const struct window_moments *moments, const struct combination *combination)
{
	double sum = 0;

	for (unsigned i = 0; i < FIGURE_COUNT; i++)
		sum += combination->weights[i] * moments->sum[i];
	return sum;
}

/* Never below 0: the numbers are written without a sign. */
static double product_of(const struct window_moments *moments, const struct combination *a, const struct combination *b)
{
	double sum = moments->windows ? window_sums_sum_of(moments, a) * window_sums_sum_of(moments, b) /
						(double)moments->windows
				      : 0;

	for (unsigned i = 0; i < FIGURE_COUNT; i++)
		for (unsigned k = 0; k < FIGURE_COUNT; k++)
			sum += a->weights[i] * moments->product[i][k] * b->weights[k];
	return sum > 0 ? sum : 0;
}

/* Less by the cost of what the window has more of than all of them for each instruction. */
static void level(struct combination *combination, double cost, unsigned trigger, const struct window_moments *moments)
{
	combination->weights[FIGURE_TRIGGER + trigger] -= cost;
	combination->weights[0] += cost * moments->sum[FIGURE_TRIGGER + trigger] / moments->sum[0];
}

static double cost_of(const struct triggered *of, const struct slot_counts *all)
{
	double cost = (double)all->lost[of->cause] / (double)all->triggers[of->trigger];

	return of->is_partial && cost > 1 ? 1 : cost;
}

struct sample_sums window_sums(const struct window_moments *moments, const struct slot_counts *all)
{
	struct combination made[PART_COUNT], slots = { .weights = { 0 } }, instructions = figure(0);
	struct sample_sums sums = { .windows = moments->windows };

	for (unsigned i = 0; i < PART_COUNT; i++)
		made[i] = figure(FIGURE_PART + i);
	for (unsigned i = 0; i < sizeof(triggered) / sizeof(triggered[0]); i++)
		if (all->triggers[triggered[i].trigger] && moments->windows)
			level(&made[parts[triggered[i].cause]], cost_of(&triggered[i], all), triggered[i].trigger,
			      moments);
	for (unsigned i = 0; i < PART_COUNT; i++)
		for (unsigned k = 0; k < FIGURE_COUNT; k++)
			slots.weights[k] += made[i].weights[k];
	for (unsigned i = 0; i < PART_COUNT; i++) {
		sums.part[i] = window_sums_sum_of(moments, &made[i]);
		sums.part_squared[i] = product_of(moments, &made[i], &made[i]);
		sums.part_slots[i] = product_of(moments, &made[i], &slots);
	}
	sums.instructions = window_sums_sum_of(moments, &instructions);
	sums.instructions_squared = product_of(moments, &instructions, &instructions);
	sums.slots = window_sums_sum_of(moments, &slots);
	sums.slots_squared = product_of(moments, &slots, &slots);
	sums.slots_instructions = product_of(moments, &slots, &instructions);
	return sums;
}
