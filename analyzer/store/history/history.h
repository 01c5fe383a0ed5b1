/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * history.h - measurements over time in one file, a SQLite 3 database: each run with where and of what it was, its
 * values, and its session. docs/HISTORY.md describes the file. Only this folder knows SQLite.
 */
#ifndef TOPDOWN_STORE_HISTORY_HISTORY_H
#define TOPDOWN_STORE_HISTORY_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "common/base/error.h"

struct history; /* an open file */

/* Texts are NULL where nothing is known. */
struct history_value {
	const char *name;	 /* "IPC", "tma_dram_bound"; of a part "cpu_atom/IPC" */
	const char *unit;	 /* "%", "s", "" */
	double value, low, high; /* 95 % interval; NAN: there is none */
	unsigned n;		 /* values that it is the mean of; 0: unknown */
};

struct history_tag {
	const char *key, *value;
};

#define CHANGED_FILES "+" /* behind a commit: files that git knows were other ones */

#define NO_STATUS (-1) /* as STATUS_UNKNOWN of a measurement */

/* A measurement and what belongs to it. */
struct history_run {
	int64_t id;	 /* of the file; given by history_add */
	int64_t time_ms; /* when it began: milliseconds since 1970, UTC */
	const char *
		program; /* the series' name: the command with its program's directory left out, or the tag "program" */
	const char *command;			       /* as typed */
	const char *machine;			       /* the series' machine: a stable id */
	const char *cpu;			       /* database name: "sapphirerapids"; "sim" */
	const char *model, *microcode, *kernel, *host; /* where they differ, values are not compared */
	const char *revision, *branch;		       /* of the checkout: a commit's full hash (and CHANGED_FILES), or
							  whatever was said */
	const char *tool;			       /* topdown's version */
	const char *note;			       /* of `annotate` */
	int64_t accepted_ms;			       /* when it was accepted as a baseline; 0: it was not */
	int status;				       /* exit status of its first run; NO_STATUS: unknown */
	bool is_cut;				       /* a signal or a time limit ended it: no series has it */
	bool has_session;
	const struct history_tag *tags;
	size_t ntags;
	const struct history_value *values;
	size_t nvalues;
};

/*
 * Opens the file for adding: makes it where it is missing, and brings an older version's to this one's. NULL and err
 * where it is no history, is damaged, is of a newer topdown, or can't be written; it is then unchanged.
 */
struct history *history_open(const char *path, struct error *err) MUST_CHECK;
/* The same for looking only: a missing file is an error, and one that can't be written is none. */
struct history *history_open_to_read(const char *path, struct error *err) MUST_CHECK;
/* NULL is allowed. */
void history_close(struct history *history);

/*
 * Adds the run and its session (NULL: none), all or nothing. Other writers are waited for, a minute at most. -1: the
 * file is as it was.
 */
int history_add(struct history *history, struct history_run *run, const char *session, size_t length,
		struct error *err) MUST_CHECK;

/* Is a run there with the same beginning, host and command? What is imported a second time is. -1 with err. */
int history_has(struct history *history, const struct history_run *run, struct error *err) MUST_CHECK;

/* ---- single runs ---- */

/*
 * The run that word names: its number, the first four or more digits of its commit (the newest run of it), "first",
 * "last", or counted from the end ("-1": the last).
 * 0 where there is none, with err; -1 with err where the file can't be read.
 */
int64_t history_find(struct history *history, const char *word, struct error *err) MUST_CHECK;

/* The newest accepted run of a program on a machine, or 0. -1 with err. */
int64_t history_baseline(struct history *history, const char *program, const char *machine,
			 struct error *err) MUST_CHECK;

/* All but the session. */
int history_read_run(struct history *history, int64_t id, struct history_run *run, struct arena *arena,
		     struct error *err) MUST_CHECK;

/* Its session's text, '\0' behind *length bytes, in arena; NULL without err: it has none. */
char *history_read_session(struct history *history, int64_t id, size_t *length, struct arena *arena,
			   struct error *err) MUST_CHECK;

/* ---- changes ---- */

int history_accept(struct history *history, int64_t id, struct error *err) MUST_CHECK;
/* A note takes the place of an older one; "" takes it away. */
int history_annotate(struct history *history, int64_t id, const char *note, struct error *err) MUST_CHECK;

struct history_pruning {
	uint64_t keep;	       /* the newest runs of each series that stay; 0: not said */
	int64_t before_ms;     /* runs that began earlier go; 0: not said */
	bool is_sessions_only; /* runs stay, without their sessions */
};

/* Accepted runs and those with a note stay as they are. The number of runs that were changed or went; -1 with err. */
int64_t history_prune(struct history *history, const struct history_pruning *pruning, struct error *err) MUST_CHECK;

#endif
