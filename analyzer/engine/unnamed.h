/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unnamed.h - the CPUs of counts that do not name theirs: what perf stat printed has no more than names of events. */
#ifndef TOPDOWN_ENGINE_UNNAMED_H
#define TOPDOWN_ENGINE_UNNAMED_H

#include "common/measurement/counts.h"
#include "engine/target.h"

/*
 * The CPU that --cpu names, else this machine's; of a hybrid CPU the cores whose PMU the events name. The counts get
 * its name and the facts that are known of it. -1 when neither is known, or when this machine's CPU has none of the
 * events: err then names the CPUs that have most of them.
 */
int unnamed_find(struct target *target, struct counts *counts, const struct request *request,
		 struct error *err) MUST_CHECK;

/*
 * Leaves out the parts of types of cores that --cpu does not name ("alderlake:core"), or that nothing is known of (with
 * a warning). -1 when no part is left, or when the CPU has one type of cores and the counts are of several.
 */
int unnamed_choose(struct measurement *measured, const struct request *request, struct error *err) MUST_CHECK;

#endif
