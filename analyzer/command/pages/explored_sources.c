/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command/pages/explored_sources.h"

#include "common/base/cells.h"
#include "common/base/text.h"
#include "program/code/disassembly.h"

#define MOST_FUNCTIONS 20
#define MOST_LINES     300 /* of a function */
#define AROUND	       4   /* lines before its first one and behind its last one */

/* Where a function's lines are: from the file of the largest one. */
struct extent {
	const char *file; /* NULL: no line of it is known */
	uint32_t first, last;
};

static struct extent extent_of(const struct explored *explored, uint32_t function)
{
	struct extent extent = { .file = NULL };

	for (size_t i = 0; i < explored->nlines; i++) {
		const struct explored_line *line = &explored->lines[i];

		if (line->function != function)
			continue;
		if (!extent.file)
			extent = (struct extent){ line->file, line->line, line->line };
		if (compare_texts(extent.file, line->file) != 0)
			continue;
		/* What is far away from the largest one is left out. */
		if (line->line < extent.first && extent.last - line->line < MOST_LINES)
			extent.first = line->line;
		if (line->line > extent.last && line->line - extent.first < MOST_LINES)
			extent.last = line->line;
	}
	return extent;
}

/* A tab is 8 columns wide; what steers a terminal, or the writing direction, is shown as what it is. */
static const char *shown(const char *text, struct arena *arena)
{
	struct string out = STRING_INIT(arena);

	for (const char *c = text; *c; c++)
		if (*c == '\t')
			string_addn(&out, "        ", 8 - out.length % 8);
		else
			string_addn(&out, c, 1);
	return cells_safe(arena, out.text, true);
}

static void take_lines(struct explored_source *source, const struct source_text *text, const struct extent *extent,
		       struct arena *arena)
{
	uint32_t first = extent->first > AROUND ? extent->first - AROUND : 1;
	size_t last = extent->last + AROUND < text->count ? extent->last + AROUND : text->count;
	const char **lines = arena_array(arena, last + 1, sizeof(*lines));

	*source = (struct explored_source){ .file = extent->file, .first = first, .lines = lines };
	for (size_t line = first; line <= last; line++)
		lines[source->count++] = shown(text->lines[line - 1], arena);
}

static bool has_source(const struct explored *explored, const struct extent *extent)
{
	for (size_t i = 0; i < explored->nsources; i++) {
		const struct explored_source *source = &explored->sources[i];

		if (!compare_texts(source->file, extent->file) && source->first <= extent->first &&
		    extent->last < source->first + source->count)
			return true;
	}
	return false;
}

#define MOST_CODE 65536 /* bytes of a function that are disassembled */

static void take_texts(struct explored_instruction *first, size_t count, const struct disassembly *code,
		       struct arena *arena)
{
	for (size_t i = 0, k = 0; i < count; i++) {
		while (k < code->count && code->instructions[k].address < first[i].address)
			k++;
		if (k < code->count && code->instructions[k].address == first[i].address)
			first[i].text = cells_safe(arena, code->instructions[k].text, true);
	}
}

/* Those of one function, which stand beside each other. Without a disassembler they have their addresses. */
static void read_code(struct explored *explored, struct explored_instruction *first, size_t count, bool is_foreign,
		      struct arena *arena)
{
	const struct disassembly_range range = { first->address, first[count - 1].address + 1, first->address };
	const struct disassembly_request request = {
		.sysroot = "", .is_foreign = is_foreign, .module = first->module, .ranges = &range, .nranges = 1
	};
	struct disassembly code = { .count = 0 };
	struct error err = { .text = "" };

	if (range.end - range.begin <= MOST_CODE && first->module == first[count - 1].module &&
	    disassembly_read(&code, explored->subject->profile, &request, arena, &err) == 0)
		take_texts(first, count, &code, arena);
}

static void read_all_code(struct explored *explored, bool is_foreign, struct arena *arena)
{
	for (size_t i = 0, count; i < explored->ninstructions; i += count) {
		struct explored_instruction *first = &explored->instructions[i];

		for (count = 1; i + count < explored->ninstructions && first[count].function == first->function;)
			count++;
		read_code(explored, first, count, is_foreign, arena);
	}
}

void explored_sources_read(struct explored *explored, const struct source_request *like, struct arena *arena)
{
	explored->sources = arena_array(arena, MOST_FUNCTIONS, sizeof(*explored->sources));
	read_all_code(explored, like->is_foreign, arena);
	for (size_t i = 0; i < explored->nfunctions && i < MOST_FUNCTIONS; i++) {
		const struct extent extent = extent_of(explored, explored->functions[i].number);
		struct source_request request = *like;
		struct source_text text;

		if (!extent.file || has_source(explored, &extent))
			continue;
		request.file = extent.file;
		source_text_read(&text, &request, arena);
		if (text.count >= extent.first)
			take_lines(&explored->sources[explored->nsources++], &text, &extent, arena);
	}
}
