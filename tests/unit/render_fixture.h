/* SPDX-License-Identifier: GPL-2.0-or-later */
/* render_fixture.h - a report and a plan made by hand, small enough to know every number of. */
#ifndef TOPDOWN_TEST_RENDER_FIXTURE_H
#define TOPDOWN_TEST_RENDER_FIXTURE_H

#include "rows.h"

#include "cpu/load/topic.h"
#include "present/document/render.h"

enum { FE, FE_LAT, BAD, BE, MEM, DRAM, L1, CORE, RET, MPKI, BANDWIDTH, FIXTURE_METRICS };

struct fixture {
	struct event_database database;
	struct metric metrics[FIXTURE_METRICS];
	struct model model;
	struct result nodes[RET + 1], others[2];
	struct hint hints[1];
	const char *notes[1];
	struct report report;
	/* The plan: cycles and one event in run 1, slots and a field of it in run 2. */
	struct pmu pmu;
	struct event events[5];
	struct plan_group groups[2];
	struct plan_run runs[2];
	struct plan plan;
};

static const char *fixture_samples[] = { "MEM_LOAD_RETIRED.L3_MISS" };
static size_t fixture_events_1[] = { 0, 1, 2 }, fixture_events_2[] = { 3, 4 }, fixture_metrics_1[] = { FE, BE },
	      fixture_wanted[] = { FE, BAD, BE, RET }, fixture_split[] = { BAD, RET }, fixture_bad[] = { 0, 1, 3 },
	      fixture_ret[] = { 4 };
static int fixture_counters_1[] = { FIXED_COUNTER + 1, 3, NO_COUNTER },
	   fixture_counters_2[] = { FIXED_COUNTER + 3, NO_COUNTER };

#define METRIC(name_, title_, path_, groups_, domain_, unit_)                                                          \
	{                                                                                                              \
		.name = (name_), .title = (title_), .path = (path_), .groups = (groups_), .domain = (domain_),         \
		.unit = (unit_)                                                                                        \
	}

static inline void fixture_metrics(struct metric *metrics)
{
	static const struct metric rows[FIXTURE_METRICS] = {
		[FE] = METRIC("tma_frontend_bound", "Frontend_Bound", "Frontend_Bound", "TopdownL1", "Slots", "%"),
		[FE_LAT] = METRIC("tma_fetch_latency", "Fetch_Latency", "Frontend_Bound.Fetch_Latency", "TopdownL2",
				  "Slots", "%"),
		[BAD] = METRIC("tma_bad_speculation", "Bad_Speculation", "Bad_Speculation", "TopdownL1", "Slots", "%"),
		[BE] = METRIC("tma_backend_bound", "Backend_Bound", "Backend_Bound", "TopdownL1", "Slots", "%"),
		[MEM] = METRIC("tma_memory_bound", "Memory_Bound", "Backend_Bound.Memory_Bound", "TopdownL2", "Slots",
			       "%"),
		[DRAM] = METRIC("tma_dram_bound", "DRAM_Bound", "Backend_Bound.Memory_Bound.DRAM_Bound", "TopdownL3",
				"Stalls", "%"),
		[L1] = METRIC("tma_l1_bound", "L1_Bound", "Backend_Bound.Memory_Bound.L1_Bound", "TopdownL3", "Stalls",
			      "%"),
		[CORE] = METRIC("tma_core_bound", "Core_Bound", "Backend_Bound.Core_Bound", "TopdownL2",
				"Slots_Estimated", "%"),
		[RET] = METRIC("tma_retiring", "Retiring", "Retiring", "TopdownL1", "Slots", "%"),
		[MPKI] = METRIC("l1d_mpki", "L1D MPKI", "L1D MPKI", "L1D_Cache_Effectiveness;MPKI", "Metric", "MPKI"),
		[BANDWIDTH] = METRIC("bandwidth", "Bandwidth", "Bandwidth", "Memory", "", "GB/s"),
	};
	static const size_t parents[FIXTURE_METRICS] = {
		[FE_LAT] = FE, [MEM] = BE, [DRAM] = MEM, [L1] = MEM, [CORE] = BE
	};
	static const unsigned levels[FIXTURE_METRICS] = { 1, 2, 1, 1, 2, 3, 3, 2, 1, 0, 0 };

	for (size_t i = 0; i < FIXTURE_METRICS; i++) {
		metrics[i] = rows[i];
		metrics[i].level = levels[i];
		metrics[i].parent = levels[i] > 1 ? parents[i] : NO_PARENT;
		metrics[i].next_groups = "";
	}
	metrics[DRAM].samples = fixture_samples;
	metrics[DRAM].nsamples = 1;
	metrics[MPKI].topic = TOPIC_CACHES;
	metrics[BANDWIDTH].topic = TOPIC_OTHERS;
}

