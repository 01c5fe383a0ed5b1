/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simulator/model/supply.h"

/* ---- into L2: streams of lines ---- */

#define STREAM_LINES_SHIFT 6 /* a stream is followed within 4 KiB, as the lines of a page lie together in memory */
#define STREAM_LINES	   (1 << STREAM_LINES_SHIFT)
#define CONFIDENT	   2
#define MOST_STEP	   4 /* lines: what goes on by more leaves lines out, and is none */
#define BESIDE		   1 /* a line's other half of 128 bytes */

/* The line is that of an access to one nearby. */
static struct supply supply_ahead(struct hierarchy *h, uint64_t line, uint64_t time)
{
	enum use use = h->use;
	struct supply supply;

	h->use = use == USE_LOAD ? USE_STREAM : use;
	supply = supply_line(h, line, time);
	h->use = use;
	return supply;
}

static void prefetch(struct hierarchy *h, uint64_t line, uint64_t time)
{
	struct supply supply;

	if (supply_has(h, line))
		return;
	h->traffic.prefetches++;
	supply = supply_ahead(h, line, paging_wait(h, line >> (h->page_shift - LINE_SHIFT), time));
	if (time != NO_TIME)
		supply_note(h, line, &supply);
}

/* Arrays that are a power of two apart have entries of their own; pages side by side do so in any case. */
static inline uint64_t prefetch_place_of(uint64_t page, uint64_t places)
{
	return ((page * 0x9e3779b97f4a7c15u >> 32) * places) >> 32;
}

static struct stream *stream_of(struct hierarchy *h, uint64_t page)
{
	return &h->streams[prefetch_place_of(page, STREAMS)];
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

/*
 * A stream goes on in the next page, whose translation is asked for in the middle of the one before, as
 * Intel's next-page prefetcher does.
 */
static void translate_ahead(struct hierarchy *h, const struct stream *stream, uint64_t time)
{
	uint64_t step = stream->direction > 0 ? STREAM_LINES / 2 : -(uint64_t)STREAM_LINES / 2;

	if (stream->fetched % STREAM_LINES == STREAM_LINES / 2)
		paging_ahead(h, stream->fetched + step, time);
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
		translate_ahead(h, stream, time);
		prefetch(h, stream->fetched, time);
	}
}

void prefetch_follow(struct hierarchy *h, uint64_t line, uint64_t time)
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
	if ((line - stream->last) * (uint64_t)direction > MOST_STEP) {
		stream->confidence = -1;
		stream->fetched = line;
		prefetch(h, line ^ BESIDE, time);
	} else if (line != stream->last && direction != stream->direction) {
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

/* ---- into L1: strides ---- */

#define MOST_STRIDE 32 /* lines: half of a page, as all vendors' reach */

/* A line that L1 will be asked for. It is there as one that was never used, so that its first use is seen. */
static void bring_near(struct hierarchy *h, uint64_t line, uint64_t time)
{
	uint64_t start = time;
	struct supply supply;

	if (stamped_has(&h->l1d, line))
		return;
	h->traffic.prefetches++;
	if (time != NO_TIME)
		start = pool_start(&h->fills, paging_wait(h, line >> (h->page_shift - LINE_SHIFT), time));
	supply_into_l1(h, line);
	supply = supply_ahead(h, line, start);
	stamped_bring(&h->l1d, line);
	prefetch_follow(h, line, time);
	if (time == NO_TIME)
		return;
	if (h->last_arrival > supply.time)
		supply_wait(h, line, &supply);
	pool_take(&h->fills, start, supply.time);
	supply_note(h, line, &supply);
}

/* Does it go on in another page? Then that is translated ahead. */
static bool reaches(struct hierarchy *h, uint64_t line, uint64_t time)
{
	if (h->parameters->near_pages)
		paging_ahead(h, line, time);
	if (h->parameters->near_pages > 1)
		(void)stamped_access(&h->dtlb, line >> (h->page_shift - LINE_SHIFT));
	return h->parameters->near_pages != 0;
}

/* The stride goes on as far as the core follows it ahead. */
static void bring_strides(struct hierarchy *h, const struct stride *stride, uint64_t time)
{
	uint64_t line = stride->last;

	for (uint32_t i = 0; i < h->parameters->near_strides; i++) {
		line += (uint64_t)(int64_t)stride->lines;
		if (line >> STREAM_LINES_SHIFT != stride->page && !reaches(h, line, time))
			return;
		bring_near(h, line, time);
	}
}

static struct stride *stride_of(struct hierarchy *h, uint64_t page)
{
	return &h->strides[prefetch_place_of(page, STRIDES)];
}

/* The first line of a page: a stride that came to the end of the page beside it goes on. */
static void start_stride(struct hierarchy *h, struct stride *stride, uint64_t line)
{
	uint64_t page = line >> STREAM_LINES_SHIFT;
	struct stride fresh = { .page = page, .last = line };

	for (uint64_t beside = page - 1; beside != page + 3; beside += 2) {
		const struct stride *other = stride_of(h, beside);

		if (other->page == beside && other->is_steady &&
		    other->last + (uint64_t)(int64_t)other->lines == line) {
			fresh.lines = other->lines;
			fresh.is_steady = true;
		}
	}
	*stride = fresh;
}

void prefetch_near(struct hierarchy *h, uint64_t line, uint64_t time)
{
	uint64_t page = line >> STREAM_LINES_SHIFT;
	struct stride *stride = stride_of(h, page);
	int32_t step = (int32_t)(line - stride->last);

	if (!h->parameters->near_strides || (stride->page == page && !step))
		return;
	if (stride->page != page) {
		start_stride(h, stride, line);
	} else {
		stride->is_steady = step == stride->lines && step <= MOST_STRIDE && step >= -MOST_STRIDE;
		stride->lines = step;
		stride->last = line;
	}
	if (stride->is_steady)
		bring_strides(h, stride, time);
}
