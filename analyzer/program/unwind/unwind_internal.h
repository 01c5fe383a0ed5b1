/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unwind_internal.h - what a walk of a stack needs of machines, files and processes. */
#ifndef TOPDOWN_PROGRAM_UNWIND_UNWIND_INTERNAL_H
#define TOPDOWN_PROGRAM_UNWIND_UNWIND_INTERNAL_H

#include <sys/types.h>

#include "program/unwind/cfi.h"
#include "program/unwind/unwind.h"
#include "program/unwind/unwind_image.h"

/* ---- unwind_machines.c ---- */

/* What differs between architectures when stacks are walked. */

enum { TRAMPOLINE_BYTES = 12, NO_COLUMN = 0xff };

struct unwind_machine {
	uint16_t elf;	  /* EM_... */
	uint8_t ncolumns; /* registers that are followed, by DWARF's numbers; the last is the place in the code */
	uint8_t kernel[CFI_COLUMNS]; /* the kernel's numbers of them: asm/perf_regs.h */
	uint8_t stack, frame;	     /* the stack pointer, the frame pointer */
	uint8_t link;		     /* has the return address until it is saved; NO_COLUMN: there is none */
	uint8_t address_bits;	     /* of code; what is above them signs the address */
	/* The code that handlers of signals return to, and where from the stack pointer on registers are then. */
	uint8_t trampoline_length;
	unsigned char trampoline[TRAMPOLINE_BYTES];
	uint16_t saved[CFI_COLUMNS];
};

/* NULL: none is known. */
const struct unwind_machine *unwind_machine_find(uint16_t elf);

/* The row of a trampoline. */
void unwind_machine_trampoline(const struct unwind_machine *machine, struct cfi_row *row);

/* ---- unwind_modules.c ---- */

/*
 * The files that code was mapped from, each read once for all processes, and the rows of addresses that were asked
 * for. A sampled program is in few places: nearly all rows that a walk needs are there already.
 */

struct unwind_modules;

struct unwind_module {
	struct unwind_module *next;
	dev_t device; /* 0 and 0: the vdso */
	ino_t inode;
	int64_t changed_ns; /* st_mtim: a file that was written anew is another one */
	uint32_t number;    /* from 1, in the order of reading */
	struct unwind_image image;
	char *path; /* where it was opened */
};

/* Who maps what: path as the process has it, below the process's root. */
struct unwind_file {
	uint32_t pid;
	uint64_t begin, end; /* of the mapping */
	uint64_t inode;	     /* of the file; 0: unknown */
	const char *path;
};

/* Never NULL. Free with unwind_modules_free. */
struct unwind_modules *unwind_modules_new(const char *sysroot, const struct unwind_machine *machine) NEVER_NULL;
void unwind_modules_free(struct unwind_modules *modules);

/* The module of a mapping. NULL: no file, or not the one that was mapped, or none for this machine. */
struct unwind_module *unwind_modules_open(struct unwind_modules *modules, const struct unwind_file *file);

/* The row of an address of the module. NULL: none. Valid until the next call. */
const struct cfi_row *unwind_modules_row(struct unwind_modules *modules, struct unwind_module *module,
					 uint64_t address);

/* ---- unwind_processes.c ---- */

/* What each process maps, as samples come: kept by address. */

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
