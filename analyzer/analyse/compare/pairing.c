/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pairing.c - which functions of both sides are the same: by module and name. One that has only another name now is
 * found by what its compiler appended to it, or by its lines.
 */
#include <math.h>
#include <string.h>

#include "analyse/compare/compare_internal.h"
#include "common/base/text.h"

static int compare_functions(const struct code_function *a, const struct code_function *b)
{
	int by_module = strcmp(a->rows->module, b->rows->module);

	return by_module ? by_module : compare_texts(a->rows->function, b->rows->function);
}

static void pair_by_name(struct pairings *pairs)
{
	size_t i = 0, k = 0;

	while (i < pairs->before->nfunctions || k < pairs->after->nfunctions) {
		const struct code_function *before =
			i < pairs->before->nfunctions ? &pairs->before->functions[i] : NULL;
		const struct code_function *after = k < pairs->after->nfunctions ? &pairs->after->functions[k] : NULL;
		int order = !before ? 1 : !after ? -1 : compare_functions(before, after);

		pairs->items[pairs->count++] =
			(struct pairing){ .before = order <= 0 ? before : NULL, .after = order >= 0 ? after : NULL };
		i += order <= 0;
		k += order >= 0;
	}
}

/* "work" of "work.constprop.0" and of "work [clone .isra.2]": the length of what the programmer wrote. */
static size_t written_length(const char *name)
{
	static const char *const appended[] = { ".constprop.", ".isra.",     ".part.",	".cold",
						".llvm.",      ".lto_priv.", " [clone " };
	size_t length = strlen(name);

	for (size_t i = 0; i < COUNT_OF(appended); i++) {
		const char *at = strstr(name, appended[i]);

		if (at > name && (size_t)(at - name) < length)
			length = (size_t)(at - name);
	}
	return length;
}

bool is_same_written(const char *a, const char *b)
{
	size_t length = a && b ? written_length(a) : 0;

	return length && length == written_length(b) && !memcmp(a, b, length);
}

#define ALIKE	    0.8	  /* of the amounts lie on the same lines, counted from the first */
#define SAME	    2.0	  /* more than any likeness: the compiler has given it another name */
#define LEAST_LINES 3	  /* fewer look like those of any function */
#define LEAST_PART  0.001 /* of all: what has less is not looked for */

uint32_t code_first_line(const struct code_function *function)
{
	uint32_t first = UINT32_MAX;

	for (size_t i = 0; i < function->count; i++)
		if (function->rows[i].line && function->rows[i].line < first)
			first = function->rows[i].line;
	return first;
}

double code_amount_at(const struct code_function *function, uint32_t offset, size_t amount)
{
	uint32_t first = function ? code_first_line(function) : 0;
	double sum = 0;

	for (size_t i = 0; function && i < function->count; i++)
		if (function->rows[i].line && function->rows[i].line - first == offset)
			sum += function->rows[i].amounts[amount];
	return sum;
}

/* How much of both functions' amounts is on the same lines; 0 to 1. */
static double likeness(const struct code_function *a, const struct code_function *b)
{
	double all_a = code_sum(a, AMOUNT_BASE), all_b = code_sum(b, AMOUNT_BASE), common = 0;
	uint32_t first = code_first_line(a);

	if (a->count < LEAST_LINES || b->count < LEAST_LINES || !(all_a > 0) || !(all_b > 0))
		return 0;
	for (size_t i = 0; i < a->count; i++)
		if (a->rows[i].line)
			common += fmin(a->rows[i].amounts[AMOUNT_BASE] / all_a,
				       code_amount_at(b, a->rows[i].line - first, AMOUNT_BASE) / all_b);
	return common;
}

static bool is_large(const struct code_function *function, double all)
{
	return code_sum(function, AMOUNT_BASE) > LEAST_PART * all;
}

/* The pair of the function that has come and is most like the one that has gone; NULL: none is. */
static struct pairing *find_renamed(struct pairings *pairs, const struct code_function *gone, double all)
{
	struct pairing *best = NULL;
	double most = ALIKE;

	for (size_t i = 0; i < pairs->count; i++) {
		struct pairing *pair = &pairs->items[i];
		double like;

		if (pair->before || !pair->after || strcmp(pair->after->rows->module, gone->rows->module) != 0 ||
		    !is_large(pair->after, all))
			continue;
		like = is_same_written(gone->rows->function, pair->after->rows->function) ? SAME
											  : likeness(gone, pair->after);
		if (like >= most) {
			most = like;
			best = pair;
		}
	}
	return best;
}

static void pair_by_lines(struct pairings *pairs)
{
	double all = 0;

	for (size_t i = 0; i < pairs->count; i++)
		all += code_sum(pairs->items[i].before, AMOUNT_BASE);
	for (size_t i = 0; i < pairs->count; i++) {
		const struct code_function *gone = pairs->items[i].before;
		struct pairing *renamed;

		if (!gone || pairs->items[i].after || !is_large(gone, all))
			continue;
		renamed = find_renamed(pairs, gone, all);
		if (!renamed)
			continue;
		renamed->before = gone;
		renamed->is_renamed = true;
		pairs->items[i].before = NULL;
	}
}

void pairings_fill(struct pairings *pairs)
{
	pairs->items = arena_array(pairs->comparing->arena, pairs->before->nfunctions + pairs->after->nfunctions + 1,
				   sizeof(*pairs->items));
	pair_by_name(pairs);
	pair_by_lines(pairs);
}
