/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf_clocks.h - the times of a run, from perf's clocks ("task-clock") and from what it prints below the counts. */
#ifndef TOPDOWN_STORE_PERFTOOL_PERF_CLOCKS_H
#define TOPDOWN_STORE_PERFTOOL_PERF_CLOCKS_H

#include "common/measurement/counts.h"
#include "store/perftool/perf_record.h"

/* Such an event is no event of a core. */
bool is_perf_clock(const char *event);

/* Of which run. */
struct perf_clocks {
	size_t output;
	const char *place; /* NULL: the counts aren't divided */
	bool is_divided;   /* among types of cores: nobody knows the CPU time of one */
};

/* Sets wall_s and cpu_s where the record's lines, or what stands below its outputs, have them. */
void perf_clocks_fill(struct count_run *run, const struct perf_record *record, const struct perf_clocks *clocks);

#endif
