/* SPDX-License-Identifier: GPL-2.0-or-later */
/* measure.c - engine_measure: identify, load, plan, count, evaluate; one step a statement. */
#include <math.h>
#include <string.h>

#include "collect/count/count.h"
#include "collect/observe/observer.h"
#include "common/base/text.h"
#include "common/measurement/division.h"
#include "common/measurement/interval_series.h"
#include "common/request/exclusions.h"
#include "engine/hidden_events.h"
#include "engine/limits.h"
#include "engine/reports.h"
#include "engine/sampling/interval_samples.h"
#include "engine/sampling/sampling.h"
#include "engine/selection.h"
#include "engine/simulation_parts.h"
#include "engine/steady_run.h"
#include "engine/steps.h"

/* What counts: a PMU, or a simulator. */
struct job;
struct pipeline {
	int (*load)(struct job *, struct error *);
	int (*plan)(struct job *, struct error *);
	int (*run)(struct job *, struct error *);
};

/* What is sampled, and when: alone, beside the groups of each interval, or after all groups, for the worst nodes. */
enum samples { SAMPLES_NONE, SAMPLES_ALONE, SAMPLES_BESIDE, SAMPLES_AFTER };

static const struct pipeline simulated;

/* What the steps of a measurement hand to each other. */
struct job {
	struct request request;
	struct steady_run steady_run;
	const char *program;	   /* where it was found; NULL: none */
	struct subject subject;	   /* whose work is counted */
	struct timing timing;	   /* when */
	enum scope scope;	   /* in which mode */
	struct target identified;  /* the machine and the database, with nothing loaded */
	struct target_types types; /* what is loaded: the core types, or the simulated core */
	const struct pipeline *pipeline;
	const char *why_simulated; /* though nobody asked for it: a notice for the user; NULL: that is not so */
	struct counts **described; /* of each type: where the counts come from, and what was asked */
	struct plan **plans;	   /* of each type; none where it is simulated */
	struct drilldown drilldown;
	enum samples samples;
	struct sampling sampling;
	struct sampled_instead instead; /* of what was asked for */
	struct native_answer native;	/* of a program that ran natively before it was simulated, or instead */
	struct interval_names names;	/* of what is sampled, while it is */
	struct latencies latencies;	/* in a run behind the counts, where they are asked for */
	struct measurement measured;
	struct interval_series *series; /* of the intervals of counts; NULL: none has ended */
	size_t noutcomes, nsampled;	/* nsampled: intervals of samples alone */
	struct arena interval_arena;	/* until the next interval */
	struct priority priority;	/* of this process, beside what runs already */
};

/* ---- what is to be measured ---- */

static int find_subject(struct job *job, struct error *err)
{
	const struct setup *setup = job->request.setup;

	if (setup->program.nwords && program_find(&job->program, setup->program.words[0], job->request.arena, err) < 0)
		return -1;
	if (observers_check(&job->request, err) < 0)
		return -1;
	if (exclusions_check(&job->request, setup->machine.pmu, err) < 0)
		return -1;
	timing_find(&job->timing, setup);
	job->scope = scope_of(setup);
	return 0;
}

/* ---- identify ---- */

static int identify(struct job *job, struct error *err)
{
	const struct request *request = &job->request;

	if (target_identify(&job->identified, request, err) < 0)
		return -1;
	return subject_find(&job->subject, request, &job->identified.machine, err);
}

/* ---- load ---- */

/* A simulated core instead of the machine's. */
static int load_simulated(struct job *job, struct error *err)
{
	struct target *target = arena_alloc(job->request.arena, sizeof(*target));

	job->types = (struct target_types){ .items = target, .count = 1 };
	return simulation_target(target, &job->request, err);
}

