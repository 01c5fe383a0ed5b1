/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model_internal.h - the steps of model_load: read the file, put the tree in order, compile the formulas. */
#ifndef TOPDOWN_MODEL_INTERNAL_H
#define TOPDOWN_MODEL_INTERNAL_H

#include "load/model.h"

/* A metric as its file has it; texts are copies in the arena. */
struct metric_source {
	struct metric metric;
	const char *path;	/* file it stands in */
	const char *expression; /* MetricExpr */
	const char *threshold;	/* MetricThreshold or NULL */
	const char *needs;	/* Needs: what counts it, where one core's counters do not; or NULL */
};

struct model_sources {
	struct arena *arena;
	struct metric_source *items;
	size_t count, capacity;
	size_t *order; /* of model_order: from a metric's number in the model to its place in items */
	struct table by_name;
};

int model_read(struct model_sources *sources, struct model *model, const char *path, struct error *err) MUST_CHECK;

/* Finds parents, drops nodes without one, and sorts: nodes in tree order, then the other metrics. */
void model_order(struct model *model, struct model_sources *sources);

void model_compile(struct model *model, const struct model_sources *sources, struct arena *arena);

void model_warn(struct model *model, struct arena *arena, const char *format, ...) PRINTF(3, 4);

#endif
