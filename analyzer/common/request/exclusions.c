/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/request/exclusions.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/text.h"

#define SIMULATED "{pmu sim}"

#define ALL_AT_ONCE	"a simulation counts everything at once, without counters"
#define CORE_OF_ITS_OWN "each simulated thread has a core of its own ({per-thread})"
#define EACH_AGAIN	"each is a simulation for each core"
#define ONE_SUBJECT	"one of them chooses what is measured"
#define PROGRAM_ONLY	"a simulated core runs a program of its own, from its start to its end"
#define SIMULATED_ONLY	"it is about simulated programs, and this one would be counted"

/* clang-format off */
const struct exclusion exclusions[] = {
	/* ---- a simulated core instead of the machine's ---- */
	{ "{cpu}", SIMULATED, false,
	  "a simulated core has a model of its own; a measurement chooses it by {sim-core}" },
	{ "{pid}, {tid}, {all-cpus}, {cpus}, {cgroup}, {live}, {interval}, {control}", SIMULATED, false, PROGRAM_ONLY },
	{ "{per-core}, {per-socket}, {per-cpu}, {global}", SIMULATED, false, CORE_OF_ITS_OWN },
	{ "{timeout}", SIMULATED, false, "`timeout SECONDS topdown ...` ends a simulation, with a report" },
	{ "{delay} in milliseconds", SIMULATED, false,
	  "simulated time is not wall time; {D} 50M starts after 50 million instructions" },
	{ "{stacks fp}, {stacks dwarf}, {stacks lbr}", SIMULATED, false,
	  "a simulation follows calls and returns itself; {stacks none} leaves stacks out" },
	{ "{frequency} without a native run, {period} without a native run", SIMULATED, false,
	  "only the native run is sampled, which {lines} makes unless {anchor never} leaves it out" },
	{ "{mux-interval}, {nmi-watchdog off}, {counters}, {form perf-metrics}, {form general}", SIMULATED, false,
	  ALL_AT_ONCE },
	{ "{kernel}", SIMULATED, false, "only user mode is simulated" },
	{ "{drilldown}", SIMULATED, false, "a simulation counts all levels at once" },
	{ "{spread-groups}", SIMULATED, false, "a simulation counts all groups at once" },
	{ "{spread-groups}", "{drilldown}", false, "{drilldown} runs a program once more for each step" },
	{ "{repeat}", SIMULATED, false,
	  "a simulation repeats within about 0.1 % (addresses and the order of threads differ), so a mean shows no "
	  "more than one run; {layouts} shows what the layout does" },
	{ "{lines} of a simulation", "{per-thread}", false, "source lines are those of all threads together" },
	{ "{what-if}, {layouts}", "{per-thread}", false, "threads are not matched from run to run" },
	{ "{layouts}, {what-if}", "{sim-core} with several cores", false, EACH_AGAIN },
	{ "{per-thread}", "{sim-core} with several cores", false, "each core has one tree" },
	{ "{lines}", "{sim-core} with several cores", false, "source lines are those of one core" },
	{ "{anchor always}", "{sim-core} with several cores", false, "this machine is one of them at most" },
	{ "{pinned}, {layouts}, {what-if}, {sim-core}, {sim-sample}, {sim-seconds}, {toggle}, {anchor always}, "
	  "{anchor never}, {trace-children no}", SIMULATED, true, SIMULATED_ONLY },
	{ "{sim-seconds} 0", SIMULATED, false, "it leaves the simulation out" },
	{ "{sim-seconds}", "{sim-sample}", false, "each says how much is modelled" },
	{ "{delay} in instructions", SIMULATED, true, "counters begin after milliseconds ({D} 100)" },

	/* ---- whose work, and when ---- */
	{ "{pid}, {tid}, {cpus}, {cgroup}", "{all-cpus}", false, ONE_SUBJECT },
	{ "{tid}, {cpus}, {cgroup}", "{pid}", false, ONE_SUBJECT },
	{ "{cpus}, {cgroup}", "{tid}", false, ONE_SUBJECT },
	{ "{cgroup}", "{cpus}", false, ONE_SUBJECT },
	{ "{user}", "{kernel}", false, "by default both modes are counted" },
	{ "{duration}", "PROGRAM", false, "it is for what runs already; to end a program use {timeout}" },
	{ "{timeout}", "PROGRAM", true, "it ends the program; {duration} SECONDS sets how long to count without one" },
	{ "{interval-plan rotate}", "{interval}", true, "each interval counts the next group" },
	{ "{per-core}, {per-socket}, {per-cpu}, {global}", "{per-thread}", false,
	  "threads are counted wherever they run" },
	{ "{all-cpus}, {cpus}, {cgroup}", "{per-thread}", false,
	  "{per-thread} separates the threads of {pid} or {tid}" },
	{ "{per-thread} of PROGRAM", SIMULATED, true,
	  "a program that is still to be started has one thread; {pid} and {tid} have several" },

	{ "{by-bpf on}, {by-bpf off}", "{wall}", true, "it chooses how the wall clock is recorded" },

	/* ---- how often ---- */
	{ "{interval}, {live}", "{repeat}", false, "one measures a run over time, the other one the program N times" },
	{ "{delay -1}, {control}", "{repeat}", false, "repeats run unattended" },
	{ "{interval}, {live}, {delay -1}, {control}, {pid}, {tid}, {all-cpus}, {cpus}, {cgroup}", "{drilldown}", false,
	  "{drilldown} runs a program once more for each step" },
	{ "{bottlenecks}, {nodes}, {groups}, {metrics}", "{drilldown}", false, "{drilldown} chooses the nodes itself" },
	{ "{bottlenecks}", "{only-bottleneck}", false, "the view has all causes, the path one" },

	/* ---- samples ---- */
	{ "{frequency}", "{period}", false, "samples per second, or one sample every N events" },
	{ "{functions}, {callers}, {annotate}, {per-function}, {by}, {lines}", "{retire-latency}", false,
	  "retire latencies are sampled on their own" },
	{ "{interval}, {live}", "{per-function}", false,
	  "{per-function} samples in runs of its own; {functions} works with {interval}" },
	{ "{delay -1}, {control}", "{lines} without {interval}", false,
	  "what is located is counted first and then sampled; with {interval}, or by `topdown sample`, it is sampled "
	  "at once" },
	{ "{lines} of what runs already", "{duration}", true,
	  "it counts first, and then samples for as long again; `topdown sample` only samples" },
};
/* clang-format on */

