/* SPDX-License-Identifier: GPL-2.0-or-later */
/* identify_test.c - the CPU, topology and PMUs of machine snapshots, PMU formats and terms, and files that make no sense. */
#include "rows.h"

#include <ftw.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/text.h"
#include "cpu/identify/machine.h"

#ifndef TEST_MACHINES
#define TEST_MACHINES "tests/machines" /* relative to the source root, where tests are run */
#endif

static const struct machine_row {
	const char *name, *cpuid, *hypervisor, *model_name;
	enum arch arch;
	unsigned cpus, cores, dies, packages;
	int paranoid;
	bool nmi_watchdog;
	double tsc_hz;
	size_t npmus;
	const char *pmu;
	uint32_t pmu_type;
} machine_rows[] = {
	{ .name = "xeon-clx",
	  .cpuid = "GenuineIntel-6-55-7",
	  .arch = ARCH_X86,
	  .model_name = "Intel(R) Xeon(R) Gold 6248 CPU @ 2.50GHz",
	  .cpus = 8,
	  .cores = 4,
	  .dies = 2,
	  .packages = 2,
	  .tsc_hz = 2.5e9,
	  .paranoid = 2,
	  .nmi_watchdog = true,
	  .npmus = 1,
	  .pmu = "cpu",
	  .pmu_type = 4 },
	{ .name = "xeon-clx-nosmt",
	  .cpuid = "GenuineIntel-6-55-7",
	  .arch = ARCH_X86,
	  .model_name = "Intel(R) Xeon(R) Gold 6248 CPU @ 2.50GHz",
	  .cpus = 4,
	  .cores = 4,
	  .dies = 2,
	  .packages = 2,
	  .tsc_hz = 2.5e9,
	  .paranoid = 2,
	  .nmi_watchdog = true,
	  .npmus = 1,
	  .pmu = "cpu",
	  .pmu_type = 4 },
	{ .name = "xeon-skx",
	  .cpuid = "GenuineIntel-6-55-4",
	  .arch = ARCH_X86,
	  .model_name = "Intel(R) Xeon(R) Platinum 8168 CPU @ 2.70GHz",
	  .cpus = 8,
	  .cores = 4,
	  .dies = 2,
	  .packages = 2,
	  .tsc_hz = 2.7e9,
	  .paranoid = 2,
	  .nmi_watchdog = true,
	  .npmus = 1,
	  .pmu = "cpu",
	  .pmu_type = 4 },
	{ .name = "xeon-spr",
	  .cpuid = "GenuineIntel-6-8F-8",
	  .arch = ARCH_X86,
	  .model_name = "Intel(R) Xeon(R) Platinum 8480+",
	  .cpus = 8,
	  .cores = 4,
	  .dies = 2,
	  .packages = 2,
	  .tsc_hz = 2e9,
	  .paranoid = 4,
	  .nmi_watchdog = true,
	  .npmus = 1,
	  .pmu = "cpu",
	  .pmu_type = 4 },
	{ .name = "epyc-zen4",
	  .cpuid = "AuthenticAMD-25-11-1",
	  .arch = ARCH_X86,
	  .model_name = "AMD EPYC 9354 32-Core Processor",
	  .cpus = 8,
	  .cores = 4,
	  .dies = 1,
	  .packages = 1,
	  .tsc_hz = NAN,
	  .paranoid = 3,
	  .nmi_watchdog = true,
	  .npmus = 1,
	  .pmu = "cpu",
	  .pmu_type = 4 },
	{ .name = "epyc-zen5",
	  .cpuid = "AuthenticAMD-26-2-1",
	  .arch = ARCH_X86,
	  .model_name = "AMD EPYC 9575F 64-Core Processor",
	  .cpus = 8,
	  .cores = 4,
	  .dies = 1,
	  .packages = 1,
	  .tsc_hz = NAN,
	  .paranoid = 2,
	  .nmi_watchdog = false,
	  .npmus = 1,
	  .pmu = "cpu",
	  .pmu_type = 4 },
	{ .name = "graviton2",
	  .cpuid = "0x00000000413fd0c1",
	  .arch = ARCH_ARM64,
	  .hypervisor = "Amazon EC2",
	  .cpus = 4,
	  .cores = 4,
	  .dies = 1,
	  .packages = 1,
	  .tsc_hz = NAN,
	  .paranoid = 2,
	  .nmi_watchdog = false,
	  .npmus = 1,
	  .pmu = "armv8_pmuv3_0",
	  .pmu_type = 8 },
	{ .name = "graviton3",
	  .cpuid = "0x00000000411fd401",
	  .arch = ARCH_ARM64,
	  .hypervisor = "Amazon EC2",
	  .cpus = 4,
	  .cores = 4,
	  .dies = 1,
	  .packages = 1,
	  .tsc_hz = NAN,
	  .paranoid = 2,
	  .nmi_watchdog = false,
	  .npmus = 1,
	  .pmu = "armv8_pmuv3_0",
	  .pmu_type = 8 },
	{ .name = "cloud-vm",
	  .cpuid = "GenuineIntel-6-8F-4",
	  .arch = ARCH_X86,
	  .model_name = "Intel Xeon Processor (SapphireRapids)",
	  .hypervisor = "QEMU",
	  .cpus = 4,
	  .cores = 2,
	  .dies = 1,
	  .packages = 1,
	  .tsc_hz = NAN,
	  .paranoid = 2,
	  .nmi_watchdog = false,
	  .npmus = 0,
	  .pmu = NULL,
	  .pmu_type = 0 },
	{ .name = "laptop-hybrid",
	  .cpuid = "GenuineIntel-6-9A-3",
	  .arch = ARCH_X86,
	  .model_name = "12th Gen Intel(R) Core(TM) i5-1240P",
	  .cpus = 8,
	  .cores = 6,
	  .dies = 1,
	  .packages = 1,
	  .tsc_hz = 1.7e9,
	  .paranoid = 4,
	  .nmi_watchdog = true,
	  .npmus = 2,
	  .pmu = "cpu_core",
	  .pmu_type = 4 },
};

