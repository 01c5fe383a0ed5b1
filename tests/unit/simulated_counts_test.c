/* SPDX-License-Identifier: GPL-2.0-or-later */
/* simulated_counts_test.c - the files that simulated processes leave, added up: events, source lines, what is missing. */
#include "rows.h"

#include "collect/simulate/simulated_counts.h"
#include "common/base/text.h"
#include "scratch.h"
#include "simulator/wire.h"

static const char events_text[] = "{\"Header\":{\"Cpu\":\"sim\",\"Pmu\":\"sim\"},\"Events\":["
				  "{\"EventName\":\"loads.all\",\"EventCode\":\"0x1\"},"
				  "{\"EventName\":\"lost.dram\",\"EventCode\":\"0x2\"},"
				  "{\"EventName\":\"lost.ports\",\"EventCode\":\"0x3\"}]}";

struct world {
	struct scratch scratch;
	struct arena arena;
	struct event_database database;
	struct repeat repeat;
	struct counts counts;
	struct simulated_processes processes;
	char path[256];
};

static void world_init(struct world *w)
{
	struct error err = { .text = "" };

	*w = (struct world){ .counts = { .repeats = &w->repeat, .nrepeats = 1 } };
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
	scratch_write(&w->scratch, name, arena_printf(&w->arena, "%s\n%s%s\n", WIRE_VERSION_LINE, text, WIRE_END),
		      w->path);
}

static void tell_items(struct string *text, const struct count *items, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (items[i].state == COUNT_OK)
			string_printf(text, "%s=%g ", items[i].event, items[i].value);
		else
			string_printf(text, "%s=- ", items[i].event);
}

/* "loads.all=5 lost.dram=- | a.c:3 f prog lost.dram=2 | ... & thread 1 f loads.all=5 & ..." */
static const char *counts_text(struct world *w)
{
	struct string text = STRING_INIT(&w->arena);

	tell_items(&text, w->repeat.items, w->repeat.count);
	for (size_t i = 0; i < w->counts.nlines; i++) {
		const struct source_line *line = &w->counts.lines[i];

		string_printf(&text, "| %s:%zu %s %s ", line->file ? line->file : "-", line->line,
			      line->function ? line->function : "-", line->object ? line->object : "-");
		for (size_t j = 0; j < line->count; j++)
			string_printf(&text, "%s=%g ", w->repeat.items[line->counts[j].item].event,
				      line->counts[j].value);
	}
	for (size_t i = 0; i < w->processes.threads.count; i++) {
		string_printf(&text, "& %s: ", w->processes.threads.items[i].label);
		tell_items(&text, w->processes.threads.items[i].items, w->repeat.count);
	}
	for (size_t i = 0; i < w->processes.nnatives; i++)
		string_printf(&text, "! %s %d", w->processes.natives[i].path, (int)w->processes.natives[i].obstacle);
	if (w->processes.lost)
		string_printf(&text, "- %zu of %zu lost", w->processes.lost, w->processes.count);
	return text.text;
}

