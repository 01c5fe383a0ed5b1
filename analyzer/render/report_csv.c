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

static const char *n_of(const struct page *page, const struct result *result)
{
	return arena_printf(page->arena, "%zu", result->spread.n);
}

static const char *stddev_of(const struct page *page, const struct result *result)
{
	return plain_number(page->arena, result->spread.stddev);
}

static const char *ci95_of(const struct page *page, const struct result *result)
{
	return plain_number(page->arena, result->spread.ci95);
}

static const struct column {
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

/* Of repeats only. */
static const struct column spread_columns[] = { { "n", n_of }, { "stddev", stddev_of }, { "ci95", ci95_of } };

/* The columns before those of the results: which part, and which time. */
struct origin {
	const char *fields[3];
	size_t count;
	bool is_repeated;
};

static void add_field(struct origin *origin, bool is_there, const char *field)
{
	if (is_there)
		origin->fields[origin->count++] = field;
}

/* report NULL: the names of the columns. */
static struct origin origin_of(const struct page *page, const struct report_set *set, const struct report *report)
{
	struct origin origin = { .is_repeated = set->parts[0].summary.repeats > 1 };

	add_field(&origin, set->is_series, report ? plain_number(page->arena, set->from_s) : "from_s");
	add_field(&origin, set->is_series, report ? plain_number(page->arena, set->to_s) : "to_s");
	add_field(&origin, set->count > 1 || set->parts[0].summary.part, report ? report->summary.part : "part");
	return origin;
}

/* result NULL: the names. */
static size_t add_columns(const char **fields, const struct page *page, const struct column *from, size_t count,
			  const struct result *result)
{
	for (size_t i = 0; i < count; i++)
		fields[i] = result ? from[i].of(page, result) : from[i].name;
	return count;
}

static void print_row(const struct page *page, const struct origin *origin, const struct result *result)
{
	const char *fields[COUNT_OF(origin->fields) + COUNT_OF(columns) + COUNT_OF(spread_columns)];
	size_t count = 0;

	for (size_t i = 0; i < origin->count; i++)
		fields[count++] = origin->fields[i];
	count += add_columns(fields + count, page, columns, COUNT_OF(columns), result);
	if (origin->is_repeated)
		count += add_columns(fields + count, page, spread_columns, COUNT_OF(spread_columns), result);
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
