/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * importer.h - one CPU on its way in: its events and metrics as the vendor's reader found them, before they are
 * checked.
 */
#ifndef TOPDOWN_CPU_IMPORT_IMPORTER_H
#define TOPDOWN_CPU_IMPORT_IMPORTER_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/arena.h"
#include "common/base/table.h"
#include "common/json/json_bulk.h"
#include "cpu/import/import.h"
#include "cpu/import/import_rows.h"

/* events/cpus.json: what the vendors' files do not say of a CPU in a form that a program can read. */
struct cpu_facts {
	const char *file; /* perfmon: NAME of NAME_core.json; perf: the folder; arm: NAME of NAME.json */
	const char *name; /* "alderlake:atom" */
	const char *short_name, *vendor, *title, *pmu,
		*pfm;	     /* as in the header of the events; "" where nothing is known */
	const char *match;   /* patterns of the map, separated by blanks */
	const char *event;   /* kernel event that a machine must show to be of these rows; "" for all */
	const char *slots;   /* width, or "" */
	const char *metrics; /* name of the metrics file, or of the folder of Linux that has them; "": as file */
	const char *unit;    /* core type of the metrics there, where it is another than pmu; or "" */
	/* a metrics file beside the platform's folder that says what the same nodes are shares of, or "" */
	const char *domains;
	/* a sheet of Intel's in one of the request's folders, and its column: "Atom_TMA.csv TNT"; or "" */
	const char *sheet;
	const char *general; /* Intel's text of the second form: a file in one of the request's folders; or "" */
	const char *generic; /* folder of events/generic with the metrics, where the vendor publishes none; or "" */
	const char *cycles;  /* the cycles event, where it is not the vendor's usual one; or "" */
	const char *exclusive,
		*paired;	 /* event codes that Linux gives counters by other rules, as in the header; or "" */
	const char *counters;	 /* Linux' counters where the vendor's file names others: "0x48=2;0x01c0=1"; or "" */
	const char *max_precise; /* of the kernel's sampling, where it is not 3; or "" */
	const char *no_tree;	 /* why there is no tree of slots, or "" */
};

struct cpu_list {
	struct cpu_facts *items;
	size_t count, capacity;
};

/* An arm64 core, whoever made it: its PMU is the architecture's. */
bool is_arm(const struct cpu_facts *cpu);

/* Place in the list, or its length. */
size_t cpu_place(const struct cpu_list *cpus, const char *name);

struct import_event {
	const char *name;
	struct row row;
};

struct import_unit_event {
	const char *name;
	struct row row;
	bool is_kept; /* the vendor documents it, or a metric reads it */
};

struct import_metric {
	const char *name, *title, *expr, *groups, *threshold, *unit, *domain;
	const char *general;  /* the second form of expr, from events of general counters; NULL: expr needs none */
	const char **samples; /* as published; those that do not exist are left out */
	size_t nsamples;
	const char *next; /* NextGroups */
	bool reads_units; /* events of PMUs beside the cores */
	const char *text;
	size_t place; /* in perfmon's file, from 1, of a metric that Linux' has too; 0: not there */
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
	struct import_unit_event *unit_events; /* of the PMUs beside the cores */
	size_t nunit_events, unit_capacity;
	struct table unit_names;
	struct table latencies; /* from an event's name to its mean retire latency */
	const char **means;
	size_t nmeans, means_capacity;
	struct import_metric *metrics;
	size_t nmetrics, metrics_capacity;
	const char *source, *version; /* of the events */
	const char *map_version;      /* as mapfile.csv has it */
	const char *match;	      /* the CPU's pattern by its own file; NULL: that says none */
	const char *model_source, *model_version, *tma_version;
	const char *general_source; /* of the second form; NULL: there is none */
	bool own_thresholds;
	const char *generic; /* why the metrics are the architecture's and not this CPU's; NULL: they are this CPU's */
};

/* A line of the log: "CPU: ...". */
void import_say(struct import *import, const char *format, ...) PRINTF(2, 3);

/*
 * import_events.c: an event's keys that say something, in a fixed order; a name that is there
 * already replaces the earlier one.
 */
void event_add(struct import *import, const struct row *raw);
/* The members of a flat object that events are made of. */
struct row event_raw(const struct import *import, const struct bulk_object *object);
bool has_import_event(const struct import *import, const char *name);
/* Counters in use: the highest number + 1 in the members called key; fixed counters with is_fixed. */
unsigned counters_used(const struct import *import, const char *key, bool is_fixed);
/* PERF_METRICS.* and the counters that every CPU of the vendor has; sorts by name. */
void events_finish(struct import *import);

