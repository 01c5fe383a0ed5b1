/* SPDX-License-Identifier: GPL-2.0-or-later */
/* catalog.h - the rows of `topdown list`: what the databases, a CPU's events and its model have to offer. */
#ifndef TOPDOWN_COMMAND_JOBS_CATALOG_H
#define TOPDOWN_COMMAND_JOBS_CATALOG_H

#include "engine/target.h"
#include "present/document/listing.h"

/* A listing while rows are added to it. */
struct catalog {
	struct listing listing;
	struct arena *arena;
	const char *pattern; /* NULL: everything; otherwise a glob or a part of a name, without regard to case */
	const char **names;  /* of all rows, those that do not match too */
	size_t nnames, names_capacity;
};

/* For those who fill a catalog: the columns first, then row by row; the cells, one for each column, are copied. */
void catalog_begin(struct catalog *catalog, const char *what, const struct column *columns, size_t count);
/* NULL when the pattern does not match. */
struct grid_row *catalog_add(struct catalog *catalog, const struct cell *cells, unsigned depth);

/* Each fills a catalog that has arena and pattern. */
void catalog_events(struct catalog *catalog, const struct target *target);
void catalog_metrics(struct catalog *catalog, const struct target *target);
void catalog_nodes(struct catalog *catalog, const struct target *target);
void catalog_groups(struct catalog *catalog, const struct target *target);

/* All CPUs for which there are events and a model. -1 when such a file is no JSON. */
int catalog_cpus(struct catalog *catalog, struct database *database, struct error *err) MUST_CHECK;

/* All cores that can be simulated, and which one stands for an identified machine. -1 when one's file is no such. */
int catalog_cores(struct catalog *catalog, const struct target *identified, struct error *err) MUST_CHECK;

#endif
