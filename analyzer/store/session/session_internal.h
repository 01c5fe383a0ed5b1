/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_internal.h - what session.c is made of: parts and flat counts. perf_record.h has perf stat's output. */
#ifndef TOPDOWN_STORE_SESSION_SESSION_INTERNAL_H
#define TOPDOWN_STORE_SESSION_SESSION_INTERNAL_H

#include <stdio.h>

#include "common/json/json_read.h"
#include "common/json/json_shape.h"
#include "common/json/json_write.h"
#include "common/measurement/profile.h"
#include "store/session/session.h"

/* ---- session_part.c ---- */

/* The members of a part, into the object that is open. */
void part_write(struct json_writer *writer, const struct counts *counts);

/* root is the object that has the part's members; errors name them as place says. */
int part_read(struct counts *counts, const struct json *root, const struct file_position *place,
	      struct error *err) MUST_CHECK;

#define MOST_REMARKS 1000 /* of a list */

/* As texts_read (json_shape.h), with a sentence in place of what is more than MOST_REMARKS. */
const char **remarks_read(size_t *count, const struct json *array, struct file_position *place,
			  struct error *err) MUST_CHECK;

/* ---- session_seal.c ---- */

/* The key is a random one in the user's state directory; without one it holds until the machine is started again. */
struct seal {
	uint64_t key[2], sum;
};

/* makes_key: a key to be kept is made where there is none. False: there is no key at all. */
bool seal_begin(struct seal *seal, bool makes_key);
void seal_add(struct seal *seal, const char *text);

/* SipHash-2-4 of first, as eight bytes, the lowest in front, with the bytes after it. */
uint64_t seal_hash(const uint64_t key[2], uint64_t first, const void *bytes, size_t length);

/*
 * The seal of all files that the measurement names, as hex digits; "": it names none. NULL: this user has no key, which
 * makes_key would make, here.
 */
const char *session_seal(const struct measurement *measured, bool makes_key, struct arena *arena);

/* ---- session_groups.c ---- */

struct text_list;
struct column_reader;

/* What was counted between samples: members of the object that is open. texts is for columns of texts. */
void sampled_groups_write(struct json_writer *writer, const struct profile *profile, struct arena *arena,
			  const struct text_list *texts);

/* After the profile's events, places and loops. Nothing where the object has no groups. */
int sampled_groups_read(struct profile *profile, struct column_reader *columns, const struct json *object,
			struct error *err) MUST_CHECK;

/* ---- session_cpus.c ---- */

/* As the file has a CPU. */
struct saved_cpu {
	size_t cpu, core, package;
};

/* The member "cpus" of a part; nothing where the counts are not kept by CPU. */
void cpus_write(struct json_writer *writer, const struct counts *counts);
int cpus_read(struct counts *counts, const struct json *array, struct file_position place,
	      struct error *err) MUST_CHECK;

/* The member "by_cpu" of a count. */
void tallies_write(struct json_writer *writer, const struct count *count, size_t ncpus);
int tallies_read(struct count *count, size_t ncpus, const struct json *object, const struct file_position *place,
		 struct error *err) MUST_CHECK;

/* The member "cpu_s_by_cpu" of a run. */
void cpu_times_write(struct json_writer *writer, const struct count_run *run, size_t ncpus);
int cpu_times_read(struct count_run *run, size_t ncpus, const struct json *object, const struct file_position *place,
		   struct error *err) MUST_CHECK;

/* The member "parts_asked" of a part. */
void division_write(struct json_writer *writer, const struct division *division);
int division_read(struct division *division, const struct json *value, const struct file_position *place,
		  struct error *err) MUST_CHECK;

/* ---- session_software.c ---- */

/* As a file has it: of all, and for each of the CPUs where that is kept. */
struct saved_software {
	const struct software *whole, *by_cpu;
	size_t ncpus;
};

/* The member "software" of the object; nothing where whole is NULL. */
void software_save(struct json_writer *writer, const struct saved_software *from);
int software_load(struct saved_software *to, const struct json *object, struct file_position place,
		  struct error *err) MUST_CHECK;

/* ---- session_trials.c ---- */

/* The member "what_if" of a part; array NULL: nothing is read. */
void trials_write(struct json_writer *writer, const struct counts *counts);
int trials_read(struct counts *counts, const struct json *array, struct file_position place,
		struct error *err) MUST_CHECK;

/* ---- session_inputs.c ---- */

/* The member "inputs" of a part; array NULL: nothing is read. */
void inputs_write(struct json_writer *writer, const struct origin *origin);
int inputs_read(struct origin *origin, const struct json *array, struct file_position place,
		struct error *err) MUST_CHECK;

/* ---- session_job.c: of no job nothing is written ---- */

void job_write(struct json_writer *writer, const struct job_place *job);
int job_read(struct job_place *job, const struct json *object, struct file_position place,
	     struct error *err) MUST_CHECK;

/* ---- session_roofs.c ---- */

/* The member "roofs", into the root, which is open; object NULL: nothing is read. */
void roofs_write(struct json_writer *writer, const struct roofs *roofs);
int roofs_read(const struct roofs **read, const struct json *object, struct file_position place,
	       struct error *err) MUST_CHECK;

/* ---- session_waits.c ---- */

struct waits;

/* The member "wall", into the root, which is open; NULL: nothing is written, or read. */
void waits_write(struct json_writer *writer, const struct waits *waits);
int waits_read(struct waits **read, const struct json *object, struct file_position place,
	       struct error *err) MUST_CHECK;

/* The member "wall_parts" of a repeat ([WALL_PARTS]), likewise. */
void wall_parts_write(struct json_writer *writer, const double *parts);
int wall_parts_read(const double **read, const struct json *object, struct file_position place,
		    struct error *err) MUST_CHECK;

/* ---- session_profile.c ---- */

/* The member "profile", into the root, which is open. */
void profile_write(struct json_writer *writer, const struct profile *profile);

/* object NULL: nothing is read. nitems: of the counts that rows may refer to. */
int profile_read(struct profile **read, const struct json *object, size_t nitems, const struct file_position *place,
		 struct error *err) MUST_CHECK;

/* ---- session_intervals.c ---- */

/* The member "series", into the root, which is open; series NULL: nothing is written. */
void interval_series_write(struct json_writer *writer, const struct interval_series *series);

/* object NULL: nothing is read. The parts of measured are there. */
int interval_series_read(struct measurement *measured, const struct json *object, const struct file_position *root,
			 struct error *err) MUST_CHECK;

/* ---- flat.c ---- */

/* Numbers of which nobody knows the groups, before the first of them: one group of one run. */
void flat_init(struct counts *counts, struct arena *arena);

/* Reads "topdown-counts". place is the root. */
int flat_read(struct counts *counts, const struct json *root, const struct file_position *place,
	      struct error *err) MUST_CHECK;

#endif
