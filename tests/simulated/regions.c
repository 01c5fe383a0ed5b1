/* SPDX-License-Identifier: GPL-2.0-or-later */
/* regions.c - regions N: N times work in region "short", and in it other in "long"; with a second word a child and a thread do the same. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "topdown.h"

void work(void), other(void);

/* 2002 and 6002 instructions. */
__asm__(".text\n"
	".globl work\n.type work, @function\n"
	"work:\n\tmov $1000, %ecx\n1:\tdec %ecx\n\tjnz 1b\n\tret\n.size work, . - work\n"
	".globl other\n.type other, @function\n"
	"other:\n\tmov $3000, %ecx\n1:\tdec %ecx\n\tjnz 1b\n\tret\n.size other, . - other\n");

static void *run(void *number)
{
	for (volatile int i = 0; i < *(int *)number; i++) {
		topdown_begin("short");
		work();
		topdown_begin("long\twith a tab");
		other();
		topdown_end();
		topdown_end();
	}
	return number;
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 1;
	pthread_t thread;

	topdown_end(); /* of nothing */
	run(&count);
	if (argc < 3)
		return 0;
	if (pthread_create(&thread, NULL, run, &count) == 0)
		pthread_join(thread, NULL);
	if (fork() == 0) {
		run(&count);
		_exit(0);
	}
	return wait(NULL) < 0;
}
