/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wait_machine_test.c - times of threads from made-up switches: by hand, and for any order of anything. */
#include "rows.h"

#include <math.h>

#include "collect/waits/wait_machine.h"

#define MS ((uint64_t)1000000)

enum { DRAWS = 1000000, THREADS = 8 };

struct playing {
	struct arena arena;
	struct wait_machine machine;
};

static struct playing *begin(void)
{
	static struct playing playing;

	arena_init(&playing.arena);
	wait_machine_init(&playing.machine, &playing.arena);
	return &playing;
}

static void end(struct playing *p)
{
	wait_machine_release(&p->machine);
	arena_release(&p->arena);
}

static bool is_near(double found, double wanted_ms)
{
	return fabs(found - wanted_ms * 1e-3) < 1e-9;
}

static const struct wait_cause *cause_of(const struct waiting_thread *thread, enum wait_kind kind)
{
	for (size_t i = 0; i < thread->ncauses; i++)
		if (thread->causes[i].kind == kind)
			return &thread->causes[i];
	return NULL;
}

static void move(struct playing *p, enum thread_state state, uint64_t ms)
{
	wait_machine_move(&p->machine, &(struct thread_turn){ 1, 1, state, 0 }, ms * MS);
}

static const struct wait_found on_lock = { .kind = WAIT_LOCK, .name = "big_lock" },
			       asleep = { .kind = WAIT_TIMER, .name = "nanosleep" };

/* Runs 100 ms, waits 300 for a lock, runs 50, is preempted for 40, runs 10, sleeps 200. */
static void test_kinds(void **state UNUSED)
{
	struct playing *p = begin();
	const struct waiting_thread *thread;
	struct waits *waits;

	wait_machine_add(&p->machine, &(struct new_thread){ 1, 1, 0, THREAD_WAITS }, 1000 * MS);
	wait_machine_switch(&p->machine, true, 2000 * MS);
	move(p, THREAD_RUNS, 2000);
	move(p, THREAD_WAITS, 2100);
	wait_machine_look(&p->machine, 1, &on_lock);
	wait_machine_look(&p->machine, 1, &asleep); /* of a wait that is known already */
	move(p, THREAD_RUNS, 2400);
	move(p, THREAD_READY, 2450);
	move(p, THREAD_RUNS, 2490);
	move(p, THREAD_WAITS, 2500);
	wait_machine_look(&p->machine, 1, &asleep);
	waits = wait_machine_finish(&p->machine, 2700 * MS);
	thread = &waits->threads[0];
	assert_int_equal(waits->count, 1);
	assert_true(is_near(waits->length_s, 700));
	assert_true(is_near(thread->running_s, 160));
	assert_true(is_near(thread->preempted_s, 40));
	assert_true(is_near(thread_waited(thread, WAIT_KINDS), 500));
	assert_true(is_near(cause_of(thread, WAIT_LOCK)->time_s, 300));
	assert_true(is_near(cause_of(thread, WAIT_LOCK)->longest_s, 300));
	assert_true(is_near(cause_of(thread, WAIT_TIMER)->time_s, 200));
	assert_string_equal(thread->causes[0].name, "big_lock");
	assert_int_equal(thread->waits, 2);
	assert_int_equal(thread->preemptions, 1);
	end(p);
}

/* 100 waits of 5 ms; of those that were looked at three are locks and one is a sleep. */
static void test_short(void **state UNUSED)
{
	struct playing *p = begin();
	const struct waiting_thread *thread;
	struct waits *waits;

	wait_machine_add(&p->machine, &(struct new_thread){ 1, 1, 0, THREAD_RUNS }, 0);
	wait_machine_switch(&p->machine, true, 0);
	for (uint64_t i = 0; i < 100; i++) {
		move(p, THREAD_WAITS, 10 * i);
		if (i % 25 == 7)
			wait_machine_look(&p->machine, 1, i < 75 ? &on_lock : &asleep);
		move(p, THREAD_RUNS, 10 * i + 5);
	}
	waits = wait_machine_finish(&p->machine, 1000 * MS);
	thread = &waits->threads[0];
	assert_true(is_near(thread->running_s, 500));
	assert_true(is_near(cause_of(thread, WAIT_LOCK)->time_s, 375));
	assert_true(is_near(cause_of(thread, WAIT_TIMER)->time_s, 125));
	assert_true(is_near(waits->short_s, 500));
	assert_true(!cause_of(thread, WAIT_UNKNOWN));
	end(p);
}

