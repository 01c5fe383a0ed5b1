/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/cpus.h"

#include <string.h>

#include "base/text.h"
#include "load/json_bulk.h"

struct reader {
	struct cpu_list *cpus;
	struct arena *arena;
	const char *path;
};

static const char *take(const struct bulk_object *object, const char *key)
{
	const char *text = bulk_get(object, key);

	return text ? text : "";
}

static int read_cpu(void *context, const struct bulk_object *object, struct error *err)
{
	struct reader *r = context;
	struct cpu_list *cpus = r->cpus;
	struct cpu_facts cpu = {
		.file = take(object, "File"),
		.name = take(object, "Name"),
		.short_name = take(object, "ShortName"),
		.vendor = take(object, "Vendor"),
		.title = take(object, "Title"),
		.pmu = take(object, "Pmu"),
		.pfm = take(object, "Pfm"),
		.match = take(object, "Match"),
		.slots = take(object, "Slots"),
		.metrics = take(object, "Metrics"),
		.domains = take(object, "Domains"),
		.cycles = take(object, "Cycles"),
		.no_tree = take(object, "NoTree"),
	};

	if (!cpu.file[0] || !cpu.name[0])
		return error_set(err, "%s: row %zu has no File or no Name", r->path, cpus->count + 1);
	if (!cpu.pmu[0])
		cpu.pmu = strcmp(cpu.vendor, "Arm") ? "cpu" : "armv8_pmuv3_0";
	cpus->items = arena_grow(r->arena, cpus->items, cpus->count, &cpus->capacity, sizeof(cpu));
	cpus->items[cpus->count++] = cpu;
	return 0;
}

int cpus_read(struct cpu_list *cpus, const char *path, struct arena *arena, struct error *err)
{
	struct reader reader = { .cpus = cpus, .arena = arena, .path = path };
	struct bulk_visitor visitor = { .context = &reader, .list = "Events", .object = read_cpu };

	*cpus = (struct cpu_list){ .count = 0 };
	if (!path)
		return 0;
	return bulk_read(path, &visitor, arena, err);
}

struct cpu_facts cpu_unknown(const char *file, const char *vendor, struct arena *arena)
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
		.pmu = strcmp(vendor, "Arm") ? "cpu" : "armv8_pmuv3_0",
		.slots = "",
		.metrics = "",
		.domains = "",
		.cycles = "",
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
