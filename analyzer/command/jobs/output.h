/* SPDX-License-Identifier: GPL-2.0-or-later */
/* output.h - where a result goes and how it may look there. */
#ifndef TOPDOWN_COMMAND_JOBS_OUTPUT_H
#define TOPDOWN_COMMAND_JOBS_OUTPUT_H

#include <stdio.h>

#include "common/base/error.h"
#include "common/system/output_file.h"
#include "present/document/render.h"

enum color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

struct output_choice {
	const char *path; /* -o; NULL: stderr for a measurement, stdout otherwise */
	const char *save; /* NULL: no session is saved */
	enum format format;
	bool has_format; /* it was given; else the name behind -o says it */
	enum color color;
	bool is_verbose;
	unsigned budget;  /* bytes; 0: any, of --format brief BRIEF_BUDGET */
	bool is_live;	  /* intervals on a screen of their own */
	bool has_no_last; /* the measurement is not kept as the last one */
	bool is_packed;	  /* compressed whatever the name is */
	bool embeds;	  /* a page holds the session */
	bool opens;	  /* a page is shown, from a file of its own */
};

struct output {
	FILE *file;
	struct style style;
	const char *path; /* NULL: standard stream */
	bool is_own;	  /* not the stream that was given otherwise */
	/* Of a budget: file holds what is written, until it is cut and goes to whole. */
	FILE *whole; /* NULL: there is no budget */
	char *text;
	size_t length, budget;
	struct output_file own;
};

/*
 * Names of files get what %r and the like of them stand for (job_place.h). -1 where that is unknown, or where processes
 * of a job that measure would all write into one file.
 */
int output_place(struct output_choice *choice, bool is_measuring, struct arena *arena, struct error *err) MUST_CHECK;

/*
 * Where --format was not given, the name behind -o chooses the form. -1 when it asks for one that there is not, or for
 * compression, which a topdown without zlib can't do.
 */
int output_choose(struct output_choice *choice, struct error *err) MUST_CHECK;

/* Does a report in this form say where its worst node is, though nobody asked? */
static inline bool output_says_where(enum format format)
{
	return format == FORMAT_TEXT || format == FORMAT_MARKDOWN || format == FORMAT_HTML || format == FORMAT_BRIEF;
}

/* -o FILE, or the given stream. */
int output_open(struct output *output, const struct output_choice *choice, FILE *otherwise,
		struct error *err) MUST_CHECK;
/* Of intervals: what was written so far has its place, whatever comes. -1 as output_failed. */
int output_show(struct output *output, struct error *err) MUST_CHECK;
/* -1 when what was written did not arrive; then a file that was there is as it was. */
int output_close(struct output *output, struct error *err) MUST_CHECK;
/* Instead of output_close after an error while writing: says which file it was. Always -1. */
int output_failed(struct output *output, struct error *err);

/* A table as all that is written, to standard output where no file is named. */
struct listing;
int output_listing(const struct output_choice *choice, const struct listing *listing, struct error *err) MUST_CHECK;

/* Columns of the terminal that the descriptor is, or what COLUMNS says of another; 0: unknown. */
unsigned output_width(int fd);

#endif
