/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * topology.c - the CPUs, cores, dies and packages that are online, their caches, and lists of CPUs. Threads of
 * one core, and CPUs of one package, carry the same list of siblings, so the number of different lists is the
 * number of cores and packages.
 */
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "common/base/table.h"
#include "common/base/text.h"
#include "cpu/identify/parts.h"
#include "cpu/identify/sysfile.h"

struct seen {
	struct table cores, dies, packages;
	struct machine_cpu *cpus;
	const char **lists; /* of the package of each of them */
	size_t count;
	/*
	 * Of each CPU number, one more than the place in cpus of one of the same core or package; 0: none was seen yet.
	 */
	size_t *core_of, *package_of;
	size_t numbers;
	const char *cpuinfo; /* stands in for lists that sysfs does not have; NULL: unreadable */
	bool has_lists;	     /* of siblings, in sysfs */
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
static unsigned topology_number_of(struct table *table, const char *name)
{
	size_t number = table_get(table, name);

	if (number == TABLE_NONE) {
		number = table->count;
		table_set(table, name, number);
	}
	return (unsigned)number;
}

/* What is known of the CPUs of a list, which are of the one that has just been seen. */
static void topology_mark(size_t *of, const struct seen *seen, const char *list, struct arena *arena)
{
	unsigned *cpus;
	size_t count = cpulist_parse(list, &cpus, arena);

	for (size_t i = 0; i < count; i++)
		if (cpus[i] < seen->numbers)
			of[cpus[i]] = seen->count;
}

static unsigned topology_read_number(const struct sysfiles *files, unsigned cpu, const char *name)
{
	uint64_t number;

	return sysfile_u64(files, &number, "sys/devices/system/cpu/cpu%u/topology/%s", cpu, name) ? (unsigned)number
												  : 0;
}

/* ---- proc/cpuinfo, where sysfs has no topology: a block of lines for each CPU, and an empty line between them ---- */

/* The block behind the first one of a text, or NULL. */
static const char *next_block(const char *block)
{
	const char *end = block ? strstr(block, "\n\n") : NULL;

	return end ? end + 2 : NULL;
}

static bool block_u64(uint64_t *value, const char *block, const char *key, struct arena *arena)
{
	const char *end = strstr(block, "\n\n");
	const char *own = end ? arena_strndup(arena, block, (size_t)(end - block)) : block;
	const char *text = sysfile_field(own, key, arena);

	return text && text_u64(text, value);
}

/* The same text for all threads of a core; NULL when cpuinfo does not say of which core this CPU is. */
static const char *core_of_cpuinfo(const char *cpuinfo, unsigned cpu, struct arena *arena)
{
	uint64_t number, package, core;

	for (const char *block = cpuinfo; block; block = next_block(block))
		if (block_u64(&number, block, "processor", arena) && number == cpu &&
		    block_u64(&package, block, "physical id", arena) && block_u64(&core, block, "core id", arena))
			return arena_printf(arena, "%llu/%llu", (unsigned long long)package, (unsigned long long)core);
	return NULL;
}

static const char *package_of_cpuinfo(const char *cpuinfo, unsigned cpu, unsigned *package, struct arena *arena)
{
	uint64_t number, id;

	for (const char *block = cpuinfo; block; block = next_block(block))
		if (block_u64(&number, block, "processor", arena) && number == cpu &&
		    block_u64(&id, block, "physical id", arena) && id <= UINT_MAX) {
			*package = (unsigned)id;
			return arena_printf(arena, "%u", *package);
		}
	return NULL;
}

/* A list for cpulist_parse, of all CPUs that cpuinfo has. */
static size_t cpus_of_cpuinfo(const char *cpuinfo, unsigned **cpus, struct arena *arena)
{
	struct string list = STRING_INIT(arena);
	uint64_t number;

	for (const char *block = cpuinfo; block; block = next_block(block))
		if (block_u64(&number, block, "processor", arena))
			string_printf(&list, "%llu,", (unsigned long long)number);
	return cpulist_parse(list.text, cpus, arena);
}

/* Of a package there are more online threads than cores. */
static bool has_more_threads(const char *cpuinfo, struct arena *arena)
{
	uint64_t threads, cores;

	return cpuinfo && block_u64(&threads, cpuinfo, "siblings", arena) &&
	       block_u64(&cores, cpuinfo, "cpu cores", arena) && threads > cores;
}

/* ---- each CPU ---- */

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
	cpu->package = topology_read_number(files, cpu->number, "physical_package_id");
	if (!package && !seen->has_lists) {
		package = package_of_cpuinfo(seen->cpuinfo, cpu->number, &cpu->package, files->arena);
		return package ? package : "";
	}
	topology_mark(seen->package_of, seen, package ? package : "", files->arena);
	return package ? package : "";
}

/*
 * The first CPU of a core is asked, and of a package: with hundreds of CPUs, a file of each would be most of what
 * topdown does before it counts.
 */
