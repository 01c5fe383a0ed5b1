/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host_judge.c - a row for each thing that is measured of a machine, with its bounds, and the findings of them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/host/host_findings.h"
#include "common/base/text.h"

#define MOST_TASKS  5
#define LEAST_SHARE 0.5	 /* %, of a process that is listed */
#define IDLE_USED   1.0	 /* %, of a device that is called idle */
#define IDLE_BYTES  1e-1 /* MB/s, of an interface without a known speed */
#define ANY	    1e-9 /* one is too many */
#define NEVER	    INFINITY

const char *const host_severity_names[] = { "fine", "look", "bad" };
const char *const host_aspect_names[] = { "utilisation", "saturation", "errors" };
const char *const host_resource_names[] = { "cpu", "memory", "disk", "network", "tcp", "pressure" };

/* What a row is computed from: of the same kind of struct, before and after. */
struct subject {
	const struct host_seen *seen;
	const void *before, *after;
	double seconds;
};

enum reckoning {
	BY_RATE,   /* of the field, per second */
	BY_SHARE,  /* of what the field `per` grew by */
	BY_GROWTH, /* of the field */
	BY_LEVEL,  /* the field at the end */
	BY_OWN,	   /* a function */
};

struct rule {
	struct host_measure measure;
	enum host_resource resource;
	enum reckoning reckoning;
	size_t field, per;
	double scale;
	double (*own)(const struct subject *subject);
	double look, bad;    /* from there on */
	const char *needs;   /* a measure above, which has to be... */
	double least, below; /* ...from the one, and below the other (0: any), or bounds say nothing */
};

/* ---- values that are more than a field ---- */

static double share_of_memory(const struct subject *subject)
{
	const double *counts = subject->seen->after->counts;

	return 100 * (1 - counts[HOST_AVAILABLE] / counts[HOST_MEMORY]);
}

static double runnable(const struct host_watch *watch)
{
	return watch->looks ? watch->running / watch->looks : NOT_COUNTED;
}

static double runnable_per_cpu(const struct subject *subject)
{
	size_t ncpus = subject->seen->after->ncpus;

	return ncpus ? runnable(subject->seen->watch) / (double)ncpus : NOT_COUNTED;
}

static double load_per_cpu(const struct subject *subject)
{
	const struct host_snapshot *after = subject->seen->after;

	return after->ncpus ? after->counts[HOST_LOAD_1] / (double)after->ncpus : NOT_COUNTED;
}

static double busiest_cpu(const struct subject *subject)
{
	const struct host_snapshot *before = subject->seen->before, *after = subject->seen->after;
	double most = NOT_COUNTED;

	for (size_t i = 0; i < before->ncpus; i++)
		for (size_t k = 0; k < after->ncpus; k++) {
			const struct cpu_spent *b = &before->cpus[i].times, *a = &after->cpus[k].times;

			if (before->cpus[i].number == after->cpus[k].number && a->all_s > b->all_s)
				most = fmax(most, 100 * (a->busy_s - b->busy_s) / (a->all_s - b->all_s));
		}
	return most;
}

/* Of nothing, nothing was sent again. */
static double resent_share(const struct subject *subject)
{
	const double *before = subject->seen->before->counts, *after = subject->seen->after->counts;
	double sent = after[HOST_SENT] - before[HOST_SENT], resent = after[HOST_RESENT] - before[HOST_RESENT];

	return sent > 0 ? 100 * resent / sent : 100 * (sent + resent);
}

static double share_of_link(const struct subject *subject)
{
	const struct host_link *b = subject->before, *a = subject->after;
	double received = a->received_bytes - b->received_bytes, sent = a->sent_bytes - b->sent_bytes;

	return 100 * fmax(received, sent) / subject->seconds / a->bytes_per_s;
}

/* ---- the rows ---- */

