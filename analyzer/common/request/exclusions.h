/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * exclusions.h - what does not go together in a request. The engine refuses it; a front end reads the same table, for
 * its help, and to offer nothing that would be refused.
 */
#ifndef TOPDOWN_COMMON_REQUEST_EXCLUSIONS_H
#define TOPDOWN_COMMON_REQUEST_EXCLUSIONS_H

#include "common/request/request.h"

/*
 * Names are as in common/base/text.h: "{anchor always}", "{delay} in milliseconds", "PROGRAM". One in braces alone can
 * be said by itself; the others are about more of the request.
 */
struct exclusion {
	const char *each;  /* of these names, separated by ", " */
	const char *other; /* excludes this one, */
	bool is_need;	   /* or can't be without it */
	const char *reason;
};

extern const struct exclusion exclusions[];
extern const size_t nexclusions;

/*
 * -1, with one sentence, for the first row that the request breaks. Who counts may not be known yet: PMU_AUTO leaves
 * out what depends on that.
 */
int exclusions_check(const struct request *request, enum pmu_choice pmu, struct error *err) MUST_CHECK;

/* Is what is named so asked for? 1, 0, or -1 where nobody knows. */
typedef int (*has_function)(const void *context, const char *name, size_t length);

/* The same for one row, which may be a front end's own. */
int exclusion_check(const struct exclusion *row, has_function has, const void *context, struct error *err) MUST_CHECK;

/* "zen4,golden-cove": a file's name may have a comma too. */
bool is_core_list(const char *names);

#endif
