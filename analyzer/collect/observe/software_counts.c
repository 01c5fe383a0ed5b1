/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * software_counts.c - an observer: what the kernel counts by itself, whatever the PMU counts. These are its own events
 * (perf), its accounts of processes (getrusage, /proc) and of cgroups, and with --pressure how long work waited. It
 * goes into each run, and into what -e asks for of it.
 */
#include <math.h>

#include "collect/count/launch.h"
#include "collect/perf/perf_group.h"
#include "common/measurement/software.h"
#include "common/measurement/tally.h"
#include "common/request/request.h"
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

/* From the kernel's events where they were opened, else from the accounts. */
static void merge(struct software *counted, const struct software *accounts)
{
	for (size_t i = 0; i < SOFTWARE_KINDS; i++) {
		struct software_value *value = &counted->values[i];

		if (isnan(value->value) && (!value->reason || !isnan(accounts->values[i].value)))
			*value = accounts->values[i];
	}
}

/* ---- a run ---- */

/* What belongs together: a part, or a CPU of it. */
struct software_slot {
	struct software now;	/* of the run, as it was read last */
	struct software before; /* the same when the last interval ended */
	struct software total;	/* of the accounts: what they say of the time that was counted before the last pause, */
	struct software since;	/* and what they said when counting went on */
	unsigned cpu;
};

struct software_part {
	struct software_slot whole, *by_cpu;
	size_t ncpus, room;
	const struct observer_site *first; /* of its sites */
};

struct software_site {
	struct observer_site at;
	struct perf_software perf;
};

struct software_counts {
	struct observer observer;
	const struct request *asked;
	struct arena *arena;
	struct arena scratch; /* while something is open: for what is read */
	struct sysfiles files;
	/* Of the current run: */
	const struct count_request *request;
	const struct child *program; /* NULL: it is not the subject */
	struct software_site *sites;
	size_t nsites;
	struct software_part *parts;
	size_t nparts;
	struct pressure_watch *pressed; /* NULL: nobody asks */
	struct traced_points *points;	/* the same */
	enum usage_more more;
	bool starts_by_itself, is_on;
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

static void software_add_cpu(struct software_part *part, unsigned cpu, struct arena *arena)
{
	part->by_cpu = arena_grow(arena, part->by_cpu, part->ncpus, &part->room, sizeof(*part->by_cpu));
	slot_init(&part->by_cpu[part->ncpus]);
	part->by_cpu[part->ncpus++].cpu = cpu;
}

/* Tasks are counted on the cores of several types, and the kernel's events know no types: the first has them all. */
static void software_open_site(struct software_counts *counts, const struct observer_site *at)
{
	struct software_site *site = &counts->sites[counts->nsites++];
	struct software_part *part = &counts->parts[at->part];
	struct perf_target target = at->target;

	site->at = *at;
	if (!part->first) {
		part->first = &site->at;
		slot_init(&part->whole);
		counts->nparts++;
	}
	if (target.cpu && at->own_cpu == part->ncpus)
		software_add_cpu(part, *target.cpu, counts->arena);
	counts->starts_by_itself = target.start == PERF_START_WITH_EXEC;
	perf_software_none(&site->perf);
	traced_points_open(counts->points, at);
	if (at->type > 0 && !target.cpu)
		return;
	target.scope = SCOPE_ALL;
	target.arena = counts->arena;
	perf_software_open(&site->perf, &target);
	if (site->perf.reasons[SOFTWARE_SWITCHES])
		counts->more = USAGE_SWITCHES;
}

static int software_on_open(void *context, const struct observer_sites *sites, struct error *err UNUSED)
{
	struct software_counts *counts = context;
	const struct setup *setup = counts->asked->setup;

	counts->request = sites->request;
	counts->program = sites->program;
	counts->sites = arena_array(counts->arena, sites->count, sizeof(*counts->sites));
	counts->parts = arena_array(counts->arena, sites->count, sizeof(*counts->parts));
	counts->nsites = counts->nparts = 0;
	counts->more = USAGE_PLAIN;
	counts->is_on = false;
	arena_init(&counts->scratch);
	counts->files = sysfiles_below("", &counts->scratch);
	traced_points_begin(counts->points, sites->count);
	for (size_t i = 0; i < sites->count; i++)
		software_open_site(counts, &sites->items[i]);
	counts->pressed =
		setup->packing.wants_pressure ? pressure_watch_new(sites, setup->machine.sysroot, counts->arena) : NULL;
	return 0;
}

/* ---- accounts of a part ---- */

static struct software accounts_of_task(const struct software_counts *counts, pid_t task, enum usage_extent extent)
{
	struct usage usage;

