/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import_general.c - the second form of Intel's formulas, for machines whose kernel shows no PERF_METRICS (virtual
 * machines, mostly): from events that general counters count. Intel publishes levels 1 and 2 and part of 3 of it; what
 * else names PERF_METRICS gets the events that count the same slots.
 */
#include <string.h>

#include "common/base/text.h"
#include "common/json/json_read.h"
#include "common/system/file.h"
#include "cpu/import/convert.h"
#include "cpu/import/importer.h"

#define SLOTS_P "TOPDOWN.SLOTS_P"

/* What is being read: Intel's text, or a formula of the first form. */
struct general {
	struct import *import;
	const struct json *metric; /* of Intel's text */
	struct table encodings;	   /* from an event's encoding to its place in names */
	const char **names;	   /* the first name that a formula had for it */
	size_t nnames, capacity;
	const char *unknown; /* first name met that is no event of this CPU */
};

/* ---- one event has one name ---- */

static const char *encoding_of(const struct import *import, const char *name)
{
	static const char *const keys[] = { "EventCode",  "UMask",     "UMaskExt", "CounterMask", "Invert",
					    "EdgeDetect", "AnyThread", "Equal",	   "MSRIndex",	  "MSRValue" };
	size_t number = table_get(&import->event_names, name);
	struct string text = STRING_INIT(import->arena);

	for (size_t i = 0; number != TABLE_NONE && i < COUNT_OF(keys); i++) {
		const char *value = row_get(&import->events[number].row, keys[i]);

		string_printf(&text, "%s,", value ? value : "");
	}
	return text.text;
}

/*
 * Intel's newer files have two names for some encodings (IDQ_UOPS_NOT_DELIVERED.CORE is IDQ_BUBBLES.CORE), and a group
 * would count both. The first name that a formula has for an encoding stands for it.
 */
static const char *one_name(struct general *g, const char *name)
{
	const char *encoding = encoding_of(g->import, name);
	size_t known = table_get(&g->encodings, encoding);

	if (known != TABLE_NONE)
		return g->names[known];
	g->names = arena_grow(g->import->arena, g->names, g->nnames, &g->capacity, sizeof(*g->names));
	g->names[g->nnames] = name;
	table_set(&g->encodings, encoding, g->nnames++);
	return name;
}

/* "UOPS_DECODED.DEC0:c1" as published. */
static const char *general_event(struct general *g, const char *spelled)
{
	const char *modifiers = strchr(spelled, ':'), *name, *one;

	name = modifiers ? arena_strndup(g->import->arena, spelled, (size_t)(modifiers - spelled)) : spelled;
	if (!has_import_event(g->import, name)) {
		g->unknown = g->unknown ? g->unknown : name;
		return spelled;
	}
	one = one_name(g, name);
	if (one != name && !is_same_name(one, name))
		import_say(g->import, "%s: %s is the event that other formulas call %s",
			   json_text(json_get(g->metric, "MetricName")), name, one);
	return modifiers ? arena_printf(g->import->arena, "%s%s", one, modifiers) : one;
}

/* ---- Intel's text: perfmon's form, flat formulas in percent ---- */

static const char *name_of_alias(void *context, const char *alias)
{
	struct general *g = context;
	const struct json *events = json_get(g->metric, "Events");

	for (size_t i = 0; i < json_size(events); i++) {
		const char *known = json_text(json_get(json_at(events, i), "Alias"));
		const char *name = json_text(json_get(json_at(events, i), "Name"));

		if (known && name && !strcmp(known, alias))
			return general_event(g, arena_strdup(g->import->arena, name));
	}
	return NULL; /* a function */
}

/* Is the parenthesis at the beginning closed at the very end? */
static bool is_one_parenthesis(const char *text)
{
	size_t depth = 0;

	for (size_t n = 0; text[n]; n++) {
		depth += text[n] == '(';
		if (text[n] == ')' && --depth == 0)
			return !text[n + 1];
	}
	return false;
}

/* A value in percent becomes a fraction: what "100 * (...)" multiplies. */
static const char *fraction(const char *percent, struct arena *arena)
{
	static const char factor[] = "100 * ";
	const char *rest = percent + strlen(factor);

	if (!has_name_prefix(percent, factor) || *rest != '(' || !is_one_parenthesis(rest))
		return arena_printf(arena, "(%s) / 100", percent);
	return arena_strndup(arena, rest + 1, strlen(rest) - 2);
}

