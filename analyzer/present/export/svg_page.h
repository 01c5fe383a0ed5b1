/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * svg_page.h - the picture that flame graphs are: a head, a legend, a rectangle for each box, and the script. All that
 * is said stands in texts and tooltips, so that no script is needed to read it. Colours are attributes, so that a page
 * may forbid styles of its own. As a part of a page of HTML it has the page's script (page.js) instead.
 */
#ifndef TOPDOWN_PRESENT_EXPORT_SVG_PAGE_H
#define TOPDOWN_PRESENT_EXPORT_SVG_PAGE_H

#include <stdio.h>

#include "common/base/arena.h"
#include "present/export/call_tree.h"

/* ---- boxes.c ---- */

/* Which calls of a tree a flame graph shows, where each stands, and what colour it has. */

#define LEAST_SHARE_OF_WIDTH 0.0005 /* narrower calls are merged with those beside them */
#define PALETTE		     8	    /* colours that mean something; behind them greys */

enum grey { GREY_OTHER = PALETTE, GREY_FEW, GREY_NONE, BOX_COLORS };

struct box {
	uint32_t call;	     /* PROFILE_NONE: several that are too narrow */
	uint32_t parent;     /* among the boxes */
	uint32_t depth;	     /* 0: the whole */
	uint32_t merged;     /* PROFILE_NONE: the number of them */
	double begin, width; /* in the weighing's unit */
	uint64_t samples;
	uint32_t kind;	/* among what colours stand for: the module, or the node; PROFILE_NONE: neither */
	unsigned color; /* below BOX_COLORS */
	bool has_few;	/* samples, for a colour by node */
};

struct box_legend {
	const char *title;
	unsigned color;
};

struct boxes {
	struct box *items; /* callers before what they call, from left to right */
	uint32_t count;
	uint32_t *of;	 /* each call's box + 1; 0: none of its own */
	uint32_t depth;	 /* of the deepest */
	uint32_t hidden; /* calls that are in no box of their own */
	double whole;
	struct box_legend legend[BOX_COLORS];
	size_t nlegend;
};

/* Where they stand, without colours. The first one stands for all of the whole, which may be more than the tree has. */
void boxes_place(struct boxes *boxes, const struct call_tree *tree, double whole, struct arena *arena);

/* Is that too narrow for a box of its own? */
bool boxes_is_narrow(const struct boxes *boxes, double weight);

/* What a colour means, where a box has it. */
void boxes_legend(struct boxes *boxes, const char *title, unsigned color);

/* With the colours that the subject wants. */
void boxes_init(struct boxes *boxes, const struct export_subject *subject, const struct call_tree *tree,
		struct arena *arena);

/* ---- svg_page.c ---- */

struct svg_page {
	FILE *out;
	const struct boxes *boxes;
	const char *const *fills; /* by the boxes' color: "#rrggbb", light enough for dark text */
	const char *title, *facts;
	bool is_part; /* of a page of HTML */
	double top;   /* of the first box; svg_begin finds it */
	struct arena *arena;
};

/* What a box says. */
struct svg_box {
	const char *name;    /* the first line of its tooltip too */
	const char *details; /* further lines of it */
};

void svg_begin(struct svg_page *page);
void svg_box(const struct svg_page *page, const struct box *box, const struct svg_box *said);
void svg_end(const struct svg_page *page);

/* "1,234,567" */
const char *svg_grouped(uint64_t value, struct arena *arena);

/* "12.345 ms" where the unit is ns; else "1,234 slots". */
const char *svg_amount(const struct weighing *weighing, double weight, struct arena *arena);

/* "a.out, src/a.c": where a function is. */
const char *svg_home(const struct export_function *function, struct arena *arena);

/* ---- difference.c ---- */

/*
 * Two profiles as one, in which equal functions of equal modules are one function: what a flame graph of their
 * difference is made of. Nothing of either is lost.
 */

enum side { BEFORE, AFTER, SIDES };

/* What a call has on each side; after is scaled where the pair is normalized. */
struct compared {
	double self[SIDES], total[SIDES]; /* of the weighing */
	uint64_t samples[SIDES];	  /* in total; 0: none, or exact */
};

struct difference {
	struct profile profile; /* rows of the first one, then those of the second; without tasks */
	uint32_t first;		/* row of the second one */
	const struct weighing *weighings[SIDES];
	double wholes[SIDES]; /* of the weighings, scaled */
	double scale;	      /* of the values after */
	struct weighing mean; /* of both sides, row by row: a half of what a row has */
	struct export_frames functions;
	struct call_tree tree;
	struct compared *calls; /* of the tree */
};

void difference_init(struct difference *difference, const struct export_pair *pair, struct arena *arena);

/*
 * Could chance have made the difference, of samples? McNemar's test with Edwards' correction (Psychometrika 13, 1948)
 * for weights: at 5 %. Of exact values never.
 */
bool is_by_chance(const struct difference *difference, const struct compared *compared);

#endif
