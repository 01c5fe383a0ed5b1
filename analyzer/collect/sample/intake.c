/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/sample/intake.h"

#include <string.h>

#include "program/unwind/unwind.h"

#define MOST_FRAMES	     2048
#define RETIRE_LATENCY_SHIFT 48 /* of PERF_SAMPLE_WEIGHT_STRUCT: var3_w, of x86 (arch/x86/events/intel/ds.c) */
#define NS		     1e-9
#define READ_ALL_S	     0.05 /* of a start that may take 0.1 s */

/* A frame of a stack, innermost first. */
struct sim_environment {
	uint64_t address;
	bool is_kernel;
};

struct frames {
	struct sim_environment items[MOST_FRAMES];
	size_t count;
	bool is_truncated;
	enum stack_method method;
};

struct intake {
	struct intake_setup setup;
	struct mapped_files *files;
	struct processes processes;
	struct unwinder *unwinder;
	uint64_t begin;	  /* of the run; 0: it has not begun */
	uint64_t *begins; /* of its intervals from 1 on: times */
	size_t nintervals, intervals_room;
	struct frames frames; /* of the sample that is being taken */
	uint64_t addresses[MOST_FRAMES];
};

/* ---- the unwinder ---- */

static void tell_map(void *context, uint32_t pid, const struct record_mapping *recorded)
{
	const struct unwind_mapping mapping = { .pid = pid,
						.begin = recorded->address,
						.length = recorded->length,
						.offset = recorded->offset,
						.path = recorded->path,
						.inode = recorded->has_inode ? recorded->inode : 0 };

	unwinder_map(context, &mapping);
}

static void tell_fork(void *context, uint32_t parent, uint32_t child)
{
	unwinder_fork(context, parent, child);
}

static void tell_exec(void *context, uint32_t pid)
{
	unwinder_exec(context, pid);
}

static void tell_exit(void *context, uint32_t pid)
{
	unwinder_exit(context, pid);
}

/* Of this machine, or of the one that the records come from. */
static struct unwinder *unwinder_of(const struct intake *intake)
{
	return intake->setup.elf_machine ? unwinder_new_for("", intake->setup.elf_machine) : unwinder_new("");
}

static void unwinder_begin(struct intake *intake)
{
	bool is_wanted = intake->setup.stacks == SAMPLE_STACKS_AUTO || intake->setup.stacks == SAMPLE_STACKS_CFI;

	intake->unwinder = is_wanted && intake->setup.registers ? unwinder_of(intake) : NULL;
	if (intake->unwinder)
		intake->processes.listener =
			(struct process_listener){ intake->unwinder, tell_map, tell_fork, tell_exec, tell_exit };
}

static void unwinder_end(struct intake *intake)
{
	if (intake->unwinder)
		unwinder_free(intake->unwinder);
}

static size_t intake_walk(struct intake *intake, const struct record *record, size_t most, bool *is_truncated)
{
	const struct record_sample *sample = &record->of.sample;
	const struct unwind_sample interrupted = { .pid = record->identity.pid,
						   .tid = record->identity.tid,
						   .mask = intake->setup.registers,
						   .registers = sample->registers,
						   .stack = sample->stack,
						   .size = sample->stack_bytes };

	if (!intake->unwinder || sample->registers_abi != PERF_SAMPLE_REGS_ABI_64 || !sample->registers)
		return 0;
	return unwinder_walk(intake->unwinder, &interrupted, intake->addresses, most, is_truncated);
}

/* ---- making and ending ---- */

struct intake *intake_new(const struct intake_setup *setup)
{
	struct intake *intake = arena_alloc(setup->profile->arena, sizeof(*intake));

	intake->setup = *setup;
	intake->files = mapped_files_new(setup->profile, setup->is_live);
	processes_init(&intake->processes, intake->files, setup->is_live);
	unwinder_begin(intake);
	return intake;
}

