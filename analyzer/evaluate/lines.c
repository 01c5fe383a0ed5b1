/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lines.c - whose lines a node is: what the node's formula loses when the counts of one source line are taken away from the
 * whole. So it holds for each node, whatever its formula is, and what only the whole has (all slots) stays as it is.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "evaluate/internal.h"

#define LEAST_WITHOUT 10.0 /* percent of a node in code without line numbers that are worth a sentence */
#define LEAST_NOWHERE 5.0  /* and percent that belong to no instruction */

static int compare_functions(const void *first, const void *second)
{
	const struct line_share *a = first, *b = second;
	int order = compare_texts(a->line->object, b->line->object);

	return order ? order : compare_texts(a->line->function, b->line->function);
}

/* The largest first; of equal ones always the same. */
static int compare_shares(const void *first, const void *second)
{
	const struct line_share *a = first, *b = second;
	int order = (a->percent < b->percent) - (a->percent > b->percent);

	if (!order)
		order = compare_functions(first, second);
	if (!order)
		order = compare_texts(a->line->file, b->line->file);
	return order ? order : (a->line->line > b->line->line) - (a->line->line < b->line->line);
}

static void sort(struct line_share *shares, size_t count, int (*compare)(const void *, const void *))
{
	if (count)
		qsort(shares, count, sizeof(*shares), compare);
}

/* What the counts need to be evaluated line by line. */
struct divider {
	const struct evaluation *e;
	size_t metric;
	const double *all;	 /* the counts of the whole */
	double *events, *values; /* the same without a line, and what is worked out of them */
	double whole;
};

static double value_of(const struct divider *d)
{
	program_eval(d->e->model->program, d->events, d->values);
	return program_value(d->e->model->program, d->values, d->metric);
}

/* Percent of the node. */
static double share_of(const struct divider *d, const struct source_line *line)
{
	double rest;

	for (size_t i = 0; i < line->count; i++) {
		size_t event = d->e->bound[line->counts[i].item];

		if (event != TABLE_NONE)
			d->events[event] -= line->counts[i].value;
	}
	rest = value_of(d);
	for (size_t i = 0; i < line->count; i++) {
		size_t event = d->e->bound[line->counts[i].item];

		if (event != TABLE_NONE)
			d->events[event] = d->all[event];
	}
	return 100 * (d->whole - rest) / d->whole;
}

static struct divider divider_of(const struct evaluation *e, size_t metric)
{
	const struct model *model = e->model;
	struct divider d = { .e = e, .metric = metric, .all = e->contexts[e->chosen[metric]].events };

	d.events = arena_array(e->arena, model->events.count + 1, sizeof(*d.events));
	d.values = arena_array(e->arena, program_size(model->program) + 1, sizeof(*d.values));
	memcpy(d.events, d.all, model->events.count * sizeof(*d.events));
	d.whole = value_of(&d);
	return d;
}

static void divide(struct node_lines *lines, const struct divider *d)
{
	const struct counts *counts = d->e->counts;

	lines->lines = arena_array(d->e->arena, counts->nlines, sizeof(*lines->lines));
	for (size_t i = 0; i < counts->nlines && d->whole > 0; i++) {
		double percent = share_of(d, &counts->lines[i]);

		if (!(percent > 0))
			continue;
		lines->lines[lines->nlines++] = (struct line_share){ &counts->lines[i], percent };
		lines->told += percent;
		if (!counts->lines[i].line)
			lines->without += percent;
	}
}

/* The program or library that has the most of what is without line numbers; lines are in the order of objects. */
static const char *object_without(const struct node_lines *lines)
{
	const char *most = NULL;
	double largest = 0, sum = 0;

	for (size_t i = 0; i < lines->nlines; i++) {
		const struct source_line *line = lines->lines[i].line;

		if (i && compare_texts(line->object, lines->lines[i - 1].line->object) != 0)
			sum = 0;
		sum += line->line ? 0 : lines->lines[i].percent;
		if (sum <= largest)
			continue;
		largest = sum;
		most = line->object;
	}
	return most;
}

/* Lines of a function are neighbours: each function becomes one. */
static void sum_functions(struct node_lines *lines, struct arena *arena)
{
	struct line_share *sums = arena_array(arena, lines->nlines, sizeof(*sums)), *last = NULL;

	for (size_t i = 0; i < lines->nlines; i++) {
		if (last && compare_functions(last, &lines->lines[i]) == 0) {
			last->percent += lines->lines[i].percent;
			continue;
		}
		last = &sums[lines->nfunctions++];
		*last = lines->lines[i];
	}
	lines->functions = sums;
}

static const char *base_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path;
}

static const char *note_of(const struct node_lines *lines, const char *object, struct arena *arena)
{
	if (lines->told <= 0)
		return "No slot of it belongs to an instruction.";
	if (lines->without >= LEAST_WITHOUT)
		return arena_printf(arena,
				    "%.0f %% of it is in code without line numbers (%s%s), of which only functions are "
				    "known: build it with -g, or install its debug symbols.",
				    lines->without, object ? "mostly " : "", object ? base_name(object) : "of no file");
	if (lines->told < 100 - LEAST_NOWHERE)
		return arena_printf(arena, "%.0f %% of it belong to no instruction.", 100 - lines->told);
	return NULL;
}

static void add_node(struct evaluation *e, const struct result *node)
{
	size_t metric = (size_t)(node->metric - e->model->metrics);
	struct node_lines *lines = &e->report->lines[e->report->nlines];
	struct divider d;

	if (node->quality == QUALITY_NONE || e->chosen[metric] == TABLE_NONE)
		return;
	*lines = (struct node_lines){ .node = node };
	d = divider_of(e, metric);
	divide(lines, &d);
	sort(lines->lines, lines->nlines, compare_functions);
	sum_functions(lines, e->arena);
	lines->note = note_of(lines, object_without(lines), e->arena);
	sort(lines->lines, lines->nlines, compare_shares);
	sort(lines->functions, lines->nfunctions, compare_shares);
	e->report->nlines++;
}

void lines_fill(struct evaluation *e)
{
	struct report *report = e->report;
	bool is_named = false;

	report->has_lines = e->counts->wants_lines && e->counts->has_lines;
	if (!report->has_lines)
		return;
	report->lines = arena_array(e->arena, report->nnodes + 1, sizeof(*report->lines));
	for (size_t i = 0; i < report->nnodes; i++) {
		if (!report->nodes[i].is_named)
			continue;
		is_named = true;
		add_node(e, &report->nodes[i]);
	}
	if (!is_named && report->worst)
		add_node(e, report->worst);
}
