/* SPDX-License-Identifier: GPL-2.0-or-later */
/* loop_test.c - the event loop: what is called, in which order, and never too early. */
#include <fcntl.h>
#include <unistd.h>

#include "common/system/loop.h"
#include "rows.h"

#define MANY   300   /* descriptors */
#define TICK_S 0.004 /* by which each look at the test's clock moves it on */

/* What was called, a letter each; time passes as the test wants, however busy the host is. */
struct journal {
	struct arena arena;
	struct loop loop;
	struct loop_clock clock;
	double now_s;
	struct error err;
	char letters[64];
	size_t count;
};

/* A descriptor or an alarm whose callback writes its letter, and does what it is there for. */
struct actor {
	struct journal *journal;
	char letter;
	int pipe[2];
	size_t calls, last_call; /* the loop is stopped at that one; 0: never */
	double called_s;
	struct loop_descriptor descriptor;
	struct loop_alarm alarm;
	struct actor *victim; /* whose descriptor it removes, and whose alarm it cancels */
	struct actor *guest;  /* whose descriptor it adds */
	bool drains, fails;
};

static int act(void *context, struct error *err)
{
	struct actor *actor = context;
	struct journal *journal = actor->journal;
	char byte;

	actor->called_s = journal->now_s;
	if (journal->count < sizeof(journal->letters) - 1)
		journal->letters[journal->count++] = actor->letter;
	if (actor->drains && read(actor->pipe[0], &byte, 1) < 0)
		return error_set(err, "nothing to read");
	if (actor->victim) {
		loop_remove(&journal->loop, &actor->victim->descriptor);
		loop_cancel(&journal->loop, &actor->victim->alarm);
	}
	if (actor->guest) {
		loop_add(&journal->loop, &actor->guest->descriptor);
		actor->guest = NULL;
	}
	if (++actor->calls == actor->last_call)
		loop_stop(&journal->loop);
	return actor->fails ? error_set(err, "actor %c fails", actor->letter) : 0;
}

static double look_at_clock(void *journal)
{
	return ((struct journal *)journal)->now_s += TICK_S;
}

static void journal_init(struct journal *journal)
{
	*journal = (struct journal){ .now_s = 100, .clock = { look_at_clock, journal } };
	arena_init(&journal->arena);
	loop_init(&journal->loop, &journal->arena);
	journal->loop.clock = &journal->clock;
}

static void expect_letters(const struct journal *journal, const char *letters)
{
	assert_string_equal(journal->letters, letters);
}

static void actor_init(struct actor *actor, struct journal *journal, char letter)
{
	*actor = (struct actor){ .journal = journal, .letter = letter };
	assert_int_equal(pipe2(actor->pipe, O_NONBLOCK | O_CLOEXEC), 0);
	actor->descriptor =
		(struct loop_descriptor){ .fd = actor->pipe[0], .events = POLLIN, .call = act, .context = actor };
	actor->alarm = (struct loop_alarm){ .call = act, .context = actor };
}

static void actor_write(const struct actor *actor, const char *text)
{
	assert_int_equal(write(actor->pipe[1], text, strlen(text)), strlen(text));
}

static void actor_release(struct actor *actor)
{
	for (size_t i = 0; i < 2; i++)
		if (actor->pipe[i] >= 0)
			close(actor->pipe[i]);
}

static void close_writer(struct actor *actor)
{
	close(actor->pipe[1]);
	actor->pipe[1] = -1;
}

static void nothing_to_wait_for(void **state UNUSED)
{
	struct journal j;

	journal_init(&j);
	assert_int_equal(loop_run(&j.loop, &j.err), 0);
	arena_release(&j.arena);
}

/* Alarms ring in the order of their times, whatever the order in which they were set; those of one time in that order. */
static void alarms_in_order(void **state UNUSED)
{
	struct journal j;
	struct actor actors[4];
	static const double due_s[] = { 0.03, 0.01, 0.02, 0.02 };
	double now;

	journal_init(&j);
	now = j.now_s;
	for (size_t i = 0; i < COUNT_OF(actors); i++) {
		actor_init(&actors[i], &j, (char)('a' + i));
		loop_set(&j.loop, &actors[i].alarm, now + due_s[i]);
	}
	assert_int_equal(loop_run(&j.loop, &j.err), 0);
	expect_letters(&j, "bcda");
	for (size_t i = 0; i < COUNT_OF(actors); i++) {
		assert_true(actors[i].called_s >= now + due_s[i]);
		assert_true(actors[i].called_s < now + due_s[i] + 4 * TICK_S);
		actor_release(&actors[i]);
	}
	arena_release(&j.arena);
}

