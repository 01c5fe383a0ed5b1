/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import_system.c - a folder sys of Linux' pmu-events: events and metrics of PMUs that belong to no CPU, but to the
 * system around it (meshes, memory controllers). Each event says by Compat which models of the PMU have it. They go to
 * events/system/ and models/system/.
 */
#include <string.h>

#include "common/base/text.h"
#include "cpu/import/importer.h"

bool is_system_folder(const char *folder, struct arena *arena)
{
	return !strcmp(path_name(folder, arena), "sys");
}

const char *system_name(const char *folder, struct arena *arena)
{
	size_t length = strlen(folder);

	while (length && folder[length - 1] == '/')
		length--;
	length -= strlen("sys");
	while (length && folder[length - 1] == '/')
		length--;
	return length ? path_name(arena_strndup(arena, folder, length), arena) : "system";
}

/* "Linux 7.3 pmu-events arch/arm64/arm/cmn/sys" */
static const char *source_of(const struct import *import, const char *folder)
{
	const char *arch = strstr(folder, "/arm64/"), *version = perf_linux_version(folder, import->arena);

	return arena_printf(import->arena, "Linux%s%s pmu-events arch%s", version ? " " : "", version ? version : "",
			    arch ? arch : "");
}

static struct row header_of(const struct import *import, const char *name)
{
	struct row header = { .count = 0 };

	row_add(&header, "System", name, import->arena);
	row_add(&header, "Source", import->source, import->arena);
	row_add(&header, "Version", import->version, import->arena);
	return header;
}

static const char *path_in(const struct import *import, const char *kind, const char *name)
{
	return arena_printf(import->arena, "%s/%s/system/%s.json", import->request->out, kind, name);
}

static int write_events(const struct import *import, const char *name, struct error *err)
{
	struct row_file file = { .name = "Events", .header = header_of(import, name) };
	struct row *rows = arena_array(import->arena, import->nunit_events + 1, sizeof(*rows));

	for (size_t i = 0; i < import->nunit_events; i++)
		rows[file.count++] = import->unit_events[i].row;
	file.rows = rows;
	return rows_write(path_in(import, "events", name), &file, err);
}

static int write_metrics(const struct import *import, const char *name, struct error *err)
{
	struct row_file file = { .name = "Metrics", .header = header_of(import, name) };
	struct row *rows = arena_array(import->arena, import->nmetrics + 1, sizeof(*rows));

	for (size_t i = 0; i < import->nmetrics; i++)
		if (!import->metrics[i].is_dropped)
			rows[file.count++] = metric_row(&import->metrics[i], import->arena);
	file.rows = rows;
	return rows_write(path_in(import, "models", name), &file, err);
}

static int write_both(const struct import *import, const char *name, struct error *err)
{
	const char *out = import->request->out;

	if (directory_make(arena_printf(import->arena, "%s/events/system", out), import->arena, err) < 0 ||
	    directory_make(arena_printf(import->arena, "%s/models/system", out), import->arena, err) < 0)
		return -1;
	return write_events(import, name, err) < 0 ? -1 : write_metrics(import, name, err);
}

int system_import(struct import *import, const char *folder, struct error *err)
{
	const char *name = system_name(folder, import->arena);

	if (perf_read_system(import, folder, err) < 0)
		return -1;
	import->source = source_of(import, folder);
	import->version = "v1";
	metrics_check(import);
	if (!import->nunit_events)
		return error_set(err, "%s: no events of other PMUs than the cores' in it", folder);
	import_say(import, "%zu events of other PMUs than the cores', %zu metrics", import->nunit_events,
		   import->nmetrics);
	return write_both(import, name, err);
}
