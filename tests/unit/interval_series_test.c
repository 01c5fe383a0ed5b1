/* SPDX-License-Identifier: GPL-2.0-or-later */
/* interval_series_test.c - intervals as bytes: what was counted comes back; fewer bytes are sums of neighbours; damage is refused. */
#include "rows.h"

#include <math.h>
#include <string.h>

#include "common/json/json_read.h"
#include "common/measurement/interval_series.h"
#include "common/measurement/software.h"
#include "common/measurement/tally.h"
#include "store/session/session.h"

#define EVENTS	  7
#define GROUPS	  3 /* events 0 to 2, 3 and 4, 5 and 6 */
#define PARTS	  2 /* the second one by CPU */
#define CPUS	  3
#define INTERVALS 101

static uint64_t random_state = 88172645463325252ull;

static uint64_t draw(uint64_t below)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (random_state >> 20) % below;
}

static const char *const names[EVENTS] = { "CYCLES", "INSTRUCTIONS", "A.B", "CYCLES", "C:c1", "D", "duration_time" };

static size_t group_of(size_t event)
{
	return event < 3 ? 0 : event < 5 ? 1 : 2;
}

/* Some of it was not on a counter, or can't be; some values are no raw number extrapolated. */
static struct count draw_count(size_t event, uint64_t enabled_ns, uint64_t running_ns)
{
	struct count count = { .event = names[event],
			       .group = group_of(event),
			       .raw = draw(1ull << (1 + draw(40))),
			       .enabled_ns = enabled_ns,
			       .running_ns = running_ns };

	count.value = (double)count.raw * ((double)enabled_ns / (double)running_ns);
	switch (draw(12)) {
	case 0: count.value *= 1.25; break;
	case 1:
		count.state = COUNT_NEVER_RAN;
		count.running_ns = count.raw = 0;
		break;
	case 2:
		count.state = COUNT_REFUSED;
		count.raw = count.enabled_ns = count.running_ns = 0;
		count.reason = "the kernel refused it";
		break;
	case 3:
		count.state = COUNT_WITHHELD;
		count.reason = "a hypervisor does not count it";
		break;
	default: break;
	}
	if (count.state != COUNT_OK)
		count.value = NAN;
	return count;
}

static struct tally draw_tally(void)
{
	struct tally tally = { .raw = draw(1000000), .enabled_ns = 1000000 + draw(1000000) };

	if (!draw(5))
		return (struct tally){ .refused = "refused there" };
	if (!draw(5))
		return (struct tally){ .raw = 0 };
	tally.running_ns = draw(2) ? tally.enabled_ns : tally.enabled_ns / 2;
	tally.value = (double)tally.raw * (double)tally.enabled_ns / (double)tally.running_ns;
	if (!draw(4)) {
		tally.value *= 1.5;
		tally.never_ran_ns = tally.enabled_ns / 4;
	}
	return tally;
}

static struct software *draw_software(struct arena *arena)
{
	struct software *software = arena_alloc(arena, sizeof(*software));

	*software = software_unknown();
	software->values[SOFTWARE_SWITCHES] = software_known((double)draw(100000), "perf");
	software->values[SOFTWARE_USER] = software_known((double)draw(1000000) * 1e-6, "/proc");
	software->values[SOFTWARE_MAJOR] = software_withheld("nobody says it");
	return software;
}