static int load_core_types(struct job *job, struct error *err)
{
	const struct machine *machine = &job->identified.machine;
	/* Where threads of a core have trees of their own, the formulas of all parts are those of threads. */
	bool is_by_sibling = job->request.question->division.by_cpu && machine->smt_on;
	struct target_facts facts = { .identified = &job->identified,
				      .is_core_wide = !is_by_sibling && is_core_wide(&job->subject, machine) };

	return target_types(&job->types, &facts, &job->request, err);
}

static int load_counted(struct job *job, struct error *err)
{
	return selection_types(&job->types, &job->request, err);
}

/* ---- plan ---- */

/*
 * Down to where is measured. Drilling down costs little, so it goes as deep as there is something to find. Source lines
 * are asked for to know what to change, and the leaves say that.
 */
static unsigned asked_level(const struct job *job)
{
	const struct request *request = &job->request;
	unsigned level = wanted_level(request);
	/* A simulation counts everything at once; on a PMU each level takes more runs. */
	bool deep = request->setup->packing.is_drilldown || (job->pipeline == &simulated && level);

	return deep && !request->question->level ? DEEPEST_LEVEL : level;
}

static int plan_type(struct job *job, size_t type, struct error *err)
{
	const struct request *request = &job->request;
	const struct packing_choice *packing = &request->setup->packing;
	struct target *target = &job->types.items[type];
	struct plan_request planned = { .max_runs = subject_max_runs(&job->subject, &job->timing, request->setup),
					.is_per_node = packing->is_per_node };
	struct found found;

	if (selection_fill(&planned, &target->model, request, err) < 0)
		return -1;
	if (packing->is_drilldown)
		planned.level = 1;
	if (limits_probe(&found, target, err) < 0)
		return -1;
	planned.limits = found.limits;
	limits_leave(&planned.limits, request);
	if (job->samples == SAMPLES_BESIDE)
		sampling_hold(&planned.limits, &job->sampling, type);
	event_set_use_general(&target->model.events, planned.limits.fixed);
	job->plans[type] = hidden_events_plan(&planned, target, &found, request, err);
	if (!job->plans[type] || subject_spread(job->plans[type], packing, err) < 0)
		return -1;
	limits_warn(&planned.limits, target, request);
	counts_head_remark(job->described[type], job->plans[type], &found, target, request);
	return 0;
}

/* A simulation counts everything at once, so that of its plan only what is wanted has to be right. */
static int plan_simulated(struct job *job, struct error *err)
{
	struct plan_request request = { .max_runs = 1 };

	if (selection_fill(&request, &job->types.items[0].model, &job->request, err) < 0)
		return -1;
	return simulation_check(&job->types.items[0], &job->request, err);
}

/* What is sampled is known when the worst node is. */
static void prepare_samples(struct job *job)
{
	sampling_init(&job->sampling, &job->types, &job->types.items[0].machine, &job->request);
	for (size_t i = 0; i < job->types.count; i++)
		sampling_limit(&job->sampling, i, &job->plans[i]->limits);
}

/* Before the groups are planned, which have to do with the other counters. */
static int prepare_beside(struct job *job, struct error *err)
{
	sampling_init(&job->sampling, &job->types, &job->types.items[0].machine, &job->request);
	return sampling_choose_beside(&job->sampling, err) < 0 ? -1 : sampling_begin(&job->sampling, 0, err);
}

static int plan_counted(struct job *job, struct error *err)
{
	if (question_is_where(job->request.question))
		job->samples = job->timing.interval_s > 0 ? SAMPLES_BESIDE : SAMPLES_AFTER;
	if (job->samples == SAMPLES_BESIDE && prepare_beside(job, err) < 0)
		return -1;
	for (size_t i = 0; i < job->types.count; i++)
		if (plan_type(job, i, err) < 0)
			return -1;
	if (job->samples == SAMPLES_AFTER)
		prepare_samples(job);
	return 0;
}

