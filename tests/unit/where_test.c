/* SPDX-License-Identifier: GPL-2.0-or-later */
/* where_test.c - tables of profiles that are small enough to add them up by hand, and of some that are large. */
#include "where_fixture.h"

#define CYCLES 0
#define MISSES 1

#define MOST_ROWS 8

static const struct row {
	const char *name;
	struct drawn_row drawn[MOST_ROWS];
	const char *functions; /* "NAME SELF/TOTAL" */
	const char *lines;     /* "NAME:LINE(INTO) SHARE"; NULL: not compared */
	const char *subject, *callers, *callees;
} rows[] = {
	{ "a chain: totals are those of all below",
	  { DRAWN("main;f;g", 6, 1, .event = 0), DRAWN("main;f", 2, 1, .event = 0), DRAWN("main", 2, 1, .event = 0) },
	  "g 60/60 main 20/100 f 20/80",
	  NULL,
	  "f",
	  "main 80",
	  "g 60 [itself] 20" },
	{ "two callers of one function",
	  { DRAWN("main;f;h", 3, 1, .event = 0), DRAWN("main;g;h", 1, 1, .event = 0) },
	  "h 100/100 main 0/100 f 0/75 g 0/25",
	  NULL,
	  "h",
	  "f 75 g 25",
	  "[itself] 100" },
	{ "recursion is there once",
	  { DRAWN("main;f;f;f", 5, 1, .event = 0), DRAWN("main;f;f", 5, 1, .event = 0),
	    DRAWN("main;f;g;f;h", 10, 1, .event = 0) },
	  "f 50/100 h 50/50 main 0/100 g 0/50",
	  NULL,
	  "f",
	  "main 100",
	  "[itself] 50 h 50" },
	{ "an inlined function has its own self, and the caller it is inlined into the total",
	  { DRAWN("main+in:5", 7, 1, .event = 0), DRAWN("main:9", 3, 1, .event = 0) },
	  "in 70/70 main 30/100",
	  "in:5(main) 70 main:9 30",
	  "in",
	  "main 70",
	  "[itself] 70" },
	{ "the same line inlined into two functions is two rows",
	  { DRAWN("f+in:5", 3, 1, .event = 0), DRAWN("g+in:5", 1, 1, .event = 0) },
	  "in 100/100 f 0/75 g 0/25",
	  "in:5(f) 75 in:5(g) 25",
	  "main",
	  NULL,
	  NULL },
	{ "and so is a line that is inlined twice into one, with the lines where",
	  { DRAWN("f@7+in:5", 3, 1, .event = 0), DRAWN("f@8+mid+in:5", 1, 1, .event = 0) },
	  "in 100/100 f 0/100 mid 0/25",
	  "in:5(f:7) 75 in:5(f:8) 25",
	  "f",
	  "[no caller] 100",
	  "in 75 mid 25" },
	{ "a tail call: the caller is who is on the stack",
	  { DRAWN("main;tail", 4, 1, .event = 0) },
	  "tail 100/100 main 0/100",
	  NULL,
	  "tail",
	  "main 100",
	  "[itself] 100" },
	{ "unknown code has a row for each file",
	  { DRAWN("lib!?", 1, 1, .event = 0), DRAWN("?", 2, 1, .event = 0), DRAWN("lib!f", 1, 1, .event = 0) },
	  "? 50/50 ? 25/25 f 25/25",
	  NULL,
	  "f",
	  "[no caller] 25",
	  "[itself] 25" },
	{ "a stack without its root",
	  { DRAWN("f;g", 3, 1, .is_truncated = true), DRAWN("f;g", 1, 1, .event = 0) },
	  "g 100/100 f 0/100",
	  NULL,
	  "f",
	  "[truncated] 75 [no caller] 25",
	  "g 100" },
	{ "places of a function are one row, lines of it are several",
	  { DRAWN("f:1", 2, 1, .event = 0), DRAWN("f:2", 1, 1, .event = 0), DRAWN("f:2;f:2", 1, 1, .event = 0) },
	  "f 100/100",
	  "f:1 50 f:2 50",
	  "f",
	  "[no caller] 100",
	  "[itself] 100" },
	{ "names that differ in case only",
	  { DRAWN("F", 3, 1, .event = 0), DRAWN("f", 1, 1, .event = 0) },
	  "F 75/75 f 25/25",
	  NULL,
	  "f",
	  "[no caller] 25",
	  "[itself] 25" },
};

