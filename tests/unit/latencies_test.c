/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * latencies_test.c - retire latencies: which events of Granite Rapids are sampled for which nodes, when, how often; what
 * their samples, which the test makes up, put beside the counts; and what it says where none came.
 */
#include "model_fixture.h"

#include <math.h>

#include "common/base/text.h"
#include "common/measurement/interval_series.h"
#include "common/request/exclusions.h"
#include "cpu/load/select.h"
#include "engine/sampling/sampling.h"

struct world {
	struct loaded loaded;
	struct target target;
	struct target_types types;
	struct plan plan, *plans[1];
	struct setup setup;
	struct question question;
	struct sink sink;
	struct request request;
	struct latencies latencies;
	char notices[4000];
};

static void on_notice(void *context, enum severity severity UNUSED, const char *sentence)
{
	struct world *w = context;

	snprintf(w->notices + strlen(w->notices), sizeof(w->notices) - strlen(w->notices), "%s\n", sentence);
}

/* The nodes that are wanted, as --nodes has them. */
static void begin(struct world *w, const char *nodes, double interval_ms)
{
	struct plan_request request = { .level = 1 };
	const struct select_request asked = { .nodes = nodes };
	struct selection selection;

	*w = (struct world){ .setup.packing.wants_latencies = true };
	loaded_shipped(&w->loaded, "graniterapids", true);
	w->setup.timing.interval_ms = interval_ms;
	w->sink = (struct sink){ .context = w, .notice = on_notice };
	w->request = (struct request){ &w->question, &w->setup, &w->sink, &w->loaded.arena };
	w->target.model = w->loaded.model;
	w->types = (struct target_types){ .items = &w->target, .count = 1 };
	request.limits = plan_limits_published(&w->loaded.database, true);
	if (select_metrics(&selection, &w->target.model, &asked, &w->loaded.arena, &w->loaded.err) < 0)
		fail_msg("%s", w->loaded.err.text);
	request.wanted = selection.items;
	request.nwanted = selection.count;
	if (plan_build(&w->plan, &w->target.model, &request, &w->loaded.arena, &w->loaded.err) < 0)
		fail_msg("%s", w->loaded.err.text);
	w->plans[0] = &w->plan;
	latencies_init(&w->latencies, &w->types, w->plans, &w->request);
}

static void end(struct world *w)
{
	if (w->latencies.late.sampler)
		w->latencies.late.observer.finish(&w->latencies, NULL);
	loaded_release(&w->loaded);
}

static const char *sampled(struct world *w)
{
	struct string text = STRING_INIT(&w->loaded.arena);

	for (size_t i = 0; i < w->latencies.nevents; i++)
		string_printf(&text, "%s%s", i ? " " : "", w->latencies.events[i].name);
	return text.text;
}

/* Of L2_Hit_Latency Intel's formula reads hits in L2 alone; of Lock_Latency, locked loads; of Divider, none. */
static void test_events(void **state UNUSED)
{
	static const struct {
		const char *nodes, *events;
	} rows[] = { { "Lock_Latency^", "MEM_INST_RETIRED.LOCK_LOADS" },
		     { "L3_Hit_Latency^", "MEM_LOAD_RETIRED.L3_HIT" } };

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct world w;

		begin(&w, rows[i].nodes, 0);
		assert_null(w.latencies.late.sampler);
		assert_true(latencies_begin(&w.latencies, 3));
		assert_non_null(strstr(sampled(&w), rows[i].events));
		assert_int_equal(w.latencies.first_run, 3);
		assert_int_equal(w.latencies.late.observer.runs, 4);
		for (size_t k = 0; k < w.latencies.nevents; k++) {
			assert_int_equal(w.latencies.events[k].frequency, 1000);
			assert_false(w.latencies.events[k].event->is_retire_latency);
			assert_true(w.latencies.events[k].precise > 0);
			assert_null(strchr(w.latencies.events[k].name, ':'));
		}
		assert_false(latencies_begin(&w.latencies, 5));
		assert_int_equal(w.latencies.first_run, 3);
		end(&w);
	}
}

/* Nothing is sampled for what reads no latency. */
static void test_no_events(void **state UNUSED)
{
	struct world w;
	struct measurement measured = { .count = 0 };

	begin(&w, "Divider^", 0);
	assert_false(latencies_begin(&w.latencies, 2));
	assert_null(w.latencies.late.sampler);
	assert_int_equal(w.latencies.late.observer.runs, 0);
	w.latencies.late.observer.finish(&w.latencies, &measured);
	assert_string_equal(w.notices, "");
	end(&w);
}

/* Beside the counts of -I, in its only run, and less often. */
static void test_beside(void **state UNUSED)
{
	struct world w;

	begin(&w, "Lock_Latency^", 100);
	assert_true(latencies_begin(&w.latencies, 0));
	assert_int_equal(w.latencies.late.observer.runs, 1);
	assert_int_equal(w.latencies.events[0].frequency, 400);
	end(&w);
}

static void test_check(void **state UNUSED)
{
	struct error err = { .text = "" };
	struct world w;

	begin(&w, "Lock_Latency^", 100);
	w.setup.timing.interval_ms = 0;
	w.setup.packing.is_drilldown = true;
	assert_int_equal(exclusions_check(&w.request, PMU_CPU, &err), 0);
	w.question.wants_functions = true;
	assert_int_equal(exclusions_check(&w.request, PMU_CPU, &err), -1);
	assert_non_null(strstr(err.text, "--retire-latency"));
	end(&w);
}

