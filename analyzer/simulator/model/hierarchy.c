/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simulator/model/hierarchy.h"

#include "simulator/model/supply.h"

static uint32_t hierarchy_lines_of(const struct cache_size *size)
{
	return size->kib * 1024 >> LINE_SHIFT;
}

static unsigned log2_of(uint32_t number)
{
	unsigned bits = 0;

	while (number >>= 1)
		bits++;
	return bits;
}

void hierarchy_init(struct hierarchy *h, const struct parameters *p, struct cache *l3)
{
	h->parameters = p;
	h->l3 = l3;
	stamped_init(&h->l1i, hierarchy_lines_of(&p->l1i), p->l1i.ways);
	stamped_init(&h->l1d, hierarchy_lines_of(&p->l1d), p->l1d.ways);
	cache_init(&h->l2, hierarchy_lines_of(&p->l2), p->l2.ways);
	stamped_init(&h->itlb, p->itlb.entries, p->itlb.ways);
	stamped_init(&h->dtlb, p->dtlb.entries, p->dtlb.ways);
	cache_init(&h->stlb, p->stlb.entries, p->stlb.ways);
	cache_init(&h->code_stlb, p->code_stlb.entries, p->code_stlb.ways);
	h->has_code_stlb = p->code_stlb.entries != 0;
	h->l1d_latency = p->l1d.latency;
	h->page_shift = 10 + log2_of(p->page_kib);
	h->fills.units = p->fill_buffers;
	h->walkers.units = p->page_walkers;
	rate_init(&h->from_l2, RATE_CYCLES * p->l2_bytes >> LINE_SHIFT);
	rate_init(&h->from_l3, RATE_CYCLES * p->l3_bytes >> LINE_SHIFT);
	rate_init(&h->dram, RATE_CYCLES / p->dram_line_cycles);
}

/* ---- data ---- */

static struct supply data_miss(struct hierarchy *h, uint64_t line, uint64_t time)
{
	uint64_t start = pool_start(&h->fills, time);
	struct supply supply = supply_line(h, line, start);

	h->found = supply.level;
	if (h->last_arrival > supply.time)
		supply_wait(h, line, &supply);
	pool_take(&h->fills, start, supply.time);
	supply_note(h, line, &supply);
	prefetch_follow(h, line, time);
	return supply;
}

static struct supply data_line(struct hierarchy *h, uint64_t line, uint64_t time)
{
	struct supply supply = { .time = time + h->l1d_latency, .level = LEVEL_L1 };

	if (!stamped_hits(&h->l1d, line)) {
		bool is_there;

		supply_into_l1(h, line);
		is_there = stamped_search(&h->l1d, line) || h->parameters->ideal[IDEAL_L1];

		if (!is_there)
			supply = data_miss(h, line, time);
		prefetch_near(h, line, time);
		if (!is_there)
			return supply;
	}
	if (h->last_arrival > supply.time)
		supply_wait(h, line, &supply);
	return supply;
}

/* ---- lines that other cores come to ---- */

static uint64_t bytes_of(const struct hierarchy *h, uint64_t address)
{
	uint64_t ones = h->bytes < LINE_BYTES ? (UINT64_C(1) << h->bytes) - 1 : UINT64_MAX;

	return ones << (address & (LINE_BYTES - 1));
}

/* A transfer from another core makes the line later; an atomic operation itself waits for it. */
static void transfer(struct hierarchy *h, const struct touch *touch, struct supply *supply)
{
	uint64_t cycles = 0;
	enum transfer kind = sharing_touch(h->sharing, touch, &cycles);
	uint8_t level = (uint8_t)(LEVEL_DRAM + kind);

	if (kind == TRANSFER_NONE)
		return;
	if (touch->is_atomic) {
		h->transfer = (struct supply_transfer){ .cycles = cycles, .level = level };
	} else if (touch->time + cycles > supply->time) {
		supply->time = touch->time + cycles;
		supply->level = level;
	}
}

static void share(struct hierarchy *h, uint64_t address, struct touch touch, struct supply *supply)
{
	touch.line = address >> LINE_SHIFT;
	touch.core = h->number;
	touch.row = h->row;
	touch.bytes = bytes_of(h, address);
	touch.is_atomic = h->atomic == ATOMIC_BEGINS;
	touch.is_store |= touch.is_atomic;
	if (h->atomic != ATOMIC_HAS_COME)
		transfer(h, &touch, supply);
	if (touch.is_atomic)
		h->atomic = ATOMIC_HAS_COME;
	if (sharing_is_watched(h->sharing, touch.line, h->number))
		stamped_hide(&h->l1d, touch.line);
}

/* The line is asked for when the translation is there. */
static struct supply access_data(struct hierarchy *h, uint64_t address, uint64_t time, bool is_store)
{
	uint64_t translated = paging_data(h, address, time);
	struct supply supply;

	h->use = is_store ? USE_STORE : USE_LOAD;
	supply = data_line(h, address >> LINE_SHIFT, translated);

	if (h->sharing)
		share(h, address, (struct touch){ .time = translated, .is_store = is_store }, &supply);
	supply.translation = (uint32_t)(translated - time);
	supply.is_translated = translated - time > supply.time - translated;
	return supply;
}

struct supply hierarchy_load(struct hierarchy *h, uint64_t address, uint64_t time)
{
	struct supply supply;

	h->found = LEVEL_L1;
	supply = access_data(h, address, time, false);
	h->traffic.found[h->found] += h->found != LEVEL_L1;
	h->traffic.data[supply.level]++;
	return supply;
}

struct supply hierarchy_store(struct hierarchy *h, uint64_t address, uint64_t time)
{
	struct supply supply = { .time = time, .level = LEVEL_L1 };

