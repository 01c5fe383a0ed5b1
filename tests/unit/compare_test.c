/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compare_test.c - verdicts on made-up times: the same program is seldom called slower or faster, a slowdown of 2 % is
 * found, and what few pairs can't show is not claimed. Ranks and verdicts by hand.
 */
#include "rows.h"

#include <math.h>
#include <string.h>

#include "analyse/compare/compare.h"
#include "analyse/compare/compare_internal.h"
#include "common/base/macros.h"
#include "common/base/shell_words.h"

#if defined(__SANITIZE_ADDRESS__) /* several times as slow */
#define TRIALS 100
#else
#define TRIALS 1000
#endif

/* ---- times ---- */

/* Of a normal distribution: a sum of twelve uniform numbers (xorshift64*). */
static double draw_normal(uint64_t *state)
{
	double sum = 0;

	for (int i = 0; i < 12; i++) {
		*state ^= *state >> 12;
		*state ^= *state << 25;
		*state ^= *state >> 27;
		sum += (double)((*state * 0x2545f4914f6cdd1d) >> 11) * 0x1p-53;
	}
	return sum - 6;
}

struct timed {
	struct counts part;
	struct measurement measured;
	struct repeat repeats[32];
	struct count_run runs[32];
};

static struct compare_side side_of(struct timed *timed, const char *label)
{
	timed->measured = (struct measurement){ .parts = &timed->part, .count = 1, .from_s = NAN, .to_s = NAN };
	timed->part.repeats = timed->repeats;
	return (struct compare_side){ .label = label, .measured = &timed->measured };
}

static void set_times(struct timed *timed, const double *seconds, size_t count)
{
	*timed = (struct timed){ .part.nrepeats = count };
	for (size_t i = 0; i < count; i++) {
		timed->runs[i] = (struct count_run){ .wall_s = seconds[i], .cpu_s = seconds[i] };
		timed->repeats[i] = (struct repeat){ .runs = &timed->runs[i], .nruns = 1 };
	}
}

static struct comparison compared(struct timed sides[2], bool is_paired, struct arena *arena)
{
	struct compare_request *request = arena_alloc(arena, sizeof(*request));
	struct comparison comparison;
	struct error err = { .text = "" };

	*request = (struct compare_request){ .before = side_of(&sides[0], "a"),
					     .after = side_of(&sides[1], "b"),
					     .is_paired = is_paired };
	assert_int_equal(compare(&comparison, request, arena, &err), 0);
	return comparison;
}

#define PAIRS 10

/* What every pair has in common (a clock, a neighbour) varies by shared, each measurement by cv. */
struct noise {
	double cv, shared, slowdown;
	bool is_paired;
};

static enum verdict try_once(const struct noise *noise, uint64_t *state)
{
	double times[2][PAIRS];
	struct timed sides[2];
	enum verdict verdict;
	struct arena arena;

	arena_init(&arena);
	for (size_t i = 0; i < PAIRS; i++) {
		double common = exp(noise->shared * draw_normal(state));

		times[0][i] = common * exp(noise->cv * draw_normal(state));
		times[1][i] = common * exp(noise->cv * draw_normal(state)) * (1 + noise->slowdown);
	}
	set_times(&sides[0], times[0], PAIRS);
	set_times(&sides[1], times[1], PAIRS);
	verdict = compared(sides, noise->is_paired, &arena).verdict;
	arena_release(&arena);
	return verdict;
}

/* The number of times that each verdict comes. */
static void count_verdicts(size_t counts[VERDICT_UNKNOWN + 1], const struct noise *noise, size_t trials)
{
	uint64_t state = 88172645463325252;

	for (size_t i = 0; i < trials; i++)
		counts[try_once(noise, &state)]++;
}

static void same_programs_differ_seldom(void **state)
{
	static const struct {
		struct noise noise;
		size_t trials;
	} rows[] = { { { 0.01, 0, 0, true }, TRIALS },
		     { { 0.03, 0, 0, false }, TRIALS / 4 },
		     { { 0.01, 0.10, 0, true }, TRIALS / 4 } };
	struct rows results = { 0 };
	char name[64];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		size_t counts[VERDICT_UNKNOWN + 1] = { 0 };

		count_verdicts(counts, &rows[i].noise, rows[i].trials);
		snprintf(name, sizeof(name), "row %zu: %zu slower, %zu faster of %zu", i, counts[VERDICT_SLOWER],
			 counts[VERDICT_FASTER], rows[i].trials);
		row_expect(&results, name, counts[VERDICT_SLOWER] + counts[VERDICT_FASTER] <= rows[i].trials / 20,
			   "at most 5 %");
	}
	rows_end(&results);
}

/* 2 % at a variation of 1 %; and in pairs also where both vary by 10 % together. */
static void small_slowdowns_are_found(void **state)
{
	static const struct noise rows[] = { { 0.01, 0, 0.02, true },
					     { 0.01, 0, 0.02, false },
					     { 0.007, 0.10, 0.02, true } };
	struct rows results = { 0 };
	char name[64];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		size_t counts[VERDICT_UNKNOWN + 1] = { 0 };

		count_verdicts(counts, &rows[i], TRIALS / 5);
		snprintf(name, sizeof(name), "row %zu: %zu of %d", i, counts[VERDICT_SLOWER], TRIALS / 5);
		row_expect(&results, name, counts[VERDICT_SLOWER] >= TRIALS * 4 / 25, "at least 80 %");
	}
	rows_end(&results);
}

/* ---- verdicts ---- */

