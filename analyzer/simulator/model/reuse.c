/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simulator/model/reuse.h"

#include "simulator/model/host.h"

#define ENOUGH 2000
#define BEYOND 2  /* times the cache's lines: hardly any of these is there */
#define FAR    16 /* other chosen lines: nearer ones are in L2 */

/* That fewer than so many of the others are in the line's set, where that has this many on average (Poisson). */
static float chance_of_fewer(uint32_t ways, double average)
{
	double term = 1, fewer = 0, all = 0;

	for (uint32_t i = 0; i < ways || term > all * 1e-9; i++) {
		all += term;
		fewer += i < ways ? term : 0;
		term *= average / (i + 1);
	}
	return (float)(fewer / all);
}

void reuse_init(struct reuse *reuse, uint32_t sets, uint32_t ways)
{
	*reuse = (struct reuse){ .most = BEYOND * sets * ways / REUSE_SAMPLE + 1 };
	reuse->lines = sim_allocate(reuse->most, sizeof(*reuse->lines));
	reuse->chances = sim_allocate(reuse->most, sizeof(*reuse->chances));
	for (uint32_t i = 0; i < reuse->most; i++)
		reuse->chances[i] = chance_of_fewer(ways, (double)i * REUSE_SAMPLE / sets);
	for (unsigned use = 0; use < USES; use++)
		reuse->again[use] = sim_allocate(reuse->most, sizeof(*reuse->again[use]));
}

/* The line comes first; the number of those that came before it until now, or most: it was not there. */
static uint32_t bring(struct reuse *reuse, uint64_t line)
{
	uint64_t moved = line;

	for (uint32_t i = 0; i < reuse->count; i++) {
		uint64_t here = reuse->lines[i];

		reuse->lines[i] = moved;
		if (here == line)
			return i;
		moved = here;
	}
	if (reuse->count < reuse->most)
		reuse->lines[reuse->count++] = moved;
	return reuse->most;
}

void reuse_use(struct reuse *reuse, uint64_t line)
{
	(void)bring(reuse, line);
}

static uint64_t *count_of(struct reuse *reuse, enum use use, uint32_t before)
{
	return before < reuse->most ? &reuse->again[use][before] : &reuse->late[use];
}

/* Recent loads in the same row, of other lines: bits. */
static uint32_t find_row(const struct reuse *reuse, uint64_t line)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < REUSE_RECENT; i++) {
		const struct recent_use *recent = &reuse->recent[i];

		if (recent->line / REUSE_ROW == line / REUSE_ROW && recent->line != line &&
		    (recent->use == USE_LOAD || recent->use == USE_STREAM))
			found |= 1u << i;
	}
	return found;
}

/* It was a load until its neighbours came. */
static void become_stream(struct reuse *reuse, struct recent_use *recent)
{
	if (recent->use != USE_LOAD)
		return;
	recent->use = USE_STREAM;
	--*count_of(reuse, USE_LOAD, recent->before);
	++*count_of(reuse, USE_STREAM, recent->before);
}

#define LEAST_IN_ROW 2 /* beside the line itself */

void reuse_count(struct reuse *reuse, uint64_t line, enum use use)
{
	uint32_t before = bring(reuse, line), row;

	if (before < REUSE_RECENT) {
		++*count_of(reuse, use, before);
		return;
	}
	row = use == USE_LOAD ? find_row(reuse, line) : 0;
	if (__builtin_popcount(row) >= LEAST_IN_ROW) {
		use = USE_STREAM;
		for (uint32_t i = 0; i < REUSE_RECENT; i++)
			if (row >> i & 1)
				become_stream(reuse, &reuse->recent[i]);
	}
	++*count_of(reuse, use, before);
	reuse->recent[reuse->nrecent++ % REUSE_RECENT] =
		(struct recent_use){ .line = line, .before = before, .use = use };
}

/* Uses of lines that L2 lacks: all of them, and those that the cache has. */
struct far {
	double all, found;
};

static struct far count_far(const struct reuse *reuse, enum use use, uint64_t others)
{
	struct far far = { .all = (double)reuse->late[use] };

	for (uint64_t i = others > FAR ? others : FAR; i < reuse->most; i++) {
		far.all += (double)reuse->again[use][i];
		far.found += (double)reuse->again[use][i] * reuse->chances[i];
	}
	return far;
}

static void age(struct reuse *reuse, enum use use)
{
	if (count_far(reuse, use, FAR).all <= ENOUGH)
		return;
	for (uint32_t i = 0; i < reuse->most; i++)
		reuse->again[use][i] /= 2;
	reuse->late[use] /= 2;
}

void reuse_age(struct reuse *reuse)
{
	for (unsigned use = 0; use < USES; use++)
		age(reuse, use);
}

uint32_t reuse_share(const struct reuse *reuse, enum use use, uint64_t others)
{
	struct far far = count_far(reuse, use, others / REUSE_SAMPLE);

	return (uint32_t)((far.found + 1) / (far.all + 2) * (1u << REUSE_BITS));
}