/* import_units.c: events of PMUs beside the cores; unit as the vendor calls it ("CHA"). The first of a name stays. */
void unit_event_add(struct import *import, const struct bulk_object *object, const char *unit, bool is_documented);
/* A metric reads it. False: there is none of that name. */
bool unit_event_take(struct import *import, const char *name);
/* Adds the events of energy that the metrics' formulas name. */
void unit_events_find_energy(struct import *import);
/* events/NAME_uncore*.json in a platform's folder of perfmon, where they are. */
int perfmon_read_units(struct import *import, const char *folder, struct error *err) MUST_CHECK;
/* Leaves out what nobody reads; sorts by name. */
void unit_events_finish(struct import *import);

/* import_metrics.c */
struct import_metric *metric_add(struct import *import, const char *name);
void metric_add_sample(struct import *import, struct import_metric *metric, const char *name, size_t length);
/* The formula of a core's cycles for whole cores and for a program on one thread; another formula as it is. */
const char *metric_core_cycles(struct import *import, const char *name, const char *expr);
/* One of the metric's sampling events is there. */
bool metric_has_sample(const struct import *import, const struct import_metric *metric);
/* Leaves out what can't be computed, for each a line in the log. */
void metrics_check(struct import *import);

/*
 * import_general.c: the second form of Intel's formulas, where all of level 1 has one. -1 when Intel's text of it
 * can't be read.
 */
int general_read(struct import *import, struct error *err) MUST_CHECK;

/* Readers; each fills what it finds. */
int perfmon_read(struct import *import, const char *path, struct error *err) MUST_CHECK;
int perfmon_read_model(struct import *import, const char *path, struct error *err) MUST_CHECK;
/* An event of perfmon's spelling ("X.Y:sup") in perf's; *unknown is its name where this CPU has none of it. */
const char *perfmon_event(struct import *import, const char *spelled, const char **unknown);
/* import_sheet.c: nodes and metrics of a CPU's column, where cpus.json names one and the sheet is there: *is_read. */
int sheet_read(struct import *import, bool *is_read, struct error *err) MUST_CHECK;
/* A file in the first of the request's folders that has it; NULL: none has. */
const char *import_path(const struct import *import, const char *name);
int perf_read(struct import *import, const char *folder, struct error *err) MUST_CHECK;
/* A folder sys, whose events are all of PMUs beside the cores. */
int perf_read_system(struct import *import, const char *folder, struct error *err) MUST_CHECK;
int perf_read_metrics(struct import *import, const char *folder, struct error *err) MUST_CHECK;
/* Adds the metrics of a folder of Linux that the import lacks so far and that are no nodes; a line in the log. */
int perf_add_metrics(struct import *import, const char *folder, struct error *err) MUST_CHECK;
/* perf_folder.c: which Linux a folder is of ("Linux 7.3 pmu-events arch/x86/skylake"); its row's version in the map. */
const char *perf_source(const struct import *import, const char *folder);
/* "7.3" of a folder below "linux-7.3", whatever stands between; NULL where none is called so. */
const char *perf_linux_version(const char *folder, struct arena *arena);
const char *perf_mapfile_version(const struct import *import, const char *folder);
/* The version of the method that a folder's metrics have at least, "5.2"; *version is NULL where nothing shows it. */
int perf_method(const char **version, const char *folder, const char *unit, struct arena *arena,
		struct error *err) MUST_CHECK;
#define PERF_METRICS_SUFFIX "-metrics.json" /* files of metrics alone */
int perf_visit(const char *folder, const char *suffix, const struct bulk_visitor *visitor, struct arena *arena,
	       struct error *err) MUST_CHECK;
/* "cpu_atom" of a core type; NULL of a CPU with one. */
const char *core_unit(const struct import *import);
/* The PMUs of the core types of a hybrid CPU's folder, in their order there; none for another CPU's. */
#define CORE_TYPE_PREFIX "cpu_"
#define MOST_CORE_TYPES	 8
struct core_types {
	const char *pmus[MOST_CORE_TYPES];
	size_t count;
};
int perf_core_types(struct core_types *types, const char *folder, struct arena *arena, struct error *err) MUST_CHECK;
/*
 * Of Linux' metrics: nodes depth first in the files' order, then the others. Levels and
 * parents are group names already.
 */
