// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pmu.c - a synthetic core PMU for a guest that has none.
 *
 * It takes PERF_TYPE_RAW and PERF_TYPE_HARDWARE, so groups, their validation, rotation, inherit,
 * enable_on_exec and sampling are the kernel's own. What is made up are the counts: an event advances
 * by its rate (description.c) while the kernel has it scheduled. All events of a CPU read one clock
 * that shows the same time while the kernel adds, removes or reads a group: their counts are
 * proportional to the rates to the last unit.
 */
#include <linux/capability.h>
#include <linux/hrtimer.h>
#include <linux/kprobes.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/sched/clock.h>
#include <linux/slab.h>
#include <asm/irq_regs.h>

#include "synthetic.h"

#ifdef SECOND_PMU
#define PMU_TYPE -1 /* any that is free */
#else
#define PMU_TYPE PERF_TYPE_RAW
#endif
#define RATE_SHIFT	32
#define SHORTEST_PERIOD 10000 /* ns between two samples */

/* One event, at perf_event.pmu_private. */
struct counter {
	struct perf_event *event;
	struct demand demand;
	u64 per_ns, second_per_ns; /* counts per ns << RATE_SHIFT, in the two phases */
	u64 since;		   /* clock at the last start or update, ns */
	u64 ran, second_ran;	   /* ns counted so far, in the two phases */
	u64 counted;		   /* of them, in event->count */
	u64 period;		   /* ns between two samples, 0 when not sampling */
	struct hrtimer timer;
};

struct cpu_state {
	struct perf_event *events[MAX_EVENTS];
	int nr;
};

/*
 * Both modules share it, since until Linux 6.1 the kernel disables only one of two PMUs while it adds and removes the groups of
 * a task: the counts of the other one would not be of the same time.
 */
#ifndef SECOND_PMU
DEFINE_PER_CPU(struct synthetic_clock, synthetic_clock);
EXPORT_PER_CPU_SYMBOL_GPL(synthetic_clock);
#endif

static DEFINE_PER_CPU(struct cpu_state, cpu_states);
static struct pmu synthetic_pmu;
/* perf_event_overflow() is not exported; without it there are no samples. */
static int (*overflow)(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs);

static struct counter *counter_of(struct perf_event *event)
{
	return event->pmu_private;
}

static void clock_hold(struct pmu *pmu)
{
	struct synthetic_clock *clock = this_cpu_ptr(&synthetic_clock);

	if (!clock->held++)
		clock->held_at = local_clock();
}

static void clock_release(struct pmu *pmu)
{
	this_cpu_ptr(&synthetic_clock)->held--;
}

static u64 clock_read(void)
{
	struct synthetic_clock *clock = this_cpu_ptr(&synthetic_clock);

	return clock->held ? clock->held_at : local_clock();
}

/* The kernel's own transactions would not cover reading; here they only hold the clock. */
static void transaction_start(struct pmu *pmu, unsigned int flags)
{
	clock_hold(pmu);
}

static int transaction_commit(struct pmu *pmu)
{
	clock_release(pmu);
	return 0;
}

static void transaction_cancel(struct pmu *pmu)
{
	clock_release(pmu);
}

static u64 total_of(const struct counter *c)
{
	return mul_u64_u64_shr(c->ran, c->per_ns, RATE_SHIFT) +
	       mul_u64_u64_shr(c->second_ran, c->second_per_ns, RATE_SHIFT);
}

static void counter_read(struct perf_event *event)
{
	struct counter *c = counter_of(event);
	u64 now, second, total;

	if (event->hw.state & PERF_HES_STOPPED)
		return;
	now = clock_read();
	second = in_second_phase(now) - in_second_phase(c->since);
	c->ran += now - c->since - second;
	c->second_ran += second;
	c->since = now;
	total = is_silent(c->demand.config) ? c->counted : total_of(c);
	local64_add(total - c->counted, &event->count);
	c->counted = total;
}

static void counter_start(struct perf_event *event, int flags)
{
	struct counter *c = counter_of(event);

	event->hw.state = 0;
	c->since = clock_read();
	if (c->period)
		hrtimer_start(&c->timer, ns_to_ktime(c->period), HRTIMER_MODE_REL_PINNED_HARD);
	perf_event_update_userpage(event);
}

