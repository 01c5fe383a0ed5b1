/* SPDX-License-Identifier: GPL-2.0-or-later */
/* render_odd_test.c - reports with little or strange things in them, terminals of any width, streams that refuse. */
#include "render_fixture.h"

#include <stdlib.h>

#include "common/json/json_read.h"

static void nothing_at_all(struct fixture *f)
{
	f->report = (struct report){ .model = &f->model };
	f->plan = (struct plan){ .level = 0 };
}

static void nothing_measured(struct fixture *f)
{
	for (size_t i = 0; i < f->report.nnodes; i++)
		f->nodes[i] =
			(struct result){ .metric = &f->metrics[i], .value = (double)NAN, .quality = QUALITY_NONE };
	f->report.worst = NULL;
}

static void no_thresholds(struct fixture *f)
{
	for (size_t i = 0; i < f->report.nnodes; i++)
		f->nodes[i].has_threshold = f->nodes[i].over_threshold = false;
	f->report.worst = NULL;
}

static void no_parent_reported(struct fixture *f)
{
	f->report.nodes = &f->nodes[MEM];
	f->report.nnodes = 3;
}

static void wild_parents(struct fixture *f)
{
	f->metrics[MEM].parent = DRAM;
	f->metrics[DRAM].parent = 1000;
	f->metrics[L1].parent = L1;
}

static void endless_title(struct fixture *f)
{
	static char title[4000];

	memset(title, 'x', sizeof(title) - 1);
	f->metrics[DRAM].title = f->metrics[MPKI].title = f->events[1].name = title;
	f->nodes[L1].reason = title;
	f->report.summary.command = title;
}

static void infinite_values(struct fixture *f)
{
	f->nodes[FE].value = (double)INFINITY;
	f->nodes[BE].value = 1e300;
	f->nodes[MEM].value = -1e300;
	f->nodes[DRAM].running = (double)NAN;
	f->report.summary.ipc = (double)INFINITY;
}

static void (*const odd[])(struct fixture *f) = {
	nothing_at_all, nothing_measured, no_thresholds,   no_parent_reported,
	wild_parents,	endless_title,	  infinite_values, make_calm,
};

static void expect_sane(const char *text, enum format format)
{
	struct error err = { .text = "" };

	assert_null(strstr(text, "nan"));
	assert_null(strstr(text, "inf,"));
	if (format == FORMAT_JSON) {
		struct json *root = json_read_text(text, strlen(text), "rendered", &err);

		assert_string_equal(err.text, "");
		json_free(root);
	}
}

static void test_odd(void **state UNUSED)
{
	for (unsigned i = 0; i < COUNT_OF(odd) * 4 * 4 * 6; i++) {
		struct style style = { .format = (enum format)(i % 4),
				       .has_utf8 = i / 4 % 2,
				       .is_verbose = i / 8 % 2,
				       .width = i / 16 % 6 * 25 };
		struct fixture f;
		char *text;

		fixture_init(&f);
		odd[i / 96](&f);
		text = report_text_of(&f.report, &style);
		expect_sane(text, style.format);
		free(text);
		text = plan_text_of(&f, &style);
		expect_sane(text, style.format);
		free(text);
	}
}

/* Only the command that is there to be pasted may be longer than the line. */
static void expect_narrow(const char *text, size_t width)
{
	while (*text) {
		size_t length = strcspn(text, "\n");

		if (length > width && strncmp(text, "  perf record", 13) != 0 &&
		    strncmp(text, "Next  perf record", 17) != 0)
			fail_msg("%zu columns instead of %zu: %.*s", length, width, (int)length, text);
		text += length + (text[length] == '\n');
	}
}

static void test_width(void **state UNUSED)
{
	for (unsigned width = 60; width <= 200; width++) {
		struct style style = { .width = width, .is_verbose = width % 2 };
		struct fixture f;
		char *text;

		fixture_init(&f);
		endless_title(&f);
		f.metrics[DRAM].domain = "Core_Utilization";
		text = report_text_of(&f.report, &style);
		expect_narrow(text, width);
		free(text);
		text = plan_text_of(&f, &style);
		expect_narrow(text, width);
		free(text);
	}
}

/* perf's spelling may be wider than the terminal: then it stands on a line of its own, as long as it is. */
static void test_wide_spelling(void **state UNUSED)
{
	static const char spelling[] = "\n        a_pmu_whose_name_alone_is_wider_than_a_terminal//\n";
	struct style style = { .width = 40 };
	struct fixture f;
	char *text;

	fixture_init(&f);
	f.pmu.name = "a_pmu_whose_name_alone_is_wider_than_a_terminal";
	text = plan_text_of(&f, &style);
	assert_non_null(strstr(text, spelling));
	assert_true(strlen(text) < 3000);
	free(text);
}

/* Whatever names and commands hold, a terminal gets text. */
static void test_control_characters(void **state UNUSED)
{
	static const char evil[] = "a\x1b[31m\n\x07\x7f\xc2\x9b"
				   "b\xff|,\"`";
	static const char *notes[] = { evil };

	for (unsigned i = 0; i < 8; i++) {
		struct style style = { .format = (enum format)(i % 4), .has_utf8 = i / 4 };
		struct fixture f;
		char *texts[2];

		fixture_init(&f);
		f.report.summary.command = f.report.summary.machine = f.report.summary.scope = f.report.summary.cpu =
			evil;
		f.metrics[BE].title = f.metrics[BE].name = f.metrics[MPKI].unit = f.metrics[MPKI].title = evil;
		f.metrics[BE].next_groups = f.metrics[MPKI].groups = f.model.no_tree = f.model.version =
			f.metrics[BE].path = evil;
		f.nodes[L1].reason = f.hints[0].command = f.events[0].name = f.model.cpu = evil;
		f.report.notes = notes;
		texts[0] = report_text_of(&f.report, &style);
		texts[1] = plan_text_of(&f, &style);
		for (size_t j = 0; j < 2; j++) {
			for (const char *c = texts[j]; *c; c++)
				if (((unsigned char)*c < ' ' && *c != '\n') || !strncmp(c, "\xc2\x9b", 2) ||
				    *c == '\xff')
					fail_msg("format %u prints byte 0x%02x", i % 4, (unsigned char)*c);
			free(texts[j]);
		}
	}
}

static void test_full_disk(void **state UNUSED)
{
	for (unsigned i = 0; i < 8; i++) {
		struct style style = { .format = (enum format)(i % 4) };
		FILE *full = fopen("/dev/full", "w");
		struct error err = { .text = "" };
		struct fixture f;
		int result;

		assert_non_null(full);
		fixture_init(&f);
		if (i < 4)
			result = render_report(full, &f.report, &style, &err);
		else
			result = render_plan(full, &f, &style, &err);
		assert_int_equal(result, -1);
		assert_string_equal(
			err.text,
			"can't write the output: No space left on device: `df` shows which file system is full");
		fclose(full);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_odd),	      cmocka_unit_test(test_width),
		cmocka_unit_test(test_wide_spelling), cmocka_unit_test(test_control_characters),
		cmocka_unit_test(test_full_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
