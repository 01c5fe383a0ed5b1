/* SPDX-License-Identifier: GPL-2.0-or-later */
/* diagnose_test.c - what each fact and each ability means for a measurement: its state, and the words that must be printed. */
#include "rows.h"

#include "analyse/diagnose/diagnosis.h"

static struct pmu a_pmu = { .name = "cpu", .type = 4 };
static const struct machine usual = { .cpuid = "GenuineIntel-6-8F-8", .pmus = &a_pmu, .npmus = 1, .kernel = "6.1.0" };
static const struct machine bare = { .cpuid = "GenuineIntel-6-8F-8", .kernel = "6.1.0" };
static const struct machine guest = { .cpuid = "GenuineIntel-6-8F-8", .hypervisor = "KVM" };
static const struct machine guest_with_pmu = { .cpuid = "X", .hypervisor = "KVM", .pmus = &a_pmu, .npmus = 1 };
static const struct machine watched = { .cpuid = "X", .pmus = &a_pmu, .npmus = 1, .nmi_watchdog = true };
static const struct machine with_smt = { .cpuid = "X", .pmus = &a_pmu, .npmus = 1, .smt_on = true };
static const struct machine paranoid_3 = { .cpuid = "X", .pmus = &a_pmu, .npmus = 1, .paranoid = 3 };
static const struct machine paranoid_2 = { .cpuid = "X", .pmus = &a_pmu, .npmus = 1, .paranoid = 2 };
static const struct machine paranoid_1 = { .cpuid = "X", .pmus = &a_pmu, .npmus = 1, .paranoid = 1 };
static const struct machine paranoid_less = { .cpuid = "X", .pmus = &a_pmu, .npmus = 1, .paranoid = -1 };
static const struct machine blind = { .cpuid = "X", .pmus = &a_pmu, .npmus = 1, .paranoid = PARANOID_UNKNOWN };

#define USER	   .rights = { .perfmon = ANSWER_NO, .sys_admin = ANSWER_NO, .seccomp = SECCOMP_NONE }
#define TURBO_FILE "/sys/devices/system/cpu/intel_pstate/no_turbo"

static const struct surroundings user = { .is_live = true, USER };
static const struct surroundings admin = { .is_live = true,
					   .rights = { .perfmon = ANSWER_NO, .sys_admin = ANSWER_YES } };
static const struct surroundings perfmon = { .is_live = true, .rights = { .perfmon = ANSWER_YES } };
static const struct surroundings namespaced = { .is_live = true,
						.rights = { .perfmon = ANSWER_NO, .user_namespace = ANSWER_YES } };
static const struct surroundings filtered = { .is_live = true,
					      .container = "docker",
					      .rights = { .perfmon = ANSWER_NO, .seccomp = SECCOMP_FILTER } };
static const struct surroundings elsewhere = { .is_live = false };
static const struct surroundings steady = {
	.governors = "performance", .turbo = ANSWER_NO, .turbo_file = TURBO_FILE, .aslr = ANSWER_NO
};
static const struct surroundings unsteady = {
	.governors = "powersave", .turbo = ANSWER_YES, .turbo_file = TURBO_FILE, .aslr = ANSWER_YES, .smt_control = "on"
};
static const struct surroundings boosted = { .turbo = ANSWER_YES,
					     .turbo_file = "/sys/devices/system/cpu/cpufreq/boost" };
static const struct surroundings with_ibs = { .is_live = true, USER, .samplers = "ibs_fetch, ibs_op" };
static const struct surroundings old_kernel = { .is_live = true, USER, .knows_perfmon = ANSWER_NO };

#define TRIED .files_soft = 1024, .files_hard = 4096
static const struct abilities all = { .found = { .opened = 8,
						 .limits = { .general = 8, .fixed = 0xfull << FIXED_COUNTER } },
				      .has_slots = true,
				      .has_metrics = true,
				      .precise = 3,
				      .has_branches = true,
				      TRIED,
				      .simulated_core = "zen4",
				      .trial = { .groups = 4, .runs = 4, .counted = 4, .descriptors = 20 } };
