/* SPDX-License-Identifier: GPL-2.0-or-later */
/* history_record.h - a measurement as a run of a history: what --history FILE.db adds, and `topdown history import`. */
#ifndef TOPDOWN_COMMAND_JOBS_HISTORY_RECORD_H
#define TOPDOWN_COMMAND_JOBS_HISTORY_RECORD_H

#include "analyse/evaluate/report.h"
#include "command/jobs/output.h"
#include "common/request/request.h"
#include "store/history/history.h"

#define MOST_TAGS 16

/* The file that a run is added to, or `topdown history` looks into, and what is looked for. NULL and 0: not given. */
struct history_choice {
	const char *file;
	const char *tags[MOST_TAGS]; /* "KEY=VALUE" */
	size_t ntags;
	const char *program, *machine, *branch, *since, *before;
	uint64_t last, keep;
	double least; /* percent */
	bool is_sessions_only;
	bool is_accepted; /* the run that is added is the baseline from now on: gate --update */
};

/* The file that --history or TOPDOWN_HISTORY names; NULL: neither. */
const char *history_path(const struct history_choice *choice);

/* Before the program runs: can a run be added there? The file is made where it is missing. */
int history_record_check(const struct history_choice *choice, struct error *err) MUST_CHECK;

/* What is known of a measurement by itself, with its values. It borrows from all of them, and lives in arena. */
void history_record_describe(struct history_run *run, const struct measurement *measured,
			     const struct report_set *reports, struct arena *arena);

/*
 * Adds a measurement of this machine in this directory's checkout, with the session.
 */
int history_record_add(const struct history_choice *choice, const struct measurement *measured,
		       const struct report_set *reports, const struct request *request, struct error *err) MUST_CHECK;

/* The tags of --tag; commit, branch and program take the place of what was found. */
int history_record_tag(struct history_run *run, const struct history_choice *choice, struct arena *arena,
		       struct error *err) MUST_CHECK;

/* The measurement's session as text, '\0' behind *length bytes; the caller frees it. NULL with err. */
char *history_record_session(const struct measurement *measured, size_t *length, struct error *err) MUST_CHECK;

/* ---- history_show.c ---- */

/* Single runs of a history: one by its session, or two side by side. */

/* The report of the run's session; without one a table of its values. */
int history_show(struct history *history, int64_t id, const struct output_choice *choice, const struct request *request,
		 struct error *err) MUST_CHECK;

/* Two runs, the earlier one first. */
/*
 * What differs between two runs that have sessions, as a clause: "82 % of 4.1 M more cycles are DRAM_Bound, mostly in
 * walk, list.c:12". NULL: nothing does, or nobody knows.
 */
const char *history_cause(struct history *history, int64_t before, int64_t after, const struct request *request);

int history_compare(struct history *history, const int64_t *ids, const struct output_choice *choice,
		    const struct request *request, struct error *err) MUST_CHECK;

/* ---- history_import.c ---- */

/* Sessions and tables that were made before there was a history. */

/*
 * Adds what the file has: one run of a session, or of whatever else `topdown report` reads; of a CSV table (its name
 * ends in .csv) a run for each line, or for each run that `topdown history --format csv` has written. Runs that are
 * there already are left out. Returns the number of those that were added. -1 with err: what was added before the
 * error stays, and importing the file again adds the rest.
 */
int history_import(struct history *history, const char *path, const struct history_choice *choice,
		   const struct request *request, struct error *err) MUST_CHECK;

#endif
