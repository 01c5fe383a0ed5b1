/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ceilings_test.c - what the kernels do, which rows a machine has, and the file that keeps them. */
#include "rows.h"
#include "scratch.h"

#include "analyse/ceilings/ceilings.h"
#include "analyse/ceilings/kernels.h"
#include "common/base/text.h"
#include "cpu/identify/surroundings.h"

#define KIB 1024ull
#define MIB (1024 * KIB)

/* ---- kernels ---- */

#define MULTIPLIER 1664525u
#define ADDEND	   1013904223u

/* What n iterations leave, by the loops' own words (analyse/ceilings/kernel_loops.h): computed here, one round at a time. */
static double left_by(const struct compute_kernel *kernel, uint64_t n)
{
	uint64_t rounds = n * kernel->rounds;
	uint32_t whole = 0, sum = 0;
	double fused = 0, total = 0;

	for (uint64_t i = 0; i < rounds; i++) {
		whole = kernel->operation == CEILING_ADD   ? whole + ADDEND
			: kernel->operation == CEILING_FMA ? whole + MULTIPLIER * ADDEND
							   : whole * MULTIPLIER + ADDEND;
		fused += i % 2 ? -0.5 : 1;
	}
	for (unsigned chain = 0; chain < kernel->chains; chain++) {
		bool is_multiplying = kernel->operation == CEILING_MUL_ADD && chain % 2;

		sum += whole;
		total += kernel->operation == CEILING_FMA ? fused : is_multiplying ? 1 : -(double)rounds;
	}
	return kernel->type == CEILING_INT ? sum : total;
}

static void test_arithmetic(void **state UNUSED)
{
	static const uint64_t counts[] = { 0, 1, 7, 1000 };
	const struct kernel_set *sets[MOST_KERNEL_SETS];
	size_t nsets = kernel_sets(sets), tried = 0;
	struct rows rows = { 0 };

	for (size_t s = 0; s < nsets; s++)
		for (size_t i = 0; i < sets[s]->ncompute; i++) {
			const struct compute_kernel *kernel = &sets[s]->compute[i];
			char name[64];

			snprintf(name, sizeof(name), "%s %s %u", ceiling_type_names[kernel->type],
				 ceiling_operation_names[kernel->operation], kernel->bits);
			if (!kernel->is_there())
				continue;
			for (size_t c = 0; c < COUNT_OF(counts); c++, tried++) {
				double sink = -1;

				kernel->run(counts[c], &sink);
				row_expect_number(&rows, name, sink, left_by(kernel, counts[c]));
			}
		}
	assert_true(tried >= 4 * COUNT_OF(counts));
	rows_end(&rows);
}

/* Counted by hand in the disassembly: instructions of an iteration, lanes, operations of each. */
static const struct operations_row {
	enum ceiling_type type;
	enum ceiling_operation operation;
	unsigned bits, instructions, lanes, each;
} operations_rows[] = {
#if defined(__x86_64__)
	/* clang-format off */
	{ CEILING_F64, CEILING_MUL_ADD,  64, 28,  1, 1 },
	{ CEILING_F64, CEILING_MUL_ADD, 256, 28,  4, 1 },
	{ CEILING_F64, CEILING_MUL_ADD, 512, 48,  8, 1 },
	{ CEILING_F64, CEILING_FMA,      64, 24,  1, 2 },
	{ CEILING_F64, CEILING_FMA,     128, 24,  2, 2 },
	{ CEILING_F32, CEILING_FMA,     256, 24,  8, 2 },
	{ CEILING_F32, CEILING_FMA,     512, 24, 16, 2 },
	{ CEILING_INT, CEILING_ADD,      32, 64,  1, 1 },
	{ CEILING_INT, CEILING_ADD,     512, 96, 16, 1 },
	{ CEILING_INT, CEILING_MUL_ADD,  32, 16,  1, 2 }, /* of multiplications, each with an addition */
	{ CEILING_INT, CEILING_MUL_ADD, 256, 24,  8, 2 },
/* clang-format on */
#elif defined(__aarch64__)
	{ CEILING_F64, CEILING_FMA, 128, 32, 2, 2 },
	{ CEILING_F32, CEILING_MUL_ADD, 128, 48, 4, 1 },
	{ CEILING_INT, CEILING_FMA, 32, 24, 1, 2 },
#endif
	{ CEILING_TYPES, CEILING_NO_OPERATION, 0, 0, 0, 0 },
};