static struct import_metric *metric_named(const struct import *import, const char *name)
{
	const char *full = arena_printf(import->arena, "tma_%s", name);

	for (size_t i = 0; i < import->nmetrics; i++)
		if (is_same_name(import->metrics[i].name, full))
			return &import->metrics[i];
	return NULL;
}

static void import_general_read_metric(struct general *g)
{
	const struct convert_names names = { .context = g, .name = name_of_alias };
	const char *name = json_text(json_get(g->metric, "MetricName"));
	const char *formula = json_text(json_get(g->metric, "Formula"));
	struct import_metric *metric = name ? metric_named(g->import, name) : NULL;
	struct error err = { 0 };
	const char *expr;

	if (!metric || !formula) {
		import_say(g->import, "%s: no such node with a formula, so its second form is left out",
			   name ? name : "-");
		return;
	}
	g->unknown = NULL;
	expr = convert_formula(formula, &names, g->import->arena, &err);
	if (!expr || g->unknown) {
		import_say(g->import, "%s: second form left out: %s%s", metric->name, expr ? "no event " : "",
			   expr ? g->unknown : err.text);
		return;
	}
	metric->general = is_same_name(metric->unit, "100%") ? fraction(expr, g->import->arena) : expr;
}

static int import_general_read_text(struct general *g, struct error *err)
{
	const char *path = import_path(g->import, g->import->cpu->general);
	const struct json *metrics;
	struct json *root;

	if (g->import->cpu->general[0] && !path)
		import_say(g->import, "%s is in none of the folders: no second form by Intel's text",
			   g->import->cpu->general);
	if (!path)
		return 0;
	root = json_read_bulk(path, err);
	if (!root)
		return -1;
	metrics = json_get(root, "Metrics");
	for (size_t i = 0; i < json_size(metrics); i++) {
		g->metric = json_at(metrics, i);
		import_general_read_metric(g);
	}
	json_free(root);
	g->import->general_source = arena_printf(g->import->arena, "intel/PerfSpect %s", g->import->cpu->general);
	return 0;
}

/* ---- what else names PERF_METRICS ---- */

/*
 * The fields of PERF_METRICS (Intel's SDM, 3B, "Performance Metrics"), by Intel's and the kernel's names, and the event
 * that counts the slots of which the field is the share; the first name that the CPU has. The equality tests hold these
 * against Intel's text, which has the same events.
 */
static const struct field_row {
	const char *field, *kernel, *events[2];
	bool is_cycles; /* the event counts cycles of which all slots are meant */
} fields[] = {
	/* clang-format off */
	{ "PERF_METRICS.FRONTEND_BOUND",     "topdown-fe-bound",
	  { "IDQ_BUBBLES.CORE", "IDQ_UOPS_NOT_DELIVERED.CORE" }, false },
	{ "PERF_METRICS.BAD_SPECULATION",    "topdown-bad-spec",     { "TOPDOWN.BAD_SPEC_SLOTS", NULL }, false },
	{ "PERF_METRICS.RETIRING",           "topdown-retiring",     { "UOPS_RETIRED.SLOTS", NULL }, false },
	{ "PERF_METRICS.BACKEND_BOUND",      "topdown-be-bound",     { "TOPDOWN.BACKEND_BOUND_SLOTS", NULL }, false },
	{ "PERF_METRICS.HEAVY_OPERATIONS",   "topdown-heavy-ops",    { "UOPS_RETIRED.HEAVY", NULL }, false },
	{ "PERF_METRICS.BRANCH_MISPREDICTS", "topdown-br-mispredict", { "TOPDOWN.BR_MISPREDICT_SLOTS", NULL }, false },
	{ "PERF_METRICS.FETCH_LATENCY",      "topdown-fetch-lat",
	  { "IDQ_BUBBLES.STARVATION_CYCLES", "IDQ_BUBBLES.CYCLES_0_UOPS_DELIV.CORE" }, true },
	{ "PERF_METRICS.MEMORY_BOUND",       "topdown-mem-bound",    { "TOPDOWN.MEMORY_BOUND_SLOTS", NULL }, false },
	/* clang-format on */
};

#define LEVEL_1 4 /* the fields that all slots are divided among stand first */

/* "cpu_core@topdown\-retiring@" is "topdown-retiring". */
static const char *plain(const char *name, struct arena *arena)
{
	struct string text = STRING_INIT(arena);
	const char *inner = strchr(name, '@');

	for (const char *c = inner ? inner + 1 : name; *c; c++)
		if (*c != '\\' && *c != '@')
			string_addn(&text, c, 1);
	return text.text;
}

