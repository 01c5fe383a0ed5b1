/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cpu/identify/surroundings.h"

#include <math.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "common/base/text.h"
#include "cpu/identify/sysfile.h"

#define CPU_FOLDER "sys/devices/system/cpu"

/* ---- caches ---- */

/* "32K", "1024K"; the kernel prints no other unit. */
static uint64_t size_of(const char *text, struct arena *arena)
{
	size_t length = text ? strlen(text) : 0;
	uint64_t kib;

	if (length < 2 || text[length - 1] != 'K')
		return 0;
	return text_u64(arena_strndup(arena, text, length - 1), &kib) ? kib * 1024 : 0;
}

static void read_sharers(struct resource_cache *cache, const char *list, unsigned cpu, struct arena *arena)
{
	unsigned *cpus;
	size_t count = list ? cpulist_parse(list, &cpus, arena) : 0;

	cache->first = count ? cpus[0] : cpu;
	cache->shared = count ? (unsigned)count : 1;
}

/* Returns whether it is a cache of data whose size is known. */
static bool read_cache(struct resource_cpu *cpu, const struct sysfiles *files, const char *index)
{
	const char *folder = arena_printf(files->arena, CPU_FOLDER "/cpu%u/cache/%s", cpu->number, index);
	const char *type = sysfile_read(files, "%s/type", folder);
	struct resource_cache *cache;
	uint64_t level;

	if (!type || !strcmp(type, "Instruction") || !sysfile_u64(files, &level, "%s/level", folder) || !level ||
	    level > CACHE_LEVELS)
		return false;
	cache = &cpu->caches[level - 1];
	cache->bytes = size_of(sysfile_read(files, "%s/size", folder), files->arena);
	read_sharers(cache, sysfile_read(files, "%s/shared_cpu_list", folder), cpu->number, files->arena);
	return cache->bytes > 0;
}

static bool read_caches(struct resource_cpu *cpu, const struct sysfiles *files)
{
	const char **names;
	size_t count = sysfile_list(files, arena_printf(files->arena, CPU_FOLDER "/cpu%u/cache", cpu->number), &names);
	bool has_any = false;

	for (size_t i = 0; i < count; i++)
		if (has_name_prefix(names[i], "index") && read_cache(cpu, files, names[i]))
			has_any = true;
	return has_any;
}

/* The C library asks CPUID, or knows nothing. The last level is taken as one that all CPUs share. */
static void ask_library(struct resources *resources)
{
	static const int names[CACHE_LEVELS] = { _SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE };

	for (size_t i = 0; i < resources->count; i++) {
		struct resource_cpu *cpu = &resources->cpus[i];

		for (size_t level = 0; level < CACHE_LEVELS; level++) {
			long bytes = sysconf(names[level]);
			bool is_shared = level + 1 == CACHE_LEVELS;

			cpu->caches[level] = (struct resource_cache){
				.bytes = bytes > 0 ? (uint64_t)bytes : 0,
				.first = is_shared ? resources->cpus[0].number : cpu->number,
				.shared = is_shared ? (unsigned)resources->count : 1,
			};
		}
	}
}

/* ---- CPUs ---- */

/* The directory of a CPU has a link "node3". */
static unsigned node_of(const struct sysfiles *files, unsigned cpu)
{
	const char **names;
	size_t count = sysfile_list(files, arena_printf(files->arena, CPU_FOLDER "/cpu%u", cpu), &names);
	uint64_t node;

	for (size_t i = 0; i < count; i++)
		if (has_name_prefix(names[i], "node") && text_u64(names[i] + strlen("node"), &node))
			return (unsigned)node;
	return 0;
}

struct allowed {
	cpu_set_t *mask; /* NULL: all */
	size_t size;
};

static struct allowed allowed_cpus(const struct sysfiles *files)
{
	struct allowed allowed = { .size = CPU_ALLOC_SIZE(CPULIST_LIMIT) };

