/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live_terminal.h - writing to a terminal that may stand still (Ctrl-S, a window that nobody reads) or be gone, and
 * what the program would have written there meanwhile.
 */
#ifndef TOPDOWN_COMMAND_JOBS_LIVE_TERMINAL_H
#define TOPDOWN_COMMAND_JOBS_LIVE_TERMINAL_H

#include <stddef.h>
#include <sys/types.h>

#include "common/base/text.h"
#include "common/system/loop.h"

/* xterm's control sequences, which all terminals of today know: alternate screen, cursor, line wrap. */
#define TERMINAL_ENTER "\033[?1049h\033[?25l\033[?7l\033[2J"
#define TERMINAL_LEAVE "\033[0m\033[?7h\033[?25h\033[?1049l"

/* How long to wait for room, each time that there is none. */
#define FOR_EVER_MS (-1)
#define A_MOMENT_MS 1000

/* The controlling terminal, whose writes don't wait by themselves; -1: there is none. */
int live_terminal_open(void);

/* All of it, unless no room comes in time or the terminal is gone. */
void live_terminal_put(int terminal, const char *bytes, size_t length, int patience_ms);

/* Does it take anything now? */
bool live_terminal_has_room(int terminal);

/* Columns and rows of its window; 80 and 24 where it has no size. */
void live_terminal_window(int terminal, size_t *columns, size_t *rows);

/* Keys come at once, and are not shown. usual: its settings before. */
struct termios;
void live_terminal_set_keys(int terminal, const struct termios *usual);

/* Adds what draws the lines from the window's first row on, and wipes the rows behind them. */
void live_terminal_frame(struct string *text, const char *lines, size_t rows);

/* What Ctrl-S has stopped goes on. */
void live_terminal_continue(int terminal);

/*
 * A file without a name that takes the program's output: a pipe's reader would be in the way of what the program leaves
 * behind. Of much of it the end is kept.
 */
struct program_says {
	int file; /* -1: none */
	off_t left_out;
	struct loop_alarm cut;
};

void program_says_open(struct program_says *says);

/* Keeps the file small while this loop runs. */
void program_says_watch(struct program_says *says, struct loop *loop);

/* Writes what there is, byte by byte as the program did, and closes the file. */
void program_says_show(struct program_says *says, int terminal);

#endif
