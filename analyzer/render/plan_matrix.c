/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/plan_matrix.h"

#include <string.h>

#define LEAST_NODES  36 /* columns; where there are fewer beside the counters, nodes stand below them */
#define MOST_COLUMNS 64

struct matrix {
	const struct page *page;
	const struct planned *planned;
	const struct planned_numbers *numbers;
	int counters[MOST_COLUMNS]; /* of the columns: bit number of a counter mask */
	size_t ends[MOST_COLUMNS];  /* where they end */
	size_t ncounters;
	bool has_groups;      /* runs of several groups: groups have a column of their own */
	size_t fields, nodes; /* where these begin; 0: there are none, or no room */
};

static const char *counter_label(const struct matrix *m, int counter)
{
	bool is_fixed = counter >= FIXED_COUNTER;

	return arena_printf(m->page->arena, "%s%d", is_fixed ? "f" : "g", is_fixed ? counter - FIXED_COUNTER : counter);
}

/* The last of a run of numbers, of which the first is there. */
static void add_end(struct string *text, size_t run, size_t last)
{
	if (run > 1)
		string_printf(text, "-%zu", last);
}

/* "5-8,11": the numbers of what the group reads without a counter. */
static const char *fields_text(const struct matrix *m, const struct plan_group *group)
{
	struct string text = STRING_INIT(m->page->arena);
	size_t last = 0, run = 0; /* the number before, and how many without a gap end there */

	for (size_t number = 1; number <= m->numbers->count; number++) {
		size_t event = planned_place(group, m->numbers->events[number - 1]);

		if (event == group->count || group->counters[event] != NO_COUNTER)
			continue;
		if (last && last == number - 1) {
			run++;
		} else {
			add_end(&text, run, last);
			string_printf(&text, "%s%zu", text.length ? "," : "", number);
			run = 1;
		}
		last = number;
	}
	add_end(&text, run, last);
	return text.text;
}

static size_t fields_width(const struct matrix *m)
{
	size_t width = 0;

	for (size_t i = 0; i < m->planned->plan->ngroups; i++) {
		size_t need = strlen(fields_text(m, &m->planned->plan->groups[i]));

		width = need > width ? need : width;
	}
	return width && width < strlen("fields") ? strlen("fields") : width;
}

static void add_counter(struct matrix *m, int counter, size_t *at)
{
	size_t cell = strlen(arena_printf(m->page->arena, "%zu", m->numbers->count)), label;

	label = strlen(counter_label(m, counter));
	*at += 1 + (cell > label ? cell : label);
	m->counters[m->ncounters] = counter;
	m->ends[m->ncounters++] = *at;
}

static struct matrix lay_out(const struct page *page, const struct planned *planned,
			     const struct planned_numbers *numbers)
{
	const struct plan *plan = planned->plan;
	struct matrix m = { .page = page, .planned = planned, .numbers = numbers };
	size_t at, width;

	m.has_groups = plan->nruns < plan->ngroups;
	at = strlen(m.has_groups ? "run group " : "run ");
	for (int i = FIXED_COUNTER; i < 64; i++)
		if (plan->limits.fixed >> i & 1)
			add_counter(&m, i, &at);
	at += m.ncounters > 0;
	for (int i = 0; i < (int)plan->limits.general && i < FIXED_COUNTER; i++)
		add_counter(&m, i, &at);
	width = fields_width(&m);
	m.fields = width ? at + 2 : 0;
	m.nodes = at + 2 + (width ? width + 2 : 0);
	if (m.nodes + LEAST_NODES > page->width)
		m.nodes = 0;
	return m;
}

static void print_heads(const struct matrix *m)
{
	struct line line = line_init(m->page);

	line_add(&line, INK_BOLD, m->has_groups ? "run group" : "run");
	for (size_t i = 0; i < m->ncounters; i++)
		line_add_right(&line, INK_BOLD, counter_label(m, m->counters[i]), m->ends[i]);
	line_pad(&line, m->fields);
	line_add(&line, INK_BOLD, m->fields ? "fields" : "");
	line_pad(&line, m->nodes);
	line_add(&line, INK_BOLD, m->nodes ? "complete" : "");
	line_print(&line);
}

/* The event on the counter, as its number. */
static const char *cell_text(const struct matrix *m, const struct plan_group *group, int counter)
{
	for (size_t i = 0; i < group->count; i++)
		if (group->counters[i] == counter)
			return arena_printf(m->page->arena, "%zu", m->numbers->of[group->events[i]]);
	return ".";
}

static void print_nodes(const struct matrix *m, struct line *line, const char *nodes)
{
	for (size_t room = m->page->width - m->nodes; *nodes && m->nodes;) {
		size_t bytes = cells_break(nodes, room);

		line_pad(line, m->nodes);
		line_add(line, INK_PLAIN, arena_strndup(m->page->arena, nodes, bytes));
		line_print(line);
		nodes += bytes;
		while (*nodes == ' ')
			nodes++;
	}
}

static void print_group(const struct matrix *m, size_t run, size_t number)
{
	const struct plan_group *group = &m->planned->plan->groups[number];
	const char *nodes = page_safe(m->page, planned_metrics(m->page, m->planned, group));
	struct line line = line_init(m->page);

	line_add_right(&line, INK_PLAIN, arena_printf(m->page->arena, "%zu", run + 1), strlen("run"));
	if (m->has_groups)
		line_add_right(&line, INK_PLAIN, arena_printf(m->page->arena, "%zu", number + 1), strlen("run group"));
	for (size_t i = 0; i < m->ncounters; i++) {
		const char *text = cell_text(m, group, m->counters[i]);

		line_add_right(&line, *text == '.' ? INK_DIM : INK_PLAIN, text, m->ends[i]);
	}
	line_pad(&line, m->fields);
	line_add(&line, INK_PLAIN, m->fields ? fields_text(m, group) : "");
	if (m->nodes && *nodes)
		print_nodes(m, &line, nodes);
	else
		line_print(&line);
}

static void print_complete(const struct matrix *m)
{
	const struct plan *plan = m->planned->plan;

	fprintf(m->page->out, "\n%sComplete in group%s\n", ink_on(m->page, INK_BOLD), ink_off(m->page, INK_BOLD));
	for (size_t i = 0; i < plan->ngroups; i++) {
		struct indent indent = { arena_printf(m->page->arena, "%4zu  ", i + 1), "      ", 6 };

		page_wrap(m->page, &indent, page_safe(m->page, planned_metrics(m->page, m->planned, &plan->groups[i])));
	}
}

void plan_matrix(const struct page *page, const struct planned *planned, const struct planned_numbers *numbers)
{
	struct matrix m = lay_out(page, planned, numbers);

	print_heads(&m);
	for (size_t i = 0; i < planned->plan->nruns; i++)
		for (size_t j = 0; j < planned->plan->runs[i].count; j++)
			print_group(&m, i, planned->plan->runs[i].first + j);
	if (!m.nodes)
		print_complete(&m);
}
