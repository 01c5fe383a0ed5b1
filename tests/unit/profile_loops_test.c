/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profile_loops_test.c - loops of a profile: those of a function of this very program, which is read as any other. Each
 * byte of the function is a place.
 */
#include "rows.h"

#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/text.h"
#include "program/code/profile_loops.h"

#define MOST_BYTES 400 /* of the function that is looked at; more than it has */

static volatile unsigned sink;

/* clang would unroll them, and its sanitizers check where they have been. */
#ifdef __clang__
#define AS_WRITTEN   __attribute__((no_sanitize("address", "undefined", "coverage")))
#define NOT_UNROLLED _Pragma("clang loop unroll(disable)")
#else
#define AS_WRITTEN
#define NOT_UNROLLED
#endif

enum { FIRST_LINE = __LINE__ + 6 };

/* Two loops, in lines that are known. volatile: no compiler leaves them out. */
AS_WRITTEN __attribute__((noinline)) static void two_loops(unsigned rounds)
{
	NOT_UNROLLED
	for (unsigned i = 0; i < rounds; i++)
		sink += i;

	NOT_UNROLLED
	for (unsigned i = 0; i < rounds; i++) {
		sink ^= i;
		sink += 7;
	}
}

enum { SECOND_LINE = FIRST_LINE + 4, INNER_LINE = __LINE__ + 6 };

/* Its loop stands in who calls it. */
AS_WRITTEN __attribute__((always_inline)) static inline void inner(unsigned rounds)
{
	NOT_UNROLLED
	for (unsigned i = 0; i < rounds; i++)
		sink += 2 * i;
}

enum { OUTER_LINE = __LINE__ + 6 };

/* A loop of the inlined function, and another that the function's own has in it. */
AS_WRITTEN __attribute__((noinline)) static void two_inlined(unsigned rounds)
{
	inner(rounds);
	NOT_UNROLLED
	for (unsigned i = 0; i < rounds; i++) {
		sink ^= i;
		inner(rounds);
		sink += 7;
		sink ^= 3 * i;
	}
}

/* The program itself comes first. */
static int take_bias(struct dl_phdr_info *info, size_t size UNUSED, void *bias)
{
	*(uint64_t *)bias = info->dlpi_addr;
	return 1;
}

static uint64_t address_in_file(void (*function)(unsigned rounds))
{
	uint64_t bias = 0;

	(void)dl_iterate_phdr(take_bias, &bias);
	return (uint64_t)(uintptr_t)function - bias;
}

static const char *own_path(struct arena *arena)
{
	char path[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);

	assert_true(length > 0);
	path[length] = '\0';
	return arena_strdup(arena, path);
}

/* Places at each byte, with the frames that symbols give them. */
static void make(struct profile *profile, const struct profile_module *module, uint64_t begin)
{
	const struct symbol_request request = { .sysroot = "" };
	struct error err = { .text = "" };
	uint32_t number = profile_module(profile, module);

	for (uint64_t i = 0; i < MOST_BYTES; i++)
		(void)profile_place(profile, number, begin + i);
	assert_int_equal(symbols_resolve(profile, &request, &err), 0);
}

static void find(struct profile *profile, size_t most)
{
	const struct symbol_request symbols = { .sysroot = "" };
	double *weights = arena_array(profile->arena, profile->nplaces + 1u, sizeof(*weights));

	weights[0] = 1;
	profile_loops_find(profile, &(struct loop_request){ .symbols = &symbols, .weights = weights, .most = most });
}

static bool is_disassembled(void)
{
	return system("objdump --version >/dev/null 2>&1") == 0;
}

/* The loops of a function of this program, after a call. */
static void find_own(struct profile *profile, void (*function)(unsigned rounds), struct arena *arena)
{
	const struct profile_module module = { .kind = MODULE_FILE, .path = own_path(arena) };

	function(3);
	profile_init(profile, arena);
	make(profile, &module, address_in_file(function));
	find(profile, 1);
	assert_null(profile->no_loops);
}

