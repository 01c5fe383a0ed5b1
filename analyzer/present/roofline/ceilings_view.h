/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ceilings_view.h - a machine's ceilings, for people and as data. */
#ifndef TOPDOWN_PRESENT_ROOFLINE_CEILINGS_VIEW_H
#define TOPDOWN_PRESENT_ROOFLINE_CEILINGS_VIEW_H

#include "analyse/ceilings/ceilings.h"
#include "present/document/render.h"

struct ceilings_shown {
	const struct ceilings *ceilings;
	const char *kept;  /* the file that has kept them; NULL: they were measured now */
	const char *stale; /* what has changed since; NULL: they hold */
};

int render_ceilings(FILE *out, const struct ceilings_shown *shown, const struct style *style,
		    struct error *err) MUST_CHECK;

#endif
