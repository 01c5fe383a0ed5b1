/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/hierarchy.h"

#define STREAM_LINES_SHIFT 6 /* a stream is followed within 4 KiB, as the lines of a page lie together in memory */
#define CONFIDENT	   2
#define NO_TIME		   UINT64_MAX /* nothing is timed: lines are there at once */

static uint32_t lines_of(const struct cache_size *size)
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
	cache_init(&h->l1i, lines_of(&p->l1i), p->l1i.ways);
	cache_init(&h->l1d, lines_of(&p->l1d), p->l1d.ways);
	cache_init(&h->l2, lines_of(&p->l2), p->l2.ways);
	cache_init(&h->itlb, p->itlb.entries, p->itlb.ways);
	cache_init(&h->dtlb, p->dtlb.entries, p->dtlb.ways);
	cache_init(&h->stlb, p->stlb.entries, p->stlb.ways);
	h->page_shift = 10 + log2_of(p->page_kib);
	h->dram_lines = DRAM_CYCLES / p->dram_line_cycles;
	h->dram_lines = h->dram_lines ? h->dram_lines : 1;
}

/*
 * Loads come in program order, but their times do not rise with it. So what can be used up has an account for each window of
 * time; NULL when the ring has no room for a window, because it has a later one.
 */
static struct window *window_of(struct window *ring, uint64_t number)
{
	struct window *window = &ring[number % WINDOWS];

	if (window->number < number)
		*window = (struct window){ .number = number };
	return window->number == number ? window : NULL;
}

/* Memory delivers so many lines in a window. */
static uint64_t dram_start(struct hierarchy *h, uint64_t time)
{
	for (uint64_t number = time / DRAM_CYCLES;; number++) {
		struct window *window = window_of(h->dram, number);

		if (!window || window->used >= h->dram_lines)
			continue;
		window->used++;
		return number * DRAM_CYCLES > time ? number * DRAM_CYCLES : time;
	}
}

static struct pending *pending_of(struct hierarchy *h, uint64_t line)
{
	return &h->pending[(line ^ line >> PENDING_BITS) & ((1 << PENDING_BITS) - 1)];
}

static void set_pending(struct hierarchy *h, uint64_t line, const struct supply *supply)
{
	*pending_of(h, line) = (struct pending){ .line = line, .arrival = supply->time, .level = supply->level };
	if (supply->time > h->last_arrival)
		h->last_arrival = supply->time;
}

/* From L2 or beyond, which it goes into. */
static struct supply beyond_l1(struct hierarchy *h, uint64_t line, uint64_t time)
{
	const struct parameters *p = h->parameters;

	if (cache_access(&h->l2, line))
		return (struct supply){ .time = time + p->l2.latency, .level = LEVEL_L2 };
	if (cache_access(h->l3, line))
		return (struct supply){ .time = time + p->l3.latency, .level = LEVEL_L3 };
	return (struct supply){ .time = dram_start(h, time) + p->dram_latency, .level = LEVEL_DRAM };
}

static void prefetch(struct hierarchy *h, uint64_t line, uint64_t time)
{
	struct supply supply = { .time = time + h->parameters->l3.latency, .level = LEVEL_L3 };

	if (cache_has(&h->l2, line))
		return;
	h->traffic.prefetches++;
	cache_access(&h->l2, line);
	if (!cache_access(h->l3, line) && time != NO_TIME)
		supply = (struct supply){ .time = dram_start(h, time) + h->parameters->dram_latency,
					  .level = LEVEL_DRAM };
	if (time != NO_TIME)
		set_pending(h, line, &supply);
}

static struct stream *stream_of(struct hierarchy *h, uint64_t page)
{
	return &h->streams[(page ^ page >> 5) % STREAMS];
}

/* A stream that reaches the end of its page goes on in the next one. */
static void start_stream(struct hierarchy *h, struct stream *stream, uint64_t line)
{
	uint64_t page = line >> STREAM_LINES_SHIFT;
	const struct stream *before = stream_of(h, page - 1);
	struct stream fresh = { .page = page, .last = line, .fetched = line };

	if (before != stream && before->page == page - 1 && before->direction > 0 && before->confidence >= CONFIDENT) {
		fresh.direction = 1;
		fresh.confidence = before->confidence;
		fresh.fetched = before->fetched > line ? before->fetched : line;
	}
	*stream = fresh;
}

static void run_ahead(struct hierarchy *h, struct stream *stream, uint64_t time)
{
	uint64_t ahead = h->parameters->prefetch_lines;
	uint64_t goal = stream->direction > 0 ? stream->last + ahead : stream->last - ahead;

	/* Two lines for each one that is asked for, so that the distance grows while the stream lasts. */
	for (unsigned i = 0; i < 2 && stream->fetched != goal; i++) {
		if (stream->direction > 0 ? stream->fetched > goal : stream->fetched < goal)
			return;
		stream->fetched += stream->direction > 0 ? 1 : UINT64_MAX;
		prefetch(h, stream->fetched, time);
	}
}

