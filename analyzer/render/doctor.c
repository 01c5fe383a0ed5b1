/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/doctor.h"

#include <errno.h>
#include <string.h>

#include "render/json_write.h"
#include "render/page.h"
#include "render/sheet.h"

#define STATE_WIDTH 9 /* "missing" and a gap */
#define TITLE_WIDTH 18

static enum ink state_ink(enum finding_state state)
{
	static const enum ink inks[] = {
		[FINDING_OK] = INK_PLAIN,
		[FINDING_LIMITS] = INK_BOLD,
		[FINDING_MISSING] = INK_WORST,
		[FINDING_UNKNOWN] = INK_DIM,
	};

	return inks[state];
}

static void print_wrapped(const struct page *page, const char *text)
{
	const char *blanks = arena_printf(page->arena, "%*s", STATE_WIDTH + TITLE_WIDTH, "");

	page_wrap(page, &(struct indent){ blanks, blanks, STATE_WIDTH + TITLE_WIDTH }, page_safe(page, text));
}

/* The first line's beginning is coloured, the rest of what was found is wrapped beside it. */
static void print_finding(const struct page *page, const struct finding *finding)
{
	struct line line = line_init(page);
	const char *blanks = arena_printf(page->arena, "%*s", STATE_WIDTH + TITLE_WIDTH, "");

	line_add(&line, state_ink(finding->state), finding_state_name(finding->state));
	line_pad(&line, STATE_WIDTH);
	line_add(&line, INK_PLAIN, finding->title);
	line_pad(&line, STATE_WIDTH + TITLE_WIDTH);
	page_wrap(page, &(struct indent){ line.text.text, blanks, STATE_WIDTH + TITLE_WIDTH },
		  page_safe(page, finding->found));
	if (finding->state == FINDING_OK && !page->style->is_verbose)
		return;
	if (finding->means)
		print_wrapped(page, finding->means);
	if (finding->remedy)
		print_wrapped(page, arena_printf(page->arena, "Change: %s", finding->remedy));
}

static const char *conclusion(const struct page *page, const struct diagnosis *diagnosis)
{
	if (!diagnosis->is_probed)
		return arena_printf(page->arena, "Whether level %u can be measured shows only on the machine itself.",
				    diagnosis->level);
	if (!diagnosis->can_measure && diagnosis->can_simulate)
		return arena_printf(page->arena,
				    "Level %u can't be measured here, but simulated: `topdown --pmu sim -l%u PROGRAM`.",
				    diagnosis->level, diagnosis->level);
	return arena_printf(page->arena, "Level %u can%s be measured here.", diagnosis->level,
			    diagnosis->can_measure ? "" : "'t");
}

static int diagnosis_text(const struct page *page, const struct diagnosis *diagnosis, struct error *err UNUSED)
{
	for (size_t i = 0; i < diagnosis->count; i++)
		print_finding(page, &diagnosis->findings[i]);
	fputc('\n', page->out);
	page_sentence(page, conclusion(page, diagnosis));
	return 0;
}

#define COLUMNS 6

static const char *const columns[COLUMNS] = { "check", "title", "state", "found", "means", "change" };

static void row_cells(const char *cells[COLUMNS], const struct finding *finding)
{
	const char *const row[COLUMNS] = { finding->key,   finding->title, finding_state_name(finding->state),
					   finding->found, finding->means, finding->remedy };

	memcpy(cells, row, sizeof(row));
}

static int diagnosis_csv(const struct page *page, const struct diagnosis *diagnosis, struct error *err UNUSED)
{
	const char *cells[COLUMNS];

	csv_row(page, columns, COLUMNS);
	for (size_t i = 0; i < diagnosis->count; i++) {
		row_cells(cells, &diagnosis->findings[i]);
		csv_row(page, cells, COLUMNS);
	}
	return 0;
}

static int diagnosis_markdown(const struct page *page, const struct diagnosis *diagnosis, struct error *err UNUSED)
{
	static const bool right[COLUMNS] = { false };
	const char *cells[COLUMNS];

	fprintf(page->out, "# What can be measured\n\n%s\n\n", markdown_text(page, conclusion(page, diagnosis)));
	markdown_row(page, columns, COLUMNS);
	markdown_rule(page, right, COLUMNS);
	for (size_t i = 0; i < diagnosis->count; i++) {
		row_cells(cells, &diagnosis->findings[i]);
		for (size_t k = 0; k < COLUMNS; k++)
			cells[k] = cells[k] ? cells[k] : "";
		markdown_row(page, cells, COLUMNS);
	}
	return 0;
}

static int diagnosis_json(const struct page *page, const struct diagnosis *diagnosis, struct error *err)
{
	struct json_writer *writer = json_writer_new();
	const char *cells[COLUMNS];

	json_write_string(writer, "format", "topdown-doctor");
	json_write_integer(writer, "version", 1);
	json_write_string(writer, "cpu", diagnosis->cpu);
	json_write_integer(writer, "level", diagnosis->level);
	json_write_bool(writer, "can_measure", diagnosis->can_measure);
	json_write_array(writer, "checks");
	for (size_t i = 0; i < diagnosis->count; i++) {
		row_cells(cells, &diagnosis->findings[i]);
		json_write_object(writer, NULL);
		for (size_t k = 0; k < COLUMNS; k++)
			json_write_string(writer, columns[k], cells[k]);
		json_write_end(writer);
	}
	json_write_end(writer);
	return json_writer_finish(writer, page->out, err);
}

int render_diagnosis(FILE *out, const struct diagnosis *diagnosis, const struct style *style, struct error *err)
{
	static int (*const forms[])(const struct page *page, const struct diagnosis *diagnosis, struct error *err) = {
		[FORMAT_TEXT] = diagnosis_text,
		[FORMAT_JSON] = diagnosis_json,
		[FORMAT_CSV] = diagnosis_csv,
		[FORMAT_MARKDOWN] = diagnosis_markdown,
	};
	struct arena arena;
	struct page page;
	int result;

	arena_init(&arena);
	page = page_init(out, style, &arena);
	result = forms[style->format](&page, diagnosis, err);
	arena_release(&arena);
	errno = 0;
	if (fflush(out) == 0 && !ferror(out))
		return result;
	return error_set(err, "can't write the output: %s", errno ? strerror(errno) : "the stream has failed before");
}
