/* SPDX-License-Identifier: GPL-2.0-or-later */
/* import_perfmon.c - a platform's folder of intel/perfmon: events/NAME_core.json, metrics/NAME_metrics.json. */
#include <string.h>

#include "common/base/text.h"
#include "common/json/json_read.h"
#include "common/system/file.h"
#include "cpu/event/spelling.h"
#include "cpu/import/importer.h"

static const char core_suffix[] = "_core.json";

int perfmon_files(struct import_files *files, const char *folder, struct arena *arena, struct error *err)
{
	const char *events = arena_printf(arena, "%s/events", folder);
	size_t count;
	const char **names = directory_list(events, core_suffix, &count, arena, err);

	for (size_t i = 0; names && i < count; i++) {
		struct import_file file = {
			.path = arena_printf(arena, "%s/%s", events, names[i]),
			.file = arena_strndup(arena, names[i], strlen(names[i]) - strlen(core_suffix)),
		};

		files->items = arena_grow(arena, files->items, files->count, &files->capacity, sizeof(file));
		files->items[files->count++] = file;
	}
	return names ? 0 : -1;
}

struct event_reader {
	struct import *import;
	size_t ncolons;
};

static void import_perfmon_read_header(void *context, const struct bulk_object *header)
{
	struct event_reader *r = context;
	const char *version = bulk_get(header, "Version");

	if (version)
		r->import->version = arena_strdup(r->import->arena, version);
}

/* A colon would start a modifier; names with one are old spellings of OCR.* events. */
static int import_perfmon_read_event(void *context, const struct bulk_object *object, struct error *err UNUSED)
{
	struct event_reader *r = context;
	struct row raw = event_raw(r->import, object);
	const char *name = row_get(&raw, "EventName");

	if (name && strchr(name, ':'))
		r->ncolons++;
	else if (name)
		event_add(r->import, &raw);
	return 0;
}

static int read_events(struct import *import, const char *path, struct error *err)
{
	struct event_reader reader = { .import = import };
	struct bulk_visitor visitor = { .context = &reader,
					.list = "Events",
					.header = import_perfmon_read_header,
					.object = import_perfmon_read_event };

	struct arena text;
	int result;

	arena_init(&text); /* what is kept of it is copied */
	result = bulk_read(path, &visitor, &text, err);
	arena_release(&text);
	if (result < 0)
		return -1;
	if (reader.ncolons)
		import_say(import, "%zu deprecated events with ':' in the name left out", reader.ncolons);
	return 0;
}

/* "SKX/events/skylakex_core.json" of a longer path. */
static const char *last_three(const char *path)
{
	const char *from = path + strlen(path);

	for (unsigned slashes = 0; from > path; from--)
		if (from[-1] == '/' && ++slashes == 3)
			return from;
	return path;
}

static int read_latency(void *context, const char *event, const struct json *value)
{
	struct import *import = context;
	double mean = json_number(json_get(value, "MEAN"));

	if (!(mean >= 0))
		return 0;
	import->means = arena_grow(import->arena, import->means, import->nmeans, &import->means_capacity,
				   sizeof(*import->means));
	import->means[import->nmeans] = arena_printf(import->arena, "%.12g", mean);
	table_set(&import->latencies, arena_strdup(import->arena, event), import->nmeans++);
	return 0;
}

/* metrics/NAME_retire_latency.json, where there is one. */
static int read_latencies(struct import *import, const char *folder, struct error *err)
{
	const char *path = arena_printf(import->arena, "%s/metrics/%s_retire_latency.json", folder, import->cpu->file);
	struct json *root;

	if (!is_file(path))
		return 0;
	root = json_read_bulk(path, err);
	if (!root)
		return -1;
	json_each(json_get(root, "Data"), read_latency, import);
	json_free(root);
	return 0;
}

/*
 * "NAME_metrics.json", or for a core of a hybrid CPU ("alderlake_goldencove") "alderlake_metrics_goldencove_core.json";
 * NULL
 * when there is neither.
 */
static const char *metrics_path(const struct import *import, const char *folder)
{
	const char *stem = import->cpu->metrics[0] ? import->cpu->metrics : import->cpu->file;
	const char *core = strchr(stem, '_');
	const char *path = arena_printf(import->arena, "%s/metrics/%s_metrics.json", folder, stem);

	if (is_file(path) || !core)
		return is_file(path) ? path : NULL;
	path = arena_printf(import->arena, "%s/metrics/%.*s_metrics_%s_core.json", folder, (int)(core - stem), stem,
			    core + 1);
	return is_file(path) ? path : NULL;
}

