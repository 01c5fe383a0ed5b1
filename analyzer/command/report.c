/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report.c - topdown report FILE: counts that were saved, or come from elsewhere, evaluated again. */
#include "evaluate/report.h"

#include <string.h>

#include "base/text.h"
#include "command/commands.h"
#include "command/output.h"
#include "command/show.h"
#include "command/wanted.h"
#include "session/session.h"

/* The counts say what they are of; --cpu may only confirm it. */
static int check_cpu(struct target *target, const struct options *options, struct arena *arena, struct error *err)
{
	const char *named = options->cpu ? database_name(&target->database, options->cpu, arena, err) : target->cpu;

	if (!named)
		return -1;
	if (!is_same_name(named, target->cpu))
		return error_set(err, "%s: these counts are of a %s, not of a %s", options->words[0], target->cpu,
				 named);
	return 0;
}

/* perf stat's output does not name the CPU: --cpu does, else it is taken to come from this machine. */
static int find_unnamed(struct target *target, struct counts *counts, const struct options *options,
			struct arena *arena, struct error *err)
{
	struct error unknown = { .text = "" };

	if (target_find(target, options, arena, &unknown) < 0)
		return options->cpu ? error_set(err, "%s", unknown.text)
				    : error_set(err, "%s: it does not tell the CPU; name it with --cpu (%s)",
						options->words[0], unknown.text);
	counts->facts = target->model.facts;
	return 0;
}

static int find_target(struct target *target, struct counts *counts, const struct options *options, struct arena *arena,
		       struct error *err)
{
	struct target_request request = {
		.options = options, .cpu = counts->cpu, .facts = &counts->facts, .events = counts->events
	};

	if (!counts->cpu)
		return find_unnamed(target, counts, options, arena, err);
	if (target_named(target, &request, arena, err) < 0)
		return error_in(err, "%s", options->words[0]);
	return check_cpu(target, options, arena, err);
}

/* What is asked for now takes the place of all that the file's measurement was asked for. */
static void ask_again(struct counts *counts, const struct options *options)
{
	counts->wants_lines = options->wants_lines;
	if (!options->level && !options->nodes && !options->groups && !options->metrics)
		return;
	counts->level = options->level;
	counts->nodes = options->nodes;
	counts->groups = options->groups;
	counts->metrics = options->metrics;
}

static int check_lines(const struct measurement *measured, const struct options *options, struct error *err)
{
	if (!options->wants_lines || measured->parts[0].has_lines)
		return 0;
	return error_set(
		err,
		"%s: it has no source lines; `topdown --pmu sim --lines --save FILE PROGRAM` makes a session that "
		"has them",
		options->words[0]);
}

static bool is_found(const struct target_types *types, const struct counts *counts)
{
	for (size_t i = 0; i < types->count; i++)
		if (counts->cpu && is_same_name(types->items[i].cpu, counts->cpu))
			return true;
	return false;
}

/* The core types of all parts, each once. */
static int find_types(struct target_types *types, const struct measurement *measured, const struct options *options,
		      struct arena *arena, struct error *err)
{
	struct string file = STRING_INIT(arena);

	string_add_shell_word(&file, options->words[0]);
	*types = (struct target_types){ .items = arena_array(arena, measured->count, sizeof(*types->items)) };
	for (size_t i = 0; i < measured->count; i++) {
		struct counts *counts = &measured->parts[i];
		struct target *target = &types->items[types->count];

		ask_again(counts, options);
		counts->file = strcmp(options->words[0], "-") != 0 ? file.text : NULL;
		if (is_found(types, counts))
			continue;
		if (find_target(target, counts, options, arena, err) < 0)
			return -1;
		target_warn(target);
		counts->cpu = target->cpu;
		types->count++;
	}
	return 0;
}

int command_report(const struct options *options, struct arena *arena, struct error *err)
{
	struct output output;
	struct target_types types;
	struct measurement measured;
	struct show show = { .types = &types, .output = &output };

	if (options->nwords != 1)
		return error_set(err, "report: which file? `topdown report [OPTION]... FILE`, one at a time");
	if (session_read(&measured, options->words[0], arena, err) < 0 || check_lines(&measured, options, err) < 0 ||
	    find_types(&types, &measured, options, arena, err) < 0 || wanted_parts(&measured, &types, arena, err) < 0 ||
	    output_open(&output, options, stdout, err) < 0)
		return -1;
	if (show_measurement(&show, &measured, arena, err) < 0)
		return output_failed(&output, err);
	return output_close(&output, err);
}
