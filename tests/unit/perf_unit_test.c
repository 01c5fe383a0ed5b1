/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PMUs beside the cores, on a made-up machine of two sockets: which are opened where, and what their counts come to. The
 * kernel is played by wrapped system calls: each descriptor's count is known, so sums are made by hand here.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include "collect/perf/perf_group.h"
#include "common/base/text.h"
#include "cpu/identify/units.h"
#include "rows.h"
#include "scratch.h"

#define FIRST_FD 5000
#define MOST_FDS 64

/* ---- the kernel ---- */

static struct opened {
	struct perf_event_attr attr;
	int cpu;
	bool is_on;
} opened[MOST_FDS];

static size_t nopened, nclosed;
static int refused_type, refused_cpu, refused_error; /* of type 0: none */
static uint64_t running_part = 1;		     /* one of so many: the rest of the time others had the counter */
static uint64_t turns;				     /* how often everything was counted */

/* What this unit counts on this CPU in a turn. */
static uint64_t chosen(const struct opened *one)
{
	return (uint64_t)one->attr.type * 1000 + (uint64_t)one->attr.config % 256 * 10 + (uint64_t)one->cpu;
}

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);

__attribute__((no_sanitize("address"))) long __wrap_syscall(long number, ...)
{
	long arguments[5];
	va_list list;

	va_start(list, number);
	for (size_t i = 0; i < 5; i++)
		arguments[i] = va_arg(list, long);
	va_end(list);
	if (number != SYS_perf_event_open)
		return __real_syscall(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4]);
	opened[nopened] = (struct opened){ .attr = *(const struct perf_event_attr *)(uintptr_t)arguments[0],
					   .cpu = (int)arguments[2] };
	if (refused_type && (int)opened[nopened].attr.type == refused_type && (int)arguments[2] == refused_cpu) {
		errno = refused_error;
		return -1;
	}
	assert_int_equal((int)arguments[1], -1); /* no process */
	return FIRST_FD + (long)nopened++;
}

int __real_ioctl(int fd, unsigned long request, ...);
int __wrap_ioctl(int fd, unsigned long request, ...);

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	assert_in_range(fd, FIRST_FD, FIRST_FD + (int)nopened - 1);
	opened[fd - FIRST_FD].is_on = request == PERF_EVENT_IOC_ENABLE;
	return 0;
}

ssize_t __real_read(int fd, void *buffer, size_t size);
ssize_t __wrap_read(int fd, void *buffer, size_t size);

ssize_t __wrap_read(int fd, void *buffer, size_t size)
{
	uint64_t words[3] = { 0, turns * 1000000, turns * 1000000 / running_part };
	const struct opened *one;

	if (fd < FIRST_FD)
		return __real_read(fd, buffer, size);
	one = &opened[fd - FIRST_FD];
	assert_true(one->is_on);
	words[0] = turns * chosen(one);
	memcpy(buffer, words, sizeof(words));
	return sizeof(words);
}

int __real_close(int fd);
int __wrap_close(int fd);

int __wrap_close(int fd)
{
	if (fd < FIRST_FD)
		return __real_close(fd);
	nclosed++;
	return 0;
}

/* ---- the machine ---- */

#define CPU "sys/devices/system/cpu/"
#define PMU "sys/bus/event_source/devices/"

