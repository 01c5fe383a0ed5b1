/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/observe/kernel_counts.h"

#include <math.h>

#include "collect/count/collector.h"
#include "cpu/identify/usage.h"

/* ---- the accounts ---- */

#define OF_PROCESSES "Linux keeps it per process, not per CPU"

static struct software_value account(double value, const char *source, const char *reason)
{
	if (!isnan(value))
		return software_known(value, source);
	return software_withheld(reason ? reason : "the kernel does not report it");
}

static struct software accounts_of(const struct usage *usage, const char *source)
{
	struct software s = software_unknown();
	const char *no_time = usage->no_cpu_time, *no_faults = "its account of the kernel has no such number";

	s.values[SOFTWARE_USER] = account(usage->user_s, source, no_time);
	s.values[SOFTWARE_SYSTEM] = account(usage->system_s, source, no_time);
	s.values[SOFTWARE_TASK_CLOCK] = account(usage->user_s + usage->system_s, source, no_time);
	s.values[SOFTWARE_MINOR] = account(usage->minor_faults, source, no_faults);
	s.values[SOFTWARE_MAJOR] = account(usage->major_faults, source, no_faults);
	s.values[SOFTWARE_SWITCHES] = account(usage->switches, source, no_faults);
	s.values[SOFTWARE_READ] = account(usage->read_bytes, source, usage->no_bytes);
	s.values[SOFTWARE_WRITTEN] = account(usage->written_bytes, source, usage->no_bytes);
	return s;
}

static struct software all_withheld(const char *reason)
{
	struct software s = software_unknown();

	for (size_t i = 0; i < SOFTWARE_PRESSURE; i++)
		s.values[i] = software_withheld(reason);
	return s;
}

static struct software accounts_of_task(pid_t task, enum usage_extent extent, enum usage_more more)
{
	struct arena arena;
	struct sysfiles files;
	struct usage usage;
	struct software s;

	arena_init(&arena);
	files = sysfiles_below("", &arena);
	if (usage_of_task(&usage, &files, task, extent, more))
		s = accounts_of(&usage, "/proc");
	else
		s = all_withheld("it ended before its account was read");
	arena_release(&arena);
	return s;
}

/* What the kernel said when the program was collected. */
static struct software accounts_of_ended(const struct child *child)
{
	const struct child_usage *used = &child->used;
	const struct usage usage = { .user_s = child->user_s,
				     .system_s = child->cpu_s - child->user_s,
				     .minor_faults = used->minor_faults,
				     .major_faults = used->major_faults,
				     .switches = used->switches,
				     .read_bytes = used->read_bytes,
				     .written_bytes = used->written_bytes,
				     .no_bytes = "the program's /proc/PID/io could not be read when it had ended" };
	struct software s = accounts_of(&usage, "getrusage");

	s.values[SOFTWARE_READ].source = s.values[SOFTWARE_WRITTEN].source = "/proc";
	return s;
}

static struct software accounts_of_child(const struct child *child, enum usage_more more)
{
	return child->has_ended ? accounts_of_ended(child) : accounts_of_task(child->pid, USAGE_TREE, more);
}

/* From the kernel's events where they were opened, else from the accounts. */
static void merge(struct software *counted, const struct software *accounts)
{
	for (size_t i = 0; i < SOFTWARE_KINDS; i++) {
		struct software_value *value = &counted->values[i];

		if (isnan(value->value) && (!value->reason || !isnan(accounts->values[i].value)))
			*value = accounts->values[i];
	}
}

/* ---- one program alone ---- */

static struct software accounts_of_lone(const struct lone_software *lone, const struct child *child)
{
	struct software accounts = accounts_of_child(child, USAGE_SWITCHES);

	pressure_tell(&accounts, lone->pressed, 0);
	return accounts;
}

void lone_software_init(struct lone_software *lone, bool wants_pressure, struct arena *arena)
{
	const struct pressure_subject child_alone = { .child = NULL };

	*lone = (struct lone_software){ .arena = arena };
	lone->pressed = wants_pressure ? pressure_watch_new(&child_alone, arena) : NULL;
	perf_software_none(&lone->perf);
}

void lone_software_open(struct lone_software *lone, const struct child *child)
{
	const struct perf_target target = { .pid = child->pid, .start = PERF_START_WITH_EXEC, .arena = lone->arena };

	perf_software_open(&lone->perf, &target);
	if (lone->pressed) {
		lone->pressed->of.child = child;
		pressure_look(lone->pressed);
	}
	lone->before = accounts_of_lone(lone, child);
}

