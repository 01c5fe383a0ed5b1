/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * explored_data.c - what is explored, as a page carries it: columns of numbers, and texts that each stand there once.
 * docs/FORMATS.md has its members. Parts are whole numbers, 1e-5 percent points each. Of a node only what is in none
 * of its children is written: "count, value, part, value, part ..." for each row, where value 0 is the base.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/evaluate/timeline.h"
#include "common/base/finder.h"
#include "common/base/text.h"
#include "common/json/json_write.h"
#include "common/system/data_block.h"
#include "present/explorer/explored.h"

#define VIEW_VERSION 1
#define SCALE	     1e5

struct writing {
	const struct explored *explored;
	struct json_writer *writer;
	struct finder finder; /* of texts */
	const char **texts;
	uint32_t ntexts;
	size_t room;
	double *inside; /* [nvalues] */
	struct arena *arena;
};

/* ---- texts ---- */

static bool is_same(const void *owner, uint32_t number, const void *wanted)
{
	return compare_texts(((const struct writing *)owner)->texts[number], wanted) == 0;
}

static void write_text(struct writing *w, const char *text)
{
	bool is_new;
	uint32_t number = finder_take(&w->finder, &(struct finder_key){ hash_text(text), is_same, w, text }, &w->ntexts,
				      &is_new, w->arena);

	if (is_new) {
		w->texts = arena_grow(w->arena, w->texts, number, &w->room, sizeof(const char *));
		w->texts[number] = text;
	}
	json_write_integer(w->writer, NULL, number);
}

/* ---- parts ---- */

/* What is in none of the children: it is left in inside. */
static void own_parts(const struct writing *w, const double *values)
{
	const struct export_subject *subject = w->explored->subject;
	double *inside = w->inside;

	for (size_t i = 0; i < w->explored->nvalues; i++)
		inside[i] = 0;
	for (size_t i = subject->nnodes; i-- > 0;) {
		const struct export_node *node = &subject->nodes[i];
		double children = inside[EXPLORED_NODES + i];
		bool is_placed = node->weighing != PROFILE_NONE;
		double whole = is_placed ? values[EXPLORED_NODES + i] : children;

		inside[EXPLORED_NODES + i] = is_placed ? whole - children : 0;
		if (node->parent != PROFILE_NONE)
			inside[EXPLORED_NODES + node->parent] += whole;
	}
	inside[EXPLORED_BASE] = values[EXPLORED_BASE];
}

static void write_values(struct writing *w, const double *values)
{
	size_t count = 0;

	own_parts(w, values);
	for (size_t i = 0; i < w->explored->nvalues; i++)
		count += llround(w->inside[i] * SCALE) != 0;
	json_write_integer(w->writer, NULL, (int64_t)count);
	for (size_t i = 0; i < w->explored->nvalues; i++) {
		int64_t part = llround(w->inside[i] * SCALE);

		if (!part)
			continue;
		json_write_integer(w->writer, NULL, (int64_t)i);
		json_write_integer(w->writer, NULL, part);
	}
}

/* ---- the tree ---- */

static int64_t above(uint32_t number)
{
	return number == PROFILE_NONE ? -1 : (int64_t)number;
}

static void write_nodes(struct writing *w)
{
	const struct export_subject *subject = w->explored->subject;

	json_write_array(w->writer, "nodes");
	for (size_t i = 0; i < subject->nnodes; i++) {
		const struct export_node *node = &subject->nodes[i];

		json_write_object(w->writer, NULL);
		json_write_string(w->writer, "name", node->name);
		json_write_string(w->writer, "title", node->title);
		json_write_integer(w->writer, "level", node->level);
		json_write_integer(w->writer, "parent", above(node->parent));
		json_write_number(w->writer, "value", node->slots);
		json_write_bool(w->writer, "is_located", node->weighing != PROFILE_NONE);
		json_write_end(w->writer);
	}
	json_write_end(w->writer);
}

static void write_base(struct writing *w)
{
	const struct weighing *base = w->explored->base;

	if (!base)
		return;
	json_write_object(w->writer, "base");
	json_write_string(w->writer, "title", base->title);
	json_write_string(w->writer, "unit", base->unit);
	json_write_number(w->writer, "whole", base->whole);
	json_write_bool(w->writer, "is_exact", base->is_exact);
	json_write_integer(w->writer, "samples", (int64_t)base->samples);
	json_write_end(w->writer);
}

/* ---- rows ---- */

static void write_rest(struct writing *w, const struct explored_rest *rest)
{
	json_write_integer(w->writer, "more", (int64_t)rest->count);
	json_write_number(w->writer, "more_base", rest->base);
}

