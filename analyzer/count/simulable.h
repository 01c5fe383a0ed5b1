/* SPDX-License-Identifier: GPL-2.0-or-later */
/* simulable.h - programs that Valgrind refuses, told before it does: in one sentence, with what to do. */
#ifndef TOPDOWN_SIMULABLE_H
#define TOPDOWN_SIMULABLE_H

#include "base/error.h"

/* -1 and err for a program with another user's rights, or of another kind than this machine's 64-bit ones. */
int simulable_check(const char *path, struct error *err) MUST_CHECK;

#endif
