/* SPDX-License-Identifier: GPL-2.0-or-later */
/* observer_kinds.c - which observers there are: a row for each. */
#include "collect/observe/observer.h"

/* What the machine has beside the cores is switched and read next to the groups, as the cores are. */
static const struct observer_kind *const kinds[OBSERVER_KINDS] = { &observe_units, &observe_software, &observe_calls,
								   &observe_waits };

static bool is_wanted(const struct observer_kind *kind, const struct request *request)
{
	return !kind->is_wanted || kind->is_wanted(request);
}

int observers_check(const struct request *request, struct error *err)
{
	for (size_t i = 0; i < OBSERVER_KINDS; i++)
		if (kinds[i]->check && is_wanted(kinds[i], request) && kinds[i]->check(request, err) < 0)
			return -1;
	return 0;
}

size_t observers_make(struct observer **observers, const struct request *request)
{
	size_t count = 0;

	for (size_t i = 0; i < OBSERVER_KINDS; i++)
		if (is_wanted(kinds[i], request))
			observers[count++] = kinds[i]->make(request);
	return count;
}
