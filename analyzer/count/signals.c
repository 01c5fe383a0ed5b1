/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count/signals.h"

#include <time.h>

/* A caller that ignores it (nohup, a shell's background job) wants it ignored: so it stays with everybody. */
static void hold_unless_ignored(struct signals *signals, int number)
{
	struct sigaction action;

	if (sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_IGN)
		sigaddset(&signals->waited, number);
}

void signals_hold(struct signals *signals)
{
	const struct sigaction usual = { .sa_handler = SIG_DFL };

	signals->is_interrupted = false;
	sigemptyset(&signals->waited);
	sigaddset(&signals->waited, SIGCHLD);
	hold_unless_ignored(signals, SIGINT);
	hold_unless_ignored(signals, SIGTERM);
	sigprocmask(SIG_BLOCK, &signals->waited, &signals->old_mask);
	sigaction(SIGCHLD, &usual, &signals->old_child);
}

void signals_restore(const struct signals *signals)
{
	sigaction(SIGCHLD, &signals->old_child, NULL);
	sigprocmask(SIG_SETMASK, &signals->old_mask, NULL);
}

void signals_release(struct signals *signals)
{
	signals_poll(signals);
	signals_restore(signals);
}

/* A terminal sends SIGINT (from the kernel) to all its foreground processes: the program has it already. */
static bool has_program_got_it(const siginfo_t *info)
{
	return info->si_signo == SIGINT && info->si_code > 0;
}

void signals_wait(struct signals *signals, pid_t program)
{
	siginfo_t info;

	if (sigwaitinfo(&signals->waited, &info) < 0 || info.si_signo == SIGCHLD)
		return;
	signals->is_interrupted = true;
	if (!has_program_got_it(&info))
		kill(program, info.si_signo);
}

void signals_poll(struct signals *signals)
{
	const struct timespec now = { 0 };
	int number;

	while ((number = sigtimedwait(&signals->waited, NULL, &now)) > 0)
		if (number != SIGCHLD)
			signals->is_interrupted = true;
}
