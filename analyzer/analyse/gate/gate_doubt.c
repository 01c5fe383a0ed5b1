/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/gate/gate_judge.h"

#include <string.h>

#include "common/base/shell_words.h"
#include "common/base/text.h"
#include "cpu/load/database.h"

bool is_simulated_measurement(const struct measurement *measured)
{
	const char *cpu = measured->count ? measured->parts[0].origin.cpu : NULL;

	return cpu && !strcmp(cpu, SIMULATED_CPU);
}

bool is_cut_short(const struct measurement *measured)
{
	const struct counts *counts = &measured->parts[0];

	if (measured->cut_by || counts->nrepeats < counts->planned_repeats)
		return true;
	for (size_t i = 0; i < counts->nrepeats; i++)
		for (size_t k = 0; k < counts->repeats[i].nruns; k++)
			if (counts->repeats[i].runs[k].is_cut)
				return true;
	return false;
}

static int status_of(const struct measurement *measured)
{
	const struct repeat *first = &measured->parts[0].repeats[0];

	return first->nruns ? first->runs[0].status : STATUS_UNKNOWN;
}

static const char *differing(const char *what, const char *before, const char *after, struct arena *arena)
{
	if (!before || !after || !strcmp(before, after))
		return NULL;
	return arena_printf(arena, "the baseline's %s is %s, and now it is %s", what, before, after);
}

static const char *doubt_of_simulations(const struct origin *before, const struct origin *after, struct arena *arena)
{
	const char *doubt = differing("core", before->machine, after->machine, arena);

	if (doubt)
		return doubt;
	doubt = differing("topdown", before->tool_version, after->tool_version, arena);
	return doubt ? arena_worded(arena, "%s, whose model may be another; {update} makes it again", doubt) : NULL;
}

/* Without the folder of the program: where it stands is no difference. */
static const char *command_in(const struct origin *origin, struct arena *arena)
{
	const char *command = origin->command ? origin->command : "", *rest = command + shell_words_first(command);
	const char *program = arena_strndup(arena, command, (size_t)(rest - command)), *slash;
	struct shell_words words;
	struct error err = { .status = 0 };

	if (shell_words_split(&words, program, arena, &err) == 0)
		program = words.words[0];
	slash = strrchr(program, '/');
	return arena_printf(arena, "%s%s", slash ? slash + 1 : program, rest);
}

static const char *arguments_in(const struct origin *origin)
{
	return origin->command + shell_words_first(origin->command);
}

const char *gate_other_program(const struct measurement *before, const struct measurement *after, struct arena *arena)
{
	const struct origin *b = &before->parts[0].origin, *a = &after->parts[0].origin;
	const char *was;

	if (!b->command || !a->command || !strcmp(command_in(b, arena), command_in(a, arena)))
		return NULL;
	was = command_in(b, arena);
	return arena_strndup(arena, was, shell_words_first(was));
}

const char *gate_doubt(const struct measurement *before, const struct measurement *after, struct arena *arena)
{
	const struct origin *b = &before->parts[0].origin, *a = &after->parts[0].origin;
	int was = status_of(before), is = status_of(after);
	const char *doubt;

	if (is_cut_short(before))
		return arena_worded(arena, "the baseline was cut short; {update} makes it again");
	/* Two builds often have names of their own: that is a remark of the comparison. */
	if (b->command && a->command && strcmp(arguments_in(b), arguments_in(a)) != 0)
		return arena_printf(arena, "the baseline is of `%s`, and this is `%s`", command_in(b, arena),
				    command_in(a, arena));
	if (is_simulated_measurement(before) != is_simulated_measurement(after))
		return is_simulated_measurement(before) ? "the baseline was simulated, and now it was counted"
							: "the baseline was counted, and now it was simulated";
	if (was != is && was != STATUS_UNKNOWN && is != STATUS_UNKNOWN)
		return arena_printf(arena, "the program ended with status %d, and in the baseline with %d", is, was);
	if (is_simulated_measurement(after))
		return doubt_of_simulations(b, a, arena);
	doubt = differing("CPU", b->machine, a->machine, arena);
	return doubt ? doubt : differing("scope", b->scope, a->scope, arena);
}
