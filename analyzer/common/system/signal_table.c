/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/system/signal_table.h"

#include <stddef.h>

#include "common/base/macros.h"

#define ROW(name, deed)                                                                                                \
	{                                                                                                              \
		SIG##name, "SIG" #name, SIGNAL_##deed, false                                                           \
	}
#define OF_TERMINAL(name, deed)                                                                                        \
	{                                                                                                              \
		SIG##name, "SIG" #name, SIGNAL_##deed, true                                                            \
	}

/*
 * A fault of topdown's own ends it at once all the same, because the kernel takes no notice of what is blocked then;
 * SIGALRM is among these because alarm() outlives exec: a caller's time limit reaches topdown.
 */
static const struct signal_row rows[] = {
	OF_TERMINAL(INT, ENDS), OF_TERMINAL(QUIT, ENDS), OF_TERMINAL(HUP, ENDS), ROW(TERM, ENDS),    ROW(ALRM, ENDS),
	ROW(XCPU, ENDS),	ROW(VTALRM, ENDS),	 ROW(PROF, ENDS),	 ROW(IO, ENDS),	     ROW(SYS, ENDS),
	ROW(TRAP, ENDS),	ROW(ABRT, ENDS),	 ROW(ILL, ENDS),	 ROW(BUS, ENDS),     ROW(FPE, ENDS),
	ROW(SEGV, ENDS),	ROW(USR1, PASSED),	 ROW(USR2, PASSED),	 ROW(PIPE, DROPPED), ROW(XFSZ, DROPPED),
	ROW(CHLD, DROPPED),
#ifdef SIGPWR
	ROW(PWR, ENDS),
#endif
#ifdef SIGSTKFLT
	ROW(STKFLT, ENDS),
#endif
};

static const struct signal_row real_time = { 0, "a real-time signal", SIGNAL_ENDS, false };

/* Those below SIGRTMIN are the C library's own, which takes them out of every set. */
const struct signal_row *signal_row_of(int number)
{
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		if (rows[i].number == number)
			return &rows[i];
	return number >= SIGRTMIN && number <= SIGRTMAX ? &real_time : NULL;
}

const char *signal_name(int number)
{
	const struct signal_row *row = signal_row_of(number);

	return row ? row->name : "a signal";
}

void signal_table_fill(sigset_t *set)
{
	struct sigaction action;

	sigemptyset(set);
	for (int number = 1; number <= SIGRTMAX; number++)
		if (signal_row_of(number) && (sigaction(number, NULL, &action) < 0 || action.sa_handler != SIG_IGN))
			sigaddset(set, number);
}
