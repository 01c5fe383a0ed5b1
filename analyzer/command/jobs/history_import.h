/* SPDX-License-Identifier: GPL-2.0-or-later */
/* history_import.h - sessions and tables that were made before there was a history. */
#ifndef TOPDOWN_COMMAND_JOBS_HISTORY_IMPORT_H
#define TOPDOWN_COMMAND_JOBS_HISTORY_IMPORT_H

#include "command/jobs/remembered.h"
#include "store/history/history.h"

/*
 * Adds what the file has: one run of a session, or of whatever else `topdown report` reads; of a CSV table (its name
 * ends in .csv) a run for each line, or for each run that `topdown history --format csv` has written. Runs that are
 * there already are left out. Returns the number of those that were added. -1 with err: what was added before the
 * error stays, and importing the file again adds the rest.
 */
int history_import(struct history *history, const char *path, const struct history_choice *choice,
		   const struct request *request, struct error *err) MUST_CHECK;

#endif
