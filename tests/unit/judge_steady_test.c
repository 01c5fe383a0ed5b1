/* SPDX-License-Identifier: GPL-2.0-or-later */
/* judge_steady_test.c - what each figure of steadiness means: chosen ones on either side of the bounds, and none. */
#include "rows.h"

#include <math.h>

#include "analyse/diagnose/diagnosis.h"

#define SPREAD(middle, share)                                                                                          \
	{                                                                                                              \
		.median = (middle), .low = (middle) * (1 - (share) / 2), .high = (middle) * (1 + (share) / 2),         \
		.count = 1000                                                                                          \
	}
#define NOT_TIMED                                                                                                      \
	{                                                                                                              \
		.median = NOT_COUNTED, .low = NOT_COUNTED, .high = NOT_COUNTED                                         \
	}

static const struct machine machine = { .cpuid = "X", .online_cpus = 4 };
static const struct surroundings around = { .is_live = true };

static const struct steadiness calm = { .kernel_s = SPREAD(0.0003, 0.009),
					.kernel_cycles = SPREAD(1e6, 0.009),
					.clock_hz = SPREAD(3e9, 0.019),
					.cache_s = SPREAD(12e-9, 0.09),
					.memory_s = SPREAD(0.0002, 0.09),
					.on_cpu = 0.995,
					.running = 0.1,
					.stolen = 0.001,
					.interrupts = 4 * 4900,
					.quota = INFINITY };
static const struct steadiness busy = { .kernel_s = SPREAD(0.0003, 0.011),
					.kernel_cycles = SPREAD(1e6, 0.011),
					.clock_hz = SPREAD(3e9, 0.021),
					.cache_s = SPREAD(12e-9, 0.11),
					.memory_s = SPREAD(0.0002, 0.11),
					.on_cpu = 0.5,
					.preemptions = 40,
					.running = 3,
					.stolen = 0.03,
					.interrupts = 4 * 5100,
					.quota = 1.5,
					.throttled = 7 };
static const struct steadiness unknown = { .kernel_s = NOT_TIMED,
					   .kernel_cycles = NOT_TIMED,
					   .clock_hz = NOT_TIMED,
					   .cache_s = NOT_TIMED,
					   .memory_s = NOT_TIMED,
					   .running = NOT_COUNTED,
					   .on_cpu = 1,
					   .stolen = NOT_COUNTED,
					   .interrupts = NOT_COUNTED,
					   .quota = NOT_COUNTED };
static const struct steadiness idle_but_late = { .on_cpu = 0.98, .running = 0 };
static const struct steadiness crowded = { .on_cpu = 1, .running = 0.6 };

