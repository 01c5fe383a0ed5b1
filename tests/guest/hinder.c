// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hinder.c - runs a command in a crowd, or with less than it needs.
 *
 *   hinder busy|drowsy COUNT USER COMMAND...   beside so many processes that all compute, or that wake up ten times a
 *                                              second, as that user; the word PIDS is their numbers. What it took is
 *                                              the last line on standard output: "seconds=N".
 *   hinder files|processes COUNT COMMAND...   with that limit, soft and hard
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MOST 1000

static void take_user(int user)
{
	if (user && (setgid((gid_t)user) || setuid((uid_t)user)))
		_exit(98);
	prctl(PR_SET_DUMPABLE, 1); /* else its own user may not count it */
}

/* They begin all at once, so that starting them takes no longer for being many. */
static void start_crowd(pid_t *pids, int count, int user, useconds_t nap)
{
	for (int i = 0; i < count; i++) {
		pids[i] = fork();
		if (pids[i])
			continue;
		take_user(user);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		raise(SIGSTOP);
		for (;;)
			if (nap)
				usleep(nap);
	}
	for (int i = 0; i < count; i++)
		waitpid(pids[i], NULL, WUNTRACED);
}

static char *list_of(const pid_t *pids, int count)
{
	char *text = calloc((size_t)count, 12), *end = text;

	for (int i = 0; i < count; i++)
		end += sprintf(end, "%s%d", i ? "," : "", (int)pids[i]);
	return text;
}

static pid_t start(char **words, char *list, int user)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	take_user(user);
	for (char **word = words; *word; word++)
		if (!strcmp(*word, "PIDS"))
			*word = list;
	execvp(*words, words);
	_exit(127);
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int crowd(int count, int user, useconds_t nap, char **words)
{
	static pid_t pids[MOST];
	double began;
	pid_t pid;
	int status;

	if (count > MOST)
		return 99;
	start_crowd(pids, count, user, nap);
	pid = start(words, list_of(pids, count), user);
	setpriority(PRIO_PROCESS, 0, -20); /* so that the end is seen when it is there */
	began = now();
	for (int i = 0; i < count; i++)
		kill(pids[i], SIGCONT);
	waitpid(pid, &status, 0);
	printf("seconds=%.3f\n", now() - began);
	for (int i = 0; i < count; i++)
		kill(pids[i], SIGKILL);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int limited(const char *what, unsigned long count, char **words)
{
	struct rlimit limit = { count, count };

	if (setrlimit(!strcmp(what, "files") ? RLIMIT_NOFILE : RLIMIT_NPROC, &limit))
		return 98;
	execvp(*words, words);
	return 127;
}

int main(int argc, char **argv)
{
	if (argc > 4 && (!strcmp(argv[1], "busy") || !strcmp(argv[1], "drowsy")))
		return crowd(atoi(argv[2]), atoi(argv[3]), *argv[1] == 'd' ? 100000 : 0, argv + 4);
	return argc > 3 ? limited(argv[1], strtoul(argv[2], NULL, 0), argv + 3) : 99;
}
