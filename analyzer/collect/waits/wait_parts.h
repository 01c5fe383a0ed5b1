/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wait_parts.h - what wait_watch.c is made of: looks at threads that wait, and what locks are called. */
#ifndef TOPDOWN_COLLECT_WAITS_WAIT_PARTS_H
#define TOPDOWN_COLLECT_WAITS_WAIT_PARTS_H

#include "collect/sample/record.h"
#include "collect/waits/wait_kernel.h"
#include "collect/waits/wait_machine.h"
#include "common/system/loop.h"

/* ---- wait_look.c: what a thread waits for, as /proc has it now ---- */

enum look_result {
	LOOK_FOUND,
	LOOK_RUNS,   /* it does not wait, or is gone */
	LOOK_REFUSED /* this user may not look at it */
};

struct lock_names;
struct wait_calls;

/* A system call that a thread is in. */
struct waiting_call {
	uint32_t pid, tid;
	uint32_t image; /* of its program, see lock_names_image */
	uint64_t number;
	unsigned long long arguments[3];
};

/* What the call waits for. found->name lives in arena. */
void wait_of_call(struct wait_found *found, const struct waiting_call *call, struct lock_names *locks,
		  struct arena *arena);

enum shown_by wait_shown_by(uint64_t number);

/* The number of its arguments that say what it waits for, from the first one on. */
unsigned wait_arguments(uint64_t number);

/* Of the two, the one whose files and memory /proc has: not a process whose first thread has ended before others. */
uint32_t task_with_memory(uint32_t pid, uint32_t tid);

/* What its first argument, a descriptor, leads to: a number that no other file or socket has now; 0: none is known. */
uint64_t wait_object(const struct waiting_call *call);

/* calls learn which one is where; NULL: nobody needs that. */
enum look_result wait_look(struct wait_found *found, const struct waiting_thread *thread, struct lock_names *locks,
			   struct wait_calls *calls, struct arena *arena);

/* The kernel's account of how long a thread was ready and had no CPU, ns; 0: unknown. */
uint64_t thread_delay(uint32_t pid, uint32_t tid);

/* For how long the quota of the process' cgroup has held back its threads, ns, all CPUs together; 0: unknown. */
uint64_t process_throttled(uint32_t pid);

/* ---- wait_calls.c: the same from the registers of a thread that leaves its CPU ---- */

struct wait_calls *wait_calls_new(struct lock_names *locks, struct arena *arena) MUST_CHECK;

/* The mask of the registers that a sample has to have; 0: on this architecture they are of no use. */
uint64_t wait_calls_registers(void);

/* False: they don't say it. Texts live in the arena. */
bool wait_calls_find(struct wait_calls *calls, struct wait_found *found, const struct record *record);

/* A thread was found in that call there. */
void wait_calls_learn(struct wait_calls *calls, const struct waiting_call *call, uint64_t place);

/* ---- wait_kernel.c: the same added up in the kernel, by BPF (wait_kernel_none.c: this topdown has none) ---- */

struct wait_kernel;

/* cgroup: of KERNEL_CGROUP, its directory. NULL with err: the kernel, this user or this topdown can't. */
struct wait_kernel *wait_kernel_open(enum kernel_scope scope, int cgroup, struct lock_names *locks, struct arena *arena,
				     struct error *err) MUST_CHECK;

/* Of KERNEL_TASKS: this thread, and whatever it starts. */
void wait_kernel_add(struct wait_kernel *kernel, uint32_t pid, uint32_t tid);
void wait_kernel_attach(struct wait_kernel *kernel, struct loop *loop);
void wait_kernel_switch(struct wait_kernel *kernel, bool is_on);

/*
 * Seconds, sorted, of tasks the thread first that is called as wanted; lives in the arena. Nothing is left in the
 * kernel, and kernel is not used any more.
 */
struct waits *wait_kernel_finish(struct wait_kernel *kernel, const char *wanted);

/* ---- lock_names.c ---- */

struct lock_names *lock_names_new(struct arena *arena);
void lock_names_release(struct lock_names *names);

/* The process runs another program now: what was found in its memory before is no longer there. */
void lock_names_exec(struct lock_names *names, uint32_t pid);

/* Its programs are counted, from 0 on. */
uint32_t lock_names_image(const struct lock_names *names, uint32_t pid);

/* Its program is one of Go's: a thread of it that has nothing to run waits in a futex, as for a lock. */
bool lock_names_is_go(struct lock_names *names, const struct waiting_call *call);

/*
 * "big_lock", "pool+0x28", "libc.so.6+0x1f2ac0", "heap 0x55d0c8": the object of a process' memory at the address that
 * is the call's first argument. Each address is looked for once; lives in the arena.
 */
const char *lock_name(struct lock_names *names, const struct waiting_call *call);

#endif
