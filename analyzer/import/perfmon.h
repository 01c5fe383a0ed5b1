/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perfmon.h - the metrics of intel/perfmon: names of their formulas, and the tree. */
#ifndef TOPDOWN_IMPORT_PERFMON_H
#define TOPDOWN_IMPORT_PERFMON_H

#include "import/internal.h"
#include "load/json_read.h"

/* One metric's formula on its way into perf's grammar. */
struct translation {
	struct import *import;
	const struct json *metric;
	const struct table *metrics; /* the TMA metrics' names, "tma_..." */
	const char *needs;	     /* first thing met that one core's counters do not give */
	const char *unknown;	     /* first name met that is nothing at all */
};

/* Names of a BaseFormula: metrics are tma_..., everything else is an event in lower case or a constant. */
const char *perfmon_base_name(void *translation, const char *name);

/* Names of a Formula: letters that stand for events and constants, and constants without a letter. */
const char *perfmon_alias_name(void *translation, const char *name);

int perfmon_read_model(struct import *import, const char *path, struct error *err) MUST_CHECK;

#endif
