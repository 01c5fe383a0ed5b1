/* SPDX-License-Identifier: GPL-2.0-or-later */
/* code.c - which functions and lines a difference is in. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/compare/compare_internal.h"
#include "common/base/text.h"

/* ---- lines and nodes ---- */

static double difference_of(const struct pairing *pair, size_t amount)
{
	return code_sum(pair->after, amount) - code_sum(pair->before, amount);
}

/* The line with most of the difference, in the side that has more. */
static struct compared_place code_place_of(const struct pairing *pair, size_t amount)
{
	bool is_more = difference_of(pair, amount) >= 0;
	const struct code_function *in = is_more ? pair->after : pair->before;
	const struct code_function *other = is_more ? pair->before : pair->after;
	struct compared_place place = { .cycles = difference_of(pair, amount) };
	uint32_t first = in ? code_first_line(in) : 0;
	double most = 0;

	if (!in)
		return place;
	place.function = in->rows->function;
	place.module = in->rows->path;
	place.file = in->rows->file;
	for (size_t i = 0; i < in->count; i++) {
		const struct code_row *row = &in->rows[i];
		double more;

		if (!row->line)
			continue;
		more = row->amounts[amount] - code_amount_at(other, row->line - first, amount);
		if (more > most) {
			most = more;
			place.file = row->file;
			place.line = row->line;
		}
	}
	return place;
}

double code_leaf(const struct pairings *pairs, const struct code_function *function, size_t node)
{
	const struct comparison *result = pairs->comparing->result;
	double left = code_sum(function, AMOUNT_NODES + node);

	if (result->nodes[node].is_leaf)
		return left;
	for (size_t i = node + 1; i < result->nnodes; i++) {
		size_t parent = result->nodes[i].metric->parent;
		const struct model *model = pairs->comparing->request->after.report->model;

		if (parent != NO_PARENT && result->nodes[node].metric == &model->metrics[parent])
			left -= code_sum(function, AMOUNT_NODES + i);
	}
	return left;
}

static double leaf_difference(const struct pairings *pairs, const struct pairing *pair, size_t node)
{
	return code_leaf(pairs, pair->after, node) - code_leaf(pairs, pair->before, node);
}

bool code_is_known(const struct pairings *pairs, size_t node)
{
	return pairs->before->has_node[node] && pairs->after->has_node[node];
}

static const char *leaf_of(const struct pairings *pairs, const struct pairing *pair)
{
	double all = difference_of(pair, AMOUNT_BASE), most = 0;
	const char *title = NULL;

	for (size_t i = 0; i < pairs->comparing->result->nnodes; i++) {
		double part = code_is_known(pairs, i) ? leaf_difference(pairs, pair, i) * (all < 0 ? -1 : 1) : 0;

		if (part > most) {
			most = part;
			title = pairs->comparing->result->nodes[i].metric->title;
		}
	}
	return title;
}

/* ---- terms ---- */

static size_t node_named(const struct comparison *result, const char *name)
{
	size_t i = 0;

	while (i < result->nnodes && strcmp(result->nodes[i].metric->name, name) != 0)
		i++;
	return i;
}

/* Of the term's amount, in its direction. */
static double part_of_term(const struct pairings *pairs, const struct pairing *pair, const struct compared_term *term)
{
	if (pairs->comparing->result->is_by_function)
		return function_term(pairs, pair,
				     term->kind == TERM_NODE ? node_named(pairs->comparing->result, term->node)
							     : TABLE_NONE);
	if (term->kind == TERM_INSTRUCTIONS)
		return difference_of(pair, AMOUNT_INSTRUCTIONS);
	if (term->kind == TERM_NODE)
		return leaf_difference(pairs, pair, node_named(pairs->comparing->result, term->node));
	return difference_of(pair, AMOUNT_BASE);
}