	allowed.mask = arena_alloc(files->arena, allowed.size);
	if (!is_live(files) || sched_getaffinity(0, allowed.size, allowed.mask) < 0)
		allowed.mask = NULL;
	return allowed;
}

static void resources_read_cpus(struct resources *resources, const struct machine *machine,
				const struct sysfiles *files)
{
	const struct allowed allowed = allowed_cpus(files);

	resources->cpus = arena_array(files->arena, machine->online_cpus + 1, sizeof(*resources->cpus));
	for (size_t i = 0; machine->cpus && i < machine->online_cpus; i++) {
		const struct machine_cpu *cpu = &machine->cpus[i];

		if (allowed.mask && !CPU_ISSET_S(cpu->number, allowed.size, allowed.mask))
			continue;
		resources->cpus[resources->count++] = (struct resource_cpu){ .number = cpu->number,
									     .core = cpu->core,
									     .package = cpu->package,
									     .node = node_of(files, cpu->number) };
	}
	if (!resources->count)
		resources->count = 1; /* CPU 0, which the zeroed array has */
}

static const char *list_of(const struct resources *resources, struct arena *arena)
{
	struct string text = STRING_INIT(arena);

	for (size_t i = 0, end; i < resources->count; i = end) {
		const struct resource_cpu *cpus = resources->cpus;

		for (end = i + 1; end < resources->count && cpus[end].number == cpus[end - 1].number + 1;)
			end++;
		string_printf(&text, text.length ? ",%u" : "%u", cpus[i].number);
		if (end - i > 1)
			string_printf(&text, "-%u", cpus[end - 1].number);
	}
	return text.text;
}

/* ---- cgroups ---- */

/* "max 100000", "150000 100000" */
static double quota_of(const char *text)
{
	const char *end;
	double quota, period;

	if (!text || !text_double_prefix(text, &end, &quota) || *end != ' ' || !text_double(end, &period) ||
	    !(period > 0) || !(quota > 0))
		return NOT_COUNTED;
	return quota / period;
}

static void take_limits(struct resources *resources, const struct sysfiles *files, const char *group)
{
	double quota = quota_of(sysfile_read(files, "sys/fs/cgroup%s/cpu.max", group));
	uint64_t most, used, left;

	if (!isnan(quota))
		resources->quota_cpus = isnan(resources->quota_cpus) ? quota : fmin(resources->quota_cpus, quota);
	if (!sysfile_u64(files, &most, "sys/fs/cgroup%s/memory.max", group) ||
	    !sysfile_u64(files, &used, "sys/fs/cgroup%s/memory.current", group))
		return;
	left = most > used ? most - used : 1;
	if (!resources->memory || left < resources->memory)
		resources->memory = left;
}

/* Version 1 has a tree for each controller, and a container sees its own group as the root of each. */
static void take_old_quota(struct resources *resources, const struct sysfiles *files)
{
	uint64_t quota, period;

	if (sysfile_u64(files, &quota, "sys/fs/cgroup/cpu/cpu.cfs_quota_us") &&
	    sysfile_u64(files, &period, "sys/fs/cgroup/cpu/cpu.cfs_period_us") && quota && period)
		resources->quota_cpus = (double)quota / (double)period;
}

/* All groups from topdown's own, "0::/a/b", up to the root, where a container has its own limits. */
static void read_cgroups(struct resources *resources, const struct sysfiles *files)
{
	const char *own = sysfile_read(files, "proc/self/cgroup"), *at = own ? strstr(own, "0::/") : NULL;
	char *group = arena_strdup(files->arena, at ? at + strlen("0::") : "/");

	group[strcspn(group, "\n ")] = '\0';
	while (*group && !strstr(group, "..")) {
		if (group[1])
			take_limits(resources, files, group);
		*strrchr(group, '/') = '\0';
	}
	take_limits(resources, files, "");
	if (isnan(resources->quota_cpus))
		take_old_quota(resources, files);
}

