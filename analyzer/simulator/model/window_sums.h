/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * window_sums.h - what the windows of a sample say together: sums, from which follows how uncertain the whole is.
 *
 * Each window stands for a stretch of the program, of which it is any part. So what counts is how far neighbours are
 * apart, not the program's phases (collapsed strata: Cochran, Sampling Techniques, chapter 5). And of all instructions
 * mispredictions, lines and pages are counted, in windows or not. So windows that differ in these, by what they cost,
 * are equal (a difference estimator, chapter 7).
 */
#ifndef TOPDOWN_SIMULATOR_MODEL_WINDOW_SUMS_H
#define TOPDOWN_SIMULATOR_MODEL_WINDOW_SUMS_H

#include "simulator/model/core.h"

/*
 * What slots of one kind follow from, which pauses count as windows do: mispredicted branches, those that fetch does
 * not know, lines and pages of code, pages of data, and lines that loads find in L2, L3 and memory. Lines and pages are
 * in slots that they would take by themselves.
 */
enum trigger {
	TRIGGER_MISPREDICTED,
	TRIGGER_UNKNOWN,
	TRIGGER_CODE,
	TRIGGER_CODE_PAGE,
	TRIGGER_DATA_PAGE,
	TRIGGER_L2,
	TRIGGER_L3,
	TRIGGER_DRAM,
	TRIGGER_COUNT
};

struct slot_counts {
	uint64_t retired, lost[CAUSE_COUNT], triggers[TRIGGER_COUNT];
};

/* What level 1 of the tree divides slots into. */
enum part { PART_RETIRING, PART_SPECULATION, PART_FRONTEND, PART_BACKEND, PART_COUNT };

/* What is known of a window: instructions, slots of each part, and triggers. */
#define FIGURE_PART    1
#define FIGURE_TRIGGER (FIGURE_PART + PART_COUNT)
#define FIGURE_COUNT   (FIGURE_TRIGGER + TRIGGER_COUNT)

/* Sums of the windows' figures, and half the sums of the products of the differences between neighbours. */
struct window_moments {
	uint64_t windows;
	double last[FIGURE_COUNT], sum[FIGURE_COUNT], product[FIGURE_COUNT][FIGURE_COUNT];
};

/* Slots and instructions are in SAMPLE_UNITs, so that the sums of squares of a long program stay within 64 bits. */
#define SAMPLE_UNIT 64.0

/*
 * Slots and parts of each window are less by what its triggers beyond the mean cost. Sums are those of the windows as
 * they were. Squares and products are such that the usual formula for a variance gives that of neighbours: half the
 * sums over their differences, plus the product of both sums by the number of windows.
 */
struct sample_sums {
	uint64_t windows;
	double instructions, instructions_squared;
	double slots, slots_squared, slots_instructions; /* the last one: slots times instructions */
	double part[PART_COUNT], part_squared[PART_COUNT], part_slots[PART_COUNT];
};

void window_moments_add(struct window_moments *moments, const struct slot_counts *window, double instructions);

/* all: of the windows together, which says what a trigger costs. */
struct sample_sums window_sums(const struct window_moments *moments, const struct slot_counts *all);

#endif
