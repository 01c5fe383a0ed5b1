/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind_test.c - stacks of this very process, interrupted at random moments: the unwinder, which has a copy of the
 * registers and of the stack, beside the compiler's own unwinder, which walks the real ones.
 */
#include "rows.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#include "program/unwind/unwind.h"
#include "unwind_fixture.h"
#include "unwind_work.h"

/* Every interruption is compared, at most so many; the stack's copy reaches its end. */
enum { LEAST_MOMENTS = 20, MOST_MOMENTS = 300, MOST_FRAMES = 1200, STACK_BYTES = 256 * 1024 };

struct moment {
	uint64_t registers[33];
	size_t size; /* of the stack's copy */
	unsigned char *stack;
	uint64_t expected[MOST_FRAMES];
	size_t nexpected;
	bool is_reached; /* the interrupted place: what is below it is the handler's */
};

static struct {
	struct moment *moments;
	volatile sig_atomic_t count;
	const unsigned char *end; /* of this thread's stack */
} taken;

static _Unwind_Reason_Code note(struct _Unwind_Context *context, void *where)
{
	struct moment *moment = where;
	int is_before = 0;
	const uint64_t address = _Unwind_GetIPInfo(context, &is_before);

	/* A handler did not return to it, so what was added for its caller is the begin of the kernel's trampoline. */
	if (is_before && moment->nexpected > 1)
		moment->expected[moment->nexpected - 1] += 1;
	moment->is_reached |= is_before && address == fixture_pc(moment->registers);
	if (moment->is_reached && address && moment->nexpected < MOST_FRAMES)
		moment->expected[moment->nexpected++] = address - (is_before ? 0 : 1);
	return _URC_NO_REASON;
}

/* memcpy would be checked, and the stack lies between variables too. */
static __attribute__((no_sanitize("address"))) void copy(volatile unsigned char *to, const unsigned char *from,
							 size_t size)
{
	for (size_t i = 0; i < size / 8; i++)
		((volatile uint64_t *)to)[i] = ((const uint64_t *)from)[i];
}

static void on_timer(int number UNUSED, siginfo_t *info UNUSED, void *context)
{
	struct moment *moment;
	const unsigned char *stack;

	if (taken.count == MOST_MOMENTS)
		return;
	moment = &taken.moments[taken.count];
	stack = fixture_registers(context, moment->registers);
	moment->size = (size_t)(taken.end - stack);
	if (moment->size > STACK_BYTES)
		moment->size = STACK_BYTES;
	copy(moment->stack, stack, moment->size);
	_Unwind_Backtrace(note, moment);
	taken.count = taken.count + 1;
}

static void prepare(void)
{
	taken.moments = calloc(MOST_MOMENTS, sizeof(*taken.moments));
	assert_non_null(taken.moments);
	for (size_t i = 0; i < MOST_MOMENTS; i++)
		taken.moments[i].stack = malloc(STACK_BYTES);
	taken.count = 0;
	taken.end = fixture_stack_end();
}

static void forget(void)
{
	for (size_t i = 0; i < MOST_MOMENTS; i++)
		free(taken.moments[i].stack);
	free(taken.moments);
}

/* Runs work with a timer that interrupts it at moments that nobody chose. */
static void interrupt(void (*work)(void), double seconds)
{
	const struct itimerval often = { { 0, 311 }, { 0, 311 } }, never = { { 0, 0 }, { 0, 0 } };
	struct sigaction action = { .sa_sigaction = on_timer, .sa_flags = SA_SIGINFO | SA_RESTART };
	const double end = (double)clock() / CLOCKS_PER_SEC + seconds;

	prepare();
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	while (taken.count < MOST_MOMENTS && (taken.count <= LEAST_MOMENTS || (double)clock() / CLOCKS_PER_SEC < end))
		work();
	setitimer(ITIMER_REAL, &never, NULL);
}

/* Equal stacks. */
static size_t compare(struct rows *rows, const char *name, struct unwinder *unwinder)
{
	size_t nsame = 0;

	for (int i = 0; i < taken.count; i++) {
		const struct moment *moment = &taken.moments[i];
		uint64_t found[MOST_FRAMES], packed[33];
		struct unwind_sample sample = { .pid = (uint32_t)getpid(),
						.stack = moment->stack,
						.size = moment->size };
		bool is_truncated = true, is_same;
		size_t n;

		fixture_pack(moment->registers, &sample, packed);
		n = unwinder_walk(unwinder, &sample, found, MOST_FRAMES, &is_truncated);
		is_same = n >= moment->nexpected && (n == moment->nexpected || FIXTURE_IS_STUBLESS) && !is_truncated &&
			  !memcmp(found, moment->expected, moment->nexpected * sizeof(*found));
		nsame += is_same;
		if (is_same || rows->failed > 3)
			continue;
		print_error("%s: moment %d: %zu frames%s, expected %zu\n", name, i, n,
			    is_truncated ? " (truncated)" : "", moment->nexpected);
		for (size_t k = 0; k < n || k < moment->nexpected; k++)
			print_error("  %#18lx %#18lx %s\n", k < n ? found[k] : 0,
				    k < moment->nexpected ? moment->expected[k] : 0,
				    fixture_name(k < n ? found[k] : moment->expected[k]));
		rows->failed++;
	}
	return nsame;
}

static void check(struct rows *rows, const struct unwind_work *work)
{
	struct unwinder *unwinder = unwinder_new("");
	size_t nsame;

	assert_non_null(unwinder);
	fixture_map(unwinder, (uint32_t)getpid());
	nsame = compare(rows, work->name, unwinder);
	print_message("%-12s %d moments, %zu the same\n", work->name, (int)taken.count, nsame);
	row_expect(rows, work->name, taken.count > LEAST_MOMENTS, "too few moments");
	row_expect(rows, work->name, nsame == (size_t)taken.count, "stacks differ");
	unwinder_free(unwinder);
	forget();
}

static void test_moments(void **state UNUSED)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < unwind_nworks; i++) {
		interrupt(unwind_works[i].work, 0.25);
		check(&rows, &unwind_works[i]);
	}
	rows_end(&rows);
}

static void *run_thread(void *work)
{
	sigset_t alarm;

	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	pthread_sigmask(SIG_UNBLOCK, &alarm, NULL);
	interrupt(((const struct unwind_work *)work)->work, 0.25);
	return NULL;
}

/* A thread's stack begins elsewhere, at a function that nobody called. */
static void test_thread(void **state UNUSED)
{
	struct unwind_work work = { "thread", unwind_works[0].work };
	struct rows rows = { 0 };
	pthread_t thread;
	sigset_t alarm;

	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &alarm, NULL);
	assert_int_equal(pthread_create(&thread, NULL, run_thread, &work), 0);
	pthread_join(thread, NULL);
	check(&rows, &work);
	rows_end(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_moments), cmocka_unit_test(test_thread) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
