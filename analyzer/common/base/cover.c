/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/base/cover.h"

#include "common/base/table.h"

static size_t count_left(const struct cover *cover, size_t set, const bool *is_left)
{
	size_t count = 0;

	for (size_t i = 0; i < cover->nitems; i++)
		count += is_left[i] && cover->has[set * cover->nitems + i];
	return count;
}

static double cover_rank(const struct cover *cover, size_t set)
{
	return cover->ranks ? cover->ranks[set] : 0;
}

size_t cover_next(const struct cover *cover, const bool *is_left, const bool *may_take)
{
	size_t best = TABLE_NONE, most = 0;

	for (size_t set = 0; set < cover->nsets; set++) {
		size_t count = !may_take || may_take[set] ? count_left(cover, set, is_left) : 0;

		if (!count || count < most || (count == most && cover_rank(cover, set) <= cover_rank(cover, best)))
			continue;
		best = set;
		most = count;
	}
	return best;
}

size_t cover_take(const struct cover *cover, size_t set, bool *is_left)
{
	size_t left = 0;

	for (size_t i = 0; i < cover->nitems; i++) {
		is_left[i] = is_left[i] && !cover->has[set * cover->nitems + i];
		left += is_left[i];
	}
	return left;
}
