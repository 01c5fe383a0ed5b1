/* SPDX-License-Identifier: GPL-2.0-or-later */
/* children.h - processes to watch: one that spins until it is killed, one that waits for a byte. */
#ifndef TOPDOWN_TEST_CHILDREN_H
#define TOPDOWN_TEST_CHILDREN_H

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rows.h"

/* A child that does not outlive the test, should that fail. */
static inline pid_t fork_child(void)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return pid;
}

static inline pid_t start_spinner(void)
{
	pid_t pid = fork_child();

	if (pid == 0)
		for (;;)
			;
	return pid;
}

static inline void end_spinner(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* A child that ends when somebody writes to the pipe. */
static inline pid_t start_reader(const int *ends)
{
	pid_t pid = fork_child();
	char c;

	if (pid == 0)
		_exit(read(ends[0], &c, 1) != 1);
	return pid;
}

#endif
