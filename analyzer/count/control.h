/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * control.h - a FIFO by which somebody else says when to count: lines with one word each. Each is answered in a second FIFO,
 * if there is one: "ack" when it was done, else what is wrong. It does not matter how many write to it, or when they come and go.
 */
#ifndef TOPDOWN_CONTROL_H
#define TOPDOWN_CONTROL_H

#include <stddef.h>

#include "base/error.h"

enum control_word { CONTROL_NONE, CONTROL_ENABLE, CONTROL_DISABLE, CONTROL_STOP };

struct control {
	int words, answers; /* descriptors, -1: there is none */
	char line[32];	    /* what has come of one that is not at its end */
	size_t length;
	char unknown[32]; /* the first line that was no word; "": there was none */
};

/* Of which nothing is open. */
#define CONTROL_CLOSED                                                                                                 \
	{                                                                                                              \
		.words = -1, .answers = -1                                                                             \
	}

/* "FIFO" or "FIFO,ANSWERS"; NULL: nobody says anything. -1 when one is no FIFO. Close in any case. */
int control_open(struct control *control, const char *paths, struct error *err) MUST_CHECK;

/* The next word that has come; CONTROL_NONE: none. What is no word is answered here. */
enum control_word control_next(struct control *control);

/* What control_next has returned is done. */
void control_done(const struct control *control);
void control_close(struct control *control);

#endif
