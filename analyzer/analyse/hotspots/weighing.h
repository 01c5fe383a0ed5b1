/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * weighing.h - how much of something each row of a profile has: samples of an event, or exact slots of a node. Every
 * view (functions, lines, callers, annotation) and every export works on a profile and a weighing of it.
 */
#ifndef TOPDOWN_ANALYSE_HOTSPOTS_WEIGHING_H
#define TOPDOWN_ANALYSE_HOTSPOTS_WEIGHING_H

#include "common/measurement/profile.h"
#include "cpu/load/model.h"

struct weighing {
	const char *name;  /* for machines: "tma_dram_bound", "cycles" */
	const char *title; /* for people: "DRAM_Bound", "cycles", "time" */
	const char *unit;  /* "slots", "cycles", "instructions", "events", "ns" */
	const char *node;  /* the model's name of the node that is weighed, or that the event locates; NULL: none */
	uint32_t event;	   /* of the profile; PROFILE_NONE: exact counts */
	bool is_exact;
	bool is_waiting;  /* each sample is a wait, and all were seen: shares have no interval */
	double *weights;  /* [profile->nrows], in unit; 0: the row is not concerned */
	double total;	  /* of all rows */
	double whole;	  /* what shares are of: total; of exact counts also what belongs to no row */
	uint64_t samples; /* of all rows; 0: is_exact; of waits their number */
};

struct weighings {
	struct weighing *items;
	size_t count;
};

/* One for each event of a sampled profile, in its order; none of simulated counts. */
struct weighings weighings_of_events(const struct profile *profile, struct arena *arena);

/*
 * The wall clock of all threads together: time that they ran, by samples, and that they waited. False: one of them is
 * not known in time.
 */
bool weighing_of_wall(struct weighing *wall, const struct weighings *events, const struct profile *profile,
		      struct arena *arena);

/*
 * The place that a row's own weight belongs to: the innermost one. A wait belongs to the code that called what waits,
 * where that is the C library.
 */
uint32_t row_place(const struct profile *profile, uint32_t row);
bool is_waiting_event(const struct profile_event *event);
bool is_time_event(const struct profile_event *event); /* weights are ns */

/* The innermost place of a stack that is neither the kernel's nor the C library's; the innermost where all are. */
uint32_t program_place(const struct profile *profile, uint32_t innermost);
bool is_wall(const struct weighing *weighing);

/* Calls those that locate a node by the model's title of it: "DRAM_Bound"; of several with their event. */
void weighings_take_titles(struct weighings *weighings, const struct model *model, struct arena *arena);

/* Exact rows, whose counts are parts of the items of counts' first repeat. */
struct exact_rows {
	const struct profile *profile;
	const struct counts *counts;
	const struct model *model;
};

/*
 * A row's part of a node is what the node's formula loses when the row's counts are taken away from the whole. So it
 * holds for each node, whatever its formula is. In slots where the node is a share of slots, else in cycles.
 * False: the node (its number in the model) has no value, or is no share.
 */
bool weighing_of_node(struct weighing *weighing, const struct exact_rows *rows, size_t node, struct arena *arena);

/* All of level 1 together, in cycles: how the rows divide the time of the core. False: level 1 has no value. */
bool weighing_of_cycles(struct weighing *weighing, const struct exact_rows *rows, struct arena *arena);

/* Are there rows with exact counts? */
bool has_exact_rows(const struct profile *profile);

/* A share of a whole, in percent, with its 95 % interval. */
struct share {
	double percent, low, high; /* all the same where it is exact; NAN: unknown */
	uint64_t samples;	   /* 0: exact */
	bool is_rough;		   /* of a few samples only */
};

#define ROUGH_SAMPLES 30 /* a share of fewer is marked rough */

/* part of whole, by samples: Wilson's interval (Journal of the American Statistical Association 22, 1927). */
struct share share_of_samples(uint64_t part, uint64_t whole);
struct share share_exact(double part, double whole);

/* weight of the weighing's whole, with so many samples in it: an interval as if all samples had the same weight. */
struct share share_of_weight(const struct weighing *weighing, double weight, uint64_t samples);

#endif
