/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine.h - the pipeline as one call: identify, load, plan, count, evaluate. Whoever asks gives a setup, a question
 * and a sink; nothing is printed here. The command line is one such caller.
 */
#ifndef TOPDOWN_ENGINE_ENGINE_H
#define TOPDOWN_ENGINE_ENGINE_H

#include "analyse/evaluate/report.h"
#include "collect/simulate/lookout.h"
#include "common/base/arena.h"
#include "common/base/error.h"
#include "common/base/loop.h"
#include "common/measurement/question.h"
#include "engine/setup.h"

/* NOTICE_ACTION: what is done next; of use where a person reads it, and no part of what was measured. */
enum severity { NOTICE_PLAIN, NOTICE_WARNING, NOTICE_ACTION };

/*
 * An interval, or all of the time: what was counted, and its evaluation part by part, which are none where nothing was
 * counted, but sampled. Both are gone after the call.
 */
struct outcome {
	const struct measurement *measured;
	const struct report_set *reports;
	bool is_last; /* all of the time */
};

/* What the caller gets while the engine works. Each function may be NULL; -1 with err ends the measurement. */
struct sink {
	void *context;
	/*
	 * All of the time, before it is evaluated: what was counted is kept whatever happens afterwards. Where it is
	 * kept, the parts' origin.file says so.
	 */
	int (*measured)(void *context, struct measurement *measured, struct error *err);
	int (*outcome)(void *context, const struct outcome *outcome, struct error *err);
	void (*progress)(void *context, size_t run, size_t runs); /* before each run of several; run counts from 1 */
	void (*simulated)(void *context, const struct simulated_so_far *so_far); /* once a second of a simulation */
	/* A run begins to wait: may add keys to its loop, or what else the caller waits for. NULL: that has ended. */
	void (*attach)(void *context, struct loop *loop);
	/* Intervals of samples alone are handed over too, with the functions that were sampled in each. */
	bool wants_sampled_intervals;
	bool has_line; /* simulated keeps a line on a terminal, where the program's output may be in its way */
	void (*notice)(void *context, enum severity severity, const char *sentence);
};

struct calm;

/* What every step of the engine is given. */
struct engine {
	const struct setup *setup;
	const struct question *question;
	const struct sink *sink;
	struct arena *arena;
	const struct calm *calm; /* --steady (calm.h); NULL: nobody asks */
};

/*
 * Measures what the setup names, and hands each interval and at last all of it to the sink. -1 and err
 * when nothing could be measured, or the sink has failed; err->status is 126 or 127 where the program
 * could not be executed or found.
 */
int engine_measure(const struct setup *setup, const struct question *question, const struct sink *sink,
		   struct arena *arena, struct error *err) MUST_CHECK;

/* A sentence for the sink, without a prefix or a newline. */
void engine_notice(const struct engine *engine, enum severity severity, const char *format, ...) PRINTF(3, 4);

#endif