const size_t nexclusions = COUNT_OF(exclusions);

/* ---- what a request has ---- */

bool is_core_list(const char *names)
{
	return names && strchr(names, ',') && access(names, F_OK) != 0;
}

/* Beside a simulation with lines the program runs natively too, and is sampled by time. */
static bool is_native_sampled(const struct request *request)
{
	const struct simulation_choice *choice = &request->setup->simulation;

	return question_is_where(request->question) && choice->anchor != ANCHOR_NEVER;
}

struct wish {
	const char *name;
	bool is_given;
};

#define MOST_WISHES 80

struct wishes {
	struct wish items[MOST_WISHES];
	size_t count;
};

static void add(struct wishes *wishes, const struct wish *some, size_t count)
{
	memcpy(wishes->items + wishes->count, some, count * sizeof(*some));
	wishes->count += count;
}

static void add_simulation(struct wishes *wishes, const struct request *request)
{
	const struct setup *setup = request->setup;
	const struct simulation_choice *choice = &setup->simulation;
	const bool is_native = is_native_sampled(request);
	const struct wish some[] = {
		{ "{sim-core}", choice->core },
		{ "{sim-core} with several cores", is_core_list(choice->core) },
		{ "{sim-sample}", choice->sample > 0 },
		{ "{sim-seconds}", choice->seconds > 0 },
		{ "{sim-seconds} 0", choice->seconds < 0 },
		{ "{toggle}", choice->toggle },
		{ "{trace-children no}", choice->children == CHILDREN_LEFT_OUT },
		{ "{anchor always}", choice->anchor == ANCHOR_ALWAYS },
		{ "{anchor never}", choice->anchor == ANCHOR_NEVER },
		{ "{pinned}", choice->is_pinned },
		{ "{layouts}", choice->layouts > 1 },
		{ "{what-if}", choice->what_if.count },
		{ "{frequency} without a native run", setup->sampling.frequency && !is_native },
		{ "{period} without a native run", setup->sampling.period && !is_native },
	};

	add(wishes, some, COUNT_OF(some));
}

static void add_subject(struct wishes *wishes, const struct request *request)
{
	const struct setup *setup = request->setup;
	const struct subject_choice *subject = &setup->subject;
	const struct division *division = &request->question->division;
	const struct wish some[] = {
		{ "PROGRAM", setup->program.nwords },
		{ "{pid}", subject->processes },
		{ "{tid}", subject->threads },
		{ "{all-cpus}", subject->is_all_cpus },
		{ "{cpus}", subject->cpus },
		{ "{cgroup}", subject->cgroup },
		{ "{user}", setup->scope.is_user_only },
		{ "{kernel}", setup->scope.is_kernel_only },
		{ "{per-core}", division->by_core },
		{ "{per-socket}", division->by_socket },
		{ "{per-cpu}", division->by_cpu },
		{ "{global}", division->is_whole },
		{ "{per-thread}", subject->is_per_thread },
		{ "{per-thread} of PROGRAM", subject->is_per_thread && !setup_has_subject(setup) },
	};

	add(wishes, some, COUNT_OF(some));
}

static void add_timing(struct wishes *wishes, const struct timing_choice *timing)
{
	const struct wish some[] = {
		{ "{duration}", timing->duration_s > 0 },
		{ "{timeout}", timing->timeout_s > 0 },
		{ "{live}", timing->is_of_live },
		{ "{interval}", timing->interval_ms > 0 && !timing->is_of_live },
		{ "{interval-plan rotate}", timing->interval_plan == INTERVAL_ROTATE && !timing->is_of_live },
		{ "{delay -1}", timing->delay.ms < 0 },
		{ "{delay} in milliseconds", timing->delay.ms > 0 || timing->delay.ms < 0 },
		{ "{delay} in instructions", timing->delay.instructions > 0 },
		{ "{control}", timing->control },
	};

	add(wishes, some, COUNT_OF(some));
}

