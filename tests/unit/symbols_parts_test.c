/* SPDX-License-Identifier: GPL-2.0-or-later */
/* symbols_parts_test.c - nested ranges beside a search of all, names of one address, what processes end with, answers. */
#include "rows.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "program/symbols/intervals.h"
#include "program/symbols/isolate.h"
#include "program/symbols/symbol_answer.h"
#include "program/symbols/symbol_table.h"

/* ---- intervals ---- */

enum { SPACE = 200, ROUNDS = 300, RANGES = 40 };

/* Of those that have the address the one that begins last, ends first, and was added last. */
static uint32_t searched(uint64_t (*ranges)[2], size_t count, uint64_t address)
{
	uint32_t best = INTERVAL_NONE;

	for (uint32_t i = 0; i < count; i++) {
		if (address < ranges[i][0] || address >= ranges[i][1])
			continue;
		if (best == INTERVAL_NONE || ranges[i][0] > ranges[best][0] ||
		    (ranges[i][0] == ranges[best][0] && ranges[i][1] <= ranges[best][1]))
			best = i;
	}
	return best;
}

static void test_intervals(void **state UNUSED)
{
	struct arena arena;

	arena_init(&arena);
	srand(7);
	for (int round = 0; round < ROUNDS; round++) {
		struct intervals intervals = INTERVALS_INIT(&arena);
		uint64_t ranges[RANGES][2];
		size_t count = (size_t)rand() % RANGES;

		for (uint32_t i = 0; i < count; i++) {
			ranges[i][0] = (uint64_t)rand() % SPACE;
			ranges[i][1] = ranges[i][0] + (uint64_t)rand() % (SPACE / 4);
			intervals_add(&intervals, ranges[i][0], ranges[i][1], i);
		}
		intervals_sort(&intervals);
		for (uint64_t address = 0; address < 2 * SPACE; address++) {
			const struct interval *found = intervals_find(&intervals, address);

			assert_int_equal(found ? found->value : INTERVAL_NONE, searched(ranges, count, address));
		}
		arena_reset(&arena);
	}
	arena_release(&arena);
}

/* ---- symbols ---- */

static const struct {
	const char *row;
	struct table_symbol symbols[4];
	uint64_t address;
	const char *name;
} symbol_rows[] = {
	{ "none", { { 0 } }, 5, NULL },
	{ "in it", { { .begin = 16, .end = 32, .name = "f" } }, 31, "f" },
	{ "behind it", { { .begin = 16, .end = 32, .name = "f" } }, 32, NULL },
	{ "a global name before a local one",
	  { { .begin = 16, .end = 32, .name = "a", .is_local = true }, { .begin = 16, .end = 32, .name = "zz" } },
	  20,
	  "zz" },
	{ "fewer underscores",
	  { { .begin = 16, .end = 32, .name = "__libc_malloc" }, { .begin = 16, .end = 32, .name = "malloc" } },
	  20,
	  "malloc" },
	{ "weak, but the one that people know",
	  { { .begin = 16, .end = 32, .name = "_IO_puts" },
	    { .begin = 16, .end = 32, .name = "puts", .is_weak = true } },
	  20,
	  "puts" },
	{ "strong before weak",
	  { { .begin = 16, .end = 32, .name = "a", .is_weak = true }, { .begin = 16, .end = 32, .name = "bb" } },
	  20,
	  "bb" },
	{ "the shorter, then by letters",
	  { { .begin = 16, .end = 32, .name = "ccc" },
	    { .begin = 16, .end = 32, .name = "bb" },
	    { .begin = 16, .end = 32, .name = "aa" } },
	  20,
	  "aa" },
	{ "with a size before one without",
	  { { .begin = 16, .end = 99, .name = "global", .is_open = true },
	    { .begin = 16, .end = 32, .name = "f", .is_local = true } },
	  20,
	  "f" },
	{ "no size: up to the next",
	  { { .begin = 16, .end = 99, .name = "f", .is_open = true }, { .begin = 32, .end = 40, .name = "g" } },
	  31,
	  "f" },
	{ "no size: the last one", { { .begin = 16, .end = 99, .name = "f", .is_open = true } }, 98, "f" },
	{ "no size: not behind the section", { { .begin = 16, .end = 99, .name = "f", .is_open = true } }, 99, NULL },
	{ "a label inside",
	  { { .begin = 16, .end = 32, .name = "f" }, { .begin = 20, .end = 99, .name = "label", .is_open = true } },
	  24,
	  "f" },
	{ "behind a function with a label",
	  { { .begin = 16, .end = 32, .name = "f" }, { .begin = 20, .end = 99, .name = "label", .is_open = true } },
	  40,
	  NULL },
	{ "a function inside of another",
	  { { .begin = 16, .end = 32, .name = "f" }, { .begin = 20, .end = 24, .name = "g" } },
	  21,
	  "g" },
	{ "after a function inside of another",
	  { { .begin = 16, .end = 32, .name = "f" }, { .begin = 20, .end = 24, .name = "g" } },
	  24,
	  "f" },
	{ "no name", { { .begin = 16, .end = 32, .name = "" } }, 20, NULL },
};

