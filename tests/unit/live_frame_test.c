/* SPDX-License-Identifier: GPL-2.0-or-later */
/* live_frame_test.c - frames fit every window, the worst path stays the longest, and sparklines show what was put in. */
#include "render_fixture.h"

#include <string.h>

#include "common/base/cells.h"
#include "present/document/render.h"
#include "present/report/recent_values.h"

#define MOST_PARTS 6

/* An interval of the fixture's report, in so many parts. */
struct interval {
	struct fixture fixture;
	struct report parts[MOST_PARTS];
	struct report_set set;
};

static void interval_init(struct interval *interval, size_t parts)
{
	static const char *const names[MOST_PARTS] = { "CPU 0", "CPU 1", "CPU 2", "CPU 3", "CPU 4", "CPU 5" };

	fixture_init(&interval->fixture);
	for (size_t i = 0; i < parts; i++) {
		interval->parts[i] = interval->fixture.report;
		interval->parts[i].summary.part = parts > 1 ? names[i] : NULL;
	}
	interval->set = (struct report_set){
		.parts = interval->parts, .count = parts, .is_series = true, .before = 1, .from_s = 1, .to_s = 2
	};
}

static const char *drawn(const struct live_frame *frame, const struct style *style, struct arena *arena)
{
	struct string text = STRING_INIT(arena);
	struct error err = { .text = "" };

	assert_int_equal(live_frame_draw(&text, frame, style, &err), 0);
	return text.text;
}

/* Lines of the text; *widest is the number of columns of the widest. */
static size_t count_lines(const char *text, size_t *widest, struct arena *arena)
{
	size_t count = 0;

	for (*widest = 0; *text; count++) {
		size_t length = strcspn(text, "\n"), width = cells_width(arena_strndup(arena, text, length));

		*widest = width > *widest ? width : *widest;
		text += length + 1;
	}
	return count;
}

/* The number before "more node"; 0: it is not there. */
static size_t waiting(const char *text)
{
	const char *found = strstr(text, " more node");
	size_t number = 0, power = 1;

	for (; found && found > text && found[-1] >= '0' && found[-1] <= '9'; found--, power *= 10)
		number += power * (size_t)(found[-1] - '0');
	return number;
}

static size_t count_nodes(const char *text)
{
	static const char *const starts[] = { "Front", "Fetch", "Bad_",	 "Backe", "Memo",
					      "DRAM_", "L1_B",	"Core_", "Reti" };
	size_t count = 0;

	for (size_t i = 0; i < COUNT_OF(starts); i++)
		count += strstr(text, starts[i]) != NULL;
	return count;
}

static bool has_worst_path(const char *text)
{
	return strstr(text, "Backe") && strstr(text, "Memo") && strstr(text, "DRAM_");
}

/* The metrics behind the tree take rows too, so nodes wait even where a few rows seem to be left. */
static bool is_sound(const char *text, const struct live_frame *frame, bool is_verbose, struct arena *arena)
{
	size_t widest, lines = count_lines(text, &widest, arena), all = is_verbose ? RET + 1 : RET - 1;

	if (lines > frame->rows || widest > frame->columns)
		return false;
	if (frame->set->count > 1 || frame->columns < 60 || strstr(text, "more line"))
		return true;
	return count_nodes(text) + waiting(text) == all && (frame->rows < 16 || has_worst_path(text));
}

static void all_windows(void **state UNUSED)
{
	static const size_t parts[] = { 1, MOST_PARTS };
	struct rows rows = { 0 };

	for (size_t n = 0; n < COUNT_OF(parts) * 4; n++) {
		const struct style style = { .has_utf8 = n & 1, .is_verbose = n & 2 };
		struct interval interval;
		struct arena arena;
		char name[80];
		size_t wrong = 0;

		arena_init(&arena);
		interval_init(&interval, parts[n / 4]);
		for (size_t window = 0; window < 320; window++) {
			struct live_frame frame = { .set = &interval.set,
						    .past = recent_values_new(&arena),
						    .columns = 20 + window % 8 * 22,
						    .rows = 1 + window / 8 };

			wrong += !is_sound(drawn(&frame, &style, &arena), &frame, style.is_verbose, &arena);
		}
		snprintf(name, sizeof(name), "%zu parts, %s%s", parts[n / 4], style.has_utf8 ? "UTF-8" : "ASCII",
			 style.is_verbose ? ", all nodes" : "");
		row_expect_number(&rows, name, (double)wrong, 0);
		arena_release(&arena);
	}
	rows_end(&rows);
}

/* The last of them is the one that is shown; NAN was not measured. */
static void sparklines(void **state UNUSED)
{
	static const struct {
		const char *name, *expected;
		double values[5];
		bool has_utf8;
	} table[] = {
		{ "rising", "  ▁▃▅▆█", { 0, 25, 50, 75, 100 }, true },
		{ "by the largest", "  ▁▂▃▅█", { 0, 1, 2, 4, 7 }, true },
		{ "less than 1 % is flat", "  ▁▁▁▁▁", { 0.05, 0.01, 0.03, 0.02, 0.04 }, true },
		{ "a hole", "  █ █ █", { 5, (double)NAN, 5, (double)NAN, 5 }, true },
		{ "ASCII", "  _:=+#", { 0, 25, 50, 75, 100 }, false },
	};
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(table); i++) {
		struct interval interval;
		struct arena arena;
		struct live_frame frame = { .set = &interval.set, .columns = 64, .rows = 40 };
		const struct style style = { .has_utf8 = table[i].has_utf8 };
		struct recent_values *past;
		const char *text, *line;

		arena_init(&arena);
		interval_init(&interval, 1);
		frame.past = past = recent_values_new(&arena);
		for (size_t k = 0; k < COUNT_OF(table[i].values); k++) {
			bool is_known = !isnan(table[i].values[k]);

			interval.fixture.nodes[RET].value = table[i].values[k];
			interval.fixture.nodes[RET].quality = is_known ? QUALITY_EXACT : QUALITY_NONE;
			recent_values_add(past, &interval.set);
		}
		text = drawn(&frame, &style, &arena);
		line = strstr(text, "Retiring");
		line = line ? arena_strndup(&arena, line, strcspn(line, "\n")) : "";
		row_expect(&rows, table[i].name, strstr(line, table[i].expected) != NULL, line);
		arena_release(&arena);
	}
	rows_end(&rows);
}

/* Sequences take no column; what is behind the end still holds. */
static void cuts(void **state UNUSED)
{
	struct rows rows = { 0 };
	struct arena arena;
	struct string text;

	arena_init(&arena);
	text = STRING_INIT(&arena);
	live_frame_cut(&text, "\033[1mabcd\033[0m\nk\xc3\xbcrzer\nthird\n", 3, 2);
	row_expect_text(&rows, "two lines of three columns", text.text, "\033[1mabc\033[0m\nk\xc3\xbcr\n");
	arena_release(&arena);
	rows_end(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_windows),
		cmocka_unit_test(sparklines),
		cmocka_unit_test(cuts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
