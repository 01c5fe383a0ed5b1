/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * saved.h - counts that are there already, of a session, of other tools, or samples alone: evaluated as a request asks
 * now. Whoever evaluates what nobody measures at this moment comes through here.
 */
#ifndef TOPDOWN_ENGINE_SAVED_H
#define TOPDOWN_ENGINE_SAVED_H

#include "analyse/compare/compare.h"
#include "engine/engine.h"

struct saved {
	struct measurement *measured; /* as it was read; what is found about its parts is written there */
	const char *file;	      /* errors call it so */
	bool has_no_intervals;	      /* all of the time alone */
};

/*
 * Hands it to the sink as engine_measure does what it has measured: all of the time as it was read (sink->measured),
 * then each interval and at last all of the time, evaluated. -1 with err where no model is known, or it has nothing of
 * what is asked for, or the sink has failed.
 */
int engine_report(const struct saved *saved, const struct request *request, struct error *err) MUST_CHECK;

/*
 * All of the time, evaluated as the question asks; errors call it file. -1 with err where no model is known, or it fits
 * nothing.
 */
int saved_evaluate(struct report_set *reports, struct measurement *measured, const char *file,
		   const struct request *request, struct error *err) MUST_CHECK;

/*
 * Evaluates all levels of a measurement, which has at least a part, and fills the side but for its label, which is
 * there already: errors and the report call it that. measured is borrowed. -1 and err where no model fits its counts.
 */
int saved_side(struct compare_side *side, struct measurement *measured, const struct request *request,
	       struct error *err) MUST_CHECK;

#endif
