/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gate_causes.c - why a limit is exceeded: the node, the function and the line with most of the excess. */
#include "analyse/gate/gate_judge.h"

#include <math.h>
#include <string.h>

#include "common/base/text.h"

/* What a cause is chosen by: how much of the excess a function has; NAN or below: it is none. */
typedef double excess_of(const struct compared_function *function, const struct gate_row *row);

static double more_instructions(const struct compared_function *function, const struct gate_row *row UNUSED)
{
	double before = isnan(function->instructions_before) ? 0 : function->instructions_before;

	return function->instructions_after - before;
}

static double more_cycles(const struct compared_function *function, const struct gate_row *row UNUSED)
{
	return function->difference.value;
}

static double more_in_node(const struct compared_function *function, const struct gate_row *row)
{
	return function->node && is_same_name(function->node, row->title) ? function->difference.value : 0;
}

static bool is_cause(const struct gate_row *row, const struct compared_function *function)
{
	for (size_t i = 0; i < row->ncauses; i++)
		if (row->causes[i].function == function->name)
			return true;
	return false;
}

static void gate_causes_add_function(struct gate_row *row, const struct compared_function *function, double amount,
				     const char *unit)
{
	row->causes[row->ncauses++] = (struct gate_cause){ .node = function->node,
							   .function = function->name,
							   .module = function->module,
							   .file = function->line.file,
							   .line = function->line.line,
							   .amount = amount,
							   .unit = unit };
}

/* The largest that is none yet. */
static bool add_largest(struct gate_row *row, const struct comparison *comparison, excess_of *excess, const char *unit)
{
	const struct compared_function *best = NULL;
	double most = 0;

	for (size_t i = 0; i < comparison->nfunctions; i++) {
		double amount = excess(&comparison->functions[i], row);

		if (amount > most && comparison->functions[i].name && !is_cause(row, &comparison->functions[i])) {
			most = amount;
			best = &comparison->functions[i];
		}
	}
	if (!best)
		return false;
	gate_causes_add_function(row, best, most, unit);
	return true;
}

#define LEAST_OF_FIRST 0.1 /* smaller causes than that part of the first are not worth a line */

static void gate_causes_add_functions(struct gate_row *row, const struct comparison *comparison, excess_of *excess,
				      const char *unit)
{
	while (row->ncauses < MOST_CAUSES && add_largest(row, comparison, excess, unit))
		;
	while (row->ncauses > 1 && row->causes[row->ncauses - 1].amount < LEAST_OF_FIRST * row->causes[0].amount)
		row->ncauses--;
}

/* The node that has most of the difference in cycles, where no function has one. */
static void gate_causes_add_term(struct gate_row *row, const struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->nterms; i++) {
		const struct compared_term *term = &comparison->terms[i];

		if (!(term->cycles.value > 0))
			continue;
		if (row->ncauses && !row->causes[0].node)
			row->causes[0].node = term->title;
		else if (!row->ncauses)
			row->causes[row->ncauses++] = (struct gate_cause){ .node = term->title,
									   .function = term->place.function,
									   .module = term->place.module,
									   .file = term->place.file,
									   .line = term->place.line,
									   .amount = term->cycles.value,
									   .unit = "cycles" };
		return;
	}
}

void gate_find_causes(struct gate_row *row, const struct comparison *comparison)
{
	const struct compared_metric *metric = gate_metric(comparison, row->limit->metric);
	const struct compared_function *function =
		row->limit->function ? gate_function(comparison, row->limit->function) : NULL;
	const char *unit = comparison->unit ? comparison->unit : "cycles";

	if (function)
		gate_causes_add_function(row, function, function->difference.value, unit);
	else if (is_same_name(row->limit->metric, "instructions"))
		gate_causes_add_functions(row, comparison, more_instructions, "instructions");
	else if (metric && metric->metric && metric->metric->level)
		gate_causes_add_functions(row, comparison, more_in_node, unit);
	if (!row->ncauses)
		gate_causes_add_functions(row, comparison, more_cycles, unit);
	gate_causes_add_term(row, comparison);
}
