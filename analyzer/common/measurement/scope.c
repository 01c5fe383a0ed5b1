/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/measurement/scope.h"

#include <string.h>

#include "common/base/macros.h"

const char *scope_name(enum scope scope)
{
	static const char *const names[] = {
		[SCOPE_ALL] = "user+kernel", [SCOPE_USER] = "user", [SCOPE_KERNEL] = "kernel"
	};

	return names[scope];
}

static const char *const options[] = {
	[SUBJECT_PROCESSES] = "-p",
	[SUBJECT_THREADS] = "--tid",
	[SUBJECT_CPUS] = "-C",
	[SUBJECT_CGROUP] = "--cgroup",
};

#define ALL_CPUS "-a"

const char *selector_text(const struct selector *selector, struct arena *arena)
{
	if (selector->kind == SUBJECT_PROGRAM)
		return NULL;
	if (!selector->list)
		return ALL_CPUS;
	return arena_printf(arena, "%s %s", options[selector->kind], selector->list);
}

bool selector_parse(struct selector *selector, const char *text, struct arena *arena)
{
	size_t length = strcspn(text, " ");

	*selector = (struct selector){ .kind = SUBJECT_CPUS };
	if (!strcmp(text, ALL_CPUS))
		return true;
	for (size_t kind = SUBJECT_PROCESSES; kind < COUNT_OF(options); kind++) {
		if (strlen(options[kind]) != length || memcmp(options[kind], text, length) != 0 || !text[length])
			continue;
		*selector = (struct selector){ .kind = (enum subject_kind)kind,
					       .list = arena_strdup(arena, text + length + 1) };
		return *selector->list != '\0';
	}
	return false;
}
