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

/* Of repeats, and of sampled simulations. */
static const struct column spread_columns[] = { { "n", n_of }, { "stddev", stddev_of }, { "ci95", ci95_of } };

/* Behind those, of reports with source lines only: the value is a percentage of the node. */
static const char *const place_columns[] = { "function", "file", "line", "object" };

/* The columns before those of the results: which part, and which time. */
struct origin {
	const char *fields[3];
	size_t count;
	bool is_repeated, has_lines;
};

static void add_field(struct origin *origin, bool is_there, const char *field)
{
	if (is_there)
		origin->fields[origin->count++] = field;
}

/* report NULL: the names of the columns. */
static struct origin origin_of(const struct page *page, const struct report_set *set, const struct report *report)
{
	struct origin origin = { .is_repeated = has_spread(&set->parts[0].summary),
				 .has_lines = set->parts[0].has_lines };

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

/* A row that grows field by field. */
struct fields {
	const char *fields[COUNT_OF(((struct origin *)0)->fields) + COUNT_OF(columns) + COUNT_OF(spread_columns) +
			   COUNT_OF(place_columns)];
	size_t count;
};

/* result NULL: the names. */
static struct fields fields_of(const struct page *page, const struct origin *origin, const struct result *result)
{
	struct fields row = { .count = 0 };

	for (size_t i = 0; i < origin->count; i++)
		row.fields[row.count++] = origin->fields[i];
	row.count += add_columns(row.fields + row.count, page, columns, COUNT_OF(columns), result);
	if (origin->is_repeated)
		row.count +=
			add_columns(row.fields + row.count, page, spread_columns, COUNT_OF(spread_columns), result);
	for (size_t i = 0; i < COUNT_OF(place_columns) && origin->has_lines; i++)
		row.fields[row.count++] = result ? NULL : place_columns[i];
	return row;
}

static void print_row(const struct page *page, const struct origin *origin, const struct result *result)
{
	const struct fields row = fields_of(page, origin, result);

	csv_row(page, row.fields, row.count);
}

/* The node's row, with the line's share of it as the value. */
static void print_line(const struct page *page, const struct origin *origin, const struct result *node,
		       const struct line_share *share)
{
	const struct source_line *line = share->line;
	struct metric metric = *node->metric;
	struct result result = *node;
	struct fields row;

	metric.unit = "%";
	metric.domain = metric.title;
	result.metric = &metric;
	result.value = share->percent;
	row = fields_of(page, origin, &result);
	row.fields[row.count - 4] = line->function;
	row.fields[row.count - 3] = line->file;
	row.fields[row.count - 2] = line->line ? arena_printf(page->arena, "%zu", line->line) : NULL;
	row.fields[row.count - 1] = line->object;
	csv_row(page, row.fields, row.count);
}

static void print_lines(const struct page *page, const struct origin *origin, const struct report *report)
{
	for (size_t i = 0; i < report->nlines; i++)
		for (size_t j = 0; j < report->lines[i].nlines; j++)
			print_line(page, origin, report->lines[i].node, &report->lines[i].lines[j]);
}

static void print_report(const struct page *page, const struct origin *origin, const struct report *report)
{
	for (size_t i = 0; i < report->nnodes; i++)
		print_row(page, origin, &report->nodes[i]);
	for (size_t i = 0; i < report->nmetrics; i++)
		print_row(page, origin, &report->metrics[i]);
	for (size_t i = 0; i < report->nevents; i++)
		print_row(page, origin, &report->events[i]);
	print_lines(page, origin, report);
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
