/* SPDX-License-Identifier: GPL-2.0-or-later */
/* annotation_test.c - which places and lines a function has, what is disassembled of it, and whose instructions they are. */
#include "where_fixture.h"

#include "analyse/hotspots/annotation.h"

#define BEGIN 0x1000

enum { SIZE = 0x100, LONG_SIZE = 400000 };

/* Samples of f at offsets of its code. */
struct spot {
	uint64_t offset, samples;
	uint32_t line;
};

static void draw_code(struct profile *profile, const struct spot *spots, size_t count, uint64_t size)
{
	const struct profile_module module = { .kind = MODULE_FILE, .path = "/bin/prog" };
	const struct profile_task task = { .pid = 1, .tid = 1 };

	for (size_t i = 0; i < count; i++) {
		uint32_t place = profile_place(profile, profile_module(profile, &module), BEGIN + spots[i].offset);
		struct profile_frame *frame = arena_alloc(profile->arena, sizeof(*frame));
		struct profile_row *row;

		*frame = (struct profile_frame){ "f", "/src/f.c", spots[i].line, BEGIN, size };
		profile->places[place].frames = frame;
		profile->places[place].nframes = 1;
		row = profile_row(profile, &(struct profile_row){ .stack = profile_stack(profile, place, PROFILE_NONE),
								  .task = profile_task(profile, &task) });
		row->samples = spots[i].samples;
		row->weight = (double)spots[i].samples;
		profile->events[0].samples += spots[i].samples;
	}
}

struct drawn {
	struct arena arena;
	struct profile profile;
	struct weighings weighings;
	struct annotation annotation;
	struct error err;
};

static int begin(struct drawn *d, const struct spot *spots, size_t count, uint64_t size)
{
	arena_init(&d->arena);
	d->err = (struct error){ .text = "" };
	drawn_profile(&d->profile, NULL, 0, &d->arena);
	drawn_add(&d->profile, &(struct drawn_row){ .stack = "g", .samples = 0 });
	draw_code(&d->profile, spots, count, size);
	d->weighings = weighings_of_events(&d->profile, &d->arena);
	return annotation_begin(&d->annotation, &d->profile,
				&(struct where_request){ .weighing = &d->weighings.items[0], .callers = "f" },
				&d->arena, &d->err);
}

static const struct spot few[] = { { 4, 60, 3 }, { 9, 30, 5 }, { 0x20, 10, 3 } };

/* Instructions of four bytes: a sample behind an instruction's begin is that instruction's. */
static void test_small(void **state UNUSED)
{
	static const char *const source[] = { "one", "two", "three", "four", "five", "six" };
	struct drawn d;
	struct annotation *a = &d.annotation;

	assert_int_equal(begin(&d, few, COUNT_OF(few), SIZE), 0);
	assert_int_equal(a->nranges, 1);
	assert_true(a->ranges[0].begin == BEGIN && a->ranges[0].end == BEGIN + SIZE && !a->ranges[0].known);
	assert_false(a->is_cut);
	a->instructions = arena_array(&d.arena, SIZE / 4, sizeof(*a->instructions));
	for (; a->ninstructions < SIZE / 4; a->ninstructions++)
		a->instructions[a->ninstructions] =
			(struct annotated_instruction){ .address = BEGIN + 4 * a->ninstructions, .text = "nop" };
	a->instructions[9].jump_target = BEGIN + 8;
	a->instructions[10].jump_target = BEGIN + SIZE + 4;
	annotation_end(a, source, COUNT_OF(source), &d.arena);
	assert_true(fabs(a->instructions[1].share.percent - 60) < 1e-9);
	assert_true(fabs(a->instructions[2].share.percent - 30) < 1e-9);
	assert_true(fabs(a->instructions[8].share.percent - 10) < 1e-9);
	assert_true(a->instructions[8].share.is_rough && !a->instructions[1].share.is_rough);
	assert_int_equal(a->instructions[2].line, 5);
	assert_true(a->instructions[2].is_target && a->instructions[9].jump_target);
	assert_true(!a->instructions[10].jump_target); /* it leaves the function */
	assert_int_equal(a->nlines, 6);
	assert_true(fabs(a->lines[2].share.percent - 70) < 1e-9 && !strcmp(a->lines[2].text, "three"));
	assert_true(fabs(a->lines[4].share.percent - 30) < 1e-9);
	assert_int_equal(a->nremarks, 0);
	arena_release(&d.arena);
}