static void describe_types(struct job *job)
{
	struct arena *arena = job->request.arena;

	job->described = arena_array(arena, job->types.count, sizeof(struct counts *));
	job->plans = arena_array(arena, job->types.count, sizeof(struct plan *));
	for (size_t i = 0; i < job->types.count; i++)
		job->described[i] =
			describe(&job->types.items[i], asked_level(job), job->pipeline == &simulated, &job->request);
}

static int plan(struct job *job, struct error *err)
{
	describe_types(job);
	for (size_t i = 0; i < job->types.count; i++)
		target_warn(&job->types.items[i], &job->request);
	return job->pipeline->plan(job, err);
}

/* ---- evaluate, and hand over ---- */

static int hand_over(struct job *job, const struct measurement *measured, struct arena *arena, struct error *err)
{
	const struct sink *sink = job->request.sink;
	struct measurement shown;
	struct error unknown = { .text = "" };
	struct report_set reports = { .is_series = job->timing.interval_s > 0,
				      .before = job->noutcomes++,
				      .idle_percent = job->request.question->division.idle_percent };
	struct outcome outcome = { .measured = measured, .reports = &reports, .is_last = isnan(measured->from_s) };

	measurement_divide(&shown, measured, &job->request.question->division, arena);
	if (job->samples == SAMPLES_ALONE)
		reports_sampled(&reports, measured, arena);
	else if (reports_evaluate(&reports, &job->types, &shown, arena, err) < 0)
		return -1;
	/* Nobody loses a report because a name in it is misspelt: `topdown report` can be asked again. */
	if (reports_locate(&reports, measured, &job->request, arena, &unknown) < 0)
		request_notice(&job->request, NOTICE_WARNING, "%s", unknown.text);
	if (job->samples == SAMPLES_BESIDE && !outcome.is_last &&
	    interval_samples(&reports, measured, &job->names, arena, err) < 0)
		return -1;
	return sink->outcome ? sink->outcome(sink->context, &outcome, err) : 0;
}

static int hand_over_sampled(struct job *job, const struct measurement *interval, struct error *err)
{
	const struct sink *sink = job->request.sink;
	struct report_set reports = { .is_series = true, .before = job->nsampled++ };
	struct outcome outcome = { .measured = interval, .reports = &reports };

	if (interval_samples(&reports, interval, &job->names, &job->interval_arena, err) < 0)
		return -1;
	return sink->outcome ? sink->outcome(sink->context, &outcome, err) : 0;
}

/* Before the evaluation, whose failure costs nobody what was counted. */
static int measure_keep(struct job *job, struct error *err)
{
	const struct sink *sink = job->request.sink;

	job->measured.roofs = job->request.setup->roofs;
	job->measured.series = job->series;
	for (size_t i = 0; i < job->measured.count; i++)
		job->measured.parts[i].origin.has_profile = job->measured.profile && job->measured.profile->nrows;
	return sink->measured ? sink->measured(sink->context, &job->measured, err) : 0;
}

/* ---- count ---- */

static int on_interval(void *context, const struct measurement *counted, struct error *err)
{
	struct job *job = context;
	struct measurement interval = latencies_so_far(&job->latencies, counted, &job->interval_arena);
	int result = 0;

	if (job->samples != SAMPLES_ALONE) {
		if (!job->series)
			job->series = interval_series_new(job->request.arena, SERIES_MOST_BYTES);
		interval_series_add(job->series, &interval);
		result = hand_over(job, &interval, &job->interval_arena, err);
	} else if (job->request.sink->wants_sampled_intervals) {
		result = hand_over_sampled(job, &interval, err);
	}
	arena_reset(&job->interval_arena);
	return result;
}

static void measure_on_progress(void *context, size_t run, size_t runs)
{
	const struct sink *sink = ((struct job *)context)->request.sink;

	if (sink->progress)
		sink->progress(sink->context, run, runs);
}

