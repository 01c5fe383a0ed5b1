/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_record.h - what perf stat printed, line by line, and the measurement that these lines make. Three forms: for
 * people (perf_text.c), with -x and with -j (perf_line.c). None of them names a CPU or says which events were a group.
 */
#ifndef TOPDOWN_STORE_PERFTOOL_PERF_RECORD_H
#define TOPDOWN_STORE_PERFTOOL_PERF_RECORD_H

#include "common/base/error.h"
#include "common/measurement/counts.h"
#include "store/perftool/stored_bytes.h"
#include "store/session/session.h"

/* PERF_PRINTED: no count, but a node's percentage that perf computed */
enum perf_value { PERF_COUNTED, PERF_NOT_COUNTED, PERF_NOT_SUPPORTED, PERF_PRINTED };

struct perf_line {
	const char *event; /* as perf spells it; PERF_PRINTED: the node's name; NULL: the line has no count */
	const char *unit;  /* "msec", "ns", "" */
	const char *place; /* "S0-D0-C1", "CPU3", "bash-123", a cgroup: what --per-core, -A ... print; NULL: none */
	enum perf_value kind;
	double value;	   /* scaled by perf already; with -r the mean; NAN unless PERF_COUNTED, PERF_PRINTED */
	double running_ns; /* time on a counter, summed over all threads; NAN: not printed (for people) */
	double percent;	   /* ... of the time for which the event was enabled */
	double until_s;	   /* -I: end of the interval; NAN: of all of the time */
	bool is_mean;	   /* -r: a deviation stands beside it */
	size_t output;	   /* number of the output that it is in, from 0 */
	/* beside the count, or alone */
	const char *metric;	  /* a node that perf prints the percentage of; NULL: none */
	double metric_percent;	  /* NAN: perf printed nan */
	const char *metric_group; /* "TopdownL1 (cpu_core)": of the metrics that follow; NULL: it does not say */
};

/* One execution of perf stat, or with -r several of which it printed the means. */
struct perf_output {
	const char *subject; /* "sleep 1", "system wide" ...: what the counts are of, as perf says it; NULL: nothing */
	bool is_command;     /* it is a command's words */
	size_t repeats;	     /* -r; 0: not printed */
	double wall_s, user_s, system_s; /* as printed below the counts; NAN: not there */
};

struct perf_record {
	struct arena *arena;
	struct perf_line *lines; /* in their order, those without an event left out */
	size_t count, capacity;
	struct perf_output *outputs; /* at least one */
	size_t noutputs, outputs_capacity;
	size_t left_out; /* lines of CSV or JSON that are not perf's */
	const char *pmu; /* of the metrics that follow, "cpu_core"; NULL: they name none */
	size_t nprinted; /* lines that are no counts */
};

struct perf_record perf_record_init(struct arena *arena);

/* Another output begins, unless the last one is still empty. Returns it. */
struct perf_output *perf_record_begin(struct perf_record *record);

/* A line of the last output, and another one for the metric beside it. One that has neither is left out. */
void perf_record_add(struct perf_record *record, const struct perf_line *line);

/* Lines that are counts. */
size_t perf_record_counts(const struct perf_record *record);

/* ---- perf_stat.c: the forms ---- */

/* Does any line look like one of perf stat's, or like percentages of topdown? JSON documents of ours do not. */
bool is_perf_stat(const struct session_text *text);

/*
 * Fills measured; origin.cpu stays NULL; a remark has the number of lines of CSV or JSON that are not
 * perf's. -1 for lines that are perf's but damaged, for outputs without counts, and for those
 * that have percentages only: err says what to run instead.
 */
int perf_stat_read(struct measurement *measured, const struct session_text *text, struct arena *arena,
		   struct error *err) MUST_CHECK;

/* ---- perf_line.c: a line of CSV or JSON ---- */

/* What stands in front of a count that perf stat printed for a part of the machine, or for a thread. */
enum perf_place {
	PLACE_NONE,
	PLACE_ALONE,   /* "CPU3", "bash-123" */
	PLACE_COUNTED, /* "S0-D0-C1", "N0" ...: the number of its CPUs follows */
};

enum perf_place perf_place_kind(const char *word, size_t length);

/* What -x was: the character that parts a line into perf's columns; '\0' when the line is not perf's. */
char perf_separator(const char *text);

/* A line of `perf stat -x`; text is cut up, and line borrows from it. err has no place yet. */
int perf_csv_line(struct perf_line *line, char *text, char separator, struct arena *arena,
		  struct error *err) MUST_CHECK;

/* A line of `perf stat -j`, which is made JSON in place where it is not quite; texts are copied into arena. */
int perf_json_line(struct perf_line *line, char *text, struct arena *arena, struct error *err) MUST_CHECK;

/* ---- perf_metric.c: the percentages that perf computed itself ---- */

/* Does a line of them begin here: "TopdownL1", "TopdownL2 (cpu_core)"? */
bool is_perf_metric_group(const char *text);

/* The next one in text, "92.5 %  tma_backend_bound", or NULL; *text is then behind it. The name lives in arena. */
const char *perf_metric_next(double *percent, const char **text, struct arena *arena);

/* ---- perf_number.c: numbers as locales write them ---- */

/*
 * The number at the start of text: thousands parted by ',', '.', ' or one space, or not at all, and a decimal point or
 * comma. Returns its length, 0 if there is none; is_whole: it has no decimals.
 */
size_t perf_number(const char *text, double *value, bool *is_whole);

/* ---- perf_text.c: output for people ---- */

/*
 * Reads the lines that are perf's out of a terminal's or a mail's text. What is not perf's is passed over; text that
 * has no count at all leaves the record empty.
 */
void perf_text_read(struct perf_record *record, const struct session_text *text);

/* ---- likwid.c: the tables of likwid-perfctr ---- */

/* Has the text a table of events, with counters in the second column? */
bool is_likwid(const struct session_text *text);

/* Each group of events, and each region, is an output. */
void likwid_read(struct perf_record *record, const struct session_text *text);

/* ---- perf_copies.c: a text that quotes itself ---- */

/* Leaves out the lines of outputs that are there before: all counts and times the same. */
void perf_record_drop_copies(struct perf_record *record);

/* ---- perf_counts.c: from lines to a measurement ---- */

/*
 * A part for each place, and for each of cpu_core and cpu_atom. Each output is a run; outputs that have the same events
 * again are repeats. A run is one group, but of several runs another group begins where an event comes again. Outputs
 * about other subjects are parts of their own. With -I the lines of all intervals are added up, and measured->intervals
 * has each by itself. -1 when no event of a core is there.
 */
int perf_counts_fill(struct measurement *measured, const struct perf_record *record, const char *source,
		     struct error *err) MUST_CHECK;

/* ---- perf_data.c ---- */

/*
 * What `perf record` wrote, as a measurement with a profile and no counts: files and pipes of Linux 5.10 and
 * later, compressed ones too where there is libzstd.
 */

/* Do the first bytes say so? Of the other byte order, and of perf's before 3.x, too: they are refused with a reason. */
bool is_perf_data(const void *bytes, size_t length);

/*
 * Fills measured: one part with what is known of the machine and the command, and a profile whose places have no
 * names yet; symbols_resolve gives them. source stands for the file in errors. A file that is cut or damaged gives
 * what stands before that, and a remark with the offset; -1 where that is no sample, or where the records are of a
 * kind that only perf reads.
 */
int perf_data_read(struct measurement *measured, const struct stored_bytes *stored, const char *source,
		   struct arena *arena, struct error *err) MUST_CHECK;

#endif