static void test_operations(void **state UNUSED)
{
	struct rows rows = { 0 };

	for (const struct operations_row *row = operations_rows; row->type != CEILING_TYPES; row++) {
		char name[64];
		bool is_found = false;

		snprintf(name, sizeof(name), "%s %s %u", ceiling_type_names[row->type],
			 ceiling_operation_names[row->operation], row->bits);
		for (size_t i = 0; i < main_kernels.ncompute; i++) {
			const struct compute_kernel *kernel = &main_kernels.compute[i];

			if (kernel->type != row->type || kernel->operation != row->operation ||
			    kernel->bits != row->bits)
				continue;
			is_found = true;
			row_expect_number(&rows, name, kernel_operations(kernel, kernel->bits),
					  row->instructions * row->lanes * row->each);
		}
		row_expect(&rows, name, is_found, "there is no such kernel");
	}
	rows_end(&rows);
}

#define DOUBLES 512 /* of each array: two steps */
#define GUARDS	64

struct arrays {
	_Alignas(STREAM_ALIGN) double a[DOUBLES + GUARDS];
	_Alignas(STREAM_ALIGN) double b[DOUBLES + GUARDS];
	_Alignas(STREAM_ALIGN) double c[DOUBLES + GUARDS];
};

static double streamed(enum ceiling_pattern pattern, const struct arrays *arrays, size_t i, double before)
{
	switch (pattern) {
	case CEILING_WRITE:
	case CEILING_WRITE_NT: return 0.5;
	case CEILING_COPY:
	case CEILING_COPY_NT: return arrays->b[i];
	case CEILING_TRIAD:
	case CEILING_TRIAD_NT: return arrays->b[i] + 0.5 * arrays->c[i];
	default: return before;
	}
}

/* All elements of the arrays, none behind them, b and c as they were. */
static void try_loop(struct rows *rows, const struct stream_kernel *kernel, void (*run)(const struct stream *stream))
{
	static struct arrays arrays;
	const struct stream stream = { arrays.a, arrays.b, arrays.c, DOUBLES * sizeof(double), 3, 0.5 };
	const char *name = ceiling_pattern_names[kernel->pattern];
	size_t wrong = 0;

	for (size_t i = 0; i < DOUBLES + GUARDS; i++) {
		arrays.a[i] = -1 - (double)i;
		arrays.b[i] = (double)i;
		arrays.c[i] = 10000.0 * (double)i;
	}
	run(&stream);
	for (size_t i = 0; i < DOUBLES + GUARDS; i++) {
		double before = -1 - (double)i;
		double expected = i < DOUBLES ? streamed(kernel->pattern, &arrays, i, before) : before;

		wrong += arrays.a[i] != expected || arrays.b[i] != (double)i || arrays.c[i] != 10000.0 * (double)i;
	}
	row_expect_number(rows, name, (double)wrong, 0);
}

static void try_stream(struct rows *rows, const struct stream_kernel *kernel)
{
	try_loop(rows, kernel, kernel->run);
	if (kernel->tight)
		try_loop(rows, kernel, kernel->tight);
}

static void test_streams(void **state UNUSED)
{
	const struct kernel_set *sets[MOST_KERNEL_SETS];
	size_t nsets = kernel_sets(sets), tried = 0;
	struct rows rows = { 0 };

	for (size_t s = 0; s < nsets; s++)
		for (size_t i = 0; i < sets[s]->nstreams; i++)
			if (sets[s]->streams[i].is_there()) {
				try_stream(&rows, &sets[s]->streams[i]);
				tried++;
			}
	assert_true(tried >= 4);
	rows_end(&rows);
}

