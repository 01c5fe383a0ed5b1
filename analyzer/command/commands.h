/* SPDX-License-Identifier: GPL-2.0-or-later */
/* commands.h - what main can do; each returns the exit status, or -1 with err. */
#ifndef TOPDOWN_COMMANDS_H
#define TOPDOWN_COMMANDS_H

#include "command/options.h"

int command_measure(const struct options *options, struct arena *arena, struct error *err);
int command_plan(const struct options *options, struct arena *arena, struct error *err);
int command_doctor(const struct options *options, struct arena *arena, struct error *err);
int command_report(const struct options *options, struct arena *arena, struct error *err);
int command_metrics(const struct options *options, struct arena *arena, struct error *err);
int command_explain(const struct options *options, struct arena *arena, struct error *err);
int command_list(const struct options *options, struct arena *arena, struct error *err);
int command_import(const struct options *options, struct arena *arena, struct error *err);
int command_help(const struct options *options, struct arena *arena, struct error *err);
int command_version(const struct options *options, struct arena *arena, struct error *err);

#endif
