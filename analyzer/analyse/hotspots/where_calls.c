/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * where_calls.c - who called a function, and what it called: of its total, each part by exactly one caller and to
 * exactly one callee. Where it called itself, the caller is the outermost one's, and the callee the innermost one's.
 */
#include "analyse/hotspots/where.h"

#include "common/base/text.h"

/* Beside the numbers of functions. */
enum { OUTSIDE = 0, ITSELF, LOST, OTHERS };

/* What is on the way to a stack, from its root: who called the subject, and what it called at last. */
struct passage {
	bool has_subject;
	uint32_t caller; /* OTHERS + function; OUTSIDE: the subject is the first of the stack */
	uint32_t callee; /* OTHERS + function; ITSELF: the subject is the last until now */
	uint32_t last;	 /* OTHERS + function, the last until now; OUTSIDE: there is none */
};

/* Frames of a place from the outermost to the innermost. */
static struct passage where_calls_pass(struct passage way, const struct functions *functions, uint32_t place,
				       const bool *subject)
{
	for (size_t slot = functions->first[place + 1]; slot-- > functions->first[place];) {
		uint32_t function = functions->of[slot];

		if (subject[function]) {
			way.caller = way.has_subject ? way.caller : way.last;
			way.callee = ITSELF;
			way.has_subject = true;
		} else if (way.callee == ITSELF && way.has_subject) {
			way.callee = OTHERS + function;
		}
		way.last = OTHERS + function;
	}
	return way;
}

/* Callers stand before what they called, or the stack is taken to begin here. */
static struct passage *passages(const struct where_sums *sums, const bool *subject)
{
	const struct profile *profile = sums->functions->profile;
	struct passage *ways = arena_array(sums->arena, (size_t)profile->nstacks + 1, sizeof(*ways));

	for (uint32_t i = 0; i < profile->nstacks; i++) {
		const struct profile_stack *stack = &profile->stacks[i];
		const struct passage none = { .callee = OUTSIDE };

		ways[i] = where_calls_pass(stack->caller < i ? ways[stack->caller] : none, sums->functions,
					   stack->place, subject);
	}
	return ways;
}

static void where_calls_add(struct amount *sum, struct amount more)
{
	sum->weight += more.weight;
	sum->samples += more.samples;
}

static const char *special_name(uint32_t who)
{
	static const char *const names[] = { [OUTSIDE] = "[no caller]", [ITSELF] = "[itself]", [LOST] = "[truncated]" };

	return names[who];
}

static struct where_rows rows_of(const struct amount *amounts, const struct where_sums *sums)
{
	const struct functions *functions = sums->functions;
	struct where_rows rows = { .items = arena_array(sums->arena, functions->count + OTHERS, sizeof(*rows.items)) };

	for (size_t i = 0; i < functions->count + OTHERS; i++) {
		const struct profile_function *function = i < OTHERS ? NULL : &functions->items[i - OTHERS];

		if (!(amounts[i].weight > 0))
			continue;
		rows.items[rows.count++] = (struct where_row){
			.function = i < OTHERS ? special_name((uint32_t)i) : function->name,
			.module = function ? functions->profile->modules[function->module].path : NULL,
			.self = share_of_amount(sums->weighing, amounts[i]),
			.total = share_exact(NOT_COUNTED, NOT_COUNTED),
			.base = share_exact(NOT_COUNTED, NOT_COUNTED),
		};
	}
	where_sort(&rows);
	return rows;
}

static void name_subject(struct where_calls *calls, const struct functions *functions, const bool *subject)
{
	bool is_first = true;

	for (size_t i = 0; i < functions->count; i++) {
		const char *module;

		if (!subject[i])
			continue;
		module = functions->profile->modules[functions->items[i].module].path;
		calls->function = functions->items[i].name ? functions->items[i].name : "[unknown]";
		calls->module = is_first || !compare_texts(calls->module, module) ? module : NULL;
		is_first = false;
	}
}

void where_fill_calls(struct where_calls *calls, const struct where_sums *sums, const bool *subject)
{
	const struct profile *profile = sums->functions->profile;
	const struct passage *ways = passages(sums, subject);
	struct amount *callers = arena_array(sums->arena, sums->functions->count + OTHERS, sizeof(*callers));
	struct amount *callees = arena_array(sums->arena, sums->functions->count + OTHERS, sizeof(*callees));
	struct amount total = { 0 };

	for (uint32_t i = 0; i < profile->nrows; i++) {
		const struct profile_row *row = &profile->rows[i];
		const struct passage *way = &ways[row->stack];
		const struct amount amount = { sums->weighing->weights[i],
					       sums->weighing->is_exact ? 0 : row->samples };

		if (!way->has_subject || !sums->is_kept[i] || !(amount.weight > 0))
			continue;
		where_calls_add(&callers[way->caller == OUTSIDE && row->is_truncated ? LOST : way->caller], amount);
		where_calls_add(&callees[way->callee], amount);
		where_calls_add(&total, amount);
	}
	name_subject(calls, sums->functions, subject);
	calls->total = share_of_amount(sums->weighing, total);
	calls->self = share_of_amount(sums->weighing, callees[ITSELF]);
	calls->callers = rows_of(callers, sums);
	calls->callees = rows_of(callees, sums);
}