/* ---- plans ---- */

#define MOST_CPUS 16

/* A machine of cores with one cache of each level, the last one shared by a socket. */
struct made_up {
	unsigned sockets, cores, threads; /* of each: sockets, their cores, the cores' threads */
	uint64_t l1, l2, l3, memory;
	double quota;
};

static void make_up(struct resources *resources, struct resource_cpu *cpus, const struct made_up *what)
{
	unsigned count = what->sockets * what->cores * what->threads;

	assert_true(count <= MOST_CPUS);
	*resources = (struct resources){ .cpus = cpus,
					 .count = count,
					 .has_caches = what->l1 > 0,
					 .quota_cpus = what->quota,
					 .memory = what->memory };
	for (unsigned i = 0; i < count; i++) {
		unsigned core = i / what->threads, socket = core / what->cores;

		cpus[i] = (struct resource_cpu){ .number = i, .core = core, .package = socket, .node = socket };
		cpus[i].caches[0] = (struct resource_cache){ what->l1, core * what->threads, what->threads };
		cpus[i].caches[1] = (struct resource_cache){ what->l2, core * what->threads, what->threads };
		cpus[i].caches[2] = (struct resource_cache){ what->l3, socket * what->cores * what->threads,
							     what->cores * what->threads };
	}
}

/* The bytes that a read of the level goes through, of the scope's first place; 0: there is no such row. */
static uint64_t bytes_of(const struct ceilings_plan *plan, enum ceiling_scope scope, enum ceiling_level level)
{
	for (size_t i = 0; i < plan->count; i++)
		if (plan->rows[i].row.scope == scope && plan->rows[i].row.level == level &&
		    plan->rows[i].row.pattern == CEILING_READ)
			return plan->rows[i].row.bytes;
	return 0;
}

static const struct plan_row {
	const char *name;
	struct made_up machine;
	unsigned threads; /* of CEILING_ALL */
	uint64_t one_l1, one_l2, one_l3, one_dram, all_l3, all_dram, node_dram;
	bool is_quota, is_memory;
} plan_rows[] = {
	/* Half of what a thread has of each cache; memory four times all last caches, divided among the threads. */
	{ "two cores",
	  { 1, 2, 1, 48 * KIB, 1 * MIB, 32 * MIB, 0, NAN },
	  2,
	  24 * KIB,
	  512 * KIB,
	  16 * MIB,
	  128 * MIB,
	  8 * MIB,
	  64 * MIB,
	  0,
	  false,
	  false },
	/* One thread of each core. Each socket has its caches, and a node its own memory. */
	{ "two sockets with SMT",
	  { 2, 4, 2, 32 * KIB, 512 * KIB, 16 * MIB, 0, NAN },
	  8,
	  16 * KIB,
	  256 * KIB,
	  8 * MIB,
	  64 * MIB,
	  2 * MIB,
	  16 * MIB,
	  16 * MIB,
	  false,
	  false },
	/* A last level of 1.375 MiB a core, beside 1 MiB of the second, whose lines it does not have. */
	{ "small last level",
	  { 1, 4, 1, 32 * KIB, 1 * MIB, 5632 * KIB, 0, NAN },
	  4,
	  16 * KIB,
	  512 * KIB,
	  2816 * KIB,
	  64 * MIB,
	  1728 * KIB,
	  16 * MIB,
	  0,
	  false,
	  false },
	{ "no third level",
	  { 1, 4, 1, 64 * KIB, 1 * MIB, 0, 0, NAN },
	  4,
	  32 * KIB,
	  512 * KIB,
	  0,
	  64 * MIB,
	  0,
	  16 * MIB,
	  0,
	  false,
	  false },
	{ "a quota of 2.5 CPUs",
	  { 1, 4, 1, 32 * KIB, 1 * MIB, 8 * MIB, 0, 2.5 },
	  2,
	  16 * KIB,
	  512 * KIB,
	  4 * MIB,
	  64 * MIB,
	  2 * MIB,
	  32 * MIB,
	  0,
	  true,
	  false },
	{ "a quota of half a CPU",
	  { 1, 2, 1, 32 * KIB, 1 * MIB, 8 * MIB, 0, 0.5 },
	  1,
	  16 * KIB,
	  512 * KIB,
	  4 * MIB,
	  64 * MIB,
	  4 * MIB,
	  64 * MIB,
	  0,
	  true,
	  false },
	/* A fourth of what is free is for three arrays. */
	{ "little memory",
	  { 1, 1, 1, 32 * KIB, 1 * MIB, 8 * MIB, 120 * MIB, NAN },
	  1,
	  16 * KIB,
	  512 * KIB,
	  4 * MIB,
	  10 * MIB,
	  4 * MIB,
	  10 * MIB,
	  0,
	  false,
	  true },
	{ "caches that nobody knows",
	  { 1, 2, 1, 0, 0, 0, 0, NAN },
	  2,
	  16 * KIB,
	  256 * KIB,
	  0,
	  64 * MIB,
	  0,
	  32 * MIB,
	  0,
	  false,
	  false },
};

