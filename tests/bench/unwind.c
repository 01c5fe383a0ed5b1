/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind.c - a walk: its frames, ns a frame with rows that are known, ms from nothing, files included; and ns a frame of
 * libdw's own walk of the same registers and stack: 0 in a build without it.
 */
#include "bench.h"

#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#ifdef BENCH_DW
#include <elfutils/libdwfl.h>
#endif

#include "../unit/unwind_fixture.h"

enum { DEPTH = 30, MOST = 128, WALKS = 2000, STACK_BYTES = 32768 };

static struct {
	uint64_t registers[33], packed[33];
	unsigned char stack[STACK_BYTES];
	struct unwind_sample sample;
	struct unwinder *unwinder;
	size_t nframes;
} taken;

static volatile unsigned sink;

static void on_signal(int number, siginfo_t *info, void *context)
{
	const unsigned char *stack = fixture_registers(context, taken.registers);
	const size_t room = (size_t)(fixture_stack_end() - stack);

	(void)number, (void)info;
	taken.sample.pid = (uint32_t)getpid();
	taken.sample.stack = taken.stack;
	taken.sample.size = room < STACK_BYTES ? room : STACK_BYTES;
	memcpy(taken.stack, stack, taken.sample.size);
	fixture_pack(taken.registers, &taken.sample, taken.packed);
}

static __attribute__((noinline)) unsigned recurse(unsigned n);

static int compare(const void *a, const void *b)
{
	sink = sink + recurse(*(const unsigned *)a - 1);
	return a < b;
}

/* Every other frame is the C library's. */
static __attribute__((noinline)) unsigned recurse(unsigned n)
{
	unsigned pair[2] = { n, n };

	if (taken.sample.size)
		return n;
	if (!n)
		raise(SIGUSR1);
	else
		qsort(pair, 2, sizeof(pair[0]), compare);
	return pair[0] + sink;
}

static void walk(void)
{
	uint64_t addresses[MOST];
	bool is_truncated;

	taken.nframes = unwinder_walk(taken.unwinder, &taken.sample, addresses, MOST, &is_truncated);
	if (is_truncated)
		exit(1);
}

static void walk_warm(void *context)
{
	(void)context;
	for (size_t i = 0; i < WALKS; i++)
		walk();
}

static void walk_cold(void *context)
{
	(void)context;
	taken.unwinder = unwinder_new("");
	fixture_map(taken.unwinder, taken.sample.pid);
	walk();
	unwinder_free(taken.unwinder);
}

#ifdef BENCH_DW
static pid_t next_thread(Dwfl *dwfl, void *context, void **thread)
{
	(void)dwfl;
	if (*thread)
		return 0;
	*thread = context;
	return (pid_t)taken.sample.pid;
}

static bool read_memory(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *result, void *context)
{
	const uint64_t at = address - (uint64_t)taken.registers[7];

	(void)dwfl, (void)context;
	if (at > taken.sample.size - 8)
		return false;
	memcpy(result, taken.stack + at, 8);
	return true;
}

static bool set_registers(Dwfl_Thread *thread, void *context)
{
	static const int kernel[17] = { 0, 3, 2, 1, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 8 };
	Dwarf_Word values[17];

	(void)context;
	for (size_t i = 0; i < 17; i++)
		values[i] = taken.registers[kernel[i]];
	return dwfl_thread_state_registers(thread, 0, 17, values);
}

static int count_frame(Dwfl_Frame *frame, void *context)
{
	Dwarf_Addr pc;
	bool is_activation;

	*(size_t *)context += dwfl_frame_pc(frame, &pc, &is_activation);
	return DWARF_CB_OK;
}

static void walk_dwfl(void *context)
{
	size_t n = 0;

	for (size_t i = 0; i < 10; i++)
		dwfl_getthread_frames(context, (pid_t)taken.sample.pid, count_frame, &n);
	taken.nframes = n / 10;
}

static double dwfl_ns(void)
{
	static const Dwfl_Callbacks callbacks = { .find_elf = dwfl_linux_proc_find_elf,
						  .find_debuginfo = dwfl_standard_find_debuginfo };
	static const Dwfl_Thread_Callbacks threads = { .next_thread = next_thread,
						       .memory_read = read_memory,
						       .set_initial_registers = set_registers };
	Dwfl *dwfl = dwfl_begin(&callbacks);
	double seconds;

	if (dwfl_linux_proc_report(dwfl, getpid()) || dwfl_report_end(dwfl, NULL, NULL) ||
	    !dwfl_attach_state(dwfl, NULL, getpid(), &threads, &taken))
		return 0;
	walk_dwfl(dwfl);
	seconds = bench_measure(walk_dwfl, dwfl).least / 10;
	dwfl_end(dwfl);
	return seconds * 1e9 / (double)taken.nframes;
}
#else
static double dwfl_ns(void)
{
	return 0;
}
#endif

int main(void)
{
	struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };
	double cold, warm;

	sigaction(SIGUSR1, &action, NULL);
	recurse(DEPTH);
	cold = bench_measure(walk_cold, NULL).least;
	taken.unwinder = unwinder_new("");
	fixture_map(taken.unwinder, taken.sample.pid);
	walk();
	warm = bench_measure(walk_warm, NULL).least / WALKS * 1e9 / (double)taken.nframes;
	printf("%zu %g %g %g\n", taken.nframes, warm, cold * 1e3, dwfl_ns());
	unwinder_free(taken.unwinder);
	return 0;
}
