/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wait_timeline_test.c - what threads did when: of made-up switches, of too many of them, and of anything. */
#include "rows.h"

#include <math.h>

#include "collect/waits/wait_machine.h"
#include "common/base/text.h"

#define US ((uint64_t)1000)

enum { DRAWS = 1000000, MANY = 1000, BUSY = 60 };

struct filming {
	struct arena arena;
	struct wait_machine machine;
};

static void roll(struct filming *f)
{
	arena_init(&f->arena);
	wait_machine_init(&f->machine, &f->arena);
}

static void cut(struct filming *f)
{
	wait_machine_release(&f->machine);
	arena_release(&f->arena);
}

/* What happens to a thread at a time, ms. */
struct happening {
	unsigned at;
	uint32_t tid;
	enum { RUNS, READY, WAITS, LOCKED, SLEEPS, WOKEN, PAUSE, RESUME, QUEUED } what;
};

static void happen(struct filming *f, const struct happening *one)
{
	static const struct wait_found found[] = {
		[LOCKED] = { .kind = WAIT_LOCK, .name = "lock" }, [SLEEPS] = { .kind = WAIT_TIMER, .name = "nanosleep" }
	};
	const uint64_t at = one->at * 1000 * US;

	switch (one->what) {
	case RUNS:
	case READY:
	case WAITS:
		wait_machine_move(&f->machine, &(struct thread_turn){ 1, one->tid, (enum thread_state)one->what, 0 },
				  at);
		break;
	case LOCKED:
	case SLEEPS:
		wait_machine_move(&f->machine, &(struct thread_turn){ 1, one->tid, THREAD_WAITS, 0 }, at);
		wait_machine_look(&f->machine, one->tid, &found[one->what]);
		break;
	case WOKEN: wait_machine_wake(&f->machine, one->tid, 0, at); break;
	case PAUSE:
	case RESUME: wait_machine_switch(&f->machine, one->what == RESUME, at); break;
	case QUEUED: wait_machine_delay(number_table_get(&f->machine.by_tid, one->tid), at); break;
	default: break;
	}
}

/* "1:0-100 runs 100 1:100-400 lock 300": thread, from, to, and what it did for so many ms. */
static const char *text_of(const struct waits *waits, struct arena *arena)
{
	struct string text = STRING_INIT(arena);

	for (size_t i = 0; i < waits->count; i++)
		for (size_t k = 0; k < waits->threads[i].nsegments; k++) {
			const struct wait_segment *segment = &waits->threads[i].segments[k];

			string_printf(&text, "%s%u:%.0f-%.0f", text.length ? " " : "", waits->threads[i].tid,
				      segment->from_s * 1e3, segment->to_s * 1e3);
			if (segment->running_s > 1e-9)
				string_printf(&text, " runs %.0f", segment->running_s * 1e3);
			if (segment->ready_s > 1e-9)
				string_printf(&text, " ready %.0f", segment->ready_s * 1e3);
			if (segment->waiting_s > 1e-9)
				string_printf(&text, " %s %.0f", wait_kind_name(segment->kind),
					      segment->waiting_s * 1e3);
		}
	return text.text;
}

static void test_made_up(void **state UNUSED)
{
	static const struct {
		const char *name;
		struct happening all[12];
		const char *wanted;
	} made[] = {
		{ "kinds",
		  { { 100, 1, LOCKED }, { 400, 1, RUNS }, { 450, 1, READY }, { 490, 1, RUNS }, { 500, 1, SLEEPS } },
		  "1:0-100 runs 100 1:100-400 lock 300 1:400-450 runs 50 1:450-490 ready 40 1:490-500 runs 10 "
		  "1:500-1000 timer 500" },
		{ "short ones are joined, long ones are not",
		  { { 100, 1, LOCKED }, { 101, 1, RUNS }, { 102, 1, LOCKED }, { 400, 1, RUNS } },
		  "1:0-100 runs 100 1:100-102 runs 1 lock 1 1:102-400 lock 298 1:400-1000 runs 600" },
		{ "nobody looked",
		  { { 100, 1, WAITS }, { 800, 1, RUNS } },
		  "1:0-100 runs 100 1:100-800 unknown 700 "
		  "1:800-1000 runs 200" },
		{ "woken",
		  { { 100, 1, LOCKED }, { 300, 1, WOKEN }, { 350, 1, RUNS } },
		  "1:0-100 runs 100 1:100-300 lock 200 1:300-350 ready 50 1:350-1000 runs 650" },
		{ "the kernel's account",
		  { { 100, 1, LOCKED }, { 400, 1, RUNS }, { 30, 1, QUEUED } },
		  "1:0-100 runs 100 1:100-400 ready 30 lock 270 1:400-1000 runs 600" },
		{ "a pause is no time",
		  { { 200, 0, PAUSE }, { 300, 1, WAITS }, { 700, 0, RESUME }, { 900, 1, RUNS } },
		  "1:0-200 runs 200 1:200-400 unknown 200 1:400-500 runs 100" },
		{ "one that comes",
		  { { 300, 2, RUNS }, { 700, 2, SLEEPS } },
		  "1:0-1000 runs 1000 2:300-700 runs 400 2:700-1000 timer 300" },
		{ "the same again",
		  { { 100, 1, LOCKED }, { 200, 1, LOCKED }, { 300, 1, RUNS }, { 400, 1, RUNS } },
		  "1:0-100 runs 100 1:100-300 lock 200 1:300-1000 runs 700" },
	};
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(made); i++) {
		struct filming f;

		roll(&f);
		wait_machine_add(&f.machine, &(struct new_thread){ 1, 1, 0, THREAD_RUNS }, 0);
		wait_machine_switch(&f.machine, true, 0);
		for (const struct happening *one = made[i].all; one->at; one++)
			happen(&f, one);
		row_expect_text(&rows, made[i].name, text_of(wait_machine_finish(&f.machine, 1000000 * US), &f.arena),
				made[i].wanted);
		cut(&f);
	}
	rows_end(&rows);
}