static size_t amount_of_term(const struct pairings *pairs, const struct compared_term *term)
{
	if (term->kind == TERM_INSTRUCTIONS)
		return AMOUNT_INSTRUCTIONS;
	return term->kind == TERM_NODE ? AMOUNT_NODES + node_named(pairs->comparing->result, term->node) : AMOUNT_BASE;
}

static bool code_is_placed(const struct pairings *pairs, const struct compared_term *term)
{
	if (term->kind == TERM_NODE)
		return code_is_known(pairs, node_named(pairs->comparing->result, term->node));
	return term->kind != TERM_INSTRUCTIONS || pairs->before->is_exact;
}

static void place_term(struct compared_term *term, const struct pairings *pairs)
{
	const struct compared_metric *instructions = comparison_metric(pairs->comparing->result, "instructions");
	bool is_priced = pairs->comparing->result->is_by_function || term->kind != TERM_INSTRUCTIONS;
	bool is_fewer = is_priced ? term->cycles.value < 0 : instructions->after < instructions->before;
	double sign = is_fewer ? -1 : 1, most = 0;
	const struct pairing *best = NULL;

	if (!code_is_placed(pairs, term))
		return;
	for (size_t i = 0; i < pairs->count; i++) {
		double part = sign * part_of_term(pairs, &pairs->items[i], term);

		if (part > most) {
			most = part;
			best = &pairs->items[i];
		}
	}
	if (!best)
		return;
	term->place = code_place_of(best, amount_of_term(pairs, term));
	term->place.cycles = sign * most;
	if (!is_priced) /* each as dear as on average */
		term->place.cycles *= term->cycles.value / (instructions->after - instructions->before);
}

/* ---- functions ---- */

#define BOTH_SIDES 1.959963984540054 /* the normal distribution's 97.5 % point */

static double samples_of(const struct code_function *function)
{
	double samples = 0;

	for (size_t i = 0; function && i < function->count; i++)
		samples += function->rows[i].samples;
	return samples;
}

/* The whole is measured, so only the function's share varies, as that of its samples among all (a binomial's). */
static double variance_of(const struct code_side *code, const struct code_function *function)
{
	double all = 0, whole = 0, share;

	for (size_t i = 0; i < code->nfunctions; i++) {
		all += samples_of(&code->functions[i]);
		whole += code_sum(&code->functions[i], AMOUNT_BASE);
	}
	share = (samples_of(function) + 1) / (all + 2); /* Laplace's: what was not seen may be there all the same */
	return whole * whole * share * (1 - share) / (all + 2);
}

/* And the whole varies from repeat to repeat: its ratio has an interval. */
static double variance_of_whole(const struct pairings *pairs, const struct pairing *pair)
{
	const struct comparison *result = pairs->comparing->result;
	const struct compared_metric *whole =
		comparison_metric(result, !strcmp(pairs->before->unit, "ns") ? "cpu_s" : "cycles");
	double amount = fmax(code_sum(pair->before, AMOUNT_BASE), code_sum(pair->after, AMOUNT_BASE));
	double half = whole ? (whole->ratio.high - whole->ratio.low) / (2 * BOTH_SIDES) : NAN;

	return isnan(half) ? 0 : pow(amount * half, 2);
}

static struct estimate estimate_difference(const struct pairings *pairs, const struct pairing *pair)
{
	double value = difference_of(pair, AMOUNT_BASE), half;

	if (pairs->before->is_exact)
		return pairs->comparing->result->is_exact ? estimate_exact(value) : estimate_alone(value);
	half = BOTH_SIDES * sqrt(variance_of(pairs->before, pair->before) + variance_of(pairs->after, pair->after) +
				 variance_of_whole(pairs, pair));
	return (struct estimate){ value, value - half, value + half };
}

static bool is_always_inlined(const struct code_function *function)
{
	for (size_t i = 0; function && i < function->count; i++)
		if (!function->rows[i].is_inlined)
			return false;
	return function;
}

static struct compared_function function_of(const struct pairings *pairs, const struct pairing *pair)
{
	const struct code_row *row = (pair->after ? pair->after : pair->before)->rows;
	bool is_exact = pairs->before->is_exact;

