/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * input.h - the same stdin for each run. A file is opened anew at the same position. What comes through a pipe is kept:
 * before the first run as long as it comes without a break, and is not much (input_copy.c); after that on its way to
 * the program. Each run gets it through a pipe, and so reads it in the same way; a thread moves it, in large blocks. Of
 * an endless or an idle pipe the later runs get what had come. Only the first run reads from a terminal.
 */
#ifndef TOPDOWN_COLLECT_COUNT_INPUT_H
#define TOPDOWN_COLLECT_COUNT_INPUT_H

#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

#include "common/base/error.h"

/* ---- input_copy.c ---- */

/*
 * What a pipe has delivered, kept to be read again: the first part in memory, and what is more in a file without a
 * name in TMPDIR, /var/tmp or /tmp. Data is moved by splice(2), so that it is copied once.
 */

#define KEPT_BLOCK (1 << 20) /* bytes that are moved at once, and a pipe's capacity: what users may ask for */

struct input_copy {
	int memory, file; /* descriptors; -1: not there */
	off_t room;	  /* bytes that go to memory */
	off_t length;	  /* of both */
	int failure;	  /* errno: why what came after that could not be kept; 0: it was */
};

/* room: at most that much in memory. -1 without memory; close in any case. */
int input_copy_open(struct input_copy *kept, off_t room, struct error *err) MUST_CHECK;
void input_copy_close(struct input_copy *kept);

/* A quarter of the free memory, and not more than 512 MiB: a container may have less than its machine. */
off_t input_copy_usual_room(void);

/*
 * Takes from a pipe without waiting. The number of bytes; 0: it has ended; -1 with errno EAGAIN: nothing is there; -1
 * and failure set: there is no room, and it was left in the pipe.
 */
ssize_t input_copy_take(struct input_copy *kept, int pipe_end);

/* Gives to a pipe without waiting what is kept behind *position, and moves that. Bytes, or -1 with errno. */
ssize_t input_copy_give(const struct input_copy *kept, off_t *position, int pipe_end);

/* ---- input.c ---- */

enum input_kind {
	INPUT_SHARED, /* a single run, a device, a connection, or closed: each run inherits it */
	INPUT_FILE,
	INPUT_PIPE,	/* or a pair of sockets */
	INPUT_TERMINAL, /* /dev/null from the second run on */
};

/* What the thread works with, until it has been joined. Descriptors are -1 where there is none. */
struct pump {
	pthread_t thread;
	bool is_running;
	int stop;	/* an eventfd: the run has ended */
	int program;	/* the pipe that the program reads from */
	int source;	/* stdin, or a pipe that it is moved to first, because splice takes no socket */
	int refill;	/* the other end of that pipe */
	off_t position; /* of what the program was given */
	bool has_ended; /* nothing will be added to what is kept */
};

struct input {
	enum input_kind kind;
	bool has_begun;		/* some run has been given it */
	off_t start;		/* INPUT_FILE: its position */
	struct input_copy kept; /* INPUT_PIPE: what the first run was given */
	struct pump pump;
};

/* Looks at stdin; nothing is read yet. The struct must not move until input_release. */
void input_init(struct input *input, size_t runs);

/*
 * Stdin for a run (from 0, which may be made anew): a descriptor that the caller closes, INPUT_INHERITED, or -1 and
 * err.
 */
int input_open(struct input *input, size_t run, struct error *err) MUST_CHECK;
#define INPUT_INHERITED (-2)

/* After each run: ends the copying. */
void input_end_run(struct input *input);
void input_release(struct input *input);

#endif
