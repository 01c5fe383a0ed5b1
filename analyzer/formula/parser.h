/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parser.h - one formula into a graph, without recursion, so that no formula is too deep. */
#ifndef TOPDOWN_PARSER_H
#define TOPDOWN_PARSER_H

#include "formula/formula.h"
#include "formula/graph.h"

/* The root operation in *root. -1 and err, "column N: ...", for anything that the grammar or names do not know. */
int parse_formula(uint32_t *root, struct graph *graph, const char *text, const struct formula_names *names,
		  struct error *err) MUST_CHECK;

#endif
