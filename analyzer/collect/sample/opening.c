/* SPDX-License-Identifier: GPL-2.0-or-later */
/* opening.c - the events of a run: at which sites and CPUs, through which ring, and what is lowered where needed. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "collect/count/count.h"
#include "collect/perf/refusals.h"
#include "collect/sample/sampler.h"

#define PLAIN_RING	 ((size_t)512 * 1024)	    /* and its page of control: the usual kernel.perf_event_mlock_kb */
#define STACKS_ALL	 ((size_t)64 * 1024 * 1024) /* with copies of stacks: of all rings together, */
#define STACKS_MOST	 ((size_t)8 * 1024 * 1024)  /* of one at most */
#define STACKS_LEAST	 ((size_t)1024 * 1024)	    /* and at least */
#define SHARE		 4			    /* of a ring that one stack may take */
#define WAIT_STACK_BYTES 8192 /* there are many, and none may be lost: a lost one is a wait that nobody knows of */

/* The CPUs of this machine, where the kernel lists none in /sys. */
static size_t number_of_cpus(const struct machine *machine)
{
	long online = machine->cpus ? (long)machine->online_cpus : sysconf(_SC_NPROCESSORS_ONLN);

	return online > 0 ? (size_t)online : 1;
}

static unsigned cpu_at(const struct machine *machine, size_t i)
{
	return machine->cpus ? machine->cpus[i].number : (unsigned)i;
}

/*
 * Clocks, and records of processes, are the same for all types of cores: a task's are opened with the first type, and
 * each CPU has one type.
 */
static bool is_main_site(const struct observer_site *site)
{
	return site->target.cpu || site->type == 0;
}

static bool is_of_kernel(const struct sample_event *event)
{
	return event->source == SAMPLE_CPU_CLOCK || event->source == SAMPLE_TASK_CLOCK || event->source == SAMPLE_WAITS;
}

static bool is_event_of(const struct sample_event *event, const struct observer_site *site)
{
	return event->source == SAMPLE_EVENT ? event->type == site->type : is_main_site(site);
}

/* ---- one event ---- */

