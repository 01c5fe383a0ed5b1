/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lines.h - what text and Markdown show of a node's source lines: which of them, and what they are called. */
#ifndef TOPDOWN_RENDER_LINES_H
#define TOPDOWN_RENDER_LINES_H

#include "render/page.h"

/* A table of the page: lines or functions, by their share. */
struct lines_list {
	const struct line_share *shares;
	size_t count;	/* that are shown */
	size_t rest;	/* how many more there are ... */
	double percent; /* ... and their sum */
	bool is_functions;
};

struct lines_list lines_list(const struct page *page, const struct node_lines *lines, bool is_functions);

/* "chase.c:38"; of a function, or where the line is unknown, the program or library. */
const char *lines_where(const struct page *page, const struct lines_list *list, const struct line_share *share);
/* "main" */
const char *lines_function(const struct line_share *share);
/* "and 12 more lines: 3.4 %"; "" when there are no more. */
const char *lines_rest(const struct page *page, const struct lines_list *list);

/* What stands where no node has lines. */
#define LINES_OF_NONE                                                                                                  \
	"No node is over its threshold, so there is none whose lines would be told; --nodes NAME tells those of a "    \
	"node."

#endif
