/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rank_files.h - the sessions of a parallel job's processes: several files, or a folder of them, as one measurement. */
#ifndef TOPDOWN_COMMAND_JOBS_RANK_FILES_H
#define TOPDOWN_COMMAND_JOBS_RANK_FILES_H

#include "command/jobs/saved_files.h"

/* Several files, or a folder that is none of perf's. */
bool are_rank_files(const struct saved_files *files);

/* Their sum, with its ranks (analyse/ranks). What can't be added is remarked. -1 with err where nothing was. */
int rank_files_read(struct saved_file *recorded, const struct saved_files *files, struct arena *arena,
		    struct error *err) MUST_CHECK;

#endif
