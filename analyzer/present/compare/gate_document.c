/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gate_document.c - which limits hold, which not, and why: for people and as JSON. */
#include <math.h>
#include <string.h>

#include "common/measurement/counts.h"
#include "present/compare/gate_parts.h"
#include "present/document/data.h"
#include "present/document/human.h"

#define LABEL 10 /* columns */

/* ---- words ---- */

const char *gate_headline(const struct gate_result *result, struct arena *arena)
{
	if (result->nbeyond)
		return arena_printf(arena, "FAILED: %zu of %zu limits %s exceeded", result->nbeyond, result->count,
				    result->nbeyond == 1 ? "is" : "are");
	if (result->nunknown)
		return arena_printf(arena, "can't tell: %zu of %zu limits can't be judged", result->nunknown,
				    result->count);
	return arena_printf(arena, "passed: %s",
			    result->count == 1 ? "the limit holds"
					       : arena_printf(arena, "all %zu limits hold", result->count));
}

const char *gate_subject(const struct gate_row *row, struct arena *arena)
{
	return row->limit->function ? arena_printf(arena, "%s in %s", row->limit->metric, row->limit->function)
				    : row->title;
}

const char *gate_value_text(const struct gate_row *row, double value, struct arena *arena)
{
	const char *unit = row->unit ? row->unit : "";

	if (isnan(value))
		return "-";
	if (!strcmp(unit, "s"))
		return human_seconds(arena, value);
	if (!strcmp(unit, "ns"))
		return human_seconds(arena, value * 1e-9);
	if (!strcmp(unit, "%"))
		return arena_printf(arena, "%.1f %%", value);
	return fabs(value) >= 100 || value == rint(value) ? human_count(arena, value) : human_fixed(arena, value, 3);
}

static bool has_range(const struct estimate *amount)
{
	return isfinite(amount->low) && isfinite(amount->high) && amount->low < amount->high;
}

/* Of the limit's unit. */
static const char *amount_text(const struct gate_row *row, double amount, struct arena *arena)
{
	if (isnan(amount))
		return "-";
	if (!is_relative(row->limit))
		return gate_value_text(row, amount, arena);
	if (isinf(amount))
		return "from nothing";
	if (row->limit->unit == UNIT_PERCENT)
		return arena_printf(arena, "%.2f %%", amount);
	if (row->limit->unit == UNIT_POINTS)
		return arena_printf(arena, "%.2f points", amount);
	return gate_value_text(row, amount, arena);
}

/* The layouts, or the chance, that the range is of. */
static const char *gate_document_range_of(const struct comparison *comparison, struct arena *arena)
{
	const struct compare_request *request = comparison->request;
	const struct report *report = request->after.report;
	size_t before = request->before.measured->parts[0].nrepeats, after = request->after.measured->parts[0].nrepeats;

	if (!report || !report->model->is_simulated)
		return "95 %";
	return before == after
		       ? "all layouts"
		       : arena_printf(arena, "%zu layout%s before, %zu now", before, before == 1 ? "" : "s", after);
}

static const char *range_text(const struct gate_result *result, const struct gate_row *row, struct arena *arena)
{
	if (!has_range(&row->amount))
		return "";
	return arena_printf(arena, " (%s: %s to %s)", gate_document_range_of(result->request->comparison, arena),
			    amount_text(row, row->amount.low, arena), amount_text(row, row->amount.high, arena));
}

static const char *verb_of(const struct gate_row *row)
{
	bool is_decrease = row->limit->bound == BOUND_MAX_DECREASE, is_other = row->amount.value < 0;

	return is_decrease != is_other ? "fell" : "rose";
}

