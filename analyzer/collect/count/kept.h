/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kept.h - what a pipe has delivered, kept to be read again: the first part in memory, and what is more in a file
 * without a name in TMPDIR, /var/tmp or /tmp. Data is moved by splice(2), so that it is copied once.
 */
#ifndef TOPDOWN_COLLECT_COUNT_KEPT_H
#define TOPDOWN_COLLECT_COUNT_KEPT_H

#include <sys/types.h>

#include "common/base/error.h"

#define KEPT_BLOCK (1 << 20) /* bytes that are moved at once, and a pipe's capacity: what users may ask for */

struct kept {
	int memory, file; /* descriptors; -1: not there */
	off_t room;	  /* bytes that go to memory */
	off_t length;	  /* of both */
	int failure;	  /* errno: why what came after that could not be kept; 0: it was */
};

/* room: at most that much in memory. -1 without memory; close in any case. */
int kept_open(struct kept *kept, off_t room, struct error *err) MUST_CHECK;
void kept_close(struct kept *kept);

/* A quarter of the free memory, and not more than 512 MiB: a container may have less than its machine. */
off_t kept_usual_room(void);

/*
 * Takes from a pipe without waiting. The number of bytes; 0: it has ended; -1 with errno EAGAIN: nothing is there; -1
 * and failure set: there is no room, and it was left in the pipe.
 */
ssize_t kept_take(struct kept *kept, int pipe_end);

/* Gives to a pipe without waiting what is kept behind *position, and moves that. Bytes, or -1 with errno. */
ssize_t kept_give(const struct kept *kept, off_t *position, int pipe_end);

#endif
