/* SPDX-License-Identifier: GPL-2.0-or-later */
/* simulated_counts_test.c - the files that simulated processes leave, added up: events, source lines, what is missing. */
#include "rows.h"

#include "base/text.h"
#include "count/simulated_counts.h"
#include "scratch.h"

static const char events_text[] = "{\"Header\":{\"Cpu\":\"sim\",\"Pmu\":\"sim\"},\"Events\":["
				  "{\"EventName\":\"cycles\",\"EventCode\":\"0x1\"},"
				  "{\"EventName\":\"lost.a\",\"EventCode\":\"0x2\"},"
				  "{\"EventName\":\"lost.b\",\"EventCode\":\"0x3\"}]}";

struct world {
	struct scratch scratch;
	struct arena arena;
	struct event_database database;
	struct counts counts;
	struct simulated_processes processes;
	char path[256];
};

static void world_init(struct world *w)
{
	struct error err = { .text = "" };

	*w = (struct world){ .counts = { .cpu = NULL } };
	scratch_init(&w->scratch);
	arena_init(&w->arena);
	scratch_write(&w->scratch, "events.json", events_text, w->path);
	if (event_database_load(&w->database, w->path, &w->arena, &err) < 0)
		fail_msg("%s", err.text);
}

static void world_release(struct world *w)
{
	arena_release(&w->arena);
	scratch_release(&w->scratch);
}

static enum simulated_end read_all(struct world *w, int pid)
{
	const struct simulated_files files = {
		.folder = w->scratch.path, .pid = pid, .has_lines = true, .has_children = true
	};

	return simulated_counts_read(&w->counts, &w->processes, &files, &w->database, &w->arena);
}

/* A file that was written to its end. */
static void write_whole(struct world *w, const char *name, const char *text)
{
	scratch_write(&w->scratch, name, arena_printf(&w->arena, "%send\n", text), w->path);
}

static void tell_items(struct string *text, const struct count *items, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (items[i].state == COUNT_OK)
			string_printf(text, "%s=%g ", items[i].event, items[i].value);
		else
			string_printf(text, "%s=- ", items[i].event);
}

/* "cycles=5 lost.a=- | a.c:3 f prog lost.a=2 | ... & thread 1 f cycles=5 & ..." */
static const char *told(struct world *w)
{
	struct string text = STRING_INIT(&w->arena);

	tell_items(&text, w->counts.items, w->counts.count);
	for (size_t i = 0; i < w->counts.nlines; i++) {
		const struct source_line *line = &w->counts.lines[i];

		string_printf(&text, "| %s:%zu %s %s ", line->file ? line->file : "-", line->line,
			      line->function ? line->function : "-", line->object ? line->object : "-");
		for (size_t j = 0; j < line->count; j++)
			string_printf(&text, "%s=%g ", w->counts.items[line->counts[j].item].event,
				      line->counts[j].value);
	}
	for (size_t i = 0; i < w->processes.threads.count; i++) {
		string_printf(&text, "& %s: ", w->processes.threads.items[i].label);
		tell_items(&text, w->processes.threads.items[i].items, w->counts.count);
	}
	if (w->processes.lost)
		string_printf(&text, "- %zu of %zu lost", w->processes.lost, w->processes.count);
	return text.text;
}

