/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command/jobs/comparison_side.h"

#include <string.h>

#include "analyse/compare/compare.h"
#include "command/jobs/export_choice.h"
#include "command/jobs/output.h"
#include "command/pages/explored_sources.h"
#include "present/explorer/explored.h"
#include "program/code/disassembly.h"

static struct explored *explore_side(const struct compare_side *side, struct arena *arena)
{
	struct explored *explored = export_choice_explored(side->measured, side->report, NULL, arena);
	const struct source_request like = { .is_foreign = side->measured->is_foreign };

	if (explored)
		explored_sources_read(explored, &like, arena);
	return explored;
}

static const struct explored_sides *explore_sides(struct explored_sides *sides, const struct comparison *comparison,
						  struct arena *arena)
{
	const struct compare_side *before = &comparison->request->before, *after = &comparison->request->after;

	*sides = (struct explored_sides){
		.before = explore_side(before, arena),
		.after = explore_side(after, arena),
		.is_pair = true,
	};
	return sides;
}

int compared_show(const struct comparison *comparison, FILE *otherwise, const struct output_choice *choice,
		  struct arena *arena, struct error *err)
{
	struct page_content content = { .measured = NULL };
	struct explored_sides sides;
	struct output output;

	if (output_open(&output, choice, otherwise, err) < 0)
		return -1;
	if (output.style.format == FORMAT_HTML)
		content.explored = explore_sides(&sides, comparison, arena);
	if (render_comparison(output.file, comparison, &content, &output.style, err) < 0)
		return output_failed(&output, err);
	return output_close(&output, err);
}

int compared_core_check(const struct setup *setup, struct error *err)
{
	const char *core = setup->simulation.core;

	if (core && strchr(core, ','))
		return error_set(err,
				 "--sim-core %s: one core is compared; `topdown --sim-core %s PROGRAM` shows several",
				 core, core);
	return 0;
}
