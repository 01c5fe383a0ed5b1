/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * annotation.h - a function's source lines and instructions with their shares. Pure: annotation_begin says what is to
 * be disassembled and read, whoever may do that fills it in, and annotation_end takes what is shown of it.
 */
#ifndef TOPDOWN_ANALYSE_HOTSPOTS_ANNOTATION_H
#define TOPDOWN_ANALYSE_HOTSPOTS_ANNOTATION_H

#include "analyse/hotspots/where.h"

/* What is to be disassembled: sorted, apart from each other. */
struct annotated_range {
	uint64_t begin, end;
	uint64_t known; /* an instruction begins there; 0: at begin */
};

struct annotated_instruction {
	uint64_t address;
	const char *text;
	uint64_t jump_target; /* 0: of none */
	struct amount amount;
	struct share share; /* of the function's part */
	const char *file;   /* of a place that was seen there; NULL: unknown */
	uint32_t line;
	bool is_target;	      /* another of these jumps there */
	bool is_behind_a_gap; /* what is between the one above and this is left out */
};

struct annotated_line {
	uint32_t line;
	struct amount amount;
	struct share share; /* of the function's part */
	const char *text;   /* NULL: it was not read */
	bool is_behind_a_gap;
};

struct annotation {
	const struct weighing *weighing;
	const struct profile *profile;
	const char *function, *module; /* NULL: unknown */
	struct share self;	       /* of the weighing's whole: its own code, with what is inlined into it */
	struct amount amount;
	uint32_t module_number;
	uint64_t begin, end; /* of its code; end 0: unknown, as in exact counts by line */
	const char *into;    /* it is inlined wherever it was seen, mostly into this function; NULL: it is not */
	struct annotated_range *ranges;
	size_t nranges;
	bool is_cut;	  /* it is long: only what is around its hot places is shown */
	const char *file; /* of the source; NULL: unknown */
	struct annotated_line *lines;
	size_t nlines;
	struct annotated_instruction *instructions; /* to be filled in: address, text and jump_target */
	size_t ninstructions;
	const char **remarks; /* whole sentences; room for 8 */
	size_t nremarks;
};

#define HOT_PERCENT 10.0 /* of the function's part: a line or instruction is marked */

/* -1 where the function is not in the profile, or nothing of the weighing is in it. */
int annotation_begin(struct annotation *annotation, const struct profile *profile, const struct where_request *request,
		     struct arena *arena, struct error *err) MUST_CHECK;

/* The source's lines, where they could be read, and the shares of the instructions that were filled in. */
void annotation_end(struct annotation *annotation, const char *const *source, size_t count, struct arena *arena);

void annotation_remark(struct annotation *annotation, const char *sentence);

/* How far from its cause an event's address is, as one sentence; cpuid as in struct origin. */
const char *skid_sentence(const struct profile_event *event, const char *cpuid);

#endif