static inline void fixture_nodes(struct fixture *f)
{
	static const struct result rows[RET + 1] = {
		[FE] = { .value = 8.1, .has_threshold = true },
		[FE_LAT] = { .value = 3.04, .has_threshold = true },
		[BAD] = { .value = 0, .raw = -1.5, .has_threshold = true, .quality = QUALITY_CLAMPED },
		[BE] = { .value = 62.4,
			 .has_threshold = true,
			 .over_threshold = true,
			 .is_bottleneck = true,
			 .is_on_worst_path = true },
		[MEM] = { .value = 48,
			  .has_threshold = true,
			  .over_threshold = true,
			  .is_bottleneck = true,
			  .is_on_worst_path = true },
		[DRAM] = { .value = 26.8125,
			   .has_threshold = true,
			   .over_threshold = true,
			   .is_bottleneck = true,
			   .is_on_worst_path = true,
			   .quality = QUALITY_SCALED,
			   .running = 0.66 },
		[L1] = { .has_threshold = true, .quality = QUALITY_NONE, .reason = "MEM_INST.X was not counted" },
		[CORE] = { .value = 14.4,
			   .has_threshold = true,
			   .over_threshold = true,
			   .is_bottleneck = true,
			   .quality = QUALITY_RUNS },
		[RET] = { .value = 29.5, .quality = QUALITY_ESTIMATED },
	};

	for (size_t i = 0; i <= RET; i++) {
		f->nodes[i] = rows[i];
		f->nodes[i].metric = &f->metrics[i];
		f->nodes[i].raw = rows[i].quality == QUALITY_CLAMPED ? rows[i].raw : rows[i].value;
		if (rows[i].quality == QUALITY_NONE)
			f->nodes[i].value = f->nodes[i].raw = (double)NAN;
		if (rows[i].quality != QUALITY_SCALED)
			f->nodes[i].running = 1;
	}
	f->others[0] = (struct result){ .metric = &f->metrics[MPKI], .value = 12.345, .raw = 12.345, .running = 1 };
	f->others[1] = (struct result){ .metric = &f->metrics[BANDWIDTH],
					.value = (double)NAN,
					.raw = (double)NAN,
					.running = (double)NAN,
					.quality = QUALITY_NONE };
}

static inline void fixture_plan(struct fixture *f)
{
	static const struct event events[] = {
		{ .name = "CYCLES", .counters = 2ull << FIXED_COUNTER },
		/* One value of this register: no group has both. */
		{ .name = "STALLS:c1", .counters = 8, .msr = 0x3f7, .msr_value = 1 },
		{ .name = "duration_time", .kind = EVENT_DURATION },
		{ .name = "SLOTS",
		  .kind = EVENT_SLOTS,
		  .counters = 8ull << FIXED_COUNTER,
		  .msr = 0x3f7,
		  .msr_value = 2 },
		{ .name = "FIELD", .kind = EVENT_METRIC },
	};

	memcpy(f->events, events, sizeof(events));
	f->pmu = (struct pmu){ .name = "cpu" };
	f->model.events = (struct event_set){ .pmu = &f->pmu, .events = f->events, .count = 5, .smt_on = true };
	f->metrics[BAD].events = fixture_bad;
	f->metrics[BAD].nevents = COUNT_OF(fixture_bad);
	f->metrics[RET].events = fixture_ret;
	f->metrics[RET].nevents = COUNT_OF(fixture_ret);
	f->groups[0] = (struct plan_group){ fixture_events_1, fixture_counters_1, 3, fixture_metrics_1, 2 };
	f->groups[1] = (struct plan_group){ fixture_events_2, fixture_counters_2, 2, NULL, 0 };
	f->runs[0] = (struct plan_run){ 0, 1 };
	f->runs[1] = (struct plan_run){ 1, 1 };
	f->plan = (struct plan){
		.limits = { .general = 4, .fixed = (uint64_t)0xf << FIXED_COUNTER, .has_metrics = true },
		.level = 1,
		.groups = f->groups,
		.ngroups = 2,
		.runs = f->runs,
		.nruns = 2,
		.wanted = fixture_wanted,
		.nwanted = COUNT_OF(fixture_wanted),
		.split = fixture_split,
		.nsplit = COUNT_OF(fixture_split),
		.roles = { 0, TABLE_NONE, TABLE_NONE, 3 },
		.lower_bound = 1,
	};
}

