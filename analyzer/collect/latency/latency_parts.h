/* SPDX-License-Identifier: GPL-2.0-or-later */
/* latency_parts.h - what the files of this room share. */
#ifndef TOPDOWN_COLLECT_LATENCY_LATENCY_PARTS_H
#define TOPDOWN_COLLECT_LATENCY_LATENCY_PARTS_H

#include "collect/latency/latency.h"
#include "collect/sample/processes.h"
#include "common/latency/log_histogram.h"

/* ---- function_place.c ---- */

/* Fills offsets with where functions of this name begin. -1 and err: there is none, or none that can be watched. */
int function_place_find(struct latency_target *target, const char *name, struct arena *arena,
			struct error *err) MUST_CHECK;

/* ---- library_file.c ---- */

/* The file of "libc", "libc.so.6", "python3" or a path, as its owner sees it; NULL: there is none. */
const char *library_file_find(const char *name, const struct latency_owner *owner, struct arena *arena) MUST_CHECK;

/*
 * ---- call_machine.c: from begins and ends of calls, in the order of their times, to how long each took. A pure state
 * machine, for any input. A thread has a stack of the calls that it is in. The stack pointer says which call an end
 * belongs to, and which calls were left without one. ----
 */

/* A call begins, or ends. */
struct call_event {
	uint64_t time;
	uint64_t stack; /* pointer to the return address, the same at both ends; 0 of what has none: calls don't nest */
	uint32_t thread;
	uint32_t caller; /* a number of its place; PROFILE_NONE: unknown */
	bool is_chained; /* it began by a jump from a call that has the same return address, and ends with it */
};

struct calling_thread {
	struct call_row *row;
	struct open_call *calls; /* the outermost first */
	size_t count, room;
};

struct call_machine {
	struct arena *arena;
	struct call_times *times;
	struct number_table threads, callers; /* struct calling_thread by thread, struct call_row by place */
	size_t threads_room, callers_room;
	uint64_t losses; /* times that records were lost */
};

void call_machine_init(struct call_machine *machine, struct call_times *times, struct arena *arena);

/* One that nobody has named is added, with a row of its own. */
struct calling_thread *call_machine_thread(struct call_machine *machine, uint32_t thread);

void call_machine_begin(struct call_machine *machine, const struct call_event *event);
void call_machine_end(struct call_machine *machine, const struct call_event *event);

/* The thread is another one from now on, or a new program: its calls never return. */
void call_machine_leave(struct call_machine *machine, uint32_t thread, bool is_gone);

/* So many records were lost: what is under way may have ended meanwhile. */
void call_machine_lose(struct call_machine *machine, uint64_t count);

/* A caller's row; NULL: no call came from there. */
struct call_row *call_machine_caller(const struct call_machine *machine, uint32_t caller);

/* Sums and sorts; what is under way has not returned. */
void call_machine_finish(struct call_machine *machine);

#endif
