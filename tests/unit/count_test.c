/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Groups: what is opened, counted, read and refused; on the kernel's software events. */
#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/mman.h>
#include <unistd.h>

#include "collect/perf/abilities.h"
#include "collect/perf/perf_group.h"
#include "common/measurement/scope.h"
#include "count_fixture.h"
#include "rows.h"

/* Three subshells, each with page faults of its own, and some time. */
#define WORK "for i in 1 2 3; do (j=0; while [ $j -lt 3000 ]; do j=$((j+1)); done); done"

static const struct test_plan one_run = { { { 0, { MINOR_FAULTS, PAGE_FAULTS, DURATION }, 3 },
					    { 0, { TASK_CLOCK, TSC }, 2 } } };
static const struct test_plan two_runs = { { { 0, { TASK_CLOCK, PAGE_FAULTS }, 2 },
					     { 1, { MINOR_FAULTS, MAJOR_FAULTS }, 2 } } };

static size_t count_descriptors(void)
{
	DIR *directory = opendir("/proc/self/fd");
	size_t count = 0;

	while (readdir(directory))
		count++;
	closedir(directory);
	return count;
}

static void each_item_ran(const struct fixture *fixture)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < fixture->counts.repeats[0].count; i++) {
		const struct count *item = &fixture->counts.repeats[0].items[i];

		row_expect(&rows, item->event, item->state == COUNT_OK, "not counted");
		row_expect(&rows, item->event, item->enabled_ns > 0, "never enabled");
		row_expect(&rows, item->event, item->enabled_ns == item->running_ns, "software events need no turns");
		row_expect(&rows, item->event, !item->reason, "a reason without a refusal");
	}
	rows_end(&rows);
}

static long minor_faults_of_children(void)
{
	struct rusage usage;

	getrusage(RUSAGE_CHILDREN, &usage);
	return usage.ru_minflt;
}

/* Minor faults that rusage knows and the event does not: those of the child between fork and exec. */
static double uncounted_faults(struct fixture *fixture, const char *script)
{
	long before = minor_faults_of_children();

	assert_int_equal(fixture_shell(fixture, script), 0);
	return (double)(minor_faults_of_children() - before) - fixture_value(fixture, MINOR_FAULTS);
}

/*
 * Both are incremented by the same kernel function, so they differ only by what happens before exec, which is the same
 * for each program up to a few pages (16: what the copied stacks and heaps may vary by).
 */
static void faults_are_those_of_rusage(void **state)
{
	struct fixture fixture;
	double least, most;

	(void)state;
	if (is_scope_user_only())
		skip(); /* rusage counts the kernel's faults too */
	fixture_init(&fixture, &one_run);
	least = uncounted_faults(&fixture, ":");
	most = uncounted_faults(&fixture, WORK);
	assert_true(least >= 0);
	assert_true(fabs(most - least) <= 16);
	assert_true(fixture_value(&fixture, PAGE_FAULTS) >= fixture_value(&fixture, MINOR_FAULTS));
	fixture_release(&fixture);
}

static void forked_children_are_counted(void **state)
{
	struct fixture fixture;
	double alone;

	(void)state;
	fixture_init(&fixture, &one_run);
	assert_int_equal(fixture_shell(&fixture, "(:)"), 0);
	alone = fixture_value(&fixture, PAGE_FAULTS);
	assert_int_equal(fixture_shell(&fixture, "(:); (:); (:); (:); (:); (:); (:); (:); (:); (:); (:)"), 0);
	each_item_ran(&fixture);
	/* Ten more forks: each copies at least its stack, its data and the C library's data. */
	assert_true(fixture_value(&fixture, PAGE_FAULTS) >= alone + 30);
	fixture_release(&fixture);
}

