// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * description.c - the PMU that the module parameters describe.
 *
 * The list parameters may be given several times; each item is added. All configs are hexadecimal.
 *   name=cpu           the PMU's name in sysfs
 *   counters=8         general counters; can be changed later through /sys/module
 *   khz=1000000        cycles per millisecond
 *   held=0xff          counters that somebody else holds: what opens may need them, and then never counts; can be changed
 *   fixed=c0+100,3c    a fixed counter per item, and the configs that can use it
 *   masks=1-8f:f,4a4:1 general counters of a range of event codes, or of one event with umask; the first match holds
 *   rates=3c:1000000   counts per million cycles; default_rate for the events that are not named
 *   exclusive=d0,d1    codes of events whose group gets half of the general counters, though all of them when it is opened
 *   paired=3           codes of events that take an even counter and the one behind it
 *   shared=12a+12b:2   events whose config1 goes into so many shared registers
 *   privileged=0x200000 bits of config that only a task with CAP_PERFMON may set
 *   metrics=1          configs 8000 to 8700 need the slots event (400) as leader of their group, and no counter
 *   hw=0:3c,1:c0       generic hardware events
 *   events=, formats=, caps=   name:text;... files of sysfs
 *   cpus=0-1           sysfs' cpus file, which Arm and hybrids have: it counts on these CPUs only
 *   refused=12a:6      events whose opening fails with that errno
 *   unscheduled=c2     events that open, and that never get a counter, nor does a group that has one
 *   silent=3c          events that get a counter, and count nothing
 *                      these three can be changed later; what is written takes the place of what was there
 *   latencies=1d1:40   cycles that each sample of that event took to retire; 0 without it; can be changed
 *   phases=4000,12000  us that the rates hold for, and then those of rates2, in turn; 0,1 for rates2 only; can be changed
 *   phases_ns          to be read: ns of this CPU's clock, and those of them that were in the second phase
 *   rates2=c0:300000   rates of the second phase; those of other events stay the same; can be changed
 *   precise=2          the highest precise_ip that is taken; 0 without it; can be changed
 *   exact=1            every sample is precise, as those of AMD's IBS; elsewhere=1: what is precise belongs to another PMU
 *   spot=BEGIN,END,AT,SKID   samples of user code from BEGIN to END are at AT, and SKID bytes behind it where they are not
 *                      precise; can be changed
 *   branches=FROM,TO,...   the branch records of samples there, the last branch first; none: no event has any; can be changed
 *   kernel_share=250   of thousand counts of each event, those that the kernel's work makes
 */
#include <linux/cpumask.h>
#include <linux/device.h>
#include <linux/moduleparam.h>
#include <linux/perf_event.h>
#include <linux/sched/clock.h>
#include <linux/slab.h>

#include "synthetic.h"

#define MAX_ITEMS   256
#define CONFIG_BITS GENMASK_ULL(35, 0)
#define EVENT_UMASK 0xffffULL
#define EVENT	    0xffULL
#define MAX_CONFIGS 8

char *pmu_name = "cpu";
module_param_named(name, pmu_name, charp, 0444);
static int counters = 8;
module_param(counters, int, 0644);
static uint khz = 1000000;
module_param(khz, uint, 0444);
static uint default_rate = 1000;
module_param(default_rate, uint, 0644);
static ulong privileged;
module_param(privileged, ulong, 0444);
static ulong held;
module_param(held, ulong, 0644);
static bool metrics;
module_param(metrics, bool, 0444);
static uint phases[2]; /* us */
module_param_array(phases, uint, NULL, 0644);
static uint kernel_share;
module_param(kernel_share, uint, 0444);
static uint precise;
module_param(precise, uint, 0644);
static bool exact, elsewhere;
module_param(exact, bool, 0444);
module_param(elsewhere, bool, 0444);
enum { SPOT_BEGIN, SPOT_END, SPOT_AT, SPOT_SKID, SPOT_NUMBERS };
static ulong spot[SPOT_NUMBERS];
module_param_array(spot, ulong, NULL, 0644);
static ulong branches[2 * MAX_BRANCHES];
static int nr_branches; /* numbers */
module_param_array(branches, ulong, &nr_branches, 0644);
static struct cpumask cpus;
static bool has_cpus;