/* "0-300 runs 100 timer 200": from, to, and what the first thread did for so many ms. */
static const char *intervals_text(const struct waits *waits, struct arena *arena)
{
	struct string text = STRING_INIT(arena);

	for (size_t i = 0; i < waits->nintervals; i++) {
		const struct wall_interval *interval = &waits->intervals[i];

		string_printf(&text, "%s%.0f-%.0f", text.length ? " " : "", interval->from_s * 1e3,
			      interval->to_s * 1e3);
		for (size_t k = 0; k < WALL_PARTS; k++)
			if (interval->parts[k] > 1e-9)
				string_printf(&text, " %s %.0f", wall_part_name(k) + strlen("wall."),
					      interval->parts[k] * 1e3);
	}
	return text.text;
}

/* Intervals of 300 ms of a thread that begins at 0 or later. */
static void test_intervals(void **state UNUSED)
{
	static const struct {
		const char *name, *main;
		struct happening all[12];
		const char *wanted;
	} made[] = {
		{ "a wait over several",
		  NULL,
		  { { 100, 1, LOCKED }, { 700, 1, RUNS }, { 900, 1, READY } },
		  "0-300 running 100 lock 200 300-600 lock 300 600-900 running 200 lock 100 900-1000 ready 100" },
		{ "woken",
		  NULL,
		  { { 200, 1, SLEEPS }, { 500, 1, WOKEN }, { 650, 1, RUNS } },
		  "0-300 running 200 timer 100 300-600 ready 100 timer 200 600-900 running 250 ready 50 900-1000 "
		  "running 100" },
		{ "the kernel's account is of the interval in which the wait ended",
		  NULL,
		  { { 100, 1, LOCKED }, { 400, 1, RUNS }, { 30, 1, QUEUED } },
		  "0-300 running 100 lock 200 300-600 running 200 ready 30 lock 70 600-900 running 300 900-1000 "
		  "running 100" },
		{ "a pause is no time",
		  NULL,
		  { { 200, 0, PAUSE }, { 300, 1, WAITS }, { 700, 0, RESUME }, { 900, 1, RUNS } },
		  "0-300 running 200 unknown 100 300-500 running 100 unknown 100" },
		{ "short waits are divided as looks are",
		  NULL,
		  { { 100, 1, LOCKED }, { 110, 1, RUNS }, { 400, 1, WAITS }, { 410, 1, RUNS } },
		  "0-300 running 290 lock 10 300-600 running 290 lock 10 600-900 running 300 900-1000 running 100" },
		{ "another thread, which begins later",
		  "2",
		  { { 700, 2, RUNS }, { 800, 2, SLEEPS } },
		  "700-900 running 100 timer 100 900-1000 timer 100" },
		{ "nobody is called so", "3", { { 700, 2, RUNS } }, "" },
	};
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(made); i++) {
		struct filming f;

		roll(&f);
		f.machine.interval = 300000 * US;
		f.machine.wanted = made[i].main;
		wait_machine_add(&f.machine, &(struct new_thread){ 1, 1, 0, THREAD_RUNS }, 0);
		wait_machine_switch(&f.machine, true, 0);
		for (const struct happening *one = made[i].all; one->at; one++)
			happen(&f, one);
		row_expect_text(&rows, made[i].name,
				intervals_text(wait_machine_finish(&f.machine, 1000000 * US), &f.arena),
				made[i].wanted);
		cut(&f);
	}
	rows_end(&rows);
}