static const struct {
	const char *name, *text;
} files[] = {
	{ "proc/cpuinfo", "vendor_id : GenuineIntel\ncpu family : 6\nmodel : 85\nstepping : 7\n" },
	{ "proc/sys/kernel/perf_event_paranoid", "2\n" },
	{ CPU "online", "0-3\n" },
	{ CPU "cpu0/topology/physical_package_id", "0\n" },
	{ CPU "cpu1/topology/physical_package_id", "0\n" },
	{ CPU "cpu2/topology/physical_package_id", "1\n" },
	{ CPU "cpu3/topology/physical_package_id", "1\n" },
	{ PMU "cpu/type", "4\n" },
	{ PMU "uncore_imc_0/type", "10\n" },
	{ PMU "uncore_imc_0/cpumask", "0,2\n" },
	{ PMU "uncore_imc_0/format/event", "config:0-7\n" },
	{ PMU "uncore_imc_0/format/umask", "config:8-15\n" },
	{ PMU "uncore_imc_0/events/reads", "event=0x04,umask=0x03\n" },
	{ PMU "uncore_imc_0/events/reads.scale", "0.25\n" },
	{ PMU "uncore_imc_0/events/reads.unit", "MiB\n" },
	{ PMU "uncore_imc_1/type", "11\n" },
	{ PMU "uncore_imc_1/cpumask", "0,2\n" },
	{ PMU "uncore_imc_1/format/event", "config:0-7\n" },
	{ PMU "uncore_imc_1/format/umask", "config:8-15\n" },
	{ PMU "uncore_imc_1/events/reads", "event=0x04,umask=0x03\n" },
	{ PMU "uncore_imc_1/events/reads.scale", "0.25\n" },
	{ PMU "uncore_imc_10/type", "12\n" },
	{ PMU "uncore_imc_10/cpumask", "0,2\n" },
	{ PMU "uncore_imc_10/format/event", "config:0-7\n" },
	{ PMU "uncore_imc_10/format/umask", "config:8-15\n" },
	{ PMU "uncore_imc_10/events/reads", "event=0x04,umask=0x03\n" },
	{ PMU "uncore_imc_free_running_0/type", "19\n" },
	{ PMU "uncore_cha_0/type", "20\n" },
	{ PMU "uncore_cha_0/cpumask", "0,2\n" },
	{ PMU "uncore_cha_0/format/event", "config:0-7\n" },
	{ PMU "uncore_cha_0/format/umask", "config:8-15,32-55\n" },
	{ PMU "uncore_cha_0/format/thresh", "config:24-31\n" },
	{ PMU "uncore_cha_0/format/config1", "config1:0-63\n" },
	{ PMU "uncore_upi_0/type", "25\n" },
	{ PMU "uncore_upi_0/cpumask", "0,7\n" },
	{ PMU "uncore_upi_0/format/event", "config:0-7\n" },
	{ PMU "power/type", "30\n" },
	{ PMU "power/cpumask", "0,2\n" },
	{ PMU "power/format/event", "config:0-7\n" },
	{ PMU "power/events/energy-pkg", "event=0x02\n" },
	{ PMU "power/events/energy-pkg.scale", "2.5e-1\n" },
	{ PMU "power/events/energy-pkg.unit", "Joules\n" },
	{ PMU "cstate_core/type", "40\n" },
	{ PMU "cstate_core/cpumask", "0-3\n" },
	{ PMU "cstate_core/format/event", "config:0-63\n" },
	{ PMU "cstate_core/events/c6-residency", "event=0x02\n" },
	{ PMU "msr/type", "9\n" },
	{ PMU "msr/format/event", "config:0-63\n" },
	{ PMU "msr/events/aperf", "event=0x01\n" },
	{ PMU "msr/events/smi", "event=0x04\n" },
	{ PMU "arm_cmn_0/type", "50\n" },
	{ PMU "arm_cmn_0/cpumask", "0\n" },
	{ PMU "arm_cmn_0/identifier", "43c02\n" },
	{ PMU "arm_cmn_0/format/type", "config:0-15\n" },
	{ PMU "arm_cmn_0/format/eventid", "config:16-26\n" },
	{ PMU "arm_cmn_0/format/wp_val", "config1:0-63\n" },
	{ PMU "arm_cmn_0/format/wp_mask", "config2:0-63\n" },
	{ PMU "arm_cmn_1/type", "51\n" },
	{ PMU "arm_cmn_1/cpumask", "2\n" },
	{ PMU "arm_cmn_1/identifier", "43901\n" },
	{ PMU "arm_cmn_1/format/type", "config:0-15\n" },
	{ PMU "arm_cmn_1/format/eventid", "config:16-26\n" },
	{ PMU "arm_dsu_0/type", "60\n" },
	{ PMU "arm_dsu_0/cpumask", "1\n" },
	{ PMU "arm_dsu_0/associated_cpus", "0-1\n" },
	{ PMU "arm_dsu_0/format/event", "config:0-31\n" },
	{ PMU "arm_dsu_1/type", "61\n" },
	{ PMU "arm_dsu_1/associated_cpus", "2-3\n" },
	{ PMU "arm_dsu_1/format/event", "config:0-31\n" },
	{ PMU "arm_dsu_2/type", "62\n" },
	{ PMU "arm_dsu_2/cpumask", "\n" },
	{ PMU "arm_dsu_2/associated_cpus", "8-9\n" },
	{ PMU "smmuv3_pmcg_2b420/type", "70\n" },
	{ PMU "smmuv3_pmcg_2b420/cpumask", "0\n" },
	{ PMU "smmuv3_pmcg_2b4e0/type", "71\n" },
	{ PMU "smmuv3_pmcg_2b4e0/cpumask", "0\n" },
};