/* A row of any of the lists: some configs, or a range of event codes, and a number. */
struct row {
	u64 configs[MAX_CONFIGS];
	int nr_configs;
	bool range; /* of the event codes configs[0] to configs[1] */
	u64 value;
};

struct list {
	struct row rows[MAX_ITEMS];
	int nr;
};

static struct list fixed, masks, rates, shared, hw, exclusive, paired;
static struct list refused, unscheduled, silent, rates2, latencies;

static bool row_names(const struct row *row, u64 config)
{
	int i;

	for (i = 0; i < row->nr_configs; i++)
		if (row->configs[i] == config)
			return true;
	return false;
}

static const struct row *row_of(const struct list *list, u64 config)
{
	int i;

	for (i = 0; i < list->nr; i++)
		if (row_names(&list->rows[i], config))
			return &list->rows[i];
	return NULL;
}

bool is_slots(u64 config)
{
	return metrics && config == 0x400;
}

bool is_metric(u64 config)
{
	return metrics && !(config & EVENT) && config >= 0x8000 && config <= 0x8700;
}

bool is_privileged(u64 config)
{
	return config & privileged;
}

u64 held_counters(void)
{
	return held;
}

u64 share_of(bool without_kernel, bool without_user)
{
	if (!kernel_share)
		return 1000;
	return (without_kernel ? 0 : kernel_share) + (without_user ? 0 : 1000 - kernel_share);
}

unsigned int precise_level(void)
{
	return precise;
}

bool is_always_exact(void)
{
	return exact;
}

bool is_precise_elsewhere(void)
{
	return elsewhere;
}

static bool is_spotted(unsigned long address)
{
	return address >= spot[SPOT_BEGIN] && address < spot[SPOT_END];
}

unsigned long address_of(unsigned long address, bool is_exact)
{
	if (!is_spotted(address))
		return address;
	return spot[SPOT_AT] + (is_exact ? 0 : spot[SPOT_SKID]);
}

bool has_branches(void)
{
	return nr_branches;
}

int branches_at(unsigned long address, const unsigned long **pairs)
{
	*pairs = branches;
	return is_spotted(address) ? nr_branches / 2 : 0;
}

bool counts_on(int cpu)
{
	return !has_cpus || cpumask_test_cpu(cpu, &cpus);
}

u64 clock_khz(void)
{
	return khz;
}

u64 rate_of(u64 config)
{
	const struct row *row = row_of(&rates, config & CONFIG_BITS);

	return row ? row->value : default_rate;
}

u64 second_rate_of(u64 config)
{
	const struct row *row = row_of(&rates2, config & CONFIG_BITS);

	return row ? row->value : rate_of(config);
}

u64 in_second_phase(u64 ns)
{
	u64 first = phases[0] * 1000ULL, second = phases[1] * 1000ULL, rest;

	if (!second)
		return 0;
	return div64_u64_rem(ns, first + second, &rest) * second + (rest > first ? rest - first : 0);
}

static int phases_ns_show(char *page, const struct kernel_param *kp)
{
	u64 now = local_clock();

	return sysfs_emit(page, "%llu %llu\n", now, in_second_phase(now));
}

static const struct kernel_param_ops phases_ns_ops = { .get = phases_ns_show };
module_param_cb(phases_ns, &phases_ns_ops, NULL, 0444);

int refusal_of(u64 config)
{
	const struct row *row = row_of(&refused, config & EVENT_UMASK);

	return row ? -(int)row->value : 0;
}

u16 latency_of(u64 config)
{
	const struct row *row = row_of(&latencies, config & EVENT_UMASK);

	return row ? row->value : 0;
}

bool is_unscheduled(u64 config)
{
	return row_of(&unscheduled, config & EVENT_UMASK);
}

bool is_silent(u64 config)
{
	return row_of(&silent, config & CONFIG_BITS);
}

u64 generic_config(u64 id)
{
	const struct row *row = row_of(&hw, id);

	return row ? row->value : 0;
}

