/* SPDX-License-Identifier: GPL-2.0-or-later */
/* surroundings_test.c - containers, clock, SMT, address layout from made-up files; the rights of this very process. */
#include "rows.h"

#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "cpu/identify/surroundings.h"
#include "scratch.h"

#define CPU_FILES "sys/devices/system/cpu/"

struct file {
	const char *path, *text;
};

static const struct row {
	const char *name;
	struct file files[4];
	struct surroundings expected; /* texts, turbo, aslr, rights, knows_perfmon */
} table[] = {
	{ "nothing", { { NULL, NULL } }, { .container = NULL } },
	{ "docker", { { ".dockerenv", "" } }, { .container = "docker" } },
	{ "podman", { { "run/.containerenv", "engine=\"podman\"\n" } }, { .container = "podman" } },
	{ "systemd knows", { { "run/systemd/container", "lxc\n" }, { ".dockerenv", "" } }, { .container = "lxc" } },
	{ "kubernetes", { { "proc/1/cgroup", "0::/kubepods.slice/pod1\n" } }, { .container = "kubernetes" } },
	{ "docker by group", { { "proc/1/cgroup", "4:cpu:/docker/0123\n0::/\n" } }, { .container = "docker" } },
	{ "no container", { { "proc/1/cgroup", "0::/init.scope\n" } }, { .container = NULL } },
	{ "one governor",
	  { { CPU_FILES "cpufreq/policy0/scaling_governor", "performance\n" },
	    { CPU_FILES "cpufreq/policy1/scaling_governor", "performance\n" } },
	  { .governors = "performance" } },
	{ "two governors",
	  { { CPU_FILES "cpufreq/policy0/scaling_governor", "powersave\n" },
	    { CPU_FILES "cpufreq/policy4/scaling_governor", "performance\n" } },
	  { .governors = "powersave, performance" } },
	{ "turbo by Intel's file",
	  { { CPU_FILES "intel_pstate/no_turbo", "0\n" } },
	  { .turbo = ANSWER_YES, .turbo_file = "/" CPU_FILES "intel_pstate/no_turbo" } },
	{ "no turbo by Intel's file",
	  { { CPU_FILES "intel_pstate/no_turbo", "1\n" }, { CPU_FILES "cpufreq/boost", "1\n" } },
	  { .turbo = ANSWER_NO, .turbo_file = "/" CPU_FILES "intel_pstate/no_turbo" } },
	{ "boost",
	  { { CPU_FILES "cpufreq/boost", "1\n" } },
	  { .turbo = ANSWER_YES, .turbo_file = "/" CPU_FILES "cpufreq/boost" } },
	{ "no boost",
	  { { CPU_FILES "cpufreq/boost", "0\n" } },
	  { .turbo = ANSWER_NO, .turbo_file = "/" CPU_FILES "cpufreq/boost" } },
	{ "aslr", { { "proc/sys/kernel/randomize_va_space", "2\n" } }, { .aslr = ANSWER_YES } },
	{ "no aslr", { { "proc/sys/kernel/randomize_va_space", "0\n" } }, { .aslr = ANSWER_NO } },
	{ "aslr garbled", { { "proc/sys/kernel/randomize_va_space", "often\n" } }, { .aslr = ANSWER_UNKNOWN } },
	{ "selinux", { { "sys/fs/selinux/enforce", "1\n" } }, { .rights = { .selinux = ANSWER_YES } } },
	{ "selinux permits", { { "sys/fs/selinux/enforce", "0\n" } }, { .rights = { .selinux = ANSWER_NO } } },
	{ "smt", { { CPU_FILES "smt/control", "forceoff\n" } }, { .smt_control = "forceoff" } },
	{ "samplers",
	  { { "sys/bus/event_source/devices/ibs_op/type", "9\n" },
	    { "sys/bus/event_source/devices/cpu/type", "4\n" },
	    { "sys/bus/event_source/devices/arm_spe_0/type", "10\n" } },
	  { .samplers = "arm_spe_0, ibs_op" } },
	{ "old capabilities", { { "proc/sys/kernel/cap_last_cap", "37\n" } }, { .knows_perfmon = ANSWER_NO } },
	{ "new capabilities", { { "proc/sys/kernel/cap_last_cap", "40\n" } }, { .knows_perfmon = ANSWER_YES } },
	/* of a snapshot's process nobody asks */
	{ "rights of a snapshot",
	  { { "proc/self/status", "Seccomp:\t2\nCapEff:\t000001ffffffffff\n" } },
	  { .rights = { .seccomp = SECCOMP_UNKNOWN, .perfmon = ANSWER_UNKNOWN } } },
};

static void expect(struct rows *rows, const struct row *row, const struct surroundings *found)
{
	row_expect_text(rows, row->name, found->container, row->expected.container);
	row_expect_text(rows, row->name, found->governors, row->expected.governors);
	row_expect_text(rows, row->name, found->smt_control, row->expected.smt_control);
	row_expect_text(rows, row->name, found->turbo_file, row->expected.turbo_file);
	row_expect_text(rows, row->name, found->samplers, row->expected.samplers);
	row_expect(rows, row->name, found->turbo == row->expected.turbo, "turbo");
	row_expect(rows, row->name, found->aslr == row->expected.aslr, "ASLR");
	row_expect(rows, row->name, found->rights.selinux == row->expected.rights.selinux, "SELinux");
	row_expect(rows, row->name, found->knows_perfmon == row->expected.knows_perfmon, "CAP_PERFMON");
	row_expect(rows, row->name, found->rights.seccomp == row->expected.rights.seccomp, "seccomp");
	row_expect(rows, row->name, found->rights.perfmon == row->expected.rights.perfmon, "rights");
	row_expect(rows, row->name, !found->is_live, "a snapshot is not live");
}

static void files_of_a_snapshot(void **state)
{
	struct rows rows = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(table); i++) {
		struct surroundings around;
		struct scratch scratch;
		struct arena arena;
		char path[256];

		arena_init(&arena);
		scratch_init(&scratch);
		for (const struct file *file = table[i].files; file->path; file++)
			scratch_write(&scratch, file->path, file->text, path);
		surroundings_identify(&around, scratch.path, &arena);
		expect(&rows, &table[i], &around);
		scratch_release(&scratch);
		arena_release(&arena);
	}
	rows_end(&rows);
}

/* The kernel's own answer, by another way than the file. */
static bool has_capability(unsigned number)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { { 0 } };

	assert_int_equal(syscall(SYS_capget, &header, data), 0);
	return data[number / 32].effective >> number % 32 & 1;
}

static void rights_of_this_process(void **state)
{
	struct surroundings around;
	struct arena arena;
	int seccomp = prctl(PR_GET_SECCOMP);

	(void)state;
	arena_init(&arena);
	surroundings_identify(&around, "", &arena);
	assert_true(around.is_live);
	assert_int_not_equal(around.rights.perfmon, ANSWER_UNKNOWN);
	if (around.rights.user_namespace == ANSWER_NO) {
		assert_int_equal(around.rights.perfmon == ANSWER_YES, has_capability(38));
		assert_int_equal(around.rights.sys_admin == ANSWER_YES, has_capability(CAP_SYS_ADMIN));
		assert_int_equal(around.rights.sys_ptrace == ANSWER_YES, has_capability(CAP_SYS_PTRACE));
	} else {
		assert_int_equal(around.rights.perfmon, ANSWER_NO);
	}
	if (seccomp >= 0)
		assert_int_equal(around.rights.seccomp, SECCOMP_NONE + seccomp);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_of_a_snapshot),
		cmocka_unit_test(rights_of_this_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
