/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recorded.h - whatever file has a measurement: a session, counts from elsewhere, or what perf recorded. The content
 * decides.
 */
#ifndef TOPDOWN_COMMAND_JOBS_RECORDED_H
#define TOPDOWN_COMMAND_JOBS_RECORDED_H

#include "common/base/error.h"
#include "common/measurement/counts.h"

/* "-" is standard input. Of perf.data, places get their names. -1 as session_read and perf_data_read. */
int recorded_read(struct measurement *measured, const char *path, struct arena *arena, struct error *err) MUST_CHECK;

#endif
