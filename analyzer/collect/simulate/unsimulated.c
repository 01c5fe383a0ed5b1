/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/simulate/unsimulated.h"

#include <stdlib.h>
#include <string.h>

#include "collect/simulate/simulable.h"
#include "common/base/text.h"
#include "common/system/file.h"

#define MOST_NAMES 3 /* of programs in a sentence */

static void unsimulated_add_remark(struct repeat *repeat, const char *remark, struct arena *arena)
{
	const char **remarks = arena_array(arena, repeat->nremarks + 1, sizeof(*remarks));

	for (size_t i = 0; i < repeat->nremarks; i++)
		remarks[i] = repeat->remarks[i];
	remarks[repeat->nremarks++] = remark;
	repeat->remarks = remarks;
}

/* ---- programs that can't be simulated ---- */

static const char *obstacle_words(enum wire_obstacle obstacle)
{
	static const char *const words[WIRE_OBSTACLES] = {
		[WIRE_RIGHTS] = "set-user-ID, set-group-ID or capabilities",
		[WIRE_FOREIGN] = "no 64-bit program of this machine",
		[WIRE_UNREADABLE] = "it can't be read",
		[WIRE_PLACE] = "a simulator itself",
		[WIRE_SELF] = "a name that leads to Valgrind",
		[WIRE_NAMELESS] = "a file in memory, or removed",
		[WIRE_SANITIZED] = "built with AddressSanitizer",
	};

	return words[obstacle] ? words[obstacle] : "";
}

static void remark_natives(struct repeat *repeat, const struct simulated_processes *processes, struct arena *arena)
{
	struct string text = STRING_INIT(arena);

	if (!processes->nnatives)
		return;
	string_printf(&text, "Not simulated, so what %s did is missing: ", processes->nnatives > 1 ? "they" : "it");
	for (size_t i = 0; i < processes->nnatives && i < MOST_NAMES; i++)
		string_printf(&text, "%s%s (%s)", i ? ", " : "", processes->natives[i].path,
			      obstacle_words(processes->natives[i].obstacle));
	if (processes->nnatives > MOST_NAMES)
		string_printf(&text, " and %zu more", processes->nnatives - MOST_NAMES);
	string_add(&text, ".");
	unsimulated_add_remark(repeat, text.text, arena);
}

/* ---- programs that met an instruction which can't be simulated ---- */

/* "Command: /bin/prog 6": the first word, as Valgrind's log begins with it; NULL: it is not there. */
static const char *program_in(const char *log, struct arena *arena)
{
	static const char mark[] = "Command: ";
	const char *found = strstr(log, mark);

	return found ? arena_strndup(arena, found + strlen(mark), strcspn(found + strlen(mark), " \n")) : NULL;
}

static void remark_instructions(struct repeat *repeat, const struct unsimulated *unsimulated, struct arena *arena)
{
	struct error ignored = { .text = "" };
	size_t count = 0, length;
	const char **names = directory_list(unsimulated->folder, LOG_SUFFIX, &count, arena, &ignored);

	for (size_t i = 0; names && i < count; i++) {
		const char *log, *program, *words;

		if (atoi(names[i]) == unsimulated->pid)
			continue;
		log = file_read(arena_printf(arena, "%s/%s", unsimulated->folder, names[i]), &length, arena, &ignored);
		words = log ? simulable_instruction(log, arena) : NULL;
		program = words ? program_in(log, arena) : NULL;
		if (!program)
			continue;
		unsimulated_add_remark(
			repeat, arena_printf(arena, "%s stopped or took another way: it %s.", program, words), arena);
		return;
	}
}

/* ---- all of it ---- */

static void remark_lost(struct repeat *repeat, const struct simulated_processes *processes, struct arena *arena)
{
	if (processes->lost)
		unsimulated_add_remark(
			repeat,
			arena_printf(arena,
				     "%zu of the program's processes left no counts, so what they did is missing: "
				     "they were killed (SIGKILL), had not ended when the program did, or had become "
				     "another user.",
				     processes->lost),
			arena);
}

static void remark_untraced(struct repeat *repeat, size_t untraced, struct arena *arena)
{
	if (untraced)
		unsimulated_add_remark(
			repeat,
			arena_worded(arena,
				     "The program started %s, which {trace-children} no leaves out of the counts.",
				     untraced == 1 ? "another one" : "others"),
			arena);
}

void unsimulated_remark(struct repeat *repeat, const struct unsimulated *unsimulated, struct arena *arena)
{
	remark_untraced(repeat, unsimulated->untraced, arena);
	remark_natives(repeat, unsimulated->processes, arena);
	remark_instructions(repeat, unsimulated, arena);
	remark_lost(repeat, unsimulated->processes, arena);
}

const char *unsimulated_reason(const struct unsimulated *unsimulated, struct arena *arena)
{
	if (unsimulated->untraced)
		return arena_worded(arena, "the program started others, which {trace-children} no left out");
	if (unsimulated->processes->nnatives)
		return "some of its programs can't be simulated";
	return unsimulated->processes->lost ? "some of its processes left no counts" : NULL;
}
