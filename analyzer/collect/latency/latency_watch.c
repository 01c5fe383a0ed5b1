/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * latency_watch.c - the calls of the first run, as an observer: probes at both ends of a call, on whole CPUs for
 * functions and of the run's tasks for tracepoints, and the records that say what is mapped where and who is whose
 * child.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "collect/latency/latency_parts.h"
#include "collect/perf/perf_sampling.h"
#include "collect/sample/sampler.h"
#include "common/base/text.h"
#include "common/measurement/counts.h"
#include "program/symbols/symbols.h"

#define RING_BYTES ((size_t)4 * 1024 * 1024)
#define IN_RUN	   5000000 /* ns: records of other CPUs that are just being written */
#define TRAMPOLINE "[uprobes]"
#define PAGE	   4096u

#define IDLE (1u << 31) /* and the CPU: stands for its idle thread */

/* asm/perf_regs.h */
#if defined(__x86_64__)
#define REGISTERS     (1ull << 7 | 1ull << 8) /* sp, ip */
#define STACK_POINTER 0
#define INSTRUCTION   1
#define RETURN_SLOT   8 /* bytes that a call pushes */
#elif defined(__aarch64__)
#define REGISTERS     (1ull << 30 | 1ull << 31 | 1ull << 32) /* lr, sp, pc */
#define LINK	      0
#define STACK_POINTER 1
#define INSTRUCTION   2
#define RETURN_SLOT   0
#endif

enum call_side { CALL_BEGIN, CALL_END };

struct latency_watch {
	struct observer observer;
	struct arena *arena;
	const struct latency_target *target;
	struct call_times *times;
	struct call_machine machine;
	struct rings rings;
	struct perf_sampled *open;
	size_t nopen, room;
	struct number_table sides;   /* by an event's id: of side_marks */
	struct number_table members; /* by process: is_member, or NOT_YET */
	bool takes_all;		     /* whole CPUs or a cgroup: all are members */
	bool starts_by_itself, is_done;
	struct profile profile;
	struct mapped_files *files;
	struct processes processes;
	uint64_t since; /* it is on; 0: it is off */
};

static const struct record_format latency_format = {
	.sample_type = SAMPLING_TYPE | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
	.regs_user = REGISTERS,
	.has_ids = true,
};

static char side_marks[2][1], is_member[1], not_yet[1];

/* ---- what a record says ---- */

static struct perf_passing latency_passing(const struct latency_target *target, size_t place, enum call_side side)
{
	struct perf_passing passing = {
		.type = target->type,
		.filter = target->filter,
		.extra = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
		.registers = REGISTERS,
		.stack_bytes = sizeof(uint64_t),
	};

	if (target->kind == CALL_SYSCALL || target->kind == CALL_TRACEPOINT) {
		passing.config = side == CALL_BEGIN ? target->begin : target->end;
		return passing;
	}
	passing.config = side == CALL_END; /* format/retprobe of the PMU */
	passing.config1 = (uint64_t)(uintptr_t)(target->kind == CALL_FUNCTION ? target->path : target->name);
	passing.config2 = target->offsets[place];
	return passing;
}

static bool has_registers(const struct record_sample *sample)
{
	return sample->registers && sample->nregisters > INSTRUCTION;
}

static uint64_t latency_stack(const struct latency_target *target, const struct record_sample *sample,
			      enum call_side side)
{
	if (target->kind != CALL_FUNCTION || !has_registers(sample))
		return 0;
	return sample->registers[STACK_POINTER] - (side == CALL_END ? RETURN_SLOT : 0);
}

/* Where the call returns to, or the system call was made; 0: unknown. */
static uint64_t caller_address(const struct latency_target *target, const struct record_sample *sample)
{
	uint64_t address = 0;

	if (!has_registers(sample))
		return 0;
	if (target->kind == CALL_SYSCALL)
		return sample->registers[INSTRUCTION];
	if (target->kind != CALL_FUNCTION)
		return 0;
#ifdef LINK
	address = sample->registers[LINK];
#else
	if (sample->stack_bytes >= sizeof(address))
		memcpy(&address, sample->stack, sizeof(address));
#endif
	return address;
}

