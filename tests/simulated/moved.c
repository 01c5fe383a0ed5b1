/* SPDX-License-Identifier: GPL-2.0-or-later */
/* moved.c - a loop of 8 instructions and 34 bytes, SHIFT bytes behind the start of a line: it lies in one or in two. */
#include <stdlib.h>

#define TEXT(number)  #number
#define TIMES(number) ".rept " TEXT(number) "\n\tnop\n\t.endr\n"

__attribute__((noinline, aligned(64))) static void loop(long rounds)
{
	__asm__ volatile(TIMES(SHIFT) "1:\tadd $1, %%rax\n\tadd $1, %%rcx\n\tadd $1, %%rdx\n\tadd $1, %%rsi\n"
				      "\tadd $1000000, %%r8\n\tadd $1000000, %%r9\n\tdec %0\n\tjnz 1b"
			 : "+r"(rounds)
			 :
			 : "rax", "rcx", "rdx", "rsi", "r8", "r9");
}

int main(int argc, char **argv)
{
	loop(argc > 1 ? atol(argv[1]) : 1);
	return 0;
}