static void fill(struct where *where, const struct profile *profile, const struct where_request *request,
		 struct arena *arena)
{
	struct error err = { .text = "" };

	if (where_fill(where, profile, request, arena, &err) < 0)
		fail_msg("%s", err.text);
}

static void test_rows(void **state UNUSED)
{
	struct rows failed = { 0 };

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct profile_filter all = { .by = BY_NOTHING };
		size_t count = 0;
		struct arena arena;
		struct profile profile;
		struct weighings weighings;
		struct where where;

		while (count < MOST_ROWS && rows[i].drawn[count].stack)
			count++;
		arena_init(&arena);
		drawn_profile(&profile, rows[i].drawn, count, &arena);
		weighings = weighings_of_events(&profile, &arena);
		fill(&where, &profile,
		     &(struct where_request){ .weighing = &weighings.items[CYCLES],
					      .filter = &all,
					      .callers = rows[i].callers ? rows[i].subject : NULL },
		     &arena);
		row_expect_text(&failed, rows[i].name, rows_text(&where.functions, &arena), rows[i].functions);
		if (rows[i].lines)
			row_expect_text(&failed, rows[i].name, rows_text(&where.lines, &arena), rows[i].lines);
		if (rows[i].callers) {
			row_expect_text(&failed, rows[i].name, rows_text(&where.calls.callers, &arena),
					rows[i].callers);
			row_expect_text(&failed, rows[i].name, rows_text(&where.calls.callees, &arena),
					rows[i].callees);
		}
		arena_release(&arena);
	}
	rows_end(&failed);
}

/* Two events in the same rows of the program, in two threads of two processes. */
static const struct drawn_row mixed[] = {
	DRAWN("main;f", 40, 11, .event = CYCLES),     DRAWN("main;f", 9, 11, .event = MISSES),
	DRAWN("main;lib!g", 60, 21, .event = CYCLES), DRAWN("main;lib!g", 1, 21, .event = MISSES),
	DRAWN("main;lib!?", 10, 22, .event = MISSES),
};

static void test_mixed(void **state UNUSED)
{
	const struct profile_filter all = { .by = BY_THREAD };
	struct arena arena;
	struct profile profile;
	struct weighings weighings;
	struct where where;

	arena_init(&arena);
	drawn_profile(&profile, mixed, COUNT_OF(mixed), &arena);
	weighings = weighings_of_events(&profile, &arena);
	fill(&where, &profile,
	     &(struct where_request){ &weighings.items[MISSES], &weighings.items[CYCLES], &all, NULL }, &arena);
	assert_string_equal(rows_text(&where.functions, &arena), "? 50/50 f 45/45 g 5/5 main 0/100");
	assert_true(where.functions.items[1].base.percent < 40.01 && where.functions.items[1].base.percent > 39.99);
	assert_true(where.functions.items[2].base.samples == 60 && where.functions.items[2].self.is_rough);
	assert_string_equal(rows_text(&where.parts, &arena), "worker22 (22) 50 worker11 (11) 45 worker21 (21) 5");
	assert_true(fabs(where.unknown.percent - 50) < 1e-9);
	assert_int_equal(where.nremarks, 2); /* no lines, and no names */
	assert_string_equal(where.remarks[1], "50.0 % of it is in code without names (lib): it was stripped.");
	arena_release(&arena);
}

