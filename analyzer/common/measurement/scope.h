/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scope.h - what is counted: whose work, and in which mode of the CPU. */
#ifndef TOPDOWN_COMMON_MEASUREMENT_SCOPE_H
#define TOPDOWN_COMMON_MEASUREMENT_SCOPE_H

#include <stdbool.h>

#include "common/base/arena.h"

/* The program's own instructions, the kernel's on its behalf, or both. */
enum scope { SCOPE_ALL, SCOPE_USER, SCOPE_KERNEL };

/* The words of origin.scope. */
const char *scope_name(enum scope scope);

enum subject_kind {
	SUBJECT_PROGRAM,   /* a program that topdown starts, its threads and children */
	SUBJECT_PROCESSES, /* all threads that they have, and what these start */
	SUBJECT_THREADS,   /* and what they start */
	SUBJECT_CPUS,	   /* whatever runs on them */
	SUBJECT_CGROUP,	   /* all processes in it, on all CPUs */
};

struct selector {
	enum subject_kind kind;
	const char *list; /* "123,124", "0-3", quoted for a shell; NULL: a program, or with SUBJECT_CPUS all of them */
};

/* As topdown's options say it, "-p 123"; NULL: a program. */
const char *selector_text(const struct selector *selector, struct arena *arena);

/* The reverse. False if text is nothing that selector_text makes. The list lives in arena. */
bool selector_parse(struct selector *selector, const char *text, struct arena *arena) MUST_CHECK;

#endif
