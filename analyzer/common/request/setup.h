/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * setup.h - how something is measured: whose work, on which machine, when, how often. The question
 * (common/measurement/question.h) says what is to be known of it. Zeros are the defaults, but for
 * machine.sysroot, which is "".
 */
#ifndef TOPDOWN_COMMON_REQUEST_SETUP_H
#define TOPDOWN_COMMON_REQUEST_SETUP_H

#include <stdbool.h>
#include <stddef.h>

#include "common/measurement/counts.h"
#include "common/measurement/roofs.h"

/* What runs already. Lists as they were typed: "12,34", "0-3,8"; NULL: not given. At most one of the five. */
struct subject_choice {
	const char *processes, *threads, *cpus, *cgroup;
	bool is_all_cpus;
	bool is_per_thread; /* a tree for each; parts of other kinds are the question's (struct division) */
};

/* The program to start: the subject where subject_choice names none, else what decides how long to count. */
struct program_choice {
	char **words; /* program and arguments, then NULL; NULL: no program */
	size_t nwords;
	bool wants_all_output; /* of all runs, not only of the first */
	bool hides_output;     /* of all runs, the first one too: it was shown before */
	int no_terminal;       /* as in struct program; 0: it has the terminal */
};

/* As typed, quoted for a shell, with a comment in the place of what is long beyond use; NULL: there is none. */
const char *program_choice_text(const struct program_choice *program, struct arena *arena);

enum interval_plan { INTERVAL_ALL, INTERVAL_ROTATE };

#define DELAY_UNTIL_SIGUSR2 (-1.0)

/* One of the two, or none. */
struct delay_choice {
	double ms;	     /* 0: not given; DELAY_UNTIL_SIGUSR2 */
	double instructions; /* of a simulated program; 0: not given */
};

struct timing_choice {
	double duration_s, timeout_s, interval_ms; /* 0: not given */
	bool is_of_live;			   /* nobody gave interval_ms: it is that of --live */
	struct delay_choice delay;
	const char *control; /* FIFO[,FIFO]; NULL: none */
	enum interval_plan interval_plan;
};

/* Whose instructions; both: an error. */
struct scope_choice {
	bool is_user_only, is_kernel_only;
};

/* What the kernel can add up by itself: only where nothing else can, whenever it can, never. */
enum bpf_choice { BPF_AUTO, BPF_ON, BPF_OFF };

/* How the events are brought onto the counters. */
struct packing_choice {
	unsigned repeats;     /* 0: once */
	const char *calls;    /* system calls to count as well, "all" or names; NULL: none */
	bool wants_latencies; /* retire latencies are sampled, and not the vendor's means */
	bool wants_pressure;  /* how long the work was held up as well */
	bool wants_wall;      /* what its threads waited for */
	enum bpf_choice by_bpf;
	unsigned max_runs;   /* 0: as many as there are groups */
	bool spreads_groups; /* each rank of a job makes one of the runs */
	unsigned counters;   /* general counters to use; 0: all */
	bool is_per_node, is_drilldown;
};

enum watchdog_wish { WATCHDOG_KEEP, WATCHDOG_OFF };
enum toggle { TOGGLE_UNSAID, TOGGLE_ON, TOGGLE_OFF };

/* PMU_AUTO: the CPU's, or a simulated one where that can't be opened. */
enum pmu_choice { PMU_AUTO, PMU_CPU, PMU_SIM };

/* FORM_CHOICE_AUTO: by what the machine, or the counts, have. */
enum form_choice { FORM_CHOICE_AUTO, FORM_CHOICE_PERF_METRICS, FORM_CHOICE_GENERAL };

struct machine_choice {
	const char *cpu;	       /* whose events and model; NULL: those of the machine's own CPU */
	const char *database;	       /* directory that is searched first; NULL: none */
	const char *sysroot;	       /* where proc/ and sys/ are; "": this machine */
	struct identified *identified; /* what was read of both (engine/target.h); NULL: nothing is kept */
	enum pmu_choice pmu;
	enum form_choice form;		   /* of Intel's formulas (cpu/load/model.h) */
	enum watchdog_wish watchdog;	   /* while counting */
	const char *steady;		   /* what is made steady meanwhile (collect/count/steady.h); NULL: nothing */
	unsigned mux_interval_ms;	   /* multiplexing interval; 0: the kernel's */
	enum toggle smt, assumed_watchdog; /* of the machine that is planned for */
	const char *fixed;		   /* its fixed counters: "0,2-3", "none"; NULL: as they are */
};

enum children_choice { CHILDREN_TRACED, CHILDREN_LEFT_OUT }; /* programs that the program starts */

#define MOST_TEXTS 16

/* An option that may be given several times. */
struct text_choice {
	const char *items[MOST_TEXTS];
	unsigned count;
};

#define NO_SECONDS (-1.0)

struct simulation_choice {
	const char *core;     /* name or file, or several of them separated by commas; NULL: the nearest one */
	double sample;	      /* fraction that is modelled in detail; 0: all */
	double seconds;	      /* that it may take (docs/SIMULATOR.md); 0: the usual time; NO_SECONDS: there is none */
	double usual_seconds; /* of a simulation behind a native run (TOPDOWN_SIM_SECONDS); 0: 30 */
	const char *toggle;   /* only calls of this function count; NULL: all of the program */
	enum children_choice children;
	enum anchor_choice anchor;  /* is the program run natively too, to compare? */
	bool is_pinned;		    /* the same on every host (collect/simulate/sim_environment.c) */
	struct text_choice what_if; /* lists of what a core is simulated without (collect/simulate/what_if.h) */
	unsigned layouts;	    /* runs with other layouts; 0: one run */
	bool has_traffic;	    /* lines between the levels of caches are counted, -e names them or not */
	bool keeps_lines;	    /* source lines are recorded, asked for or not: a closer look wants them next */
};

/* -g */
enum stacks_choice { STACKS_AUTO, STACKS_BY_FP, STACKS_BY_CFI, STACKS_BY_LBR, STACKS_LEFT_OUT };

/* How samples are taken; what is sampled is the question's. */
struct sampling_choice {
	enum stacks_choice stacks;
	unsigned frequency; /* -F, samples a second; 0: 997 where no period is given or published */
	uint64_t period;    /* -c; 0: not given */
	bool is_only;	    /* topdown sample: nothing is counted */
};

struct observer;

struct setup {
	struct subject_choice subject;
	struct program_choice program;
	struct timing_choice timing;
	struct scope_choice scope;
	struct packing_choice packing;
	struct machine_choice machine;
	struct simulation_choice simulation;
	struct sampling_choice sampling;
	const struct roofs *roofs; /* the machine's ceilings, for a roofline; NULL: none are known */
	/* What the front end records beside the groups (collect/observe/observer.h), then NULL; NULL: nothing. */
	struct observer *const *observers;
	const char *options;	     /* what to type to measure the same way: "-D 100 --per-core"; NULL: nothing */
	const char *options_unsplit; /* the same without --per-thread */
};

/* Is something named that runs already: processes, threads, CPUs, a cgroup? */
bool setup_has_subject(const struct setup *setup);

#endif
