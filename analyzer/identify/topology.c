/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * topology.c - how many CPUs, cores, dies and packages are online. Threads of one core, and CPUs of one package, carry
 * the same list of siblings, so the number of different lists is the number of cores and packages.
 */
#include <unistd.h>

#include "base/table.h"
#include "base/text.h"
#include "identify/cpulist.h"
#include "identify/parts.h"

struct seen {
	struct table cores, dies, packages;
};

/* The newer name first: core_cpus_list and package_cpus_list came with Linux 5.3. NULL when neither is there. */
static const char *siblings(const struct sysfiles *files, unsigned cpu, const char *name, const char *old_name)
{
	const char *text = sysfile_read(files, "sys/devices/system/cpu/cpu%u/topology/%s", cpu, name);

	if (!text || !*text)
		text = sysfile_read(files, "sys/devices/system/cpu/cpu%u/topology/%s", cpu, old_name);
	return text && *text ? text : NULL;
}

static void see(struct seen *seen, const struct sysfiles *files, unsigned cpu)
{
	const char *core = siblings(files, cpu, "core_cpus_list", "thread_siblings_list");
	const char *package = siblings(files, cpu, "package_cpus_list", "core_siblings_list");
	uint64_t die = 0;

	if (!core)
		core = arena_printf(files->arena, "%u", cpu);
	if (!package)
		package = "";
	/* not die_cpus_list: on arm64, which has no dies, some kernels tell one for each CPU there, and -1 here */
	if (!sysfile_u64(files, &die, "sys/devices/system/cpu/cpu%u/topology/die_id", cpu))
		die = 0;
	table_set(&seen->cores, core, cpu);
	table_set(&seen->packages, package, cpu);
	table_set(&seen->dies, arena_printf(files->arena, "%s/%u", package, (unsigned)die), cpu);
}

/* Kernels without hotplug have no list, but a directory for each CPU. */
static size_t cpus_of_directories(const struct sysfiles *files, unsigned **cpus)
{
	struct string list = STRING_INIT(files->arena);
	const char **names;
	size_t count = sysfile_list(files, "sys/devices/system/cpu", &names);

	for (size_t i = 0; i < count; i++)
		if (has_name_prefix(names[i], "cpu"))
			string_printf(&list, "%s,", names[i] + 3);
	return cpulist_parse(list.text, cpus, files->arena);
}

static unsigned cpus_of_libc(const struct sysfiles *files)
{
	long count = is_live(files) ? sysconf(_SC_NPROCESSORS_ONLN) : 1;

	return count > 0 && count <= CPULIST_LIMIT ? (unsigned)count : 1;
}

void topology_identify(struct machine *machine, const struct sysfiles *files)
{
	struct seen seen = { TABLE_INIT(files->arena), TABLE_INIT(files->arena), TABLE_INIT(files->arena) };
	const char *online = sysfile_read(files, "sys/devices/system/cpu/online");
	unsigned *cpus;
	size_t count = online ? cpulist_parse(online, &cpus, files->arena) : 0;

	if (!count)
		count = cpus_of_directories(files, &cpus);
	for (size_t i = 0; i < count; i++)
		see(&seen, files, cpus[i]);
	machine->online_cpus = count ? (unsigned)count : cpus_of_libc(files);
	machine->cores = count ? (unsigned)seen.cores.count : machine->online_cpus;
	machine->dies = count ? (unsigned)seen.dies.count : 1;
	machine->packages = count ? (unsigned)seen.packages.count : 1;
	machine->smt_on = machine->cores < machine->online_cpus;
}
