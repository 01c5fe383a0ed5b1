/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perftool_internal.h - the steps from perf.data and perf stat's output to a measurement. */
#ifndef TOPDOWN_STORE_PERFTOOL_PERFTOOL_INTERNAL_H
#define TOPDOWN_STORE_PERFTOOL_PERFTOOL_INTERNAL_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>

#include "collect/sample/record.h"
#include "common/base/arena.h"
#include "common/base/error.h"
#include "common/measurement/counts.h"
#include "common/measurement/profile.h"
#include "store/perftool/perf_record.h"
#include "store/perftool/stored_bytes.h"

/* ---- perf_facts.c ---- */

/*
 * What perf.data says besides its records: events with their ids, the machine, the command, build-ids. Formats:
 * tools/perf/Documentation/perf.data-file-format.txt and tools/perf/util/header.c of Linux 5.10 to 6.18.
 */

/* Numbers of feature sections (tools/perf/util/header.h, enum): those that are read. */
enum perf_feature {
	FEATURE_BUILD_ID = 2,
	FEATURE_HOSTNAME = 3,
	FEATURE_OSRELEASE = 4,
	FEATURE_VERSION = 5,
	FEATURE_ARCH = 6,
	FEATURE_NRCPUS = 7,
	FEATURE_CPUDESC = 8,
	FEATURE_CPUID = 9,
	FEATURE_CMDLINE = 11,
	FEATURE_EVENT_DESC = 12,
	FEATURE_DIR_FORMAT = 24,
	FEATURE_COMPRESSED = 27,
	PERF_FEATURES = 256 /* bits in the header */
};

struct recorded_event {
	struct perf_event_attr attr; /* of a newer kernel: without the fields that this one does not know */
	struct record_format format;
	const char *name; /* "cycles:u"; NULL: the file has no names */
	uint64_t lost, lost_samples, throttled;
	uint32_t event; /* of the profile; PROFILE_NONE: one that has no samples by intention */
};

struct recorded_id {
	uint64_t id;
	uint32_t event;
	uint64_t seen; /* of a group that a sample read: the last value */
};

/* Of a file whose samples are in the data. */
struct recorded_build_id {
	const char *path;
	unsigned char bytes[20];
	size_t count;
};

struct perf_facts {
	struct arena *arena;
	struct recorded_event *events;
	size_t nevents, events_room;
	struct recorded_id *ids; /* ascending once perf_facts_complete was called */
	size_t nids, ids_room;
	struct recorded_build_id *build_ids;
	size_t nbuild_ids, build_ids_room;
	/* NULL and 0: unknown */
	const char *host, *release, *version, *arch, *cpu, *cpuid, *command;
	uint32_t cpus, online_cpus;
	bool is_directory; /* perf record --threads: there are more files */
};

/* An attr of so many bytes, and its ids. False: it is none, or there are too many. */
bool perf_facts_add_event(struct perf_facts *facts, struct byte_reader *attr, struct byte_reader *ids) MUST_CHECK;

/* A feature section; false: it is broken. Those that are not listed above are left alone. */
bool perf_facts_add_feature(struct perf_facts *facts, unsigned feature, struct byte_reader reader) MUST_CHECK;

/* A PERF_RECORD_HEADER_BUILD_ID, header included. */
bool perf_facts_add_build_id(struct perf_facts *facts, struct byte_reader reader) MUST_CHECK;

/* A PERF_RECORD_EVENT_UPDATE behind its header. */
bool perf_facts_rename(struct perf_facts *facts, struct byte_reader reader) MUST_CHECK;

/* All events are there: gives names to those that have none, and makes perf_facts_event quick. */
void perf_facts_complete(struct perf_facts *facts);

/* NULL: no event has that id. */
struct recorded_id *perf_facts_id(const struct perf_facts *facts, uint64_t id);
struct recorded_event *perf_facts_event(const struct perf_facts *facts, uint64_t id);

/* NULL: not known. */
const struct recorded_build_id *perf_facts_build_id(const struct perf_facts *facts, const char *path);

/* ---- perf_records.c ---- */

/*
 * The records of perf.data in the order of the file: the kernel's are queued, perf's own become facts or are
 * passed over, and compressed ones are unpacked. Types: tools/perf/include/perf/event.h.
 */

struct queued_record {
	uint64_t time;
	const unsigned char *at; /* of any alignment */
};

struct unpacker; /* unpack.c: one stream of zstd, of which each compressed record is the next piece */

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

/* ---- perf_delivery.c ---- */

/* Queued records in the order of their times, given to the intake that makes a profile of them. */

struct delivery_setup {
	struct perf_records *records; /* of facts that are complete; they get sorted */
	struct profile *profile;
	bool is_of_here; /* the files of this machine may be those that were mapped */
};

/* What was seen. */
struct delivery {
	uint64_t samples, damaged, guests, strangers; /* strangers: of an event that the file does not have */
	uint64_t first_ns, last_ns;		      /* times of samples */
	uint64_t kernel_text;			      /* where the kernel's text was; 0: unknown */
};