const char *gate_sentence(const struct gate_result *result, const struct gate_row *row, struct arena *arena)
{
	const struct gate_limit *limit = row->limit;
	const char *subject = gate_subject(row, arena), *reason = row->reason ? row->reason : "";
	struct gate_row positive = *row;

	if (row->verdict == GATE_UNKNOWN)
		return arena_printf(arena, "%s: can't tell: %s", subject, reason);
	if (!is_relative(limit))
		return arena_printf(arena, "%s is %s%s; at %s %s %s allowed", subject,
				    amount_text(row, row->amount.value, arena), range_text(result, row, arena),
				    limit->bound == BOUND_MAX ? "most" : "least", limit->written,
				    limit->value == 1 && limit->unit == UNIT_OWN ? "is" : "are");
	if (isinf(row->amount.value))
		return arena_printf(arena, "%s rose from 0 to %s; %s are allowed", subject,
				    gate_value_text(row, row->after, arena), limit->written);
	positive.amount.value = fabs(row->amount.value);
	return arena_printf(arena, "%s %s by %s%s; %s are allowed%s%s", subject, verb_of(row),
			    amount_text(&positive, positive.amount.value, arena), range_text(result, row, arena),
			    limit->written, *reason ? ", and " : "", reason);
}

static const char *place_text(const struct gate_cause *cause, struct arena *arena)
{
	if (!cause->file)
		return "";
	return cause->line ? arena_printf(arena, " (%s:%u)", cause->file, cause->line)
			   : arena_printf(arena, " (%s)", cause->file);
}

const char *gate_cause_text(const struct gate_cause *cause, struct arena *arena)
{
	const char *unit = cause->unit ? cause->unit : "";
	const char *amount = !strcmp(unit, "ns")
				     ? human_seconds(arena, cause->amount * 1e-9)
				     : arena_printf(arena, "%s %s", human_count(arena, cause->amount), unit);

	if (!cause->function)
		return arena_printf(arena, "%s: %s more", cause->node ? cause->node : "the program", amount);
	return arena_printf(arena, "%s%s: %s more%s%s", cause->function, place_text(cause, arena), amount,
			    cause->node ? ", mostly " : "", cause->node ? cause->node : "");
}

/* ---- for people ---- */

static const char *measured_text(const struct gate_result *result, struct arena *arena)
{
	const struct comparison *comparison = result->request->comparison;
	const struct compare_side *side = &comparison->request->after;
	const char *machine = side->measured->parts[0].origin.machine;
	size_t repeats = side->report ? side->report->summary.repeats : 0;
	bool is_simulated = side->report && side->report->model->is_simulated;

	return arena_printf(arena, "%s, %zu %s%s", machine ? machine : "an unknown machine", repeats,
			    is_simulated ? "layout" : "repeat", repeats == 1 ? "" : "s");
}

static const char *differs_text(const struct gate_result *result, struct arena *arena)
{
	const struct comparison *comparison = result->request->comparison;
	struct string text = STRING_INIT(arena);

	for (size_t i = 0; result->request->has_baseline && i < comparison->nsurroundings; i++) {
		const struct compared_surrounding *s = &comparison->surroundings[i];

		if (s->is_important)
			string_printf(&text, "%s%s: %s, now %s", text.length ? "; " : "", s->what,
				      s->before ? s->before : "unknown", s->after ? s->after : "unknown");
	}
	return text.text;
}

/* "topdown-baseline.json.gz, of prog-old" */
static const char *baseline_text(const struct gate_result *result, struct arena *arena)
{
	const struct compare_request *request = result->request->comparison->request;
	const char *other;

	if (!result->request->has_baseline)
		return "none";
	other = gate_other_program(request->before.measured, request->after.measured, arena);
	return other ? arena_printf(arena, "%s, of %s", request->before.label, other) : request->before.label;
}

const struct fact *gate_facts(const struct gate_result *result, struct arena *arena)
{
	const struct compare_request *request = result->request->comparison->request;
	const char *limits = result->request->limits->source;
	const struct fact facts[GATE_FACTS] = {
		{ .label = "Gate", .text = gate_headline(result, arena) },
		{ .label = "Program", .text = request->after.label, .is_code = true },
		{ .label = "Measured", .text = measured_text(result, arena) },
		{ .label = "Baseline", .text = baseline_text(result, arena) },
		{ .label = "Limits", .text = limits ? limits : "the defaults" },
		{ .label = "Differs", .text = differs_text(result, arena) },
	};

	return memcpy(arena_array(arena, GATE_FACTS, sizeof(*facts)), facts, sizeof(facts));
}

