/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/compare/compare_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/hotspots/functions.h"
#include "analyse/hotspots/weighing.h"
#include "common/base/text.h"

/* ---- amounts ---- */

/* Each weight of a weighing, as a part of what the whole comes to. */
static void add_weights(struct code_side *code, size_t amount, const struct weighing *weighing, double whole)
{
	if (!(weighing->whole > 0) || !(whole > 0))
		return;
	for (size_t i = 0; i < code->nrows; i++)
		code->rows[i].amounts[amount] += weighing->weights[i] / weighing->whole * whole;
}

static double typical(const double *values, size_t count, struct arena *arena)
{
	return median(values, count, arena_array(arena, count + 1, sizeof(double)));
}

static const struct result *node_result(const struct side *side, const struct compared_node *node)
{
	return side_result(side, node->metric);
}

/* The node's cycles: its share of the slots, as level 1 divides them. */
static double node_cycles(const struct comparing *comparing, size_t node, bool is_before)
{
	const struct comparison *result = comparing->result;
	double percent = is_before ? result->nodes[node].before : result->nodes[node].after;

	return percent / 100 * (is_before ? result->cycles_before : result->cycles_after);
}

/* The rows' counts of an event. Returns their sum. */
static double add_counts(struct code_side *code, const struct side *side, const char *event)
{
	const struct profile *profile = side->given->profiles[0];
	const struct repeat *repeat = &side->given->measured->parts[0].repeats[0];
	double sum = 0;

	for (size_t i = 0; i < code->nrows; i++)
		for (size_t k = 0; k < profile->rows[i].ncounts; k++) {
			const struct source_count *count = &profile->rows[i].counts[k];

			if (!is_same_name(repeat->items[count->item].event, event))
				continue;
			code->rows[i].amounts[AMOUNT_INSTRUCTIONS] += count->value;
			sum += count->value;
		}
	return sum;
}

#define SIMULATED_RETIRED "slots.retired" /* events/sim.json: what rows have instead of instructions */

/* The simulator counts by row the slots that instructions fill, and these only of the whole program. */
static void weigh_instructions(struct code_side *code, const struct side *side)
{
	const struct model *model = side->given->report->model;
	size_t event = model->roles[ROLE_INSTRUCTIONS];

	if (event == TABLE_NONE || !(add_counts(code, side, model->events.events[event].name) > 0))
		code->slots = add_counts(code, side, SIMULATED_RETIRED);
}

static void scale_slots(struct code_side *code, double factor)
{
	for (size_t i = 0; i < code->nrows; i++)
		code->rows[i].amounts[AMOUNT_INSTRUCTIONS] *= factor;
}

/* By one factor for both sides: a function that does the same has as many instructions, whatever the others do. */
void code_rows_count_instructions(struct code_side *before, struct code_side *after, const struct comparing *comparing)
{
	const struct side *sides[] = { &comparing->before, &comparing->after };
	double whole = 0, slots = before->slots + after->slots;

	for (size_t i = 0; i < COUNT_OF(sides); i++)
		whole += typical(sides[i]->instructions, sides[i]->count, comparing->arena);
	if (!(before->slots > 0) || !(after->slots > 0) || !isfinite(whole))
		return;
	scale_slots(before, whole / slots);
	scale_slots(after, whole / slots);
}

static void weigh_exact(struct code_side *code, const struct side *side, const struct comparing *comparing)
{
	const struct compare_side *given = side->given;
	const struct exact_rows rows = { .profile = given->profiles[0],
					 .counts = &given->measured->parts[0],
					 .model = given->report->model };
	bool is_before = side == &comparing->before;
	struct weighing weighing;

	if (!weighing_of_cycles(&weighing, &rows, comparing->arena))
		return;
	code->unit = "cycles";
	code->is_exact = true;
	add_weights(code, AMOUNT_BASE, &weighing, typical(side->cycles, side->count, comparing->arena));
	weigh_instructions(code, side);
	for (size_t i = 0; i < comparing->result->nnodes; i++) {
		const struct result *node = node_result(side, &comparing->result->nodes[i]);

		code->has_node[i] = weighing_of_node(&weighing, &rows, (size_t)(node->metric - rows.model->metrics),
						     comparing->arena);
		if (code->has_node[i])
			add_weights(code, AMOUNT_NODES + i, &weighing, node_cycles(comparing, i, is_before));
	}
}

