/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/document/render.h"

#include "common/system/file.h"
#include "present/compare/gate_parts.h"
#include "present/document/data.h"
#include "present/document/draw.h"
#include "present/history/trends.h"
#include "present/machine/verification_view.h"
#include "present/roofline/ceilings_parts.h"
#include "present/latency/latency_view.h"
#include "present/roofline/ceilings_view.h"

/* What is drawn: of a view, and beside it what a page has. */
struct shown {
	const struct view *view;
	const void *what;
	const struct page_content *content;
};

static void make_document(struct document *doc, const struct shown *shown)
{
	static const struct page_content nothing = { .measured = NULL };
	const struct view *view = shown->view;

	if (doc->is_page && view->page)
		view->page(doc, shown->what, shown->content ? shown->content : &nothing);
	else if (doc->style->format == FORMAT_MARKDOWN && view->ticket)
		view->ticket(doc, shown->what);
	else
		view->document(doc, shown->what);
}

static void render_draw(FILE *out, const struct shown *shown, const struct style *asked, struct arena *arena)
{
	static void (*const drawers[])(const struct page *page, const struct document *doc) = {
		[FORMAT_TEXT] = draw_text,
		[FORMAT_MARKDOWN] = draw_markdown,
		[FORMAT_HTML] = draw_html,
	};
	bool is_text = asked->format == FORMAT_TEXT, is_html = asked->format == FORMAT_HTML;
	struct style style = *asked;
	struct page page = page_init(out, &style, arena);
	struct document doc = { .arena = arena,
				.style = &style,
				.width = is_text ? page.width : SIZE_MAX,
				.is_whole = !is_text,
				.is_page = is_html };

	style.has_utf8 |= is_html; /* the file says so itself */
	make_document(&doc, shown);
	drawers[style.format](&page, &doc);
}

static int write_perf(FILE *out, const struct view *view, const void *what, struct arena *arena, struct error *err)
{
	struct string text = STRING_INIT(arena);

	if (!view->perf)
		return error_set(err, "only a plan has {format perf}");
	view->perf(&text, what);
	fputs(text.text, out);
	return 0;
}

static int render_shown(FILE *out, const struct shown *shown, const struct style *style, struct error *err)
{
	const struct view *view = shown->view;
	const void *what = shown->what;
	struct json_writer *writer;
	struct arena arena;
	int result = 0;

	arena_init(&arena);
	switch (style->format) {
	case FORMAT_TEXT:
	case FORMAT_MARKDOWN:
	case FORMAT_HTML: render_draw(out, shown, style, &arena); break;
	case FORMAT_PERF: result = write_perf(out, view, what, &arena, err); break;
	case FORMAT_CSV: view->csv(&(struct sheet){ .out = out, .arena = &arena }, what); break;
	case FORMAT_JSON:
	case FORMAT_BRIEF:
		writer = json_writer_new();
		(style->format == FORMAT_BRIEF && view->brief ? view->brief : view->json)(writer, what, &arena);
		json_write_string(writer, "schema_version", SCHEMA_VERSION);
		result = json_writer_finish(writer, out, err);
		break;
	}
	arena_release(&arena);
	return result < 0 ? result : file_flush(out, err);
}

static int render(FILE *out, const struct view *view, const void *what, const struct style *style, struct error *err)
{
	return render_shown(out, &(struct shown){ view, what, NULL }, style, err);
}

int render_reports(FILE *out, const struct report_set *set, const struct page_content *content,
		   const struct style *style, struct error *err)
{
	return render_shown(out, &(struct shown){ &report_view, set, content }, style, err);
}

int render_plans(FILE *out, const struct plan_set *set, const struct style *style, struct error *err)
{
	return render(out, &plan_view, set, style, err);
}

int render_diagnosis(FILE *out, const struct diagnosis *diagnosis, const struct style *style, struct error *err)
{
	return render(out, &diagnosis_view, diagnosis, style, err);
}

int render_first(FILE *out, const struct host_findings *findings, const struct style *style, struct error *err)
{
	return render(out, &first_view, findings, style, err);
}

int render_explanations(FILE *out, const struct explanation_set *set, const struct style *style, struct error *err)
{
	return render(out, &explanation_view, set, style, err);
}

int render_listing(FILE *out, const struct listing *listing, const struct style *style, struct error *err)
{
	return render(out, &listing_view, listing, style, err);
}

int render_trends(FILE *out, const struct trend_page *page, const struct style *style, struct error *err)
{
	return render(out, &trends_view, page, style, err);
}

int render_ceilings(FILE *out, const struct ceilings_shown *shown, const struct style *style, struct error *err)
{
	return render(out, &ceilings_view, shown, style, err);
}

int render_latency(FILE *out, const struct call_times *times, const struct style *style, struct error *err)
{
	return render(out, &latency_view, times, style, err);
}

int render_verification(FILE *out, const struct verification_shown *shown, const struct style *style, struct error *err)
{
	return render(out, &verification_view, shown, style, err);
}

int render_comparison(FILE *out, const struct comparison *comparison, const struct page_content *content,
		      const struct style *style, struct error *err)
{
	return render_shown(out, &(struct shown){ &comparison_view, comparison, content }, style, err);
}

static int render_other(FILE *out, const struct gate_result *result, const struct gate_output *form, struct error *err)
{
	struct arena arena;

	arena_init(&arena);
	if (form->form == GATE_FORM_JUNIT)
		gate_write_junit(out, result, &arena);
	else
		gate_write_annotations(out, result, &arena);
	arena_release(&arena);
	return file_flush(out, err);
}

enum format gate_format(enum gate_form form)
{
	static const enum format formats[] = { [GATE_FORM_TEXT] = FORMAT_TEXT,	       [GATE_FORM_JSON] = FORMAT_JSON,
					       [GATE_FORM_MARKDOWN] = FORMAT_MARKDOWN, [GATE_FORM_HTML] = FORMAT_HTML,
					       [GATE_FORM_JUNIT] = FORMAT_TEXT,	       [GATE_FORM_GITHUB] = FORMAT_TEXT,
					       [GATE_FORM_BRIEF] = FORMAT_BRIEF };

	return formats[form];
}

int render_gate(FILE *out, const struct gate_result *result, const struct gate_output *form, const struct style *style,
		struct error *err)
{
	struct style own = *style;

	own.format = gate_format(form->form);
	if (form->form == GATE_FORM_JUNIT)
		return render_other(out, result, form, err);
	if (form->form == GATE_FORM_GITHUB)
		fprintf(out, "::stop-commands::%s\n", form->token);
	if (render(out, &gate_view, result, &own, err) < 0)
		return -1;
	if (form->form != GATE_FORM_GITHUB)
		return 0;
	fprintf(out, "::%s::\n", form->token);
	return render_other(out, result, form, err);
}
