/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cpu/identify/surroundings.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/text.h"
#include "cpu/identify/parts.h"

/* include/uapi/linux/capability.h */
#define CAPABILITY_SYS_PTRACE 19
#define CAPABILITY_SYS_ADMIN  21
#define CAPABILITY_PERFMON    38

static enum answer answer_of(bool is_yes)
{
	return is_yes ? ANSWER_YES : ANSWER_NO;
}

/* A file that holds 0 for no and anything else for yes. */
static enum answer file_answer(const struct sysfiles *files, const char *path)
{
	uint64_t value;

	return sysfile_u64(files, &value, "%s", path) ? answer_of(value != 0) : ANSWER_UNKNOWN;
}

static enum answer knows_perfmon(const struct sysfiles *files)
{
	uint64_t last;

	return sysfile_u64(files, &last, "proc/sys/kernel/cap_last_cap") ? answer_of(last >= CAPABILITY_PERFMON)
									 : ANSWER_UNKNOWN;
}

/* What a container manager leaves in the file system, the surest first. */
static const char *container_by_file(const struct sysfiles *files)
{
	static const struct {
		const char *path, *name;
	} marks[] = {
		/* clang-format off */
		{ "run/.containerenv", "podman" },
		{ ".dockerenv",        "docker" },
		/* clang-format on */
	};
	const char *manager = sysfile_read(files, "run/systemd/container");

	if (manager && *manager)
		return manager;
	for (size_t i = 0; i < COUNT_OF(marks); i++)
		if (sysfile_read(files, "%s", marks[i].path))
			return marks[i].name;
	return NULL;
}

/* The names that managers give the control groups of their containers. */
static const char *container_by_cgroup(const struct sysfiles *files)
{
	static const struct {
		const char *part, *name;
	} marks[] = {
		/* clang-format off */
		{ "kubepods",   "kubernetes" },
		{ "/docker",    "docker" },
		{ "libpod",     "podman" },
		{ "/lxc",       "lxc" },
		{ "containerd", "containerd" },
		/* clang-format on */
	};
	const char *groups = sysfile_read(files, "proc/1/cgroup");

	for (size_t i = 0; groups && i < COUNT_OF(marks); i++)
		if (strstr(groups, marks[i].part))
			return marks[i].name;
	return NULL;
}

static void surroundings_add_name(struct string *list, const char *name)
{
	if (!has_word(list->text, ", ", name))
		string_printf(list, "%s%s", list->length ? ", " : "", name);
}

static const char *list_text(const struct string *list)
{
	return list->length ? list->text : NULL;
}

static const char *read_governors(const struct sysfiles *files)
{
	struct string list = STRING_INIT(files->arena);
	const char **policies;
	size_t count = sysfile_list(files, "sys/devices/system/cpu/cpufreq", &policies);

	for (size_t i = 0; i < count; i++) {
		const char *name =
			sysfile_read(files, "sys/devices/system/cpu/cpufreq/%s/scaling_governor", policies[i]);

		if (name && *name)
			surroundings_add_name(&list, name);
	}
	return list_text(&list);
}

static void read_turbo(struct surroundings *around, const struct sysfiles *files)
{
	static const struct {
		const char *path;
		enum answer when_set;
	} switches[] = {
		{ "sys/devices/system/cpu/intel_pstate/no_turbo", ANSWER_NO },
		{ "sys/devices/system/cpu/cpufreq/boost", ANSWER_YES },
	};

	for (size_t i = 0; i < COUNT_OF(switches); i++) {
		enum answer is_set = file_answer(files, switches[i].path);

		if (is_set == ANSWER_UNKNOWN)
			continue;
		around->turbo = answer_of((is_set == ANSWER_YES) == (switches[i].when_set == ANSWER_YES));
		around->turbo_file = arena_printf(files->arena, "/%s", switches[i].path);
		return;
	}
}

static const char *read_samplers(const struct sysfiles *files)
{
	static const char *const known[] = { "ibs_op", "ibs_fetch", "arm_spe" };
	struct string list = STRING_INIT(files->arena);
	const char **pmus;
	size_t count = sysfile_list(files, "sys/bus/event_source/devices", &pmus);

	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < COUNT_OF(known); k++)
			if (has_name_prefix(pmus[i], known[k]))
				surroundings_add_name(&list, pmus[i]);
	return list_text(&list);
}

void surroundings_identify(struct surroundings *around, const char *sysroot, struct arena *arena)
{
	struct sysfiles files = sysfiles_below(sysroot, arena);

	*around = (struct surroundings){ .is_live = is_live(&files) };
	rights_identify(&around->rights, &files);
	around->knows_perfmon = knows_perfmon(&files);
	around->vendor = sysfile_read(&files, "sys/class/dmi/id/sys_vendor");
	around->product = sysfile_read(&files, "sys/class/dmi/id/product_name");
	around->container = container_by_file(&files);
	if (!around->container)
		around->container = container_by_cgroup(&files);
	around->governors = read_governors(&files);
	around->smt_control = sysfile_read(&files, "sys/devices/system/cpu/smt/control");
	read_turbo(around, &files);
	around->aslr = file_answer(&files, "proc/sys/kernel/randomize_va_space");
	around->samplers = read_samplers(&files);
}

/* ---- rights: capabilities, user namespace, seccomp ---- */

/* The first user namespace maps all user ids to themselves (user_namespaces(7)). */
static enum answer in_user_namespace(const struct sysfiles *files)
{
	const char *map = sysfile_read(files, "proc/self/uid_map"), *part;
	char *end;

