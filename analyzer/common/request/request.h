/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * request.h - what a front end asks for: a question, how it is measured, where the answer goes, and the arena in which
 * it lives. The command line is one front end; none below it knows options.
 */
#ifndef TOPDOWN_COMMON_REQUEST_REQUEST_H
#define TOPDOWN_COMMON_REQUEST_REQUEST_H

#include "common/base/arena.h"
#include "common/base/error.h"
#include "common/measurement/question.h"
#include "common/request/setup.h"

struct loop;
struct measurement;
struct outcome; /* engine/engine.h */
struct simulated_so_far;

/* NOTICE_ACTION: what is done next; of use where a person reads it, and no part of what was measured. */
enum severity { NOTICE_PLAIN, NOTICE_WARNING, NOTICE_ACTION };

/* What the front end gets while it waits. Each function may be NULL; -1 with err ends the work. */
struct sink {
	void *context;
	/*
	 * All of the time, before it is evaluated: what was counted is kept whatever happens afterwards. Where it is
	 * kept, the parts' origin.file says so.
	 */
	int (*measured)(void *context, struct measurement *measured, struct error *err);
	int (*outcome)(void *context, const struct outcome *outcome, struct error *err);
	void (*progress)(void *context, size_t run, size_t runs); /* before each run of several; run counts from 1 */
	/*
	 * What a native run says, behind which the program is simulated, for so many seconds at most. NULL: no program
	 * runs natively first.
	 */
	void (*native)(void *context, const struct outcome *outcome, double budget_s);
	void (*simulated)(void *context, const struct simulated_so_far *so_far); /* once a second of a simulation */
	/* A run begins to wait: may add keys to its loop, or what else the caller waits for. NULL: that has ended. */
	void (*attach)(void *context, struct loop *loop);
	/* Intervals of samples alone are handed over too, with the functions that were sampled in each. */
	bool wants_sampled_intervals;
	bool says_where; /* places come without being asked for, as far as they are known: a screen, a page, a ticket */
	bool has_line;	 /* simulated keeps a line on a terminal, where the program's output may be in its way */
	void (*notice)(void *context, enum severity severity, const char *sentence);
};

struct request {
	const struct question *question;
	const struct setup *setup;
	const struct sink *sink;
	struct arena *arena;
};

/* A sentence for the sink, without a prefix or a newline, with the front end's words (common/base/text.h). */
void request_notice(const struct request *request, enum severity severity, const char *format, ...) PRINTF(3, 4);

#endif
