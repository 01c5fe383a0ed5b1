/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/hotspots/functions.h"
#include "analyse/hotspots/weighing.h"
#include "collect/simulate/simulable.h"
#include "collect/simulate/simulate.h"
#include "common/base/text.h"
#include "common/request/exclusions.h"
#include "common/waits/waits.h"
#include "cpu/identify/guest_l3.h"
#include "cpu/identify/machine.h"
#include "engine/limits.h"
#include "engine/sampling/sampling.h"
#include "engine/simulation_parts.h"
#include "engine/steady_run.h"
#include "engine/steps.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define MOST_LAYOUTS 100u

const char *first_clause(const char *reason, struct arena *arena)
{
	size_t length = 0;

	while (reason[length] && strncmp(reason + length, ": ", 2) != 0 && strncmp(reason + length, "; ", 2) != 0)
		length++;
	return arena_strndup(arena, reason, length);
}

const char *simulation_obstacle(const struct request *request, struct arena *arena)
{
	const struct setup *setup = request->setup;
	struct simulator simulator;
	struct error found = { .text = "" };
	const char *path;

	if (setup_has_subject(setup))
		return "what already runs can't be simulated";
	if (exclusions_check(request, PMU_SIM, &found) < 0 || simulator_find(&simulator, arena, &found) < 0)
		return arena_strdup(arena, found.text);
	/* Who does not find it says so better where it is started. */
	if (setup->program.nwords && program_find(&path, setup->program.words[0], arena, &found) == 0 &&
	    simulable_check(path, &found) < 0)
		return arena_strdup(arena, found.text);
	return NULL;
}

/* How the program runs, where nothing can be counted for that reason. */
static const char *announcement(const char *reason, const struct request *request)
{
	if (native_is_first(request))
		return arena_worded(
			request->arena,
			"nothing can be counted here (%s): the program runs natively, then SIMULATED, without "
			"output, for up to %.0f s; `topdown doctor` says more",
			reason, native_budget(request));
	return arena_printf(request->arena,
			    "nothing can be counted here (%s): the program runs on a SIMULATED core, which takes many "
			    "times as long%s; `topdown doctor` says what would change that",
			    reason,
			    question_is_where(request->question) ? "; `topdown sample` is the quick way, by time" : "");
}

int simulation_decide(const char **why, const struct target *target, const struct request *request, struct error *err)
{
	const struct setup *setup = request->setup;
	struct simulator simulator;
	struct error reason = { .text = "" }, missing = { .text = "" };

	*why = NULL;
	/* --sysroot is about another machine, of which nothing can be tried. */
	if (setup->machine.pmu != PMU_AUTO || (*setup->machine.sysroot && target->machine.npmus) ||
	    !limits_find_obstacle(&reason, target))
		return 0;
	if (setup_has_subject(setup) && !setup->simulation.core)
		return error_set(err,
				 "nothing can be counted here, and what already runs can't be simulated: %s. `topdown "
				 "sample`, which needs no counters, shows where its time goes; `topdown PROGRAM` "
				 "simulates a program from its start; `topdown doctor` says more",
				 first_clause(reason.text, request->arena));
	if (*setup->machine.sysroot || !setup->program.nwords || setup_has_subject(setup))
		return 0;
	if (exclusions_check(request, PMU_SIM, &missing) < 0 ||
	    simulator_find(&simulator, request->arena, &missing) < 0)
		return error_set(err, "%s. Nothing can be simulated instead: %s", reason.text, missing.text);
	*why = announcement(first_clause(reason.text, request->arena), request);
	return 0;
}

int simulation_target(struct target *target, const struct request *request, struct error *err)
{
	const struct machine *machine;
	struct facts facts;
	struct target_request named = { .cpu = SIMULATED_CPU, .facts = &facts, .events = request->question->events };

	if (request->setup->simulation.layouts > MOST_LAYOUTS)
		return error_set(err, "{layouts}: at most %u, as each is a simulation", MOST_LAYOUTS);
	machine = identified_machine(request, err);
	if (!machine)
		return -1;
	facts = facts_assumed(); /* the machine is not what counts */
	facts.cpuid = machine->cpuid;
	if (target_named(target, &named, request, err) < 0)
		return -1;
	target->machine = *machine;
	target->has_machine = true;
	return 0;
}