void intake_release(struct intake *intake)
{
	unwinder_end(intake);
	processes_release(&intake->processes);
}

void intake_change_stacks(struct intake *intake, enum sample_stacks stacks)
{
	intake->setup.stacks = stacks;
}

struct processes *intake_processes(struct intake *intake)
{
	return &intake->processes;
}

struct mapped_files *intake_files(struct intake *intake)
{
	return intake->files;
}

void intake_read_thread(struct intake *intake, uint32_t tid)
{
	uint32_t pid;

	if (number_table_get(&intake->processes.by_tid, tid))
		return;
	pid = process_of_thread(tid);
	if (pid)
		thread_find(&intake->processes, pid, tid);
}

void intake_read_all(struct intake *intake)
{
	processes_read_all(&intake->processes, READ_ALL_S);
}

void intake_next_interval(struct intake *intake, uint64_t time)
{
	struct arena *arena = intake->setup.profile->arena;

	intake->begins =
		arena_grow(arena, intake->begins, intake->nintervals, &intake->intervals_room, sizeof(*intake->begins));
	intake->begins[intake->nintervals++] = time;
}

void intake_begin_run(struct intake *intake, uint64_t time)
{
	intake->begin = time;
	intake->nintervals = 0;
}

static bool has_rows(const struct profile *profile, uint32_t interval)
{
	for (uint32_t i = profile->nrows; i-- > 0;)
		if (profile->rows[i].interval == interval)
			return true;
	return false;
}

/* What is between the last tick and the end is no interval where it is hardly anything. */
#define LEAST_INTERVAL_NS 1000000

void intake_end_run(struct intake *intake, uint64_t time)
{
	struct profile *profile = intake->setup.profile;
	uint64_t from = intake->begin;

	for (size_t i = 0; intake->nintervals && i <= intake->nintervals; i++) {
		bool is_last = i == intake->nintervals;
		uint64_t to = is_last ? time : intake->begins[i];
		const struct profile_interval interval = { (double)(from - intake->begin) * NS,
							   (double)(to - intake->begin) * NS };

		if (!is_last || to >= from + LEAST_INTERVAL_NS || has_rows(profile, (uint32_t)i))
			profile_interval(profile, (uint32_t)i, &interval);
		from = to;
	}
	if (intake->nintervals)
		profile_moments_drop(profile);
	else
		profile_moments_end(profile, (double)(time - intake->begin) * NS);
	intake->begin = 0;
	intake->nintervals = 0;
}

/* Most samples are of the last intervals. */
static uint32_t intake_interval_of(const struct intake *intake, uint64_t time)
{
	size_t number = intake->nintervals;

	while (number && intake->begins[number - 1] > time)
		number--;
	return (uint32_t)number;
}

/* ---- frames ---- */

static bool is_in_kernel(const struct record *record)
{
	return record->cpumode == PERF_RECORD_MISC_KERNEL || record->cpumode == PERF_RECORD_MISC_HYPERVISOR;
}

static void intake_add(struct frames *frames, uint64_t address, bool is_kernel)
{
	if (frames->count < MOST_FRAMES)
		frames->items[frames->count++] = (struct sim_environment){ address, is_kernel };
	else
		frames->is_truncated = true;
}

/*
 * The kernel's chain: a mark says whose addresses follow. The first of each kind is where it was, the others are where
 * calls return to: one less is in the call. What was interrupted is the sample's own address, which may be more
 * precise.
 */
