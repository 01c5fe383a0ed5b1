/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command/checks.h"

#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/text.h"

#define STATUS_NOT_FOUND 127

/* By its name, or, where it is there already, whatever the names are. */
static bool is_same_place(const char *a, const char *b)
{
	struct stat first, second;

	if (!strcmp(a, "-") || !strcmp(b, "-") || stat(a, &first) < 0 || stat(b, &second) < 0)
		return !strcmp(a, b);
	return S_ISREG(first.st_mode) && first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

int check_files(const struct options *options, struct error *err)
{
	const struct {
		const char *option, *path;
	} files[] = { { "-o", options->output }, { "--save", options->save } };

	if (options->output && options->save && is_same_place(options->output, options->save))
		return error_set(err, "-o and --save are the same, %s: the report would take the counts' place",
				 options->save);
	for (size_t i = 0; i < COUNT_OF(files); i++)
		if (files[i].path && strcmp(files[i].path, "-") != 0 && file_check_writable(files[i].path, err) < 0)
			return error_in(err, "%s", files[i].option);
	return 0;
}

/* A word that nearly is a command was meant as one. */
static int not_found(const char *word, struct arena *arena, struct error *err)
{
	const char **names = arena_array(arena, ncommands, sizeof(*names)), *near;
	size_t count = 0;

	for (size_t i = 0; i < ncommands; i++)
		if (commands[i].name)
			names[count++] = commands[i].name;
	near = nearest_names(arena, word, names, count);
	if (!near)
		return -1;
	*err = (struct error){ .status = STATUS_NOT_FOUND };
	return error_set(err, "%s: no such program in PATH; did you mean the command %s? It stands before all options",
			 word, near);
}

int check_program(const char **path, const struct options *options, struct arena *arena, struct error *err)
{
	const char *word = options->words[0];

	*path = NULL;
	if (options->nwords) {
		if (program_find(path, word, arena, err) == 0)
			return 0;
		return err->status == STATUS_NOT_FOUND && !strchr(word, '/') ? not_found(word, arena, err) : -1;
	}
	if (options_have_subject(options))
		return 0;
	if (options->duration_s > 0)
		return error_set(err, "--duration of what? -a counts all CPUs; -p, --tid, -C and --cgroup count less");
	return error_set(err, "which program? `topdown [OPTION]... PROGRAM [ARG]...`; `topdown --help` tells more");
}

int check_repeats(const struct options *options, struct error *err)
{
	if (options->repeats > 1 && options->interval_ms > 0)
		return error_set(err, "--repeat measures the same again and again, -I one thing all along: choose one");
	if (options->repeats > 1 && (options->delay_ms < 0 || options->control))
		return error_set(err,
				 "--repeat measures without anybody's help: it goes with neither -D -1 nor --control");
	return 0;
}

int check_drilldown(const struct options *options, const struct subject *subject, const struct timing *timing,
		    struct error *err)
{
	if (!options->is_drilldown)
		return 0;
	if (!is_repeated(subject, timing))
		return error_set(err, "--drilldown runs a program again for each step: it goes with none of -I, -D -1, "
				      "--control and what runs already");
	if (options->nodes || options->groups || options->metrics)
		return error_set(err, "--drilldown chooses the nodes itself: it goes without --nodes, --groups and "
				      "--metrics");
	return 0;
}

/* What says how to simulate says nothing to a PMU. */
static int check_simulated(const struct options *options, struct error *err)
{
	const char *given = options->sim_core	      ? "--sim-core"
			    : options->sim_sample > 0 ? "--sim-sample"
			    : options->has_children   ? "--trace-children"
			    : options->has_no_anchor  ? "--no-anchor"
						      : NULL;

	return given ? error_set(err, "%s is for simulated counters: it needs --pmu sim", given) : 0;
}

int check_uncounted(const struct options *options, struct error *err)
{
	if (!options->wants_lines)
		return check_simulated(options, err);
	return error_set(err,
			 "--lines is for simulated counters (--pmu sim): a PMU does not tell which instruction lost a "
			 "slot; the `perf record` command below a report samples where it happens");
}

int check_threads(const struct options *options, const struct subject *subject, struct error *err)
{
	if (!options->is_per_thread || subject->split == SPLIT_THREADS)
		return 0;
	if (subject->kind == SUBJECT_PROGRAM)
		return error_set(err,
				 "--per-thread tells the threads of -p or --tid apart; a program that is yet to be "
				 "started has only one, unless it is simulated (--pmu sim)");
	return error_set(err, "--per-thread tells the threads of -p or --tid apart, and CPUs have none of their own");
}
