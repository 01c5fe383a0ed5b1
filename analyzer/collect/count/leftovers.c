/* SPDX-License-Identifier: GPL-2.0-or-later */
/* leftovers.c - what a run leaves behind: ended where the run was cut, else reported. */
#include <string.h>

#include "collect/count/collector.h"
#include "common/base/text.h"
#include "common/system/signal_table.h"

#define MOMENT_S   0.05 /* the end of a pipeline may be a moment behind the shell's */
#define MOST_NAMES 3

static void note_outliving(struct collector *c)
{
	struct process *list;
	size_t count = descendants_list(&list, &c->signals.descendants, REACH_ALL, c->arena);

	for (size_t i = 0; i < count; i++) {
		c->outliving = arena_grow(c->arena, c->outliving, c->noutliving, &c->outliving_capacity,
					  sizeof(*c->outliving));
		c->outliving[c->noutliving++] = list[i];
	}
	descendants_keep(&c->signals.descendants);
}

bool leftovers_clear(struct collector *c, enum ending ending)
{
	const struct descendants *descendants = &c->signals.descendants;

	if (!descendants_collect(descendants, 0))
		return false;
	if (ending == ENDING_LIMIT)
		c->nforced += descendants_end(descendants, REACH_ALL, ending_s(c));
	else if (!descendants_wait(descendants, REACH_ALL, MOMENT_S) && ending == ENDING_INTERRUPTED)
		c->nforced += descendants_end(descendants, REACH_SESSION, ending_s(c));
	note_outliving(c);
	return true;
}

static bool is_named_before(const struct collector *c, size_t process)
{
	for (size_t i = 0; i < process; i++)
		if (!strcmp(c->outliving[i].name, c->outliving[process].name))
			return true;
	return false;
}

/* Each name once. */
static const char *names_of(const struct collector *c)
{
	struct string text = STRING_INIT(c->arena);
	size_t names = 0;

	for (size_t i = 0; i < c->noutliving; i++) {
		if (is_named_before(c, i))
			continue;
		if (names++ < MOST_NAMES)
			string_printf(&text, "%s%s", names > 1 ? ", " : "", c->outliving[i].name);
	}
	string_add(&text, names > MOST_NAMES ? ", ..." : "");
	return text.text;
}

void leftovers_remark(struct collector *c)
{
	bool is_one = c->noutliving == 1;
	const char *asked = c->signals.has_to_end ? signal_name(c->signals.number) : "SIGTERM";

	if (c->noutliving)
		parts_remark(c, arena_printf(c->arena,
					     "%zu process%s outlived the program: %s. What %s did from then on is not "
					     "counted%s.",
					     c->noutliving, is_one ? "" : "es", names_of(c), is_one ? "it" : "they",
					     c->starts > 1 ? ", and may have slowed the runs that followed" : ""));
	if (c->nforced)
		parts_remark(c,
			     arena_printf(c->arena, "%zu process%s still ran %g s after %s and %s ended with SIGKILL.",
					  c->nforced, c->nforced == 1 ? "" : "es", ending_s(c), asked,
					  c->nforced == 1 ? "was" : "were"));
}
