/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/session/last.h"

#include <stdlib.h>
#include <string.h>

#include "common/measurement/profile.h"
#include "common/system/state_file.h"
#include "store/session/session.h"

#define NAME "last.json"

bool last_is_off(void)
{
	const char *wish = getenv("TOPDOWN_LAST");

	return wish && !strcmp(wish, "0");
}

const char *last_path(struct arena *arena)
{
	return state_path(NAME, arena);
}

/* ---- writing ---- */

struct input_copy {
	const struct measurement *measured;
	struct session_bytes *made;
};

static int write_session(FILE *stream, const void *what, struct error *err)
{
	const struct input_copy *kept = what;

	return session_write_bytes(stream, kept->measured, kept->made, err);
}

static bool has_counts(const struct repeat *repeat)
{
	for (size_t i = 0; i < repeat->count; i++)
		if (repeat->items[i].state == COUNT_OK)
			return true;
	return false;
}

static bool last_is_counted(const struct measurement *measured)
{
	if (measured->profile) /* none of its samples is a result too: the older one would be taken for this one */
		return true;
	for (size_t i = 0; i < measured->count; i++)
		for (size_t k = 0; k < measured->parts[i].nrepeats; k++)
			if (has_counts(&measured->parts[i].repeats[k]))
				return true;
	return false;
}

int last_keep_bytes(const struct measurement *measured, struct session_bytes *made, struct error *err)
{
	const struct input_copy kept = { measured, made };

	if (!last_is_counted(measured))
		return error_set(err, "nothing was counted");
	return state_replace(NAME, write_session, &kept, err);
}

int last_keep(const struct measurement *measured, struct error *err)
{
	struct session_bytes made = { .bytes = NULL };
	int result = last_keep_bytes(measured, &made, err);

	free(made.bytes);
	return result;
}
