/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live_screen.h - --live: intervals on the terminal's other screen, each drawn over the last one by a single write, and
 * the keys meanwhile. The terminal is as it was before, and on its usual screen, whenever no run is waited for.
 */
#ifndef TOPDOWN_COMMAND_LIVE_SCREEN_H
#define TOPDOWN_COMMAND_LIVE_SCREEN_H

#include <termios.h>

#include "command/jobs/output.h"
#include "common/base/loop.h"
#include "common/base/text.h"
#include "engine/engine.h"

struct past;

struct live_screen {
	struct arena *arena;
	const struct output_choice *choice;
	int terminal;	  /* -1: there is no screen, and lines are printed */
	int signals;	  /* readable when one of them has come; -1: none is waited for */
	int program_says; /* a file without a name: what the program writes meanwhile; -1: none */
	double interval_s;
	struct termios usual; /* of the terminal, before */
	struct loop *loop;    /* of the run; NULL: none is waited for */
	struct loop_descriptor keys, changes;
	struct past *past;
	bool is_shown; /* the other screen is */
	bool is_paused;
	double newest_s, shown_s; /* ends of the intervals; NAN: none has ended */
	char *newest, *shown;	  /* their lines, on the heap; NULL: none */
	struct string held;	  /* notices that wait for the usual screen, a line each */
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

/* A notice waits for the usual screen. False: it is there. */
bool live_screen_hold(struct live_screen *live, const char *sentence);

/* In any case, after the measurement. */
void live_screen_close(struct live_screen *live);

#endif
