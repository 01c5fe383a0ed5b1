/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind_modules.h - the files that code was mapped from, each read once for all processes, and the rows of addresses
 * that were asked for. A sampled program is in few places: nearly all rows that a walk needs are there already.
 */
#ifndef TOPDOWN_PROGRAM_UNWIND_UNWIND_MODULES_H
#define TOPDOWN_PROGRAM_UNWIND_UNWIND_MODULES_H

#include <sys/types.h>

#include "program/unwind/unwind_image.h"
#include "program/unwind/unwind_machines.h"

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

#endif
