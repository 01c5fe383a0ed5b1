/* SPDX-License-Identifier: GPL-2.0-or-later */
/* roofline.h - a machine's ceilings, for people and as data. */
#ifndef TOPDOWN_RENDER_ROOFLINE_H
#define TOPDOWN_RENDER_ROOFLINE_H

#include "ceilings/ceilings.h"
#include "render/render.h"

struct roofline {
	const struct ceilings *ceilings;
	const char *kept;  /* the file that has kept them; NULL: they were measured now */
	const char *stale; /* what has changed since; NULL: they hold */
};

int render_roofline(FILE *out, const struct roofline *roofline, const struct style *style,
		    struct error *err) MUST_CHECK;

#endif
