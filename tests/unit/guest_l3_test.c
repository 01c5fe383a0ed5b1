/* SPDX-License-Identifier: GPL-2.0-or-later */
/* guest_l3_test.c - how much L3 a guest has, by made-up times; and the file that keeps it. */
#include "rows.h"
#include "scratch.h"

#include <stdlib.h>

#include "cpu/identify/guest_l3.h"
#include "cpu/identify/sysfile.h"

/* ---- what times mean ---- */

#define L2     1024u
#define STATED 32768u

/* Of 2, 3, 4, 6, 8, 12, 16, 24 and 32 MiB; 0 ends them. The limit of 4, 12 and 100 ns is 34.6 ns. */
static const struct times_row {
	const char *what;
	double l2_ns, memory_ns, ns[9];
	uint64_t kib;
} times_rows[] = {
	/* clang-format off */
	{ "flat: all of it is there",     4, 100, { 12, 12, 12, 12, 12, 12, 12, 12, 12 },   STATED },
	{ "a step behind 4 MiB",          4, 100, { 12, 12, 13, 70, 90 },                   4096 },
	{ "a step behind 2 MiB",          4, 100, { 12, 60, 80 },                           2048 },
	{ "noise within the L3",          4, 100, { 12, 15, 11, 20, 12, 33, 14, 60, 90 },   16384 },
	{ "one size was disturbed",       4, 100, { 12, 12, 90, 12, 13, 13, 60, 90 },       12288 },
	{ "the first was disturbed",      4, 100, { 80, 12, 12, 12, 12, 12, 12, 13, 13 },   STATED },
	{ "all like memory: none is left", 4, 100, { 95, 100 },                             L2 },
	{ "a ramp",                       4, 100, { 12, 14, 17, 22, 30, 40, 55 },           8192 },
	{ "at the limit is memory",       4, 90,  { 10, 10, 30, 30 },                       3072 },
	{ "the last size alone",          4, 100, { 12, 12, 12, 12, 12, 12, 12, 12, 50 },   24576 },
	{ "memory as fast as L2",         4, 5,   { 5, 5, 5 },                              0 },
	{ "memory without a time",        4, NAN, { 12, 12, 12 },                           0 },
	{ "L2 without a time",            NAN, 100, { 12, 12, 12 },                         0 },
	{ "no sizes",                     4, 100, { 0 },                                    0 },
	/* clang-format on */
};

static void test_times(void **state UNUSED)
{
	static const uint64_t sizes[] = { 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768 };
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(times_rows); i++) {
		const struct times_row *row = &times_rows[i];
		struct l3_latencies latencies = { .l2_ns = row->l2_ns, .memory_ns = row->memory_ns };

		while (latencies.count < COUNT_OF(sizes) && row->ns[latencies.count] > 0) {
			latencies.kib[latencies.count] = sizes[latencies.count];
			latencies.ns[latencies.count] = row->ns[latencies.count];
			latencies.count++;
		}
		row_expect_number(&rows, row->what, (double)guest_l3_decide(&latencies, L2, STATED), (double)row->kib);
	}
	rows_end(&rows);
}

/* Whatever this host is: the sizes ascend, and the answer is among them. */
static void test_chase(void **state UNUSED)
{
	struct l3_latencies latencies;
	uint64_t kib;

	assert_false(guest_l3_chase(&latencies, 0, STATED));
	assert_false(guest_l3_chase(&latencies, UINT64_MAX / 2, UINT64_MAX));
	if (!guest_l3_chase(&latencies, L2, 5000))
		return;
	assert_true(latencies.count > 0 && latencies.kib[0] == 2048 && latencies.kib[latencies.count - 1] <= 5000);
	for (size_t i = 1; i < latencies.count; i++)
		assert_true(latencies.kib[i] > latencies.kib[i - 1]);
	kib = guest_l3_decide(&latencies, L2, 5000);
	assert_true(kib >= L2 && kib <= 5000);
}

/* ---- the file ---- */

static const struct l3_kept here = {
	.cpu = "AuthenticAMD-25-11-1, AMD EPYC", .boot = "0552c4c8", .l2_kib = L2, .l3_kib = STATED, .kib = 4096
};

static void test_kept(void **state UNUSED)
{
	struct scratch scratch;
	struct l3_kept other;
	struct error err = { .text = "" };
	struct arena arena;

	arena_init(&arena);
	scratch_init(&scratch);
	setenv("XDG_STATE_HOME", scratch.path, 1);
	assert_int_equal(guest_l3_kept(&here, "a/b", &arena), 0);
	assert_int_equal(guest_l3_keep(&here, "a/b", &err), 0);
	assert_int_equal(guest_l3_kept(&here, "a/b", &arena), 4096);
	assert_int_equal(guest_l3_kept(&here, "c", &arena), 0);
	other = here, other.boot = "0552c4c9";
	assert_int_equal(guest_l3_kept(&other, "a/b", &arena), 0);
	other = here, other.cpu = "AuthenticAMD-26-2-1, AMD EPYC";
	assert_int_equal(guest_l3_kept(&other, "a/b", &arena), 0);
	other = here, other.l2_kib = 512;
	assert_int_equal(guest_l3_kept(&other, "a/b", &arena), 0);
	other = here, other.l3_kib = 65536;
	assert_int_equal(guest_l3_kept(&other, "a/b", &arena), 0);
	assert_int_equal(guest_l3_keep(&other, "a/b", &err), 0);
	assert_int_equal(guest_l3_kept(&other, "a/b", &arena), 4096);
	setenv("XDG_STATE_HOME", "/proc/none", 1);
	assert_int_equal(guest_l3_keep(&here, "a/b", &err), -1);
	unsetenv("XDG_STATE_HOME");
	scratch_release(&scratch);
	arena_release(&arena);
}

