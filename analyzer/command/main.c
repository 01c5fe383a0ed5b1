/* SPDX-License-Identifier: GPL-2.0-or-later */
/* main.c - table of contents: the commands, and how each of them begins and ends. */
#include <locale.h>
#include <signal.h>
#include <stdio.h>

#include "command/commands.h"
#include "command/jobs/output.h"
#include "command/jobs/progress.h"
#include "common/base/cells.h"
#include "engine/target.h"

const struct command *const commands[] = {
	&command_measure, &command_sample,  &command_plan,     &command_doctor,	    &command_report, &command_compare,
	&command_gate,	  &command_history, &command_roofline, &command_verify,	    &command_export, &command_metrics,
	&command_explain, &command_list,    &command_import,   &command_completion, &command_help,   &command_version,
};
const size_t ncommands = COUNT_OF(commands);

#define STATUS_FAILED 125 /* topdown itself failed; 126 and 127 are about the program */

static int main_fail(const struct error *err)
{
	struct arena arena;

	arena_init(&arena);
	notice_print(NULL, NOTICE_PLAIN, cells_safe(&arena, err->text, is_utf8_locale()));
	arena_release(&arena);
	return err->status ? err->status : STATUS_FAILED;
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

int main(int argc, char **argv)
{
	struct options options;
	struct error err = { .text = "" };
	struct arena arena;
	int status;

	survive_file_limit();
	setlocale(LC_CTYPE, ""); /* only to learn whether the terminal takes UTF-8; numbers stay in the C locale */
	arena_init(&arena);
	status = options_parse(&options, argc, argv, &err);
	identified_keep(&options.setup.machine, &arena);
	if (status == 0 && options.wants_help)
		status = help_print(options.command, &err);
	else if (status == 0 && options.wants_version)
		status = version_print(&err);
	else if (status == 0 && !options.command->has_own_forms && output_choose(&options.output, &err) < 0)
		status = -1;
	else if (status == 0)
		status = options.command->run(&options, &arena, &err);
	if (status < 0)
		status = main_fail(&err);
	arena_release(&arena);
	return status;
}
