/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gate_test.c - limits as people write them, with what is wrong and where; and each rule by which a number is judged. */
#include "analyse/gate/gate_calls.h"
#include "analyse/gate/gate_judge.h"
#include "cpu/load/model.h"
#include "rows.h"

#define HEAD "{\"format\":\"topdown-limits\",\"version\":1,\n \"limits\":["
#define TAIL "\n]}"

/* ---- limits ---- */

static const struct {
	const char *text;
	const char *says; /* behind "limits: " */
} bad[] = {
	{ "", "empty, where JSON is expected" },
	{ "{", "line 1, column 1: string or '}' expected near end of file" },
	{ "[]", "no limits: a file of them begins with" },
	{ "{\"format\":\"topdown-session\"}", "no limits: a file of them begins with" },
	{ "{\"format\":\"topdown-limits\",\n\"version\":2}", "line 2, column 1: this topdown reads version 1" },
	{ "{\"format\":\"topdown-limits\",\n  \"limits\":7}", "line 2, column 3: \"limits\" is not a list" },
	{ "{\"format\":\"topdown-limits\"}", "line 1, column 1: \"limits\" is not a list" },
	{ "{\"format\":\"topdown-limits\", \"limits\":[]}", "line 1, column 29: \"limits\" is empty" },
	{ "{\"format\":\"topdown-limits\", \"limit\":1, \"limits\":[{\"metric\":\"IPC\",\"min\":1}]}",
	  "line 1, column 29: limit: limits have no such member" },
	{ HEAD "\n {\"metric\":\"IPC\",\"min\":1},\n  7" TAIL, "line 4, column 3: a limit is an object, and this is" },
	{ HEAD "\n{\"metric\":\"IPC\"}" TAIL, "line 3, column 1: how much? A limit has max_increase" },
	{ HEAD "\n{\"max\":1}" TAIL, "line 3, column 1: of what? A limit has" },
	{ HEAD "\n{\"metric\":\"IPC\",\n \"max_incraese\":\"1 %\"}" TAIL,
	  "line 4, column 2: max_incraese: a limit has no such member; did you mean max_increase" },
	{ HEAD "\n{\"metric\":\"IPC\",\"max\":1,\"max\":2}" TAIL, "duplicate object key near '\"max\"'" },
	{ HEAD "\n{\"metric\":\"\",\"max\":1}" TAIL, "line 3, column 2: metric is empty, where a name is expected" },
	{ HEAD "\n{\"metric\":5,\"max\":1}" TAIL, "line 3, column 2: metric is a number, where a name is expected" },
	{ HEAD "\n{\"metric\":\"IPC\",\"node\":\"Retiring\",\"max\":1}" TAIL,
	  "line 3, column 17: a limit is of one metric or of one node" },
	{ HEAD "\n{\"metric\":\"IPC\",\"max_decrease\":\"5 apples\"}" TAIL,
	  "line 3, column 17: max_decrease: \"0.3 %\", \"2 points\" or a number in the metric's own unit is expected, "
	  "and "
	  "this is 5 apples" },
	{ HEAD "\n{\"metric\":\"IPC\",\"max_decrease\":\"\"}" TAIL, "and this is nothing" },
	{ HEAD "\n{\"metric\":\"IPC\",\"max_decrease\":true}" TAIL, "and this is true" },
	{ HEAD "\n{\"metric\":\"IPC\",\"max\":\"nan\"}" TAIL, "and this is nan" },
	{ HEAD "\n{\"metric\":\"IPC\",\"max\":\"1e999\"}" TAIL, "and this is 1e999" },
	{ HEAD "\n{\"metric\":\"IPC\",\"max_decrease\":\"-5 %\"}" TAIL, "line 3, column 17: max_decrease is below 0" },
	{ HEAD "\n{\"metric\":\"IPC\",\"max_decrease\":\"100 %\"}" TAIL, "max_decrease of 100 % or more" },
	{ HEAD "\n{\"metric\":\"IPC\",\"max_increase\":\"9000000 %\"}" TAIL,
	  "max_increase is more than a limit can be" },
	{ HEAD "\n{\"metric\":\"IPC\",\"max\":1},\n{\"metric\":\"ipc\",\"max\":2}" TAIL,
	  "line 4, column 17: max of ipc is already in line 3" },
	{ HEAD "\n{\"function\":\"f\",\"max_increase\":1},\n{\"metric\":\"cycles\",\"function\":\"f\",\"max_increase\":"
	       "2}" TAIL,
	  "line 4, column 35: max_increase of cycles in f is already in line 3" },
};

