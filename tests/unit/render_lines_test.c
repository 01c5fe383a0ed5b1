/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * render_lines_test.c - where something happens as text, Markdown, CSV and JSON: which rows are shown, what they are
 * called, intervals, strange names.
 */
#include "render_fixture.h"

#include <stdlib.h>

#include "analyse/hotspots/hotspots.h"

#define LONG "std::map<std::string, std::vector<int>>::operator[](std::string const&)"

#define EXACT(percent_)                                                                                                \
	{                                                                                                              \
		.percent = (percent_), .low = (percent_), .high = (percent_)                                           \
	}
#define SAMPLED(percent_, low_, high_, samples_)                                                                       \
	{                                                                                                              \
		.percent = (percent_), .low = (low_), .high = (high_), .samples = (samples_),                          \
		.is_rough = (samples_) < 30                                                                            \
	}
#define NO_SHARE EXACT((double)NAN)

#define LINE(share_, function_, file_, line_, module_)                                                                 \
	{                                                                                                              \
		.self = share_, .total = NO_SHARE, .base = NO_SHARE, .function = (function_), .file = (file_),         \
		.line = (line_), .module = (module_)                                                                   \
	}
#define FUNCTION(share_, total_, function_, module_)                                                                   \
	{                                                                                                              \
		.self = share_, .total = total_, .base = NO_SHARE, .function = (function_), .module = (module_)        \
	}

static struct where_row lines[] = {
	LINE(EXACT(60.04), "main", "/src/a.c", 7, "/bin/prog"),
	LINE(EXACT(20), LONG, "/src/a_file_whose_name_takes_more_than_half_of_a_line.cpp", 1234, "/bin/prog"),
	LINE(EXACT(12), NULL, NULL, 0, "/lib/lib\x1b.so"),
	LINE(EXACT(7.6), NULL, NULL, 0, NULL),
	LINE(EXACT(0.3), "small", "b.c", 1, "/bin/prog"),
};
static struct where_row functions[] = { FUNCTION(EXACT(60.04), EXACT(99.94), "main", "/bin/prog") };

static struct where_row sampled_functions[] = {
	FUNCTION(SAMPLED(60, 57.25, 62.71, 740), SAMPLED(80, 77, 83, 990), "f", "/bin/prog"),
	FUNCTION(SAMPLED(2, 1.2, 3.3, 24), SAMPLED(2, 1.2, 3.3, 24), "<script>\x1b[31m", "/bin/prog"),
	FUNCTION(SAMPLED(0.4, 0.2, 0.9, 5), SAMPLED(0.4, 0.2, 0.9, 5), "g", "/bin/prog"),
};

static const char *remarks[] = { "Build it with -g." };

/* What a report has of one node, or of one event. */
struct setting {
	struct fixture f;
	struct question question;
	struct profile profile;
	struct profile_event event;
	struct weighing weighing;
	struct where where;
	struct hotspots all;
};

static void fill_exact(struct setting *s)
{
	*s = (struct setting){ .question = { .wants_lines = true } };
	fixture_init(&s->f);
	s->weighing = (struct weighing){ .name = "tma_dram_bound",
					 .title = "DRAM_Bound",
					 .unit = "slots",
					 .node = "tma_dram_bound",
					 .event = PROFILE_NONE,
					 .is_exact = true,
					 .total = 99.94,
					 .whole = 100 };
	s->where = (struct where){ .weighing = &s->weighing,
				   .profile = &s->profile,
				   .lines = { lines, COUNT_OF(lines) },
				   .functions = { functions, 1 },
				   .kept = EXACT(99.94),
				   .unknown = EXACT(19.6),
				   .truncated = EXACT(0),
				   .nowhere = EXACT(0.06),
				   .lineless = EXACT(19.6),
				   .remarks = remarks,
				   .nremarks = 1 };
	s->all = (struct hotspots){ .question = &s->question, .profile = &s->profile, .items = &s->where, .count = 1 };
}

static void fill_sampled(struct setting *s)
{
	fill_exact(s);
	s->question = (struct question){ .wants_functions = true };
	s->event = (struct profile_event){ .event = "L3_MISS",
					   .node = "tma_dram_bound",
					   .samples = 1234,
					   .lost = 7,
					   .throttled = 2,
					   .precise = 1,
					   .wanted = 2,
					   .period = 1009 };
	s->weighing.is_exact = false;
	s->weighing.samples = 1234;
	s->weighing.name = "L3_MISS";
	s->where.event = &s->event;
	s->where.functions = (struct where_rows){ sampled_functions, COUNT_OF(sampled_functions) };
	s->where.lines = (struct where_rows){ NULL, 0 };
	s->where.has_stacks = true;
	s->where.truncated = (struct share)SAMPLED(3, 2, 4, 37);
}