/* Cycles before time, and that before events that are rarer. */
static const struct weighing *find_base(const struct weighings *weighings)
{
	static const char *const units[] = { "cycles", "ns" };

	for (size_t u = 0; u < COUNT_OF(units); u++)
		for (size_t i = 0; i < weighings->count; i++)
			if (!weighings->items[i].node && weighings->items[i].samples &&
			    !strcmp(weighings->items[i].unit, units[u]))
				return &weighings->items[i];
	return NULL;
}

static void weigh_samples(struct code_side *code, const struct side *side, const struct comparing *comparing)
{
	const struct profile *profile = side->given->profiles[0];
	const struct weighings weighings = weighings_of_events(profile, comparing->arena);
	const struct weighing *base = find_base(&weighings);
	bool is_before = side == &comparing->before, are_cycles;
	double whole;

	if (!base)
		return;
	are_cycles = !strcmp(base->unit, "cycles");
	whole = are_cycles ? typical(side->cycles, side->count, comparing->arena)
			   : 1e9 * typical(side->cpu_s, side->count, comparing->arena);
	code->unit = base->unit;
	add_weights(code, AMOUNT_BASE, base, isfinite(whole) ? whole : base->whole);
	for (size_t i = 0; i < code->nrows; i++)
		if (profile->rows[i].event == base->event)
			code->rows[i].samples = (double)profile->rows[i].samples;
	for (size_t i = 0; i < comparing->result->nnodes; i++)
		for (size_t k = 0; k < weighings.count; k++)
			if (weighings.items[k].node &&
			    is_same_name(weighings.items[k].node, comparing->result->nodes[i].metric->name)) {
				code->has_node[i] = true;
				add_weights(code, AMOUNT_NODES + i, &weighings.items[k],
					    node_cycles(comparing, i, is_before));
			}
}

/* ---- places ---- */

/* "old" of "./old 6"; NULL: unknown. */
static const char *program_of(const struct compare_side *given, struct arena *arena)
{
	const char *command = given->measured->parts[0].origin.command;

	if (!command)
		return NULL;
	command += *command == '\'';
	return module_base_name(arena_strndup(arena, command, strcspn(command, "' ")));
}

static void take_place(struct code_row *row, const struct profile *profile, uint32_t stack, const char *program)
{
	const struct profile_place *place = &profile->places[profile->stacks[stack].place];
	const struct profile_module *module = &profile->modules[place->module];
	const char *base = module_base_name(module->path);

	row->path = module->path;
	row->module = base ? base : "?";
	if (program && base && !strcmp(base, program) && module->kind == MODULE_FILE)
		row->module = "";
	if (!place->nframes)
		return;
	row->function = place->frames[0].function;
	row->file = place->frames[0].file;
	row->line = place->frames[0].line;
	row->is_inlined = place->nframes > 1;
}

void code_rows_fill(struct code_side *code, const struct side *side, const struct comparing *comparing)
{
	const struct profile *profile = side->given->nprofiles ? side->given->profiles[0] : NULL;
	struct arena *arena = comparing->arena;
	const char *program = program_of(side->given, arena);

	*code = (struct code_side){ .namounts = AMOUNT_NODES + comparing->result->nnodes };
	code->has_node = arena_array(arena, comparing->result->nnodes + 1, sizeof(*code->has_node));
	if (!profile)
		return;
	code->nrows = profile->nrows;
	code->rows = arena_array(arena, code->nrows + 1, sizeof(*code->rows));
	for (size_t i = 0; i < code->nrows; i++) {
		code->rows[i].amounts = arena_array(arena, code->namounts, sizeof(double));
		take_place(&code->rows[i], profile, profile->rows[i].stack, program);
	}
	if (has_exact_rows(profile) && side->given->report)
		weigh_exact(code, side, comparing);
	else
		weigh_samples(code, side, comparing);
}

