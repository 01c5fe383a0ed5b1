/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * error.h - what went wrong, reported once. The deepest function says what (error_set), each caller may add where
 * (error_in), and only the command layer prints. The caller owns the struct and starts it as
 * `struct error err = { 0 }`. What is too long ends in "...", behind a whole character. Formats may name what can be
 * asked by the front end's words (text.h).
 */
#ifndef TOPDOWN_COMMON_BASE_ERROR_H
#define TOPDOWN_COMMON_BASE_ERROR_H

#include <stdbool.h>

#include "common/base/macros.h"

struct error {
	char text[1024];    /* "" while nothing went wrong */
	int status;	    /* exit status that the command layer shall end with; 0: the usual 125 */
	int interrupted_by; /* the signal that came for topdown meanwhile, to end it; 0: none, or not while measuring */
};

#define STATUS_OF_SIGNAL 128 /* and the number of the signal that topdown or the program ended by */
#define STATUS_UNREAD	 141 /* 128 + SIGPIPE: nobody reads what is written any more */

/* Records what happened, unless something is recorded already: the first error wins. Always returns -1. */
int error_set(struct error *err, const char *format, ...) PRINTF(2, 3);

/* Puts "where: " before the recorded text. Always returns -1. */
int error_in(struct error *err, const char *format, ...) PRINTF(2, 3);

bool is_error(const struct error *err);
void error_clear(struct error *err);

#endif
