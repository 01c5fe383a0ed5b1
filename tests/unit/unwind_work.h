/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unwind_work.h - code with frames of all kinds, to be interrupted: compiled optimised and without frame pointers. */
#ifndef TOPDOWN_TEST_UNWIND_WORK_H
#define TOPDOWN_TEST_UNWIND_WORK_H

#include <stddef.h>

struct unwind_work {
	const char *name;
	void (*work)(void); /* some microseconds to a millisecond */
};

extern const struct unwind_work unwind_works[];
extern const size_t unwind_nworks;

#endif