	if (!map || !*map)
		return ANSWER_UNKNOWN;
	for (size_t i = 0; i < 2; i++)
		if (!text_next(&map, " \t\n", &part) || *part != '0')
			return ANSWER_YES;
	return answer_of(strtoull(map, &end, 10) != UINT32_MAX);
}

static enum seccomp seccomp_of(const char *status, struct arena *arena)
{
	const char *mode = sysfile_field(status, "Seccomp", arena);
	uint64_t number;

	return mode && text_u64(mode, &number) && number <= 2 ? (enum seccomp)(SECCOMP_NONE + number) : SECCOMP_UNKNOWN;
}

void rights_identify(struct process_rights *rights, const struct sysfiles *files)
{
	const char *status = sysfile_read(files, "proc/self/status"), *text;
	uint64_t set;

	if (sysfile_u64(files, &set, "sys/fs/selinux/enforce"))
		rights->selinux = answer_of(set != 0);
	if (!is_live(files) || !status)
		return;
	rights->seccomp = seccomp_of(status, files->arena);
	rights->user_namespace = in_user_namespace(files);
	text = sysfile_field(status, "CapEff", files->arena);
	if (!text || !text_u64(arena_printf(files->arena, "0x%s", text), &set))
		return;
	if (rights->user_namespace == ANSWER_YES)
		set = 0;
	rights->perfmon = answer_of(set >> CAPABILITY_PERFMON & 1);
	rights->sys_admin = answer_of(set >> CAPABILITY_SYS_ADMIN & 1);
	rights->sys_ptrace = answer_of(set >> CAPABILITY_SYS_PTRACE & 1);
}

/* ---- the hypervisor, by what firmware and kernel say; x86 CPUs are asked first (cpuid.c) ---- */

struct firmware {
	const char *vendor;  /* start of sys/class/dmi/id/sys_vendor */
	const char *product; /* in sys/class/dmi/id/product_name; NULL: any */
	const char *name;    /* NULL: this is no virtual machine */
};

/* First match wins. */
static const struct firmware firmwares[] = {
	/* clang-format off */
	{ "Amazon EC2",            ".metal",                NULL },
	{ "Amazon EC2",            NULL,                    "Amazon EC2" },
	{ "Google",                "Google Compute Engine", "Google Compute Engine" },
	{ "Microsoft Corporation", "Virtual Machine",       "Hyper-V" },
	{ "Alibaba Cloud",         "Alibaba Cloud ECS",     "Alibaba Cloud" },
	{ "OpenStack",             NULL,                    "OpenStack" },
	{ "QEMU",                  NULL,                    "QEMU" },
	{ "Red Hat",               "KVM",                   "KVM" },
	{ "VMware",                NULL,                    "VMware" },
	{ "Xen",                   NULL,                    "Xen" },
	{ "innotek GmbH",          NULL,                    "VirtualBox" },
	{ "Parallels",             NULL,                    "Parallels" },
	{ "Apple Inc.",            "Virtualization",        "Apple Virtualization" },
	{ "DigitalOcean",          NULL,                    "DigitalOcean" },
	{ "Hetzner",               "vServer",               "Hetzner" },
	/* clang-format on */
};

/* compatible strings of the device tree's hypervisor node, and what sys/hypervisor/type says */
static const struct {
	const char *start, *name;
} interfaces[] = {
	/* clang-format off */
	{ "linux,kvm",        "KVM" },
	{ "xen",              "Xen" },
	{ "vmware",           "VMware" },
	{ "microsoft,hyperv", "Hyper-V" },
	/* clang-format on */
};

/* The device tree's name of a board that QEMU, kvmtool and crosvm make up for a guest without firmware. */
#define VIRTUAL_BOARD "linux,dummy-virt"

static const char *by_interface(const char *text)
{
	if (!text || !*text)
		return NULL;
	for (size_t i = 0; i < COUNT_OF(interfaces); i++)
		if (!strncmp(text, interfaces[i].start, strlen(interfaces[i].start)))
			return interfaces[i].name;
	return "hypervisor";
}

static const struct firmware *find_firmware(const char *vendor, const char *product)
{
	for (size_t i = 0; i < COUNT_OF(firmwares); i++) {
		const struct firmware *row = &firmwares[i];

		if (!strncmp(vendor, row->vendor, strlen(row->vendor)) &&
		    (!row->product || strstr(product, row->product)))
			return row;
	}
	return NULL;
}

static const char *by_firmware(const struct sysfiles *files)
{
	const char *vendor = sysfile_read(files, "sys/class/dmi/id/sys_vendor");
	const char *product = sysfile_read(files, "sys/class/dmi/id/product_name");
	const struct firmware *row = vendor ? find_firmware(vendor, product ? product : "") : NULL;

	return row ? row->name : NULL;
}

static bool is_virtual_board(const struct sysfiles *files)
{
	const char *board = sysfile_read(files, "proc/device-tree/compatible");

	return board && has_name_prefix(board, VIRTUAL_BOARD);
}

const char *hypervisor_identify(const struct sysfiles *files)
{
	const char *name = by_firmware(files);

	if (!name)
		name = by_interface(sysfile_read(files, "sys/hypervisor/type"));
	if (!name)
		name = by_interface(sysfile_read(files, "proc/device-tree/hypervisor/compatible"));
	if (!name && is_virtual_board(files))
		name = "hypervisor";
	return name;
}