static void add_chain(struct frames *frames, const struct record_sample *sample, unsigned most)
{
	bool is_kernel = frames->count && frames->items[0].is_kernel, is_first = true, is_known = true;
	size_t seen = 0;

	for (size_t i = 0; i < sample->nchain; i++) {
		uint64_t address = sample->chain[i];

		if (address >= (uint64_t)PERF_CONTEXT_MAX) {
			is_kernel = address == (uint64_t)PERF_CONTEXT_KERNEL;
			is_known = is_kernel || address == (uint64_t)PERF_CONTEXT_USER;
			is_first = true;
			continue;
		}
		if (!is_known)
			continue;
		if (seen++ || is_kernel != frames->items[0].is_kernel)
			intake_add(frames, is_first || !address ? address : address - 1, is_kernel);
		is_first = false;
	}
	frames->is_truncated = frames->is_truncated || (most && seen >= most);
}

static size_t kernel_frames(const struct frames *frames)
{
	size_t count = 0;

	while (count < frames->count && frames->items[count].is_kernel)
		count++;
	return count;
}

/* The user's part by call frame information, where it reaches at least as far. */
static void use_unwinder(struct intake *intake, const struct record *record)
{
	struct frames *frames = &intake->frames;
	size_t kernel = kernel_frames(frames), count;
	bool is_truncated = false;

	count = intake_walk(intake, record, MOST_FRAMES - kernel, &is_truncated);
	if (!count || (is_truncated && intake->setup.stacks == SAMPLE_STACKS_AUTO && count < frames->count - kernel))
		return;
	frames->count = kernel;
	for (size_t i = 0; i < count; i++)
		intake_add(frames, intake->addresses[i], false);
	frames->method = STACK_CFI;
	frames->is_truncated = is_truncated;
}

/* Each entry is a call that has not returned. */
static void use_branches(struct frames *frames, const struct record_sample *sample)
{
	if (!sample->nbranches)
		return;
	frames->count = kernel_frames(frames);
	if (!frames->count || frames->items[0].is_kernel)
		intake_add(frames, sample->branches[0].to, false);
	else
		frames->count = 1;
	for (size_t i = 0; i < sample->nbranches; i++)
		intake_add(frames, sample->branches[i].from, false);
	frames->method = STACK_LBR;
	frames->is_truncated = true; /* the CPU keeps the last 8 to 32 */
}

static void find_frames(struct intake *intake, const struct record *record)
{
	const struct record_sample *sample = &record->of.sample;
	struct frames *frames = &intake->frames;

	frames->count = 0;
	frames->is_truncated = false;
	frames->method = STACK_NONE;
	intake_add(frames, sample->ip, is_in_kernel(record));
	if (intake->setup.stacks == SAMPLE_STACKS_NONE)
		return;
	if (sample->nchain) {
		frames->method = STACK_FP;
		add_chain(frames, sample, intake->setup.most_chain);
	}
	if (intake->setup.stacks == SAMPLE_STACKS_LBR)
		use_branches(frames, sample);
	else if (sample->registers)
		use_unwinder(intake, record);
}

/* ---- rows ---- */

static uint32_t intake_place_of(struct intake *intake, const struct process *process,
				const struct sim_environment *frame)
{
	if (frame->is_kernel)
		return place_of_kernel(intake->files, frame->address);
	return place_of_user(intake->files, process_mapping(process, frame->address), process->pid, frame->address);
}

static uint32_t make_stack(struct intake *intake, const struct process *process)
{
	const struct frames *frames = &intake->frames;
	uint32_t stack = PROFILE_NONE;

	for (size_t i = frames->count; i-- > 0;)
		stack = profile_stack(intake->setup.profile, intake_place_of(intake, process, &frames->items[i]),
				      stack);
	return stack;
}

static uint32_t task_of(struct intake *intake, struct thread *thread)
{
	const struct profile_task task = { .pid = thread->process->pid,
					   .tid = thread->tid,
					   .name = *thread->name ? thread->name : NULL,
					   .program = *thread->process->program ? thread->process->program : NULL };

	if (thread->task == PROFILE_NONE)
		thread->task = profile_task(intake->setup.profile, &task);
	return thread->task;
}

/* Seconds; records of before the run began are of its begin. */
static double since_begin(const struct intake *intake, uint64_t time)
{
	return time > intake->begin ? (double)(time - intake->begin) * NS : 0;
}

