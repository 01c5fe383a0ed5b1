/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * formula_test.c - one formula at a time: what the grammar of perf's metrics (linux tools/perf/util/expr.{l,y}) means, with
 * values computed by hand, and what is refused at which column.
 */
#include "formula_fixture.h"

#include "common/formula/facts.h"

static const struct value_row {
	const char *formula, *values;
	double expected;
} value_rows[] = {
	/* clang-format off */
	/* numbers */
	{ "7",                      "", 7 },
	{ "2.",                     "", 2 },
	{ ".5",                     "", 0.5 },
	{ "0.5",                    "", 0.5 },
	{ "1e9",                    "", 1000000000 },
	{ "1e-9",                   "", 0.000000001 },
	{ "2.5e3",                  "", 2500 },
	{ ".5e1",                   "", 5 },
	{ "5.e1",                   "", 50 },
	{ "007",                    "", 7 },
	{ "6.103515625e-5",         "", 0.00006103515625 },
	/* names */
	{ "a",                      "a=5", 5 },
	{ "16B.X",                  "16B.X=3", 3 },
	{ "1e9x",                   "1e9x=4", 4 },
	{ "1e",                     "1e=4", 4 },
	{ "0x10",                   "0x10=9", 9 },
	{ "1.2.3",                  "1.2.3=8", 8 },
	{ "L1D.REPLACEMENT",        "L1D.REPLACEMENT=6", 6 },
	{ "INST:u:c1",              "INST:u:c1=6", 6 },
	{ "topdown\\-fe\\-bound",   "topdown-fe-bound=7", 7 },
	{ "topdown\\-be-a",         "topdown-be=7 a=2", 5 },
	{ "_x?",                    "_x?=2", 2 },
	{ "minimum + maxi + iff",   "minimum=1 maxi=2 iff=4", 7 },
	{ "If",                     "If=1", 1 },
	{ "K_TEN * a",              "K_TEN=10 a=2", 20 },
	/* one operator at a time */
	{ "7 + 2",                  "", 9 },
	{ "7 - 2",                  "", 5 },
	{ "7 * 2",                  "", 14 },
	{ "7 / 2",                  "", 3.5 },
	{ "7 % 4",                  "", 3 },
	{ "7.9 % 2.5",              "", 1 }, /* of whole numbers: (long)a % (long)b */
	{ "-7 % 4",                 "", -3 },
	{ "7 < 2",                  "", 0 },
	{ "2 < 7",                  "", 1 },
	{ "2 < 2",                  "", 0 },
	{ "7 > 2",                  "", 1 },
	{ "2 > 2",                  "", 0 },
	{ "3 & 4",                  "", 1 },
	{ "3 & 0",                  "", 0 },
	{ "0 | 4",                  "", 1 },
	{ "0 | 0",                  "", 0 },
	{ "1 ^ 1",                  "", 0 },
	{ "1 ^ 0",                  "", 1 },
	{ "0 ^ 1",                  "", 1 },
	{ "0 ^ 0",                  "", 0 },
	{ "-3",                     "", -3 },
	/* the same on counts, which nothing folds */
	{ "a + b",                  "a=7 b=2", 9 },
	{ "a - b",                  "a=7 b=2", 5 },
	{ "a * b",                  "a=7 b=2", 14 },
	{ "a / b",                  "a=7 b=2", 3.5 },
	{ "a % b",                  "a=7.9 b=2.5", 1 },
	{ "a < b",                  "a=7 b=2", 0 },
	{ "a > b",                  "a=7 b=2", 1 },
	{ "a & b",                  "a=7 b=0", 0 },
	{ "a | b",                  "a=7 b=0", 1 },
	{ "a ^ b",                  "a=1 b=1", 0 },
	{ "-a",                     "a=7", -7 },
	/* left to right */
	{ "9 - 3 - 2",              "", 4 },
	{ "16 / 4 / 2",             "", 2 },
	{ "100 / 10 * 2",           "", 20 },
	{ "17 % 10 % 4",            "", 3 },
	{ "3 > 2 > 1",              "", 0 }, /* (3 > 2) is 1, and 1 > 1 is not */
	{ "1 < 2 < 3",              "", 1 },
	{ "5 > 1 < 2",              "", 1 },
	{ "1 ^ 1 ^ 1",              "", 1 },
	/* unary minus binds strongest */
	{ "2 - -3",                 "", 5 },
	{ "2 * -3",                 "", -6 },
	{ "-2 * 3 + 10",            "", 4 },
	{ "- - 2",                  "", 2 },
	{ "-(2 + 3)",               "", -5 },
	{ "1--1",                   "", 2 },
	{ "-a - -b",                "a=1 b=4", 3 },
	{ "-3 < -2",                "", 1 },
	{ "-1 if -0 else -2",       "", -2 },
	/* thresholds: & and | bind looser than < and > */
	{ "a > 0.1 & b > 0.2",      "a=0.15 b=0.25", 1 },
	{ "a > 0.1 & b > 0.2",      "a=0.15 b=0.15", 0 },
	{ "a > 0.7 | b > 0.1",      "a=0.5 b=0.2", 1 },
	{ "0 & 1 | 1",              "", 1 },
	{ "1 | 1 & 0",              "", 1 },
	{ "1 | 1 ^ 1",              "", 1 },
	{ "(1 | 1) ^ 1",            "", 0 },
	{ "1 + 1 > 1",              "", 1 },
	{ "1 + (1 > 1)",            "", 1 },
	/* conditionals: lowest, the else branch takes all that follows */
	{ "1 if 1 else 2",          "", 1 },
	{ "1 if 0 else 2",          "", 2 },
	{ "1 + 2 if 0 else 10",     "", 10 },
	{ "1 if 0 else 2 + 3",      "", 5 },
	{ "1 if 0 else 2 if 0 else 3", "", 3 },
	{ "1 if 0 else 2 if 1 else 3", "", 2 },
	{ "1 if 1 else 2 if 1 else 3", "", 1 },
	{ "(1 if 1 else 2) if 0 else 3", "", 3 },
	{ "1 if (0 if 1 else 1) else 3", "", 3 },
	{ "10 * (1 if 0 else 2) + 1", "", 21 },
	{ "1 if 2 > 1 & 1 > 2 else 4", "", 4 },
	{ "1 if 0.5 else 2",        "", 1 },
	{ "a if b else c",          "a=1 b=0 c=3", 3 },
	{ "a if b else c if d else e", "a=1 b=0 c=3 d=0 e=5", 5 },
	{ "a if b > 1 else c",      "a=1 b=nan c=3", 3 },
	/* functions */
	{ "min(2, 3)",              "", 2 },
	{ "min(3, 2)",              "", 2 },
	{ "max(2, 3)",              "", 3 },
	{ "max(3, 2)",              "", 3 },
	{ "max(-1, 0)",             "", 0 },
	{ "max(a - b, 0)",          "a=2 b=5", 0 },
	{ "min(1 + 2, 2 * 2)",      "", 3 },
	{ "max(1 if 0 else 4, 3)",  "", 4 },
	{ "min(max(a, 2), max(b, 3))", "a=9 b=1", 3 },
	{ "d_ratio(6, 4)",          "", 1.5 },
	{ "d_ratio(0, 0)",          "", 0 },
	{ "d_ratio(a, b)",          "a=0 b=0", 0 },
	{ "max ( 1,2 )",            "", 2 },
	{ "source_count(a)",        "", SOURCES },
	{ "has_event(a)",           "a=0", 1 },
	{ "has_event(b)",           "a=0", 0 },
	{ "has_event(topdown\\-x)", "topdown-x=0", 1 },
	{ "1 - has_event(b) + 1",   "a=0", 2 },
	{ "strcmp_cpuid_str(0x410fd493)", "", 1 }, /* the machine is the same part, r2p1, hence later than r0p3 */
	{ "strcmp_cpuid_str(0x412fd492)", "", 0 },
	{ "strcmp_cpuid_str(0x410fd400)", "", 0 },
	{ "strcmp_cpuid_str(0x410fd493) | strcmp_cpuid_str(0x410fd490) ^ 1", "", 1 },
	/* literals */
	{ "#smt_on",                "", 1 },
	{ "#SMT_on",                "", 1 },
	{ "#SMT_ON",                "", 1 },
	{ "#core_wide",             "", 0 },
	{ "#num_cpus",              "", 64 },
	{ "#num_cpus_online",       "", 48 },
	{ "#num_cores",             "", 32 },
	{ "#num_dies",              "", 4 },
	{ "#num_packages",          "", 2 },
	{ "#slots",                 "", 6 },
	{ "#SYSTEM_TSC_FREQ",       "", 2.5e9 },
	{ "#system_tsc_freq",       "", 2.5e9 },
	{ "#has_pmem",              "", NAN },
	{ "a/#slots*2",             "a=12", 4 },
	{ "(#num_cores if #SMT_on else 7)", "", 32 },
	/* nothing is divided by zero, and what is not known stays so */
	{ "1 / 0",                  "", NAN },
	{ "0 / 0",                  "", NAN },
	{ "a / b",                  "a=1 b=0", NAN },
	{ "1 % 0",                  "", NAN },
	{ "1 % 0.5",                "", NAN },
	{ "a + b",                  "a=1 b=nan", NAN },
	{ "0 * a",                  "a=nan", NAN },
	{ "-a",                     "a=nan", NAN },
	{ "a < 1",                  "a=nan", 0 },
	{ "a > 1",                  "a=nan", 0 },
	{ "min(a, 1)",              "a=nan", 1 }, /* a < b ? a : b */
	{ "min(1, a)",              "a=nan", NAN },
	{ "max(a, 1)",              "a=nan", 1 },
	{ "max(1, a)",              "a=nan", NAN },
	{ "d_ratio(a, 2)",          "a=nan", NAN },
	{ "d_ratio(2, a)",          "a=nan", NAN },
	{ "d_ratio(a, 0)",          "a=nan", NAN },
	/* a part of nothing that is not nothing: perf says 0 */
	{ "d_ratio(6, 0)",          "", NAN },
	{ "d_ratio(a, b)",          "a=6 b=0", NAN },
	{ "1 - d_ratio(a, b)",      "a=6 b=0", NAN },
	{ "1e999 > 1e300",          "", 1 },
	/* blanks */
	{ " \t7\n+\r2 ",            "", 9 },
	{ "a-b",                    "a=7 b=2", 5 },
	/* clang-format on */
};

