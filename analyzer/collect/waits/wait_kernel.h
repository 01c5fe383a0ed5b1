/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wait_kernel.h - what the program in the kernel (wait_kernel.bpf.c) and its reader (wait_kernel.c) share. Times are ns
 * of its clock, which stands while measuring pauses.
 */
#ifndef TOPDOWN_COLLECT_WAITS_WAIT_KERNEL_H
#define TOPDOWN_COLLECT_WAITS_WAIT_KERNEL_H

#ifdef __bpf__
#include <linux/types.h>
typedef __u32 uint32_t;
typedef __u64 uint64_t;
#else
#include <stdint.h>
#endif

#define KERNEL_THREADS 32768 /* at once; others are lost, and counted */
#define KERNEL_CAUSES  65536
#define KERNEL_CALLS   1024 /* numbers of system calls are below it */
#define KERNEL_NAME    16
#define KERNEL_FILE    48

#define NO_CALL_NUMBER 0xffffffffu /* it is in no system call */

/* common/latency/log_histogram.h */
#define KERNEL_PART_BITS 5
#define KERNEL_BUCKETS	 ((64 - KERNEL_PART_BITS + 1) << KERNEL_PART_BITS)

/* Which argument of a call says what it waits for. */
enum shown_by { SHOWN_BY_CALL, SHOWN_BY_LOCK, SHOWN_BY_FIRST_FD, SHOWN_BY_SECOND_FD };

/* Time that was measured until it began the last time, and when that was (CLOCK_MONOTONIC; 0: now is a pause). */
struct kernel_clock {
	uint64_t measured, begun;
};

/* The program's variables, all of them; first what its reader sets before it is loaded. */
struct kernel_settings {
	uint32_t scope;			      /* enum kernel_scope */
	unsigned char shown_by[KERNEL_CALLS]; /* enum shown_by, of each call */
};
struct kernel_sums {
	struct kernel_clock clock;
	uint64_t lost;
	uint64_t serials;	/* of threads, as they were met */
	uint64_t ready_longest; /* without a CPU, at once, of all threads */
	uint64_t ready_sum;
	uint64_t ready[KERNEL_BUCKETS]; /* as common/latency/log_histogram.c numbers them */
};

enum kernel_state { KERNEL_RUNS, KERNEL_READY, KERNEL_WAITS };

/* Whose switches count. */
enum kernel_scope { KERNEL_TASKS, KERNEL_CGROUP, KERNEL_ALL };

/* What a descriptor leads to, as the kernel has it when the wait begins. */
enum kernel_object { OBJECT_NONE, OBJECT_FILE, OBJECT_DEVICE, OBJECT_PIPE, OBJECT_SOCKET, OBJECT_PEER };

/* What a thread waits for. serial: of the thread, as numbers are used again. */
struct kernel_key {
	uint32_t serial, call;
	uint32_t image, unused; /* image: of its programs, from 0 on */
	uint64_t object;	/* a lock's address, or what its descriptor leads to; 0: nothing */
};

struct kernel_cause {
	uint64_t time, queued; /* queued: of the time, it had been woken and got no CPU yet */
	uint64_t longest, waits;
	uint64_t by_more; /* of Boyer and Moore's vote: who ended most of it */
	uint32_t by;
	uint32_t is_uninterruptible; /* waits of no call: for a page */
};

struct kernel_thread {
	uint64_t from, since, woken; /* woken: in the wait that goes on; 0: not yet */
	uint64_t running, preempted, queued, longest_ready;
	uint64_t waits, preemptions, migrations;
	struct kernel_key key; /* of the wait that goes on, or of the last one */
	uint32_t pid, tid, serial, state;
	uint32_t cpu; /* from 1; 0: unknown */
	uint32_t waker;
	uint32_t is_uninterruptible, image;
	char name[KERNEL_NAME];
};

/* What is sent as it happens: once a cause, as its names are known only then; and once a thread, as it ends. */
enum kernel_message { MESSAGE_CAUSE, MESSAGE_EXEC, MESSAGE_END };

struct kernel_cause_message {
	uint32_t message, pid, tid;
	uint32_t is_uninterruptible;
	struct kernel_key key;
	uint64_t arguments[3];
	uint32_t object; /* enum kernel_object */
	uint32_t family, port, own_port;
	uint32_t address; /* of IPv4, as the network has it */
	uint32_t unused;
	char file[KERNEL_FILE];
};

struct kernel_exec_message {
	uint32_t message, pid;
};

/* thread.since: when it ended. */
struct kernel_end_message {
	uint32_t message, unused;
	struct kernel_thread thread;
};

#endif
