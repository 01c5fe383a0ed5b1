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

/* ---- simulated_files.c ---- */

/* PID.N.counts: counts of the Nth program that process PID became by exec, from 0. */
struct counts_file {
	const char *name;
	bool is_own;	   /* the program's */
	bool has_exec;	   /* another program took its process's place, or was to, and is simulated */
	bool is_replaced;  /* by one that is not, unless a file of the same process follows */
	bool is_continued; /* the process's next file has more of the same program */
	uint64_t pid, number;
	char *text; /* NULL: it is not whole */
};

/*
 * The program's own first, the others as they were started, as far as their numbers show it. Those that are not whole
 * have no text, which the program's own has to have.
 */
enum simulated_end counts_files_load(struct counts_file **sorted, size_t *count, const struct simulated_files *files,
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
	double lost, modelled; /* in windows, */
	double triggers;       /* and in all that they stand for */
};

#define SIMULATED_SUMS (WIRE_SAMPLE_BACKEND_SLOTS - WIRE_SAMPLE_WINDOWS + 1)

/* Files whose windows stand for equally long stretches of their programs (WIRE_STRATUM). */
struct simulated_stratum {
	double sampled, modelled; /* instructions: all, and those in windows */
	struct simulated_triggered triggered[SIMULATED_TRIGGERED];
	double sums[SIMULATED_SUMS]; /* from WIRE_SAMPLE_WINDOWS on */
};

#define SIMULATED_STRATA 64 /* more than a program of 2^64 instructions has */

struct simulated_strata {
	double whole; /* instructions of files in which nothing was left out of the model */
	double whole_lost[SIMULATED_TRIGGERED], whole_triggers[SIMULATED_TRIGGERED];
	struct simulated_stratum items[SIMULATED_STRATA];
};

/* A count of all of the file; 0: it is not there. */
double simulated_number(const char *text, enum wire_count count);

/* Was a part of the file's program left out of the model? */
bool simulated_is_sampled(const char *text);

void simulated_strata_add(struct simulated_strata *strata, const char *text);

/* When all files were added, before anything is asked: a stratum without windows is part of the one before. */
void simulated_strata_join(struct simulated_strata *strata);

/* Of a file. */
size_t simulated_strata_find(const char *text);

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
double simulated_strata_factor(const struct simulated_strata *strata, size_t stratum, enum wire_count cause);

/* The slots that a cause lost of which windows saw nothing; 0: they did, or none are known. */
double simulated_strata_unseen(const struct simulated_strata *strata, size_t stratum, enum wire_count cause);

/*
 * A sum over windows (WIRE_SAMPLE_...) as if all strata were one: with the totals and the interval of all of them
 * together, each by its own windows (Cochran, Sampling Techniques, chapter 5; Satterthwaite's degrees of freedom).
 */
double simulated_strata_sum(const struct simulated_strata *strata, enum wire_count sum);

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
