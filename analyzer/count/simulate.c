/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count/simulate.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "count/anchor.h"
#include "count/simulated_counts.h"
#include "count/simulated_failure.h"

#define INSTALL_VALGRIND "install the distribution's valgrind package (Debian: `apt-get install valgrind`)"

/* ---- what is needed ---- */

/* Valgrind's word for this machine, in the names of its tools. */
static const char *platform(void)
{
	struct utsname name;

	return uname(&name) == 0 && !strcmp(name.machine, "aarch64") ? "arm64-linux" : "amd64-linux";
}

/* Beside this program: in a build directory, or installed. */
static const char *find_folder(struct arena *arena)
{
	static const char *const places[] = { "libexec/topdown", "../libexec/topdown" };
	char own[4096];
	ssize_t length = readlink("/proc/self/exe", own, sizeof(own) - 1);
	char *slash;

	if (length < 0)
		return NULL;
	own[length] = '\0';
	slash = strrchr(own, '/');
	for (size_t i = 0; slash && i < COUNT_OF(places); i++) {
		const char *folder = arena_printf(arena, "%.*s/%s", (int)(slash - own), own, places[i]);

		if (is_file(arena_printf(arena, "%s/topdown-%s", folder, platform())))
			return folder;
	}
	return NULL;
}

/* Debian's `valgrind` is a script that changes the program's environment (LD_LIBRARY_PATH), and then is this. */
static const char *behind_script(const char *valgrind, struct arena *arena)
{
	const char *binary = arena_printf(arena, "%s.bin", valgrind);

	return access(binary, X_OK) == 0 ? binary : valgrind;
}

int simulator_find(struct simulator *simulator, struct arena *arena, struct error *err)
{
	struct error missing = { .text = "" };

	*simulator = (struct simulator){ .folder = find_folder(arena) };
	if (program_find(&simulator->valgrind, "valgrind", arena, &missing) < 0)
		return error_set(err, "simulated counters need Valgrind, which is not here: " INSTALL_VALGRIND);
	simulator->valgrind = behind_script(simulator->valgrind, arena);
	if (!simulator->folder)
		return error_set(err, "this topdown was built without its simulator: " INSTALL_VALGRIND
				      " and build topdown again");
	return 0;
}

/* ---- the files between topdown and the tool ---- */

#define LOG_SUFFIX ".log" /* of what Valgrind has to say; the name is the process's number */

struct exchange {
	const char *folder;	   /* of this simulation, removed at its end */
	const char *core, *counts; /* counts: the folder that the tool and Valgrind write into */
	struct arena *arena;
};

static int write_text(const char *path, const char *text, struct error *err)
{
	FILE *file = fopen(path, "w");
	bool is_bad = !file || fputs(text, file) == EOF;

	if (file && fclose(file) != 0)
		is_bad = true;
	return is_bad ? error_set(err, "%s: %s", path, strerror(errno)) : 0;
}

static char *absolute(char *path, struct arena *arena)
{
	char *found = realpath(path, NULL), *kept = found ? arena_strdup(arena, found) : path;

	free(found);
	return kept;
}

static int exchange_open(struct exchange *exchange, const char *core, struct arena *arena, struct error *err)
{
	const char *tmp = getenv("TMPDIR");
	char *folder = arena_printf(arena, "%s/topdown-XXXXXX", tmp && *tmp ? tmp : "/tmp");

	*exchange = (struct exchange){ .folder = NULL };
	if (!mkdtemp(folder))
		return error_set(err, "%s: %s; TMPDIR names another place", folder, strerror(errno));
	folder = absolute(folder, arena); /* the program may go elsewhere before it ends */
	*exchange = (struct exchange){
		.folder = folder,
		.core = arena_printf(arena, "%s/core", folder),
		.counts = arena_printf(arena, "%s/counts", folder),
		.arena = arena,
	};
	if (mkdir(exchange->counts, 0700) < 0)
		return error_set(err, "%s: %s", exchange->counts, strerror(errno));
	return write_text(exchange->core, core, err);
}

static void remove_files(const char *folder, const char *suffix, struct arena *arena)
{
	struct error ignored = { .text = "" };
	size_t count = 0;
	const char **names = is_directory(folder) ? directory_list(folder, suffix, &count, arena, &ignored) : NULL;

	for (size_t i = 0; names && i < count; i++)
		unlink(arena_printf(arena, "%s/%s", folder, names[i]));
}

static void exchange_close(const struct exchange *exchange, struct arena *arena)
{
	if (!exchange->folder)
		return;
	remove_files(exchange->counts, COUNTS_SUFFIX, arena);
	remove_files(exchange->counts, LOG_SUFFIX, arena);
	rmdir(exchange->counts);
	unlink(exchange->core);
	rmdir(exchange->folder);
}

/* ---- the run ---- */

