/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command_compare.c - topdown compare [BEFORE] AFTER: what changed from one measurement to another, and why. */
#include "analyse/compare/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command/commands.h"
#include "command/jobs/comparison_side.h"
#include "command/jobs/progress.h"
#include "command/jobs/rank_files.h"
#include "command/jobs/saved_files.h"
#include "engine/pairs.h"
#include "engine/saved.h"

static int command_compare_show(const struct compare_request *request, const struct options *options,
				struct arena *arena, struct error *err)
{
	struct comparison comparison;

	if (compare(&comparison, request, arena, err) < 0)
		return error_in(err, "compare");
	return compared_show(&comparison, stdout, &options->output, arena, err);
}

/* The file that is named, or else the last measurement. */
static int read_side(struct compare_side *side, struct saved_files files, const struct request *request,
		     struct error *err)
{
	struct saved_file *recorded = arena_alloc(request->arena, sizeof(*recorded));

	if ((are_rank_files(&files) ? rank_files_read(recorded, &files, request->arena, err)
				    : saved_files_find(recorded, files, request, err)) < 0)
		return -1;
	for (size_t i = 0; i < recorded->measured.count; i++)
		recorded->measured.parts[i].origin.file = recorded->place;
	side->label = files.count ? recorded->file : "the last measurement";
	return saved_side(side, &recorded->measured, request, err);
}

static int compare_files(const struct options *options, struct arena *arena, struct error *err)
{
	const struct request request = request_of(options, arena);
	struct compare_request compared = { .level = options->question.level };
	struct saved_files before = options_files(options), after = before;

	if (options->nwords < 1 || options->nwords > 2)
		return error_set(err,
				 "compare: which two? `topdown compare BEFORE.json AFTER.json`; one file is compared "
				 "with the last measurement, and --run runs two commands");
	before.count = 1;
	after.names++;
	after.count--;
	if (read_side(&compared.before, before, &request, err) < 0 ||
	    read_side(&compared.after, after, &request, err) < 0)
		return -1;
	return command_compare_show(&compared, options, arena, err);
}

/* The first command and another one. */
static int measure_pairs(struct pairs *pairs, const char *const both[2], const struct options *options,
			 struct arena *arena, struct error *err)
{
	struct progress progress = { .is_quiet = options->setup.program.wants_all_output, .are_two = true };
	struct sink sink = progress_sink(&progress);
	struct setup setup = options->setup;
	struct pair_request wanted = { .setup = &setup,
				       .question = &options->question,
				       .cpus = options->compare.cpus,
				       .is_duet = options->compare.is_duet,
				       .warmups = options->compare.warmups,
				       .prepare = options->compare.prepare,
				       .takes_failures = options->compare.takes_failures };
	int result;

	if (both[1] != options->words[1])
		sink.notice = NULL; /* what was said once */
	setup.options = options_repeated(options, REPEATED_SETUP, "repeat", arena);
	setup.options_unsplit = setup.options;
	for (size_t i = 0; i < COUNT_OF(wanted.commands); i++) {
		wanted.commands[i].text = both[i];
		if (shell_words_split(&wanted.commands[i].words, both[i], arena, err) < 0)
			return error_in(err, "compare --run");
	}
	result = pairs_measure(pairs, &wanted, &sink, arena, err);
	progress_wipe(&progress);
	return result;
}

/* A command beside the first one. */
struct rival {
	const char *command;
	struct compare_request request;
	struct pairs pairs;
	struct comparison comparison;
};

static int measure_rival(struct rival *rival, const struct options *options, struct arena *arena, struct error *err)
{
	const struct request request = request_of(options, arena);
	const char *const both[] = { options->words[0], rival->command };
	struct compare_side *sides[] = { &rival->request.before, &rival->request.after };

	rival->request = (struct compare_request){ .level = options->question.level, .are_commands = true };
	if (measure_pairs(&rival->pairs, both, options, arena, err) < 0)
		return -1;
	for (size_t i = 0; i < COUNT_OF(sides); i++) {
		sides[i]->label = both[i];
		if (saved_side(sides[i], &rival->pairs.sides[i], &request, err) < 0)
			return -1;
	}
	rival->request.is_paired = rival->pairs.way != PAIRS_SIMULATED;
	rival->request.remark = rival->pairs.remark;
	return compare(&rival->comparison, &rival->request, arena, err) < 0 ? error_in(err, "compare") : 0;
}

/* So many times as long as the first command; 1 where nobody knows. */
static double rival_ratio(const struct rival *rival)
{
	const struct compared_metric *headline = rival->comparison.headline;

	return headline && isfinite(headline->ratio.value) ? headline->ratio.value : 1;
}

static int by_ratio(const void *a, const void *b)
{
	double first = rival_ratio(*(struct rival *const *)a), second = rival_ratio(*(struct rival *const *)b);

	return (first > second) - (first < second);
}

static void print_order(FILE *out, struct rival *const *rivals, size_t count, const char *first)
{
	const struct compared_metric *headline = rivals[0]->comparison.headline;
	size_t width = strlen(first);
	bool is_said = false;

	for (size_t i = 0; i < count; i++)
		width = strlen(rivals[i]->command) > width ? strlen(rivals[i]->command) : width;
	fprintf(out, "Fastest first, beside %s%s%s:\n", first, headline ? ", by " : "",
		headline ? headline->title : "");
	for (size_t i = 0; i <= count; i++) {
		if (!is_said && (i == count || rival_ratio(rivals[i]) >= 1)) {
			fprintf(out, "  %-*s  the first command\n", (int)width, first);
			is_said = true;
		}
		if (i < count)
			fprintf(out, "  %-*s  %s\n", (int)width, rivals[i]->command, rivals[i]->comparison.sentence);
	}
	fputc('\n', out);
}