/* Numbers in explored->functions come first; functions that only lines and calls have stand behind them. */
static void write_functions(struct writing *w, const uint32_t *order, uint32_t count)
{
	const struct explored *e = w->explored;

	json_write_object(w->writer, "functions");
	json_write_numbers(w->writer, "name");
	for (uint32_t i = 0; i < count; i++)
		write_text(w, e->functions_of.items[order[i]].name);
	json_write_end(w->writer);
	json_write_numbers(w->writer, "module");
	for (uint32_t i = 0; i < count; i++)
		write_text(w, e->functions_of.items[order[i]].module);
	json_write_end(w->writer);
	json_write_numbers(w->writer, "values");
	for (size_t i = 0; i < e->nfunctions; i++)
		write_values(w, e->functions[i].values);
	json_write_end(w->writer);
	write_rest(w, &e->more_functions);
	json_write_end(w->writer);
}

static void write_lines(struct writing *w, const uint32_t *numbers)
{
	const struct explored *e = w->explored;

	json_write_object(w->writer, "lines");
	json_write_numbers(w->writer, "function");
	for (size_t i = 0; i < e->nlines; i++)
		json_write_integer(w->writer, NULL, numbers[e->lines[i].function]);
	json_write_end(w->writer);
	json_write_numbers(w->writer, "file");
	for (size_t i = 0; i < e->nlines; i++)
		write_text(w, e->lines[i].file);
	json_write_end(w->writer);
	json_write_numbers(w->writer, "line");
	for (size_t i = 0; i < e->nlines; i++)
		json_write_integer(w->writer, NULL, e->lines[i].line);
	json_write_end(w->writer);
	json_write_numbers(w->writer, "values");
	for (size_t i = 0; i < e->nlines; i++)
		write_values(w, e->lines[i].values);
	json_write_end(w->writer);
	write_rest(w, &e->more_lines);
	json_write_end(w->writer);
}

static void write_instructions(struct writing *w, const uint32_t *numbers)
{
	const struct explored *e = w->explored;

	if (!e->ninstructions)
		return;
	json_write_object(w->writer, "instructions");
	json_write_numbers(w->writer, "function");
	for (size_t i = 0; i < e->ninstructions; i++)
		json_write_integer(w->writer, NULL, numbers[e->instructions[i].function]);
	json_write_end(w->writer);
	json_write_numbers(w->writer, "address");
	for (size_t i = 0; i < e->ninstructions; i++)
		json_write_integer(w->writer, NULL, (int64_t)e->instructions[i].address);
	json_write_end(w->writer);
	json_write_numbers(w->writer, "text");
	for (size_t i = 0; i < e->ninstructions; i++)
		write_text(w, e->instructions[i].text ? e->instructions[i].text : "");
	json_write_end(w->writer);
	json_write_numbers(w->writer, "file");
	for (size_t i = 0; i < e->ninstructions; i++)
		write_text(w, e->instructions[i].file ? e->instructions[i].file : "");
	json_write_end(w->writer);
	json_write_numbers(w->writer, "line");
	for (size_t i = 0; i < e->ninstructions; i++)
		json_write_integer(w->writer, NULL, e->instructions[i].line);
	json_write_end(w->writer);
	json_write_numbers(w->writer, "values");
	for (size_t i = 0; i < e->ninstructions; i++)
		write_values(w, e->instructions[i].values);
	json_write_end(w->writer);
	json_write_end(w->writer);
}

static void write_calls(struct writing *w, const uint32_t *numbers)
{
	const struct explored *e = w->explored;

	json_write_object(w->writer, "calls");
	json_write_numbers(w->writer, "function");
	for (uint32_t i = 0; i < e->ncalls; i++)
		json_write_integer(
			w->writer, NULL,
			above(e->calls[i].function == PROFILE_NONE ? PROFILE_NONE : numbers[e->calls[i].function]));
	json_write_end(w->writer);
	json_write_numbers(w->writer, "parent");
	for (uint32_t i = 0; i < e->ncalls; i++)
		json_write_integer(w->writer, NULL, above(e->calls[i].parent));
	json_write_end(w->writer);
	json_write_numbers(w->writer, "values");
	for (uint32_t i = 0; i < e->ncalls; i++)
		write_values(w, e->calls[i].values);
	json_write_end(w->writer);
	json_write_end(w->writer);
}

/* ---- when ---- */

static void write_column(struct writing *w, const char *key, size_t count, int end)
{
	json_write_numbers(w->writer, key);
	for (size_t i = 0; i < count; i++)
		json_write_number(w->writer, NULL, explored_moment(w->explored, i, end));
	json_write_end(w->writer);
}

static void write_weights(struct writing *w, size_t count)
{
	json_write_numbers(w->writer, "weight");
	for (size_t i = 0; i < count; i++)
		json_write_number(w->writer, NULL, explored_weight(w->explored, i));
	json_write_end(w->writer);
}

/* Nodes over time, in 1e-3 percent; null where one was not measured. */
static void write_node_series(struct writing *w, size_t count)
{
	const struct export_subject *subject = w->explored->subject;

	json_write_array(w->writer, "nodes");
	for (size_t i = 0; i < subject->nnodes; i++) {
		const struct timeline_row *row = explored_series(w->explored, i);

		json_write_array(w->writer, NULL);
		for (size_t k = 0; row && k < count; k++) {
			double mean = timeline_mean(row, k);

			if (isfinite(mean))
				json_write_integer(w->writer, NULL, llround(mean * 1e3));
			else
				json_write_number(w->writer, NULL, mean);
		}
		json_write_end(w->writer);
	}
	json_write_end(w->writer);
}