static void gate_document_add_head(struct document *doc, const struct gate_result *result)
{
	doc_add(doc, (struct block){ .kind = BLOCK_TITLE, .text = "topdown gate", .level = 1 });
	doc_add(doc, (struct block){ .kind = BLOCK_FACTS,
				     .facts = gate_facts(result, doc->arena),
				     .nfacts = GATE_FACTS,
				     .label = LABEL });
}

enum {
	LIMIT_VERDICT,
	LIMIT_NAME,
	LIMIT_BEFORE,
	LIMIT_AFTER,
	LIMIT_CHANGE,
	LIMIT_INTERVAL,
	LIMIT_ALLOWED,
	LIMIT_COLUMNS
};

static const struct column limit_columns[LIMIT_COLUMNS] = {
	[LIMIT_VERDICT] = { .heading = "", .gap = 2 },
	[LIMIT_NAME] = { .heading = "Limit", .flags = COLUMN_SHRINKS, .gap = 2, .least = 12 },
	[LIMIT_BEFORE] = { .heading = "Before", .flags = COLUMN_RIGHT, .gap = 2 },
	[LIMIT_AFTER] = { .heading = "After", .flags = COLUMN_RIGHT, .gap = 2 },
	[LIMIT_CHANGE] = { .heading = "Change", .flags = COLUMN_RIGHT, .gap = 2 },
	[LIMIT_INTERVAL] = { .heading = "Interval", .flags = COLUMN_SPARE, .gap = 2 },
	[LIMIT_ALLOWED] = { .heading = "Allowed", .gap = 2 },
};

const char *gate_verdict_word(enum gate_verdict verdict)
{
	return verdict == GATE_BEYOND ? "FAILED" : verdict == GATE_UNKNOWN ? "can't tell" : "ok";
}

static const char *signed_text(const struct gate_row *row, double amount, struct arena *arena)
{
	return arena_printf(arena, "%s%s", is_relative(row->limit) && amount > 0 && !isinf(amount) ? "+" : "",
			    amount_text(row, amount, arena));
}

const char *gate_change_text(const struct gate_row *row, struct arena *arena)
{
	double amount = row->limit->bound == BOUND_MAX_DECREASE ? -row->amount.value : row->amount.value;

	return is_relative(row->limit) && !isnan(amount) ? signed_text(row, amount, arena) : "";
}

const char *gate_interval_text(const struct gate_row *row, struct arena *arena)
{
	const struct estimate *amount = &row->amount;
	bool is_decrease = row->limit->bound == BOUND_MAX_DECREASE;

	if (!has_range(amount))
		return "";
	return arena_printf(arena, "%s to %s", signed_text(row, is_decrease ? -amount->high : amount->low, arena),
			    signed_text(row, is_decrease ? -amount->low : amount->high, arena));
}

const char *gate_allowed_text(const struct gate_limit *limit, struct arena *arena)
{
	static const char *const words[] = { [BOUND_MAX_INCREASE] = "+",
					     [BOUND_MAX_DECREASE] = "-",
					     [BOUND_MAX] = "at most ",
					     [BOUND_MIN] = "at least " };

	return arena_printf(arena, "%s%s", words[limit->bound], limit->written);
}

static void add_table(struct document *doc, const struct gate_result *result)
{
	struct grid *grid = arena_alloc(doc->arena, sizeof(*grid));

	*grid = (struct grid){ .columns = limit_columns, .ncolumns = LIMIT_COLUMNS, .has_heads = true };
	for (size_t i = 0; i < result->count; i++) {
		const struct gate_row *row = &result->rows[i];
		enum ink ink = row->verdict == GATE_BEYOND ? INK_WORST : INK_PLAIN;

		grid_add(grid,
			 (const struct cell[]){ shown_cell(gate_verdict_word(row->verdict), ink),
						shown_cell(gate_subject(row, doc->arena), ink),
						shown_cell(gate_value_text(row, row->before, doc->arena), INK_PLAIN),
						shown_cell(gate_value_text(row, row->after, doc->arena), INK_PLAIN),
						shown_cell(gate_change_text(row, doc->arena), ink),
						shown_cell(gate_interval_text(row, doc->arena), INK_DIM),
						shown_cell(gate_allowed_text(row->limit, doc->arena), INK_PLAIN) },
			 doc->arena);
	}
	doc_gap(doc);
	doc_add(doc, (struct block){ .kind = BLOCK_TABLE, .grid = grid });
}