#define OF_HOST(member)	 offsetof(struct host_snapshot, member)
#define OF_COUNT(number) (offsetof(struct host_snapshot, counts) + (number) * sizeof(double))
#define OF_DISK(member)	 offsetof(struct host_disk, member)
#define OF_LINK(member)	 offsetof(struct host_link, member)

#define NO_STAT	    "/proc/stat has no such times"
#define NO_VMSTAT   "/proc/vmstat does not count it"
#define NO_DISKS    "/proc/diskstats does not count it"
#define NO_TCP	    "/proc/net does not count it"
#define NO_PRESSURE "there is no /proc/pressure: the kernel lacks PSI, or needs psi=1"

/*
 * USE: Brendan Gregg, "The USE Method" and its Linux checklist (https://www.brendangregg.com/usemethod.html).
 * Where several measures of an aspect are in order, the first one stands for it.
 */
/* clang-format off */
static const struct rule rules[] = {
	/* USE: from 70 % on others queue behind what is there; all CPUs at work is no fault by itself */
	{ { "used", "%", "* %", NO_STAT, HOST_USED }, HOST_CPU, BY_SHARE, OF_HOST(all.busy_s), OF_HOST(all.all_s), 100,
	  .look = 70, .bad = NEVER },
	/* USE: one CPU at its end is one thread that can't go faster */
	{ { "busiest", "%", "one CPU * %", NO_STAT, HOST_USED }, HOST_CPU, BY_OWN, .own = busiest_cpu,
	  .look = 95, .bad = NEVER, .needs = "used", .below = 70 },
	{ { "user", "%", "user * %", NO_STAT, HOST_USED }, HOST_CPU, BY_SHARE, OF_HOST(all.user_s), OF_HOST(all.all_s),
	  100, .look = NEVER, .bad = NEVER },
	/* Gregg, "Linux Performance Analysis in 60,000 Milliseconds": over 20 % in the kernel deserve a look */
	{ { "system", "%", "system * %", NO_STAT, HOST_USED }, HOST_CPU, BY_SHARE, OF_HOST(all.system_s),
	  OF_HOST(all.all_s), 100, .look = 20, .bad = NEVER },
	{ { "interrupts", "%", "interrupts * %", NO_STAT, HOST_USED }, HOST_CPU, BY_SHARE, OF_HOST(all.interrupt_s),
	  OF_HOST(all.all_s), 100, .look = 20, .bad = NEVER },
	/* USE: more threads than CPUs; half as many again is more than a moment's chance */
	{ { "runnable", "", "* threads/CPU", "/proc/loadavg can't be read", HOST_SATURATED }, HOST_CPU, BY_OWN,
	  .own = runnable_per_cpu, .look = 1.1, .bad = 1.5 },
	{ { "run_queue", "", "run queue *", "there is no /proc/schedstat (CONFIG_SCHEDSTATS)", HOST_SATURATED },
	  HOST_CPU, BY_RATE, OF_COUNT(HOST_RUN_DELAY), .scale = 1, .look = NEVER, .bad = NEVER },
	{ { "load", "", "load * per CPU", "/proc/loadavg can't be read", HOST_SATURATED }, HOST_CPU, BY_OWN,
	  .own = load_per_cpu, .look = NEVER, .bad = NEVER },
	/* Documentation/filesystems/proc.rst: "not reliable", and of idle CPUs only; so it is never bad by itself */
	{ { "iowait", "%", "iowait * %", NO_STAT, HOST_SATURATED }, HOST_CPU, BY_SHARE, OF_HOST(all.iowait_s),
	  OF_HOST(all.all_s), 100, .look = 20, .bad = NEVER },
	/* common advice of cloud providers: under 5 % is the usual, over 10 % is a busy host or spent credits */
	{ { "stolen", "%", "stolen * %", "the kernel is too old for steal in /proc/stat", HOST_ERRORS }, HOST_CPU,
	  BY_SHARE, OF_HOST(all.stolen_s), OF_HOST(all.all_s), 100, .look = 5, .bad = 10 },
	/* Documentation/scheduler/sched-bwc.rst: throttled threads could have run; a tenth of the time is felt */
	{ { "throttled", "%", "throttled * %", "this cgroup has no quota", HOST_ERRORS }, HOST_CPU, BY_RATE,
	  OF_COUNT(HOST_THROTTLED), .scale = 100, .look = 0.1, .bad = 10 },

	/* USE, proc.rst: MemAvailable is what programs can get without swapping */
	{ { "used", "%", "* %", "/proc/meminfo lacks MemAvailable", HOST_USED }, HOST_MEM, BY_OWN,
	  .own = share_of_memory, .look = 90, .bad = 97 },
	/* USE: swapping is saturation; 1000 pages (4 MB) a second are hundreds of seeks */
	{ { "swapped_out", "/s", "swap out */s", NO_VMSTAT, HOST_SATURATED }, HOST_MEM, BY_RATE,
	  OF_COUNT(HOST_SWAPPED_OUT), .scale = 1, .look = 1, .bad = 1000 },
	{ { "swapped_in", "/s", "swap in */s", NO_VMSTAT, HOST_SATURATED }, HOST_MEM, BY_RATE,
	  OF_COUNT(HOST_SWAPPED_IN), .scale = 1, .look = 1, .bad = 1000 },
	/* Documentation/admin-guide/mm/concepts.rst, direct reclaim: an allocation waits until memory is free */
	{ { "reclaims", "/s", "reclaims */s", NO_VMSTAT, HOST_SATURATED }, HOST_MEM, BY_RATE,
	  OF_COUNT(HOST_RECLAIMS), .scale = 1, .look = ANY, .bad = 100 },
	/* sar(1), majflt: each reads a page; programs that start have some hundred */
	{ { "major_faults", "/s", "major faults */s", NO_VMSTAT, HOST_SATURATED }, HOST_MEM, BY_RATE,
	  OF_COUNT(HOST_MAJOR_FAULTS), .scale = 1, .look = 500, .bad = 5000 },
	/* USE: errors of memory are failed allocations */
	{ { "oom_kills", "", "OOM kills *", NO_VMSTAT, HOST_ERRORS }, HOST_MEM, BY_GROWTH, OF_COUNT(HOST_OOM_KILLS),
	  .scale = 1, .look = ANY, .bad = ANY },
	{ { "oom_kills_since_boot", "", "OOM kills since boot *", NO_VMSTAT, HOST_ERRORS }, HOST_MEM, BY_LEVEL,
	  OF_COUNT(HOST_OOM_KILLS), .scale = 1, .look = NEVER, .bad = NEVER },
	/* Documentation/driver-api/edac.rst: corrected ones foretell a failure, uncorrected ones are lost data */
	{ { "corrected_errors", "", "corrected errors *", "no EDAC driver counts them", HOST_ERRORS },
	  HOST_MEM, BY_LEVEL, OF_COUNT(HOST_CORRECTED), .scale = 1, .look = ANY, .bad = NEVER },
	{ { "uncorrected_errors", "", "uncorrected errors *", "no EDAC driver counts them", HOST_ERRORS },
	  HOST_MEM, BY_LEVEL, OF_COUNT(HOST_UNCORRECTED), .scale = 1, .look = ANY, .bad = ANY },

	/* USE: over 60 % queues grow; iostat(1): what serves requests in parallel may still have room */
	{ { "used", "%", "* %", NO_DISKS, HOST_USED }, HOST_DISK, BY_RATE, OF_DISK(busy_s), .scale = 100,
	  .look = 60, .bad = NEVER },
	{ { "reads", "/s", "reads */s", NO_DISKS, HOST_USED }, HOST_DISK, BY_RATE, OF_DISK(reads), .scale = 1,
	  .look = NEVER, .bad = NEVER },
	{ { "read_bytes", "MB/s", "read * MB/s", NO_DISKS, HOST_USED }, HOST_DISK, BY_RATE, OF_DISK(read_bytes),
	  .scale = 1e-6, .look = NEVER, .bad = NEVER },
	{ { "writes", "/s", "writes */s", NO_DISKS, HOST_USED }, HOST_DISK, BY_RATE, OF_DISK(writes), .scale = 1,
	  .look = NEVER, .bad = NEVER },
	{ { "written_bytes", "MB/s", "written * MB/s", NO_DISKS, HOST_USED }, HOST_DISK, BY_RATE,
	  OF_DISK(written_bytes), .scale = 1e-6, .look = NEVER, .bad = NEVER },
	/* USE: a queue longer than 1 waits; several disks behind one name take more at once */
	{ { "queue", "", "queue *", NO_DISKS, HOST_SATURATED }, HOST_DISK, BY_RATE, OF_DISK(queued_s), .scale = 1,
	  .look = 1, .bad = NEVER, .needs = "used", .least = 10 },
	/* a turning disk takes 10 ms a seek; five of them are a queue on any disk */
	{ { "read_wait", "ms", "a read * ms", NO_DISKS, HOST_SATURATED }, HOST_DISK, BY_SHARE, OF_DISK(read_s),
	  OF_DISK(reads), 1e3, .look = 10, .bad = 50, .needs = "used", .least = 10 },
	{ { "write_wait", "ms", "a write * ms", NO_DISKS, HOST_SATURATED }, HOST_DISK, BY_SHARE, OF_DISK(written_s),
	  OF_DISK(writes), 1e3, .look = 10, .bad = 50, .needs = "used", .least = 10 },
	/* USE: /sys/block/DISK/device/ioerr_cnt */
	{ { "failed", "", "failed *", "only SCSI and ATA disks have ioerr_cnt", HOST_ERRORS }, HOST_DISK,
	  BY_GROWTH, OF_DISK(errors), .scale = 1, .look = ANY, .bad = ANY },

	/* USE: beyond 70 % of a link packets queue, near its end they are lost */
	{ { "used", "%", "* %", "/sys/class/net has no speed of a virtual link", HOST_USED }, HOST_LINK, BY_OWN,
	  .own = share_of_link, .look = 70, .bad = 90 },
	{ { "received", "MB/s", "received * MB/s", "/proc/net/dev lacks it", HOST_USED }, HOST_LINK, BY_RATE,
	  OF_LINK(received_bytes), .scale = 1e-6, .look = NEVER, .bad = NEVER },
	{ { "sent", "MB/s", "sent * MB/s", "/proc/net/dev lacks it", HOST_USED }, HOST_LINK, BY_RATE,
	  OF_LINK(sent_bytes), .scale = 1e-6, .look = NEVER, .bad = NEVER },
	/* USE: overruns and drops; Documentation/networking/statistics.rst: unknown protocols are among them */
	{ { "drops", "/s", "drops */s", "/proc/net/dev lacks it", HOST_SATURATED }, HOST_LINK, BY_RATE, OF_LINK(drops),
	  .scale = 1, .look = 1, .bad = 100 },
	/* USE: a link without a fault has none */
	{ { "errors", "/s", "errors */s", "/proc/net/dev lacks it", HOST_ERRORS }, HOST_LINK, BY_RATE, OF_LINK(errors),
	  .scale = 1, .look = ANY, .bad = 10 },

	/* Documentation/networking/snmp_counter.rst: the queue of a listener was full; its client waits a second */
	{ { "sent", "/s", "sent */s", NO_TCP, HOST_USED }, HOST_TCP, BY_RATE, OF_COUNT(HOST_SENT), .scale = 1,
	  .look = NEVER, .bad = NEVER },
	{ { "listen_overflows", "/s", "listen overflows */s", NO_TCP, HOST_SATURATED }, HOST_TCP, BY_RATE,
	  OF_COUNT(HOST_LISTEN_OVERFLOWS), .scale = 1, .look = ANY, .bad = 10 },
	/* Documentation/networking/scaling.rst: packets beyond net.core.netdev_max_backlog are lost */
	{ { "backlog_drops", "/s", "backlog drops */s", NO_TCP, HOST_SATURATED }, HOST_TCP, BY_RATE,
	  OF_COUNT(HOST_BACKLOG_DROPS), .scale = 1, .look = ANY, .bad = 10 },
	/* Documentation/admin-guide/sysctl/net.rst, netdev_budget: what is left waits for the next turn */
	{ { "squeezes", "/s", "squeezes */s", NO_TCP, HOST_SATURATED }, HOST_TCP, BY_RATE, OF_COUNT(HOST_SQUEEZES),
	  .scale = 1, .look = 10, .bad = NEVER },
	/* common knowledge of network operators: under 1 % on a sound path; 5 % halve the throughput and more */
	{ { "resent", "%", "sent again * %", NO_TCP, HOST_ERRORS }, HOST_TCP, BY_OWN, .own = resent_share,
	  .look = 1, .bad = 5, .needs = "sent", .least = 10 },

	/* Documentation/accounting/psi.rst watches from 150 ms of a second on; systemd-oomd(8) kills at 60 % */
	{ { "cpu", "%", "cpu * %", NO_PRESSURE, HOST_SATURATED }, HOST_PRESSURE, BY_RATE, OF_COUNT(HOST_PRESSURE_CPU),
	  .scale = 100, .look = 15, .bad = 60 },
	{ { "memory", "%", "memory * %", NO_PRESSURE, HOST_SATURATED }, HOST_PRESSURE, BY_RATE,
	  OF_COUNT(HOST_PRESSURE_MEMORY), .scale = 100, .look = 15, .bad = 60 },
	{ { "io", "%", "io * %", NO_PRESSURE, HOST_SATURATED }, HOST_PRESSURE, BY_RATE, OF_COUNT(HOST_PRESSURE_IO),
	  .scale = 100, .look = 15, .bad = 60 },
	/* psi.rst: nobody gets on; it watches from 50 ms of a second on */
	{ { "memory_full", "%", "all wait for memory * %", NO_PRESSURE, HOST_SATURATED }, HOST_PRESSURE, BY_RATE,
	  OF_COUNT(HOST_STALLED_MEMORY), .scale = 100, .look = 5, .bad = 15 },
	{ { "io_full", "%", "all wait for io * %", NO_PRESSURE, HOST_SATURATED }, HOST_PRESSURE, BY_RATE,
	  OF_COUNT(HOST_STALLED_IO), .scale = 100, .look = 5, .bad = 60 },
};
/* clang-format on */

