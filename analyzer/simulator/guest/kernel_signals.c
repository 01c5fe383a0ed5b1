/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simulator/guest/guest_internal.h"

#define VALGRINDS_OWN VKI_SIGRTMAX

static struct stop {
	Int number;
	Bool is_kernels;	       /* it stops the program */
	vki_sigaction_toK_t valgrinds; /* Valgrind's own, in its place */
} stops[] = { { .number = VKI_SIGTSTP }, { .number = VKI_SIGTTIN }, { .number = VKI_SIGTTOU } };

#define STOPS (sizeof(stops) / sizeof(stops[0]))

static Bool is_handler(const vki_sigaction_fromK_t *action)
{
	return action->ksa_handler != VKI_SIG_DFL && action->ksa_handler != VKI_SIG_IGN;
}

/* What the program wants is known to Valgrind alone, which has one handler for all. */
static void follow_program(struct stop *stop)
{
	vki_sigaction_fromK_t wanted, now;

	VG_(do_sys_sigaction)(stop->number, NULL, &wanted);
	VG_(sigaction)(stop->number, NULL, &now);
	stop->is_kernels = wanted.ksa_handler == VKI_SIG_DFL;
	if (stop->is_kernels && is_handler(&now)) {
		stop->valgrinds = now;
		now.ksa_handler = VKI_SIG_DFL;
		VG_(sigaction)(stop->number, &now, NULL);
	} else if (is_handler(&wanted) && now.ksa_handler == VKI_SIG_DFL) {
		VG_(sigaction)(stop->number, &stop->valgrinds, NULL);
	}
}

void kernel_signals_begin(void)
{
	for (UInt stop = 0; stop < STOPS; stop++)
		follow_program(&stops[stop]);
}

static Bool is_blocked(const vki_sigset_t *blocked, Int number)
{
	vki_sigset_t without = *blocked;

	VG_(sigdelset)(&without, number);
	return VG_(memcmp)(&without, blocked, sizeof(without)) != 0;
}

void kernel_signals_run(ThreadId id)
{
	vki_sigset_t blocked, let_through;

	VG_(do_sys_sigprocmask)(id, VKI_SIG_BLOCK, NULL, &blocked);
	VG_(sigprocmask)(VKI_SIG_SETMASK, NULL, &let_through);
	for (UInt stop = 0; stop < STOPS; stop++)
		if (stops[stop].is_kernels && !is_blocked(&blocked, stops[stop].number))
			VG_(sigdelset)(&let_through, stops[stop].number);
	VG_(sigaddset)(&let_through, VKI_SIGSYS);
	VG_(sigprocmask)(VKI_SIG_SETMASK, &let_through, NULL);
}

/* kill, tkill and tgkill: the signal stands last. */
static Bool signal_sent(UInt number, const UWord *arguments, Int *sent)
{
	if (number != __NR_kill && number != __NR_tkill && number != __NR_tgkill)
		return False;
	*sent = (Int)arguments[number == __NR_tgkill ? 2 : 1];
	return True;
}

Bool kernel_signals_ends(UInt number, const UWord *arguments)
{
	Int sent, to = (Int)arguments[0];

	return signal_sent(number, arguments, &sent) && sent == VALGRINDS_OWN &&
	       (to == VG_(getpid)() || (number == __NR_tkill && to == VG_(gettid)()));
}

void kernel_signals_end(void)
{
	vki_sigaction_toK_t usual = { .ksa_handler = VKI_SIG_DFL };
	vki_sigset_t blocked;

	VG_(sigaction)(VALGRINDS_OWN, &usual, NULL);
	VG_(sigprocmask)(VKI_SIG_SETMASK, NULL, &blocked);
	VG_(sigdelset)(&blocked, VALGRINDS_OWN);
	VG_(do_syscall)(__NR_kill, (UWord)VG_(getpid)(), VALGRINDS_OWN, 0, 0, 0, 0, 0, 0);
	VG_(sigprocmask)(VKI_SIG_SETMASK, &blocked, NULL);
	VG_(exit)(128 + VALGRINDS_OWN);
}

void kernel_signals_returned(ThreadId id, UInt number, const UWord *arguments)
{
	Int sent;

	for (UInt stop = 0; number == __NR_rt_sigaction && stop < STOPS; stop++)
		if ((Int)arguments[0] == stops[stop].number)
			follow_program(&stops[stop]);
	/* Before Valgrind looks for signals that it can deliver. */
	if (signal_sent(number, arguments, &sent))
		kernel_signals_run(id);
}

/* ---- the log's file ---- */

void log_file_hide(void)
{
	struct vg_stat log, other;

	VG_(clo_log_fname_unexpanded) = NULL;
	if (VG_(fstat)(VG_(log_output_sink).fd, &log) != 0)
		return;
	for (Int fd = 0; fd < VG_(log_output_sink).fd; fd++) {
		if (VG_(fstat)(fd, &other) != 0 || other.dev != log.dev || other.ino != log.ino)
			continue;
		VG_(close)(fd);
		return;
	}
}
