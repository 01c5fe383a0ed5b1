/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count/signals.h"

#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

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

	signals->is_interrupted = signals->has_sign = false;
	sigemptyset(&signals->waited);
	sigaddset(&signals->waited, SIGCHLD);
	hold_unless_ignored(signals, SIGINT);
	hold_unless_ignored(signals, SIGTERM);
	hold_unless_ignored(signals, SIGHUP);
	sigprocmask(SIG_BLOCK, &signals->waited, &signals->old_mask);
	sigaction(SIGCHLD, &usual, &signals->old_child);
	signals->fd = signalfd(-1, &signals->waited, SFD_CLOEXEC | SFD_NONBLOCK);
}

void signals_hold_sign(struct signals *signals)
{
	sigset_t sign;

	sigemptyset(&sign);
	sigaddset(&sign, SIGUSR2);
	sigaddset(&signals->waited, SIGUSR2);
	sigprocmask(SIG_BLOCK, &sign, NULL);
	if (signals->fd >= 0)
		signalfd(signals->fd, &signals->waited, 0);
}

void signals_restore(const struct signals *signals)
{
	sigaction(SIGCHLD, &signals->old_child, NULL);
	sigprocmask(SIG_SETMASK, &signals->old_mask, NULL);
}

void signals_release(struct signals *signals)
{
	signals_take(signals, 0);
	if (signals->fd >= 0)
		close(signals->fd);
	signals_restore(signals);
}

/* A terminal sends SIGINT and SIGHUP (from the kernel) to all its foreground processes: the program has it already. */
static bool has_program_got_it(const siginfo_t *info)
{
	return info->si_signo != SIGTERM && info->si_code > 0;
}

void signals_take(struct signals *signals, pid_t program)
{
	const struct timespec now = { 0 };
	siginfo_t info;

	while (sigtimedwait(&signals->waited, &info, &now) > 0) {
		if (info.si_signo == SIGCHLD)
			continue;
		if (info.si_signo == SIGUSR2) {
			signals->has_sign = true;
			continue;
		}
		signals->is_interrupted = true;
		if (program > 0 && !has_program_got_it(&info))
			kill(program, info.si_signo);
	}
}