/* A folder of Linux' pmu-events with the metrics of this CPU: of its name without the core type, or of another. */
static const char *linux_folder(const struct import *import)
{
	struct arena *arena = import->arena;
	const char *own = arena_strndup(arena, import->cpu->name, strcspn(import->cpu->name, ":"));
	const char *name = import->cpu->metrics[0] ? import->cpu->metrics : own;

	for (size_t i = 0; i < import->request->nmore; i++)
		if (is_same_name(path_name(import->request->more[i], arena), name))
			return import->request->more[i];
	return NULL;
}

static void take_samples(struct import *import, struct import_metric *metric, const struct json *raw)
{
	const char *list = json_text(json_get(raw, "LocateWith")), *part;
	size_t length;

	if (metric_has_sample(import, metric))
		return;
	metric->nsamples = 0;
	list = list ? list : "";
	while ((length = text_next(&list, ";", &part)) > 0)
		metric_add_sample(import, metric, part, length);
}

/*
 * What perfmon says of a metric that Linux' form does not: how its name is written, what it is a share of, where it
 * stands among its siblings; and which events to sample, where none of those that Linux names exists.
 */
static void take_domain(struct import *import, const struct json *raw, size_t place)
{
	const char *name = json_text(json_get(raw, "MetricName")), *domain = json_text(json_get(raw, "CountDomain"));
	const char *full = name ? arena_printf(import->arena, "tma_%s", name) : "";

	for (size_t i = 0; i < import->nmetrics; i++) {
		struct import_metric *metric = &import->metrics[i];

		if (!is_same_name(metric->name, full))
			continue;
		metric->place = metric->place ? metric->place : place + 1;
		metric->title = metric->title ? metric->title : arena_strdup(import->arena, name);
		if (domain && !metric->domain)
			metric->domain = arena_strdup(import->arena, domain);
		take_samples(import, metric, raw);
	}
}

/* expr with "\\,eq\\=0x1" behind each lost, which ends in "@"; NULL where it has none. */
static const char *with_equal(const char *expr, const char *lost, struct arena *arena)
{
	struct string text = STRING_INIT(arena);
	const char *found, *from = expr;

	while ((found = strstr(from, lost)) != NULL) {
		string_printf(&text, "%.*s%.*s\\,eq\\=0x1@", (int)(found - from), from, (int)strlen(lost) - 1, lost);
		from = found + strlen(lost);
	}
	string_add(&text, from);
	return from == expr ? NULL : text.text;
}

/*
 * "IDQ.MITE_UOPS:c8:i1:eq1" are cycles with 1 to 7 of them. The script that makes Linux' text of Intel's knows no "eq",
 * and without it a cycle with none counts too.
 */
static void put_equal_back(struct import *import, const char *name)
{
	struct arena *arena = import->arena;
	struct error err = { 0 };
	struct spelling event;
	const char *lost;

	if (spelling_parse(&event, name, arena, &err) < 0 || !event.equal || !event.invert)
		return;
	lost = arena_printf(arena, "%s\\,cmask\\=0x%llx\\,inv\\=0x1@", event.name, (unsigned long long)event.cmask);
	for (size_t i = 0; i < import->nmetrics; i++) {
		const char *expr = with_equal(import->metrics[i].expr, lost, arena);

		if (!expr)
			continue;
		import_say(import, "%s: %s, which perfmon has and Linux' text lost", import->metrics[i].name, name);
		import->metrics[i].expr = expr;
	}
}

static void take_modifiers(struct import *import, const struct json *raw)
{
	const struct json *events = json_get(raw, "Events");

	for (size_t i = 0; i < json_size(events); i++) {
		const char *name = json_text(json_get(json_at(events, i), "Name"));

		if (name && strstr(name, ":eq"))
			put_equal_back(import, name);
	}
}