static void two_groups_in_one_run(void **state)
{
	struct fixture fixture;
	const struct count_run *run;

	(void)state;
	fixture_init(&fixture, &one_run);
	assert_int_equal(fixture_shell(&fixture, WORK "; exit 7"), 0);
	run = fixture.counts.repeats[0].runs;
	each_item_ran(&fixture);
	assert_int_equal(fixture.counts.repeats[0].count, 5);
	assert_int_equal(fixture.counts.repeats[0].ngroups, 2);
	assert_int_equal(fixture.counts.repeats[0].nruns, 1);
	assert_int_equal(fixture.counts.repeats[0].items[4].group, 1);
	assert_int_equal(run->status, 7);
	assert_true(run->wall_s > 0 && run->cpu_s > 0);
	assert_true(fixture_value(&fixture, DURATION) == run->wall_s);
	assert_true(fixture_value(&fixture, TSC) == run->wall_s * TEST_TSC_HZ);
	/* task-clock starts with exec and ends with the last child, as rusage nearly does; ticks round rusage. */
	assert_true(fabs(fixture_value(&fixture, TASK_CLOCK) * 1e-9 - run->cpu_s) <= 0.25 * run->cpu_s + 0.02);
	fixture_release(&fixture);
}

/* Of a topdown with much memory exec takes long: that is not the program's, and nothing is counted in it. */
static void time_before_exec(void **state UNUSED)
{
	static const struct test_plan clock_only = { { { 0, { TASK_CLOCK }, 1 } } };
	size_t size = (size_t)128 << 20;
	struct fixture fixture;
	double counted;
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(memory != MAP_FAILED);
	madvise(memory, size, MADV_NOHUGEPAGE);
	memset(memory, 1, size);
	fixture_init(&fixture, &clock_only);
	assert_int_equal(fixture_shell(&fixture, ":"), 0);
	counted = fixture_value(&fixture, TASK_CLOCK) * 1e-9;
	assert_true(counted > 0);
	assert_true(fixture.counts.repeats[0].runs[0].cpu_s <= 1.05 * counted);
	fixture_release(&fixture);
	munmap(memory, size);
}

static void one_group_in_each_of_two_runs(void **state)
{
	struct fixture fixture;

	(void)state;
	fixture_init(&fixture, &two_runs);
	assert_int_equal(fixture_shell(&fixture, WORK), 0);
	each_item_ran(&fixture);
	assert_int_equal(fixture.counts.repeats[0].count, 4);
	assert_int_equal(fixture.counts.repeats[0].ngroups, 2);
	assert_int_equal(fixture.counts.repeats[0].nruns, 2);
	assert_int_equal(fixture.counts.repeats[0].items[2].run, 1);
	assert_int_equal(fixture.counts.repeats[0].items[2].group, 1);
	assert_true(fixture.counts.repeats[0].runs[1].wall_s > 0);
	/* The same program twice: its page faults differ by address randomisation only. */
	assert_true(fixture_value(&fixture, MINOR_FAULTS) > 0.5 * fixture_value(&fixture, PAGE_FAULTS));
	assert_string_equal(fixture.counts.origin.scope, scope_name(is_scope_user_only() ? SCOPE_USER : SCOPE_ALL));
	fixture_release(&fixture);
}

static void a_refused_event_leaves_the_others(void **state)
{
	static const struct test_plan shapes[] = {
		/* clang-format off */
		{ { { 0, { TASK_CLOCK, UNKNOWN, PAGE_FAULTS }, 3 } } },
		{ { { 0, { UNKNOWN, TASK_CLOCK, PAGE_FAULTS }, 3 } } },
		{ { { 0, { UNKNOWN }, 1 }, { 0, { TASK_CLOCK, PAGE_FAULTS }, 2 } } },
		/* clang-format on */
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(shapes); i++) {
		struct fixture fixture;

		fixture_init(&fixture, &shapes[i]);
		assert_int_equal(fixture_shell(&fixture, ":"), 0);
		assert_int_equal(fixture_item(&fixture, UNKNOWN)->state, COUNT_REFUSED);
		assert_true(isnan(fixture_value(&fixture, UNKNOWN)));
		assert_non_null(strstr(fixture_item(&fixture, UNKNOWN)->reason, "unknown"));
		assert_true(fixture_value(&fixture, PAGE_FAULTS) > 0);
		assert_true(fixture_value(&fixture, TASK_CLOCK) > 0);
		fixture_release(&fixture);
	}
}

