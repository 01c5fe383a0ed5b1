/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "command/commands.h"

#ifndef TOPDOWN_VERSION
#define TOPDOWN_VERSION "0.0.0"
#endif

static int flush(struct error *err)
{
	return fflush(stdout) || ferror(stdout) ? error_set(err, "standard output: %s", strerror(errno)) : 0;
}

int command_help(const struct options *options UNUSED, struct arena *arena UNUSED, struct error *err)
{
	fputs("topdown - where a program's CPU cycles go, and what to look at next\n\n", stdout);
	options_help(stdout);
	return flush(err);
}

int command_version(const struct options *options UNUSED, struct arena *arena UNUSED, struct error *err)
{
	puts("topdown " TOPDOWN_VERSION);
	return flush(err);
}
