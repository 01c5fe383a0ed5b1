/* SPDX-License-Identifier: GPL-2.0-or-later */
/* render_lines_test.c - source lines as text and Markdown: which are shown, what they are called, strange names. */
#include "render_fixture.h"

#include <stdlib.h>

#define LONG "std::map<std::string, std::vector<int>>::operator[](std::string const&)"

static const struct source_line places[] = {
	{ "main", "/src/a.c", "/bin/prog", 7, NULL, 0 },
	{ LONG, "/src/a_file_whose_name_takes_more_than_half_of_a_line.cpp", "/bin/prog", 1234, NULL, 0 },
	{ NULL, NULL, "/lib/lib\x1b.so", 0, NULL, 0 },
	{ NULL, NULL, NULL, 0, NULL, 0 },
	{ "small", "b.c", "/bin/prog", 1, NULL, 0 },
};

static struct line_share lines[] = {
	{ &places[0], 60.04 }, { &places[1], 20 }, { &places[2], 12 }, { &places[3], 7.6 }, { &places[4], 0.3 }
};
static struct line_share functions[] = { { &places[0], 60.04 } };

static void fill(struct fixture *f, struct node_lines *node, const char *note)
{
	fixture_init(f);
	*node = (struct node_lines){ .node = f->report.worst,
				     .lines = lines,
				     .nlines = COUNT_OF(lines),
				     .functions = functions,
				     .nfunctions = 1,
				     .told = 99.94,
				     .note = note };
	f->report.has_lines = true;
	f->report.lines = node;
	f->report.nlines = 1;
}

static const struct row {
	const char *name;
	struct style style;
	const char *part; /* of what is printed */
} rows[] = {
	{ "text",
	  { .format = FORMAT_TEXT, .width = 80 },
	  "\nLines of DRAM_Bound, in percent of it:\n"
	  "    60.0 %  a.c:7                                     main\n"
	  "    20.0 %  ..akes_more_than_half_of_a_line.cpp:1234  std::map<std::string, st..\n"
	  "    12.0 %  [lib\\x1b.so]                              (no name)\n"
	  "     7.6 %  [no file]                                 (no name)\n"
	  "    and 1 more line: 0.3 %\n"
	  "  Functions:\n"
	  "    60.0 %  [prog]                                    main\n"
	  "Build it with -g.\n" },
	{ "all of it",
	  { .format = FORMAT_TEXT, .width = 200, .is_verbose = true },
	  "    60.0 %  /src/a.c:7                                                      main\n"
	  "    20.0 %  /src/a_file_whose_name_takes_more_than_half_of_a_line.cpp:1234  " LONG "\n" },
	{ "and the small ones", { .format = FORMAT_TEXT, .width = 200, .is_verbose = true }, "     0.3 %  b.c:1 " },
	{ "Markdown",
	  { .format = FORMAT_MARKDOWN },
	  "### Lines of DRAM_Bound\n\n| % of it | Line | Function |\n| ---: | --- | --- |\n| 60.0 | a.c:7 | main |\n" },
	{ "Markdown's functions",
	  { .format = FORMAT_MARKDOWN },
	  "| % of it | Object | Function |\n| ---: | --- | --- |\n| 60.0 | " },
	{ "Markdown's rest", { .format = FORMAT_MARKDOWN }, "\nand 1 more line: 0.3 %\n" },
	{ "CSV has the columns", { .format = FORMAT_CSV }, ",bottleneck,reason,function,file,line,object\n" },
	{ "CSV has all of them",
	  { .format = FORMAT_CSV },
	  ",0.3,%,DRAM_Bound,scaled,true,true,,small,b.c,1,/bin/prog\n" },
	{ "JSON", { .format = FORMAT_JSON }, "\"without_line_percent\": 0,\n      \"note\": \"Build it with -g.\"" },
	{ "JSON's unknown",
	  { .format = FORMAT_JSON },
	  "\"percent\": 7.6,\n          \"function\": null,\n          \"file\": null,\n          \"line\": null,\n    "
	  "      \"object\": null" },
};

static void test_rows(void **state UNUSED)
{
	struct rows failed = { 0 };
	struct node_lines node;
	struct fixture f;

	fill(&f, &node, "Build it with -g.");
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		char *text = report_text_of(&f.report, &rows[i].style);

		if (!strstr(text, rows[i].part))
			row_expect_text(&failed, rows[i].name, text, rows[i].part);
		free(text);
	}
	rows_end(&failed);
}

/* Nobody asked; or there is no node to tell lines of. */
static void test_none(void **state UNUSED)
{
	const struct style style = { .format = FORMAT_TEXT, .width = 200 };
	struct node_lines node;
	struct fixture f;
	char *text;

	fill(&f, &node, NULL);
	f.report.nlines = 0;
	text = report_text_of(&f.report, &style);
	assert_non_null(strstr(text, "\nNo node is over its threshold"));
	free(text);
	f.report.has_lines = false;
	text = report_text_of(&f.report, &style);
	assert_null(strstr(text, "No node is over its threshold"));
	assert_null(strstr(text, "Lines of"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_rows), cmocka_unit_test(test_none) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