/* Told of each line that L1 does not have. */
static void follow(struct hierarchy *h, uint64_t line, uint64_t time)
{
	uint64_t page = line >> STREAM_LINES_SHIFT;
	struct stream *stream = stream_of(h, page);
	int32_t direction;

	if (!h->parameters->prefetch_lines)
		return;
	if (stream->page != page)
		start_stream(h, stream, line);
	if (stream->last == line && stream->confidence < CONFIDENT)
		return;
	direction = line > stream->last ? 1 : -1;
	if (line != stream->last && direction != stream->direction) {
		stream->direction = direction;
		stream->confidence = 0;
		stream->fetched = line;
	}
	stream->last = line;
	stream->confidence += stream->confidence < 100;
	if (stream->direction > 0 ? stream->fetched < line : stream->fetched > line)
		stream->fetched = line;
	if (stream->confidence >= CONFIDENT)
		run_ahead(h, stream, time);
}

/* The cycles that a translation costs beyond the first-level TLB. */
static uint32_t translate(struct hierarchy *h, struct cache *tlb, uint64_t page, uint64_t *walks)
{
	if (cache_access(tlb, page))
		return 0;
	if (cache_access(&h->stlb, page))
		return h->parameters->stlb_latency;
	++*walks;
	return h->parameters->stlb_latency + h->parameters->walk_latency;
}

/* A page that the first-level TLB used last, of all or of its set: nothing changes. */
static inline bool is_translated(struct hierarchy *h, uint64_t page)
{
	if (page == h->data_page)
		return true;
	if (!cache_is_latest(&h->dtlb, page))
		return false;
	h->data_page = page;
	return true;
}

static uint32_t translate_data(struct hierarchy *h, uint64_t address)
{
	uint64_t page = address >> h->page_shift;
	uint32_t cycles;

	if (is_translated(h, page))
		return 0;
	h->data_page = page;
	cycles = translate(h, &h->dtlb, page, &h->traffic.dtlb_walks);
	h->traffic.dtlb_misses += cycles != 0;
	return cycles;
}

static const struct window *free_fill(struct hierarchy *h, uint64_t number)
{
	const struct window *window = window_of(h->fills, number);

	return window && window->used < h->parameters->fill_buffers * FILL_CYCLES ? window : NULL;
}

/* When the first fill buffer is free for a miss, which will last into the next window too. */
static uint64_t fill_start(struct hierarchy *h, uint64_t time)
{
	uint32_t buffers = h->parameters->fill_buffers;

	for (uint64_t number = time / FILL_CYCLES;; number++) {
		const struct window *window = free_fill(h, number);
		uint64_t free = number * FILL_CYCLES;

		if (!window || !free_fill(h, number + 1))
			continue;
		free += number > time / FILL_CYCLES ? window->used / buffers : 0;
		return free > time ? free : time;
	}
}

/* It is taken from start to end. */
static void take_fill(struct hierarchy *h, uint64_t start, uint64_t end)
{
	while (start < end) {
		uint64_t number = start / FILL_CYCLES, next = (number + 1) * FILL_CYCLES;
		struct window *window = window_of(h->fills, number);

		next = next < end ? next : end;
		if (window)
			window->used += (uint32_t)(next - start);
		start = next;
	}
}

/* A line that an earlier miss or prefetch has on its way comes no sooner than that. */
static void wait_for_pending(struct hierarchy *h, uint64_t line, struct supply *supply)
{
	const struct pending *pending = pending_of(h, line);

	if (pending->line == line && pending->arrival > supply->time) {
		supply->time = pending->arrival;
		supply->level = pending->level;
	}
}

static struct supply data_miss(struct hierarchy *h, uint64_t line, uint64_t time)
{
	uint64_t start = fill_start(h, time);
	struct supply supply = beyond_l1(h, line, start);

	if (h->last_arrival > supply.time)
		wait_for_pending(h, line, &supply);
	take_fill(h, start, supply.time);
	set_pending(h, line, &supply);
	follow(h, line, time);
	return supply;
}

static struct supply data_line(struct hierarchy *h, uint64_t line, uint64_t time)
{
	struct supply supply = { .time = time + h->parameters->l1d.latency, .level = LEVEL_L1 };

	if (!cache_access(&h->l1d, line))
		return data_miss(h, line, time);
	if (h->last_arrival > supply.time)
		wait_for_pending(h, line, &supply);
	return supply;
}

static struct supply load_translated(struct hierarchy *h, uint64_t address, uint64_t time)
{
	uint32_t translation = translate_data(h, address);
	struct supply supply = data_line(h, address >> LINE_SHIFT, time + translation);

	h->traffic.data[supply.level]++;
	supply.is_translated = translation > supply.time - time - translation;
	return supply;
}