/* The machine's own caches, where the core stands for the machine's. False: none of their sizes are known. */
static bool take_caches(struct sim_core *core, const struct request *request)
{
	struct cpu_cache *caches;
	size_t count = caches_identify(&caches, request->setup->machine.sysroot, request->arena), taken = 0;

	for (size_t i = 0; i < count; i++) {
		const struct cpu_cache *cache = &caches[i];
		const char *name = cache->level == 1 ? (cache->holds_data ? "l1d" : "l1i")
						     : arena_printf(request->arena, "l%u", cache->level);

		/* A hypervisor may report sizes without ways, or none at all. */
		if (!cache->kib || !cache->ways || cache->ways > 64)
			continue;
		sim_core_set(core, arena_printf(request->arena, "%s_kib", name), cache->kib);
		sim_core_set(core, arena_printf(request->arena, "%s_ways", name), cache->ways);
		taken++;
	}
	return taken > 0;
}

static const char *cache_size_text(uint64_t kib, struct arena *arena)
{
	return kib % 1024 ? arena_printf(arena, "%" PRIu64 " KiB", kib)
			  : arena_printf(arena, "%" PRIu64 " MiB", kib / 1024);
}

/* What a guest has of the L3 that is stated; what the report says of it, "" where that is all that is known. */
static const char *take_guest_l3(struct sim_core *core, const struct target *target, const struct request *request)
{
	struct arena *arena = request->arena;
	uint64_t stated = sim_core_get(core, "l3_kib"), measured = 0;

	if (!*request->setup->machine.sysroot)
		measured = guest_l3_kib(&target->machine, sim_core_get(core, "l2_kib"), stated, arena);
	if (!measured)
		return "";
	if (measured == stated)
		return arena_printf(arena, "; L3 %s, as measured", cache_size_text(stated, arena));
	sim_core_set(core, "l3_kib", measured);
	return arena_printf(arena, "; L3 %s (measured: this guest's answers like memory beyond; the CPU states %s)",
			    cache_size_text(measured, arena), cache_size_text(stated, arena));
}

/* Is the core the one that stands for this machine's CPU? Only then cycles of both can be compared. */
static bool is_own_core(const struct sim_core *core, const struct target *target, const struct request *request)
{
	struct error unknown = { .text = "" };
	const char *own = sim_core_match(target->database, target->machine.cpuid, request->arena, &unknown);

	return !*request->setup->machine.sysroot && own && !strcmp(own, core->name);
}

/* Why the program is not run natively too; NULL: it is. */
static const char *find_no_anchor(const struct sim_core *core, const struct target *target,
				  const struct request *request)
{
	if (request->setup->simulation.anchor != ANCHOR_ALWAYS && request->setup->packing.max_runs == 1)
		return arena_worded(request->arena, "the program was to run once only ({max-runs} 1)");
	if (request->setup->simulation.is_pinned && request->setup->simulation.anchor != ANCHOR_ALWAYS)
		return arena_worded(request->arena, "the simulated program ran with another environment ({pinned})");
	if (request->setup->simulation.toggle || request->setup->timing.delay.instructions > 0)
		return "only a part of the program was counted";
	if (is_core_list(request->setup->simulation.core))
		return arena_worded(request->arena, "{sim-core} is a list of cores");
	if (!is_own_core(core, target, request))
		return arena_printf(request->arena, "%s is not this machine's core", core->name);
	return NULL;
}

static void announce(const void *context, unsigned most_runs, double limit_s)
{
	if (most_runs > 1)
		request_notice(context, NOTICE_ACTION,
			       "the program now runs natively and without output, to check the simulation: up to %u "
			       "times where it is short, for at most %.0f s each ({anchor} never leaves this out)",
			       most_runs, limit_s);
	else
		request_notice(context, NOTICE_ACTION,
			       "the program now runs once more, natively and without output, to check the simulation, "
			       "for at most %.0f s ({anchor} never leaves this run out)",
			       limit_s);
}

