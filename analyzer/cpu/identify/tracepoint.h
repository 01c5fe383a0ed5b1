/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tracepoint.h - the kernel's tracepoints by number, and its system calls by name. */
#ifndef TOPDOWN_CPU_IDENTIFY_TRACEPOINT_H
#define TOPDOWN_CPU_IDENTIFY_TRACEPOINT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "common/base/error.h"

/*
 * Number of a tracepoint ("raw_syscalls/sys_enter") for perf_event_open, from tracefs below sysroot; -1 and err with
 * the remedy where it can't be read.
 */
int tracepoint_identify(uint64_t *number, const char *sysroot, const char *name, struct arena *arena,
			struct error *err) MUST_CHECK;

/* Is it spelled like one, "block:block_rq_issue"? Whether the kernel has it is another question. */
bool is_tracepoint_name(const char *text);

/*
 * A list of events in which "sched:*" stands for all of that kind, which the machine says, spelled out; NULL and err
 * where that can't be read, or fits none.
 */
const char *tracepoints_expand(const char *events, const char *sysroot, struct arena *arena,
			       struct error *err) MUST_CHECK;

/* Where a field of it stands in its record, "pid_t pid"; false: unknown. */
bool tracepoint_field(size_t *offset, const char *sysroot, const char *name, const char *field, struct arena *arena);

#define MOST_SYSTEM_CALLS 1024 /* numbers are below this */

/* As asm/unistd.h calls them on the machine that topdown was built for; NULL, or false: it has no such call. */
const char *system_call_name(uint64_t number);
bool system_call_number(uint64_t *number, const char *name);
/* Names near to what was typed, "read, readv or pread64"; NULL: none is. */
const char *near_system_calls(const char *typed, struct arena *arena);

#endif