static void test_symbols(void **state UNUSED)
{
	struct rows rows = { 0 };
	struct arena arena;

	arena_init(&arena);
	for (size_t i = 0; i < COUNT_OF(symbol_rows); i++) {
		const struct table_symbol *found;
		struct symbol_table table;

		symbol_table_init(&table, &arena);
		for (size_t k = 0; k < COUNT_OF(symbol_rows[i].symbols); k++)
			if (symbol_rows[i].symbols[k].name)
				symbol_table_add(&table, &symbol_rows[i].symbols[k]);
		symbol_table_sort(&table);
		found = symbol_table_find(&table, symbol_rows[i].address);
		row_expect_text(&rows, symbol_rows[i].row, found ? found->name : NULL, symbol_rows[i].name);
	}
	arena_release(&arena);
	rows_end(&rows);
}

/* ---- processes ---- */

static int say(const void *context, int out)
{
	const char *text = context;

	return write(out, text, strlen(text)) == (ssize_t)strlen(text) ? 0 : -1;
}

static int give_up(const void *context UNUSED, int out)
{
	(void)say("half", out);
	return -1;
}

static int crash(const void *context UNUSED, int out UNUSED)
{
	return raise(SIGSEGV);
}

static int spin(const void *context UNUSED, int out UNUSED)
{
	volatile bool is_on = true;

	while (is_on)
		;
	return 0;
}

static int sleep_on(const void *context UNUSED, int out UNUSED)
{
	while (pause() < 0)
		;
	return 0;
}

static int chatter(const void *context UNUSED, int out)
{
	static const char much[4096];

	while (write(out, much, sizeof(much)) > 0)
		;
	return 0;
}

static int overflow(const void *context UNUSED, int out UNUSED)
{
	abort();
}

static const struct {
	const char *row;
	isolated_work *work;
	double limit_s;
	enum isolated_end end;
	const char *answer;
} work_rows[] = {
	{ "done", say, 60, ISOLATED_DONE, "hello" },
	{ "fails", give_up, 60, ISOLATED_FAILED, "half" },
	{ "crashes", crash, 60, ISOLATED_CRASHED, "" },
	{ "aborts", overflow, 60, ISOLATED_CRASHED, "" },
	{ "spins", spin, 0.1, ISOLATED_LATE, "" },
	{ "sleeps", sleep_on, 0.1, ISOLATED_LATE, "" },
	{ "talks on", chatter, 60, ISOLATED_TOO_LONG, NULL },
	{ "done after those", say, 60, ISOLATED_DONE, "hello" },
};

static void test_processes(void **state UNUSED)
{
	struct isolated works[COUNT_OF(work_rows)];
	struct error err = { .text = "" };
	struct rows rows = { 0 };
	struct arena arena;

	arena_init(&arena);
	for (size_t i = 0; i < COUNT_OF(work_rows); i++)
		works[i] = (struct isolated){
			.work = work_rows[i].work, .context = "hello", .limit_s = work_rows[i].limit_s, .most = 1 << 20
		};
	assert_int_equal(isolate(works, COUNT_OF(works), &arena, &err), 0);
	for (size_t i = 0; i < COUNT_OF(work_rows); i++) {
		works[i].answer[works[i].length] = '\0';
		row_expect(&rows, work_rows[i].row, works[i].end == work_rows[i].end, isolated_end_text(works[i].end));
		if (work_rows[i].answer)
			row_expect_text(&rows, work_rows[i].row, (char *)works[i].answer, work_rows[i].answer);
	}
	assert_int_equal(isolate(works, 0, &arena, &err), 0);
	arena_release(&arena);
	rows_end(&rows);
}

/* ---- answers ---- */

static size_t through_pipe(const struct answer *answer, unsigned char *bytes, size_t most)
{
	ssize_t length;
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(answer_write(answer, ends[1]), 0);
	length = read(ends[0], bytes, most);
	close(ends[0]);
	close(ends[1]);
	return (size_t)length;
}

static void make_profile(struct profile *profile, struct arena *arena, uint32_t *numbers)
{
	profile_init(profile, arena);
	(void)profile_module(profile, &(struct profile_module){ .path = "/bin/a" });
	for (uint32_t i = 0; i < 4; i++)
		numbers[3 - i] = profile_place(profile, 0, i);
}