static void test_bad_limits(void **state)
{
	struct rows rows = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct error err = { .text = "" };
		struct gate_limits limits;
		struct arena arena;

		arena_init(&arena);
		row_expect(&rows, bad[i].text,
			   gate_limits_read_text(&limits, bad[i].text, "limits", &arena, &err) == -1, "was taken");
		row_expect(&rows, bad[i].text, !strncmp(err.text, "limits: ", 8) && strstr(err.text, bad[i].says),
			   err.text);
		arena_release(&arena);
	}
	rows_end(&rows);
}

static void test_good_limits(void **state)
{
	static const char text[] =
		HEAD "{\"metric\":\"instructions\",\"max_increase\":\"0.3 %\",\"max_decrease\":\"2%\"},"
		     "{\"node\":\"Bad_Speculation\",\"max\":\"20 points\",\"note\":\"sorted?\"},"
		     "{\"function\":\"parse\",\"max_increase\":1e3}]}";
	struct error err = { .text = "" };
	struct gate_limits limits;
	struct arena arena;

	(void)state;
	arena_init(&arena);
	assert_int_equal(gate_limits_read_text(&limits, text, "limits", &arena, &err), 0);
	assert_int_equal(limits.count, 4);
	assert_string_equal(limits.items[0].written, "0.3 %");
	assert_true(limits.items[0].value == 0.3 && limits.items[0].unit == UNIT_PERCENT &&
		    is_relative(&limits.items[0]));
	assert_true(limits.items[1].bound == BOUND_MAX_DECREASE && limits.items[1].value == 2);
	assert_true(limits.items[2].unit == UNIT_POINTS && !is_relative(&limits.items[2]));
	assert_string_equal(limits.items[2].metric, "Bad_Speculation");
	assert_string_equal(limits.items[2].note, "sorted?");
	assert_string_equal(limits.items[3].metric, "cycles");
	assert_true(limits.items[3].unit == UNIT_OWN && limits.items[3].value == 1000);
	arena_release(&arena);
}

/* ---- judging ---- */

enum { MOST = 5 };

struct judged_row {
	const char *name;
	enum gate_bound bound;
	double value;
	enum gate_unit unit;
	bool is_simulated;
	double before[MOST], after[MOST]; /* 0 ends them */
	double ratio_low, ratio_high, p;  /* counted */
	enum gate_verdict verdict;
	double amount;
};

#define LESS   BOUND_MAX_DECREASE
#define MORE   BOUND_MAX_INCREASE
#define SIM    true
#define PMU    false
#define WITHIN GATE_WITHIN
#define BEYOND GATE_BEYOND
#define TELL   GATE_UNKNOWN