static const char database[] =
	"{\"Header\":{\"Cpu\":\"toy\",\"Vendor\":\"Intel\"},\"Events\":[\n"
	"{\"EventName\":\"CYC\",\"EventCode\":\"0x3c\"},\n"
	"{\"EventName\":\"UNC_M_RD\",\"EventCode\":\"0x04\",\"UMask\":\"0x03\",\"Unit\":\"uncore_imc\"},\n"
	"{\"EventName\":\"UNC_CHA_X\",\"EventCode\":\"0x35\",\"UMask\":\"0xc817fe01\",\"Unit\":\"uncore_cha\"},\n"
	"{\"EventName\":\"UNC_UPI_X\",\"EventCode\":\"0x02\",\"Unit\":\"UPI LL\"},\n"
	"{\"EventName\":\"UNC_Q_X\",\"EventCode\":\"0x02\",\"Unit\":\"QPI LL\"},\n"
	"{\"EventName\":\"ENERGY\",\"EventCode\":\"0x00\",\"Unit\":\"power\",\"KernelEvent\":\"energy-pkg\","
	"\"UnitScale\":\"0.0625\"},\n"
	"{\"EventName\":\"HNF\",\"EventidCode\":\"0x4\",\"NodeType\":\"0x5\",\"Unit\":\"arm_cmn\",\"Compat\":\"(434|"
	"43c).*\"},\n"
	"{\"EventName\":\"HNF_0\",\"EventidCode\":\"0x0\",\"NodeType\":\"0x5\",\"Unit\":\"arm_cmn\",\"Compat\":\"43c\"}"
	"]}";

struct world {
	struct scratch scratch;
	struct arena arena;
	struct machine machine;
	struct event_database database;
	struct event_set set;
};

static void world_init(struct world *w)
{
	struct error err = { .text = "" };
	char path[256];

	scratch_init(&w->scratch);
	arena_init(&w->arena);
	for (size_t i = 0; i < COUNT_OF(files); i++)
		scratch_write(&w->scratch, files[i].name, files[i].text, path);
	scratch_write(&w->scratch, "toy.json", database, path);
	assert_int_equal(machine_identify(&w->machine, w->scratch.path, &w->arena, &err), 0);
	assert_int_equal(event_database_load(&w->database, path, &w->arena, &err), 0);
	event_set_init(&w->set, &w->database, pmu_assumed("cpu", "Intel", &w->arena), false, &w->arena);
	nopened = nclosed = 0;
	refused_type = 0;
	running_part = 1;
	turns = 0;
}

static void world_release(struct world *w)
{
	arena_release(&w->arena);
	scratch_release(&w->scratch);
}

/* Counts the event for one turn, or for a second one after that has been remembered. */
static struct count count_event(struct world *w, const char *name, bool is_since)
{
	struct error err = { .text = "" };
	size_t event = event_set_add(&w->set, name, &err);
	const struct plan_unit plan = { .events = &event, .count = 1 };
	struct count count = { .raw = 0 };
	struct perf_unit unit;

