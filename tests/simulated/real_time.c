/* SPDX-License-Identifier: GPL-2.0-or-later */
/* real_time.c - functions with names of Go's runtime, each with a share of the work. */
#include <stdio.h>

#define WORK(NAME, SYMBOL, ROUNDS)                                                                                     \
	unsigned NAME(unsigned sum) __asm__(SYMBOL);                                                                   \
	__attribute__((noinline)) unsigned NAME(unsigned sum)                                                          \
	{                                                                                                              \
		for (unsigned i = 0; i < (ROUNDS); i++)                                                                \
			sum = sum * 1664525 + i;                                                                       \
		return sum;                                                                                            \
	}

WORK(spin, "main.spin", 600000)
WORK(monitor, "runtime.sysmon", 200000)
WORK(preempt, "runtime.asyncPreempt.abi0", 100000)
WORK(other, "runtime.sysmonitor", 100000)

int main(void)
{
	printf("%u\n", spin(1) + monitor(2) + preempt(3) + other(4));
	return 0;
}
