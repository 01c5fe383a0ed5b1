/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * headline.h - what a report comes to: how much is lost to which cause, where most of that is, what it would bring
 * without, and how much is useful. Each form says it in its own way, and begins with it.
 */
#ifndef TOPDOWN_ANALYSE_VERDICT_HEADLINE_H
#define TOPDOWN_ANALYSE_VERDICT_HEADLINE_H

#include "analyse/hotspots/hotspots.h"

enum headline_kind {
	HEADLINE_LOSS,	  /* a cause stands out */
	HEADLINE_USEFUL,  /* most slots do useful work: less of it is what helps */
	HEADLINE_START,	  /* so few instructions that they are those of starting a program */
	HEADLINE_EVEN,	  /* nothing is over its threshold */
	HEADLINE_NO_TREE, /* nothing can name a cause */
	HEADLINE_UNKNOWN, /* no node was measured */
	HEADLINE_SAMPLES, /* where the time goes, and not why: nothing was counted */
	HEADLINE_KINDS
};

/* "loss", "useful", "start", "even", "no-tree", "unknown", "samples" */
extern const char *const headline_kind_names[HEADLINE_KINDS];

#define HEADLINE_NODES 2

/* Borrows from what it was made of. */
struct headline {
	enum headline_kind kind;
	const char *cause; /* in words that fit "is lost to ..."; NULL: the first node's title, or there is no node */
	/* The worst first: the nodes that count the one cause. HEADLINE_USEFUL: the largest loss, if any */
	const struct result *nodes[HEADLINE_NODES];
	size_t nnodes;
	double value;  /* of these nodes together, in the first one's unit; NAN: there are none */
	double useful; /* percent of the slots; NAN: unknown */
	/* so many times as fast without the cause, by further simulations; NAN: there was none, or no gain */
	double speedup;
	bool has_waited; /* most of the time nothing ran: the tree is about the rest */
	double kernel;	 /* percent of the CPU time, if most: the tree is about the rest; 0: not most */
	/* Where most of the first node is, or of what was sampled; NULL: unknown. No line without a function */
	const char *of; /* a title: "DRAM_Bound", "time"; NULL where the function is */
	const struct where_row *function, *line;
	size_t nfunctions; /* that it is spread over, where no function has HEADLINE_FLAT percent; 0: one has */
	bool has_few;	   /* fewer than ROUGH_SAMPLES samples: no place is named */
	uint64_t samples;  /* that were taken, where has_few */
};

#define HEADLINE_FLAT 5.0

/* Of one part of a set; report NULL: of what was sampled. Of several parts only the first one's place is known. */
struct headline headline_of(const struct report_set *set, const struct report *report);

/* Retiring, and what is in it: no loss, there can only be less of it. */
bool is_useful_work(const struct result *node);

/* ---- cause_words.c ---- */

/* What slots are lost to, "mispredicted branches", by a node's name; NULL: there are no words. */
const char *cause_words(const char *node);

/* The other node of the same cause, by name; NULL: it has one node only. */
const char *cause_partner(const char *node);

#endif
