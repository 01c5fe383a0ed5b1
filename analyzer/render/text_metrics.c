/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/renderers.h"

#include <math.h>
#include <string.h>

#include "load/topic.h"
#include "render/human.h"
#include "render/view.h"

/* Groups of metrics that explain nodes, in the order in which nodes ask for them. */
struct section {
	const char *group;
	struct string nodes; /* who asks: "Frontend_Bound, Backend_Bound" */
};

struct sections {
	struct section *rows;
	size_t count, capacity;
};

static struct section *section_for(struct sections *sections, const char *group, struct arena *arena)
{
	for (size_t i = 0; i < sections->count; i++)
		if (!strcmp(sections->rows[i].group, group))
			return &sections->rows[i];
	sections->rows =
		arena_grow(arena, sections->rows, sections->count, &sections->capacity, sizeof(*sections->rows));
	sections->rows[sections->count] = (struct section){ .group = group, .nodes = STRING_INIT(arena) };
	return &sections->rows[sections->count++];
}

static void add_node(struct sections *sections, const struct metric *node, struct arena *arena)
{
	const char *cursor = node->next_groups ? node->next_groups : "", *part;
	size_t length;

	while ((length = text_next(&cursor, ";", &part)) > 0) {
		struct section *section = section_for(sections, arena_strndup(arena, part, length), arena);

		string_printf(&section->nodes, "%s%s", section->nodes.length ? ", " : "", node->title);
	}
}

static void print_metric(const struct page *page, const struct result *metric, size_t width)
{
	struct line line = line_init(page);
	const char *value = human_value(page->arena, metric->metric, is_measured(metric) ? metric->value : (double)NAN);
	const char *title =
		cells_cut(page->arena, page_safe(page, metric->metric->title), width, page->style->has_utf8);

	line_pad(&line, 2);
	line_add(&line, INK_PLAIN, title);
	line_add_right(&line, INK_PLAIN, value, 2 + width + 10);
	line_add(&line, INK_PLAIN, " ");
	if (*view_spread(page, metric))
		line_add(&line, INK_DIM, arena_printf(page->arena, "%s ", view_spread(page, metric)));
	if (!is_measured(metric)) {
		line_print(&line);
		page_wrap(page, &(struct indent){ "      ", "      ", 6 },
			  page_safe(page, metric->reason ? metric->reason : "not measured"));
		return;
	}
	line_add(&line, INK_PLAIN, page_safe(page, human_unit(page->arena, metric->metric)));
	if (*view_mark(page, metric))
		line_add(&line, INK_PLAIN, arena_printf(page->arena, "  %s", view_mark(page, metric)));
	line_print(&line);
}

/* Value and unit need some 30 columns beside the title. */
static size_t title_width(const struct page *page, const struct result *results, size_t count)
{
	size_t width = 16, most = page->width - 30;

	for (size_t i = 0; i < count; i++) {
		size_t need = cells_width(page_safe(page, results[i].metric->title));

		width = need > width ? need : width;
	}
	return width > most ? most : width;
}

/* Prints the members of the group. */
static void print_group(const struct page *page, const struct report *report, const char *group, bool *printed)
{
	size_t width = title_width(page, report->metrics, report->nmetrics);

	for (size_t i = 0; i < report->nmetrics; i++) {
		if (!is_in_group(report->metrics[i].metric, group))
			continue;
		print_metric(page, &report->metrics[i], width);
		printed[i] = true;
	}
}

static bool is_counted(const struct report *report, const struct section *section)
{
	for (size_t i = 0; i < report->nmetrics; i++)
		if (is_in_group(report->metrics[i].metric, section->group))
			return true;
	return false;
}

static void print_heading(const struct page *page, const char *heading)
{
	fprintf(page->out, "\n%s%s%s", ink_on(page, INK_BOLD), page_safe(page, heading), ink_off(page, INK_BOLD));
}

static void print_sections(const struct page *page, const struct report *report, const struct sections *sections,
			   bool *printed)
{
	struct string rest = STRING_INIT(page->arena);

	for (size_t i = 0; i < sections->count; i++) {
		const struct section *section = &sections->rows[i];
		const char *nodes = section->nodes.text;

		if (is_counted(report, section)) {
			print_heading(page, arena_printf(page->arena, "Next: %s", section->group));
			fprintf(page->out, " (%s)\n", page_safe(page, nodes));
			print_group(page, report, section->group, printed);
		} else {
			string_printf(&rest, "%s%s (%s)",
				      rest.length ? ", " : "Next, not counted here: ", section->group, nodes);
		}
	}
	if (rest.length) {
		fputc('\n', page->out);
		page_wrap(page, &(struct indent){ "", "  ", 2 }, page_safe(page, rest.text));
	}
}

static void print_topic(const struct page *page, const struct report *report, enum topic topic, bool *printed)
{
	size_t width = title_width(page, report->metrics, report->nmetrics);
	bool has_heading = false;

	for (size_t i = 0; i < report->nmetrics; i++) {
		const struct metric *metric = report->metrics[i].metric;

		if (printed[i] || metric->failure || metric_topic(metric) != topic)
			continue;
		if (!has_heading) {
			print_heading(page, topic_name(topic));
			fputc('\n', page->out);
		}
		has_heading = printed[i] = true;
		print_metric(page, &report->metrics[i], width);
	}
}

static void print_failed(const struct page *page, const struct report *report, size_t first, bool *printed)
{
	const char *text = page_safe(page, view_failed(page, report, first, printed));

	fputc('\n', page->out);
	page_wrap(page, &(struct indent){ "", "  ", 2 }, text);
}

/* Metrics that no shown node asks for: when they were asked for, with -v, and when they are all there is. */
static void print_others(const struct page *page, const struct report *report, bool *printed)
{
	bool are_asked_for = report->asked.groups || report->asked.metrics;

	if (report->nnodes && !page->style->is_verbose && !are_asked_for)
		return;
	for (enum topic topic = 0; topic < TOPIC_COUNT; topic++)
		print_topic(page, report, topic, printed);
	for (size_t i = 0; i < report->nmetrics; i++)
		if (!printed[i])
			print_failed(page, report, i, printed);
}

static void print_events(const struct page *page, const struct report *report)
{
	size_t width = title_width(page, report->events, report->nevents);

	if (!report->nevents)
		return;
	print_heading(page, "Events asked for");
	fputc('\n', page->out);
	for (size_t i = 0; i < report->nevents; i++)
		print_metric(page, &report->events[i], width);
}

void text_metrics(const struct page *page, const struct report *report)
{
	struct sections sections = { .count = 0 };
	bool *printed = arena_array(page->arena, report->nmetrics, sizeof(*printed));

	for (size_t i = 0; i < report->nnodes; i++)
		if (report->nodes[i].is_bottleneck || page->style->is_verbose)
			add_node(&sections, report->nodes[i].metric, page->arena);
	print_sections(page, report, &sections, printed);
	print_others(page, report, printed);
	print_events(page, report);
}
