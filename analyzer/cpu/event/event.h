/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event.h - what can be counted on a CPU: the rows of its event database (events/NAME.json, pmu-events vocabulary) and
 * the set of events, with modifiers, that formulas and users ask for.
 */
#ifndef TOPDOWN_CPU_EVENT_EVENT_H
#define TOPDOWN_CPU_EVENT_EVENT_H

#include "common/base/table.h"
#include "cpu/identify/pmu.h"

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
	unsigned nmsr; /* number of MSRs that can hold the value: 2 for offcore events (0x1a6 and 0x1a7) */
	uint64_t msr_value;
	bool taken_alone; /* TakenAlone: nothing else may use the same MSR */
	unsigned precise; /* PEBS: 0 no, 1 can be, 2 must be sampled precisely */
	bool has_address; /* Data_LA */
	uint64_t period;  /* SampleAfterValue */
	bool is_deprecated;
	double retire_latency; /* RetireLatency: the mean that the vendor measured, cycles; NAN: not published */
	/*
	 * Of another PMU than a core's: its name without the number of the unit ("uncore_cha", "power"); NULL: core.
	 * terms: what that PMU has beside event, umask and the like ("ch_mask=0xff,fc_mask=0x7"), or NULL.
	 */
	const char *unit, *terms;
	bool is_one_unit;  /* OneUnit: all units of a socket count the same, so one of them is counted */
	double unit_scale; /* UnitScale: what one count is in the formulas, in the unit that sysfs says; NAN: a count */
	/*
	 * KernelEvent: the kernel's name of it. A machine counts it only where its PMU shows that name, and as the PMU
	 * says (events/NAME in sysfs). NULL: every CPU of this kind has it.
	 */
	const char *kernel_event;
	/* Compat: which identifiers the units have whose event it is (cpu/identify/units.h); NULL: all of that name */
	const char *compat;
};

struct event_database {
	const char *cpu, *short_name, *title, *vendor, *source, *version, *pmu;
	const char *pfm;			  /* libpfm4's name of the PMU ("spr"), or NULL */
	unsigned general, general_smt_off, fixed; /* counters of a thread; 0: not published */
	unsigned slots;				  /* issue width; 0: not published */
	unsigned max_precise;			  /* the kernel's caps/max_precise, where it is not 3; or 0 */
	const char *cycles, *instructions, *reference, *slots_event; /* names of the fixed-role events, or NULL */
	const char *slots_general;				     /* what general counters count as slots, or NULL */
	const char *exclusive, *paired; /* lists of event codes, see struct event; or NULL */
	const char *system; /* names of files in events/system/ and models/system/, separated by commas; or NULL */
	struct event_row *rows;
	size_t count;
	struct table by_name;
	const char **warnings;
	size_t nwarnings;
};

/*
 * Reads one file, or all *.json of a directory (an upstream pmu-events directory can be dropped in). Duplicates: the
 * last one wins, and a warning is kept.
 */
int event_database_load(struct event_database *database, const char *path, struct arena *arena,
			struct error *err) MUST_CHECK;
/*
 * Adds the events of a file of events/system/: of PMUs that no CPU brings along, but the system that it is in. Those
 * that the CPU's own file has stay.
 */
int event_database_add(struct event_database *database, const char *path, struct arena *arena,
		       struct error *err) MUST_CHECK;
/* Its header alone, quickly; of a directory, which has none, the defaults. */
int event_database_load_header(struct event_database *database, const char *path, struct arena *arena,
			       struct error *err) MUST_CHECK;
const struct event_row *event_database_find(const struct event_database *database, const char *name);

/* What the fixed counters of a mask are for: "cycles, reference cycles"; NULL where none of them has a role. */
const char *event_database_roles(const struct event_database *database, uint64_t counters, struct arena *arena);

enum event_kind {
	EVENT_CORE,	/* counted on the core PMU */
	EVENT_METRIC,	/* a PERF_METRICS field: no counter of its own, but slots must lead its group */
	EVENT_SLOTS,	/* the slots event itself: leads its group */
	EVENT_DURATION, /* tool: wall time of the run, seconds */
	EVENT_TSC,	/* tool: time stamp counter ticks during the run, all CPUs alike */
	EVENT_CPU_TIME, /* tool: CPU time of the processes that were counted, seconds */
	EVENT_UNIT,	/* counted for the whole machine by PMUs beside the cores: memory controllers, power ... */
	EVENT_SOFTWARE, /* tool: what the kernel counts by itself, by its name (common/measurement/software.h) */
};

