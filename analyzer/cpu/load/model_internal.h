/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model_internal.h - the steps of model_load: read the file, put the tree in order, compile the formulas. */
#ifndef TOPDOWN_CPU_LOAD_MODEL_INTERNAL_H
#define TOPDOWN_CPU_LOAD_MODEL_INTERNAL_H

#include "cpu/load/model.h"

/* A metric as its file has it; texts are copies in the arena. */
struct metric_source {
	struct metric metric;
	const char *path;	/* file it stands in */
	const char *expression; /* MetricExpr */
	const char *general;	/* MetricExprGeneral: the second form, or NULL: as expression */
	const char *threshold;	/* MetricThreshold or NULL */
	const char *without;	/* why this CPU can't have it; the expression is then NULL. Or NULL */
	const char *locating;	/* names of locating events, separated by ';' or ','; or NULL */
};

struct model_sources {
	struct arena *arena;
	struct metric_source *items;
	size_t count, capacity;
	size_t *order; /* of model_order: from a metric's number in the model to its place in items */
	struct table by_name;
};

int model_read(struct model_sources *sources, struct model *model, const char *path, struct error *err) MUST_CHECK;

/* Adds the metrics of a file of models/system/; those that are there already stay. -1 when it can't be read. */
int model_read_system(struct model_sources *sources, struct model *model, const char *path,
		      struct error *err) MUST_CHECK;

/*
 * Adds the metrics of target->common (models/common.json) that the vendor does not publish, and names those that it
 * does. -1 when that file can't be read.
 */
int common_add(struct model_sources *sources, const struct model_target *target, struct error *err) MUST_CHECK;

/* Makes the ratios of stalled cycles level-1 nodes, before the tree is put in order; has_stalls, no_tree. */
void stalls_become_nodes(struct model *model, struct model_sources *sources);

/* ScaleUnit: a number and what stands behind the value; NULL: neither. */
void metric_read_unit(struct metric *metric, const char *scale_unit);

/* Which events of each metric are corrections, when all formulas are linked. */
void model_find_corrections(struct model *model, struct arena *arena);
/* Fills has_shared_slots of a compiled model, and halves and is_halved of its metrics. */
void model_find_halved(struct model *model);

void model_warn(struct model *model, struct arena *arena, const char *format, ...) PRINTF(3, 4);

#endif
