/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unwind_processes.h - what each process maps, as samples come: kept by address. */
#ifndef TOPDOWN_PROGRAM_UNWIND_UNWIND_PROCESSES_H
#define TOPDOWN_PROGRAM_UNWIND_UNWIND_PROCESSES_H

#include "program/unwind/unwind.h"
#include "program/unwind/unwind_modules.h"

struct unwind_mapped {
	uint64_t begin, end, offset, inode;
	char *path;
	struct unwind_module *module; /* once has_looked; NULL: no file for this machine */
	bool has_looked;
};

struct unwind_process {
	uint32_t pid;
	struct unwind_process *next;
	struct unwind_mapped *mapped; /* by address; none overlap */
	size_t nmapped, capacity;
	size_t last; /* that was found */
};

enum { PROCESS_CHAINS = 1024 };

struct unwind_processes {
	struct unwind_process *chains[PROCESS_CHAINS]; /* by pid */
};

void unwind_processes_release(struct unwind_processes *processes);

/* NULL: nothing is known of it. */
struct unwind_process *unwind_process_find(const struct unwind_processes *processes, uint32_t pid);

void unwind_process_map(struct unwind_processes *processes, const struct unwind_mapping *mapping);
void unwind_process_fork(struct unwind_processes *processes, uint32_t parent, uint32_t child);
void unwind_process_forget(struct unwind_processes *processes, uint32_t pid);

/* The mapping with an address. NULL: nothing is mapped there. */
struct unwind_mapped *unwind_process_at(struct unwind_process *process, uint64_t address);

#endif
