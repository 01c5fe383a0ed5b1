/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command/show.h"

#include <math.h>

#include "base/text.h"
#include "evaluate/evaluate.h"

const struct target *show_type(const struct target_types *types, const struct counts *counts)
{
	for (size_t i = 0; i < types->count; i++)
		if (is_same_name(types->items[i].cpu, counts->cpu))
			return &types->items[i];
	return &types->items[0];
}

int show_measurement(struct show *show, const struct measurement *measured, struct arena *arena, struct error *err)
{
	struct report_set set = {
		.parts = arena_array(arena, measured->count, sizeof(*set.parts)),
		.count = measured->count,
		.is_series = show->is_series,
		.before = show->told,
		.from_s = measured->from_s,
		.to_s = measured->to_s,
	};

	for (size_t i = 0; i < measured->count; i++) {
		const struct target *target = show_type(show->types, &measured->parts[i]);

		if (evaluate(&set.parts[i], &target->model, &measured->parts[i], arena, err) < 0)
			return -1;
		if (isnan(measured->from_s)) /* an interval has no words */
			target_words(&set.parts[i], target, arena);
	}
	show->told++;
	return render_reports(show->output->file, &set, &show->output->style, err);
}
