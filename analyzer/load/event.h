/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event.h - what can be counted on a CPU: the rows of its event database (events/NAME.json, pmu-events vocabulary) and the
 * set of events, with modifiers, that formulas and users ask for.
 */
#ifndef TOPDOWN_EVENT_H
#define TOPDOWN_EVENT_H

#include "base/table.h"
#include "identify/pmu.h"

/* Counter masks: bit n is general counter n, bit FIXED_COUNTER + n fixed counter n. */
#define FIXED_COUNTER	 32
#define GENERAL_COUNTERS 0xffffffffull

/* A row of the database. Numbers are 0 where the row has none. */
struct event_row {
	const char *name;
	uint64_t code, umask;  /* EventCode, UMask | UMaskExt << 8 */
	uint64_t counter_mask; /* CounterMask (cmask) */
	bool invert, edge, any, equal;
	uint64_t counters;	   /* Counter; 0: any general counter */
	uint64_t counters_smt_off; /* CounterHTOff; 0: as counters */
	bool is_metric;		   /* Counter "Metric n": a field of PERF_METRICS, read behind slots */
	unsigned msr;  /* MSRIndex: 0x1a6 (offcore, also 0x1a7), 0x3f6 (load latency), 0x3f7 (frontend), or 0 */
	unsigned nmsr; /* how many MSRs can hold the value: 2 for offcore events (0x1a6 and 0x1a7) */
	uint64_t msr_value;
	bool taken_alone; /* TakenAlone: nothing else may use the same MSR */
	unsigned precise; /* PEBS: 0 no, 1 can be, 2 must be sampled precisely */
	bool has_address; /* Data_LA */
	uint64_t period;  /* SampleAfterValue */
	bool is_deprecated;
	double retire_latency; /* RetireLatency: the mean that the vendor measured, cycles; NAN: not published */
	const char *unit;      /* PMU of an uncore event ("L3PMC"), NULL: core */
};

struct event_database {
	const char *cpu, *short_name, *title, *vendor, *source, *version, *pmu;
	const char *pfm;					     /* libpfm4's name of the PMU ("spr"), or NULL */
	unsigned general, general_smt_off, fixed;		     /* counters of a thread; 0: not published */
	unsigned slots;						     /* issue width; 0: not published */
	const char *cycles, *instructions, *reference, *slots_event; /* names of the fixed-role events, or NULL */
	struct event_row *rows;
	size_t count;
	struct table by_name;
	const char **warnings;
	size_t nwarnings;
};

/*
 * Reads one file, or all *.json of a directory (an upstream pmu-events directory can be dropped in). Duplicates: the last
 * one wins, and a warning is kept.
 */
int event_database_load(struct event_database *database, const char *path, struct arena *arena,
			struct error *err) MUST_CHECK;
const struct event_row *event_database_find(const struct event_database *database, const char *name);

enum event_kind {
	EVENT_CORE,	/* counted on the core PMU */
	EVENT_METRIC,	/* a PERF_METRICS field: no counter of its own, but slots must lead its group */
	EVENT_SLOTS,	/* the slots event itself: leads its group */
	EVENT_DURATION, /* tool: wall time of the run, seconds */
	EVENT_TSC,	/* tool: time stamp counter ticks during the run, all CPUs alike */
};

#define EVENT_TERMS 16

/* Something to be counted: a row with modifiers, an alias of sysfs, or raw terms. */
struct event {
	const char
		*name; /* canonical: "L1D_PEND_MISS.FB_FULL:c1"; modifiers in the order u c e i any eq, then :u or :k */
	const struct event_row *row; /* NULL: not of the database */
	enum event_kind kind;
	const struct pmu_term *terms;
	size_t nterms;	   /* at most EVENT_TERMS */
	uint64_t counters; /* where it may be counted, see above; 0 for EVENT_METRIC and tools */
	unsigned msr, nmsr;
	uint64_t msr_value;
	bool taken_alone;
	bool user_only, kernel_only; /* :u, :k */
	bool is_retire_latency;	     /* :retire_latency, @R: not a count; needs sampling or a published mean */
};

/* The events of one CPU that somebody asked for, each once. Grows while formulas are compiled. */
struct event_set {
	struct arena *arena;
	const struct event_database *database;
	const struct pmu *pmu; /* for sysfs aliases; never NULL */
	bool smt_on;	       /* decides between Counter and CounterHTOff */
	struct event *events;
	size_t count, capacity;
	struct table by_name; /* every spelling that was asked for */
};

void event_set_init(struct event_set *set, const struct event_database *database, const struct pmu *pmu, bool smt_on,
		    struct arena *arena);

/*
 * The number of the event that spelling names, added if it is new. Spellings: NAME, NAME:c1:e1:i1:u, NAME:c=1:e:i,
 * cpu@NAME\,cmask\=1@, cpu/NAME,cmask=1/, cpu/event=0xc2,umask=2/, topdown\-fe\-bound, slots, duration_time, TSC; names the
 * database lacks are tried as sysfs aliases, then with libpfm4. TABLE_NONE and err when nothing knows it.
 */
size_t event_set_add(struct event_set *set, const char *spelling, struct error *err) MUST_CHECK;

/* The number of an event that is in the set already, under any spelling or by its encoding; TABLE_NONE if it is not. */
size_t event_set_find(const struct event_set *set, const char *spelling);

/* Does anything know it? Adds nothing. */
bool event_set_has(const struct event_set *set, const char *spelling);

/* "cpu/event=0xc2,umask=0x2/" for perf and for the plan; with a modifier string behind the last slash ("ppp"), may be "". */
char *event_perf_string(const struct event *event, const struct pmu *pmu, const char *modifier,
			struct arena *arena) MUST_CHECK;

#endif
