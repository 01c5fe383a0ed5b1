/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * supervisor.h - a program that is watched for its first effect: a system call that would do something a second time if
 * the program ran again (simulator/call_kinds.h). The kernel holds such a call until a thread here has judged it
 * (seccomp's user notification). What only looks, computes or writes to the output is let through by the kernel itself.
 */
#ifndef TOPDOWN_COLLECT_COUNT_SUPERVISOR_H
#define TOPDOWN_COLLECT_COUNT_SUPERVISOR_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

enum supervisor_mode {
	/*
	 * The first run. Its first effect does not happen, and the program does nothing more, if it has written nothing
	 * yet and has run for less than SUPERVISOR_YOUNG_S: it can start anew. Later ones happen.
	 */
	SUPERVISE_FIRST,
	SUPERVISE_REPEAT /* each effect is refused: the call fails with WIRE_STOPS (simulator/wire.h) */
};

#define SUPERVISOR_YOUNG_S 1.0 /* of CPU time */
#define SUPERVISOR_CALL	   32
#define SUPERVISOR_GIVEN   16
#define SUPERVISOR_WHAT	   512

struct supervisor {
	enum supervisor_mode mode;
	const char *stop;    /* SUPERVISE_REPEAT: a file that is made at the first effect, which ends all (WIRE_STOP) */
	bool has_no_scratch; /* the first run has left some */
	const char *folder;  /* what is written below it is no effect; NULL: there is none */
	bool is_input_once;  /* what is read from stdin is gone then: a terminal, a device, a connection */
	atomic_bool is_held; /* the program stands before its first effect, and news is readable */
	bool is_server;	     /* it takes an address, to listen there */
	bool has_effect;
	bool has_left_scratch;	     /* that was the first effect */
	char call[SUPERVISOR_CALL];  /* of the first effect, by the names of call_kinds.h; "": it has none */
	char what[SUPERVISOR_WHAT];  /* its path, or "" */
	bool has_shown;		     /* it had written something until then */
	double cpu_s;		     /* that the program had run for until then */
	int listener, news, quit;    /* descriptors */
	int given[SUPERVISOR_GIVEN]; /* of the program, not to be used twice: stdin, if so, and those behind stderr */
	unsigned ngiven;
	pid_t program;
	char **scratch; /* files and folders that it has made anew where temporary ones are: its own */
	size_t nscratch, scratch_room;
	bool has_rights; /* set-user-ID programs get their rights */
	pthread_t thread;
	bool is_running;
};

/* Linux 5.9 and seccomp; and the program is given few descriptors behind stderr. */
bool supervisor_is_possible(void);

/*
 * fork(2) of a process that is watched, with all that it starts; child never returns. mode, folder and is_input_once
 * are set. -1 with errno; else supervisor_close in any case.
 */
pid_t supervisor_fork(struct supervisor *supervisor, void (*child)(void *context), void *context);

/*
 * After the program's end. What a repetition has left of its scratch is removed. What the program has left running goes
 * on; nobody judges that any more.
 */
void supervisor_close(struct supervisor *supervisor);

/* ---- supervisor_judge.c ---- */

/* A call that waits. */
struct held_call {
	pid_t thread;
	unsigned number;
	unsigned long arguments[6];
};

/* Adds a file to the scratch. False: there is no memory, and it is none. */
bool supervisor_add_scratch(struct supervisor *supervisor, const char *path);

/* Fills call and what (SUPERVISOR_CALL, SUPERVISOR_WHAT): whose name a report has. False: it is no effect. */
bool supervisor_judge(struct supervisor *supervisor, const struct held_call *asked, char *call, char *what,
		      bool *is_server);

/* Does the call make another descriptor of its first argument? */
bool supervisor_is_copy(unsigned number);

/* Has the program, whose first process is given, written anything yet, or this thread's process? cpu_s: of both. */
bool supervisor_has_shown(pid_t program, pid_t thread, double *cpu_s);

#endif