static int identify_snapshot(struct machine *machine, const char *name, struct arena *arena, struct error *err)
{
	return machine_identify(machine, arena_printf(arena, "%s/%s", TEST_MACHINES, name), arena, err);
}

static void expect_machine(struct rows *rows, const struct machine_row *row, const struct machine *machine)
{
	const struct pmu *pmu = machine_core_pmu(machine);

	row_expect(rows, row->name, machine->arch == row->arch, "architecture");
	row_expect_text(rows, row->name, machine->cpuid, row->cpuid);
	row_expect_text(rows, row->name, machine->hypervisor, row->hypervisor);
	row_expect_text(rows, row->name, machine->model_name, row->model_name);
	row_expect_number(rows, row->name, machine->online_cpus, row->cpus);
	row_expect_number(rows, row->name, machine->cores, row->cores);
	row_expect_number(rows, row->name, machine->dies, row->dies);
	row_expect_number(rows, row->name, machine->packages, row->packages);
	row_expect(rows, row->name, machine->smt_on == (row->cpus > row->cores), "smt_on");
	row_expect_number(rows, row->name, machine->paranoid, row->paranoid);
	row_expect(rows, row->name, machine->nmi_watchdog == row->nmi_watchdog, "nmi_watchdog");
	row_expect_number(rows, row->name, machine->tsc_hz, row->tsc_hz);
	row_expect_number(rows, row->name, machine->tick_hz, row->tsc_hz);
	row_expect_number(rows, row->name, (double)machine->npmus, (double)row->npmus);
	row_expect_text(rows, row->name, pmu ? pmu->name : NULL, row->pmu);
	row_expect_number(rows, row->name, pmu ? pmu->type : 0, row->pmu_type);
}

