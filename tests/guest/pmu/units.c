// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * units.c - synthetic PMUs beside the cores: memory controllers, caches, links, energy, with counts that a test chose.
 *
 *   kind=NAME/COUNT/COUNTERS/FORMATS/EVENTS/FILES   COUNT PMUs NAME_0, NAME_1 ..., or one PMU NAME where COUNT is 0; so
 *                      many counters for each CPU of the mask; files of format/, events/ and beside those: name:text;...
 *                      A text of FILES may have a part for each unit: cpumask:0|2. May be given again.
 *   spare=64           counters beside those; can be changed
 *   cpumask=0,2        the CPUs that count, the first of each socket; of kinds that have no such file of their own
 *
 * An event has a rate by its configs (rate_of), times one more than the number of its unit, times one more than the
 * place of its CPU in the mask. A unit with associated_cpus takes any of these, as a DSU does, and counts on that of its
 * mask. All read one clock, which stands still while they are switched or read one after the
 * other: then all counts of a run are of the same time.
 */
#include <linux/cpumask.h>
#include <linux/device.h>
#include <linux/hash.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/sched/clock.h>
#include <linux/slab.h>

#define MAX_UNITS  64
#define MAX_FILES  32
#define MAX_CPUS   16
#define IN_ONE_GO  (200 * NSEC_PER_MSEC) /* between two of the same series of calls */
#define LEAST_RATE 1000			 /* counts per ms */
#define MOST_RATE  1000000

struct unit {
	struct pmu pmu;
	int number, counters;
	int used[MAX_CPUS];
	bool has_mask, has_associated;
	struct cpumask mask, associated;
	const struct attribute_group *groups[4];
};

static struct unit *units[MAX_UNITS];
static int nr_units;
static struct cpumask mask;
static int spare;
module_param(spare, int, 0644);
static DEFINE_RAW_SPINLOCK(clock_lock);
static u64 clock_ns, called_at;

/* Of all events alike: the pauses between series of calls. */
static u64 clock_read(void)
{
	unsigned long flags;
	u64 now, result;

	raw_spin_lock_irqsave(&clock_lock, flags);
	now = local_clock();
	if (now > called_at + IN_ONE_GO)
		clock_ns += now - called_at;
	called_at = max(now, called_at);
	result = clock_ns;
	raw_spin_unlock_irqrestore(&clock_lock, flags);
	return result;
}

static u64 rate_of(const struct perf_event_attr *attr)
{
	u64 mixed = attr->config * 0x9e3779b1 + attr->config1 * 0x85ebca77 + attr->config2 * 0xc2b2ae3d, rest;

	mixed ^= mixed >> 29;
	div64_u64_rem(mixed, MOST_RATE, &rest);
	return LEAST_RATE + rest;
}

/* Its place in the mask, from 0; -1: it does not count. */
static int place_of(const struct unit *unit, int cpu)
{
	int one, place = 0;

	for_each_cpu(one, unit->has_mask ? &unit->mask : &mask)
	{
		if (one == cpu)
			return place;
		place++;
	}
	return -1;
}

static struct unit *unit_of(struct perf_event *event)
{
	return container_of(event->pmu, struct unit, pmu);
}

/* hw.prev_count holds the clock's time at the last call. */
static void unit_read(struct perf_event *event)
{
	u64 now, before, factor;

	if (event->hw.state & PERF_HES_STOPPED)
		return;
	now = clock_read();
	before = local64_xchg(&event->hw.prev_count, now);
	factor = (u64)(unit_of(event)->number + 1) * (place_of(unit_of(event), event->cpu) + 1);
	local64_add(mul_u64_u64_div_u64(rate_of(&event->attr) * factor, now - before, NSEC_PER_MSEC), &event->count);
}

static void unit_start(struct perf_event *event, int flags)
{
	event->hw.state = 0;
	local64_set(&event->hw.prev_count, clock_read());
}

