/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * manual_pages.h - the manual inside the program: a page for each command, and some about files. docs/man/ has the
 * texts; each page gets the options that its command takes, in the order of the tables.
 */
#ifndef TOPDOWN_COMMAND_MANUAL_PAGES_H
#define TOPDOWN_COMMAND_MANUAL_PAGES_H

#include <stddef.h>

#include "common/base/arena.h"

struct manual_text {
	const char *name; /* "topdown-plan.1" */
	const char *text; /* without the options that other pages explain */
};

/* Made by the build of the files in docs/man/, sorted by name. */
extern const struct manual_text manual_texts[];
extern const size_t nmanual_texts;

/* What shells read, made of complete.bash and its like: "bash". */
extern const struct manual_text completion_scripts[];
extern const size_t ncompletion_scripts;

/* The page about "plan", "session" or "topdown", by its name with or without "topdown-" and section; or NULL. */
const struct manual_text *manual_find(const char *topic, struct arena *arena);

/* The name that manual_find takes for a page: "plan". */
const char *manual_topic(const struct manual_text *page, struct arena *arena) MUST_CHECK;

/* The whole page as Markdown. */
const char *manual_compose(const struct manual_text *page, struct arena *arena) MUST_CHECK;

#endif
