/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/document/hue.h"

#include <stddef.h>
#include <string.h>

#include "common/base/macros.h"

enum hue hue_of(const char *name)
{
	static const struct {
		const char *part;
		enum hue hue;
	} rows[] = { { "retiring", HUE_RETIRING },
		     { "bad_spec", HUE_BAD_SPECULATION },
		     { "frontend", HUE_FRONTEND },
		     { "backend", HUE_BACKEND } };

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		if (strcasestr(name, rows[i].part))
			return rows[i].hue;
	return HUE_OTHER;
}

const char *hue_class(enum hue hue)
{
	static const char *const classes[HUES] = { [HUE_OTHER] = "oth",
						   [HUE_FRONTEND] = "fe",
						   [HUE_BAD_SPECULATION] = "bad",
						   [HUE_BACKEND] = "be",
						   [HUE_RETIRING] = "ret" };

	return classes[hue];
}
