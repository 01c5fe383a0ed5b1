/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * whereabouts.h - all that a report says of where something happens: tables of the nodes' events, or of the nodes
 * themselves where counts are exact; trees of functions; a simulation beside the measured time.
 */
#ifndef TOPDOWN_ANALYSE_HOTSPOTS_WHEREABOUTS_H
#define TOPDOWN_ANALYSE_HOTSPOTS_WHEREABOUTS_H

#include "analyse/evaluate/report.h"
#include "analyse/hotspots/function_trees.h"
#include "analyse/hotspots/where.h"

/* A function's share of the modelled cycles, and of the time that its native run took. */
struct paired_function {
	const char *function, *module;
	double modelled;
	struct share measured;
	bool is_far; /* beyond the interval, and by more than a point */
};

struct annotation;

struct whereabouts {
	const struct question *question; /* what was asked for */
	const struct profile *profile;
	struct where *items; /* of each node or event, the worst node's first */
	size_t count;
	struct function_trees trees; /* count 0: none was asked for */
	struct paired_function *pairs;
	size_t npairs;
	const struct annotation *annotation; /* analyse/hotspots/annotation.h; NULL: nobody asked */
	const char **remarks;		     /* sentences about all of it */
	size_t nremarks;
};

struct whereabouts_request {
	const struct measurement *measured;
	const struct report_set *reports; /* of measured; parts[0] with counts[0] */
	const struct question *question;
};

/* Has the measurement rows or lines that can answer? */
bool has_whereabouts(const struct measurement *measured);

/* -1 where a filter or a function fits nothing (err), with a remedy. Lives in arena. */
int whereabouts_fill(struct whereabouts *where, const struct whereabouts_request *request, struct arena *arena,
		     struct error *err) MUST_CHECK;

#endif
