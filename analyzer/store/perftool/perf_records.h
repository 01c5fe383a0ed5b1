/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_records.h - the records of perf.data in the order of the file: the kernel's are queued, perf's own become facts
 * or are passed over, and compressed ones are unpacked. Types: tools/perf/include/perf/event.h.
 */
#ifndef TOPDOWN_STORE_PERFTOOL_PERF_RECORDS_H
#define TOPDOWN_STORE_PERFTOOL_PERF_RECORDS_H

#include "store/perftool/perf_facts.h"

struct queued_record {
	uint64_t time;
	const unsigned char *at; /* of any alignment */
};

struct unpacker;

struct perf_records {
	struct perf_facts *facts;
	struct queued_record *items; /* in the order of the file */
	size_t count, room;
	struct unpacker *unpacker; /* NULL: nothing was compressed */
	const unsigned char *file; /* offsets are counted from here */
	size_t npartial;	   /* bytes at the end of what was unpacked that are no whole record yet */
	bool is_unpacking;	   /* what is compressed has no compressed records in it */
	uint64_t traced;	   /* records with an AUX area trace */
	uint64_t counted;	   /* records of perf stat */
	struct error broken;	   /* why the rest was not read, and where; "": all was */
};

/* Reads all; what is broken ends it, and what was read before stays. Release in any case. */
void perf_records_read(struct perf_records *records, const struct stored_bytes *stored, uint64_t offset, uint64_t size);
void perf_records_release(struct perf_records *records);

#endif