/* The first thread's intervals: in their order, each of the right length at most, and in sum its clock. */
static void check_intervals(const struct waits *waits, double length_s)
{
	double sums[WALL_PARTS] = { 0 }, wanted[WALL_PARTS], at = waits->threads[0].from_s;

	for (size_t i = 0; i < waits->nintervals; i++) {
		const struct wall_interval *interval = &waits->intervals[i];
		double sum = 0;

		assert_true(fabs(interval->from_s - at) < 1e-6);
		at = interval->to_s;
		assert_true(floor(interval->from_s / length_s + 1e-9) + 1 >= interval->to_s / length_s - 1e-9);
		for (size_t k = 0; k < WALL_PARTS; k++) {
			assert_true(interval->parts[k] >= 0);
			sum += interval->parts[k];
			sums[k] += interval->parts[k];
		}
		assert_true(fabs(sum - (interval->to_s - interval->from_s)) < 1e-6);
	}
	wall_parts(wanted, &waits->threads[0]);
	assert_true(fabs(at - waits->threads[0].to_s) < 1e-6);
	assert_true(fabs(sums[WALL_RUNNING] - wanted[WALL_RUNNING]) < 1e-6);
	assert_true(fabs(sums[WALL_READY] - wanted[WALL_READY]) < 1e-6);
}

/* One behind the other from birth to end, nothing negative, and in sum what the thread did. */
static size_t check_thread(const struct waiting_thread *thread, double near_s)
{
	double running = 0, ready = 0, waiting = 0, at = thread->from_s;

	for (size_t i = 0; i < thread->nsegments; i++) {
		const struct wait_segment *segment = &thread->segments[i];

		assert_true(fabs(segment->from_s - at) < near_s && segment->to_s > segment->from_s);
		assert_true(segment->running_s >= 0 && segment->ready_s >= 0 && segment->waiting_s >= 0);
		assert_true(fabs(segment->running_s + segment->ready_s + segment->waiting_s - segment->to_s +
				 segment->from_s) < near_s);
		assert_true((unsigned)segment->kind < WAIT_KINDS);
		at = segment->to_s;
		running += segment->running_s;
		ready += segment->ready_s;
		waiting += segment->waiting_s;
	}
	if (!thread->nsegments)
		return 0;
	assert_true(fabs(at - thread->to_s) < near_s);
	assert_true(fabs(running - thread->running_s) < near_s);
	assert_true(fabs(ready - thread->preempted_s - thread->queued_s) < near_s);
	assert_true(fabs(waiting - thread_waited(thread, WAIT_KINDS)) < near_s);
	return thread->nsegments;
}

static size_t check_all(const struct waits *waits, size_t *timelines)
{
	size_t segments = 0;

	*timelines = 0;
	for (size_t i = 0; i < waits->count; i++) {
		segments += check_thread(&waits->threads[i], 1e-6);
		*timelines += waits->threads[i].nsegments > 0;
	}
	assert_in_range(segments, 1, MOST_WAIT_SEGMENTS);
	assert_in_range(*timelines, 1, MOST_TIMELINES);
	return segments;
}

static uint32_t chance = 1;

static uint32_t chance_below(uint32_t below)
{
	chance = chance * 1664525u + 1013904223u;
	return (chance >> 8) % below;
}

/* Anything may happen to a thread. */
static void happen_any(struct filming *f, uint32_t threads, uint64_t now)
{
	static const enum thread_state states[] = { THREAD_RUNS, THREAD_READY, THREAD_WAITS };
	static const struct wait_found found[] = { { .kind = WAIT_LOCK, .name = "lock" },
						   { .kind = WAIT_DISK, .name = "read", .is_recorded = true },
						   { .kind = WAIT_TIMER } };
	uint32_t tid = 1 + chance_below(threads);
	struct machine_thread *thread = number_table_get(&f->machine.by_tid, tid);

	switch (chance_below(12)) {
	case 0:
		if (!chance_below(threads < 100 ? 5000 : 20))
			wait_machine_remove(&f->machine, tid, now);
		break;
	case 1:
		if (!chance_below(500))
			wait_machine_switch(&f->machine, chance_below(3) > 0, now);
		break;
	case 2:
		if (thread)
			wait_machine_delay(thread, chance_below(1000) * US * (now / US / 10000));
		break;
	case 3: wait_machine_wake(&f->machine, tid, chance_below(threads), now); break;
	case 4: wait_machine_look(&f->machine, tid, &found[chance_below(3)]); break;
	default:
		wait_machine_move(&f->machine, &(struct thread_turn){ 1, tid, states[chance_below(3)], 0 },
				  now - chance_below(30));
	}
}