static void an_alarm_of_the_past(void **state UNUSED)
{
	struct journal j;
	struct actor past;

	journal_init(&j);
	actor_init(&past, &j, 'p');
	loop_set(&j.loop, &past.alarm, j.now_s - 10);
	assert_int_equal(loop_run(&j.loop, &j.err), 0);
	expect_letters(&j, "p");
	actor_release(&past);
	arena_release(&j.arena);
}

static void the_machines_clock(void **state UNUSED)
{
	double due_s = clock_now() + 0.01;
	struct journal j;
	struct actor actor;

	journal_init(&j);
	j.loop.clock = NULL;
	actor_init(&actor, &j, 'a');
	loop_set(&j.loop, &actor.alarm, due_s);
	assert_int_equal(loop_run(&j.loop, &j.err), 0);
	expect_letters(&j, "a");
	assert_true(clock_now() >= due_s);
	actor_release(&actor);
	arena_release(&j.arena);
}

/* A later time replaces the first one, and a cancelled alarm never rings. */
static void an_alarm_is_moved(void **state UNUSED)
{
	struct journal j;
	struct actor moved, cancelled;
	double now;

	journal_init(&j);
	now = j.now_s;
	actor_init(&moved, &j, 'm');
	actor_init(&cancelled, &j, 'c');
	loop_set(&j.loop, &moved.alarm, now);
	loop_set(&j.loop, &moved.alarm, now + 0.02);
	loop_set(&j.loop, &cancelled.alarm, now);
	loop_cancel(&j.loop, &cancelled.alarm);
	loop_cancel(&j.loop, &cancelled.alarm);
	assert_int_equal(loop_run(&j.loop, &j.err), 0);
	expect_letters(&j, "m");
	assert_true(moved.called_s >= now + 0.02);
	actor_release(&moved);
	actor_release(&cancelled);
	arena_release(&j.arena);
}

/* Due at multiples of the period from its first time on, one call for all that were missed. */
static void periods_without_drift(void **state UNUSED)
{
	struct journal j;
	struct actor periodic;
	double first, period = 0.01, periods;

	journal_init(&j);
	first = j.now_s - 1.0005;
	actor_init(&periodic, &j, 'p');
	periodic.alarm.period_s = period;
	periodic.last_call = 4;
	loop_set(&j.loop, &periodic.alarm, first);
	assert_int_equal(loop_run(&j.loop, &j.err), 0);
	expect_letters(&j, "pppp");
	assert_true(periodic.called_s >= first + 1.0005 + 2 * period); /* after the first one, which was late */
	assert_true(periodic.alarm.is_set && periodic.alarm.due_s > periodic.called_s);
	assert_true(periodic.alarm.due_s <= periodic.called_s + period);
	periods = (periodic.alarm.due_s - first) / period;
	assert_true(fabs(periods - round(periods)) < 1e-3);
	actor_release(&periodic);
	arena_release(&j.arena);
}

/* In the order in which they were added; what is ready comes before what is due. */
static void descriptors_in_order(void **state UNUSED)
{
	struct journal j;
	struct actor actors[3], alarm;

	journal_init(&j);
	for (size_t i = 0; i < COUNT_OF(actors); i++) {
		actor_init(&actors[i], &j, (char)('a' + i));
		actors[i].drains = true;
		loop_add(&j.loop, &actors[i].descriptor);
	}
	actor_init(&alarm, &j, 'z');
	alarm.last_call = 2;
	alarm.alarm.period_s = 0.01;
	loop_set(&j.loop, &alarm.alarm, j.now_s);
	actor_write(&actors[2], "12");
	actor_write(&actors[0], "1");
	assert_int_equal(loop_run(&j.loop, &j.err), 0);
	expect_letters(&j, "aczcz");
	for (size_t i = 0; i < COUNT_OF(actors); i++)
		actor_release(&actors[i]);
	actor_release(&alarm);
	arena_release(&j.arena);
}

/* What the first one removes is not called, although it is ready; what it adds is polled before it is called. */
static void changed_in_a_callback(void **state UNUSED)
{
	struct journal j;
	struct actor first, victim, last, guest;

	journal_init(&j);
	actor_init(&first, &j, 'f');
	actor_init(&victim, &j, 'v');
	actor_init(&last, &j, 'l');
	actor_init(&guest, &j, 'g');
	first.drains = last.drains = true;
	first.victim = &victim;
	first.guest = &guest;
	guest.victim = &guest; /* it removes itself */
	guest.last_call = 1;
	loop_add(&j.loop, &first.descriptor);
	loop_add(&j.loop, &victim.descriptor);
	loop_add(&j.loop, &last.descriptor);
	loop_set(&j.loop, &victim.alarm, j.now_s);
	loop_set(&j.loop, &guest.alarm, j.now_s + 1000);
	actor_write(&first, "1");
	actor_write(&victim, "1");
	actor_write(&last, "1");
	actor_write(&guest, "1");
	assert_int_equal(loop_run(&j.loop, &j.err), 0);
	expect_letters(&j, "flg");
	assert_false(victim.alarm.is_set || guest.alarm.is_set);
	close_writer(&first);
	close_writer(&last);
	assert_int_equal(loop_run(&j.loop, &j.err), 0); /* until both have hung up */
	expect_letters(&j, "flgfl");
	actor_release(&first);
	actor_release(&victim);
	actor_release(&last);
	actor_release(&guest);
	arena_release(&j.arena);
}

