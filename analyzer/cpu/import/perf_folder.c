/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf_folder.c - a folder of Linux' pmu-events: its files, which Linux it is of, the version of its metrics. */
#include <string.h>

#include "common/base/text.h"
#include "common/system/file.h"
#include "cpu/import/importer.h"

const char *perf_mapfile_version(const struct import *import, const char *folder)
{
	const char *path = arena_printf(import->arena, "%s/../mapfile.csv", folder), *found;
	const char *wanted = arena_printf(import->arena, ",%s,", path_name(folder, import->arena));
	struct error err = { 0 };
	size_t length;
	const char *text = is_file(path) ? file_read(path, &length, import->arena, &err) : NULL, *from;

	found = text ? strstr(text, wanted) : NULL;
	if (!found)
		return "v1";
	for (from = found; from > text && from[-1] != ',' && from[-1] != '\n'; from--)
		;
	return arena_strndup(import->arena, from, (size_t)(found - from));
}

/* The part of a path that ends before end, and what stands before it. */
static const char *last_part(const char *path, const char **end, struct arena *arena)
{
	const char *to = *end, *from;

	while (to > path && to[-1] == '/')
		to--;
	for (from = to; from > path && from[-1] != '/'; from--)
		;
	*end = from;
	return arena_strndup(arena, from, (size_t)(to - from));
}

const char *perf_linux_version(const char *folder, struct arena *arena)
{
	static const char prefix[] = "linux-";
	const char *end = folder + strlen(folder), *part;

	while (*(part = last_part(folder, &end, arena)))
		if (has_name_prefix(part, prefix) && strspn(part + strlen(prefix), "0123456789"))
			return part + strlen(prefix);
	return NULL;
}

const char *perf_source(const struct import *import, const char *folder)
{
	struct arena *arena = import->arena;
	const char *end = folder + strlen(folder), *version = perf_linux_version(folder, arena);
	const char *name = last_part(folder, &end, arena), *above = last_part(folder, &end, arena);

	if (!strcmp(above, "generic"))
		return arena_printf(arena, "topdown events/generic/%s", name);
	if (!strcmp(last_part(folder, &end, arena), "arm64"))
		above = arena_printf(arena, "arm64/%s", above);
	return arena_printf(arena, "Linux%s%s pmu-events arch/%s/%s", version ? " " : "", version ? version : "", above,
			    name);
}

/*
 * Linux' files do not say of which version of the method their metrics are, but a later version has metrics under names
 * that the earlier ones lack (perfmon's files, which say their version, have them from there on). The latest first.
 */
static const struct method_row {
	const char *metric, *version;
} method_rows[] = {
	{ "tma_l3_miss_bound", "5.2" },
	{ "tma_bottleneck_data_cache_memory_bandwidth", "5.1" },
};

struct method_reader {
	const char *unit;
	size_t row; /* of the latest version whose metric was met, or their number */
};

static int read_method(void *context, const struct bulk_object *object, struct error *err UNUSED)
{
	struct method_reader *r = context;
	const char *name = bulk_get(object, "MetricName"), *unit = bulk_get(object, "Unit");

	for (size_t i = 0; name && i < r->row; i++)
		if (is_same_name(name, method_rows[i].metric) && (!unit || !r->unit || !strcmp(unit, r->unit)))
			r->row = i;
	return 0;
}

int perf_method(const char **version, const char *folder, const char *unit, struct arena *arena, struct error *err)
{
	struct method_reader reader = { .unit = unit, .row = COUNT_OF(method_rows) };
	struct bulk_visitor visitor = { .context = &reader, .list = "Metrics", .object = read_method };

	*version = NULL;
	if (perf_visit(folder, PERF_METRICS_SUFFIX, &visitor, arena, err) < 0)
		return -1;
	if (reader.row < COUNT_OF(method_rows))
		*version = method_rows[reader.row].version;
	return 0;
}

/* Every file of the folder whose name ends so and that has events or metrics. */
int perf_visit(const char *folder, const char *suffix, const struct bulk_visitor *visitor, struct arena *arena,
	       struct error *err)
{
	size_t count;
	const char **names = directory_list(folder, suffix, &count, arena, err);
	struct arena text;
	int result;

	for (size_t i = 0; names && i < count; i++) {
		if (!strcmp(names[i], "metricgroups.json") || !strcmp(names[i], "counter.json"))
			continue;
		arena_init(&text); /* what is kept of it is copied */
		result = bulk_read(arena_printf(arena, "%s/%s", folder, names[i]), visitor, &text, err);
		arena_release(&text);
		if (result < 0)
			return -1;
	}
	return names ? 0 : -1;
}
