/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command/pages/report_output.h"

#include <math.h>
#include <poll.h>

#include "analyse/evaluate/timeline.h"
#include "command/jobs/export_choice.h"
#include "command/pages/explored_sources.h"
#include "program/code/disassembly.h"
#include "store/session/session_page.h"

int report_output_check_source(const struct output_choice *choice, const struct question *question, struct error *err)
{
	if (!question->source || question->annotated || choice->format == FORMAT_HTML)
		return 0;
	return error_set(err, "--source needs --annotate, or a page of HTML: nothing else reads sources");
}

void report_output_init(struct report_output *to, const struct output_choice *choice, FILE *otherwise,
			struct arena *arena)
{
	*to = (struct report_output){ .choice = choice, .otherwise = otherwise, .arena = arena };
	if (choice->format == FORMAT_HTML)
		to->intervals = timeline_new(arena);
}

void report_output_keep(struct report_output *to, const struct measurement *measured)
{
	struct page_content *page = &to->page;
	struct error err = { .text = "" };

	if (to->choice->format != FORMAT_HTML)
		return;
	if (!to->choice->embeds) {
		page->no_session = "The counts themselves are not in this file; `--embed` puts them there.";
		return;
	}
	/* A session would make a run of them that nobody saw. */
	if (measured->count && measured->parts[0].origin.is_flat) {
		page->no_session =
			"The counts came without a run, so this page does not hold them: their file is needed to "
			"evaluate them again.";
		return;
	}
	page->session = page_session_text(measured, &page->session_type, to->arena, &err);
	page->no_session = page->session ? NULL : arena_strdup(to->arena, err.text);
}

/* A pipe whose reader has gone. */
static bool is_unread(const struct output *output)
{
	struct pollfd poll_of = { .fd = fileno(output->file) };

	return poll(&poll_of, 1, 0) > 0 && (poll_of.revents & (POLLERR | POLLHUP));
}

/* What a page shows besides the reports, of all of the time. */
static void fill_page(struct report_output *to, const struct outcome *outcome)
{
	const struct report_set *reports = outcome->reports;
	struct page_content *page = &to->page;

	if (to->choice->format != FORMAT_HTML || !isnan(reports->from_s))
		return;
	page->measured = outcome->measured;
	page->timeline = to->intervals && to->intervals->nintervals ? to->intervals : NULL;
	to->explored.before = export_choice_explored(outcome->measured, reports->count ? &reports->parts[0] : NULL,
						     page->timeline, to->arena);
	page->explored = &to->explored;
	if (to->explored.before)
		explored_sources_read(
			to->explored.before,
			&(struct source_request){ .folder = to->source, .is_foreign = outcome->measured->is_foreign },
			to->arena);
}

static int open_output(struct report_output *to, struct error *err)
{
	if (!to->is_open && output_open(&to->output, to->choice, to->otherwise, err) < 0)
		return -1;
	to->is_open = true;
	return 0;
}

static void write_row(struct report_output *to)
{
	if (to->row.count)
		interval_row_print(to->output.file, &to->row, &to->output.style, to->arena);
	to->row.count = 0;
}

/* False: it is no row, and those before it are written. */
static bool join(struct report_output *to, const struct outcome *outcome)
{
	struct interval_row row;
	bool is_row = !outcome->is_last && interval_row_make(&row, outcome->reports, to->arena);

	if (is_row && to->row.count && interval_row_join(&to->row, &row))
		return true;
	write_row(to);
	if (is_row)
		to->row = row;
	return is_row;
}

static int render(struct report_output *to, const struct outcome *outcome, struct error *err)
{
	struct report_set reports = *outcome->reports;

	if (open_output(to, err) < 0)
		return -1;
	if (to->joins_rows && join(to, outcome))
		return 0;
	fill_page(to, outcome);
	if (to->page.timeline)
		reports.before = 0;
	if (render_reports(to->output.file, &reports, &to->page, &to->output.style, err) == 0)
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
	if (!outcome->is_last && to->choice->format == FORMAT_BRIEF)
		return 0; /* it has no room for them */
	if (render(to, outcome, err) < 0)
		return -1;
	return outcome->is_last ? output_close(&to->output, err) : output_show(&to->output, err);
}
