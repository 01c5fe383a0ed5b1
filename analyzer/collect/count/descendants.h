/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * descendants.h - the processes that a program has started, and theirs: found, sent signals, collected, named.
 *
 * topdown is their reaper (PR_SET_CHILD_SUBREAPER): where a parent ends, its children become topdown's, so that each
 * is found below topdown in /proc, also in a session of its own. Process groups stay as they are: in a group of its own
 * a program would not get the terminal's Ctrl-C, and would be stopped when it reads from the terminal.
 */
#ifndef TOPDOWN_COLLECT_COUNT_DESCENDANTS_H
#define TOPDOWN_COLLECT_COUNT_DESCENDANTS_H

#include <stdbool.h>
#include <sys/types.h>

#include "common/base/arena.h"

struct descendants {
	pid_t *known; /* below topdown, but not the program's: helpers, and what earlier runs have left */
	size_t nknown, capacity;
	size_t nforeign; /* the first of them, which topdown had before: whoever started them waits for them */
	int was_reaper;
	struct arena arena;
};

enum reach {
	REACH_ALL,
	REACH_SESSION, /* only those in topdown's session: a daemon has left it on purpose */
};

struct process {
	pid_t pid, parent, session;
	char state; /* of /proc/PID/stat: 'T' is stopped */
	char name[16];
};

/* Reads a file of /proc/TASK, such as "stat", into text, which is terminated. False: there is none, or it is empty. */
bool task_file_read(pid_t task, const char *name, char *text, size_t size);

/* topdown becomes the reaper; the children that it has already are known. Release with descendants_release. */
void descendants_adopt(struct descendants *descendants);

/* Those that are left become init's, as they would be without topdown, and go on. */
void descendants_release(struct descendants *descendants);

/* Those that run now and are not known, in arena; 0 without /proc. The program is one of them until it is collected. */
size_t descendants_list(struct process **list, const struct descendants *descendants, enum reach reach,
			struct arena *arena);

/*
 * Sends the signal to each, and returns their number. SIGTERM and the like wait until a stopped process goes on, so
 * SIGCONT follows to these.
 */
size_t descendants_signal(const struct descendants *descendants, int number, enum reach reach);
void descendants_continue(const struct descendants *descendants);

/* Collects those that have ended, but not program (0: none). False: topdown has no child left. */
bool descendants_collect(const struct descendants *descendants, pid_t program);

/* Waits, and collects, until none is left that is not known; false: some still run after so many seconds. */
bool descendants_wait(const struct descendants *descendants, enum reach reach, double seconds);

/*
 * Ends those that are left: SIGTERM, and to those that still run after so many seconds SIGKILL. The number of these.
 */
size_t descendants_end(const struct descendants *descendants, enum reach reach, double seconds);

/* What a program has to end in after SIGTERM: a server may have to write what it holds. */
#define ENDING_S 5.0

/* Those that run now are known from now on. */
void descendants_keep(struct descendants *descendants);

#endif