const struct software *lone_software_read(const struct lone_software *lone, const struct child *child)
{
	struct software *all = arena_alloc(lone->arena, sizeof(*all));
	struct software accounts;

	pressure_look(lone->pressed);
	accounts = accounts_of_lone(lone, child);
	for (size_t i = 0; i < SOFTWARE_KINDS; i++)
		accounts.values[i] = software_since(accounts.values[i], lone->before.values[i]);
	*all = software_unknown();
	perf_software_read(all, &lone->perf);
	merge(all, &accounts);
	return all;
}

void lone_software_close(struct lone_software *lone)
{
	perf_software_close(&lone->perf);
}

/* ---- all sites of a measurement ---- */

/* What belongs together: a part, or a CPU of it. */
struct software_slot {
	struct software now;	/* of the run, as it was read last */
	struct software before; /* the same when the last interval ended */
	struct software total;	/* of the accounts: what they say of the time that was counted before the last pause, */
	struct software since;	/* and what they said when counting went on */
};

struct software_part {
	struct software_slot whole, *by_cpu;
	size_t ncpus;
};

struct software_counts {
	struct software_part *parts;
	size_t nparts;
	enum usage_more more;
	bool is_on;
};

static struct software zero_accounts(void)
{
	struct software s = software_unknown();

	for (size_t i = 0; i < SOFTWARE_KINDS; i++)
		s.values[i].value = 0;
	return s;
}

static void slot_init(struct software_slot *slot)
{
	slot->now = software_unknown();
	slot->before = slot->total = zero_accounts();
	slot->since = software_unknown();
}

/* Tasks that are counted on the cores of several types: the kernel's events know no types. */
static bool is_of_other_type(const struct collector *c, size_t part)
{
	enum subject_kind kind = c->request->subject.kind;

	return c->sites.parts[part].type > 0 && !c->sites.parts[part].ncpus && kind != SUBJECT_CPUS;
}

void software_open_site(struct site *site, const struct perf_target *target)
{
	struct perf_target own = *target;

	perf_software_none(&site->software);
	if (site->type > 0 && !site->cpu)
		return;
	own.scope = SCOPE_ALL;
	perf_software_open(&site->software, &own);
}

static bool has_switches(const struct collector *c)
{
	for (size_t i = 0; i < c->sites.count; i++)
		if (c->sites.items[i].software.reasons[SOFTWARE_SWITCHES])
			return false;
	return true;
}

void software_begin(struct collector *c)
{
	struct software_counts *counts = arena_alloc(c->arena, sizeof(*counts));
	const struct pressure_subject pressed = { .subject = &c->request->subject,
						  .child = c->child,
						  .sysroot = c->request->sysroot,
						  .cgroup = c->sites.cgroup };

	*counts = (struct software_counts){ .nparts = c->sites.nparts };
	counts->more = has_switches(c) ? USAGE_PLAIN : USAGE_SWITCHES;
	counts->parts = arena_array(c->arena, counts->nparts, sizeof(*counts->parts));
	for (size_t i = 0; i < counts->nparts; i++) {
		struct software_part *part = &counts->parts[i];

		part->ncpus = c->sites.parts[i].ncpus;
		part->by_cpu = arena_array(c->arena, part->ncpus, sizeof(*part->by_cpu));
		slot_init(&part->whole);
		for (size_t k = 0; k < part->ncpus; k++)
			slot_init(&part->by_cpu[k]);
	}
	c->software = counts;
	c->pressure = c->request->wants_pressure ? pressure_watch_new(&pressed, c->arena) : NULL;
}

/* ---- accounts of a part ---- */

static const struct site *site_of_part(const struct collector *c, size_t part)
{
	for (size_t i = 0; i < c->sites.count; i++)
		if (c->sites.items[i].part == part)
			return &c->sites.items[i];
	return NULL;
}

static struct software accounts_of_subject(const struct collector *c)
{
	const struct subject *subject = &c->request->subject;
	enum usage_extent extent = subject->kind == SUBJECT_PROCESSES ? USAGE_PROCESS : USAGE_THREAD;
	struct software sum = all_withheld("nothing is left of it");