static void topology_see(struct seen *seen, const struct sysfiles *files, unsigned number)
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
	seen->has_lists = seen->has_lists || core;
	if (!core)
		core = core_of_cpuinfo(seen->cpuinfo, number, files->arena);
	else
		topology_mark(seen->core_of, seen, core, files->arena);
	cpu->core = topology_number_of(&seen->cores, core ? core : arena_printf(files->arena, "%u", number));
	package = seen->lists[place] = see_package(seen, files, cpu);
	/* not die_cpus_list: on arm64, which has no dies, some kernels show one for each CPU there, and -1 here */
	table_set(&seen->dies,
		  arena_printf(files->arena, "%s/%u", package, topology_read_number(files, number, "die_id")), number);
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

void topology_identify(struct machine *machine, const struct sysfiles *files, const char *cpuinfo)
{
	struct seen seen;
	const char *online = sysfile_read(files, "sys/devices/system/cpu/online");
	const char *present = sysfile_read(files, "sys/devices/system/cpu/present");
	unsigned *cpus = NULL;
	size_t count = online ? cpulist_parse(online, &cpus, files->arena) : 0;

	if (!count)
		count = cpus_of_directories(files, &cpus);
	if (!count)
		count = cpus_of_cpuinfo(cpuinfo, &cpus, files->arena);
	seen_init(&seen, cpus, count, files->arena);
	seen.cpuinfo = cpuinfo;
	for (size_t i = 0; i < count; i++)
		topology_see(&seen, files, cpus[i]);
	if (count)
		machine->cpus = seen.cpus;
	machine->online_cpus = count ? (unsigned)count : cpus_of_libc(files);
	machine->npresent = present ? cpulist_parse(present, &machine->present, files->arena) : 0;
	machine->cores = count ? (unsigned)seen.cores.count : machine->online_cpus;
	machine->dies = count ? (unsigned)seen.dies.count : 1;
	machine->packages = count ? (unsigned)seen.packages.count : 1;
	machine->smt_on =
		machine->cores < machine->online_cpus || (!seen.has_lists && has_more_threads(cpuinfo, files->arena));
}

size_t machine_new_cpus(const struct machine *machine, unsigned **cpus, struct arena *arena)
{
	struct sysfiles files = sysfiles_below("", arena);
	const char *online = sysfile_read(&files, "sys/devices/system/cpu/online");
	size_t count = online && machine->cpus ? cpulist_parse(online, cpus, arena) : 0, left = 0;

	for (size_t i = 0; i < count; i++) {
		size_t k = 0;

		while (k < machine->online_cpus && machine->cpus[k].number != (*cpus)[i])
			k++;
		if (k == machine->online_cpus)
			(*cpus)[left++] = (*cpus)[i];
	}
	return left;
}

uint32_t machine_pmu_type(const char *name, struct arena *arena)
{
	struct sysfiles files = sysfiles_below("", arena);
	uint64_t type = 0;

	if (!sysfile_u64(&files, &type, "sys/bus/event_source/devices/%s/type", name))
		return 0;
	return (uint32_t)type;
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

/* ---- caches ---- */

#define FOLDER "sys/devices/system/cpu/cpu0/cache"

/* "32K", "1024K"; the kernel prints no other unit. */
static uint64_t read_size(const struct sysfiles *files, const char *index, struct arena *arena)
{
	const char *text = sysfile_read(files, FOLDER "/%s/size", index);
	uint64_t kib = 0;

	if (!text || !*text || text[strlen(text) - 1] != 'K')
		return 0;
	return text_u64(arena_strndup(arena, text, strlen(text) - 1), &kib) ? kib : 0;
}

static bool read_cache(struct cpu_cache *cache, const struct sysfiles *files, const char *index, struct arena *arena)
{
	const char *type = sysfile_read(files, FOLDER "/%s/type", index);
	uint64_t level = 0;

	*cache = (struct cpu_cache){ .kib = read_size(files, index, arena) };
	if (!type || !sysfile_u64(files, &level, FOLDER "/%s/level", index))
		return false;
	cache->level = (unsigned)level;
	cache->holds_code = strcmp(type, "Data") != 0;
	cache->holds_data = strcmp(type, "Instruction") != 0;
	if (!sysfile_u64(files, &cache->ways, FOLDER "/%s/ways_of_associativity", index))
		cache->ways = 0;
	return true;
}

size_t caches_identify(struct cpu_cache **caches, const char *sysroot, struct arena *arena)
{
	struct sysfiles files = sysfiles_below(sysroot, arena);
	const char **names;
	size_t count = sysfile_list(&files, FOLDER, &names), known = 0;

	*caches = arena_array(arena, count + 1, sizeof(**caches));
	for (size_t i = 0; i < count; i++)
		if (has_name_prefix(names[i], "index") && read_cache(&(*caches)[known], &files, names[i], arena))
			known++;
	return known;
}

/* ---- lists of CPUs ---- */

size_t cpulist_parse(const char *text, unsigned **cpus, struct arena *arena)
{
	size_t count = 0, capacity = 0, length;
	const char *part;

	*cpus = NULL;
	while ((length = text_next(&text, ",", &part)) > 0) {
		uint64_t low, high;

		if (!text_range(part, length, &low, &high) || high >= CPULIST_LIMIT)
			continue;
		for (; low <= high && count < CPULIST_LIMIT; low++) {
			*cpus = arena_grow(arena, *cpus, count, &capacity, sizeof(**cpus));
			(*cpus)[count++] = (unsigned)low;
		}
	}
	return count;
}
