/* SPDX-License-Identifier: GPL-2.0-or-later */
/* environment.c - what differs besides the program, and may explain a difference. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "compare/sides.h"

struct fact_of {
	const char *what;
	const char *(*text)(const struct counts *counts, struct arena *arena);
	bool is_important;
};

static const char *cpu_text(const struct counts *counts, struct arena *arena)
{
	(void)arena;
	return counts->origin.machine ? counts->origin.machine : counts->origin.cpuid;
}

static const char *cpuid_text(const struct counts *counts, struct arena *arena)
{
	(void)arena;
	return counts->origin.cpuid;
}

static const char *model_text(const struct counts *counts, struct arena *arena)
{
	(void)arena;
	return counts->origin.cpu;
}

static const char *kernel_text(const struct counts *counts, struct arena *arena)
{
	(void)arena;
	return counts->origin.kernel;
}

static const char *host_text(const struct counts *counts, struct arena *arena)
{
	(void)arena;
	return counts->origin.host;
}

static const char *scope_text(const struct counts *counts, struct arena *arena)
{
	(void)arena;
	return counts->origin.scope;
}

static const char *command_text(const struct counts *counts, struct arena *arena)
{
	(void)arena;
	return counts->origin.command;
}

static const char *target_text(const struct counts *counts, struct arena *arena)
{
	(void)arena;
	return counts->origin.target;
}

static const char *options_text(const struct counts *counts, struct arena *arena)
{
	(void)arena;
	return counts->origin.options;
}

static const char *model_version_text(const struct counts *counts, struct arena *arena)
{
	(void)arena;
	return counts->origin.model_version;
}

static const char *tool_text(const struct counts *counts, struct arena *arena)
{
	(void)arena;
	return counts->origin.tool_version;
}

static const char *smt_text(const struct counts *counts, struct arena *arena)
{
	(void)arena;
	return isnan(counts->origin.facts.smt_on) ? NULL : counts->origin.facts.smt_on > 0 ? "on" : "off";
}

static const char *status_text(const struct counts *counts, struct arena *arena)
{
	const struct repeat *first = &counts->repeats[0];

	return first->nruns && first->runs[0].status != STATUS_UNKNOWN
		       ? arena_printf(arena, "%d", first->runs[0].status)
		       : NULL;
}

/* Those that change what a number means stand first. */
static const struct fact_of facts_of[] = {
	{ "CPU", cpu_text, true },
	{ "CPU revision", cpuid_text, true },
	{ "model", model_text, true },
	{ "counted", scope_text, true },
	{ "exit status", status_text, true },
	{ "SMT", smt_text, true },
	{ "kernel", kernel_text, true },
	{ "measured with", options_text, true },
	{ "target", target_text, true },
	{ "host", host_text, false },
	{ "command", command_text, false },
	{ "model version", model_version_text, false },
	{ "topdown", tool_text, false },
};

void environment_fill(struct comparing *comparing)
{
	const struct counts *before = &comparing->request->before.measured->parts[0];
	const struct counts *after = &comparing->request->after.measured->parts[0];
	struct comparison *result = comparing->result;

	result->surroundings = arena_array(comparing->arena, COUNT_OF(facts_of), sizeof(*result->surroundings));
	for (size_t i = 0; i < COUNT_OF(facts_of); i++) {
		const char *was = facts_of[i].text(before, comparing->arena);
		const char *is = facts_of[i].text(after, comparing->arena);

		if (compare_texts(was, is) != 0 && compare_texts(was, comparing->request->before.label) != 0)
			result->surroundings[result->nsurroundings++] =
				(struct compared_surrounding){ facts_of[i].what, was, is, facts_of[i].is_important };
	}
}
