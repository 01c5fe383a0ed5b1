/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spelling.h - one event as people and vendors write it, taken apart. Three worlds meet here: perf (cpu/NAME,cmask=1/,
 * cpu@NAME\,cmask\=1@), Intel's metric files (NAME:c1:e1:SUP) and libpfm4 (NAME:c=1:e:i:u).
 */
#ifndef TOPDOWN_CPU_EVENT_SPELLING_H
#define TOPDOWN_CPU_EVENT_SPELLING_H

#include "cpu/identify/pmu.h"

enum { SPELLING_TERMS = 8 };

struct spelling {
	const char *name; /* event name; NULL when only terms are given */
	const char *pmu;  /* "cpu", "cpu_core", "msr" ... or NULL */
	bool has_umask;	  /* :u0x30 */
	uint64_t umask;
	uint64_t cmask; /* 0: as the database says */
	bool invert, edge, any, equal;
	bool has_msr_value; /* :ocr_msr_val=, offcore_rsp=, ldlat=, frontend= */
	uint64_t msr_value;
	const char *msr_term; /* "ldlat" ...; NULL when not spelled as a term */
	bool user_only, kernel_only, is_retire_latency;
	bool is_one_unit;		       /* :one_unit */
	bool is_percore;		       /* :percore, the counts of all threads of the core */
	struct pmu_term terms[SPELLING_TERMS]; /* event=, umask= and others of an event without a name */
	size_t nterms;
	unsigned given; /* terms and modifiers that have a value, as bits: each stands there once */
};

/* -1 and err when a modifier or term is not understood, or is given twice. */
int spelling_parse(struct spelling *spelling, const char *text, struct arena *arena, struct error *err) MUST_CHECK;

/* Nothing but a name or terms, and perhaps whose privilege level or latency is meant. */
bool spelling_is_unmodified(const struct spelling *spelling);

/* A term of PMUs beside the cores that a modifier can set, as ":ch_mask=1" does. */
bool spelling_is_unit_word(const char *term);

/*
 * The name of an event that a vendor named, which has '.' or '_', or is one of Intel's slots. NULL: "cycles" and the
 * kernel's other names, which say nothing of the CPU; encodings; events of other PMUs.
 */
const char *spelling_vendor_name(const char *text, struct arena *arena);

#endif
