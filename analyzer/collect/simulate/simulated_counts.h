/* SPDX-License-Identifier: GPL-2.0-or-later */
/* simulated_counts.h - what the simulator's processes have left in files (simulator/wire.h), added up. */
#ifndef TOPDOWN_COLLECT_SIMULATE_SIMULATED_COUNTS_H
#define TOPDOWN_COLLECT_SIMULATE_SIMULATED_COUNTS_H

#include <stdbool.h>

#include "common/base/table.h"
#include "common/measurement/counts.h"
#include "common/measurement/profile.h"
#include "cpu/event/event.h"
#include "simulator/wire.h"

struct simulated_files {
	const char *folder;
	int pid;	   /* of the program, without whose file the others say nothing */
	bool has_lines;	   /* they have counts by source line too */
	bool has_stacks;   /* ... and by call stack */
	bool has_children; /* what a process became by exec has a file too */
};

/* What one thread counted, or was counted in one region. */
struct simulated_thread {
	const char *label;   /* "thread 2 sort"; "process 2, thread 1 sort" when there are several; a region's name */
	bool is_region;	     /* that the program has marked (include/topdown.h) */
	struct count *items; /* as counts->items */
};

struct simulated_threads {
	struct simulated_thread
		*items; /* in the order of processes, the program's first, and of their threads' beginnings */
	size_t count;
	bool has_unbegun; /* a region was ended where none had begun */
};

/* What another run of the program would do a second time, as its system calls show (wire.h, WIRE_EFFECT_...). */
struct simulated_effects {
	const char *call, *what; /* the first effect of any process; NULL: none, or nothing to name */
	bool has_listened;	 /* on a socket */
	int stop_signal;	 /* that asked one of them to end, which caught it; 0: none */
};

/* A program that one of the processes became, and that was not simulated. */
struct native_program {
	const char *path;
	enum wire_obstacle obstacle;
};

/* What there is beside the sums. */
struct simulated_processes {
	struct simulated_effects effects;
	struct profile *profile;	/* rows by call stack; NULL without lines */
	struct native_program *natives; /* each once */
	size_t nnatives;
	struct simulated_threads threads; /* none where the files have none */
	size_t count;			  /* that the program consisted of */
	size_t lost;			  /* processes, or programs that one of them became, without a whole file */
};

enum simulated_end {
	SIMULATED_WHOLE,
	SIMULATED_CUT,	     /* the program's own file breaks off */
	SIMULATED_VERSIONED, /* a file is in another version of the form */
	SIMULATED_NONE	     /* it is not there */
};

/*
 * Fills counts->items, one for each event of the database in its order, and counts->lines, with what all whole files
 * say together. Where windows of the processes were modelled (WIRE_MODELLED of WIRE_RETIRED), those of all are a sample
 * of the whole. Unless it is SIMULATED_WHOLE nothing is filled.
 */
enum simulated_end simulated_counts_read(struct counts *counts, struct simulated_processes *processes,
					 const struct simulated_files *files, const struct event_database *database,
					 struct arena *arena) MUST_CHECK;

/* ---- simulated_strata.c ---- */

/* What the windows of sampled processes stand for, by the files of counts that these left (simulator/wire.h). */

/*
 * Causes whose slots follow from something that is counted in the whole program, and not in windows only: mispredicted
 * branches, those that fetch does not know, lines and pages.
 */
#define SIMULATED_TRIGGERED 9

/* One of those, and what it follows from. */
struct simulated_triggered {
	double whole_lost, whole_triggers; /* where nothing was left out of the model */
	double lost, modelled;		   /* in windows, */
	double triggers;		   /* and in all that they stand for */
};

/*
 * Instructions: of files in which nothing was left out of the model; of those that were sampled; and of these the
 * modelled ones.
 */
struct simulated_strata {
	double whole, sampled, modelled;
	struct simulated_triggered triggered[SIMULATED_TRIGGERED];
};

/* A count of all of the file; 0: it is not there. */
double simulated_number(const char *text, enum wire_count count);

/* Was a part of the file's program left out of the model? */
bool simulated_is_sampled(const char *text);

void simulated_strata_add(struct simulated_strata *strata, const char *text);

/*
 * What a file's counts of windows are multiplied by, when all files were added. Each file has been extrapolated by
 * itself, as if it were all; a window stands for as much of what was sampled in each of them. Where no window fell into
 * that, the rest stands for it.
 */
double simulated_strata_weight(const struct simulated_strata *strata, const char *text);

/*
 * What the slots that a cause lost in windows are multiplied by besides: there are as many as of all mispredictions,
 * and so on, where windows may have met more or less than their share. What one takes is what it took in the windows;
 * where these met hardly any, what it took in the parts that were modelled in full. 1: of any other count.
 */
double simulated_strata_factor(const struct simulated_strata *strata, enum wire_count cause);

/* The slots that a cause lost of which windows saw nothing; 0: they did, or none are known. */
double simulated_strata_unseen(const struct simulated_strata *strata, enum wire_count cause);

/* ---- simulated_calls.c ---- */

/* The system calls of all simulated processes, by the kernel's names of them. */

struct simulated_calls {
	struct arena *arena;
	struct table seen; /* numbers, as text, to places in items */
	struct system_call *items;
	size_t count, capacity;
};

/* "NUMBER<tab>COUNT" of one process (simulator/wire.h). A wrong line says nothing. */
void simulated_calls_add(struct simulated_calls *calls, char *text);

/* Into the repeat, in the order of their names. */
void simulated_calls_finish(struct simulated_calls *calls, struct repeat *repeat);

#endif
