/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export.h - a profile in the forms that other viewers read, and as a flame graph of our own (plot/flame.h). Names of
 * functions and files are data from strangers: what is no character of a line is written as an escape (cells.h), then
 * each form escapes what means something to it.
 */
#ifndef TOPDOWN_PRESENT_EXPORT_EXPORT_H
#define TOPDOWN_PRESENT_EXPORT_EXPORT_H

#include <stdio.h>

#include "analyse/hotspots/weighing.h"
#include "common/base/error.h"

enum export_form {
	EXPORT_SVG,
	EXPORT_FOLDED,
	EXPORT_SPEEDSCOPE,
	EXPORT_FIREFOX,
	EXPORT_PPROF,
	EXPORT_CALLGRIND,
	EXPORT_FORMS
};

enum export_roots { ROOTS_NONE, ROOTS_PROCESS, ROOTS_THREAD };

enum export_colors { COLORS_MODULE, COLORS_NODE };

/* A node of the tree whose slots are known by row, for colours. */
struct export_node {
	const char *name, *title; /* "tma_dram_bound", "DRAM_Bound" */
	unsigned level;
	uint32_t weighing; /* of the subject's; PROFILE_NONE: it was not located (where all nodes were asked for) */
	uint32_t parent;   /* among the nodes, before this one; PROFILE_NONE: level 1 */
	double slots;	   /* of the whole program; a row's part of them is that of the weighing */
};

struct export_subject {
	const struct profile *profile;
	const struct weighings *weighings;
	uint32_t chosen;     /* the weighing that is shown where a form shows one */
	const char *command; /* what was measured; NULL: unknown */
	enum export_roots roots;
	enum export_colors colors;
	const struct export_node *nodes; /* COLORS_NODE */
	size_t nnodes;
};

/* Two profiles with the same weighing: how the second one differs. */
struct export_pair {
	const struct export_subject *before, *after;
	bool is_normalized; /* shares are compared: what is after is scaled to what was before */
};

struct export_form_row {
	const char *name;	     /* as --to has it */
	const char *const *suffixes; /* of files, then NULL */
	const char *prefix;	     /* of files' names; NULL: none */
	bool is_packed;		     /* what is written has to be compressed with gzip, and is for no terminal */
	const char *missing;	     /* what this program was built without, so that it can't; NULL: it can */
	/* Writes it; memory comes from arena. */
	int (*write)(FILE *out, const struct export_subject *subject, struct arena *arena, struct error *err);
};

extern const struct export_form_row export_forms[EXPORT_FORMS];

/* By its name; EXPORT_FORMS: there is none. */
enum export_form export_form_named(const char *name);

/* By the name of a file; EXPORT_FORMS: it says nothing. */
enum export_form export_form_of_file(const char *path);

#endif
