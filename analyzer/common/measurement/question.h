/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * question.h - what a user wants to know of a program: asked by the command line, kept in a
 * session, answered by evaluate.
 */
#ifndef TOPDOWN_COMMON_MEASUREMENT_QUESTION_H
#define TOPDOWN_COMMON_MEASUREMENT_QUESTION_H

#include <stdbool.h>

/* Which parts are shown of what is counted by CPU; none: all of it as one. */
struct division {
	bool is_whole, by_socket, by_core, by_cpu;
	double idle_percent; /* parts with less of the cycles of the busiest are not shown; 0: all are */
};

enum profile_parts { BY_NOTHING, BY_THREAD, BY_PROCESS, BY_MODULE, BY_INTERVAL };

/* Of a profile only this, or that: a name or a number; NULL: all. Not in sessions. */
struct profile_filter {
	const char *thread, *process;
	const char *module;    /* of the place itself, whoever called it */
	double limit;	       /* percent; rows with less are summed up; 0: as the form of the output has it */
	enum profile_parts by; /* a table of the shares of each */
	bool is_by_default;    /* nobody asked for that: a screen that has shown them leaves it out */
};

/* Lists are as they were typed, NULL where nothing was; cpu/load/select.h says what they may contain. */
struct question {
	unsigned level;			      /* deepest level of the tree; 0: not given */
	const char *nodes, *groups, *metrics; /* --nodes, --groups, --metrics */
	const char *events;		      /* -e: counted as well */
	const char *calls; /* --syscalls of a simulation, which has all of them: those that are shown */
	struct division division;
	bool wants_causes;     /* -B: the bottleneck view */
	bool wants_worst_only; /* --only-bottleneck: of the report the worst path; not in sessions */
	bool wants_lines;      /* --lines: where in the program the worst node is */
	bool wants_functions;  /* --functions: the same by function only */
	const char *callers;   /* --callers FUNC: who calls it, and whom it calls */
	const char *annotated; /* --annotate FUNC: its source and instructions */
	const char *source;    /* --source DIR: where sources are looked for first; not in sessions */
	struct profile_filter filter;
	bool is_implied;	/* where: nobody asked, but the form of the output says it by itself; not in sessions */
	bool wants_roofline;	/* topdown roofline PROGRAM: how far it is from the ceilings */
	unsigned nper_function; /* --per-function N: a tree for each of the N hottest functions; 0: none */
};

/* Is anything but a level asked for? */
static inline bool question_is_selecting(const struct question *question)
{
	return question->nodes || question->groups || question->metrics || question->wants_causes;
}

/* Is anything asked for that needs samples of where nodes are, or their exact lines? */
static inline bool question_is_located(const struct question *question)
{
	return question->wants_lines || question->wants_functions || question->callers || question->annotated ||
	       question->filter.by != BY_NOTHING;
}

/* Is anything asked for that needs a profile? */
static inline bool question_is_where(const struct question *question)
{
	return question_is_located(question) || question->nper_function;
}

#endif