static void make_answer(struct answer *answer, struct arena *arena)
{
	answer_init(answer, arena);
	answer->state = ANSWER_EXPORTED;
	assert_true(answer_add(answer, 0, &(struct answer_frame){ .function = answer_text(answer, "f"), .line = 7 }));
	assert_true(answer_add(answer, 2, &(struct answer_frame){ .function = answer_text(answer, "g\xff<script>") }));
	assert_true(answer_add(answer, 2,
			       &(struct answer_frame){ .function = answer_text(answer, "f"),
						       .file = answer_text(answer, "a.c"),
						       .begin = 16,
						       .size = 9 }));
}

static void test_answer(void **state UNUSED)
{
	unsigned char bytes[4096];
	enum answer_state said;
	struct profile profile;
	struct answer answer;
	struct arena arena;
	uint32_t numbers[4];
	size_t length;

	arena_init(&arena);
	make_profile(&profile, &arena, numbers);
	make_answer(&answer, &arena);
	assert_int_equal(answer.ntexts, 3);
	length = through_pipe(&answer, bytes, sizeof(bytes));
	assert_int_equal(answer_read(&profile, &(struct answer_places){ numbers, 4 }, bytes, length, &said), 0);
	assert_int_equal(said, ANSWER_EXPORTED);
	assert_int_equal(profile.places[3].nframes, 1);
	assert_string_equal(profile.places[3].frames[0].function, "f");
	assert_int_equal(profile.places[3].frames[0].line, 7);
	assert_null(profile.places[3].frames[0].file);
	assert_int_equal(profile.places[2].nframes, 0);
	assert_int_equal(profile.places[1].nframes, 2);
	assert_string_equal(profile.places[1].frames[0].function, "g\\xff<script>");
	assert_string_equal(profile.places[1].frames[1].file, "a.c");
	assert_int_equal(profile.places[1].frames[1].size, 9);
	arena_release(&arena);
}

/* Of an answer that is cut anywhere nothing is believed; of one with a changed byte nothing that breaks. */
static void test_broken_answers(void **state UNUSED)
{
	unsigned char bytes[4096], changed[4096];
	enum answer_state said;
	struct profile profile;
	struct answer answer;
	struct arena arena;
	uint32_t numbers[4];
	size_t length;

	arena_init(&arena);
	make_profile(&profile, &arena, numbers);
	make_answer(&answer, &arena);
	length = through_pipe(&answer, bytes, sizeof(bytes));
	for (size_t cut = 0; cut < length; cut++)
		assert_int_equal(answer_read(&profile, &(struct answer_places){ numbers, 4 }, bytes, cut, &said), -1);
	for (size_t at = 0; at < length; at++)
		for (unsigned value = 0; value < 256; value += 5) {
			memcpy(changed, bytes, length);
			changed[at] = (unsigned char)value;
			if (answer_read(&profile, &(struct answer_places){ numbers, 4 }, changed, length, &said) == 0)
				for (uint32_t i = 0; i < profile.nplaces; i++)
					assert_true(profile.places[i].nframes <= ANSWER_MOST_FRAMES);
		}
	assert_int_equal(answer_read(&profile, &(struct answer_places){ numbers, 2 }, bytes, length, &said),
			 -1); /* a place that was not asked */
	arena_release(&arena);
}

/* What is too much is cut: frames, and texts at a whole character. */
static void test_limits(void **state UNUSED)
{
	char *text = malloc(2 * ANSWER_MOST_TEXT);
	struct answer answer;
	struct arena arena;
	const char *cut;

	arena_init(&arena);
	answer_init(&answer, &arena);
	for (uint32_t i = 0; i < ANSWER_MOST_FRAMES; i++)
		assert_true(answer_add(&answer, 0, &(struct answer_frame){ .line = i }));
	assert_false(answer_add(&answer, 0, &(struct answer_frame){ .line = 1 }));
	assert_true(answer_add(&answer, 1, &(struct answer_frame){ .line = 1 }));
	assert_non_null(text);
	for (size_t i = 0; i + 2 < 2 * ANSWER_MOST_TEXT; i += 2)
		memcpy(text + i, "\xc3\xa4", 3);
	cut = answer_text_of(&answer, answer_text(&answer, text));
	assert_true(strlen(cut) < ANSWER_MOST_TEXT);
	assert_string_equal(cut + strlen(cut) - 5, "\xc3\xa4...");
	assert_int_equal(answer_text(&answer, ""), ANSWER_NO_TEXT);
	assert_int_equal(answer_text(&answer, NULL), ANSWER_NO_TEXT);
	free(text);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_intervals),      cmocka_unit_test(test_symbols),
		cmocka_unit_test(test_processes),      cmocka_unit_test(test_answer),
		cmocka_unit_test(test_broken_answers), cmocka_unit_test(test_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
