/* SPDX-License-Identifier: GPL-2.0-or-later */
/* measure.c - the main job: topdown -l3 ./prog */
#include <math.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "command/checks.h"
#include "command/commands.h"
#include "command/drilldown.h"
#include "command/limits.h"
#include "command/output.h"
#include "command/progress.h"
#include "command/settings.h"
#include "command/show.h"
#include "command/simulate.h"
#include "command/subject.h"
#include "command/wanted.h"
#include "count/count.h"
#include "session/session.h"

#ifndef TOPDOWN_VERSION
#define TOPDOWN_VERSION "0.0.0"
#endif

#define DEEPEST 9 /* more levels than any model has */

/* The command as a shell would have to read it. */
static const char *command_text(char *const *words, struct arena *arena)
{
	struct string text = STRING_INIT(arena);

	for (; *words; words++) {
		string_add(&text, text.length ? " " : "");
		string_add_shell_word(&text, *words);
	}
	return text.text;
}

static const char *now_text(struct arena *arena)
{
	char text[32] = "";
	time_t now = time(NULL);
	struct tm parts;

	if (gmtime_r(&now, &parts))
		strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
	return arena_strdup(arena, text);
}

/*
 * Down to where shall be measured. Drilling down costs little, so it goes as deep as there is something to find; and source lines are
 * asked for to know what to change, which the leaves tell.
 */
static unsigned asked_level(const struct options *options)
{
	bool is_deep = options->is_drilldown || (options->wants_lines && wanted_level(options));

	return is_deep && !options->level ? DEEPEST : wanted_level(options);
}

static void describe(struct counts *counts, const struct target *target, const struct options *options,
		     struct arena *arena)
{
	counts->cpu = target->cpu;
	counts->cpuid = target->model.facts.cpuid;
	counts->machine = target->machine.model_name;
	counts->facts = target->model.facts;
	counts->command = options->nwords ? command_text(options->words, arena) : NULL;
	/* Source lines, to which the next question of a simulation is, are those of all threads together. */
	counts->options = options_kept(options, target->model.is_simulated ? "per-thread" : "", arena);
	counts->started = now_text(arena);
	counts->tool_version = TOPDOWN_VERSION;
	counts->model_version = target->model.version;
	counts->level = asked_level(options);
	counts->events = options->events;
	counts->nodes = options->nodes;
	counts->groups = options->groups;
	counts->metrics = options->metrics;
	counts->wants_lines = options->wants_lines;
}

/* How the machine was found, or was asked to be; both may be NULL. */
static void remark(struct counts *counts, const char *found, const char *asked, struct arena *arena)
{
	counts->remarks = arena_array(arena, 2, sizeof(*counts->remarks));
	if (found)
		counts->remarks[counts->nremarks++] = found;
	if (asked)
		counts->remarks[counts->nremarks++] = asked;
}

static const char *rotation_remark(const struct options *options, struct arena *arena)
{
	if (!options->mux_interval_ms)
		return NULL;
	return arena_printf(arena, "Groups that shared the counters had them for %u ms each (--mux-interval).",
			    options->mux_interval_ms);
}

/* From the options to what the collector is asked for. */
struct job {
	const struct options *options;
	struct arena *arena;
	struct target_types types;
	struct count_type *count_types;
	struct plan **plans; /* of count_types */
	struct drilldown drilldown;
	const char *program; /* where it was found */
	struct subject subject;
	struct timing timing;
	enum scope scope;
	struct output output;
	struct show show;
	bool is_simulated;
	struct arena interval_arena; /* until the next interval */
	struct progress progress;
};

