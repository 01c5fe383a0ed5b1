/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simulator/model/supply.h"

/* ---- resources ---- */

#define POOL_CYCLES 64 /* of a pool's window */

/* NULL when the ring has no room for a window, because it has a later one. */
static struct window *window_of(struct window *ring, uint64_t number)
{
	struct window *window = &ring[number % WINDOWS];

	if (window->number < number)
		*window = (struct window){ .number = number };
	return window->number == number ? window : NULL;
}

static const struct window *free_window(struct pool *pool, uint64_t number)
{
	const struct window *window = window_of(pool->windows, number);

	return window && window->used < pool->units * POOL_CYCLES ? window : NULL;
}

uint64_t pool_start(struct pool *pool, uint64_t time)
{
	for (uint64_t number = time / POOL_CYCLES;; number++) {
		const struct window *window = free_window(pool, number);
		uint64_t free = number * POOL_CYCLES;

		/* What is taken lasts into the next window too. */
		if (!window || !free_window(pool, number + 1))
			continue;
		free += number > time / POOL_CYCLES ? window->used / pool->units : 0;
		return free > time ? free : time;
	}
}

void pool_take(struct pool *pool, uint64_t start, uint64_t end)
{
	while (start < end) {
		uint64_t number = start / POOL_CYCLES, next = (number + 1) * POOL_CYCLES;
		struct window *window = window_of(pool->windows, number);

		next = next < end ? next : end;
		if (window)
			window->used += (uint32_t)(next - start);
		start = next;
	}
}

void rate_init(struct rate *rate, uint32_t lines)
{
	rate->most = lines ? lines : 1;
}

/* Takes one, at a time or as soon after as there is one: when. */
static uint64_t rate_take(struct rate *rate, uint64_t time)
{
	for (uint64_t number = time / RATE_CYCLES;; number++) {
		struct window *window = window_of(rate->windows, number);

		if (!window || window->used >= rate->most)
			continue;
		window->used++;
		return number * RATE_CYCLES > time ? number * RATE_CYCLES : time;
	}
}

/* The same for a line that takes some cycles more; NO_TIME takes nothing. */
static uint64_t send(struct rate *rate, uint64_t time, uint32_t latency)
{
	return time == NO_TIME ? NO_TIME : rate_take(rate, time) + latency;
}

/* Of 100 lines in a row that stores ask for so many, evenly. */
static bool goes_beside(struct hierarchy *h)
{
	h->beside += h->parameters->store_lines_beside;
	if (h->beside < 100)
		return false;
	h->beside -= 100;
	return true;
}

/*
 * A line that a store asks for goes back to L3 or memory some time, and takes a turn more there: now, as well as then,
 * unless it goes back beside others. L2 takes lines from L1 beside those that it sends.
 */
static uint64_t send_for(struct hierarchy *h, struct rate *rate, uint64_t time, uint32_t latency)
{
	if (h->use == USE_STORE && time != NO_TIME && !goes_beside(h))
		(void)rate_take(rate, time);
	return send(rate, time, latency);
}

/* ---- lines ---- */

/*
 * L2 and L3 know places in memory, not addresses, and a kernel gives what happens to be free. Here pages lie in
 * pieces of 32, in each of which their order differs: what is contiguous fills the sets evenly, and what is far apart
 * does not meet in the same sets.
 */
static uint64_t memory_line(const struct hierarchy *h, uint64_t line)
{
	unsigned bits = h->page_shift - LINE_SHIFT;
	uint64_t page = line >> bits, piece = (page >> 5) * 0x9e3779b97f4a7c15u;

	piece += h->parameters->layout * 0xd1b54a32d192ed03u;
	piece = ((piece ^ piece >> 32) * 0xd6e8feb86659fd93u >> 32) ^ (page & 31);
	return piece << bits | (line & ((UINT64_C(1) << bits) - 1));
}

void supply_note(struct hierarchy *h, uint64_t line, const struct supply *supply)
{
	h->pending[hierarchy_place(line)] =
		(struct pending){ .line = line, .arrival = supply->time, .level = supply->level };
	if (supply->time > h->last_arrival)
		h->last_arrival = supply->time;
}

void supply_wait(struct hierarchy *h, uint64_t line, struct supply *supply)
{
	const struct pending *pending = &h->pending[hierarchy_place(line)];

	if (pending->line == line && pending->arrival > supply->time) {
		supply->time = pending->arrival;
		supply->level = pending->level;
	}
}

/* ---- lines between the levels, where they are followed ---- */

