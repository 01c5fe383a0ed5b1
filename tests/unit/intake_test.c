/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * intake_test.c - from records to rows: what is mapped where at each time, in processes that fork, exec, end and come
 * back, and the frames of the kernel's chains. The expectations stand beside the records.
 */
#include "rows.h"

#include "collect/sample/intake.h"
#include "record_bytes.h"

struct world {
	struct arena arena;
	struct profile profile;
	struct intake *intake;
	struct record_format format;
	struct record_bytes bytes;
	uint64_t time;
};

static void world_init(struct world *world, enum sample_stacks stacks)
{
	const struct profile_event event = { .event = "cycles", .run = 0 };
	struct intake_setup setup = { .profile = &world->profile, .stacks = stacks, .most_chain = 8 };

	*world = (struct world){ .format = { .sample_type = SAMPLING_TYPE, .has_ids = true } };
	if (stacks != SAMPLE_STACKS_NONE)
		world->format.sample_type |= PERF_SAMPLE_CALLCHAIN;
	arena_init(&world->arena);
	profile_init(&world->profile, &world->arena);
	profile_event(&world->profile, &event);
	world->intake = intake_new(&setup);
}

static void world_release(struct world *world)
{
	intake_release(world->intake);
	arena_release(&world->arena);
}

static void take(struct world *world, const struct perf_event_header *header)
{
	struct record record;

	assert_true(record_parse(&record, header, &world->format));
	intake_take(world->intake, &record, record.type == PERF_RECORD_SAMPLE ? 0 : PROFILE_NONE);
}

static void map(struct world *world, uint32_t pid, uint64_t begin, uint64_t end, const char *path)
{
	const uint64_t where[3] = { begin, end - begin, 0x100 };

	take(world, record_mmap(&world->bytes, pid, ++world->time, where, path));
}

static void fork_task(struct world *world, uint32_t parent, uint32_t pid, uint32_t tid)
{
	const uint32_t numbers[4] = { pid, parent, tid, parent };

	take(world, record_task(&world->bytes, PERF_RECORD_FORK, numbers, ++world->time));
}

static void end_task(struct world *world, uint32_t pid, uint32_t tid)
{
	const uint32_t numbers[4] = { pid, 1, tid, 1 };

	take(world, record_task(&world->bytes, PERF_RECORD_EXIT, numbers, ++world->time));
}

static void name_task(struct world *world, uint32_t pid, uint32_t tid, const char *name, bool is_exec)
{
	const uint32_t numbers[2] = { pid, tid };

	take(world, record_comm(&world->bytes, numbers, ++world->time, name, is_exec));
}

/* The row that the sample has made or added to. */
static const struct profile_row *sample(struct world *world, uint32_t pid, uint32_t tid, uint64_t ip)
{
	const uint32_t numbers[2] = { pid, tid };
	double before = world->profile.events[0].weight;

	take(world, record_sample(&world->bytes, numbers, ++world->time, ip, 1));
	assert_true(world->profile.events[0].weight == before + 1000);
	return &world->profile.rows[world->profile.nrows - 1];
}

/* "path+address" of the row's leaf. */
static const char *leaf(struct world *world, const struct profile_row *row)
{
	const struct profile_place *place = &world->profile.places[world->profile.stacks[row->stack].place];

	return arena_printf(&world->arena, "%s+%llx", world->profile.modules[place->module].path,
			    (unsigned long long)place->address);
}

/* A later mapping hides what it covers of the earlier ones, and nothing else. */
static void test_overlaps(void **state UNUSED)
{
	static const struct {
		uint64_t address;
		const char *leaf;
	} rows[] = {
		{ 0x0fff, "[unknown]+fff" }, { 0x1000, "/a+100" },  { 0x1fff, "/a+10ff" },	  { 0x2000, "/b+100" },
		{ 0x2fff, "/b+10ff" },	     { 0x3000, "/a+2100" }, { 0x4000, "/c+100" },	  { 0x5800, "/c+1900" },
		{ 0x6000, "/d+1100" },	     { 0x6fff, "/d+20ff" }, { 0x7000, "[unknown]+7000" },
	};
	struct rows result = { 0 };
	struct world world;

	world_init(&world, SAMPLE_STACKS_NONE);
	map(&world, 5, 0x1000, 0x5000, "/a");
	map(&world, 5, 0x5000, 0x7000, "/d");
	map(&world, 5, 0x2000, 0x3000, "/b");
	map(&world, 5, 0x4000, 0x6000, "/c");
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		row_expect_text(&result, rows[i].leaf, leaf(&world, sample(&world, 5, 5, rows[i].address)),
				rows[i].leaf);
	rows_end(&result);
	assert_int_equal(world.profile.ntasks, 1);
	world_release(&world);
}

