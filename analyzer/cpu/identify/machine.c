/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cpu/identify/machine.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/text.h"
#include "cpu/identify/parts.h"

/* A snapshot is of the architecture that its files name, whatever this program was compiled for. */
static enum arch arch_of_snapshot(const struct sysfiles *files, const char *cpuinfo)
{
	if (cpuinfo && sysfile_field(cpuinfo, "vendor_id", files->arena))
		return ARCH_X86;
	return has_midr(files, cpuinfo) ? ARCH_ARM64 : ARCH_OTHER;
}

static enum arch arch_of_this_program(void)
{
#if defined(__x86_64__) || defined(__i386__)
	return ARCH_X86;
#elif defined(__aarch64__)
	return ARCH_ARM64;
#else
	return ARCH_OTHER;
#endif
}

static int identify_cpu(struct machine *machine, const struct sysfiles *files, const char *cpuinfo, struct error *err)
{
	machine->arch = is_live(files) ? arch_of_this_program() : arch_of_snapshot(files, cpuinfo);
	switch (machine->arch) {
	case ARCH_X86: return cpuid_identify(machine, files, cpuinfo, err);
	case ARCH_ARM64:
		machine->hypervisor = hypervisor_identify(files);
		return midr_identify(machine, files, cpuinfo, err);
	default:
		return error_set(err, "%s/proc/cpuinfo %s; choose a CPU with {cpu}", files->root,
				 cpuinfo ? "names neither an x86 nor an arm64 CPU" : "can't be read");
	}
}

static int read_paranoid(const struct sysfiles *files)
{
	const char *text = sysfile_read(files, "proc/sys/kernel/perf_event_paranoid");
	char *end;
	long value;

	if (!text || !*text)
		return PARANOID_UNKNOWN;
	value = strtol(text, &end, 10);
	return *end || value < INT_MIN || value > INT_MAX ? PARANOID_UNKNOWN : (int)value;
}

static void read_kernel(struct machine *machine, const struct sysfiles *files)
{
	uint64_t watchdog;

	machine->kernel = sysfile_read(files, "proc/sys/kernel/osrelease");
	machine->paranoid = read_paranoid(files);
	machine->nmi_watchdog = sysfile_u64(files, &watchdog, "proc/sys/kernel/nmi_watchdog") && watchdog == 1;
}

/* What `sudo setcap` would have to be given. */
static const char *path_of_program(const struct sysfiles *files)
{
	struct string text = STRING_INIT(files->arena);
	char path[PATH_MAX];
	ssize_t length = is_live(files) ? readlink("/proc/self/exe", path, sizeof(path) - 1) : -1;

	if (length <= 0)
		return NULL;
	path[length] = '\0';
	string_add_shell_word(&text, path);
	return text.text;
}

/*
 * Without /sys the kernel's PMUs can't be listed; but raw events are counted by the one that all x86 CPUs have, unless
 * their cores are of several types, and its formats are the vendor's usual ones.
 */
static void assume_pmu(struct machine *machine, const struct sysfiles *files)
{
	const char **names;
	struct pmu *pmu;

	if (!is_live(files) || machine->npmus || sysfile_list(files, "sys/bus", &names) > 0)
		return;
	machine->lacks_sysfs = true;
	if (machine->arch != ARCH_X86 || is_cpu_hybrid())
		return;
	pmu = arena_alloc(files->arena, sizeof(*pmu));
	*pmu = *pmu_assumed("cpu", has_name_prefix(machine->cpuid, "GenuineIntel") ? "Intel" : "AMD", files->arena);
	pmu->is_real = true;
	pmu->nevents = 0; /* nobody knows what it lists */
	machine->pmus = pmu;
	machine->npmus = 1;
}

int machine_identify(struct machine *machine, const char *sysroot, struct arena *arena, struct error *err)
{
	struct sysfiles *files = arena_alloc(arena, sizeof(*files));
	const char *cpuinfo;

	*files = sysfiles_below(sysroot, arena);
	cpuinfo = sysfile_read(files, "proc/cpuinfo");
	*machine = (struct machine){ .tsc_hz = NOT_COUNTED, .tick_hz = NOT_COUNTED };
	if (cpuinfo) {
		machine->model_name = sysfile_field(cpuinfo, "model name", arena);
		machine->microcode = sysfile_field(cpuinfo, "microcode", arena);
		machine->flags = sysfile_field(cpuinfo, "flags", arena);
		if (!machine->flags)
			machine->flags = sysfile_field(cpuinfo, "Features", arena);
	}
	if (identify_cpu(machine, files, cpuinfo, err) < 0)
		return -1;
	read_kernel(machine, files);
	rights_identify(&machine->rights, files);
	topology_identify(machine, files, cpuinfo);
	pmus_identify(machine, files);
	assume_pmu(machine, files);
	machine->program = path_of_program(files);
	if (machine->arch == ARCH_ARM64)
		midr_identify_pmus(machine, files);
	return 0;
}

const struct pmu *machine_core_pmu(const struct machine *machine)
{
	return machine->npmus ? &machine->pmus[0] : NULL;
}

bool can_pair_counters(const struct machine *machine)
{
	return !machine->hypervisor || !strcmp(machine->hypervisor, HYPERVISOR_TCG);
}