static void on_attach(void *context, struct loop *loop)
{
	struct job *job = context;
	const struct sink *sink = job->request.sink;

	if (loop &&
	    (job->samples == SAMPLES_BESIDE || (job->samples == SAMPLES_ALONE && sink->wants_sampled_intervals)))
		interval_names_begin(&job->names, loop, &job->sampling);
	else
		interval_names_end(&job->names);
	if (sink->attach)
		sink->attach(sink->context, loop);
}

static void on_waiting(void *context)
{
	const struct job *job = context;

	announce_waiting(&job->request, job->timing.control);
}

/* Once: then everything is known that is to be sampled. False: nothing can be. */
static bool locate(struct job *job, const struct measurement *so_far, size_t runs)
{
	const struct counted counted = { &job->types, job->plans, so_far, runs };
	struct error err = { .text = "" };

	if (job->sampling.late.sampler)
		return false;
	if (sampling_locate(&job->sampling, &counted, &err) == 0)
		return true;
	request_notice(&job->request, NOTICE_WARNING, "nothing was sampled: %s", err.text);
	return false;
}

static bool on_runs_made(void *context, const struct measurement *so_far, size_t runs)
{
	struct job *job = context;

	/* Then the runs that sample are made, which are the last. */
	if (job->sampling.late.sampler || job->latencies.late.sampler)
		return false;
	if (drilldown_extend(&job->drilldown, so_far, runs))
		return true;
	/* Latencies are sampled behind the last step, of what all steps want. */
	return job->samples == SAMPLES_AFTER ? locate(job, so_far, runs) : latencies_begin(&job->latencies, runs);
}

static int simulate(struct job *job, struct error *err)
{
	const bool is_first = job->why_simulated && native_is_first(&job->request);
	const struct simulated_job simulated_job = { &job->types.items[0], &job->steady_run,
						     is_first ? &job->native : NULL };
	int status;

	job->measured = (struct measurement){
		.parts = job->described[0], .count = 1, .from_s = NOT_COUNTED, .to_s = NOT_COUNTED
	};
	status = simulation_count(&job->measured, &simulated_job, &job->request, err);
	if (status != COUNTED_NATIVELY)
		return status;
	if (job->native.why)
		request_notice(&job->request, NOTICE_WARNING, "%s", job->native.why);
	job->request.setup = &job->native.instead.setup;
	job->request.question = &job->native.instead.question;
	job->samples = SAMPLES_ALONE;
	return 0;
}

static const struct count_type *make_count_types(const struct job *job)
{
	struct count_type *types = arena_array(job->request.arena, job->types.count, sizeof(*types));

	for (size_t i = 0; i < job->types.count; i++) {
		const struct target *target = &job->types.items[i];

		types[i] = (struct count_type){
			.label = target->model.database && target->machine.npmus > 1 ? target->pmu->name : NULL,
			.plan = job->plans[i],
			.model = target->model.database ? &target->model : NULL,
			.template = job->described[i],
		};
	}
	return types;
}

static void begin_drilldown(struct job *job)
{
	const struct packing_choice *packing = &job->request.setup->packing;

	if (!packing->is_drilldown)
		return;
	job->drilldown.deepest = asked_level(job);
	job->drilldown.max_runs = packing->max_runs;
	drilldown_init(&job->drilldown, job->plans, &job->types, &job->request);
}

static size_t most_runs(const struct job *job, bool *shared)
{
	size_t most = 0;

	*shared = false;
	for (size_t i = 0; i < job->types.count; i++) {
		most = job->plans[i]->nruns > most ? job->plans[i]->nruns : most;
		*shared = *shared || plan_is_multiplexed(job->plans[i]);
	}
	return most;
}

static void announce_job(const struct job *job)
{
	struct run_numbers numbers = { .is_located = job->samples == SAMPLES_AFTER };

	numbers.counted = most_runs(job, &numbers.is_shared);
	if (job->samples == SAMPLES_AFTER)
		numbers.sampled = sampling_most_runs(&job->sampling, job->plans, asked_level(job), job->request.arena);
	else if (job->samples == SAMPLES_ALONE)
		numbers.sampled = job->sampling.nruns;
	announce_runs(&job->request, &numbers);
}

