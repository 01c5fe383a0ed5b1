/* SPDX-License-Identifier: GPL-2.0-or-later */
/* meanwhile.c - what happened while it was counted, and what the counts lack because of that. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "collect/count/collector.h"
#include "common/base/text.h"

#define LOST_SHARE 0.9	/* a CPU that counted for a smaller share of the time was not there for the rest */
#define LATE_SHARE 0.2	/* an interval that differs by more is not the one that was asked for */
#define MANY_LATE  0.05 /* of the intervals */
#define SLOW_SHARE 0.1	/* of the time, that switching the counters may take */
#define SLOW_LEAST 0.05 /* seconds */

/* ---- CPUs ---- */

/* It was there, but the kernel opened nothing: each event says why. */
static bool is_refused(const struct site *site)
{
	for (size_t i = 0; i < site->ngroups; i++)
		if (site->groups[i].leader >= 0)
			return false;
	return !site->is_gone;
}

/* A CPU counts as long as it is there. */
static void remark_lost_cpu(struct collector *c, const struct site *site, double wall_s)
{
	double seconds = 0;

	if (is_refused(site))
		return;
	for (size_t i = 0; i < site->ngroups && !site->is_gone; i++)
		seconds = fmax(seconds, group_seconds(c, site, i));
	if (seconds <= 0)
		part_remark(c, site->part, arena_printf(c->arena, "CPU %u was offline: it is missing.", *site->cpu));
	else if (seconds < LOST_SHARE * (wall_s - c->stopwatch.switching))
		part_remark(c, site->part,
			    arena_printf(c->arena,
					 "CPU %u was offline for %.0f %% of the time: what it did before is counted, "
					 "and its share of the rest is missing.",
					 *site->cpu, 100 * (1 - seconds / wall_s)));
}

static bool is_by_cpu(const struct collector *c)
{
	return c->sites.count && c->sites.items[0].cpu;
}

/* Sites are those of the CPUs that were online at first. Listed ones were online all, or were refused. */
static void remark_new_cpus(struct collector *c)
{
	struct string text = STRING_INIT(c->arena);
	unsigned *cpus;
	size_t count;

	if (!is_by_cpu(c) || c->request->subject.ncpus)
		return;
	count = machine_new_cpus(c->request->machine, &cpus, c->arena);
	for (size_t i = 0; i < count; i++)
		string_printf(&text, "%s%u", i ? ", " : "", cpus[i]);
	if (count)
		parts_remark(c, arena_printf(c->arena,
					     "CPU%s %s came online meanwhile: what was done there is not counted.",
					     count > 1 ? "s" : "", text.text));
}

/* ---- a cgroup ---- */

bool is_cgroup_removed(const struct sites *sites)
{
	return sites->cgroup >= 0 && faccessat(sites->cgroup, "cgroup.procs", F_OK, 0) < 0;
}

static void remark_cgroup(struct collector *c)
{
	if (is_cgroup_removed(&c->sites))
		parts_remark(c,
			     "The cgroup was removed meanwhile: what was done in it before is counted, and what a new "
			     "one of its name did is not.");
}

/* ---- time ---- */

void pace_add(struct pace *pace, double seconds, double wanted_s)
{
	pace->count++;
	pace->late += fabs(seconds - wanted_s) > LATE_SHARE * wanted_s;
	pace->sum_s += seconds;
	pace->longest_s = fmax(pace->longest_s, seconds);
}

static void remark_pace(struct collector *c)
{
	const struct pace *pace = &c->pace;
	bool is_sampling = !c->request->types[0].plan->ngroups; /* which has no levels, and prints at the end */

	if (!pace->late || (double)pace->late < MANY_LATE * (double)pace->count)
		return;
	parts_remark(
		c, arena_worded(c->arena,
				"Intervals of %g ms could not be kept: %zu of %zu were off by more than %.0f %%. They "
				"took %.3g ms on average and %.3g ms at most, because %s them takes its time, or other "
				"programs had the CPU; a longer {I}%s is kept better.",
				1000 * c->request->timing.interval_s, pace->late, pace->count, 100 * LATE_SHARE,
				1000 * pace->sum_s / (double)pace->count, 1000 * pace->longest_s,
				is_sampling ? "reading" : "reading and printing",
				is_sampling ? "" : ", or a lower level,"));
}

/* Each place counts from its own switching on to its own switching off. */
static void remark_switching(struct collector *c, double wall_s)
{
	if (c->stopwatch.switching < SLOW_LEAST || c->stopwatch.switching < SLOW_SHARE * wall_s)
		return;
	parts_remark(c, arena_printf(c->arena,
				     "Switching the counters of %zu places on and off took %.3g s on busy CPUs. Each "
				     "place was counted for %.3g s on average%s.",
				     c->sites.count, c->stopwatch.switching, wall_s,
				     c->request->priority.is_raised
					     ? ""
					     : "; as root, topdown raises its own priority and is faster"));
}

void meanwhile_remark(struct collector *c, const struct count_run *run)
{
	remark_cgroup(c);
	remark_pace(c);
	if (c->request->subject.kind != SUBJECT_PROGRAM)
		remark_switching(c, run->wall_s);
	for (size_t i = 0; c->request->subject.kind == SUBJECT_CPUS && i < c->sites.count; i++)
		remark_lost_cpu(c, &c->sites.items[i], run->wall_s);
	remark_new_cpus(c);
	if (c->is_incomplete)
		part_remark(c, 0,
			    "Threads were started faster than topdown could attach to them: some of their work is "
			    "missing.");
}

/* ---- nothing ---- */

/* Some group was open while there was something to count; has any of them been on the counters? */
static bool is_site_held(const struct site *site, bool *has_run)
{
	bool is_held = false;

	for (size_t i = 0; i < site->ngroups; i++)
		for (size_t k = 0; k < site->groups[i].plan->count; k++) {
			const struct count *item = &site->groups[i].items[k];

			*has_run = *has_run || item->running_ns > 0;
			is_held = is_held || item->enabled_ns > 0;
		}
	return is_held;
}

int check_held(const struct collector *c, const struct count_run *run, struct error *err)
{
	const struct machine *machine = c->request->machine;
	bool has_run = false, is_held = false;

	for (size_t i = 0; i < c->sites.count && !has_run; i++)
		is_held = is_site_held(&c->sites.items[i], &has_run) || is_held;
	if (has_run || !is_held)
		return 0;
	return error_set(err,
			 "nothing was counted: the kernel never put an event on a counter, so others hold all of them. "
			 "`sudo lsof 2>/dev/null | grep perf_event` shows which processes count: end them, and measure "
			 "again%s%s%s",
			 machine->nmi_watchdog
				 ? arena_worded(c->arena, "; the NMI watchdog holds one too (`{nmi-watchdog} off`)")
				 : "",
			 machine->hypervisor ? "; in a virtual machine its host can be the one that holds them" : "",
			 run->status ? arena_printf(c->arena, ". The program ended with status %d", run->status) : "");
}