void perf_deliver(struct delivery *delivery, const struct delivery_setup *setup);

/* ---- unpack.c ---- */

/* Records that perf compressed (perf record -z), by libzstd where the program was built with it. */

/* A piece of it. rest: bytes at the end of the last one that were no whole record; they stand in front of this one. */
struct packed {
	const void *bytes;
	size_t length, rest;
};

struct unpacked {
	unsigned char *bytes; /* the unpacker's, until it is freed */
	size_t length;
};

/* NULL and the way without it where the program was built without libzstd. Free with unpacker_free. */
struct unpacker *unpacker_new(struct error *err) MUST_CHECK;
void unpacker_free(struct unpacker *unpacker);

/* The next piece. -1: it is damaged, or larger than can be. */
int unpacker_next(struct unpacker *unpacker, const struct packed *packed, struct unpacked *unpacked,
		  struct error *err) MUST_CHECK;

/* ---- perf_kernel.c ---- */

/*
 * The kernel's addresses of a recording: each start of the machine puts it elsewhere (KASLR), so names of the
 * running kernel fit only once they are moved.
 */

/*
 * Moves the places in the kernel's own text to where the running one has them. text: where the recorded one was, 0:
 * unknown. Where this machine runs another kernel, or nobody may see where it is, they become nameless with a remark.
 */
void perf_kernel_move(struct profile *profile, const struct perf_facts *facts, uint64_t text);

/* ---- perf_intervals.c ---- */

/* `perf stat -I`: which lines are of which interval, and what they sum up to. */

struct perf_interval {
	size_t output;
	double from_s, to_s;
	size_t first, count; /* lines */
};

struct perf_intervals {
	struct perf_interval *items; /* in the order of the lines */
	size_t count;		     /* 0: without -I */
};

struct perf_intervals perf_intervals_find(const struct perf_record *record);

/*
 * Each event is looked for in what is known of CPUs, each place has a tree, and so has each interval: -1 and err where
 * there are more of them than can be shown. record is the sum.
 */
int perf_amount_check(const struct perf_record *record, const struct perf_intervals *intervals, const char *source,
		      struct error *err) MUST_CHECK;

/*
 * The lines of all intervals of an output added up, copy by copy; lines of no interval, which perf prints with
 * --summary, are left out. An event that was not counted in one interval has the sum of the others.
 */
struct perf_record perf_intervals_sum(const struct perf_record *record, const struct perf_intervals *intervals);

/* The interval's lines as a record with one output, whose time is the interval's. */
struct perf_record perf_interval_lines(const struct perf_record *record, const struct perf_intervals *intervals,
				       size_t number);

/* ---- perf_clocks.c ---- */

/* The times of a run, from perf's clocks ("task-clock") and from what it prints below the counts. */

/* Such an event is no event of a core. */
bool is_perf_clock(const char *event);

/* Of which run. */
struct perf_clocks {
	size_t output;
	const char *place; /* NULL: the counts aren't divided */
	bool is_divided;   /* among types of cores: nobody knows the CPU time of one */
};

/* Sets wall_s and cpu_s where the record's lines, or what stands below its outputs, have them. */
void perf_clocks_fill(struct count_run *run, const struct perf_record *record, const struct perf_clocks *clocks);

/* ---- perf_event.c ---- */

/* What the name of an event says, as perf stat prints it: PMU, scope, whether a core counts it. */

/* Of all events of a part; MIXED: they differ. */
enum seen_scope { SEEN_NONE, SEEN_BOTH, SEEN_USER, SEEN_KERNEL, SEEN_MIXED };

/* "cpu_core" of "cpu_core/cycles/"; NULL: it names no type of cores. */
const char *perf_event_pmu(const char *event, struct arena *arena) MUST_CHECK;

/* Is it counted for all types of cores: a clock, or an event of another PMU? */
bool is_perf_event_for_all(const char *event);

/* Does the kernel count it, without a PMU? Then its scope says nothing. */
bool is_perf_software(const char *event);

/* An event that perf spells in a way of its own, as the vendors do; and what its value is multiplied by then. */
struct perf_alias {
	const char *event;
	double factor;
	bool is_part; /* of one unit of several, "uncore_imc_0": the event is the sum of all */
};

#define MOST_ALIASES 2

/*
 * Fills up to MOST_ALIASES and returns their number; 0: the event is spelled as others do. unit: as perf printed it.
 */
size_t perf_event_aliases(struct perf_alias *aliases, const char *event, const char *unit, struct arena *arena);

/* Where the letters behind the last slash or colon begin ("u", "kpp"); the text's end when there are none. */
size_t perf_event_letters(const char *event);

/* By these letters: SEEN_BOTH, SEEN_USER or SEEN_KERNEL. */
enum seen_scope perf_event_scope(const char *event);

#endif