static void nothing_to_count_does_not_start_the_program(void **state)
{
	static const struct test_plan shape = { { { 0, { UNKNOWN, DURATION }, 2 }, { 1, { TASK_CLOCK }, 1 } } };
	char marker[] = "/tmp/topdown-marker-XXXXXX";
	struct fixture fixture;
	int fd = mkstemp(marker);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	fixture_init(&fixture, &shape);
	assert_int_equal(fixture_shell(&fixture, arena_printf(&fixture.arena, "rm %s", marker)), -1);
	assert_non_null(strstr(fixture.err.text, "unknown"));
	assert_int_equal(fixture.err.status, 0);
	assert_int_equal(unlink(marker), 0);
	fixture_release(&fixture);
}

static void clocks_need_no_kernel_event(void **state)
{
	static const struct test_plan shape = { { { 0, { DURATION, TSC }, 2 } } };
	struct fixture fixture;

	(void)state;
	fixture_init(&fixture, &shape);
	fixture.machine.tick_hz = NAN;
	assert_int_equal(fixture_shell(&fixture, ":"), 0);
	assert_true(fixture_value(&fixture, DURATION) > 0);
	assert_int_equal(fixture_item(&fixture, TSC)->state, COUNT_REFUSED);
	assert_non_null(fixture_item(&fixture, TSC)->reason);
	fixture_release(&fixture);
}

/* A program that ran has retired something, and an event that counts emulated instructions counts none. */
static void zero_is_withheld_of_what_cant_be_0(void **state)
{
	static const struct test_plan shape = { { { 0, { TASK_CLOCK, MAJOR_FAULTS, PAGE_FAULTS }, 3 } } };
	static const struct row {
		const char *name, *title;
		unsigned level;
		size_t events[3], nevents;
		enum count_state state;
	} table[] = {
		{ "it alone", "Retiring", 1, { MAJOR_FAULTS }, 1, COUNT_WITHHELD },
		{ "and one with a role", "Retiring", 1, { TASK_CLOCK, MAJOR_FAULTS }, 2, COUNT_WITHHELD },
		{ "and another", "Retiring", 1, { PAGE_FAULTS, MAJOR_FAULTS }, 2, COUNT_OK },
		{ "another node", "Bad_Speculation", 1, { MAJOR_FAULTS }, 1, COUNT_OK },
		{ "another level", "Retiring", 2, { MAJOR_FAULTS }, 1, COUNT_OK },
		{ "not in it", "Retiring", 1, { TASK_CLOCK }, 1, COUNT_OK },
	};
	struct rows rows = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(table); i++) {
		struct metric metric = { .title = table[i].title,
					 .level = table[i].level,
					 .events = (size_t *)table[i].events,
					 .nevents = table[i].nevents };
		struct fixture fixture;

		fixture_init(&fixture, &shape);
		fixture.terms[MAJOR_FAULTS].value = PERF_COUNT_SW_EMULATION_FAULTS;
		fixture.model.metrics = &metric;
		fixture.model.nnodes = 1;
		assert_int_equal(fixture_shell(&fixture, WORK), 0);
		row_expect_number(&rows, table[i].name, fixture_item(&fixture, MAJOR_FAULTS)->state, table[i].state);
		row_expect_number(&rows, table[i].name, fixture_item(&fixture, PAGE_FAULTS)->state, COUNT_OK);
		fixture_release(&fixture);
	}
	rows_end(&rows);
}

