/* SPDX-License-Identifier: GPL-2.0-or-later */
/* explored_sources.h - the source text that stands in a page, of the functions that take most. */
#ifndef TOPDOWN_COMMAND_PAGES_EXPLORED_SOURCES_H
#define TOPDOWN_COMMAND_PAGES_EXPLORED_SOURCES_H

#include "present/explorer/explored.h"

struct source_request;

/* Reads what can be read, instructions too; like: where source is looked for, its file aside. */
void explored_sources_read(struct explored *explored, const struct source_request *like, struct arena *arena);

#endif
