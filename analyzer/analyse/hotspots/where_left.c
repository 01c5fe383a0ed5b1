/* SPDX-License-Identifier: GPL-2.0-or-later */
/* where_left.c - what tables of functions and lines leave open: code without names or lines, stacks that were cut. */
#include <math.h>
#include <string.h>

#include "analyse/hotspots/where.h"
#include "common/base/text.h"

#define KERNEL	       "[kernel"
#define LEAST_UNKNOWN  1.0  /* percent of the whole without names that are worth a sentence */
#define LEAST_LINELESS 10.0 /* without line numbers */
#define LEAST_NOWHERE  5.0  /* and that belong to no instruction */
#define LEAST_TIMED    0.05 /* that run by real time: what is shown as 0.1 */

static void where_left_add_remark(struct where *where, const char *sentence)
{
	where->remarks[where->nremarks++] = sentence;
}

/* What the tables do not say, while it is summed up. */
struct left {
	struct amount unknown, truncated, kept, lineless, timed;
	struct amount *nameless, *symbolless, *unlined; /* [modules] */
};

static const char *module_name(const struct where *where, uint32_t module)
{
	const struct profile_module *m = &where->profile->modules[module];

	if (m->path && has_name_prefix(m->path, KERNEL))
		return KERNEL "]"; /* of a recording, whose names are not those of this machine's kernel */
	return m->path && m->kind != MODULE_UNKNOWN ? module_base_name(m->path) : "JIT, memory without a file";
}

/* Of a module whose code has no names, or others than it should. */
static void explain_module(struct where *where, uint32_t module, struct amount amount, struct arena *arena)
{
	const struct profile_module *m = &where->profile->modules[module];
	const struct share share = share_of_amount(where->weighing, amount);

	if (!(share.percent >= LEAST_UNKNOWN))
		return;
	where_left_add_remark(where, arena_printf(arena, "%.1f %% of it is in code without names (%s)%s%s.",
						  share.percent, module_name(where, module), m->remark ? ": " : "",
						  m->remark ? m->remark : ""));
}

static void explain_lineless(struct where *where, const struct left *left, struct arena *arena)
{
	uint32_t most = 0;

	for (uint32_t i = 1; i < where->profile->nmodules; i++)
		if (left->unlined[i].weight > left->unlined[most].weight)
			most = i;
	where_left_add_remark(where,
			      arena_printf(arena,
					   "%.0f %% of it is in code without line numbers (mostly %s), for which only "
					   "functions are known: build it with -g, or install its debug symbols.",
					   where->lineless.percent, module_name(where, most)));
}

static void explain_symbolless(struct where *where, uint32_t module, struct amount amount, struct arena *arena)
{
	const struct share share = share_of_amount(where->weighing, amount);

	if (share.percent >= LEAST_UNKNOWN)
		where_left_add_remark(where,
				      arena_printf(arena,
						   "%.1f %% of it is in functions of %s that have no symbol: they are "
						   "named by their start, in objdump's addresses.",
						   share.percent, module_name(where, module)));
}

/* "prog+0x1139", the name of a function that only its range is known of (program/symbols/unnamed_code.c). */
static bool is_begin_of(const struct where *where, uint32_t module, const char *function)
{
	const char *name = module_name(where, module);
	const size_t length = strlen(name);

	return function && !strncmp(function, name, length) && !strncmp(function + length, "+0x", 3);
}

static void sum_row(struct left *left, const struct where *where, const struct profile_row *row, struct amount amount)
{
	const struct profile_place *place = &where->profile->places[where->profile->stacks[row->stack].place];

	amount_add(&left->kept, amount);
	if (row->is_truncated)
		amount_add(&left->truncated, amount);
	/* With a file and no line the compiler says that it is of none: more debug information is no help. */
	if (!place->nframes || (!place->frames[0].line && !place->frames[0].file)) {
		amount_add(&left->lineless, amount);
		amount_add(&left->unlined[place->module], amount);
	}
	if (place->nframes && is_begin_of(where, place->module, place->frames[0].function))
		amount_add(&left->symbolless[place->module], amount);
	if (where->weighing->is_exact && place->nframes &&
	    function_runs_by_time(place->frames[place->nframes - 1].function))
		amount_add(&left->timed, amount);
	if (place->nframes && place->frames[0].function)
		return;
	amount_add(&left->unknown, amount);
	amount_add(&left->nameless[place->module], amount);
}

static void explain(struct where *where, const struct left *left, struct arena *arena)
{
	if (where->weighing->is_exact && !(where->weighing->total > 0))
		where_left_add_remark(where, "No slot of it belongs to an instruction.");
	else if (where->nowhere.percent > LEAST_NOWHERE)
		where_left_add_remark(
			where, arena_printf(arena, "%.0f %% of it belong to no instruction.", where->nowhere.percent));
	if (where->timed.percent >= LEAST_TIMED)
		where_left_add_remark(where, arena_printf(arena,
							  "* by real time: %.1f %% of it is in functions of which a "
							  "slower run has more. Natively it is less.",
							  where->timed.percent));
	if (where->lineless.percent >= LEAST_LINELESS)
		explain_lineless(where, left, arena);
	for (uint32_t i = 0; i < where->profile->nmodules; i++) {
		explain_module(where, i, left->nameless[i], arena);
		explain_symbolless(where, i, left->symbolless[i], arena);
	}
}

void where_fill_left(struct where *where, const struct where_sums *sums)
{
	const struct profile *profile = where->profile;
	const struct weighing *weighing = where->weighing;
	struct left left = { .kept = { 0 } };

	left.nameless = arena_array(sums->arena, (size_t)profile->nmodules + 1, sizeof(*left.nameless));
	left.symbolless = arena_array(sums->arena, (size_t)profile->nmodules + 1, sizeof(*left.symbolless));
	left.unlined = arena_array(sums->arena, (size_t)profile->nmodules + 1, sizeof(*left.unlined));
	for (uint32_t i = 0; i < profile->nrows; i++) {
		const struct profile_row *row = &profile->rows[i];

		if (!sums->is_kept[i] || !(weighing->weights[i] > 0))
			continue;
		where->has_stacks |= row->method != STACK_NONE || profile->stacks[row->stack].depth > 1;
		sum_row(&left, where, row, row_amount(weighing, profile, i));
	}
	where->kept = share_of_amount(weighing, left.kept);
	where->unknown = share_of_amount(weighing, left.unknown);
	where->truncated = share_of_amount(weighing, left.truncated);
	where->lineless = share_of_amount(weighing, left.lineless);
	where->timed = share_of_amount(weighing, left.timed);
	where->nowhere = share_exact(fmax(weighing->whole - weighing->total, 0), weighing->whole);
	where->remarks = arena_array(sums->arena, 2 * (size_t)profile->nmodules + profile->nremarks + 4,
				     sizeof(*where->remarks));
	explain(where, &left, sums->arena);
}

bool where_row_is_timed(const struct where *where, const struct where_row *row)
{
	return where->timed.percent >= LEAST_TIMED &&
	       (function_runs_by_time(row->function) || function_runs_by_time(row->into));
}
