/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * assessment.h - what is healthy and where one should look closer, for who does not know the field: figures made of a
 * model's metrics (IPC, miss ratios, mispredicted branches, page walks), with bounds that a vendor or another source
 * publishes (models/assessment.json). analyse/evaluate/assess.c judges a report by them.
 */
#ifndef TOPDOWN_CPU_LOAD_ASSESSMENT_H
#define TOPDOWN_CPU_LOAD_ASSESSMENT_H

#include "cpu/load/database.h"
#include "cpu/load/model.h"

enum assessment_topic { ASSESS_SPEED, ASSESS_BRANCHES, ASSESS_CACHES, ASSESS_TLBS, ASSESS_TOPICS };
/* Of a cache level; ASSESS_PLAIN: of none. */
enum assessment_role { ASSESS_PLAIN, ASSESS_ACCESSES, ASSESS_MISSES, ASSESS_RATIO };

/* "speed", "branches", "caches", "tlbs" */
const char *assessment_topic_name(enum assessment_topic topic);

#define NO_RULE ((size_t)-1)

struct assessment_rule {
	const char *name;  /* "l1d_miss_ratio" */
	const char *title; /* "L1D_Miss_Ratio" */
	enum assessment_topic topic;
	enum assessment_role role;
	const char *level;		      /* cache: "L1D"; NULL: of none */
	const char *unit;		      /* "%", "MPKI", "per cycle" */
	bool is_low_worse;		      /* else a high value is */
	const char *means_ok, *means_beyond;  /* what the value then says; NULL: it has no bounds */
	const char *expression;		      /* of metrics in their printed units; NULL: see without */
	const char *without;		      /* why this CPU has none */
	double good;			      /* healthy up to here, or from here on; NAN: no bound */
	double bad;			      /* beyond it is high, or low, for sure; NAN: no such bound */
	const char *good_source, *bad_source; /* who says so; NULL: topdown itself */
	/* number of the rule whose misses this one relates to something: while they are few, no share of them is bad */
	size_t with;	 /* NO_RULE: it stands for itself */
	size_t *metrics; /* numbers in the model that the expression reads, ascending */
	size_t nmetrics;
	const char *counted_by; /* CountedBy of its form, or NULL */
	size_t *events;		/* of accesses and misses: the model's numbers of the events that count them */
	size_t nevents;
};

/* What the kernel's own counters may say of a measurement, each from a bound on. */
enum kernel_remark {
	KERNEL_OFF_CPU,	 /* share of the time without a CPU */
	KERNEL_SYSTEM,	 /* share of the CPU time in the kernel */
	KERNEL_SWITCHES, /* a second of CPU time; so are the others */
	KERNEL_MIGRATIONS,
	KERNEL_MAJOR,	  /* page faults that wait for storage, a second */
	KERNEL_FIXED_UP,  /* alignment and emulation faults */
	KERNEL_RUN_DELAY, /* share of the time in which it could have run and had no CPU */
	KERNEL_REMARKS
};

struct kernel_bound {
	double least;	    /* NAN: the file has none, and nothing is said */
	const char *source; /* who says so, or why it is so */
};

struct assessment_rules {
	struct kernel_bound kernel[KERNEL_REMARKS];
	struct assessment_rule *items; /* in the file's order; program's slots have the same numbers */
	size_t count;
	bool is_loaded;		 /* somebody has tried */
	struct program *program; /* its inputs are the values of the model's metrics, as they are printed */
};

/*
 * Reads path for the model, whose metrics the rules refer to. Lives in arena, and borrows nothing from the file. -1 and
 * err, with the file and the figure, when it can't be read or says what makes no sense.
 */
int assessment_load(struct assessment_rules *rules, const struct model *model, const char *path, struct arena *arena,
		    struct error *err) MUST_CHECK;

#endif
