/* SPDX-License-Identifier: GPL-2.0-or-later */
/* main.c - table of contents: each command walks its part of identify, load, plan, count, evaluate, render. */
#include <locale.h>

#include "base/cells.h"
#include "command/commands.h"
#include "command/output.h"

const struct command commands[] = {
	/* clang-format off */
	{ NULL, "[OPTION]... PROGRAM [ARG]...", "measure a program", false, command_measure },
	{ "plan", "[OPTION]...", "what would be counted together, in which run", false, command_plan },
	{ "doctor", "[OPTION]...", "what can be measured here, what not, and what changes it", false, command_doctor },
	{ "report", "[OPTION]... FILE", "evaluate saved counts again", false, command_report },
	{ "metrics", "[NAME]... [-- PROGRAM [ARG]...]", "what there is besides the tree, or its values", true, command_metrics },
	{ "explain", "[OPTION]... NODE...", "what a node means, its formula, what to try", false, command_explain },
	{ "list", "[OPTION]... WHAT [PATTERN]", "cpus, events, metrics, nodes or groups", false, command_list },
	{ "import", "--from FORM -o OUT DIR...", "a vendor's files into a database of one's own", false, command_import },
	/* clang-format on */
};
const size_t ncommands = COUNT_OF(commands);

static const struct command help = { .run = command_help }, version = { .run = command_version };

#define STATUS_FAILED 125 /* topdown itself failed; 126 and 127 are about the program */

static int fail(const struct error *err)
{
	struct arena arena;

	arena_init(&arena);
	fprintf(stderr, "topdown: %s\n", cells_safe(&arena, err->text, is_utf8_locale()));
	arena_release(&arena);
	return err->status ? err->status : STATUS_FAILED;
}

int main(int argc, char **argv)
{
	const struct command *command;
	struct options options;
	struct error err = { 0 };
	struct arena arena;
	int status;

	setlocale(LC_CTYPE, ""); /* only to learn whether the terminal takes UTF-8; numbers stay in the C locale */
	arena_init(&arena);
	command = options_parse(&options, argc, argv, &err);
	if (command && options.wants_help)
		command = &help;
	else if (command && options.wants_version)
		command = &version;
	status = command ? command->run(&options, &arena, &err) : -1;
	if (status < 0)
		status = fail(&err);
	arena_release(&arena);
	return status;
}
