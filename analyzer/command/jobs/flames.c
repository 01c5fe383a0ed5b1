/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command/jobs/flames.h"

#include "analyse/hotspots/line_profile.h"
#include "command/jobs/exported.h"
#include "common/base/text.h"
#include "present/document/document.h"

/* A copy with the profile that there is: rows with their stacks, or the source lines alone. NULL: neither. */
static struct measurement *with_profile(const struct measurement *measured, struct arena *arena)
{
	struct measurement *copy = arena_alloc(arena, sizeof(*copy));

	*copy = *measured;
	if (copy->profile && copy->profile->nrows)
		return copy;
	if (!copy->count || !copy->parts[0].has_lines)
		return NULL;
	copy->profile = profile_of_lines(&copy->parts[0], arena);
	return copy->profile->nrows ? copy : NULL;
}

static void flames_lend(struct output *output, const struct picture *flames, size_t count, struct arena *arena)
{
	struct page_extras *extras = arena_alloc(arena, sizeof(*extras));

	if (output->style.extras)
		*extras = *output->style.extras;
	extras->flames = flames;
	extras->nflames = count;
	output->style.extras = extras;
	output_make_private(output);
}

void flames_add(struct output *output, const struct measurement *measured, const struct report *report,
		struct arena *arena)
{
	struct measurement *profiled = output->style.format == FORMAT_HTML ? with_profile(measured, arena) : NULL;
	struct export_subject *subjects = arena_array(arena, MOST_FLAMES, sizeof(*subjects));
	size_t count = profiled ? exported_flames(subjects, profiled, report, arena) : 0;
	struct picture *pictures = arena_array(arena, MOST_FLAMES, sizeof(*pictures));

	if (!count)
		return;
	for (size_t i = 0; i < count; i++) {
		const struct weighing *weighing = &subjects[i].weighings->items[subjects[i].chosen];

		pictures[i] = (struct picture){
			.title = arena_printf(arena, "Flame graph by %s", weighing->title),
			.spoken =
				arena_printf(arena,
					     "Flame graph: each box is a function, as wide as its part of %s with all "
					     "that it calls. The table below has the same numbers.",
					     weighing->title),
			.draw = flame_graph_draw,
			.what = &subjects[i],
		};
	}
	flames_lend(output, pictures, count, arena);
}

void flames_add_difference(struct output *output, const struct comparison *comparison, struct arena *arena)
{
	const struct compare_side *sides[] = { &comparison->request->before, &comparison->request->after };
	struct export_subject *subjects = arena_array(arena, COUNT_OF(sides), sizeof(*subjects));
	struct export_pair *pair = arena_alloc(arena, sizeof(*pair));
	struct picture *picture = arena_alloc(arena, sizeof(*picture));
	struct measurement *measured[COUNT_OF(sides)];
	const struct report *reports[COUNT_OF(sides)];

	if (output->style.format != FORMAT_HTML)
		return;
	for (size_t i = 0; i < COUNT_OF(sides); i++) {
		measured[i] = with_profile(sides[i]->measured, arena);
		reports[i] = sides[i]->report;
		if (!measured[i])
			return;
	}
	if (!exported_common(subjects, measured, reports, arena))
		return;
	*pair = (struct export_pair){ .before = &subjects[0], .after = &subjects[1] };
	*picture = (struct picture){
		.title = arena_printf(arena, "What differs, by %s",
				      subjects[0].weighings->items[subjects[0].chosen].title),
		.spoken = "Flame graph of the difference: each box is a function, as wide as the mean of both sides. "
			  "Its name shows how much more or less it takes. The table of functions has the same numbers.",
		.draw = difference_draw,
		.what = pair,
	};
	flames_lend(output, picture, 1, arena);
}
