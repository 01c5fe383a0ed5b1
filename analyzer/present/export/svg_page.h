/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * svg_page.h - the picture that flame graphs are: a head, a legend, a rectangle for each box, and the script. All that
 * is said stands in texts and tooltips, so that no script is needed to read it. Colours are attributes, so that a page
 * may forbid styles of its own. As a part of a page of HTML it has the page's script (page.js) instead.
 */
#ifndef TOPDOWN_PRESENT_EXPORT_SVG_PAGE_H
#define TOPDOWN_PRESENT_EXPORT_SVG_PAGE_H

#include <stdio.h>

#include "common/base/arena.h"
#include "present/export/boxes.h"

struct svg_page {
	FILE *out;
	const struct boxes *boxes;
	const char *const *fills; /* by the boxes' color: "#rrggbb", light enough for dark text */
	const char *title, *facts;
	bool is_part; /* of a page of HTML */
	double top;   /* of the first box; svg_begin finds it */
	struct arena *arena;
};

/* What a box says. */
struct svg_box {
	const char *name;    /* the first line of its tooltip too */
	const char *details; /* further lines of it */
};

void svg_begin(struct svg_page *page);
void svg_box(const struct svg_page *page, const struct box *box, const struct svg_box *said);
void svg_end(const struct svg_page *page);

/* "1,234,567" */
const char *svg_grouped(uint64_t value, struct arena *arena);

/* "12.345 ms" where the unit is ns; else "1,234 slots". */
const char *svg_amount(const struct weighing *weighing, double weight, struct arena *arena);

/* "a.out, src/a.c": where a function is. */
const char *svg_home(const struct export_function *function, struct arena *arena);

#endif
