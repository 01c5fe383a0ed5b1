/* SPDX-License-Identifier: GPL-2.0-or-later */
/* action.c - an action with the front end's words. */
#include "common/measurement/action.h"

__attribute__((weak)) const char *front_end_command(const struct action *action, struct arena *arena)
{
	(void)action;
	(void)arena;
	return NULL;
}

struct action action_make(const struct action *action, struct arena *arena)
{
	struct action made = *action;

	made.command = front_end_command(action, arena);
	return made;
}

const char *action_program(const struct origin *origin)
{
	return !origin->command && origin->selector.kind == SUBJECT_PROGRAM ? "PROGRAM" : origin->command;
}