/* ---- values ---- */

static double member(const void *of, size_t offset)
{
	return *(const double *)((const char *)of + offset);
}

/* A count that went back, or that was not there, is unknown. */
static double growth(const struct subject *subject, size_t field)
{
	double grown = member(subject->after, field) - member(subject->before, field);

	return grown >= 0 ? grown : NOT_COUNTED;
}

static double reckon(const struct rule *rule, const struct subject *subject)
{
	switch (rule->reckoning) {
	case BY_RATE: return rule->scale * growth(subject, rule->field) / subject->seconds;
	case BY_SHARE: return rule->scale * growth(subject, rule->field) / growth(subject, rule->per);
	case BY_GROWTH: return rule->scale * growth(subject, rule->field);
	case BY_LEVEL: return rule->scale * member(subject->after, rule->field);
	case BY_OWN: return rule->own(subject);
	}
	return NOT_COUNTED;
}

/* A disk that has read nothing has no mean time of a read. */
static bool is_question(const struct rule *rule, const struct subject *subject)
{
	return rule->resource != HOST_DISK || rule->reckoning != BY_SHARE || growth(subject, rule->per) != 0;
}

const struct host_value *host_value_of(const struct host_finding *finding, const char *key)
{
	for (size_t i = 0; i < finding->count; i++)
		if (!strcmp(finding->values[i].measure->key, key))
			return &finding->values[i];
	return NULL;
}