static inline void fixture_init(struct fixture *f)
{
	*f = (struct fixture){ .notes = { "Backend_Bound and Retiring are close." } };
	fixture_metrics(f->metrics);
	fixture_nodes(f);
	f->model = (struct model){ .cpu = "cascadelakex",
				   .version = "1.0",
				   .tma_version = "5.01",
				   .metrics = f->metrics,
				   .count = FIXTURE_METRICS,
				   .nnodes = RET + 1,
				   .levels = 3 };
	fixture_plan(f);
	f->hints[0] = (struct hint){ &f->metrics[DRAM],
				     fixture_samples[0],
				     "cpu/event=0xd1,umask=0x20/ppp",
				     50021,
				     3,
				     "perf record -e cpu/event=0xd1,umask=0x20/ppp -c 50021 -- ./prog" };
	f->report = (struct report){
		.model = &f->model,
		.level = 3,
		.nodes = f->nodes,
		.nnodes = RET + 1,
		.metrics = f->others,
		.nmetrics = 2,
		.worst = &f->nodes[DRAM],
		.next = f->hints,
		.nnext = 1,
		.notes = f->notes,
		.nnotes = 1,
		.summary = { .command = "./prog -n 4",
			     .scope = "user+kernel",
			     .cpu = "cascadelakex",
			     .title = "Cascade Lake-X",
			     .wall_s = 12.345,
			     .cpus_used = 3.98,
			     .instructions = 1.234e12,
			     .cycles = 2.5e12,
			     .ipc = 0.4936,
			     .ghz = 3.1,
			     .runs = 12,
			     .groups = 12,
			     .repeats = 1,
			     .started = "2026-11-22T07:00:00Z",
			     .host = "frodo",
			     .kernel = "6.12.1",
			     .tool_version = "0.1.0",
			     .has_status = true },
	};
}

/* Little is known: flat counts of a family without a tree. */
static inline void make_calm(struct fixture *f)
{
	f->report.summary = (struct summary){ .wall_s = (double)NAN,
					      .cpus_used = (double)NAN,
					      .instructions = (double)NAN,
					      .cycles = (double)NAN,
					      .ipc = (double)NAN,
					      .ghz = (double)NAN };
	f->model.version = f->model.tma_version = NULL;
	f->model.own_thresholds = true;
	f->model.no_tree = "Stalled cycles, no slots.";
	f->report.nnodes = BAD + 1;
	f->report.worst = NULL;
	f->report.nmetrics = f->report.nnext = f->report.nnotes = 0;
}

/* A part of the tree: what decides about Memory_Bound was not measured, and L1_Bound was asked for by name. */
static inline void ask_for_part(struct fixture *f)
{
	for (size_t i = MEM; i <= CORE; i++)
		f->nodes[i].is_bottleneck = f->nodes[i].is_on_worst_path = false;
	f->nodes[MEM].is_unjudged = true;
	f->nodes[DRAM].is_unjudged = f->nodes[DRAM].is_open = true;
	f->nodes[DRAM].over_threshold = false;
	f->nodes[L1].is_named = true;
	f->nodes[CORE].over_threshold = false;
	f->report.nodes = &f->nodes[MEM];
	f->report.nnodes = CORE - MEM + 1;
	f->report.asked =
		(struct select_request){ .nodes = "Memory_Bound*,Core_Bound,L1_Bound", .metrics = "*", .level = 3 };
	f->report.worst = NULL;
	f->report.nnext = f->report.nnotes = 0;
	f->metrics[BANDWIDTH].failure = "needs uncore_imc";
}

/* What the renderer prints, to be freed. */
static inline int render_report(FILE *out, const struct report *report, const struct style *style, struct error *err)
{
	struct report only = *report;
	const struct report_set set = { .parts = &only, .count = 1, .from_s = (double)NAN, .to_s = (double)NAN };

	return render_reports(out, &set, NULL, style, err);
}

static inline int render_plan(FILE *out, const struct fixture *f, const struct style *style, struct error *err)
{
	const struct plan_part part = { &f->plan, &f->model, NULL };

	return render_plans(out, &(struct plan_set){ &part, 1, false }, style, err);
}

static inline char *report_text_of(const struct report *report, const struct style *style)
{
	struct error err = { .text = "" };
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);

	assert_int_equal(render_report(out, report, style, &err), 0);
	fclose(out);
	return text;
}

static inline char *plan_text_of(const struct fixture *f, const struct style *style)
{
	struct error err = { .text = "" };
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);

	assert_int_equal(render_plan(out, f, style, &err), 0);
	fclose(out);
	return text;
}

#endif
