/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scope.h - whose instructions are counted: the program's own, the kernel's on its behalf, or both. */
#ifndef TOPDOWN_SCOPE_H
#define TOPDOWN_SCOPE_H

#include <stdbool.h>

enum scope { SCOPE_ALL, SCOPE_USER, SCOPE_KERNEL };

/* True: this user may count user mode, but not kernel mode (perf_event_paranoid 2 and no CAP_PERFMON). */
bool is_scope_user_only(void);

/* The words of counts->scope. */
const char *scope_name(enum scope scope);

#endif