/* ---- whose record it is ---- */

static bool has_process(const struct latency_watch *watch, uint32_t pid)
{
	return watch->takes_all || number_table_get(&watch->members, pid) == is_member;
}

/* Children of members are members. */
static void latency_take_fork(struct latency_watch *watch, const struct record_task *task)
{
	void *parent = number_table_get(&watch->members, task->parent);

	if (parent && task->pid != task->parent)
		number_table_set(&watch->members, task->pid, parent);
}

static void name_thread(struct latency_watch *watch, uint32_t pid, struct calling_thread *thread)
{
	const struct thread *known;

	if (thread->row->name)
		return;
	if (!pid) {
		thread->row->name = arena_printf(watch->arena, "idle CPU %u", thread->row->tid & ~IDLE);
		thread->row->tid = 0;
		return;
	}
	known = thread_find(&watch->processes, pid, thread->row->tid);
	thread->row->pid = pid;
	thread->row->name = *known->name ? arena_strdup(watch->arena, known->name) : NULL;
}

/* A new program in a process: nothing of the old one returns. */
static void latency_take_name(struct latency_watch *watch, const struct record_comm *comm)
{
	struct calling_thread *thread = number_table_get(&watch->machine.threads, comm->tid);

	if (comm->is_exec && number_table_get(&watch->members, comm->pid) == not_yet)
		number_table_set(&watch->members, comm->pid, is_member);
	if (comm->is_exec && watch->target->kind == CALL_FUNCTION)
		call_machine_leave(&watch->machine, comm->tid, false);
	if (thread && thread->row->tid == comm->tid)
		thread->row->name = arena_strdup(watch->arena, comm->name);
}

/* What the kernel puts into the place of return addresses begins a page of its own, which no record announces. */
static bool is_trampoline(const struct mapping *mapping, uint64_t address)
{
	return mapping ? !strcmp(mapped_file_path(mapping->file), TRAMPOLINE) : address % PAGE == 0;
}

static void find_caller(struct latency_watch *watch, struct call_event *event, const struct record *record)
{
	uint64_t address = caller_address(watch->target, &record->of.sample);
	const struct process *process;
	const struct mapping *mapping;

	event->caller = PROFILE_NONE;
	if (!address)
		return;
	process = process_find(&watch->processes, record->identity.pid);
	mapping = process_mapping(process, address);
	event->is_chained = is_trampoline(mapping, address);
	if (!event->is_chained)
		event->caller =
			place_of_user(watch->files, process_mapping(process, address - 1), process->pid, address - 1);
}

/* CPUs that have nothing to do share the thread 0. */
static uint32_t thread_number(const struct record_identity *who)
{
	return who->tid ? who->tid : IDLE | who->cpu;
}

static void latency_take_sample(struct latency_watch *watch, const struct record *record)
{
	const char *mark = number_table_get(&watch->sides, (uint32_t)record->identity.id);
	enum call_side side = mark == side_marks[CALL_END] ? CALL_END : CALL_BEGIN;
	struct call_event event = { .time = record->identity.time, .thread = thread_number(&record->identity) };

	if (!mark)
		return;
	if (!has_process(watch, record->identity.pid)) {
		watch->times->others += side == CALL_BEGIN && !number_table_get(&watch->members, record->identity.pid);
		return;
	}
	event.stack = latency_stack(watch->target, &record->of.sample, side);
	if (side == CALL_END) {
		call_machine_end(&watch->machine, &event);
		return;
	}
	find_caller(watch, &event, record);
	call_machine_begin(&watch->machine, &event);
	name_thread(watch, record->identity.pid, call_machine_thread(&watch->machine, event.thread));
}

