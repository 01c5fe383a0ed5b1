/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command/gate_runs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/gzip.h"
#include "base/shell_words.h"
#include "base/text.h"
#include "command/gate_history.h"
#include "command/pairs.h"
#include "command/progress.h"
#include "command/recorded.h"
#include "command/remembered.h"
#include "engine/limits.h"
#include "session/last.h"
#include "session/session.h"

#define USUAL_LAYOUTS 5
#define USUAL_REPEATS 10

/* ---- the baseline ---- */

static const char *const usual_baselines[] = { "topdown-baseline.json.gz", "topdown-baseline.json" };

/* A program, or a script that names its own. */
static bool is_program_file(const char *path)
{
	char begin[4] = "";
	FILE *file = fopen(path, "re");
	size_t length = file ? fread(begin, 1, sizeof(begin), file) : 0;

	if (file)
		fclose(file);
	return (length == 4 && !memcmp(begin, "\177ELF", 4)) || (length >= 2 && !memcmp(begin, "#!", 2));
}

const char *gate_baseline_path(const struct gate_baseline *baseline)
{
	struct error unable = { .text = "" };

	if (baseline->path)
		return baseline->path;
	return usual_baselines[gzip_check(usual_baselines[0], &unable) < 0 ? 1 : 0];
}

int gate_find_baseline(struct gate_baseline *baseline, const struct options *options, struct arena *arena,
		       struct error *err)
{
	const char *named = options->gate.baseline;

	*baseline = (struct gate_baseline){ .path = named, .is_of_history = !named && options->history.file };
	for (size_t i = 0; i < COUNT_OF(usual_baselines) && !baseline->path && !baseline->is_of_history; i++)
		if (is_file(usual_baselines[i]))
			baseline->path = usual_baselines[i];
	baseline->is_of_history = !baseline->path && history_path(options);
	if (baseline->is_of_history)
		return gate_history_baseline(baseline, options, arena, err);
	baseline->label = baseline->path;
	/* The first --update makes it. */
	if (!baseline->path || (options->gate.wants_update && !is_file(baseline->path)))
		return 0;
	if (is_program_file(baseline->path)) {
		baseline->program = baseline->path;
		return options->gate.wants_update
			       ? error_set(err, "gate: --update of %s: that is a program, and no session",
					   baseline->path)
			       : 0;
	}
	baseline->measured = arena_alloc(arena, sizeof(*baseline->measured));
	return recorded_read(baseline->measured, baseline->path, arena, err) < 0 ? error_in(err, "gate: the baseline")
										 : 0;
}

bool is_simulated_measurement(const struct measurement *measured)
{
	const char *cpu = measured->count ? measured->parts[0].origin.cpu : NULL;

	return cpu && !strcmp(cpu, "sim");
}

/* ---- how ---- */

/* Is there a counter that opens? */
static bool can_count(const struct options *options, struct arena *arena)
{
	static const struct sink silent = { .notice = NULL };
	const struct engine engine = { &options->setup, &options->question, &silent, arena };
	struct target *identified = arena_alloc(arena, sizeof(*identified));
	const struct target_facts facts = { .identified = identified };
	struct error unknown = { .text = "" };
	struct target_types types;

	return target_identify(identified, &engine, &unknown) == 0 && identified->machine.npmus &&
	       target_types(&types, &facts, &engine, &unknown) == 0 && !limits_find_obstacle(&unknown, &types.items[0]);
}

static void set_simulated(struct options *own, struct arena *arena)
{
	struct setup *setup = &own->setup;

	setup->machine.pmu = PMU_SIM;
	setup->simulation.is_pinned = true;
	setup->simulation.anchor = ANCHOR_NEVER;
	if (!setup->simulation.layouts)
		setup->simulation.layouts = USUAL_LAYOUTS;
	setup->packing.repeats = 0;
	setup->options = arena_printf(arena, "--pinned --layouts %u%s%s", setup->simulation.layouts,
				      setup->simulation.core ? " --sim-core " : "",
				      setup->simulation.core ? setup->simulation.core : "");
	setup->options_unsplit = setup->options;
	own->question.level = DEEPEST_LEVEL;
}

int gate_choose_setup(struct options *own, const struct gate_baseline *baseline, struct arena *arena, struct error *err)
{
	bool is_simulated = own->setup.machine.pmu == PMU_SIM;
	bool is_named = own->setup.simulation.is_pinned || own->setup.simulation.layouts > 1;

	if (own->setup.machine.pmu == PMU_AUTO)
		is_simulated = baseline->measured ? is_simulated_measurement(baseline->measured)
						  : is_named || !can_count(own, arena);
	if (is_named && !is_simulated)
		return error_set(err, "gate: --%s is about simulated programs, and the baseline was counted",
				 own->setup.simulation.is_pinned ? "pinned" : "layouts");
	if (is_simulated && own->setup.packing.repeats > 1)
		return error_set(err, "gate: -r is about counting; a simulation repeats itself, and --layouts shows "
				      "what its layout does");
	if (!question_is_where(&own->question))
		own->question.wants_functions = true;
	if (is_simulated)
		set_simulated(own, arena);
	else if (!own->setup.packing.repeats)
		own->setup.packing.repeats = USUAL_REPEATS;
	return 0;
}

