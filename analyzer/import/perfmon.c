/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perfmon.c - a platform's folder of intel/perfmon: events/NAME_core.json, metrics/NAME_metrics.json. */
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "import/internal.h"
#include "import/perfmon.h"
#include "load/json_read.h"

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

static void read_header(void *context, const struct bulk_object *header)
{
	struct event_reader *r = context;
	const char *version = bulk_get(header, "Version");

	if (version)
		r->import->version = arena_strdup(r->import->arena, version);
}

/* A colon would start a modifier; names with one are old spellings of OCR.* events. */
static int read_event(void *context, const struct bulk_object *object, struct error *err UNUSED)
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
	struct bulk_visitor visitor = {
		.context = &reader, .list = "Events", .header = read_header, .object = read_event
	};

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
	root = json_read_file(path, err);
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

/* A folder of Linux' pmu-events that has the metrics of this CPU. */
static const char *linux_folder(const struct import *import)
{
	const char *name = import->cpu->metrics[0] ? import->cpu->metrics : import->cpu->file;

	for (size_t i = 0; i < import->request->nmore; i++)
		if (is_same_name(path_name(import->request->more[i], import->arena), name))
			return import->request->more[i];
	return NULL;
}

static void take_domain(struct import *import, const struct json *raw)
{
	const char *name = json_text(json_get(raw, "MetricName")), *domain = json_text(json_get(raw, "CountDomain"));
	const char *full = name ? arena_printf(import->arena, "tma_%s", name) : "";

	for (size_t i = 0; i < import->nmetrics; i++)
		if (domain && is_same_name(import->metrics[i].name, full))
			import->metrics[i].domain = arena_strdup(import->arena, domain);
}

/* Linux' form does not say what a node is a share of; perfmon says it of the same nodes of another CPU. */
static int read_domains(struct import *import, const char *folder, struct error *err)
{
	const char *path = arena_printf(import->arena, "%s/../%s", folder, import->cpu->domains);
	const struct json *metrics;
	struct json *root;

	if (!import->cpu->domains[0])
		return 0;
	if (!is_file(path)) {
		import_say(import, "%s is not there: nodes without CountDomain", path);
		return 0;
	}
	root = json_read_file(path, err);
	if (!root)
		return -1;
	metrics = json_get(root, "Metrics");
	for (size_t i = 0; i < json_size(metrics); i++)
		take_domain(import, json_at(metrics, i));
	json_free(root);
	return 0;
}

int perfmon_read(struct import *import, const char *path, struct error *err)
{
	const char *folder = arena_strndup(import->arena, path,
					   strlen(path) - strlen("/events/") - strlen(path_name(path, import->arena)));
	const char *metrics, *more;

	import->source = arena_printf(import->arena, "intel/perfmon %s", last_three(path));
	if (read_events(import, path, err) < 0 || read_latencies(import, folder, err) < 0)
		return -1;
	events_finish(import);
	import->map_version = arena_printf(import->arena, "v%s", import->version ? import->version : "1");
	metrics = metrics_path(import, folder);
	if (metrics) {
		import->model_source = arena_printf(import->arena, "intel/perfmon %s", last_three(metrics));
		return perfmon_read_model(import, metrics, err);
	}
	more = linux_folder(import);
	if (!more)
		return 0;
	return perf_read_metrics(import, more, err) < 0 ? -1 : read_domains(import, folder, err);
}