static int read_domains(struct import *import, const char *path, struct error *err)
{
	const struct json *metrics;
	struct json *root;

	if (!is_file(path)) {
		import_say(import, "%s is not there: nodes without CountDomain", path);
		return 0;
	}
	root = json_read_bulk(path, err);
	if (!root)
		return -1;
	metrics = json_get(root, "Metrics");
	for (size_t i = 0; i < json_size(metrics); i++) {
		take_domain(import, json_at(metrics, i), i);
		take_modifiers(import, json_at(metrics, i));
	}
	json_free(root);
	return 0;
}

/* A node of Linux that no file of perfmon knows: a share of what its formula divides by. */
static void guess_domains(struct import *import)
{
	static const char *const rows[][2] = { { "/ tma_info_thread_clks", "Clocks" },
					       { "/ tma_info_thread_slots", "Slots" } };

	for (size_t i = 0; i < import->nmetrics; i++) {
		struct import_metric *metric = &import->metrics[i];

		for (size_t k = 0; k < COUNT_OF(rows) && !metric->domain; k++)
			if (strstr(metric->groups, "TopdownL") && strstr(metric->expr, rows[k][0]))
				metric->domain = rows[k][1];
	}
}

/* With the domains of perfmon's own file of older metrics, where there is one, and of the one that cpus.json names. */
static int read_linux(struct import *import, const char *folder, const char *more, const char *own, struct error *err)
{
	const char *other = arena_printf(import->arena, "%s/../%s", folder, import->cpu->domains);

	if (perf_read_metrics(import, more, err) < 0 || (own && read_domains(import, own, err) < 0))
		return -1;
	if (import->cpu->domains[0] && read_domains(import, other, err) < 0)
		return -1;
	guess_domains(import);
	perf_nodes_order(import);
	return 0;
}

static void read_version(void *context, const struct bulk_object *header)
{
	struct import *import = context;
	const char *version = bulk_get(header, "TmaVersion");

	if (version)
		import->tma_version = arena_strdup(import->arena, version);
}

/* Whether Linux' metrics are of a later version of the method than perfmon's; the versions are compared as numbers. */
static int is_linux_newer(bool *is_newer, struct import *import, const char *more, const char *metrics,
			  struct error *err)
{
	const char *theirs;
	double ours = 0, other = 0;

	*is_newer = false;
	if (perf_method(&theirs, more, core_unit(import), import->arena, err) < 0)
		return -1;
	if (!theirs)
		return 0;
	if (metrics && bulk_read_header(metrics, read_version, import, import->arena, err) < 0)
		return -1;
	*is_newer = text_double(theirs, &other) &&
		    (!import->tma_version || !text_double(import->tma_version, &ours) || other > ours);
	if (*is_newer && metrics)
		import_say(import, "metrics from Linux: TMA %s, perfmon's are of %s", theirs,
			   import->tma_version ? import->tma_version : "an unknown version");
	if (*is_newer)
		import->tma_version = theirs;
	return 0;
}

/*
 * A sheet's column, where cpus.json names one; else the newer of what perfmon and Linux have, perfmon's where nothing
 * shows it. And the metrics that Linux alone has.
 */
static int read_model(struct import *import, const char *folder, struct error *err)
{
	const char *metrics = metrics_path(import, folder), *more = linux_folder(import);
	bool is_newer = false, is_read;

	if (sheet_read(import, &is_read, err) < 0)
		return -1;
	if (is_read)
		return more ? perf_add_metrics(import, more, err) : 0;
	if (more && is_linux_newer(&is_newer, import, more, metrics, err) < 0)
		return -1;
	if (more && (is_newer || !metrics))
		return read_linux(import, folder, more, metrics, err);
	if (!metrics)
		return 0;
	import->model_source = arena_printf(import->arena, "intel/perfmon %s", last_three(metrics));
	if (perfmon_read_model(import, metrics, err) < 0)
		return -1;
	return more ? perf_add_metrics(import, more, err) : 0;
}

int perfmon_read(struct import *import, const char *path, struct error *err)
{
	const char *folder = arena_strndup(import->arena, path,
					   strlen(path) - strlen("/events/") - strlen(path_name(path, import->arena)));

	import->source = arena_printf(import->arena, "intel/perfmon %s", last_three(path));
	if (read_events(import, path, err) < 0 || read_latencies(import, folder, err) < 0 ||
	    perfmon_read_units(import, folder, err) < 0)
		return -1;
	events_finish(import);
	import->map_version = arena_printf(import->arena, "v%s", import->version ? import->version : "1");
	return read_model(import, folder, err);
}