static bool is_of_member(const struct latency_watch *watch, const struct record *record)
{
	uint32_t pid = record->type == PERF_RECORD_FORK ? record->of.task.parent : record->identity.pid;

	return watch->takes_all || number_table_get(&watch->members, pid);
}

static void take_record(void *context, const struct record *record)
{
	struct latency_watch *watch = context;

	switch (record->type) {
	case PERF_RECORD_SAMPLE: latency_take_sample(watch, record); return;
	case PERF_RECORD_FORK: latency_take_fork(watch, &record->of.task); break;
	case PERF_RECORD_COMM: latency_take_name(watch, &record->of.comm); break;
	case PERF_RECORD_EXIT: call_machine_leave(&watch->machine, record->of.task.tid, true); break;
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES: call_machine_lose(&watch->machine, record->of.loss.count); return;
	default: break;
	}
	if (is_of_member(watch, record))
		processes_apply(&watch->processes, record);
}

static void latency_read_until(struct latency_watch *watch, uint64_t until)
{
	rings_read(&watch->rings, &latency_format, until, take_record, watch);
}

/* ---- the events of a run ---- */

static void latency_watch_drop(struct latency_watch *watch)
{
	rings_release(&watch->rings);
	for (size_t i = 0; i < watch->nopen; i++)
		perf_sampled_close(&watch->open[i]);
	watch->nopen = 0;
}

/* The next one to open. */
static struct perf_sampled *next_event(struct latency_watch *watch)
{
	watch->open = arena_grow(watch->arena, watch->open, watch->nopen, &watch->room, sizeof(*watch->open));
	return &watch->open[watch->nopen];
}

/* Through the CPU's ring; the first event of a CPU has it. 0 or -errno. */
static int keep_event(struct latency_watch *watch, unsigned cpu)
{
	const struct cpu_ring *ring = rings_find(&watch->rings, cpu);
	const struct perf_sampled *sampled = &watch->open[watch->nopen++];
	size_t bytes = RING_BYTES;

	return ring ? perf_sampled_share(sampled, ring->fd) : rings_add(&watch->rings, cpu, sampled->fd, &bytes);
}

static int open_sides(struct latency_watch *watch, const struct perf_target *target, size_t place)
{
	for (enum call_side side = CALL_BEGIN; side <= CALL_END; side++) {
		const struct perf_passing passing = latency_passing(watch->target, place, side);
		struct perf_sampled *sampled = next_event(watch);
		int status = perf_passing_open(sampled, target, &passing);

		if (status < 0)
			return status;
		number_table_set(&watch->sides, (uint32_t)sampled->id, side_marks[side]);
		status = keep_event(watch, *target->cpu);
		if (status < 0)
			return status;
	}
	return 0;
}

/* What is mapped where, first: records of a ring stand in the order in which they were written. */
static int open_on_cpu(struct latency_watch *watch, const struct perf_target *target, struct error *err)
{
	size_t places = watch->target->noffsets ? watch->target->noffsets : 1;
	int status;

	if (perf_tracking_open(next_event(watch), target, err) < 0) {
		status = watch->open[watch->nopen].fd;
		return status == -ENODEV || perf_target_is_gone(target, -status) ? 0 : status < 0 ? status : -EINVAL;
	}
	error_clear(err);
	status = keep_event(watch, *target->cpu);
	for (size_t i = 0; i < places && status == 0; i++)
		status = open_sides(watch, target, i);
	return perf_target_is_gone(target, -status) ? 0 : status;
}

static bool is_on_whole_cpus(const struct latency_watch *watch)
{
	return watch->target->kind == CALL_FUNCTION || watch->target->kind == CALL_KERNEL_FUNCTION;
}