static const struct row {
	const char *name, *first, *second; /* files of the processes 12 and 9 */
	const char *expected;
} rows[] = {
	{ "one process", "loads.all 5\nlost.dram 2\n", NULL, "loads.all=5 lost.dram=2 lost.ports=- " },
	{ "two add up", "loads.all 5\nlost.dram 2\ncore.forks 1\n", "loads.all 7\nlost.ports 1\n",
	  "loads.all=12 lost.dram=2 lost.ports=1 " },
	{ "a child without a file", "loads.all 5\nlost.dram 2\ncore.forks 2\n", "loads.all 7\nlost.ports 1\n",
	  "loads.all=12 lost.dram=2 lost.ports=1 - 1 of 3 lost" },
	{ "a program that took a process's place, and has no file", "loads.all 5\nlost.dram 2\ncore.forks 1\n",
	  "loads.all 7\ncore.execs 1\n", "loads.all=12 lost.dram=2 lost.ports=- - 1 of 2 lost" },
	{ "a program that runs natively", "loads.all 5\ncore.execs 1\ncore.execs_refused 1\n!1\t/bin/a b\n", NULL,
	  "loads.all=5 lost.dram=- lost.ports=- ! /bin/a b 1" },
	{ "the same one twice", "loads.all 5\ncore.forks 1\ncore.execs 1\ncore.execs_refused 1\n!2\tc\n",
	  "loads.all 2\ncore.execs 1\ncore.execs_refused 1\n!2\tc\n", "loads.all=7 lost.dram=- lost.ports=- ! c 2" },
	{ "an obstacle that nobody knows", "loads.all 5\ncore.execs 1\ncore.execs_refused 1\n!9\tc\n", NULL,
	  "loads.all=5 lost.dram=- lost.ports=- " },
	/* 20 slots of 100 instructions were seen: of 400 they are 80, and not the 20 and 60 of the two by themselves. */
	{ "windows of two processes", "inst.retired 100\ninst.modelled 50\nloads.all 5\nlost.dram 20\n",
	  "inst.retired 300\ninst.modelled 50\nlost.dram 60\n=1\t0\t0\t0\t\t3\tf\tb.c\tprog\n@0\t1\nlost.dram 60\n",
	  "loads.all=5 lost.dram=80 lost.ports=- | b.c:3 f prog lost.dram=40 " },
	{ "one that no window fell into", "inst.retired 100\ninst.modelled 50\nlost.dram 20\n",
	  "inst.retired 300\ninst.modelled 0\nlost.dram 0\n", "loads.all=- lost.dram=80 lost.ports=- " },
	{ "one process, sampled", "inst.retired 1000003\ninst.modelled 300007\nlost.dram 12345677\n", NULL,
	  "loads.all=- lost.dram=1.23457e+07 lost.ports=- " },
	{ "what nobody knows", "loads.all 5\nlost.z 2\nlost.dram x\nlost.ports\n", NULL,
	  "loads.all=5 lost.dram=- lost.ports=- " },
	{ "lines, in the order of object, file and line",
	  "loads.all 5\nlost.dram "
	  "9\n=1\t0\t0\t0\t\t7\tf\tb.c\tprog\n=2\t0\t0\t0\t\t3\tf\tb.c\tprog\n=3\t0\t0\t0\t\t9\tg\ta.c\tprog\n"
	  "@0\t1\nlost.dram 4\n@0\t2\nlost.dram 3\n@0\t3\nlost.dram 2\n",
	  NULL,
	  "loads.all=5 lost.dram=9 lost.ports=- | a.c:9 g prog lost.dram=2 | b.c:3 f prog lost.dram=3 | b.c:7 f prog "
	  "lost.dram=4 " },
	{ "a line that a loop divides",
	  "loads.all 5\n=1\t0\t0\t40\t\t7\tf\tb.c\tprog\n=2\t0\t0\t60\t\t7\tf\tb.c\tprog\n"
	  "@0\t1\nlost.dram 4\n@0\t2\nlost.dram 3\n",
	  NULL, "loads.all=5 lost.dram=- lost.ports=- | b.c:7 f prog lost.dram=7 " },
	{ "lines that both processes have",
	  "loads.all 5\nlost.ports 4\n=1\t0\t0\t0\t\t7\tf\tb.c\tprog\n@0\t1\nlost.ports 4\n",
	  "loads.all 1\nlost.ports 1\n=1\t0\t0\t0\t\t7\tf\tb.c\tprog\n@0\t1\nlost.dram 6\nlost.ports 1\n",
	  "loads.all=6 lost.dram=- lost.ports=5 | b.c:7 f prog lost.dram=6 lost.ports=5 " },
	{ "what is not known of a line",
	  "loads.all 5\n=1\t0\t0\t0\t\t0\t\t\t\n=2\t0\t0\t0\t\t0\tf\t\tprog\n@0\t1\nlost.dram 4\n@0\t2\nlost.dram 1\n",
	  NULL, "loads.all=5 lost.dram=- lost.ports=- | -:0 - - lost.dram=4 | -:0 f prog lost.dram=1 " },
	{ "threads", "loads.all 9\nlost.dram 2\n%1\tmain\nloads.all 4\n%2\ta b\nloads.all 5\nlost.dram 2\n", NULL,
	  "loads.all=9 lost.dram=2 lost.ports=- & thread 1 main: loads.all=4 lost.dram=- lost.ports=- & thread 2 a b: "
	  "loads.all=5 lost.dram=2 "
	  "lost.ports=- " },
	{ "threads of two processes, the program's first", "loads.all 4\n%1\tmain\nloads.all 4\n",
	  "loads.all 5\n%1\t\nloads.all 5\n",
	  "loads.all=9 lost.dram=- lost.ports=- & process 1, thread 1 main: loads.all=4 lost.dram=- lost.ports=- "
	  "& process 2, thread 1: loads.all=5 lost.dram=- lost.ports=- " },
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
		row_expect_text(&failed, rows[i].name, counts_text(&w), rows[i].expected);
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
	write_whole(&w, "12.0.counts", "loads.all 5\n");
	assert_int_equal(read_all(&w, 1), SIMULATED_NONE);
	assert_int_equal(read_all(&w, 12), SIMULATED_WHOLE);
	world_release(&w);
}