static void verdicts_by_hand(void **state)
{
	static const double base[] = { 1.000, 1.001, 0.999, 1.002, 0.998, 1.0005 };
	static const struct {
		const char *name;
		double factor;
		size_t count;
		enum verdict verdict;
		const char *says;
	} rows[] = {
		{ "twice as slow", 2, 6, VERDICT_SLOWER, "2.00 times as long, +100.0 % (95 %: " },
		{ "twice as fast", 0.5, 6, VERDICT_FASTER, "2.00 times as fast, -50.0 % (95 %: " },
		{ "the same", 1, 6, VERDICT_SAME, "the same within 1 %" },
		{ "four pairs", 2, 4, VERDICT_UNKNOWN, "can't tell: about 1 more pair (4 were measured" },
		{ "one pair", 2, 1, VERDICT_UNKNOWN, "can't tell: about 4 more pairs (1 was measured" },
	};
	struct rows results = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		double times[2][6];
		struct timed sides[2];
		struct comparison comparison;
		struct arena arena;

		arena_init(&arena);
		for (size_t k = 0; k < rows[i].count; k++) {
			times[0][k] = base[k];
			times[1][k] = base[(k + 2) % rows[i].count] * rows[i].factor;
		}
		set_times(&sides[0], times[0], rows[i].count);
		set_times(&sides[1], times[1], rows[i].count);
		comparison = compared(sides, true, &arena);
		row_expect(&results, rows[i].name, comparison.verdict == rows[i].verdict,
			   verdict_name(comparison.verdict));
		row_expect(&results, rows[i].name, !strncmp(comparison.sentence, rows[i].says, strlen(rows[i].says)),
			   comparison.sentence);
		arena_release(&arena);
	}
	rows_end(&results);
}

/* The tables of Mann and Whitney: of n and n values the least p is 2 / C(2n, n). */
static void least_p(void **state)
{
	static const double before[] = { 1, 2, 3, 4, 5 }, after[] = { 6, 7, 8, 9, 10 }, equal[] = { 3, 3, 3, 3, 3 };
	const struct two_series apart = { before, after, 5, 5 }, four = { before, after, 4, 4 };
	const struct two_series same = { equal, equal, 5, 5 };
	struct arena arena;

	(void)state;
	arena_init(&arena);
	assert_true(fabs(mann_whitney_p(&apart, &arena) - 2.0 / 252) < 1e-12);
	assert_true(fabs(mann_whitney_p(&four, &arena) - 2.0 / 70) < 1e-12);
	assert_true(fabs(signed_rank_p(&apart, &arena) - 2.0 / 32) < 1e-12);
	assert_true(fabs(mann_whitney_p(&same, &arena) - 1) < 1e-12);
	assert_true(fabs(signed_rank_p(&same, &arena) - 1) < 1e-12);
	arena_release(&arena);
}

/* ---- commands in one word ---- */

static void words_are_those_of_a_shell(void **state)
{
	static const struct {
		const char *text, *words; /* with '|' between; NULL: an error, */
		const char *error;	  /* which has this in it */
	} rows[] = {
		{ "./old 6", "./old|6", NULL },
		{ "  a\t'b c'  \"d \\\" e\" ", "a|b c|d \" e", NULL },
		{ "a\\ b '' x'y'\"z\"", "a b||xyz", NULL },
		{ "sh -c 'a | b > c'", "sh|-c|a | b > c", NULL },
		{ "a=1 #b", NULL, "needs a shell" },
		{ "x#y a~b", "x#y|a~b", NULL },
		{ "\"a\\nb\"", "a\\nb", NULL },
		{ "a 'b", NULL, "the quote ' in column 3 is not closed" },
		{ "a \"b", NULL, "the quote \" in column 3 is not closed" },
		{ "a b\\", NULL, "nothing follows the backslash" },
		{ "a | b", NULL, "needs a shell" },
		{ "a \"$HOME\"", NULL, "needs a shell" },
		{ " ", NULL, "no program" },
	};
	struct rows results = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct shell_words split;
		struct error err = { .text = "" };
		struct arena arena;
		char joined[256] = "";
		int status;

		arena_init(&arena);
		status = shell_words_split(&split, rows[i].text, &arena, &err);
		for (size_t k = 0; status == 0 && k < split.count; k++)
			snprintf(joined + strlen(joined), sizeof(joined) - strlen(joined), "%s%s", k ? "|" : "",
				 split.words[k]);
		if (rows[i].words)
			row_expect(&results, rows[i].text, status == 0 && !strcmp(joined, rows[i].words), joined);
		else
			row_expect(&results, rows[i].text, status < 0 && strstr(err.text, rows[i].error), err.text);
		arena_release(&arena);
	}
	rows_end(&results);
}

/* Of what a report shows of a command: arguments with blanks and quotes are quoted. */
static void the_program_is_the_first_word(void **state)
{
	static const struct {
		const char *command, *rest;
	} rows[] = {
		{ "./prog 6", " 6" },
		{ "./prog", "" },
		{ "'./a b/pr og' 6", " 6" },
		{ "'./it'\\''s q' now", " now" },
		{ "a\\ b \"c d\"", " \"c d\"" },
		{ "\"a \\\" b\" c", " c" },
		{ "'no end 6", "" },
	};
	struct rows results = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		row_expect_text(&results, rows[i].command, rows[i].command + shell_words_first(rows[i].command),
				rows[i].rest);
	rows_end(&results);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_program_is_the_first_word),
		cmocka_unit_test(least_p),
		cmocka_unit_test(verdicts_by_hand),
		cmocka_unit_test(same_programs_differ_seldom),
		cmocka_unit_test(small_slowdowns_are_found),
		cmocka_unit_test(words_are_those_of_a_shell),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