/* A library that was closed, and another that stands at its place: each sample is in the one of its time. */
static void test_dlopen(void **state UNUSED)
{
	struct world world;

	world_init(&world, SAMPLE_STACKS_NONE);
	map(&world, 5, 0x1000, 0x2000, "/one.so");
	assert_string_equal(leaf(&world, sample(&world, 5, 5, 0x1800)), "/one.so+900");
	map(&world, 5, 0x1000, 0x2000, "/two.so");
	assert_string_equal(leaf(&world, sample(&world, 5, 5, 0x1800)), "/two.so+900");
	map(&world, 5, 0x1000, 0x2000, "//anon");
	assert_string_equal(leaf(&world, sample(&world, 5, 5, 0x1800)), "//anon+1800");
	assert_int_equal(world.profile.modules[2].kind, MODULE_JIT);
	assert_int_equal(world.profile.modules[2].pid, 5);
	world_release(&world);
}

static void test_processes(void **state UNUSED)
{
	struct world world;
	const struct profile_task *task;

	world_init(&world, SAMPLE_STACKS_NONE);
	name_task(&world, 5, 5, "shell", true);
	map(&world, 5, 0x1000, 0x2000, "/bin/sh");
	fork_task(&world, 5, 6, 6);
	assert_string_equal(leaf(&world, sample(&world, 6, 6, 0x1000)), "/bin/sh+100");
	map(&world, 6, 0x1000, 0x2000, "/child.so"); /* the parent keeps its own */
	assert_string_equal(leaf(&world, sample(&world, 5, 5, 0x1000)), "/bin/sh+100");
	assert_string_equal(leaf(&world, sample(&world, 6, 6, 0x1001)), "/child.so+101");
	name_task(&world, 6, 6, "ls", true); /* exec: nothing of before is mapped */
	assert_string_equal(leaf(&world, sample(&world, 6, 6, 0x1000)), "[unknown]+1000");
	task = &world.profile.tasks[world.profile.rows[world.profile.nrows - 1].task];
	assert_string_equal(task->name, "ls");
	assert_string_equal(task->program, "ls");
	end_task(&world, 6, 6);
	fork_task(&world, 5, 6, 6); /* the number once more */
	assert_string_equal(leaf(&world, sample(&world, 6, 6, 0x1002)), "/bin/sh+102");
	task = &world.profile.tasks[world.profile.rows[world.profile.nrows - 1].task];
	assert_string_equal(task->program, "shell");
	world_release(&world);
}

/* What is outside a container has the number 0, all of it: no name and no mapping of one is another's. */
static void test_outside(void **state UNUSED)
{
	struct world world;

	world_init(&world, SAMPLE_STACKS_NONE);
	name_task(&world, 0, 0, "one", true);
	map(&world, 0, 0x1000, 0x2000, "/bin/one");
	assert_string_equal(leaf(&world, sample(&world, 0, 0, 0x1000)), "[unknown]+1000");
	assert_null(world.profile.tasks[world.profile.rows[0].task].program);
	fork_task(&world, 0, 7, 7); /* one comes in (setns) */
	assert_string_equal(leaf(&world, sample(&world, 7, 7, 0x1000)), "[unknown]+1000");
	world_release(&world);
}

/* Threads are the process's; one that takes another name is another task. */
static void test_threads(void **state UNUSED)
{
	struct world world;

	world_init(&world, SAMPLE_STACKS_NONE);
	name_task(&world, 5, 5, "main", true);
	map(&world, 5, 0x1000, 0x2000, "/bin/x");
	for (uint32_t tid = 6; tid < 306; tid++)
		fork_task(&world, 5, 5, tid);
	name_task(&world, 5, 7, "worker", false);
	for (uint32_t tid = 5; tid < 306; tid++)
		assert_string_equal(leaf(&world, sample(&world, 5, tid, 0x1000)), "/bin/x+100");
	assert_int_equal(world.profile.ntasks, 301);
	assert_string_equal(world.profile.tasks[2].name, "worker");
	assert_string_equal(world.profile.tasks[2].program, "main");
	name_task(&world, 5, 7, "other", false);
	sample(&world, 5, 7, 0x1000);
	assert_int_equal(world.profile.ntasks, 302);
	for (uint32_t tid = 306; tid-- > 5;)
		end_task(&world, 5, tid);
	assert_string_equal(leaf(&world, sample(&world, 5, 5, 0x1000)), "/bin/x+100"); /* its last moments */
	world_release(&world);
}

/* Many short processes: memory is that of those that are there, and numbers may come back. */
static void test_many_processes(void **state UNUSED)
{
	struct world world;

	world_init(&world, SAMPLE_STACKS_NONE);
	name_task(&world, 5, 5, "make", true);
	map(&world, 5, 0x1000, 0x2000, "/bin/make");
	for (uint32_t i = 0; i < 20000; i++) {
		uint32_t pid = 6 + i % 3000;

		fork_task(&world, 5, pid, pid);
		if (i % 3 == 0)
			name_task(&world, pid, pid, "cc", true);
		if (i % 7 == 0)
			sample(&world, pid, pid, 0x1000);
		end_task(&world, pid, pid);
	}
	assert_true(intake_processes(world.intake)->by_pid.count <= GRAVES + 2);
	assert_true(intake_processes(world.intake)->by_tid.count <= GRAVES + 2);
	world_release(&world);
}

