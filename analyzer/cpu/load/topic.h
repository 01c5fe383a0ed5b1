/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * topic.h - what a metric is about, in one order for all vendors: each has groups of its own, some have none for most
 * of their metrics, and a metric may have many. The groups stay what a user selects by; topics are headings.
 */
#ifndef TOPDOWN_CPU_LOAD_TOPIC_H
#define TOPDOWN_CPU_LOAD_TOPIC_H

#include "cpu/load/model.h"

enum topic {
	TOPIC_TREE, /* nodes */
	TOPIC_BOTTLENECKS,
	TOPIC_SPEED,
	TOPIC_INSTRUCTIONS,
	TOPIC_FLOATING_POINT,
	TOPIC_BRANCHES,
	TOPIC_FRONTEND,
	TOPIC_CACHES,
	TOPIC_TLBS,
	TOPIC_MEMORY,
	TOPIC_SYSTEM,
	TOPIC_OTHERS,
	TOPIC_COUNT,
};

/* By a metric's name and its groups, ';'-separated. It tries some 200 globs; for shipped models the build does that. */
enum topic topic_of(const char *name, const char *groups);

static inline enum topic metric_topic(const struct metric *metric)
{
	return metric->level ? TOPIC_TREE : (enum topic)metric->topic;
}

/* The heading: "Instruction mix". */
const char *topic_name(enum topic topic);

#endif
