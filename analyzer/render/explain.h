/* SPDX-License-Identifier: GPL-2.0-or-later */
/* explain.h - nodes and metrics explained: words, place in the tree, formula, threshold, what to sample. */
#ifndef TOPDOWN_EXPLAIN_H
#define TOPDOWN_EXPLAIN_H

#include "load/glossary.h"
#include "load/model.h"
#include "render/render.h"

struct explanation {
	size_t metric; /* its number in the model */
	struct glossary_entry words;
};

/* -1 when the stream refuses the output. */
int render_explanations(FILE *out, const struct model *model, const struct explanation *explained, size_t count,
			const struct style *style) MUST_CHECK;

#endif
