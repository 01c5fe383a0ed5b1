/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * job_place.h - which of a parallel job's processes this is, as the launcher's environment says: mpirun, srun and the
 * like set variables for each. No launcher is asked, and none's words are read.
 */
#ifndef TOPDOWN_COMMON_SYSTEM_JOB_PLACE_H
#define TOPDOWN_COMMON_SYSTEM_JOB_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "common/base/error.h"

struct job_place {
	const char *launcher; /* "Open MPI", "Slurm"; NULL: this is no process of a job */
	const char *id;	      /* of the job; NULL: unknown */
	uint64_t rank;	      /* from 0 */
	uint64_t size;	      /* ranks of the job; 0: unknown */
	uint64_t local;	      /* rank among those of this machine; 0 where nothing says so */
	bool is_spread;	      /* of what the job measures each rank has a part: somebody asked for that */
};

/* Of this process. Texts are the environment's. */
struct job_place job_place_find(void);

/* Would others write into the same file, if it has the same name in each of them? */
bool job_place_is_shared(const struct job_place *place);

/*
 * The path with %r, %h, %l and %j as the rank, the host, the local rank and the job, and %% as one %; what else follows
 * a % stays. In arena. NULL with err where what it names is unknown here.
 */
const char *job_place_path(const struct job_place *place, const char *path, struct arena *arena, struct error *err);

#endif