/* Threads say what they wait for: nothing is shared out, waits are counted, and only looks name files. */
static void test_recorded(void **state UNUSED)
{
	static const struct wait_found recorded_lock = { .kind = WAIT_LOCK, .name = "big_lock", .is_recorded = true };
	static const struct wait_found recorded_read = {
		.kind = WAIT_DISK, .name = "read", .is_recorded = true, .is_vague = true
	};
	static const struct wait_found files[] = { { .kind = WAIT_DISK, .name = "read, /a" },
						   { .kind = WAIT_DISK, .name = "read, /b" } };

	for (int is_mixed = 0; is_mixed < 2; is_mixed++) {
		struct playing *p = begin();
		const struct waiting_thread *thread;
		struct waits *waits;

		wait_machine_add(&p->machine, &(struct new_thread){ 1, 1, 0, THREAD_RUNS }, 0);
		wait_machine_switch(&p->machine, true, 0);
		for (uint64_t i = 0; i < 100; i++) {
			move(p, THREAD_WAITS, 10 * i);
			wait_machine_look(&p->machine, 1, i % 4 ? &recorded_lock : &recorded_read);
			if (i % 20 == 0) /* five looks, two of them at another file if mixed */
				wait_machine_look(&p->machine, 1, &files[is_mixed && i >= 60]);
			if (i % 20 == 1)
				wait_machine_look(&p->machine, 1, &files[0]); /* what is known stays */
			move(p, THREAD_RUNS, 10 * i + 5);
		}
		waits = wait_machine_finish(&p->machine, 1000 * MS);
		thread = &waits->threads[0];
		assert_true(is_near(cause_of(thread, WAIT_LOCK)->time_s, 375));
		assert_int_equal(cause_of(thread, WAIT_LOCK)->waits, 75);
		assert_true(is_near(cause_of(thread, WAIT_LOCK)->longest_s, 5));
		assert_true(is_near(cause_of(thread, WAIT_DISK)->time_s, 125));
		assert_int_equal(cause_of(thread, WAIT_DISK)->waits, 25);
		assert_string_equal(cause_of(thread, WAIT_DISK)->name, is_mixed ? "read" : "read, /a");
		assert_true(waits->short_s == 0);
		assert_int_equal(thread->ncauses, 2);
		end(p);
	}
}

static void turn(struct playing *p, uint32_t cpu, enum thread_state state, uint64_t ms)
{
	wait_machine_move(&p->machine, &(struct thread_turn){ 1, 1, state, cpu }, ms * MS);
}

/* Who had a lock: thread 2 ends three waits of 100 ms, thread 3 one of 250. Each time there is no CPU for 10 ms. */
static void test_contended(void **state UNUSED)
{
	static const struct wait_found recorded_lock = { .kind = WAIT_LOCK, .name = "big_lock", .is_recorded = true };
	struct playing *p = begin();
	const struct waiting_thread *thread;
	struct waits *waits;
	uint64_t at = 0;

	for (uint32_t tid = 1; tid <= 3; tid++)
		wait_machine_add(&p->machine, &(struct new_thread){ 1, tid, 0, THREAD_RUNS }, 0);
	wait_machine_switch(&p->machine, true, 0);
	turn(p, 0, THREAD_RUNS, 0);
	for (int i = 0; i < 4; i++) {
		turn(p, (uint32_t)i / 2, THREAD_WAITS, at += 10);
		wait_machine_look(&p->machine, 1, &recorded_lock);
		wait_machine_wake(&p->machine, 1, i == 1 ? 3 : 2, (at += i == 1 ? 250 : 100) * MS);
		turn(p, (uint32_t)(i + 1) / 2, THREAD_RUNS, at += 10);
	}
	turn(p, 2, THREAD_READY, at += 10);
	turn(p, 2, THREAD_RUNS, at += 40);
	waits = wait_machine_finish(&p->machine, at * MS);
	thread = &waits->threads[0];
	assert_int_equal(thread->tid, 1);
	assert_int_equal(cause_of(thread, WAIT_LOCK)->waits, 4);
	assert_int_equal(cause_of(thread, WAIT_LOCK)->by, 2);
	assert_true(is_near(cause_of(thread, WAIT_LOCK)->time_s, 550));
	assert_true(is_near(thread->queued_s, 40));
	assert_int_equal(thread->migrations, 2); /* from 0 to 1, and to 2 */
	assert_true(is_near(thread->ready_longest_s, 40));
	assert_int_equal(waits->ready->count, 5);
	assert_int_equal(waits->ready->most, 40 * MS);
	assert_true(fabs((double)log_histogram_at(waits->ready, 0.5) / (10.0 * MS) - 1) < 0.02);
	end(p);
}

