/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * saved_files.h - whatever file has a measurement: a session, counts from elsewhere, or what perf recorded. The content
 * decides.
 */
#ifndef TOPDOWN_COMMAND_JOBS_SAVED_FILES_H
#define TOPDOWN_COMMAND_JOBS_SAVED_FILES_H

#include "common/base/error.h"
#include "common/measurement/counts.h"
#include "common/request/request.h"

/* "-" is standard input. Of perf.data, places get their names. -1 as session_read and perf_data_read. */
int saved_files_read(struct measurement *measured, const char *path, struct arena *arena, struct error *err) MUST_CHECK;

/* The files that a command was given. */
struct saved_files {
	const char *command; /* what errors call it */
	char *const *names;
	size_t count;
};

struct saved_file {
	struct measurement measured;
	const char *file;  /* what errors call it */
	const char *place; /* for struct origin: a shell's word, "" of the last measurement; NULL: standard input */
};

/* The one file that is named, or else the last measurement's, which a notice then names. -1 with err. */
int saved_files_find(struct saved_file *recorded, struct saved_files files, const struct request *request,
		     struct error *err) MUST_CHECK;

#endif