static void check_plan(struct rows *rows, const struct plan_row *row, const struct ceilings_plan *plan)
{
	const struct {
		enum ceiling_scope scope;
		enum ceiling_level level;
		uint64_t bytes;
	} sizes[] = {
		{ CEILING_THREAD, CEILING_L1, row->one_l1 },	{ CEILING_THREAD, CEILING_L2, row->one_l2 },
		{ CEILING_THREAD, CEILING_L3, row->one_l3 },	{ CEILING_THREAD, CEILING_DRAM, row->one_dram },
		{ CEILING_ALL, CEILING_L3, row->all_l3 },	{ CEILING_ALL, CEILING_DRAM, row->all_dram },
		{ CEILING_NODE, CEILING_DRAM, row->node_dram },
	};

	for (size_t i = 0; i < COUNT_OF(sizes); i++)
		row_expect_number(rows, row->name, (double)bytes_of(plan, sizes[i].scope, sizes[i].level),
				  (double)sizes[i].bytes);
	row_expect_number(rows, row->name, (double)plan->ncpus, row->threads);
	row_expect(rows, row->name, plan->is_quota == row->is_quota, "quota");
	row_expect(rows, row->name, plan->is_memory == row->is_memory, "memory");
}

static void test_plans(void **state UNUSED)
{
	struct rows rows = { 0 };
	struct arena arena;

	arena_init(&arena);
	for (size_t i = 0; i < COUNT_OF(plan_rows); i++) {
		struct resource_cpu cpus[MOST_CPUS];
		struct resources resources;
		struct ceilings_plan plan;

		make_up(&resources, cpus, &plan_rows[i].machine);
		ceilings_plan(&plan, &resources, &arena);
		check_plan(&rows, &plan_rows[i], &plan);
	}
	arena_release(&arena);
	rows_end(&rows);
}

/* What is the same work is measured once: of one core, "all" is its thread. A region holds the largest arrays. */
static void test_twins(void **state UNUSED)
{
	const struct made_up one = { 1, 1, 2, 32 * KIB, 1 * MIB, 8 * MIB, 0, NAN };
	struct resource_cpu cpus[MOST_CPUS];
	struct resources resources;
	struct ceilings_plan plan;
	struct arena arena;
	size_t own = 0;

	arena_init(&arena);
	make_up(&resources, cpus, &one);
	ceilings_plan(&plan, &resources, &arena);
	for (size_t i = 0; i < plan.count; i++) {
		own += plan.rows[i].twin == i;
		assert_true((plan.rows[i].row.scope == CEILING_THREAD) == (plan.rows[i].twin == i));
		assert_true(plan.regions[0] >= plan.rows[i].array * 3);
		assert_int_equal(plan.rows[i].array % STREAM_STEP, 0);
	}
	assert_int_equal(own * 2, plan.count);
	arena_release(&arena);
}

