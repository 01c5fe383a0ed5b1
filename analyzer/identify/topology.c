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
	struct machine_cpu *cpus;
	const char **lists; /* of the package of each of them */
	size_t count;
	/* Of each CPU number, one more than the place in cpus of one of the same core or package; 0: none was seen yet. */
	size_t *core_of, *package_of;
	size_t numbers;
};

static void seen_init(struct seen *seen, const unsigned *cpus, size_t count, struct arena *arena)
{
	*seen = (struct seen){ .cores = TABLE_INIT(arena), .dies = TABLE_INIT(arena), .packages = TABLE_INIT(arena) };
	for (size_t i = 0; i < count; i++)
		if (cpus[i] >= seen->numbers)
			seen->numbers = cpus[i] + 1;
	seen->cpus = arena_array(arena, count, sizeof(*seen->cpus));
	seen->lists = arena_array(arena, count, sizeof(*seen->lists));
	seen->core_of = arena_array(arena, seen->numbers, sizeof(*seen->core_of));
	seen->package_of = arena_array(arena, seen->numbers, sizeof(*seen->package_of));
}

/* The newer name first: core_cpus_list and package_cpus_list came with Linux 5.3. NULL when neither is there. */
static const char *siblings(const struct sysfiles *files, unsigned cpu, const char *name, const char *old_name)
{
	const char *text = sysfile_read(files, "sys/devices/system/cpu/cpu%u/topology/%s", cpu, name);

	if (!text || !*text)
		text = sysfile_read(files, "sys/devices/system/cpu/cpu%u/topology/%s", cpu, old_name);
	return text && *text ? text : NULL;
}

/* The number of what was seen before under this name, or the next one. */
static unsigned number_of(struct table *table, const char *name)
{
	size_t number = table_get(table, name);

	if (number == TABLE_NONE) {
		number = table->count;
		table_set(table, name, number);
	}
	return (unsigned)number;
}

/* What is known of the CPUs of a list, which are of the one that has just been seen. */
static void mark(size_t *of, const struct seen *seen, const char *list, struct arena *arena)
{
	unsigned *cpus;
	size_t count = cpulist_parse(list, &cpus, arena);

	for (size_t i = 0; i < count; i++)
		if (cpus[i] < seen->numbers)
			of[cpus[i]] = seen->count;
}

static unsigned read_number(const struct sysfiles *files, unsigned cpu, const char *name)
{
	uint64_t number;

	return sysfile_u64(files, &number, "sys/devices/system/cpu/cpu%u/topology/%s", cpu, name) ? (unsigned)number
												  : 0;
}

/* Fills its package, and that of all CPUs in it; returns the package's list. */
static const char *see_package(struct seen *seen, const struct sysfiles *files, struct machine_cpu *cpu)
{
	size_t like = seen->package_of[cpu->number];
	const char *package;

	if (like) {
		cpu->package = seen->cpus[like - 1].package;
		return seen->lists[like - 1];
	}
	package = siblings(files, cpu->number, "package_cpus_list", "core_siblings_list");
	cpu->package = read_number(files, cpu->number, "physical_package_id");
	mark(seen->package_of, seen, package ? package : "", files->arena);
	return package ? package : "";
}

/*
 * The first CPU of a core is asked, and of a package: with hundreds of CPUs, a file of each would be most of what topdown does
 * before it counts.
 */
static void see(struct seen *seen, const struct sysfiles *files, unsigned number)
{
	size_t like = seen->core_of[number], place = seen->count++;
	struct machine_cpu *cpu = &seen->cpus[place];
	const char *core, *package;

	if (like) {
		*cpu = seen->cpus[like - 1];
		cpu->number = number;
		return;
	}
	*cpu = (struct machine_cpu){ .number = number };
	core = siblings(files, number, "core_cpus_list", "thread_siblings_list");
	mark(seen->core_of, seen, core ? core : "", files->arena);
	cpu->core = number_of(&seen->cores, core ? core : arena_printf(files->arena, "%u", number));
	package = seen->lists[place] = see_package(seen, files, cpu);
	/* not die_cpus_list: on arm64, which has no dies, some kernels tell one for each CPU there, and -1 here */
	table_set(&seen->dies, arena_printf(files->arena, "%s/%u", package, read_number(files, number, "die_id")),
		  number);
	table_set(&seen->packages, package, number);
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
	struct seen seen;
	const char *online = sysfile_read(files, "sys/devices/system/cpu/online");
	unsigned *cpus = NULL;
	size_t count = online ? cpulist_parse(online, &cpus, files->arena) : 0;

	if (!count)
		count = cpus_of_directories(files, &cpus);
	seen_init(&seen, cpus, count, files->arena);
	for (size_t i = 0; i < count; i++)
		see(&seen, files, cpus[i]);
	if (count)
		machine->cpus = seen.cpus;
	machine->online_cpus = count ? (unsigned)count : cpus_of_libc(files);
	machine->cores = count ? (unsigned)seen.cores.count : machine->online_cpus;
	machine->dies = count ? (unsigned)seen.dies.count : 1;
	machine->packages = count ? (unsigned)seen.packages.count : 1;
	machine->smt_on = machine->cores < machine->online_cpus;
}

bool *machine_cpus_of(const struct machine *machine, const struct pmu *pmu, struct arena *arena)
{
	bool *is_of = arena_array(arena, machine->online_cpus, sizeof(*is_of));
	unsigned *cpus;
	size_t count = pmu->cpus ? cpulist_parse(pmu->cpus, &cpus, arena) : 0;

	for (size_t i = 0; machine->cpus && i < machine->online_cpus; i++) {
		is_of[i] = !pmu->cpus;
		for (size_t k = 0; k < count && !is_of[i]; k++)
			is_of[i] = cpus[k] == machine->cpus[i].number;
	}
	return is_of;
}

bool machine_smt_on(const struct machine *machine, const struct pmu *pmu, struct arena *arena)
{
	unsigned *threads;
	bool *is_of;

	if (!machine->cpus || !pmu || !pmu->cpus)
		return machine->smt_on;
	threads = arena_array(arena, machine->online_cpus, sizeof(*threads));
	is_of = machine_cpus_of(machine, pmu, arena);
	for (size_t i = 0; i < machine->online_cpus; i++)
		if (is_of[i] && threads[machine->cpus[i].core]++)
			return true;
	return false;
}
