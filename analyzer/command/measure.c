/* SPDX-License-Identifier: GPL-2.0-or-later */
/* measure.c - the main job: topdown -l3 ./prog */
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "command/commands.h"
#include "command/limits.h"
#include "command/output.h"
#include "count/count.h"
#include "evaluate/evaluate.h"
#include "session/session.h"

#ifndef TOPDOWN_VERSION
#define TOPDOWN_VERSION "0.0.0"
#endif

/* The command as a shell would have to read it. */
static const char *command_text(char *const *words, struct arena *arena)
{
	struct string text = STRING_INIT(arena);

	for (; *words; words++) {
		string_add(&text, text.length ? " " : "");
		if (**words && !(*words)[strcspn(*words, " \t\n\\'\"$`&|;<>()*?[]{}~#!")]) {
			string_add(&text, *words);
			continue;
		}
		string_add(&text, "'");
		for (const char *c = *words; *c; c++)
			string_addn(&text, *c == '\'' ? "'\\''" : c, *c == '\'' ? 4 : 1);
		string_add(&text, "'");
	}
	return text.text;
}

static const char *now_text(struct arena *arena)
{
	char text[32] = "";
	time_t now = time(NULL);
	struct tm parts;

	if (gmtime_r(&now, &parts))
		strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
	return arena_strdup(arena, text);
}

/* "run 3 of 12" on one line of the terminal, wiped before the report. */
static void show_progress(void *context UNUSED, size_t run, size_t runs)
{
	if (runs > 1 && isatty(STDERR_FILENO))
		fprintf(stderr, "\r\033[Ktopdown: run %zu of %zu", run, runs);
}

static void wipe_progress(size_t runs)
{
	if (runs > 1 && isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
}

static void describe(struct counts *counts, const struct target *target, const struct options *options,
		     struct arena *arena)
{
	counts->cpu = target->cpu;
	counts->cpuid = target->machine.cpuid;
	counts->machine = target->machine.model_name;
	counts->facts = target->model.facts;
	counts->command = command_text(options->words, arena);
	counts->started = now_text(arena);
	counts->tool_version = TOPDOWN_VERSION;
	counts->model_version = target->model.version;
	counts->level = options->level ? options->level : 1;
	counts->events = options->events;
}

static int count(struct counts *counts, const struct target *target, const struct options *options, struct arena *arena,
		 struct error *err)
{
	struct plan_request request = { .level = options->level ? options->level : 1,
					.max_runs = options->is_multiplexed ? 1 : options->max_runs,
					.is_per_node = options->is_per_node };
	struct plan plan;
	struct launch launch = { .plan = &plan,
				 .model = &target->model,
				 .machine = &target->machine,
				 .argv = options->words,
				 .progress = show_progress };
	int result;

	if (program_find(&launch.path, options->words[0], arena, err) < 0 ||
	    limits_probe(&request.limits, target, err) < 0 ||
	    plan_build(&plan, &target->model, &request, arena, err) < 0)
		return -1;
	limits_warn(&request.limits, target);
	describe(counts, target, options, arena);
	counts->planned_runs = plan.nruns;
	result = count_program(counts, &launch, arena, err);
	wipe_progress(plan.nruns);
	return result;
}

static int show(const struct counts *counts, const struct target *target, const struct options *options,
		struct arena *arena, struct error *err)
{
	struct output output;
	struct report report;

	if (evaluate(&report, &target->model, counts, arena, err) < 0 || output_open(&output, options, stderr, err) < 0)
		return -1;
	target_words(&report, target, arena);
	if (render_report(output.file, &report, &output.style, err) < 0)
		return output_failed(&output, err);
	return output_close(&output, err);
}

/* What can't be written is told before the program has run, not after. */
static int check_files(const struct options *options, struct error *err)
{
	const struct {
		const char *option, *path;
	} files[] = { { "-o", options->output }, { "--save", options->save } };

	for (size_t i = 0; i < COUNT_OF(files); i++)
		if (files[i].path && strcmp(files[i].path, "-") != 0 && file_check_writable(files[i].path, err) < 0)
			return error_in(err, "%s", files[i].option);
	return 0;
}

int command_measure(const struct options *options, struct arena *arena, struct error *err)
{
	struct target target;
	struct counts counts = { 0 };
	struct error not_saved = { .text = "" };
	const char *path;
	int saved;

	if (!options->nwords)
		return error_set(err,
				 "which program? `topdown [OPTION]... PROGRAM [ARG]...`; `topdown --help` tells more");
	if (program_find(&path, options->words[0], arena, err) < 0 || check_files(options, err) < 0 ||
	    target_machine(&target, options, arena, err) < 0)
		return -1;
	target_warn(&target);
	if (count(&counts, &target, options, arena, err) < 0)
		return -1;
	/* A session that can't be saved costs nobody the report. */
	saved = options->save ? session_save(options->save, &counts, &not_saved) : 0;
	if (show(&counts, &target, options, arena, err) < 0)
		return -1;
	if (saved < 0)
		return error_set(err, "%s", not_saved.text);
	return counts.nruns ? counts.runs[0].status : 0;
}