/* Percentages and verdicts by hand. */
static const struct judged_row judged[] = {
	{ "one simulation each, beyond", MORE, 1, UNIT_PERCENT, SIM, { 1000 }, { 1011 }, 0, 0, 0, BEYOND, 1.1 },
	{ "one simulation each, within", MORE, 1, UNIT_PERCENT, SIM, { 1000 }, { 1010 }, 0, 0, 0, WITHIN, 1 },
	{ "layouts apart", MORE, 1, UNIT_PERCENT, SIM, { 990, 1000, 1010 }, { 1011, 1020, 1030 }, 0, 0, 0, BEYOND, 2 },
	{ "not in each layout",
	  MORE,
	  1,
	  UNIT_PERCENT,
	  SIM,
	  { 1000, 1000, 1000 },
	  { 1004, 1020, 1030 },
	  0,
	  0,
	  0,
	  WITHIN,
	  2 },
	{ "overlap, but not of the same",
	  MORE,
	  1,
	  UNIT_PERCENT,
	  SIM,
	  { 900, 1000, 1100 },
	  { 918, 1020, 1122 },
	  0,
	  0,
	  0,
	  BEYOND,
	  2 },
	{ "one layout and three", MORE, 1, UNIT_PERCENT, SIM, { 1000 }, { 1001, 1020, 1030 }, 0, 0, 0, BEYOND, 2 },
	{ "one layout within three", MORE, 1, UNIT_PERCENT, SIM, { 1000 }, { 999, 1020, 1030 }, 0, 0, 0, WITHIN, 2 },
	{ "less is no more", MORE, 1, UNIT_PERCENT, SIM, { 1000 }, { 500 }, 0, 0, 0, WITHIN, -50 },
	{ "a decrease beyond", LESS, 5, UNIT_PERCENT, SIM, { 2.0 }, { 1.8 }, 0, 0, 0, BEYOND, 10 },
	{ "a decrease within", LESS, 5, UNIT_PERCENT, SIM, { 2.0 }, { 1.92 }, 0, 0, 0, WITHIN, 4 },
	{ "a decrease, layouts overlap",
	  LESS,
	  5,
	  UNIT_PERCENT,
	  SIM,
	  { 1.7, 2, 2 },
	  { 1.8, 1.8, 1.8 },
	  0,
	  0,
	  0,
	  WITHIN,
	  10 },
	{ "points", MORE, 2, UNIT_POINTS, SIM, { 10 }, { 12.5 }, 0, 0, 0, BEYOND, 2.5 },
	{ "own unit", MORE, 3, UNIT_OWN, SIM, { 10 }, { 13 }, 0, 0, 0, WITHIN, 3 },
	{ "at most", BOUND_MAX, 20, UNIT_POINTS, SIM, { 1 }, { 20.5, 21, 22 }, 0, 0, 0, BEYOND, 21 },
	{ "at most, not in each layout",
	  BOUND_MAX,
	  20,
	  UNIT_POINTS,
	  SIM,
	  { 1 },
	  { 19.5, 21, 22 },
	  0,
	  0,
	  0,
	  WITHIN,
	  21 },
	{ "at least", BOUND_MIN, 2, UNIT_OWN, SIM, { 1 }, { 1.5 }, 0, 0, 0, BEYOND, 1.5 },
	{ "counted, surely beyond", MORE, 5, UNIT_PERCENT, PMU, { 100 }, { 110 }, 1.06, 1.14, 0.01, BEYOND, 10 },
	{ "counted, p says chance", MORE, 5, UNIT_PERCENT, PMU, { 100 }, { 110 }, 1.06, 1.14, 0.2, TELL, 10 },
	{ "counted, across the limit", MORE, 5, UNIT_PERCENT, PMU, { 100 }, { 106 }, 1.04, 1.08, 0.01, TELL, 6 },
	{ "counted, surely within", MORE, 5, UNIT_PERCENT, PMU, { 100 }, { 102 }, 1.01, 1.03, 0.01, WITHIN, 2 },
	{ "counted, without an interval", MORE, 5, UNIT_PERCENT, PMU, { 100 }, { 102 }, NAN, NAN, NAN, TELL, 2 },
	{ "counted, a decrease", LESS, 5, UNIT_PERCENT, PMU, { 100 }, { 90 }, 0.88, 0.92, 0.01, BEYOND, 10 },
	{ "counted, at most", BOUND_MAX, 20, UNIT_OWN, PMU, { 1 }, { 24, 25, 26 }, 1, 1, 1, BEYOND, 25 },
	{ "counted, perhaps at most", BOUND_MAX, 24, UNIT_OWN, PMU, { 1 }, { 23, 25, 27 }, 1, 1, 1, TELL, 25 },
	{ "counted once, at most", BOUND_MAX, 30, UNIT_OWN, PMU, { 1 }, { 25 }, 1, 1, 1, TELL, 25 },
};

static size_t count_of(const double *values)
{
	size_t count = 0;

	while (count < MOST && values[count] > 0)
		count++;
	return count;
}

/* The second of up to three values is the median of all of the table's. */
static struct compared_metric metric_of(const struct judged_row *row)
{
	struct compared_metric metric = { .name = "m",
					  .title = "M",
					  .unit = row->unit == UNIT_POINTS ? "%" : "",
					  .before_values = row->before,
					  .after_values = row->after,
					  .nbefore = count_of(row->before),
					  .nafter = count_of(row->after),
					  .ratio = { NAN, row->ratio_low, row->ratio_high },
					  .p_adjusted = row->p };

	metric.before = row->before[metric.nbefore / 2];
	metric.after = row->after[metric.nafter / 2];
	metric.ratio.value = metric.after / metric.before;
	return metric;
}

