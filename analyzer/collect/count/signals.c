/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/count/signals.h"

#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "common/base/macros.h"

enum deed { DEED_END, DEED_PASS, DEED_DROP };

static const struct row {
	int number;
	const char *name;
	enum deed deed;
	bool is_terminals; /* a terminal sends it to all its foreground processes */
} rows[] = {
	{ SIGINT, "SIGINT", DEED_END, true },	  { SIGQUIT, "SIGQUIT", DEED_END, true },
	{ SIGHUP, "SIGHUP", DEED_END, true },	  { SIGTERM, "SIGTERM", DEED_END, false },
	{ SIGALRM, "SIGALRM", DEED_END, false }, /* alarm() outlives exec: a caller's time limit reaches topdown */
	{ SIGUSR1, "SIGUSR1", DEED_PASS, false }, { SIGUSR2, "SIGUSR2", DEED_PASS, false },
	{ SIGPIPE, "SIGPIPE", DEED_DROP, false }, { SIGXFSZ, "SIGXFSZ", DEED_DROP, false },
	{ SIGCHLD, "SIGCHLD", DEED_DROP, false },
};

/* A caller that ignores it (nohup, a shell's background job) wants it ignored by everybody. */
static void hold_unless_ignored(struct signals *signals, int number)
{
	struct sigaction action;

	if (sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_IGN)
		sigaddset(&signals->waited, number);
}

void signals_hold(struct signals *signals)
{
	const struct sigaction usual = { .sa_handler = SIG_DFL };

	*signals = (struct signals){ .fd = -1 };
	sigemptyset(&signals->waited);
	sigaction(SIGCHLD, &usual, &signals->old_child);
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		hold_unless_ignored(signals, rows[i].number);
	sigprocmask(SIG_BLOCK, &signals->waited, &signals->old_mask);
	signals->fd = signalfd(-1, &signals->waited, SFD_CLOEXEC | SFD_NONBLOCK);
	descendants_adopt(&signals->descendants);
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

void signals_restore(const struct signals *signals)
{
	sigaction(SIGCHLD, &signals->old_child, NULL);
	sigprocmask(SIG_SETMASK, &signals->old_mask, NULL);
}

void signals_release(struct signals *signals)
{
	signals_take(signals, 0);
	descendants_release(&signals->descendants);
	if (signals->fd >= 0)
		close(signals->fd);
	signals_restore(signals);
}

static const struct row *signals_row_of(int number)
{
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		if (rows[i].number == number)
			return &rows[i];
	return NULL;
}

const char *signal_name(int number)
{
	const struct row *row = signals_row_of(number);

	return row ? row->name : "a signal";
}

/* The terminal has sent it (so the kernel has) to all its foreground processes: the program has it already. */
static bool has_program_got_it(const struct row *row, const siginfo_t *info)
{
	return row->is_terminals && info->si_code > 0;
}

/* Without /proc only the program is found. */
static void end_program(struct signals *signals, const struct row *row, const siginfo_t *info, pid_t program)
{
	if (has_program_got_it(row, info)) {
		descendants_continue(&signals->descendants);
		return;
	}
	if (!descendants_signal(&signals->descendants, row->number, REACH_ALL))
		kill(program, row->number);
}

static void signals_take_one(struct signals *signals, const siginfo_t *info, pid_t program)
{
	const struct row *row = signals_row_of(info->si_signo);

	if (!row || row->deed == DEED_DROP)
		return;
	if (row->number == SIGUSR2 && signals->is_sigusr2_awaited) {
		signals->has_sigusr2 = true;
		return;
	}
	if (row->deed == DEED_PASS) {
		if (program > 0)
			kill(program, row->number);
		return;
	}
	signals->number = signals->is_interrupted ? signals->number : row->number;
	signals->is_interrupted = true;
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
