/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * command_doctor.c - topdown doctor: what this machine can measure, what not, why, and the command that
 * changes it. It changes nothing.
 */
#include <string.h>

#include "command/commands.h"
#include "command/jobs/machine_check.h"
#include "command/jobs/output.h"

static int run_doctor(const struct options *options, struct arena *arena, struct error *err)
{
	const struct request request = request_of(options, arena);
	struct diagnosis diagnosis;
	struct output output;
	struct target target;

	if (options->nwords)
		return error_set(err, "doctor: '%s'? It takes no arguments: it checks this machine", options->words[0]);
	if (options->setup.machine.steady && strcmp(options->setup.machine.steady, "pin") != 0)
		return error_set(err, "doctor --steady takes no list: it changes nothing");
	if (machine_check_target(&target, &request, err) < 0)
		return -1;
	examine(&diagnosis, &target, &request);
	if (output_open(&output, &options->output, stdout, err) < 0)
		return -1;
	if (render_diagnosis(output.file, &diagnosis, &output.style, err) < 0)
		return output_failed(&output, err);
	if (output_close(&output, err) < 0)
		return -1;
	return diagnosis.can_measure ? 0 : 1;
}

const struct command command_doctor = {
	.name = "doctor",
	.arguments = "[OPTION]...",
	.summary = "what can be measured here, what can't, and how to change that",
	.examples = "topdown doctor\n"
		    "topdown doctor -l6\n"
		    "topdown doctor --steady\n",
	.run = run_doctor,
	.sets = { &level_options, &steady_options, &cpu_options, &form_options, &sysroot_options, &file_options,
		  &style_options, &general_options },
};
