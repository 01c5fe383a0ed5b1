/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count/tally.h"

#include <math.h>

#include "evaluate/withhold.h"

#define MOST_UNHEARD 0.1 /* the places that were never heard can't be guessed from the others when they are many */

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
	return is_time_too_short((double)tally->running_ns, (double)tally->enabled_ns);
}

static bool is_mostly_unheard(const struct tally *tally)
{
	return (double)tally->unheard_ns > MOST_UNHEARD * (double)tally->enabled_ns;
}

static void withhold(struct count *item, const struct tally *tally, struct arena *arena)
{
	if (is_little(tally)) {
		count_withhold_short(item, (double)tally->running_ns, (double)tally->enabled_ns, arena);
		return;
	}
	item->state = COUNT_WITHHELD;
	item->reason = arena_printf(arena, "in %.0f %% of the CPU time it was never on a counter",
				    100 * (double)tally->unheard_ns / (double)tally->enabled_ns);
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