#define WINDOW 12000.0 /* instructions that the tool models at once, with those of the warm-up (sim/sample.h) */
#define MOST_THREADS                                                                                                   \
	"--max-threads=5000" /* at once; each takes 1.5 MB for its caches, and Valgrind 7 KB for each that might be */
#define MOST_SAMPLED 0.8     /* beyond, hardly anything is left out */

/* Instructions from one window to the next; 0: all are modelled. */
static double sample_period(double fraction)
{
	return fraction > 0 && fraction <= MOST_SAMPLED ? WINDOW / fraction : 0;
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
				   struct arena *arena)
{
	const char *options[] = {
		simulation->simulator->valgrind,
		"--command-line-only=yes", /* VALGRIND_OPTS and .valgrindrc are about other tools */
		"--tool=topdown",
		"--vgdb=no",
		MOST_THREADS,
		"--sigill-diagnostics=yes",
		"--child-silent-after-fork=yes",
		arena_printf(arena, "--log-file=%s/%%p%s", escape_percent(exchange->counts, arena), LOG_SUFFIX),
		arena_printf(arena, "--core=%s", exchange->core),
		arena_printf(arena, "--out=%s", exchange->counts),
		simulation->has_lines ? "--lines=yes" : "--lines=no",
		simulation->has_threads ? "--threads=yes" : "--threads=no",
		simulation->has_children ? "--trace-children=yes" : "--trace-children=no",
		arena_printf(arena, "--sample=%.0f", sample_period(simulation->sample)),
	};
	size_t count = COUNT_OF(options), words = 0;
	char **arguments;

	while (simulation->program->argv[words])
		words++;
	arguments = arena_array(arena, count + words + 2, sizeof(*arguments));
	for (size_t i = 0; i < count; i++)
		arguments[i] = arena_strdup(arena, options[i]);
	/* The program as it was found: Valgrind would look for a name without a slash in PATH, as topdown did. */
	arguments[count] = arena_strdup(arena, simulation->program->path);
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

static double count_of(const struct counts *counts, const char *event)
{
	for (size_t i = 0; i < counts->count; i++)
		if (!strcmp(counts->items[i].event, event))
			return counts->items[i].value;
	return 0;
}

/* Valgrind finds its tools by a variable, which is none of the native run's business. */
static int run_valgrind(struct child *child, struct count_run *told, const struct simulation *simulation,
			const struct plain_run *run, struct error *err)
{
	const char *before = getenv("VALGRIND_LIB");
	char *kept = before ? strdup(before) : NULL;
	int result;

	if (setenv("VALGRIND_LIB", simulation->simulator->folder, 1) < 0)
		result = error_set(err, "VALGRIND_LIB: %s", strerror(errno));
	else
		result = plain_run(child, told, run, err);
	if (kept)
		setenv("VALGRIND_LIB", kept, 1);
	else
		unsetenv("VALGRIND_LIB");
	free(kept);
	return result;
}

/* What comes of it. */
struct outcome {
	struct counts *counts;
	struct simulated_processes processes;
};

static void add_remark(struct counts *counts, const char *remark, struct arena *arena)
{
	const char **remarks = arena_array(arena, counts->nremarks + 1, sizeof(*remarks));

	for (size_t i = 0; i < counts->nremarks; i++)
		remarks[i] = counts->remarks[i];
	remarks[counts->nremarks++] = remark;
	counts->remarks = remarks;
}

static void remark_lost(struct counts *counts, const struct simulated_processes *processes,
			const struct simulation *simulation, struct arena *arena)
{
	const char *remark;

	if (!processes->lost)
		return;
	remark = arena_printf(arena,
			      "%zu of the program's processes left no counts, so what they did is missing: they were "
			      "killed (SIGKILL), had not ended when the program did, or had become another user%s.",
			      processes->lost,
			      simulation->has_children ? ", or are programs that Valgrind runs none of (with other "
							 "rights than yours, or not 64-bit)"
						       : "");
	add_remark(counts, remark, arena);
}

static int nothing_modelled(const struct counts *counts, struct error *err)
{
	int status = counts->runs[0].status;

	if (count_of(counts, "inst.retired") > 0)
		return error_set(err, "the program is too short for --sim-sample: no window fell into it; without the "
				      "option all of it is modelled");
	err->status = status > 128 ? status : 0;
	return error_set(err, "the program ended with status %d before its first instruction", status);
}

static int simulate(struct outcome *outcome, const struct simulation *simulation, const struct exchange *exchange,
		    struct plain_run run, struct error *err)
{
	struct counts *counts = outcome->counts;
	struct arena *arena = exchange->arena;
	struct program program = { .path = simulation->simulator->valgrind };
	struct simulated_files files = { .folder = exchange->counts,
					 .has_lines = simulation->has_lines,
					 .has_children = simulation->has_children };
	struct child child = { .pid = 0 };
	struct simulated_run told = { .core = simulation->core->path, .folder = exchange->folder };

