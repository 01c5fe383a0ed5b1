/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * action.h - what can be done next, as data. analyse says what; the front end says how its users ask for it, on a
 * command line "topdown -l4 ./prog", and another one may do it at once.
 */
#ifndef TOPDOWN_COMMON_MEASUREMENT_ACTION_H
#define TOPDOWN_COMMON_MEASUREMENT_ACTION_H

#include <stddef.h>

#include "common/base/arena.h"
#include "common/measurement/counts.h"
#include "common/measurement/question.h"

enum action_kind {
	ACTION_NONE,
	ACTION_MEASURE, /* the work of origin once more, with its options and this question */
	ACTION_METRICS, /* the same for question.metrics alone */
	ACTION_SAMPLE,	/* the work of origin is only sampled, for question.nodes */
	ACTION_REPORT,	/* this question to the counts that are in origin->file, which costs no run */
	ACTION_COMPARE, /* two files of counts */
	ACTION_PAIRS,	/* two commands, measured alternately */
};

struct action {
	enum action_kind kind;
	const char *command; /* as the front end's users ask for it; NULL: there is no action, or they can't */
	const struct origin *origin;
	struct question question;   /* the level, the lists, the causes, the lines and the annotated function of it */
	bool is_simulated;	    /* by the simulator, whoever counted before */
	bool tries_causes;	    /* simulated again without each of the worst causes, which shows what each costs */
	unsigned layouts;	    /* 0: one */
	size_t repeats;		    /* 0: as usual */
	const char *save;	    /* the file that keeps it; NULL: none */
	const char *before, *after; /* the two files or commands */
};

/* The action with its command. */
struct action action_make(const struct action *action, struct arena *arena);

/* What was measured, or a word for a program that nobody knows; NULL: it was no program. */
const char *action_program(const struct origin *origin);

/* The front end's: the command, in arena. Without one: NULL. */
const char *front_end_command(const struct action *action, struct arena *arena);

#endif
