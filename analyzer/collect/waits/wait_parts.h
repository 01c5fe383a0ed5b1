/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wait_parts.h - what wait_watch.c is made of: looks at threads that wait, and what locks are called. */
#ifndef TOPDOWN_COLLECT_WAITS_WAIT_PARTS_H
#define TOPDOWN_COLLECT_WAITS_WAIT_PARTS_H

#include "collect/waits/wait_machine.h"

/* ---- wait_look.c: what a thread waits for, as /proc has it now ---- */

enum look_result {
	LOOK_FOUND,
	LOOK_RUNS,   /* it does not wait, or is gone */
	LOOK_REFUSED /* this user may not look at it */
};

struct lock_names;

/* found->name lives in arena. */
enum look_result wait_look(struct wait_found *found, uint32_t pid, uint32_t tid, struct lock_names *locks,
			   struct arena *arena);

/* The kernel's account of how long a thread was ready and had no CPU, ns; 0: unknown. */
uint64_t thread_delay(uint32_t pid, uint32_t tid);

/* For how long the quota of the process' cgroup has held back its threads, ns, all CPUs together; 0: unknown. */
uint64_t process_throttled(uint32_t pid);

/* ---- lock_names.c ---- */

struct lock_names *lock_names_new(struct arena *arena);

/*
 * "big_lock", "pool+0x28", "libc.so.6+0x1f2ac0", "heap 0x55d0c8": the object of a process' memory at the address. Each
 * address is looked for once; lives in the arena.
 */
const char *lock_name(struct lock_names *names, uint32_t pid, uint64_t address);

#endif
