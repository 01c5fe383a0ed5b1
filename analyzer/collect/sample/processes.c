/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/sample/processes.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/arena.h"
#include "common/base/sorted.h"

#define FIRST_MAPPINGS 16

static void *must(void *memory)
{
	if (!memory)
		memory_ended();
	return memory;
}

void processes_init(struct processes *processes, struct mapped_files *files, bool is_live)
{
	*processes = (struct processes){ .files = files, .is_live = is_live };
}

/* ---- mappings ---- */

static void drop_mappings(struct process *process)
{
	struct mapping_set *set = process->mappings;

	process->mappings = NULL;
	if (!set || --set->users)
		return;
	free(set->items);
	free(set);
}

/* A set that nobody else has. */
static struct mapping_set *own_mappings(struct process *process)
{
	struct mapping_set *before = process->mappings, *set;

	if (before && before->users == 1)
		return before;
	set = must(calloc(1, sizeof(*set)));
	set->users = 1;
	if (before) {
		set->count = set->capacity = before->count;
		set->items = must(calloc(set->capacity + 1, sizeof(*set->items)));
		if (set->count)
			memcpy(set->items, before->items, set->count * sizeof(*set->items));
		drop_mappings(process);
	}
	process->mappings = set;
	return set;
}

static void processes_make_room(struct mapping_set *set, size_t more)
{
	if (set->count + more <= set->capacity)
		return;
	set->capacity = set->capacity ? 2 * set->capacity + more : FIRST_MAPPINGS;
	set->items = must(realloc(set->items, set->capacity * sizeof(*set->items)));
}

/* The first that ends behind the address. */
static size_t first_behind(const struct mapping_set *set, uint64_t address)
{
	return sorted_up_to(SORTED_BY(struct mapping, end, set->items, set->count), address);
}

static void cut_begin(struct mapping *mapping, uint64_t begin)
{
	mapping->offset += begin - mapping->begin;
	mapping->begin = begin;
}

/* Puts `new` in the place of items[first..last). */
static void replace(struct mapping_set *set, size_t first, size_t last, const struct mapping *new)
{
	processes_make_room(set, 1);
	memmove(&set->items[first + 1], &set->items[last], (set->count - last) * sizeof(*set->items));
	set->items[first] = *new;
	set->count = set->count - (last - first) + 1;
}

/* What it covers of others is gone; what they have before and behind it stays. */
static void processes_insert(struct mapping_set *set, const struct mapping *new)
{
	size_t first = first_behind(set, new->begin), last;

	if (first < set->count && set->items[first].begin < new->begin) {
		struct mapping before = set->items[first];

		before.end = new->begin;
		if (set->items[first].end > new->end) {
			replace(set, first, first, &before);
			cut_begin(&set->items[first + 1], new->end);
		} else {
			set->items[first] = before;
		}
		first++;
	}
	for (last = first; last < set->count && set->items[last].end <= new->end; last++)
		;
	if (last < set->count && set->items[last].begin < new->end)
		cut_begin(&set->items[last], new->end);
	replace(set, first, last, new);
}

void process_map(struct processes *processes, struct process *process, const struct record_mapping *mapping)
{
	struct mapping new = { .begin = mapping->address,
			       .end = mapping->address + mapping->length,
			       .offset = mapping->offset };

	if (new.end <= new.begin || mapping->is_data)
		return;
	new.file = mapped_file_of(processes->files, mapping);
	processes_insert(own_mappings(process), &new);
	if (processes->listener.map)
		processes->listener.map(processes->listener.context, process->pid, mapping);
}

const struct mapping *process_mapping(const struct process *process, uint64_t address)
{
	const struct mapping_set *set = process->mappings;
	size_t number = set ? first_behind(set, address) : 0;

	return set && number < set->count && set->items[number].begin <= address ? &set->items[number] : NULL;
}

/* ---- processes, threads ---- */

static struct process *add_process(struct processes *processes, uint32_t pid)
{
	struct process *process = must(calloc(1, sizeof(*process)));

	process->pid = pid;
	number_table_set(&processes->by_pid, pid, process);
	return process;
}

static void forget_thread(struct processes *processes, struct thread *thread)
{
	thread->process->nthreads--;
	number_table_remove(&processes->by_tid, thread->tid);
	free(thread);
}

/* With the thread that ended last, which is all that it has. */
static void forget_process(struct processes *processes, struct process *process)
{
	struct thread *last = number_table_get(&processes->by_tid, process->last_tid);

	if (processes->listener.exit)
		processes->listener.exit(processes->listener.context, process->pid);
	if (last && last->process == process)
		forget_thread(processes, last);
	if (process->nthreads)
		return;
	number_table_remove(&processes->by_pid, process->pid);
	drop_mappings(process);
	free(process);
}

/* Its last samples may come a little later: it is forgotten when many others have ended. */
static void bury(struct processes *processes, struct process *process)
{
	uint32_t *grave = &processes->graves[processes->ngraves % GRAVES];
	struct process *oldest = processes->ngraves >= GRAVES ? number_table_get(&processes->by_pid, *grave) : NULL;

	process->is_dead = true;
	if (oldest && oldest->is_dead && oldest != process)
		forget_process(processes, oldest);
	*grave = process->pid;
	processes->ngraves++;
}

struct process *process_find(struct processes *processes, uint32_t pid)
{
	struct process *process = number_table_get(&processes->by_pid, pid);