	if (usage_of_task(&usage, &counts->files, task, extent, counts->more))
		return accounts_of(&usage, "/proc");
	return all_withheld("it ended before its account was read");
}

static struct software accounts_of_program(const struct software_counts *counts)
{
	const struct child *program = counts->program;

	if (!program)
		return all_withheld("it was not started");
	return program->has_ended ? accounts_of_ended(program) : accounts_of_task(counts, program->pid, USAGE_TREE);
}

static struct software accounts_of_tasks(const struct software_counts *counts)
{
	const struct subject *subject = &counts->request->subject;
	enum usage_extent extent = subject->kind == SUBJECT_PROCESSES ? USAGE_PROCESS : USAGE_THREAD;
	struct software sum = all_withheld("nothing is left of it");

	for (size_t i = 0; i < subject->nids; i++) {
		struct software one = accounts_of_task(counts, subject->ids[i], extent);

		for (size_t k = 0; k < SOFTWARE_PRESSURE; k++)
			sum.values[k] = i ? software_sum(sum.values[k], one.values[k]) : one.values[k];
	}
	return sum;
}

/* By the directory that is open; its name may be relative to one of several mounts. */
static struct software accounts_of_cgroup(const struct software_counts *counts, int directory)
{
	struct usage usage;

	usage_of_cgroup(&usage, &counts->files, arena_printf(counts->files.arena, "proc/self/fd/%d", directory));
	return accounts_of(&usage, "cgroup");
}

static struct software accounts_of_cpu(const struct software_counts *counts, unsigned cpu)
{
	struct usage usage;
	struct software s;

	usage_of_cpu(&usage, &counts->files, cpu);
	usage.no_cpu_time = "/proc/stat does not have the CPU";
	usage.no_bytes = OF_PROCESSES;
	s = accounts_of(&usage, "/proc");
	s.values[SOFTWARE_TASK_CLOCK] = software_withheld("for whole CPUs it is the elapsed time");
	return s;
}

static struct software kernel_accounts(const struct software_counts *counts, const struct software_part *part)
{
	const struct subject *subject = &counts->request->subject;
	const pid_t pid = part->first->target.pid;

	if (part->first->type > 0 && !part->ncpus)
		return all_withheld(
			"the kernel counts it for all core types together: it is shown with the first type");
	if (subject->is_by_thread)
		return accounts_of_task(counts, pid, USAGE_THREAD);
	switch (subject->kind) {
	case SUBJECT_PROGRAM: return accounts_of_program(counts);
	case SUBJECT_PROCESSES:
	case SUBJECT_THREADS: return accounts_of_tasks(counts);
	case SUBJECT_CGROUP: return accounts_of_cgroup(counts, pid);
	case SUBJECT_CPUS: break; /* they are the sums of its CPUs */
	}
	return software_unknown();
}

static struct software accounts_of_part(const struct software_counts *counts, const struct software_part *part)
{
	struct software accounts = kernel_accounts(counts, part);