static double evaluate(const char *formula, const char *values, struct error *err)
{
	struct made_up m;
	double result = NAN;

	made_up_init(&m, values, NULL);
	if (program_add(m.program, 0, formula, &m.names, err) == 0) {
		program_link(m.program, &m.names);
		result = made_up_value(&m, 0);
	}
	made_up_release(&m);
	return result;
}

static void test_values(void **state UNUSED)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(value_rows); i++) {
		const struct value_row *row = &value_rows[i];
		struct error err = { .text = "" };

		row_expect_number(&rows, row->formula, evaluate(row->formula, row->values, &err), row->expected);
		if (!isnan(row->expected))
			row_expect_text(&rows, row->formula, err.text, "");
	}
	rows_end(&rows);
}

static double compute(char symbol, double a, double b)
{
	switch (symbol) {
	case '|': return a != 0 || b != 0;
	case '^': return (a != 0) != (b != 0);
	case '&': return a != 0 && b != 0;
	case '<': return a < b;
	case '>': return a > b;
	case '+': return a + b;
	case '-': return a - b;
	case '*': return a * b;
	case '/': return b == 0 ? (double)NAN : a / b;
	default: return isnan(a) || isnan(b) || (long)b == 0 ? (double)NAN : (double)((long)a % (long)b);
	}
}

