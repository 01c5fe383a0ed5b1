/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * explored.h - where every node of a tree is, for whoever explores it on a page or in a terminal: functions, lines and
 * calls, each with its part of all nodes at once, and what of it was when. Pure; explored_data.c writes it into a page.
 *
 * A part is in percent points: of the base (cycles, time) of all of it, of a node of what the node is a share of. So
 * the parts of all functions come to the node's own value, less what belongs to no function.
 */
#ifndef TOPDOWN_PRESENT_EXPLORER_EXPLORED_H
#define TOPDOWN_PRESENT_EXPLORER_EXPLORED_H

#include "present/export/call_tree.h"
#include "present/export/export.h"

struct timeline;

/* Where something's values begin: the base's, then one of each node. */
enum { EXPLORED_BASE, EXPLORED_NODES };

struct explored_function {
	uint32_t number; /* of functions.items */
	double *values;
};

struct explored_line {
	uint32_t function;
	const char *file; /* safe to show */
	uint32_t line;
	double *values;
};

/* Of a function whose code is known; its text is filled in by whoever reads programs. */
struct explored_instruction {
	uint32_t function; /* that the code is of, whatever is inlined there */
	uint32_t module;   /* of the profile */
	uint64_t address;  /* in its module */
	const char *file;  /* of its source line, safe to show; NULL: unknown */
	uint32_t line;
	const char *text; /* "jne    1139"; NULL: it was not read */
	double *values;
};

/* Several that are too narrow are one, whose function is PROFILE_NONE. Callers stand before what they call. */
struct explored_call {
	uint32_t function, parent; /* PROFILE_NONE: of the first one, which stands for all */
	double *values;		   /* its own, without what it calls */
};

/* Part of a call in an interval of a sampled profile. */
struct explored_part {
	uint32_t moment, call;
	double *values;
};

/* What was read of a source file: lines from `first` on. */
struct explored_source {
	const char *file; /* as in a line */
	uint32_t first;
	const char *const *lines;
	size_t count;
};

/* What there is more than is in a table. */
struct explored_rest {
	size_t count;
	double base; /* percent */
};

struct explored {
	const struct export_subject *subject;
	const struct weighing *base; /* NULL: nothing was located, the nodes are all */
	size_t nvalues;		     /* of everything: EXPLORED_NODES + subject->nnodes */
	struct export_frames functions_of;
	struct explored_function *functions; /* the largest part first */
	size_t nfunctions;
	struct explored_line *lines; /* the same */
	size_t nlines;
	struct explored_rest more_functions, more_lines;
	struct explored_instruction *instructions; /* by function, then by address */
	size_t ninstructions;
	struct explored_call *calls;
	uint32_t ncalls;
	const struct timeline *timeline; /* NULL: there is one interval only */
	double (*moments)[2];		 /* of profiles: from and to, s */
	size_t nmoments;
	struct explored_part *parts; /* by moment, then by call */
	uint32_t nparts;
	size_t *phases; /* points or moments at which one begins, the first of them 0 */
	size_t nphases;
	struct explored_source *sources;
	size_t nsources;
};

#define EXPLORED_CODES	 20   /* functions whose instructions are there */
#define EXPLORED_LEAST	 0.01 /* percent points of a row in a table behind the first EXPLORED_ROWS */
#define EXPLORED_ROWS	 200
#define EXPLORED_MOST	 2000
#define EXPLORED_NARROW	 0.05 /* percent of the base: calls with less are merged */
#define EXPLORED_PARTS	 8000 /* of calls in moments: where there are more, two moments become one */
#define EXPLORED_FEWEST	 32   /* moments, however many parts these have */
#define EXPLORED_DEEPEST 250  /* callers of a call; deeper ones are merged too */

/* Lives in arena, and borrows the subject, whose chosen weighing is the base. timeline: NULL, or the measurement's. */
void explored_fill(struct explored *explored, const struct export_subject *subject, const struct timeline *timeline,
		   struct arena *arena);

/* The largest part of any cause: what rows are sorted by. */
double explored_size(const struct explored *explored, const double *values);

/* ---- explored_time.c ---- */

struct timeline_row;

/* A node over the timeline's points; NULL: it was not measured over time. */
const struct timeline_row *explored_series(const struct explored *explored, size_t node);
/* Its points, else its moments: what a page calls a span is from one to another. */
size_t explored_moments(const struct explored *explored);
/* Where one begins (end 0) or ends (1), s. */
double explored_moment(const struct explored *explored, size_t moment, int end);
/* The first and the last one whose middle is in that time, else the one that its middle is in; false: none. */
bool explored_span(const struct explored *explored, double from_s, double to_s, size_t span[2]);
/* How much a point counts when several are taken together: its cycles, else its length. */
double explored_weight(const struct explored *explored, size_t point);
/* A node's mean from a point to another, that one too; NAN: it was not measured there. */
double explored_mean(const struct explored *explored, size_t node, size_t from, size_t to);

void explored_fill_phases(struct explored *explored, struct arena *arena);

/* ---- explored_data.c ---- */

#define EXPLORED_ID "topdown-view"

/* As a page has it: gzip in base64, or JSON where nothing compresses; *type is the block's. NULL: no memory. */
const char *explored_block(const struct explored *explored, const char **type, struct arena *arena);

/* ---- explored_screen.c ---- */

/*
 * The same in a terminal's window: functions with level 1 of each, then the lines of one. Keys change what is shown,
 * and drawing writes lines; what a terminal is, command/pages/command_view.c knows.
 */

struct style;
struct string;

/* Keys that are no character. */
enum { KEY_UP = 0x100, KEY_DOWN, KEY_PAGE_UP, KEY_PAGE_DOWN, KEY_HOME, KEY_END, KEY_ENTER, KEY_ESCAPE, KEY_ERASE };

struct explored_view {
	const struct explored *explored;
	size_t node;	   /* among the subject's; SIZE_MAX: the base */
	size_t span;	   /* a phase, or an interval of a profile, from 1; 0: all of the time */
	uint32_t function; /* whose lines are shown, of functions_of.items; PROFILE_NONE: functions are */
	size_t row, above; /* chosen, and the function that was, among those that are shown */
	size_t page;	   /* rows of the last window */
	char word[64];	   /* that names have; "": any */
	bool is_typing;	   /* it is being typed */
};

void explored_view_init(struct explored_view *view, const struct explored *explored);

/* A character, or one of the keys. False: it is to end. */
bool explored_view_take(struct explored_view *view, int key, struct arena *arena);

struct explored_window {
	size_t columns, rows; /* rows SIZE_MAX: a page of paper, without what keys do */
	const struct style *style;
};

/* Its lines, each with its newline, at most rows of them. */
void explored_view_draw(struct string *text, struct explored_view *view, const struct explored_window *window,
			struct arena *arena);

/* ---- explored_picture.c ---- */

struct document;

/* What a page explores: one measurement, or of a pair both. */
struct explored_sides {
	struct explored *before, *after; /* NULL: there is none, as after of one measurement */
	bool is_pair;
};

/* The place that explorer.js fills, and its data. */
void explored_section(struct document *doc, const struct explored_sides *sides);

#endif
