/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cpu/identify/units.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text.h"
#include "cpu/identify/parts.h"

#define DEVICES "sys/bus/event_source/devices"

#define SHORTEST_ADDRESS 4 /* digits; less may be a word ("df", "a57") */

/* Is it the number of a unit, or the address by which drivers of Arm's name theirs? */
static bool is_number(const char *text)
{
	static const char digits[] = "0123456789";
	size_t length = strlen(text);

	if (strspn(text, digits) == length)
		return length > 0;
	return length >= SHORTEST_ADDRESS && strspn(text, "0123456789abcdef") == length && strpbrk(text, digits);
}

/* Length of the name without "_3", the number of the unit; "uncore_iio_free_running" has none. */
static size_t kind_length(const char *device)
{
	const char *last = strrchr(device, '_');

	return last && last > device && is_number(last + 1) ? (size_t)(last - device) : strlen(device);
}

static bool is_meant(const char *device, const char *name)
{
	static const char prefix[] = "uncore_";

	if (is_same_name(device, name) ||
	    (kind_length(device) == strlen(name) && !strncasecmp(device, name, strlen(name))))
		return true;
	return has_name_prefix(device, prefix) && !has_name_prefix(name, prefix) &&
	       is_meant(device + strlen(prefix), name);
}

size_t machine_count_units(const struct machine *machine, const char *name)
{
	size_t count = 0;

	for (size_t i = 0; i < machine->ndevices; i++)
		count += is_meant(machine->devices[i], name);
	return count;
}

static bool is_online(const struct machine *machine, unsigned cpu)
{
	for (size_t i = 0; machine->cpus && i < machine->online_cpus; i++)
		if (machine->cpus[i].number == cpu)
			return true;
	return !machine->cpus;
}

static void take_cpu(struct unit *unit, const struct machine *machine, unsigned cpu)
{
	if (is_online(machine, cpu)) {
		unit->cpus[unit->ncpus++] = cpu;
		return;
	}
	unit->offline = unit->noffline++ ? unit->offline : cpu;
}

/*
 * Any CPU of the cluster counts all of it (drivers/perf/arm_dsu_pmu.c, whose cpumask is empty when all are offline).
 */
static bool read_associated(struct unit *unit, const struct machine *machine, const struct sysfiles *files)
{
	const char *list = sysfile_read(files, DEVICES "/%s/associated_cpus", unit->pmu.name);
	unsigned *cpus;
	size_t count = list ? cpulist_parse(list, &cpus, files->arena) : 0;

	unit->cpus = arena_array(files->arena, count + 1, sizeof(*unit->cpus));
	for (size_t i = 0; i < count && !unit->ncpus; i++)
		take_cpu(unit, machine, cpus[i]);
	if (unit->ncpus)
		unit->noffline = 0;
	return list != NULL;
}

/* Without a mask each CPU counts for itself (the PMU msr). */
static void units_read_cpus(struct unit *unit, const struct machine *machine, const struct sysfiles *files)
{
	const char *mask = sysfile_read(files, DEVICES "/%s/cpumask", unit->pmu.name);
	size_t count = machine->cpus ? machine->online_cpus : 0;
	unsigned *cpus;

	if (!(mask && *mask) && read_associated(unit, machine, files))
		return;

	if (mask) {
		count = cpulist_parse(mask, &cpus, files->arena);
		unit->cpus = arena_array(files->arena, count + 1, sizeof(*unit->cpus));
		for (size_t i = 0; i < count; i++)
			take_cpu(unit, machine, cpus[i]);
		return;
	}
	unit->is_every_cpu = true;
	unit->cpus = arena_array(files->arena, count + 1, sizeof(*unit->cpus));
	for (; unit->ncpus < count; unit->ncpus++)
		unit->cpus[unit->ncpus] = machine->cpus[unit->ncpus].number;
}