/* ---- memory and clocks ---- */

static uint64_t available_memory(const struct sysfiles *files)
{
	const char *text = sysfile_read(files, "proc/meminfo"), *end;
	const char *field = text ? sysfile_field(text, "MemAvailable", files->arena) : NULL;
	uint64_t kib;

	return field && text_u64_prefix(field, &end, &kib) ? kib * 1024 : 0;
}

static void read_clock(struct resources *resources, const struct machine *machine, const struct sysfiles *files)
{
	static const struct {
		const char *file, *name;
		double unit;
	} rows[] = {
		{ "cpufreq/base_frequency", "cpufreq", 1e3 },
		{ "acpi_cppc/nominal_freq", "CPPC", 1e6 },
	};
	unsigned cpu = resources->cpus[0].number;
	uint64_t value;

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		if (!sysfile_u64(files, &value, CPU_FOLDER "/cpu%u/%s", cpu, rows[i].file) || !value)
			continue;
		resources->nominal_hz = (double)value * rows[i].unit;
		resources->nominal_of = rows[i].name;
		return;
	}
	resources->nominal_hz = machine->tsc_hz;
	resources->nominal_of = isnan(machine->tsc_hz) ? NULL : "TSC";
}

void resources_identify(struct resources *resources, const struct machine *machine, const char *sysroot,
			struct arena *arena)
{
	const struct sysfiles files = sysfiles_below(sysroot, arena);

	*resources = (struct resources){ .quota_cpus = NOT_COUNTED, .memory = available_memory(&files) };
	resources_read_cpus(resources, machine, &files);
	resources->list = list_of(resources, arena);
	for (size_t i = 0; i < resources->count; i++)
		resources->has_caches |= read_caches(&resources->cpus[i], &files);
	if (!resources->has_caches && is_live(&files))
		ask_library(resources);
	read_cgroups(resources, &files);
	read_clock(resources, machine, &files);
}

/* ---- load ---- */

/* user nice system idle iowait irq softirq steal; guest times are in user and nice already */
enum { TICKS_IDLE = 3, TICKS_IOWAIT, TICKS_STEAL = 7, TICKS_FIELDS };

/* "cpu12 1 2 3 ..." */
static bool read_ticks(struct cpu_ticks *ticks, const char *line)
{
	const char *at = line + strlen("cpu");
	uint64_t value;

	*ticks = (struct cpu_ticks){ .number = 0 };
	if (!text_u64_prefix(at, &at, &value))
		return false;
	ticks->number = (unsigned)value;
	for (int i = 0; i < TICKS_FIELDS; i++) {
		if (*at != ' ' || !text_u64_prefix(at + 1, &at, &value))
			return i > TICKS_IOWAIT;
		ticks->all += value;
		if (i == TICKS_STEAL)
			ticks->steal += value;
		else if (i != TICKS_IDLE && i != TICKS_IOWAIT)
			ticks->busy += value;
	}
	return true;
}

size_t cpu_ticks_read(struct cpu_ticks **ticks, const char *sysroot, struct arena *arena)
{
	const struct sysfiles files = sysfiles_below(sysroot, arena);
	const char *at = sysfile_read(&files, "proc/stat");
	size_t count = 0, capacity = 0;

	*ticks = NULL;
	for (; at; at = strchr(at, '\n')) {
		at += *at == '\n';
		if (!has_name_prefix(at, "cpu"))
			break;
		if (at[3] == ' ')
			continue;
		*ticks = arena_grow(arena, *ticks, count, &capacity, sizeof(**ticks));
		count += read_ticks(&(*ticks)[count], at);
	}
	return count;
}

double load_average(const char *sysroot, struct arena *arena)
{
	const struct sysfiles files = sysfiles_below(sysroot, arena);
	const char *text = sysfile_read(&files, "proc/loadavg"), *end;
	double load;

	return text && text_double_prefix(text, &end, &load) ? load : NOT_COUNTED;
}
