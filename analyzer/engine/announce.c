/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * announce.c - a program that runs more than once may do twice what was meant once, and what runs already takes longer
 * than its --duration: that is said before it does.
 */
#include "engine/steps.h"

#include <string.h>
#include <unistd.h>

#include "common/base/text.h"

static const char *times(size_t count)
{
	return count == 1 ? "time" : "times";
}

static void announce_samples(const struct request *request, const char *program, const struct run_numbers *numbers)
{
	if (numbers->sampled > 1)
		request_notice(request, NOTICE_ACTION,
			       "%s runs %zu times: the counters don't hold all of these events at once", program,
			       numbers->sampled);
}

static const char *sampled_text(const struct question *question)
{
	if (!question->nper_function)
		return "the worst node is sampled";
	if (question->wants_roofline)
		return "functions are sampled to place them below the ceilings";
	return question_is_located(question) ? "the worst node, and functions for their trees, are sampled"
					     : "functions are sampled for their trees";
}

/* As often as the node needs that will be the worst. */
static void announce_located(const struct request *request, const char *program, const struct run_numbers *numbers)
{
	const struct packing_choice *packing = &request->setup->packing;
	size_t counted = numbers->counted, repeats = packing->repeats > 1 ? packing->repeats : 1;

	request_notice(request, NOTICE_ACTION, "%s runs %zu %s to be counted%s, and then %s%zu %s more, where %s%s",
		       program, counted, times(counted),
		       packing->is_drilldown ? ", and again for each step of the drill-down" : "",
		       numbers->sampled > 1 ? "up to " : "", numbers->sampled, times(numbers->sampled),
		       sampled_text(request->question),
		       repeats > 1 ? arena_worded(request->arena, "; all of it for each repeat ({r})") : "");
}

static void announce_counts(const struct request *request, const char *program, const struct run_numbers *numbers)
{
	const struct packing_choice *packing = &request->setup->packing;
	size_t repeats = packing->repeats > 1 ? packing->repeats : 1, runs = numbers->counted;
	const char *how =
		numbers->is_shared ? "each time with other groups of events" : "once for each group of events";

	if (packing->is_drilldown)
		request_notice(
			request, NOTICE_ACTION, "%s runs at least %zu %s, and again for each step of the drill-down%s",
			program, runs * repeats, times(runs * repeats),
			packing->max_runs == 1 ? "" : arena_worded(request->arena, "; {max-runs} 1: once a step"));
	else if (repeats > 1 && runs > 1)
		request_notice(request, NOTICE_ACTION,
			       "%s runs %zu times: %zu repeats ({r}) of %zu runs, %s; {max-runs} 1: %zu times", program,
			       runs * repeats, repeats, runs, how, repeats);
	else if (repeats > 1)
		request_notice(request, NOTICE_ACTION, "%s runs %zu times ({r} %zu)", program, repeats, repeats);
	else if (runs > 1)
		request_notice(request, NOTICE_ACTION, "%s runs %zu times, %s; {max-runs} 1: once", program, runs, how);
}

/* Of what runs already. */
static void announce_periods(const struct request *request, const struct run_numbers *numbers)
{
	double duration_s = request->setup->timing.duration_s;

	if (numbers->counted > 1 && duration_s > 0)
		request_notice(request, NOTICE_ACTION,
			       "%zu runs of %g s are counted, each time other groups of events ({max-runs})%s",
			       numbers->counted, duration_s,
			       request->setup->packing.repeats > 1
				       ? arena_worded(request->arena, "; all of it for each repeat ({r})")
				       : "");
}

void announce_runs(const struct request *request, const struct run_numbers *numbers)
{
	const char *program = request->setup->program.nwords ? request->setup->program.words[0] : NULL;

	if (!program)
		announce_periods(request, numbers);
	else if (request->setup->sampling.is_only)
		announce_samples(request, program, numbers);
	else if (numbers->is_located)
		announce_located(request, program, numbers);
	else
		announce_counts(request, program, numbers);
}

/* Our process number is where SIGUSR2 goes. */
void announce_waiting(const struct request *request, const char *control)
{
	struct string text = STRING_INIT(request->arena);

	string_printf(&text, "counting begins with `kill -USR2 %d`", (int)getpid());
	if (control)
		string_printf(&text, ", or `echo enable >%.*s`", (int)strcspn(control, ","), control);
	request_notice(request, NOTICE_PLAIN, "%s", text.text);
}
