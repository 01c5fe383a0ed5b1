/* SPDX-License-Identifier: GPL-2.0-or-later */
/* explain.h - one node or metric explained: words, place in the tree, formula, threshold, what to sample. */
#ifndef TOPDOWN_EXPLAIN_H
#define TOPDOWN_EXPLAIN_H

#include "load/glossary.h"
#include "load/model.h"
#include "render/render.h"

int render_explanation(FILE *out, const struct model *model, const struct metric *metric,
		       const struct glossary_entry *words, const struct style *style) MUST_CHECK;

#endif