/* Of a task on each CPU; of functions on the CPU for all tasks, once. */
static int latency_open_site(struct latency_watch *watch, const struct perf_target *site, struct error *err)
{
	const long ncpus = site->cpu ? 1 : sysconf(_SC_NPROCESSORS_CONF);
	struct perf_target target = *site;
	int status = 0;

	if (is_on_whole_cpus(watch) && perf_target_is_task(site)) {
		target.pid = -1;
		target.start = PERF_START_LATER;
		if (watch->rings.count)
			return 0;
	}
	for (long i = 0; i < ncpus && status == 0; i++) {
		unsigned cpu = site->cpu ? *site->cpu : (unsigned)i;

		target.cpu = &cpu;
		status = open_on_cpu(watch, &target, err);
	}
	return status;
}

static void add_member(struct latency_watch *watch, const struct perf_target *site)
{
	uint32_t tid = (uint32_t)site->pid, pid = site->is_attached ? process_of_thread(tid) : tid;

	if (!perf_target_is_task(site)) {
		watch->takes_all = true;
		return;
	}
	watch->starts_by_itself = site->start == PERF_START_WITH_EXEC && !is_on_whole_cpus(watch);
	if (pid)
		number_table_set(&watch->members, pid, site->is_attached ? is_member : not_yet);
}

static int refuse_probe(const struct latency_watch *watch, int failure, struct error *err)
{
	const struct latency_target *target = watch->target;

	error_clear(err);
	if (failure == EACCES || failure == EPERM)
		return error_set(
			err,
			"%s: the kernel lets only root set such probes, or a program with CAP_PERFMON: run "
			"topdown as root, or allow it by `sudo setcap cap_perfmon+ep \"$(command -v topdown)\"`",
			target->name);
	if (failure == EMFILE || failure == ENFILE)
		return error_set(err, "%s: there are not enough descriptors for a probe on each CPU; `ulimit -n 65536`",
				 target->name);
	return error_set(err, "%s: the kernel refuses the probe%s%s: %s", target->name, target->file ? " in " : "",
			 target->file ? target->file : "", strerror(failure));
}

static int latency_on_open(void *context, const struct observer_sites *sites, struct error *err)
{
	struct latency_watch *watch = context;
	int status = 0;

	if (watch->is_done)
		return 0;
	for (size_t i = 0; i < sites->count && status == 0; i++) {
		const struct perf_target *site = &sites->items[i].target;

		if (sites->items[i].type != 0 && !site->cpu)
			continue;
		add_member(watch, site);
		status = latency_open_site(watch, site, err);
	}
	if (status == 0)
		return 0;
	latency_watch_drop(watch);
	return refuse_probe(watch, -status, err);
}

static int latency_records_are_there(void *context, struct error *err UNUSED)
{
	struct latency_watch *watch = context;

	latency_read_until(watch, perf_sampling_clock() - IN_RUN);
	if (rings_are_tight(&watch->rings))
		latency_read_until(watch, perf_sampling_clock());
	return 0;
}

static void latency_on_attach(void *context, struct loop *loop)
{
	struct latency_watch *watch = context;

	for (size_t i = 0; i < watch->rings.count; i++) {
		struct cpu_ring *ring = &watch->rings.items[i];

		ring->wakeup = (struct loop_descriptor){
			.fd = ring->fd, .events = POLLIN, .call = latency_records_are_there, .context = watch
		};
		loop_add(loop, &ring->wakeup);
	}
}

/* Tracking runs at once, and always. */
static void switch_probes(const struct latency_watch *watch, bool is_on)
{
	for (size_t i = 0; i < watch->nopen; i++)
		if (number_table_get(&watch->sides, (uint32_t)watch->open[i].id))
			perf_sampled_switch(&watch->open[i], is_on);
}

static void latency_on_change(void *context, bool is_on)
{
	struct latency_watch *watch = context;
	uint64_t now = perf_sampling_clock();

	if (watch->is_done)
		return;
	if (!is_on || !watch->starts_by_itself)
		switch_probes(watch, is_on);
	watch->starts_by_itself = false;
	if (watch->since)
		watch->times->length_s += (double)(now - watch->since) * 1e-9;
	watch->since = is_on ? now : 0;
}