static void unit_stop(struct perf_event *event, int flags)
{
	unit_read(event);
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static int unit_add(struct perf_event *event, int flags)
{
	struct unit *unit = unit_of(event);

	if (unit->used[event->cpu] >= unit->counters + spare)
		return -EBUSY;
	unit->used[event->cpu]++;
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	if (flags & PERF_EF_START)
		unit_start(event, PERF_EF_RELOAD);
	return 0;
}

static void unit_del(struct perf_event *event, int flags)
{
	unit_stop(event, PERF_EF_UPDATE);
	unit_of(event)->used[event->cpu]--;
}

static int unit_event_init(struct perf_event *event)
{
	const struct unit *unit = unit_of(event);

	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	if (is_sampling_event(event) || event->attach_state & PERF_ATTACH_TASK || event->cpu < 0)
		return -EINVAL;
	if (unit->has_associated && cpumask_test_cpu(event->cpu, &unit->associated))
		event->cpu = cpumask_first(&unit->mask);
	return event->cpu < MAX_CPUS && place_of(unit, event->cpu) >= 0 ? 0 : -EINVAL;
}

static ssize_t text_show(struct device *dev, struct device_attribute *attr, char *page)
{
	return sysfs_emit(page, "%s\n", (char *)container_of(attr, struct dev_ext_attribute, attr)->var);
}

static ssize_t cpumask_show(struct device *dev, struct device_attribute *attr, char *page)
{
	return cpumap_print_to_pagebuf(true, page, &mask);
}

static DEVICE_ATTR_RO(cpumask);
static struct attribute *mask_attrs[] = { &dev_attr_cpumask.attr, NULL };
static const struct attribute_group mask_group = { .attrs = mask_attrs };

/* What a guest has allocated when it loads the module stays until it ends. */
static struct attribute *make_file(const char *name, const char *text)
{
	struct dev_ext_attribute *file = kzalloc(sizeof(*file), GFP_KERNEL);

	if (!file)
		return NULL;
	sysfs_attr_init(&file->attr.attr);
	file->attr.attr.name = kstrdup(name, GFP_KERNEL);
	file->attr.attr.mode = 0444;
	file->attr.show = text_show;
	file->var = kstrdup(text, GFP_KERNEL);
	return file->attr.attr.name && file->var ? &file->attr.attr : NULL;
}

static struct attribute_group *make_group(const char *folder, char *list)
{
	struct attribute_group *group = kzalloc(sizeof(*group), GFP_KERNEL);
	struct attribute **attrs = kcalloc(MAX_FILES + 1, sizeof(*attrs), GFP_KERNEL);
	char *item;
	int nr = 0;

	if (!group || !attrs)
		return NULL;
	group->name = folder;
	group->attrs = attrs;
	while ((item = strsep(&list, ";"))) {
		char *name = strsep(&item, ":");

		if (!*name)
			continue;
		if (!item || nr == MAX_FILES)
			return NULL;
		attrs[nr] = make_file(name, item);
		if (!attrs[nr++])
			return NULL;
	}
	return group;
}

/* Of "a|b" the part of the unit, or the last one; in text. */
static char *part_of(char *text, int number)
{
	char *part = strsep(&text, "|");

	while (number-- && text)
		part = strsep(&text, "|");
	return part;
}

/* Of a list for all units of a kind that of one. */
static int read_files(struct unit *unit, const char *list, int number)
{
	char *files = kzalloc(PAGE_SIZE, GFP_KERNEL), *copy = kstrdup(list, GFP_KERNEL), *rest = copy, *item;
	size_t length = 0;
	int err = 0;

	if (!files || !copy)
		return -ENOMEM;
	while (!err && (item = strsep(&rest, ";"))) {
		char *name = strsep(&item, ":"), *text = item ? part_of(item, number) : NULL;

		if (!text)
			return -EINVAL;
		length += scnprintf(files + length, PAGE_SIZE - length, "%s%s:%s", length ? ";" : "", name, text);
		if (!strcmp(name, "cpumask")) {
			unit->has_mask = true;
			err = cpulist_parse(text, &unit->mask);
		} else if (!strcmp(name, "associated_cpus")) {
			unit->has_associated = true;
			err = cpulist_parse(text, &unit->associated);
		}
	}
	if (err)
		return err;
	unit->groups[0] = make_group(NULL, files);
	return unit->groups[0] ? 0 : -EINVAL;
}

static int add_unit(const char *name, int number, int counters, const struct attribute_group *const *groups,
		    const char *files)
{
	struct unit *unit = kzalloc(sizeof(*unit), GFP_KERNEL);

	if (!unit || nr_units == MAX_UNITS)
		return -ENOMEM;
	unit->pmu = (struct pmu){
		.name = name,
		.module = THIS_MODULE,
		.task_ctx_nr = perf_invalid_context,
		.capabilities = PERF_PMU_CAP_NO_EXCLUDE,
		.attr_groups = unit->groups,
		.event_init = unit_event_init,
		.add = unit_add,
		.del = unit_del,
		.start = unit_start,
		.stop = unit_stop,
		.read = unit_read,
	};
	unit->number = number;
	unit->counters = counters;
	memcpy(unit->groups, groups, 3 * sizeof(*groups));
	units[nr_units++] = unit;
	if (files && *files)
		return unit->pmu.name ? read_files(unit, files, number) : -ENOMEM;
	return unit->pmu.name ? 0 : -ENOMEM;
}

static int add_kind(char *text)
{
	char *name = strsep(&text, "/"), *count = strsep(&text, "/"), *counters = strsep(&text, "/");
	char *formats = strsep(&text, "/"), *events = strsep(&text, "/");
	const struct attribute_group *groups[3] = { &mask_group };
	int nr, most, i, err = 0;

	if (!events || kstrtoint(count, 10, &nr) || kstrtoint(counters, 10, &most))
		return -EINVAL;
	groups[1] = make_group("format", formats);
	groups[2] = make_group("events", events);
	if (!groups[1] || !groups[2])
		return -EINVAL;
	if (!nr)
		return add_unit(kstrdup(name, GFP_KERNEL), 0, most, groups, text);
	for (i = 0; i < nr && !err; i++)
		err = add_unit(kasprintf(GFP_KERNEL, "%s_%d", name, i), i, most, groups, text);
	return err;
}

static int kind_set(const char *val, const struct kernel_param *kp)
{
	char *copy = kstrdup(val, GFP_KERNEL);
	int err = copy ? add_kind(copy) : -ENOMEM;

	kfree(copy);
	return err;
}

static int cpumask_set(const char *val, const struct kernel_param *kp)
{
	return cpulist_parse(val, &mask);
}

static const struct kernel_param_ops kind_ops = { .set = kind_set };
static const struct kernel_param_ops cpumask_ops = { .set = cpumask_set };

module_param_cb(kind, &kind_ops, NULL, 0);
module_param_cb(cpumask, &cpumask_ops, NULL, 0);

static int __init units_init(void)
{
	int i, err;

	for (i = 0; i < nr_units; i++) {
		err = perf_pmu_register(&units[i]->pmu, units[i]->pmu.name, -1);
		if (!err)
			continue;
		while (i--)
			perf_pmu_unregister(&units[i]->pmu);
		return err;
	}
	return 0;
}

static void __exit units_exit(void)
{
	int i;

	for (i = 0; i < nr_units; i++)
		perf_pmu_unregister(&units[i]->pmu);
}

module_init(units_init);
module_exit(units_exit);
MODULE_DESCRIPTION("PMUs beside the cores with chosen counts, for tests in a guest");
MODULE_LICENSE("GPL");