static void count_move(struct hierarchy *h, enum move move)
{
	struct move_rows *rows = h->moves->rows;

	h->traffic.moved[move]++;
	if (rows && h->row && h->row < rows->capacity)
		rows->rows[h->row][move]++;
}

/* A line in memory's numbers that was written goes out of L1 or L2, into the next cache that has it. */
static void move_out(struct hierarchy *h, uint64_t line, enum level from)
{
	if (from == LEVEL_L1) {
		count_move(h, MOVE_L1_OUT);
		if (cache_has(&h->l2, line)) {
			moves_write(h->moves, line, LEVEL_L2);
			return;
		}
	}
	count_move(h, MOVE_L2_OUT);
	if (cache_has(h->l3, line))
		moves_write(h->moves, line, LEVEL_L3);
	else
		count_move(h, MOVE_L3_OUT);
}

/* L2 or L3 is asked for a line: what has to go for it. */
static SELDOM void make_room(struct hierarchy *h, uint64_t line, enum level level)
{
	uint32_t victim = cache_victim(level == LEVEL_L2 ? &h->l2 : h->l3, line);
	uint64_t written;

	if (!victim || !moves_leave(h->moves, victim, level, &written))
		return;
	if (level == LEVEL_L3)
		count_move(h, MOVE_L3_OUT);
	else
		move_out(h, written, level);
}

/* A line that L2 does not have comes into it, from L3 or from memory. */
static SELDOM void follow_into_l2(struct hierarchy *h, uint64_t line)
{
	make_room(h, memory_line(h, line), LEVEL_L3);
	count_move(h, MOVE_L2_IN);
	if (!cache_has(h->l3, memory_line(h, line)))
		count_move(h, MOVE_L3_IN);
}

SELDOM void supply_follow_into_l1(struct hierarchy *h, uint64_t line)
{
	uint64_t victim = stamped_victim(&h->l1d, line), written;

	if (stamped_has(&h->l1d, line))
		return;
	count_move(h, MOVE_L1_IN);
	if (victim != STAMPED_EMPTY && moves_leave(h->moves, cache_tag(memory_line(h, victim)), LEVEL_L1, &written))
		move_out(h, written, LEVEL_L1);
}

void supply_streams(struct hierarchy *h, uint64_t line)
{
	uint64_t place = memory_line(h, line), written;

	if (!h->moves)
		return;
	count_move(h, MOVE_STREAMED);
	for (enum level level = LEVEL_L1; level <= LEVEL_L3; level++)
		(void)moves_leave(h->moves, cache_tag(place), level, &written);
}

void hierarchy_wrote(struct hierarchy *h, uint64_t address)
{
	moves_write(h->moves, memory_line(h, address >> LINE_SHIFT), LEVEL_L1);
}

/* A line that L2 does not have; as supply_line. */
static struct supply supply_beyond_l2(struct hierarchy *h, uint64_t line, uint64_t time)
{
	const struct parameters *p = h->parameters;

	if (UNLIKELY(h->unknown != NULL))
		unknown_lines_ask(h->unknown, h->l3, memory_line(h, line), line << LINE_SHIFT, h->use);
	if (UNLIKELY(h->moves != NULL))
		follow_into_l2(h, line);
	if (cache_access(h->l3, memory_line(h, line)) || p->ideal[IDEAL_L3])
		return (struct supply){ .time = send_for(h, &h->from_l3, time, p->l3.latency), .level = LEVEL_L3 };
	return (struct supply){ .time = send_for(h, &h->dram, time, p->dram_latency), .level = LEVEL_DRAM };
}

struct supply supply_line(struct hierarchy *h, uint64_t line, uint64_t time)
{
	if (UNLIKELY(h->moves != NULL))
		make_room(h, memory_line(h, line), LEVEL_L2);
	if (cache_access(&h->l2, memory_line(h, line)) || h->parameters->ideal[IDEAL_L2])
		return (struct supply){ .time = send(&h->from_l2, time, h->parameters->l2.latency), .level = LEVEL_L2 };
	return supply_beyond_l2(h, line, time);
}

void supply_forget(struct hierarchy *h, uint64_t line)
{
	stamped_drop(&h->l1d, line);
	cache_drop(&h->l2, memory_line(h, line));
	cache_drop(h->l3, memory_line(h, line));
}

uint64_t supply_write(struct hierarchy *h, uint64_t time)
{
	return send(&h->dram, time, h->parameters->l3.latency);
}

bool supply_has(const struct hierarchy *h, uint64_t line)
{
	return h->parameters->ideal[IDEAL_L2] || cache_has(&h->l2, memory_line(h, line));
}
