/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options.h - the command line. A command names the sets of options that it takes; a row of a set makes the parser, the
 * help and the command to paste. Rows that several commands take are in option_sets.c, others stand with their command.
 */
#ifndef TOPDOWN_COMMAND_OPTIONS_H
#define TOPDOWN_COMMAND_OPTIONS_H

#include <stddef.h>

#include "command/jobs/export_choice.h"
#include "command/jobs/gate_baseline.h"
#include "command/jobs/history_record.h"
#include "command/jobs/machine_ceilings.h"
#include "command/jobs/output.h"
#include "command/jobs/verify_run.h"
#include "common/base/arena.h"
#include "common/base/error.h"
#include "common/measurement/question.h"
#include "common/request/exclusions.h"
#include "common/request/request.h"

struct import_choice {
	const char *from; /* whose files; NULL: not given */
	bool wants_text;  /* keep the vendor's descriptions */
};

/* topdown compare */
struct compare_choice {
	bool is_run;  /* the words are two commands, which are run in turns */
	bool is_duet; /* both at once, on different CPUs */
	bool takes_failures;
	unsigned warmups;
	const char *prepare; /* a shell command; NULL: none */
	const char *cpus;    /* on which they run; NULL: any */
};

/* topdown help */
enum help_form { HELP_TEXT, HELP_MARKDOWN };
struct help_choice {
	unsigned form;	/* enum help_form */
	bool wants_all; /* of the options page: every one */
};

#define MOST_OPTIONS 96 /* of a command */

struct options {
	struct question question;
	struct setup
		setup; /* setup.program: the program behind the options, or behind "--" of a command that measures */
	struct output_choice output;
	struct import_choice import;
	struct export_choice export;
	struct history_choice history;
	struct compare_choice compare;
	struct gate_choice gate;
	struct roofline_choice roofline;
	struct help_choice help;
	struct verify_choice verify;
	bool wants_help, wants_version;
	unsigned errors;       /* --errors: 0 as text, 1 as JSON */
	bool is_behind_dashes; /* "--" stands before the program, or before the last words */
	const struct command *command;
	char **words; /* the command's own arguments */
	size_t nwords;
	const char
		*given[MOST_OPTIONS]; /* by row of the command's sets: as typed, "" without a value; NULL: not given */
};

/* How an option's value is read, and what it is stored as. */
enum take {
	TAKE_FLAG,     /* bool; no value */
	TAKE_TEXT,     /* const char * */
	TAKE_TEXTS,    /* struct text_choice: one more */
	TAKE_LEVEL,    /* unsigned, 1 to DEEPEST_LEVEL */
	TAKE_NUMBER,   /* unsigned, from 1 */
	TAKE_COUNT,    /* uint64_t, from 1 */
	TAKE_TENS,     /* the same, behind "=" only; 10 without one */
	TAKE_STEADY,   /* const char *, behind "=" only; "pin" without one */
	TAKE_CHOICE,   /* an enum, by the names in choices */
	TAKE_SECONDS,  /* double, above 0 */
	TAKE_BUDGET,   /* the same, or NO_SECONDS for 0 */
	TAKE_MS,       /* double, from 10 */
	TAKE_DELAY,    /* double, from 0, or -1 */
	TAKE_FRACTION, /* double, from 0.001 to 1 */
	TAKE_PERCENT,  /* double, from 0 to 100 */
	TAKE_TAG,      /* KEY=VALUE, of struct history_choice; may be given several times */
};

/* Where an option stands again in a command that topdown proposes. */
enum repeated {
	REPEATED_NEVER,
	REPEATED_SETUP = 1,    /* the same measurement, another question */
	REPEATED_QUESTION = 2, /* the same question, another measurement */
};

struct option_row {
	const char *name;
	char letter; /* 0: long form only */
	enum take take;
	unsigned repeated;	    /* of enum repeated */
	const char *argument;	    /* as help shows it; NULL: none */
	size_t offset;		    /* in struct options, see AT */
	const char *const *choices; /* TAKE_CHOICE: names in the order of the enum, then NULL */
	const char *help;
};

#define AT(member) offsetof(struct options, member)

/* An older spelling: taken as the option that is left with this value, and known to nothing else. */
struct option_alias {
	const char *name, *option;
	const char *value; /* NULL: the option needs none */
};

#define MOST_ALIASES 8
extern const struct option_alias option_aliases[];
extern const size_t noption_aliases;

struct option_set {
	const char *heading; /* in help; sets of the same heading stand together */
	const struct option_row *rows;
	size_t count;
	bool is_measuring; /* what it says needs something to measure */
};

#define OPTION_SET(title, table)                                                                                       \
	{                                                                                                              \
		.heading = (title), .rows = (table), .count = COUNT_OF(table)                                          \
	}

#define MEASURING_SET(title, table)                                                                                    \
	{                                                                                                              \
		.heading = (title), .rows = (table), .count = COUNT_OF(table), .is_measuring = true                    \
	}

#define MOST_SETS 32

/* A command; run returns the exit status, or -1 with err. */
struct command {
	const char *name;      /* NULL: measure a program */
	const char *arguments; /* as help shows them */
	const char *summary;
	const char *examples;			  /* a line each; help shows them */
	const struct option_set *sets[MOST_SETS]; /* in the order of help, then NULL */
	const struct exclusion *exclusions;	  /* of its own options, then one of NULL; NULL: none */
	bool has_program;			  /* behind "--", and not among the words */
	bool begins_program;			  /* has_program: the first word is its, with or without "--" */
	bool has_perf_form;			  /* --format perf is one of its formats */
	bool counts_back;			  /* -1 is a word of it, and no option */
	bool has_own_forms;			  /* the name behind -o says something else to it than to others */
	int (*run)(const struct options *options, struct arena *arena, struct error *err);
};

extern const struct command *const commands[]; /* the first measures a program */
extern const size_t ncommands;

/* option_sets.c */
extern const struct option_set level_options, selection_options, event_options, worst_options, lines_options,
	all_cpus_options, subject_options, thread_options, division_options, interval_options, timing_options,
	packing_options, repeat_options, pmu_options, simulation_options, what_if_options, cpu_options, form_options,
	smt_options, sysroot_options, file_options, style_options, page_data_options, source_options, save_options,
	general_options, sampling_options, pressure_options, wall_options, steady_options;

/* on, off, or auto: nothing was said */
extern const char *const toggle_names[];

/* Fills options with the command that argv names. -1 and err for an unknown option or a wrong value. */
int options_parse(struct options *options, int argc, char **argv, struct error *err) MUST_CHECK;

/*
 * What to type to ask the same (REPEATED_QUESTION) or to measure the same way (REPEATED_SETUP), but for one
 * option (or ""). NULL: nothing.
 */
const char *options_repeated(const struct options *options, enum repeated kind, const char *except,
			     struct arena *arena);

/* Was the command's option of this name given? */
bool options_is_given(const struct options *options, const char *name);

/*
 * Would the command refuse an option beside those that were given? name: "{cpu}", or "{pmu sim}" with its value, as
 * common/request/exclusions.h has it.
 */
bool options_exclude(const struct options *options, const char *name);

/* An option that was given, and is about a measurement only: "save". NULL: there is none. */
const char *options_measuring(const struct options *options);

#endif
