/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shell_words.h - a command in one text, split into words as a shell would, without running a shell. */
#ifndef TOPDOWN_COMMON_BASE_SHELL_WORDS_H
#define TOPDOWN_COMMON_BASE_SHELL_WORDS_H

#include <stddef.h>

#include "common/base/arena.h"
#include "common/base/error.h"

struct shell_words {
	char **words; /* then NULL */
	size_t count; /* at least 1 */
};

/*
 * Quotes and backslashes as in POSIX, Shell Command Language, 2.2. -1 for a quote without its end, for no word at all,
 * and for what only a shell can do: pipes, redirections, variables, patterns; err then names sh -c.
 */
int shell_words_split(struct shell_words *split, const char *text, struct arena *arena, struct error *err) MUST_CHECK;

/* Of what the first word of a command takes there, quotes and all. */
size_t shell_words_first(const char *command);

#endif