/* ---- both sides ---- */

static int compare_modules(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Those of all rows, sorted. */
static const char **modules_of(const struct code_side *code, struct arena *arena)
{
	const char **modules = arena_array(arena, code->nrows + 1, sizeof(*modules));

	for (size_t i = 0; i < code->nrows; i++)
		modules[i] = code->rows[i].module;
	if (code->nrows)
		qsort(modules, code->nrows, sizeof(*modules), compare_modules);
	return modules;
}

/* Of those that the other side lacks the one with the most; NULL: none. */
static const char *find_alone(const struct code_side *code, const struct code_side *other, struct arena *arena)
{
	const char **others = modules_of(other, arena), *most = NULL;
	double largest = 0;

	for (size_t i = 0; i < code->nrows; i++)
		if (code->rows[i].amounts[AMOUNT_BASE] > largest &&
		    !bsearch(&code->rows[i].module, others, other->nrows, sizeof(*others), compare_modules)) {
			largest = code->rows[i].amounts[AMOUNT_BASE];
			most = code->rows[i].module;
		}
	return most;
}

static int compare_rows(const void *a, const void *b)
{
	const struct code_row *x = a, *y = b;
	int by_module = strcmp(x->module, y->module), by_function = compare_texts(x->function, y->function);
	int by_file = compare_texts(x->file, y->file);

	if (by_module || by_function)
		return by_module ? by_module : by_function;
	return by_file ? by_file : (x->line > y->line) - (x->line < y->line);
}

static void merge_rows(struct code_side *code)
{
	size_t kept = 0;

	for (size_t i = 0; i < code->nrows; i++) {
		struct code_row *last = kept ? &code->rows[kept - 1] : NULL;

		if (!last || compare_rows(last, &code->rows[i]) != 0) {
			code->rows[kept++] = code->rows[i];
			continue;
		}
		for (size_t k = 0; k < code->namounts; k++)
			last->amounts[k] += code->rows[i].amounts[k];
		last->samples += code->rows[i].samples;
		last->is_inlined = last->is_inlined && code->rows[i].is_inlined;
	}
	code->nrows = kept;
}

static bool is_same_function(const struct code_row *a, const struct code_row *b)
{
	return !strcmp(a->module, b->module) && compare_texts(a->function, b->function) == 0;
}

static void find_functions(struct code_side *code, struct arena *arena)
{
	code->functions = arena_array(arena, code->nrows + 1, sizeof(*code->functions));
	for (size_t i = 0; i < code->nrows; i++) {
		if (!i || !is_same_function(&code->rows[i - 1], &code->rows[i]))
			code->functions[code->nfunctions++] = (struct code_function){ .rows = &code->rows[i] };
		code->functions[code->nfunctions - 1].count++;
	}
}

void code_rows_match(struct code_side *before, struct code_side *after, struct arena *arena)
{
	struct code_side *sides[] = { before, after };
	const char *gone = find_alone(before, after, arena), *come = find_alone(after, before, arena);

	for (size_t i = 0; i < before->nrows && gone && come; i++)
		if (!strcmp(before->rows[i].module, gone))
			before->rows[i].module = come;
	for (size_t i = 0; i < COUNT_OF(sides); i++) {
		if (sides[i]->nrows)
			qsort(sides[i]->rows, sides[i]->nrows, sizeof(struct code_row), compare_rows);
		merge_rows(sides[i]);
		find_functions(sides[i], arena);
	}
}

double code_sum(const struct code_function *function, size_t amount)
{
	double sum = 0;

	for (size_t i = 0; function && i < function->count; i++)
		sum += function->rows[i].amounts[amount];
	return sum;
}