static const struct row {
	const char *name, *first, *second; /* files of the processes 12 and 9 */
	const char *told;
} rows[] = {
	{ "one process", "cycles 5\nlost.a 2\n", NULL, "cycles=5 lost.a=2 lost.b=- " },
	{ "two add up", "cycles 5\nlost.a 2\ncore.forks 1\n", "cycles 7\nlost.b 1\n", "cycles=12 lost.a=2 lost.b=1 " },
	{ "a child without a file", "cycles 5\nlost.a 2\ncore.forks 2\n", "cycles 7\nlost.b 1\n",
	  "cycles=12 lost.a=2 lost.b=1 - 1 of 3 lost" },
	{ "a program that took a process's place, and has no file", "cycles 5\nlost.a 2\ncore.forks 1\n",
	  "cycles 7\ncore.execs 1\n", "cycles=12 lost.a=2 lost.b=- - 1 of 2 lost" },
	{ "a program that Valgrind has refused", "cycles 5\ncore.execs_failed 1\ncore.execs_refused 1\n", NULL,
	  "cycles=5 lost.a=- lost.b=- - 1 of 1 lost" },
	/* 20 slots of 100 instructions were seen: of 400 they are 80, and not the 20 and 60 of the two by themselves. */
	{ "windows of two processes", "inst.retired 100\ninst.modelled 50\ncycles 5\nlost.a 20\n",
	  "inst.retired 300\ninst.modelled 50\nlost.a 60\n@3\tf\tb.c\tprog\nlost.a 60\n",
	  "cycles=5 lost.a=80 lost.b=- | b.c:3 f prog lost.a=40 " },
	{ "one that no window fell into", "inst.retired 100\ninst.modelled 50\nlost.a 20\n",
	  "inst.retired 300\ninst.modelled 0\nlost.a 0\n", "cycles=- lost.a=80 lost.b=- " },
	{ "one process, sampled", "inst.retired 1000003\ninst.modelled 300007\nlost.a 12345677\n", NULL,
	  "cycles=- lost.a=1.23457e+07 lost.b=- " },
	{ "what nobody knows", "cycles 5\nlost.z 2\nlost.a x\nlost.b\n", NULL, "cycles=5 lost.a=- lost.b=- " },
	{ "lines, in the order of object, file and line",
	  "cycles 5\nlost.a 9\n@7\tf\tb.c\tprog\nlost.a 4\n@3\tf\tb.c\tprog\nlost.a 3\n@9\tg\ta.c\tprog\nlost.a 2\n",
	  NULL, "cycles=5 lost.a=9 lost.b=- | a.c:9 g prog lost.a=2 | b.c:3 f prog lost.a=3 | b.c:7 f prog lost.a=4 " },
	{ "lines that both processes have", "cycles 5\nlost.b 4\n@7\tf\tb.c\tprog\nlost.b 4\n",
	  "cycles 1\nlost.b 1\n@7\tf\tb.c\tprog\nlost.a 6\nlost.b 1\n",
	  "cycles=6 lost.a=- lost.b=5 | b.c:7 f prog lost.a=6 lost.b=5 " },
	{ "what is not known of a line", "cycles 5\n@0\t\t\t\nlost.a 4\n@0\tf\t\tprog\nlost.a 1\n", NULL,
	  "cycles=5 lost.a=- lost.b=- | -:0 - - lost.a=4 | -:0 f prog lost.a=1 " },
	{ "threads", "cycles 9\nlost.a 2\n%1\tmain\ncycles 4\n%2\ta b\ncycles 5\nlost.a 2\n", NULL,
	  "cycles=9 lost.a=2 lost.b=- & thread 1 main: cycles=4 lost.a=- lost.b=- & thread 2 a b: cycles=5 lost.a=2 "
	  "lost.b=- " },
	{ "threads of two processes, the program's first", "cycles 4\n%1\tmain\ncycles 4\n",
	  "cycles 5\n%1\t\ncycles 5\n",
	  "cycles=9 lost.a=- lost.b=- & process 1, thread 1 main: cycles=4 lost.a=- lost.b=- "
	  "& process 2, thread 1: cycles=5 lost.a=- lost.b=- " },
};

static void test_rows(void **state UNUSED)
{
	struct rows failed = { 0 };

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct world w;

		world_init(&w);
		write_whole(&w, "12.0.counts", rows[i].first);
		if (rows[i].second)
			write_whole(&w, "9.0.counts", rows[i].second);
		row_expect(&failed, rows[i].name, read_all(&w, 12) == SIMULATED_WHOLE, "it can't be read");
		row_expect_text(&failed, rows[i].name, told(&w), rows[i].told);
		world_release(&w);
	}
	rows_end(&failed);
}

/* A child's counts without the program's: it was killed before it could write them. */
static void test_own_missing(void **state UNUSED)
{
	struct world w;

	world_init(&w);
	assert_int_equal(read_all(&w, 1), SIMULATED_NONE);
	write_whole(&w, "12.0.counts", "cycles 5\n");
	assert_int_equal(read_all(&w, 1), SIMULATED_NONE);
	assert_int_equal(read_all(&w, 12), SIMULATED_WHOLE);
	world_release(&w);
}

/* A file that breaks off says nothing, wherever it does; a child's is missing then. */
static void test_cut(void **state UNUSED)
{
	static const char *const beginnings[] = { "", "cyc", "cycles 5", "cycles 5\n", "cycles 5\nlost.a 2\nen" };

	for (size_t i = 0; i < COUNT_OF(beginnings); i++) {
		struct world w;

		world_init(&w);
		scratch_write(&w.scratch, "12.0.counts", beginnings[i], w.path);
		assert_int_equal(read_all(&w, 12), SIMULATED_CUT);
		write_whole(&w, "12.0.counts", "cycles 4\ncore.forks 1\n");
		scratch_write(&w.scratch, "13.0.counts", beginnings[i], w.path);
		assert_int_equal(read_all(&w, 12), SIMULATED_WHOLE);
		assert_string_equal(told(&w), "cycles=4 lost.a=- lost.b=- - 1 of 2 lost");
		world_release(&w);
	}
}

/* Files of one process: each but the first is of the program that the one before has become, or had failed to. */
static void test_exec(void **state UNUSED)
{
	struct world w;

	world_init(&w);
	write_whole(&w, "12.0.counts", "cycles 4\ncore.execs 1\n");
	write_whole(&w, "12.1.counts", "cycles 5\ncore.execs_failed 1\ncore.execs 1\n");
	write_whole(&w, "12.2.counts", "cycles 6\n");
	assert_int_equal(read_all(&w, 12), SIMULATED_WHOLE);
	assert_string_equal(told(&w), "cycles=15 lost.a=- lost.b=- ");
	world_release(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_rows), cmocka_unit_test(test_own_missing),
					    cmocka_unit_test(test_cut), cmocka_unit_test(test_exec) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
