/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * interval_series.h - the intervals of a measurement (-I) in as few bytes as they need, so that a session can keep
 * them: of each its time, and of each part the counts. Where the bytes become more than allowed, neighbours are added
 * up, two and two. What depends on slices within an interval is not kept.
 */
#ifndef TOPDOWN_COMMON_MEASUREMENT_INTERVAL_SERIES_H
#define TOPDOWN_COMMON_MEASUREMENT_INTERVAL_SERIES_H

#include "common/base/arena.h"
#include "common/measurement/counts.h"

#define SERIES_MOST_BYTES ((size_t)32 << 20)

/* What an interval's part may have counted. */
struct series_item {
	const char *event;
	size_t group;
};

struct series_part {
	struct series_item *items;
	size_t count, capacity;
	size_t ncpus; /* as in struct counts */
};

struct interval_series {
	struct arena *arena;
	struct series_part *parts;
	size_t nparts;
	const char **reasons; /* why something was not counted, each once */
	size_t nreasons, reasons_room;
	unsigned *kinds; /* enum software_kind of each of the file's; SOFTWARE_KINDS: unknown here */
	size_t nkinds;
	unsigned char *bytes;	       /* docs/FORMATS.md, series.data */
	size_t length, capacity, most; /* capacity 0: the bytes are borrowed, else they are on the heap */
	size_t count;		       /* of intervals that are kept */
	size_t each;		       /* of -I's intervals that one consists of; the last may have fewer */
	size_t total;		       /* of -I's intervals */
	size_t pending;		       /* of -I's that the last one consists of so far; 0: it is complete */
	uint64_t end_ns, last_end_ns;  /* of the last interval, and of the one before it */
	size_t last;		       /* where the last one begins */
};

/* Lives in arena, its bytes on the heap. most_bytes: beyond them intervals are added up. */
struct interval_series *interval_series_new(struct arena *arena, size_t most_bytes);

/* Parts are the same, in the same order, in all intervals. */
void interval_series_add(struct interval_series *series, const struct measurement *interval);

/* The same in no more bytes, to be released; NULL: the series itself is short enough. */
struct interval_series *interval_series_within(const struct interval_series *series, size_t most_bytes,
					       struct arena *arena);

/* Its bytes are gone. */
void interval_series_release(struct interval_series *series);

/* Reads the intervals one after the other. All zero but for the series at first. */
struct series_cursor {
	const struct interval_series *series;
	size_t at, number; /* number: of those that were read */
	uint64_t end_ns;
};

/*
 * The next one, in arena: its parts are those of whole, with the interval's counts. False at the end, and where the
 * bytes make no sense (cursor->at is then not series->length).
 */
bool interval_series_next(struct measurement *interval, struct series_cursor *cursor, const struct measurement *whole,
			  struct arena *arena);

/* Do the bytes of a file make sense, for parts like these? */
bool interval_series_is_sound(const struct interval_series *series, const struct measurement *whole);

#endif