static void test_two(void **state UNUSED)
{
	struct profile profile;
	struct arena arena;
	uint32_t places[3] = { 0 };

	if (!is_disassembled())
		skip();
	arena_init(&arena);
	find_own(&profile, two_loops, &arena);
	assert_int_equal(profile.nloops, 2);
	for (uint32_t i = 0; i < 2; i++) {
		const struct profile_loop *loop = &profile.loops[i];
		unsigned first = i ? SECOND_LINE : FIRST_LINE, last = i ? SECOND_LINE + 2 : FIRST_LINE + 1;

		assert_true(loop->offset > 0 && loop->offset < MOST_BYTES);
		assert_non_null(loop->file);
		assert_null(loop->inlined);
		assert_non_null(strstr(loop->file, "profile_loops_test.c"));
		assert_in_range(loop->line, first, last);
		assert_in_range(loop->last_line, loop->line, last);
	}
	assert_true(profile.loops[0].offset < profile.loops[1].offset);
	for (uint32_t i = 0; i < profile.nplaces; i++) {
		const struct profile_place *place = &profile.places[i];

		assert_in_range(place->loop, 0, 2);
		places[place->loop]++;
		if (place->loop)
			assert_string_equal(place->frames[place->nframes - 1].function, "two_loops");
	}
	assert_true(places[0] && places[1] && places[2]);
	arena_release(&arena);
}

static bool is_inner(const struct profile_loop *loop)
{
	return loop->inlined && strcmp(loop->inlined, "inner") == 0;
}

/* Loops of an inlined function have its lines and its name, wherever they stand; the one around has its own. */
static void test_inlined(void **state UNUSED)
{
	struct profile profile;
	struct arena arena;
	size_t inner_loops = 0;

	if (!is_disassembled())
		skip();
	arena_init(&arena);
	find_own(&profile, two_inlined, &arena);
	assert_int_equal(profile.nloops, 3);
	for (uint32_t i = 0; i < 3; i++) {
		const struct profile_loop *loop = &profile.loops[i];
		unsigned first = is_inner(loop) ? INNER_LINE : OUTER_LINE, last = first + (is_inner(loop) ? 1 : 5);

		assert_non_null(loop->file);
		assert_non_null(strstr(loop->file, "profile_loops_test.c"));
		assert_in_range(loop->line, first, last);
		assert_in_range(loop->last_line, loop->line, last);
		inner_loops += is_inner(loop);
	}
	assert_int_equal(inner_loops, 2);
	arena_release(&arena);
}

/* What is missing is said: a file that is gone, memory without one; no functions are asked for, none are looked at. */
static void test_missing(void **state UNUSED)
{
	static struct profile_frame frame = { .function = "f", .begin = 0x1000, .size = 64 };
	static const struct {
		struct profile_module module;
		const char *reason;
	} rows[] = {
		{ { .kind = MODULE_FILE, .path = "/nonexistent/program" }, "/nonexistent/program" },
		{ { .kind = MODULE_JIT, .path = "[jit]", .pid = 7 }, "[jit] is not a file" },
	};
	struct arena arena;

	arena_init(&arena);
	for (size_t i = 0; i < COUNT_OF(rows) + 1; i++) {
		struct profile profile;

		profile_init(&profile, &arena);
		(void)profile_place(&profile, profile_module(&profile, &rows[i % COUNT_OF(rows)].module), 0x1010);
		profile.places[0].frames = &frame;
		profile.places[0].nframes = 1;
		find(&profile, i < COUNT_OF(rows) ? 1 : 0);
		assert_int_equal(profile.nloops, 0);
		assert_int_equal(profile.places[0].loop, 0);
		if (i < COUNT_OF(rows))
			assert_non_null(strstr(profile.no_loops, rows[i].reason));
		else
			assert_null(profile.no_loops);
	}
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_two),
		cmocka_unit_test(test_inlined),
		cmocka_unit_test(test_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
