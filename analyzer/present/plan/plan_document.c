/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan_document.c - a plan for people: a line for each group with the numbers of its events on
 * each counter, and their names.
 */
#include <string.h>

#include "common/base/cells.h"
#include "cpu/plan/bits.h"
#include "present/plan/plan_view.h"

#define LEAST_NODES  36 /* columns; where there are fewer beside the counters, nodes stand below them */
#define MOST_COLUMNS 72
#define MOST_NAME    44 /* columns; longer names push what follows them */

/* The groups' table while it is put together. */
struct matrix {
	struct document *doc;
	const struct plan_view *planned;
	const struct planned_numbers *numbers;
	struct column columns[MOST_COLUMNS];
	int counters[MOST_COLUMNS]; /* bit number of a counter mask; NO_COUNTER: the column is about something else */
	size_t count;
	size_t at;	      /* where the next column begins in text, without its gap */
	bool has_groups;      /* runs of several groups: groups have a column of their own */
	size_t fields, nodes; /* their columns; 0: there are none, or no room */
};

static const char *counter_label(struct arena *arena, int counter)
{
	bool is_fixed = counter >= FIXED_COUNTER;

	return arena_printf(arena, "%s%d", is_fixed ? "f" : "g", is_fixed ? counter - FIXED_COUNTER : counter);
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
	struct string text = STRING_INIT(m->doc->arena);
	size_t last = 0, run = 0; /* the number before, and the numbers without a gap that end there */

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

static void add_column(struct matrix *m, int counter, struct column column)
{
	m->counters[m->count] = counter;
	m->columns[m->count++] = column;
	m->at += column.gap + column.least;
}

static void add_counter(struct matrix *m, int counter, size_t gap)
{
	const char *label = counter_label(m->doc->arena, counter);
	size_t cell = strlen(arena_printf(m->doc->arena, "%zu", m->numbers->count)), width = strlen(label);

	add_column(m, counter,
		   (struct column){
			   .heading = label, .flags = COLUMN_RIGHT, .gap = gap, .least = cell > width ? cell : width });
}

static struct matrix lay_out(struct document *doc, const struct plan_view *planned,
			     const struct planned_numbers *numbers)
{
	const struct plan *plan = planned->plan;
	struct matrix m = { .doc = doc, .planned = planned, .numbers = numbers };
	size_t width, gap = 2;

	m.has_groups = plan->nruns < plan->ngroups;
	add_column(&m, NO_COUNTER, (struct column){ .heading = "run", .flags = COLUMN_RIGHT, .least = 3 });
	if (m.has_groups)
		add_column(&m, NO_COUNTER,
			   (struct column){ .heading = "group", .flags = COLUMN_RIGHT, .gap = 1, .least = 5 });
	for (int i = FIXED_COUNTER; i < 64; i++) {
		if (!(plan->limits.fixed >> i & 1))
			continue;
		add_counter(&m, i, gap);
		gap = 1;
	}
	gap = 2;
	for (int i = 0; i < (int)plan->limits.general && i < FIXED_COUNTER; i++) {
		add_counter(&m, i, gap);
		gap = 1;
	}
	width = fields_width(&m);
	if (width) {
		m.fields = m.count;
		add_column(&m, NO_COUNTER, (struct column){ .heading = "fields", .gap = 2, .least = width });
	}
	if (doc->is_whole || m.at + 2 + LEAST_NODES <= doc->width) {
		m.nodes = m.count;
		add_column(&m, NO_COUNTER, (struct column){ .heading = "complete", .flags = COLUMN_WRAP, .gap = 2 });
	}
	return m;
}

/* The event on the counter, as its number. */
static struct cell counter_cell(const struct matrix *m, const struct plan_group *group, int counter)
{
	for (size_t i = 0; i < group->count; i++)
		if (group->counters[i] == counter)
			return whole_cell(m->numbers->of[group->events[i]]);
	return shown_cell(".", INK_DIM);
}

static void plan_document_add_group(struct matrix *m, struct grid *grid, size_t run, size_t number)
{
	const struct plan_group *group = &m->planned->plan->groups[number];
	struct cell cells[MOST_COLUMNS] = { [0] = whole_cell(run + 1) };

	if (m->has_groups)
		cells[1] = whole_cell(number + 1);
	for (size_t i = 0; i < m->count; i++)
		if (m->counters[i] != NO_COUNTER)
			cells[i] = counter_cell(m, group, m->counters[i]);
	if (m->fields)
		cells[m->fields] = text_cell(fields_text(m, group));
	if (m->nodes)
		cells[m->nodes] = text_cell(planned_metrics(m->doc->arena, m->planned, group));
	grid_add(grid, cells, m->doc->arena);
}

static void add_heading(struct document *doc, const char *text)
{
	doc_gap(doc);
	doc_add(doc,
		(struct block){ .kind = BLOCK_HEADING, .text = text, .ink = INK_BOLD, .level = doc->is_page ? 2 : 3 });
}

/* Which metrics each group has all events of: where there is no room for them beside its counters. */
static void add_complete(struct document *doc, const struct plan_view *planned)
{
	static const struct column columns[] = { { .heading = "group", .flags = COLUMN_RIGHT, .least = 4 },
						 { .heading = "complete", .flags = COLUMN_WRAP, .gap = 2 } };
	struct grid *grid = arena_alloc(doc->arena, sizeof(*grid));

	*grid = (struct grid){ .columns = columns, .ncolumns = COUNT_OF(columns) };
	for (size_t i = 0; i < planned->plan->ngroups; i++) {
		const struct cell cells[COUNT_OF(columns)] = {
			whole_cell(i + 1),
			text_cell(planned_metrics(doc->arena, planned, &planned->plan->groups[i])),
		};

		if (*cells[1].text)
			grid_add(grid, cells, doc->arena);
	}
	add_heading(doc, "Complete in group");
	doc_add(doc, (struct block){ .kind = BLOCK_TABLE, .grid = grid });
}

/* "g0 7, g1 6": where the lines of counters are wider than the page. */
static const char *counters_of_group(const struct matrix *m, const struct plan_group *group)
{
	struct string text = STRING_INIT(m->doc->arena);
	const char *fields = m->fields ? fields_text(m, group) : "";

	for (size_t i = 0; i < m->count; i++) {
		struct cell cell = { .kind = CELL_NOTHING };

		if (m->counters[i] != NO_COUNTER)
			cell = counter_cell(m, group, m->counters[i]);
		if (cell.kind == CELL_WHOLE)
			string_printf(&text, "%s%s %lld", text.length ? ", " : "", m->columns[i].heading,
				      (long long)cell.whole);
	}
	if (*fields)
		string_printf(&text, "; fields %s", fields);
	return text.text;
}

static void add_narrow_groups(const struct matrix *m)
{
	static const struct column columns[] = {
		{ .heading = "run", .flags = COLUMN_RIGHT, .least = 3 },
		{ .heading = "group", .flags = COLUMN_RIGHT, .gap = 1, .least = 5 },
		{ .heading = "counters", .flags = COLUMN_WRAP, .gap = 2 },
	};
	const struct plan *plan = m->planned->plan;
	struct grid *grid = arena_alloc(m->doc->arena, sizeof(*grid));

	*grid = (struct grid){ .columns = columns, .ncolumns = COUNT_OF(columns), .has_heads = true };
	for (size_t i = 0; i < plan->nruns; i++)
		for (size_t j = plan->runs[i].first; j < plan->runs[i].first + plan->runs[i].count; j++)
			grid_add(grid,
				 (const struct cell[]){ whole_cell(i + 1), whole_cell(j + 1),
							text_cell(counters_of_group(m, &plan->groups[j])) },
				 m->doc->arena);
	doc_gap(m->doc);
	doc_add(m->doc, (struct block){ .kind = BLOCK_TABLE, .grid = grid });
	add_complete(m->doc, m->planned);
}

static void add_groups(struct document *doc, const struct plan_view *planned, const struct planned_numbers *numbers)
{
	struct matrix *m = arena_alloc(doc->arena, sizeof(*m));
	struct grid *grid = arena_alloc(doc->arena, sizeof(*grid));

	*m = lay_out(doc, planned, numbers);
	if (!doc->is_whole && m->at > doc->width) {
		add_narrow_groups(m);
		return;
	}
	*grid = (struct grid){ .columns = m->columns, .ncolumns = m->count, .has_heads = true };
	for (size_t i = 0; i < planned->plan->nruns; i++)
		for (size_t j = 0; j < planned->plan->runs[i].count; j++)
			plan_document_add_group(m, grid, i, planned->plan->runs[i].first + j);
	doc_gap(doc);
	doc_add(doc, (struct block){ .kind = BLOCK_TABLE, .grid = grid });
	if (!m->nodes)
		add_complete(doc, planned);
}

static const char *counters_text(struct arena *arena, size_t count, const char *letter)
{
	if (count < 2)
		return count ? arena_printf(arena, " (%s0)", letter) : "";
	return arena_printf(arena, " (%s0 to %s%zu)", letter, letter, count - 1);
}

static const char *metrics_text(const struct plan_view *planned)
{
	if (planned->model->form == FORM_GENERAL)
		return ", no PERF_METRICS: the formulas from general events";
	return planned->plan->limits.has_metrics ? ", PERF_METRICS" : "";
}

/* Those that there are, by their numbers: " (f0, f2)". */
static const char *fixed_text(struct arena *arena, uint64_t fixed)
{
	size_t count = bits_count(fixed), last = FIXED_COUNTER;
	struct string text = STRING_INIT(arena);

	for (size_t i = FIXED_COUNTER; i < 64; i++) {
		if (!(fixed >> i & 1))
			continue;
		string_printf(&text, "%sf%zu", text.length ? ", " : " (", i - FIXED_COUNTER);
		last = i + 1;
	}
	if (last - FIXED_COUNTER == count)
		return counters_text(arena, count, "f");
	string_add(&text, ")");
	return text.text;
}

static const char *limits_text(const struct plan_view *planned, struct arena *arena)
{
	const struct plan_limits *limits = &planned->plan->limits;
	size_t fixed = bits_count(limits->fixed);

	return arena_printf(arena, "%u general counter%s%s, %zu fixed%s%s; SMT %s%s", limits->general,
			    limits->general == 1 ? "" : "s", counters_text(arena, limits->general, "g"), fixed,
			    fixed_text(arena, limits->fixed), metrics_text(planned),
			    planned->model->events.smt_on ? "on" : "off",
			    limits->has_watchdog ? "; the NMI watchdog holds a counter" : "");
}

/* A hybrid CPU's types of cores are planned one by one: "alderlake:core" is one of them. */
static void add_other_types(struct document *doc, const struct plan_view *planned)
{
	const char *cpu = planned->model->cpu, *colon = strchr(cpu, ':');

	if (colon && !planned->part)
		doc_sentence(doc, arena_printf(doc->arena,
					       "The other core types have plans of their own, for the same runs: "
					       "topdown list cpus %.*s",
					       (int)(colon - cpu), cpu));
}

static void plan_document_add_events(struct document *doc, const struct plan_view *planned,
				     const struct planned_numbers *numbers)
{
	static const struct column columns[] = {
		{ .heading = "number", .flags = COLUMN_RIGHT, .least = 4 },
		{ .heading = "event", .flags = COLUMN_TO_END, .gap = 2, .most = MOST_NAME },
		{ .heading = "perf", .flags = COLUMN_LAST, .gap = 2 },
	};
	struct grid *grid = arena_alloc(doc->arena, sizeof(*grid));

	*grid = (struct grid){ .columns = columns, .ncolumns = COUNT_OF(columns) };
	for (size_t i = 0; i < numbers->count; i++) {
		const struct event *event = &planned->model->events.events[numbers->events[i]];
		const char *perf = event_perf_string(event, planned->model->events.pmu, "", doc->arena);

		grid_add(grid,
			 (const struct cell[]){ whole_cell(i + 1), text_cell(event->name), shown_cell(perf, INK_DIM) },
			 doc->arena);
	}
	add_heading(doc, "Events");
	doc_add(doc, (struct block){ .kind = BLOCK_TABLE, .grid = grid });
}

/* "uncore_imc", and what all of its units count in which run. */
static void add_units(struct document *doc, const struct plan_view *planned)
{
	static const struct column columns[] = {
		{ .heading = "run", .flags = COLUMN_RIGHT, .least = 4 },
		{ .heading = "PMU", .gap = 2 },
		{ .heading = "event", .flags = COLUMN_TO_END, .gap = 2, .most = MOST_NAME },
		{ .heading = "perf", .flags = COLUMN_LAST, .gap = 2 },
	};
	const struct event_set *set = &planned->model->events;
	struct grid *grid = arena_alloc(doc->arena, sizeof(*grid));

	*grid = (struct grid){ .columns = columns, .ncolumns = COUNT_OF(columns), .has_heads = true };
	for (size_t i = 0; i < planned->plan->nunits; i++) {
		const struct plan_unit *unit = &planned->plan->units[i];

		for (size_t k = 0; k < unit->count; k++) {
			const struct event *event = &set->events[unit->events[k]];
			const char *perf = event_perf_string(event, set->pmu, "", doc->arena);

			grid_add(grid,
				 (const struct cell[]){ whole_cell(unit->run + 1), text_cell(event->unit),
							text_cell(event->name), shown_cell(perf, INK_DIM) },
				 doc->arena);
		}
	}
	if (!grid->count)
		return;
	add_heading(doc, "Uncore, for the whole machine");
	doc_add(doc, (struct block){ .kind = BLOCK_TABLE, .grid = grid });
}

static void plan_document_add_names(struct document *doc, const char *heading, const char *list)
{
	if (!*list)
		return;
	add_heading(doc, heading);
	doc_add(doc, (struct block){ .kind = BLOCK_SENTENCE, .text = list, .first = "  ", .indent = "  " });
}

static void add_plan(struct document *doc, const struct plan_view *planned)
{
	struct arena *arena = doc->arena;
	const char *subject = planned_subject(arena, planned), *fewer = planned_fewer_text(arena, planned);
	const char *size = planned_size(arena, planned->plan);
	const struct planned_numbers numbers = planned_number(arena, planned);

	doc_sentence(doc, arena_printf(arena, "%s, %s: %s", planned->model->cpu, subject, size));
	doc_sentence(doc, limits_text(planned, arena));
	if (planned->model->generic)
		doc_sentence(doc, planned->model->generic);
	if (planned->model->has_stalls)
		doc_sentence(doc, planned->model->no_tree);
	add_other_types(doc, planned);
	doc_sentence(doc, "A line is a group, counted at once; its numbers are events, listed at the end.");
	add_groups(doc, planned, &numbers);
	plan_document_add_names(doc, "Combined from several groups (*: too large for one)",
				planned_combined(arena, planned));
	plan_document_add_names(doc, "Not countable with these counters", planned_missing(arena, planned));
	plan_document_add_events(doc, planned, &numbers);
	add_units(doc, planned);
	if (!*fewer)
		return;
	doc_gap(doc);
	doc_sentence(doc, fewer);
}

static void plan_document(struct document *doc, const void *what)
{
	const struct plan_set *set = what;

	for (size_t i = 0; i < set->count; i++) {
		const struct plan_view planned = plan_view_init(&set->parts[i], doc->arena);

		if (i)
			doc_gap(doc);
		doc_add(doc, (struct block){ .kind = BLOCK_TITLE,
					     .text = arena_printf(doc->arena, "Plan for %s, %s", planned.model->cpu,
								  planned_subject(doc->arena, &planned)),
					     .level = 1 });
		if (set->count > 1) {
			doc_add(doc,
				(struct block){
					.kind = BLOCK_HEADING, .text = planned.part, .ink = INK_BOLD, .level = 2 });
			doc_gap(doc);
		}
		add_plan(doc, &planned);
	}
	if (set->count < 2)
		return;
	doc_gap(doc);
	doc_sentence(doc, planned_runs(doc->arena, set));
}

const struct view plan_view = { .document = plan_document, .json = plan_json, .csv = plan_csv, .perf = plan_perf };