/* A sentence, then its causes and what the file says about it. */
static void gate_document_add_row(struct document *doc, const struct gate_result *result, const struct gate_row *row)
{
	struct arena *arena = doc->arena;

	doc_gap(doc);
	doc_sentence(doc, arena_printf(arena, "%s.", gate_sentence(result, row, arena)));
	for (size_t i = 0; i < row->ncauses; i++)
		doc_add(doc, (struct block){ .kind = BLOCK_NOTE, .text = gate_cause_text(&row->causes[i], arena) });
	if (row->limit->note && row->verdict == GATE_BEYOND)
		doc_add(doc, (struct block){ .kind = BLOCK_NOTE,
					     .text = arena_printf(arena, "The limit says: %s", row->limit->note) });
}

static void gate_document(struct document *doc, const void *what)
{
	const struct gate_result *result = what;

	gate_document_add_head(doc, result);
	add_table(doc, result);
	for (size_t i = 0; i < result->count; i++)
		if (result->rows[i].verdict != GATE_WITHIN || result->rows[i].reason)
			gate_document_add_row(doc, result, &result->rows[i]);
	doc_gap(doc);
	for (size_t i = 0; i < result->nnotes; i++)
		doc_add(doc, (struct block){ .kind = BLOCK_NOTE, .text = result->notes[i] });
	if (result->nbeyond && result->request->look_closer)
		doc_commands(doc, "Look closer:", &result->request->look_closer, 1);
}

/* ---- as JSON ---- */

static struct cell causes_cell(const struct gate_row *row, struct arena *arena)
{
	struct grid *grid = grid_new(arena, NULL, 0);

	for (size_t i = 0; i < row->ncauses; i++) {
		const struct gate_cause *cause = &row->causes[i];

		grid_members(grid, arena,
			     MEMBERS({ "node", text_cell(cause->node) }, { "function", text_cell(cause->function) },
				     { "module", text_cell(cause->module) }, { "file", text_cell(cause->file) },
				     { "line", known_cell(cause->line) }, { "amount", exact_cell(cause->amount) },
				     { "unit", text_cell(cause->unit) }));
	}
	return rows_cell(grid);
}

static struct cell limits_cell(const struct gate_result *result, struct arena *arena)
{
	struct grid *grid = grid_new(arena, NULL, 0);

	for (size_t i = 0; i < result->count; i++) {
		const struct gate_row *row = &result->rows[i];
		const struct gate_limit *limit = row->limit;

		grid_members(grid, arena,
			     MEMBERS({ "metric", text_cell(limit->metric) }, { "function", text_cell(limit->function) },
				     { "bound", text_cell(gate_bound_name(limit->bound)) },
				     { "allowed", text_cell(limit->written) },
				     { "verdict", text_cell(gate_verdict_name(row->verdict)) },
				     { "sentence", text_cell(gate_sentence(result, row, arena)) },
				     { "unit", text_cell(row->unit) }, { "before", exact_cell(row->before) },
				     { "after", exact_cell(row->after) }, { "amount", exact_cell(row->amount.value) },
				     { "amount_low", exact_cell(row->amount.low) },
				     { "amount_high", exact_cell(row->amount.high) },
				     { "note", text_cell(limit->note) }, { "causes", causes_cell(row, arena) }));
	}
	return rows_cell(grid);
}

static void gate_json(struct json_writer *writer, const void *what, struct arena *arena)
{
	const struct gate_result *result = what;
	const struct compare_request *request = result->request->comparison->request;

	json_members(writer,
		     MEMBERS({ "format", text_cell("topdown-gate") }, { "version", whole_cell(1) },
			     { "verdict", text_cell(gate_verdict_name(result->verdict)) },
			     { "status", whole_cell((size_t)gate_status(result)) },
			     { "program", text_cell(request->after.label) },
			     { "baseline", cell_if(result->request->has_baseline, text_cell(request->before.label)) },
			     { "limits_file", text_cell(result->request->limits->source) },
			     { "limits", limits_cell(result, arena) },
			     { "notes", texts_cell(arena, result->notes, result->nnotes) }));
}

const struct view gate_view = { .document = gate_document, .page = gate_page, .json = gate_json };
