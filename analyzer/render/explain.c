/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/explain.h"

#include "render/json_write.h"
#include "render/page.h"
#include "render/sheet.h"

/* What is told of each, as all formats have it. */
static const struct field {
	const char *label, *key;
	bool is_list; /* ';'-separated; an array in JSON */
} fields[] = {
	/* clang-format off */
	{ "Node",      "path",        false },
	{ "Name",      "name",        false },
	{ "Means",     "means",       false },
	{ "Hurts",     "hurts",       false },
	{ "Try",       "try",         false },
	{ "Domain",    "domain",      false },
	{ "Formula",   "formula",     false },
	{ "Threshold", "threshold",   false },
	{ "Events",    "events",      true },
	{ "Parent",    "parent",      false },
	{ "Children",  "children",    true },
	{ "Then",      "next_groups", true },
	{ "Sample",    "sample",      true },
	{ "Not here",  "failure",     false },
	/* clang-format on */
};

#define FIELDS COUNT_OF(fields)
#define LABEL  11 /* columns */

/* Of one node or metric: "" or NULL where there is nothing to tell. */
struct told {
	const char *texts[FIELDS];
};

static const char *joined(struct arena *arena, const char *list, const char *item)
{
	return list ? arena_printf(arena, "%s;%s", list, item) : item;
}

static const char *events_of(const struct model *model, const struct metric *metric, struct arena *arena)
{
	const char *list = NULL;

	for (size_t i = 0; i < metric->nevents; i++)
		list = joined(arena, list, model->events.events[metric->events[i]].name);
	return list;
}

static const char *children_of(const struct model *model, size_t number, struct arena *arena)
{
	const char *list = NULL;

	for (size_t i = 0; i < model->nnodes; i++)
		if (model->metrics[i].parent == number)
			list = joined(arena, list, model->metrics[i].title);
	return list;
}

static const char *samples_of(const struct metric *metric, struct arena *arena)
{
	const char *list = NULL;

	for (size_t i = 0; i < metric->nsamples; i++)
		list = joined(arena, list, metric->samples[i]);
	return list;
}

/* In the order of fields. */
static struct told tell(const struct model *model, const struct explanation *explained, struct arena *arena)
{
	size_t number = explained->metric;
	const struct metric *metric = &model->metrics[number];
	const struct glossary_entry *words = &explained->words;

	return (struct told){ {
		metric->path,
		metric->name,
		words->means ? words->means : "(no words about it yet)",
		words->hurts,
		words->advice,
		metric->domain,
		program_text(model->program, number),
		metric->has_threshold ? program_text(model->thresholds, number) : NULL,
		events_of(model, metric, arena),
		metric->parent == NO_PARENT ? NULL : model->metrics[metric->parent].title,
		children_of(model, number, arena),
		metric->next_groups,
		samples_of(metric, arena),
		metric->failure,
	} };
}

/* "a;b" as "a, b": for people. */
static const char *shown(const struct page *page, size_t field, const char *value)
{
	struct string text = STRING_INIT(page->arena);
	const char *part;
	size_t length;

	if (!value || !fields[field].is_list)
		return value ? value : "";
	while ((length = text_next(&value, ";", &part)) > 0) {
		string_add(&text, text.length ? ", " : "");
		string_addn(&text, part, length);
	}
	return text.text;
}

static void write_text(const struct page *page, const struct told *told, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		fputs(i ? "\n" : "", page->out);
		for (size_t j = 0; j < FIELDS; j++) {
			struct indent indent = { .first = arena_printf(page->arena, "%-*s", LABEL, fields[j].label),
						 .rest = arena_printf(page->arena, "%*s", LABEL, ""),
						 .width = LABEL };
			const char *text = shown(page, j, told[i].texts[j]);

			if (*text)
				page_wrap(page, &indent, page_safe(page, text));
		}
	}
}

static void write_csv(const struct page *page, const struct told *told, size_t count)
{
	const char *keys[FIELDS];

	for (size_t i = 0; i < FIELDS; i++)
		keys[i] = fields[i].key;
	csv_row(page, keys, FIELDS);
	for (size_t i = 0; i < count; i++)
		csv_row(page, told[i].texts, FIELDS);
}

/* A table for each: their texts are too long to stand beside each other. */
static void write_markdown(const struct page *page, const struct told *told, size_t count)
{
	static const bool right[2];

	for (size_t i = 0; i < count; i++) {
		markdown_row(page, (const char *[]){ fields[0].label, told[i].texts[0] }, COUNT_OF(right));
		markdown_rule(page, right, COUNT_OF(right));
		for (size_t j = 1; j < FIELDS; j++) {
			const char *text = shown(page, j, told[i].texts[j]);

			if (*text)
				markdown_row(page, (const char *[]){ fields[j].label, text }, COUNT_OF(right));
		}
		fputs(i + 1 < count ? "\n" : "", page->out);
	}
}

static void write_json_list(struct json_writer *writer, const char *key, const char *list)
{
	struct arena arena;
	const char *part;
	size_t length;

	arena_init(&arena);
	json_write_array(writer, key);
	while (list && (length = text_next(&list, ";", &part)) > 0)
		json_write_string(writer, NULL, arena_strndup(&arena, part, length));
	json_write_end(writer);
	arena_release(&arena);
}

static void write_json_one(struct json_writer *writer, const struct told *told)
{
	json_write_object(writer, NULL);
	for (size_t i = 0; i < FIELDS; i++) {
		const char *text = told->texts[i];

		if (fields[i].is_list)
			write_json_list(writer, fields[i].key, text);
		else
			json_write_string(writer, fields[i].key, text && *text ? text : NULL);
	}
	json_write_end(writer);
}

static int write_json(FILE *out, const char *cpu, const struct told *told, size_t count)
{
	struct json_writer *writer = json_writer_new();
	struct error err = { 0 };

	json_write_string(writer, "format", "topdown-explanation");
	json_write_integer(writer, "version", 1);
	json_write_string(writer, "cpu", cpu);
	json_write_array(writer, "explained");
	for (size_t i = 0; i < count; i++)
		write_json_one(writer, &told[i]);
	json_write_end(writer);
	return json_writer_finish(writer, out, &err);
}

int render_explanations(FILE *out, const struct model *model, const struct explanation *explained, size_t count,
			const struct style *style)
{
	struct arena arena;
	struct told *told;
	struct page page;
	int result = 0;

	arena_init(&arena);
	page = page_init(out, style, &arena);
	told = arena_array(&arena, count, sizeof(*told));
	for (size_t i = 0; i < count; i++)
		told[i] = tell(model, &explained[i], &arena);
	if (style->format == FORMAT_JSON)
		result = write_json(out, model->cpu, told, count);
	else if (style->format == FORMAT_CSV)
		write_csv(&page, told, count);
	else if (style->format == FORMAT_MARKDOWN)
		write_markdown(&page, told, count);
	else
		write_text(&page, told, count);
	arena_release(&arena);
	return result;
}
