/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scope.h - whether the kernel's share of a program may be counted too; asked once, the same in all runs. */
#ifndef TOPDOWN_SCOPE_H
#define TOPDOWN_SCOPE_H

#include <stdbool.h>

/* True: this user may count user mode, but not kernel mode (perf_event_paranoid 2 and no CAP_PERFMON). */
bool is_scope_user_only(void);

/* The words of counts->scope. */
const char *scope_name(bool is_user_only);

#endif