	return (struct compared_function){
		.name = row->function,
		.name_before = pair->is_renamed && pair->before ? pair->before->rows->function : NULL,
		.module = row->path,
		.change = pair->is_renamed ? FUNCTION_RENAMED
			  : !pair->before  ? FUNCTION_NEW
			  : !pair->after   ? FUNCTION_REMOVED
					   : FUNCTION_KEPT,
		.before = code_sum(pair->before, AMOUNT_BASE),
		.after = code_sum(pair->after, AMOUNT_BASE),
		.difference = estimate_difference(pairs, pair),
		.instructions_before = is_exact ? code_sum(pair->before, AMOUNT_INSTRUCTIONS) : NAN,
		.instructions_after = is_exact ? code_sum(pair->after, AMOUNT_INSTRUCTIONS) : NAN,
		.node = leaf_of(pairs, pair),
		.line = code_place_of(pair, AMOUNT_BASE),
		.was_inlined = is_always_inlined(pair->before),
		.is_inlined = is_always_inlined(pair->after),
	};
}

static int compare_differences(const void *a, const void *b)
{
	double x = fabs(((const struct compared_function *)a)->difference.value);
	double y = fabs(((const struct compared_function *)b)->difference.value);

	return (x < y) - (x > y);
}

#define ROUNDING 1e-9

static bool has_difference(const struct pairing *pair)
{
	return fabs(difference_of(pair, AMOUNT_BASE)) >
	       ROUNDING * (code_sum(pair->before, AMOUNT_BASE) + code_sum(pair->after, AMOUNT_BASE));
}

static void fill_functions(struct comparing *comparing, const struct pairings *pairs)
{
	struct comparison *result = comparing->result;
	double all = 0;

	result->functions = arena_array(comparing->arena, pairs->count + 1, sizeof(*result->functions));
	for (size_t i = 0; i < pairs->count; i++) {
		const struct pairing *pair = &pairs->items[i];

		if ((!pair->before && !pair->after) ||
		    (!comparing->request->wants_all_functions && !has_difference(pair)))
			continue;
		result->functions[result->nfunctions++] = function_of(pairs, pair);
		all += difference_of(pair, AMOUNT_BASE);
	}
	qsort(result->functions, result->nfunctions, sizeof(*result->functions), compare_differences);
	result->unit = pairs->after->unit;
	result->functions_left = pairs->before->is_exact ? result->cycles_after - result->cycles_before - all : NAN;
}

/* A profile of one side, or profiles of different things, say nothing of functions. */
static bool is_comparable(struct comparing *comparing, const struct code_side *before, const struct code_side *after)
{
	if (!before->unit && !after->unit)
		return false;
	if (!before->unit || !after->unit)
		compare_note(comparing, arena_worded(comparing->arena,
						     "Only one side (%s) has a profile, so functions are not compared; "
						     "{lines} records one.",
						     before->unit ? "before" : "after"));
	else if (strcmp(before->unit, after->unit) != 0 || before->is_exact != after->is_exact)
		compare_note(comparing, "The profiles measure different things (cycles, time, or simulated lines), so "
					"functions are not compared.");
	else
		return true;
	return false;
}

void code_fill(struct comparing *comparing)
{
	struct code_side before, after;
	struct pairings pairs = { .before = &before, .after = &after, .comparing = comparing };

	code_rows_fill(&before, &comparing->before, comparing);
	code_rows_fill(&after, &comparing->after, comparing);
	if (!is_comparable(comparing, &before, &after))
		return;
	code_rows_count_instructions(&before, &after, comparing);
	code_rows_match(&before, &after, comparing->arena);
	pairings_fill(&pairs);
	function_terms_fill(&pairs);
	for (size_t i = 0; i < comparing->result->nterms; i++)
		place_term(&comparing->result->terms[i], &pairs);
	fill_functions(comparing, &pairs);
}
