/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine_test.c - a measurement without a command line: a setup, a question and a sink.
 */
#include "engine/engine.h"

#include <fcntl.h>
#include <math.h>
#include <unistd.h>

#include "engine/hidden_events.h"
#include "engine/selection.h"
#include "engine/steps.h"
#include "faults_machine.h"
#include "rows.h"
#include "scratch.h"

#define SOME 3 /* outcomes */

/* What a sink got. */
struct received {
	size_t measured, outcomes, last, runs, planned_runs, notices;
	double minor, major;
	int status;
	bool is_refusing;
	char notice[500], first_notice[500];
	size_t runs_at_notice; /* that were begun when the first notice came */
	const char *enough;    /* a file that is there after some outcomes */
};

struct world {
	struct scratch scratch;
	struct arena arena;
	struct error err;
	struct faults_machine machine;
	struct setup setup;
	struct question question;
	struct received received;
	struct sink sink;
};

static int on_measured(void *context, struct measurement *measured, struct error *err UNUSED)
{
	struct received *received = context;

	assert_true(measured->parts[0].repeats[0].nruns > 0);
	received->measured++;
	return 0;
}

static int on_outcome(void *context, const struct outcome *outcome, struct error *err)
{
	struct received *received = context;
	const struct report *report = &outcome->reports->parts[0];

	assert_int_equal(received->measured, outcome->is_last); /* kept before it is evaluated */
	if (++received->outcomes == SOME && received->enough)
		close(open(received->enough, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	received->last += outcome->is_last;
	received->minor = report->nnodes > 0 ? report->nodes[0].value : NAN;
	received->major = report->nnodes > 1 ? report->nodes[1].value : NAN;
	received->status = report->summary.status;
	return received->is_refusing ? error_set(err, "the sink is full") : 0;
}

static void on_progress(void *context, size_t run, size_t runs)
{
	struct received *received = context;

	assert_int_equal(run, ++received->runs);
	received->planned_runs = runs;
}

static void on_notice(void *context, enum severity severity UNUSED, const char *sentence)
{
	struct received *received = context;

	if (!received->notices++) {
		snprintf(received->first_notice, sizeof(received->first_notice), "%s", sentence);
		received->runs_at_notice = received->runs;
	}
	snprintf(received->notice, sizeof(received->notice), "%s", sentence);
}

static void world_init(struct world *world, char **words, size_t nwords)
{
	*world = (struct world){ .question = { .level = 1 } };
	arena_init(&world->arena);
	scratch_init(&world->scratch);
	faults_machine_make(&world->machine, &world->scratch);
	world->setup.machine.sysroot = world->machine.sysroot;
	world->setup.machine.database = world->machine.database;
	world->setup.program.words = words;
	world->setup.program.nwords = nwords;
	world->sink = (struct sink){ .context = &world->received,
				     .measured = on_measured,
				     .outcome = on_outcome,
				     .progress = on_progress,
				     .notice = on_notice };
}

static int world_measure(struct world *world)
{
	return engine_measure(&(struct request){ &world->question, &world->setup, &world->sink, &world->arena },
			      &world->err);
}

static void world_release(struct world *world)
{
	arena_release(&world->arena);
	scratch_release(&world->scratch);
}

static char *fails[] = { "/bin/sh", "-c", "/bin/true; exit 7", NULL };

/* Both nodes of the faults of a shell, in a run each, with nothing on standard error. */
static void program(void **state UNUSED)
{
	struct world world;
	char path[256];
	int was = dup(STDERR_FILENO), file, result;
	struct stat status;

	world_init(&world, fails, 3);
	scratch_write(&world.scratch, "stderr", "", path);
	file = open(path, O_WRONLY);
	dup2(file, STDERR_FILENO);
	result = world_measure(&world);
	dup2(was, STDERR_FILENO);
	assert_string_equal(world.err.text, "");
	assert_int_equal(result, 0);
	assert_int_equal(fstat(file, &status), 0);
	assert_int_equal(status.st_size, 0);
	assert_int_equal(world.received.outcomes, 1);
	assert_int_equal(world.received.last, 1);
	assert_int_equal(world.received.status, 7);
	assert_int_equal(world.received.planned_runs, 2);
	assert_int_equal(world.received.runs, 1); /* it failed in its first run, so there is no second */
	close(file);
	close(was);
	world_release(&world);
}

static char *succeeds[] = { "/bin/sh", "-c", "/bin/true; :", NULL };

static void values(void **state UNUSED)
{
	struct world world;

	world_init(&world, succeeds, 3);
	assert_int_equal(world_measure(&world), 0);
	assert_int_equal(world.received.runs, 2);
	/* A fault is minor or major. The two were counted in different runs, which differ a little. */
	assert_true(fabs(world.received.minor + world.received.major - 100) < 10);
	assert_true(world.received.minor > 50);
	world_release(&world);
}

static char *waits[] = { "/bin/sh", "-c", "until [ -e \"$0\" ]; do sleep 0.01; done", NULL, NULL };

static void intervals(void **state UNUSED)
{
	char path[300];
	struct world world;

	world_init(&world, waits, 4);
	snprintf(path, sizeof(path), "%s/enough", world.scratch.path);
	waits[3] = path;
	world.received.enough = path;
	world.setup.timing.interval_ms = 20;
	assert_int_equal(world_measure(&world), 0);
	assert_true(world.received.outcomes > SOME); /* and the last one */
	assert_int_equal(world.received.last, 1);
	world_release(&world);
}

static void failures(void **state UNUSED)
{
	struct world world;

	world_init(&world, succeeds, 3);
	world.received.is_refusing = true;
	assert_int_equal(world_measure(&world), -1);
	assert_string_equal(world.err.text, "the sink is full");
	world_release(&world);

	world_init(&world, succeeds, 3);
	world.question.nodes = "Nothing";
	assert_int_equal(world_measure(&world), -1);
	assert_non_null(strstr(world.err.text, "Nothing"));
	assert_int_equal(world.received.outcomes + world.received.runs, 0); /* it was found before anything ran */
	world_release(&world);

	world_init(&world, (char *[]){ "/no/such/program", NULL }, 1);
	assert_int_equal(world_measure(&world), -1);
	assert_int_equal(world.err.status, 127);
	world_release(&world);
}

static void without_sink_functions(void **state UNUSED)
{
	struct world world;

	world_init(&world, succeeds, 3);
	world.sink = (struct sink){ .context = NULL };
	assert_int_equal(world_measure(&world), 0);
	world_release(&world);
}

static void drilldown_to_its_end(void **state UNUSED)
{
	struct world world;

	world_init(&world, succeeds, 3);
	world.setup.packing.is_drilldown = true;
	assert_int_equal(world_measure(&world), 0);
	assert_int_equal(world.received.notices, 2);
	assert_non_null(strstr(world.received.first_notice, "/bin/sh runs at least 2 times"));
	assert_non_null(strstr(world.received.notice, "drill-down ends at Minor"));
	world_release(&world);
}

/* Each of the two nodes takes both counters, so a run is needed for each of them. */
static void runs_are_announced(void **state UNUSED)
{
	static const struct {
		const char *name, *notice;
		struct packing_choice packing;
		double interval_ms;
	} table[] = {
		{ "two runs", "/bin/sh runs 2 times, once for each group of events; --max-runs 1: once", { 0 }, 0 },
		{ "multiplexed", "", { .max_runs = 1 }, 0 },
		{ "at most one", "", { .max_runs = 1 }, 0 },
		{ "intervals", "", { 0 }, 1000 },
		{ "repeats",
		  "/bin/sh runs 6 times: 3 repeats (-r) of 2 runs, once for each group of events; --max-runs 1: 3 "
		  "times",
		  { .repeats = 3 },
		  0 },
		{ "repeats, multiplexed", "/bin/sh runs 3 times (-r 3)", { .repeats = 3, .max_runs = 1 }, 0 },
		{ "drill-down, multiplexed",
		  "/bin/sh runs at least 1 time, and again for each step of the drill-down",
		  { .is_drilldown = true, .max_runs = 1 },
		  0 },
	};
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(table); i++) {
		struct world world;

		world_init(&world, succeeds, 3);
		world.setup.packing = table[i].packing;
		world.setup.timing.interval_ms = table[i].interval_ms;
		row_expect_number(&rows, table[i].name, world_measure(&world), 0);
		row_expect_text(&rows, table[i].name, world.received.first_notice, table[i].notice);
		row_expect_number(&rows, table[i].name, (double)world.received.runs_at_notice, 0);
		world_release(&world);
	}
	rows_end(&rows);
}

/* -C names what is there; a CPU that is offline can be brought back. */
static void cpus_that_are_not_online(void **state UNUSED)
{
	static const struct {
		const char *list, *said;
	} table[] = {
		{ "0-9999", "-C 0-9999: CPU 1 is offline, online are 0; `echo 1 | sudo tee "
			    "/sys/devices/system/cpu/cpu1/online`" },
		{ "3", "-C 3: there is no CPU 3; this machine has the CPUs 0" },
	};
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(table); i++) {
		struct world world;
		char path[256];

		world_init(&world, succeeds, 3);
		scratch_write(&world.scratch, "root/sys/devices/system/cpu/online", "0\n", path);
		scratch_write(&world.scratch, "root/sys/devices/system/cpu/present", "0-2\n", path);
		world.setup.subject.cpus = table[i].list;
		row_expect_number(&rows, table[i].list, world_measure(&world), -1);
		world.err.text[strlen(table[i].said)] = '\0';
		row_expect_text(&rows, table[i].list, world.err.text, table[i].said);
		world_release(&world);
	}
	rows_end(&rows);
}

