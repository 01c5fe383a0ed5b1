/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pairs.h - two commands, measured in turns: in each pair both, in an order that chance decides and the next pair
 * reverses (ABBA or BAAB), so that whatever drifts on the machine meets both alike.
 */
#ifndef TOPDOWN_ENGINE_PAIRS_H
#define TOPDOWN_ENGINE_PAIRS_H

#include <stddef.h>
#include <sys/types.h>

#include "common/base/arena.h"
#include "common/base/error.h"
#include "common/base/shell_words.h"
#include "common/measurement/counts.h"
#include "engine/engine.h"

struct pair_command {
	const char *text; /* what errors and notices call it */
	struct shell_words words;
};

struct pair_request {
	const struct setup *setup; /* how, but for its program's words; packing.repeats pairs, 0: USUAL_PAIRS */
	const struct question *question;
	struct pair_command commands[2]; /* before and after */
	const char *cpus;		 /* both run on these, "0-3,8"; NULL: on any */
	bool is_duet;			 /* both at once, on two CPUs, which they swap from pair to pair */
	unsigned warmups;		 /* so many runs of each before, which are not measured */
	const char *prepare;		 /* a shell command before each run, not measured either; NULL: none */
	bool takes_failures;		 /* a command that ends with another status than 0 is compared all the same */
};

enum pair_way {
	PAIRS_COUNTED,	/* with this machine's counters */
	PAIRS_TIMED,	/* no counter can be opened: wall time and CPU time, and one sampled run more of each */
	PAIRS_SIMULATED /* one simulation each, which repeats itself */
};

struct pairs {
	enum pair_way way;
	struct measurement sides[2]; /* repeat i of both is pair i; they live in the arena */
	size_t count;
	int cut_by;	    /* the signal that ended it before all pairs were made; 0: none */
	const char *remark; /* which says so; NULL: nothing to say */
};

#define USUAL_PAIRS 10

/*
 * The sink gets progress and notices, which are those of the first pair; the measurements are in pairs alone. -1 where
 * a command can't be run (err->status 126 or 127), or not even one pair could be measured.
 */
int pairs_measure(struct pairs *pairs, const struct pair_request *request, const struct sink *sink, struct arena *arena,
		  struct error *err) MUST_CHECK;

/* ---- pair_process.c ---- */

/* A measurement in a process of its own, on one CPU, so that two of them can run at once. */

struct pair_process {
	pid_t pid;
	int channel; /* what it measured comes from there */
};

/* What is done in that process. */
struct pair_process_work {
	int (*measure)(void *context, struct measurement *result, struct error *err);
	void *context;
	size_t cpu;
};

/* Starts it; then finish it. -1 where no process can be made. */
int pair_process_start(struct pair_process *apart, const struct pair_process_work *work, struct error *err) MUST_CHECK;

/* Waits for it. The result lives in arena. -1 and the error that it met. */
int pair_process_finish(struct measurement *result, const struct pair_process *apart, struct arena *arena,
			struct error *err) MUST_CHECK;

/* What is not measured, in a process too. */

struct input;
struct program;

/*
 * Runs it from its start to its end, and hides its output. number: of the run, whose input it reads. cut_by gets the
 * signal that came meanwhile, unless it has one. Returns the exit status; -1 and err.
 */
int pair_run_silently(const struct program *program, struct input *input, size_t number, int *cut_by,
		      struct error *err) MUST_CHECK;

/* The shell runs command, which reads nothing: what the pairs read is theirs. -1 where it fails. NULL does nothing. */
int pair_prepare(const char *command, int *cut_by, struct arena *arena, struct error *err) MUST_CHECK;

/* ---- gate_runs.c ---- */

/* How a gate measures: in the way of its baseline, or in turns with the program as it was. */

/*
 * Completes what the setup leaves open. was: how the baseline was measured; PMU_AUTO: there is none, and this machine's
 * counters are used where one opens. Simulated: pinned, in five layouts, all levels. Counted: ten times. The question
 * gets functions where it has no places. setup->options then says so, in the arena. -1 and err where the setup
 * contradicts it.
 */
int gate_runs_choose(struct setup *setup, struct question *question, enum pmu_choice was, struct arena *arena,
		     struct error *err) MUST_CHECK;

struct gate_runs_request {
	const struct setup *setup;
	const struct question *question;
	const char *before; /* file of the program as it was, which gets the same arguments; NULL: no turns */
};

struct gate_runs {
	struct measurement before; /* with turns; else it has no parts */
	struct measurement now;
};

/*
 * The sink gets progress and notices; the measurements are in runs, have parts, and live in the arena. -1 and err as of
 * engine_measure and pairs_measure, or where nothing was measured.
 */
int gate_runs_measure(struct gate_runs *runs, const struct gate_runs_request *request, const struct sink *sink,
		      struct arena *arena, struct error *err) MUST_CHECK;

#endif
