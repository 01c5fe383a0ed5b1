/* SPDX-License-Identifier: GPL-2.0-or-later */
/* software_results.c - what the kernel counted by itself: of the first run, the mean of all repeats. */
#include <math.h>

#include "analyse/evaluate/software_results.h"

static const struct software *counted_in(const struct counts *counts, size_t repeat)
{
	const struct repeat *from = &counts->repeats[repeat];

	return from->nruns ? from->runs[0].software : NULL;
}

/* Of one kind. */
static void add_kind(struct software_list *list, const struct counts *counts, size_t kind, struct arena *arena)
{
	double *values = arena_array(arena, counts->nrepeats, sizeof(*values));
	struct software_result *result = &list->items[list->count];
	const struct software_value *first = NULL;

	for (size_t i = 0; i < counts->nrepeats; i++) {
		const struct software *counted = counted_in(counts, i);

		values[i] = counted ? counted->values[kind].value : NOT_COUNTED;
		if (counted && (!first || isnan(first->value)) && is_software_asked(&counted->values[kind]))
			first = &counted->values[kind];
	}
	if (!first)
		return;
	*result = (struct software_result){ .row = &software_rows[kind], .source = first->source };
	result->spread = statistics_of(values, counts->nrepeats);
	result->value = result->spread.mean;
	result->reason = isnan(result->value) ? first->reason : NULL;
	list->count++;
}

static void add_native(struct software_list *list, const struct anchor *anchor)
{
	for (size_t i = 0; i < SOFTWARE_KINDS; i++) {
		const struct software_value *value = &anchor->software->values[i];

		if (!is_software_asked(value))
			continue;
		list->items[list->count++] = (struct software_result){ .row = &software_rows[i],
								       .value = value->value,
								       .source = value->source,
								       .reason = value->reason,
								       .spread = { .mean = value->value } };
	}
}

void software_results(struct software_list *list, const struct counts *counts, struct arena *arena)
{
	*list = (struct software_list){ .items = arena_array(arena, SOFTWARE_KINDS, sizeof(*list->items)) };
	if (counts->anchor && counts->anchor->software) {
		list->is_native = true;
		list->wall_s = counts->anchor->wall_s;
		add_native(list, counts->anchor);
		return;
	}
	list->wall_s = counts->repeats[0].nruns ? counts->repeats[0].runs[0].wall_s : NOT_COUNTED;
	for (size_t i = 0; i < SOFTWARE_KINDS; i++)
		add_kind(list, counts, i, arena);
}

double software_result_value(const struct software_list *list, enum software_kind kind)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].row == &software_rows[kind])
			return list->items[i].value;
	return NOT_COUNTED;
}
