/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cpu/import/import.h"

#include <string.h>

#include "common/base/text.h"
#include "common/json/json_bulk.h"
#include "common/system/file.h"
#include "cpu/import/import_rows.h"
#include "cpu/import/importer.h"
#include "cpu/load/database.h"

/* ---- CPUs that are known ---- */

#define ARM_PMU "armv8_pmuv3_0"

bool is_arm(const struct cpu_facts *cpu)
{
	return has_name_prefix(cpu->pmu, "armv8_");
}

struct reader {
	struct cpu_list *cpus;
	struct arena *arena;
	const char *path;
};

static const char *import_take(const struct bulk_object *object, const char *key)
{
	const char *text = bulk_get(object, key);

	return text ? text : "";
}

static int take_cpu(void *context, const struct bulk_object *object, struct error *err)
{
	struct reader *r = context;
	struct cpu_list *cpus = r->cpus;
	struct cpu_facts cpu = {
		.file = import_take(object, "File"),
		.name = import_take(object, "Name"),
		.short_name = import_take(object, "ShortName"),
		.vendor = import_take(object, "Vendor"),
		.title = import_take(object, "Title"),
		.pmu = import_take(object, "Pmu"),
		.pfm = import_take(object, "Pfm"),
		.match = import_take(object, "Match"),
		.event = import_take(object, "MatchEvent"),
		.slots = import_take(object, "Slots"),
		.metrics = import_take(object, "Metrics"),
		.unit = import_take(object, "Unit"),
		.domains = import_take(object, "Domains"),
		.general = import_take(object, "General"),
		.sheet = import_take(object, "Sheet"),
		.generic = import_take(object, "Generic"),
		.cycles = import_take(object, "Cycles"),
		.exclusive = import_take(object, "Exclusive"),
		.paired = import_take(object, "Paired"),
		.counters = import_take(object, "Counters"),
		.max_precise = import_take(object, "MaxPrecise"),
		.no_tree = import_take(object, "NoTree"),
	};

	if (!cpu.file[0] || !cpu.name[0])
		return error_set(err, "%s: row %zu has no File or no Name", r->path, cpus->count + 1);
	if (!cpu.pmu[0])
		cpu.pmu = strcmp(cpu.vendor, "Arm") ? "cpu" : ARM_PMU;
	cpus->items = arena_grow(r->arena, cpus->items, cpus->count, &cpus->capacity, sizeof(cpu));
	cpus->items[cpus->count++] = cpu;
	return 0;
}

/* path may be NULL: an empty list. */
static int cpus_read(struct cpu_list *cpus, const char *path, struct arena *arena, struct error *err)
{
	struct reader reader = { .cpus = cpus, .arena = arena, .path = path };
	struct bulk_visitor visitor = { .context = &reader, .list = "Events", .object = take_cpu };

	*cpus = (struct cpu_list){ .count = 0 };
	if (!path)
		return 0;
	return bulk_read(path, &visitor, arena, err);
}

/* The facts of a CPU that nobody wrote down. */
static struct cpu_facts cpu_unknown(const char *file, const char *vendor, struct arena *arena)
{
	const char *name = text_lower(arena, file);

	return (struct cpu_facts){
		.file = file,
		.name = name,
		.short_name = "",
		.vendor = vendor,
		.title = name,
		.pfm = "",
		.match = "",
		.event = "",
		.pmu = strcmp(vendor, "Arm") ? "cpu" : ARM_PMU,
		.slots = "",
		.metrics = "",
		.unit = "",
		.domains = "",
		.general = "",
		.sheet = "",
		.generic = strcmp(vendor, "Arm") ? "" : "generic-arm",
		.cycles = "",
		.exclusive = "",
		.paired = strcmp(vendor, "AMD") ? "" : "0x03", /* as on all AMD cores since Zen */
		.counters = "",
		.max_precise = "",
		.no_tree = "",
	};
}

size_t cpu_place(const struct cpu_list *cpus, const char *name)
{
	size_t place = 0;

	while (place < cpus->count && !is_same_name(cpus->items[place].name, name))
		place++;
	return place;
}

/* ---- all CPUs of a request ---- */

/* A folder of Linux' pmu-events is one CPU. */
static int perf_files(struct import_files *files, const char *folder, struct arena *arena, struct error *err)
{
	(void)err;
	files->items = arena_alloc(arena, sizeof(*files->items));
	files->items[files->count++] = (struct import_file){ .path = folder, .file = path_name(folder, arena) };
	return 0;
}

static const struct form {
	const char *name;
	const char *vendor; /* of a CPU that nobody described */
	int (*read)(struct import *import, const char *path, struct error *err);
	int (*files)(struct import_files *files, const char *folder, struct arena *arena, struct error *err);
} forms[] = {
	[IMPORT_PERFMON] = { .name = "perfmon", .vendor = "Intel", .read = perfmon_read, .files = perfmon_files },
	[IMPORT_PERF] = { .name = "perf", .vendor = "", .read = perf_read, .files = perf_files },
	[IMPORT_ARM] = { .name = "arm", .vendor = "Arm", .read = arm_read, .files = arm_files },
};