static const struct abilities few = {
	.found = { .opened = 3, .limits = { .general = 3, .fixed = 0x3ull << FIXED_COUNTER } },
	.has_slots = true,
	TRIED,
	.no_simulator = "no Valgrind",
	.trial = { .groups = 9, .runs = 9, .counted = 8, .failure = "A.B was not counted" }
};
static const struct abilities refused = {
	.refusal = "perf_event_open is refused", .is_user_only = true, .no_simulator = "no Valgrind", TRIED
};
static const struct abilities many_files = { .found = { .opened = 8, .limits = { .general = 8 } },
					     .files_soft = 16,
					     .files_hard = 16,
					     .trial = { .descriptors = 20 } };

static const struct abilities partly = { .found = { .opened = 6,
						    .limits = { .general = 4, .fixed = 0x1ull << FIXED_COUNTER },
						    .idle_fixed = 0x2ull << FIXED_COUNTER },
					 TRIED,
					 .no_simulator = "no Valgrind",
					 .trial = { .groups = 9, .runs = 9, .counted = 9 } };
static const struct machine ec2 = { .cpuid = "X", .hypervisor = "KVM", .pmus = &a_pmu, .npmus = 1 };
static const struct machine arm_ec2 = { .cpuid = "X", .hypervisor = "Amazon EC2", .pmus = &a_pmu, .npmus = 1 };
static const struct surroundings m7i = { .vendor = "Amazon EC2", .product = "m7i.xlarge" };
static const struct surroundings home = { .vendor = "Supermicro", .product = "X13" };