static const struct row {
	const char *name;
	const struct steadiness *steadiness; /* NULL: another machine */
	const char *check;
	enum finding_state state;
	const char *found, *change; /* change NULL: there is nothing to change */
} table[] = {
	/* clang-format off */
	{ "same time",            &calm,    "steady_time",   FINDING_OK,      "0.90 %",       NULL },
	{ "other times",          &busy,    "steady_time",   FINDING_LIMITS,  "1.10 %",       "--steady" },
	{ "same cycles",          &calm,    "steady_cycles", FINDING_OK,      "1e+06 cycles", NULL },
	{ "other cycles",         &busy,    "steady_cycles", FINDING_LIMITS,  "1.10 %",       "--steady" },
	{ "no cycles",            &unknown, "steady_cycles", FINDING_UNKNOWN, "not measured", NULL },
	{ "one clock",            &calm,    "steady_clock",  FINDING_OK,      "3.00 GHz",     NULL },
	{ "several clocks",       &busy,    "steady_clock",  FINDING_LIMITS,  "2.10 %",       "governor,turbo" },
	{ "no clock",             &unknown, "steady_clock",  FINDING_UNKNOWN, "not measured", NULL },
	{ "no neighbours",        &calm,    "steady_cache",  FINDING_OK,      "12.0 ns",      NULL },
	{ "neighbours in L3",     &busy,    "steady_cache",  FINDING_LIMITS,  "11 %",         "taskset" },
	{ "memory alone",         &calm,    "steady_memory", FINDING_OK,      "21.0 GB/s",    NULL },
	{ "neighbours in memory", &busy,    "steady_memory", FINDING_LIMITS,  "11 %",         "metal" },
	{ "nobody else",          &calm,    "run_queue",     FINDING_OK,      "0.1 other runnable", NULL },
	{ "others",               &busy,    "run_queue",     FINDING_LIMITS,  "40 times",     "ps -eo" },
	{ "late",        &idle_but_late,    "run_queue",     FINDING_LIMITS,  "98 %",         "ps -eo" },
	{ "crowded",           &crowded,    "run_queue",     FINDING_LIMITS,  "0.6 other runnable", "ps -eo" },
	{ "nothing stolen",       &calm,    "steal",         FINDING_OK,      "0.10 %",       NULL },
	{ "stolen",               &busy,    "steal",         FINDING_LIMITS,  "3.00 %",       "dedicated" },
	{ "steal unknown",        &unknown, "steal",         FINDING_UNKNOWN, "unknown",      NULL },
	{ "few interrupts",       &calm,    "interrupts",    FINDING_OK,      "4900 per second", NULL },
	{ "many interrupts",      &busy,    "interrupts",    FINDING_LIMITS,  "5100 per second", "smp_affinity" },
	{ "no quota",             &calm,    "cpu_quota",     FINDING_OK,      "none",         NULL },
	{ "a quota",              &busy,    "cpu_quota",     FINDING_LIMITS,  "wait 7 times", "CPUQuota" },
	{ "quota unknown",        &unknown, "cpu_quota",     FINDING_UNKNOWN, "unknown",      NULL },
	{ "another machine",      NULL,     "steady_time",   FINDING_UNKNOWN, "not this machine", NULL },
	/* clang-format on */
};

static void judge(struct diagnosis *diagnosis, const struct steadiness *steadiness, struct arena *arena)
{
	const struct examination examination = {
		.machine = &machine, .around = &around, .level = 1, .wants_steadiness = true, .steadiness = steadiness
	};

	diagnose(diagnosis, &examination, arena);
}

static const struct finding *find(const struct diagnosis *diagnosis, const char *key)
{
	for (size_t i = 0; i < diagnosis->count; i++)
		if (!strcmp(diagnosis->findings[i].key, key))
			return &diagnosis->findings[i];
	fail_msg("no check %s", key);
	return NULL;
}

static void findings(void **state)
{
	struct rows rows = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(table); i++) {
		const struct row *row = &table[i];
		const struct finding *found;
		struct diagnosis diagnosis;
		struct arena arena;

		arena_init(&arena);
		judge(&diagnosis, row->steadiness, &arena);
		found = find(&diagnosis, row->check);
		row_expect(&rows, row->name, found->state == row->state, finding_state_name(found->state));
		row_expect(&rows, row->name, strstr(found->found, row->found), found->found);
		row_expect(&rows, row->name,
			   row->change ? found->remedy && strstr(found->remedy, row->change) : !found->remedy,
			   found->remedy ? found->remedy : "(none)");
		arena_release(&arena);
	}
	rows_end(&rows);
}

static bool is_steady(const struct steadiness *steadiness)
{
	struct diagnosis diagnosis;
	struct arena arena;

	arena_init(&arena);
	judge(&diagnosis, steadiness, &arena);
	arena_release(&arena);
	return diagnosis.is_steady;
}

/* One thing that is not steady is enough; what is unknown says nothing against it. */
static void steady_as_a_whole(void **state)
{
	struct steadiness one = calm;

	(void)state;
	assert_true(is_steady(&calm));
	assert_false(is_steady(&busy));
	assert_false(is_steady(NULL));
	one.quota = 2;
	assert_false(is_steady(&one));
	one.quota = NOT_COUNTED;
	assert_true(is_steady(&one));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(findings), cmocka_unit_test(steady_as_a_whole) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
