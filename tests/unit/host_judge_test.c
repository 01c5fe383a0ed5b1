/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host_judge_test.c - topdown first: made-up snapshots on either side of each bound, and what they come to. */
#include "analyse/host/host_findings.h"
#include "common/base/macros.h"
#include "rows.h"

#define SECONDS 10

/* Two snapshots in which nothing happens, of four CPUs half at work. */
struct made {
	struct arena arena;
	struct host_snapshot before, after;
	struct host_watch watch;
	struct host_findings findings;
};

static void made_init(struct made *made)
{
	*made = (struct made){ .after = { .at_s = SECONDS, .ncpus = 4 }, .watch = { .looks = 10, .scans = 4 } };
	arena_init(&made->arena);
	made->before.ncpus = 4;
	made->before.cpus = arena_array(&made->arena, 4, sizeof(*made->before.cpus));
	made->after.cpus = arena_array(&made->arena, 4, sizeof(*made->after.cpus));
	made->after.all = (struct cpu_spent){ .user_s = 20, .idle_s = 20, .all_s = 40, .busy_s = 20 };
	for (unsigned i = 0; i < 4; i++) {
		made->before.cpus[i].number = made->after.cpus[i].number = i;
		made->after.cpus[i].times = (struct cpu_spent){ .all_s = 10, .busy_s = 5 };
	}
	made->before.counts[HOST_MEMORY] = made->after.counts[HOST_MEMORY] = 1000;
	made->after.counts[HOST_AVAILABLE] = 500;
}

static const struct host_finding *judged(struct made *made, enum host_resource resource)
{
	host_judge(&made->findings, &(struct host_seen){ &made->before, &made->after, &made->watch }, &made->arena);
	for (size_t i = 0; i < made->findings.count; i++)
		if (made->findings.items[i].resource == resource)
			return &made->findings.items[i];
	return NULL;
}

/* What a value should come to. */
struct expected {
	const char *what, *measure;
	double value;
	enum host_severity severity;
};

static void expect(struct rows *rows, const struct host_finding *finding, struct expected expected)
{
	const struct host_value *found = finding ? host_value_of(finding, expected.measure) : NULL;

	row_expect(rows, expected.what, found, "there is no such value");
	if (!found)
		return;
	row_expect_number(rows, expected.what, found->value, expected.value);
	row_expect_text(rows, expected.what, host_severity_names[found->severity],
			host_severity_names[expected.severity]);
	row_expect(rows, expected.what, finding->severity >= expected.severity, "it is as bad as its worst value");
}

/* A count grows by so much in ten seconds. */
static void counts(void **state UNUSED)
{
	static const struct {
		const char *measure;
		double grown, value;
		enum host_count count;
		enum host_resource resource;
		enum host_severity severity;
	} table[] = {
		{ "swapped_out", 9, 0.9, HOST_SWAPPED_OUT, HOST_MEM, HOST_FINE },
		{ "swapped_out", 10, 1, HOST_SWAPPED_OUT, HOST_MEM, HOST_LOOK },
		{ "swapped_out", 9999, 999.9, HOST_SWAPPED_OUT, HOST_MEM, HOST_LOOK },
		{ "swapped_out", 10000, 1000, HOST_SWAPPED_OUT, HOST_MEM, HOST_BAD },
		{ "swapped_in", 10, 1, HOST_SWAPPED_IN, HOST_MEM, HOST_LOOK },
		{ "reclaims", 0, 0, HOST_RECLAIMS, HOST_MEM, HOST_FINE },
		{ "reclaims", 1, 0.1, HOST_RECLAIMS, HOST_MEM, HOST_LOOK },
		{ "reclaims", 1000, 100, HOST_RECLAIMS, HOST_MEM, HOST_BAD },
		{ "major_faults", 4990, 499, HOST_MAJOR_FAULTS, HOST_MEM, HOST_FINE },
		{ "major_faults", 5000, 500, HOST_MAJOR_FAULTS, HOST_MEM, HOST_LOOK },
		{ "oom_kills", 0, 0, HOST_OOM_KILLS, HOST_MEM, HOST_FINE },
		{ "oom_kills", 1, 1, HOST_OOM_KILLS, HOST_MEM, HOST_BAD },
		{ "corrected_errors", 1, 1, HOST_CORRECTED, HOST_MEM, HOST_LOOK },
		{ "uncorrected_errors", 1, 1, HOST_UNCORRECTED, HOST_MEM, HOST_BAD },
		{ "run_queue", 80, 8, HOST_RUN_DELAY, HOST_CPU, HOST_FINE },
		{ "throttled", 0.005, 0.05, HOST_THROTTLED, HOST_CPU, HOST_FINE },
		{ "throttled", 0.5, 5, HOST_THROTTLED, HOST_CPU, HOST_LOOK },
		{ "throttled", 1, 10, HOST_THROTTLED, HOST_CPU, HOST_BAD },
		{ "listen_overflows", 1, 0.1, HOST_LISTEN_OVERFLOWS, HOST_TCP, HOST_LOOK },
		{ "listen_overflows", 100, 10, HOST_LISTEN_OVERFLOWS, HOST_TCP, HOST_BAD },
		{ "backlog_drops", 1, 0.1, HOST_BACKLOG_DROPS, HOST_TCP, HOST_LOOK },
		{ "squeezes", 99, 9.9, HOST_SQUEEZES, HOST_TCP, HOST_FINE },
		{ "squeezes", 100, 10, HOST_SQUEEZES, HOST_TCP, HOST_LOOK },
		{ "cpu", 1.4, 14, HOST_PRESSURE_CPU, HOST_PRESSURE, HOST_FINE },
		{ "memory", 1.5, 15, HOST_PRESSURE_MEMORY, HOST_PRESSURE, HOST_LOOK },
		{ "io", 6, 60, HOST_PRESSURE_IO, HOST_PRESSURE, HOST_BAD },
		{ "memory_full", 0.5, 5, HOST_STALLED_MEMORY, HOST_PRESSURE, HOST_LOOK },
		{ "memory_full", 1.5, 15, HOST_STALLED_MEMORY, HOST_PRESSURE, HOST_BAD },
		{ "swapped_out", -1, NAN, HOST_SWAPPED_OUT, HOST_MEM, HOST_FINE },   /* it went back */
		{ "oom_kills", NAN, NAN, HOST_OOM_KILLS, HOST_MEM, HOST_FINE },	     /* it was not there */
		{ "io", INFINITY, NAN, HOST_PRESSURE_IO, HOST_PRESSURE, HOST_FINE }, /* it is nonsense */
	};
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(table); i++) {
		struct made made;

		made_init(&made);
		made.after.counts[table[i].count] = table[i].grown;
		expect(&rows, judged(&made, table[i].resource),
		       (struct expected){ table[i].measure, table[i].measure, table[i].value, table[i].severity });
		arena_release(&made.arena);
	}
	rows_end(&rows);
}