/* Cycles of eight additions on the core when nobody else uses it; 0: unknown. */
static double additions_alone(const struct sim_core *core)
{
	double units = 0, width = 0;

	for (size_t i = 0; i < core->count; i++) {
		const struct sim_parameter *parameter = &core->parameters[i];

		units = strcmp(parameter->name, "alu_units") ? units : (double)parameter->value;
		width = strcmp(parameter->name, "width") ? width : (double)parameter->value;
	}
	return units > 0 && width > 0 ? 8 / fmin(units, width) : 0;
}

static void explain_no_anchor(struct counts *counts, const char *reason, struct arena *arena)
{
	struct anchor *anchor = arena_alloc(arena, sizeof(*anchor));

	*anchor = (struct anchor){ .user_s = NOT_COUNTED, .hz = NOT_COUNTED, .reason = reason };
	counts->anchor = anchor;
}

/* The core of programs that are pinned, where none is named: the same on every host. */
#if defined(__aarch64__)
#define PINNED_CORE "neoverse-v1"
#else
#define PINNED_CORE "skylake"
#endif

/* "Zen 4 (zen4)": its name as people write it, from "like AMD Zen 4 (EPYC 9004)", and as --sim-core takes it. */
static const char *core_words(const struct sim_core *core, struct arena *arena)
{
	static const char *const makers[] = { "AMD ", "Arm ", "Intel " };
	const char *title = core->title ? core->title : "";
	size_t length;

	if (strncmp(title, "like ", 5) != 0)
		return core->name;
	title += 5;
	for (size_t i = 0; i < COUNT_OF(makers); i++)
		if (!strncmp(title, makers[i], strlen(makers[i])))
			title += strlen(makers[i]);
	length = strcspn(title, "(");
	while (length && title[length - 1] == ' ')
		length--;
	return arena_printf(arena, "%.*s (%s)", (int)length, title, core->name);
}

/* What the report calls it. */
static const char *report_words(const struct sim_core *core, const struct request *request)
{
	return arena_printf(request->arena, "simulated %s%s", core_words(core, request->arena),
			    request->setup->simulation.is_pinned ? ", pinned" : "");
}

/* The core that stands for this machine's, where none is named: with the machine's caches. */
static int find_near(struct sim_core *core, const char **words, const struct target *target,
		     const struct request *request, struct error *err)
{
	const char *name = request->setup->simulation.is_pinned
				   ? PINNED_CORE
				   : sim_core_match(target->database, target->machine.cpuid, request->arena, err);

	if (!name || sim_core_load(core, target->database, name, request->arena, err) < 0)
		return -1;
	*words = report_words(core, request);
	if (request->setup->simulation.is_pinned) {
		*words = arena_worded(request->arena, "%s; without {sim-core} this core on every host", *words);
		return 0;
	}
	if (take_caches(core, request))
		*words = arena_printf(request->arena, "%s with this machine's cache sizes%s", *words,
				      take_guest_l3(core, target, request));
	/* A virtual machine's pages are translated twice. */
	sim_core_set(core, "nested_pages", target->machine.hypervisor != NULL);
	return 0;
}

/* ---- several cores ---- */

#define MOST_CORES 32

struct cores {
	struct sim_core items[MOST_CORES];
	const char *words[MOST_CORES]; /* what the report calls each */
	size_t count;
};

static int add_core(struct cores *cores, const char *name, const struct target *target, const struct request *request,
		    struct error *err)
{
	struct sim_core *core = &cores->items[cores->count];

	if (cores->count == MOST_CORES)
		return error_set(err, "{sim-core}: at most %d cores", MOST_CORES);
	if (sim_core_load(core, target->database, name, request->arena, err) < 0)
		return -1;
	for (size_t i = 0; i < cores->count; i++)
		if (!strcmp(cores->items[i].path, core->path))
			return 0;
	cores->words[cores->count++] = report_words(core, request);
	return 0;
}

