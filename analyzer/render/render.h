/* SPDX-License-Identifier: GPL-2.0-or-later */
/* render.h - reports, plans and lists as text, JSON, CSV or Markdown. The only module that writes results. */
#ifndef TOPDOWN_RENDER_H
#define TOPDOWN_RENDER_H

#include <stdio.h>

#include "evaluate/report.h"
#include "plan/plan.h"

enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV, FORMAT_MARKDOWN };

struct style {
	enum format format;
	bool has_color;	 /* SGR sequences */
	bool has_utf8;	 /* box drawing and bars; else ASCII */
	bool is_verbose; /* all nodes, those below their threshold dimmed */
	unsigned width;	 /* columns of the terminal; 0: unknown, 80 is assumed */
};

/* All return -1 when the stream refuses the output (a full disk, a closed pipe). */
int render_reports(FILE *out, const struct report_set *set, const struct style *style, struct error *err) MUST_CHECK;
/* A plan with the model whose events and metrics it names. */
struct plan_part {
	const struct plan *plan;
	const struct model *model;
	const char *part; /* the type of cores that it is for, "cpu_core"; NULL: there is one only */
};
int render_plans(FILE *out, const struct plan_part *parts, size_t count, const struct style *style,
		 struct error *err) MUST_CHECK;

#endif
