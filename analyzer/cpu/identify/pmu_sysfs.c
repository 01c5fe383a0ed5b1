/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pmu_sysfs.c - the core PMUs that the kernel shows; a file that makes no sense is passed over. */
#include <stdlib.h>
#include <string.h>

#include "common/base/text.h"
#include "cpu/identify/parts.h"

#define DEVICES "sys/bus/event_source/devices"

static void read_formats(struct pmu *pmu, const struct sysfiles *files)
{
	const char **names;
	size_t count = sysfile_list(files, arena_printf(files->arena, DEVICES "/%s/format", pmu->name), &names);

	pmu->formats = arena_array(files->arena, count, sizeof(*pmu->formats));
	for (size_t i = 0; i < count; i++) {
		const char *text = sysfile_read(files, DEVICES "/%s/format/%s", pmu->name, names[i]);

		if (text && pmu_format_parse(&pmu->formats[pmu->nformats], names[i], text))
			pmu->nformats++;
	}
}

/* topdown-total-slots.scale and the like say how perf prints an event and are none. */
static bool is_event_detail(const char *name)
{
	static const char *const endings[] = { ".scale", ".unit", ".per-pkg", ".snapshot" };
	size_t length = strlen(name);

	for (size_t i = 0; i < COUNT_OF(endings); i++) {
		size_t ending = strlen(endings[i]);

		if (length > ending && !strcmp(name + length - ending, endings[i]))
			return true;
	}
	return false;
}

static struct pmu_entry *list_entries(const struct pmu *pmu, const struct sysfiles *files, const char *folder,
				      size_t *count)
{
	const char **names;
	size_t nnames = sysfile_list(files, arena_printf(files->arena, DEVICES "/%s/%s", pmu->name, folder), &names);
	struct pmu_entry *entries = arena_array(files->arena, nnames, sizeof(*entries));

	*count = 0;
	for (size_t i = 0; i < nnames; i++)
		if (!is_event_detail(names[i]))
			entries[(*count)++] = (struct pmu_entry){ .name = names[i] };
	return entries;
}

static const char *read_entry(const struct pmu *pmu, const struct sysfiles *files, const char *folder, const char *name)
{
	const char *value = sysfile_read(files, DEVICES "/%s/%s/%s", pmu->name, folder, name);

	return value ? value : "";
}

const char *pmu_event_read(const struct pmu *pmu, const char *name)
{
	return read_entry(pmu, pmu->files, "events", name);
}

/* A file without content is none. */
static void read_caps(struct pmu *pmu, const struct sysfiles *files)
{
	struct pmu_entry *caps = list_entries(pmu, files, "caps", &pmu->ncaps);
	size_t count = 0;

	for (size_t i = 0; i < pmu->ncaps; i++) {
		const char *value = read_entry(pmu, files, "caps", caps[i].name);

		if (*value)
			caps[count++] = (struct pmu_entry){ .name = caps[i].name, .value = value };
	}
	pmu->caps = caps;
	pmu->ncaps = count;
}

/*
 * x86 has "cpu", hybrids "cpu_core" and "cpu_atom". Others are named after their core ("armv8_pmuv3_0",
 * "apple_icestorm_pmu") and known by their cpus file; uncore PMUs have cpumask instead.
 */
static bool is_core_name(const char *name)
{
	static const char *const names[] = { "cpu", "cpu_core", "cpu_atom" };

	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static bool has_core_formats(const struct pmu *pmu)
{
	if (!strncmp(pmu->name, "armv8", 5) || !strncmp(pmu->name, "armv9", 5))
		return true;
	for (size_t i = 0; i < pmu->nformats; i++)
		if (!strcmp(pmu->formats[i].name, "event"))
			return pmu->formats[i].word == 0;
	return false;
}

void pmu_read_terms(struct pmu *pmu, const struct sysfiles *files)
{
	read_formats(pmu, files);
	pmu->events = list_entries(pmu, files, "events", &pmu->nevents);
	pmu->files = files;
}

/* False: no core PMU, one whose CPUs are all offline (an empty cpus file), or one without a type to open it with. */
static bool read_pmu(struct pmu *pmu, const struct sysfiles *files, const char *name)
{
	uint64_t type;

	*pmu = (struct pmu){ .name = name, .is_real = true };
	pmu->cpus = sysfile_read(files, DEVICES "/%s/cpus", name);
	if (pmu->cpus ? !*pmu->cpus : !is_core_name(name))
		return false;
	if (!sysfile_u64(files, &type, DEVICES "/%s/type", name) || type > UINT32_MAX)
		return false;
	pmu->type = (uint32_t)type;
	read_formats(pmu, files);
	if (!is_core_name(name) && !has_core_formats(pmu))
		return false;
	pmu->events = list_entries(pmu, files, "events", &pmu->nevents);
	pmu->files = files;
	read_caps(pmu, files);
	return true;
}

/* Leading number of the list: enough to order PMUs, of which no two count for the same CPU. */
static unsigned long first_cpu(const struct pmu *pmu)
{
	return pmu->cpus ? strtoul(pmu->cpus, NULL, 10) : 0;
}

static int by_rank(const void *a, const void *b)
{
	const struct pmu *one = a, *other = b;
	bool is_big = !strcmp(one->name, "cpu_core"), is_other_big = !strcmp(other->name, "cpu_core");

	if (is_big != is_other_big)
		return is_big ? -1 : 1;
	if (first_cpu(one) != first_cpu(other))
		return first_cpu(one) < first_cpu(other) ? -1 : 1;
	return strcmp(one->name, other->name);
}

void pmus_identify(struct machine *machine, const struct sysfiles *files)
{
	const char **names;
	size_t count = sysfile_list(files, DEVICES, &names);

	machine->devices = names;
	machine->ndevices = count;
	machine->files = files;
	machine->pmus = arena_array(files->arena, count, sizeof(*machine->pmus));
	for (size_t i = 0; i < count; i++)
		if (read_pmu(&machine->pmus[machine->npmus], files, names[i]))
			machine->npmus++;
	if (machine->npmus)
		qsort(machine->pmus, machine->npmus, sizeof(*machine->pmus), by_rank);
}
