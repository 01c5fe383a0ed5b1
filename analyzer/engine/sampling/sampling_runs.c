/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/sampling/sampling.h"

/* Sets of events are bits of a number: bit i is the problem's i-th event that can be counted at all. */
struct packing {
	const struct plan_limits *limits;
	const struct event_set *set;
	const size_t *events;
	size_t *numbers; /* of those that can be counted, in events */
	size_t count;
	unsigned char *fewest; /* [2^count] runs that the set needs */
	size_t *first; /* [2^count] the run of such a division that has the set's lowest event; 0: it fits none */
};

static bool sampling_runs_fits(const struct packing *packing, size_t members)
{
	size_t events[MOST_EXACT_RUNS], count = 0;

	for (size_t i = 0; i < packing->count; i++)
		if (members >> i & 1)
			events[count++] = packing->events[packing->numbers[i]];
	return plan_fits(packing->limits, packing->set, events, count, NULL);
}

/* The best of all divisions of the set into a run with its lowest event and the best division of the rest. */
static void sampling_runs_divide(struct packing *packing, const bool *is_run, size_t members)
{
	size_t lowest = members & -members, rest = members ^ lowest, part = rest;

	packing->fewest[members] = UINT8_MAX;
	for (;; part = (part - 1) & rest) {
		size_t run = part | lowest;

		if (is_run[run] && packing->fewest[members ^ run] + 1 < packing->fewest[members]) {
			packing->fewest[members] = (unsigned char)(packing->fewest[members ^ run] + 1);
			packing->first[members] = run;
		}
		if (!part)
			return;
	}
}

static size_t pack_exactly(size_t *runs, struct packing *packing, struct arena *arena)
{
	size_t all = ((size_t)1 << packing->count) - 1, nruns = 0;
	bool *is_run = arena_array(arena, all + 1, sizeof(*is_run));

	packing->fewest = arena_array(arena, all + 1, sizeof(*packing->fewest));
	packing->first = arena_array(arena, all + 1, sizeof(*packing->first));
	for (size_t members = 1; members <= all; members++) {
		is_run[members] = sampling_runs_fits(packing, members);
		sampling_runs_divide(packing, is_run, members);
	}
	for (size_t left = all; left; left ^= packing->first[left], nruns++)
		for (size_t i = 0; i < packing->count; i++)
			if (packing->first[left] >> i & 1)
				runs[packing->numbers[i]] = nruns;
	return nruns;
}

/* Each event into the first run that has room for it. */
static size_t pack_in_order(size_t *runs, const struct packing *packing, struct arena *arena)
{
	size_t *members = arena_array(arena, packing->count + 1, sizeof(*members)), nruns = 0;

	for (size_t i = 0; i < packing->count; i++) {
		for (size_t run = 0; runs[packing->numbers[i]] == NO_RUN; run++) {
			size_t count = 0;

			for (size_t k = 0; k < i; k++)
				if (runs[packing->numbers[k]] == run)
					members[count++] = packing->events[packing->numbers[k]];
			members[count++] = packing->events[packing->numbers[i]];
			if (!plan_fits(packing->limits, packing->set, members, count, NULL))
				continue;
			runs[packing->numbers[i]] = run;
			nruns = run == nruns ? nruns + 1 : nruns;
		}
	}
	return nruns;
}

size_t sampling_runs(size_t *runs, const struct plan_limits *limits, const struct event_set *set, const size_t *events,
		     size_t count)
{
	struct packing packing = { .limits = limits, .set = set, .events = events };
	struct arena arena;
	size_t nruns;

	arena_init(&arena);
	packing.numbers = arena_array(&arena, count + 1, sizeof(*packing.numbers));
	for (size_t i = 0; i < count; i++) {
		runs[i] = NO_RUN;
		if (plan_fits(limits, set, &events[i], 1, NULL))
			packing.numbers[packing.count++] = i;
	}
	if (packing.count <= MOST_EXACT_RUNS)
		nruns = pack_exactly(runs, &packing, &arena);
	else
		nruns = pack_in_order(runs, &packing, &arena);
	arena_release(&arena);
	return nruns;
}
