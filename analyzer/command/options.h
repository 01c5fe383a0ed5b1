/* SPDX-License-Identifier: GPL-2.0-or-later */
/* options.h - the command line: one table makes the parser, --help and the check of the manual. */
#ifndef TOPDOWN_OPTIONS_H
#define TOPDOWN_OPTIONS_H

#include <stdio.h>

#include "base/arena.h"
#include "base/error.h"
#include "render/render.h"

/* PMU_AUTO: the CPU's, or a simulated one where that can't be opened. */
enum pmu_choice { PMU_AUTO, PMU_CPU, PMU_SIM };
enum color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };
enum toggle { TOGGLE_UNSAID, TOGGLE_ON, TOGGLE_OFF };
enum interval_plan { INTERVAL_ALL, INTERVAL_ROTATE };

enum watchdog_wish { WATCHDOG_KEEP, WATCHDOG_OFF };

#define DELAY_UNTIL_SIGN (-1.0)

#define MOST_OPTIONS 64

struct options {
	unsigned level;			   /* 0: not given */
	unsigned repeats;		   /* 0: once */
	unsigned max_runs;		   /* 0: as many as there are groups */
	unsigned counters;		   /* general counters to plan for; 0: all */
	enum toggle smt, assumed_watchdog; /* --smt, --watchdog: of the machine that is planned for */
	bool is_verbose, is_multiplexed, is_per_node, is_drilldown, wants_help, wants_version;
	const char *processes, *threads, *cpus, *cgroup; /* -p, --tid, -C, --cgroup: lists as they were typed */
	bool is_all_cpus, is_per_thread, is_per_core, is_per_socket;
	bool is_user_only, is_kernel_only;	   /* -u, -k */
	double duration_s, timeout_s, interval_ms; /* 0: not given */
	double delay_ms;			   /* -D; DELAY_UNTIL_SIGN */
	const char *control;			   /* --control: FIFO[,FIFO] */
	unsigned mux_interval_ms;		   /* 0: the kernel's */
	enum interval_plan interval_plan;
	bool wants_all_output;
	enum watchdog_wish watchdog; /* --nmi-watchdog */
	enum format format;
	enum color color;
	enum pmu_choice pmu;
	const char *sim_core; /* NULL: the nearest one */
	bool has_children;    /* a simulation follows exec */
	double sim_sample;    /* fraction that a simulation models in detail; 0: all */
	bool wants_lines;     /* --lines */
	bool has_no_anchor;   /* --no-anchor */
	const char *output;   /* -o, NULL: stderr for a measurement, stdout otherwise */
	const char *save;
	const char *database; /* --db */
	const char *cpu;
	const char *sysroot;		      /* "": this machine */
	const char *events;		      /* -e */
	const char *nodes, *groups, *metrics; /* what to plan, measure and show, see load/select.h */
	const char *from;		      /* --from: whose files import reads */
	bool wants_text;		      /* --with-text */
	char **words; /* what follows the options: program and arguments, or the command's arguments */
	size_t nwords;
	const char *given
		[MOST_OPTIONS]; /* by row of the table: the value as it was typed, "" of an option without one; NULL: not given */
	char **program; /* of a command that has one: what follows "--" */
	size_t nprogram;
};

/* A command; run returns the exit status, or -1 with err. */
struct command {
	const char *name;      /* NULL: measure a program */
	const char *arguments; /* as --help shows them */
	const char *summary;
	bool has_program; /* behind "--", and not among the words */
	int (*run)(const struct options *options, struct arena *arena, struct error *err);
};

/* The command that argv names, with its options. NULL and err for an unknown option or a wrong value. */
const struct command *options_parse(struct options *options, int argc, char **argv, struct error *err) MUST_CHECK;

/* Is something named that runs already, or by itself: processes, threads, CPUs, a cgroup? */
bool options_have_subject(const struct options *options);

/* What is to be said again to measure the same way, but for one option: "--sim-core zen4 -D 100". NULL: nothing. */
const char *options_kept(const struct options *options, const char *except, struct arena *arena);

/* What is to be said again to have the same metrics: "--nodes Memory_Bound^ --pmu sim". NULL: nothing. */
const char *options_chosen(const struct options *options, struct arena *arena);

/* An option that was given, and is about a measurement only: "save". NULL: there is none. */
const char *options_counting(const struct options *options);

void options_help(FILE *out);

extern const struct command commands[];
extern const size_t ncommands;

#endif
