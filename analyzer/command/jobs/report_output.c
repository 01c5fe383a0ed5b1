/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command/jobs/report_output.h"

#include <math.h>
#include <poll.h>

#include "analyse/evaluate/timeline.h"
#include "command/jobs/flames.h"

void report_output_init(struct report_output *to, const struct output_choice *choice, FILE *otherwise,
			struct arena *arena)
{
	*to = (struct report_output){ .choice = choice, .otherwise = otherwise, .arena = arena };
	if (choice->format == FORMAT_HTML)
		to->intervals = timeline_new(arena);
}

void report_output_keep(struct report_output *to, const struct measurement *measured)
{
	paged_keep(&to->page, measured, to->choice->format, to->arena);
}

/* A pipe whose reader has gone. */
static bool is_unread(const struct output *output)
{
	struct pollfd poll_of = { .fd = fileno(output->file) };

	return poll(&poll_of, 1, 0) > 0 && (poll_of.revents & (POLLERR | POLLHUP));
}

static int render(struct report_output *to, const struct outcome *outcome, struct error *err)
{
	struct report_set reports = *outcome->reports;

	if (!to->is_open && output_open(&to->output, to->choice, to->otherwise, err) < 0)
		return -1;
	to->is_open = true;
	if (outcome->is_last && to->intervals && to->intervals->nintervals) {
		reports.timeline = to->intervals;
		reports.before = 0;
	}
	paged_lend(&reports, &to->page, outcome->measured, to->choice->format, to->arena);
	if (reports.sampled || reports.where)
		output_make_private(&to->output);
	if (isnan(reports.from_s))
		flames_add(&to->output, outcome->measured, reports.count ? &reports.parts[0] : NULL, to->arena);
	if (render_reports(to->output.file, &reports, &to->output.style, err) == 0)
		return 0;
	to->is_unread = is_unread(&to->output);
	return output_failed(&to->output, err);
}

int report_output_add(struct report_output *to, const struct outcome *outcome, struct error *err)
{
	if (!outcome->is_last && to->intervals) {
		timeline_add(to->intervals, outcome->reports);
		return 0;
	}
	if (render(to, outcome, err) < 0)
		return -1;
	return outcome->is_last ? output_close(&to->output, err) : 0;
}
