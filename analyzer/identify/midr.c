/* SPDX-License-Identifier: GPL-2.0-or-later */
/* midr.c - which arm64 CPU: MIDR_EL1 from sysfs, or put together from /proc/cpuinfo where sysfs lacks it. */
#include <inttypes.h>

#include "base/text.h"
#include "identify/cpulist.h"
#include "identify/parts.h"

static bool field_u64(const char *cpuinfo, const char *key, uint64_t *value, struct arena *arena)
{
	const char *text = sysfile_field(cpuinfo, key, arena);

	return text && text_u64(text, value);
}

/* implementer[31:24] variant[23:20] architecture[19:16] part[15:4] revision[3:0]; all have architecture 0xf */
static bool midr_of_cpuinfo(const char *cpuinfo, uint64_t *midr, struct arena *arena)
{
	uint64_t implementer, variant, part, revision;

	if (!cpuinfo || !field_u64(cpuinfo, "CPU implementer", &implementer, arena) ||
	    !field_u64(cpuinfo, "CPU variant", &variant, arena) || !field_u64(cpuinfo, "CPU part", &part, arena) ||
	    !field_u64(cpuinfo, "CPU revision", &revision, arena))
		return false;
	*midr = (implementer & 0xff) << 24 | (variant & 0xf) << 20 | 0xf << 16 | (part & 0xfff) << 4 | (revision & 0xf);
	return true;
}

static bool midr_of_cpu(const struct sysfiles *files, unsigned cpu, uint64_t *midr)
{
	return sysfile_u64(files, midr, "sys/devices/system/cpu/cpu%u/regs/identification/midr_el1", cpu);
}

/* CPU 0 can be offline, and then it has no registers. */
static bool midr_of_any_cpu(const struct sysfiles *files, uint64_t *midr)
{
	const char **names;
	size_t count = sysfile_list(files, "sys/devices/system/cpu", &names);

	for (size_t i = 0; i < count; i++)
		if (has_name_prefix(names[i], "cpu") &&
		    sysfile_u64(files, midr, "sys/devices/system/cpu/%s/regs/identification/midr_el1", names[i]))
			return true;
	return false;
}

static bool find_midr(const struct sysfiles *files, const char *cpuinfo, uint64_t *midr)
{
	return midr_of_cpu(files, 0, midr) || midr_of_any_cpu(files, midr) ||
	       midr_of_cpuinfo(cpuinfo, midr, files->arena);
}

bool has_midr(const struct sysfiles *files, const char *cpuinfo)
{
	uint64_t midr;

	return find_midr(files, cpuinfo, &midr);
}

int midr_identify(struct machine *machine, const struct sysfiles *files, const char *cpuinfo, struct error *err)
{
	uint64_t midr;

	if (!find_midr(files, cpuinfo, &midr))
		return error_set(err,
				 "%s/sys/devices/system/cpu/cpu0/regs/identification/midr_el1 and %s/proc/cpuinfo do "
				 "not tell the CPU; choose it with --cpu",
				 files->root, files->root);
	machine->cpuid = arena_printf(files->arena, "0x%016" PRIx64, midr);
	return 0;
}

/* The registers of the first of the PMU's CPUs that is online. */
static const char *cpuid_of_pmu(const struct sysfiles *files, const struct pmu *pmu)
{
	uint64_t midr;
	unsigned *cpus;
	size_t count = pmu->cpus ? cpulist_parse(pmu->cpus, &cpus, files->arena) : 0;

	for (size_t i = 0; i < count; i++)
		if (midr_of_cpu(files, cpus[i], &midr))
			return arena_printf(files->arena, "0x%016" PRIx64, midr);
	return NULL;
}

void midr_identify_pmus(struct machine *machine, const struct sysfiles *files)
{
	for (size_t i = 0; machine->npmus > 1 && i < machine->npmus; i++)
		machine->pmus[i].cpuid = cpuid_of_pmu(files, &machine->pmus[i]);
}