static struct supply load_missed(struct hierarchy *h, uint64_t line, uint64_t time)
{
	struct supply supply = data_miss(h, line, time);

	h->traffic.data[supply.level]++;
	return supply;
}

static struct supply load_pending(struct hierarchy *h, uint64_t line, uint64_t time)
{
	struct supply supply = { .time = time, .level = LEVEL_L1 };

	wait_for_pending(h, line, &supply);
	h->traffic.data[supply.level]++;
	return supply;
}

/* What is usual comes first; the rest is called last, so that the usual case needs no frame. */
struct supply hierarchy_load(struct hierarchy *h, uint64_t address, uint64_t time)
{
	uint64_t there = time + h->parameters->l1d.latency;

	h->traffic.loads++;
	if (!is_translated(h, address >> h->page_shift))
		return load_translated(h, address, time);
	if (!cache_access(&h->l1d, address >> LINE_SHIFT))
		return load_missed(h, address >> LINE_SHIFT, time);
	if (h->last_arrival > there)
		return load_pending(h, address >> LINE_SHIFT, there);
	h->traffic.data[LEVEL_L1]++;
	return (struct supply){ .time = there, .level = LEVEL_L1 };
}

static struct supply store_slowly(struct hierarchy *h, uint64_t address, uint64_t time)
{
	uint32_t translation = translate_data(h, address);
	struct supply supply = data_line(h, address >> LINE_SHIFT, time + translation);

	h->traffic.store_misses += supply.level != LEVEL_L1;
	return supply;
}

struct supply hierarchy_store(struct hierarchy *h, uint64_t address, uint64_t time)
{
	uint64_t there = time + h->parameters->l1d.latency;

	h->traffic.stores++;
	if (there < h->last_arrival || !is_translated(h, address >> h->page_shift) ||
	    !cache_is_latest(&h->l1d, address >> LINE_SHIFT))
		return store_slowly(h, address, time);
	return (struct supply){ .time = there, .level = LEVEL_L1 };
}

struct supply hierarchy_fetch(struct hierarchy *h, uint64_t line, uint64_t time)
{
	uint64_t page = line >> (h->page_shift - LINE_SHIFT);
	struct supply supply = { .time = time, .level = LEVEL_L1 };
	uint32_t translation = 0;

	if (page != h->code_page) {
		h->code_page = page;
		translation = translate(h, &h->itlb, page, &h->traffic.itlb_walks);
		h->traffic.itlb_misses += translation != 0;
		supply.time += translation;
	}
	if (!cache_access(&h->l1i, line)) {
		supply = beyond_l1(h, line, time + translation);
		/* The next line comes along. */
		if (!cache_access(&h->l1i, line + 1)) {
			struct supply next = beyond_l1(h, line + 1, time + translation);

			set_pending(h, line + 1, &next);
		}
	}
	if (h->last_arrival > supply.time)
		wait_for_pending(h, line, &supply);
	h->traffic.code[supply.level]++;
	supply.is_translated = translation && translation >= supply.time - time - translation;
	return supply;
}

static enum level warm_beyond_l1(struct hierarchy *h, uint64_t line)
{
	if (cache_access(&h->l2, line))
		return LEVEL_L2;
	return cache_access(h->l3, line) ? LEVEL_L3 : LEVEL_DRAM;
}

static enum level warm_line(struct hierarchy *h, uint64_t address)
{
	uint64_t line = address >> LINE_SHIFT;
	enum level level;

	translate_data(h, address);
	if (cache_access(&h->l1d, line))
		return LEVEL_L1;
	level = warm_beyond_l1(h, line);
	follow(h, line, NO_TIME);
	return level;
}

void hierarchy_warm_data(struct hierarchy *h, uint64_t address, bool is_store)
{
	enum level level = LEVEL_L1;

	/* Most are where the access before was. */
	if (address >> LINE_SHIFT != h->warm_line) {
		level = warm_line(h, address);
		h->warm_line = address >> LINE_SHIFT;
	}
	if (is_store) {
		h->traffic.stores++;
		h->traffic.store_misses += level != LEVEL_L1;
		return;
	}
	h->traffic.loads++;
	h->traffic.data[level]++;
}

void hierarchy_warm_code(struct hierarchy *h, uint64_t line)
{
	uint64_t page = line >> (h->page_shift - LINE_SHIFT);
	enum level level = LEVEL_L1;

	if (page != h->code_page) {
		h->code_page = page;
		h->traffic.itlb_misses += translate(h, &h->itlb, page, &h->traffic.itlb_walks) != 0;
	}
	if (!cache_access(&h->l1i, line)) {
		level = warm_beyond_l1(h, line);
		/* The next line comes along. */
		if (!cache_access(&h->l1i, line + 1))
			warm_beyond_l1(h, line + 1);
	}
	h->traffic.code[level]++;
}
