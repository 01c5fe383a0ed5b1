/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * internal.h - one CPU on its way in: its events and metrics as the vendor's reader found them, before they are
 * checked.
 */
#ifndef TOPDOWN_IMPORT_INTERNAL_H
#define TOPDOWN_IMPORT_INTERNAL_H

#include "base/table.h"
#include "import/cpus.h"
#include "import/fields.h"
#include "import/import.h"
#include "load/json_bulk.h"

struct import_event {
	const char *name;
	struct row row;
};

struct import_metric {
	const char *name, *title, *expr, *groups, *threshold, *unit, *domain;
	const char **samples; /* as published; those that do not exist are left out */
	size_t nsamples;
	const char *next;  /* NextGroups */
	const char *needs; /* what counts it, where one core's counters do not */
	const char *text;
	bool is_dropped;
};

struct import {
	const struct import_request *request;
	struct arena *arena; /* of this CPU */
	struct import_log *log;
	const struct cpu_facts *cpu;
	struct import_event *events;
	size_t nevents, events_capacity;
	struct table event_names;
	const char **units; /* of events of other PMUs */
	size_t nunits, units_capacity;
	struct table foreign;	/* from the name of such an event to its unit */
	struct table latencies; /* from an event's name to its mean retire latency */
	const char **means;
	size_t nmeans, means_capacity;
	struct import_metric *metrics;
	size_t nmetrics, metrics_capacity;
	const char *source, *version; /* of the events */
	const char *map_version;      /* as mapfile.csv has it */
	const char *model_source, *model_version, *tma_version;
	bool own_thresholds;
};

/* A line of the log: "CPU: ...". */
void import_say(struct import *import, const char *format, ...) PRINTF(2, 3);

/*
 * events.c: an event's keys that say something, in a fixed order; a name that is there already replaces the earlier
 * one.
 */
void event_add(struct import *import, const struct row *raw);
/* The members of a flat object that events are made of. */
struct row event_raw(const struct import *import, const struct bulk_object *object);
void event_add_foreign(struct import *import, const char *name, const char *unit);
bool has_import_event(const struct import *import, const char *name);
/* "uncore_cha" for the unit "CHA", as perf names PMUs. */
const char *unit_pmu(const char *unit, struct arena *arena);
/* Counters in use: the highest number + 1 in the members called key; fixed counters with is_fixed. */
unsigned counters_used(const struct import *import, const char *key, bool is_fixed);
/* PERF_METRICS.* and the counters that every CPU of the vendor has; sorts by name. */
void events_finish(struct import *import);

/* metrics.c */
struct import_metric *metric_add(struct import *import, const char *name);
void metric_add_sample(struct import *import, struct import_metric *metric, const char *name, size_t length);
/* Leaves out what can't be computed, for each a line in the log. */
void metrics_check(struct import *import);

/* Readers; each fills what it finds. */
int perfmon_read(struct import *import, const char *path, struct error *err) MUST_CHECK;
int perf_read(struct import *import, const char *folder, struct error *err) MUST_CHECK;
int perf_read_metrics(struct import *import, const char *folder, struct error *err) MUST_CHECK;
/* The PMUs of the core types of a hybrid CPU's folder, in their order there; none for another CPU's. */
#define CORE_TYPE_PREFIX "cpu_"
#define MOST_CORE_TYPES	 8
struct core_types {
	const char *pmus[MOST_CORE_TYPES];
	size_t count;
};
int perf_core_types(struct core_types *types, const char *folder, struct arena *arena, struct error *err) MUST_CHECK;
int arm_read(struct import *import, const char *path, struct error *err) MUST_CHECK;

/*
 * The files that are CPUs of their own in the request's folder: paths for the readers, and what cpus.json calls each.
 */
struct import_file {
	const char *path, *file;
};
struct import_files {
	struct import_file *items;
	size_t count, capacity;
};
int perfmon_files(struct import_files *files, const char *folder, struct arena *arena, struct error *err) MUST_CHECK;
int arm_files(struct import_files *files, const char *folder, struct arena *arena, struct error *err) MUST_CHECK;

/* output.c: the two files and the rows of the map. */
int import_output(struct import *import, const struct cpu_list *cpus, struct error *err) MUST_CHECK;

/* Last part of a path, without slashes at the end. */
const char *path_name(const char *path, struct arena *arena);

#endif
