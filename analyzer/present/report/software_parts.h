/* SPDX-License-Identifier: GPL-2.0-or-later */
/* software_parts.h - what the kernel counted by itself, beside the tree: a line or two, a table, fields. */
#ifndef TOPDOWN_PRESENT_REPORT_SOFTWARE_PARTS_H
#define TOPDOWN_PRESENT_REPORT_SOFTWARE_PARTS_H

#include "analyse/evaluate/software_results.h"
#include "present/document/data.h"
#include "present/document/document.h"

/* A row for each kind, as data and for people. */
struct grid *software_grid(const struct software_list *list, struct arena *arena);

/* The member "software"; nothing where there is nothing. */
void software_json(struct json_writer *writer, const struct software_list *list, struct arena *arena);

/* "user 1.20 s, system 51 ms; 12 context switches ...": one line; "": there is nothing. */
const char *software_text(const struct document *doc, const struct software_list *list);

/* All of them as a table, where the document has room for it; nothing where there are none. */
void software_table(struct document *doc, const struct software_list *list);

#endif
