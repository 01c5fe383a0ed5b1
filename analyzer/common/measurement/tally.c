/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/measurement/tally.h"

#include <math.h>

#define MOST_NEVER_RAN                                                                                                 \
	0.1 /* of the time: where it is more, the sites where it never ran can't be guessed from the others */

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
		tally->never_ran_ns += enabled_ns;
		return;
	}
	if (!tally->impossible && !is_count_possible(read->raw, read->running_ns)) {
		tally->impossible = read->raw;
		tally->impossible_ns = read->running_ns;
	}
	if (enabled_ns > read->running_ns)
		scale = (double)enabled_ns / (double)read->running_ns;
	tally->value += (double)read->raw * scale;
}

void tally_merge(struct tally *tally, const struct tally *other)
{
	if (!tally->refused)
		tally->refused = other->refused;
	tally->value += other->value;
	tally->raw += other->raw;
	tally->enabled_ns += other->enabled_ns;
	tally->running_ns += other->running_ns;
	tally->never_ran_ns += other->never_ran_ns;
	if (tally->impossible)
		return;
	tally->impossible = other->impossible;
	tally->impossible_ns = other->impossible_ns;
}

static bool is_little(const struct tally *tally)
{
	return is_time_too_short((double)tally->running_ns, (double)tally->enabled_ns);
}

static bool has_mostly_not_run(const struct tally *tally)
{
	return (double)tally->never_ran_ns > MOST_NEVER_RAN * (double)tally->enabled_ns;
}

static void withhold(struct count *item, const struct tally *tally, struct arena *arena)
{
	if (is_little(tally)) {
		count_withhold_short(item, (double)tally->running_ns, (double)tally->enabled_ns, arena);
		return;
	}
	item->state = COUNT_WITHHELD;
	item->reason = arena_printf(arena, "in %.0f %% of the CPU time it was never on a counter",
				    100 * (double)tally->never_ran_ns / (double)tally->enabled_ns);
}

void tally_finish(struct count *item, const struct tally *tally, struct arena *arena)
{
	item->raw = tally->raw;
	item->enabled_ns = tally->enabled_ns;
	item->running_ns = tally->running_ns;
	item->value = NOT_COUNTED;
	item->reason = tally->refused;
	if (tally->refused)
		item->state = COUNT_REFUSED;
	else if (!tally->running_ns)
		item->state = COUNT_NEVER_RAN;
	else if (tally->impossible)
		count_withhold_impossible(item, tally->impossible, tally->impossible_ns, arena);
	else if (is_little(tally) || has_mostly_not_run(tally))
		withhold(item, tally, arena);
	else
		item->state = COUNT_OK;
	if (item->state == COUNT_OK) /* the few sites where it never ran are taken to be like the others */
		item->value =
			tally->value * (double)tally->enabled_ns / (double)(tally->enabled_ns - tally->never_ran_ns);
}

struct count count_since(const struct count *now, const struct count *before)
{
	struct count since = *now;

	since.raw -= before->raw;
	since.enabled_ns -= before->enabled_ns;
	since.running_ns -= before->running_ns;
	return since;
}
