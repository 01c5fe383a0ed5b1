/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * terms.c - what the difference in cycles consists of. The tree divides the slots, and so the cycles, among its leaves:
 * where children count in other parts than slots, they divide what their parent has.
 */
#include <math.h>
#include <stdlib.h>

#include "analyse/compare/sides.h"
#include "common/base/text.h"

#define LEAST_SLOTS 80 /* percent that level 1 must come to, on both sides */
#define MOST_SLOTS  120

/* Row i is node i, and row nnodes + i what its children leave of it; each has a share of the slots in each repeat. */
struct shares {
	size_t nnodes, nrows;
	size_t *parents; /* number of a node's parent among them, or NO_PARENT */
	bool *has_children;
	double *before, *after; /* [row * count + repeat]; 0 to 1 */
};

/* ---- the nodes of both sides ---- */

static bool is_measured(const struct side *side, const struct result *result)
{
	for (size_t i = 0; result && i < side->count; i++)
		if (!isfinite(side_value(side, result, i)))
			return false;
	return result;
}

static void find_nodes(struct comparing *comparing)
{
	const struct report *report = comparing->request->after.report;
	struct comparison *result = comparing->result;
	unsigned level = comparing->request->level ? comparing->request->level : DEEPEST_LEVEL;

	result->nodes = arena_array(comparing->arena, report->nnodes + 1, sizeof(*result->nodes));
	for (size_t i = 0; i < report->nnodes; i++) {
		const struct result *after = &report->nodes[i];
		const struct compared_metric *metric = comparison_metric(result, after->metric->name);

		if (after->metric->level > level || !metric || !is_measured(&comparing->after, after) ||
		    !is_measured(&comparing->before, side_result(&comparing->before, after->metric)))
			continue;
		result->nodes[result->nnodes++] = (struct compared_node){ .metric = after->metric,
									  .before = metric->before,
									  .after = metric->after,
									  .cycles = estimate_alone(NAN),
									  .p = metric->p };
	}
}

/* The nearest node above it that both sides have. */
static size_t terms_parent_of(const struct comparison *result, size_t node, const struct model *model)
{
	for (size_t up = result->nodes[node].metric->parent; up != NO_PARENT; up = model->metrics[up].parent)
		for (size_t i = 0; i < node; i++)
			if (result->nodes[i].metric == &model->metrics[up])
				return i;
	return NO_PARENT;
}

/* ---- shares of the slots ---- */

static bool is_of_slots(const struct metric *metric)
{
	return !*metric->domain || is_same_name(metric->domain, "Slots");
}

/* A repeat of a side while its slots are divided. */
struct dividing {
	const struct comparison *result;
	const struct shares *shares;
	const double *values; /* [nnodes], percent */
	double *of;	      /* [nrows] */
};

static double terms_value_of(const struct dividing *d, size_t node)
{
	return fmax(d->values[node], 0);
}

static void divide_node(const struct dividing *d, size_t parent)
{
	const struct shares *shares = d->shares;
	double sum = 0, whole = terms_value_of(d, parent), left = d->of[parent];
	bool are_slots = true;

	for (size_t i = 0; i < shares->nnodes; i++)
		if (shares->parents[i] == parent) {
			sum += terms_value_of(d, i);
			are_slots = are_slots && is_of_slots(d->result->nodes[i].metric);
		}
	whole = are_slots ? fmax(whole, sum) : sum;
	for (size_t i = 0; i < shares->nnodes; i++)
		if (shares->parents[i] == parent) {
			d->of[i] = whole > 0 ? d->of[parent] * terms_value_of(d, i) / whole : 0;
			left -= d->of[i];
		}
	d->of[shares->nnodes + parent] = shares->has_children[parent] && fabs(left) > 1e-12 ? left : 0;
}

/* False: level 1 is not all of the slots. */
static bool divide_slots(const struct dividing *d)
{
	const struct shares *shares = d->shares;
	double sum = 0;

	for (size_t i = 0; i < shares->nnodes; i++)
		if (shares->parents[i] == NO_PARENT && is_of_slots(d->result->nodes[i].metric))
			sum += terms_value_of(d, i);
	if (sum < LEAST_SLOTS || sum > MOST_SLOTS)
		return false;
	for (size_t i = 0; i < shares->nnodes; i++) {
		if (shares->parents[i] == NO_PARENT)
			d->of[i] = is_of_slots(d->result->nodes[i].metric) ? terms_value_of(d, i) / sum : 0;
		divide_node(d, i);
	}
	return true;
}

static bool fill_side(double *rows, const struct shares *shares, const struct side *side, struct comparing *comparing)
{
	double *values = arena_array(comparing->arena, shares->nnodes + 1, sizeof(*values));
	double *of = arena_array(comparing->arena, shares->nrows + 1, sizeof(*of));
	const struct dividing dividing = { comparing->result, shares, values, of };

	for (size_t k = 0; k < side->count; k++) {
		for (size_t i = 0; i < shares->nnodes; i++)
			values[i] = side_value(side, side_result(side, comparing->result->nodes[i].metric), k);
		if (!divide_slots(&dividing))
			return false;
		for (size_t i = 0; i < shares->nrows; i++)
			rows[i * side->count + k] = of[i];
	}
	return true;
}