static enum host_severity severity_of(const struct rule *rule, double value, const struct host_finding *finding)
{
	const struct host_value *needed = rule->needs ? host_value_of(finding, rule->needs) : NULL;

	if (rule->needs &&
	    !(needed && needed->value >= rule->least && (rule->below <= 0 || needed->value < rule->below)))
		return HOST_FINE;
	return value >= rule->bad ? HOST_BAD : value >= rule->look ? HOST_LOOK : HOST_FINE;
}

static void find(struct host_finding *finding, const struct subject *subject, struct arena *arena)
{
	finding->used = NOT_COUNTED;
	finding->values = arena_array(arena, COUNT_OF(rules), sizeof(*finding->values));
	for (size_t i = 0; i < COUNT_OF(rules); i++) {
		const struct rule *rule = &rules[i];
		struct host_value *value = &finding->values[finding->count];

		if (rule->resource != finding->resource || !is_question(rule, subject))
			continue;
		value->measure = &rule->measure;
		value->value = reckon(rule, subject);
		if (!isfinite(value->value) || value->value < 0)
			value->value = NOT_COUNTED;
		value->severity = severity_of(rule, value->value, finding);
		value->is_worth = rule->reckoning == BY_LEVEL && value->value > 0;
		if (value->severity > finding->severity)
			finding->severity = value->severity;
		if (finding->count++ == 0 && value->measure->aspect == HOST_USED)
			finding->used = value->value;
	}
}

