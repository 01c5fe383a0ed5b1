/* SPDX-License-Identifier: GPL-2.0-or-later */
/* listing.h - a table of what there is: CPUs, events, metrics, nodes, groups. */
#ifndef TOPDOWN_PRESENT_DOCUMENT_LISTING_H
#define TOPDOWN_PRESENT_DOCUMENT_LISTING_H

#include "present/document/document.h"

/*
 * The columns have keys, headings (NULL: not in the text, which has less room) and the flags COLUMN_RIGHT, COLUMN_TREE,
 * COLUMN_BELOW (text only with -v or has_details), COLUMN_WRAP, COLUMN_LABEL and COLUMN_IS_NAME; how text draws them is
 * the list's affair. COLUMN_SHRINKS and COLUMN_LAST say what gives way where a line is too long.
 */
struct listing {
	const char *what; /* "events" */
	const char *cpu;  /* database name, or NULL: not about one CPU */
	struct grid table;
	bool has_details; /* text has the COLUMN_BELOW cells without -v too */
	size_t runs;	  /* that it takes to measure all of it; 0: not a question here */
	const char *note; /* a sentence below it, or NULL */
	const char *next; /* a command to go on with, to be pasted, or NULL */
};

#endif