static void add_counting(struct wishes *wishes, const struct setup *setup)
{
	const struct wish some[] = {
		{ "{cpu}", setup->machine.cpu },
		{ "{form perf-metrics}", setup->machine.form == FORM_CHOICE_PERF_METRICS },
		{ "{form general}", setup->machine.form == FORM_CHOICE_GENERAL },
		{ "{mux-interval}", setup->machine.mux_interval_ms > 0 },
		{ "{nmi-watchdog off}", setup->machine.watchdog == WATCHDOG_OFF },
		{ "{counters}", setup->packing.counters },
		{ "{drilldown}", setup->packing.is_drilldown },
		{ "{spread-groups}", setup->packing.spreads_groups },
		{ "{repeat}", setup->packing.repeats > 1 },
		{ "{wall}", setup->packing.wants_wall },
		{ "{by-bpf on}", setup->packing.by_bpf == BPF_ON },
		{ "{by-bpf off}", setup->packing.by_bpf == BPF_OFF },
		{ "{retire-latency}", setup->packing.wants_latencies },
		{ "{stacks fp}", setup->sampling.stacks == STACKS_BY_FP },
		{ "{stacks dwarf}", setup->sampling.stacks == STACKS_BY_CFI },
		{ "{stacks lbr}", setup->sampling.stacks == STACKS_BY_LBR },
		{ "{frequency}", setup->sampling.frequency },
		{ "{period}", setup->sampling.period },
	};

	add(wishes, some, COUNT_OF(some));
}

static void add_question(struct wishes *wishes, const struct request *request, enum pmu_choice pmu)
{
	const struct question *question = request->question;
	const struct setup *setup = request->setup;
	const bool is_where = question_is_where(question) && !setup->sampling.is_only;
	/* Counting, then sampling what the counts have found, takes several runs, or twice the time. */
	const bool is_apart = is_where && pmu == PMU_CPU && !(setup->timing.interval_ms > 0);
	const struct wish some[] = {
		{ "{bottlenecks}", question->wants_causes },
		{ "{nodes}", question->nodes },
		{ "{groups}", question->groups },
		{ "{metrics}", question->metrics },
		{ "{only-bottleneck}", question->wants_worst_only },
		{ "{functions}", question->wants_functions },
		{ "{callers}", question->callers },
		{ "{annotate}", question->annotated },
		{ "{source}", question->source },
		{ "{per-function}", question->nper_function },
		{ "{by}", question->filter.by != BY_NOTHING },
		{ "{lines}", is_where },
		{ "{lines} of a simulation", is_where && pmu == PMU_SIM },
		{ "{lines} without {interval}", is_apart },
		{ "{lines} of what runs already", is_apart && !setup->program.nwords },
	};

	add(wishes, some, COUNT_OF(some));
}

static int wishes_has(const void *context, const char *name, size_t length)
{
	const struct wishes *wishes = context;

	for (size_t i = 0; i < wishes->count; i++)
		if (!strncmp(wishes->items[i].name, name, length) && !wishes->items[i].name[length])
			return wishes->items[i].is_given;
	return -1;
}

/* ---- what is refused ---- */

/* Always -1. */
static int refuse(const struct exclusion *row, const char *name, size_t length, struct error *err)
{
	char given[128], what[128], other[128], reason[MOST_WORDED];

	snprintf(given, sizeof(given), "%.*s", (int)length, name);
	return error_set(err, row->is_need ? "%s needs %s: %s" : "%s and %s exclude each other: %s",
			 text_worded(what, sizeof(what), given), text_worded(other, sizeof(other), row->other),
			 text_worded(reason, sizeof(reason), row->reason));
}

int exclusion_check(const struct exclusion *row, has_function has, const void *context, struct error *err)
{
	const char *cursor = row->each, *name;
	int other = has(context, row->other, strlen(row->other));
	size_t length;

	if (other < 0 || (other > 0) == row->is_need)
		return 0;
	while ((length = text_next(&cursor, ",", &name)) > 0)
		if (has(context, name, length) > 0)
			return refuse(row, name, length, err);
	return 0;
}

int exclusions_check(const struct request *request, enum pmu_choice pmu, struct error *err)
{
	struct wishes wishes = { .count = 0 };

	if (pmu != PMU_AUTO)
		add(&wishes, &(struct wish){ SIMULATED, pmu == PMU_SIM }, 1);
	add_simulation(&wishes, request);
	add_subject(&wishes, request);
	add_timing(&wishes, &request->setup->timing);
	add_counting(&wishes, request->setup);
	add_question(&wishes, request, pmu);
	for (size_t i = 0; i < nexclusions; i++)
		if (exclusion_check(&exclusions[i], wishes_has, &wishes, err) < 0)
			return -1;
	return 0;
}