#define EVENT_TERMS 16

/* Comes from a clock or the kernel's own accounts, not from a counter. */
static inline bool is_clock(enum event_kind kind)
{
	return kind == EVENT_DURATION || kind == EVENT_TSC || kind == EVENT_CPU_TIME || kind == EVENT_SOFTWARE;
}

/* The counters of a core, or of none: a clock, or another PMU. Such events take no counter from the others. */
static inline bool is_beside_core(enum event_kind kind)
{
	return is_clock(kind) || kind == EVENT_UNIT;
}

/* Something to be counted: a row with modifiers, an alias of sysfs, or raw terms. */
struct event {
	const char
		*name; /* canonical: "L1D_PEND_MISS.FB_FULL:c1"; modifiers in the order u c e i any eq, then :u or :k */
	const struct event_row *row; /* NULL: not of the database */
	enum event_kind kind;
	const struct pmu_term *terms;
	size_t nterms; /* at most EVENT_TERMS */
	/* where it may be counted, see above; of EVENT_UNIT those of its PMU, 0: unknown; 0 for EVENT_METRIC, tools */
	uint64_t counters;
	unsigned msr, nmsr;
	uint64_t msr_value;
	bool taken_alone;
	/*
	 * With SMT, Linux keeps the core's other thread from its counter, and then at most half of the general counters
	 * hold events (Exclusive; arch/x86/events/core.c, x86_schedule_events)
	 */
	bool is_exclusive;
	bool is_paired; /* takes an even counter and the odd one behind it (Paired; arch/x86/events/amd/core.c) */
	bool user_only, kernel_only; /* :u, :k */
	const char
		*absent; /* why this machine can't count what its CPU can: a whole sentence; NULL: nothing is known */
	bool is_percore; /* :percore: of all threads of a core; counts from elsewhere may have it */
	bool is_retire_latency; /* :retire_latency, @R: not a count; needs sampling or a published mean */
	/* EVENT_UNIT: the PMUs, all "uncore_cha_N" of "uncore_cha", or one ("cha_0"); terms are those of the PMU. */
	const char *unit;
	const char *alias; /* its name in the PMU's events/, of which sysfs has the terms; NULL: terms has them */
	bool is_one_unit;  /* one unit of one socket: a clock, or what somebody spelled so */
	size_t same_as;	   /* EVENT_UNIT: the first event of the set that counts the same, maybe this one */
	double unit_scale; /* as in the row */
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
 * cpu@NAME\,cmask\=1@, cpu/NAME,cmask=1/, cpu/event=0xc2,umask=2/, r2c2, topdown\-fe\-bound, slots, branches,
 * duration_time, TSC; names the database lacks are tried as sysfs aliases, as the kernel's own, then with
 * libpfm4. TABLE_NONE and err when nothing knows it.
 */
size_t event_set_add(struct event_set *set, const char *spelling, struct error *err) MUST_CHECK;

/*
 * After event_set_add() failed for it: where no event has the name, err says beside that which names are near, or where
 * the list is. Returns -1.
 */
int event_set_suggest(const struct event_set *set, const char *spelling, struct error *err);

/* The number of an event that is in the set already, under any spelling or by its encoding; TABLE_NONE if it is not. */
size_t event_set_find(const struct event_set *set, const char *spelling);

/*
 * fixed: the fixed counters that exist, as in counters. An event that only another one could count gets the code of its
 * twin for general counters, where the database has that: CPU_CLK_UNHALTED.REF_TSC_P for CPU_CLK_UNHALTED.REF_TSC. Its
 * name stays.
 */
void event_set_use_general(struct event_set *set, uint64_t fixed);

/* What an event of the set is to the PMU, whatever its name is. False for what no counter counts. */
bool event_set_encode(uint64_t config[4], const struct event_set *set, size_t number);

/* "uncore_cha" for "cha"; the name itself of PMUs that are not called so, and of cores. */
const char *unit_name(const char *pmu, struct arena *arena);

/* Does anything know it? Adds nothing. */
bool event_set_has(const struct event_set *set, const char *spelling);

/*
 * "cpu/event=0xc2,umask=0x2/" for perf and for the plan; with a modifier string behind the
 * last slash ("ppp"), may be "".
 */
char *event_perf_string(const struct event *event, const struct pmu *pmu, const char *modifier,
			struct arena *arena) MUST_CHECK;

#endif
