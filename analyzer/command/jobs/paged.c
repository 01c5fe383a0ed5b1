/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command/jobs/report_output.h"

#include "store/session/session_page.h"

void paged_keep(struct page_facts *page, const struct measurement *measured, enum format format, struct arena *arena)
{
	struct error err = { .text = "" };

	if (format != FORMAT_HTML)
		return;
	/* A session would make a run of them that nobody saw. */
	if (measured->count && measured->parts[0].origin.is_flat) {
		page->no_session =
			"The counts came without a run, so this page does not hold them: their file is needed to "
			"evaluate them again.";
		return;
	}
	page->session = page_session_text(measured, &page->session_type, arena, &err);
	page->no_session = page->session ? NULL : arena_strdup(arena, err.text);
}

static bool has_words(const struct page_words *words, size_t count, const struct model *model)
{
	for (size_t i = 0; i < count; i++)
		if (words[i].model == model)
			return true;
	return false;
}

/* Of a metric without words, and where the glossary can't be read, they are empty. */
static const struct glossary_entry *read_words(const struct report *report, struct arena *arena)
{
	const struct model *model = report->model;
	struct glossary_entry *entries = arena_array(arena, model->count + 1, sizeof(*entries));
	struct error unread = { .text = "" };

	for (size_t i = 0; i < model->count && report->glossary; i++)
		if (glossary_read_entry(&entries[i], report->glossary, model->metrics[i].name, arena, &unread) < 0)
			break;
	return entries;
}

void paged_lend(struct report_set *reports, struct page_facts *page, const struct measurement *measured,
		enum format format, struct arena *arena)
{
	struct page_words *words;

	if (format != FORMAT_HTML)
		return;
	words = arena_array(arena, reports->count + 1, sizeof(*words));
	page->measured = measured;
	page->words = words;
	page->nwords = 0;
	for (size_t i = 0; i < reports->count; i++)
		if (!has_words(words, page->nwords, reports->parts[i].model))
			words[page->nwords++] =
				(struct page_words){ reports->parts[i].model, read_words(&reports->parts[i], arena) };
	reports->page = page;
}