static void test_machines(void **state UNUSED)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(machine_rows); i++) {
		const struct machine_row *row = &machine_rows[i];
		struct error err = { 0 };
		struct machine machine;
		struct arena arena;

		arena_init(&arena);
		if (identify_snapshot(&machine, row->name, &arena, &err) < 0)
			row_expect(&rows, row->name, false, err.text);
		else
			expect_machine(&rows, row, &machine);
		arena_release(&arena);
	}
	rows_end(&rows);
}

static const struct content_row {
	const char *machine;
	size_t pmu;
	const char *event, *event_value, *cap, *cap_value, *format;
	bool has_format;
} content_rows[] = {
	{ "xeon-clx", 0, "topdown-total-slots", "event=0x3c,umask=0x0,any=1", "pmu_name", "skylake", "any", true },
	{ "xeon-clx-nosmt", 0, "topdown-total-slots", "event=0x3c,umask=0x0", "max_precise", "3", "frontend", true },
	{ "xeon-skx", 0, "topdown-total-slots.scale", NULL, "slots", NULL, "eq", false },
	{ "xeon-spr", 0, "slots", "event=0x00,umask=0x4", "pmu_name", "sapphire_rapids", "offcore_rsp", true },
	{ "xeon-spr", 0, "TOPDOWN-MEM-BOUND", "event=0x00,umask=0x87", "branches", "32", "ldlat", true },
	{ "epyc-zen4", 0, "ref-cycles", "event=0x120,umask=0x01", "branches", "16", "offcore_rsp", false },
	{ "epyc-zen5", 0, "slots", NULL, "max_precise", "0", "cmask", true },
	{ "graviton2", 0, "stall_slot", NULL, "slots", "0x00000000", "long", true },
	{ "graviton3", 0, "stall_slot", "event=0x003f", "slots", "0x00000008", "umask", false },
	{ "laptop-hybrid", 0, "topdown-retiring", "event=0x00,umask=0x80", "pmu_name", "alderlake_hybrid", "frontend",
	  true },
	{ "laptop-hybrid", 1, "topdown-retiring", "event=0xc2,umask=0x0", "pmu_name", "alderlake_hybrid", "frontend",
	  false },
};

static void expect_content(struct rows *rows, const struct content_row *row, const struct pmu *pmu)
{
	bool has_format = false;

	for (size_t i = 0; i < pmu->nformats; i++)
		has_format |= !strcmp(pmu->formats[i].name, row->format);
	row_expect_text(rows, row->machine, pmu_event(pmu, row->event), row->event_value);
	row_expect_text(rows, row->machine, pmu_cap(pmu, row->cap), row->cap_value);
	row_expect(rows, row->machine, has_format == row->has_format, row->format);
	row_expect(rows, row->machine, pmu->is_real, "is_real");
	for (size_t i = 1; i < pmu->nevents; i++)
		row_expect(rows, row->machine, strcmp(pmu->events[i - 1].name, pmu->events[i].name) < 0,
			   "events sorted");
}

static void test_pmu_content(void **state UNUSED)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(content_rows); i++) {
		const struct content_row *row = &content_rows[i];
		struct error err = { 0 };
		struct machine machine;
		struct arena arena;

		arena_init(&arena);
		if (identify_snapshot(&machine, row->machine, &arena, &err) < 0 || row->pmu >= machine.npmus)
			row_expect(&rows, row->machine, false, "no such PMU");
		else
			expect_content(&rows, row, &machine.pmus[row->pmu]);
		arena_release(&arena);
	}
	rows_end(&rows);
}

/* Machines that a row makes up: files below a temporary directory. */
struct fake_file {
	const char *path, *content; /* content "<fifo>" and "<directory>" are what they say */
};

#define CPUINFO_X86 "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\nstepping\t: 7\n"
#define CPUINFO_VM  CPUINFO_X86 "flags\t\t: fpu hypervisor lahf_lm\n"
#define CPUINFO_OF(cpu, package, core)                                                                                 \
	"processor\t: " cpu "\n" CPUINFO_X86 "physical id\t: " package "\ncore id\t\t: " core "\n"
