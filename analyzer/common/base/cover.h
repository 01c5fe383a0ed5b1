/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cover.h - items from as few sets as possible: the set with most of the items first, then the one with most of those
 * that remain, and so on (the greedy set cover).
 */
#ifndef TOPDOWN_COMMON_BASE_COVER_H
#define TOPDOWN_COMMON_BASE_COVER_H

#include <stdbool.h>
#include <stddef.h>

/* Which set has which item. All is borrowed. */
struct cover {
	size_t nsets, nitems;
	const bool *has;     /* [nsets * nitems]: set s has item i at s * nitems + i */
	const double *ranks; /* [nsets]: of sets with equally many items the one with the higher; NULL: all are equal */
};

/*
 * The next set: of those that may be taken (NULL: all) the one that has most of the items that are left, the earlier of
 * equals. TABLE_NONE: none has any.
 */
size_t cover_next(const struct cover *cover, const bool *is_left, const bool *may_take);

/* The set's items are not left any more. Returns the number of those that still are. */
size_t cover_take(const struct cover *cover, size_t set, bool *is_left);

#endif