/* NULL where nobody asked for them. Those of a drill-down begin when it ends. */
static struct observer *begin_latencies(struct job *job)
{
	bool shared;

	if (!latencies_init(&job->latencies, &job->types, job->plans, &job->request))
		return NULL;
	if (!job->drilldown.request)
		(void)latencies_begin(&job->latencies, job->timing.interval_s > 0 ? 0 : most_runs(job, &shared));
	return &job->latencies.late.observer;
}

/* What is recorded beside the groups; what the front end brings comes last. */
static struct observer *const *begin_observers(struct job *job)
{
	const struct setup *setup = job->request.setup;
	struct observer **observers;
	size_t count, own = 0;

	while (setup->observers && setup->observers[own])
		own++;
	observers = arena_array(job->request.arena, OBSERVER_KINDS + own + 3, sizeof(struct observer *));
	count = observers_make(observers, &job->request);
	observers[count] = begin_latencies(job);
	count += observers[count] != NULL;
	if (job->samples)
		observers[count++] = &job->sampling.late.observer;
	for (size_t i = 0; i < own; i++)
		observers[count++] = setup->observers[i];
	observers[count] = NULL;
	return observers;
}

static int count_on_pmu(struct job *job, struct error *err)
{
	const struct setup *setup = job->request.setup;
	struct count_request request = { .types = make_count_types(job),
					 .ntypes = job->types.count,
					 .machine = &job->types.items[0].machine,
					 .subject = job->subject,
					 .timing = job->timing,
					 .scope = job->scope,
					 .priority = job->priority,
					 .repeats = setup->packing.repeats,
					 .progress = measure_on_progress,
					 .waiting = on_waiting,
					 .interval = on_interval,
					 .attach = on_attach,
					 .context = job };

	begin_drilldown(job);
	if (job->drilldown.request || job->samples == SAMPLES_AFTER)
		request.extend_plan = on_runs_made;
	request.observers = begin_observers(job);
	if (setup->program.nwords)
		request.program = (struct program){ .argv = setup->program.words,
						    .path = job->program,
						    .is_output_shown = setup->program.wants_all_output,
						    .is_output_hidden = setup->program.hides_output,
						    .no_terminal = setup->program.no_terminal };
	steady_run_program(&request.program, &job->steady_run);
	announce_job(job);
	return count_measure(&job->measured, &request, job->request.arena, err);
}

/* What was counted is not lost where nothing could be sampled. */
static void finish_samples(struct job *job)
{
	struct error err = { .text = "" };

	if (sampling_finish(&job->sampling, &job->measured, &err) < 0)
		request_notice(&job->request, NOTICE_WARNING, "nothing was sampled: %s", err.text);
}

static const struct pipeline counted_by_pmu = { load_counted, plan_counted, count_on_pmu };
static const struct pipeline simulated = { load_simulated, plan_simulated, simulate };

/*
 * Of a machine without a PMU nothing is loaded before the choice: what its events and nodes would be called says
 * nothing.
 */
static int pipeline_choose(struct job *job, struct error *err)
{
	const struct request *request = &job->request;
	bool by_simulation = request->setup->machine.pmu == PMU_SIM;

	if (!by_simulation && !job->identified.machine.npmus &&
	    simulation_decide(&job->why_simulated, &job->identified, request, err) < 0)
		return -1;
	if (!by_simulation && !job->why_simulated &&
	    (load_core_types(job, err) < 0 ||
	     simulation_decide(&job->why_simulated, &job->types.items[0], request, err) < 0))
		return -1;
	by_simulation |= job->why_simulated != NULL;
	job->pipeline = by_simulation ? &simulated : &counted_by_pmu;
	return exclusions_check(request, by_simulation ? PMU_SIM : PMU_CPU, err);
}

