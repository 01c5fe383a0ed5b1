/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_nodes.h - the metrics of Linux' pmu-events as a tree: order, and for AMD the thresholds that the vendor does not
 * publish.
 */
#ifndef TOPDOWN_PERF_NODES_H
#define TOPDOWN_PERF_NODES_H

#include "import/internal.h"

/* Nodes depth first in the files' order, then the other metrics. Levels and parents are group names already. */
void perf_nodes_sort(struct import *import);

/* AMD: PipelineL<n> is also TopdownL<n>; thresholds, titles and sampling events of the nodes. */
void perf_nodes_amd(struct import *import);

#endif