static int find_cores(struct cores *cores, const struct target *target, const struct request *request,
		      struct error *err)
{
	const char *cursor = request->setup->simulation.core, *part;
	size_t length;

	cores->count = 0;
	if (!cursor) {
		cores->count = 1;
		return find_near(&cores->items[0], &cores->words[0], target, request, err);
	}
	if (!is_core_list(cursor))
		return add_core(cores, cursor, target, request, err);
	while ((length = text_next(&cursor, ",", &part)) > 0)
		if (add_core(cores, arena_strndup(request->arena, part, length), target, request, err) < 0)
			return -1;
	return cores->count ? 0 : error_set(err, "{sim-core}: it needs the name of a core");
}

/* What to type to measure the same way on one of the cores. */
static const char *options_of(const char *options, const char *core, const struct request *request)
{
	const char *list = request->setup->simulation.core, *found = options ? strstr(options, list) : NULL;

	if (!found)
		return options;
	return arena_printf(request->arena, "%.*s%s%s", (int)(found - options), options, core, found + strlen(list));
}

/* Each core is a part of what is measured, described as the first one is; those behind it come when they have run. */
static void describe_parts(struct measurement *measured, const struct cores *cores, const struct request *request)
{
	struct counts *parts = arena_array(request->arena, cores->count, sizeof(*parts));

	for (size_t i = 0; i < cores->count; i++) {
		parts[i] = measured->parts[0];
		parts[i].origin.machine = cores->words[i];
		if (cores->count == 1)
			continue;
		parts[i].repeats = arena_alloc(request->arena, sizeof(*parts[i].repeats));
		*parts[i].repeats = *measured->parts[0].repeats;
		parts[i].origin.part = cores->items[i].name;
		parts[i].origin.part_kind = "core model";
		parts[i].origin.options = options_of(parts[i].origin.options, cores->items[i].name, request);
	}
	measured->parts = parts;
	measured->count = 1;
}

/* That the program runs more than once, before it does. */
static void announce_passes(const struct cores *cores, const struct request *request)
{
	const char *name = request->setup->program.words[0];

	if (request->setup->simulation.layouts > 1)
		request_notice(request, NOTICE_ACTION, "%s runs %u times, each with another layout ({layouts})", name,
			       request->setup->simulation.layouts);
	if (cores->count > 1)
		request_notice(request, NOTICE_ACTION, "%s runs %zu times, each on another core ({sim-core})", name,
			       cores->count);
}

/* On which cores it runs, and what the first one is tried without. */
struct passes {
	struct cores cores;
	struct trial_choice trials;
};

/* They are counted where they are asked for, since that takes longer. */
static bool asks_for_traffic(const struct question *question)
{
	return question->wants_roofline || (question->events && strcasestr(question->events, "lines."));
}

static bool asks_for_loops(const struct question *question)
{
	return question->wants_roofline && question->nper_function;
}

static int find_passes(struct passes *passes, struct simulation *simulation, const struct target *target,
		       const struct request *request, struct error *err)
{
	struct cores *cores = &passes->cores;

	if (find_cores(cores, target, request, err) < 0 ||
	    trials_read_words(&passes->trials, &cores->items[0], target, request, err) < 0)
		return -1;
	simulation->core = cores->items;
	simulation->others = cores->items + 1;
	simulation->nothers = cores->count - 1;
	if (cores->count > 1)
		simulation->has_lines = simulation->has_loops = simulation->has_stacks = false;
	if (request->setup->simulation.what_if.count)
		simulation->trials = (struct trial_wish){ .find = trials_find, .context = &passes->trials };
	return 0;
}

int simulation_check(const struct target *target, const struct request *request, struct error *err)
{
	struct simulation unused = { .model = &target->model };
	struct passes passes = { .cores.count = 0 };

	return find_passes(&passes, &unused, target, request, err);
}

