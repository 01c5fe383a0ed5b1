/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine.h - the pipeline as one call: identify, load, plan, count, evaluate. A front end
 * hands over a request; nothing is printed here.
 */
#ifndef TOPDOWN_ENGINE_ENGINE_H
#define TOPDOWN_ENGINE_ENGINE_H

#include "analyse/evaluate/report.h"
#include "collect/simulate/lookout.h"
#include "common/request/request.h"
#include "common/system/loop.h"

/*
 * What the sink gets: an interval, or all of the time. What was counted, and its evaluation part by part, which are
 * none where nothing was counted, but sampled. Both are gone after the call.
 */
struct outcome {
	const struct measurement *measured;
	const struct report_set *reports;
	bool is_last; /* all of the time */
};

/*
 * Measures what the setup names, and hands each interval and at last all of it to the sink. -1 and err
 * when nothing could be measured, or the sink has failed; err->status is 126 or 127 where the program
 * could not be executed or found.
 */
int engine_measure(const struct request *request, struct error *err) MUST_CHECK;

/*
 * The same of what the setup's observers record, and nothing beside it: nothing is planned or evaluated, and the sink
 * gets no outcome.
 */
int engine_observe(const struct request *request, struct error *err) MUST_CHECK;

#endif