static const struct {
	char symbol;
	int priority;
} grammar[] = {
	/* clang-format off */
	{ '|', 1 }, { '^', 2 }, { '&', 3 }, { '<', 4 }, { '>', 4 }, { '+', 5 }, { '-', 5 }, { '*', 6 }, { '/', 6 }, { '%', 6 },
	/* clang-format on */
};

/* a x b y c for every pair of operators: the one that binds stronger first, of equal ones the left one. */
static void test_every_pair_of_operators(void **state UNUSED)
{
	static const double numbers[][3] = { { 7, 3, 2 }, { 0, 1, 0 }, { 2, 0, 5 }, { 1, 5, 3 } };
	struct rows rows = { 0 };

	for (size_t n = 0; n < COUNT_OF(grammar) * COUNT_OF(grammar) * COUNT_OF(numbers); n++) {
		const double *x = numbers[n % COUNT_OF(numbers)];
		size_t i = n / COUNT_OF(numbers) % COUNT_OF(grammar);
		size_t j = n / COUNT_OF(numbers) / COUNT_OF(grammar);
		char left = grammar[i].symbol, right = grammar[j].symbol, text[64];
		bool is_left_first = grammar[i].priority >= grammar[j].priority;
		struct error err = { .text = "" };

		snprintf(text, sizeof(text), "%g %c %g %c %g", x[0], left, x[1], right, x[2]);
		row_expect_number(&rows, text, evaluate(text, "", &err),
				  is_left_first ? compute(right, compute(left, x[0], x[1]), x[2])
						: compute(left, x[0], compute(right, x[1], x[2])));
	}
	rows_end(&rows);
}

