/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/simulate/simulate_internal.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collect/simulate/simulable.h"
#include "collect/simulate/simulated_counts.h"
#include "collect/simulate/unsimulated.h"
#include "common/base/text.h"
#include "common/system/file.h"
#include "common/system/output_file.h"
#include "simulator/wire.h"

/* ---- the files between topdown and the tool ---- */

#define MOST_NAME 64 /* of a file in the folder, with the names of folders between */

struct exchange {
	const char *folder;	   /* of this simulation, removed at its end */
	const char *core, *counts; /* counts: the folder that the tool and Valgrind write into */
	size_t layout;		   /* its number, from 0 */
	pid_t pid;		   /* of the program; 0: it has not run */
	struct arena *arena;
};

static char *absolute(char *path, struct arena *arena)
{
	char *found = realpath(path, NULL), *kept = found ? arena_strdup(arena, found) : path;

	free(found);
	return kept;
}

static int exchange_open(struct exchange *exchange, const char *core, struct arena *arena, struct error *err)
{
	const char *named = getenv("TMPDIR"), *tmp = named && *named ? named : "/tmp";
	char *folder = arena_printf(arena, "%s/topdown-XXXXXX", tmp);

	*exchange = (struct exchange){ .core = "", .counts = "" };
	if (strlen(folder) >= PATH_MAX - MOST_NAME)
		return error_set(err, "TMPDIR has %zu characters, too many for files in it; choose a shorter one",
				 strlen(tmp));
	if (!mkdtemp(folder))
		return error_set(err, "no folder can be made in %.200s%s: %s; TMPDIR names another place", tmp,
				 strlen(tmp) > 200 ? "..." : "", strerror(errno));
	folder = absolute(folder, arena); /* the program may go elsewhere before it ends */
	*exchange = (struct exchange){
		.folder = folder,
		.core = arena_printf(arena, "%s/core", folder),
		.counts = arena_printf(arena, "%s/counts", folder),
		.arena = arena,
	};
	if (mkdir(exchange->counts, 0700) < 0)
		return error_set(err, "%s: %s", exchange->counts, write_failure_text(errno));
	return output_file_write(exchange->core, core, err);
}

/* A folder that can't be listed has these at least. */
static void remove_files_of(const struct exchange *exchange, pid_t pid)
{
	struct arena *arena = exchange->arena;

	for (unsigned i = 0; unlink(arena_printf(arena, "%s/%d.%u" WIRE_SUFFIX, exchange->counts, (int)pid, i)) == 0;)
		i++;
	unlink(arena_printf(arena, "%s/%d" LOG_SUFFIX, exchange->counts, (int)pid));
}

static void remove_files(const char *folder, const char *suffix, struct arena *arena)
{
	struct error ignored = { .text = "" };
	size_t count = 0;
	const char **names = is_directory(folder) ? directory_list(folder, suffix, &count, arena, &ignored) : NULL;

	for (size_t i = 0; names && i < count; i++)
		unlink(arena_printf(arena, "%s/%s", folder, names[i]));
}

/* Valgrind removes them at its start, unless a signal ends it just then. */
static void remove_startup_files(pid_t pid, struct arena *arena)
{
	const char *named = getenv("TMPDIR"), *folder = named && *named ? named : "/tmp";
	const char *prefix = arena_printf(arena, "valgrind_proc_%d_", (int)pid);
	struct error ignored = { .text = "" };
	size_t count = 0;
	const char **names = directory_list(folder, "", &count, arena, &ignored);

	for (size_t i = 0; names && i < count; i++)
		if (has_name_prefix(names[i], prefix))
			unlink(arena_printf(arena, "%s/%s", folder, names[i]));
}