static void draw_part(struct counts *counts, size_t number, bool is_rotated, struct arena *arena)
{
	struct repeat *repeat = arena_alloc(arena, sizeof(*repeat));
	struct count_run *run = arena_alloc(arena, sizeof(*run));
	size_t ncpus = number ? CPUS : 0, only = draw(GROUPS);
	double *cpu_s = arena_array(arena, CPUS, sizeof(*cpu_s));

	*counts = (struct counts){ .repeats = repeat, .nrepeats = 1, .ncpus = ncpus };
	repeat->ngroups = GROUPS;
	repeat->items = arena_array(arena, EVENTS, sizeof(*repeat->items));
	repeat->runs = run;
	repeat->nruns = 1;
	*run = (struct count_run){ .wall_s = (double)draw(1000000000) * 1e-9,
				   .cpu_s = draw(3) ? (double)draw(1000000000) * 1e-9 : NAN,
				   .software = draw_software(arena) };
	for (size_t i = 0; ncpus && i < CPUS; i++)
		cpu_s[i] = (double)draw(1000000) * 1e-9;
	run->cpu_s_by_cpu = ncpus ? cpu_s : NULL;
	for (size_t i = 0; i < EVENTS; i++) {
		uint64_t enabled_ns = 1000000000 + group_of(i), running_ns = enabled_ns / (1 + group_of(i));
		struct tally *tallies = arena_array(arena, CPUS, sizeof(*tallies));

		if (is_rotated && group_of(i) != only)
			continue;
		for (size_t k = 0; k < CPUS; k++)
			tallies[k] = draw_tally();
		repeat->items[repeat->count] = draw_count(i, enabled_ns, running_ns);
		repeat->items[repeat->count++].by_cpu = ncpus ? tallies : NULL;
	}
}

static void draw_interval(struct measurement *interval, size_t number, bool is_rotated, struct arena *arena)
{
	*interval = (struct measurement){ .count = PARTS,
					  .from_s = (double)number * 0.5,
					  .to_s = (double)(number + 1) * 0.5 };
	interval->parts = arena_array(arena, PARTS, sizeof(*interval->parts));
	for (size_t i = 0; i < PARTS; i++)
		draw_part(&interval->parts[i], i, is_rotated, arena);
}

