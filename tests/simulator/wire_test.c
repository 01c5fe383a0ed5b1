/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wire_test.c - what goes over files: names that the events have too, and texts that survive. */
#include <stdlib.h>
#include <string.h>

#include "common/base/macros.h"
#include "cpu/event/event.h"
#include "rows.h"
#include "simulator/wire.h"

/* All events but those that an exec leaves to the simulator itself, and nothing else. */
static void test_events(void **state UNUSED)
{
	struct error err = { .text = "" };
	struct event_database database;
	struct rows failed = { 0 };
	struct arena arena;
	size_t known = 0;

	arena_init(&arena);
	assert_return_code(event_database_load(&database, TOPDOWN_SOURCE_DIR "/events/sim.json", &arena, &err), 0);
	for (enum wire_count i = 0; i < WIRE_COUNT; i++) {
		bool is_event = event_database_find(&database, wire_row(i)->name) != NULL;

		row_expect(&failed, wire_row(i)->name, is_event == wire_is_event(i),
			   "it is no event of events/sim.json");
		known += is_event;
	}
	assert_int_equal(known, database.count);
	arena_release(&arena);
	rows_end(&failed);
}

static const struct text_row {
	const char *name, *text, *escaped;
} text_rows[] = {
	{ "nothing", "", "" },
	{ "a plain name", "std::sort<int*>(int*, int*)", "std::sort<int*>(int*, int*)" },
	{ "a tab", "a\tb", "a\\tb" },
	{ "newlines", "\n/a\n", "\\n/a\\n" },
	{ "a backslash", "C:\\new", "C:\\\\new" },
	{ "what looks escaped", "\\t", "\\\\t" },
	{ "other bytes", "\r\xc3\xa4\x01", "\r\xc3\xa4\x01" },
};

static void test_texts(void **state UNUSED)
{
	struct rows failed = { 0 };

	for (size_t i = 0; i < COUNT_OF(text_rows); i++) {
		const struct text_row *row = &text_rows[i];
		char text[64];
		size_t length = wire_escape(text, sizeof(text), row->text);

		row_expect_text(&failed, row->name, text, row->escaped);
		row_expect(&failed, row->name, length == strlen(row->escaped), "another length");
		wire_unescape(text);
		row_expect_text(&failed, row->name, text, row->text);
	}
	rows_end(&failed);
}

/* A buffer that is too small has whole characters. */
static void test_sizes(void **state UNUSED)
{
	static const char *const expected[] = { "", "a", "a", "a\\t", "a\\tb", "a\\tb" };

	for (size_t i = 0; i < COUNT_OF(expected); i++) {
		char text[8];

		wire_escape(text, i + 1, "a\tb");
		assert_string_equal(text, expected[i]);
	}
}

/* Of a writer that is not this one. */
static void test_foreign(void **state UNUSED)
{
	char text[] = "a\\xb\\";

	wire_unescape(text);
	assert_string_equal(text, "a\\xb\\");
}

static const struct names_row {
	const char *name, *names;
	size_t length;
	bool is_there;
} names_rows[] = {
	{ "none", "", 1, false },
	{ "the only one", "\0__asan_init", 13, true },
	{ "among others", "\0puts\0__asan_init\0x", 20, true },
	{ "after two empty ones", "\0\0\0__asan_init", 15, true },
	{ "after a beginning of it", "\0__asan\0__asan_init", 20, true },
	{ "longer behind", "\0__asan_init_v4", 16, false },
	{ "longer before", "\0x__asan_init", 14, false },
	{ "without its end", "\0__asan_init", 12, false },
	{ "another sanitizer's", "\0__tsan_init", 13, false },
};

static void test_names(void **state UNUSED)
{
	struct rows failed = { 0 };

	for (size_t i = 0; i < COUNT_OF(names_rows); i++)
		row_expect(&failed, names_rows[i].name,
			   wire_is_name_in(names_rows[i].names, names_rows[i].length) == names_rows[i].is_there,
			   names_rows[i].is_there ? "it is not found" : "it is found");
	rows_end(&failed);
}

/* What a function that was named may be called, by its symbol. */
static const struct meant_row {
	const char *name, *symbol;
	bool may_mean;
} meant_rows[] = {
	{ "main", "main", true },
	{ "Main", "main", true },
	{ "main", "main.cold", true },
	{ "memcpy", "memcpy@@GLIBC_2.14", true },
	{ "main", "mainly", false },
	{ "main", "domain", false },
	{ "main.cold", "main", false },
	{ "twice", "_Z5twiceIlET_S0_", true },
	{ "go", "_ZN2ns1DIlE2goIiEElT_", true },
	{ "wice", "_Z5twiceIlET_S0_", false },
	{ "operator()", "_ZN1AclEv", true },
	{ "operator()", "plain", false },
	{ "_start", "_RNvC1a6__start", true },
	{ "f", "puts", false },
};

static void test_meant(void **state UNUSED)
{
	struct rows failed = { 0 };

	for (size_t i = 0; i < COUNT_OF(meant_rows); i++)
		row_expect(&failed, meant_rows[i].symbol,
			   wire_may_mean(meant_rows[i].name, meant_rows[i].symbol) == meant_rows[i].may_mean,
			   meant_rows[i].name);
	rows_end(&failed);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_events), cmocka_unit_test(test_texts),
					    cmocka_unit_test(test_sizes),  cmocka_unit_test(test_foreign),
					    cmocka_unit_test(test_names),  cmocka_unit_test(test_meant) };

	return cmocka_run_group_tests_name("simulator.wire", tests, NULL, NULL);
}
