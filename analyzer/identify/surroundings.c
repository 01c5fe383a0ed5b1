/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "identify/surroundings.h"

#include <string.h>

#include "base/text.h"
#include "identify/parts.h"

#define CAPABILITY_PERFMON 38 /* include/uapi/linux/capability.h */

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

/* What a container manager leaves in the file system, the most telling first. */
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

static void add_name(struct string *list, const char *name)
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
			add_name(&list, name);
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
				add_name(&list, pmus[i]);
	return list_text(&list);
}

void surroundings_identify(struct surroundings *around, const char *sysroot, struct arena *arena)
{
	struct sysfiles files = sysfiles_below(sysroot, arena);

	*around = (struct surroundings){ .is_live = is_live(&files) };
	rights_identify(&around->rights, &files);
	around->knows_perfmon = knows_perfmon(&files);
	around->container = container_by_file(&files);
	if (!around->container)
		around->container = container_by_cgroup(&files);
	around->governors = read_governors(&files);
	around->smt_control = sysfile_read(&files, "sys/devices/system/cpu/smt/control");
	read_turbo(around, &files);
	around->aslr = file_answer(&files, "proc/sys/kernel/randomize_va_space");
	around->samplers = read_samplers(&files);
}