/* NULL, or a sentence about the folder that is left. */
static const char *exchange_close(const struct exchange *exchange, struct arena *arena)
{
	if (!exchange->folder)
		return NULL;
	remove_files(exchange->counts, WIRE_SUFFIX, arena);
	remove_files(exchange->counts, LOG_SUFFIX, arena);
	remove_files_of(exchange, exchange->pid);
	rmdir(exchange->counts);
	unlink(exchange->core);
	if (rmdir(exchange->folder) == 0)
		return NULL;
	return arena_printf(arena, "The folder %s is left, because it can't be removed: %s; `rm -r` may do it.",
			    exchange->folder, strerror(errno));
}

/* ---- the run ---- */

#define MOST_THREADS                                                                                                   \
	"--max-threads=5000" /* at once; each takes 1.5 MB for its caches, and Valgrind 7 KB for each that might be */
#define MOST_SAMPLED 0.8     /* beyond, hardly anything is left out */

/*
 * What is done unasked: so many instructions are modelled in full, some 3 to 6 s at 30 to 60 M/s, and of the rest a
 * window in so many, which is 300 to 600 M/s. Both are numbers of instructions, so that counts are the same each time.
 */
#define HEAD	       200e6
#define DEFAULT_PERIOD 600e3

/*
 * Behind these instructions most of a long program is skipped (simulator/guest/fast.h). Head and what is followed then
 * take some 5 s, and 160 bursts of 6 M instructions, which are enough for 50 G, as much. Less time takes a part of all
 * of them, and more takes more bursts.
 */
#define FOLLOWED      500e6
#define STRETCH	      50e6
#define LEAST_STRETCH 1e6
#define BURSTS	      32.0

/*
 * Where a fraction is asked for, a program's start is modelled in full all the same: the dynamic loader and the first
 * pass through the code are a phase of their own, which costs several times as much an instruction as what follows, and
 * few windows would see it.
 */
#define START 2e6

/* Names are demangled as those of samples are, where this program can do that. */
#ifdef TOPDOWN_DW
#define DEMANGLING "--demangle=no"
#else
#define DEMANGLING "--demangle=yes"
#endif

/* Instructions from one window to the next; 0: all are modelled. */
static double sample_period(double fraction)
{
	if (!(fraction > 0))
		return DEFAULT_PERIOD;
	return fraction <= MOST_SAMPLED ? WIRE_WINDOW / fraction : 0;
}

/* The time that it may take, of the usual one. */
static double part_of_usual(const struct simulation *simulation)
{
	return simulation->seconds > 0 ? simulation->seconds / USUAL_SECONDS : 1;
}

/* Instructions that are modelled in full before the first window. */
static double head_of(const struct simulation *simulation)
{
	return simulation->sample > 0 ? START : HEAD * fmin(part_of_usual(simulation), 1);
}

/* Which of a long program's instructions are skipped, as options of the tool. */
static const char *skipping(const struct simulation *simulation, struct arena *arena)
{
	double part = part_of_usual(simulation), less = fmin(part, 1);

	if (simulation->sample > 0)
		return "--follow=0";
	return arena_printf(arena, "--follow=%.0f,%.0f,%.0f", FOLLOWED * less, fmax(STRETCH * less, LEAST_STRETCH),
			    BURSTS * fmax(part, 1));
}

/* In the name of a log Valgrind takes %p and the like for something else. */
static const char *escape_percent(const char *path, struct arena *arena)
{
	struct string text = STRING_INIT(arena);

	for (; *path; path++)
		string_addn(&text, *path == '%' ? "%%" : path, *path == '%' ? 2 : 1);
	return text.text;
}

