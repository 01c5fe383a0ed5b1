// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hold.c - keeps an event of each kind open that the kernel's software counts, for as long as it lives. With the first one that
 * anybody opens the kernel patches its own code (jump labels perf_sched_events and perf_swevent_enabled), and with the last
 * one that is closed it patches it back. QEMU 7.2 with several virtual CPUs sometimes keeps its translation of the breakpoint
 * that stands there meanwhile: then all of them execute it for ever.
 */
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
	for (unsigned event = 0; event < PERF_COUNT_SW_MAX; event++) {
		struct perf_event_attr attr = { .size = sizeof(attr), .type = PERF_TYPE_SOFTWARE, .config = event };

		if (syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0UL) < 0)
			fprintf(stderr, "hold: no software event %u\n", event);
	}
	for (;;)
		pause();
}
