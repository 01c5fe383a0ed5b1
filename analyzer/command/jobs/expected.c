/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command/jobs/progress.h"

#include <string.h>

#include "common/base/text.h"
#include "store/session/last.h"

static double expected_count_of(const struct repeat *repeat, const char *event)
{
	for (size_t i = 0; i < repeat->count; i++)
		if (!strcmp(repeat->items[i].event, event))
			return repeat->items[i].state == COUNT_OK ? repeat->items[i].value : 0;
	return 0;
}

void expected_from(struct expected *expected, const struct measurement *last, const char *command, const char *options)
{
	const struct counts *counts = last->count ? &last->parts[0] : NULL;
	const struct repeat *repeat = counts ? &counts->repeats[0] : NULL;

	*expected = (struct expected){ .instructions = 0 };
	if (!counts || !counts->origin.cpu || strcmp(counts->origin.cpu, "sim") != 0 || last->cut_by ||
	    repeat->nruns != 1 || repeat->runs[0].is_cut || repeat->runs[0].status > 128 ||
	    compare_texts(counts->origin.command, command) || compare_texts(counts->origin.options, options))
		return;
	/* A thread's part is not all of the program; that of "all" is. */
	if (counts->origin.part && compare_texts(counts->origin.part_kind, "all"))
		return;
	expected->instructions = expected_count_of(repeat, "inst.retired");
	expected->seconds = repeat->runs[0].wall_s;
	expected->is_sampled = expected_count_of(repeat, "inst.modelled") < expected->instructions;
	if (!(expected->instructions > 0) || !(expected->seconds > 0))
		*expected = (struct expected){ .instructions = 0 };
}

void expected_find(struct expected *expected, const struct setup *setup, struct arena *arena)
{
	const char *path = last_is_off() ? NULL : last_path(arena);
	struct measurement last = { .count = 0 };
	struct error none = { .text = "" };

	*expected = (struct expected){ .instructions = 0 };
	if (path && session_read(&last, path, arena, &none) == 0)
		expected_from(expected, &last, program_choice_text(&setup->program, arena), setup->options_unsplit);
}