static void test_filters(void **state UNUSED)
{
	static const struct {
		struct profile_filter filter;
		const char *functions; /* NULL: an error with part */
		const char *part;
	} filters[] = {
		{ { .thread = "worker11" }, "f 40/40 main 0/40", NULL },
		{ { .thread = "11" }, "f 40/40 main 0/40", NULL },
		{ { .process = "20" }, "g 60/60 main 0/60", NULL },
		{ { .process = "prog" }, "g 60/60 f 40/40 main 0/100", NULL },
		{ { .module = "lib" }, "g 60/60 main 0/60", NULL },
		{ { .module = "/bin/prog" }, "f 40/40 main 0/40", NULL },
		{ { .module = "libb" }, NULL, "nothing was recorded in 'libb'; did you mean lib?" },
		{ { .thread = "worker12" }, NULL, "did you mean worker1" },
		{ { .process = "99" }, NULL, "--by thread (process, module) lists all" },
	};

	for (size_t i = 0; i < COUNT_OF(filters); i++) {
		struct error err = { .text = "" };
		struct arena arena;
		struct profile profile;
		struct weighings weighings;
		struct where where;
		struct where_request request = { .filter = &filters[i].filter };

		arena_init(&arena);
		drawn_profile(&profile, mixed, COUNT_OF(mixed), &arena);
		weighings = weighings_of_events(&profile, &arena);
		request.weighing = &weighings.items[CYCLES];
		if (where_fill(&where, &profile, &request, &arena, &err) == 0)
			assert_string_equal(rows_text(&where.functions, &arena), filters[i].functions);
		else
			assert_true(!filters[i].functions && strstr(err.text, filters[i].part));
		arena_release(&arena);
	}
}

static void test_names(void **state UNUSED)
{
	static const struct drawn_row names[] = {
		DRAWN("ns::f(int)", 1, 1, .event = 0),
		DRAWN("ns::f(double)", 1, 1, .event = 0),
		DRAWN("other::g(int)", 1, 1, .event = 0),
		DRAWN("main", 1, 1, .event = 0),
		DRAWN("lib!main", 1, 1, .event = 0),
		DRAWN("vector<int>::at(int)", 1, 1, .event = 0),
		DRAWN("operator()(int)", 1, 1, .event = 0),
		DRAWN("int D<8>::go<int>(int)", 1, 1, .event = 0),
		DRAWN("operator new(unsigned long)", 1, 1, .event = 0),
		DRAWN("void p<A::b>(A)", 1, 1, .event = 0),
		DRAWN("void p<A::c>(A)", 1, 1, .event = 0),
	};
	static const struct {
		const char *typed, *found, *error;
	} cases[] = {
		{ "MAIN", "main", NULL },
		{ "ns::f(double)", "ns::f(double)", NULL },
		{ "ns::f", NULL, "several functions: 'ns::f(double)', 'ns::f(int)'" },
		{ "f", NULL, "several functions: 'ns::f(double)', 'ns::f(int)'" },
		{ "g", "other::g(int)", NULL },
		{ "other::G", "other::g(int)", NULL },
		{ "mian", NULL, "did you mean main?" },
		{ "operator()(int)", "operator()(int)", NULL },
		{ "operator new", "operator new(unsigned long)", NULL },
		{ "D<8>::go", "int D<8>::go<int>(int)", NULL },
		{ "go", "int D<8>::go<int>(int)", NULL },
		{ "p", NULL, "several functions: 'void p<A::b>(A)', 'void p<A::c>(A)'" },
		{ "no such thing at all", NULL, "--functions lists" },
	};
	const struct profile_filter all = { .by = BY_NOTHING };

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct error err = { .text = "" };
		struct arena arena;
		struct profile profile;
		struct weighings weighings;
		struct where where;

		arena_init(&arena);
		drawn_profile(&profile, names, COUNT_OF(names), &arena);
		weighings = weighings_of_events(&profile, &arena);
		if (where_fill(&where, &profile,
			       &(struct where_request){ &weighings.items[CYCLES], NULL, &all, cases[i].typed }, &arena,
			       &err) < 0) {
			if (!cases[i].error || !strstr(err.text, cases[i].error))
				fail_msg("%s: %s", cases[i].typed, err.text);
		} else {
			assert_string_equal(where.calls.function, cases[i].found);
		}
		arena_release(&arena);
	}
}

enum { DEPTH = 1000, MANY = 100000 };