static void find_names(struct measurement *measured, const struct target *target, const struct request *request)
{
	struct profile *profile = measured->profile;
	const struct exact_rows rows = { profile, &measured->parts[0], &target->model };
	struct simulated_wish wish = { .sysroot = request->setup->machine.sysroot };
	struct weighing cycles;

	if (asks_for_loops(request->question) && weighing_of_cycles(&cycles, &rows, request->arena)) {
		wish.most = request->question->nper_function;
		wish.weights = arena_array(request->arena, (size_t)profile->nplaces + 1, sizeof(*wish.weights));
		for (uint32_t i = 0; i < profile->nrows; i++)
			wish.weights[profile->stacks[profile->rows[i].stack].place] += cycles.weights[i];
	}
	simulated_names_find(profile, &measured->parts[0], &wish, request->arena);
}

/* Of this machine's own core: what others would hide is not known. Pinned, the program shall see a CPU without it. */
static void find_hidden_code(struct simulation *simulation, const struct target *target, const struct request *request)
{
	const struct setup *setup = request->setup;

	if (setup->simulation.is_pinned || (setup->simulation.core && !is_own_core(simulation->core, target, request)))
		return;
	hidden_code_find(&simulation->hidden, target->machine.flags, simulation->program->path, request->arena);
	if (simulation->hidden.clause)
		request_notice(request, NOTICE_ACTION, "%s", simulation->hidden.clause);
}

static struct program program_of(const struct setup *setup)
{
	return (struct program){ .argv = setup->program.words,
				 .is_output_shown = setup->program.wants_all_output,
				 .is_output_hidden = setup->program.hides_output };
}

static struct anchor_wish anchor_wish_of(const struct request *request)
{
	return (struct anchor_wish){ .choice = request->setup->simulation.anchor,
				     .announce = announce,
				     .software = observe_software.make(request),
				     .waits = observe_waits.is_wanted(request) ? observe_waits.make(request) : NULL,
				     .context = request };
}

#define MODELLED_PART 3 /* of the time: running it under the simulator takes the rest */

/* The native run first; samples are those of that run then. */
static void begin_native(struct simulation *simulation, struct native_answer *native, struct anchor_samples *samples,
			 const struct target *target, const struct request *request)
{
	*native = (struct native_answer){
		.request = request, .target = target, .samples = samples, .budget_s = native_budget(request)
	};
	samples->is_first = true;
	simulation->seconds /= MODELLED_PART;
	simulation->anchor.beside = &samples->late.observer;
	simulation->native = (struct native_wish){
		.is_first = true, .budget_s = native->budget_s, .ended = native_answer_give, .context = native
	};
}

static int take_native(struct measurement *measured, struct native_answer *native)
{
	native->measured.cut_by = measured->cut_by;
	native->measured.interrupted_by = measured->interrupted_by;
	*measured = native->measured;
	return COUNTED_NATIVELY;
}

/* What could not be simulated has run natively all the same. */
static int native_instead(struct measurement *measured, struct native_answer *native, struct error *err)
{
	native->why = arena_printf(native->request->arena,
				   "no tree here, only where the time goes, by samples: the simulation failed: %s",
				   err->text);
	error_clear(err);
	return take_native(measured, native);
}

/* As it was asked for; the program and the simulator are yet to be found. */
static struct simulation simulation_of(const struct target *target, const struct request *request)
{
	const struct setup *setup = request->setup;

	return (struct simulation){
		.model = &target->model,
		.sample = setup->simulation.is_pinned && !(setup->simulation.sample > 0) ? 1 : setup->simulation.sample,
		.seconds = setup->simulation.seconds,
		.toggle = setup->simulation.toggle,
		.delay = setup->timing.delay.instructions,
		.has_children = setup->simulation.children == CHILDREN_TRACED,
		.has_lines = question_is_where(request->question) ||
			     (setup->simulation.keeps_lines && !setup->subject.is_per_thread),
		.has_stacks = setup->sampling.stacks != STACKS_LEFT_OUT,
		.by_instruction = function_last_part(request->question->annotated, request->arena),
		.has_loops = asks_for_loops(request->question),
		.has_traffic = setup->simulation.has_traffic || asks_for_traffic(request->question),
		.has_threads = setup->subject.is_per_thread,
		.is_pinned = setup->simulation.is_pinned,
		.layouts = setup->simulation.layouts,
		.anchor = anchor_wish_of(request),
		.listener = { .context = request->sink->context,
			      .so_far = request->sink->simulated,
			      .has_line = request->sink->has_line },
	};
}

