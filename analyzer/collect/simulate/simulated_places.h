/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * simulated_places.h - from the lines of the simulator's files that say where (simulator/wire.h) to rows of a profile:
 * numbers are those of one file, and equal threads, places and call stacks of several are there once.
 */
#ifndef TOPDOWN_COLLECT_SIMULATE_SIMULATED_PLACES_H
#define TOPDOWN_COLLECT_SIMULATE_SIMULATED_PLACES_H

#include "common/measurement/profile.h"

/* A place of the file. */
struct simulated_place {
	const char *line; /* "LINE<tab>FUNCTION<tab>FILE<tab>OBJECT", as it is there */
	uint32_t place;	  /* of the profile */
	size_t source;	  /* the caller's number of the line + 1; 0 at first */
};

/* A call stack of the file. */
struct simulated_stack {
	uint32_t stack; /* of the profile: where the call was made; PROFILE_NONE: nobody called */
	uint32_t task;	/* of the profile */
	bool is_cut;
};

struct simulated_places {
	struct profile *profile;
	enum stack_method method;
	uint32_t pid;	    /* whose file is read */
	struct table lines; /* numbers of the places that are whole lines, by their sites and texts */
	size_t nlines;
	struct table objects; /* numbers of the names that had been asked for, in files */
	const char **files;
	size_t nfiles, files_capacity;
	/* Of this file, from 1. */
	uint32_t *tasks;
	struct simulated_place *places;
	struct simulated_stack *stacks;
	size_t ntasks, nplaces, nstacks, tasks_capacity, places_capacity, stacks_capacity;
	/* The rows of a stack of the profile: 1 + the last one's number, and that of the one before each. */
	uint32_t *last_rows, *earlier_rows;
	size_t nlast, last_capacity, earlier_capacity;
	uint32_t first_row; /* of the process: rows before it are other tasks' */
};

/* Rows are added to the profile. */
void simulated_places_init(struct simulated_places *places, struct profile *profile, enum stack_method method);

/* The next file begins; all of a process follow each other. */
void simulated_places_begin(struct simulated_places *places, uint32_t pid);

/*
 * The file that an object's name leads to: an executable is called by the symbolic link that started it, where the
 * kernel's samples name its file. NULL stays NULL.
 */
const char *simulated_places_file(struct simulated_places *places, const char *object);

/* A line of the file that defines a thread, a place or a call stack, without its mark. A wrong one says nothing. */
void simulated_places_add_task(struct simulated_places *places, char *text);
void simulated_places_add_place(struct simulated_places *places, char *text);
void simulated_places_add_stack(struct simulated_places *places, char *text);

/* Likewise, of two places whose accesses came to the same lines. */
void simulated_places_add_pair(struct simulated_places *places, char *text);

/* The row that the following counts are of, and its place. NULL where the file is wrong. */
struct profile_row *simulated_places_row(struct simulated_places *places, struct simulated_place **place, char *text);

/* More of a count. */
void simulated_row_add(struct profile_row *row, size_t item, double value, struct arena *arena);

/* The next field before a tab, in place; NULL for an empty one, which is unknown. */
const char *simulated_field(char **cursor);

#endif