static void an_assumed_pmu_is_refused(void **state)
{
	struct fixture fixture;

	(void)state;
	fixture_init(&fixture, &one_run);
	fixture.pmu.is_real = false;
	fixture.machine.npmus = 0;
	fixture.machine.hypervisor = "KVM";
	assert_int_equal(fixture_shell(&fixture, ":"), -1);
	assert_non_null(strstr(fixture.err.text, "virtual PMU"));
	fixture_release(&fixture);
}

static void no_descriptor_stays_open(void **state)
{
	size_t before = count_descriptors();
	struct fixture fixture;

	(void)state;
	fixture_init(&fixture, &two_runs);
	assert_int_equal(fixture_shell(&fixture, ":"), 0);
	assert_int_equal(count_descriptors(), before);
	fixture.pmu.type = 9999;
	assert_int_equal(fixture_shell(&fixture, ":"), -1);
	assert_int_equal(count_descriptors(), before);
	fixture_release(&fixture);
}

/* The limit below which so many descriptors are free. */
static rlim_t limit_with_free(unsigned wanted)
{
	int fd = 0;

	for (; wanted; fd++)
		wanted -= fcntl(fd, F_GETFD) < 0;
	return (rlim_t)fd;
}

static void descriptor_limit_is_raised_for_topdown_only(void **state)
{
	struct rlimit old, low, after;
	struct fixture fixture;

	(void)state;
	fixture_init(&fixture, &one_run);
	getrlimit(RLIMIT_NOFILE, &old);
	low = (struct rlimit){ .rlim_cur = limit_with_free(5),
			       .rlim_max = old.rlim_max }; /* the pipes of the child, signals */
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
	assert_int_equal(fixture_shell(&fixture, arena_printf(&fixture.arena, "test $(ulimit -Sn) = %lu",
							      (unsigned long)low.rlim_cur)),
			 0);
	getrlimit(RLIMIT_NOFILE, &after);
	setrlimit(RLIMIT_NOFILE, &old);
	assert_int_equal(after.rlim_cur, low.rlim_cur);
	each_item_ran(&fixture);
	assert_int_equal(fixture.counts.repeats[0].runs[0].status, 0);
	assert_int_equal(fixture.counts.repeats[0].nremarks, 1);
	assert_string_equal(
		fixture.counts.repeats[0].remarks[0],
		arena_printf(&fixture.arena,
			     "Each event at each place takes a descriptor: topdown raised its own limit of open "
			     "files from %lu to %lu.",
			     (unsigned long)low.rlim_cur, (unsigned long)old.rlim_max));
	fixture_release(&fixture);
}

/* The second of two events, read from a pipe that holds what the kernel would answer; the first one did not open. */
static struct count read_from(const uint64_t *answer, size_t size, bool is_read_singly)
{
	struct plan_group plan = { .count = 2 };
	struct count items[2] = {
		/* clang-format off */
		{ .value = (double)NAN },
		{ .value = (double)NAN },
		/* clang-format on */
	};
	uint64_t ids[2] = { 0, 6 };
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], answer, size), size);
	close(ends[1]);
	int fds[2] = { -1, ends[0] };
	uint64_t words[16];
	struct perf_group group = {
		.plan = &plan,
		.words = words,
		.items = items,
		.fds = fds,
		.ids = ids,
		.leader = ends[0],
		.is_read_singly = is_read_singly,
	};
	perf_group_read(&group);
	perf_group_close(&group);
	return items[1];
}

