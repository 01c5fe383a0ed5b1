/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command/commands.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* As git does it: less with colours, which ends by itself where all of it fits the window. */
#define USUAL_PAGER "if command -v less >/dev/null 2>&1; then exec less; else exec cat; fi"
#define USUAL_LESS  "FRX"

static const char *wanted_pager(void)
{
	const char *asked = getenv("PAGER"), *terminal = getenv("TERM");

	if (!isatty(STDOUT_FILENO) || !terminal || !strcmp(terminal, "dumb"))
		return NULL;
	if (!asked)
		return USUAL_PAGER;
	return *asked && strcmp(asked, "cat") != 0 ? asked : NULL;
}

/* Ctrl-C is the pager's, and a reader who leaves early is no failure. */
static void leave_signals_to_it(void)
{
	static const int signals[] = { SIGINT, SIGQUIT, SIGPIPE };

	for (size_t i = 0; i < COUNT_OF(signals); i++)
		signal(signals[i], SIG_IGN);
}

void pager_open(struct pager *pager)
{
	const char *command = wanted_pager();

	*pager = (struct pager){ .file = stdout };
	if (!command || setenv("LESS", USUAL_LESS, 0) < 0)
		return;
	fflush(stdout);
	pager->file = popen(command, "w");
	pager->is_piped = pager->file;
	if (!pager->file)
		pager->file = stdout;
	else
		leave_signals_to_it();
}

int pager_close(struct pager *pager, struct error *err)
{
	if (pager->is_piped) {
		pclose(pager->file);
		return 0;
	}
	return fflush(stdout) || ferror(stdout) ? error_set(err, "standard output: %s", strerror(errno)) : 0;
}