/* ---- findings ---- */

struct list {
	struct host_findings *findings;
	struct arena *arena;
	size_t capacity;
};

static struct host_finding *add_finding(struct list *list, enum host_resource resource, const char *name,
					const struct subject *subject)
{
	struct host_findings *findings = list->findings;
	struct host_finding *finding;

	findings->items =
		arena_grow(list->arena, findings->items, findings->count, &list->capacity, sizeof(*findings->items));
	finding = &findings->items[findings->count++];
	*finding = (struct host_finding){ .resource = resource, .name = name };
	find(finding, subject, list->arena);
	return finding;
}

static double host_known(const struct host_finding *finding, const char *key)
{
	const struct host_value *value = host_value_of(finding, key);

	return value && !isnan(value->value) ? value->value : 0;
}

static void add_disks(struct list *list, const struct host_seen *seen, double seconds)
{
	for (size_t i = 0; i < seen->after->ndisks; i++)
		for (size_t k = 0; k < seen->before->ndisks; k++) {
			const struct host_disk *a = &seen->after->disks[i], *b = &seen->before->disks[k];
			struct host_finding *finding;

			if (strcmp(a->name, b->name) != 0)
				continue;
			finding = add_finding(list, HOST_DISK, a->name, &(struct subject){ seen, b, a, seconds });
			finding->is_idle = finding->severity == HOST_FINE && finding->used < IDLE_USED;
			break;
		}
}