/* Names that would end a field or a line. */
static void test_escaped(void **state UNUSED)
{
	struct world w;

	world_init(&w);
	write_whole(&w, "12.0.counts",
		    "loads.all 5\n=1\t0\t0\t0\t\t3\ta\\tb\\nc\t/d\\\\e\\nf.c\tp\\tq\n@0\t1\nlost.dram "
		    "1\n%1\tx\\ty\nloads.all 5\n");
	assert_int_equal(read_all(&w, 12), SIMULATED_WHOLE);
	assert_int_equal(w.counts.nlines, 1);
	assert_string_equal(w.counts.lines[0].function, "a\tb\nc");
	assert_string_equal(w.counts.lines[0].file, "/d\\e\nf.c");
	assert_string_equal(w.counts.lines[0].object, "p\tq");
	assert_string_equal(w.processes.threads.items[0].label, "thread 1 x\ty");
	world_release(&w);
}

/* ---- by call stack ---- */

/* "g:7(thread 2) main:3 f:5 lost.dram=4; ...", innermost last. */
static void tell_stack(struct string *text, const struct profile *profile, uint32_t number)
{
	const struct profile_stack *stack = &profile->stacks[number];
	const struct profile_place *place = &profile->places[stack->place];

	if (stack->caller != PROFILE_NONE)
		tell_stack(text, profile, stack->caller);
	string_printf(text, " %s:%u", place->nframes ? place->frames[0].function : "?",
		      place->nframes ? place->frames[0].line : 0);
}

static const char *profile_text(struct world *w)
{
	const struct profile *profile = w->processes.profile;
	struct string text = STRING_INIT(&w->arena);

	for (uint32_t i = 0; i < profile->nrows; i++) {
		const struct profile_row *row = &profile->rows[i];

		string_printf(&text, "%u/%u%s", profile->tasks[row->task].pid, profile->tasks[row->task].tid,
			      row->is_truncated ? " ..." : "");
		tell_stack(&text, profile, row->stack);
		for (size_t j = 0; j < row->ncounts; j++)
			string_printf(&text, " %s=%g", w->repeat.items[row->counts[j].item].event,
				      row->counts[j].value);
		string_add(&text, "; ");
	}
	return text.text;
}

#define PLACES "=1\t0\t0\t0\t\t3\tmain\ta.c\tprog\n=2\t0\t0\t0\t\t5\tf\ta.c\tprog\n"
#define STACKS "&1\t0\t0\t1\t0\n&2\t1\t1\t1\t0\n"

static const struct row stack_rows[] = {
	{ "two callers of one", "$1\t12\tx\n" PLACES STACKS "@1\t1\nlost.dram 1\n@2\t2\nlost.dram 4\nlost.ports 5\n",
	  NULL, "12/12 main:3 lost.dram=1; 12/12 main:3 f:5 lost.dram=4 lost.ports=5; " },
	{ "two threads",
	  "$1\t12\tx\n$2\t13\ty\n" PLACES STACKS "&3\t0\t0\t2\t0\n@2\t2\nlost.dram 4\n@3\t2\nlost.dram 5\n", NULL,
	  "12/12 main:3 f:5 lost.dram=4; 12/13 f:5 lost.dram=5; " },
	{ "two processes", "$1\t12\tx\n" PLACES STACKS "@2\t2\nlost.dram 4\n",
	  "$1\t9\tx\n=1\t0\t0\t0\t\t5\tf\ta.c\tprog\n&1\t0\t0\t1\t0\n@1\t1\nlost.dram 5\n",
	  "12/12 main:3 f:5 lost.dram=4; 9/9 f:5 lost.dram=5; " },
	{ "a stack that is cut", "$1\t12\tx\n" PLACES STACKS "&3\t2\t0\t1\t1\n@3\t2\nlost.dram 4\n", NULL,
	  "12/12 ... main:3 f:5 lost.dram=4; " },
	{ "the same one twice", "$1\t12\tx\n" PLACES STACKS "@2\t2\nlost.dram 4\n@2\t2\nlost.dram 4\n", NULL,
	  "12/12 main:3 f:5 lost.dram=8; " },
	{ "an unknown place and stack", PLACES STACKS "@1\t3\nlost.dram 4\n@9\t2\nlost.dram 5\n", NULL,
	  "12/12 f:5 lost.dram=5; " },
	{ "numbers that are none", "=x\t3\t0\tmain\ta.c\tprog\n&\n$\n=\n@\nlost.dram 4\n", NULL, "" },
};

