/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * count.h - the collector: runs the program once for each run of the plan and counts its groups with perf_event_open. The
 * only module that makes perf system calls.
 */
#ifndef TOPDOWN_COUNT_H
#define TOPDOWN_COUNT_H

#include "evaluate/counts.h"
#include "identify/machine.h"
#include "plan/plan.h"

struct launch {
	const struct plan *plan;
	const struct model *model;     /* whose events the plan numbers */
	const struct machine *machine; /* for the sentences about refusals, and its TSC */
	char *const *argv;	       /* the program and its arguments, NULL-terminated */
	const char *path;	       /* where it was found: program_find */
	/* Told before each run; may be NULL. run counts from 1. */
	void (*progress)(void *context, size_t run, size_t runs);
	void *context;
};

/*
 * Finds the program as execvp would: -1 with err->status 127 when it is not found, 126 when it is not executable.
 */
int program_find(const char **path, const char *name, struct arena *arena, struct error *err) MUST_CHECK;

/*
 * Counts the whole plan and fills counts (items, runs, groups, scope; the caller fills cpu, facts and what is known of the machine).
 * The program's stdin, stdout and stderr are its own in the first run; later runs get the same stdin again and print to
 * /dev/null. SIGINT and SIGTERM are passed on, end the series after the current run, and what was counted is kept.
 * -1 when the program could not be run (126, 127) or nothing could be counted: err names the cause and the remedy.
 */
int count_program(struct counts *counts, const struct launch *launch, struct arena *arena,
		  struct error *err) MUST_CHECK;

/*
 * How many general counters one group can use, found by opening groups of growing size (row: an event that every general
 * counter can count). Returns 0 and err when not even one opens: the refusal, with its cause and the command that changes it.
 */
unsigned count_probe_counters(const struct pmu *pmu, const struct event_row *row, const struct machine *machine,
			      struct error *err);

/* One sentence for a refused perf_event_open: the cause and what changes it. machine gives paranoid, hypervisor, PMUs. */
int refusal(struct error *err, int error_number, const struct machine *machine, const char *event);

#endif