	for (size_t i = 0; i < subject->nids; i++) {
		struct software one = accounts_of_task(subject->ids[i], extent, c->software->more);

		for (size_t k = 0; k < SOFTWARE_PRESSURE; k++)
			sum.values[k] = i ? software_sum(sum.values[k], one.values[k]) : one.values[k];
	}
	return sum;
}

static struct software accounts_of_cgroup(const struct collector *c)
{
	struct arena arena;
	struct sysfiles files;
	struct usage usage;
	struct software s;

	arena_init(&arena);
	files = sysfiles_below("", &arena);
	/* The directory that is open; its name may be relative to one of several mounts. */
	usage_of_cgroup(&usage, &files, arena_printf(&arena, "proc/self/fd/%d", c->sites.cgroup));
	s = accounts_of(&usage, "cgroup");
	arena_release(&arena);
	return s;
}

static struct software accounts_of_cpu(unsigned cpu)
{
	struct arena arena;
	struct sysfiles files;
	struct usage usage;
	struct software s;

	arena_init(&arena);
	files = sysfiles_below("", &arena);
	usage_of_cpu(&usage, &files, cpu);
	usage.no_cpu_time = "/proc/stat does not have the CPU";
	usage.no_bytes = OF_PROCESSES;
	s = accounts_of(&usage, "/proc");
	s.values[SOFTWARE_TASK_CLOCK] = software_withheld("for whole CPUs it is the elapsed time");
	arena_release(&arena);
	return s;
}

static struct software kernel_accounts(const struct collector *c, size_t part)
{
	const struct subject *subject = &c->request->subject;
	const struct site *site = site_of_part(c, part);

	if (is_of_other_type(c, part))
		return all_withheld(
			"the kernel counts it for all core types together: it is shown with the first type");
	if (subject->is_by_thread && site)
		return accounts_of_task(site->pid, USAGE_THREAD, c->software->more);
	switch (subject->kind) {
	case SUBJECT_PROGRAM:
		return c->child ? accounts_of_child(c->child, c->software->more) : all_withheld("it was not started");
	case SUBJECT_PROCESSES:
	case SUBJECT_THREADS: return accounts_of_subject(c);
	case SUBJECT_CGROUP: return accounts_of_cgroup(c);
	case SUBJECT_CPUS: break; /* they are the sums of its CPUs */
	}
	return software_unknown();
}

static struct software accounts_of_part(const struct collector *c, size_t part)
{
	struct software accounts = kernel_accounts(c, part);
	const struct site *site = site_of_part(c, part);

	pressure_tell(&accounts, c->pressure, c->request->subject.is_by_thread && site ? site->pid : 0);
	return accounts;
}

static void slot_pass(struct software_slot *slot, const struct software *accounts, bool is_on)
{
	for (size_t i = 0; i < SOFTWARE_KINDS; i++) {
		struct software_value *total = &slot->total.values[i];

		if (!is_on && !isnan(total->value))
			*total = software_sum(software_since(accounts->values[i], slot->since.values[i]), *total);
	}
	slot->since = *accounts;
}

/* Counting goes on or pauses: what the accounts say in between does not count. */
void software_switch(struct collector *c, bool is_on)
{
	struct software_counts *counts = c->software;
	bool has_cpus = c->request->subject.kind == SUBJECT_CPUS;

	pressure_look(c->pressure);
	for (size_t i = 0; i < counts->nparts; i++) {
		struct software_part *part = &counts->parts[i];
		struct software accounts = accounts_of_part(c, i);

		slot_pass(&part->whole, &accounts, is_on);
		for (size_t k = 0; has_cpus && k < part->ncpus; k++) {
			accounts = accounts_of_cpu(c->sites.parts[i].cpus[k].cpu);
			slot_pass(&part->by_cpu[k], &accounts, is_on);
		}
	}
	counts->is_on = is_on;
}

/* ---- reading ---- */

/* What the slot's accounts say of the time that was counted. */
static struct software counted_accounts(const struct software_slot *slot, const struct software *accounts, bool is_on)
{
	struct software counted = slot->total;

	for (size_t i = 0; is_on && i < SOFTWARE_KINDS; i++)
		if (!isnan(counted.values[i].value))
			counted.values[i] = software_sum(software_since(accounts->values[i], slot->since.values[i]),
							 counted.values[i]);
	return counted;
}

