/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mapped_files.h - what is mapped into processes, each file once, and which module and address of it an address of a
 * process is. Files are looked at when the first sample is in them, while the process is there if possible.
 */
#ifndef TOPDOWN_COLLECT_SAMPLE_MAPPED_FILES_H
#define TOPDOWN_COLLECT_SAMPLE_MAPPED_FILES_H

#include "collect/sample/elf_layout.h"
#include "collect/sample/record.h"
#include "common/measurement/profile.h"

struct mapped_files;

/* A file, or what the kernel calls one: "//anon", "[vdso]". */
struct mapped_file;

/* Where a file is mapped: [begin, end) is it from offset on. */
struct mapping {
	uint64_t begin, end, offset;
	struct mapped_file *file;
};

/* is_live: the files of this machine are those that were mapped. Lives in the profile's arena. */
struct mapped_files *mapped_files_new(struct profile *profile, bool is_live) MUST_CHECK;

struct mapped_file *mapped_file_of(struct mapped_files *files, const struct record_mapping *mapping) MUST_CHECK;

/* As the kernel gave it. */
const char *mapped_file_path(const struct mapped_file *file);

/* The place of the profile; mapping NULL: nothing is mapped there. */
uint32_t place_of_user(struct mapped_files *files, const struct mapping *mapping, uint32_t pid, uint64_t address);

/* Of the kernel, or of one of its modules. */
uint32_t place_of_kernel(struct mapped_files *files, uint64_t address);

/* The kernel's text and its modules, where a file lists them (perf.data's mappings of process -1). */
void kernel_add_module(struct mapped_files *files, const char *name, uint64_t begin, uint64_t length);

#endif
