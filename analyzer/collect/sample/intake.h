/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * intake.h - from records, in the order of their times, to a profile: samples become rows at once, everything else
 * says what is mapped where and who is called how. For a live machine and for files of records.
 */
#ifndef TOPDOWN_COLLECT_SAMPLE_INTAKE_H
#define TOPDOWN_COLLECT_SAMPLE_INTAKE_H

#include "collect/sample/processes.h"
#include "collect/sample/sample.h"

struct intake_setup {
	struct profile *profile;
	bool is_live; /* this machine's /proc and files are those of the records */
	enum sample_stacks stacks;
	uint64_t registers;   /* the mask of samples' registers; 0: they have none */
	uint16_t elf_machine; /* EM_... of elf.h, whose registers they are; 0: this machine's */
	unsigned most_chain;  /* frames that the kernel gives at most: a chain of so many was cut; 0: unknown */
};

struct intake;

/* Lives in the profile's arena, but for what intake_release frees. */
struct intake *intake_new(const struct intake_setup *setup) MUST_CHECK;
void intake_release(struct intake *intake);

/* Samples come with other stacks than the setup says. */
void intake_change_stacks(struct intake *intake, enum sample_stacks stacks);

/* event: of the profile, of a sample; else it is ignored. Where a sample was; PROFILE_NONE of all that is none. */
uint32_t intake_take(struct intake *intake, const struct record *record, uint32_t event);

/*
 * Of an event whose samples are taken as threads leave their CPUs, and which reports their turns: a row gets the time
 * from there until its thread has a CPU again. A turn that was taken away from the thread is no wait.
 */
void intake_take_waiting(struct intake *intake, const struct record *record, uint32_t event);

/* Waits that go on count until now, and no longer. */
void intake_end_waits(struct intake *intake, uint64_t time);

/* A run begins; its intervals are those of the run before, if there was one: number 0 again. */
void intake_begin_run(struct intake *intake, uint64_t time);

/* Samples from that time on belong to the next interval. */
void intake_next_interval(struct intake *intake, uint64_t time);

/* It has ended, and all its samples were taken: the profile gets its intervals, where there were several. */
void intake_end_run(struct intake *intake, uint64_t time);

/* What runs already, before the first record of it: a thread, or everything. */
void intake_read_thread(struct intake *intake, uint32_t tid);
void intake_read_all(struct intake *intake);

/* For those who have more to say than records do (perf.data). */
struct processes *intake_processes(struct intake *intake);
struct mapped_files *intake_files(struct intake *intake);

#endif
