/* SPDX-License-Identifier: GPL-2.0-or-later */
/* history_show.h - single runs of a history: one by its session, or two side by side. */
#ifndef TOPDOWN_COMMAND_JOBS_HISTORY_SHOW_H
#define TOPDOWN_COMMAND_JOBS_HISTORY_SHOW_H

#include "command/jobs/output.h"
#include "common/request/request.h"
#include "store/history/history.h"

/* The report of the run's session; without one a table of its values. */
int history_show(struct history *history, int64_t id, const struct output_choice *choice, const struct request *request,
		 struct error *err) MUST_CHECK;

/* Two runs, the earlier one first. */
int history_compare(struct history *history, const int64_t *ids, const struct output_choice *choice,
		    const struct request *request, struct error *err) MUST_CHECK;

#endif