	if (process)
		return process;
	process = add_process(processes, pid);
	if (processes->is_live)
		process_read(processes, process);
	return process;
}

static struct thread *add_thread(struct processes *processes, struct process *process, uint32_t tid)
{
	struct thread *thread = number_table_get(&processes->by_tid, tid);

	if (thread)
		thread->process->nthreads--;
	else
		thread = must(calloc(1, sizeof(*thread)));
	*thread = (struct thread){ .tid = tid, .task = PROFILE_NONE, .process = process };
	process->nthreads++;
	process->is_dead = false;
	number_table_set(&processes->by_tid, tid, thread);
	return thread;
}

void thread_set_name(struct thread *thread, const char *name)
{
	size_t length = strnlen(name, NAME_BYTES - 1);

	memset(thread->name, 0, sizeof(thread->name));
	memcpy(thread->name, name, length);
	thread->task = PROFILE_NONE;
}

struct thread *thread_find(struct processes *processes, uint32_t pid, uint32_t tid)
{
	struct thread *thread = number_table_get(&processes->by_tid, tid);
	struct process *process;

	if (thread && thread->process->pid == pid)
		return thread;
	process = process_find(processes, pid);
	thread = number_table_get(&processes->by_tid, tid); /* reading the process may have found it */
	if (thread && thread->process == process)
		return thread;
	thread = add_thread(processes, process, tid);
	thread_set_name(thread, process->program);
	return thread;
}

/* ---- records ---- */

static void apply_comm(struct processes *processes, const struct record_comm *comm)
{
	struct process *process = comm->is_exec ? number_table_get(&processes->by_pid, comm->pid) : NULL;
	struct thread *thread;

	if (comm->is_exec) {
		process = process ? process : add_process(processes, comm->pid);
		drop_mappings(process);
		if (processes->listener.exec)
			processes->listener.exec(processes->listener.context, comm->pid);
	}
	thread = thread_find(processes, comm->pid, comm->tid);
	thread_set_name(thread, comm->name);
	if (comm->is_exec)
		memcpy(thread->process->program, thread->name, sizeof(thread->name));
}

/* A process with that number, which nothing is known of: an older one has ended unseen. */
static struct process *renew_process(struct processes *processes, uint32_t pid)
{
	struct process *process = number_table_get(&processes->by_pid, pid);

	if (!process)
		return add_process(processes, pid);
	if (processes->listener.exit)
		processes->listener.exit(processes->listener.context, pid);
	drop_mappings(process);
	process->is_dead = false;
	return process;
}

static void apply_fork(struct processes *processes, const struct record_task *task)
{
	struct thread *parent = thread_find(processes, task->parent, task->parent_tid), *child;
	struct process *process = parent->process;
	char name[NAME_BYTES];

	memcpy(name, parent->name, sizeof(name));
	if (task->pid != task->parent) {
		process = renew_process(processes, task->pid);
		process->mappings = parent->process->mappings;
		if (process->mappings)
			process->mappings->users++;
		memcpy(process->program, parent->process->program, sizeof(process->program));
		if (processes->listener.fork)
			processes->listener.fork(processes->listener.context, task->parent, task->pid);
	}
	child = add_thread(processes, process, task->tid);
	thread_set_name(child, name);
}

static void apply_exit(struct processes *processes, const struct record_task *task)
{
	struct thread *thread = number_table_get(&processes->by_tid, task->tid);
	struct process *process;

	if (!thread || thread->process->pid != task->pid)
		return;
	process = thread->process;
	/* The last one stays with its process, for samples that come a little later. */
	if (process->nthreads > 1) {
		forget_thread(processes, thread);
		return;
	}
	process->last_tid = task->tid;
	if (!process->is_dead)
		bury(processes, process);
}

/*
 * Of a process without a number: one outside this PID namespace (a container), as the kernel knows none here. There
 * are many of them, which would be taken for one. The CPU's idle task, whose number is 0 as well, never changes.
 */
static bool is_of_outside(const struct processes *processes, const struct record *record)
{
	switch (record->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2: return !record->of.mapping.pid;
	case PERF_RECORD_COMM: return !record->of.comm.pid && (record->of.comm.is_exec || processes->is_live);
	case PERF_RECORD_FORK: return !record->of.task.pid || !record->of.task.parent;
	case PERF_RECORD_EXIT: return !record->of.task.pid;
	default: return false;
	}
}

void processes_apply(struct processes *processes, const struct record *record)
{
	const struct record_mapping *mapping = &record->of.mapping;

	if (is_of_outside(processes, record))
		return;
	switch (record->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		if (record->cpumode != PERF_RECORD_MISC_KERNEL && mapping->pid != UINT32_MAX)
			process_map(processes, process_find(processes, mapping->pid), mapping);
		break;
	case PERF_RECORD_COMM: apply_comm(processes, &record->of.comm); break;
	case PERF_RECORD_FORK: apply_fork(processes, &record->of.task); break;
	case PERF_RECORD_EXIT: apply_exit(processes, &record->of.task); break;
	default: break;
	}
}

void processes_release(struct processes *processes)
{
	for (size_t i = 0; i < processes->by_tid.capacity; i++)
		free(processes->by_tid.entries[i].value);
	for (size_t i = 0; i < processes->by_pid.capacity; i++)
		if (processes->by_pid.entries[i].value) {
			drop_mappings(processes->by_pid.entries[i].value);
			free(processes->by_pid.entries[i].value);
		}
	number_table_release(&processes->by_tid);
	number_table_release(&processes->by_pid);
}
