/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ranks_view.h - the ranks of a job, for people and machines. report NULL: it is no job, and nothing is said. */
#ifndef TOPDOWN_PRESENT_RANKS_RANKS_VIEW_H
#define TOPDOWN_PRESENT_RANKS_RANKS_VIEW_H

#include "analyse/ranks/ranks.h"
#include "present/document/data.h"

/* Whose counts these are, and who stands apart or is missing. */
void ranks_add_answer(struct document *doc, const struct rank_report *report);

/* What differs between them; with -v and on pages each rank's values. */
void ranks_add_tables(struct document *doc, const struct rank_report *report);

/* The member "job" of the object that is open. */
void ranks_json(struct json_writer *writer, const struct rank_report *report, struct arena *arena);

#endif
