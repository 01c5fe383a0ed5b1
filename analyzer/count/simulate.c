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

int simulator_find(struct simulator *simulator, struct arena *arena, struct error *err)
{
	struct error missing = { .text = "" };

	*simulator = (struct simulator){ .folder = find_folder(arena) };
	if (program_find(&simulator->valgrind, "valgrind", arena, &missing) < 0)
		return error_set(err, "simulated counters need Valgrind, which is not here: " INSTALL_VALGRIND);
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

#define WINDOW	     10000.0 /* instructions that the tool models at once (sim/sample.h) */
#define MOST_SAMPLED 0.8     /* beyond, windows with their warm-up leave nothing out */

/* Instructions from one window to the next; 0: all are modelled. */
static double sample_period(double fraction)
{
	return fraction > 0 && fraction <= MOST_SAMPLED ? WINDOW / fraction : 0;
}

static char *const *make_arguments(const struct simulation *simulation, const struct exchange *exchange,
				   struct arena *arena)
{
	const char *options[] = {
		simulation->simulator->valgrind,
		"--tool=topdown",
		"--vgdb=no",
		"--sigill-diagnostics=yes",
		"--child-silent-after-fork=yes",
		arena_printf(arena, "--log-file=%s/%%p%s", exchange->counts, LOG_SUFFIX),
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

/* What Valgrind wrote about an instruction that it can't run; NULL when it did not. */
static const char *find_unknown_instruction(const char *log, struct arena *arena)
{
	static const char words[] = "unhandled instruction bytes: ";
	const char *found = log ? strstr(log, words) : NULL;

	return found ? arena_strndup(arena, found + strlen(words), strcspn(found + strlen(words), "\n")) : NULL;
}

static const char *last_line(const char *log, struct arena *arena)
{
	const char *cursor = log ? log : "", *part, *last = "";
	size_t length;

	while ((length = text_next(&cursor, "\n", &part)) > 0)
		last = arena_strndup(arena, part, length);
	return *last ? last : "it said nothing";
}

/* The EVEX prefix (Intel SDM, volume 2, section 2.7) is 0x62 in 64-bit mode. */
static int unknown_instruction(const char *bytes, int status, struct error *err)
{
	err->status = status;
	if (has_name_prefix(bytes, "0x62"))
		return error_set(err,
				 "the program uses AVX-512 instructions, which Valgrind can't run: build it for AVX2 "
				 "(gcc -march=x86-64-v3, or -mno-avx512f), or measure it where there is a PMU");
	return error_set(err,
			 "the program uses an instruction that Valgrind can't run (bytes %s): build it for an older "
			 "CPU (gcc -march=x86-64-v3)",
			 bytes);
}

/* What Valgrind had to say of the program itself; NULL: nothing. */
static const char *read_log(const struct exchange *exchange, int pid)
{
	struct error unreadable = { .text = "" };
	size_t length;

	return file_read(arena_printf(exchange->arena, "%s/%d%s", exchange->counts, pid, LOG_SUFFIX), &length,
			 exchange->arena, &unreadable);
}

/* Why there are no counts, or none that mean anything. */
static int explain(const struct count_run *run, const char *log, bool has_counts, struct arena *arena,
		   struct error *err)
{
	const char *bytes = find_unknown_instruction(log, arena);

	if (bytes && run->status == 128 + SIGILL)
		return unknown_instruction(bytes, run->status, err);
	if (has_counts)
		return 0;
	err->status = run->status > 128 ? run->status : 0;
	if (run->status == 128 + SIGKILL)
		return error_set(err, "the program was killed (SIGKILL) before its simulated counts could be written");
	return error_set(err, "the simulation left no counts; Valgrind's last word: %s", last_line(log, arena));
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
	struct simulated_threads threads;
};

static int simulate(struct outcome *outcome, const struct simulation *simulation, const struct exchange *exchange,
		    struct plain_run run, struct error *err)
{
	struct counts *counts = outcome->counts;
	struct arena *arena = exchange->arena;
	struct program program = { .path = simulation->simulator->valgrind };
	struct simulated_files files = { .folder = exchange->counts, .has_lines = simulation->has_lines };
	struct child child = { .pid = 0 };
	bool has_counts;

	program.argv = make_arguments(simulation, exchange, arena);
	run.program = &program;
	counts->runs = arena_array(arena, 1, sizeof(*counts->runs));
	if (run_valgrind(&child, &counts->runs[0], simulation, &run, err) < 0)
		return -1;
	files.pid = (int)child.pid;
	has_counts = simulated_counts_read(counts, &outcome->threads, &files, simulation->model->database, arena);
	if (explain(&counts->runs[0], read_log(exchange, files.pid), has_counts, arena, err) < 0)
		return -1;
	if (!(count_of(counts, "inst.modelled") > 0))
		return error_set(err, "the program is too short for --sim-sample: no window fell into it; without the "
				      "option all of it is modelled");
	counts->nruns = counts->planned_runs = counts->ngroups = 1;
	counts->scope = "user";
	return 0;
}

/* Programs that its processes became, whose cycles nobody has modelled: a native run would have them. */
static bool has_more_natively(const struct counts *counts, const struct simulation *simulation)
{
	return !simulation->has_children && count_of(counts, "core.execs") > count_of(counts, "core.execs_failed");
}

static void add_anchor(struct counts *counts, const struct simulation *simulation, struct plain_run run,
		       struct arena *arena)
{
	struct anchor *anchor = arena_alloc(arena, sizeof(*anchor));

	run.program = simulation->program;
	run.number = 1;
	counts->anchor = anchor;
	if (has_more_natively(counts, simulation)) {
		*anchor = (struct anchor){ .user_s = (double)NAN, .hz = (double)NAN };
		anchor->reason = "the program starts others, which are simulated with --trace-children only";
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

static void remark_left_out(struct counts *counts, size_t left_out, struct arena *arena)
{
	const char **remarks = arena_array(arena, counts->nremarks + 1, sizeof(*remarks));

	for (size_t i = 0; i < counts->nremarks; i++)
		remarks[i] = counts->remarks[i];
	remarks[counts->nremarks++] =
		arena_printf(arena, "%zu more thread%s ended before a window of --sim-sample fell into %s.", left_out,
			     left_out == 1 ? "" : "s", left_out == 1 ? "it" : "them");
	counts->remarks = remarks;
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
		remark_left_out(&parts[0], threads->count - count, arena);
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
		add_anchor(outcome.counts, simulation, run, arena);
	input_release(&input);
	signals_release(&signals);
	if (status == 0 && simulation->has_threads)
		split(measured, &outcome.threads, arena);
	return status;
}
