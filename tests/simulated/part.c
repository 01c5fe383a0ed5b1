/* SPDX-License-Identifier: GPL-2.0-or-later */
/* part.c - part N: N times work and other, whose numbers of instructions are known; or N times a function that is left by longjmp. */
#include <setjmp.h>
#include <stdlib.h>

void work(void), other(void);

/* 2002 and 6002 instructions. */
__asm__(".text\n"
	".globl work\n.type work, @function\n"
	"work:\n\tmov $1000, %ecx\n1:\tdec %ecx\n\tjnz 1b\n\tret\n.size work, . - work\n"
	".globl other\n.type other, @function\n"
	"other:\n\tmov $3000, %ecx\n1:\tdec %ecx\n\tjnz 1b\n\tret\n.size other, . - other\n");

static jmp_buf back;

__attribute__((noinline)) void leap(void)
{
	work();
	longjmp(back, 1);
}

__attribute__((noinline)) void both(void)
{
	work();
	other();
	__asm__ volatile("");
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 1;

	for (volatile int i = 0; i < count; i++)
		both();
	if (count == 5 && !setjmp(back))
		leap();
	for (volatile int i = 0; i < count && count == 5; i++)
		other();
	return 0;
}