/* Frames of the sample's row, innermost first: "100 201 ..." with k behind those of the kernel. */
static const char *frames(struct world *world, const struct profile_row *row)
{
	char *text = arena_strdup(&world->arena, "");

	for (uint32_t stack = row->stack; stack != PROFILE_NONE; stack = world->profile.stacks[stack].caller) {
		const struct profile_place *place = &world->profile.places[world->profile.stacks[stack].place];
		bool is_kernel = world->profile.modules[place->module].kind == MODULE_KERNEL;

		text = arena_printf(&world->arena, "%s%s%llx%s", text, *text ? " " : "",
				    (unsigned long long)place->address, is_kernel ? "k" : "");
	}
	return text;
}

#define KERNEL ((uint64_t)PERF_CONTEXT_KERNEL)
#define USER   ((uint64_t)PERF_CONTEXT_USER)

/* Nothing is mapped, so addresses stay as they are. The first of each kind is exact, the others are in the call. */
static const struct {
	const char *label;
	bool is_kernel;
	uint64_t ip;
	size_t count;
	uint64_t chain[12];
	const char *frames;
	bool is_truncated;
} chain_rows[] = {
	{ "user", false, 0x100, 4, { USER, 0x100, 0x201, 0x301 }, "100 200 300", false },
	{ "precise: the sample's own address", false, 0x0fe, 3, { USER, 0x100, 0x201 }, "fe 200", false },
	{ "kernel and user", true, 0xf00, 6, { KERNEL, 0xf00, 0xf11, USER, 0x100, 0x201 }, "f00k f10k 100 200", false },
	{ "a kernel thread", true, 0xf00, 3, { KERNEL, 0xf00, 0xf11 }, "f00k f10k", false },
	{ "user only, of a sample in the kernel", true, 0xf00, 3, { USER, 0x100, 0x201 }, "f00k 100 200", false },
	{ "a guest in between",
	  false,
	  0x100,
	  6,
	  { USER, 0x100, (uint64_t)PERF_CONTEXT_GUEST, 0x55, USER, 0x201 },
	  "100 201",
	  false },
	{ "none", false, 0x100, 0, { 0 }, "100", false },
	{ "as many as the kernel gives", false, 1, 9, { USER, 1, 3, 3, 3, 3, 3, 3, 3 }, "1 2 2 2 2 2 2 2", true },
	{ "a return to 0", false, 1, 3, { USER, 1, 0 }, "1 0", false },
};

static void test_chains(void **state UNUSED)
{
	struct rows result = { 0 };
	struct world world;

	world_init(&world, SAMPLE_STACKS_FP);
	for (size_t i = 0; i < COUNT_OF(chain_rows); i++) {
		const uint32_t task[2] = { 5, 5 };
		const struct profile_row *row;

		record_sample(&world.bytes, task, ++world.time, chain_rows[i].ip, 1);
		record_header(&world.bytes)->misc =
			chain_rows[i].is_kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;
		take(&world, record_add_chain(&world.bytes, chain_rows[i].chain, chain_rows[i].count));
		row = &world.profile.rows[world.profile.nrows - 1];
		row_expect_text(&result, chain_rows[i].label, frames(&world, row), chain_rows[i].frames);
		row_expect(&result, chain_rows[i].label, row->is_truncated == chain_rows[i].is_truncated,
			   "whether it is whole");
		row_expect(&result, chain_rows[i].label, row->method == (chain_rows[i].count ? STACK_FP : STACK_NONE),
			   "its method");
	}
	rows_end(&result);
	world_release(&world);
}

/* Samples belong to the interval of their own time, whenever they are read. */
static void test_intervals(void **state UNUSED)
{
	struct world world;

	world_init(&world, SAMPLE_STACKS_NONE);
	intake_next_interval(world.intake, 3);
	intake_next_interval(world.intake, 5);
	for (uint32_t i = 0; i < 6; i++) /* of the times 1 to 6 */
		sample(&world, 5, 5, 0x1000);
	assert_int_equal(world.profile.nrows, 3);
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(world.profile.rows[i].interval, i);
		assert_int_equal(world.profile.rows[i].samples, 2);
	}
	world_release(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_overlaps),       cmocka_unit_test(test_dlopen),
		cmocka_unit_test(test_processes),      cmocka_unit_test(test_threads),
		cmocka_unit_test(test_many_processes), cmocka_unit_test(test_chains),
		cmocka_unit_test(test_intervals),      cmocka_unit_test(test_outside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