void perf_nodes_sort(struct import *import);
/* Once more, with siblings in the order of their places; those without stay behind the others. */
void perf_nodes_order(struct import *import);
/* AMD: PipelineL<n> is also TopdownL<n>; thresholds, titles and sampling events of the nodes. */
void perf_nodes_amd(struct import *import);
/* Events to sample for the nodes of efficient cores that have none. */
void efficient_samples(struct import *import);
/* Arm64 cores of Linux: levels, parents, thresholds and sampling events of the nodes, by what the formulas say. */
void perf_nodes_arm(struct import *import);
/* perf_raw.c: makes events of those that the formulas of an arm64 core spell by their code alone. */
void perf_name_raw(struct import *import);
/* What every core has at least, as Arm publishes no counters. */
#define ARM_COUNTERS "0,1,2,3,4,5"
/* The metrics of events/generic/NAME, for a CPU that has none; those whose events it lacks are left out. */
int perf_read_generic(struct import *import, const char *folder, struct error *err) MUST_CHECK;
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

/* import_output.c: the two files and the rows of the map. */
int import_output(struct import *import, const struct cpu_list *cpus, struct error *err) MUST_CHECK;

/* The same row of models/NAME.json. */
struct row metric_row(const struct import_metric *metric, struct arena *arena);

/* import_system.c: events/system/NAME.json and models/system/NAME.json of a folder NAME/sys. */
bool is_system_folder(const char *folder, struct arena *arena);
const char *system_name(const char *folder, struct arena *arena);
int system_import(struct import *import, const char *folder, struct error *err) MUST_CHECK;

/* Last part of a path, without slashes at the end. */
const char *path_name(const char *path, struct arena *arena);

/* ---- formula_text.c ---- */

/* What the text of a formula says, without computing it. */

/* Of a formula that is one ratio, or a hundred times one, what stands above and below the line; else they stay. */
void formula_ratio(const char **numerator, const char **denominator, const char *expr, struct arena *arena);

/* The next name of a formula, which *text moves behind; its length, 0 at the end. */
size_t formula_next_name(const char **text, const char **name);

bool formula_has_name(const char *expr, const char *wanted);

/* ---- sheet_cells.c ---- */

/* The cells of a sheet of Intel's, as CSV, and what their text means for one CPU. */

struct sheet_line {
	const char **cells;
	size_t count;
};

struct sheet_cells {
	struct sheet_line *rows;
	size_t nrows, capacity;
	size_t header;	    /* the row that names the columns */
	size_t first, end;  /* the CPU's own column, and the one behind those of all CPUs */
	const char *column; /* its name */
	struct arena *arena;
};

/* -1 when the file can't be read, is no such sheet, or has no column of that name ("LNL" is one of "LNL/ARL"). */
int sheet_cells_read(struct sheet_cells *cells, const char *path, const char *column, struct arena *arena,
		     struct error *err) MUST_CHECK;

/* "5.2" of "5.2-full"; NULL: the sheet has none. */
const char *sheet_version(const struct sheet_cells *cells);

/* The row behind the columns' names. */
size_t sheet_first_row(const struct sheet_cells *cells);

/* A cell by its column's name, without blanks around it; "" where there is none. */
const char *sheet_cell(const struct sheet_cells *cells, size_t row, const char *column);

/* What the row is called, and in which of the columns Level1 ... that stands. */
const char *sheet_name(const struct sheet_cells *cells, size_t row, unsigned *level);

/*
 * The formula of the CPU: an empty cell means as the next column has it. Columns of servers say nothing of other CPUs.
 * NULL: none ("#NA").
 */
const char *sheet_formula(const struct sheet_cells *cells, size_t row);

/* Of "SNB/JKT ? A : LNL ? B;C : D" what holds for this CPU. */
const char *sheet_choice(const struct sheet_cells *cells, const char *text);

/* The condition of a threshold "(> 0.7 | X); $issueBW", without parentheses around all of it. */
const char *sheet_condition(const char *threshold, struct arena *arena);

/*
 * A formula without what only these sheets write: "X if #DS else Y" is the one or the other, "E*$PEBS" is
 * E times E:retire_latency, and "##Node" is "#sum:Node".
 */
const char *sheet_plain_formula(const char *text, bool (*is_set)(void *context, const char *name), void *context,
				struct arena *arena);

const char *sheet_trim(const char *text, size_t length, struct arena *arena);

#endif