static void judge_row(struct rows *rows, const struct judged_row *row, struct arena *arena)
{
	struct model model = { .is_simulated = row->is_simulated };
	struct report report = { .model = &model };
	struct compare_request request = { .before.report = &report, .after.report = &report };
	struct compared_metric metric = metric_of(row);
	struct comparison comparison = { .request = &request, .metrics = &metric, .nmetrics = 1 };
	struct gate_limit limit = { .metric = "m", .bound = row->bound, .value = row->value, .unit = row->unit };
	struct gate_limits limits = { .source = "limits", .items = &limit, .count = 1 };
	const struct gate_request asked = { .limits = &limits, .comparison = &comparison, .has_baseline = true };
	struct error err = { .text = "" };
	struct gate_result result;

	row_expect(rows, row->name, gate_check(&limits, &comparison, arena, &err) == 0, err.text);
	gate_judge(&result, &asked, arena);
	row_expect(rows, row->name, result.rows[0].verdict == row->verdict, gate_verdict_name(result.rows[0].verdict));
	row_expect_number(rows, row->name, result.rows[0].amount.value, row->amount);
	row_expect(rows, row->name, result.verdict == row->verdict, "the whole");
	row_expect(rows, row->name,
		   gate_status(&result) == (row->verdict == BEYOND ? 3
					    : row->verdict == TELL ? 4
								   : 0),
		   "status");
	row_expect(rows, row->name, row->verdict != TELL || result.rows[0].reason, "a reason");
}

static void test_judging(void **state)
{
	struct rows rows = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(judged) / sizeof(*judged); i++) {
		struct arena arena;

		arena_init(&arena);
		judge_row(&rows, &judged[i], &arena);
		arena_release(&arena);
	}
	rows_end(&rows);
}

/* Beyond one is beyond; else what is unknown decides. Without a baseline relative limits are. */
static void test_all_limits(void **state)
{
	static const double before[] = { 100 }, after[] = { 150 };
	struct model model = { .is_simulated = true };
	struct report report = { .model = &model };
	struct compare_request request = { .before.report = &report, .after.report = &report };
	struct compared_metric metric = { .name = "m",
					  .title = "M",
					  .unit = "",
					  .before_values = before,
					  .after_values = after,
					  .nbefore = 1,
					  .nafter = 1,
					  .before = 100,
					  .after = 150 };
	struct comparison comparison = { .request = &request, .metrics = &metric, .nmetrics = 1 };
	struct gate_limit items[] = {
		{ .metric = "m", .bound = BOUND_MAX, .value = 200, .unit = UNIT_OWN },
		{ .metric = "m", .bound = BOUND_MAX_INCREASE, .value = 1, .unit = UNIT_PERCENT }
	};
	struct gate_limits limits = { .items = items, .count = 2 };
	struct gate_request asked = { .limits = &limits, .comparison = &comparison, .has_baseline = true };
	struct gate_result result;
	struct arena arena;

	(void)state;
	arena_init(&arena);
	gate_judge(&result, &asked, &arena);
	assert_int_equal(result.nbeyond, 1);
	assert_int_equal(gate_status(&result), STATUS_BEYOND);
	asked.has_baseline = false;
	gate_judge(&result, &asked, &arena);
	assert_int_equal(result.rows[0].verdict, GATE_WITHIN);
	assert_int_equal(result.rows[1].verdict, GATE_UNKNOWN);
	assert_true(isnan(result.rows[0].before));
	assert_int_equal(gate_status(&result), STATUS_CANT_TELL);
	asked.has_baseline = true;
	asked.doubt = "the baseline was counted, and now it was simulated";
	gate_judge(&result, &asked, &arena);
	assert_int_equal(result.nunknown, 2);
	assert_string_equal(result.rows[0].reason, asked.doubt);
	arena_release(&arena);
}

/* Each call once as written in the limits; neither other metrics nor calls that this kernel's headers do not have. */
static void test_calls_asked(void **state)
{
	struct gate_limit items[] = { { .metric = "syscalls.write" },
				      { .metric = "instructions" },
				      { .metric = "syscalls.all" },
				      { .metric = "syscalls.no_such_call" },
				      { .metric = "syscalls.call_9999" } };
	struct gate_limits limits = { .items = items, .count = sizeof(items) / sizeof(*items) };
	struct arena arena;

	(void)state;
	arena_init(&arena);
	assert_string_equal(gate_calls_asked(&limits, &arena), "write,all");
	limits.items = items + 1;
	limits.count = 1;
	assert_null(gate_calls_asked(&limits, &arena));
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_bad_limits), cmocka_unit_test(test_good_limits),
					    cmocka_unit_test(test_judging), cmocka_unit_test(test_all_limits),
					    cmocka_unit_test(test_calls_asked) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
