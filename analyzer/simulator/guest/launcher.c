/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * launcher.c - becomes the tool that lies beside it, as `valgrind` becomes one of Valgrind's own, so that the tool
 * need not lie among Valgrind's files: those are found by VALGRIND_LIB. The tool starts it by VALGRIND_LAUNCHER
 * for programs that are exec'ed.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int count, char **words)
{
	char own[4096], tool[sizeof(own) + sizeof(SIMULATOR_TOOL)];
	ssize_t length = readlink("/proc/self/exe", own, sizeof(own) - 1);
	const char *slash;

	if (count < 1 || length < 0)
		return 1;
	own[length] = '\0';
	slash = strrchr(own, '/');
	snprintf(tool, sizeof(tool), "%.*s/" SIMULATOR_TOOL, slash ? (int)(slash - own) : 0, own);
	if (setenv("VALGRIND_LAUNCHER", own, 1) == 0)
		execv(tool, words);
	fprintf(stderr, "%s: %s: %s\n", own, tool, strerror(errno));
	return 1;
}