static const struct row {
	const char *name, *check;
	const struct machine *machine;
	const struct surroundings *around;
	const struct abilities *abilities; /* NULL: not probed */
	enum finding_state state;
	const char *found;  /* in what was found */
	const char *means;  /* in its meaning; NULL: not looked at */
	const char *change; /* in the remedy; NULL: there is none, "": not looked at */
} table[] = {
	{ "known", "cpu", &usual, &user, &all, FINDING_OK, "sapphirerapids", NULL, NULL },
	{ "model", "model", &usual, &user, &all, FINDING_OK, "TMA 5.2, 2 nodes on 6 levels, 1 other", NULL, NULL },
	{ "kernel", "kernel", &usual, &user, &all, FINDING_OK, "6.1.0", NULL, NULL },
	{ "kernel without CAP_PERFMON", "kernel", &usual, &old_kernel, &all, FINDING_LIMITS, "6.1.0", "CAP_PERFMON",
	  "update" },
	{ "no hypervisor", "hypervisor", &usual, &user, &all, FINDING_OK, "no", NULL, NULL },
	{ "guest without PMU", "hypervisor", &guest, &user, &refused, FINDING_LIMITS, "KVM", "gives none", NULL },
	{ "guest with PMU", "hypervisor", &guest_with_pmu, &user, &all, FINDING_LIMITS, "KVM", "host decides",
	  "metal" },
	{ "container that can count", "container", &usual, &filtered, &all, FINDING_OK, "docker",
	  "counters of its host", NULL },
	{ "container that can't", "container", &usual, &filtered, &refused, FINDING_LIMITS, "docker", "seccomp",
	  "--cap-add PERFMON" },
	{ "pmu", "pmu", &usual, &user, &all, FINDING_OK, "cpu (type 4)", NULL, NULL },
	{ "no pmu", "pmu", &bare, &user, &refused, FINDING_MISSING, "none", "nothing can be counted", "dmesg" },
	{ "no pmu in a guest", "pmu", &guest, &user, &refused, FINDING_MISSING, "none", "no virtual PMU", "pmu=on" },
	{ "counters", "general_counters", &usual, &user, &all, FINDING_OK, "8 of 8", NULL, NULL },
	{ "fewer counters", "general_counters", &usual, &user, &few, FINDING_LIMITS, "3 of 8", "more runs", "dmesg" },
	{ "fewer counters in a guest", "general_counters", &guest_with_pmu, &user, &few, FINDING_LIMITS, "3 of 8", NULL,
	  "bare-metal" },
	{ "counters that open and don't count", "general_counters", &ec2, &user, &partly, FINDING_LIMITS,
	  "4 of 8, although 6 open", "it loses counts", "bare-metal" },
	{ "fixed counters that are absent, or idle", "fixed_counters", &ec2, &user, &partly, FINDING_LIMITS, "1 of 4",
	  "take a general counter", "bare-metal" },
	{ "EC2", "hypervisor", &ec2, &m7i, &partly, FINDING_LIMITS, "KVM: Amazon EC2 m7i.xlarge", "m7i.24xlarge",
	  "rent m7i.24xlarge" },
	{ "EC2, named twice", "hypervisor", &arm_ec2, &m7i, &partly, FINDING_LIMITS, "Amazon EC2 m7i.xlarge",
	  "m7i.24xlarge", "metal" },
	{ "a guest of nobody known", "hypervisor", &ec2, &home, &partly, FINDING_LIMITS, "KVM: Supermicro X13",
	  "host decides", "metal" },
	{ "no counters", "general_counters", &usual, &user, &refused, FINDING_MISSING, "none",
	  "perf_event_open is refused", NULL },
	{ "counters without a pmu", "general_counters", &bare, &user, &refused, FINDING_MISSING, "no PMU", NULL, NULL },
	{ "counters elsewhere", "general_counters", &usual, &elsewhere, NULL, FINDING_UNKNOWN,
	  "8 published; not probed: not this machine", NULL, NULL },
	{ "fixed", "fixed_counters", &usual, &user, &all, FINDING_OK, "4 of 4", NULL, NULL },
	{ "fewer fixed", "fixed_counters", &usual, &user, &few, FINDING_LIMITS, "2 of 4", "general counter",
	  "newer kernel" },
	{ "fixed elsewhere", "fixed_counters", &usual, &elsewhere, NULL, FINDING_UNKNOWN, "4 published; not probed",
	  NULL, NULL },
	{ "slots", "slots", &usual, &user, &all, FINDING_OK, "PERF_METRICS", NULL, NULL },
	{ "slots alone", "slots", &usual, &user, &few, FINDING_MISSING, "without PERF_METRICS", "can't be measured",
	  "5.10" },
	{ "slots refused", "slots", &usual, &user, &refused, FINDING_UNKNOWN, "nothing can be counted", NULL, NULL },
	{ "simulator", "simulator", &usual, &user, &all, FINDING_OK, "zen4", "--pmu sim", NULL },
	{ "no simulator", "simulator", &usual, &user, &few, FINDING_LIMITS, "none", "no Valgrind", NULL },
	{ "nothing at all", "simulator", &bare, &user, &refused, FINDING_MISSING, "none", "no Valgrind", NULL },
	{ "simulator elsewhere", "simulator", &usual, &elsewhere, NULL, FINDING_UNKNOWN, "not this machine", NULL,
	  NULL },
	{ "precise", "precise_sampling", &usual, &user, &all, FINDING_OK, "3 of 3", NULL, NULL },
	{ "precise by another PMU", "precise_sampling", &usual, &with_ibs, &refused, FINDING_OK, "ibs_op", NULL, NULL },
	{ "not precise", "precise_sampling", &guest_with_pmu, &user, &few, FINDING_LIMITS, "none",
	  "Counting needs none", "bare-metal" },
	{ "branches", "branch_records", &usual, &user, &all, FINDING_OK, "can be", NULL, NULL },
	{ "no branches", "branch_records", &usual, &user, &few, FINDING_OK, "none", NULL, NULL },
	{ "watchdog", "nmi_watchdog", &watched, &user, &all, FINDING_LIMITS, "on", "one counter",
	  "kernel.nmi_watchdog=0" },
	{ "no watchdog", "nmi_watchdog", &usual, &user, &all, FINDING_OK, "off", NULL, NULL },
	{ "paranoid 3", "paranoid", &paranoid_3, &user, &refused, FINDING_MISSING, "3", "nothing",
	  "perf_event_paranoid=1" },
	{ "paranoid 2", "paranoid", &paranoid_2, &user, &all, FINDING_LIMITS, "2", "without the kernel's part",
	  "setcap" },
	{ "paranoid 1", "paranoid", &paranoid_1, &user, &all, FINDING_LIMITS, "1", "not whole CPUs",
	  "perf_event_paranoid=0" },
	{ "paranoid 0", "paranoid", &usual, &user, &all, FINDING_OK, "0", "count everything", NULL },
	{ "paranoid -1", "paranoid", &paranoid_less, &user, &all, FINDING_OK, "-1", NULL, NULL },
	{ "paranoid with rights", "paranoid", &paranoid_3, &perfmon, &all, FINDING_OK, "3", "does not bind", NULL },
	{ "paranoid unknown", "paranoid", &blind, &user, &all, FINDING_UNKNOWN, "can't be read", NULL, "sysctl" },
	{ "no capabilities", "capabilities", &usual, &user, &all, FINDING_OK, "no CAP_PERFMON", NULL,
	  "setcap cap_perfmon" },
	{ "no capabilities, paranoid", "capabilities", &usual, &user, &refused, FINDING_LIMITS, "no CAP_PERFMON", NULL,
	  "setcap cap_perfmon" },
	{ "admin", "capabilities", &usual, &admin, &all, FINDING_OK, "CAP_SYS_ADMIN", NULL, NULL },
	{ "perfmon", "capabilities", &usual, &perfmon, &all, FINDING_OK, "CAP_PERFMON", NULL, NULL },
	{ "root of a namespace", "capabilities", &usual, &namespaced, &all, FINDING_LIMITS, "no CAP_PERFMON",
	  "user namespace", "outside" },
	{ "capabilities elsewhere", "capabilities", &usual, &elsewhere, NULL, FINDING_UNKNOWN, "not this machine", NULL,
	  NULL },
	{ "no filter", "seccomp", &usual, &user, &all, FINDING_OK, "no", NULL, NULL },
	{ "filter that lets pass", "seccomp", &usual, &filtered, &all, FINDING_OK, "yes", "pass", NULL },
	{ "filter that may refuse", "seccomp", &usual, &filtered, &refused, FINDING_LIMITS, "yes", "refuses",
	  "seccomp=unconfined" },
	{ "files", "open_files", &usual, &user, &all, FINDING_OK, "1024, at most 4096", NULL, NULL },
	{ "too few files", "open_files", &usual, &user, &many_files, FINDING_MISSING, "at most 16", "20 events",
	  "ulimit" },
	{ "governor", "governor", &usual, &steady, NULL, FINDING_OK, "performance", NULL, NULL },
	{ "other governor", "governor", &usual, &unsteady, NULL, FINDING_LIMITS, "powersave", NULL,
	  "frequency-set -g performance" },
	{ "no governor", "governor", &usual, &user, &all, FINDING_UNKNOWN, "none", "firmware or the host", NULL },
	{ "turbo", "turbo", &usual, &unsteady, NULL, FINDING_LIMITS, "on", NULL, "echo 1 | sudo tee " TURBO_FILE },
	{ "boost", "turbo", &usual, &boosted, NULL, FINDING_LIMITS, "on", NULL,
	  "echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost" },
	{ "no turbo", "turbo", &usual, &steady, NULL, FINDING_OK, "off", NULL, NULL },
	{ "turbo unknown", "turbo", &usual, &user, &all, FINDING_UNKNOWN, "unknown", NULL, NULL },
	{ "smt", "smt", &with_smt, &unsteady, NULL, FINDING_LIMITS, "on", NULL, "smt/control" },
	{ "smt that can't be switched", "smt", &with_smt, &user, &all, FINDING_LIMITS, "on", NULL, "idle" },
	{ "no smt", "smt", &usual, &user, &all, FINDING_OK, "off", NULL, NULL },
	{ "aslr", "aslr", &usual, &unsteady, NULL, FINDING_LIMITS, "on", NULL, "setarch -R" },
	{ "no aslr", "aslr", &usual, &steady, NULL, FINDING_OK, "off", NULL, NULL },
	{ "level", "level", &usual, &user, &all, FINDING_OK, "4 of 4 groups", "Everything", NULL },
	{ "level in part", "level", &usual, &user, &few, FINDING_MISSING, "8 of 9 groups", "A.B was not counted",
	  NULL },
	{ "level refused", "level", &usual, &user, &refused, FINDING_MISSING, "nothing can be counted", NULL, NULL },
	{ "level elsewhere", "level", &usual, &elsewhere, NULL, FINDING_UNKNOWN, "not this machine", NULL, NULL },
};

