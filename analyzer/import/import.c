/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/import.h"

#include <string.h>

#include "base/text.h"
#include "import/internal.h"
#include "import/write.h"

static const char *const forms[] = { [IMPORT_PERFMON] = "perfmon", [IMPORT_PERF] = "perf", [IMPORT_ARM] = "arm" };

bool import_form_named(enum import_form *form, const char *word)
{
	for (size_t i = 0; i < COUNT_OF(forms); i++) {
		if (strcmp(forms[i], word) != 0)
			continue;
		*form = (enum import_form)i;
		return true;
	}
	return false;
}

static void say(struct import_log *log, const char *line)
{
	log->lines = arena_grow(log->arena, log->lines, log->count, &log->capacity, sizeof(*log->lines));
	log->lines[log->count++] = line;
}

void import_say(struct import *import, const char *format, ...)
{
	const char *text;
	va_list args;

	va_start(args, format);
	text = arena_vprintf(import->arena, format, args);
	va_end(args);
	say(import->log, arena_printf(import->log->arena, "%s: %s", import->cpu->name, text));
}

const char *path_name(const char *path, struct arena *arena)
{
	size_t length = strlen(path), start;

	while (length > 1 && path[length - 1] == '/')
		length--;
	for (start = length; start > 0 && path[start - 1] != '/'; start--)
		;
	return arena_strndup(arena, path + start, length - start);
}

static int read_cpu(struct import *import, const char *path, struct error *err)
{
	switch (import->request->form) {
	case IMPORT_ARM: return arm_read(import, path, err);
	case IMPORT_PERF: return perf_read(import, path, err);
	case IMPORT_PERFMON:
	default: return perfmon_read(import, path, err);
	}
}

/* Where the vendor publishes no metrics, instructions per cycle is all that every core can tell. */
static void add_usual(struct import *import)
{
	static const struct {
		const char *vendor, *expr[2], *events[2];
	} usual[] = {
		{ "Intel",
		  { "INST_RETIRED.ANY / CPU_CLK_UNHALTED.THREAD", "INST_RETIRED.ANY / CPU_CLK_UNHALTED.CORE" },
		  { "CPU_CLK_UNHALTED.THREAD", "CPU_CLK_UNHALTED.CORE" } },
	};
	struct import_metric *metric;

	if (import->nmetrics || strcmp(import->cpu->vendor, usual[0].vendor) != 0)
		return;
	for (size_t i = 0; i < COUNT_OF(usual[0].events) && !import->nmetrics; i++) {
		if (!has_import_event(import, usual[0].events[i]))
			continue;
		metric = metric_add(import, "ipc");
		metric->title = "IPC";
		metric->expr = usual[0].expr[i];
		metric->groups = "Summary";
		import->model_source = import->source;
		import->model_version = import->version;
	}
}

struct job {
	struct import_log *log;
	const struct import_request *request;
	struct cpu_list cpus;
	struct arena *arena;
	size_t done;
};

static void finish_metrics(struct import *import)
{
	size_t metrics = 0, elsewhere = 0;

	add_usual(import);
	metrics_check(import);
	for (size_t i = 0; i < import->nmetrics; i++) {
		metrics += !import->metrics[i].is_dropped;
		elsewhere += !import->metrics[i].is_dropped && import->metrics[i].needs;
	}
	import_say(import, "%zu events, %zu metrics, %zu of them need more than one core's counters", import->nevents,
		   metrics, elsewhere);
}

static int import_cpu(struct job *job, const char *path, const struct cpu_facts *cpu, struct error *err)
{
	struct arena arena;
	struct import import = { .request = job->request, .arena = &arena, .log = job->log, .cpu = cpu };
	int result;

	if (job->request->only && !is_same_name(job->request->only, cpu->name))
		return 0;
	arena_init(&arena);
	import.event_names = import.foreign = import.latencies = TABLE_INIT(&arena);
	result = read_cpu(&import, path, err);
	if (result == 0 && !import.nevents) {
		if (has_name_prefix(cpu->pmu, CORE_TYPE_PREFIX))
			import_say(&import, "no events of %s", cpu->pmu);
		else
			result = error_set(err, "%s: no events in it", path);
	} else if (result == 0) {
		finish_metrics(&import);
		result = import_output(&import, &job->cpus, err);
		job->done++;
	}
	arena_release(&arena);
	return result;
}

