/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gate_forms.c - a gate's result for those who show tests: JUnit's XML (as Jenkins' junit-10.xsd has it), and the
 * workflow commands of GitHub Actions (docs.github.com, "Workflow commands for GitHub Actions").
 */
#include <stdio.h>
#include <string.h>

#include "common/base/cells.h"
#include "common/base/text.h"
#include "common/base/xml.h"
#include "present/compare/gate_parts.h"

/* ---- JUnit ---- */

static void write_attribute(FILE *out, const char *name, const char *value, struct arena *arena)
{
	fprintf(out, " %s=\"", name);
	xml_write(out, cells_safe(arena, value, true));
	fputs("\"", out);
}

static void write_case(FILE *out, const struct gate_result *result, const struct gate_row *row, struct arena *arena)
{
	const struct gate_limit *limit = row->limit;
	const char *name = arena_printf(arena, "%s %s %s", gate_subject(row, arena), gate_bound_name(limit->bound),
					limit->written);
	const char *element = row->verdict == GATE_BEYOND ? "failure" : "error";

	fputs("    <testcase classname=\"topdown.gate\"", out);
	write_attribute(out, "name", name, arena);
	if (row->verdict == GATE_WITHIN) {
		fputs("/>\n", out);
		return;
	}
	fprintf(out, ">\n      <%s", element);
	write_attribute(out, "message", gate_sentence(result, row, arena), arena);
	write_attribute(out, "type", gate_verdict_name(row->verdict), arena);
	fputs(">", out);
	for (size_t i = 0; i < row->ncauses; i++) {
		xml_write(out, cells_safe(arena, gate_cause_text(&row->causes[i], arena), true));
		fputs("\n", out);
	}
	fprintf(out, "</%s>\n    </testcase>\n", element);
}

void gate_write_junit(FILE *out, const struct gate_result *result, struct arena *arena)
{
	const char *label = result->request->comparison->request->after.label;

	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite", out);
	write_attribute(out, "name", arena_printf(arena, "topdown gate: %s", label), arena);
	fprintf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\">\n", result->count, result->nbeyond,
		result->nunknown);
	for (size_t i = 0; i < result->count; i++)
		write_case(out, result, &result->rows[i], arena);
	fputs("  </testsuite>\n</testsuites>\n", out);
}

/* ---- GitHub ---- */

/* In a property ':' and ',' mean something too. */
static void write_escaped(FILE *out, const char *text, bool is_property, struct arena *arena)
{
	struct string escaped = STRING_INIT(arena);

	string_add_percent(&escaped, text, is_property ? "%\r\n:," : "%\r\n");
	fputs(escaped.length ? escaped.text : "", out);
}

static void write_property(FILE *out, char before, const char *name, const char *value, struct arena *arena)
{
	fprintf(out, "%c%s=", before, name);
	write_escaped(out, value, true, arena);
}

static void write_annotation(FILE *out, const struct gate_result *result, const struct gate_row *row,
			     struct arena *arena)
{
	const struct gate_cause *cause = row->ncauses ? &row->causes[0] : NULL;
	struct string text = STRING_INIT(arena);
	char before = ' ';

	string_add(&text, gate_sentence(result, row, arena));
	for (size_t i = 0; i < row->ncauses; i++)
		string_printf(&text, "\n%s", gate_cause_text(&row->causes[i], arena));
	fprintf(out, "::%s", row->verdict == GATE_BEYOND ? "error" : "warning");
	if (cause && cause->file) {
		write_property(out, before, "file", cause->file, arena);
		before = ',';
		if (cause->line)
			fprintf(out, ",line=%u", cause->line);
	}
	write_property(out, before, "title", arena_printf(arena, "topdown gate: %s", gate_subject(row, arena)), arena);
	fputs("::", out);
	write_escaped(out, text.text, false, arena);
	fputs("\n", out);
}

void gate_write_annotations(FILE *out, const struct gate_result *result, struct arena *arena)
{
	for (size_t i = 0; i < result->count; i++)
		if (result->rows[i].verdict != GATE_WITHIN)
			write_annotation(out, result, &result->rows[i], arena);
}
