/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * function_terms.c - terms as sums over functions. By the whole program's mean, a loop that runs twice as often makes
 * all other functions look better: its instructions are cheaper than theirs.
 */
#include <math.h>

#include "analyse/compare/compare_internal.h"

/* Of a function of both sides: the same instructions at another price. */
static double price_of(const struct pairings *pairs, const struct pairing *pair, size_t node)
{
	double before = code_sum(pair->before, AMOUNT_INSTRUCTIONS), after = code_sum(pair->after, AMOUNT_INSTRUCTIONS);

	if (!(before > 0) || !(after > 0))
		return 0;
	return (before + after) / 2 *
	       (code_leaf(pairs, pair->after, node) / after - code_leaf(pairs, pair->before, node) / before);
}

/* The part of the difference that more or fewer instructions bring, at the mean of both prices. */
static double amount_of(const struct pairings *pairs, const struct pairing *pair, size_t node)
{
	return code_leaf(pairs, pair->after, node) - code_leaf(pairs, pair->before, node) - price_of(pairs, pair, node);
}

double function_term(const struct pairings *pairs, const struct pairing *pair, size_t node)
{
	double sum = 0;

	if (node != TABLE_NONE)
		return price_of(pairs, pair, node);
	for (size_t i = 0; i < pairs->comparing->result->nnodes; i++)
		sum += amount_of(pairs, pair, i);
	return sum;
}

static bool is_divided(const struct pairings *pairs)
{
	const struct comparison *result = pairs->comparing->result;

	if (!result->is_exact || !pairs->before->is_exact || !pairs->after->is_exact || !result->nnodes)
		return false;
	for (size_t i = 0; i < result->nnodes; i++)
		if (!code_is_known(pairs, i) || !isfinite(result->nodes[i].cycles.value))
			return false;
	return true;
}

/* Of the whole program: what a node's children leave of its difference. */
static double whole_leaf(const struct comparison *result, const struct model *model, size_t node)
{
	double left = result->nodes[node].cycles.value;

	for (size_t i = node + 1; i < result->nnodes && !result->nodes[node].is_leaf; i++)
		if (result->nodes[i].metric->parent != NO_PARENT &&
		    result->nodes[node].metric == &model->metrics[result->nodes[i].metric->parent])
			left -= result->nodes[i].cycles.value;
	return left;
}

void function_terms_fill(const struct pairings *pairs)
{
	struct comparing *comparing = pairs->comparing;
	const struct comparison *result = comparing->result;
	double *leaves = arena_array(comparing->arena, result->nnodes + 1, sizeof(*leaves));

	if (!is_divided(pairs))
		return;
	for (size_t node = 0; node < result->nnodes; node++) {
		leaves[node] = whole_leaf(result, comparing->request->after.report->model, node);
		for (size_t i = 0; i < pairs->count; i++)
			leaves[node] -= amount_of(pairs, &pairs->items[i], node);
	}
	terms_of_functions(comparing, leaves);
}
