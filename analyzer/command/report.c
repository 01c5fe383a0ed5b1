/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report.c - topdown report FILE: counts that were saved, or come from elsewhere, evaluated again. */
#include "evaluate/report.h"

#include "base/text.h"
#include "command/commands.h"
#include "command/output.h"
#include "command/target.h"
#include "evaluate/evaluate.h"
#include "session/session.h"

/* The counts say what they are of; --cpu may only confirm it. */
static int check_cpu(const struct target *target, const struct options *options, struct arena *arena, struct error *err)
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

int command_report(const struct options *options, struct arena *arena, struct error *err)
{
	struct output output;
	struct report report;
	struct target target;
	struct counts counts;

	if (options->nwords != 1)
		return error_set(err, "report: which file? `topdown report [OPTION]... FILE`, one at a time");
	if (session_read(&counts, options->words[0], arena, err) < 0 ||
	    find_target(&target, &counts, options, arena, err) < 0)
		return -1;
	target_warn(&target);
	counts.cpu = target.cpu;
	if (options->level)
		counts.level = options->level;
	if (evaluate(&report, &target.model, &counts, arena, err) < 0 || output_open(&output, options, stdout, err) < 0)
		return -1;
	target_words(&report, &target, arena);
	if (render_report(output.file, &report, &output.style, err) < 0)
		return output_failed(&output, err);
	return output_close(&output, err);
}
