/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/verify/verification.h"

#include <math.h>

#define PERCENT 100.0

size_t verification_count(const struct verification *verification, enum known_verdict verdict)
{
	size_t count = 0;

	for (size_t i = 0; i < verification->count; i++)
		count += verification->results[i].verdict == verdict;
	return count;
}

int verification_status(const struct verification *verification)
{
	if (verification_count(verification, KNOWN_NO))
		return VERIFIED_OTHERWISE;
	if (verification_count(verification, KNOWN_UNKNOWN) || !verification_count(verification, KNOWN_YES))
		return VERIFIED_UNKNOWN;
	return VERIFIED_ALL;
}

const char *verification_conclusion(const struct verification *verification, struct arena *arena)
{
	size_t yes = verification_count(verification, KNOWN_YES), no = verification_count(verification, KNOWN_NO);
	size_t unknown = verification_count(verification, KNOWN_UNKNOWN);
	const char *open = unknown ? arena_printf(arena, "; %zu could not be judged", unknown) : "";

	if (!yes && !no)
		return "No kernel could be judged.";
	return arena_printf(arena, "%zu of %zu kernels show the node that their source predicts%s.", yes, yes + no,
			    open);
}

/* |log| of the ratio: twice as many cycles are as far as half of them. */
static double distance(const struct known_result *result)
{
	return fabs(log(result->ratio));
}

const char *verification_anchor(const struct verification *verification, struct arena *arena)
{
	const struct known_result *farthest = NULL;
	size_t count = 0;

	for (size_t i = 0; i < verification->count; i++) {
		const struct known_result *result = &verification->results[i];

		if (!(result->ratio > 0))
			continue;
		count++;
		if (!farthest || distance(result) > distance(farthest))
			farthest = result;
	}
	if (!farthest)
		return NULL;
	return arena_printf(arena,
			    "The model's cycles were compared with this machine's for %zu kernel%s: the farthest off "
			    "is %s, at %.0f %% of what it took natively.",
			    count, count == 1 ? "" : "s", farthest->kernel->name, PERCENT * farthest->ratio);
}
