/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command_roofline.c - topdown roofline: the machine's ceilings, and how far a program is from them. */
#include "collect/count/count.h"
#include "command/commands.h"
#include "command/jobs/machine_ceilings.h"
#include "command/jobs/output.h"
#include "common/system/file.h"
#include "present/roofline/ceilings_view.h"

/* Without a program nothing is measured that options for one could be about. */
static int check_alone(const struct options *options, struct arena *arena, struct error *err)
{
	const char *measuring = options_repeated(options, REPEATED_SETUP, "", arena);

	if (options->question.nper_function)
		measuring = "--per-function";
	if (options->output.save)
		measuring = "--save";
	if (!measuring)
		return 0;
	return error_set(err, "roofline %s: that applies to a program, and none is named", measuring);
}

static int show_ceilings(const struct options *options, struct arena *arena, struct error *err)
{
	struct ceilings_shown shown = { .ceilings = NULL };
	const struct request request = request_of(options, arena);
	struct machine_ceilings known;
	struct output output;

	if (check_alone(options, arena, err) < 0)
		return -1;
	if (options->output.path && file_check_writable(options->output.path, err) < 0)
		return -1;
	if (machine_ceilings_get(&known, &options->roofline, &request, err) < 0)
		return -1;
	shown = (struct ceilings_shown){ &known.ceilings, known.is_kept ? known.path : NULL, known.stale };
	if (output_open(&output, &options->output, stdout, err) < 0)
		return -1;
	if (render_ceilings(output.file, &shown, &output.style, err) < 0)
		return output_failed(&output, err);
	return output_close(&output, err);
}

/* Before the ceilings are measured, which takes seconds. */
static int check_program(const struct options *options, struct arena *arena, struct error *err)
{
	const char *path;

	return options->setup.program.nwords ? program_find(&path, options->setup.program.words[0], arena, err) : 0;
}

static int command_roofline_measure(const struct options *options, const struct machine_ceilings *known,
				    struct arena *arena, struct error *err)
{
	struct options own = *options;

	own.question.wants_roofline = true;
	own.setup.roofs = machine_ceilings_roofs(known, arena);
	return run_measurement(&own, arena, err);
}

static int run_roofline(const struct options *options, struct arena *arena, struct error *err)
{
	const struct request request = request_of(options, arena);
	struct machine_ceilings known;

	if (!options->setup.program.nwords && !setup_has_subject(&options->setup))
		return show_ceilings(options, arena, err);
	if (check_program(options, arena, err) < 0 ||
	    machine_ceilings_get(&known, &options->roofline, &request, err) < 0)
		return -1;
	return command_roofline_measure(options, &known, arena, err);
}

/* clang-format off */
static const struct option_row placing_rows[] = {
	{ "per-function", 0, TAKE_TENS, REPEATED_NEVER, "[=N]", AT(question.nper_function), NULL,
	  "also the N functions with the most cycles (default 10)" },
};

static const struct option_row roofline_rows[] = {
	{ "fresh", 0, TAKE_FLAG, REPEATED_NEVER, NULL, AT(roofline.is_fresh), NULL,
	  "measure again even if saved ceilings are still valid" },
	{ "seconds", 0, TAKE_SECONDS, REPEATED_NEVER, "SECONDS", AT(roofline.seconds), NULL,
	  "measure for at most SECONDS (default 9)" },
};
/* clang-format on */

static const struct option_set placing_options = OPTION_SET("what to look at", placing_rows);
static const struct option_set roofline_options = OPTION_SET("ceilings", roofline_rows);

const struct command command_roofline = {
	.name = "roofline",
	.arguments = "[OPTION]... [PROGRAM [ARG]...]",
	.summary = "how fast this machine can go, and how close a program gets",
	.examples = "topdown roofline\n"
		    "topdown roofline ./prog\n"
		    "topdown roofline --per-function ./prog\n"
		    "topdown roofline --fresh -o roofline.html\n",
	.run = run_roofline,
	.has_program = true,
	.begins_program = true,
	.sets = { &placing_options, &roofline_options, &all_cpus_options, &subject_options, &thread_options,
		  &timing_options, &repeat_options, &packing_options, &sampling_options, &pmu_options,
		  &simulation_options, &cpu_options, &sysroot_options, &file_options, &page_data_options, &save_options,
		  &style_options, &general_options },
};