static void fill_one_sample(struct setting *s)
{
	fill_sampled(s);
	s->weighing.samples = s->event.samples = s->event.lost = s->event.throttled = 1;
}

/* A line of a header that is inlined twice, with a name that is cut. */
static void fill_twins(struct setting *s)
{
	static struct where_row twins[2];

	for (size_t i = 0; i < COUNT_OF(twins); i++)
		twins[i] = (struct where_row){ .function = LONG,
					       .file = "/inc/atomic.h",
					       .line = 618,
					       .into = i ? "right" : "left",
					       .at_file = "/src/fs.cpp",
					       .at_line = i ? 9 : 8,
					       .self = EXACT(50) };
	fill_exact(s);
	s->where.lines = (struct where_rows){ twins, COUNT_OF(twins) };
}

static const struct row {
	const char *name;
	void (*fill)(struct setting *s);
	struct style style;
	double limit;
	const char *part; /* of what is printed */
} rows[] = {
	/* clang-format off */
	{ "text", fill_exact, { .format = FORMAT_TEXT, .width = 80 }, 0,
	  "\nLines of DRAM_Bound, in percent of it:\n"
	  "  Self %  Line                                      Function\n"
	  "    60.0  a.c:7                                     main\n"
	  "    20.0  ..akes_more_than_half_of_a_line.cpp:1234  std::map<std:..tring const&)\n"
	  "    12.0  [lib\\x1b.so]                              (no name)\n"
	  "     7.6  [no file]                                 (no name)\n"
	  "    and 1 more line: 0.3 %\n"
	  "  Functions:\n"
	  "  Self %  Object  Function\n"
	  "    60.0  [prog]  main\n"
	  "Build it with -g.\n" },
	{ "all of it", fill_exact, { .format = FORMAT_TEXT, .width = 200, .is_verbose = true }, 0,
	  "    60.0  /src/a.c:7                                                      main\n"
	  "    20.0  /src/a_file_whose_name_takes_more_than_half_of_a_line.cpp:1234  " LONG "\n" },
	{ "and the small ones", fill_exact, { .format = FORMAT_TEXT, .width = 200, .is_verbose = true }, 0,
	  "     0.3  b.c:1 " },
	{ "a limit", fill_exact, { .format = FORMAT_TEXT, .width = 80 }, 10, "\n    and 2 more lines: 7.9 %\n" },
	{ "Markdown", fill_exact, { .format = FORMAT_MARKDOWN }, 0,
	  "### Lines of DRAM_Bound\n\n| Self % | Line | Function |\n| ---: | --- | --- |\n| 60.0 | a.c:7 | main |\n" },
	{ "Markdown's functions", fill_exact, { .format = FORMAT_MARKDOWN }, 0,
	  "| Self % | Object | Function |\n| ---: | --- | --- |\n| 60.0 | " },
	{ "Markdown's rest", fill_exact, { .format = FORMAT_MARKDOWN }, 1, "\nand 1 more line: 0.3 %\n" },
	{ "CSV has the columns", fill_exact, { .format = FORMAT_CSV }, 0,
	  ",topic,groups,function,file,line,object,text,part," },
	{ "CSV has those of shares at its end", fill_exact, { .format = FORMAT_CSV }, 0,
	  ",csv_version,self_low,self_high,total,total_low,total_high,base,samples,rough,inlined_into,inlined_at_file,inlined_at_line,if_fixed,verdict,good,bad\n" },
	{ "CSV has all of them", fill_exact, { .format = FORMAT_CSV }, 0,
	  ",0.3,%,DRAM_Bound,scaled,true,true,,,,,,0.66,,tma_memory_bound,true,true,MEM_LOAD_RETIRED.L3_MISS,,"
	  "TopdownL3,small,b.c,1,/bin/prog,,," },
	{ "JSON", fill_exact, { .format = FORMAT_JSON }, 0,
	  "\"without_line_percent\": 19.6,\n      \"note\": \"Build it with -g.\"" },
	{ "JSON's unknown", fill_exact, { .format = FORMAT_JSON }, 0,
	  "\"percent\": 7.6,\n          \"function\": null,\n          \"file\": null,\n          \"line\": null,\n    "
	  "      \"object\": null" },
	{ "samples with their intervals", fill_sampled, { .format = FORMAT_TEXT, .width = 80 }, 0,
	  "\nFunctions of DRAM_Bound, in percent of it:\n  1234 samples of L3_MISS\n"
	  "  Self %          95 %  Total %  Samples  Object  Function\n"
	  "    60.0  57.2 to 62.7     80.0      740  [prog]  f\n"
	  "     2.0  ~ 1.2 to 3.3      2.0       24  [prog]  <script>\\x1b[31m\n"
	  "    and 1 more function: 0.4 %\n"
	  "~ fewer than 30 samples: a rough share\n"
	  "7 samples were lost, because the buffer was full.\n"
	  "The kernel slowed sampling down 2 times.\n"
	  "L3_MISS was sampled less precisely than it should be (1 of 2).\n"
	  "[truncated]: for 3.0 % not all callers were found.\n" },
	{ "one sample", fill_one_sample, { .format = FORMAT_TEXT, .width = 80 }, 0, "\n  1 sample of L3_MISS\n" },
	{ "one of each", fill_one_sample, { .format = FORMAT_TEXT, .width = 80 }, 0,
	  "1 sample was lost, because the buffer was full.\nThe kernel slowed sampling down 1 time.\n" },
	{ "a line inlined twice says where first", fill_twins, { .format = FORMAT_TEXT, .width = 60 }, 0,
	  "    50.0  atomic.h:618  in left, fs.cpp:8..d::string const&)\n"
	  "    50.0  atomic.h:618  in right, fs.cpp:..d::string const&)\n" },
	{ "Markdown escapes names", fill_sampled, { .format = FORMAT_MARKDOWN }, 0,
	  "\\<script\\>\\\\x1b\\[31m" },
	{ "JSON has both intervals", fill_sampled, { .format = FORMAT_JSON }, 0,
	  "\"self\": 60,\n        \"total\": 80,\n        \"samples\": 740,\n        \"name\": \"f\",\n        "
	  "\"module\": \"/bin/prog\",\n        \"self_low\": 57.25,\n        \"self_high\": 62.71,\n        "
	  "\"total_low\": 77,\n        \"total_high\": 83,\n        \"rough\": false" },
	{ "JSON's head", fill_sampled, { .format = FORMAT_JSON }, 0,
	  "\"profile\": {\n    \"event\": \"L3_MISS\",\n    \"node\": \"tma_dram_bound\",\n    \"title\": "
	  "\"DRAM_Bound\",\n    \"unit\": \"slots\",\n    \"exact\": false,\n    \"samples\": 1234,\n    \"lost\": 7," },
	/* clang-format on */
};

