/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/simulate/simulate_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collect/count/count.h"
#include "common/base/text.h"
#include "common/system/file.h"
#include "common/system/shortage.h"

#define VALGRIND_FILES 16 /* without which it does not start */

#define INSTALL_VALGRIND "install the distribution's valgrind package (Debian: `apt-get install valgrind`)"

/* Set by the build: where the simulator is installed, as it is seen from the program's folder. */
#ifndef TOPDOWN_SIMULATOR_FROM_BIN
#define TOPDOWN_SIMULATOR_FROM_BIN "../libexec/topdown"
#endif

/* Beside this program, in a build directory; or installed, wherever the prefix was moved to. */
#define PLACES 2

/* False: nobody knows where this program is. */
static bool find_places(const char *places[PLACES], struct arena *arena)
{
	const char *from_bin = TOPDOWN_SIMULATOR_FROM_BIN;
	char own[4096];
	ssize_t length = readlink("/proc/self/exe", own, sizeof(own) - 1);
	char *end;

	if (length < 0)
		return false;
	own[length] = '\0';
	end = strrchr(own, '/');
	if (!end)
		return false;
	*end = '\0';
	places[0] = arena_printf(arena, "%s/libexec/topdown", own);
	while (!strncmp(from_bin, "../", strlen("../"))) {
		from_bin += strlen("../");
		end = strrchr(own, '/');
		if (end)
			*end = '\0';
	}
	places[1] = arena_printf(arena, "%s/%s", own, from_bin);
	return true;
}

static const char *find_launcher(struct arena *arena)
{
	const char *places[PLACES];

	if (!find_places(places, arena))
		return NULL;
	for (size_t i = 0; i < PLACES; i++) {
		const char *launcher = arena_printf(arena, "%s/launcher", places[i]);

		if (is_file(launcher))
			return launcher;
	}
	return NULL;
}

/* Set by the build of a distribution's packages: the command that installs the simulator's. */
#ifndef TOPDOWN_SIMULATOR_COMMAND
#define TOPDOWN_SIMULATOR_COMMAND ""
#endif

#ifdef TOPDOWN_HAS_SIMULATOR
#define IS_BUILT true
#else
#define IS_BUILT false
#endif

/* Always -1. */
static int launcher_missing(const char *valgrind, struct arena *arena, struct error *err)
{
	const char *places[PLACES];

	if (!IS_BUILT || !find_places(places, arena))
		return error_set(err, "this topdown was built without its simulator: " INSTALL_VALGRIND
				      " and build topdown again");
	if (*TOPDOWN_SIMULATOR_COMMAND)
		return error_set(err, "the simulator is a package of its own, which is not installed: "
				      "`" TOPDOWN_SIMULATOR_COMMAND "`");
	return error_set(err,
			 "the simulator is a separate program, and not next to this topdown (%s or %s): copy the "
			 "folder libexec/topdown from where topdown was built or installed to one of these places%s",
			 places[0], places[1], valgrind ? "" : ", and " INSTALL_VALGRIND);
}

static void become(const char *const *words, const char *library, int output)
{
	int input = open("/dev/null", O_RDONLY);

	dup2(input, STDIN_FILENO);
	dup2(output, STDOUT_FILENO);
	dup2(output, STDERR_FILENO);
	if (library)
		setenv("VALGRIND_LIB", library, 1);
	else
		unsetenv("VALGRIND_LIB");
	execv(words[0], (char *const *)(uintptr_t)words);
	_exit(127);
}

const char *ask_program(const char *const *words, const char *library, struct arena *arena, struct error *err)
{
	struct string text = STRING_INIT(arena);
	char part[4096];
	ssize_t length;
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0) {
		shortage(err, "Valgrind can't be started", errno);
		return NULL;
	}
	pid = fork();
	if (pid < 0)
		shortage(err, "Valgrind can't be started", errno);
	if (pid == 0)
		become(words, library, ends[1]);
	close(ends[1]);
	while (pid > 0 && ((length = read(ends[0], part, sizeof(part))) > 0 || (length < 0 && errno == EINTR)))
		string_addn(&text, part, length > 0 ? (size_t)length : 0);
	close(ends[0]);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return pid > 0 && text.length ? text.text : NULL;
}

/* The rest of a line behind some words, which are at the line's beginning or anywhere in it; NULL: no line has them. */
static const char *behind(const char *text, const char *words, struct arena *arena)
{
	const char *found = text ? strstr(text, words) : NULL;

	return found ? arena_strndup(arena, found + strlen(words), strcspn(found + strlen(words), "\n")) : NULL;
}

/* "3.19.0" */
static const char *version_in(const char *text, struct arena *arena)
{
	return text && has_name_prefix(text, "valgrind-") ? behind(text, "valgrind-", arena)
							  : behind(text, "\nvalgrind-", arena);
}

/*
 * The folder that Valgrind starts its tools from, as its launcher logs it, and its version: by itself, or
 * with the user's VALGRIND_LIB.
 */
static const char *find_library(const char *valgrind, const char **version, struct arena *arena, struct error *err)
{
	const char *const words[] = { valgrind, "-d", "--command-line-only=yes", "--version", NULL };
	const char *const settings[] = { NULL, getenv("VALGRIND_LIB") };

	for (size_t i = 0; i < COUNT_OF(settings); i++) {
		const char *text = ask_program(words, settings[i], arena, err);
		const char *tool = behind(text, ":launcher launching ", arena);
		const char *slash = tool ? strrchr(tool, '/') : NULL;

		*version = version_in(text, arena);
		if (slash && *version)
			return arena_strndup(arena, tool, (size_t)(slash - tool));
	}
	return NULL;
}

/* The simulator, and the smallest program; where there is less Valgrind writes pages to standard error. */
static int check_memory(struct error *err)
{
	static const struct limit_need needs[] = {
		{ RLIMIT_AS, 'v', "a simulation needs an address space", 150 },
		{ RLIMIT_DATA, 'd', "a simulation needs memory for data", 150 },
	};

	for (size_t i = 0; i < COUNT_OF(needs); i++)
		if (shortage_check_limit(&needs[i], err) < 0)
			return -1;
	return 0;
}

int simulator_find(struct simulator *simulator, struct arena *arena, struct error *err)
{
	struct error missing = { .text = "" };
	const char *valgrind = NULL, *version, *own;
	bool has_valgrind = program_find(&valgrind, "valgrind", arena, &missing) == 0;

	*simulator = (struct simulator){ .launcher = find_launcher(arena) };
	if (!simulator->launcher)
		return launcher_missing(has_valgrind ? valgrind : NULL, arena, err);
	if (!has_valgrind)
		return error_set(err, "simulated counters need Valgrind, which is not here: " INSTALL_VALGRIND);
	if (shortage_check(VALGRIND_FILES, err) < 0 || check_memory(err) < 0)
		return -1;
	simulator->library = find_library(valgrind, &version, arena, err);
	if (!simulator->library)
		return error_set(err, "%s does not work (`valgrind --version`): " INSTALL_VALGRIND, valgrind);
	own = version_in(ask_program((const char *const[]){ simulator->launcher, "--command-line-only=yes",
							    "--tool=topdown", "--version", NULL },
				     simulator->library, arena, err),
			 arena);
	if (!own)
		return error_set(err, "%s does not start: install topdown again", simulator->launcher);
	if (strcmp(own, version) != 0)
		return error_set(
			err, "the simulator was built with Valgrind %s, but %s is %s: build topdown again with that",
			own, valgrind, version);
	return 0;
}
