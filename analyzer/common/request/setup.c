/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/request/setup.h"

#include "common/base/text.h"

const char *program_choice_text(const struct program_choice *program, struct arena *arena)
{
	struct string text = STRING_INIT(arena);

	for (size_t i = 0; i < program->nwords; i++) {
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
