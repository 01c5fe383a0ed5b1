/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/report/recent_values.h"

#include "analyse/hotspots/hotspots.h"
#include "common/base/table.h"
#include "present/report/report_fields.h"

#define LEAST_SCALE 1.0 /* percent: what is far below it is no hill */

struct track {
	double values[PAST_LENGTH]; /* by the interval's number; NAN: unknown */
};

struct recent_values {
	struct arena *arena;
	struct table names; /* of the tracks */
	struct track **tracks;
	size_t ntracks, capacity;
	size_t count; /* intervals so far */
};

struct recent_values *recent_values_new(struct arena *arena)
{
	struct recent_values *past = arena_alloc(arena, sizeof(*past));

	*past = (struct recent_values){ .arena = arena, .names = TABLE_INIT(arena) };
	return past;
}

static const char *name_of_node(const struct report *report, const struct result *node, struct arena *arena)
{
	return arena_printf(arena, "%s\n%s", report->summary.part ? report->summary.part : "", node->metric->name);
}

static const char *name_of_function(const struct where_row *row, struct arena *arena)
{
	return arena_printf(arena, "\n%s\n%s", row->module ? row->module : "", row->function ? row->function : "");
}

static struct track *track_of(struct recent_values *past, const char *name)
{
	size_t number = table_get(&past->names, name);

	if (number != TABLE_NONE)
		return past->tracks[number];
	past->tracks = arena_grow(past->arena, past->tracks, past->ntracks, &past->capacity, sizeof(struct track *));
	past->tracks[past->ntracks] = arena_alloc(past->arena, sizeof(struct track));
	for (size_t i = 0; i < PAST_LENGTH; i++)
		past->tracks[past->ntracks]->values[i] = NAN;
	table_set(&past->names, arena_strdup(past->arena, name), past->ntracks);
	return past->tracks[past->ntracks++];
}

static void add_nodes(struct recent_values *past, const struct report *report, size_t slot, struct arena *arena)
{
	for (size_t i = 0; i < report->nnodes; i++) {
		const struct result *node = &report->nodes[i];

		if (is_measured(node))
			track_of(past, name_of_node(report, node, arena))->values[slot] = node->value;
	}
}

/* Only those that were on top once have a past: a large program has very many. */
#define MOST_FUNCTIONS 40

static void recent_values_add_functions(struct recent_values *past, const struct where_rows *functions, size_t slot,
					struct arena *arena)
{
	for (size_t i = 0; i < functions->count; i++) {
		const struct where_row *row = &functions->items[i];
		const char *name = name_of_function(row, arena);

		if (i < MOST_FUNCTIONS || table_get(&past->names, name) != TABLE_NONE)
			track_of(past, name)->values[slot] = row->self.percent;
	}
}

void recent_values_add(struct recent_values *past, const struct report_set *set)
{
	size_t slot = past->count++ % PAST_LENGTH;
	struct arena arena;

	arena_init(&arena);
	for (size_t i = 0; i < past->ntracks; i++)
		past->tracks[i]->values[slot] = NAN;
	for (size_t i = 0; i < set->count; i++)
		add_nodes(past, &set->parts[i], slot, &arena);
	if (set->where && set->where->count)
		recent_values_add_functions(past, &set->where->items[0].functions, slot, &arena);
	arena_release(&arena);
}

/* Its value so many intervals before the last. */
static double value_at(const struct recent_values *past, const struct track *track, size_t before)
{
	return before < past->count && before < PAST_LENGTH ? track->values[(past->count - 1 - before) % PAST_LENGTH]
							    : NAN;
}

static const char *const utf8_levels[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
static const char *const ascii_levels[] = { "_", ".", ":", "-", "=", "+", "*", "#" };

#define LEVELS 8

static const char *level_of(double value, double most, bool has_utf8)
{
	double share = isnan(value) ? 0 : fmin(fmax(value / most, 0), 1);
	size_t level = (size_t)(share * (LEVELS - 1) + 0.5);

	if (isnan(value))
		return " ";
	return has_utf8 ? utf8_levels[level] : ascii_levels[level];
}

static const char *spark(const struct document *doc, const char *name, double least)
{
	const struct recent_values *past = doc->window->past;
	size_t number = table_get(&past->names, name), width = doc->window->spark;
	struct string text = STRING_INIT(doc->arena);
	double most = least;

	if (number == TABLE_NONE)
		return "";
	for (size_t i = 0; i < width; i++)
		most = fmax(most, value_at(past, past->tracks[number], i)); /* fmax leaves NAN out */
	for (size_t i = width; i-- > 0;)
		string_add(&text, level_of(value_at(past, past->tracks[number], i), most, doc->style->has_utf8));
	return text.text;
}

const char *recent_values_spark(const struct document *doc, const struct report *report, const struct result *node)
{
	bool is_percent = !compare_texts(node->metric->unit, "%");

	return spark(doc, name_of_node(report, node, doc->arena), is_percent ? LEAST_SCALE : 1e-9);
}

const char *recent_values_spark_of_function(const struct document *doc, const struct where_row *function)
{
	return spark(doc, name_of_function(function, doc->arena), LEAST_SCALE);
}