/* With AMD's upper bits. */
static u64 event_code(u64 config)
{
	return (config & EVENT) | (config >> 24 & 0xf00);
}

bool is_paired(u64 config)
{
	return row_of(&paired, event_code(config));
}

int all_general_counters(void)
{
	return clamp(counters, 0, FIRST_FIXED);
}

int general_counters_of(const struct demand *demands, int n)
{
	int i;

	for (i = 0; i < n; i++)
		if (row_of(&exclusive, event_code(demands[i].config)))
			return all_general_counters() / 2;
	return all_general_counters();
}

static u64 general_counters(u64 config)
{
	u64 all = counters > 0 ? GENMASK_ULL(min(counters, FIRST_FIXED) - 1, 0) : 0;
	u64 code = config & EVENT;
	int i;

	for (i = 0; i < masks.nr; i++) {
		const struct row *row = &masks.rows[i];

		if (row->range ? code >= row->configs[0] && code <= row->configs[1]
			       : row_names(row, config & EVENT_UMASK))
			return all & row->value;
	}
	return all;
}

u64 counters_for(u64 config)
{
	u64 set = general_counters(config);
	int i;

	if (is_paired(config))
		set &= 0x55555555 & set >> 1;
	for (i = 0; i < fixed.nr; i++)
		if (row_names(&fixed.rows[i], config))
			set |= BIT_ULL(FIRST_FIXED + i);
	return set;
}

/* Whether the different values of config1 among the row's events are at most row->value. */
static bool register_suffices(const struct row *row, const struct demand *demands, int n)
{
	u64 different = 0;
	int i, k;

	for (i = 0; i < n; i++) {
		if (!row_names(row, demands[i].config & EVENT_UMASK))
			continue;
		for (k = 0; k < i; k++)
			if (row_names(row, demands[k].config & EVENT_UMASK) && demands[k].config1 == demands[i].config1)
				break;
		different += k == i;
	}
	return different <= row->value;
}

bool registers_suffice(const struct demand *demands, int n)
{
	int i;

	for (i = 0; i < shared.nr; i++)
		if (!register_suffices(&shared.rows[i], demands, n))
			return false;
	return true;
}

/* "c0+100", "1-8f" or a single config. */
static int configs_parse(struct row *row, char *text)
{
	char *part;

	row->range = strchr(text, '-');
	while ((part = strsep(&text, "+-"))) {
		if (row->nr_configs == MAX_CONFIGS || kstrtoull(part, 16, &row->configs[row->nr_configs]))
			return -EINVAL;
		row->nr_configs++;
	}
	return row->range && row->nr_configs != 2 ? -EINVAL : 0;
}

/* A list parameter: where its rows go and the base of the number behind the colon, 0 for a list without numbers. */
struct list_kind {
	struct list *list;
	int base;
};

static int row_parse(const struct list_kind *kind, char *text)
{
	struct row *row = &kind->list->rows[kind->list->nr];
	char *configs = strsep(&text, ":");

	if (kind->list->nr == MAX_ITEMS || configs_parse(row, configs))
		return -EINVAL;
	if (kind->base && (!text || kstrtoull(text, kind->base, &row->value)))
		return -EINVAL;
	kind->list->nr++;
	return 0;
}

static int list_set(const char *val, const struct kernel_param *kp)
{
	char *copy = kstrdup(val, GFP_KERNEL), *rest = copy, *item;
	int err = copy ? 0 : -ENOMEM;

	while (!err && (item = strsep(&rest, ",")))
		if (*item)
			err = row_parse(kp->arg, item);
	kfree(copy);
	return err;
}

static const struct kernel_param_ops list_ops = { .set = list_set };