static char *const *make_arguments(const struct simulation *simulation, const struct exchange *exchange,
				   const struct sim_environment *frame)
{
	struct arena *arena = exchange->arena;
	const char *by_instruction = simulation->by_instruction;
	const char *options[] = {
		simulation->simulator->launcher,
		"--command-line-only=yes", /* VALGRIND_OPTS and .valgrindrc are about other tools */
		"--tool=topdown",
		"--vgdb=no",
		"--fair-sched=try", /* else a thread runs to its end where the machine is idle, and shares no line */
		MOST_THREADS,
		"--sigill-diagnostics=yes",
		"--child-silent-after-fork=yes",
		arena_printf(arena, "--log-file=%s/%%p%s", escape_percent(exchange->counts, arena), LOG_SUFFIX),
		arena_printf(arena, "--core=%s", exchange->core),
		arena_printf(arena, "--out=%s", exchange->counts),
		/* A function's call ends where the followed stack of calls says so. */
		simulation->has_lines || simulation->toggle ? "--lines=yes" : "--lines=no",
		simulation->has_stacks || simulation->toggle ? "--stacks=yes" : "--stacks=no",
		by_instruction ? arena_printf(arena, "--instructions=%s", by_instruction) : "--instructions=",
		simulation->has_loops ? "--loops=yes" : "--loops=no",
		simulation->has_lines || simulation->toggle ? "--read-inline-info=yes" : "--read-inline-info=no",
		"--fullpath-after=",
		DEMANGLING,
		simulation->has_threads ? "--threads=yes" : "--threads=no",
		simulation->has_traffic ? "--traffic=yes" : "--traffic=no",
		simulation->is_pinned ? "--pinned=yes" : "--pinned=no",
		arena_printf(arena, "--layout=%zu", exchange->layout),
		simulation->has_children ? "--trace-children=yes" : "--trace-children=no",
		arena_printf(arena, "--sample=%.0f", sample_period(simulation->sample)),
		arena_printf(arena, "--head=%.0f", head_of(simulation)),
		skipping(simulation, arena),
		arena_printf(arena, "--delay=%.0f", simulation->delay),
		arena_printf(arena, "--limit=%.0f", simulation->limit),
		arena_printf(arena, "--toggle=%s", simulation->toggle ? simulation->toggle : ""),
	};
	size_t count = COUNT_OF(options), words = 0;
	char **arguments;

	while (simulation->program->argv[words])
		words++;
	arguments = arena_array(arena, count + words + 2, sizeof(*arguments));
	for (size_t i = 0; i < count; i++)
		arguments[i] = arena_strdup(arena, options[i]);
	/* The program as it was found: Valgrind would look for a name without a slash in PATH, as topdown did. */
	arguments[count] = arena_strdup(arena, frame->path);
	for (size_t i = 1; i < words; i++)
		arguments[count + i] = simulation->program->argv[i];
	return arguments;
}

/* What Valgrind had to say of the program itself; NULL: nothing. */
static const char *read_log(const struct exchange *exchange, int pid)
{
	struct error unreadable = { .text = "" };
	size_t length;

	return file_read(arena_printf(exchange->arena, "%s/%d%s", exchange->counts, pid, LOG_SUFFIX), &length,
			 exchange->arena, &unreadable);
}

/* The tool opens its file when all is counted (or at an exec, where the program goes on). */
static bool is_writing_counts(const void *context, pid_t pid)
{
	const struct exchange *exchange = context;

	return is_file(arena_printf(exchange->arena, "%s/%d.0" WIRE_SUFFIX, exchange->counts, (int)pid));
}

/* A simulation that repeats what was run natively: nothing of it is to be seen, and it ends when its time is up. */
struct repetition {
	struct supervisor supervisor;
	const char *stop;
};

static void repetition_begin(struct repetition *repetition, struct plain_run *run, const struct simulation *simulation,
			     const struct exchange *exchange)
{
	*repetition = (struct repetition){ .supervisor = { .mode = SUPERVISE_REPEAT,
							   .has_no_scratch = simulation->has_no_scratch,
							   .folder = exchange->folder } };
	if (!(simulation->budget_s > 0))
		return;
	repetition->stop = arena_printf(exchange->arena, "%s/" WIRE_STOP, exchange->counts);
	repetition->supervisor.stop = repetition->stop;
	run->supervisor = &repetition->supervisor;
	run->limit_s = simulation->budget_s;
	run->stop = repetition->stop;
}

