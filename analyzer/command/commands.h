/* SPDX-License-Identifier: GPL-2.0-or-later */
/* commands.h - what main can do, a file each; and what the files share. */
#ifndef TOPDOWN_COMMAND_COMMANDS_H
#define TOPDOWN_COMMAND_COMMANDS_H

#include "command/jobs/recorded.h"
#include "command/options.h"
#include "engine/engine.h"

extern const struct command command_measure, command_plan, command_doctor, command_report, command_metrics,
	command_explain, command_history, command_sample, command_export, command_list, command_import, command_gate,
	command_help, command_version, command_completion, command_compare, command_roofline, command_verify;

/* Measures as the options say, and shows it. Returns the exit status; -1 with err. */
int run_measurement(const struct options *options, struct arena *arena, struct error *err) MUST_CHECK;

/* What there is, in short, where command is the first of all; else its usage, options and examples. -1 with err. */
int help_print(const struct command *command, struct error *err) MUST_CHECK;
int version_print(struct error *err) MUST_CHECK;

/* The words of a command whose words are files. */
struct recorded_files options_files(const struct options *options);

/* The request of a command that measures nothing: notices go to stderr. It borrows from options. */
struct request request_of(const struct options *options, struct arena *arena);

#endif