static void test_stacks(void **state UNUSED)
{
	struct rows failed = { 0 };

	for (size_t i = 0; i < COUNT_OF(stack_rows); i++) {
		struct world w;

		world_init(&w);
		write_whole(&w, "12.0.counts", stack_rows[i].first);
		if (stack_rows[i].second)
			write_whole(&w, "9.0.counts", stack_rows[i].second);
		row_expect(&failed, stack_rows[i].name, read_all(&w, 12) == SIMULATED_WHOLE, "it can't be read");
		row_expect_text(&failed, stack_rows[i].name, profile_text(&w), stack_rows[i].expected);
		world_release(&w);
	}
	rows_end(&failed);
}

/* A simulator of another topdown. */
static void test_version(void **state UNUSED)
{
	struct world w;

	world_init(&w);
	scratch_write(&w.scratch, "12.0.counts", WIRE_VERSION_LINE "1\nloads.all 5\nend\n", w.path);
	assert_int_equal(read_all(&w, 12), SIMULATED_VERSIONED);
	scratch_write(&w.scratch, "12.0.counts", "loads.all 5\nend\n", w.path);
	assert_int_equal(read_all(&w, 12), SIMULATED_VERSIONED);
	world_release(&w);
}

/* A file that breaks off says nothing, wherever it does; a child's is missing then. */
static void test_cut(void **state UNUSED)
{
	static const char *const beginnings[] = { "", "loads", "loads.all 5", "loads.all 5\n",
						  "loads.all 5\nlost.dram 2\nen" };

	for (size_t i = 0; i < COUNT_OF(beginnings); i++) {
		struct world w;

		world_init(&w);
		scratch_write(&w.scratch, "12.0.counts", beginnings[i], w.path);
		assert_int_equal(read_all(&w, 12), SIMULATED_CUT);
		write_whole(&w, "12.0.counts", "loads.all 4\ncore.forks 1\n");
		scratch_write(&w.scratch, "13.0.counts", beginnings[i], w.path);
		assert_int_equal(read_all(&w, 12), SIMULATED_WHOLE);
		assert_string_equal(counts_text(&w), "loads.all=4 lost.dram=- lost.ports=- - 1 of 2 lost");
		world_release(&w);
	}
}

/* Files of one process: each but the first is of the program that the one before has become, or had failed to. */
static void test_exec(void **state UNUSED)
{
	struct world w;

	world_init(&w);
	write_whole(&w, "12.0.counts", "loads.all 4\ncore.execs 1\n");
	write_whole(&w, "12.1.counts", "loads.all 5\ncore.execs_failed 1\ncore.execs 1\n");
	write_whole(&w, "12.2.counts", "loads.all 6\n");
	assert_int_equal(read_all(&w, 12), SIMULATED_WHOLE);
	assert_string_equal(counts_text(&w), "loads.all=15 lost.dram=- lost.ports=- ");
	/* One that was to run natively, but could not be executed. */
	write_whole(&w, "12.2.counts", "loads.all 6\ncore.execs 1\ncore.execs_refused 1\n!1\ta\n");
	write_whole(&w, "12.3.counts", "loads.all 1\ncore.execs_failed 1\n");
	assert_int_equal(read_all(&w, 12), SIMULATED_WHOLE);
	assert_string_equal(counts_text(&w), "loads.all=16 lost.dram=- lost.ports=- ");
	world_release(&w);
}

/* What any of the processes has done to others: the program's own first effect before those of its children. */
static void test_effects(void **state UNUSED)
{
	struct world w;

	world_init(&w);
	write_whole(&w, "12.0.counts", "loads.all 4\ncore.forks 2\n");
	write_whole(&w, "13.0.counts", "loads.all 5\n^open\ta\\tb\n");
	write_whole(&w, "14.0.counts", "loads.all 5\n^unlink\tc\n");
	assert_int_equal(read_all(&w, 12), SIMULATED_WHOLE);
	assert_string_equal(w.processes.effects.call, "open");
	assert_string_equal(w.processes.effects.what, "a\tb");
	assert_false(w.processes.effects.has_listened);
	assert_int_equal(w.processes.effects.stop_signal, 0);
	write_whole(&w, "12.0.counts", "loads.all 4\ncore.forks 2\n^\t321\n^stopped\t15\n");
	write_whole(&w, "13.0.counts", "loads.all 5\n^bind\t\n^listened\t\n");
	assert_int_equal(read_all(&w, 12), SIMULATED_WHOLE);
	assert_string_equal(w.processes.effects.call, "");
	assert_string_equal(w.processes.effects.what, "321");
	assert_true(w.processes.effects.has_listened);
	assert_int_equal(w.processes.effects.stop_signal, 15);
	world_release(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_rows),    cmocka_unit_test(test_own_missing),
					    cmocka_unit_test(test_cut),	    cmocka_unit_test(test_exec),
					    cmocka_unit_test(test_escaped), cmocka_unit_test(test_stacks),
					    cmocka_unit_test(test_version), cmocka_unit_test(test_effects) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