static void add_links(struct list *list, const struct host_seen *seen, double seconds)
{
	for (size_t i = 0; i < seen->after->nlinks; i++)
		for (size_t k = 0; k < seen->before->nlinks; k++) {
			const struct host_link *a = &seen->after->links[i], *b = &seen->before->links[k];
			struct host_finding *finding;

			if (strcmp(a->name, b->name) != 0)
				continue;
			finding = add_finding(list, HOST_LINK, a->name, &(struct subject){ seen, b, a, seconds });
			finding->is_idle = finding->severity == HOST_FINE && !(finding->used >= IDLE_USED) &&
					   host_known(finding, "received") < IDLE_BYTES &&
					   host_known(finding, "sent") < IDLE_BYTES;
			break;
		}
}

/* The worst first; of two alike in the order of the resources, and then the busier one. */
static int by_severity(const void *a, const void *b)
{
	const struct host_finding *left = a, *right = b;

	if (left->severity != right->severity)
		return left->severity < right->severity ? 1 : -1;
	if (left->resource != right->resource)
		return left->resource < right->resource ? -1 : 1;
	if (left->used < right->used || left->used > right->used)
		return left->used < right->used ? 1 : -1;
	return strcmp(left->name, right->name);
}

/* ---- processes ---- */

static int by_claim(const void *a, const void *b)
{
	const struct host_task *left = a, *right = b;
	double claim = left->cpu + left->blocked, other = right->cpu + right->blocked;

	if (claim < other || claim > other)
		return claim < other ? 1 : -1;
	return (left->pid > right->pid) - (left->pid < right->pid);
}