/* The names of what was simulated, and the samples beside it. */
static int simulation_finish(struct measurement *measured, struct native_answer *native, struct anchor_samples *samples,
			     const struct target *target, const struct request *request)
{
	if (measured->profile)
		find_names(measured, target, request);
	anchor_samples_finish(samples);
	if (native && native->measured.count)
		anchor_samples_move(samples);
	return 0;
}

/* Of a native run that was broken off at its first effect the clock is that of no run. */
static void finish_waits(struct measurement *measured, const struct observer *waits, struct arena *arena)
{
	struct counts *counts = &measured->parts[0];
	const struct anchor *anchor = measured->count ? counts->anchor : NULL;

	waits->finish(waits->context, measured);
	if (!measured->waits || measured->waits->refused || !anchor || anchor->wall_s > 0)
		return;
	*measured->waits = (struct waits){ .refused = arena_printf(arena, "it did not run natively (%s)",
								   anchor->reason ? anchor->reason : "no reason") };
	for (size_t i = 0; i < counts->nrepeats; i++)
		counts->repeats[i].wall = NULL;
}

int simulation_count(struct measurement *measured, const struct simulated_job *job, const struct request *request,
		     struct error *err)
{
	const struct target *target = job->target;
	struct native_answer *native = job->native;
	const struct setup *setup = request->setup;
	struct simulator simulator;
	struct passes *passes = arena_alloc(request->arena, sizeof(*passes));
	struct program program = program_of(setup);
	struct simulation simulation = simulation_of(target, request);
	struct anchor_samples *samples = arena_alloc(request->arena, sizeof(*samples));
	const char *no_anchor;
	bool is_anchored;
	int status;

	simulation.simulator = &simulator;
	simulation.program = &program;
	steady_run_program(&program, job->steady_run);
	if (program_find(&program.path, setup->program.words[0], request->arena, err) < 0 ||
	    simulable_check(program.path, err) < 0 || find_passes(passes, &simulation, target, request, err) < 0 ||
	    simulator_find(&simulator, request->arena, err) < 0)
		return -1;
	announce_passes(&passes->cores, request);
	describe_parts(measured, &passes->cores, request);
	find_hidden_code(&simulation, target, request);
	simulation.anchor.additions = additions_alone(simulation.core);
	no_anchor = find_no_anchor(simulation.core, target, request);
	is_anchored = setup->simulation.anchor != ANCHOR_NEVER;
	if (no_anchor || !is_anchored)
		simulation.anchor.choice = ANCHOR_NEVER;
	anchor_samples_init(samples, measured, &target->machine, request);
	if (simulation.has_lines)
		simulation.anchor.beside = &samples->late.observer;
	if (native && !no_anchor)
		begin_native(&simulation, native, samples, target, request);
	status = simulate_program(measured, &simulation, request->arena, err);
	if (status < 0 && native && native->measured.count && !err->interrupted_by)
		status = native_instead(measured, native, err);
	else if (status < 0)
		return sampled_fail(samples->late.sampler);
	else if (status == SIMULATED_NATIVELY && native)
		status = take_native(measured, native);
	else
		status = simulation_finish(measured, native, samples, target, request);
	if (status == 0 && no_anchor && is_anchored && passes->cores.count == 1)
		explain_no_anchor(&measured->parts[0], no_anchor, request->arena);
	if (simulation.anchor.waits)
		finish_waits(measured, simulation.anchor.waits, request->arena);
	return status;
}