#define ROOM "topdown/l3-m.json"
#define TEXT(kib)                                                                                                      \
	"{\"format\": \"topdown-l3\", \"version\": 1, \"cpu\": \"AuthenticAMD-25-11-1, AMD EPYC\", \"boot\": "         \
	"\"0552c4c8\", \"l2_kib\": 1024, \"l3_kib\": 32768, \"answers_kib\": " kib "}"

/* make: a shell command in the state directory, after the text was written. */
static const struct file_row {
	const char *what, *text, *make;
	uint64_t kib;
} file_rows[] = {
	{ "good", TEXT("4096"), NULL, 4096 },
	{ "all of it", TEXT("32768"), NULL, STATED },
	{ "more than is stated", TEXT("32769"), NULL, 0 },
	{ "less than L2", TEXT("1023"), NULL, 0 },
	{ "negative", TEXT("-4096"), NULL, 0 },
	{ "huge", TEXT("1e300"), NULL, 0 },
	{ "many digits", TEXT("99999999999999999999999999"), NULL, 0 },
	{ "a text", TEXT("\"x\""), NULL, 0 },
	{ "twice", TEXT("4096, \"answers_kib\": 8192"), NULL, 0 },
	{ "another format", "{\"format\": \"topdown-ceilings\", \"version\": 1}", NULL, 0 },
	{ "no object", "[4096]", NULL, 0 },
	{ "empty", "", NULL, 0 },
	{ "garbage", "\001\377{{{", NULL, 0 },
	{ "long", TEXT("4096"), "head -c 5000 /dev/zero | tr '\\0' ' ' >> " ROOM, 0 },
	{ "without an end", TEXT("4096"), "truncate -s 100G " ROOM, 0 },
	{ "cut", TEXT("4096"), "truncate -s 60 " ROOM, 0 },
	{ "a link", TEXT("4096"), "mv " ROOM " else && ln -s ../else " ROOM, 0 },
	{ "a FIFO", TEXT("4096"), "rm " ROOM " && mkfifo " ROOM, 0 },
	{ "a directory", TEXT("4096"), "rm " ROOM " && mkdir " ROOM, 0 },
	{ "a device", TEXT("4096"), "rm " ROOM " && ln -s /dev/zero " ROOM, 0 },
	{ "others write it", TEXT("4096"), "chmod 666 " ROOM, 0 },
};

static void test_files(void **state UNUSED)
{
	struct rows rows = { 0 };
	struct arena arena;

	arena_init(&arena);
	for (size_t i = 0; i < COUNT_OF(file_rows); i++) {
		const struct file_row *row = &file_rows[i];
		struct scratch scratch;
		char path[256];

		scratch_init(&scratch);
		setenv("XDG_STATE_HOME", scratch.path, 1);
		scratch_write(&scratch, ROOM, row->text, path);
		if (row->make &&
		    system(arena_printf(&arena, "cd %s && chmod go-w " ROOM " && %s", scratch.path, row->make)))
			row_expect(&rows, row->what, false, row->make);
		row_expect_number(&rows, row->what, (double)guest_l3_kept(&here, "m", &arena), (double)row->kib);
		scratch_release(&scratch);
	}
	unsetenv("XDG_STATE_HOME");
	arena_release(&arena);
	rows_end(&rows);
}

/* ---- what is stated stays ---- */

static void test_stated(void **state UNUSED)
{
	struct scratch scratch;
	struct arena arena;
	struct sysfiles live, snapshot;
	struct machine machine = { .cpuid = here.cpu, .files = &live };

	arena_init(&arena);
	scratch_init(&scratch);
	setenv("XDG_STATE_HOME", scratch.path, 1);
	live = sysfiles_below("", &arena);
	snapshot = sysfiles_below(scratch.path, &arena);
	assert_int_equal(guest_l3_kib(&machine, L2, STATED, &arena), 0);
	machine.hypervisor = "KVM";
	assert_int_equal(guest_l3_kib(&machine, L2, 2 * L2, &arena), 0);
	assert_int_equal(guest_l3_kib(&machine, 0, STATED, &arena), 0);
	assert_int_equal(guest_l3_kib(&machine, L2, 0, &arena), 0);
	setenv("XDG_STATE_HOME", "/proc/none", 1); /* nothing can be kept there */
	assert_int_equal(guest_l3_kib(&machine, L2, STATED, &arena), 0);
	setenv("XDG_STATE_HOME", scratch.path, 1);
	machine.files = &snapshot;
	assert_int_equal(guest_l3_kib(&machine, L2, STATED, &arena), 0);
	assert_int_equal(access(arena_printf(&arena, "%s/topdown", scratch.path), F_OK), -1);
	unsetenv("XDG_STATE_HOME");
	scratch_release(&scratch);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_times), cmocka_unit_test(test_chase),  cmocka_unit_test(test_kept),
		cmocka_unit_test(test_files), cmocka_unit_test(test_stated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
