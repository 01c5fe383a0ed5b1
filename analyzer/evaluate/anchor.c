/* SPDX-License-Identifier: GPL-2.0-or-later */
/* anchor.c - how far a simulation can be from the machine: its cycles against the user time of a native run. */
#include <math.h>

#include "evaluate/internal.h"

static const char *find_reason(const struct anchor *anchor, double modelled, struct arena *arena)
{
	if (anchor->reason)
		return anchor->reason;
	if (isnan(anchor->user_s))
		return "the native run's user time is not known";
	if (anchor->user_s < ANCHOR_LEAST_S)
		return arena_printf(arena,
				    "natively it took %.0f ms of user time, and below %.0f ms that is no measure",
				    anchor->user_s * 1e3, ANCHOR_LEAST_S * 1e3);
	if (!(anchor->hz > 0))
		return "the clock rate of this CPU is not known";
	return modelled > 0 ? NULL : "no cycles were modelled";
}

struct anchoring anchor_judge(const struct anchor *anchor, double modelled, struct arena *arena)
{
	struct anchoring judged = { .user_s = anchor->user_s,
				    .hz = anchor->hz,
				    .modelled = modelled,
				    .measured = anchor->user_s * anchor->hz,
				    .ratio = NAN,
				    .reason = find_reason(anchor, modelled, arena) };

	if (judged.reason)
		return judged;
	judged.ratio = modelled / judged.measured;
	judged.is_far = fabs(judged.ratio - 1) > ANCHOR_LIMIT;
	return judged;
}

void anchor_fill(struct evaluation *e)
{
	struct anchoring *anchor = arena_alloc(e->arena, sizeof(*anchor));
	double cycles;

	if (!e->counts->anchor)
		return;
	cycles = e->counts->anchor->cycles > 0 ? e->counts->anchor->cycles : e->report->summary.cycles;
	*anchor = anchor_judge(e->counts->anchor, cycles, e->arena);
	anchor->is_of_more = e->counts->anchor->cycles > 0;
	e->report->anchor = anchor;
}