static struct profile_row row_of_frames(struct intake *intake, struct thread *thread, uint32_t event, uint64_t time)
{
	return (struct profile_row){ .event = event,
				     .stack = make_stack(intake, thread->process),
				     .task = task_of(intake, thread),
				     .method = intake->frames.method,
				     .is_truncated = intake->frames.is_truncated,
				     .interval = intake_interval_of(intake, time) };
}

/* Returns the row's number. */
static uint32_t row_add(struct profile *profile, const struct profile_row *key, double weight)
{
	struct profile_row *row = profile_row(profile, key);

	row->samples++;
	row->weight += weight;
	profile->events[key->event].samples++;
	profile->events[key->event].weight += weight;
	return (uint32_t)(row - profile->rows);
}

static uint32_t intake_take_sample(struct intake *intake, const struct record *record, uint32_t event)
{
	struct profile *profile = intake->setup.profile;
	struct thread *thread = thread_find(&intake->processes, record->identity.pid, record->identity.tid);
	double weight = record->of.sample.period ? (double)record->of.sample.period : 1;
	struct profile_row key;
	uint32_t row;

	find_frames(intake, record);
	key = row_of_frames(intake, thread, event, record->identity.time);
	row = row_add(profile, &key, weight);
	if (!intake->nintervals)
		profile_moment(profile, row, since_begin(intake, record->identity.time), weight);
	profile->events[event].latencies += (double)(record->of.sample.weight >> RETIRE_LATENCY_SHIFT);
	return key.stack == PROFILE_NONE ? PROFILE_NONE : profile->stacks[key.stack].place;
}

/* ---- waits ---- */

/* The scheduler's own frames are the same in all waits: it is the program's code that waits, where it has any. */
static void leave_kernel_out(struct frames *frames)
{
	size_t kernel = kernel_frames(frames);

	if (kernel == frames->count)
		return;
	frames->count -= kernel;
	memmove(frames->items, frames->items + kernel, frames->count * sizeof(*frames->items));
}

static void wait_end(struct intake *intake, struct thread *thread, uint64_t time)
{
	struct profile *profile = intake->setup.profile;
	const struct profile_interval over = { since_begin(intake, thread->waits_since), since_begin(intake, time) };
	uint32_t row;

	if (thread->waits_since && time > thread->waits_since) {
		row = row_add(profile, &thread->waits, (double)(time - thread->waits_since));
		if (!intake->nintervals)
			profile_moments_spread(profile, row, &over, (double)(time - thread->waits_since));
	}
	thread->waits_since = 0;
}

void intake_take_waiting(struct intake *intake, const struct record *record, uint32_t event)
{
	struct thread *thread = thread_find(&intake->processes, record->identity.pid, record->identity.tid);

	if (record->type == PERF_RECORD_SAMPLE) {
		find_frames(intake, record);
		leave_kernel_out(&intake->frames);
		thread->waits = row_of_frames(intake, thread, event, record->identity.time);
		thread->waits_since = record->identity.time;
	} else if (!record->of.turn.is_out) {
		wait_end(intake, thread, record->identity.time);
	} else if (record->of.turn.is_preempt) {
		thread->waits_since = 0;
	}
}

void intake_end_waits(struct intake *intake, uint64_t time)
{
	const struct number_table *threads = &intake->processes.by_tid;

	for (size_t i = 0; i < threads->capacity; i++)
		if (threads->entries[i].value)
			wait_end(intake, threads->entries[i].value, time);
}

uint32_t intake_take(struct intake *intake, const struct record *record, uint32_t event)
{
	if (record->type != PERF_RECORD_SAMPLE)
		processes_apply(&intake->processes, record);
	else if (event < intake->setup.profile->nevents)
		return intake_take_sample(intake, record, event);
	return PROFILE_NONE;
}
