/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * asks_kernel.c - makes so many system calls of some kinds as its arguments say: getppid, write (of a byte to
 * /dev/null), dup2, and a number that no kernel has. "fork" and "exec" make them in a child, and once more in another
 * program; "thread" in a thread.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define UNKNOWN_CALL 999

static int null_file;
static char **words;

static void *ask(void *unused)
{
	for (long i = strtol(words[0], NULL, 10); i > 0; i--)
		syscall(SYS_getppid);
	for (long i = strtol(words[1], NULL, 10); i > 0; i--)
		if (write(null_file, "", 1) != 1)
			exit(1);
	for (long i = strtol(words[2], NULL, 10); i > 0; i--)
		syscall(SYS_dup3, null_file, null_file + 1, 0);
	return unused;
}

static void ask_elsewhere(const char *how, char **arguments)
{
	pthread_t thread;
	pid_t child;

	if (!strcmp(how, "thread")) {
		if (pthread_create(&thread, NULL, ask, NULL) == 0)
			pthread_join(thread, NULL);
		return;
	}
	child = fork();
	if (!child) {
		ask(NULL);
		if (!strcmp(how, "exec")) {
			arguments[4] = NULL;
			execv(arguments[0], arguments);
		}
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

int main(int count, char **arguments)
{
	if (count < 4)
		return 1;
	words = arguments + 1;
	null_file = open("/dev/null", O_WRONLY);
	ask(NULL);
	if (count > 4 && !strcmp(arguments[4], "unknown"))
		syscall(UNKNOWN_CALL);
	else if (count > 4)
		ask_elsewhere(arguments[4], arguments);
	return 0;
}
