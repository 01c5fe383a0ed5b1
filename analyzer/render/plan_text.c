/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/plan_matrix.h"

#include <string.h>

#define MOST_NAME 44 /* columns; longer names push what follows them */
#define NAMES	  6  /* where names begin */

static const char *counters_text(const struct page *page, size_t count, const char *letter)
{
	if (count < 2)
		return count ? arena_printf(page->arena, " (%s0)", letter) : "";
	return arena_printf(page->arena, " (%s0 to %s%zu)", letter, letter, count - 1);
}

static void print_limits(const struct page *page, const struct planned *planned)
{
	const struct plan_limits *limits = &planned->plan->limits;
	struct string text = STRING_INIT(page->arena);
	size_t fixed = (size_t)__builtin_popcountll(limits->fixed);

	string_printf(&text, "%u general counter%s%s, %zu fixed%s%s; SMT %s%s", limits->general,
		      limits->general == 1 ? "" : "s", counters_text(page, limits->general, "g"), fixed,
		      counters_text(page, fixed, "f"), limits->has_metrics ? ", PERF_METRICS" : "",
		      planned->model->events.smt_on ? "on" : "off",
		      limits->has_watchdog ? "; the NMI watchdog holds a counter" : "");
	page_sentence(page, text.text);
}

/* A hybrid CPU's types of cores are planned one by one: "alderlake:core" is one of them. */
static void print_type(const struct page *page, const struct planned *planned)
{
	const char *cpu = page_safe(page, planned->model->cpu), *colon = strchr(cpu, ':');

	if (colon && !planned->part)
		page_sentence(page, arena_printf(page->arena,
						 "The other core types have plans of their own, for the same runs: "
						 "topdown list cpus %.*s",
						 (int)(colon - cpu), cpu));
}

static void print_title(const struct page *page, const char *title)
{
	fprintf(page->out, "\n%s%s%s\n", ink_on(page, INK_BOLD), title, ink_off(page, INK_BOLD));
}

/* Where perf's spellings begin. */
static size_t spelling_column(const struct page *page, const struct planned *planned,
			      const struct planned_numbers *numbers)
{
	size_t width = 0;

	for (size_t i = 0; i < numbers->count; i++) {
		size_t need = cells_width(page_safe(page, planned->model->events.events[numbers->events[i]].name));

		width = need > width ? need : width;
	}
	return NAMES + (width < MOST_NAME ? width : MOST_NAME) + 2;
}

/* perf's spelling stands in its column where it has room there; else it ends with the line, or stands below the name. */
static void add_spelling(const struct page *page, struct line *line, const char *perf, size_t column)
{
	size_t width = cells_width(perf);

	if (line->at + 2 + width > page->width) {
		line_print(line);
		column = NAMES + 2;
	} else if (column < line->at + 2) {
		column = line->at + 2;
	}
	line_pad(line, column + width > page->width ? page->width - width : column);
	line_add(line, INK_DIM, perf);
}

struct legend {
	const struct planned *planned;
	size_t spellings; /* the column where perf's spellings begin */
};

static void print_event(const struct page *page, const struct legend *legend, size_t number, size_t event)
{
	const struct event *what = &legend->planned->model->events.events[event];
	const char *perf = event_perf_string(what, legend->planned->model->events.pmu, "", page->arena);
	struct line line = line_init(page);

	line_add_right(&line, INK_PLAIN, arena_printf(page->arena, "%zu", number), 4);
	line_pad(&line, NAMES);
	line_add(&line, INK_PLAIN,
		 cells_cut(page->arena, page_safe(page, what->name), page->width - NAMES, page->style->has_utf8));
	add_spelling(page, &line, page_safe(page, perf), legend->spellings);
	line_print(&line);
}

static void print_events(const struct page *page, const struct planned *planned, const struct planned_numbers *numbers)
{
	struct legend legend = { planned, spelling_column(page, planned, numbers) };

	print_title(page, "Events");
	for (size_t i = 0; i < numbers->count; i++)
		print_event(page, &legend, i + 1, numbers->events[i]);
}

static void print_list(const struct page *page, const char *title, const char *list)
{
	if (!*list)
		return;
	print_title(page, title);
	page_wrap(page, &(struct indent){ "  ", "  ", 2 }, page_safe(page, list));
}

static void print_plan(const struct page *page, const struct planned *planned)
{
	const struct plan *plan = planned->plan;
	struct planned_numbers numbers = planned_number(page, planned);
	const char *fewer = planned_fewer_text(page, planned);

	page_sentence(page, arena_printf(page->arena, "%s, %s: %s", page_safe(page, planned->model->cpu),
					 planned_subject(page, planned), planned_size(page, plan)));
	print_limits(page, planned);
	print_type(page, planned);
	page_sentence(page, "A line is a group, counted at once; its numbers are events, listed at the end.");
	fputc('\n', page->out);
	plan_matrix(page, planned, &numbers);
	print_list(page, PLANNED_COMBINED, planned_combined(page, planned));
	print_list(page, "Not countable with these counters", planned_missing(page, planned));
	print_events(page, planned, &numbers);
	if (*fewer) {
		fputc('\n', page->out);
		page_sentence(page, fewer);
	}
}

int plans_text(const struct page *page, const struct planned_set *set, struct error *err UNUSED)
{
	for (size_t i = 0; i < set->count; i++) {
		if (set->count > 1)
			fprintf(page->out, "%s%s%s%s\n\n", i ? "\n" : "", ink_on(page, INK_BOLD),
				page_safe(page, set->parts[i].part), ink_off(page, INK_BOLD));
		print_plan(page, &set->parts[i]);
	}
	if (set->count > 1) {
		fputc('\n', page->out);
		page_sentence(page, planned_runs(page, set));
	}
	return 0;
}
