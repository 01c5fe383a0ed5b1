/* SPDX-License-Identifier: GPL-2.0-or-later */
/* commands.h - what main can do, a file each; and what the files share. */
#ifndef TOPDOWN_COMMAND_COMMANDS_H
#define TOPDOWN_COMMAND_COMMANDS_H

#include <stdbool.h>
#include <stdio.h>
#include <termios.h>

#include "command/jobs/output.h"
#include "command/jobs/saved_files.h"
#include "command/jobs/live_terminal.h"
#include "command/options.h"
#include "common/base/error.h"
#include "common/base/text.h"
#include "common/system/loop.h"
#include "engine/engine.h"

extern const struct command command_measure, command_plan, command_doctor, command_report, command_metrics,
	command_explain, command_history, command_sample, command_export, command_list, command_import, command_gate,
	command_help, command_version, command_completion, command_schema, command_compare, command_roofline,
	command_verify, command_view, command_first, command_latency;

/* Measures as the options say, and shows it. Returns the exit status; -1 with err. */
int run_measurement(const struct options *options, struct arena *arena, struct error *err) MUST_CHECK;

/* What there is, in short, where command is the first of all; else its usage, options and examples. -1 with err. */
int help_print(const struct command *command, struct error *err) MUST_CHECK;
int version_print(struct error *err) MUST_CHECK;

/* The words of a command whose words are files. */
struct saved_files options_files(const struct options *options);

/* The request of a command that measures nothing: notices go to stderr. It borrows from options. */
struct request request_of(const struct options *options, struct arena *arena);

/* ---- live_screen.c ---- */

/*
 * --live: intervals on the terminal's other screen, each drawn over the last one by a single write, and the keys
 * meanwhile. The terminal is as it was before, and on its usual screen, whenever no run is waited for.
 */

struct recent_values;

struct live_screen {
	struct arena *arena;
	const struct output_choice *choice;
	int terminal; /* -1: there is no screen, and lines are printed */
	int signals;  /* readable when one of them has come; -1: none is waited for */
	double interval_s;
	struct termios usual; /* of the terminal, before */
	struct loop *loop;    /* of the run; NULL: none is waited for */
	struct loop_descriptor keys, changes;
	struct recent_values *past;
	bool is_shown; /* the other screen is */
	bool is_paused;
	bool is_told;		  /* live_screen_tell was called */
	double newest_s, shown_s; /* ends of the intervals; NAN: none has ended */
	char *newest, *shown;	  /* their lines, on the heap; NULL: none */
	struct string held;	  /* notices that wait for the usual screen, a line each */
	struct program_says says; /* what the program writes meanwhile */
};

/*
 * Opens the terminal where --live was given and there is one to draw on; else a notice says why lines are printed
 * instead. setup's program then leaves the terminal alone.
 */
void live_screen_open(struct live_screen *live, const struct output_choice *choice, struct setup *setup,
		      struct arena *arena);

/* Is there a screen? */
static inline bool live_screen_is_on(const struct live_screen *live)
{
	return live->terminal >= 0;
}

/* For struct sink: a run is waited for by this loop; NULL: it has ended, and so has the screen. */
void live_screen_attach(struct live_screen *live, struct loop *loop);

/* Shows an interval, unless it is paused. */
int live_screen_show(struct live_screen *live, const struct report_set *set, struct error *err) MUST_CHECK;

/*
 * The measurement is over, and signals are no longer held back: what the program has written, and the notices. Who
 * stops the terminal now, or does not read, can still end topdown.
 */
void live_screen_tell(struct live_screen *live);

/* A notice waits for live_screen_tell. False: that was before. */
bool live_screen_hold(struct live_screen *live, const char *sentence);

/* In any case, after the measurement. */
void live_screen_close(struct live_screen *live);

/* Long text for people: through the pager that PAGER names where standard output is a terminal. */

struct pager {
	FILE *file; /* to write to */
	bool is_piped;
};

/* Without a terminal, or where no pager can be started, file is standard output. */
void pager_open(struct pager *pager);

/* Waits until the reader has left. -1 when what was written to standard output did not arrive. */
int pager_close(struct pager *pager, struct error *err) MUST_CHECK;

#endif
