/* SPDX-License-Identifier: GPL-2.0-or-later */
/* checkout.c - the commit and branch of the working directory's checkout, "-" for none, for a script to compare. */
#include <stdio.h>

#include "cpu/identify/identity.h"

int main(void)
{
	struct checkout checkout;
	struct arena arena;

	arena_init(&arena);
	checkout = checkout_identify(NULL, &arena);
	printf("%s %s\n", checkout.revision ? checkout.revision : "-", checkout.branch ? checkout.branch : "-");
	arena_release(&arena);
	return 0;
}