static bool units_read_unit(struct unit *unit, const struct machine *machine, const char *device, struct arena *arena)
{
	struct sysfiles *files = arena_alloc(arena, sizeof(*files));
	uint64_t type;

	*files = *machine->files;
	files->arena = arena;
	*unit = (struct unit){ .pmu = { .name = device, .is_real = true } };
	if (!sysfile_u64(files, &type, DEVICES "/%s/type", device) || type > UINT32_MAX)
		return false;
	unit->pmu.type = (uint32_t)type;
	pmu_read_terms(&unit->pmu, files);
	unit->identifier = sysfile_read(files, DEVICES "/%s/identifier", device);
	if (!unit->identifier)
		unit->identifier = "";
	units_read_cpus(unit, machine, files);
	return true;
}

static int by_number(const void *a, const void *b)
{
	const char *one = ((const struct unit *)a)->pmu.name, *other = ((const struct unit *)b)->pmu.name;

	if (strlen(one) != strlen(other))
		return strlen(one) < strlen(other) ? -1 : 1;
	return strcmp(one, other);
}

size_t machine_units(struct unit **units, const struct machine *machine, const char *name, struct arena *arena)
{
	size_t count = 0;

	*units = arena_array(arena, machine_count_units(machine, name) + 1, sizeof(**units));
	for (size_t i = 0; i < machine->ndevices; i++)
		if (is_meant(machine->devices[i], name) &&
		    units_read_unit(&(*units)[count], machine, machine->devices[i], arena))
			count++;
	if (count)
		qsort(*units, count, sizeof(**units), by_number);
	return count;
}

bool unit_is_compatible(const struct unit *unit, const char *compat)
{
	regmatch_t whole;
	regex_t pattern;
	bool is_match;

	if (!compat)
		return true;
	if (regcomp(&pattern, compat, REG_EXTENDED) != 0)
		return false;
	is_match = regexec(&pattern, unit->identifier, 1, &whole, 0) == 0 && whole.rm_so == 0 &&
		   !unit->identifier[whole.rm_eo];
	regfree(&pattern);
	return is_match;
}

/* The kernel's PMUs for what is no unit: software, tracepoints, probes, traces of instructions, breakpoints. */
static bool is_other(const struct machine *machine, const char *device)
{
	static const char *const others[] = { "software",  "tracepoint", "kprobe", "uprobe",   "breakpoint", "intel_pt",
					      "intel_bts", "ibs_",	 "cs_etm", "arm_spe_", "hisi_ptt" };

	for (size_t i = 0; i < COUNT_OF(others); i++)
		if (has_name_prefix(device, others[i]))
			return true;
	for (size_t i = 0; i < machine->npmus; i++)
		if (!strcmp(machine->pmus[i].name, device))
			return true;
	return has_name_prefix(device, "cpu") || has_name_prefix(device, "armv8_") || has_name_prefix(device, "armv9_");
}

size_t machine_unit_kinds(struct unit_kind **kinds, const struct machine *machine, struct arena *arena)
{
	size_t count = 0;

	*kinds = arena_array(arena, machine->ndevices + 1, sizeof(**kinds));
	for (size_t i = 0; i < machine->ndevices; i++) {
		const char *device = machine->devices[i];
		size_t length = kind_length(device), k = 0;

		if (is_other(machine, device))
			continue;
		while (k < count &&
		       (strlen((*kinds)[k].name) != length || strncmp((*kinds)[k].name, device, length) != 0))
			k++;
		if (k == count)
			(*kinds)[count++] = (struct unit_kind){ .name = arena_strndup(arena, device, length) };
		(*kinds)[k].count++;
	}
	return count;
}

double unit_event_scale(const struct unit *unit, const char *event)
{
	const char *text = sysfile_read(unit->pmu.files, DEVICES "/%s/events/%s.scale", unit->pmu.name, event);
	double scale;

	return text && text_double(text, &scale) && scale > 0 ? scale : 1;
}

const char *unit_event_unit(const struct unit *unit, const char *event)
{
	const char *text = sysfile_read(unit->pmu.files, DEVICES "/%s/events/%s.unit", unit->pmu.name, event);

	return text ? text : "";
}
