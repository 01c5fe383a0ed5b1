/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * launch.h - starts a program, which waits between fork and exec, corked, until its groups are opened. It never stays
 * behind: when topdown dies, the cork pipe ends and the program is not started.
 */
#ifndef TOPDOWN_COLLECT_COUNT_LAUNCH_H
#define TOPDOWN_COLLECT_COUNT_LAUNCH_H

#include <sys/resource.h>

#include "collect/count/count.h"
#include "collect/count/supervisor.h"
#include "collect/count/signals.h"

struct child_setup {
	const struct program *program;
	const struct signals *signals; /* held */
	struct rlimit descriptors;     /* RLIMIT_NOFILE for the program: perf_open may have raised topdown's own */
	struct priority priority;      /* topdown's own, which it does not inherit */
	int input;		       /* its stdin; INPUT_INHERITED: topdown's */
	bool is_quiet;	  /* what it writes is dropped: stdout and stderr are what they are, and not these */
	bool is_confined; /* confinement.c */
	struct supervisor *supervisor; /* whoever watches it, until supervisor_close; NULL: nobody */
};

/* What it used, with its children (getrusage(2), /proc/PID/io), once child_has_ended; NAN: unknown. */
struct child_usage {
	double minor_faults, major_faults;
	double switches; /* of its own accord or not */
	double read_bytes, written_bytes;
	double run_delay_s; /* of its first thread alone */
};

struct child {
	pid_t pid;
	int cork[2];	    /* a byte lets the program go */
	int failure[2];	    /* errno of exec; ends without one when exec succeeds */
	double cpu_s;	    /* user + system time of it and its children, once child_has_ended; NAN: unknown */
	double user_s;	    /* the user time of these */
	double faults;	    /* page faults, and */
	double preemptions; /* how often they had to leave the CPU to others; all of getrusage(2) */
	struct child_usage used;
	bool has_ended;
	int status;	       /* as a shell reports it, once child_has_ended */
	bool is_killed;	       /* by a signal, once child_has_ended */
	pthread_t droppers[2]; /* that read what nobody is to see; the launcher's own */
	unsigned ndroppers;
	bool is_untraced; /* it asked to be traced by its parent (PTRACE_TRACEME), which topdown does not do */
};

#define REMARK_UNTRACED                                                                                                \
	"The program asked to be traced by its parent (PTRACE_TRACEME), as under a debugger: it went on without."

/* Forks; the child waits. -1 and err when that is impossible. Follow with child_release or child_abandon. */
int child_start(struct child *child, const struct child_setup *setup, struct error *err) MUST_CHECK;

/*
 * Lets it exec. -1 when exec failed: err->status is 126 or 127, and the child is gone. Else wait until child_has_ended.
 */
int child_release(struct child *child, const struct program *program, struct error *err) MUST_CHECK;

/* Ends the child without exec. */
void child_abandon(struct child *child);

/* Always -1: what the errno of an exec means, with the status 126 or 127. */
int exec_failed(const char *path, int error_number, struct error *err);

/*
 * Asks without waiting; the next time to ask is after SIGCHLD. True once: the child is gone then. Where the child has
 * stopped itself in a shell's job, topdown stops too, so that the shell has the terminal back, and goes on with it.
 */
bool child_has_ended(struct child *child);

/* ---- confinement.c ---- */

/* A process that leaves nothing behind in the file system. */

/*
 * For the calling process and what it starts, by Landlock: it can't open files for writing, nor make, remove or rename
 * them, but for devices without a memory. Where the kernel knows these, TCP connections, abstract sockets and signals
 * to other processes fail too. The errors are EACCES or EPERM. Rights that a program would gain by exec it does not
 * get. What the kernel lacks is left as it was: all of it before Linux 5.13, or without Landlock.
 */
void confine(void);

#endif
