/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command/jobs/verify_run.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command/jobs/progress.h"
#include "common/base/text.h"
#include "common/system/loop.h"
#include "cpu/identify/machine.h"
#include "engine/engine.h"

#define LEVEL_ASKED	  3
#define COUNTED_TIMES	  4    /* starting a program counts too, and is to be a small part */
#define COUNTED_SECONDS	  20.0 /* after which no further kernel begins */
#define SIMULATED_SECONDS 60.0

/* A list of kernels as typed. */
static bool verify_run_is_listed(const char *list, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = list; at; at = strchr(at, ',')) {
		at += *at == ',';
		if (!strncmp(at, name, length) && (at[length] == ',' || !at[length]))
			return true;
	}
	return false;
}

static const char *all_names(struct arena *arena)
{
	struct string text = STRING_INIT(arena);

	for (size_t i = 0; i < nknown_kernels; i++)
		if (known_kernel_is_here(&known_kernels[i]))
			string_printf(&text, "%s%s", text.length ? ", " : "", known_kernels[i].name);
	return text.text;
}

static int unknown_kernel(const char *name, struct arena *arena, struct error *err)
{
	return error_set(err, "verify: unknown kernel '%s'; there are %s", name, all_names(arena));
}

static int check_list(const char *list, struct arena *arena, struct error *err)
{
	for (const char *at = list; at; at = strchr(at, ',')) {
		const char *name;

		at += *at == ',';
		name = arena_strndup(arena, at, strcspn(at, ","));
		if (!known_kernel_find(name))
			return unknown_kernel(name, arena, err);
	}
	return 0;
}

/* The first CPU's caches. */
static struct known_sizes sizes_here(const struct verify_choice *choice, struct arena *arena)
{
	struct known_sizes sizes = { .times = choice->times ? choice->times : 1 };
	struct cpu_cache *caches;
	size_t count = caches_identify(&caches, "", arena);

	for (size_t i = 0; i < count; i++) {
		if (caches[i].holds_data && caches[i].level == 2)
			sizes.l2_kib = caches[i].kib;
		if (caches[i].holds_data && caches[i].level == 3)
			sizes.l3_kib = caches[i].kib;
	}
	return sizes;
}

int verify_run_kernel(const struct verify_choice *choice, struct arena *arena, struct error *err)
{
	const struct known_kernel *kernel = known_kernel_find(choice->work);
	const struct known_sizes sizes = sizes_here(choice, arena);

	if (!kernel)
		return unknown_kernel(choice->work, arena, err);
	return kernel->run(&sizes, err) < 0 ? error_in(err, "verify --work %s", kernel->name) : 0;
}

/* ---- measuring ---- */

/* One kernel while it is measured. */
struct attempt {
	struct verification *verification;
	struct known_result *result;
	struct arena *arena;
};

/* Of hybrid CPUs the type of cores that did most of the work. */
static const struct report *busiest(const struct report_set *reports)
{
	const struct report *most = NULL;

	for (size_t i = 0; i < reports->count; i++) {
		const struct report *part = &reports->parts[i];

		if (!most || !(part->summary.cycles <= most->summary.cycles))
			most = part;
	}
	return most;
}

static void take_head(struct verification *verification, const struct report *report, struct arena *arena)
{
	if (verification->model)
		return;
	verification->model = arena_strdup(arena, report->summary.title ? report->summary.title : "");
	verification->scope = arena_strdup(arena, report->summary.scope ? report->summary.scope : "");
	if (report->model->is_simulated)
		verification->simulated = arena_strdup(arena, report->summary.machine);
}

static int verify_run_on_measured(void *context, struct measurement *measured, struct error *err UNUSED)
{
	((struct attempt *)context)->verification->interrupted_by = measured->interrupted_by;
	return 0;
}

static int on_outcome(void *context, const struct outcome *outcome, struct error *err UNUSED)
{
	struct attempt *attempt = context;
	const struct report *report = busiest(outcome->reports);

	if (!outcome->is_last || !report)
		return 0;
	known_judge(attempt->result, attempt->result->kernel, report, attempt->arena);
	take_head(attempt->verification, report, attempt->arena);
	return 0;
}