/* ---- measuring ---- */

struct listener {
	struct measurement *measured;
	const struct options *options;
	struct progress progress;
	struct arena *arena;
};

/* No measurement fails because it could not be kept. */
static void keep_last(const struct listener *listener, const struct measurement *measured, struct session_bytes *made)
{
	struct error unkept = { .text = "" };

	if (!listener->options->output.has_no_last && !last_is_off() && last_keep_bytes(measured, made, &unkept) < 0 &&
	    listener->options->output.is_verbose)
		notice_print(NULL, NOTICE_PLAIN, unkept.text);
}

/* By way of a session's text: a baseline comes the same way, so both have lost the same digits. */
static int on_measured(void *context, struct measurement *measured, struct error *err)
{
	struct listener *listener = context;
	const char *save = listener->options->output.save;
	struct session_bytes made = { .bytes = NULL };
	struct session_text text = { .source = "the measurement" };
	char *bytes = NULL;
	FILE *stream = open_memstream(&bytes, &text.length);
	int result = stream ? session_write_bytes(stream, measured, &made, err)
			    : error_set(err, "no memory for a measurement");

	if (stream && fclose(stream) != 0 && result == 0)
		result = error_set(err, "no memory for a measurement");
	text.text = bytes;
	if (result == 0)
		result = session_read_text(listener->measured, &text, listener->arena, err);
	listener->measured->cut_by = measured->cut_by;
	if (result == 0 && save)
		result = session_save_bytes(save, measured, &made, err);
	if (result == 0)
		keep_last(listener, measured, &made);
	free(made.bytes);
	free(bytes);
	return result;
}

static void on_progress(void *context, size_t run, size_t runs)
{
	progress_show(&((struct listener *)context)->progress, run, runs);
}

static void on_simulated(void *context, const struct simulated_so_far *so_far)
{
	progress_show_simulation(&((struct listener *)context)->progress, so_far);
}

static void on_notice(void *context, enum severity severity, const char *sentence)
{
	if (severity == NOTICE_ACTION)
		return;
	progress_wipe(&((struct listener *)context)->progress);
	notice_print(NULL, severity, sentence);
}

static int measure_alone(struct measurement *measured, const struct options *own, struct arena *arena,
			 struct error *err)
{
	struct listener listener = { .measured = measured,
				     .options = own,
				     .progress = { .is_quiet = own->setup.program.wants_all_output },
				     .arena = arena };
	const struct sink sink = { .context = &listener,
				   .measured = on_measured,
				   .progress = on_progress,
				   .simulated = on_simulated,
				   .has_line = progress_has_place(),
				   .notice = on_notice };
	struct setup setup = own->setup;
	int result;

	if (!setup.options)
		setup.options = options_repeated(own, REPEATED_SETUP, "", arena);
	result = engine_measure(&setup, &own->question, &sink, arena, err);
	progress_wipe(&listener.progress);
	return result;
}

/* The same arguments behind the baseline's program. */
static int measure_both(struct measurement *measured, struct gate_baseline *baseline, const struct options *own,
			struct arena *arena, struct error *err)
{
	const struct program_choice *program = &own->setup.program;
	struct pair_request request = { .options = own, .texts = { baseline->program, program->words[0] } };
	struct pairs *pairs = arena_alloc(arena, sizeof(*pairs));
	char **words = arena_array(arena, program->nwords + 1, sizeof(*words));

	memcpy(words, program->words, program->nwords * sizeof(*words));
	words[0] = strchr(baseline->program, '/') ? arena_strdup(arena, baseline->program)
						  : arena_printf(arena, "./%s", baseline->program);
	request.commands[0] = (struct shell_words){ words, program->nwords };
	request.commands[1] = (struct shell_words){ program->words, program->nwords };
	if (pairs_measure(pairs, &request, arena, err) < 0)
		return -1;
	baseline->measured = arena_alloc(arena, sizeof(*baseline->measured));
	*baseline->measured = pairs->sides[0];
	*measured = pairs->sides[1];
	return own->output.save ? session_save(own->output.save, measured, err) : 0;
}

int gate_measure(struct measurement *measured, struct gate_baseline *baseline, const struct options *own,
		 struct arena *arena, struct error *err)
{
	*measured = (struct measurement){ .count = 0 };
	if ((baseline->program ? measure_both(measured, baseline, own, arena, err)
			       : measure_alone(measured, own, arena, err)) < 0)
		return -1;
	return measured->count ? 0 : error_set(err, "gate: nothing was measured, so nothing can be judged");
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

/* ---- are both of a kind? ---- */

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
	return doubt ? arena_printf(arena, "%s, whose model may be another; --update makes it again", doubt) : NULL;
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

const char *gate_doubt(const struct measurement *before, const struct measurement *after, struct arena *arena)
{
	const struct origin *b = &before->parts[0].origin, *a = &after->parts[0].origin;
	int was = status_of(before), is = status_of(after);
	const char *doubt;

	if (is_cut_short(before))
		return "the baseline was cut short; --update makes it again";
	if (b->command && a->command && strcmp(command_in(b, arena), command_in(a, arena)) != 0)
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