static struct perf_sampling opening_describe(const struct sampler *sampler, const struct sample_event *event)
{
	static const struct {
		uint32_t type;
		uint64_t config;
	} sources[] = {
		[SAMPLE_CPU_CLOCK] = { PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK },
		[SAMPLE_TASK_CLOCK] = { PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK },
		[SAMPLE_CYCLES] = { PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
		[SAMPLE_WAITS] = { PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
		[SAMPLE_EVENT] = { 0, 0 },
	};
	uint32_t most = (uint32_t)(sampler->ring_bytes / SHARE) & ~7u;
	uint32_t wanted = sampler->request.stack_bytes	  ? sampler->request.stack_bytes
			  : event->source == SAMPLE_WAITS ? WAIT_STACK_BYTES
							  : DEFAULT_STACK_BYTES;

	return (struct perf_sampling){
		.event = event->source == SAMPLE_EVENT ? event->event : NULL,
		.type = sources[event->source].type,
		.config = sources[event->source].config,
		.name = event->name,
		.period = event->period,
		.frequency = event->frequency,
		.precise = is_of_kernel(event) ? 0 : event->precise,
		.extra = extra_of_stacks(sampler),
		.registers = sampler->registers,
		.stack_bytes = wanted < most ? wanted & ~7u : most,
		.members = event->members,
		.nmembers = event->nmembers,
		.is_pinned = sampler->request.is_beside && !is_of_kernel(event),
		.has_turns = event->source == SAMPLE_WAITS,
	};
}

static struct opened *add_opened(struct sampler *sampler)
{
	sampler->opened = arena_grow(sampler->arena, sampler->opened, sampler->nopened, &sampler->opened_room,
				     sizeof(*sampler->opened));
	return &sampler->opened[sampler->nopened];
}

/* Its records go through the CPU's ring, which it brings where there is none. */
static int connect_ring(struct sampler *sampler, struct opened *opened, struct error *err)
{
	const struct cpu_ring *ring = rings_find(&sampler->rings, opened->cpu);
	int status;

	if (ring)
		status = perf_sampled_share(&opened->sampled, ring->fd);
	else
		status = rings_add(&sampler->rings, opened->cpu, opened->sampled.fd, &sampler->ring_bytes);
	if (status == 0)
		return 0;
	return error_set(err,
			 "the kernel gives no memory for the buffer of samples (%s), not even %zu KiB: `sudo sysctl "
			 "kernel.perf_event_mlock_kb=516` allows what is usual",
			 strerror(-status), LEAST_RING / 1024);
}

static bool is_gone(const struct perf_target *target, const struct opened *opened)
{
	return opened->sampled.fd < -1 && perf_target_is_gone(target, -opened->sampled.fd);
}

static void note_fate(struct sampler *sampler, const struct opened *opened)
{
	struct event_fate *fate = &sampler->fates[opened->event - sampler->first];
	struct profile_event *event = &sampler->profile->events[opened->event];

	if (!fate->was_opened || opened->sampled.precise < event->precise)
		event->precise = opened->sampled.precise;
	fate->was_opened = true;
	fate->was_by_ibs = fate->was_by_ibs || opened->sampled.is_by_ibs;
	fate->was_alone = fate->was_alone || opened->sampled.is_alone;
	sampler->was_any_opened = true;
}

/* Where an event of the request is opened, or where processes are watched: event NULL. */
struct opening {
	struct sampler *sampler;
	const struct observer_sites *sites;
	size_t site;
	const unsigned *cpu;
};

static struct perf_target target_of(const struct opening *opening)
{
	struct perf_target target = opening->sites->items[opening->site].target;

	target.cpu = opening->cpu;
	return target;
}

/* 1: it is open, 0: the task or the CPU is gone, -1: refused. */
static int open_one(const struct opening *opening, size_t number, struct error *err)
{
	struct sampler *sampler = opening->sampler;
	struct perf_target target = target_of(opening);
	struct opened *opened = add_opened(sampler);
	struct perf_sampling how;
	int status;

	*opened = (struct opened){ .event = number == SIZE_MAX ? PROFILE_NONE : sampler->first + (uint32_t)number,
				   .site = opening->site,
				   .cpu = *opening->cpu,
				   .counters = sampler->nopened_ever++,
				   .is_of_task = perf_target_is_task(&target) };
	if (number == SIZE_MAX) {
		status = perf_tracking_open(&opened->sampled, &target, err);
	} else {
		how = opening_describe(sampler, &sampler->request.events[number]);
		opened->is_of_waits = how.has_turns;
		if (how.frequency > sampler->frequency_limit && sampler->frequency_limit)
			how.frequency = sampler->frequency_limit;
		status = perf_sampled_open(&opened->sampled, &target, &how, err);
	}
	if (status == 0)
		status = connect_ring(sampler, opened, err);
	if (status < 0) {
		bool was_gone = is_gone(&target, opened);

		perf_sampled_close(&opened->sampled);
		return was_gone ? 0 : -1;
	}
	sampler->nopened++;
	if (opened->event != PROFILE_NONE)
		note_fate(sampler, opened);
	return 1;
}

/* ---- a site ---- */

static void note_refusal(struct sampler *sampler, size_t number, const struct error *err)
{
	struct event_fate *fate = &sampler->fates[number];

	if (!fate->refusal)
		fate->refusal = arena_strdup(sampler->arena, err->text);
	if (!is_error(&sampler->first_error))
		sampler->first_error = *err;
}

/* True: at least one of the run's events. */
static bool open_events(const struct opening *opening)
{
	const struct observer_site *site = &opening->sites->items[opening->site];
	struct sampler *sampler = opening->sampler;
	bool has_any = false;

	for (size_t i = 0; i < sampler->request.nevents; i++) {
		const struct sample_event *event = &sampler->request.events[i];
		struct error err = { .status = 0 };
		int status;

		if (event->run != opening->sites->run || !is_event_of(event, site))
			continue;
		status = open_one(opening, i, &err);
		if (status < 0)
			note_refusal(sampler, i, &err);
		has_any = has_any || status > 0;
	}
	return has_any;
}

/* Where the kernel does not take the PMU's events: on the other cores. */
static bool *cpus_of_type(const struct sampler *sampler, const struct observer_site *site)
{
	const struct pmu *pmu = site->target.pmu;

	return pmu && sampler->request.machine->cpus ? machine_cpus_of(sampler->request.machine, pmu, sampler->arena)
						     : NULL;
}

static bool open_on_cpu(const struct opening *opening, bool is_of_type)
{
	struct error err = { .status = 0 };

	if (is_main_site(&opening->sites->items[opening->site]) && open_one(opening, SIZE_MAX, &err) < 0 &&
	    !is_error(&opening->sampler->first_error))
		opening->sampler->first_error = err;
	return (is_of_type || is_main_site(&opening->sites->items[opening->site])) && open_events(opening);
}

/* A task's events are opened for each CPU: what it starts inherits them, and only then they may share a ring. */
static bool open_site(struct sampler *sampler, const struct observer_sites *sites, size_t number)
{
	const struct observer_site *site = &sites->items[number];
	const struct machine *machine = sampler->request.machine;
	const bool *is_of_type = cpus_of_type(sampler, site);
	bool has_any = false;

	if (site->target.cpu) {
		const struct opening opening = { sampler, sites, number, site->target.cpu };

		return open_on_cpu(&opening, true);
	}
	for (size_t i = 0; i < number_of_cpus(machine); i++) {
		const unsigned cpu = cpu_at(machine, i);
		const struct opening opening = { sampler, sites, number, &cpu };

		has_any = open_on_cpu(&opening, !is_of_type || is_of_type[i]) || has_any;
	}
	return has_any;
}

static size_t bytes_with_stacks(const struct machine *machine)
{
	size_t bytes = STACKS_MOST;

	while (bytes > STACKS_LEAST && bytes * number_of_cpus(machine) > STACKS_ALL)
		bytes /= 2;
	return bytes;
}

static bool copies_stacks(const struct sampler *sampler)
{
	return extra_of_stacks(sampler) & PERF_SAMPLE_STACK_USER;
}

/* What exists already, after tracking began: nothing falls between. */
static void read_existing(struct sampler *sampler, const struct observer_sites *sites)
{
	bool has_all = false;

	for (size_t i = 0; i < sites->count; i++) {
		const struct perf_target *target = &sites->items[i].target;

		if (!perf_target_is_task(target))
			has_all = true;
		else if (target->is_attached)
			intake_read_thread(sampler->intake, (uint32_t)target->pid);
	}
	if (has_all)
		intake_read_all(sampler->intake);
}

static void choose_bytes(struct sampler *sampler)
{
	sampler->wanted_bytes = sampler->request.buffer_bytes ? sampler->request.buffer_bytes : PLAIN_RING;
	sampler->ring_bytes = sampler->wanted_bytes;
	if (copies_stacks(sampler) && !sampler->request.buffer_bytes)
		sampler->ring_bytes = bytes_with_stacks(sampler->request.machine);
}

static bool open_sites(struct sampler *sampler, const struct observer_sites *sites)
{
	bool has_any = false;

	for (size_t i = 0; i < sites->count; i++)
		has_any = open_site(sampler, sites, i) || has_any;
	return has_any;
}

/* This CPU, or a clock, has no branch records: frame pointers need nothing of it. */
static void give_up_branches(struct sampler *sampler)
{
	sampler_drop(sampler);
	sampler->has_no_branches = true;
	sampler->request.stacks = SAMPLE_STACKS_FP;
	sampler->format.sample_type &= ~(uint64_t)PERF_SAMPLE_BRANCH_STACK;
	intake_change_stacks(sampler->intake, SAMPLE_STACKS_FP);
	error_clear(&sampler->first_error);
	for (size_t i = 0; i < sampler->request.nevents; i++)
		sampler->fates[i].refusal = NULL;
}

static bool is_run_wanted(const struct sampler *sampler, size_t run)
{
	for (size_t i = 0; i < sampler->request.nevents; i++)
		if (sampler->request.events[i].run == run)
			return true;
	return false;
}

/* Samples of all events of a run are alike: the kernel's records do not say whose they are before they are read. */
static void choose_format(struct sampler *sampler, size_t run)
{
	sampler->format.sample_type &= ~(uint64_t)PERF_SAMPLE_READ;
	sampler->format.read_format = SAMPLED_GROUP_FORMAT;
	for (size_t i = 0; i < sampler->request.nevents; i++)
		if (sampler->request.events[i].run == run && sampler->request.events[i].nmembers)
			sampler->format.sample_type |= PERF_SAMPLE_READ;
}

int sampler_open(struct sampler *sampler, const struct observer_sites *sites, struct error *err)
{
	bool has_any;

	sampler->run = sites->run;
	sampler->repeat = sites->repeat;
	sampler->starts_by_itself = sites->count && sites->items[0].target.start == PERF_START_WITH_EXEC;
	choose_bytes(sampler);
	choose_format(sampler, sites->run);
	if (sites->count) {
		sampler->profile->scope = scope_name(sites->items[0].target.scope);
		sampler->is_user_only = sites->items[0].target.scope == SCOPE_USER;
	}
	if (!is_run_wanted(sampler, sites->run))
		return 0;
	has_any = open_sites(sampler, sites);
	if (!has_any && sampler->request.stacks == SAMPLE_STACKS_LBR && is_error(&sampler->first_error)) {
		give_up_branches(sampler);
		has_any = open_sites(sampler, sites);
	}
	if (has_any) {
		read_existing(sampler, sites);
		return 0;
	}
	if (is_error(&sampler->first_error))
		return error_set(err, "%s", sampler->first_error.text);
	return error_set(err, "%s does not exist, or not any more, so there is nothing to sample",
			 sites->request->subject.name ? sites->request->subject.name : "the program");
}