/* With the machine's settings as they were asked for; afterwards they are as before. */
static int count(struct job *job, struct error *err)
{
	struct settings settings;
	int result;

	if (settings_change(&settings, &job->types, &job->request, err) < 0)
		return -1;
	result = job->pipeline->run(job, err);
	settings_restore(&settings);
	return result;
}

/* ---- sample ---- */

/* Nothing is counted: each type has an empty plan. */
static int plan_samples(struct job *job, struct error *err)
{
	describe_types(job);
	for (size_t i = 0; i < job->types.count; i++)
		job->plans[i] = arena_alloc(job->request.arena, sizeof(struct plan));
	job->samples = SAMPLES_ALONE;
	sampling_init(&job->sampling, &job->types, &job->identified.machine, &job->request);
	return sampling_choose(&job->sampling, err) < 0 ? -1 : sampling_begin(&job->sampling, 0, err);
}

static int measure_samples(struct job *job, struct error *err)
{
	const struct target_facts facts = { .identified = &job->identified };

	if (sampling_load(&job->types, &facts, &job->request, err) < 0)
		return -1;
	if (plan_samples(job, err) < 0)
		return -1;
	if (count_on_pmu(job, err) < 0)
		return sampled_fail(job->sampling.late.sampler);
	if (sampling_finish(&job->sampling, &job->measured, err) < 0)
		return -1;
	if (measure_keep(job, err) < 0)
		return -1;
	return hand_over(job, &job->measured, job->request.arena, err);
}

/* ---- what the front end observes ---- */

static int observe_all(struct job *job, struct error *err)
{
	struct target *bare = arena_alloc(job->request.arena, sizeof(*bare));

	if (find_subject(job, err) < 0 || identify(job, err) < 0)
		return -1;
	target_bare(bare, &job->identified, &job->request);
	job->types = (struct target_types){ .items = bare, .count = 1 };
	describe_types(job);
	job->plans[0] = arena_alloc(job->request.arena, sizeof(struct plan));
	return count_on_pmu(job, err) < 0 ? -1 : measure_keep(job, err);
}

/* ---- all of it ---- */

static int measure_all(struct job *job, struct error *err)
{
	if (find_subject(job, err) < 0)
		return -1;
	if (steady_run_begin(&job->steady_run, &job->request, err) < 0)
		return -1;
	if (identify(job, err) < 0)
		return -1;
	if (steady_run_place(&job->steady_run, &job->identified.machine, &job->request, err) < 0)
		return -1;
	if (sampling_is_instead(&job->instead, &job->identified, &job->request)) {
		job->request.setup = &job->instead.setup;
		job->request.question = &job->instead.question;
	}
	if (job->request.setup->sampling.is_only)
		return measure_samples(job, err);
	if (pipeline_choose(job, err) < 0)
		return -1;
	if (job->pipeline->load(job, err) < 0)
		return -1;
	if (plan(job, err) < 0)
		return -1;
	if (job->why_simulated)
		request_notice(&job->request, NOTICE_PLAIN, "%s", job->why_simulated);
	if (count(job, err) < 0)
		return sampled_fail(job->sampling.late.sampler);
	if (job->samples && job->pipeline != &simulated)
		finish_samples(job);
	if (measure_keep(job, err) < 0)
		return -1;
	return hand_over(job, &job->measured, job->request.arena, err);
}

static int engine_run(const struct request *request, int (*steps)(struct job *, struct error *), struct error *err)
{
	struct job job = { .request = *request };
	int result;

	if (setup_has_subject(request->setup))
		priority_raise(&job.priority);
	result = steps(&job, err);
	steady_run_end(&job.steady_run, &job.request);
	priority_restore(&job.priority);
	if (job.series)
		interval_series_release(job.series);
	arena_release(&job.interval_arena);
	return result;
}

int engine_measure(const struct request *request, struct error *err)
{
	return engine_run(request, measure_all, err);
}

int engine_observe(const struct request *request, struct error *err)
{
	return engine_run(request, observe_all, err);
}
