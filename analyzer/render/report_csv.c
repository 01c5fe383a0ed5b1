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
	if (!result->has_threshold || result->is_open)
		return "";
	return result->over_threshold ? "true" : "false";
}

static const char *bottleneck_of(const struct page *page UNUSED, const struct result *result)
{
	if (result->is_unjudged)
		return "";
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

/* The columns before those of the results: which part, and which time. */
struct origin {
	const char *fields[3];
	size_t count;
};

static void add_field(struct origin *origin, bool is_there, const char *field)
{
	if (is_there)
		origin->fields[origin->count++] = field;
}

/* report NULL: the names of the columns. */
static struct origin origin_of(const struct page *page, const struct report_set *set, const struct report *report)
{
	struct origin origin = { .count = 0 };

	add_field(&origin, set->is_series, report ? plain_number(page->arena, set->from_s) : "from_s");
	add_field(&origin, set->is_series, report ? plain_number(page->arena, set->to_s) : "to_s");
	add_field(&origin, set->count > 1 || set->parts[0].summary.part, report ? report->summary.part : "part");
	return origin;
}

static void print_row(const struct page *page, const struct origin *origin, const struct result *result)
{
	const char *fields[COUNT_OF(origin->fields) + COUNT_OF(columns)];
	size_t count = 0;

	for (size_t i = 0; i < origin->count; i++)
		fields[count++] = origin->fields[i];
	for (size_t i = 0; i < COUNT_OF(columns); i++)
		fields[count++] = result ? columns[i].of(page, result) : columns[i].name;
	csv_row(page, fields, count);
}

static void print_report(const struct page *page, const struct origin *origin, const struct report *report)
{
	for (size_t i = 0; i < report->nnodes; i++)
		print_row(page, origin, &report->nodes[i]);
	for (size_t i = 0; i < report->nmetrics; i++)
		print_row(page, origin, &report->metrics[i]);
	for (size_t i = 0; i < report->nevents; i++)
		print_row(page, origin, &report->events[i]);
}

int reports_csv(const struct page *page, const struct report_set *set, struct error *err UNUSED)
{
	const struct origin names = origin_of(page, set, NULL);

	if (!set->before)
		print_row(page, &names, NULL);
	for (size_t i = 0; i < set->count; i++) {
		const struct origin origin = origin_of(page, set, &set->parts[i]);

		print_report(page, &origin, &set->parts[i]);
	}
	return 0;
}
