/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_assessment.c - what is healthy and what is not, for who does not know the field: words, a table, data. */
#include <math.h>
#include <string.h>

#include "present/document/human.h"
#include "present/report/assessment_parts.h"
#include "present/report/report_fields.h"

enum {
	FIGURE_NAME,
	FIGURE_TITLE,
	FIGURE_ABOUT,
	FIGURE_LEVEL,
	FIGURE_ROLE,
	FIGURE_VALUE,
	FIGURE_UNIT,
	FIGURE_COUNT,
	FIGURE_QUALITY,
	FIGURE_VERDICT,
	FIGURE_GOOD,
	FIGURE_BAD,
	FIGURE_WORSE,
	FIGURE_GOOD_SOURCE,
	FIGURE_BAD_SOURCE,
	FIGURE_MEANS,
	FIGURE_REASON,
	FIGURE_METRICS,
	FIGURE_EVENTS,
	FIGURE_BOUND,
	FIGURE_HOW_GOOD,
	FIGURE_COLUMNS
};

static const struct column columns[FIGURE_COLUMNS] = {
	[FIGURE_NAME] = { .key = "name" },
	[FIGURE_TITLE] = { .key = "title", .heading = "Figure", .gap = 2, .least = 24 },
	[FIGURE_ABOUT] = { .key = "about" },
	[FIGURE_LEVEL] = { .key = "level" },
	[FIGURE_ROLE] = { .key = "role" },
	[FIGURE_VALUE] = { .key = "value", .heading = "Value", .flags = COLUMN_RIGHT, .least = 6 },
	[FIGURE_UNIT] = { .key = "unit", .heading = "Unit", .gap = 1 },
	[FIGURE_COUNT] = { .key = "count" },
	[FIGURE_QUALITY] = { .key = "quality" },
	[FIGURE_VERDICT] = { .key = "verdict", .heading = "Assessment", .flags = COLUMN_WRAP, .gap = 2 },
	[FIGURE_GOOD] = { .key = "good" },
	[FIGURE_BAD] = { .key = "bad" },
	[FIGURE_WORSE] = { .key = "worse" },
	[FIGURE_GOOD_SOURCE] = { .key = "good_source" },
	[FIGURE_BAD_SOURCE] = { .key = "bad_source" },
	[FIGURE_MEANS] = { .key = "means" },
	[FIGURE_REASON] = { .key = "reason" },
	[FIGURE_METRICS] = { .key = "metrics" },
	[FIGURE_EVENTS] = { .key = "events" },
	[FIGURE_BOUND] = { .heading = "Bound of", .flags = COLUMN_SHEET_ONLY },
	[FIGURE_HOW_GOOD] = { .heading = "Quality", .flags = COLUMN_SHEET_ONLY },
};

/* ---- words ---- */

static const char *beyond_word(const struct assessed *assessed)
{
	return assessed->rule->is_low_worse ? "low" : "high";
}

const char *assessed_word(const struct assessed *assessed)
{
	switch (assessed->health) {
	case HEALTH_UNKNOWN: return "-";
	case HEALTH_PLAIN: return "";
	case HEALTH_OK: return "ok";
	case HEALTH_LOOK: return "look closer";
	case HEALTH_BAD: break;
	}
	return beyond_word(assessed);
}

static const char *report_assessment_value_text(struct arena *arena, const struct assessment_rule *rule, double value)
{
	if (!isfinite(value))
		return "-";
	if (rule->unit[0] == '%')
		return human_fixed(arena, value, 1);
	return human_count(arena, value);
}

const char *assessed_value(struct arena *arena, const struct assessed *assessed)
{
	return report_assessment_value_text(arena, assessed->rule, assessed->value);
}

/* The bound as it was written: 5, 0.25. */
static const char *bound_text(struct arena *arena, double bound)
{
	return plain_number(arena, bound);
}

/* "above 5": where it is no longer healthy. */
static const char *side_text(struct arena *arena, const struct assessment_rule *rule)
{
	return arena_printf(arena, "%s %s", rule->is_low_worse ? "below" : "above", bound_text(arena, rule->good));
}