static bool find_shares(struct shares *shares, struct comparing *comparing)
{
	const struct comparison *result = comparing->result;
	const struct model *model = comparing->request->after.report->model;
	struct arena *arena = comparing->arena;

	*shares = (struct shares){ .nnodes = result->nnodes, .nrows = 2 * result->nnodes };
	shares->parents = arena_array(arena, shares->nnodes + 1, sizeof(*shares->parents));
	shares->has_children = arena_array(arena, shares->nnodes + 1, sizeof(*shares->has_children));
	shares->before = arena_array(arena, shares->nrows * comparing->before.count + 1, sizeof(double));
	shares->after = arena_array(arena, shares->nrows * comparing->after.count + 1, sizeof(double));
	for (size_t i = 0; i < shares->nnodes; i++) {
		shares->parents[i] = terms_parent_of(result, i, model);
		if (shares->parents[i] != NO_PARENT)
			shares->has_children[shares->parents[i]] = true;
	}
	if (!shares->nnodes || !fill_side(shares->before, shares, &comparing->before, comparing) ||
	    !fill_side(shares->after, shares, &comparing->after, comparing)) {
		shares->nnodes = shares->nrows = 0;
		return false;
	}
	return true;
}

/* ---- terms ---- */

/* What the bootstrap computes: for each row its cycles, and its cycles by instruction; then what has no row. */
enum { FIGURE_OF_INSTRUCTIONS, FIGURE_OF_CPI, FIGURE_OF_ALL, FIGURES_BESIDE };

struct term_context {
	const struct comparing *comparing;
	const struct shares *shares;
	double *drawn, *scratch;
};

static double median_of(const double *values, const size_t *numbers, size_t count, const struct term_context *context)
{
	for (size_t i = 0; i < count; i++)
		context->drawn[i] = values[numbers[i]];
	return median(context->drawn, count, context->scratch);
}

static double mean_of(const double *values, const size_t *numbers, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += values[numbers[i]];
	return sum / (double)count;
}

static void term_figures(double *figures, const struct resample *drawn, void *given)
{
	const struct term_context *context = given;
	const struct comparing *comparing = context->comparing;
	const struct side *before = &comparing->before, *after = &comparing->after;
	double c1 = median_of(before->cycles, drawn->before, drawn->nbefore, context);
	double c2 = median_of(after->cycles, drawn->after, drawn->nafter, context);
	double i1 = median_of(before->instructions, drawn->before, drawn->nbefore, context);
	double i2 = median_of(after->instructions, drawn->after, drawn->nafter, context);
	size_t rows = context->shares->nrows;

	for (size_t r = 0; r < rows; r++) {
		double s1 = mean_of(context->shares->before + r * before->count, drawn->before, drawn->nbefore);
		double s2 = mean_of(context->shares->after + r * after->count, drawn->after, drawn->nafter);

		figures[r] = c2 * s2 - c1 * s1;
		figures[rows + r] = (i1 + i2) / 2 * (c2 * s2 / i2 - c1 * s1 / i1);
	}
	figures[2 * rows + FIGURE_OF_INSTRUCTIONS] = (i2 - i1) * (c1 / i1 + c2 / i2) / 2;
	figures[2 * rows + FIGURE_OF_CPI] = (i1 + i2) / 2 * (c2 / i2 - c1 / i1);
	figures[2 * rows + FIGURE_OF_ALL] = c2 - c1;
}

static struct estimate *estimate_terms(const struct shares *shares, const struct comparing *comparing)
{
	size_t most = comparing->before.count + comparing->after.count + 1, count = 2 * shares->nrows + FIGURES_BESIDE;
	struct term_context context = { comparing, shares, arena_array(comparing->arena, most, sizeof(double)),
					arena_array(comparing->arena, most, sizeof(double)) };
	struct estimate *estimates = arena_array(comparing->arena, count, sizeof(*estimates));

	bootstrap(estimates, count, &comparing->repeats, term_figures, &context);
	for (size_t i = 0; comparing->result->is_exact && i < count; i++)
		estimates[i] = estimate_exact(estimates[i].value);
	return estimates;
}

#define ROUNDING 1e-9 /* of all cycles: no term */

static void terms_add_term(struct comparing *comparing, struct compared_term term)
{
	struct comparison *result = comparing->result;

	if (!(fabs(term.cycles.value) > ROUNDING * result->cycles_before))
		return;
	term.percent = term.cycles.value / result->cycles_before * 100;
	result->terms[result->nterms++] = term;
}

static void add_leaf(struct comparing *comparing, const struct metric *metric, bool has_children,
		     struct estimate cycles)
{
	const char *title = has_children ? arena_printf(comparing->arena, "%s, rest", metric->title) : metric->title;

	terms_add_term(comparing, (struct compared_term){ .kind = TERM_NODE,
							  .title = title,
							  .node = metric->name,
							  .path = metric->path,
							  .cycles = cycles });
}

