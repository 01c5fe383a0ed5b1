/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flame.h - flame graphs: a profile's calls as nested boxes, the outermost on top; of two profiles what differs. Each
 * is an SVG file with a script of its own. All words stand in texts and tooltips, so that no script is needed to read
 * them. A page explores a profile instead (present/explorer/explored.h).
 */
#ifndef TOPDOWN_PRESENT_PLOT_FLAME_H
#define TOPDOWN_PRESENT_PLOT_FLAME_H

#include "present/document/document.h"
#include "present/export/call_tree.h"
#include "present/plot/boxes.h"

/* Of a profile as an SVG file it is a form of export (forms.h). What differs names what only one of them has too. */
void flame_difference_write(FILE *out, const struct export_pair *pair, struct arena *arena);

/* ---- flame_boxes.c ---- */

/* Which calls of a tree a flame graph shows, where each stands, and what colour it has. */

#define LEAST_SHARE_OF_WIDTH 0.0005 /* narrower calls are merged with those beside them */
#define PALETTE		     8	    /* colours that mean something; behind them greys */

enum grey { GREY_OTHER = PALETTE, GREY_FEW, GREY_NONE, FLAME_COLORS };

struct flame_box {
	struct box box;	 /* in the weighing's unit */
	uint32_t call;	 /* PROFILE_NONE: several that are too narrow */
	uint32_t parent; /* among the boxes */
	uint32_t merged; /* PROFILE_NONE: the number of them */
	uint64_t samples;
	uint32_t kind;		    /* among what colours stand for: the module, or the node; PROFILE_NONE: neither */
	unsigned color;		    /* below FLAME_COLORS */
	bool has_few;		    /* samples, for a colour by node */
	const char *name, *details; /* the first line of its tooltip, and the others; safe to show */
};

struct flame_legend {
	const char *title;
	unsigned color;
};

/* Boxes, and what is drawn around them. */
struct flame {
	struct flame_box *items; /* callers before what they call, from left to right */
	uint32_t count;
	uint32_t *of;	 /* each call's box + 1; 0: none of its own */
	uint32_t depth;	 /* of the deepest */
	uint32_t hidden; /* calls that are in no box of their own */
	double whole;
	const char *title, *facts; /* safe to show */
	const char *const *fills;  /* by the boxes' color: "#rrggbb", light enough for dark text */
	struct flame_legend legend[FLAME_COLORS];
	size_t nlegend;
};

/* Where they stand, without colours. The first one stands for all of the whole, which may be more than the tree has. */
void flame_place(struct flame *flame, const struct call_tree *tree, double whole, struct arena *arena);

/* Is that too narrow for a box of its own? */
bool flame_is_narrow(const struct flame *flame, double weight);

/* What a colour means, where a box has it. */
void flame_explain(struct flame *flame, const char *title, unsigned color);

/* With the colours that the subject wants. */
void flame_init(struct flame *flame, const struct export_subject *subject, const struct call_tree *tree,
		struct arena *arena);

/* ---- flame_page.c ---- */

void flame_write(FILE *out, const struct flame *flame, struct arena *arena);

/* "1,234,567" */
const char *flame_grouped(uint64_t value, struct arena *arena);

/* "12.345 ms" where the unit is ns; else "1,234 slots". */
const char *flame_amount(const struct weighing *weighing, double weight, struct arena *arena);

/* "a.out, src/a.c": where a function is. */
const char *flame_home(const struct export_function *function, struct arena *arena);

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