const char *assessed_text(struct arena *arena, const struct assessed *assessed)
{
	const struct assessment_rule *rule = assessed->rule;
	const char *side = rule->is_low_worse ? "below" : "above", *inside = rule->is_low_worse ? "from" : "up to";

	switch (assessed->health) {
	case HEALTH_UNKNOWN: return assessed->reason;
	case HEALTH_PLAIN: return "";
	case HEALTH_OK:
		return assessed->is_of_few ? "ok: a share of few"
					   : arena_printf(arena, "ok: %s %s", inside, bound_text(arena, rule->good));
	case HEALTH_LOOK: return arena_printf(arena, "look closer: %s", side_text(arena, rule));
	case HEALTH_BAD: break;
	}
	return arena_printf(arena, "%s: %s %s", beyond_word(assessed), side, bound_text(arena, rule->bad));
}

const char *assessed_source(struct arena *arena, const struct assessed *assessed)
{
	bool has_any = assessed->health == HEALTH_OK || assessed->health == HEALTH_LOOK;
	const char *source = has_any ? assessed->rule->good_source : assessed->rule->bad_source;

	if (!has_any && assessed->health != HEALTH_BAD)
		return "";
	return source ? arena_strndup(arena, source, strcspn(source, ",:(")) : "topdown";
}

const char *assessed_key(const struct assessed *assessed)
{
	switch (assessed->health) {
	case HEALTH_UNKNOWN:
	case HEALTH_PLAIN: return NULL;
	case HEALTH_OK: return "ok";
	case HEALTH_LOOK: return "look";
	case HEALTH_BAD: break;
	}
	return beyond_word(assessed);
}

const char *assessed_means(const struct assessed *assessed)
{
	if (assessed->health == HEALTH_OK)
		return assessed->rule->means_ok;
	return assessed->health >= HEALTH_LOOK ? assessed->rule->means_beyond : NULL;
}

/* ---- data ---- */

static const char *names_of(const struct report *report, const struct assessment_rule *rule, struct arena *arena)
{
	struct string text = STRING_INIT(arena);

	for (size_t i = 0; i < rule->nmetrics; i++)
		string_printf(&text, "%s%s", i ? ";" : "", report->model->metrics[rule->metrics[i]].name);
	return text.text;
}

const char *assessed_events(struct arena *arena, const struct report *report, const struct assessed *assessed,
			    const char *between)
{
	struct string text = STRING_INIT(arena);

	for (size_t i = 0; i < assessed->rule->nevents; i++)
		string_printf(&text, "%s%s", i ? between : "",
			      report->model->events.events[assessed->rule->events[i]].name);
	return text.text;
}

static struct cell source_cell(double bound, const char *source)
{
	return cell_if(!isnan(bound), text_cell(source ? source : "topdown"));
}

static void figure_cells(struct cell *cells, const struct report *report, const struct assessed *assessed,
			 struct arena *arena)
{
	static const char *const roles[] = { "own", "accesses", "misses", "ratio" };
	const struct assessment_rule *rule = assessed->rule;
	bool has_bounds = rule->means_ok != NULL;
	const struct cell row[FIGURE_COLUMNS] = {
		[FIGURE_NAME] = text_cell(rule->name),
		[FIGURE_TITLE] = text_cell(rule->title),
		[FIGURE_ABOUT] = text_cell(assessment_topic_name(rule->topic)),
		[FIGURE_LEVEL] = text_cell(rule->level),
		[FIGURE_ROLE] = text_cell(roles[rule->role]),
		[FIGURE_VALUE] = number_cell(assessed->value),
		[FIGURE_UNIT] = text_cell(rule->unit),
		[FIGURE_COUNT] = number_cell(assessed->count),
		[FIGURE_QUALITY] = text_cell(quality_name(assessed->quality)),
		[FIGURE_VERDICT] = text_cell(assessed_key(assessed)),
		[FIGURE_GOOD] = number_cell(rule->good),
		[FIGURE_BAD] = number_cell(rule->bad),
		[FIGURE_WORSE] = cell_if(has_bounds, text_cell(rule->is_low_worse ? "below" : "above")),
		[FIGURE_GOOD_SOURCE] = source_cell(rule->good, rule->good_source),
		[FIGURE_BAD_SOURCE] = source_cell(rule->bad, rule->bad_source),
		[FIGURE_MEANS] = text_cell(assessed_means(assessed)),
		[FIGURE_REASON] = text_cell(assessed->reason),
		[FIGURE_METRICS] = parts_cell(names_of(report, rule, arena)),
		[FIGURE_EVENTS] = parts_cell(assessed_events(arena, report, assessed, ";")),
	};

