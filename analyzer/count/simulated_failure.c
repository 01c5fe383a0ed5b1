/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count/simulated_failure.h"

#include <signal.h>
#include <string.h>

#include "base/text.h"

#define NOT_WRITTEN "the counts can't be written" /* says sim/tool.c */

/* What follows the words in the log, up to the end of the line; NULL when they are not there. */
static const char *find_words(const char *log, const char *words, struct arena *arena)
{
	const char *found = log ? strstr(log, words) : NULL;

	return found ? arena_strndup(arena, found + strlen(words), strcspn(found + strlen(words), "\n")) : NULL;
}

/* "==123== " or "--123-- " in front of what Valgrind says. */
static const char *without_mark(const char *line)
{
	const char *text = line + strspn(line, "=-");

	if (text == line)
		return line;
	text += strspn(text, "0123456789");
	text += strspn(text, "=-");
	return text + strspn(text, " ");
}

/* NULL: it said nothing. */
static const char *last_line(const char *log, struct arena *arena)
{
	const char *cursor = log ? log : "", *part, *last = NULL;
	size_t length;

	while ((length = text_next(&cursor, "\n", &part)) > 0) {
		const char *words = without_mark(arena_strndup(arena, part, length));

		last = *words ? words : last;
	}
	return last;
}

/* The EVEX prefix (Intel SDM, volume 2, section 2.7) is 0x62 in 64-bit mode. */
static int unknown_instruction(const char *bytes, int status, struct error *err)
{
	err->status = status;
	if (has_name_prefix(bytes, "0x62"))
		return error_set(err,
				 "the program uses AVX-512 instructions, which Valgrind can't run: build it for AVX2 "
				 "(gcc -march=x86-64-v3, or -mno-avx512f), or measure it where there is a PMU");
	return error_set(err,
			 "the program uses an instruction that Valgrind can't run (bytes %s): build it for an older "
			 "CPU (gcc -march=x86-64-v3)",
			 bytes);
}

static int no_counts(const struct simulated_run *run, struct arena *arena, struct error *err)
{
	const char *parameter = find_words(run->log, "wrong parameter: ", arena), *last;

	if (parameter)
		return error_set(err, "%s: %s", run->core, parameter);
	err->status = run->status > 128 ? run->status : 0;
	if (run->end == SIMULATED_CUT)
		return error_set(err, "%s has no room for the simulated counts; TMPDIR names another place",
				 run->folder);
	if (run->log && strstr(run->log, NOT_WRITTEN))
		return error_set(err,
				 "the program could not write its simulated counts to %s at its end, as another "
				 "user or in another root directory: start it as that user (setpriv, su), or there",
				 run->folder);
	if (run->status == 128 + SIGKILL)
		return error_set(err, "the program was killed (SIGKILL) before its simulated counts could be written");
	if (run->log && strstr(run->log, "Max number of threads is too low"))
		return error_set(err, "the program has more threads at once than can be simulated (5000)");
	if (run->log && strstr(run->log, "out of memory"))
		return error_set(err, "the simulation ran out of memory: each thread's caches take 1.5 MB, and the "
				      "program's own memory counts too");
	if (run->is_interrupted)
		return error_set(err, "topdown was interrupted before anything was simulated");
	last = last_line(run->log, arena);
	if (!last && run->status > 128)
		return error_set(err, "the program was ended by signal %d before anything was simulated",
				 run->status - 128);
	if (!last)
		return error_set(err, "the simulation left no counts, and Valgrind no word in its log");
	return error_set(err, "the simulation left no counts; Valgrind's last word: %s", last);
}

int simulated_failure(const struct simulated_run *run, struct arena *arena, struct error *err)
{
	const char *bytes = find_words(run->log, "unhandled instruction bytes: ", arena);

	if (bytes && run->status == 128 + SIGILL)
		return unknown_instruction(bytes, run->status, err);
	return run->end == SIMULATED_WHOLE ? 0 : no_counts(run, arena, err);
}