	if (h->parameters->ideal[IDEAL_STORES]) {
		hierarchy_warm_data(h, address, true);
		return supply;
	}
	supply = access_data(h, address, time, true);
	if (h->moves)
		hierarchy_wrote(h, address);
	h->traffic.stores++;
	h->traffic.store_misses += supply.level != LEVEL_L1;
	return supply;
}

/* A line written past the caches has a buffer until memory has taken it. */
static uint64_t stream_line(struct hierarchy *h, uint64_t line, uint64_t time)
{
	uint64_t start = pool_start(&h->fills, time);

	h->streamed = line;
	supply_streams(h, line);
	supply_forget(h, line);
	pool_take(&h->fills, start, supply_write(h, start));
	return start;
}

struct supply hierarchy_stream(struct hierarchy *h, uint64_t address, uint64_t time)
{
	uint64_t translated = paging_data(h, address, time);
	struct supply supply = { .time = translated, .level = LEVEL_L1 };

	h->traffic.stores++;
	if (h->parameters->ideal[IDEAL_STORES])
		return (struct supply){ .time = time, .level = LEVEL_L1 };
	if (h->streamed != address >> LINE_SHIFT)
		supply.time = stream_line(h, address >> LINE_SHIFT, translated);
	supply.translation = (uint32_t)(translated - time);
	return supply;
}

/* ---- code ---- */

/* A line that L1I does not have, as soon as it has a buffer for it; those are taken in turn. */
static struct supply code_line(struct hierarchy *h, uint64_t line, uint64_t time)
{
	uint64_t *buffer = &h->code_buffers[h->code_misses++ % h->parameters->fetch_buffers];
	struct supply supply = supply_line(h, line, time > *buffer ? time : *buffer);

	*buffer = supply.time;
	return supply;
}

/* As if nothing else went on: so it is the same with times and without. */
static void count_wait(struct hierarchy *h, uint8_t level)
{
	const struct parameters *p = h->parameters;
	const uint64_t cycles[LEVEL_COUNT] = {
		[LEVEL_L2] = p->l2.latency, [LEVEL_L3] = p->l3.latency, [LEVEL_DRAM] = p->dram_latency
	};

	h->traffic.code_cycles += cycles[level];
}

/* The next line comes along. */
static struct supply code_miss(struct hierarchy *h, uint64_t line, uint64_t time)
{
	struct supply supply;

	h->row = 0;
	supply = code_line(h, line, time);
	count_wait(h, supply.level);
	if (!stamped_access(&h->l1i, line + 1)) {
		struct supply next = code_line(h, line + 1, time);

		supply_note(h, line + 1, &next);
	}
	return supply;
}

/* L2 sends lines one after the other. */
static uint64_t code_turn(struct hierarchy *h, uint64_t time)
{
	uint64_t there = time > h->code_free ? time : h->code_free;

	h->code_free = there + h->parameters->fetch_line_cycles;
	return there;
}

struct supply hierarchy_fetch(struct hierarchy *h, uint64_t line, uint64_t time)
{
	uint64_t page = line >> (h->page_shift - LINE_SHIFT), translated = time;
	struct supply supply;

	h->use = USE_CODE;

	if (page != h->code_page) {
		h->code_page = page;
		translated = paging_code(h, page, time);
	}
	supply = (struct supply){ .time = translated, .level = LEVEL_L1 };
	if (!stamped_access(&h->l1i, line) && !h->parameters->ideal[IDEAL_CODE])
		supply = code_miss(h, line, translated);
	if (h->last_arrival > supply.time)
		supply_wait(h, line, &supply);
	if (supply.level != LEVEL_L1)
		supply.time = code_turn(h, supply.time);
	h->traffic.code[supply.level]++;
	supply.translation = (uint32_t)(translated - time);
	return supply;
}

/* ---- without times ---- */

void hierarchy_warm_data(struct hierarchy *h, uint64_t address, bool is_store)
{
	uint64_t line = address >> LINE_SHIFT;
	enum level level = LEVEL_L1;

	h->use = is_store ? USE_STORE : USE_LOAD;
	paging_data(h, address, NO_TIME);
	if (!stamped_hits(&h->l1d, line)) {
		h->row = 0;
		supply_into_l1(h, line);
		if (!stamped_search(&h->l1d, line) && !h->parameters->ideal[IDEAL_L1]) {
			level = (enum level)supply_line(h, line, NO_TIME).level;
			prefetch_follow(h, line, NO_TIME);
		}
		prefetch_near(h, line, NO_TIME);
	}
	if (is_store) {
		if (h->moves)
			hierarchy_wrote(h, address);
		h->traffic.stores++;
		h->traffic.store_misses += level != LEVEL_L1;
		return;
	}
	h->traffic.data[level]++;
	h->traffic.found[level] += level != LEVEL_L1;
}

void hierarchy_warm_code(struct hierarchy *h, uint64_t line)
{
	uint64_t page = line >> (h->page_shift - LINE_SHIFT);
	enum level level = LEVEL_L1;

	h->use = USE_CODE;

	if (page != h->code_page) {
		h->code_page = page;
		paging_code(h, page, NO_TIME);
	}
	if (!stamped_access(&h->l1i, line) && !h->parameters->ideal[IDEAL_CODE]) {
		h->row = 0;
		level = (enum level)supply_line(h, line, NO_TIME).level;
		count_wait(h, (uint8_t)level);
		/* The next line comes along. */
		if (!stamped_access(&h->l1i, line + 1))
			supply_line(h, line + 1, NO_TIME);
	}
	h->traffic.code[level]++;
}
