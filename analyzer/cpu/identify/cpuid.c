/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cpuid.c - which CPU: x86 by the CPUID instruction, or in a snapshot by its cpuinfo; arm64 by MIDR_EL1. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "common/base/text.h"
#include "common/system/loop.h"
#include "cpu/identify/parts.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

struct registers {
	uint32_t a, b, c, d;
};

#define LEAF_FEATURES	 1
#define LEAF_EXTENDED	 7
#define LEAF_TSC	 0x15
#define LEAF_FREQUENCY	 0x16
#define LEAF_HYPERVISOR	 0x40000000
#define LEAF_AMD_PERFMON 0x80000022

/* False: this CPU (or a machine that is not x86) does not have the leaf. */
static bool ask(uint32_t leaf, struct registers *out)
{
	*out = (struct registers){ 0 };
#if defined(__x86_64__) || defined(__i386__)
	/* hypervisor leaves are outside the ranges of which the CPU gives a maximum */
	if (leaf >= LEAF_HYPERVISOR && leaf < 0x80000000)
		__cpuid_count(leaf, 0, out->a, out->b, out->c, out->d);
	else if (!__get_cpuid_count(leaf, 0, &out->a, &out->b, &out->c, &out->d))
		return false;
	return true;
#else
	(void)leaf;
	return false;
#endif
}

struct x86_model {
	char vendor[16];
	unsigned family, model, stepping;
};

/* Intel SDM, CPUID leaf 1; the same rule as perf's arch/x86/util/header.c */
static bool model_of_cpu(struct x86_model *cpu)
{
	struct registers out;
	uint32_t a;

	if (!ask(0, &out))
		return false;
	*cpu = (struct x86_model){ .vendor = "" };
	memcpy(cpu->vendor, &out.b, 4);
	memcpy(cpu->vendor + 4, &out.d, 4);
	memcpy(cpu->vendor + 8, &out.c, 4);
	if (!ask(LEAF_FEATURES, &out))
		return false;
	a = out.a;
	cpu->family = a >> 8 & 0xf;
	cpu->model = a >> 4 & 0xf;
	cpu->stepping = a & 0xf;
	if (cpu->family == 0xf)
		cpu->family += a >> 20 & 0xff;
	if (cpu->family >= 6)
		cpu->model += (a >> 16 & 0xf) << 4;
	return true;
}

static bool field_unsigned(const char *cpuinfo, const char *key, unsigned *value, struct arena *arena)
{
	const char *text = sysfile_field(cpuinfo, key, arena);
	uint64_t number;

	if (!text || !text_u64(text, &number) || number > UINT32_MAX)
		return false;
	*value = (unsigned)number;
	return true;
}

static bool model_of_cpuinfo(struct x86_model *cpu, const char *cpuinfo, struct arena *arena)
{
	const char *vendor = cpuinfo ? sysfile_field(cpuinfo, "vendor_id", arena) : NULL;

	if (!vendor || !*vendor || strlen(vendor) >= sizeof(cpu->vendor))
		return false;
	memcpy(cpu->vendor, vendor, strlen(vendor) + 1);
	if (!field_unsigned(cpuinfo, "stepping", &cpu->stepping, arena))
		cpu->stepping = 0; /* "unknown" on some; most databases do not ask for it */
	return field_unsigned(cpuinfo, "cpu family", &cpu->family, arena) &&
	       field_unsigned(cpuinfo, "model", &cpu->model, arena);
}

static const struct {
	char signature[13]; /* EBX, ECX, EDX of leaf 0x40000000 */
	const char *name;
} signatures[] = {
	/* clang-format off */
	{ "KVMKVMKVM",    "KVM" },
	{ "Linux KVM Hv", "KVM" },
	{ "VMwareVMware", "VMware" },
	{ "Microsoft Hv", "Hyper-V" },
	{ "XenVMMXenVMM", "Xen" },
	{ "TCGTCGTCGTCG", HYPERVISOR_TCG },
	{ "VBoxVBoxVBox", "VirtualBox" },
	{ "ACRNACRNACRN", "ACRN" },
	{ "bhyve bhyve ", "bhyve" },
	/* clang-format on */
};

static const char *hypervisor_of_cpu(void)
{
	char signature[13] = "";
	struct registers out;

	if (!ask(LEAF_FEATURES, &out) || !(out.c >> 31) || !ask(LEAF_HYPERVISOR, &out))
		return NULL;
	memcpy(signature, &out.b, 4);
	memcpy(signature + 4, &out.c, 4);
	memcpy(signature + 8, &out.d, 4);
	for (size_t i = 0; i < COUNT_OF(signatures); i++)
		if (!strcmp(signature, signatures[i].signature))
			return signatures[i].name;
	return "hypervisor";
}

/* The flag decides: firmware names such as "Amazon EC2" are also those of bare metal. */
static const char *hypervisor_of_files(const struct sysfiles *files, const char *cpuinfo)
{
	const char *flags = cpuinfo ? sysfile_field(cpuinfo, "flags", files->arena) : NULL;
	const char *name;

	if (!flags || !has_word(flags, " ", "hypervisor"))
		return NULL;
	name = hypervisor_identify(files);
	return name ? name : "hypervisor";
}

