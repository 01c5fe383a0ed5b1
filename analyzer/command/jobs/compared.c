/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command/jobs/compared.h"

#include <string.h>

#include "analyse/hotspots/line_profile.h"
#include "command/jobs/flames.h"
#include "command/output.h"
#include "cpu/load/model.h"

/* Rows with their places, or the source lines alone. */
static const struct profile *profile_of(const struct measurement *measured, struct arena *arena)
{
	if (measured->profile && measured->profile->nrows)
		return measured->profile;
	return measured->parts[0].has_lines ? profile_of_lines(&measured->parts[0], arena) : NULL;
}

int compared_side(struct compare_side *side, struct measurement *measured, const struct options *options,
		  struct arena *arena, struct error *err)
{
	const struct question question = { .level = DEEPEST_LEVEL };
	struct request request = request_of(options, arena);
	struct report_set *reports = arena_alloc(arena, sizeof(*reports));
	const struct profile **profile;

	request.question = &question;
	if (!measured->count)
		return error_set(err, "%s: nothing was measured in it", side->label);
	if (!measured->parts[0].repeats[0].count)
		reports->count = 0; /* times and samples alone */
	else if (saved_evaluate(reports, measured, side->label, &request, err) < 0)
		return -1;
	profile = arena_alloc(arena, sizeof(void *));
	*profile = profile_of(measured, arena);
	side->measured = measured;
	side->report = reports->count ? &reports->parts[0] : NULL;
	side->profiles = profile;
	side->nprofiles = *profile != NULL;
	return 0;
}

int compared_show(const struct comparison *comparison, FILE *otherwise, const struct options *options,
		  struct arena *arena, struct error *err)
{
	struct output output;

	if (output_open(&output, options, otherwise, err) < 0)
		return -1;
	if (comparison->nfunctions)
		output_make_private(&output);
	flames_add_difference(&output, comparison, arena);
	if (render_comparison(output.file, comparison, &output.style, err) < 0)
		return output_failed(&output, err);
	return output_close(&output, err);
}

int compared_core_check(const struct options *options, struct error *err)
{
	const char *core = options->setup.simulation.core;

	if (core && strchr(core, ','))
		return error_set(err,
				 "--sim-core %s: one core is compared; `topdown --sim-core %s PROGRAM` shows several",
				 core, core);
	return 0;
}