#define CPUINFO_ARM                                                                                                    \
	"CPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x1\nCPU part\t: 0xd40\nCPU revision\t: 1\n"
#define PMUS "sys/bus/event_source/devices/"
#define CPU0 "sys/devices/system/cpu/cpu0/"

static const struct fake_row {
	const char *name, *found; /* what machine_text() makes of it */
	struct fake_file files[10];
} fake_rows[] = {
	{ "nothing there", "error", { { NULL, NULL } } },
	{ "cpuinfo of no known kind", "error", { { "proc/cpuinfo", "hart\t: 0\nisa\t: rv64gc\n" } } },
	{ "cpuinfo is a directory", "error", { { "proc/cpuinfo", "<directory>" } } },
	{ "cpuinfo is a FIFO", "error", { { "proc/cpuinfo", "<fifo>" } } },
	{ "no model", "error", { { "proc/cpuinfo", "vendor_id: GenuineIntel\ncpu family: 6\n" } } },
	{ "model out of range", "error", { { "proc/cpuinfo", "vendor_id: X\ncpu family: 6\nmodel: 4294967296\n" } } },
	{ "vendor too long",
	  "error",
	  { { "proc/cpuinfo", "vendor_id: GenuineIntelGenuineIntel\ncpu family: 6\nmodel: 1\n" } } },
	{ "cpuinfo alone", "GenuineIntel-6-55-7 - 1/1 0 pmus, paranoid 100", { { "proc/cpuinfo", CPUINFO_X86 } } },
	{ "stepping unknown",
	  "HygonGenuine-24-1-0 - 1/1 0 pmus, paranoid 100",
	  { { "proc/cpuinfo", "vendor_id: HygonGenuine\ncpu family: 24\nmodel: 1\nstepping: unknown\n" } } },
	{ "midr from cpuinfo", "0x00000000411fd401 - 1/1 0 pmus, paranoid 100", { { "proc/cpuinfo", CPUINFO_ARM } } },
	{ "midr of CPU 1, no cpuinfo",
	  "0x00000000413fd0c1 - 2/2 0 pmus, paranoid 100",
	  { { CPU0 "uevent", "" },
	    { "sys/devices/system/cpu/cpu1/regs/identification/midr_el1", "0x00000000413fd0c1\n" } } },
	{ "midr is no number", "error", { { CPU0 "regs/identification/midr_el1", "none\n" } } },
	{ "metal is no VM",
	  "0x00000000411fd401 - 1/1 0 pmus, paranoid 100",
	  { { "proc/cpuinfo", CPUINFO_ARM },
	    { "sys/class/dmi/id/sys_vendor", "Amazon EC2\n" },
	    { "sys/class/dmi/id/product_name", "c7g.metal\n" } } },
	{ "device tree",
	  "0x00000000411fd401 KVM 1/1 0 pmus, paranoid 100",
	  { { "proc/cpuinfo", CPUINFO_ARM }, { "proc/device-tree/hypervisor/compatible", "linux,kvm" } } },
	{ "device tree of no board",
	  "0x00000000411fd401 hypervisor 1/1 0 pmus, paranoid 100",
	  { { "proc/cpuinfo", CPUINFO_ARM }, { "proc/device-tree/compatible", "linux,dummy-virt" } } },
	{ "device tree of a board",
	  "0x00000000411fd401 - 1/1 0 pmus, paranoid 100",
	  { { "proc/cpuinfo", CPUINFO_ARM }, { "proc/device-tree/compatible", "raspberrypi,4-model-b" } } },
	{ "firmware without the flag is no VM",
	  "GenuineIntel-6-55-7 - 1/1 0 pmus, paranoid 100",
	  { { "proc/cpuinfo", CPUINFO_X86 }, { "sys/class/dmi/id/sys_vendor", "Amazon EC2\n" } } },
	{ "flag alone", "GenuineIntel-6-55-7 hypervisor 1/1 0 pmus, paranoid 100", { { "proc/cpuinfo", CPUINFO_VM } } },
	{ "Xen",
	  "GenuineIntel-6-55-7 Xen 1/1 0 pmus, paranoid 100",
	  { { "proc/cpuinfo", CPUINFO_VM }, { "sys/hypervisor/type", "xen\n" } } },
	{ "Google",
	  "GenuineIntel-6-55-7 Google Compute Engine 1/1 0 pmus, paranoid 100",
	  { { "proc/cpuinfo", CPUINFO_VM },
	    { "sys/class/dmi/id/sys_vendor", "Google\n" },
	    { "sys/class/dmi/id/product_name", "Google Compute Engine\n" } } },
	{ "CPU 1 offline",
	  "GenuineIntel-6-55-7 - 3/2 0 pmus, SMT, paranoid -1",
	  { { "proc/cpuinfo", CPUINFO_X86 },
	    { "proc/sys/kernel/perf_event_paranoid", "-1\n" },
	    { "sys/devices/system/cpu/online", "0,2-3\n" },
	    { CPU0 "topology/thread_siblings_list", "0,2\n" },
	    { "sys/devices/system/cpu/cpu2/topology/thread_siblings_list", "0,2\n" },
	    { "sys/devices/system/cpu/cpu3/topology/thread_siblings_list", "3\n" } } },
	{ "the first CPU of a core lists the others",
	  "GenuineIntel-6-55-7 - 4/2 0 pmus, SMT, paranoid 100",
	  { { "proc/cpuinfo", CPUINFO_X86 },
	    { "sys/devices/system/cpu/online", "0-3\n" },
	    { CPU0 "topology/core_cpus_list", "0,2\n" },
	    { "sys/devices/system/cpu/cpu1/topology/core_cpus_list", "1,3,9\n" } } },
	{ "topology from cpuinfo",
	  "GenuineIntel-6-55-7 - 4/2 0 pmus, SMT, paranoid 100",
	  { { "proc/cpuinfo", CPUINFO_OF("0", "0", "0") "\n" CPUINFO_OF("1", "0", "1") "\n" CPUINFO_OF(
				      "2", "0", "0") "\n" CPUINFO_OF("3", "0", "1") } } },
	{ "topology from cpuinfo, a thread a core",
	  "GenuineIntel-6-55-7 - 2/2 0 pmus, paranoid 100",
	  { { "proc/cpuinfo", CPUINFO_OF("0", "0", "0") "\n" CPUINFO_OF("1", "1", "0") } } },
	{ "CPUs listed, cores in cpuinfo",
	  "GenuineIntel-6-55-7 - 2/1 0 pmus, SMT, paranoid 100",
	  { { "proc/cpuinfo", CPUINFO_OF("0", "0", "0") "\n" CPUINFO_OF("1", "0", "0") },
	    { "sys/devices/system/cpu/online", "0-1\n" } } },
	{ "twice as many siblings as cores",
	  "GenuineIntel-6-55-7 - 1/1 0 pmus, SMT, paranoid 100",
	  { { "proc/cpuinfo", CPUINFO_X86 "siblings\t: 8\ncpu cores\t: 4\n" } } },
	{ "as many siblings as cores",
	  "GenuineIntel-6-55-7 - 1/1 0 pmus, paranoid 100",
	  { { "proc/cpuinfo", CPUINFO_X86 "siblings\t: 4\ncpu cores\t: 4\n" } } },
	{ "sysfs knows better than cpuinfo",
	  "GenuineIntel-6-55-7 - 2/2 0 pmus, paranoid 100",
	  { { "proc/cpuinfo", CPUINFO_X86 "siblings\t: 4\ncpu cores\t: 2\n" },
	    { "sys/devices/system/cpu/online", "0-1\n" },
	    { CPU0 "topology/core_cpus_list", "0\n" },
	    { "sys/devices/system/cpu/cpu1/topology/core_cpus_list", "1\n" } } },
	{ "topology that makes no sense",
	  "GenuineIntel-6-55-7 - 1/1 0 pmus, paranoid 100",
	  { { "proc/cpuinfo", CPUINFO_X86 },
	    { "proc/sys/kernel/perf_event_paranoid", "two\n" },
	    { "sys/devices/system/cpu/online", "0-99999999999,9-3,x\n" },
	    { CPU0 "topology/core_cpus_list", "\n" },
	    { CPU0 "topology/die_id", "-1\n" } } },
	{ "formats that make no sense",
	  "GenuineIntel-6-55-7 - 1/1 1 pmus: cpu event, paranoid 100",
	  { { "proc/cpuinfo", CPUINFO_X86 },
	    { PMUS "cpu/type", "4\n" },
	    { PMUS "cpu/format/event", "config:0-7\n" },
	    { PMUS "cpu/format/a", "config:8-64\n" },
	    { PMUS "cpu/format/b", "config4:0\n" },
	    { PMUS "cpu/format/c", "config:7-0\n" },
	    { PMUS "cpu/format/d", "config:\n" },
	    { PMUS "cpu/format/e", "config:1,2,3,4,5,6,7,8,9\n" },
	    { PMUS "cpu/format/f", "" },
	    { PMUS "cpu/format/g", "<directory>" } } },
	{ "PMUs that count no core",
	  "GenuineIntel-6-55-7 - 1/1 0 pmus, paranoid 100",
	  { { "proc/cpuinfo", CPUINFO_X86 },
	    { PMUS "cpu/type", "four\n" },
	    { PMUS "uncore_imc_0/cpumask", "0\n" },
	    { PMUS "uncore_imc_0/type", "20\n" },
	    { PMUS "uncore_imc_0/format/event", "config:0-7\n" },
	    { PMUS "cpu_atom/cpus", "\n" },
	    { PMUS "cpu_atom/type", "10\n" },
	    { PMUS "strange/cpus", "0-3\n" },
	    { PMUS "strange/type", "77\n" } } },
	{ "big and little",
	  "0x00000000411fd401 - 1/1 2 pmus: armv8_cortex_a76 event: armv8_cortex_a55, paranoid 100",
	  { { "proc/cpuinfo", CPUINFO_ARM },
	    { PMUS "armv8_cortex_a55/cpus", "4-7\n" },
	    { PMUS "armv8_cortex_a55/type", "9\n" },
	    { PMUS "armv8_cortex_a76/cpus", "0-3\n" },
	    { PMUS "armv8_cortex_a76/type", "8\n" },
	    { PMUS "armv8_cortex_a76/format/event", "config:0-15\n" } } },
	{ "core PMU with another name",
	  "0x00000000411fd401 - 1/1 1 pmus: apple_icestorm_pmu event, paranoid 100",
	  { { "proc/cpuinfo", CPUINFO_ARM },
	    { PMUS "apple_icestorm_pmu/cpus", "0-3\n" },
	    { PMUS "apple_icestorm_pmu/type", "11\n" },
	    { PMUS "apple_icestorm_pmu/format/event", "config:0-7\n" } } },
	{ "E cores numbered first",
	  "GenuineIntel-6-55-7 - 1/1 2 pmus: cpu_core: cpu_atom, paranoid 100",
	  { { "proc/cpuinfo", CPUINFO_X86 },
	    { PMUS "cpu_atom/cpus", "0-3\n" },
	    { PMUS "cpu_atom/type", "10\n" },
	    { PMUS "cpu_core/cpus", "4-5\n" },
	    { PMUS "cpu_core/type", "4\n" } } },
};