	if (event == TABLE_NONE)
		fail_msg("%s", err.text);
	perf_unit_open(&unit, &plan, &w->set, &w->machine, &w->arena);
	perf_unit_switch(&unit, true);
	for (turns = 1; turns <= 1 + (uint64_t)is_since; turns++) {
		perf_unit_read(&unit);
		if (is_since && turns == 1)
			perf_unit_remember(&unit);
	}
	perf_unit_count(&count, &unit.events[0], is_since);
	perf_unit_close(&unit);
	return count;
}

/* A count in a turn is 1000 times the type, 10 times the code, and the CPU. */
static const struct {
	const char *event;
	size_t places;
	double value;
} sum_rows[] = {
	/* clang-format off */
	/* three controllers in two sockets: types 10, 11 and 12, code 4, CPUs 0 and 2 */
	{ "UNC_M_RD",                      6, 2 * (10000 + 11000 + 12000 + 3 * 40) + 3 * 2 },
	{ "uncore_imc/event=4,umask=3/",   6, 2 * (10000 + 11000 + 12000 + 3 * 40) + 3 * 2 },
	{ "imc/event=4/",                  6, 2 * (10000 + 11000 + 12000 + 3 * 40) + 3 * 2 },
	{ "UNC_M_RD:one_unit",             1, 10040 },
	{ "imc_10@event\\=0x4@",           1, 12040 },
	/* the kernel's own name has the kernel's unit: the first two say 0.25 */
	{ "uncore_imc/reads/",             6, 0.25 * (2 * (10000 + 11000 + 2 * 40) + 2 * 2) + 2 * 12040 + 2 },
	{ "UNC_CHA_X",                     2, 2 * (20000 + 10 * 0x35) + 2 },
	{ "cha@UNC_CHA_X\\,config1\\=0x40433@", 2, 2 * (20000 + 10 * 0x35) + 2 },
	/* joules, in the vendor's 0.0625 J; by the kernel's name the same event */
	{ "ENERGY",                        2, (2 * 30020 + 2) * 0.25 / 0.0625 },
	{ "power@energy\\-pkg@",           2, (2 * 30020 + 2) * 0.25 / 0.0625 },
	/* time passes for all cores alike, and an SMI stops all CPUs */
	{ "cstate_core@c6\\-residency@",   4, 40020 + (0 + 1 + 2 + 3) / 4.0 },
	{ "msr@smi@",                      4, 9040 + (0 + 1 + 2 + 3) / 4.0 },
	{ "msr@aperf@",                    4, 4 * 9010 + 6 },
	/* code 5: the mesh has no "event"; of the two the one whose identifier matches, and then both */
	{ "HNF",                           1, 50050 },
	{ "arm_cmn/type=5,eventid=1/",     2, 50050 + 51050 + 2 },
	{ "arm_cmn_1/type=5/",             1, 51050 + 2 },
	/* one CPU of a cluster, by its mask */
	{ "arm_dsu_0/event=3/",            1, 60030 + 1 },
	{ "arm_dsu_1/event=3/",            1, 61030 + 2 },
	/* clang-format on */
};

static void test_sums(void **state UNUSED)
{
	struct rows rows = { 0 };
	struct world w;

	for (size_t i = 0; i < COUNT_OF(sum_rows); i++) {
		struct count count;

		world_init(&w);
		count = count_event(&w, sum_rows[i].event, false);
		row_expect(&rows, sum_rows[i].event, count.state == COUNT_OK, count.reason ? count.reason : "state");
		row_expect(&rows, sum_rows[i].event, nopened == sum_rows[i].places, "places");
		row_expect(&rows, sum_rows[i].event, nclosed == nopened, "closed");
		row_expect(&rows, sum_rows[i].event, fabs(count.value - sum_rows[i].value) < 1e-6, "value");
		world_release(&w);
	}
	rows_end(&rows);
}

