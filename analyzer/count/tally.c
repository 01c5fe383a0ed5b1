/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count/tally.h"

#include <math.h>

/*
 * Counts of less time than this are withheld: below both the share of the time and the absolute time (25 turns of the
 * kernel's usual 4 ms) chance decides what was seen; and the places that were never heard can't be guessed from the
 * others when they are many.
 */
#define LEAST_SHARE  0.02
#define LEAST_NS     100e6
#define MOST_UNHEARD 0.1

void tally_add(struct tally *tally, const struct count *read, uint64_t enabled_ns)
{
	double scale = 1;

	if (read->state == COUNT_REFUSED) {
		tally->refused = tally->refused ? tally->refused : read->reason;
		return;
	}
	tally->raw += read->raw;
	tally->enabled_ns += enabled_ns;
	tally->running_ns += read->running_ns;
	if (!read->running_ns) {
		tally->unheard_ns += enabled_ns;
		return;
	}
	if (enabled_ns > read->running_ns)
		scale = (double)enabled_ns / (double)read->running_ns;
	tally->value += (double)read->raw * scale;
}

static bool is_little(const struct tally *tally)
{
	return (double)tally->running_ns < LEAST_SHARE * (double)tally->enabled_ns &&
	       (double)tally->running_ns < LEAST_NS;
}

static bool is_mostly_unheard(const struct tally *tally)
{
	return (double)tally->unheard_ns > MOST_UNHEARD * (double)tally->enabled_ns;
}

static double percent(uint64_t part, uint64_t whole)
{
	return 100 * (double)part / (double)whole;
}

static void withhold(struct count *item, const struct tally *tally, struct arena *arena)
{
	item->state = COUNT_WITHHELD;
	if (is_little(tally))
		item->reason =
			arena_printf(arena, "it was on a counter for only %.2g %% of the time, %.2g ms",
				     percent(tally->running_ns, tally->enabled_ns), (double)tally->running_ns * 1e-6);
	else
		item->reason = arena_printf(arena, "in %.0f %% of the CPU time it was never on a counter",
					    percent(tally->unheard_ns, tally->enabled_ns));
}

void tally_finish(struct count *item, const struct tally *tally, struct arena *arena)
{
	item->raw = tally->raw;
	item->enabled_ns = tally->enabled_ns;
	item->running_ns = tally->running_ns;
	item->value = (double)NAN;
	item->reason = tally->refused;
	if (tally->refused)
		item->state = COUNT_REFUSED;
	else if (!tally->running_ns)
		item->state = COUNT_NEVER_RAN;
	else if (is_little(tally) || is_mostly_unheard(tally))
		withhold(item, tally, arena);
	else
		item->state = COUNT_OK;
	if (item->state == COUNT_OK) /* the few that were not heard are taken to be like the others */
		item->value =
			tally->value * (double)tally->enabled_ns / (double)(tally->enabled_ns - tally->unheard_ns);
}

struct count count_since(const struct count *now, const struct count *before)
{
	struct count since = *now;

	since.raw -= before->raw;
	since.enabled_ns -= before->enabled_ns;
	since.running_ns -= before->running_ns;
	return since;
}
