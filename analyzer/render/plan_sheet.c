/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/renderers.h"

#include "render/planned.h"
#include "render/sheet.h"

#define COLUMNS 6

static const char *const heads[COLUMNS] = { "run", "group", "event", "perf", "counter", "metrics" };

typedef void (*put_row)(const struct page *page, const char *const *fields, size_t count);

static void put_group(const struct page *page, const struct planned *planned, size_t run, size_t number, put_row put)
{
	const struct plan_group *group = &planned->plan->groups[number];

	for (size_t i = 0; i < group->count; i++) {
		const char *fields[COLUMNS] = {
			arena_printf(page->arena, "%zu", run + 1), arena_printf(page->arena, "%zu", number + 1),
			planned_event(planned, group, i)->name,	   planned_perf(page, planned, group, i),
			counter_name(page, planned, group, i),	   i ? "" : planned_metrics(page, planned, group),
		};

		put(page, fields, COLUMNS);
	}
}

static void put_runs(const struct page *page, const struct planned *planned, put_row put)
{
	for (size_t i = 0; i < planned->plan->nruns; i++)
		for (size_t j = 0; j < planned->plan->runs[i].count; j++)
			put_group(page, planned, i, planned->plan->runs[i].first + j, put);
}

int plan_csv(const struct page *page, const struct planned *planned, struct error *err UNUSED)
{
	csv_row(page, heads, COLUMNS);
	put_runs(page, planned, csv_row);
	return 0;
}

int plan_markdown(const struct page *page, const struct planned *planned, struct error *err UNUSED)
{
	static const bool right[COLUMNS] = { true, true, false, false, false, false };

	fprintf(page->out, "# Plan for %s, %s\n\n%s.\n\n", markdown_text(page, planned->model->cpu),
		planned_subject(page, planned), planned_size(page, planned->plan));
	markdown_row(page, heads, COLUMNS);
	markdown_rule(page, right, COLUMNS);
	put_runs(page, planned, markdown_row);
	if (planned->plan->nsplit)
		fprintf(page->out, "\n" PLANNED_COMBINED ": %s.\n",
			markdown_text(page, planned_combined(page, planned)));
	if (planned->plan->nmissing)
		fprintf(page->out, "\nNot countable with these counters: %s.\n",
			markdown_text(page, planned_missing(page, planned)));
	if (*planned_fewer_text(page, planned))
		fprintf(page->out, "\n%s\n", planned_fewer_text(page, planned));
	return 0;
}