/*
 * Whose file it is: Intel's and Arm's files have names, a folder of Linux is called like the CPU, without its core type
 * (alderlake has the events of alderlake:core and alderlake:atom).
 */
static bool is_of_file(const struct cpu_facts *cpu, enum import_form form, const char *file)
{
	size_t length = strcspn(cpu->name, ":");

	if (form != IMPORT_PERF)
		return is_same_name(cpu->file, file);
	return strlen(file) == length && has_name_prefix(cpu->name, file);
}

/* A CPU that nobody described; of a hybrid one each core type is a CPU. */
static int import_unknown(struct job *job, const struct import_file *file, struct error *err)
{
	static const char *const vendors[] = { [IMPORT_PERFMON] = "Intel", [IMPORT_PERF] = "", [IMPORT_ARM] = "Arm" };
	struct cpu_facts unknown = cpu_unknown(file->file, vendors[job->request->form], job->arena);
	struct core_types types = { .count = 0 };

	if (job->request->form == IMPORT_PERF && perf_core_types(&types, file->path, job->arena, err) < 0)
		return -1;
	for (size_t i = 0; i < types.count; i++) {
		struct cpu_facts core = unknown;

		core.pmu = types.pmus[i];
		core.name = core.title =
			arena_printf(job->arena, "%s:%s", unknown.name, types.pmus[i] + strlen(CORE_TYPE_PREFIX));
		if (import_cpu(job, file->path, &core, err) < 0)
			return error_in(err, "%s", core.name);
	}
	return types.count ? 0 : import_cpu(job, file->path, &unknown, err);
}

/* A file may be several CPUs (other metrics, another core type), or one that nobody described. */
static int import_file(struct job *job, const struct import_file *file, struct error *err)
{
	bool is_known = false;

	for (size_t i = 0; i < job->cpus.count; i++) {
		if (!is_of_file(&job->cpus.items[i], job->request->form, file->file))
			continue;
		is_known = true;
		if (import_cpu(job, file->path, &job->cpus.items[i], err) < 0)
			return error_in(err, "%s", job->cpus.items[i].name);
	}
	return is_known ? 0 : import_unknown(job, file, err);
}

/* Without slashes at the end, which would hide the last name. */
static const char *without_slash(const char *path, struct arena *arena)
{
	size_t length = strlen(path);

	while (length > 1 && path[length - 1] == '/')
		length--;
	return arena_strndup(arena, path, length);
}

static int list_files(struct import_files *files, struct job *job, struct error *err)
{
	const char *folder = without_slash(job->request->folder, job->arena);

	switch (job->request->form) {
	case IMPORT_PERFMON: return perfmon_files(files, folder, job->arena, err);
	case IMPORT_ARM: return arm_files(files, folder, job->arena, err);
	case IMPORT_PERF:
	default: break;
	}
	files->items = arena_alloc(job->arena, sizeof(*files->items));
	files->items[files->count++] = (struct import_file){ .path = folder, .file = path_name(folder, job->arena) };
	return 0;
}

int import_run(struct import_log *log, const struct import_request *request, struct arena *arena, struct error *err)
{
	struct job job = { .log = log, .request = request, .arena = arena };
	struct import_files files = { .count = 0 };

	*log = (struct import_log){ .arena = arena };
	if (cpus_read(&job.cpus, request->cpus, arena, err) < 0 || list_files(&files, &job, err) < 0 ||
	    directory_make(arena_printf(arena, "%s/events", request->out), arena, err) < 0 ||
	    directory_make(arena_printf(arena, "%s/models", request->out), arena, err) < 0)
		return -1;
	for (size_t i = 0; i < files.count; i++)
		if (import_file(&job, &files.items[i], err) < 0)
			return -1;
	if (!job.done)
		return error_set(err, "%s: no %sCPU of this form in it", request->folder, request->only ? "such " : "");
	return 0;
}
