/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/request/setup.h"

#include <string.h>

#include "common/base/text.h"

#define MOST_TEXT 4096 /* of a command, which every report and every list of runs has in it */

/* The words that did not fit, as a comment: what stands before it is still the shell's. */
static void add_unshown_words(struct string *text, const struct program_choice *program, size_t from)
{
	size_t length = 0;

	for (size_t i = from; i < program->nwords; i++)
		length += strlen(program->words[i]);
	string_printf(text, " # %zu word%s with %zu characters left out", program->nwords - from,
		      program->nwords - from == 1 ? "" : "s", length);
}

const char *program_choice_text(const struct program_choice *program, struct arena *arena)
{
	struct string text = STRING_INIT(arena);

	for (size_t i = 0; i < program->nwords; i++) {
		if (i && text.length + strlen(program->words[i]) > MOST_TEXT) {
			add_unshown_words(&text, program, i);
			break;
		}
		string_add(&text, i ? " " : "");
		string_add_shell_word(&text, program->words[i]);
	}
	return program->nwords ? text.text : NULL;
}

bool setup_has_subject(const struct setup *setup)
{
	const struct subject_choice *choice = &setup->subject;

	return choice->processes || choice->threads || choice->is_all_cpus || choice->cpus || choice->cgroup;
}
