/* SPDX-License-Identifier: GPL-2.0-or-later */
/* locating.h - which events show where in a program a node is, with the vendor's period and precision. */
#ifndef TOPDOWN_ANALYSE_HOTSPOTS_LOCATING_H
#define TOPDOWN_ANALYSE_HOTSPOTS_LOCATING_H

#include "cpu/load/model.h"

#define MOST_LOCATING  3
#define DEFAULT_PERIOD 1000003 /* a prime, where the vendor publishes no SampleAfterValue */

struct locating_event {
	const struct metric *node; /* whose it is: the one asked about, or one above it */
	const struct event_row *row;
	uint64_t period;  /* SampleAfterValue; 0: none is published */
	unsigned precise; /* precise_ip */
};

/*
 * The events that the vendor names for the node, or for the nearest node above it that has some. Fills events, which
 * has room for MOST_LOCATING, the best first; returns their number, which may be 0.
 */
size_t locating_published(struct locating_event *events, const struct model *model, const struct metric *node);

/*
 * The same; where the vendor names none on the whole path, those with which the node's formula grows, which happen
 * where the node is; at last cycles, which show at least where the time goes.
 */
size_t locating_events(struct locating_event *events, const struct model *model, const struct metric *node);

/* precise_ip: 3 where only precise samples are right, 2 where they can be had, but no more than the PMU's. */
unsigned locating_precise(const struct event_database *database, const struct event_row *row);

/* Can the core's PMU sample it? */
bool is_locating(const struct event_row *row);

#endif
