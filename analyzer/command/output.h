/* SPDX-License-Identifier: GPL-2.0-or-later */
/* output.h - where a result goes and how it may look there. */
#ifndef TOPDOWN_COMMAND_OUTPUT_H
#define TOPDOWN_COMMAND_OUTPUT_H

#include "command/options.h"

struct output {
	FILE *file;
	struct style style;
	const char *path; /* NULL: standard stream */
};

/*
 * Where --format was not given, the name behind -o chooses the form. -1 when it asks for one that there is not, or for
 * compression, which a topdown without zlib can't do.
 */
int output_choose(struct output_choice *choice, struct error *err) MUST_CHECK;

/* -o FILE, or the given stream. */
int output_open(struct output *output, const struct options *options, FILE *otherwise, struct error *err) MUST_CHECK;
/* Of a profile, whose addresses and names are its owner's: takes the file's permissions from all others. */
void output_make_private(const struct output *output);
/* -1 when what was written did not arrive. */
int output_close(struct output *output, struct error *err) MUST_CHECK;
/* Instead of output_close after an error while writing: says which file it was, and removes it. Always -1. */
int output_failed(struct output *output, struct error *err);

/* Columns of the terminal that the descriptor is, or what COLUMNS says of another; 0: unknown. */
unsigned output_width(int fd);

/* Does the locale's encoding take UTF-8? */
bool is_utf8_locale(void);

#endif