/* A million of anything in any order, by few threads and by many; times are of all lengths, and go back. */
static void test_any(void **state UNUSED)
{
	static const uint32_t threads[] = { 3, 8, 300 };

	for (size_t i = 0; i < COUNT_OF(threads); i++) {
		struct filming f;
		uint64_t now = 1000000 * US;
		struct waits *waits;
		size_t timelines;

		roll(&f);
		wait_machine_switch(&f.machine, true, now);
		f.machine.has_wakes = i == 1;
		f.machine.interval = 700000 * US;
		for (unsigned k = 0; k < DRAWS; k++) {
			now += chance_below(1000) ? chance_below(40) * US : chance_below(100000) * US;
			happen_any(&f, threads[i], now);
		}
		waits = wait_machine_finish(&f.machine, now);
		check_all(waits, &timelines);
		check_intervals(waits, 0.7);
		/* what is kept meanwhile is bounded */
		assert_true(f.machine.grain.count < 40000 + 8 * f.machine.count);
		cut(&f);
	}
}

/*
 * A thousand threads beside some that work, and the main thread, which only waits: that and the busiest are kept. One
 * that runs longer, but is idle, is not.
 */
static void test_many(void **state UNUSED)
{
	struct filming f;
	struct waits *waits;
	size_t timelines;

	roll(&f);
	for (uint32_t tid = 1; tid <= MANY; tid++)
		wait_machine_add(&f.machine, &(struct new_thread){ 1, tid, 0, THREAD_WAITS }, 0);
	wait_machine_switch(&f.machine, true, 0);
	wait_machine_look(&f.machine, MANY, &(struct wait_found){ .kind = WAIT_LOCK, .name = "lock" });
	for (uint32_t k = 0; k < 20000; k++) {
		uint32_t tid = 2 + k % BUSY;
		uint64_t at = (uint64_t)k * 1000 * US;

		wait_machine_move(&f.machine, &(struct thread_turn){ 1, tid, THREAD_RUNS, 0 }, at);
		wait_machine_move(&f.machine, &(struct thread_turn){ 1, tid, THREAD_WAITS, 0 }, at + (300 + tid) * US);
	}
	happen(&f, &(struct happening){ 20000, MANY, RUNS });
	happen(&f, &(struct happening){ 20500, MANY, LOCKED });
	waits = wait_machine_finish(&f.machine, 21000000 * US);
	check_all(waits, &timelines);
	assert_int_equal(timelines, MOST_TIMELINES);
	assert_true(waits->threads[0].tid == 1 && waits->threads[0].nsegments == 1);
	for (size_t i = 1; i < waits->count; i++) {
		uint32_t tid = waits->threads[i].tid;

		/* the main thread, and those of the largest numbers among the busy ones */
		assert_int_equal(waits->threads[i].nsegments > 0,
				 tid > 1 + BUSY - (MOST_TIMELINES - 1) && tid <= 1 + BUSY);
	}
	cut(&f);
}

/* Two halves, each of many short parts: however coarse it gets, they can be distinguished, and each is one segment. */
static void test_halves(void **state UNUSED)
{
	struct filming f;
	const struct waiting_thread *thread;
	struct waits *waits;
	uint64_t at = 0;

	roll(&f);
	wait_machine_add(&f.machine, &(struct new_thread){ 1, 1, 0, THREAD_RUNS }, 0);
	wait_machine_switch(&f.machine, true, 0);
	for (unsigned k = 0; k < 200000; k++) {
		unsigned runs = k < 100000 ? 20 : 80;

		wait_machine_move(&f.machine, &(struct thread_turn){ 1, 1, THREAD_RUNS, 0 }, at);
		wait_machine_move(&f.machine, &(struct thread_turn){ 1, 1, THREAD_WAITS, 0 }, at + runs * US);
		at += 100 * US;
	}
	waits = wait_machine_finish(&f.machine, at);
	thread = &waits->threads[0];
	check_thread(thread, 1e-6);
	assert_in_range(thread->nsegments, 2, 4);
	for (size_t i = 0; i < thread->nsegments; i++) {
		const struct wait_segment *segment = &thread->segments[i];
		double share = segment->running_s / (segment->to_s - segment->from_s);

		if (segment->to_s - segment->from_s > 1)
			assert_true(fabs(share - (segment->to_s < 11 ? 0.2 : 0.8)) < 0.01);
	}
	cut(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_made_up), cmocka_unit_test(test_intervals),
					    cmocka_unit_test(test_any), cmocka_unit_test(test_many),
					    cmocka_unit_test(test_halves) };

	return cmocka_run_group_tests_name("wait_timeline", tests, NULL, NULL);
}