/* So many samples of the only event, with so many cycles together. */
static void make_samples(struct world *w, uint64_t samples, double cycles)
{
	struct profile *profile = &w->latencies.profile;

	if (!profile->nevents)
		(void)profile_event(profile, &(struct profile_event){ .event = w->latencies.events[0].name });
	profile->events[0].samples = samples;
	profile->events[0].latencies = cycles;
}

static struct count items[] = { { .event = "CPU_CLK_UNHALTED.THREAD", .value = 1000, .raw = 1000, .state = COUNT_OK } };
static struct count_run runs[] = { { .wall_s = 1, .cpu_s = 1 } };

static void make_interval(struct measurement *interval, struct counts *part, struct repeat *repeat)
{
	*repeat = (struct repeat){ .items = items, .count = 1, .ngroups = 1, .runs = runs, .nruns = 1 };
	*part = (struct counts){ .repeats = repeat, .nrepeats = 1 };
	*interval = (struct measurement){ .parts = part, .count = 1, .from_s = 0, .to_s = 1 };
}

/* The sampler is open, and an interval was counted. */
static void begin_interval(struct world *w, struct measurement *interval, struct counts *part, struct repeat *repeat)
{
	begin(w, "Lock_Latency^", 100);
	assert_true(latencies_begin(&w->latencies, 0));
	make_interval(interval, part, repeat);
}

/* The mean of all samples so far; before the first one nothing, and after one without a latency neither. */
static void test_so_far(void **state UNUSED)
{
	struct measurement interval, with;
	struct repeat repeat;
	struct counts part;
	struct world w;

	begin_interval(&w, &interval, &part, &repeat);
	with = latencies_so_far(&w.latencies, &interval, &w.loaded.arena);
	assert_int_equal(with.parts[0].repeats[0].count, 1);
	make_samples(&w, 4, 0);
	with = latencies_so_far(&w.latencies, &interval, &w.loaded.arena);
	assert_int_equal(with.parts[0].repeats[0].count, 1);
	make_samples(&w, 8, 8 * 41.5);
	with = latencies_so_far(&w.latencies, &interval, &w.loaded.arena);
	assert_int_equal(with.parts[0].repeats[0].count, 2);
	assert_string_equal(with.parts[0].repeats[0].items[1].event, "MEM_INST_RETIRED.LOCK_LOADS:retire_latency");
	assert_true(fabs(with.parts[0].repeats[0].items[1].value - 41.5) < 1e-9);
	assert_int_equal(with.parts[0].repeats[0].items[1].raw, 8);
	assert_int_equal(repeat.count, 1); /* what was counted is as before */
	end(&w);
}

/* Intervals that are added up have the later mean, as it is of the samples of both; counts are added. */
static void test_series(void **state UNUSED)
{
	struct measurement interval, with, read;
	struct interval_series *series, *short_series;
	struct series_cursor cursor = { .at = 0 };
	struct repeat repeat;
	struct counts part;
	struct world w;

	begin_interval(&w, &interval, &part, &repeat);
	series = interval_series_new(&w.loaded.arena, SERIES_MOST_BYTES);
	for (unsigned i = 0; i < 64; i++) {
		make_samples(&w, i + 1, (i + 1) * (30.0 + i));
		with = latencies_so_far(&w.latencies, &interval, &w.loaded.arena);
		with.from_s = i;
		with.to_s = i + 1.0;
		interval_series_add(series, &with);
	}
	short_series = interval_series_within(series, series->length / 2 + 20, &w.loaded.arena);
	assert_non_null(short_series);
	assert_int_equal(short_series->each, 2);
	cursor.series = short_series;
	assert_true(interval_series_next(&read, &cursor, &interval, &w.loaded.arena));
	for (size_t i = 0; i < read.parts[0].repeats[0].count; i++) {
		const struct count *item = &read.parts[0].repeats[0].items[i];

		assert_true(fabs(item->value - (strchr(item->event, ':') ? 31.0 : 2000.0)) < 1e-9);
	}
	assert_int_equal(read.parts[0].repeats[0].count, 2);
	interval_series_release(short_series);
	interval_series_release(series);
	end(&w);
}

/* A sampler that could not be opened: the vendor's means stand in, and somebody says so. */
static void test_unopened(void **state UNUSED)
{
	struct measurement interval;
	struct repeat repeat;
	struct counts part;
	struct world w;

	begin(&w, "Lock_Latency^", 0);
	assert_true(latencies_begin(&w.latencies, 1));
	make_interval(&interval, &part, &repeat);
	w.latencies.late.observer.finish(&w.latencies, &interval);
	assert_int_equal(repeat.count, 1);
	assert_true(strstr(w.notices, "the vendor's means are used") ||
		    (repeat.nremarks && strstr(repeat.remarks[0], "the vendor's means are used")));
	w.latencies.late.sampler = NULL; /* it is released */
	end(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_events),  cmocka_unit_test(test_no_events),
					    cmocka_unit_test(test_beside),  cmocka_unit_test(test_check),
					    cmocka_unit_test(test_so_far),  cmocka_unit_test(test_series),
					    cmocka_unit_test(test_unopened) };

	return cmocka_run_group_tests_name("latencies", tests, NULL, NULL);
}
