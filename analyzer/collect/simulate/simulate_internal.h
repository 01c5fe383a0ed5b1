/* SPDX-License-Identifier: GPL-2.0-or-later */
/* simulate_internal.h - the steps of a simulation: its frame, its passes. */
#ifndef TOPDOWN_COLLECT_SIMULATE_SIMULATE_INTERNAL_H
#define TOPDOWN_COLLECT_SIMULATE_SIMULATE_INTERNAL_H

#include <stdbool.h>

#include "collect/count/count.h"
#include "collect/simulate/native.h"
#include "collect/simulate/simulate.h"
#include "collect/simulate/simulated_counts.h"
#include "collect/simulate/unsimulated.h"
#include "common/base/arena.h"
#include "common/measurement/profile.h"

/* What modelling a long program takes where nobody says how long it may (simulate.c). */
#define USUAL_SECONDS 10.0

/* ---- passes.c ---- */

/* Between the files of simulate: one run of the program on one core, of which a simulation has several. */

/* What comes of it. */
struct outcome {
	struct counts *counts;
	struct simulated_processes processes;
	bool is_stopped; /* before the program had ended, as its time was up or it was about to have an effect */
	const char *stopping_effect; /* that it was about to have: "it opened out.txt for writing"; NULL: time was up */
};

/*
 * Runs the program once, the run's number being that of its layout where there are several. -1 when it could not be
 * run, or left no counts.
 */
int simulate_pass(struct outcome *outcome, const struct simulation *simulation, struct plain_run run,
		  struct arena *arena, struct error *err) MUST_CHECK;

/* Of the first repeat; 0: it has no such event. */
double count_of(const struct counts *counts, const char *event);

/* One more sentence about the first repeat's counts. */
void add_remark(struct counts *counts, const char *remark, struct arena *arena);

/* What is not among the counts. */
struct unsimulated find_unsimulated(const struct outcome *outcome, const struct simulation *simulation);

/* ---- sim_environment.c ---- */

/*
 * What a simulated program starts with: its environment, its path, and where its stack is. Pinned, these are the
 * same in every folder and for every user. A layout moves the stack.
 */

struct sim_environment {
	char **environment; /* NULL-terminated, with VALGRIND_LIB */
	const char *path;   /* of the program, which is its argv[0] */
};

struct sim_environment_choice {
	bool is_pinned;
	unsigned layout; /* from 0, which moves nothing */
};

/*
 * library: Valgrind's own files. Pinned, the environment is PATH, LD_LIBRARY_PATH and TMPDIR, with HOME, LANG, LC_ALL
 * and TZ of nobody. The variable TOPDOWN_PAD makes all texts on the stack together as long as anywhere.
 */
void sim_environment_make(struct sim_environment *frame, const struct sim_environment_choice *choice,
			  const struct program *program, const char *library, struct arena *arena);

/* ---- simulator.c ---- */

/* All that a program says, with VALGRIND_LIB as given; NULL: it could not be started, err may say why. */
const char *ask_program(const char *const *words, const char *library, struct arena *arena, struct error *err);

/* ---- hidden_code.c ---- */

/*
 * Where the program spent at least a part of its work, as a clause; NULL: nowhere. Without a profile it is what was
 * known before. items: as counts have.
 */
const char *hidden_code_work(const struct hidden_code *hidden, const struct profile *profile,
			     const struct repeat *repeat, struct arena *arena);

/* ---- hidden_instructions.c ---- */

enum hidden_number { HIDDEN_AVX512, HIDDEN_SHA, HIDDEN_VAES, HIDDEN_SVE, HIDDEN_KINDS };

struct hidden_kind {
	const char *flag, *name;		  /* in /proc/cpuinfo; as people write it */
	unsigned char first;			  /* byte of such an instruction, behind other prefixes */
	bool (*is_it)(const unsigned char *code); /* sixteen bytes from there; NULL: nobody looks for it */
};

const struct hidden_kind *hidden_kind(size_t number); /* enum hidden_number */

#define MOST_LOADER 256

/* What the code of an ELF file has. */
struct code_file {
	unsigned kinds;		  /* of those that were wanted */
	char loader[MOST_LOADER]; /* that the program names; "": none */
};

/*
 * Of a file that can't be read there is nothing. A program without a loader has the C library in it, whose string
 * functions always have code of vectors: that is left out.
 */
void code_file_read(struct code_file *read, const char *path, unsigned wanted);

#endif
