/* SPDX-License-Identifier: GPL-2.0-or-later */
/* comparison_wall.c - of which parts of the main thread's clock a difference of wall time consists. */
#include <math.h>
#include <stdlib.h>

#include "common/base/text.h"
#include "common/waits/waits.h"
#include "present/compare/comparison_fields.h"
#include "present/document/human.h"

#define MOST_PARTS   4	  /* in the sentence; the others are a sum */
#define LEAST_CHANGE 0.01 /* of what the parts changed by together: less is with the others */

struct wall_change {
	const char *title;
	double seconds;
};

static double mean_of(const double *values, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += values[i];
	return sum / (double)count;
}

static int compare_changes(const void *first, const void *second)
{
	double a = fabs(((const struct wall_change *)first)->seconds);
	double b = fabs(((const struct wall_change *)second)->seconds);

	return (a < b) - (a > b);
}

/* Means of the repeats: only these add up. */
static size_t find_changes(struct wall_change changes[WALL_PARTS], const struct comparison *comparison)
{
	size_t count = 0;

	for (size_t i = 0; i < WALL_PARTS; i++) {
		const struct compared_metric *metric = comparison_metric(comparison, wall_part_name(i));

		if (metric)
			changes[count++] =
				(struct wall_change){ wall_part_title(i),
						      mean_of(metric->after_values, metric->nafter) -
							      mean_of(metric->before_values, metric->nbefore) };
	}
	qsort(changes, count, sizeof(*changes), compare_changes);
	return count;
}

static const char *change_text(double seconds, struct arena *arena)
{
	return arena_printf(arena, "%s%s", seconds < 0 ? "-" : "+", human_seconds(arena, fabs(seconds)));
}

const char *comparison_wall(const struct comparison *comparison, struct arena *arena)
{
	struct wall_change changes[WALL_PARTS];
	size_t count = find_changes(changes, comparison), others = 0;
	struct string text = STRING_INIT(arena);
	double sum = 0, all = 0, rest = 0;

	for (size_t i = 0; i < count; i++) {
		sum += changes[i].seconds;
		all += fabs(changes[i].seconds);
	}
	if (!(all > 0))
		return NULL;
	string_printf(&text, "The main thread's clock: %s", change_text(sum, arena));
	for (size_t i = 0; i < count; i++) {
		if (i < MOST_PARTS && fabs(changes[i].seconds) >= LEAST_CHANGE * all) {
			string_printf(&text, "%s %s %s", i ? "," : " =", changes[i].title,
				      change_text(changes[i].seconds, arena));
			continue;
		}
		others++;
		rest += changes[i].seconds;
	}
	if (others)
		string_printf(&text, ", others %s", change_text(rest, arena));
	return text.text;
}