static char *text_of(const struct setting *s, const struct style *style)
{
	struct error err = { .text = "" };
	struct report only = s->f.report;
	const struct report_set set = {
		.parts = &only, .count = 1, .from_s = (double)NAN, .to_s = (double)NAN, .where = &s->all
	};
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);

	assert_int_equal(render_reports(out, &set, NULL, style, &err), 0);
	fclose(out);
	return text;
}

static void test_rows(void **state UNUSED)
{
	struct rows failed = { 0 };

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct setting s;
		char *text;

		rows[i].fill(&s);
		s.question.filter.limit = rows[i].limit;
		text = text_of(&s, &rows[i].style);
		if (!strstr(text, rows[i].part))
			row_expect_text(&failed, rows[i].name, text, rows[i].part);
		free(text);
	}
	rows_end(&failed);
}

/* A name of 10,000 characters is cut to the page. */
static void test_long_name(void **state UNUSED)
{
	const struct style style = { .format = FORMAT_TEXT, .width = 80 };
	static char name[10001];
	static struct where_row row[] = { FUNCTION(SAMPLED(60, 57.25, 62.71, 740), SAMPLED(80, 77, 83, 990), name,
						   name) };
	struct setting s;
	char *text;

	memset(name, 'n', sizeof(name) - 1);
	fill_sampled(&s);
	s.where.functions = (struct where_rows){ row, 1 };
	text = text_of(&s, &style);
	for (const char *line = text, *end; (end = strchr(line, '\n')); line = end + 1)
		if (end - line > 80)
			fail_msg("%zu columns", (size_t)(end - line));
	free(text);
}

/* Nobody asked. */
static void test_none(void **state UNUSED)
{
	const struct style style = { .format = FORMAT_TEXT, .width = 200 };
	struct setting s;
	char *text;

	fill_exact(&s);
	text = report_text_of(&s.f.report, &style);
	assert_null(strstr(text, "Lines of"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_rows), cmocka_unit_test(test_long_name),
					    cmocka_unit_test(test_none) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
