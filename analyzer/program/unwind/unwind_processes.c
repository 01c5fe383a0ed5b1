/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unwind_processes.c - processes by number, and their mappings. */
#include "program/unwind/unwind_internal.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/arena.h"
#include "common/base/sorted.h"

static struct unwind_process **chain_of(struct unwind_processes *processes, uint32_t pid)
{
	return &processes->chains[pid % PROCESS_CHAINS];
}

struct unwind_process *unwind_process_find(const struct unwind_processes *processes, uint32_t pid)
{
	struct unwind_process *process = processes->chains[pid % PROCESS_CHAINS];

	while (process && process->pid != pid)
		process = process->next;
	return process;
}

static struct unwind_process *find_or_add(struct unwind_processes *processes, uint32_t pid)
{
	struct unwind_process *process = unwind_process_find(processes, pid);

	if (process)
		return process;
	process = calloc(1, sizeof(*process));
	if (!process)
		memory_ended();
	process->pid = pid;
	process->next = *chain_of(processes, pid);
	*chain_of(processes, pid) = process;
	return process;
}

static void release(struct unwind_process *process)
{
	for (size_t i = 0; i < process->nmapped; i++)
		free(process->mapped[i].path);
	free(process->mapped);
	free(process);
}

void unwind_process_forget(struct unwind_processes *processes, uint32_t pid)
{
	struct unwind_process **link = chain_of(processes, pid);

	while (*link && (*link)->pid != pid)
		link = &(*link)->next;
	if (*link) {
		struct unwind_process *gone = *link;

		*link = gone->next;
		release(gone);
	}
}

void unwind_processes_release(struct unwind_processes *processes)
{
	for (size_t i = 0; i < PROCESS_CHAINS; i++)
		while (processes->chains[i])
			unwind_process_forget(processes, processes->chains[i]->pid);
}

/* Where the first mapping stands that ends behind the address. */
static size_t position(const struct unwind_process *process, uint64_t address)
{
	return sorted_up_to(SORTED_BY(struct unwind_mapped, end, process->mapped, process->nmapped), address);
}

struct unwind_mapped *unwind_process_at(struct unwind_process *process, uint64_t address)
{
	size_t i = process->last;

	if (i >= process->nmapped || address < process->mapped[i].begin || address >= process->mapped[i].end)
		i = position(process, address);
	if (i == process->nmapped || address < process->mapped[i].begin)
		return NULL;
	process->last = i;
	return &process->mapped[i];
}

static char *copy_text(const char *text)
{
	char *copy = strdup(text);

	if (!copy)
		memory_ended();
	return copy;
}

static void unwind_processes_insert(struct unwind_process *process, size_t at, const struct unwind_mapped *mapped)
{
	struct unwind_mapped *larger;

	if (process->nmapped == process->capacity) {
		process->capacity = process->capacity ? process->capacity * 2 : 16;
		larger = realloc(process->mapped, process->capacity * sizeof(*mapped));
		if (!larger)
			memory_ended();
		process->mapped = larger;
	}
	memmove(&process->mapped[at + 1], &process->mapped[at], (process->nmapped - at) * sizeof(*mapped));
	process->mapped[at] = *mapped;
	process->nmapped++;
}

static void remove_one(struct unwind_process *process, size_t at)
{
	free(process->mapped[at].path);
	process->nmapped--;
	memmove(&process->mapped[at], &process->mapped[at + 1], (process->nmapped - at) * sizeof(process->mapped[0]));
}

/* What lies behind `end` of a mapping that began before it. */
static void cut_begin(struct unwind_mapped *mapped, uint64_t end)
{
	mapped->offset += end - mapped->begin;
	mapped->begin = end;
}

/* Makes room for begin to end; gives where a mapping there has to stand. */
static size_t clear(struct unwind_process *process, uint64_t begin, uint64_t end)
{
	size_t i = position(process, begin);

	if (i < process->nmapped && process->mapped[i].begin < begin) {
		if (process->mapped[i].end > end) {
			struct unwind_mapped behind = process->mapped[i];

			behind.path = copy_text(behind.path);
			cut_begin(&behind, end);
			unwind_processes_insert(process, i + 1, &behind);
		}
		process->mapped[i++].end = begin;
	}
	while (i < process->nmapped && process->mapped[i].end <= end)
		remove_one(process, i);
	if (i < process->nmapped && process->mapped[i].begin < end)
		cut_begin(&process->mapped[i], end);
	return i;
}

void unwind_process_map(struct unwind_processes *processes, const struct unwind_mapping *mapping)
{
	struct unwind_process *process;
	const uint64_t end = mapping->begin + mapping->length;

	if (end <= mapping->begin)
		return;
	process = find_or_add(processes, mapping->pid);
	unwind_processes_insert(process, clear(process, mapping->begin, end),
				&(struct unwind_mapped){ mapping->begin, end, mapping->offset, mapping->inode,
							 copy_text(mapping->path), NULL, false });
}

void unwind_process_fork(struct unwind_processes *processes, uint32_t parent, uint32_t child)
{
	const struct unwind_process *from = unwind_process_find(processes, parent);
	struct unwind_process *to;

	if (parent == child || !from)
		return;
	unwind_process_forget(processes, child);
	to = find_or_add(processes, child);
	for (size_t i = 0; i < from->nmapped; i++) {
		struct unwind_mapped mapped = from->mapped[i];

		mapped.path = copy_text(mapped.path);
		unwind_processes_insert(to, i, &mapped);
	}
}