static int plan_type(struct job *job, size_t number, struct error *err)
{
	const struct target *target = &job->types.items[number];
	bool is_one_run = job->options->is_multiplexed || !is_repeated(&job->subject, &job->timing);
	struct plan_request request = { .max_runs = is_one_run ? 1 : job->options->max_runs,
					.is_per_node = job->options->is_per_node };
	struct plan *plan = arena_alloc(job->arena, sizeof(*plan));
	struct counts *known = arena_alloc(job->arena, sizeof(*known));
	const char *found;

	if (wanted_fill(&request, &target->model, job->options, job->arena, err) < 0)
		return -1;
	if (job->options->is_drilldown)
		request.level = 1;
	if (limits_probe(&request.limits, target, err) < 0)
		return -1;
	found = limits_remark(&request.limits, target, job->arena);
	limits_leave(&request.limits, job->options);
	if (plan_build(plan, &target->model, &request, job->arena, err) < 0)
		return -1;
	limits_warn(&request.limits, target);
	describe(known, target, job->options, job->arena);
	remark(known, found, rotation_remark(job->options, job->arena), job->arena);
	job->plans[number] = plan;
	job->count_types[number] = (struct count_type){
		.label = target->machine.npmus > 1 ? target->pmu->name : NULL,
		.plan = plan,
		.model = &target->model,
		.known = known,
	};
	return 0;
}

static int plan_types(struct job *job, struct error *err)
{
	job->count_types = arena_array(job->arena, job->types.count, sizeof(*job->count_types));
	job->plans = arena_array(job->arena, job->types.count, sizeof(struct plan *));
	for (size_t i = 0; i < job->types.count; i++)
		if (plan_type(job, i, err) < 0)
			return -1;
	return 0;
}

/* The output is opened when there is something to write: a measurement that fails leaves the file as it was. */
static int show(struct job *job, const struct measurement *measured, struct arena *arena, struct error *err)
{
	if (!job->show.told && output_open(&job->output, job->options, stderr, err) < 0)
		return -1;
	if (show_measurement(&job->show, measured, arena, err) < 0)
		return output_failed(&job->output, err);
	return 0;
}

static int show_interval(void *context, const struct measurement *interval, struct error *err)
{
	struct job *job = context;
	int result = show(job, interval, &job->interval_arena, err);

	arena_reset(&job->interval_arena);
	return result;
}

static void show_progress(void *context, size_t run, size_t runs)
{
	struct job *job = context;

	progress_show(&job->progress, run, runs);
}

/* Whoever gives the sign has to know to whom. */
static void show_waiting(void *context)
{
	const struct job *job = context;

	fprintf(stderr, "topdown: counting begins with `kill -USR2 %d`", (int)getpid());
	if (job->timing.control)
		fprintf(stderr, ", or `echo enable >%.*s`", (int)strcspn(job->timing.control, ","),
			job->timing.control);
	fputc('\n', stderr);
}

static bool plan_further(void *context, const struct measurement *so_far, size_t runs)
{
	struct job *job = context;

	progress_wipe();
	return drilldown_further(&job->drilldown, so_far, runs);
}

static int simulate(struct measurement *measured, struct job *job, struct error *err)
{
	struct counts *counts = arena_alloc(job->arena, sizeof(*counts));

	*counts = *job->count_types[0].known;
	*measured = (struct measurement){ .parts = counts, .count = 1, .from_s = NAN, .to_s = NAN };
	return simulation_count(measured, &job->types.items[0], job->options, job->arena, err);
}

static int count(struct measurement *measured, struct job *job, struct error *err)
{
	struct count_request request = { .types = job->count_types,
					 .ntypes = job->types.count,
					 .machine = &job->types.items[0].machine,
					 .subject = job->subject,
					 .timing = job->timing,
					 .scope = job->scope,
					 .repeats = job->options->repeats,
					 .progress = show_progress,
					 .waiting = show_waiting,
					 .interval = show_interval,
					 .context = job };
	int result;

	if (job->is_simulated)
		return simulate(measured, job, err);
	if (job->options->is_drilldown) {
		job->drilldown.deepest = asked_level(job->options);
		job->drilldown.max_runs = job->options->is_multiplexed ? 1 : job->options->max_runs;
		drilldown_init(&job->drilldown, job->plans, &job->types, job->arena);
		request.further = plan_further;
	}
	if (job->options->nwords) {
		request.program.argv = job->options->words;
		request.program.is_heard = job->progress.is_quiet = job->options->wants_all_output;
		request.program.path = job->program;
	}
	result = count_measure(measured, &request, job->arena, err);
	progress_wipe();
	return result;
}