static void repetition_end(struct outcome *outcome, struct repetition *repetition, struct arena *arena)
{
	const struct simulated_effects effects = { .call = repetition->supervisor.call,
						   .what = repetition->supervisor.what };

	if (!repetition->stop)
		return;
	supervisor_close(&repetition->supervisor);
	if (repetition->supervisor.has_effect)
		outcome->stopping_effect = native_effect(&effects, arena);
	outcome->is_stopped = unlink(repetition->stop) == 0 || repetition->supervisor.has_effect;
}

/* With the frame's environment in the place of topdown's. */
static int run_tool(struct child *child, struct count_run *ended, const struct sim_environment *frame,
		    const struct plain_run *run, struct error *err)
{
	char **own = environ;
	int result;

	environ = frame->environment;
	result = plain_run(child, ended, run, err);
	environ = own;
	return result;
}

double count_of(const struct counts *counts, const char *event)
{
	double value = repeat_value(&counts->repeats[0], event);

	return isnan(value) ? 0 : value;
}

void add_remark(struct counts *counts, const char *remark, struct arena *arena)
{
	struct repeat *repeat = &counts->repeats[0];
	const char **remarks = arena_array(arena, repeat->nremarks + 1, sizeof(*remarks));

	for (size_t i = 0; i < repeat->nremarks; i++)
		remarks[i] = repeat->remarks[i];
	remarks[repeat->nremarks++] = remark;
	repeat->remarks = remarks;
}

/* What is not among the counts. */
struct unsimulated find_unsimulated(const struct outcome *outcome, const struct simulation *simulation)
{
	const struct counts *counts = outcome->counts;
	double execs = count_of(counts, "core.execs") - count_of(counts, "core.execs_failed");

	return (struct unsimulated){ .processes = &outcome->processes,
				     .untraced = !simulation->has_children && execs > 0 ? (size_t)execs : 0 };
}

static int nothing_modelled(const struct counts *counts, const struct simulation *simulation, struct error *err)
{
	int status = counts->repeats[0].runs[0].status;

	err->status = status > 128 ? status : 0;
	if (simulation->toggle && !(count_of(counts, "inst.retired") > 0))
		return error_set(
			err,
			"no call of '%s' was counted: it was never called, was inlined, or the program names it "
			"otherwise (topdown --pmu sim --functions has the names)",
			simulation->toggle);
	if (simulation->delay > 0 && !(count_of(counts, "inst.retired") > 0))
		return error_set(err, "nothing was counted: the program had ended before %.0f instructions (--delay)",
				 simulation->delay);
	if (count_of(counts, "inst.retired") > 0)
		return error_set(err, "the program is too short for --sim-sample: no window fell into it; without the "
				      "option all of it is modelled");
	return error_set(err, "the program ended with status %d before its first instruction", status);
}

static void describe_profile(struct profile *profile, const struct simulation *simulation, const struct repeat *repeat)
{
	profile->scope = "user";
	profile->seconds = repeat->runs[0].wall_s;
	profile->method = simulation->has_stacks ? "auto" : NULL;
}

/* What of the program is counted. */
static void remark_part(struct counts *counts, const struct simulation *simulation, struct arena *arena)
{
	const char *behind =
		simulation->delay > 0
			? arena_printf(arena, "after the first %.0f instructions of each program", simulation->delay)
			: "";

	if (simulation->toggle)
		add_remark(counts,
			   arena_printf(arena, "Only calls of %s are counted%s%s.", simulation->toggle,
					*behind ? ", " : "", behind),
			   arena);
	else if (*behind)
		add_remark(counts, arena_printf(arena, "Only what is %s is counted.", behind), arena);
}

