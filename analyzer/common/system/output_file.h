/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * output_file.h - the one way in which files are written: whole or not at all. What is written has no name until it is
 * complete, so no end of topdown, be it kill -9, leaves half a file or a temporary one; then it takes the place of the
 * file that was there, with that one's permissions and owner. Symbolic links stay, and what they lead to is written.
 * Standard output, devices, pipes and descriptors (/dev/fd/3) are written as they come.
 */
#ifndef TOPDOWN_COMMON_SYSTEM_OUTPUT_FILE_H
#define TOPDOWN_COMMON_SYSTEM_OUTPUT_FILE_H

#include <stdio.h>
#include <sys/types.h>

#include "common/base/arena.h"
#include "common/base/error.h"

enum output_file_flag {
	OUTPUT_PRIVATE = 1, /* its owner's only */
	OUTPUT_KEPT = 2,    /* on the disk, not only in the system's memory, when it is closed */
	OUTPUT_PACKED = 4,  /* compressed as gzip does; so is what has a name that ends in ".gz" */
	OUTPUT_ADDED = 8,   /* behind what is there already */
	OUTPUT_NEW = 16,    /* a file that is there stays as it is, also one that came meanwhile */
};

struct output_file {
	FILE *stream; /* to write to */
	unsigned flags;
	/* the writer's own */
	const char *path; /* as errors name it */
	const char *name; /* in directory */
	int directory;	  /* -1: written as it comes */
	int content;	  /* without a name; -1: none */
	off_t shown;	  /* so many bytes are in their place; -1: none of it */
	struct arena arena;
};

/* The file of this path; "-" is standard output. -1 with "PATH: reason", and then there is nothing to close. */
int output_file_open(struct output_file *file, const char *path, unsigned flags, struct error *err) MUST_CHECK;

/* The same in the path's directory, which is open and stays the caller's; a symbolic link is replaced. */
int output_file_open_in(struct output_file *file, int directory, const char *path, unsigned flags,
			struct error *err) MUST_CHECK;

/*
 * Of a file that grows: what was written so far is complete, and is put into its place. From then on the file ends
 * behind what was shown last, whatever fails. What is compressed is shown when it is closed.
 */
int output_file_show(struct output_file *file, struct error *err) MUST_CHECK;

/* Puts the file into its place. -1 with "PATH: reason" when it can't be: the file is then as it was. */
int output_file_close(struct output_file *file, struct error *err) MUST_CHECK;

/* Instead of output_file_close after an error while writing. */
void output_file_drop(struct output_file *file);

/* Closes the file, or drops it where writing it failed with result < 0. Returns -1 if either failed. */
int output_file_end(struct output_file *file, int result, struct error *err) MUST_CHECK;

/* A file of this text. */
int output_file_write(const char *path, const char *text, struct error *err) MUST_CHECK;

#endif