/* Nobody looked: not at a long wait, and not at short ones. */
static void test_unknown(void **state UNUSED)
{
	struct playing *p = begin();
	struct waits *waits;

	wait_machine_add(&p->machine, &(struct new_thread){ 1, 1, 0, THREAD_RUNS }, 0);
	wait_machine_switch(&p->machine, true, 0);
	move(p, THREAD_WAITS, 10);
	move(p, THREAD_RUNS, 110);
	move(p, THREAD_WAITS, 120);
	move(p, THREAD_RUNS, 123);
	waits = wait_machine_finish(&p->machine, 123 * MS);
	assert_true(is_near(cause_of(&waits->threads[0], WAIT_UNKNOWN)->time_s, 103));
	end(p);
}

/* The kernel's account has 30 ms more than the preemption: they are of the wait that has ended. */
static void test_queue(void **state UNUSED)
{
	struct playing *p = begin();
	struct machine_thread *own;
	const struct waiting_thread *thread;
	struct waits *waits;

	own = wait_machine_add(&p->machine, &(struct new_thread){ 1, 1, 0, THREAD_RUNS }, 0);
	wait_machine_switch(&p->machine, true, 0);
	own->delay = 500 * MS; /* of before */
	move(p, THREAD_WAITS, 100);
	wait_machine_look(&p->machine, 1, &on_lock);
	move(p, THREAD_RUNS, 300);
	move(p, THREAD_READY, 310);
	move(p, THREAD_RUNS, 330);
	wait_machine_delay(own, 550 * MS);
	move(p, THREAD_WAITS, 400);
	wait_machine_look(&p->machine, 1, &asleep);
	wait_machine_delay(own, 590 * MS); /* of a wait that goes on: it waits for its end */
	move(p, THREAD_RUNS, 500);
	wait_machine_delay(own, 590 * MS);
	waits = wait_machine_finish(&p->machine, 500 * MS);
	thread = &waits->threads[0];
	assert_true(is_near(thread->preempted_s, 20));
	assert_true(is_near(thread->queued_s, 70));
	assert_true(is_near(cause_of(thread, WAIT_LOCK)->time_s, 170));
	assert_true(is_near(cause_of(thread, WAIT_TIMER)->time_s, 60));
	end(p);
}

/* A pause counts for nobody; a thread that was born in it lives from its birth. */
static void test_pause(void **state UNUSED)
{
	struct playing *p = begin();
	struct waits *waits;

	wait_machine_add(&p->machine, &(struct new_thread){ 1, 1, 0, THREAD_RUNS }, 0);
	wait_machine_switch(&p->machine, true, 100 * MS);
	wait_machine_switch(&p->machine, false, 200 * MS);
	move(p, THREAD_WAITS, 250);
	wait_machine_add(&p->machine, &(struct new_thread){ 1, 2, 1, THREAD_READY }, 260 * MS);
	wait_machine_switch(&p->machine, true, 300 * MS);
	wait_machine_move(&p->machine, &(struct thread_turn){ 1, 2, THREAD_RUNS, 0 }, 320 * MS);
	wait_machine_remove(&p->machine, 2, 350 * MS);
	waits = wait_machine_finish(&p->machine, 400 * MS);
	assert_true(is_near(waits->length_s, 200));
	assert_true(is_near(waits->threads[0].running_s, 100));
	assert_true(is_near(thread_waited(&waits->threads[0], WAIT_KINDS), 100));
	assert_true(is_near(waits->threads[1].preempted_s, 20));
	assert_true(is_near(waits->threads[1].running_s, 30));
	end(p);
}

