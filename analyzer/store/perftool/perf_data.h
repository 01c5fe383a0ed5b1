/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_data.h - what `perf record` wrote, as a measurement with a profile and no counts: files and pipes of Linux 5.10
 * and later, compressed ones too where there is libzstd.
 */
#ifndef TOPDOWN_STORE_PERFTOOL_PERF_DATA_H
#define TOPDOWN_STORE_PERFTOOL_PERF_DATA_H

#include "common/base/error.h"
#include "common/measurement/counts.h"
#include "store/perftool/stored_bytes.h"

/* Do the first bytes say so? Of the other byte order, and of perf's before 3.x, too: they are refused with a reason. */
bool is_perf_data(const void *bytes, size_t length);

/*
 * Fills measured: one part with what is known of the machine and the command, and a profile whose places have no
 * names yet; symbols_resolve gives them. source stands for the file in errors. A file that is cut or damaged gives
 * what stands before that, and a remark with the offset; -1 where that is no sample, or where the records are of a
 * kind that only perf reads.
 */
int perf_data_read(struct measurement *measured, const struct stored_bytes *stored, const char *source,
		   struct arena *arena, struct error *err) MUST_CHECK;

#endif
