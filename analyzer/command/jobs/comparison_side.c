/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command/jobs/comparison_side.h"

#include <string.h>

#include "command/jobs/export_choice.h"
#include "command/jobs/output.h"

int compared_show(const struct comparison *comparison, FILE *otherwise, const struct output_choice *choice,
		  struct arena *arena, struct error *err)
{
	struct page_content content = { .measured = NULL };
	struct output output;

	if (output_open(&output, choice, otherwise, err) < 0)
		return -1;
	if (output.style.format == FORMAT_HTML)
		content.difference = export_choice_difference(comparison, arena);
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
