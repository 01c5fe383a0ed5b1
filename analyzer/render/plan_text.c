/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/plan_matrix.h"

#define MOST_NAME 44 /* columns; longer names push what follows them */

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

static void print_title(const struct page *page, const char *title)
{
	fprintf(page->out, "\n%s%s%s\n", ink_on(page, INK_BOLD), title, ink_off(page, INK_BOLD));
}

static size_t name_width(const struct page *page, const struct planned *planned, const struct planned_numbers *numbers)
{
	size_t width = 0;

	for (size_t i = 0; i < numbers->count; i++) {
		size_t need = cells_width(page_safe(page, planned->model->events.events[numbers->events[i]].name));

		width = need > width ? need : width;
	}
	return width < MOST_NAME ? width : MOST_NAME;
}

/* perf's spelling follows where the line has room for it; it is in the other formats anyway. */
static void print_event(const struct page *page, const struct planned *planned, const struct planned_numbers *numbers,
			size_t i)
{
	const struct event *event = &planned->model->events.events[numbers->events[i]];
	const char *perf = page_safe(page, event_perf_string(event, planned->model->events.pmu, "", page->arena));
	struct line line = line_init(page);

	line_add_right(&line, INK_PLAIN, arena_printf(page->arena, "%zu", i + 1), 4);
	line_pad(&line, 6);
	line_add(&line, INK_PLAIN,
		 cells_cut(page->arena, page_safe(page, event->name), page->width - 6, page->style->has_utf8));
	line_pad(&line, 6 + name_width(page, planned, numbers));
	if (line.at + 2 + cells_width(perf) <= page->width) {
		line_pad(&line, line.at + 2);
		line_add(&line, INK_DIM, perf);
	}
	line_print(&line);
}

static void print_list(const struct page *page, const char *title, const char *list)
{
	if (!*list)
		return;
	print_title(page, title);
	page_wrap(page, &(struct indent){ "  ", "  ", 2 }, page_safe(page, list));
}

int plan_text(const struct page *page, const struct planned *planned, struct error *err UNUSED)
{
	const struct plan *plan = planned->plan;
	struct planned_numbers numbers = planned_number(page, planned);
	const char *fewer = planned_fewer_text(page, planned);

	page_sentence(page, arena_printf(page->arena, "%s, %s: %s", page_safe(page, planned->model->cpu),
					 planned_subject(page, planned), planned_size(page, plan)));
	print_limits(page, planned);
	fputc('\n', page->out);
	plan_matrix(page, planned, &numbers);
	print_list(page, "Brought together from several groups", planned_combined(page, planned));
	print_list(page, "Not countable with these counters", planned_missing(page, planned));
	print_title(page, "Events");
	for (size_t i = 0; i < numbers.count; i++)
		print_event(page, planned, &numbers, i);
	if (*fewer) {
		fputc('\n', page->out);
		page_sentence(page, fewer);
	}
	return 0;
}