static size_t find_field(const char *name, struct arena *arena)
{
	const char *word = plain(name, arena);
	size_t i = 0;

	while (i < COUNT_OF(fields) && !is_same_name(fields[i].field, word) && !is_same_name(fields[i].kernel, word))
		i++;
	return i;
}

/* The length of "(A + B + C + D)", which are the four fields of level 1 in any order; 0: it is something else. */
static size_t whole_length(const char *text, struct arena *arena)
{
	const char *at = text, *part;
	unsigned seen = 0, count = 0;
	size_t close = strcspn(text + 1, "()") + 1, length;

	if (text[0] != '(' || text[close] != ')')
		return 0;
	at = arena_strndup(arena, text + 1, close - 1);
	while ((length = text_next(&at, "+ ", &part)) > 0) {
		size_t field = find_field(arena_strndup(arena, part, length), arena);

		if (field >= LEVEL_1)
			return 0;
		seen |= 1u << field;
		count++;
	}
	return count == LEVEL_1 && seen == (1u << LEVEL_1) - 1 ? close + 1 : 0;
}

/* The sum of the four fields is all slots. */
static const char *slots_for_sums(const char *expr, struct arena *arena)
{
	struct string text = STRING_INIT(arena);

	while (*expr) {
		size_t length = whole_length(expr, arena);

		string_addn(&text, length ? SLOTS_P : expr, length ? strlen(SLOTS_P) : 1);
		expr += length ? length : 1;
	}
	return text.text;
}

static const char *event_for_field(struct general *g, const struct field_row *field)
{
	const char *event = NULL;

	for (size_t i = 0; i < COUNT_OF(field->events) && !event; i++)
		if (field->events[i] && has_import_event(g->import, field->events[i]))
			event = one_name(g, field->events[i]);
	if (!event || (field->is_cycles && !g->import->cpu->slots[0])) {
		g->unknown = g->unknown ? g->unknown : field->events[0];
		return field->field;
	}
	return field->is_cycles ? arena_printf(g->import->arena, "(%s * %s)", g->import->cpu->slots, event) : event;
}

static const char *general_name(void *context, const char *name)
{
	struct general *g = context;
	const char *word = plain(name, g->import->arena);
	size_t field = find_field(name, g->import->arena);

	if (field < COUNT_OF(fields))
		return event_for_field(g, &fields[field]);
	return is_same_name(word, "TOPDOWN.SLOTS") || is_same_name(word, "slots") ? SLOTS_P : NULL;
}

static void derive(struct general *g, struct import_metric *metric)
{
	const struct convert_names names = { .context = g, .name = general_name };
	const char *expr = slots_for_sums(metric->expr, g->import->arena);
	struct error err = { 0 };

	g->unknown = NULL;
	expr = convert_formula(expr, &names, g->import->arena, &err);
	if (!expr || !strcmp(expr, metric->expr))
		return;
	if (g->unknown) {
		import_say(g->import, "%s: no second form: this CPU has no %s", metric->name, g->unknown);
		return;
	}
	import_say(g->import, "%s: second form with events for the fields of PERF_METRICS", metric->name);
	metric->general = expr;
}

/* ---- the whole ---- */

static bool has_level_1(const struct import *import)
{
	size_t count = 0;

	for (size_t i = 0; i < import->nmetrics; i++) {
		const struct import_metric *metric = &import->metrics[i];

		if (!has_word(metric->groups, ";", "TopdownL1"))
			continue;
		if (!metric->general && !strstr(metric->expr, "tma_"))
			return false;
		count++;
	}
	return count > 0;
}

int general_read(struct import *import, struct error *err)
{
	struct general g = { .import = import, .encodings = TABLE_INIT(import->arena) };

	if (!has_import_event(import, "TOPDOWN.SLOTS") || !has_import_event(import, SLOTS_P))
		return 0;
	if (import_general_read_text(&g, err) < 0)
		return -1;
	for (size_t i = 0; i < import->nmetrics; i++)
		if (!import->metrics[i].general)
			derive(&g, &import->metrics[i]);
	if (has_level_1(import)) {
		if (!import->general_source)
			import->general_source = "PERF_METRICS by events";
		return 0;
	}
	for (size_t i = 0; i < import->nmetrics; i++)
		import->metrics[i].general = NULL;
	import->general_source = NULL;
	return 0;
}