#define LIST_PARAM(name, base)                                                                                         \
	static struct list_kind name##_kind = { &name, base };                                                         \
	module_param_cb(name, &list_ops, &name##_kind, 0)

LIST_PARAM(fixed, 0);
LIST_PARAM(masks, 16);
LIST_PARAM(rates, 10);
LIST_PARAM(shared, 10);
LIST_PARAM(hw, 16);
LIST_PARAM(exclusive, 0);
LIST_PARAM(paired, 0);

/* What is written takes the place of what was there; the rows are small enough to be read while they change. */
static int faults_set(const char *val, const struct kernel_param *kp)
{
	const struct list_kind *kind = kp->arg;

	kind->list->nr = 0;
	memset(kind->list->rows, 0, sizeof(kind->list->rows));
	return *val && *val != '\n' ? list_set(val, kp) : 0;
}

static const struct kernel_param_ops fault_ops = { .set = faults_set };

#define FAULT_PARAM(name, base)                                                                                        \
	static struct list_kind name##_kind = { &name, base };                                                         \
	module_param_cb(name, &fault_ops, &name##_kind, 0200)

FAULT_PARAM(refused, 10);
FAULT_PARAM(unscheduled, 0);
FAULT_PARAM(silent, 0);
FAULT_PARAM(rates2, 10);
FAULT_PARAM(latencies, 10);

static struct attribute *event_attrs[MAX_ITEMS + 1], *format_attrs[MAX_ITEMS + 1];
static struct attribute *cap_attrs[MAX_ITEMS + 1], *device_attrs[2];
static struct attribute_group event_group = { .name = "events", .attrs = event_attrs };
static struct attribute_group format_group = { .name = "format", .attrs = format_attrs };
static struct attribute_group cap_group = { .name = "caps", .attrs = cap_attrs };
static struct attribute_group device_group = { .attrs = device_attrs };
const struct attribute_group *sysfs_groups[] = { &event_group, &format_group, &cap_group, &device_group, NULL };

static ssize_t text_show(struct device *dev, struct device_attribute *attr, char *page)
{
	return sysfs_emit(page, "%s\n", (char *)container_of(attr, struct dev_ext_attribute, attr)->var);
}

/* A file below the PMU's directory; it owns its name and its text. */
static int attr_add(struct attribute **attrs, int room, const char *name, const char *text)
{
	struct dev_ext_attribute *file = kzalloc(sizeof(*file), GFP_KERNEL);

	while (room && *attrs)
		attrs++, room--;
	if (!file || !room) {
		kfree(file);
		return -ENOMEM;
	}
	sysfs_attr_init(&file->attr.attr);
	file->attr.attr.name = kstrdup(name, GFP_KERNEL);
	file->attr.attr.mode = 0444;
	file->attr.show = text_show;
	file->var = kstrdup(text, GFP_KERNEL);
	*attrs = &file->attr.attr;
	return file->attr.attr.name && file->var ? 0 : -ENOMEM;
}

void sysfs_release(void)
{
	const struct attribute_group **group;
	struct attribute **attr;

	for (group = sysfs_groups; *group; group++)
		for (attr = (*group)->attrs; *attr; attr++) {
			struct dev_ext_attribute *file = container_of(*attr, struct dev_ext_attribute, attr.attr);

			kfree(file->attr.attr.name);
			kfree(file->var);
			kfree(file);
			*attr = NULL;
		}
}

static int files_set(const char *val, const struct kernel_param *kp)
{
	const struct attribute_group *group = kp->arg;
	char *copy = kstrdup(val, GFP_KERNEL), *rest = copy, *item;
	int err = copy ? 0 : -ENOMEM;

	while (!err && (item = strsep(&rest, ";"))) {
		char *name = strsep(&item, ":");

		if (*name)
			err = item ? attr_add(group->attrs, MAX_ITEMS, name, item) : -EINVAL;
	}
	kfree(copy);
	return err;
}

static int cpus_set(const char *val, const struct kernel_param *kp)
{
	if (cpulist_parse(val, &cpus))
		return -EINVAL;
	has_cpus = true;
	return attr_add(device_attrs, 1, "cpus", val);
}

static const struct kernel_param_ops files_ops = { .set = files_set };
static const struct kernel_param_ops cpus_ops = { .set = cpus_set };

module_param_cb(events, &files_ops, &event_group, 0);
module_param_cb(formats, &files_ops, &format_group, 0);
module_param_cb(caps, &files_ops, &cap_group, 0);
module_param_cb(cpus, &cpus_ops, NULL, 0);
