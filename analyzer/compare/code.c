/* SPDX-License-Identifier: GPL-2.0-or-later */
/* code.c - which functions and lines a difference is in. */
#include "compare/sides.h"

void code_fill(struct comparing *comparing)
{
	(void)comparing;
}