/* 100,000 instructions: what is asked for is a small part, around the hot ones. */
static void test_long(void **state UNUSED)
{
	struct spot spots[500];
	uint64_t bytes = 0;
	struct drawn d;

	for (size_t i = 0; i < COUNT_OF(spots); i++)
		spots[i] = (struct spot){ 800 * i, 1 + (i == 250 ? 1000 : 0), (uint32_t)(10 * i + 1) };
	assert_int_equal(begin(&d, spots, COUNT_OF(spots), LONG_SIZE), 0);
	assert_true(d.annotation.is_cut);
	assert_true(d.annotation.nranges > 1 && d.annotation.nranges <= 20);
	for (size_t i = 0; i < d.annotation.nranges; i++) {
		const struct annotated_range *range = &d.annotation.ranges[i];

		assert_true(range->begin >= BEGIN && range->end <= BEGIN + LONG_SIZE && range->begin < range->end);
		assert_true(!i || d.annotation.ranges[i - 1].end < range->begin);
		bytes += range->end - range->begin;
		if (range->begin <= BEGIN + 800 * 250 && BEGIN + 800 * 250 < range->end)
			assert_int_equal(range->known, BEGIN + 800 * 250);
	}
	assert_true(bytes <= 20 * 256);
	annotation_end(&d.annotation, NULL, 0, &d.arena);
	assert_int_equal(d.annotation.nlines, 500); /* no source: the lines that have a share, without text */
	arena_release(&d.arena);
}

/* Source lines far from each other have gaps; a shorter file is not what was compiled. */
static void test_lines(void **state UNUSED)
{
	static const struct spot far[] = { { 0, 30, 100 }, { 8, 40, 1000 }, { 16, 50, 1003 } };
	static const char *source[2000];
	struct drawn d;
	size_t gaps = 0, of_gap = 0;

	for (size_t i = 0; i < COUNT_OF(source); i++)
		source[i] = "text";
	assert_int_equal(begin(&d, far, COUNT_OF(far), SIZE), 0);
	annotation_end(&d.annotation, source, COUNT_OF(source), &d.arena);
	assert_int_equal(d.annotation.nlines, 9 + 12); /* 96 to 104, 996 to 1007 */
	for (size_t i = 0; i < d.annotation.nlines; i++)
		if (d.annotation.lines[i].is_behind_a_gap) {
			gaps++;
			of_gap = d.annotation.lines[i].line;
		}
	assert_int_equal(gaps, 1);
	assert_int_equal(of_gap, 996);
	arena_release(&d.arena);
	assert_int_equal(begin(&d, far, COUNT_OF(far), SIZE), 0);
	annotation_end(&d.annotation, source, 500, &d.arena);
	assert_int_equal(d.annotation.nlines, 3);
	assert_non_null(strstr(d.annotation.remarks[0], "has only 500 lines"));
	arena_release(&d.arena);
}

static void test_none(void **state UNUSED)
{
	static const struct spot nothing[] = { { 0, 0, 1 } };
	struct drawn d;

	assert_int_equal(begin(&d, nothing, 1, SIZE), -1);
	assert_non_null(strstr(d.err.text, "nothing of cycles was recorded in the code of 'f'"));
	arena_release(&d.arena);
}

static void test_skid(void **state UNUSED)
{
	static const struct {
		struct profile_event event;
		const char *cpuid, *part;
	} rows[] = {
		{ { .event = "cpu-clock" }, "GenuineIntel-6-55-4", "timer" },
		{ { .event = "X", .precise = 2 }, "GenuineIntel-6-55-4", "since Haswell" },
		{ { .event = "X", .precise = 1 }, "GenuineIntel-6-55-4", "after the one" },
		{ { .event = "X", .precise = 1 }, "AuthenticAMD-25-17-1", "IBS" },
		{ { .event = "X" }, "AuthenticAMD-25-17-1", "some instructions after" },
		{ { .event = "X" }, "0x00000000410fd0c0", "some instructions after" },
		{ { .event = "X", .precise = 3 }, NULL, "some instructions after" },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		assert_non_null(strstr(skid_sentence(&rows[i].event, rows[i].cpuid), rows[i].part));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_small), cmocka_unit_test(test_long),
					    cmocka_unit_test(test_lines), cmocka_unit_test(test_none),
					    cmocka_unit_test(test_skid) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
