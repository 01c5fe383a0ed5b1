/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sampled_parts.h - a report of samples alone (analyse/hotspots/sampled.h), as a document and as data. */
#ifndef TOPDOWN_PRESENT_WHERE_SAMPLED_PARTS_H
#define TOPDOWN_PRESENT_WHERE_SAMPLED_PARTS_H

#include "analyse/evaluate/report.h"
#include "analyse/hotspots/sampled.h"
#include "present/document/data.h"
#include "present/document/document.h"

void sampled_head(struct document *doc, const struct sampled *sampled);
void sampled_notes(struct document *doc, const struct sampled *sampled);

/* The same head as that of a report of counts; what only counts say is unknown. */
struct summary sampled_summary(const struct sampled *sampled);

/* Members of the root. */
void sampled_json(struct json_writer *writer, const struct sampled *sampled, struct arena *arena);

/* Its head as JSON has it, in one row. */
struct grid sampled_figures(const struct sampled *sampled, struct arena *arena);

/* "21 samples in 23.3 ms, user+kernel, with call stacks" */
const char *sampled_text(const struct sampled *sampled, struct arena *arena);
/* The command that counts what was sampled; NULL: nobody can run the same again. */
const char *sampled_next(const struct sampled *sampled, struct arena *arena);
/* "by perf 6.1 on frodo": what comes from another program; "" where it was topdown. */
const char *sampled_recorder(const struct origin *origin, struct arena *arena);

#endif
