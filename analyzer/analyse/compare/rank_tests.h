/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rank_tests.h - do two series of measurements differ? Exact tests of ranks, which assume no distribution, and what
 * they are corrected for where several are judged at once.
 */
#ifndef TOPDOWN_ANALYSE_COMPARE_RANK_TESTS_H
#define TOPDOWN_ANALYSE_COMPARE_RANK_TESTS_H

#include "common/base/arena.h"

/* Two series, or a series of pairs. Values are numbers; those of pairs have the same count. */
struct two_series {
	const double *before, *after;
	size_t nbefore, nafter;
};

/*
 * Two-sided p of Mann and Whitney's test (Annals of Mathematical Statistics 18, 1947): twice the smaller tail of the
 * distribution of the rank sum, given the ties that there are. Exact up to EXACT_RANKS values together; beyond that by
 * the normal distribution, corrected for ties and continuity. NAN where a series is empty.
 */
double mann_whitney_p(const struct two_series *series, struct arena *arena);
#define EXACT_RANKS 120

/*
 * Two-sided p of Wilcoxon's signed-rank test (Biometrics Bulletin 1, 1945) of pairs, in the same way; pairs that do not
 * differ are left out. NAN without pairs, 1 where none differs.
 */
double signed_rank_p(const struct two_series *pairs, struct arena *arena);

/*
 * Holm's correction (Scandinavian Journal of Statistics 6, 1979): adjusted[i] is p[i] as it counts where all of them
 * are judged. NAN stays, and counts for nothing.
 */
void holm_adjust(double *adjusted, const double *p, size_t count, struct arena *arena);

#endif
