/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * what_if.h - what --what-if takes: causes of lost slots that a core can be modelled without, and parts of it that can
 * be larger or quicker.
 */
#ifndef TOPDOWN_COLLECT_SIMULATE_WHAT_IF_H
#define TOPDOWN_COLLECT_SIMULATE_WHAT_IF_H

#include "collect/simulate/sim_core.h"
#include "common/base/error.h"

#define WHAT_IF_WORST "worst" /* in the list: the causes of the worst nodes, which are known after a simulation */
#define MOST_TRIALS   32
#define TRIAL_NODES   4

/* A further simulation of the program, on a core that is otherwise in one respect. */
struct sim_trial {
	const char *name;		/* as it was typed: "branches", "l2=2M", "l1+dtlb" */
	const char *what;		/* "every branch is predicted, ..." */
	const char *nodes[TRIAL_NODES]; /* that it is the cause of, then NULL; of a part that is only changed none */
	struct sim_core core;
};

struct sim_trials {
	struct sim_trial items[MOST_TRIALS];
	size_t count;
	bool wants_worst;
};

/*
 * Adds those of a list, separated by commas, each once; several with + between them are one. The trials live in arena.
 * -1 where a word means nothing (err has the nearest one), its value can't be, or there are too many.
 */
int what_if_parse(struct sim_trials *trials, const char *list, const struct sim_core *core, struct arena *arena,
		  struct error *err) MUST_CHECK;

/* Each word of a list but `worst`, by its number from 0, and what the core is then. NULL: there are no more. */
const char *what_if_word(size_t number, const char **what);

/* The word that removes the cause of a node; NULL: there is none. */
const char *what_if_of_node(const char *node);

#endif