	memcpy(cells, row, sizeof(row));
}

void assessment_json(struct json_writer *writer, const struct report *report, struct arena *arena)
{
	struct grid grid = { .columns = columns, .ncolumns = FIGURE_COLUMNS };

	for (size_t i = 0; i < report->nassessed; i++) {
		struct cell cells[FIGURE_COLUMNS];

		figure_cells(cells, report, &report->assessed[i], arena);
		grid_add(&grid, cells, arena);
	}
	json_grid(writer, "assessment", &grid);
}

/* ---- text ---- */

/* "Branch_Mispredicts 12.3 MPKI (high: above 10), LLC_Misses 2.3 MPKI (above 1)": what is beyond its bounds. */
static const char *beyond_text(struct arena *arena, const struct report *report)
{
	struct string text = STRING_INIT(arena);

	for (size_t i = 0; i < report->nassessed; i++) {
		const struct assessed *assessed = &report->assessed[i];

		if (assessed->health >= HEALTH_LOOK)
			string_printf(&text, "%s%s %s %s (%s)", text.length ? ", " : "", assessed->rule->title,
				      assessed_value(arena, assessed), assessed->rule->unit,
				      assessed->health == HEALTH_BAD ? assessed_text(arena, assessed)
								     : side_text(arena, assessed->rule));
	}
	return text.text;
}

void assessment_table(struct document *doc, const struct report *report, enum assessment_topic topic)
{
	struct grid *grid = arena_alloc(doc->arena, sizeof(*grid));

	*grid = (struct grid){ .columns = columns, .ncolumns = FIGURE_COLUMNS };
	for (size_t i = 0; i < report->nassessed; i++) {
		const struct assessed *assessed = &report->assessed[i];
		const struct assessment_rule *rule = assessed->rule;
		bool is_known = assessed->health != HEALTH_UNKNOWN, is_bad = assessed->health >= HEALTH_LOOK;
		struct cell cells[FIGURE_COLUMNS];

		if (topic != ASSESS_TOPICS && (rule->topic != topic || (!rule->expression && !doc->style->is_verbose)))
			continue;
		figure_cells(cells, report, assessed, doc->arena);
		cells[FIGURE_VALUE].shown = assessed_value(doc->arena, assessed);
		cells[FIGURE_UNIT].shown = is_known ? rule->unit : "";
		cells[FIGURE_VERDICT] = shown_cell(assessed_text(doc->arena, assessed), is_bad ? INK_BOLD : INK_PLAIN);
		cells[FIGURE_BOUND] = shown_cell(assessed_source(doc->arena, assessed), INK_PLAIN);
		cells[FIGURE_HOW_GOOD] = shown_cell(quality_name(assessed->quality), INK_PLAIN);
		grid_add(grid, cells, doc->arena);
	}
	doc_add(doc, (struct block){ .kind = BLOCK_TABLE, .grid = grid });
}

static void add_all(struct document *doc, const struct report *report)
{
	doc_gap(doc);
	doc_add(doc, (struct block){ .kind = BLOCK_HEADING, .text = "Assessment", .ink = INK_BOLD, .level = 3 });
	assessment_table(doc, report, ASSESS_TOPICS);
	doc_commands(doc, "Count what is missing:", &report->actions.assess.command,
		     report->actions.assess.command != NULL);
}

void report_assessment(struct document *doc, const struct report *report)
{
	const char *beyond;

	if (!report->nassessed || (!doc->is_page && is_selecting(&report->asked)))
		return;
	if (doc->style->is_verbose || doc->is_whole) {
		add_all(doc, report);
		return;
	}
	beyond = beyond_text(doc->arena, report);
	if (!*beyond)
		return;
	doc_gap(doc);
	doc_add(doc,
		(struct block){ .kind = BLOCK_SENTENCE,
				.text = arena_printf(doc->arena, "Beyond healthy bounds: %s. -v shows all.", beyond),
				.indent = "  " });
}
