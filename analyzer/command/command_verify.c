/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * command_verify.c - topdown verify: programs whose bottleneck is known, measured here. What it prints can be shown to
 * anybody: it names the CPU, and neither the host, its users nor paths.
 */
#include <stdlib.h>
#include <string.h>

#include "command/commands.h"
#include "command/jobs/machine_check.h"
#include "command/jobs/output.h"
#include "command/jobs/verify_run.h"
#include "common/system/file.h"
#include "present/machine/verification_view.h"

/* A text with every such path named otherwise. */
static const char *without_path(const char *text, const char *path, const char *name, struct arena *arena)
{
	const char *at = text && path && strlen(path) > 1 ? strstr(text, path) : NULL;

	while (at) {
		text = arena_printf(arena, "%.*s%s%s", (int)(at - text), text, name, at + strlen(path));
		at = strstr(text, path);
	}
	return text;
}

struct secrets {
	const char *home, *folder; /* NULL: unknown */
};

static const char *cleaned(const char *text, const struct secrets *secrets, struct arena *arena)
{
	text = without_path(text, secrets->folder, "TOPDOWN", arena);
	return without_path(text, secrets->home, "HOME", arena);
}

/* Reasons and remedies may name files; whoever reads this elsewhere needs no more than their names. */
static void clean(struct verification *verification, struct diagnosis *diagnosis, const struct secrets *secrets,
		  struct arena *arena)
{
	for (size_t i = 0; i < verification->count; i++) {
		struct known_result *result = &verification->results[i];

		result->reason = cleaned(result->reason, secrets, arena);
		result->no_ratio = cleaned(result->no_ratio, secrets, arena);
	}
	for (size_t i = 0; i < diagnosis->count; i++) {
		struct finding *finding = &diagnosis->findings[i];

		finding->found = cleaned(finding->found, secrets, arena);
		finding->meaning = cleaned(finding->meaning, secrets, arena);
		finding->remedy = cleaned(finding->remedy, secrets, arena);
	}
}

/* The folder of this program; NULL: unknown. */
static const char *own_folder(const struct target *target, struct arena *arena)
{
	const char *program = target->machine.program, *end = program ? strrchr(program, '/') : NULL;

	return end ? arena_strndup(arena, program, (size_t)(end - program)) : NULL;
}

static int verify(struct verification *verification, struct diagnosis *diagnosis, const struct options *options,
		  struct arena *arena, struct error *err)
{
	const struct request request = request_of(options, arena);
	struct target *target = arena_alloc(arena, sizeof(*target));
	struct secrets secrets = { .home = getenv("HOME") };

	if (machine_check_target(target, &request, err) < 0)
		return -1;
	secrets.folder = own_folder(target, arena);
	target->machine.program = target->machine.program ? "topdown" : NULL;
	examine(diagnosis, target, &request);
	*verification = (struct verification){
		.tool_version = TOPDOWN_VERSION,
		.cpu = target->cpu,
		.cpuid = target->machine.cpuid,
		.machine = target->machine.model_name,
		.microcode = target->machine.microcode,
		.kernel = target->machine.kernel,
		.hypervisor = target->machine.hypervisor,
		.smt_on = target->machine.smt_on,
	};
	if (verify_run_measure(verification, &options->verify,
			       diagnosis->can_measure && options->setup.machine.pmu != PMU_SIM, &request, err) < 0)
		return -1;
	clean(verification, diagnosis, &secrets, arena);
	return 0;
}

static int check(const struct options *options, struct arena *arena, struct error *err)
{
	const struct request request = request_of(options, arena);

	if (options->nwords)
		return error_set(
			err, "verify: '%s'? It takes no arguments; --only NAME chooses kernels, --work NAME runs one",
			options->words[0]);
	if (exclusions_check(&request, options->setup.machine.pmu, err) < 0)
		return error_in(err, "verify");
	if (options->output.format == FORMAT_HTML)
		return error_set(err, "verify writes no HTML: text, json, csv or markdown");
	if (options->output.path && file_check_writable(options->output.path, err) < 0)
		return error_in(err, "-o");
	return 0;
}

static int run_verify(const struct options *options, struct arena *arena, struct error *err)
{
	struct verification verification;
	struct diagnosis diagnosis;
	struct output output;

	if (check(options, arena, err) < 0)
		return -1;
	if (options->verify.work)
		return verify_run_kernel(&options->verify, arena, err);
	if (verify(&verification, &diagnosis, options, arena, err) < 0 ||
	    output_open(&output, &options->output, stdout, err) < 0)
		return -1;
	if (render_verification(output.file, &(struct verification_shown){ &verification, &diagnosis }, &output.style,
				err) < 0)
		return output_failed(&output, err);
	if (output_close(&output, err) < 0)
		return -1;
	return verification.interrupted_by ? STATUS_OF_SIGNAL + verification.interrupted_by
					   : verification_status(&verification);
}

/* clang-format off */
static const struct option_row verify_rows[] = {
	{ "only", 0, TAKE_TEXT, REPEATED_NEVER, "LIST", AT(verify.only), NULL,
	  "only these kernels: chase,divide" },
	{ "work", 0, TAKE_TEXT, REPEATED_NEVER, "KERNEL", AT(verify.work), NULL,
	  "run this kernel in this process, without measuring" },
	{ "times", 0, TAKE_NUMBER, REPEATED_NEVER, "N", AT(verify.times), NULL,
	  "run each kernel's work N times (default 4, simulated 1)" },
	{ "seconds", 0, TAKE_SECONDS, REPEATED_NEVER, "SECONDS", AT(verify.seconds), NULL,
	  "start no kernel after SECONDS (default 20, simulated 60)" },
};
/* clang-format on */

static const struct exclusion verify_exclusions[] = {
	{ "{only}", "{work}", false, "one kernel runs, and is not measured" },
	{ NULL, NULL, false, NULL },
};

static const struct option_set verify_options = OPTION_SET("what to measure", verify_rows);

const struct command command_verify = {
	.name = "verify",
	.arguments = "[OPTION]...",
	.summary = "self-test with kernels of known bottleneck, for a bug report",
	.examples = "topdown verify\n"
		    "topdown verify -o verify.md\n"
		    "topdown verify --only chase,divide\n"
		    "topdown -l3 -- topdown verify --work chase\n",
	.run = run_verify,
	.exclusions = verify_exclusions,
	.sets = { &verify_options, &level_options, &repeat_options, &packing_options, &pmu_options, &simulation_options,
		  &cpu_options, &form_options, &file_options, &style_options, &general_options },
};
