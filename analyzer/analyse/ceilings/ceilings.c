/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/ceilings/ceilings.h"

#include <string.h>

#include "common/base/text.h"

/* By the value of their enum, then NULL. */
const char *const ceiling_kind_names[] = { "compute", "bandwidth", NULL };
const char *const ceiling_type_names[] = { "f64", "f32", "int", NULL };
const char *const ceiling_operation_names[] = { "", "mul+add", "fma", "add", NULL };
const char *const ceiling_level_names[] = { "", "L1", "L2", "L3", "DRAM", NULL };
const char *const ceiling_pattern_names[] = { "",	  "read",    "write",	 "copy", "triad",
					      "write-nt", "copy-nt", "triad-nt", NULL };
const char *const ceiling_scope_names[] = { "thread", "all", "socket", "node", NULL };
const char *const ceiling_limit_names[] = { "clock", "load", "steal", "quota", "smt", "spread", "memory", "floating" };

static bool ceilings_fits(const struct ceiling *row, const struct ceiling_wanted *wanted)
{
	if (row->kind != wanted->kind || row->scope != wanted->scope || row->place != wanted->place)
		return false;
	if (row->kind == CEILING_COMPUTE && wanted->type != CEILING_TYPES && row->type != wanted->type)
		return false;
	return (!wanted->operation || row->operation == wanted->operation) &&
	       (!wanted->level || row->level == wanted->level) &&
	       (!wanted->pattern || row->pattern == wanted->pattern) && (!wanted->bits || row->bits == wanted->bits);
}

const struct ceiling *ceilings_find(const struct ceilings *ceilings, const struct ceiling_wanted *wanted)
{
	const struct ceiling *best = NULL;

	for (size_t i = 0; i < ceilings->count; i++) {
		const struct ceiling *row = &ceilings->rows[i];

		if (ceilings_fits(row, wanted) && row->value > (best ? best->value : 0))
			best = row;
	}
	return best;
}

/* ---- staleness ---- */

static const char *ceilings_known(const char *text)
{
	return text ? text : "unknown";
}

const char *ceilings_stale(const struct ceiling_conditions *then, const struct ceiling_conditions *now,
			   struct arena *arena)
{
	const struct {
		const char *what, *then, *now;
	} keys[] = {
		{ "the CPU is", then->cpu, now->cpu },
		{ "its microcode is", then->microcode, now->microcode },
		{ "the kernel is", then->kernel, now->kernel },
		{ "the governor is", then->governor, now->governor },
		{ "the allowed CPUs are", then->cpus, now->cpus },
	};
	struct string text = STRING_INIT(arena);

	for (size_t i = 0; i < COUNT_OF(keys); i++)
		if (compare_texts(keys[i].then, keys[i].now) != 0)
			string_printf(&text, "%s%s %s instead of %s", text.length ? ", " : "", keys[i].what,
				      ceilings_known(keys[i].now), ceilings_known(keys[i].then));
	return text.length ? text.text : NULL;
}