static void write_moment_parts(struct writing *w)
{
	const struct explored *e = w->explored;

	json_write_numbers(w->writer, "moment");
	for (uint32_t i = 0; i < e->nparts; i++)
		json_write_integer(w->writer, NULL, e->parts[i].moment);
	json_write_end(w->writer);
	json_write_numbers(w->writer, "call");
	for (uint32_t i = 0; i < e->nparts; i++)
		json_write_integer(w->writer, NULL, e->parts[i].call);
	json_write_end(w->writer);
	json_write_numbers(w->writer, "values");
	for (uint32_t i = 0; i < e->nparts; i++)
		write_values(w, e->parts[i].values);
	json_write_end(w->writer);
}

static void write_phases(struct writing *w)
{
	json_write_numbers(w->writer, "phases");
	for (size_t i = 0; i < w->explored->nphases; i++)
		json_write_integer(w->writer, NULL, (int64_t)w->explored->phases[i]);
	json_write_end(w->writer);
}

static void write_time(struct writing *w)
{
	const struct explored *e = w->explored;
	size_t count = explored_moments(e);

	if (count < 2)
		return;
	json_write_object(w->writer, "time");
	write_column(w, "from", count, 0);
	write_column(w, "to", count, 1);
	write_weights(w, count);
	if (e->timeline)
		write_node_series(w, count);
	write_phases(w);
	if (e->nparts)
		write_moment_parts(w);
	json_write_end(w->writer);
}

/* ---- all of it ---- */

static void write_sources(struct writing *w)
{
	const struct explored *e = w->explored;

	json_write_array(w->writer, "sources");
	for (size_t i = 0; i < e->nsources; i++) {
		json_write_object(w->writer, NULL);
		json_write_string(w->writer, "file", e->sources[i].file);
		json_write_integer(w->writer, "first", e->sources[i].first);
		json_write_array(w->writer, "lines");
		for (size_t k = 0; k < e->sources[i].count; k++)
			json_write_string(w->writer, NULL, e->sources[i].lines[k]);
		json_write_end(w->writer);
		json_write_end(w->writer);
	}
	json_write_end(w->writer);
}

static void take_function(uint32_t *numbers, uint32_t *order, uint32_t *count, uint32_t function)
{
	if (function == PROFILE_NONE || numbers[function] != PROFILE_NONE)
		return;
	numbers[function] = *count;
	order[(*count)++] = function;
}

/* The functions that anything is of: those of the table first. */
static uint32_t number_functions(const struct explored *e, uint32_t *numbers, uint32_t *order)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < e->functions_of.count; i++)
		numbers[i] = PROFILE_NONE;
	for (size_t i = 0; i < e->nfunctions; i++)
		take_function(numbers, order, &count, e->functions[i].number);
	for (size_t i = 0; i < e->nlines; i++)
		take_function(numbers, order, &count, e->lines[i].function);
	for (uint32_t i = 0; i < e->ncalls; i++)
		take_function(numbers, order, &count, e->calls[i].function);
	return count;
}

static void write_all(struct writing *w)
{
	const struct explored *e = w->explored;
	uint32_t *numbers = arena_array(w->arena, e->functions_of.count + (size_t)1, sizeof(*numbers));
	uint32_t *order = arena_array(w->arena, e->functions_of.count + (size_t)1, sizeof(*order));
	uint32_t count = number_functions(e, numbers, order);

	json_write_string(w->writer, "format", "topdown-view");
	json_write_integer(w->writer, "version", VIEW_VERSION);
	json_write_string(w->writer, "command", e->subject->command);
	json_write_number(w->writer, "scale", SCALE);
	write_base(w);
	write_nodes(w);
	write_functions(w, order, count);
	write_lines(w, numbers);
	write_instructions(w, numbers);
	write_calls(w, numbers);
	write_time(w);
	write_sources(w);
	json_write_array(w->writer, "texts");
	for (uint32_t i = 0; i < w->ntexts; i++)
		json_write_string(w->writer, NULL, w->texts[i]);
	json_write_end(w->writer);
}

const char *explored_block(const struct explored *explored, const char **type, struct arena *arena)
{
	struct writing w = { .explored = explored,
			     .inside = arena_array(arena, explored->nvalues, sizeof(double)),
			     .arena = arena };
	const char *block = NULL;
	struct error err = { .text = "" };
	char *json = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&json, &length);

	if (!out)
		return NULL;
	w.writer = json_writer_new();
	json_writer_inline(w.writer);
	write_all(&w);
	if (json_writer_finish(w.writer, out, &err) == 0 && fclose(out) == 0)
		block = data_block(json, length, type, arena);
	free(json);
	return block;
}