static void add_leaves(struct comparing *comparing, const struct shares *shares, const struct estimate *estimates)
{
	for (size_t i = 0; i < shares->nnodes; i++) {
		bool has_children = shares->has_children[i];

		add_leaf(comparing, comparing->result->nodes[i].metric, has_children,
			 estimates[shares->nrows + (has_children ? shares->nnodes + i : i)]);
	}
}

static int compare_terms(const void *a, const void *b)
{
	double x = fabs(((const struct compared_term *)a)->cycles.value);
	double y = fabs(((const struct compared_term *)b)->cycles.value);

	return (x < y) - (x > y);
}

static const char *instructions_title(const struct estimate *cycles)
{
	return cycles->value > 0 ? "more instructions" : "fewer instructions";
}

static void add_instructions(struct comparing *comparing, struct estimate cycles)
{
	terms_add_term(comparing, (struct compared_term){ .kind = TERM_INSTRUCTIONS,
							  .title = instructions_title(&cycles),
							  .cycles = cycles });
}

void terms_of_functions(struct comparing *comparing, const double *leaves)
{
	struct comparison *result = comparing->result;
	double left = result->cycles_after - result->cycles_before;

	result->nterms = 0;
	for (size_t i = 0; i < result->nnodes; i++) {
		add_leaf(comparing, result->nodes[i].metric, !result->nodes[i].is_leaf, estimate_exact(leaves[i]));
		left -= leaves[i];
	}
	add_instructions(comparing, estimate_exact(left));
	qsort(result->terms, result->nterms, sizeof(*result->terms), compare_terms);
	result->is_by_function = true;
}

#define ODD_PERCENT 100 /* of the cycles before: nothing by itself could save more */

/* Fewer instructions, each of which takes longer, stand for more cycles than there were: their price says why. */
void terms_explain(struct comparing *comparing)
{
	struct comparison *result = comparing->result;
	const struct compared_metric *instructions = comparison_metric(result, "instructions");

	for (size_t i = 0; i < result->nterms && instructions && !result->is_by_function; i++) {
		double was = result->cycles_before / instructions->before,
		       is = result->cycles_after / instructions->after;

		if (result->terms[i].kind != TERM_INSTRUCTIONS || !(result->terms[i].percent < -ODD_PERCENT))
			continue;
		result->terms[i].title =
			arena_printf(comparing->arena, "fewer instructions, %.2f cycles each", (was + is) / 2);
		compare_note(comparing, arena_printf(comparing->arena,
						     "One instruction fewer saves the mean of both sides' cycles per "
						     "instruction: %.2f before, %.2f now. So fewer instructions save "
						     "more than all cycles before, and slower ones offset that.",
						     was, is));
	}
}

static void add_terms(struct comparing *comparing, const struct shares *shares, const struct estimate *estimates)
{
	struct comparison *result = comparing->result;
	const struct estimate *beside = estimates + 2 * shares->nrows;
	bool has_instructions = isfinite(beside[FIGURE_OF_INSTRUCTIONS].value);

	result->terms = arena_array(comparing->arena, shares->nrows + FIGURES_BESIDE, sizeof(*result->terms));
	if (!has_instructions) {
		terms_add_term(comparing,
			       (struct compared_term){ .kind = TERM_ALL,
						       .title = beside[FIGURE_OF_ALL].value > 0 ? "more cycles"
												: "fewer cycles",
						       .cycles = beside[FIGURE_OF_ALL] });
		return;
	}
	add_instructions(comparing, beside[FIGURE_OF_INSTRUCTIONS]);
	if (shares->nnodes)
		add_leaves(comparing, shares, estimates);
	else
		terms_add_term(comparing, (struct compared_term){ .kind = TERM_CPI,
								  .title = beside[FIGURE_OF_CPI].value > 0
										   ? "more cycles per instruction"
										   : "fewer cycles per instruction",
								  .cycles = beside[FIGURE_OF_CPI] });
	qsort(result->terms, result->nterms, sizeof(*result->terms), compare_terms);
}

static void fill_node_cycles(struct comparison *result, const struct shares *shares, const struct estimate *estimates)
{
	for (size_t i = 0; i < shares->nnodes; i++) {
		result->nodes[i].cycles = estimates[i];
		result->nodes[i].is_leaf = !shares->has_children[i];
	}
}

void terms_fill(struct comparing *comparing)
{
	struct comparison *result = comparing->result;
	const struct compared_metric *cycles = comparison_metric(result, "cycles");
	struct shares shares = { 0 };
	struct estimate *estimates;

	result->cycles_before = cycles ? cycles->before : NAN;
	result->cycles_after = cycles ? cycles->after : NAN;
	if (!comparing->request->after.report || !comparing->request->before.report)
		return;
	find_nodes(comparing);
	if (!cycles || cycles->nbefore < comparing->before.count || cycles->nafter < comparing->after.count)
		return;
	if (!find_shares(&shares, comparing) && result->nnodes)
		compare_note(comparing, "Level 1 is not all of the slots on both sides, so the cycles are not divided "
					"among the nodes.");
	estimates = estimate_terms(&shares, comparing);
	add_terms(comparing, &shares, estimates);
	fill_node_cycles(result, &shares, estimates);
}
