/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_facts.h - what perf.data says besides its records: events with their ids, the machine, the command, build-ids.
 * Formats: tools/perf/Documentation/perf.data-file-format.txt and tools/perf/util/header.c of Linux 5.10 to 6.18.
 */
#ifndef TOPDOWN_STORE_PERFTOOL_PERF_FACTS_H
#define TOPDOWN_STORE_PERFTOOL_PERF_FACTS_H

#include <linux/perf_event.h>

#include "collect/sample/record.h"
#include "store/perftool/stored_bytes.h"

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
struct recorded_event *perf_facts_event(const struct perf_facts *facts, uint64_t id);

/* NULL: not known. */
const struct recorded_build_id *perf_facts_build_id(const struct perf_facts *facts, const char *path);

#endif