/* ---- the file ---- */

static struct ceiling some_rows[] = {
	{ .kind = CEILING_COMPUTE,
	  .type = CEILING_F64,
	  .operation = CEILING_FMA,
	  .scope = CEILING_THREAD,
	  .threads = 1,
	  .bits = 512,
	  .value = 1.25e11,
	  .spread = 0.004,
	  .attempts = 12,
	  .clock_hz = 3.6e9 },
	{ .kind = CEILING_COMPUTE,
	  .type = CEILING_F64,
	  .operation = CEILING_MUL_ADD,
	  .scope = CEILING_THREAD,
	  .threads = 1,
	  .bits = 64,
	  .value = 1e10,
	  .spread = NAN,
	  .attempts = 1,
	  .clock_hz = NAN },
	{ .kind = CEILING_BANDWIDTH,
	  .level = CEILING_DRAM,
	  .pattern = CEILING_TRIAD_NT,
	  .scope = CEILING_NODE,
	  .place = 1,
	  .threads = 8,
	  .bits = 256,
	  .is_scalable = true,
	  .value = 2e11,
	  .spread = 0.03,
	  .attempts = 30,
	  .bytes = 5000000000,
	  .clock_hz = 3e9,
	  .limits = CEILING_BY_LOAD | CEILING_BY_FLOATING },
	{ .kind = CEILING_BANDWIDTH,
	  .level = CEILING_L1,
	  .pattern = CEILING_READ,
	  .scope = CEILING_THREAD,
	  .threads = 1,
	  .bits = 512,
	  .value = NAN,
	  .spread = NAN,
	  .bytes = 24576,
	  .clock_hz = NAN },
};

static const struct ceilings some = { some_rows,
				      COUNT_OF(some_rows),
				      { .cpu = "GenuineIntel-6-8F-8, Xeon",
					.microcode = "0x2b",
					.kernel = "6.1.0",
					.governor = NULL,
					.cpus = "0-3",
					.measured = "2026-11-23T08:41:07Z",
					.version = "0.2.0",
					.took_s = 4.5,
					.nominal_hz = 2e9,
					.nominal_of = "cpufreq",
					.quota_cpus = NAN,
					.load = 0.5,
					.steal = 0.01,
					.waited = 0,
					.smt_on = true,
					.l1 = 49152,
					.l2 = 2097152,
					.l3 = 0,
					.l3_cpus = 1,
					.sizes = CEILING_SIZES_LIBRARY } };

static void same_row(struct rows *rows, const struct ceiling *a, const struct ceiling *b)
{
	const char *name = ceiling_pattern_names[b->pattern];

	row_expect(rows, name,
		   a->kind == b->kind && a->type == b->type && a->operation == b->operation && a->level == b->level &&
			   a->pattern == b->pattern && a->scope == b->scope && a->place == b->place &&
			   a->threads == b->threads && a->bits == b->bits && a->is_scalable == b->is_scalable &&
			   a->attempts == b->attempts && a->bytes == b->bytes && a->limits == b->limits,
		   "differs");
	row_expect_number(rows, name, a->value, b->value);
	row_expect_number(rows, name, a->spread, b->spread);
	row_expect_number(rows, name, a->clock_hz, b->clock_hz);
}

static void test_file(void **state UNUSED)
{
	struct rows rows = { 0 };
	struct scratch scratch;
	struct ceilings read;
	struct error err = { .text = "" };
	struct arena arena;
	const char *path;

	arena_init(&arena);
	scratch_init(&scratch);
	setenv("XDG_STATE_HOME", scratch.path, 1);
	assert_int_equal(ceilings_keep(&some, "a/b c", &err), 0);
	path = ceilings_path("a/b c", &arena);
	assert_string_equal(path, arena_printf(&arena, "%s/topdown/ceilings-a_b_c.json", scratch.path));
	assert_int_equal(ceilings_read(&read, path, &arena, &err), 0);
	assert_int_equal(read.count, some.count);
	for (size_t i = 0; i < read.count; i++)
		same_row(&rows, &read.rows[i], &some.rows[i]);
	assert_null(ceilings_stale(&some.conditions, &read.conditions, &arena));
	assert_true(read.conditions.smt_on && read.conditions.sizes == CEILING_SIZES_LIBRARY);
	row_expect_number(&rows, "nominal", read.conditions.nominal_hz, 2e9);
	row_expect_number(&rows, "quota", read.conditions.quota_cpus, NAN);
	unsetenv("XDG_STATE_HOME");
	scratch_release(&scratch);
	arena_release(&arena);
	rows_end(&rows);
}