/* Notices are about a program that a user has; what is in this machine's way doctor's findings say. */
static void be_silent(void *context UNUSED, enum severity severity UNUSED, const char *sentence UNUSED)
{
}

static const char *own_program(struct arena *arena)
{
	char own[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", own, sizeof(own) - 1);

	return length > 0 ? arena_strndup(arena, own, (size_t)length) : "topdown";
}

static void measure_kernel(struct attempt *attempt, const struct request *request)
{
	struct arena *arena = request->arena;
	const char *words[] = { own_program(arena),
				"verify",
				"--times",
				arena_printf(arena, "%u", attempt->verification->times),
				"--work",
				attempt->result->kernel->name,
				NULL };
	const struct sink sink = {
		.context = attempt, .measured = verify_run_on_measured, .outcome = on_outcome, .notice = be_silent
	};
	struct question question = *request->question;
	struct setup setup = *request->setup;
	struct error failure = { .text = "" };

	setup.program.nwords = COUNT_OF(words) - 1;
	setup.program.words = arena_array(arena, COUNT_OF(words), sizeof(char *));
	for (size_t i = 0; words[i]; i++)
		setup.program.words[i] = arena_strdup(arena, words[i]);
	setup.program.hides_output = true;
	question.level = attempt->verification->level;
	known_give_up(attempt->result, attempt->result->kernel, "nothing was counted");
	if (engine_measure(&(struct request){ &question, &setup, &sink, arena }, &failure) < 0)
		known_give_up(attempt->result, attempt->result->kernel, arena_strdup(arena, failure.text));
	if (failure.interrupted_by)
		attempt->verification->interrupted_by = failure.interrupted_by;
}

static void show_progress(const char *name, size_t number, size_t count)
{
	if (progress_has_place())
		fprintf(stderr, "\r\033[Kkernel %zu of %zu: %s", number, count, name);
}

static void wipe_progress(void)
{
	if (progress_has_place())
		fprintf(stderr, "\r\033[K");
}

static void take_kernels(struct verification *verification, const struct verify_choice *choice, struct arena *arena)
{
	verification->results = arena_array(arena, nknown_kernels, sizeof(*verification->results));
	for (size_t i = 0; i < nknown_kernels; i++) {
		const struct known_kernel *kernel = &known_kernels[i];

		if (!known_kernel_is_here(kernel))
			continue;
		if (!choice->only || verify_run_is_listed(choice->only, kernel->name))
			verification->results[verification->count++].kernel = kernel;
	}
}

/* Why no further kernel is measured; NULL: there is no reason. */
static const char *end_reason(const struct verification *verification, double began_s, double seconds,
			      struct arena *arena)
{
	if (verification->interrupted_by)
		return "topdown was interrupted";
	if (clock_now() - began_s <= seconds)
		return NULL;
	return arena_printf(arena, "%.0f s were over (--seconds)", seconds);
}

int verify_run_measure(struct verification *verification, const struct verify_choice *choice, bool is_counted,
		       const struct request *request, struct error *err)
{
	struct arena *arena = request->arena;
	double began_s = clock_now(), seconds = is_counted ? COUNTED_SECONDS : SIMULATED_SECONDS;
	struct attempt attempt = { .verification = verification, .arena = arena };

	if (choice->only && check_list(choice->only, arena, err) < 0)
		return -1;
	if (choice->seconds > 0)
		seconds = choice->seconds;
	verification->level = request->question->level ? request->question->level : LEVEL_ASKED;
	verification->times = choice->times ? choice->times : is_counted ? COUNTED_TIMES : 1;
	take_kernels(verification, choice, arena);
	for (size_t i = 0; i < verification->count; i++) {
		const char *end = end_reason(verification, began_s, seconds, arena);

		attempt.result = &verification->results[i];
		show_progress(attempt.result->kernel->name, i + 1, verification->count);
		if (end)
			known_give_up(attempt.result, attempt.result->kernel, end);
		else
			measure_kernel(&attempt, request);
	}
	wipe_progress();
	verification->seconds = clock_now() - began_s;
	return 0;
}
