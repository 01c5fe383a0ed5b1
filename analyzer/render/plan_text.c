/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/renderers.h"

#include "render/planned.h"

static void print_limits(const struct page *page, const struct planned *planned)
{
	const struct plan_limits *limits = &planned->plan->limits;
	struct string text = STRING_INIT(page->arena);
	unsigned fixed = 0;

	for (uint64_t bits = limits->fixed; bits; bits &= bits - 1)
		fixed++;
	string_printf(&text, "%u general counter%s, %u fixed%s; SMT %s%s", limits->general,
		      limits->general == 1 ? "" : "s", fixed, limits->has_metrics ? ", PERF_METRICS" : "",
		      planned->model->events.smt_on ? "on" : "off",
		      limits->has_watchdog ? "; the NMI watchdog holds a counter" : "");
	page_sentence(page, text.text);
}

static size_t event_width(const struct page *page, const struct planned *planned)
{
	size_t width = 0, most = page->width > 60 ? page->width - 20 : 40;

	for (size_t i = 0; i < planned->plan->ngroups; i++) {
		for (size_t j = 0; j < planned->plan->groups[i].count; j++) {
			size_t need = cells_width(
				page_safe(page, planned_event(planned, &planned->plan->groups[i], j)->name));

			width = need > width ? need : width;
		}
	}
	return width > most ? most : width;
}

/* perf's spelling follows where the line has room for it; it is in the other formats anyway. */
static void print_event(const struct page *page, const struct planned *planned, const struct plan_group *group,
			size_t i, size_t width)
{
	const char *perf = page_safe(page, planned_perf(page, planned, group, i));
	const char *name = page_safe(page, planned_event(planned, group, i)->name);
	struct line line = line_init(page);

	line_pad(&line, 4);
	line_add(&line, INK_PLAIN, counter_name(page, planned, group, i));
	line_pad(&line, 12);
	line_add(&line, INK_PLAIN, cells_cut(page->arena, name, width, page->style->has_utf8));
	line_pad(&line, 12 + width + 2);
	if (line.at + cells_width(perf) <= page->width)
		line_add(&line, INK_DIM, perf);
	line_print(&line);
}

static void print_group(const struct page *page, const struct planned *planned, size_t number, size_t width)
{
	const struct plan_group *group = &planned->plan->groups[number];
	static const struct indent indent = { "    completes ", "      ", 14 };

	fprintf(page->out, "  Group %zu\n", number + 1);
	for (size_t i = 0; i < group->count; i++)
		print_event(page, planned, group, i, width);
	page_wrap(page, &indent, page_safe(page, planned_metrics(page, planned, group)));
}

int plan_text(const struct page *page, const struct planned *planned, struct error *err UNUSED)
{
	const struct plan *plan = planned->plan;
	size_t width = event_width(page, planned);

	page_sentence(page, arena_printf(page->arena, "%s, %s: %s", page_safe(page, planned->model->cpu),
					 planned_subject(page, planned), planned_size(page, plan)));
	print_limits(page, planned);
	for (size_t i = 0; i < plan->nruns; i++) {
		const struct plan_run *run = &plan->runs[i];

		fprintf(page->out, "\n%sRun %zu%s\n", ink_on(page, INK_BOLD), i + 1, ink_off(page, INK_BOLD));
		for (size_t j = 0; j < run->count; j++)
			print_group(page, planned, run->first + j, width);
	}
	return 0;
}