/* Seconds of all CPUs, of 40; and threads that were runnable in ten looks together. */
static void cpus(void **state UNUSED)
{
	static const struct {
		const char *measure;
		struct cpu_spent all;
		double running, busiest, value; /* busiest: busy of 10 s */
		enum host_severity severity;
	} table[] = {
		{ "used", { .all_s = 40, .busy_s = 27.6 }, 0, 5, 69, HOST_FINE },
		{ "used", { .all_s = 40, .busy_s = 40 }, 0, 5, 100, HOST_LOOK },
		{ "busiest", { .all_s = 40, .busy_s = 20 }, 0, 9.4, 94, HOST_FINE },
		{ "busiest", { .all_s = 40, .busy_s = 20 }, 0, 10, 100, HOST_LOOK },
		{ "busiest", { .all_s = 40, .busy_s = 40 }, 0, 10, 100, HOST_FINE }, /* as all are */
		{ "system", { .all_s = 40, .system_s = 8 }, 0, 5, 20, HOST_LOOK },
		{ "iowait", { .all_s = 40, .iowait_s = 40 }, 0, 5, 100, HOST_LOOK },
		{ "stolen", { .all_s = 40, .stolen_s = 1.9 }, 0, 5, 4.75, HOST_FINE },
		{ "stolen", { .all_s = 40, .stolen_s = 2 }, 0, 5, 5, HOST_LOOK },
		{ "stolen", { .all_s = 40, .stolen_s = 4 }, 0, 5, 10, HOST_BAD },
		{ "used", { .all_s = 0, .busy_s = 0 }, 0, 5, NAN, HOST_FINE }, /* no tick has passed */
		{ "runnable", { .all_s = 40 }, 43, 5, 1.075, HOST_FINE },
		{ "runnable", { .all_s = 40 }, 44, 5, 1.1, HOST_LOOK },
		{ "runnable", { .all_s = 40 }, 60, 5, 1.5, HOST_BAD },
	};
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(table); i++) {
		struct made made;

		made_init(&made);
		made.after.all = table[i].all;
		made.after.cpus[2].times.busy_s = table[i].busiest;
		made.watch.running = table[i].running;
		expect(&rows, judged(&made, HOST_CPU),
		       (struct expected){ table[i].measure, table[i].measure, table[i].value, table[i].severity });
		arena_release(&made.arena);
	}
	rows_end(&rows);
}

