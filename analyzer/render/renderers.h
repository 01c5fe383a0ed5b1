/* SPDX-License-Identifier: GPL-2.0-or-later */
/* renderers.h - the rows of the dispatch table in render.c, one file each; render.c checks the stream after them. */
#ifndef TOPDOWN_RENDERERS_H
#define TOPDOWN_RENDERERS_H

#include "render/page.h"

int report_text(const struct page *page, const struct report *report, struct error *err);
int report_json(const struct page *page, const struct report *report, struct error *err);
int report_csv(const struct page *page, const struct report *report, struct error *err);
int report_markdown(const struct page *page, const struct report *report, struct error *err);

/* A plan with the model whose events and metrics it names. */
struct planned {
	const struct plan *plan;
	const struct model *model;
};

int plan_text(const struct page *page, const struct planned *planned, struct error *err);
int plan_json(const struct page *page, const struct planned *planned, struct error *err);
int plan_csv(const struct page *page, const struct planned *planned, struct error *err);
int plan_markdown(const struct page *page, const struct planned *planned, struct error *err);

/* Parts of the text report. */
void text_head(const struct page *page, const struct report *report);
void text_tree(const struct page *page, const struct report *report);
void text_metrics(const struct page *page, const struct report *report);

#endif