static const struct {
	const char *formula, *error;
} error_rows[] = {
	/* clang-format off */
	{ "",                     "column 1: expected a number, a name or '('" },
	{ "   ",                  "column 4: expected a number, a name or '('" },
	{ "a +",                  "column 4: expected a number, a name or '('" },
	{ "a + * b",              "column 5: expected a number, a name or '('" },
	{ "+ a",                  "column 1: expected a number, a name or '('" },
	{ "a b",                  "column 3: expected an operator" },
	{ "a 2",                  "column 3: expected an operator" },
	{ "a >= b",               "column 4: expected a number, a name or '('" },
	{ "a == b",               "column 3: expected an operator" },
	{ "a && b",               "column 4: expected a number, a name or '('" },
	{ "a ? b",                "column 3: expected an operator" },
	{ "a $ b",                "column 3: expected an operator" },
	{ "$",                    "column 1: expected a number, a name or '('" },
	{ "a \\x",                "column 3: expected an operator" },
	{ "(a",                   "column 1: '(' is never closed" },
	{ "a + (b * (a)",         "column 5: '(' is never closed" },
	{ "a)",                   "column 2: ')' without '('" },
	{ "()",                   "column 2: expected a number, a name or '('" },
	{ "(a +)",                "column 5: expected a number, a name or '('" },
	{ "min(a)",               "column 6: expected ',' and a second argument" },
	{ "min()",                "column 5: expected a number, a name or '('" },
	{ "min(a, b, a)",         "column 9: expected ')': the function takes two arguments" },
	{ "min(a,",               "column 7: expected a number, a name or '('" },
	{ "min a",                "column 5: expected '('" },
	{ "min",                  "column 4: expected '('" },
	{ "a, b",                 "column 2: ',' outside of a function" },
	{ "(a, b)",               "column 3: ',' outside of a function" },
	{ "a if b",               "column 3: 'if' without 'else'" },
	{ "(a if b)",             "column 4: 'if' without 'else'" },
	{ "min(a if b, a)",       "column 7: 'if' without 'else'" },
	{ "a else b",             "column 3: 'else' without 'if'" },
	{ "a if b else",          "column 12: expected a number, a name or '('" },
	{ "if a else b",          "column 1: expected a number, a name or '('" },
	{ "a if b if a else b",   "column 8: expected 'else'" },
	{ "a if b else a else b", "column 15: 'else' without 'if'" },
	{ "1if 1else 2",          "column 1: unknown event '1if'" },
	{ "a + nope",             "column 5: unknown event 'nope'" },
	{ "a - x\\-y",            "column 5: unknown event 'x-y'" },
	{ "a * uncore",           "column 5: needs uncore PMU 'cha' for 'uncore'" },
	{ "a * #nope",            "column 5: unknown literal '#nope'" },
	{ "#",                    "column 1: unknown literal '#'" },
	{ "has_event()",          "column 11: expected a name" },
	{ "has_event(a",          "column 12: expected ')'" },
	{ "has_event(a, b)",      "column 12: expected ')'" },
	{ "has_event a",          "column 11: expected '('" },
	{ "has_event(a + b)",     "column 13: expected ')'" },
	{ "source_count(#slots)", "column 14: expected a name" },
	/* clang-format on */
};

