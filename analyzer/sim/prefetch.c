/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/prefetch.h"

#include "sim/paging.h"
#include "sim/supply.h"

#define STREAM_LINES_SHIFT 6 /* a stream is followed within 4 KiB, as the lines of a page lie together in memory */
#define STREAM_LINES	   (1 << STREAM_LINES_SHIFT)
#define CONFIDENT	   2

static void prefetch(struct hierarchy *h, uint64_t line, uint64_t time)
{
	struct supply supply;

	if (!supply_make_room(h, line))
		return;
	h->traffic.prefetches++;
	supply = supply_beyond_l2(h, line, paging_wait(h, line >> (h->page_shift - LINE_SHIFT), time));
	if (time != NO_TIME)
		supply_note(h, line, &supply);
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

/* A stream goes on in the next page, whose translation is asked for in the middle of the one before, as Intel's next-page prefetcher does. */
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
