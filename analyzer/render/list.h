/* SPDX-License-Identifier: GPL-2.0-or-later */
/* list.h - a table of what there is: CPUs, events, metrics, nodes, groups. */
#ifndef TOPDOWN_LIST_H
#define TOPDOWN_LIST_H

#include "render/render.h"

enum list_kind {
	LIST_TEXT,
	LIST_NUMBER, /* digits */
	LIST_PARTS,  /* ';'-separated; an array in JSON */
	LIST_TREE,   /* text, drawn as a tree by the rows' depth */
	LIST_DETAIL, /* text; on lines of its own below the row, and only with -v */
};

struct list_column {
	const char *key;     /* in JSON and CSV */
	const char *heading; /* NULL: not in the text, which has less room */
	enum list_kind kind;
	bool is_name; /* what a pattern is compared with */
};

struct list_row {
	const char **cells;  /* one for each column; NULL or "": nothing */
	const char *section; /* heading above the first of its rows in the text; NULL: none */
	unsigned depth;	     /* 0: a root, or no tree at all; a row's parent is the last one above with less */
};

struct listing {
	const char *what; /* "events" */
	const char *cpu;  /* database name, or NULL: not about one CPU */
	const struct list_column *columns;
	size_t ncolumns;
	struct list_row *rows;
	size_t count;
	size_t runs;	  /* that it takes to measure all of it; 0: not a question here */
	const char *note; /* a sentence below it, or NULL */
	const char *next; /* a command to go on with, to be pasted, or NULL */
};

/* -1 when the stream refuses the output. Lines of text are cut only where the terminal's width is known. */
int render_listing(FILE *out, const struct listing *listing, const struct style *style, struct error *err) MUST_CHECK;

#endif
