/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/renderers.h"

#include <math.h>

#include "render/human.h"
#include "render/sheet.h"
#include "render/view.h"

static const char *level_of(const struct page *page, const struct result *result)
{
	return result->metric->level ? arena_printf(page->arena, "%u", result->metric->level) : "";
}

static const char *name_of(const struct page *page UNUSED, const struct result *result)
{
	return result->metric->name;
}

static const char *title_of(const struct page *page UNUSED, const struct result *result)
{
	return result->metric->title;
}

static const char *path_of(const struct page *page UNUSED, const struct result *result)
{
	return result->metric->path;
}

static const char *value_of(const struct page *page, const struct result *result)
{
	return plain_number(page->arena, is_measured(result) ? result->value : (double)NAN);
}

static const char *unit_of(const struct page *page UNUSED, const struct result *result)
{
	return result->metric->unit;
}

static const char *domain_of(const struct page *page UNUSED, const struct result *result)
{
	return result->metric->domain;
}

static const char *quality_of(const struct page *page UNUSED, const struct result *result)
{
	return quality_name(result->quality);
}

static const char *over_of(const struct page *page UNUSED, const struct result *result)
{
	if (!result->has_threshold)
		return "";
	return result->over_threshold ? "true" : "false";
}

static const char *bottleneck_of(const struct page *page UNUSED, const struct result *result)
{
	return result->is_bottleneck ? "true" : "false";
}

static const char *reason_of(const struct page *page UNUSED, const struct result *result)
{
	return result->reason;
}

static const struct {
	const char *name;
	const char *(*of)(const struct page *page, const struct result *result);
} columns[] = {
	{ "level", level_of },	       { "name", name_of },
	{ "title", title_of },	       { "path", path_of },
	{ "value", value_of },	       { "unit", unit_of },
	{ "domain", domain_of },       { "quality", quality_of },
	{ "over_threshold", over_of }, { "bottleneck", bottleneck_of },
	{ "reason", reason_of },
};

static void print_row(const struct page *page, const struct result *result)
{
	const char *fields[COUNT_OF(columns)];

	for (size_t i = 0; i < COUNT_OF(columns); i++)
		fields[i] = result ? columns[i].of(page, result) : columns[i].name;
	csv_row(page, fields, COUNT_OF(columns));
}

int report_csv(const struct page *page, const struct report *report, struct error *err UNUSED)
{
	print_row(page, NULL);
	for (size_t i = 0; i < report->nnodes; i++)
		print_row(page, &report->nodes[i]);
	for (size_t i = 0; i < report->nmetrics; i++)
		print_row(page, &report->metrics[i]);
	for (size_t i = 0; i < report->nevents; i++)
		print_row(page, &report->events[i]);
	return 0;
}