static const char *machine_text(const struct machine *machine, struct arena *arena)
{
	struct string text = STRING_INIT(arena);

	string_printf(&text, "%s %s %u/%u %zu pmus", machine->cpuid, machine->hypervisor ? machine->hypervisor : "-",
		      machine->online_cpus, machine->cores, machine->npmus);
	for (size_t i = 0; i < machine->npmus; i++) {
		string_printf(&text, ": %s", machine->pmus[i].name);
		for (size_t j = 0; j < machine->pmus[i].nformats; j++)
			string_printf(&text, " %s", machine->pmus[i].formats[j].name);
	}
	string_printf(&text, "%s, paranoid %d", machine->smt_on ? ", SMT" : "", machine->paranoid);
	return text.text;
}

static void make_file(const char *root, const struct fake_file *file, struct arena *arena)
{
	char *path = arena_printf(arena, "%s/%s", root, file->path);
	FILE *stream;

	for (char *slash = strchr(path + strlen(root) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		(void)mkdir(path, 0700);
		*slash = '/';
	}
	if (!strcmp(file->content, "<directory>")) {
		assert_int_equal(mkdir(path, 0700), 0);
	} else if (!strcmp(file->content, "<fifo>")) {
		assert_int_equal(mkfifo(path, 0600), 0);
	} else {
		stream = fopen(path, "w");
		assert_non_null(stream);
		fputs(file->content, stream);
		fclose(stream);
	}
}

static int remove_one(const char *path, const struct stat *info UNUSED, int type UNUSED, struct FTW *where UNUSED)
{
	return remove(path);
}

static void run_fake(struct rows *rows, const struct fake_row *row)
{
	char root[] = "/tmp/topdown-identify-XXXXXX";
	struct error err = { 0 };
	struct machine machine;
	struct arena arena;
	const char *found = "error";

	arena_init(&arena);
	assert_non_null(mkdtemp(root));
	for (size_t i = 0; i < COUNT_OF(row->files) && row->files[i].path; i++)
		make_file(root, &row->files[i], &arena);
	if (machine_identify(&machine, root, &arena, &err) == 0)
		found = machine_text(&machine, &arena);
	else
		row_expect(rows, row->name, is_error(&err), "a failure without a message");
	row_expect_text(rows, row->name, found, row->found);
	nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	arena_release(&arena);
}

static void test_fakes(void **state UNUSED)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(fake_rows); i++)
		run_fake(&rows, &fake_rows[i]);
	rows_end(&rows);
}

