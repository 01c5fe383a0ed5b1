/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * processes.h - what is known of processes and threads at one point of the records: names, and what is mapped. Records
 * are applied in the order of their times. Of one that was there before, a live machine's /proc is asked.
 */
#ifndef TOPDOWN_COLLECT_SAMPLE_PROCESSES_H
#define TOPDOWN_COLLECT_SAMPLE_PROCESSES_H

#include <stddef.h>
#include <stdint.h>

#include "collect/sample/elf_layout.h"
#include "collect/sample/record.h"
#include "common/measurement/profile.h"

/* ---- number_table.c ---- */

/* From a number, as that of a process, to what belongs to it. Entries come and go; memory is its own. */

struct number_table {
	struct number_entry {
		uint32_t number;
		void *value; /* NULL: free */
	} * entries;
	size_t count, capacity; /* capacity is 0 or a power of two */
};

/* NULL: there is none. */
void *number_table_get(const struct number_table *numbers, uint32_t number);

/* Sets it; value is not NULL. Without memory the program ends, as arenas do. */
void number_table_set(struct number_table *numbers, uint32_t number, void *value);
void number_table_remove(struct number_table *numbers, uint32_t number);
void number_table_release(struct number_table *numbers);

/* ---- mapped_files.c ---- */

/*
 * What is mapped into processes, each file once, and which module and address of it an address of a process is.
 * Files are looked at when the first sample is in them, while the process is there if possible.
 */

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

/* ---- processes.c ---- */

#define NAME_BYTES 16 /* include/linux/sched.h, TASK_COMM_LEN */

/* Mappings of executable memory, ascending, none over another. Forked processes share them until one changes. */
struct mapping_set {
	struct mapping *items;
	size_t count, capacity;
	size_t users;
};

struct process {
	uint32_t pid;
	char program[NAME_BYTES]; /* as it was called at exec; "": unknown */
	struct mapping_set *mappings;
	size_t nthreads;
	bool is_dead;
	uint32_t last_tid; /* of is_dead: which thread it still has */
};

struct thread {
	uint32_t tid;
	uint32_t task; /* of the profile, once it is known; PROFILE_NONE */
	char name[NAME_BYTES];
	struct process *process;
	struct profile_row waits; /* where it left its CPU, while it waits */
	uint64_t waits_since;	  /* 0: it does not, or nobody has seen where */
};

/* Who wants to hear of changes: the unwinder keeps mappings of its own. Each may be NULL. */
struct process_listener {
	void *context;
	void (*map)(void *context, uint32_t pid, const struct record_mapping *mapping);
	void (*fork)(void *context, uint32_t parent, uint32_t child);
	void (*exec)(void *context, uint32_t pid);
	void (*exit)(void *context, uint32_t pid);
};

#define GRAVES 512 /* processes that have ended, of which samples may still come */

struct processes {
	struct number_table by_pid, by_tid;
	struct mapped_files *files;
	struct process_listener listener;
	bool is_live;
	bool has_outside;	 /* process 0 is all that are outside this PID namespace, and named so */
	uint32_t graves[GRAVES]; /* pids, the oldest is at ngraves % GRAVES */
	size_t ngraves;
};

void processes_init(struct processes *processes, struct mapped_files *files, bool is_live);
void processes_release(struct processes *processes);

/* MMAP, MMAP2, COMM, FORK and EXIT; others change nothing. */
void processes_apply(struct processes *processes, const struct record *record);

/* Never NULL: one that nothing was known of is asked for, or is empty. */
struct process *process_find(struct processes *processes, uint32_t pid) NEVER_NULL;
struct thread *thread_find(struct processes *processes, uint32_t pid, uint32_t tid) NEVER_NULL;

/* NULL: nothing is mapped there. */
const struct mapping *process_mapping(const struct process *process, uint64_t address);

/* ---- procfs.c: what is there already ---- */

/* Names of the process and its threads, and its mappings. Nothing where it has ended. */
void process_read(struct processes *processes, struct process *process);

/* As it is called now; "": it has ended. */
void thread_read_name(char name[NAME_BYTES], uint32_t pid, uint32_t tid);

/* The process of a thread; 0: it has ended. */
uint32_t process_of_thread(uint32_t tid);

/* All of /proc, or as many as can be read in that time; the others are read when a record names them. */
void processes_read_all(struct processes *processes, double seconds);

/* ---- for procfs.c ---- */

void process_map(struct processes *processes, struct process *process, const struct record_mapping *mapping);
void thread_set_name(struct thread *thread, const char *name);

#endif
