/* SPDX-License-Identifier: GPL-2.0-or-later */
/* boxes.h - which calls of a tree a flame graph shows, where each stands, and what colour it has. */
#ifndef TOPDOWN_PRESENT_EXPORT_BOXES_H
#define TOPDOWN_PRESENT_EXPORT_BOXES_H

#include "present/export/call_tree.h"

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

#endif