/* An error is no end of the tree: counts of another CPU can't be evaluated. */
static void drilldown_with_error(void **state UNUSED)
{
	struct world world;
	struct target target;
	struct target_types types = { .items = &target, .count = 1 };
	struct plan plan = { .nwanted = 0 }, *plans[] = { &plan };
	struct repeat repeat = { .count = 0 };
	struct counts counts = { .origin = { .cpu = "another" }, .repeats = &repeat, .nrepeats = 1 };
	struct measurement so_far = { .parts = &counts, .count = 1, .from_s = NAN, .to_s = NAN };
	struct drilldown drilldown = { .deepest = 2 };

	world_init(&world, NULL, 0);
	struct request request = {
		.setup = &world.setup, .question = &world.question, .sink = &world.sink, .arena = &world.arena
	};

	assert_int_equal(target_machine(&target, &request, &world.err), 0);
	drilldown_init(&drilldown, plans, &types, &request);
	assert_false(drilldown_extend(&drilldown, &so_far, 1));
	assert_int_equal(world.received.notices, 1);
	assert_non_null(strstr(world.received.notice, "drill-down ends: "));
	assert_non_null(strstr(world.received.notice, "another"));
	assert_null(strstr(world.received.notice, "no node is over its threshold"));
	world_release(&world);
}

