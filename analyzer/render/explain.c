/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/explain.h"

#include "render/json_write.h"
#include "render/page.h"

/* The explanation as label and text; "" or NULL leaves a line out. Both renderers read it. */
struct explained {
	const char *name, *path, *means, *hurts, *advice, *formula, *threshold, *events, *children, *next, *samples,
		*domain, *failure;
};

static const char *join(struct arena *arena, const char *list, const char *item)
{
	return list ? arena_printf(arena, "%s, %s", list, item) : arena_strdup(arena, item);
}

static void collect(struct explained *x, const struct model *model, const struct metric *metric, struct arena *arena)
{
	size_t number = (size_t)(metric - model->metrics);

	for (size_t i = 0; i < metric->nevents; i++)
		x->events = join(arena, x->events, model->events.events[metric->events[i]].name);
	for (size_t i = 0; i < model->nnodes; i++)
		if (model->metrics[i].parent == number)
			x->children = join(arena, x->children, model->metrics[i].title);
	for (size_t i = 0; i < metric->nsamples; i++)
		x->samples = join(arena, x->samples, metric->samples[i]);
}

static struct explained explain(const struct model *model, const struct metric *metric,
				const struct glossary_entry *words, struct arena *arena)
{
	size_t number = (size_t)(metric - model->metrics);
	struct explained x = {
		.name = metric->name,
		.path = metric->path,
		.means = words->means ? words->means : "(no words about it yet)",
		.hurts = words->hurts,
		.advice = words->advice,
		.formula = program_text(model->program, number),
		.threshold = metric->has_threshold ? program_text(model->thresholds, number) : NULL,
		.domain = metric->domain,
		.next = metric->next_groups,
		.failure = metric->failure,
	};

	collect(&x, model, metric, arena);
	return x;
}

struct line_row {
	const char *label, *key, *text;
};

static void write_text(const struct page *page, const struct line_row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct indent indent = { .first = arena_printf(page->arena, "%-11s", rows[i].label),
					 .rest = "           ",
					 .width = 11 };

		if (rows[i].text && *rows[i].text)
			page_wrap(page, &indent, page_safe(page, rows[i].text));
	}
}

static int write_json(FILE *out, const struct line_row *rows, size_t count, struct error *err)
{
	struct json_writer *writer = json_writer_new();

	json_write_string(writer, "format", "topdown-explanation");
	for (size_t i = 0; i < count; i++)
		json_write_string(writer, rows[i].key, rows[i].text && *rows[i].text ? rows[i].text : NULL);
	return json_writer_finish(writer, out, err);
}

int render_explanation(FILE *out, const struct model *model, const struct metric *metric,
		       const struct glossary_entry *words, const struct style *style)
{
	struct error err = { 0 };
	struct arena arena;
	struct explained x;
	int result = 0;

	arena_init(&arena);
	x = explain(model, metric, words, &arena);
	const struct line_row rows[] = {
		{ "Node", "path", x.path },	      { "Name", "name", x.name },
		{ "Means", "means", x.means },	      { "Hurts", "hurts", x.hurts },
		{ "Try", "try", x.advice },	      { "Domain", "domain", x.domain },
		{ "Formula", "formula", x.formula },  { "Threshold", "threshold", x.threshold },
		{ "Events", "events", x.events },     { "Children", "children", x.children },
		{ "Then", "next_groups", x.next },    { "Sample", "sample", x.samples },
		{ "Not here", "failure", x.failure },
	};
	struct page page = page_init(out, style, &arena);

	if (style->format == FORMAT_JSON)
		result = write_json(out, rows, COUNT_OF(rows), &err);
	else
		write_text(&page, rows, COUNT_OF(rows));
	arena_release(&arena);
	return result;
}