/* What is known of counts that were read. */
static void describe_end(struct outcome *outcome, const struct simulation *simulation, const struct exchange *exchange,
			 const struct child *child)
{
	struct counts *counts = outcome->counts;
	struct repeat *repeat = &counts->repeats[0];
	struct arena *arena = exchange->arena;
	struct unsimulated missing;

	repeat->nruns = repeat->planned_runs = repeat->ngroups = 1;
	counts->origin.scope = "user";
	if (outcome->processes.profile)
		describe_profile(outcome->processes.profile, simulation, repeat);
	missing = find_unsimulated(outcome, simulation);
	missing.folder = exchange->counts;
	missing.pid = (int)child->pid;
	unsimulated_remark(repeat, &missing, arena);
	remark_part(counts, simulation, arena);
	if (child->is_untraced)
		add_remark(counts, REMARK_UNTRACED, arena);
}

static int simulate(struct outcome *outcome, const struct simulation *simulation, struct exchange *exchange,
		    struct plain_run run, struct error *err)
{
	struct counts *counts = outcome->counts;
	struct repeat *repeat = &counts->repeats[0];
	struct arena *arena = exchange->arena;
	struct program program = { .path = simulation->simulator->launcher };
	struct simulated_files files = { .folder = exchange->counts,
					 .has_lines = simulation->has_lines,
					 .has_stacks = simulation->has_stacks,
					 .has_children = simulation->has_children };
	const struct sim_environment_choice choice = { simulation->is_pinned, (unsigned)exchange->layout };
	struct child child = { .pid = 0 };
	struct sim_environment frame;
	struct simulated_run end = { .core = simulation->core->path, .folder = exchange->folder };
	struct lookout lookout;
	struct repetition repetition;
	int status;

	sim_environment_make(&frame, &choice, simulation->program, simulation->simulator->library, arena);
	program.argv = make_arguments(simulation, exchange, &frame);
	program.is_output_shown = simulation->program->is_output_shown;
	program.is_output_hidden = simulation->program->is_output_hidden;
	run.program = &program;
	run.is_ending = is_writing_counts;
	run.context = exchange;
	run.lookout = simulation->listener.so_far ? &lookout : NULL;
	repeat->runs = arena_array(arena, 1, sizeof(*repeat->runs));
	if (lookout_open(&lookout, &simulation->listener, exchange->counts, arena, err) < 0)
		return -1;
	lookout.head = simulation->sample > MOST_SAMPLED ? INFINITY : head_of(simulation);
	repetition_begin(&repetition, &run, simulation, exchange);
	status = run_tool(&child, &repeat->runs[0], &frame, &run, err);
	lookout_close(&lookout);
	repetition_end(outcome, &repetition, arena);
	exchange->pid = child.pid;
	if (run.signals->is_interrupted)
		remove_startup_files(child.pid, arena);
	if (status < 0)
		return -1;
	files.pid = (int)child.pid;
	end.end = simulated_counts_read(counts, &outcome->processes, &files, simulation->model->database, arena);
	end.status = repeat->runs[0].status;
	end.log = read_log(exchange, files.pid);
	signals_take(run.signals, 0);
	end.interrupted_by = run.signals->number;
	if (simulated_failure(&end, arena, err) < 0)
		return -1;
	if (!(count_of(counts, "inst.modelled") > 0))
		return nothing_modelled(counts, simulation, err);
	describe_end(outcome, simulation, exchange, &child);
	return 0;
}

int simulate_pass(struct outcome *outcome, const struct simulation *simulation, struct plain_run run,
		  struct arena *arena, struct error *err)
{
	struct exchange exchange;
	int status = exchange_open(&exchange, sim_core_text(simulation->core, arena), arena, err);
	const char *left;

	exchange.layout = simulation->layouts > 1 && run.number < simulation->layouts ? run.number : 0;
	if (status == 0)
		status = simulate(outcome, simulation, &exchange, run, err);
	left = exchange_close(&exchange, arena);
	if (left && status == 0)
		add_remark(outcome->counts, left, arena);
	else if (left)
		error_in(err, "%s is left, because it can't be removed", exchange.folder);
	return status;
}
