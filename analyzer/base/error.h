/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * error.h - what went wrong, told once. The deepest function says what (error_set), each caller may add where (error_in),
 * and only the command layer prints. The caller owns the struct and starts it as `struct error err = { 0 }`.
 */
#ifndef TOPDOWN_ERROR_H
#define TOPDOWN_ERROR_H

#include <stdbool.h>

#include "base/macros.h"

struct error {
	char text[1024]; /* "" while nothing went wrong */
	int status;	 /* exit status that the command layer shall end with; 0: the usual 125 */
};

/* Records what happened, unless something is recorded already: the first error wins. Always returns -1. */
int error_set(struct error *err, const char *format, ...) PRINTF(2, 3);

/* Puts "where: " before the recorded text. Always returns -1. */
int error_in(struct error *err, const char *format, ...) PRINTF(2, 3);

bool is_error(const struct error *err);
void error_clear(struct error *err);

#endif
