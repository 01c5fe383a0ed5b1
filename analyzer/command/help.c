/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command/commands.h"

#ifndef TOPDOWN_VERSION
#define TOPDOWN_VERSION "0.0.0"
#endif

int command_help(const struct options *options UNUSED, struct arena *arena UNUSED, struct error *err UNUSED)
{
	fputs("topdown - where a program's CPU cycles go, and what to look at next\n\n", stdout);
	options_help(stdout);
	return fflush(stdout) ? 125 : 0;
}

int command_version(const struct options *options UNUSED, struct arena *arena UNUSED, struct error *err UNUSED)
{
	puts("topdown " TOPDOWN_VERSION);
	return fflush(stdout) ? 125 : 0;
}
