/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * effects.h - has the program done anything that would be done a second time if it ran again? Its system calls say so:
 * those that are known to leave nothing behind are listed (effects.c), and the first other one that succeeds, or that
 * Valgrind does not know and so refuses, is the program's first effect.
 */
#ifndef TOPDOWN_SIMULATOR_GUEST_EFFECTS_H
#define TOPDOWN_SIMULATOR_GUEST_EFFECTS_H

#include "simulator/guest/valgrind.h"

/* A file, whatever its descriptors are. */
struct file_identity {
	ULong device, inode;
};

enum given_as {
	GIVEN,	     /* not to be used twice */
	GIVEN_INPUT, /* a terminal as stdin, which may be written to where it is stdout too */
	GIVEN_FILE   /* as stdin: the native run has a descriptor of its own that only reads */
};

struct given_file {
	struct file_identity identity;
	enum given_as as;
};

#define EFFECTS_FILES 64 /* more than these are not kept: then any use of a descriptor is an effect */
#define EFFECTS_NAME  32
#define EFFECTS_WHAT  512

struct effects {
	struct file_identity outputs[2];	/* stdout and stderr as they were at the start */
	struct given_file given[EFFECTS_FILES]; /* not to be used twice: what the process was given, and terminals */
	UInt ngiven;
	Bool has_effect, has_listened;
	UInt stop_signal;	  /* that asked the program to end, which caught it; 0: none */
	HChar name[EFFECTS_NAME]; /* of the first effect's system call, or its number */
	HChar what[EFFECTS_WHAT]; /* its path or descriptor; "": none */
};

/* When the process starts: the files that it has already. */
void effects_init(struct effects *effects);

/* What follows is another process's, or another file's. */
void effects_forget(struct effects *effects);

/* After each system call. */
void effects_judge(struct effects *effects, UInt number, const UWord *arguments, SysRes result);

/* Before a signal's handler is called. */
void effects_signal(struct effects *effects, Int signal);

#endif