/* The kernel's events of all sites of the part, or of those on its CPU of that number. */
static struct software events_of(const struct collector *c, size_t part, size_t own_cpu)
{
	struct software sum = software_unknown();
	bool has_any = false;

	for (size_t i = 0; i < c->sites.count; i++) {
		const struct site *site = &c->sites.items[i];
		struct software one = software_unknown();

		if (site->part != part || site->software.is_gone || (own_cpu != TABLE_NONE && site->own_cpu != own_cpu))
			continue;
		perf_software_read(&one, &site->software);
		for (size_t k = 0; k < SOFTWARE_PRESSURE; k++)
			sum.values[k] = has_any ? software_sum(sum.values[k], one.values[k]) : one.values[k];
		has_any = true;
	}
	/* What is enabled there is the CPU, and no task. */
	if (c->request->subject.kind == SUBJECT_CPUS || c->request->subject.kind == SUBJECT_CGROUP)
		sum.values[SOFTWARE_TASK_CLOCK] = software_unknown().values[SOFTWARE_TASK_CLOCK];
	return sum;
}

static void software_counts_read_cpus(const struct collector *c, struct software_part *part, size_t number)
{
	for (size_t k = 0; k < part->ncpus; k++) {
		struct software_slot *slot = &part->by_cpu[k];
		struct software accounts = all_withheld(OF_PROCESSES);

		if (c->request->subject.kind == SUBJECT_CPUS) {
			accounts = accounts_of_cpu(c->sites.parts[number].cpus[k].cpu);
			accounts = counted_accounts(slot, &accounts, c->software->is_on);
		}
		slot->now = events_of(c, number, k);
		merge(&slot->now, &accounts);
	}
}

static void sum_cpus(struct software *sum, const struct software_part *part)
{
	*sum = software_unknown();
	for (size_t i = 0; i < SOFTWARE_PRESSURE; i++)
		for (size_t k = 0; k < part->ncpus; k++)
			sum->values[i] = k ? software_sum(sum->values[i], part->by_cpu[k].now.values[i])
					   : part->by_cpu[k].now.values[i];
}

void software_read(struct collector *c)
{
	struct software_counts *counts = c->software;

	pressure_look(c->pressure);
	for (size_t i = 0; i < counts->nparts; i++) {
		struct software_part *part = &counts->parts[i];
		struct software accounts = accounts_of_part(c, i);

		accounts = counted_accounts(&part->whole, &accounts, counts->is_on);
		software_counts_read_cpus(c, part, i);
		if (c->request->subject.kind == SUBJECT_CPUS)
			sum_cpus(&part->whole.now, part);
		else
			part->whole.now = events_of(c, i, TABLE_NONE);
		merge(&part->whole.now, &accounts);
	}
}

/* ---- into the measurement ---- */

static struct software since_interval(const struct software_slot *slot)
{
	struct software s = slot->now;

	for (size_t i = 0; i < SOFTWARE_KINDS; i++)
		s.values[i] = software_since(slot->now.values[i], slot->before.values[i]);
	return s;
}

void software_fill(struct count_run *run, const struct collector *c, size_t part, enum span span, struct arena *arena)
{
	const struct software_part *from = &c->software->parts[part];
	bool is_interval = span == SPAN_INTERVAL;
	struct software *whole = arena_alloc(arena, sizeof(*whole));
	struct software *by_cpu = arena_array(arena, from->ncpus, sizeof(*by_cpu));

	*whole = is_interval ? since_interval(&from->whole) : from->whole.now;
	for (size_t k = 0; k < from->ncpus; k++)
		by_cpu[k] = is_interval ? since_interval(&from->by_cpu[k]) : from->by_cpu[k].now;
	run->software = whole;
	run->software_by_cpu = from->ncpus ? by_cpu : NULL;
}

/* What went down, as a process ended that nobody has waited for yet, comes back with the next interval. */
static void remember(struct software_slot *slot)
{
	for (size_t i = 0; i < SOFTWARE_KINDS; i++)
		if (!(slot->now.values[i].value < slot->before.values[i].value))
			slot->before.values[i] = slot->now.values[i];
}

void software_remember(struct collector *c)
{
	for (size_t i = 0; i < c->software->nparts; i++) {
		struct software_part *part = &c->software->parts[i];

		remember(&part->whole);
		for (size_t k = 0; k < part->ncpus; k++)
			remember(&part->by_cpu[k]);
	}
}