const char *import_form_name(enum import_form form)
{
	return forms[form].name;
}

bool import_form_named(enum import_form *form, const char *word)
{
	for (size_t i = 0; i < COUNT_OF(forms); i++) {
		if (strcmp(forms[i].name, word) != 0)
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

const char *import_path(const struct import *import, const char *name)
{
	for (size_t i = 0; i < import->request->nmore && name[0]; i++) {
		const char *path = arena_printf(import->arena, "%s/%s", import->request->more[i], name);

		if (is_file(path))
			return path;
	}
	return NULL;
}

/* One that the counters of a core give, by what metrics_check found. */
static bool has_core_metric(const struct import *import)
{
	for (size_t i = 0; i < import->nmetrics; i++)
		if (!import->metrics[i].is_dropped && !import->metrics[i].reads_units)
			return true;
	return false;
}

/* Where Intel publishes no metrics of the core, instructions per cycle is the one that every core has. */
static void add_usual(struct import *import)
{
	static const struct {
		const char *cycles, *expr;
	} usual[] = {
		{ "CPU_CLK_UNHALTED.THREAD", "INST_RETIRED.ANY / CPU_CLK_UNHALTED.THREAD" },
		{ "CPU_CLK_UNHALTED.CORE", "INST_RETIRED.ANY / CPU_CLK_UNHALTED.CORE" },
	};
	struct import_metric *metric;

	if (strcmp(import->cpu->vendor, "Intel") != 0)
		return;
	for (size_t i = 0; i < COUNT_OF(usual); i++) {
		if (!has_import_event(import, usual[i].cycles))
			continue;
		metric = metric_add(import, "ipc");
		metric->title = "IPC";
		metric->expr = usual[i].expr;
		metric->groups = "Summary";
		import->model_source = import->model_source ? import->model_source : import->source;
		import->model_version = import->model_version ? import->model_version : import->version;
		return;
	}
}

struct job {
	struct import_log *log;
	const struct import_request *request;
	struct cpu_list cpus;
	struct arena *arena;
	size_t done;
	const char *first;	 /* the first CPU that was written */
	bool is_arm;		 /* one of them is an arm64 core */
	struct string unmatched; /* those that no row of the map finds by family and model: "a, b" */
};

#define GENERIC_CPU                                                                                                    \
	"No data file knows this CPU, so this is what its architecture defines. Deeper levels need the vendor's "      \
	"events: `topdown import` and {db}."
static const char generic_metrics[] =
	"The vendor publishes no metrics for this core: what is shown is what its architecture defines.";

static const char generic_tree[] =
	"The vendor publishes no tree for this core: level 1 is what its architecture defines.";

static bool has_nodes(const struct import *import)
{
	for (size_t i = 0; i < import->nmetrics; i++)
		if (import->metrics[i].groups && strstr(import->metrics[i].groups, "TopdownL"))
			return true;
	return false;
}

static int add_generic(struct import *import, struct error *err)
{
	const char *all = import->request->generic, *name = import->cpu->generic;

	if (has_name_prefix(import->cpu->name, GENERIC_CPU_PREFIX))
		import->generic = arena_worded(import->arena, GENERIC_CPU);
	if (!name[0] || has_nodes(import))
		return 0;
	if (!all) {
		import_say(import, "no metrics: the folder events/generic/%s is in no database", name);
		return 0;
	}
	if (!import->generic)
		import->generic = import->nmetrics ? generic_tree : generic_metrics;
	return perf_read_generic(import, arena_printf(import->arena, "%s/%s", all, name), err);
}

/* -1 when the files have metrics, and none of them can be computed. */
static int finish_metrics(struct import *import, struct error *err)
{
	size_t metrics = 0, units = 0, first = import->log->count;

	efficient_samples(import);
	metrics_check(import);
	if (!has_core_metric(import))
		add_usual(import);
	for (size_t i = 0; i < import->nmetrics; i++) {
		metrics += !import->metrics[i].is_dropped;
		units += !import->metrics[i].is_dropped && import->metrics[i].reads_units;
	}
	import_say(import,
		   "%zu events, %zu metrics; %zu more events are of other PMUs, and %zu of the metrics read them",
		   import->nevents, metrics, import->nunit_events, units);
	if (import->nmetrics && !metrics)
		return error_set(err, "none of the %zu metrics can be computed; the first one: %s", import->nmetrics,
				 import->log->lines[first]);
	return 0;
}

static void note_done(struct job *job, const struct import *import)
{
	const struct cpu_facts *cpu = import->cpu;

	job->done++;
	job->first = job->first ? job->first : cpu->name;
	job->is_arm = job->is_arm || is_arm(cpu);
	if (!cpu->match[0] && !import->match)
		string_printf(&job->unmatched, "%s%s", job->unmatched.length ? ", " : "", cpu->name);
}

/* What to do with what was written. */
static void say_next(const struct job *job)
{
	struct string out = STRING_INIT(job->arena);

	string_add_shell_word(&out, job->request->out);
	say(job->log, arena_worded(job->arena,
				   "Next: `topdown plan {db} %s {cpu} %s` has its events; with {db} %s a "
				   "measurement takes them.",
				   out.text, job->first, out.text));
	if (job->unmatched.length)
		say(job->log,
		    arena_worded(job->arena,
				 "%s/events/mapfile.csv has - for the family and model of %s: only {cpu} finds it. The "
				 "identity that `topdown doctor` prints there (%s) takes the place of -.",
				 job->request->out, job->unmatched.text,
				 job->is_arm ? "0x00000000410fd4f0" : "GenuineIntel-6-CF"));
}

static int import_system(struct job *job, const char *folder, struct error *err)
{
	struct arena arena;
	struct cpu_facts around = cpu_unknown(system_name(folder, job->arena), "", job->arena);
	struct import import = { .request = job->request, .arena = &arena, .log = job->log, .cpu = &around };
	int result;

	arena_init(&arena);
	import.event_names = import.unit_names = import.latencies = TABLE_INIT(&arena);
	result = system_import(&import, folder, err);
	arena_release(&arena);
	return result;
}

static int import_cpu(struct job *job, const char *path, const struct cpu_facts *cpu, struct error *err)
{
	struct arena arena;
	struct import import = { .request = job->request, .arena = &arena, .log = job->log, .cpu = cpu };
	int result;

	if (job->request->only && !is_same_name(job->request->only, cpu->name))
		return 0;
	arena_init(&arena);
	import.event_names = import.unit_names = import.latencies = TABLE_INIT(&arena);
	result = forms[job->request->form].read(&import, path, err);
	if (result == 0 && !import.nevents) {
		if (has_name_prefix(cpu->pmu, CORE_TYPE_PREFIX))
			import_say(&import, "no events of %s", cpu->pmu);
		else
			result = error_set(err, "%s: no events in it", path);
	} else if (result == 0) {
		result = add_generic(&import, err);
		if (result == 0)
			result = general_read(&import, err); /* of the architecture's formulas too */
		if (result == 0)
			result = finish_metrics(&import, err);
		if (result == 0)
			result = import_output(&import, &job->cpus, err);
		if (result == 0)
			note_done(job, &import);
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

	if (form != IMPORT_PERF || is_arm(cpu) || has_name_prefix(cpu->name, GENERIC_CPU_PREFIX))
		return is_same_name(cpu->file, file);
	return strlen(file) == length && has_name_prefix(cpu->name, file);
}

/* pmu-events/arch/arm64/VENDOR/CPU: the architecture's counters and events with a fixed role, whoever made it. */
static bool is_arm64_folder(const char *path)
{
	return strstr(path, "/arm64/") != NULL;
}

/* A CPU that nobody described; of a hybrid one each core type is a CPU. */
static int import_unknown(struct job *job, const struct import_file *file, struct error *err)
{
	const char *vendor = is_arm64_folder(file->path) ? "Arm" : forms[job->request->form].vendor;
	struct cpu_facts unknown = cpu_unknown(file->file, vendor, job->arena);
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

/* A file is taken for the folder that it was meant to be in. */
static int check_folder(const char *path, const char *form, struct error *err)
{
	const char *slash = strrchr(path, '/');

	if (!is_file(path))
		return 0;
	return error_set(err, "%s is a file: {from} %s takes the folder that it is in, %.*s", path, form,
			 slash ? (int)(slash - path) + (slash == path) : 1, slash ? path : ".");
}

static int check_folders(const struct import_request *request, struct error *err)
{
	if (check_folder(request->folder, forms[request->form].name, err) < 0)
		return -1;
	for (size_t i = 0; i < request->nmore; i++)
		if (check_folder(request->more[i], forms[request->form].name, err) < 0)
			return -1;
	return 0;
}

static int list_files(struct import_files *files, struct job *job, struct error *err)
{
	const char *folder = without_slash(job->request->folder, job->arena);

	return forms[job->request->form].files(files, folder, job->arena, err);
}

int import_run(struct import_log *log, const struct import_request *request, struct arena *arena, struct error *err)
{
	struct job job = { .log = log, .request = request, .arena = arena, .unmatched = STRING_INIT(arena) };
	struct import_files files = { .count = 0 };

	*log = (struct import_log){ .arena = arena };
	if (check_folders(request, err) < 0)
		return -1;
	if (request->form == IMPORT_PERF && is_system_folder(request->folder, arena))
		return import_system(&job, request->folder, err);
	if (cpus_read(&job.cpus, request->cpus, arena, err) < 0 || list_files(&files, &job, err) < 0)
		return -1;
	for (size_t i = 0; i < files.count; i++)
		if (import_file(&job, &files.items[i], err) < 0)
			return -1;
	if (!job.done)
		return error_set(err, "%s: no %sCPU of this form in it", request->folder, request->only ? "such " : "");
	say_next(&job);
	return 0;
}