/* What is left to read comes first, then one last call, after which the loop has nothing to wait for. */
static void a_writer_that_hangs_up(void **state UNUSED)
{
	struct journal j;
	struct actor actor;

	journal_init(&j);
	actor_init(&actor, &j, 'a');
	actor.drains = true;
	loop_add(&j.loop, &actor.descriptor);
	actor_write(&actor, "12");
	close_writer(&actor);
	assert_int_equal(loop_run(&j.loop, &j.err), 0);
	expect_letters(&j, "aaa");
	assert_true(actor.descriptor.has_hung_up);
	loop_remove(&j.loop, &actor.descriptor); /* does nothing */
	actor_release(&actor);
	arena_release(&j.arena);
}

static void an_error_ends_it(void **state UNUSED)
{
	struct journal j;
	struct actor failing, next;

	journal_init(&j);
	actor_init(&failing, &j, 'f');
	actor_init(&next, &j, 'n');
	failing.fails = true;
	loop_add(&j.loop, &failing.descriptor);
	loop_add(&j.loop, &next.descriptor);
	actor_write(&failing, "1");
	actor_write(&next, "1");
	assert_int_equal(loop_run(&j.loop, &j.err), -1);
	assert_string_equal(j.err.text, "actor f fails");
	expect_letters(&j, "f");
	error_clear(&j.err);
	loop_remove(&j.loop, &failing.descriptor);
	loop_remove(&j.loop, &next.descriptor);
	loop_set(&j.loop, &failing.alarm, j.now_s);
	assert_int_equal(loop_run(&j.loop, &j.err), -1);
	assert_string_equal(j.err.text, "actor f fails");
	expect_letters(&j, "ff");
	actor_release(&failing);
	actor_release(&next);
	arena_release(&j.arena);
}

/* Stopping ends the round, and what was ready is still there for the next run. */
static void stopped_and_run_again(void **state UNUSED)
{
	struct journal j;
	struct actor actors[2];

	journal_init(&j);
	for (size_t i = 0; i < COUNT_OF(actors); i++) {
		actor_init(&actors[i], &j, (char)('a' + i));
		actors[i].drains = true;
		actors[i].last_call = 1;
		loop_add(&j.loop, &actors[i].descriptor);
		actor_write(&actors[i], "1");
	}
	assert_int_equal(loop_run(&j.loop, &j.err), 0);
	expect_letters(&j, "a");
	assert_int_equal(loop_run(&j.loop, &j.err), 0);
	expect_letters(&j, "ab");
	for (size_t i = 0; i < COUNT_OF(actors); i++)
		actor_release(&actors[i]);
	arena_release(&j.arena);
}

/* All are called once and removed when their writers are gone, in the order in which they came. */
static void many_descriptors(void **state UNUSED)
{
	static struct actor actors[MANY];
	struct journal j;

	journal_init(&j);
	for (size_t i = 0; i < MANY; i++) {
		actor_init(&actors[i], &j, (char)('a' + i % 26));
		loop_add(&j.loop, &actors[i].descriptor);
		close_writer(&actors[i]);
	}
	assert_int_equal(loop_run(&j.loop, &j.err), 0);
	assert_memory_equal(j.letters, "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz", 52);
	for (size_t i = 0; i < MANY; i++) {
		assert_int_equal(actors[i].calls, 1);
		actor_release(&actors[i]);
	}
	arena_release(&j.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_to_wait_for),	 cmocka_unit_test(alarms_in_order),
		cmocka_unit_test(an_alarm_of_the_past),	 cmocka_unit_test(an_alarm_is_moved),
		cmocka_unit_test(periods_without_drift), cmocka_unit_test(descriptors_in_order),
		cmocka_unit_test(changed_in_a_callback), cmocka_unit_test(a_writer_that_hangs_up),
		cmocka_unit_test(an_error_ends_it),	 cmocka_unit_test(stopped_and_run_again),
		cmocka_unit_test(many_descriptors),	 cmocka_unit_test(the_machines_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