static void test_live(void **state UNUSED)
{
	static const char *const roots[] = { "", "/", "//" };
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(roots); i++) {
		struct error err = { 0 };
		struct machine machine;
		struct arena arena;

		arena_init(&arena);
		if (machine_identify(&machine, roots[i], &arena, &err) < 0)
			row_expect(&rows, roots[i], false, err.text);
		else
			row_expect(&rows, roots[i],
				   machine.cpuid && machine.cores && machine.cores <= machine.online_cpus &&
					   machine.packages && machine.packages <= machine.dies,
				   "facts that can't be");
		if (isnan(machine.tsc_hz) && !isnan(machine.tick_hz))
			row_expect(&rows, roots[i],
				   machine.tick_hz > 1e7 && machine.tick_hz < 1e11 && fmod(machine.tick_hz, 1e6) == 0,
				   "a measured rate that can't be");
		arena_release(&arena);
	}
	rows_end(&rows);
}

static void counters_are_paired_without_a_host(void **state UNUSED)
{
	assert_true(can_pair_counters(&(struct machine){ .hypervisor = NULL }));
	assert_true(can_pair_counters(&(struct machine){ .hypervisor = "QEMU TCG" }));
	assert_false(can_pair_counters(&(struct machine){ .hypervisor = "KVM" }));
	assert_false(can_pair_counters(&(struct machine){ .hypervisor = "Amazon EC2" }));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_machines),
		cmocka_unit_test(test_pmu_content),
		cmocka_unit_test(test_fakes),
		cmocka_unit_test(test_live),
		cmocka_unit_test(counters_are_paired_without_a_host),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