static double linked(const struct waits *waits, uint32_t tid, enum link_kind what)
{
	for (size_t i = 0; i < waits->nlinks; i++)
		if (waits->links[i].tid == tid && waits->links[i].what == what)
			return waits->links[i].time_s;
	return 0;
}

/*
 * The main thread (1) waits from 100 to 600 ms. 2 runs from 100 to 200, waits for 3 until 500 (which sleeps until 350
 * and runs), is ready until 520, runs, and wakes 1 at 600; that has a CPU at 610.
 */
static void test_chain(void **state UNUSED)
{
	struct playing *p = begin();
	struct waits *waits;

	wait_machine_add(&p->machine, &(struct new_thread){ 1, 1, 0, THREAD_RUNS }, 0);
	wait_machine_add(&p->machine, &(struct new_thread){ 1, 2, 1, THREAD_READY }, 0);
	wait_machine_add(&p->machine, &(struct new_thread){ 1, 3, 1, THREAD_WAITS }, 0);
	wait_machine_switch(&p->machine, true, 0);
	wait_machine_move(&p->machine, &(struct thread_turn){ 1, 2, THREAD_RUNS, 0 }, 50 * MS);
	move(p, THREAD_WAITS, 100);
	wait_machine_move(&p->machine, &(struct thread_turn){ 1, 2, THREAD_WAITS, 0 }, 200 * MS);
	wait_machine_look(&p->machine, 3, &asleep);
	wait_machine_wake(&p->machine, 3, 0, 350 * MS); /* by a timer */
	wait_machine_move(&p->machine, &(struct thread_turn){ 1, 3, THREAD_RUNS, 0 }, 350 * MS);
	wait_machine_wake(&p->machine, 2, 3, 500 * MS);
	wait_machine_move(&p->machine, &(struct thread_turn){ 1, 2, THREAD_RUNS, 0 }, 520 * MS);
	wait_machine_wake(&p->machine, 1, 2, 600 * MS);
	move(p, THREAD_RUNS, 610);
	waits = wait_machine_finish(&p->machine, 700 * MS);
	assert_true(is_near(linked(waits, 2, LINK_RUNS), 180));
	assert_true(is_near(linked(waits, 2, LINK_READY), 20));
	assert_true(is_near(linked(waits, 3, LINK_WAITS), 150));
	assert_true(is_near(linked(waits, 3, LINK_RUNS), 150));
	assert_int_equal(waits->nlinks, 4);
	assert_string_equal(waits->links[1].cause ? waits->links[1].cause : waits->links[2].cause, "nanosleep");
	assert_true(is_near(waits->threads[0].queued_s, 10));
	assert_true(is_near(thread_waited(&waits->threads[0], WAIT_KINDS), 500));
	end(p);
}

/* The one that woke the main thread was started by 2 at 300 ms: what was before that is 2's. */
static void test_born(void **state UNUSED)
{
	struct playing *p = begin();
	struct waits *waits;

	wait_machine_add(&p->machine, &(struct new_thread){ 1, 1, 0, THREAD_RUNS }, 0);
	wait_machine_add(&p->machine, &(struct new_thread){ 1, 2, 1, THREAD_RUNS }, 0);
	wait_machine_switch(&p->machine, true, 0);
	move(p, THREAD_WAITS, 100);
	wait_machine_add(&p->machine, &(struct new_thread){ 1, 3, 2, THREAD_READY }, 300 * MS);
	wait_machine_move(&p->machine, &(struct thread_turn){ 1, 3, THREAD_RUNS, 0 }, 310 * MS);
	wait_machine_wake(&p->machine, 1, 3, 400 * MS);
	move(p, THREAD_RUNS, 400);
	waits = wait_machine_finish(&p->machine, 500 * MS);
	assert_true(is_near(linked(waits, 2, LINK_RUNS), 200));
	assert_true(is_near(linked(waits, 3, LINK_READY), 10));
	assert_true(is_near(linked(waits, 3, LINK_RUNS), 90));
	assert_int_equal(waits->nlinks, 3);
	end(p);
}

