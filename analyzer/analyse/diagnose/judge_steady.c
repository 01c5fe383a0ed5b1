/* SPDX-License-Identifier: GPL-2.0-or-later */
/* judge_steady.c - topdown doctor --steady: how far two runs of the same may differ on this machine now, and why. */
#include <math.h>

#include "common/base/text.h"

#include "analyse/diagnose/judges.h"

/* Up to which a difference is no obstacle: what most people look for is larger. */
#define STEADY_TIME	0.01 /* of the same work */
#define STEADY_CLOCK	0.02
#define STEADY_SHARED	0.10 /* of caches and memory, which are never as steady as registers */
#define MOST_STOLEN	0.002
#define MOST_OTHERS	0.5  /* tasks */
#define LEAST_ON_CPU	0.99 /* share of the time */
#define MOST_INTERRUPTS 5000 /* a second and CPU: at 2 us each that is 1 % */

#define REMEDY_ALONE                                                                                                   \
	"stop what else runs (`ps -eo pcpu,pid,comm --sort=-pcpu | head` shows it), and `topdown {steady} PROGRAM` "   \
	"pins it"
#define REMEDY_CLOCK "`sudo topdown {steady}=pin,governor,turbo PROGRAM` fixes it for one measurement"
#define REMEDY_NEIGHBOURS                                                                                              \
	"stop what else runs, or keep it to another socket (`taskset -c CPUS`); in a virtual machine take a "          \
	"dedicated or "                                                                                                \
	"bare-metal (\"metal\") instance"

static const struct steadiness *measured(const struct judgement *j)
{
	if (j->about->steadiness)
		return j->about->steadiness;
	j->finding->found = "not measured: not this machine";
	verdict(j, FINDING_UNKNOWN, NULL, NULL);
	return NULL;
}

static const char *percent(const struct judgement *j, double share)
{
	return arena_printf(j->arena, "%.*f %%", share < 0.1 ? 2 : 0, 100 * share);
}

/* Of a spread: found, and whether it is within the limit. */
static void judge_spread(const struct judgement *j, const struct spread_of *spread, double limit, const char *typical,
			 const char *remedy)
{
	double share = spread_share(spread);

	if (isnan(share)) {
		j->finding->found = "not measured";
		verdict(j, FINDING_UNKNOWN, "Nothing here times it.", NULL);
		return;
	}
	j->finding->found = arena_printf(j->arena, "%s between the tenths of %zu timings; %s", percent(j, share),
					 spread->count, typical);
	if (share <= limit)
		verdict(j, FINDING_OK, "Runs can be compared.", NULL);
	else
		verdict(j, FINDING_LIMITS,
			arena_worded(j->arena, "Differences below that mean little: repeat more often ({r}), or "
					       "interleave the runs (`topdown compare {run}`)."),
			remedy);
}

void judge_kernel_time(const struct judgement *j)
{
	const struct steadiness *s = measured(j);

	if (s)
		judge_spread(j, &s->kernel_s, STEADY_TIME, arena_printf(j->arena, "%.3f ms", 1e3 * s->kernel_s.median),
			     REMEDY_ALONE);
}

void judge_kernel_cycles(const struct judgement *j)
{
	const struct steadiness *s = measured(j);

	if (!s)
		return;
	judge_spread(j, &s->kernel_cycles, STEADY_TIME, arena_printf(j->arena, "%.4g cycles", s->kernel_cycles.median),
		     REMEDY_ALONE);
	if (isnan(s->kernel_cycles.median))
		verdict(j, FINDING_UNKNOWN, "No cycles can be counted here.", NULL);
}

void judge_clock(const struct judgement *j)
{
	const struct steadiness *s = measured(j);

	if (s)
		judge_spread(j, &s->clock_hz, STEADY_CLOCK,
			     arena_printf(j->arena, "%.2f GHz, by dependent additions", s->clock_hz.median / 1e9),
			     REMEDY_CLOCK);
}