/* A disk whose requests take long is not short of anything while it has next to nothing to do. */
static void devices(void **state UNUSED)
{
	static const struct host_disk lazy = {
		.name = "sda", .reads = 10, .read_s = 0.6, .busy_s = 0.9, .queued_s = 30
	};
	static const struct host_disk busy = {
		.name = "sda", .reads = 10, .read_s = 0.6, .busy_s = 9, .queued_s = 9.9
	};
	static const struct host_link fast = { "eth0", 890, 100, 0, 9, 100 }, full = { "eth0", 10, 900, 1, 1000, 100 };
	struct host_disk disks[] = { { .name = "sdb" }, { .name = "sda" } };
	struct host_link link = { .name = "eth0", .bytes_per_s = NAN };
	struct rows rows = { 0 };
	struct made made;

	made_init(&made);
	made.before.disks = disks;
	made.before.ndisks = 2;
	made.before.links = &link;
	made.after.ndisks = made.before.nlinks = made.after.nlinks = 1;
	made.after.disks = (struct host_disk *)&lazy;
	made.after.links = (struct host_link *)&fast;
	expect(&rows, judged(&made, HOST_DISK), (struct expected){ "a lazy disk", "read_wait", 60, HOST_FINE });
	expect(&rows, judged(&made, HOST_DISK), (struct expected){ "a lazy disk", "queue", 3, HOST_FINE });
	row_expect(&rows, "a lazy disk", !host_value_of(judged(&made, HOST_DISK), "write_wait"), "nothing was written");
	expect(&rows, judged(&made, HOST_LINK), (struct expected){ "a link with room", "used", 89, HOST_LOOK });
	expect(&rows, judged(&made, HOST_LINK), (struct expected){ "a link with room", "drops", 0.9, HOST_FINE });
	made.after.disks = (struct host_disk *)&busy;
	made.after.links = (struct host_link *)&full;
	expect(&rows, judged(&made, HOST_DISK), (struct expected){ "a busy disk", "used", 90, HOST_LOOK });
	expect(&rows, judged(&made, HOST_DISK), (struct expected){ "a busy disk", "read_wait", 60, HOST_BAD });
	expect(&rows, judged(&made, HOST_DISK), (struct expected){ "a busy disk", "queue", 0.99, HOST_FINE });
	expect(&rows, judged(&made, HOST_LINK), (struct expected){ "a full link", "used", 90, HOST_BAD });
	expect(&rows, judged(&made, HOST_LINK), (struct expected){ "a full link", "drops", 100, HOST_BAD });
	expect(&rows, judged(&made, HOST_LINK), (struct expected){ "a full link", "errors", 0.1, HOST_LOOK });
	row_expect(&rows, "a busy disk", made.findings.items[0].resource == HOST_DISK, "the worst comes first");
	arena_release(&made.arena);
	rows_end(&rows);
}

static void resent(void **state UNUSED)
{
	static const struct {
		const char *what;
		double sent, resent, share;
		enum host_severity severity;
	} table[] = {
		{ "nothing sent", 0, 0, 0, HOST_FINE },	     { "too few to say", 99, 50, 100 * 50 / 99.0, HOST_FINE },
		{ "a sound path", 1000, 9, 0.9, HOST_FINE }, { "some loss", 1000, 10, 1, HOST_LOOK },
		{ "much loss", 1000, 50, 5, HOST_BAD },
	};
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(table); i++) {
		struct made made;

		made_init(&made);
		made.after.counts[HOST_SENT] = table[i].sent;
		made.after.counts[HOST_RESENT] = table[i].resent;
		expect(&rows, judged(&made, HOST_TCP),
		       (struct expected){ table[i].what, "resent", table[i].share, table[i].severity });
		arena_release(&made.arena);
	}
	rows_end(&rows);
}

/* Of 20 s of CPU time 15.5 are of those that are there, and 3 of children of the fourth. */
static void tasks(void **state UNUSED)
{
	struct host_process made_up[] = {
		{ .pid = 1, .first_s = 9, .cpu_s = 9, .name = "idle" },
		{ .pid = 2, .first_s = 100, .cpu_s = 109, .name = "busy" },
		{ .pid = 3, .first_s = 0, .cpu_s = 1, .blocked = 3, .name = "waits" },
		{ .pid = 4, .first_s = 1, .cpu_s = 1.5, .children_s = 4, .first_children_s = 1, .name = "make" },
		{ .pid = 5, .first_s = 0, .cpu_s = 2, .name = "some" },
		{ .pid = 6, .first_s = 0, .cpu_s = 2, .name = "other" },
		{ .pid = 7, .first_s = 0, .cpu_s = 1, .name = "last" },
	};
	static const uint64_t order[] = { 2, 3, 5, 6, 7 };
	struct made made;

	made_init(&made);
	made.watch.processes = made_up;
	made.watch.nprocesses = COUNT_OF(made_up);
	judged(&made, HOST_CPU);
	assert_int_equal(made.findings.ntasks, COUNT_OF(order));
	for (size_t i = 0; i < COUNT_OF(order); i++)
		assert_int_equal(made.findings.tasks[i].pid, order[i]);
	assert_true(fabs(made.findings.tasks[0].cpu - 90) < 1e-9);
	assert_true(fabs(made.findings.tasks[1].blocked - 75) < 1e-9);
	assert_true(fabs(made.findings.unseen - 100 * 4.5 / 40) < 1e-9);
	assert_int_equal(made.findings.parent->pid, 4);
	arena_release(&made.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts), cmocka_unit_test(cpus),  cmocka_unit_test(devices),
		cmocka_unit_test(resent), cmocka_unit_test(tasks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