/* Half of the time on a counter, twice the count; of the second turn alone, one turn's. */
static void test_times(void **state UNUSED)
{
	struct count count;
	struct world w;

	world_init(&w);
	running_part = 2;
	count = count_event(&w, "UNC_M_RD:one_unit", false);
	assert_float_equal(count.value, 2 * 10040, 1e-6);
	assert_int_equal(count.running_ns * 2, count.enabled_ns);
	world_release(&w);
	world_init(&w);
	count = count_event(&w, "UNC_M_RD:one_unit", true);
	assert_float_equal(count.value, 10040, 1e-6);
	assert_int_equal(count.enabled_ns, 1000000);
	world_release(&w);
}

/* The bits of config are those of the PMU's own formats; what other PMUs call cmask is its thresh. */
static void test_encoding(void **state UNUSED)
{
	struct count count;
	struct world w;

	world_init(&w);
	count = count_event(&w, "UNC_CHA_X:c1:config1=0x40433", false);
	assert_int_equal(count.state, COUNT_OK);
	assert_true(opened[0].attr.config == (0x35 | 0x01 << 8 | 1 << 24 | 0xc817feull << 32));
	assert_int_equal(opened[0].attr.config1, 0x40433);
	assert_int_equal(opened[0].attr.type, 20);
	assert_true(!opened[0].attr.exclude_kernel && !opened[0].attr.exclude_user && !opened[0].attr.inherit);
	world_release(&w);
}

/* A sum without one of its units would be too small: it is none, and says why. */
static const struct {
	const char *row, *event;
	int type, cpu, error;
	const char *reason;
} refusal_rows[] = {
	/* clang-format off */
	{ "rights", "UNC_M_RD", 11, 2, EACCES, NULL },
	{ "an offline CPU", "UNC_M_RD", 12, 2, ENODEV, "CPU 2, on which PMU uncore_imc_10 counts, is offline" },
	{ "an encoding", "UNC_CHA_X", 20, 0, EINVAL, "PMU uncore_cha_0 does not take UNC_CHA_X" },
	{ "an offline CPU of the mask", "UNC_UPI_X", 0, 0, 0, "CPU 7, on which PMU uncore_upi_0 counts, is offline" },
	{ "no such PMU", "UNC_Q_X", 0, 0, 0, "this machine shows no PMU uncore_qpi" },
	{ "no such event", "power/energy-ram/", 0, 0, 0, "PMU power has no event 'energy-ram'" },
	{ "no such term", "uncore_imc/event=1,ch_mask=3/", 0, 0, 0, "PMU uncore_imc_0 has no term 'ch_mask'" },
	/* clang-format on */
};

/* What lifts the limit is another thing for root, who lacks a capability only. */
static const char *remedy(void)
{
	return geteuid() == 0 ? "--cap-add PERFMON" : "`sudo sysctl kernel.perf_event_paranoid=0`";
}

static void test_refusals(void **state UNUSED)
{
	struct rows rows = { 0 };
	struct world w;

	for (size_t i = 0; i < COUNT_OF(refusal_rows); i++) {
		const char *reason = refusal_rows[i].reason ? refusal_rows[i].reason : remedy();
		struct count count;

		world_init(&w);
		refused_type = refusal_rows[i].type;
		refused_cpu = refusal_rows[i].cpu;
		refused_error = refusal_rows[i].error;
		count = count_event(&w, refusal_rows[i].event, false);
		row_expect(&rows, refusal_rows[i].row, count.state == COUNT_REFUSED, "is refused");
		row_expect(&rows, refusal_rows[i].row, isnan(count.value), "has no number");
		row_expect(&rows, refusal_rows[i].row, count.reason && strstr(count.reason, reason) != NULL,
			   count.reason ? count.reason : "no reason");
		row_expect(&rows, refusal_rows[i].row, nclosed == nopened, "closes what did open");
		world_release(&w);
	}
	rows_end(&rows);
}

