/* SPDX-License-Identifier: GPL-2.0-or-later */
/* environment.c - what differs besides the program, and may explain a difference. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analyse/compare/sides.h"
#include "common/base/shell_words.h"
#include "common/base/text.h"

/* A text of the origin, or one that a function makes. */
struct fact_of {
	const char *what;
	size_t offset; /* in struct origin, where there is no function */
	const char *(*text)(const struct counts *counts, struct arena *arena);
	bool is_important;
	bool is_of_command;
};

static const char *smt_text(const struct counts *counts, struct arena *arena)
{
	(void)arena;
	return isnan(counts->origin.facts.smt_on) ? NULL : counts->origin.facts.smt_on > 0 ? "on" : "off";
}

/* What stands behind the program: another input is another work. */
static const char *arguments_text(const struct counts *counts, struct arena *arena)
{
	const char *command = counts->origin.command, *rest;

	if (!command)
		return NULL;
	rest = command + shell_words_first(command);
	return *rest ? arena_strdup(arena, rest + 1) : "none";
}

static const char *status_text(const struct counts *counts, struct arena *arena)
{
	const struct repeat *first = &counts->repeats[0];

	return first->nruns && first->runs[0].status != STATUS_UNKNOWN
		       ? arena_printf(arena, "%d", first->runs[0].status)
		       : NULL;
}

#define ORIGIN(member) offsetof(struct origin, member), NULL

/* Those that may make a difference stand first. */
static const struct fact_of facts_of[] = {
	{ "CPU", ORIGIN(machine), true, false },
	{ "CPU revision", ORIGIN(cpuid), true, false },
	{ "model", ORIGIN(cpu), true, false },
	{ "formulas", ORIGIN(form), true, false },
	{ "counted", ORIGIN(scope), true, false },
	{ "target", ORIGIN(target), true, false },
	{ "exit status", 0, status_text, true, false },
	{ "SMT", 0, smt_text, true, false },
	{ "microcode", ORIGIN(microcode), true, false },
	{ "kernel", ORIGIN(kernel), true, false },
	{ "governor", ORIGIN(governor), true, false },
	{ "libc", ORIGIN(libc), true, false },
	{ "compiler", ORIGIN(compiler), true, false },
	{ "arguments", 0, arguments_text, true, true },
	{ "measured with", ORIGIN(options), true, false },
	{ "host", ORIGIN(host), false, false },
	{ "command", ORIGIN(command), false, true },
	{ "model version", ORIGIN(model_version), false, false },
	{ "topdown", ORIGIN(tool_version), false, false },
};

static const char *text_of(const struct fact_of *fact, const struct counts *counts, struct arena *arena)
{
	return fact->text ? fact->text(counts, arena)
			  : *(const char *const *)((const char *)&counts->origin + fact->offset);
}

/* ---- files ---- */

/* The files of a side that are not paired by name. */
struct unpaired {
	const struct input_file **items;
	size_t count;
};

static const struct input_file *input_named(const struct origin *origin, const char *name)
{
	for (size_t i = 0; i < origin->ninputs; i++)
		if (!strcmp(origin->inputs[i].name, name))
			return &origin->inputs[i];
	return NULL;
}

static struct unpaired unpaired_of(const struct origin *origin, const struct origin *other, struct arena *arena)
{
	struct unpaired found = { .items = arena_array(arena, origin->ninputs + 1, sizeof(struct input_file *)) };

	for (size_t i = 0; i < origin->ninputs; i++)
		if (!input_named(other, origin->inputs[i].name))
			found.items[found.count++] = &origin->inputs[i];
	return found;
}

/* Of the same size, and one was too large to be read: nobody knows. */
static bool is_other_input(const struct input_file *before, const struct input_file *after)
{
	return before->bytes != after->bytes ||
	       (before->digest && after->digest && strcmp(before->digest, after->digest) != 0);
}

/* "data.txt, 1234 bytes"; of files of the same size with the digest. */
static const char *input_text(const struct input_file *input, const struct input_file *other, struct arena *arena)
{
	bool has_name = strcmp(input->name, other->name) != 0, has_digest = input->bytes == other->bytes;

	return arena_printf(arena, "%s%s%" PRIu64 " bytes%s%s", has_name ? input->name : "", has_name ? ", " : "",
			    input->bytes, has_digest ? " " : "", has_digest ? input->digest : "");
}

static void add_input(struct comparing *comparing, const struct input_file *before, const struct input_file *after)
{
	struct comparison *result = comparing->result;
	struct arena *arena = comparing->arena;
	bool is_same = !strcmp(before->name, after->name);

	if (is_other_input(before, after))
		result->surroundings[result->nsurroundings++] = (struct compared_surrounding){
			is_same ? arena_printf(arena, "contents of %s", before->name) : "input",
			input_text(before, after, arena), input_text(after, before, arena), true
		};
}

/* By name; files of other names in the order of the command. Two commands were given what they were meant to have. */
static void add_inputs(struct comparing *comparing, const struct origin *before, const struct origin *after)
{
	struct unpaired was = unpaired_of(before, after, comparing->arena);
	struct unpaired is = unpaired_of(after, before, comparing->arena);

	for (size_t i = 0; i < before->ninputs; i++) {
		const struct input_file *same = input_named(after, before->inputs[i].name);

		if (same)
			add_input(comparing, &before->inputs[i], same);
	}
	for (size_t i = 0; i < was.count && was.count == is.count && !comparing->request->are_commands; i++)
		add_input(comparing, was.items[i], is.items[i]);
}

void environment_fill(struct comparing *comparing)
{
	const struct counts *before = &comparing->request->before.measured->parts[0];
	const struct counts *after = &comparing->request->after.measured->parts[0];
	struct comparison *result = comparing->result;

	result->surroundings = arena_array(comparing->arena, COUNT_OF(facts_of) + before->origin.ninputs,
					   sizeof(*result->surroundings));
	add_inputs(comparing, &before->origin, &after->origin);
	for (size_t i = 0; i < COUNT_OF(facts_of); i++) {
		const char *was = text_of(&facts_of[i], before, comparing->arena);
		const char *is = text_of(&facts_of[i], after, comparing->arena);

		if (comparing->request->are_commands && facts_of[i].is_of_command)
			continue;
		if (compare_texts(was, is) != 0)
			result->surroundings[result->nsurroundings++] =
				(struct compared_surrounding){ facts_of[i].what, was, is, facts_of[i].is_important };
	}
}