/* Crystal Hz (c) times b over a; where the crystal is not known, TSC and base frequency are the same (SDM, 20.7.3). */
static double tsc_hz_of_cpu(void)
{
	struct registers tsc, frequency;

	if (!ask(LEAF_TSC, &tsc) || !tsc.a || !tsc.b)
		return NOT_COUNTED;
	if (tsc.c)
		return (double)tsc.c * tsc.b / tsc.a;
	if (!ask(LEAF_FREQUENCY, &frequency) || !(frequency.a & 0xffff))
		return NOT_COUNTED;
	return (frequency.a & 0xffff) * 1e6;
}

/* "Intel(R) Xeon(R) Gold 6248 CPU @ 2.50GHz": Intel names the base frequency, at which its TSC runs. */
static double tsc_hz_of_name(const char *name)
{
	static const struct {
		const char *text;
		double hz;
	} units[] = {
		/* clang-format off */
		{ "GHz", 1e9 },
		{ "MHz", 1e6 },
		/* clang-format on */
	};
	const char *at = name ? strstr(name, "@ ") : NULL;
	double number;

	if (!at || !text_double_prefix(at + 2, &at, &number) || !(number > 0))
		return NOT_COUNTED;
	for (size_t i = 0; i < COUNT_OF(units); i++)
		if (has_name_prefix(at, units[i].text))
			return number * units[i].hz;
	return NOT_COUNTED;
}

#define MEASURED_S 0.0005 /* reading both clocks takes less than a thousandth of it */

static double ticks_a_second(void)
{
#if defined(__x86_64__) || defined(__i386__)
	double start = clock_now(), seconds = 0;
	uint64_t ticks = __rdtsc();

	while (seconds < MEASURED_S)
		seconds = clock_now() - start;
	return (double)(__rdtsc() - ticks) / seconds;
#else
	return NOT_COUNTED;
#endif
}

/* By the clock, in whole MHz: the median of three, as topdown may lose its CPU between the two readings of one. */
static double measured_tsc_hz(void)
{
	double a = ticks_a_second(), b = ticks_a_second(), c = ticks_a_second();
	double median = fmax(fmin(a, b), fmin(fmax(a, b), c));

	return round(median / 1e6) * 1e6;
}

static double tsc_hz_of_sysfs(const struct sysfiles *files)
{
	uint64_t khz;

	if (!sysfile_u64(files, &khz, "sys/devices/system/cpu/cpu0/cpufreq/base_frequency") || !khz)
		return NOT_COUNTED;
	return (double)khz * 1e3;
}

/* Intel SDM, CPUID leaf 7: EDX bit 15 */
bool is_cpu_hybrid(void)
{
	struct registers out;

	return ask(LEAF_EXTENDED, &out) && out.d >> 15 & 1;
}

#define LEGACY_AMD_COUNTERS	4
#define FAMILY_OF_CORE_COUNTERS 0x15 /* the first with six */

static unsigned amd_counters(const struct x86_model *cpu, const char *cpuinfo, struct arena *arena)
{
	const char *flags = cpuinfo ? sysfile_field(cpuinfo, "flags", arena) : NULL;

	if (strcmp(cpu->vendor, "AuthenticAMD") != 0 || cpu->family < FAMILY_OF_CORE_COUNTERS || !flags)
		return 0;
	return has_word(flags, " ", "perfctr_core") ? 0 : LEGACY_AMD_COUNTERS;
}

/* AMD's PPR, CPUID leaf 0x80000022: EAX bit 0 version 2, EBX bits 10 to 15 counters of the data fabric. */
static unsigned amd_df_counters(void)
{
	struct registers out;

	return ask(LEAF_AMD_PERFMON, &out) && out.a & 1 ? out.b >> 10 & 0x3f : 0;
}

int cpuid_identify(struct machine *machine, const struct sysfiles *files, const char *cpuinfo, struct error *err)
{
	bool live = is_live(files);
	struct x86_model cpu;

	if (!(live && model_of_cpu(&cpu)) && !model_of_cpuinfo(&cpu, cpuinfo, files->arena))
		return error_set(err, "%s/proc/cpuinfo: no vendor_id, cpu family and model; choose the CPU with {cpu}",
				 files->root);
	machine->cpuid = arena_printf(files->arena, "%s-%u-%X-%X", cpu.vendor, cpu.family, cpu.model, cpu.stepping);
	machine->hypervisor = live ? hypervisor_of_cpu() : hypervisor_of_files(files, cpuinfo);
	machine->tsc_hz = live ? tsc_hz_of_cpu() : NOT_COUNTED;
	machine->general_counters = amd_counters(&cpu, cpuinfo, files->arena);
	machine->df_counters = live && !strcmp(cpu.vendor, "AuthenticAMD") ? amd_df_counters() : 0;
	if (isnan(machine->tsc_hz))
		machine->tsc_hz = tsc_hz_of_name(machine->model_name);
	if (isnan(machine->tsc_hz))
		machine->tsc_hz = tsc_hz_of_sysfs(files);
	machine->tick_hz = live && isnan(machine->tsc_hz) ? measured_tsc_hz() : machine->tsc_hz;
	return 0;
}

/* ---- arm64: MIDR_EL1 from sysfs, or put together from /proc/cpuinfo where sysfs lacks it ---- */

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
				 "not name the CPU; choose it with {cpu}",
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