/* Whose children that have ended had at least half of the time that nobody is left to show for. */
static const struct host_process *find_parent(const struct host_watch *watch, double unseen_s)
{
	const struct host_process *found = NULL;
	double most = 0.5 * unseen_s;

	for (size_t i = 0; i < watch->nprocesses; i++) {
		const struct host_process *process = &watch->processes[i];

		if (process->children_s - process->first_children_s > most) {
			most = process->children_s - process->first_children_s;
			found = process;
		}
	}
	return found;
}

static void judge_tasks(struct host_findings *findings, const struct host_seen *seen, struct arena *arena)
{
	const struct host_watch *watch = seen->watch;
	const struct cpu_spent *before = &seen->before->all, *after = &seen->after->all;
	double unseen_s = (after->user_s + after->system_s) - (before->user_s + before->system_s);

	findings->tasks = arena_array(arena, watch->nprocesses + 1, sizeof(*findings->tasks));
	for (size_t i = 0; i < watch->nprocesses; i++) {
		const struct host_process *process = &watch->processes[i];
		double ran = fmax(process->cpu_s - process->first_s, 0);
		struct host_task task = { .pid = process->pid,
					  .name = process->name,
					  .state = process->state,
					  .cpu = 100 * ran / findings->seconds,
					  .blocked = 100.0 * process->blocked / watch->scans };

		unseen_s -= ran;
		if (!findings->largest || process->resident_bytes > findings->largest->resident_bytes)
			findings->largest = process;
		if (task.cpu >= LEAST_SHARE || task.blocked > 0)
			findings->tasks[findings->ntasks++] = task;
	}
	qsort(findings->tasks, findings->ntasks, sizeof(*findings->tasks), by_claim);
	if (findings->ntasks > MOST_TASKS)
		findings->ntasks = MOST_TASKS;
	findings->unseen = 100 * fmax(unseen_s, 0) / (after->all_s - before->all_s);
	findings->parent = find_parent(watch, unseen_s);
}

void host_judge(struct host_findings *findings, const struct host_seen *seen, struct arena *arena)
{
	static const enum host_resource wholes[] = { HOST_CPU, HOST_MEM, HOST_TCP, HOST_PRESSURE };
	double seconds = seen->after->at_s - seen->before->at_s;
	struct list list = { .findings = findings, .arena = arena };

	*findings = (struct host_findings){ .seconds = seconds > 0 ? seconds : NOT_COUNTED,
					    .ncpus = seen->after->ncpus,
					    .running = runnable(seen->watch) };
	for (size_t i = 0; i < COUNT_OF(wholes); i++)
		add_finding(&list, wholes[i], "",
			    &(struct subject){ seen, seen->before, seen->after, findings->seconds });
	add_disks(&list, seen, findings->seconds);
	add_links(&list, seen, findings->seconds);
	qsort(findings->items, findings->count, sizeof(*findings->items), by_severity);
	judge_tasks(findings, seen, arena);
}