void judge_cache(const struct judgement *j)
{
	const struct steadiness *s = measured(j);

	if (s)
		judge_spread(j, &s->cache_s, STEADY_SHARED,
			     arena_printf(j->arena, "%.1f ns per load in 4 MiB", 1e9 * s->cache_s.median),
			     REMEDY_NEIGHBOURS);
}

void judge_memory(const struct judgement *j)
{
	const struct steadiness *s = measured(j);

	if (s)
		judge_spread(
			j, &s->memory_s, STEADY_SHARED,
			arena_printf(j->arena, "%.1f GB/s of reads by one thread", 4.194304e-3 / s->memory_s.median),
			REMEDY_NEIGHBOURS);
}

void judge_queue(const struct judgement *j)
{
	const struct steadiness *s = measured(j);

	if (!s)
		return;
	j->finding->found = arena_printf(j->arena,
					 "%.1f other runnable tasks; this process had a CPU for %s of the time, and "
					 "lost it %.0f times per second",
					 s->running, percent(j, s->on_cpu), s->preemptions);
	if (s->on_cpu >= LEAST_ON_CPU && !(s->running > MOST_OTHERS))
		verdict(j, FINDING_OK, "Nothing else competes for the CPUs.", NULL);
	else
		verdict(j, FINDING_LIMITS, "Others take CPUs, caches and memory while a program is measured.",
			REMEDY_ALONE);
}

void judge_stolen(const struct judgement *j)
{
	const struct steadiness *s = measured(j);

	if (!s)
		return;
	j->finding->found = isnan(s->stolen) ? "unknown" : percent(j, s->stolen);
	if (isnan(s->stolen))
		verdict(j, FINDING_UNKNOWN, NULL, NULL);
	else if (s->stolen <= MOST_STOLEN)
		verdict(j, FINDING_OK, "No host takes the CPUs away.", NULL);
	else
		verdict(j, FINDING_LIMITS,
			"The host of this virtual machine gives its CPUs to others meanwhile: time passes, "
			"and nothing runs.",
			"take a dedicated or bare-metal (\"metal\") instance");
}

void judge_interrupts(const struct judgement *j)
{
	const struct steadiness *s = measured(j);
	double each = s ? s->interrupts / j->about->machine->online_cpus : 0;

	if (!s)
		return;
	j->finding->found = isnan(each) ? "unknown" : arena_printf(j->arena, "%.0f per second on each CPU", each);
	if (isnan(each))
		verdict(j, FINDING_UNKNOWN, NULL, NULL);
	else if (each <= MOST_INTERRUPTS)
		verdict(j, FINDING_OK, "They take less than 1 % of the time.", NULL);
	else
		verdict(j, FINDING_LIMITS, "Each takes the CPU for some microseconds.",
			"`watch -d cat /proc/interrupts` shows which; `sudo systemctl stop irqbalance` and `echo 0 | "
			"sudo tee "
			"/proc/irq/*/smp_affinity_list` move them to CPU 0");
}

void judge_quota(const struct judgement *j)
{
	const struct steadiness *s = measured(j);

	if (!s)
		return;
	j->finding->found = isnan(s->quota)   ? "unknown"
			    : isinf(s->quota) ? "none"
			    : s->throttled > 0
				    ? arena_printf(j->arena, "%.3g CPUs; it made this cgroup wait %.0f times", s->quota,
						   s->throttled)
				    : arena_printf(j->arena, "%.3g CPUs", s->quota);
	if (isnan(s->quota))
		verdict(j, FINDING_UNKNOWN, NULL, NULL);
	else if (isinf(s->quota))
		verdict(j, FINDING_OK, "The cgroup may use all CPUs.", NULL);
	else
		verdict(j, FINDING_LIMITS,
			"A program that uses more waits for the rest of each period, as if it slept.",
			"`docker update --cpus 0 CONTAINER`, or `sudo systemctl set-property UNIT CPUQuota=` lifts it");
}