/*
 * Of programs that have just run, stdout is theirs. Of more than two: their order, and why the farthest from the first
 * one is there.
 */
static int show_rivals(struct rival **rivals, size_t count, const struct options *options, struct arena *arena,
		       struct error *err)
{
	const struct rival *farthest;

	qsort(rivals, count, sizeof(struct rival *), by_ratio);
	farthest = rival_ratio(rivals[0]) < 1 ? rivals[0] : rivals[count - 1];
	if (count > 1)
		print_order(stderr, rivals, count, options->words[0]);
	return compared_show(&farthest->comparison, stderr, &options->output, arena, err);
}

/* Output of more than one comparison has an order only where people read it. */
static int check_commands(const struct options *options, struct error *err)
{
	if (options->nwords < 2)
		return error_set(err, "compare --run: two commands or more, each one word: `topdown compare --run "
				      "'./old 6' './new 6'`");
	if (options->nwords > 2 && (options->output.path || options->output.format != FORMAT_TEXT))
		return error_set(err,
				 "compare --run: more than two commands are compared on the screen only; a file, or "
				 "another --format, has one comparison");
	return 0;
}

static int compare_commands(const struct options *options, struct arena *arena, struct error *err)
{
	size_t count = 0;
	struct rival **rivals;
	int cut_by = 0, status;

	if (check_commands(options, err) < 0)
		return -1;
	rivals = arena_array(arena, options->nwords, sizeof(struct rival *));
	while (count + 1 < options->nwords && !cut_by) {
		rivals[count] = arena_alloc(arena, sizeof(**rivals));
		rivals[count]->command = options->words[count + 1];
		if (measure_rival(rivals[count], options, arena, err) < 0)
			return -1;
		cut_by = rivals[count++]->pairs.cut_by;
	}
	status = show_rivals(rivals, count, options, arena, err);
	return status < 0 || !cut_by ? status : STATUS_OF_SIGNAL + cut_by;
}

static int check_options(const struct options *options, struct error *err)
{
	const char *measuring = options_measuring(options);

	if (options->compare.is_run)
		return compared_core_check(&options->setup, err);
	if (measuring)
		return error_set(err,
				 "compare: --%s applies to measuring, and files are already measured; --run measures "
				 "two commands",
				 measuring);
	return 0;
}

static int run_compare(const struct options *options, struct arena *arena, struct error *err)
{
	if (check_options(options, err) < 0)
		return -1;
	return options->compare.is_run ? compare_commands(options, arena, err) : compare_files(options, arena, err);
}

/* clang-format off */
static const struct option_row compare_rows[] = {
	{ "run", 0, TAKE_FLAG, REPEATED_NEVER, NULL, AT(compare.is_run), NULL,
	  "BEFORE and AFTER are commands (or more): run them in turns, and compare" },
	{ "pin", 0, TAKE_TEXT, REPEATED_NEVER, "CPUS", AT(compare.cpus), NULL,
	  "run both commands on these CPUs: 0-3,8" },
	{ "duet", 0, TAKE_FLAG, REPEATED_NEVER, NULL, AT(compare.is_duet), NULL,
	  "run both at once on two CPUs, which they swap after each pair" },
	{ "warmup", 0, TAKE_NUMBER, REPEATED_NEVER, "N", AT(compare.warmups), NULL,
	  "run both commands N times before, without measuring" },
	{ "prepare", 0, TAKE_TEXT, REPEATED_NEVER, "CMD", AT(compare.prepare), NULL,
	  "run this shell command before each run, without measuring" },
	{ "ignore-failure", 0, TAKE_FLAG, REPEATED_NEVER, NULL, AT(compare.takes_failures), NULL,
	  "compare commands that end with another exit status than 0" },
};
/* clang-format on */

static const struct exclusion compare_exclusions[] = {
	{ "{pin}, {duet}, {warmup}, {prepare}, {ignore-failure}", "{run}", true, "it is about running two commands" },
	{ "{warmup}", "{pmu sim}", false, "a simulated core begins cold, as the caches of a program do" },
	{ "{duet}", "{pmu sim}", false, "nothing disturbs a simulation" },
	{ NULL, NULL, false, NULL },
};

static const struct option_set compare_options = OPTION_SET("what to compare", compare_rows);

const struct command command_compare = {
	.name = "compare",
	.arguments = "[OPTION]... BEFORE [AFTER]",
	.summary = "what changed between two measurements, and why",
	.examples = "topdown compare old.json new.json\n"
		    "topdown compare old.json\n"
		    "topdown compare --run -r 10 './prog 6' './prog 7' './prog 8'\n"
		    "topdown compare --run --pmu sim ./prog './prog 7'\n",
	.run = run_compare,
	.exclusions = compare_exclusions,
	.sets = { &compare_options, &level_options, &repeat_options, &wall_options, &packing_options, &pmu_options,
		  &simulation_options, &cpu_options, &form_options, &sysroot_options, &file_options, &style_options,
		  &general_options },
};