static const struct event_database database = { .slots_event = "TOPDOWN.SLOTS" };
static const struct model model = {
	.cpu = "sapphirerapids", .tma_version = "5.2", .nnodes = 2, .count = 3, .levels = 6
};
static const struct plan_limits published = { .general = 8, .fixed = 0xfull << FIXED_COUNTER };

static struct examination examination_of(const struct row *row)
{
	return (struct examination){ .machine = row->machine,
				     .around = row->around,
				     .cpu = "sapphirerapids",
				     .database = &database,
				     .model = &model,
				     .published = &published,
				     .abilities = row->abilities,
				     .level = 3 };
}

static const struct finding *find(const struct diagnosis *diagnosis, const char *check)
{
	for (size_t i = 0; i < diagnosis->count; i++)
		if (!strcmp(diagnosis->findings[i].key, check))
			return &diagnosis->findings[i];
	fail_msg("no check is called %s", check);
	return NULL;
}

static const char *or_none(const char *text)
{
	return text ? text : "(none)";
}

static void findings(void **state)
{
	struct rows rows = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(table); i++) {
		const struct row *row = &table[i];
		struct examination examination = examination_of(row);
		const struct finding *found;
		struct diagnosis diagnosis;
		struct arena arena;

		arena_init(&arena);
		diagnose(&diagnosis, &examination, &arena);
		found = find(&diagnosis, row->check);
		row_expect(&rows, row->name, found->state == row->state, finding_state_name(found->state));
		row_expect(&rows, row->name, strstr(found->found, row->found), found->found);
		if (row->means)
			row_expect(&rows, row->name, found->meaning && strstr(found->meaning, row->means),
				   or_none(found->meaning));
		if (row->change)
			row_expect(&rows, row->name, found->remedy && strstr(found->remedy, row->change),
				   or_none(found->remedy));
		else
			row_expect(&rows, row->name, !found->remedy, or_none(found->remedy));
		arena_release(&arena);
	}
	rows_end(&rows);
}