static const struct bad_row {
	const char *text, *message; /* behind the path */
} bad_rows[] = {
	{ "{}", ": format: expected \"topdown-ceilings\", found nothing" },
	{ "{\"format\": \"topdown-ceilings\", \"version\": 2}", ": version: expected 1, found 2" },
	{ "{\"format\": \"topdown-ceilings\", \"version\": 1}", ": conditions: expected an object, found nothing" },
};

static void test_bad_files(void **state UNUSED)
{
	struct rows rows = { 0 };
	struct scratch scratch;
	struct arena arena;

	arena_init(&arena);
	scratch_init(&scratch);
	for (size_t i = 0; i < COUNT_OF(bad_rows); i++) {
		struct error err = { .text = "" };
		struct ceilings read;
		char path[256];

		scratch_write(&scratch, "bad.json", bad_rows[i].text, path);
		row_expect(&rows, bad_rows[i].text, ceilings_read(&read, path, &arena, &err) < 0, "was read");
		row_expect_text(&rows, bad_rows[i].text, err.text,
				arena_printf(&arena, "%s%s", path, bad_rows[i].message));
	}
	scratch_release(&scratch);
	arena_release(&arena);
	rows_end(&rows);
}

static void test_stale(void **state UNUSED)
{
	struct ceiling_conditions now = some.conditions;
	struct arena arena;

	arena_init(&arena);
	now.took_s = 1;
	now.load = 20;
	assert_null(ceilings_stale(&some.conditions, &now, &arena));
	now.kernel = "6.2.0";
	now.governor = "performance";
	now.microcode = NULL;
	assert_string_equal(ceilings_stale(&some.conditions, &now, &arena),
			    "its microcode is unknown instead of 0x2b, the kernel is 6.2.0 instead of 6.1.0, "
			    "the governor is performance instead of unknown");
	arena_release(&arena);
}

static void test_find(void **state UNUSED)
{
	const struct ceiling_wanted compute = { .kind = CEILING_COMPUTE, .type = CEILING_F64 };
	const struct ceiling_wanted scalar = { .kind = CEILING_COMPUTE, .type = CEILING_F64, .bits = 64 };
	const struct ceiling_wanted node = {
		.kind = CEILING_BANDWIDTH, .level = CEILING_DRAM, .scope = CEILING_NODE, .place = 1
	};
	const struct ceiling_wanted nowhere = { .kind = CEILING_BANDWIDTH,
						.level = CEILING_DRAM,
						.scope = CEILING_NODE };
	const struct ceiling_wanted unmeasured = { .kind = CEILING_BANDWIDTH, .level = CEILING_L1 };

	assert_ptr_equal(ceilings_find(&some, &compute), &some_rows[0]);
	assert_ptr_equal(ceilings_find(&some, &scalar), &some_rows[1]);
	assert_ptr_equal(ceilings_find(&some, &node), &some_rows[2]);
	assert_null(ceilings_find(&some, &nowhere));
	assert_null(ceilings_find(&some, &unmeasured));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arithmetic), cmocka_unit_test(test_operations), cmocka_unit_test(test_streams),
		cmocka_unit_test(test_plans),	   cmocka_unit_test(test_twins),      cmocka_unit_test(test_file),
		cmocka_unit_test(test_bad_files),  cmocka_unit_test(test_stale),      cmocka_unit_test(test_find),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