/* As deep as the kernel's longest stacks and deeper, and as many functions as a large program has. */
static void test_large(void **state UNUSED)
{
	const struct profile_filter all = { .by = BY_NOTHING };
	struct arena arena;
	struct profile profile;
	struct weighings weighings;
	struct where where;
	uint32_t stack = PROFILE_NONE;
	double sum = 0;

	arena_init(&arena);
	drawn_profile(&profile, NULL, 0, &arena);
	for (uint32_t i = 0; i < DEPTH; i++)
		stack = profile_stack(&profile, drawn_place(&profile, i % 2 ? "even" : "odd"), stack);
	for (uint32_t i = 0; i < MANY; i++) {
		const char *name = arena_printf(&arena, "f%u", i);
		struct profile_row *row = profile_row(
			&profile,
			&(struct profile_row){ .stack = profile_stack(&profile, drawn_place(&profile, name), stack) });

		row->samples = 1;
		row->weight = 100;
	}
	weighings = weighings_of_events(&profile, &arena);
	fill(&where, &profile, &(struct where_request){ &weighings.items[CYCLES], NULL, &all, "even" }, &arena);
	assert_int_equal(where.functions.count, MANY + 2);
	assert_int_equal(where.calls.callees.count, MANY);
	for (size_t i = 0; i < where.functions.count; i++)
		sum += where.functions.items[i].self.percent;
	assert_true(fabs(sum - 100) < 1e-6);
	assert_true(fabs(where.calls.total.percent - 100) < 1e-6);
	arena_release(&arena);
}

/* Names as Go's symbols have them, and such that only look like them. */
static const struct drawn_row timed[] = {
	DRAWN("main.spin", 800, 1, .event = CYCLES),
	DRAWN("main.spin;runtime.asyncPreempt.abi0", 20, 1, .event = CYCLES),
	DRAWN("runtime.sysmon;runtime.retake", 30, 1, .event = CYCLES),
	DRAWN("runtime.sysmon+runtime.nanotime@7", 50, 1, .event = CYCLES),
	DRAWN("runtime.sysmonitor", 40, 1, .event = CYCLES),
	DRAWN("main.sysmon", 30, 1, .event = CYCLES),
	DRAWN("runtime.mallocgc", 20, 1, .event = CYCLES),
	DRAWN("?", 10, 1, .event = CYCLES),
};

static const char *timed_text(const struct where *where, const struct where_rows *table, struct arena *arena)
{
	struct string text = STRING_INIT(arena);

	for (size_t i = 0; i < table->count; i++)
		if (where_row_is_timed(where, &table->items[i]))
			string_printf(&text, "%s%s", text.length ? " " : "", table->items[i].function);
	return text.text;
}

/* Only a simulation has more of them: a sample is of the time that they took. */
static void test_real_time(void **state UNUSED)
{
	const struct profile_filter all = { .by = BY_NOTHING };
	const struct where_request request = { .filter = &all };
	struct where_request sampled = request, exact = request;
	struct arena arena;
	struct profile profile;
	struct weighing weighing;
	struct where where;

	arena_init(&arena);
	drawn_profile(&profile, timed, COUNT_OF(timed), &arena);
	sampled.weighing = &weighings_of_events(&profile, &arena).items[CYCLES];
	fill(&where, &profile, &sampled, &arena);
	assert_string_equal(timed_text(&where, &where.functions, &arena), "");
	assert_null(strstr(where.remarks[0], "real time"));
	weighing = *sampled.weighing;
	weighing.is_exact = true;
	exact.weighing = &weighing;
	fill(&where, &profile, &exact, &arena);
	assert_string_equal(timed_text(&where, &where.functions, &arena),
			    "runtime.retake runtime.asyncPreempt.abi0 runtime.sysmon");
	assert_string_equal(timed_text(&where, &where.lines, &arena),
			    "runtime.nanotime runtime.retake runtime.asyncPreempt.abi0");
	assert_string_equal(
		where.remarks[0],
		"* by real time: 10.0 % of it is in functions of which a slower run has more. Natively it is less.");
	weighing.whole *= 1000;
	fill(&where, &profile, &exact, &arena);
	assert_string_equal(timed_text(&where, &where.functions, &arena), ""); /* what is shown as 0.0 */
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_rows),    cmocka_unit_test(test_mixed),
					    cmocka_unit_test(test_filters), cmocka_unit_test(test_names),
					    cmocka_unit_test(test_large),   cmocka_unit_test(test_real_time) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
