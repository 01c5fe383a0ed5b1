/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call_tree.h - the stacks of a profile as a tree of functions: what has the same callers, by function and module, is
 * one call. Inlined functions are calls too.
 */
#ifndef TOPDOWN_PRESENT_EXPORT_CALL_TREE_H
#define TOPDOWN_PRESENT_EXPORT_CALL_TREE_H

#include "present/export/export.h"
#include "present/export/frames.h"

struct call {
	uint32_t function; /* of functions; of a root of --by the profile's task, whose text is call_name's */
	uint32_t parent;   /* PROFILE_NONE: of the first one, which stands for all */
	bool is_task;
	double self, total; /* of the weighing */
	uint64_t samples;   /* in total; 0: exact */
};

struct call_tree {
	const struct profile *profile;
	const struct export_frames *functions;
	struct call *calls; /* parents before children; the first one is the whole */
	uint32_t count;
	uint32_t *order; /* the calls but the first, by parent, then by name */
	uint32_t *first; /* in order, of each call's children; and behind the last */
	uint32_t *leaf;	 /* each row's call; PROFILE_NONE: the weighing has nothing of it */
	uint32_t *root;	 /* each row's task of --by; PROFILE_NONE */
	struct call_index *index;
};

/* Rows in which the weighing has nothing are left out. */
void call_tree_init(struct call_tree *tree, const struct export_subject *subject, const struct weighing *weighing,
		    const struct export_frames *functions, struct arena *arena);

/* "main", "worker (tid 7)", "all" */
const char *call_name(const struct call_tree *tree, uint32_t call, enum export_roots roots, struct arena *arena);

/* The deepest call that a row's stack has in the tree, whatever its weight. */
uint32_t call_tree_find(const struct call_tree *tree, uint32_t row);

#endif