/* With the machine's settings as they were asked for, and as they were before in the end. */
static int count_with_settings(struct measurement *measured, struct job *job, struct error *err)
{
	struct settings settings;
	int result;

	if (settings_change(&settings, &job->types, job->options, job->arena, err) < 0)
		return -1;
	result = count(measured, job, err);
	settings_restore(&settings);
	return result;
}

/* A simulated core instead of the machine's. */
static int prepare_simulation(struct job *job, struct error *err)
{
	struct target *target = arena_alloc(job->arena, sizeof(*target));
	struct counts *known = arena_alloc(job->arena, sizeof(*known));
	struct plan_request request = { .max_runs = 1 };

	/* Everything is counted at once, so that of the plan only what is wanted has to be right. */
	if (simulation_target(target, job->options, job->arena, err) < 0 ||
	    wanted_fill(&request, &target->model, job->options, job->arena, err) < 0)
		return -1;
	*known = (struct counts){ .cpu = NULL };
	describe(known, target, job->options, job->arena);
	target_warn(target);
	job->types = (struct target_types){ .items = target, .count = 1 };
	job->count_types = arena_alloc(job->arena, sizeof(*job->count_types));
	*job->count_types = (struct count_type){ .model = &target->model, .known = known };
	job->is_simulated = true;
	return 0;
}

/* Everything that can be wrong before something is counted. */
static int prepare(struct job *job, struct error *err)
{
	const struct options *options = job->options;
	struct target target;
	struct target_facts facts = { .identified = &target };
	int is_simulated = 0;

	if (check_program(&job->program, options, job->arena, err) < 0 || timing_find(&job->timing, options, err) < 0 ||
	    scope_find(&job->scope, options, err) < 0 || check_files(options, err) < 0 ||
	    target_identify(&target, options, job->arena, err) < 0 ||
	    subject_find(&job->subject, options, &target.machine, job->arena, err) < 0)
		return -1;
	if (options->pmu == PMU_SIM)
		return prepare_simulation(job, err);
	if (check_drilldown(options, &job->subject, &job->timing, err) < 0 || check_repeats(options, err) < 0)
		return -1;
	facts.is_core_wide = is_core_wide(&job->subject, &target.machine);
	/* Where there is no PMU, what its events and nodes would have been called says nothing. */
	if (!target.machine.npmus)
		is_simulated = simulation_is_needed(&target, options, job->arena, err);
	if (!is_simulated && target_types(&job->types, &facts, options, job->arena, err) < 0)
		return -1;
	if (!is_simulated)
		is_simulated = simulation_is_needed(&job->types.items[0], options, job->arena, err);
	if (is_simulated)
		return is_simulated < 0 ? -1 : prepare_simulation(job, err);
	if (wanted_types(&job->types, options, job->arena, err) < 0 || check_uncounted(options, err) < 0 ||
	    check_threads(options, &job->subject, err) < 0)
		return -1;
	for (size_t i = 0; i < job->types.count; i++)
		target_warn(&job->types.items[i]);
	return plan_types(job, err);
}

/* A session that can't be saved costs nobody the report. */
static int tell(struct job *job, const struct measurement *measured, struct error *err)
{
	struct error not_saved = { .text = "" };
	int saved = job->options->save ? session_save(job->options->save, measured, &not_saved) : 0;

	if (show(job, measured, job->arena, err) < 0 || output_close(&job->output, err) < 0)
		return -1;
	return saved < 0 ? error_set(err, "%s", not_saved.text) : 0;
}

/* The program's exit status; 0 where there was none. */
static int status_of(const struct measurement *measured)
{
	const struct counts *counts = &measured->parts[0];

	return counts->nruns ? counts->runs[0].status : 0;
}

int command_measure(const struct options *options, struct arena *arena, struct error *err)
{
	struct job job = { .options = options, .arena = arena };
	struct measurement measured;
	int status = -1;

	if (prepare(&job, err) < 0)
		return -1;
	job.show = (struct show){ .types = &job.types, .output = &job.output, .is_series = job.timing.interval_s > 0 };
	if (count_with_settings(&measured, &job, err) == 0 && tell(&job, &measured, err) == 0)
		status = status_of(&measured);
	arena_release(&job.interval_arena);
	return status;
}
