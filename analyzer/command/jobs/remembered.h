/* SPDX-License-Identifier: GPL-2.0-or-later */
/* remembered.h - a measurement as a run of a history: what --history FILE.db adds, and `topdown history import`. */
#ifndef TOPDOWN_COMMAND_JOBS_REMEMBERED_H
#define TOPDOWN_COMMAND_JOBS_REMEMBERED_H

#include "analyse/evaluate/report.h"
#include "command/options.h"
#include "store/history/history.h"

/* The file that --history or TOPDOWN_HISTORY names; NULL: neither. */
const char *history_path(const struct options *options);

/* Before the program runs: can a run be added there? The file is made where it is missing. */
int remembered_check(const struct options *options, struct error *err) MUST_CHECK;

/* What is known of a measurement by itself, with its values. It borrows from all of them, and lives in arena. */
void remembered_describe(struct history_run *run, const struct measurement *measured, const struct report_set *reports,
			 struct arena *arena);

/*
 * Adds a measurement of this machine in this directory's checkout, with the session; of `gate --update` as an accepted
 * one.
 */
int remembered_add(const struct options *options, const struct measurement *measured, const struct report_set *reports,
		   struct arena *arena, struct error *err) MUST_CHECK;

/* The tags of --tag; commit, branch and program take the place of what was found. */
int remembered_tag(struct history_run *run, const struct options *options, struct arena *arena,
		   struct error *err) MUST_CHECK;

/* The measurement's session as text, '\0' behind *length bytes; the caller frees it. NULL with err. */
char *remembered_session(const struct measurement *measured, size_t *length, struct error *err) MUST_CHECK;

#endif
