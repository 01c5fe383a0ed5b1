/* SPDX-License-Identifier: GPL-2.0-or-later */
/* main.c - table of contents: the commands, and how each of them begins and ends. */
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "command/commands.h"
#include "command/programs/programs.h"
#include "command/jobs/output.h"
#include "command/jobs/progress.h"
#include "common/system/file.h"
#include "common/system/shortage.h"
#include "engine/target.h"

const struct command *const commands[] = {
	&command_measure, &command_first,      &command_sample,	 &command_latency, &command_plan,    &command_doctor,
	&command_report,  &command_view,       &command_compare, &command_gate,	   &command_history, &command_roofline,
	&command_verify,  &command_export,     &command_metrics, &command_explain, &command_list,    &command_import,
	&command_schema,  &command_completion, &command_help,	 &command_version,
};
const size_t ncommands = COUNT_OF(commands);

#define STATUS_FAILED 125 /* topdown itself failed; 126 and 127 are about the program */

static int main_fail(struct failure *failure, bool has_json, struct arena *arena)
{
	failure->status = failure->err->status ? failure->err->status : STATUS_FAILED;
	if (has_json)
		error_report(failure, arena);
	else
		notice_print(NULL, NOTICE_PLAIN, failure->err->text);
	return failure->status;
}

struct request request_of(const struct options *options, struct arena *arena)
{
	static const struct sink sink = { .notice = notice_print };

	return (struct request){
		.setup = &options->setup, .question = &options->question, .sink = &sink, .arena = arena
	};
}

struct saved_files options_files(const struct options *options)
{
	return (struct saved_files){ options->command->name, options->words, options->nwords };
}

/* ---- no output takes the place of a file that the same command reads ---- */

struct input_list {
	const char *const *paths;
	size_t count;
};

static bool has_file_words(const struct command *command)
{
	return command == &command_report || command == &command_view || command == &command_compare ||
	       command == &command_export || command == &command_history;
}

/* Every file that is read, or NULL in its place: by its option, as a word, or as the program. */
static struct input_list list_inputs(const struct options *options, struct arena *arena)
{
	const char *const named[] = { options->gate.baseline, options->gate.limits, options->history.file,
				      options->setup.simulation.core };
	const struct program_choice *program = &options->setup.program;
	size_t nwords = has_file_words(options->command) ? options->nwords : 0, count = COUNT_OF(named);
	const char **paths = arena_array(arena, count + nwords + 1, sizeof(*paths));

	memcpy(paths, named, sizeof(named));
	for (size_t i = 0; i < nwords; i++)
		paths[count++] = options->words[i];
	if (program->nwords && strchr(program->words[0], '/'))
		paths[count++] = program->words[0];
	return (struct input_list){ paths, count };
}

static int keep_inputs(const struct options *options, struct arena *arena, struct error *err)
{
	const struct {
		const char *option, *path;
	} outputs[] = { { "-o", options->output.path }, { "--save", options->output.save } };
	const struct input_list inputs = list_inputs(options, arena);

	for (size_t i = 0; i < COUNT_OF(outputs); i++)
		for (size_t k = 0; outputs[i].path && is_file(outputs[i].path) && k < inputs.count; k++)
			if (inputs.paths[k] && is_one_file(outputs[i].path, inputs.paths[k]))
				return error_set(
					err, "%s %s would replace %s, which this command reads; choose another name",
					outputs[i].option, outputs[i].path,
					strcmp(outputs[i].path, inputs.paths[k]) ? inputs.paths[k] : "the file");
	return 0;
}

static bool is_measuring(const struct command *command)
{
	return !command->name || command->has_program;
}

/* ---- the beginning and the end ---- */

static void do_nothing(int number UNUSED)
{
}

/*
 * Beyond RLIMIT_FSIZE a write fails with EFBIG, which is reported, instead of ending topdown. A handler rather than
 * SIG_IGN: exec takes it away, so that programs get what topdown has inherited.
 */
static void survive_file_limit(void)
{
	const struct sigaction ours = { .sa_handler = do_nothing, .sa_flags = SA_RESTART };
	struct sigaction inherited;

	if (sigaction(SIGXFSZ, NULL, &inherited) == 0 && inherited.sa_handler == SIG_DFL)
		sigaction(SIGXFSZ, &ours, NULL);
}

/* Tables and paths stand on it; the program may have less: sh -c 'ulimit -s 64; exec PROGRAM'. */
static const struct limit_need stack_need = { RLIMIT_STACK, 's', "topdown needs a stack", 1 };

int main(int argc, char **argv)
{
	struct options options = { .command = NULL };
	struct error err = { .text = "" };
	struct arena arena;
	struct failure failure = { .err = &err };
	bool has_json_errors;
	int status;

	survive_file_limit();
	setlocale(LC_CTYPE, ""); /* only to learn whether the terminal takes UTF-8; numbers stay in the C locale */
	arena_init(&arena);
	status = shortage_check_limit(&stack_need, &err);
	if (status == 0)
		status = options_parse(&options, argc, argv, &err);
	failure.is_usage = status < 0;
	failure.command = options.command ? options.command->name : NULL;
	/* Of a line that could not be read nobody knows which words are options. */
	has_json_errors = failure.is_usage ? wants_json_errors(argc, argv) : options.errors > 0;
	if (status == 0)
		identified_keep(&options.setup.machine, &arena);
	if (status == 0 && options.wants_help)
		status = help_print(options.command, &err);
	else if (status == 0 && options.wants_version)
		status = version_print(&err);
	else if (status == 0 && (output_place(&options.output, is_measuring(options.command), &arena, &err) < 0 ||
				 (!options.command->has_own_forms && output_choose(&options.output, &err) < 0) ||
				 keep_inputs(&options, &arena, &err) < 0))
		status = -1;
	else if (status == 0)
		status = options.command->run(&options, &arena, &err);
	if (status < 0)
		status = main_fail(&failure, has_json_errors, &arena);
	arena_release(&arena);
	return status;
}