	program.argv = make_arguments(simulation, exchange, arena);
	run.program = &program;
	counts->runs = arena_array(arena, 1, sizeof(*counts->runs));
	if (run_valgrind(&child, &counts->runs[0], simulation, &run, err) < 0)
		return -1;
	files.pid = (int)child.pid;
	told.end = simulated_counts_read(counts, &outcome->processes, &files, simulation->model->database, arena);
	told.status = counts->runs[0].status;
	told.log = read_log(exchange, files.pid);
	signals_take(run.signals, 0);
	told.is_interrupted = run.signals->is_interrupted;
	if (simulated_failure(&told, arena, err) < 0)
		return -1;
	if (!(count_of(counts, "inst.modelled") > 0))
		return nothing_modelled(counts, err);
	counts->nruns = counts->planned_runs = counts->ngroups = 1;
	counts->scope = "user";
	remark_lost(counts, &outcome->processes, simulation, arena);
	return 0;
}

/* Cycles that nobody has modelled, and that a native run would have; NULL: there are none. */
static const char *find_more(const struct outcome *outcome, const struct simulation *simulation)
{
	const struct counts *counts = outcome->counts;

	if (!simulation->has_children && count_of(counts, "core.execs") > count_of(counts, "core.execs_failed"))
		return "the program starts others, which are simulated with --trace-children only";
	return outcome->processes.lost ? "some of its processes left no counts" : NULL;
}

static void add_anchor(const struct outcome *outcome, const struct simulation *simulation, struct plain_run run,
		       struct arena *arena)
{
	struct counts *counts = outcome->counts;
	const char *more = find_more(outcome, simulation);
	struct anchor *anchor = arena_alloc(arena, sizeof(*anchor));

	run.program = simulation->program;
	run.number = 1;
	counts->anchor = anchor;
	if (more) {
		*anchor = (struct anchor){ .user_s = (double)NAN, .hz = (double)NAN, .reason = more };
		return;
	}
	anchor_measure(anchor, &run, &counts->runs[0], arena);
}

/* ---- thread by thread ---- */

/* The processes' CPU time is no single thread's. */
static struct count_run *part_runs(const struct counts *whole, struct arena *arena)
{
	struct count_run *runs = arena_array(arena, whole->nruns, sizeof(*runs));

	for (size_t i = 0; i < whole->nruns; i++) {
		runs[i] = whole->runs[i];
		runs[i].cpu_s = (double)NAN;
	}
	return runs;
}

static const char *left_out_text(size_t count, struct arena *arena)
{
	return arena_printf(arena, "%zu more thread%s ended before a window of --sim-sample fell into %s.", count,
			    count == 1 ? "" : "s", count == 1 ? "it" : "them");
}

/* Each thread is a part; the native run's time is that of all, so it stands with the first. */
static void split(struct measurement *measured, const struct simulated_threads *threads, struct arena *arena)
{
	struct counts whole = measured->parts[0], *parts = arena_array(arena, threads->count, sizeof(*parts));
	struct anchor *anchor = arena_alloc(arena, sizeof(*anchor));
	size_t count = 0;

	if (whole.anchor) {
		*anchor = *whole.anchor;
		anchor->cycles = count_of(&whole, "core.cycles");
	}
	for (size_t i = 0; i < threads->count; i++) {
		struct counts *part = &parts[count];

		*part = whole;
		part->part = threads->items[i].label;
		part->items = threads->items[i].items;
		part->runs = part_runs(&whole, arena);
		part->anchor = whole.anchor && !count ? anchor : NULL;
		count += count_of(part, "inst.modelled") > 0;
	}
	*measured = (struct measurement){ .parts = parts, .count = count, .from_s = NAN, .to_s = NAN };
	if (count < threads->count)
		add_remark(&parts[0], left_out_text(threads->count - count, arena), arena);
}

int simulate_program(struct measurement *measured, const struct simulation *simulation, struct arena *arena,
		     struct error *err)
{
	struct signals signals = { 0 };
	struct input input;
	struct plain_run run = { .signals = &signals, .input = &input };
	struct exchange exchange;
	struct outcome outcome = { .counts = measured->parts };
	int status = exchange_open(&exchange, sim_core_text(simulation->core, arena), arena, err);

	input_init(&input, simulation->is_anchored ? 2 : 1);
	signals_hold(&signals);
	if (status == 0)
		status = simulate(&outcome, simulation, &exchange, run, err);
	exchange_close(&exchange, arena);
	if (status == 0 && simulation->is_anchored)
		add_anchor(&outcome, simulation, run, arena);
	input_release(&input);
	signals_release(&signals);
	if (status == 0 && simulation->has_threads)
		split(measured, &outcome.processes.threads, arena);
	return status;
}