static void reading_rows(void **state)
{
	static const struct row {
		const char *name;
		uint64_t enabled, running;
		enum count_state expected;
		double value; /* of 300 */
	} table[] = {
		/* clang-format off */
		{ "all the time",        1000, 1000, COUNT_OK,        300 },
		{ "a third of the time", 900,  300,  COUNT_OK,        900 },
		{ "never on a counter",  1000, 0,    COUNT_NEVER_RAN, NAN },
		{ "never enabled",       0,    0,    COUNT_NEVER_RAN, NAN },
		/* clang-format on */
	};
	struct rows rows = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(table); i++) {
		const struct row *row = &table[i];
		const uint64_t together[] = { 2, row->enabled, row->running, 1, 5, 300, 6 };
		const uint64_t singly[] = { 300, row->enabled, row->running, 6 };
		const struct count found[] = {
			read_from(together, sizeof(together), false),
			read_from(singly, sizeof(singly), true),
		};

		for (size_t k = 0; k < COUNT_OF(found); k++) {
			row_expect(&rows, row->name, found[k].state == row->expected, "state");
			row_expect(&rows, row->name, found[k].raw == 300, "raw");
			row_expect_number(&rows, row->name, found[k].value, row->value);
		}
	}
	rows_end(&rows);
}

/* End of file is what a group in error state answers. */
static void an_empty_answer_never_ran(void **state)
{
	(void)state;
	assert_int_equal(read_from(NULL, 0, false).state, COUNT_NEVER_RAN);
	assert_int_equal(read_from(NULL, 0, true).state, COUNT_NEVER_RAN);
}

static void probing_counters(void **state)
{
	static const struct test_plan none = { { { 0, { 0 }, 0 } } };
	const struct event_row known = { .name = "task-clock", .code = PERF_COUNT_SW_TASK_CLOCK };
	const struct event_row unknown = { .name = "unknown", .code = 999 };
	const struct event_row named = { .name = "task-clock", .code = PERF_COUNT_SW_TASK_CLOCK, .counters = 0xf };
	const struct event_row more = {
		.name = "task-clock", .code = PERF_COUNT_SW_TASK_CLOCK, .counters = 0xf, .counters_smt_off = 0xff
	};
	size_t before = count_descriptors();
	struct fixture fixture;

	(void)state;
	fixture_init(&fixture, &none);
	/* Software events have no counters to run out of: all that are tried fit. */
	assert_int_equal(abilities_probe_counters(&fixture.pmu, &known, &fixture.machine, &fixture.err), 32);
	/* Where the database names counters: as many as there can be. */
	assert_int_equal(abilities_probe_counters(&fixture.pmu, &named, &fixture.machine, &fixture.err), 4);
	assert_int_equal(abilities_probe_counters(&fixture.pmu, &more, &fixture.machine, &fixture.err), 8);
	assert_false(is_error(&fixture.err));
	assert_int_equal(abilities_probe_counters(&fixture.pmu, &unknown, &fixture.machine, &fixture.err), 0);
	assert_non_null(strstr(fixture.err.text, "unknown"));
	error_clear(&fixture.err);
	fixture.machine.npmus = 0;
	assert_int_equal(abilities_probe_counters(NULL, &known, &fixture.machine, &fixture.err), 0);
	assert_non_null(strstr(fixture.err.text, "no CPU counters"));
	assert_int_equal(count_descriptors(), before);
	fixture_release(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(faults_are_those_of_rusage),
		cmocka_unit_test(forked_children_are_counted),
		cmocka_unit_test(two_groups_in_one_run),
		cmocka_unit_test(time_before_exec),
		cmocka_unit_test(one_group_in_each_of_two_runs),
		cmocka_unit_test(a_refused_event_leaves_the_others),
		cmocka_unit_test(nothing_to_count_does_not_start_the_program),
		cmocka_unit_test(clocks_need_no_kernel_event),
		cmocka_unit_test(zero_is_withheld_of_what_cant_be_0),
		cmocka_unit_test(an_assumed_pmu_is_refused),
		cmocka_unit_test(no_descriptor_stays_open),
		cmocka_unit_test(descriptor_limit_is_raised_for_topdown_only),
		cmocka_unit_test(reading_rows),
		cmocka_unit_test(an_empty_answer_never_ran),
		cmocka_unit_test(probing_counters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
