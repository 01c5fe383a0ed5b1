/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command/jobs/roofline_run.h"

#include <string.h>

#include "collect/count/count.h"
#include "command/commands.h"
#include "common/measurement/roofs.h"

/* A ceiling as sessions keep it: those of one thread, and of all cores. */
static void take_roof(struct roofs *roofs, const struct ceiling *ceiling)
{
	const char *operation = ceiling_operation_names[ceiling->operation];
	bool is_compute = ceiling->kind == CEILING_COMPUTE;

	if ((ceiling->scope != CEILING_THREAD && ceiling->scope != CEILING_ALL) || !(ceiling->value > 0))
		return;
	roofs->items[roofs->count++] = (struct roof){
		.type = is_compute ? ceiling_type_names[ceiling->type] : NULL,
		.operation = is_compute && *operation ? operation : NULL,
		.level = is_compute ? NULL : ceiling_level_names[ceiling->level],
		.pattern = is_compute ? NULL : ceiling_pattern_names[ceiling->pattern],
		.bits = ceiling->bits,
		.threads = ceiling->threads,
		.value = ceiling->value,
		.clock_hz = ceiling->clock_hz,
	};
}

static const struct roofs *roofs_of(const struct ceilings *ceilings, struct arena *arena)
{
	struct roofs *roofs = arena_alloc(arena, sizeof(*roofs));

	if (!ceilings)
		return NULL;
	*roofs = (struct roofs){ .cpu = ceilings->conditions.cpu, .measured = ceilings->conditions.measured };
	roofs->items = arena_array(arena, ceilings->count + 1, sizeof(*roofs->items));
	for (size_t i = 0; i < ceilings->count; i++)
		take_roof(roofs, &ceilings->rows[i]);
	return roofs->count ? roofs : NULL;
}

int roofline_check_alone(const struct options *options, struct arena *arena, struct error *err)
{
	const char *measuring = options_repeated(options, REPEATED_SETUP, "", arena);

	if (options->question.nper_function || options->question.wants_functions)
		measuring = options->question.nper_function ? "--per-function" : "--functions";
	if (options->output.save)
		measuring = "--save";
	if (!measuring)
		return 0;
	return error_set(err, "roofline %s: that applies to a program, and none is named", measuring);
}

int roofline_check(const struct options *options, struct arena *arena, struct error *err)
{
	const char *path;

	return options->setup.program.nwords ? program_find(&path, options->setup.program.words[0], arena, err) : 0;
}

int roofline_run(const struct options *options, const struct ceilings *ceilings, struct arena *arena, struct error *err)
{
	struct options own = *options;

	own.question.wants_roofline = true;
	own.setup.roofs = roofs_of(ceilings, arena);
	if (own.question.wants_functions && !own.question.nper_function)
		own.question.nper_function = 10;
	own.question.wants_functions = false;
	return run_measurement(&own, arena, err);
}
