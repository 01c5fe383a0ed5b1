/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/count/signals.h"

#include <errno.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "common/system/signal_table.h"

int signals_hold(struct signals *signals, struct error *err)
{
	const struct sigaction usual = { .sa_handler = SIG_DFL };

	*signals = (struct signals){ .fd = -1 };
	sigaction(SIGCHLD, &usual, &signals->old_child);
	signal_table_fill(&signals->waited);
	sigprocmask(SIG_SETMASK, NULL, &signals->old_mask);
	descendants_adopt(&signals->descendants);
	if (sigprocmask(SIG_BLOCK, &signals->waited, NULL) < 0) {
		error_set(err, "signals can't be held back while the program runs: %s", strerror(errno));
		descendants_release(&signals->descendants);
		sigaction(SIGCHLD, &signals->old_child, NULL);
		return -1;
	}
	signals->fd = signalfd(-1, &signals->waited, SFD_CLOEXEC | SFD_NONBLOCK);
	return 0;
}

/* Waited for even where the caller ignores it. */
void signals_hold_sigusr2(struct signals *signals)
{
	sigset_t usr2;

	sigemptyset(&usr2);
	sigaddset(&usr2, SIGUSR2);
	sigaddset(&signals->waited, SIGUSR2);
	sigprocmask(SIG_BLOCK, &usr2, NULL);
	if (signals->fd >= 0)
		signalfd(signals->fd, &signals->waited, 0);
	signals->is_sigusr2_awaited = true;
}

int signals_restore(const struct signals *signals)
{
	sigaction(SIGCHLD, &signals->old_child, NULL);
	return sigprocmask(SIG_SETMASK, &signals->old_mask, NULL);
}

void signals_release(struct signals *signals)
{
	signals_take(signals, 0);
	descendants_release(&signals->descendants);
	if (signals->fd >= 0)
		close(signals->fd);
	signals_restore(signals);
}

/*
 * The terminal has sent it (so the kernel has) to all its foreground processes: the program has it already. Of a
 * hang-up the kernel informs the leader of the session alone.
 */
static bool has_program_got_it(const struct signal_row *row, const siginfo_t *info)
{
	return row->is_terminals && info->si_code > 0 && (row->number != SIGHUP || getsid(0) != getpid());
}

/* Valgrind ends a program's threads by the last one, and gives a program no SIGSTKFLT. */
static int number_for_program(const struct signals *signals, int number)
{
	bool is_kept = number == SIGRTMAX;

#ifdef SIGSTKFLT
	is_kept = is_kept || number == SIGSTKFLT;
#endif
	return signals->is_simulated && is_kept ? SIGTERM : number;
}

/* Without /proc only the program is found. */
static void end_program(struct signals *signals, const struct signal_row *row, const siginfo_t *info, pid_t program)
{
	int number = number_for_program(signals, info->si_signo);

	if (has_program_got_it(row, info)) {
		descendants_continue(&signals->descendants);
		return;
	}
	if (!descendants_signal(&signals->descendants, number, REACH_ALL))
		kill(program, number);
}

/* What a person types at a terminal is the program's to answer, which may go on, as shells and debuggers do. */
static bool is_typed(const struct signal_row *row, const siginfo_t *info)
{
	return row->is_terminals && info->si_code > 0 && row->number != SIGHUP;
}

static void end_series(struct signals *signals, int number)
{
	signals->number = signals->is_interrupted ? signals->number : number;
	signals->is_interrupted = true;
}

static void signals_take_one(struct signals *signals, const siginfo_t *info, pid_t program)
{
	const struct signal_row *row = signal_row_of(info->si_signo);

	if (!row || row->deed == SIGNAL_DROPPED)
		return;
	if (info->si_signo == SIGUSR2 && signals->is_sigusr2_awaited) {
		signals->has_sigusr2 = true;
		return;
	}
	if (row->deed == SIGNAL_PASSED && !signals->has_no_program) {
		signals->passed = info->si_signo;
		if (program > 0)
			kill(program, info->si_signo);
		return;
	}
	end_series(signals, info->si_signo);
	signals->has_to_end = signals->has_to_end || !is_typed(row, info);
	if (program > 0)
		end_program(signals, row, info, program);
}

void signals_take(struct signals *signals, pid_t program)
{
	const struct timespec now = { 0 };
	siginfo_t info;

	while (sigtimedwait(&signals->waited, &info, &now) > 0)
		signals_take_one(signals, &info, program);
	descendants_collect(&signals->descendants, program);
}

void signals_take_end(struct signals *signals, int status)
{
	if (signals->passed && status == STATUS_OF_SIGNAL + signals->passed)
		end_series(signals, signals->passed);
	signals->passed = 0;
}