/* An exit wakes whoever waits for it without a word; two that wait for each other come to an end. */
static void test_exit(void **state UNUSED)
{
	struct playing *p = begin();
	struct waits *waits;

	p->machine.has_wakes = true;
	wait_machine_add(&p->machine, &(struct new_thread){ 1, 1, 0, THREAD_RUNS }, 0);
	wait_machine_add(&p->machine, &(struct new_thread){ 1, 2, 1, THREAD_RUNS }, 0);
	wait_machine_switch(&p->machine, true, 0);
	move(p, THREAD_WAITS, 100);
	wait_machine_look(&p->machine, 1, &on_lock);
	wait_machine_move(&p->machine, &(struct thread_turn){ 1, 2, THREAD_WAITS, 0 }, 150 * MS);
	wait_machine_wake(&p->machine, 2, 1, 200 * MS);
	wait_machine_move(&p->machine, &(struct thread_turn){ 1, 2, THREAD_RUNS, 0 }, 200 * MS);
	wait_machine_remove(&p->machine, 2, 300 * MS);
	move(p, THREAD_RUNS, 330);
	waits = wait_machine_finish(&p->machine, 400 * MS);
	assert_true(is_near(linked(waits, 2, LINK_RUNS), 150));
	assert_true(linked(waits, 1, LINK_WAITS) > 0); /* what it waited itself, when it is said to have woken 2 */
	assert_true(is_near(waits->threads[0].queued_s, 30));
	end(p);
}

static uint32_t seed = 1;

static uint32_t draw(uint32_t below)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % below;
}

/* Anything in any order, with times that go back: lives are what was measured of them, and nothing is negative. */
static void test_anything(void **state UNUSED)
{
	struct playing *p = begin();
	uint64_t now = 1;
	struct waits *waits;

	p->machine.has_wakes = true;
	for (unsigned i = 0; i < DRAWS; i++) {
		uint32_t tid = 1 + draw(THREADS);
		struct machine_thread *thread = number_table_get(&p->machine.by_tid, tid);

		now += draw(40) * MS / 4;
		switch (draw(12)) {
		case 0:
			wait_machine_add(&p->machine,
					 &(struct new_thread){ 1, tid, draw(9), (enum thread_state)draw(3) }, now);
			break;
		case 1:
			if (!draw(500))
				wait_machine_remove(&p->machine, tid, now);
			break;
		case 2:
			if (!draw(50))
				wait_machine_switch(&p->machine, draw(2), now);
			break;
		case 3: wait_machine_look(&p->machine, tid, draw(2) ? &on_lock : &asleep); break;
		case 4:
			if (thread)
				wait_machine_delay(thread, draw(1000) * MS * i / 100);
			break;
		case 6: wait_machine_wake(&p->machine, tid, draw(THREADS + 1), now); break;
		case 5: wait_machine_rename(&p->machine, tid, "renamed"); break;
		default:
			wait_machine_move(&p->machine,
					  &(struct thread_turn){ 1, tid, (enum thread_state)draw(3), draw(3) },
					  now - draw(30) * MS / 4);
		}
	}
	waits = wait_machine_finish(&p->machine, now);
	assert_true(waits->count >= THREADS && waits->length_s > 0);
	for (size_t i = 0; i < waits->count; i++) {
		const struct waiting_thread *thread = &waits->threads[i];
		double sum = thread->running_s + thread->preempted_s + thread->queued_s;

		assert_true(thread->running_s >= 0 && thread->preempted_s >= 0 && thread->queued_s >= 0);
		for (size_t k = 0; k < thread->ncauses; k++) {
			assert_true(thread->causes[k].time_s >= -1e-9);
			sum += thread->causes[k].time_s;
		}
		assert_true(fabs(sum - thread_life(thread)) < 1e-6);
		assert_true(thread_life(thread) <= waits->length_s + 1e-6);
	}
	end(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds),	  cmocka_unit_test(test_short),	   cmocka_unit_test(test_recorded),
		cmocka_unit_test(test_contended), cmocka_unit_test(test_unknown),  cmocka_unit_test(test_chain),
		cmocka_unit_test(test_exit),	  cmocka_unit_test(test_born),	   cmocka_unit_test(test_queue),
		cmocka_unit_test(test_pause),	  cmocka_unit_test(test_anything),
	};

	return cmocka_run_group_tests_name("wait_machine", tests, NULL, NULL);
}
