/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gate_baseline.h - what a gate compares with: a file, a program, or a run of a history. */
#ifndef TOPDOWN_COMMAND_JOBS_GATE_BASELINE_H
#define TOPDOWN_COMMAND_JOBS_GATE_BASELINE_H

#include "command/jobs/history_record.h"
#include "common/measurement/counts.h"

/* topdown gate */
struct gate_choice {
	const char *limits, *baseline; /* files; NULL: not given */
	bool wants_update;
	unsigned form; /* enum gate_form */
};

struct gate_baseline {
	const char *path;    /* NULL: there is none */
	const char *program; /* the path is a program's, which is measured in turns with that of now; else NULL */
	struct measurement *measured; /* of a file; NULL: none, or not yet */
	const char *label;
	bool is_of_history; /* its last accepted run; path is NULL */
};

/* What --baseline names, else --history, else topdown-baseline.json.gz (.json), else TOPDOWN_HISTORY. */
int gate_find_baseline(struct gate_baseline *baseline, const struct gate_choice *choice,
		       const struct history_choice *history, const struct request *request,
		       struct error *err) MUST_CHECK;

/* Where --update writes it. */
const char *gate_baseline_path(const struct gate_baseline *baseline);

#endif