static bool can_measure(const struct abilities *abilities)
{
	struct examination examination = examination_of(&(struct row){ .machine = &usual, .around = &user });
	struct diagnosis diagnosis;
	struct arena arena;

	arena_init(&arena);
	examination.abilities = abilities;
	diagnose(&diagnosis, &examination, &arena);
	arena_release(&arena);
	return diagnosis.can_measure;
}

static void only_all_of_the_level_will_do(void **state)
{
	struct abilities without = all;

	(void)state;
	assert_true(can_measure(&all));
	assert_false(can_measure(&few));
	assert_false(can_measure(&refused));
	assert_false(can_measure(NULL));
	without.trial.counted--;
	assert_false(can_measure(&without));
	without = all;
	without.trial.failure = "no counter can hold it";
	assert_false(can_measure(&without));
}

static bool has_finding(const struct diagnosis *diagnosis, const char *key)
{
	for (size_t i = 0; i < diagnosis->count; i++)
		if (!strcmp(diagnosis->findings[i].key, key))
			return true;
	return false;
}

/* Whether the machine is steady takes a while to find out: only where that is asked, and then all of it. */
static void steadiness_where_it_is_wanted(void **state)
{
	static const struct steadiness nothing;
	struct examination examination = examination_of(&(struct row){ .machine = &usual, .around = &user });
	struct diagnosis diagnosis;
	struct arena arena;

	(void)state;
	arena_init(&arena);
	diagnose(&diagnosis, &examination, &arena);
	assert_false(has_finding(&diagnosis, "steady_time") || has_finding(&diagnosis, "steal"));
	examination.wants_steadiness = true;
	examination.steadiness = &nothing;
	diagnose(&diagnosis, &examination, &arena);
	assert_true(has_finding(&diagnosis, "steady_time") && has_finding(&diagnosis, "steal"));
	arena_release(&arena);
}

/* A machine of which nothing is known prints each row, too. */
static void unknown_cpu(void **state)
{
	struct examination examination = { .machine = &bare, .around = &user, .abilities = &refused, .level = 3 };
	struct diagnosis diagnosis;
	struct arena arena;

	(void)state;
	arena_init(&arena);
	diagnose(&diagnosis, &examination, &arena);
	assert_int_equal(find(&diagnosis, "cpu")->state, FINDING_MISSING);
	assert_non_null(strstr(find(&diagnosis, "cpu")->remedy, "topdown import"));
	assert_int_equal(find(&diagnosis, "model")->state, FINDING_MISSING);
	assert_false(diagnosis.can_measure);
	for (size_t i = 0; i < diagnosis.count; i++)
		assert_non_null(diagnosis.findings[i].found);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(findings),
		cmocka_unit_test(only_all_of_the_level_will_do),
		cmocka_unit_test(unknown_cpu),
		cmocka_unit_test(steadiness_where_it_is_wanted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