/* A CPU of the mask that is offline is known before anything is opened. */
static void test_mask(void **state UNUSED)
{
	struct unit *units;
	struct world w;

	world_init(&w);
	assert_int_equal(machine_units(&units, &w.machine, "uncore_upi", &w.arena), 1);
	assert_int_equal(units[0].ncpus, 1);
	assert_int_equal(units[0].noffline, 1);
	assert_int_equal(units[0].offline, 7);
	assert_int_equal(machine_units(&units, &w.machine, "imc", &w.arena), 3);
	assert_string_equal(units[2].pmu.name, "uncore_imc_10");
	assert_int_equal(machine_count_units(&w.machine, "uncore_cha"), 1);
	assert_int_equal(machine_count_units(&w.machine, "uncore_im"), 0);
	assert_string_equal(unit_event_unit(&units[0], "reads"), "MiB");
	world_release(&w);
}

/* The whole identifier has to match; an expression that is none matches nothing. */
static void test_models(void **state UNUSED)
{
	static const struct {
		const char *identifier, *compat;
		bool is_match;
	} model_rows[] = {
		{ "43c02", NULL, true },
		{ "43c02", "(434|436|43c|43a).*", true },
		{ "43901", "(434|436|43c|43a).*", false },
		{ "143c02", "(434|43c).*", false },
		{ "43c02", "43c", false },
		{ "0x00000030", "0x00000030", true },
		{ "", "43c.*", false },
		{ "", NULL, true },
		{ "43c02", "(43c", false },
	};
	struct rows rows = { 0 };
	struct unit *units;
	struct count count;
	struct world w;

	for (size_t i = 0; i < COUNT_OF(model_rows); i++) {
		const struct unit unit = { .identifier = model_rows[i].identifier };
		const char *compat = model_rows[i].compat;

		row_expect(&rows, compat ? compat : "NULL", unit_is_compatible(&unit, compat) == model_rows[i].is_match,
			   model_rows[i].identifier);
	}
	rows_end(&rows);
	world_init(&w);
	assert_int_equal(machine_units(&units, &w.machine, "arm_cmn", &w.arena), 2);
	assert_string_equal(units[0].identifier, "43c02");
	/* "43c" is not the whole of "43c02" */
	count = count_event(&w, "HNF_0", false);
	assert_int_equal(count.state, COUNT_REFUSED);
	world_release(&w);
}

/* A cluster's mask is empty while all of its CPUs are offline. */
static void test_clusters(void **state UNUSED)
{
	struct unit *units;
	struct count count;
	struct world w;

	world_init(&w);
	assert_int_equal(machine_units(&units, &w.machine, "arm_dsu", &w.arena), 3);
	assert_int_equal(units[1].ncpus, 1);
	assert_int_equal(units[1].cpus[0], 2);
	assert_int_equal(units[1].noffline, 0);
	assert_int_equal(units[2].ncpus, 0);
	assert_int_equal(units[2].offline, 8);
	count = count_event(&w, "arm_dsu/event=3/", false);
	assert_int_equal(count.state, COUNT_REFUSED);
	assert_string_equal(count.reason, "CPU 8, on which PMU arm_dsu_2 counts, is offline");
	assert_int_equal(machine_count_units(&w.machine, "smmuv3_pmcg"), 2);
	world_release(&w);
}

/* Kinds of PMUs, each with the number of its units; the cores' PMU is none. */
static void test_kinds(void **state UNUSED)
{
	struct string text;
	struct unit_kind *kinds;
	struct world w;
	size_t count;

	world_init(&w);
	text = STRING_INIT(&w.arena);
	count = machine_unit_kinds(&kinds, &w.machine, &w.arena);
	for (size_t i = 0; i < count; i++)
		string_printf(&text, "%s=%zu ", kinds[i].name, kinds[i].count);
	assert_string_equal(text.text,
			    "arm_cmn=2 arm_dsu=3 cstate_core=1 msr=1 power=1 smmuv3_pmcg=2 uncore_cha=1 uncore_imc=3 "
			    "uncore_imc_free_running=1 uncore_upi=1 ");
	world_release(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums),	 cmocka_unit_test(test_times),	  cmocka_unit_test(test_encoding),
		cmocka_unit_test(test_refusals), cmocka_unit_test(test_mask),	  cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_models),	 cmocka_unit_test(test_clusters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