static void counter_stop(struct perf_event *event, int flags)
{
	struct counter *c = counter_of(event);

	if (c->period)
		hrtimer_try_to_cancel(&c->timer);
	counter_read(event);
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static bool suffices(const struct demand *demands, int n, u64 without, int most)
{
	return registers_suffice(demands, n) && counters_suffice(demands, n, without, most);
}

static int counter_add(struct perf_event *event, int flags)
{
	struct cpu_state *cpu = this_cpu_ptr(&cpu_states);
	struct demand demands[MAX_EVENTS];
	int i;

	if (cpu->nr == MAX_EVENTS)
		return -EAGAIN;
	cpu->events[cpu->nr] = event;
	for (i = 0; i <= cpu->nr; i++)
		demands[i] = counter_of(cpu->events[i])->demand;
	if (is_unscheduled(counter_of(event)->demand.config) ||
	    !suffices(demands, cpu->nr + 1, held_counters(), general_counters_of(demands, cpu->nr + 1)))
		return -EAGAIN;
	cpu->nr++;
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	if (flags & PERF_EF_START)
		counter_start(event, PERF_EF_RELOAD);
	perf_event_update_userpage(event);
	return 0;
}

static void counter_del(struct perf_event *event, int flags)
{
	struct cpu_state *cpu = this_cpu_ptr(&cpu_states);
	int i;

	counter_stop(event, PERF_EF_UPDATE);
	for (i = 0; i < cpu->nr && cpu->events[i] != event; i++)
		;
	if (i < cpu->nr)
		cpu->events[i] = cpu->events[--cpu->nr];
	perf_event_update_userpage(event);
}

static u64 counts_per_second(const struct counter *c)
{
	return mul_u64_u64_shr(NSEC_PER_SEC, c->per_ns, RATE_SHIFT);
}

/* What a sample hands over until the kernel has written it. */
struct sampled {
	struct pt_regs regs;
	struct perf_branch_stack branches;
	struct perf_branch_entry entries[MAX_BRANCHES]; /* behind branches */
};

static DEFINE_PER_CPU(struct sampled, sampled);

static bool is_exact(const struct perf_event *event)
{
	return event->attr.precise_ip || is_always_exact();
}

/* The registers with the address that the event has by the description. */
static struct pt_regs *placed(struct sampled *into, const struct pt_regs *regs, const struct perf_event *event)
{
	into->regs = *regs;
	if (user_mode(regs))
		instruction_pointer_set(&into->regs, address_of(instruction_pointer(regs), is_exact(event)));
#ifdef CONFIG_X86
	/* As the drivers for PEBS and IBS mark it for perf_misc_flags(). */
	into->regs.flags &= ~PERF_EFLAGS_EXACT;
	into->regs.flags |= is_exact(event) ? PERF_EFLAGS_EXACT : 0;
#endif
	return &into->regs;
}

static void add_branches(struct perf_sample_data *data, struct sampled *into, const struct pt_regs *regs)
{
	const unsigned long *pairs;
	int i, nr = user_mode(regs) ? branches_at(instruction_pointer(regs), &pairs) : 0;

	into->branches = (struct perf_branch_stack){ .nr = nr, .hw_idx = -1ULL };
	for (i = 0; i < nr; i++)
		into->branches.entries[i] = (struct perf_branch_entry){ .from = pairs[2 * i], .to = pairs[2 * i + 1] };
	data->br_stack = &into->branches;
	data->sample_flags |= PERF_SAMPLE_BRANCH_STACK;
}

static enum hrtimer_restart sample(struct hrtimer *timer)
{
	struct counter *c = container_of(timer, struct counter, timer);
	struct perf_event *event = c->event;
	struct pt_regs *regs = get_irq_regs();
	struct perf_sample_data data;

	if (event->state != PERF_EVENT_STATE_ACTIVE)
		return HRTIMER_NORESTART;
	counter_read(event);
	if (regs && overflow && !(user_mode(regs) ? event->attr.exclude_user : event->attr.exclude_kernel)) {
		struct sampled *into = this_cpu_ptr(&sampled);

		perf_sample_data_init(&data, 0, mul_u64_u64_shr(c->period, c->per_ns, RATE_SHIFT));
		if (has_branch_stack(event))
			add_branches(&data, into, regs);
		data.weight = (union perf_sample_weight){ .var3_w = latency_of(c->demand.config) };
		data.sample_flags |= PERF_SAMPLE_WEIGHT_STRUCT;
		if (overflow(event, &data, placed(into, regs, event)))
			return HRTIMER_NORESTART;
	}
	hrtimer_forward_now(timer, ns_to_ktime(c->period));
	return HRTIMER_RESTART;
}

static u64 period_of(const struct counter *c)
{
	const struct perf_event_attr *attr = &c->event->attr;
	u64 rate = counts_per_second(c), period;

	if (!rate || !(attr->freq ? attr->sample_freq : attr->sample_period))
		return 0;
	period = attr->freq ? div64_u64(NSEC_PER_SEC, attr->sample_freq)
			    : mul_u64_u64_div_u64(attr->sample_period, NSEC_PER_SEC, rate);
	return max_t(u64, period, SHORTEST_PERIOD);
}

static void counter_destroy(struct perf_event *event)
{
	struct counter *c = counter_of(event);

	hrtimer_cancel(&c->timer);
	kfree(c);
	event->pmu_private = NULL;
}

static u64 per_ns(const struct perf_event *event, u64 rate)
{
	u64 all = mul_u64_u64_div_u64(rate * clock_khz(), 1ULL << RATE_SHIFT, 1000000ULL * NSEC_PER_MSEC);

	return all * share_of(event->attr.exclude_kernel, event->attr.exclude_user) / 1000;
}

static int counter_attach(struct perf_event *event, struct demand demand)
{
	struct counter *c = kzalloc(sizeof(*c), GFP_KERNEL);

	if (!c)
		return -ENOMEM;
	c->event = event;
	c->demand = demand;
	c->per_ns = per_ns(event, rate_of(demand.config));
	c->second_per_ns = per_ns(event, second_rate_of(demand.config));
	c->period = period_of(c);
	hrtimer_init(&c->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
	c->timer.function = sample;
	event->pmu_private = c;
	event->destroy = counter_destroy;
	event->hw.state = PERF_HES_STOPPED;
	return 0;
}

static int demand_append(struct demand *demands, int n, const struct perf_event *event)
{
	if (event->pmu != &synthetic_pmu || n == MAX_EVENTS)
		return n;
	demands[n] = ((struct counter *)event->pmu_private)->demand;
	return n + 1;
}

/* Whether the group that the event joins, or the event alone, could ever be scheduled; in the order in which it will be. */
static bool group_fits(struct perf_event *event, struct demand demand)
{
	struct perf_event *leader = event->group_leader, *sibling;
	struct demand demands[MAX_EVENTS];
	int n = 0;

	if (leader != event) {
		n = demand_append(demands, n, leader);
		for_each_sibling_event (sibling, leader)
			n = demand_append(demands, n, sibling);
	}
	if (n == MAX_EVENTS)
		return false;
	demands[n++] = demand;
	return suffices(demands, n, 0, all_general_counters());
}

static bool is_led_by_slots(struct perf_event *event)
{
	struct perf_event *leader = event->group_leader;

	return leader != event && leader->pmu == &synthetic_pmu && is_slots(counter_of(leader)->demand.config);
}

static int event_init(struct perf_event *event)
{
	struct demand demand = { event->attr.config, event->attr.config1 };

	if (event->attr.type == PERF_TYPE_HARDWARE)
		demand.config = generic_config(event->attr.config);
	else if (event->attr.type != synthetic_pmu.type)
		return -ENOENT;
	if (event->attr.type == PERF_TYPE_HARDWARE && !demand.config)
		return -ENOENT;
	if (event->cpu >= 0 && !counts_on(event->cpu))
		return -ENOENT;
	if (event->attr.precise_ip && is_precise_elsewhere())
		return -ENOENT;
	if (event->attr.precise_ip > precise_level() || (has_branch_stack(event) && !has_branches()))
		return -EOPNOTSUPP;
	if (is_privileged(demand.config) && !perfmon_capable())
		return -EACCES;
	if (is_metric(demand.config) && !is_led_by_slots(event))
		return -EINVAL;
	if (!group_fits(event, demand))
		return -EINVAL;
	if (refusal_of(demand.config))
		return refusal_of(demand.config);
	return counter_attach(event, demand);
}

static int is_countable_here(struct perf_event *event)
{
	return counts_on(smp_processor_id());
}

static struct pmu synthetic_pmu = {
	.capabilities = PERF_PMU_CAP_HETEROGENEOUS_CPUS, /* else a second core PMU would not be one */
	.filter_match = is_countable_here,
	.task_ctx_nr = perf_hw_context,
	.module = THIS_MODULE,
	.attr_groups = sysfs_groups,
	.event_init = event_init,
	.add = counter_add,
	.del = counter_del,
	.start = counter_start,
	.stop = counter_stop,
	.read = counter_read,
	.pmu_enable = clock_release,
	.pmu_disable = clock_hold,
	.start_txn = transaction_start,
	.commit_txn = transaction_commit,
	.cancel_txn = transaction_cancel,
};

static int __init synthetic_init(void)
{
	struct kprobe probe = { .symbol_name = "perf_event_overflow" };
	int err;

	if (!register_kprobe(&probe)) {
		overflow = (void *)probe.addr;
		unregister_kprobe(&probe);
	}
	err = perf_pmu_register(&synthetic_pmu, pmu_name, PMU_TYPE);
	if (err)
		sysfs_release();
	return err;
}

static void __exit synthetic_exit(void)
{
	perf_pmu_unregister(&synthetic_pmu);
	sysfs_release();
}

module_init(synthetic_init);
module_exit(synthetic_exit);
MODULE_DESCRIPTION("A core PMU with chosen counts, for tests in a guest");
MODULE_LICENSE("GPL");