	pressure_tell(&accounts, counts->pressed, counts->request->subject.is_by_thread ? part->first->target.pid : 0);
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

/* What the accounts say while counting pauses does not count. */
static void software_on_change(void *context, bool is_on)
{
	struct software_counts *counts = context;
	bool has_cpus = counts->request->subject.kind == SUBJECT_CPUS;

	for (size_t i = 0; i < counts->nsites && !(is_on && counts->starts_by_itself); i++)
		perf_software_switch(&counts->sites[i].perf, is_on);
	if (!(is_on && counts->starts_by_itself))
		traced_points_switch(counts->points, is_on);
	counts->starts_by_itself = false;
	arena_reset(&counts->scratch);
	pressure_look(counts->pressed);
	for (size_t i = 0; i < counts->nparts; i++) {
		struct software_part *part = &counts->parts[i];
		struct software accounts = accounts_of_part(counts, part);

		slot_pass(&part->whole, &accounts, is_on);
		for (size_t k = 0; has_cpus && k < part->ncpus; k++) {
			accounts = accounts_of_cpu(counts, part->by_cpu[k].cpu);
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
static struct software events_of(const struct software_counts *counts, size_t part, size_t own_cpu)
{
	enum subject_kind kind = counts->request->subject.kind;
	struct software sum = software_unknown();
	bool has_any = false;

	for (size_t i = 0; i < counts->nsites; i++) {
		const struct software_site *site = &counts->sites[i];
		struct software one = software_unknown();

		if (site->at.part != part || site->perf.is_gone ||
		    (own_cpu != TABLE_NONE && site->at.own_cpu != own_cpu))
			continue;
		perf_software_read(&one, &site->perf);
		for (size_t k = 0; k < SOFTWARE_PRESSURE; k++)
			sum.values[k] = has_any ? software_sum(sum.values[k], one.values[k]) : one.values[k];
		has_any = true;
	}
	/* What is enabled there is the CPU, and no task. */
	if (kind == SUBJECT_CPUS || kind == SUBJECT_CGROUP)
		sum.values[SOFTWARE_TASK_CLOCK] = software_unknown().values[SOFTWARE_TASK_CLOCK];
	return sum;
}

static void software_read_cpus(const struct software_counts *counts, size_t number)
{
	const struct software_part *part = &counts->parts[number];

	for (size_t k = 0; k < part->ncpus; k++) {
		struct software_slot *slot = &part->by_cpu[k];
		struct software accounts = all_withheld(OF_PROCESSES);

		if (counts->request->subject.kind == SUBJECT_CPUS) {
			accounts = accounts_of_cpu(counts, slot->cpu);
			accounts = counted_accounts(slot, &accounts, counts->is_on);
		}
		slot->now = events_of(counts, number, k);
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

static void software_on_read(void *context)
{
	struct software_counts *counts = context;

	arena_reset(&counts->scratch);
	pressure_look(counts->pressed);
	traced_points_read(counts->points);
	for (size_t i = 0; i < counts->nparts; i++) {
		struct software_part *part = &counts->parts[i];
		struct software accounts = accounts_of_part(counts, part);

		accounts = counted_accounts(&part->whole, &accounts, counts->is_on);
		software_read_cpus(counts, i);
		if (counts->request->subject.kind == SUBJECT_CPUS)
			sum_cpus(&part->whole.now, part);
		else
			part->whole.now = events_of(counts, i, TABLE_NONE);
		merge(&part->whole.now, &accounts);
	}
}

/* ---- into the measurement ---- */

/* What went down, as a process ended that nobody has waited for yet, comes back with the next interval. */
static struct software slot_take(struct software_slot *slot, bool is_interval)
{
	struct software taken = slot->now;

	for (size_t i = 0; is_interval && i < SOFTWARE_KINDS; i++) {
		struct software_value *before = &slot->before.values[i];

		taken.values[i] = software_since(slot->now.values[i], *before);
		if (!(slot->now.values[i].value < before->value))
			*before = slot->now.values[i];
	}
	return taken;
}

static void fill_item(struct count *item, const struct count_run *run)
{
	struct software_value value = software_event(run->software, item->event);

	item->enabled_ns = item->running_ns = (uint64_t)(run->wall_s * 1e9);
	item->state = isnan(value.value) ? COUNT_REFUSED : COUNT_OK;
	item->reason = isnan(value.value) ? value.reason : NULL;
	item->value = value.value;
	item->raw = isnan(value.value) ? 0 : (uint64_t)value.value;
}

static void keep_cpus(struct count *item, const struct count_run *run, size_t ncpus, struct arena *arena)
{
	struct tally *by_cpu = arena_array(arena, ncpus, sizeof(*by_cpu));

	for (size_t i = 0; i < ncpus; i++) {
		struct software_value value = software_event(&run->software_by_cpu[i], item->event);

		if (isnan(value.value))
			by_cpu[i].refused = value.reason;
		else
			by_cpu[i] = (struct tally){ .value = value.value,
						    .raw = (uint64_t)value.value,
						    .enabled_ns = item->enabled_ns,
						    .running_ns = item->running_ns };
	}
	item->by_cpu = by_cpu;
}

/* Those events of the groups that the kernel counts by itself. */
static void fill_items(const struct observed *to, const struct count_type *type, size_t ncpus)
{
	const struct count_run *run = &to->repeat->runs[to->repeat->nruns - 1];
	struct count *item = to->repeat->items + to->first, *end = item + to->count;

	while (item < end) {
		const struct plan_group *group = &type->plan->groups[item->group];

		for (size_t i = 0; i < group->count; i++, item++) {
			if (type->model->events.events[group->events[i]].kind != EVENT_SOFTWARE)
				continue;
			fill_item(item, run);
			if (ncpus)
				keep_cpus(item, run, ncpus, to->arena);
		}
	}
}

static void software_on_add(void *context, const struct observed *to)
{
	const struct software_counts *counts = context;
	struct software_part *part = &counts->parts[to->part];
	struct count_run *run = &to->repeat->runs[to->repeat->nruns - 1];
	struct software *whole = arena_alloc(to->arena, sizeof(*whole));
	struct software *by_cpu = arena_array(to->arena, part->ncpus, sizeof(*by_cpu));

	*whole = slot_take(&part->whole, to->is_interval);
	traced_points_take(whole, counts->points, to);
	for (size_t k = 0; k < part->ncpus; k++)
		by_cpu[k] = slot_take(&part->by_cpu[k], to->is_interval);
	run->software = whole;
	run->software_by_cpu = part->ncpus ? by_cpu : NULL;
	if (to->count)
		fill_items(to, &counts->request->types[part->first->type], part->ncpus);
}

/* ---- the observer ---- */

static void software_on_attach(void *context, struct loop *loop)
{
	pressure_attach(((struct software_counts *)context)->pressed, loop);
}

static void software_on_close(void *context)
{
	struct software_counts *counts = context;

	for (size_t i = 0; i < counts->nsites; i++)
		perf_software_close(&counts->sites[i].perf);
	traced_points_close(counts->points);
	counts->nsites = 0;
	arena_release(&counts->scratch);
}

static int check_software(const struct request *request, struct error *err)
{
	return request->setup->packing.wants_pressure ? pressure_check(request, err) : 0;
}

static struct observer *make_software(const struct request *request)
{
	struct software_counts *counts = arena_alloc(request->arena, sizeof(*counts));

	*counts = (struct software_counts){ .asked = request, .arena = request->arena };
	counts->points = traced_points_new(request->question->events, request->setup->machine.sysroot, request->arena);
	counts->observer = (struct observer){ .context = counts,
					      .open = software_on_open,
					      .attach = software_on_attach,
					      .change = software_on_change,
					      .read = software_on_read,
					      .add = software_on_add,
					      .close = software_on_close };
	return &counts->observer;
}

const struct observer_kind observe_software = { .check = check_software, .make = make_software };
