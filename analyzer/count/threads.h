/* SPDX-License-Identifier: GPL-2.0-or-later */
/* threads.h - the threads of processes that run already, from /proc: what is counted, so never below a sysroot. */
#ifndef TOPDOWN_THREADS_H
#define TOPDOWN_THREADS_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/arena.h"

/* The threads of a process, in ascending order; returns how many, 0 when it is gone. */
size_t threads_list(pid_t process, pid_t **threads, struct arena *arena) MUST_CHECK;

/* What it calls itself, "?" when it is gone. */
const char *thread_name(pid_t thread, struct arena *arena);

/* A zombie has ended: nobody has asked for its status yet. */
bool is_task_running(pid_t task);

#endif