static void test_errors(void **state UNUSED)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(error_rows); i++) {
		struct error err = { .text = "" };
		struct made_up m;

		made_up_init(&m, "a=1 b=2", NULL);
		row_expect(&rows, error_rows[i].formula,
			   program_add(m.program, 0, error_rows[i].formula, &m.names, &err) == -1, "was taken");
		row_expect_text(&rows, error_rows[i].formula, err.text, error_rows[i].error);
		program_link(m.program, &m.names);
		row_expect_text(&rows, error_rows[i].formula, program_failure(m.program, 0), error_rows[i].error);
		row_expect_text(&rows, error_rows[i].formula, program_text(m.program, 0), error_rows[i].formula);
		row_expect_number(&rows, error_rows[i].formula, made_up_value(&m, 0), NAN);
		made_up_release(&m);
	}
	rows_end(&rows);
}

/* A branch that is not taken contributes no events; everything else that is written does. */
static const struct {
	const char *formula, *used;
} event_rows[] = {
	/* clang-format off */
	{ "a",                                  "a" },
	{ "a + b * a",                          "a b" },
	{ "7",                                  "" },
	{ "a if #SMT_on else b",                "a" },
	{ "a if #core_wide else b",             "b" },
	{ "a if 1 - #SMT_on else b",            "b" },
	{ "a if has_event(c) else b",           "a" },
	{ "a if has_event(nope) else b",        "b" },
	{ "a if strcmp_cpuid_str(0x410fd490) else b", "a" },
	{ "a if #num_packages > 1 & 1 else b",  "a" },
	{ "a if c else b",                      "a b c" },
	{ "a if 0 else b if 1 else c",          "b" },
	{ "(a if 0 else b) + c",                "b c" },
	{ "0 * a",                              "a" }, /* keeps the slots event in the group */
	{ "a * 0 + b",                          "a b" },
	{ "a - a",                              "a" },
	{ "min(a, b)",                          "a b" },
	{ "d_ratio(a, c)",                      "a c" },
	{ "has_event(a)",                       "" },
	{ "source_count(a)",                    "" },
	/* clang-format on */
};

static void test_events(void **state UNUSED)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(event_rows); i++) {
		struct error err = { .text = "" };
		struct made_up m;

		made_up_init(&m, "a=1 b=2 c=3", NULL);
		row_expect(&rows, event_rows[i].formula,
			   program_add(m.program, 0, event_rows[i].formula, &m.names, &err) == 0, err.text);
		program_link(m.program, &m.names);
		row_expect_text(&rows, event_rows[i].formula, made_up_used(&m, 0), event_rows[i].used);
		made_up_release(&m);
	}
	rows_end(&rows);
}

/* arm64: the same implementer, architecture and part, and at least the given variant and revision; x86: the same text. */
static const struct {
	const char *row, *wanted, *cpuid;
	double match;
} cpuid_rows[] = {
	/* clang-format off */
	{ "equal",                     "0x410fd491",           "0x410fd491", 1 },
	{ "leading zeros",             "0x00000000410fd491",   "0x410fd491", 1 },
	{ "later revision",            "0x410fd491",           "0x410fd493", 1 },
	{ "earlier revision",          "0x410fd493",           "0x410fd491", 0 },
	{ "later variant",             "0x410fd493",           "0x411fd490", 1 },
	{ "earlier variant",           "0x411fd490",           "0x410fd493", 0 },
	{ "another part",              "0x410fd490",           "0x410fd4f0", 0 },
	{ "another implementer",       "0x410fd490",           "0x420fd490", 0 },
	{ "x86, equal",                "GenuineIntel-6-8F-8",  "GenuineIntel-6-8F-8", 1 },
	{ "x86, another model",        "GenuineIntel-6-8F-8",  "GenuineIntel-6-55-7", 0 },
	{ "unknown CPU",               "0x410fd490",           NULL, 0 },
	/* clang-format on */
};

static void test_cpuid_match(void **state UNUSED)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(cpuid_rows); i++)
		row_expect_number(&rows, cpuid_rows[i].row, is_cpuid_match(cpuid_rows[i].wanted, cpuid_rows[i].cpuid),
				  cpuid_rows[i].match);
	rows_end(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),	    cmocka_unit_test(test_every_pair_of_operators),
		cmocka_unit_test(test_errors),	    cmocka_unit_test(test_events),
		cmocka_unit_test(test_cpuid_match),
	};

	return cmocka_run_group_tests_name("formula", tests, NULL, NULL);
}
