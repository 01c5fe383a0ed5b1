/* SPDX-License-Identifier: GPL-2.0-or-later */
/* simulable.h - programs that Valgrind refuses, told before it does: in one sentence, with what to do. */
#ifndef TOPDOWN_SIMULABLE_H
#define TOPDOWN_SIMULABLE_H

#include "base/error.h"

/*
 * -1 and err for a program with another user's rights, of another kind than this machine's 64-bit ones, or that can't be read; and for what the kernel would not
 * execute either, which Valgrind gives to a shell or stumbles over. A script is what its interpreter is.
 */
int simulable_check(const char *path, struct error *err) MUST_CHECK;

#endif