/* The software PMU refuses an event of code 0xff, as a virtual machine's may refuse what its kernel lists. */
#define HIDING_CPUINFO CPUINFO "flags\t\t: hypervisor\n"
#define HIDING_EVENTS                                                                                                  \
	"{\"Header\":{\"Cpu\":\"faults\",\"Vendor\":\"Arm\",\"GeneralCounters\":2,\"Pmu\":\"cpu\"},\"Events\":["       \
	"{\"EventName\":\"FAULTS\",\"EventCode\":\"0x2\",\"Counter\":\"0,1\"},"                                        \
	"{\"EventName\":\"MINOR\",\"EventCode\":\"0x5\",\"Counter\":\"0,1\"},"                                         \
	"{\"EventName\":\"SLOTS\",\"EventCode\":\"0xff\",\"Counter\":\"0,1\"}]}"
#define HIDING_MODEL                                                                                                   \
	"{\"Header\":{\"Cpu\":\"faults\",\"Version\":\"1\"},\"Metrics\":["                                             \
	"{\"MetricName\":\"backend_bound\",\"MetricExpr\":\"SLOTS / FAULTS\",\"MetricGroup\":\"TopdownL1\"},"          \
	"{\"MetricName\":\"backend_stalled_cycles\",\"MetricExpr\":\"100 * MINOR / FAULTS\",\"MetricGroup\":"          \
	"\"Cycle_Accounting\",\"ScaleUnit\":\"1%\"}]}"

static const struct stalls_row {
	const char *name, *cpuinfo;
	const char *nodes;
	bool has_stalls;
} stalls_rows[] = {
	/* clang-format off */
	{ "a virtual machine",             HIDING_CPUINFO, NULL, true },
	{ "a bare machine, as it is said", CPUINFO,        NULL, false },
	{ "a node that was selected",      HIDING_CPUINFO, "Backend_Bound", false },
	/* clang-format on */
};

static void check_stalls(struct rows *rows, const struct stalls_row *row)
{
	struct world world;
	struct target target;
	struct plan_request planned = { .level = 1, .limits = { .general = 2 } };
	const struct found found = { .is_counted = true };
	char path[256];

	world_init(&world, NULL, 0);
	scratch_write(&world.scratch, "root/proc/cpuinfo", row->cpuinfo, path);
	scratch_write(&world.scratch, "db/events/faults.json", HIDING_EVENTS, path);
	scratch_write(&world.scratch, "db/models/faults.json", HIDING_MODEL, path);
	world.question.nodes = row->nodes;
	struct request request = {
		.setup = &world.setup, .question = &world.question, .sink = &world.sink, .arena = &world.arena
	};

	assert_int_equal(target_machine(&target, &request, &world.err), 0);
	assert_false(target.model.has_stalls);
	assert_int_equal(selection_fill(&planned, &target.model, &request, &world.err), 0);
	const struct plan *plan = hidden_events_plan(&planned, &target, &found, &request, &world.err);

	row_expect_number(rows, row->name, target.model.has_stalls, row->has_stalls);
	row_expect_number(rows, row->name, (double)target.model.nnodes, row->has_stalls ? 2 : 1);
	if (row->has_stalls) {
		assert_non_null(plan);
		/* Backend_Stalled_Cycles is whole in a group, and the node of slots still says what it lacks. */
		row_expect_number(rows, row->name, (double)plan->groups[0].metrics[0], 1);
		row_expect_number(rows, row->name, (double)plan->nmissing, 1);
		assert_non_null(strstr(hidden_events_remark(plan, &target.model, &world.arena), "SLOTS"));
	}
	world_release(&world);
}

static void events_that_do_not_open(void **state UNUSED)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(stalls_rows); i++)
		check_stalls(&rows, &stalls_rows[i]);
	rows_end(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(program),
		cmocka_unit_test(values),
		cmocka_unit_test(intervals),
		cmocka_unit_test(failures),
		cmocka_unit_test(without_sink_functions),
		cmocka_unit_test(drilldown_to_its_end),
		cmocka_unit_test(drilldown_with_error),
		cmocka_unit_test(runs_are_announced),
		cmocka_unit_test(cpus_that_are_not_online),
		cmocka_unit_test(events_that_do_not_open),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