/* What was lost last is in no record. */
static void lose_unread(struct latency_watch *watch)
{
	uint64_t lost = 0;

	for (size_t i = 0; i < watch->nopen; i++) {
		perf_sampled_read(&watch->open[i]);
		lost += watch->open[i].lost;
	}
	if (lost > watch->times->lost)
		call_machine_lose(&watch->machine, lost - watch->times->lost);
}

static void latency_on_close(void *context)
{
	struct latency_watch *watch = context;

	if (watch->is_done || !watch->rings.count)
		return;
	latency_read_until(watch, UINT64_MAX);
	lose_unread(watch);
	watch->is_done = true;
	latency_watch_drop(watch);
}

/* ---- names ---- */

static const char *place_name(const struct latency_watch *watch, uint32_t number)
{
	const struct profile_place *place = &watch->profile.places[number];
	const struct profile_module *module = &watch->profile.modules[place->module];
	const char *slash = strrchr(module->path ? module->path : "", '/');

	if (place->nframes && place->frames[place->nframes - 1].function)
		return place->frames[place->nframes - 1].function;
	return arena_printf(watch->arena, "%s+0x%llx",
			    slash	   ? slash + 1
			    : module->path ? module->path
					   : "code",
			    (unsigned long long)place->address);
}

/* Places of one function are one caller. */
static void merge_callers(struct call_times *times)
{
	size_t kept = 0;

	for (size_t i = 0; i < times->ncallers; i++) {
		struct call_row *row = times->callers[i];
		size_t at = 0;

		while (at < kept && strcmp(times->callers[at]->name, row->name) != 0)
			at++;
		if (at == kept) {
			times->callers[kept++] = row;
			continue;
		}
		log_histogram_join(&times->callers[at]->times, &row->times);
		times->callers[at]->outer += row->outer;
	}
	times->ncallers = kept;
}

static void name_callers(struct latency_watch *watch)
{
	const struct symbol_request request = { .sysroot = "" };
	struct error unknown = { .text = "" };
	struct call_row *row;

	if (symbols_resolve(&watch->profile, &request, &unknown) < 0)
		unknown.text[0] = '\0'; /* they are called by their addresses then */
	for (uint32_t i = 0; i < watch->profile.nplaces; i++) {
		row = call_machine_caller(&watch->machine, i);
		if (row && !row->name)
			row->name = place_name(watch, i);
	}
	row = call_machine_caller(&watch->machine, PROFILE_NONE);
	if (row && !row->name)
		row->name = watch->target->kind == CALL_FUNCTION ? "a jump from the function itself" : "unknown";
	merge_callers(watch->times);
}

static void latency_on_finish(void *context, struct measurement *measured)
{
	struct latency_watch *watch = context;

	if (measured)
		name_callers(watch);
	call_machine_finish(&watch->machine);
	processes_release(&watch->processes);
	number_table_release(&watch->members);
	number_table_release(&watch->sides);
}

struct observer *latency_watch_new(const struct latency_target *target, struct call_times *times, struct arena *arena)
{
	struct latency_watch *watch = arena_alloc(arena, sizeof(*watch));

	watch->arena = arena;
	watch->target = target;
	watch->times = times;
	times->kind = target->kind;
	times->name = target->name;
	times->file = target->file;
	profile_init(&watch->profile, arena);
	watch->files = mapped_files_new(&watch->profile, true);
	processes_init(&watch->processes, watch->files, true);
	call_machine_init(&watch->machine, times, arena);
	watch->observer = (struct observer){ .context = watch,
					     .runs = 1,
					     .open = latency_on_open,
					     .attach = latency_on_attach,
					     .change = latency_on_change,
					     .close = latency_on_close,
					     .finish = latency_on_finish };
	return &watch->observer;
}
