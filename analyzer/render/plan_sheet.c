/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/renderers.h"

#include "render/planned.h"
#include "render/sheet.h"

#define COLUMNS 7

/* The first is there only where there are parts. */
static const char *const heads[COLUMNS] = { "part", "run", "group", "event", "perf", "counter", "metrics" };

typedef void (*put_row)(const struct page *page, const char *const *fields, size_t count);

static void put_fields(const struct page *page, const char *const *fields, bool has_part, put_row put)
{
	put(page, fields + !has_part, COLUMNS - !has_part);
}

static void put_group(const struct page *page, const struct planned *planned, size_t run, size_t number, put_row put)
{
	const struct plan_group *group = &planned->plan->groups[number];

	for (size_t i = 0; i < group->count; i++) {
		const char *fields[COLUMNS] = {
			planned->part,
			arena_printf(page->arena, "%zu", run + 1),
			arena_printf(page->arena, "%zu", number + 1),
			planned_event(planned, group, i)->name,
			planned_perf(page, planned, group, i),
			counter_name(page, planned, group, i),
			i ? "" : planned_metrics(page, planned, group),
		};

		put_fields(page, fields, planned->part != NULL, put);
	}
}

static void put_runs(const struct page *page, const struct planned *planned, put_row put)
{
	for (size_t i = 0; i < planned->plan->nruns; i++)
		for (size_t j = 0; j < planned->plan->runs[i].count; j++)
			put_group(page, planned, i, planned->plan->runs[i].first + j, put);
}

int plans_csv(const struct page *page, const struct planned_set *set, struct error *err UNUSED)
{
	put_fields(page, heads, set->parts[0].part != NULL, csv_row);
	for (size_t i = 0; i < set->count; i++)
		put_runs(page, &set->parts[i], csv_row);
	return 0;
}

static void put_plan(const struct page *page, const struct planned *planned)
{
	static const bool right[COLUMNS] = { false, true, true };
	bool has_part = planned->part != NULL;

	fprintf(page->out, "# Plan for %s, %s\n\n%s.\n\n", markdown_text(page, planned->model->cpu),
		planned_subject(page, planned), planned_size(page, planned->plan));
	put_fields(page, heads, has_part, markdown_row);
	markdown_rule(page, right + !has_part, COLUMNS - !has_part);
	put_runs(page, planned, markdown_row);
	if (planned->plan->nsplit)
		fprintf(page->out, "\n" PLANNED_COMBINED ": %s.\n",
			markdown_text(page, planned_combined(page, planned)));
	if (planned->plan->nmissing)
		fprintf(page->out, "\nNot countable with these counters: %s.\n",
			markdown_text(page, planned_missing(page, planned)));
	if (*planned_fewer_text(page, planned))
		fprintf(page->out, "\n%s\n", planned_fewer_text(page, planned));
}

int plans_markdown(const struct page *page, const struct planned_set *set, struct error *err UNUSED)
{
	for (size_t i = 0; i < set->count; i++) {
		fputs(i ? "\n" : "", page->out);
		put_plan(page, &set->parts[i]);
	}
	if (set->count > 1)
		fprintf(page->out, "\n%s\n", planned_runs(page, set));
	return 0;
}