static bool is_near(double a, double b)
{
	return (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-9 * fabs(a) + 1e-9;
}

static bool is_same_tally(const struct tally *a, const struct tally *b)
{
	return a->raw == b->raw && a->enabled_ns == b->enabled_ns && a->running_ns == b->running_ns &&
	       a->never_ran_ns == b->never_ran_ns && is_near(a->value, b->value) &&
	       strcmp(a->refused ? a->refused : "", b->refused ? b->refused : "") == 0;
}

static bool is_same_count(const struct count *a, const struct count *b, size_t ncpus)
{
	if (strcmp(a->event, b->event) != 0 || a->group != b->group || a->raw != b->raw || a->state != b->state ||
	    a->enabled_ns != b->enabled_ns || a->running_ns != b->running_ns || !is_near(a->value, b->value) ||
	    strcmp(a->reason ? a->reason : "", b->reason ? b->reason : "") != 0 || !a->by_cpu != !b->by_cpu)
		return false;
	for (size_t i = 0; a->by_cpu && i < ncpus; i++)
		if (!is_same_tally(&a->by_cpu[i], &b->by_cpu[i]))
			return false;
	return true;
}

static bool is_same_software(const struct software *a, const struct software *b)
{
	for (size_t i = 0; i < SOFTWARE_KINDS; i++)
		if (!is_near(a->values[i].value, b->values[i].value) || !a->values[i].source != !b->values[i].source ||
		    !a->values[i].reason != !b->values[i].reason)
			return false;
	return true;
}

static bool is_same_part(const struct counts *a, const struct counts *b)
{
	const struct repeat *one = &a->repeats[0], *other = &b->repeats[0];

	if (one->count != other->count || one->nruns != other->nruns ||
	    !is_near(one->runs->wall_s, other->runs->wall_s) || !is_near(one->runs->cpu_s, other->runs->cpu_s) ||
	    !is_same_software(one->runs->software, other->runs->software))
		return false;
	for (size_t i = 0; a->ncpus && i < CPUS; i++)
		if (!is_near(one->runs->cpu_s_by_cpu[i], other->runs->cpu_s_by_cpu[i]))
			return false;
	for (size_t i = 0; i < one->count; i++)
		if (!is_same_count(&one->items[i], &other->items[i], a->ncpus))
			return false;
	return true;
}

/* As they were made; whole has their parts. */
struct made {
	struct arena arena;
	struct measurement intervals[INTERVALS], whole;
	struct interval_series *series;
};

static void make(struct made *made, size_t most_bytes, bool is_rotated)
{
	arena_init(&made->arena);
	made->series = interval_series_new(&made->arena, most_bytes);
	for (size_t i = 0; i < INTERVALS; i++) {
		draw_interval(&made->intervals[i], i, is_rotated, &made->arena);
		interval_series_add(made->series, &made->intervals[i]);
	}
	draw_interval(&made->whole, 0, false, &made->arena);
}

static void made_release(struct made *made)
{
	interval_series_release(made->series);
	arena_release(&made->arena);
}

static void expect_same(const struct made *made, const struct interval_series *series, const struct measurement *whole)
{
	struct series_cursor cursor = { .series = series };
	struct arena arena;
	struct measurement read;
	size_t count = 0, wrong = 0;

	arena_init(&arena);
	for (; interval_series_next(&read, &cursor, whole, &arena); count++) {
		const struct measurement *interval = &made->intervals[count];

		wrong += !is_near(read.from_s, interval->from_s) || !is_near(read.to_s, interval->to_s);
		for (size_t i = 0; i < PARTS; i++)
			wrong += !is_same_part(&interval->parts[i], &read.parts[i]);
		arena_reset(&arena);
	}
	arena_release(&arena);
	assert_int_equal(count, INTERVALS);
	assert_int_equal(wrong, 0);
}

static void comes_back(void **state UNUSED)
{
	for (int is_rotated = 0; is_rotated < 2; is_rotated++) {
		struct made made;

		make(&made, SERIES_MOST_BYTES, is_rotated);
		assert_int_equal(made.series->count, INTERVALS);
		assert_true(interval_series_is_sound(made.series, &made.whole));
		expect_same(&made, made.series, &made.whole);
		made_release(&made);
	}
}

/* A plain count, whose sums are known: interval i has 1000 + i. */
static void add_plain(struct interval_series *series, size_t number, struct arena *arena)
{
	struct count *item = arena_alloc(arena, sizeof(*item));
	struct count_run *run = arena_alloc(arena, sizeof(*run));
	struct repeat *repeat = arena_alloc(arena, sizeof(*repeat));
	struct counts *counts = arena_alloc(arena, sizeof(*counts));

	*item = (struct count){ .event = "E", .raw = 1000 + number, .enabled_ns = 200, .running_ns = 100 };
	item->value = 2 * (double)item->raw;
	*run = (struct count_run){ .wall_s = 0.25, .cpu_s = 0.125 };
	*repeat = (struct repeat){ .ngroups = 1, .runs = run, .nruns = 1, .items = item, .count = 1 };
	*counts = (struct counts){ .repeats = repeat, .nrepeats = 1 };
	interval_series_add(series, &(struct measurement){ .parts = counts,
							   .count = 1,
							   .from_s = (double)number * 0.25,
							   .to_s = (double)(number + 1) * 0.25 });
}

static void check_sums(struct rows *rows, const char *row, const struct interval_series *series, size_t total)
{
	struct repeat repeat = { .ngroups = 1 };
	struct counts part = { .repeats = &repeat, .nrepeats = 1 };
	const struct measurement whole = { .parts = &part, .count = 1 };
	struct series_cursor cursor = { .series = series };
	struct measurement read;
	struct arena arena;
	size_t first = 0;

	arena_init(&arena);
	for (; interval_series_next(&read, &cursor, &whole, &arena); first += series->each) {
		size_t last = first + series->each < total ? first + series->each : total, count = last - first;
		const struct count *item = &read.parts[0].repeats[0].items[0];
		double expected = (double)count * (1000 + (double)(first + last - 1) / 2);

		row_expect_number(rows, row, (double)item->raw, expected);
		row_expect_number(rows, row, item->value, 2 * expected);
		row_expect_number(rows, row, (double)item->enabled_ns, 200 * (double)count);
		row_expect_number(rows, row, read.parts[0].repeats[0].runs[0].wall_s, 0.25 * (double)count);
		row_expect_number(rows, row, read.parts[0].repeats[0].runs[0].cpu_s, 0.125 * (double)count);
		row_expect_number(rows, row, read.from_s, 0.25 * (double)first);
		row_expect_number(rows, row, read.to_s, 0.25 * (double)last);
	}
	arena_release(&arena);
	row_expect(rows, row, interval_series_is_sound(series, &whole), "sound");
	row_expect_number(rows, row, (double)cursor.number, (double)((total + series->each - 1) / series->each));
}

/* Whatever the number: each is the sum of as many neighbours, and only the last has fewer. */
static void becomes_shorter(void **state UNUSED)
{
	struct rows rows = { 0 };

	for (size_t total = 1; total < 300; total += 1 + total / 7) {
		char row[80];
		struct arena arena;
		struct interval_series *series, *shorter;

		arena_init(&arena);
		series = interval_series_new(&arena, 400);
		for (size_t i = 0; i < total; i++)
			add_plain(series, i, &arena);
		snprintf(row, sizeof(row), "%zu intervals, %zu of each", total, series->each);
		row_expect(&rows, row, series->length <= 400, "no more bytes than allowed");
		row_expect(&rows, row, series->each == 1 || series->length > 100, "no fewer than needed");
		row_expect(&rows, row, series->each == 1 || total > 10, "none that need not");
		check_sums(&rows, row, series, total);
		shorter = interval_series_within(series, 100, &arena);
		row_expect(&rows, row, !shorter == (series->length <= 100), "shorter where it has to be");
		if (shorter) {
			check_sums(&rows, row, shorter, total);
			interval_series_release(shorter);
		}
		interval_series_release(series);
		arena_release(&arena);
	}
	rows_end(&rows);
}

/* Bytes of a file: whatever they are, nothing is read beyond them, and what is read fits the parts. */
static void damage(void **state UNUSED)
{
	struct made made;
	unsigned char *bytes;
	size_t refused = 0;

	make(&made, SERIES_MOST_BYTES, false);
	bytes = arena_alloc(&made.arena, made.series->length);
	memcpy(bytes, made.series->bytes, made.series->length);
	for (size_t i = 0; i < 2000; i++) {
		struct interval_series series = *made.series;

		memcpy(series.bytes, bytes, series.length);
		series.bytes[draw(series.length)] ^= (unsigned char)(1 + draw(255));
		series.length -= draw(2) ? draw(series.length) : 0;
		refused += !interval_series_is_sound(&series, &made.whole);
	}
	memcpy(made.series->bytes, bytes, made.series->length);
	assert_true(refused > 1000);
	assert_true(interval_series_is_sound(made.series, &made.whole));
	made_release(&made);
}

/* By way of a session: the same. */
static void in_a_session(void **state UNUSED)
{
	struct measurement copy;
	struct error err = { .text = "" };
	struct made made;

	make(&made, SERIES_MOST_BYTES, true);
	for (size_t i = 0; i < PARTS; i++) {
		made.whole.parts[i].origin.cpu = "none";
		made.whole.parts[i].origin.part = i ? "second" : "first";
		made.whole.parts[i].repeats[0].planned_runs = 1;
		made.whole.parts[i].cpus = arena_array(&made.arena, CPUS, sizeof(struct counted_cpu));
	}
	made.whole.from_s = made.whole.to_s = NAN;
	made.whole.series = made.series;
	if (session_copy(&copy, &made.whole, &made.arena, &err) < 0)
		fail_msg("%s", err.text);
	assert_non_null(copy.series);
	assert_int_equal(copy.series->total, INTERVALS);
	expect_same(&made, copy.series, &copy);
	made_release(&made);
}

int main(void)
{
	static const struct CMUnitTest tests[] = { cmocka_unit_test(comes_back), cmocka_unit_test(becomes_shorter),
						   cmocka_unit_test(damage), cmocka_unit_test(in_a_session) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
