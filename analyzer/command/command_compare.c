/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command_compare.c - topdown compare [BEFORE] AFTER: what changed from one measurement to another, and why. */
#include "compare/compare.h"

#include "command/commands.h"
#include "command/compared.h"
#include "command/output.h"
#include "command/recorded.h"

static int show(const struct compare_request *request, const struct options *options, struct arena *arena,
		struct error *err)
{
	struct comparison comparison;
	struct output output;

	if (compare(&comparison, request, arena, err) < 0)
		return error_in(err, "compare");
	if (output_open(&output, options, stdout, err) < 0)
		return -1;
	if (comparison.nfunctions)
		output_make_private(&output);
	if (render_comparison(output.file, &comparison, &output.style, err) < 0)
		return output_failed(&output, err);
	return output_close(&output, err);
}

/* The file, or with NULL the last measurement. */
static int read_side(struct compare_side *side, const char *file, const struct options *options, struct arena *arena,
		     struct error *err)
{
	struct measurement *measured = arena_alloc(arena, sizeof(*measured));
	struct options last = *options;

	last.nwords = 0;
	if (file ? recorded_read(measured, file, arena, err) : saved_read(measured, &last, arena, err))
		return -1;
	return compared_side(side, measured, file ? file : "the last measurement", options, arena, err);
}

static int compare_files(const struct options *options, struct arena *arena, struct error *err)
{
	struct compare_request request = { .level = options->question.level };

	if (options->nwords < 1 || options->nwords > 2)
		return error_set(err,
				 "compare: which two? `topdown compare BEFORE.json AFTER.json`; one file is compared "
				 "with the last measurement, and --run runs two commands");
	if (read_side(&request.before, options->words[0], options, arena, err) < 0 ||
	    read_side(&request.after, options->nwords == 2 ? options->words[1] : NULL, options, arena, err) < 0)
		return -1;
	return show(&request, options, arena, err);
}

static int run_compare(const struct options *options, struct arena *arena, struct error *err)
{
	return compare_files(options, arena, err);
}

const struct command command_compare = {
	.name = "compare",
	.arguments = "[OPTION]... BEFORE [AFTER]",
	.summary = "what changed from one measurement to another, where, and how sure that is",
	.examples = "topdown compare old.json new.json\n"
		    "topdown compare old.json\n",
	.run = run_compare,
	.sets = { &level_options, &cpu_options, &form_options, &sysroot_options, &file_options, &style_options,
		  &general_options },
};
