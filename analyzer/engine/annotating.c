/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/reports.h"

#include "analyse/hotspots/annotation.h"
#include "common/base/text.h"
#include "program/code/disassembly.h"

/* NULL: there are none, and a remark says why. */
static const char *read_instructions(struct annotation *annotation, struct arena *arena)
{
	struct disassembly_range *ranges = arena_array(arena, annotation->nranges + 1, sizeof(*ranges));
	const struct disassembly_request request = {
		.sysroot = "", .module = annotation->module_number, .ranges = ranges, .nranges = annotation->nranges
	};
	struct disassembly code = { .count = 0 };
	struct error err = { .text = "" };

	for (size_t i = 0; i < annotation->nranges; i++)
		ranges[i] = (struct disassembly_range){ annotation->ranges[i].begin, annotation->ranges[i].end,
							annotation->ranges[i].known };
	if (disassembly_read(&code, annotation->profile, &request, arena, &err) < 0) {
		annotation_remark(annotation, arena_printf(arena, "There are no instructions: %s.", err.text));
		return NULL;
	}
	if (code.remark)
		annotation_remark(annotation, code.remark);
	annotation->instructions = arena_array(arena, code.count + 1, sizeof(*annotation->instructions));
	for (size_t i = 0; i < code.count; i++)
		annotation->instructions[annotation->ninstructions++] = (struct annotated_instruction){
			.address = code.instructions[i].address,
			.text = code.instructions[i].text,
			.jump_target = code.instructions[i].is_call ? 0 : code.instructions[i].jump_target,
		};
	return code.file;
}

static void explain_no_code(struct annotation *annotation, struct arena *arena)
{
	const char *name = annotation->function ? annotation->function : "FUNC";

	if (annotation->into)
		annotation_remark(annotation, arena_worded(arena,
							   "There are no instructions: it is inlined wherever it was "
							   "seen; {annotate} '%s' shows the code that it is part of.",
							   annotation->into));
	else if (annotation->weighing->is_exact)
		annotation_remark(annotation,
				  arena_worded(arena,
					       "There are no instructions: a simulation counts them only in functions "
					       "named by {annotate} '%s'; this one counted lines.",
					       name));
	else
		annotation_remark(annotation,
				  "There are no instructions: the start and end of the function's code are not known.");
}

static struct source_text read_source(struct annotation *annotation, const char *binary, struct arena *arena)
{
	struct source_text source = { .count = 0 };

	if (!annotation->file) {
		annotation_remark(annotation, "There is no source: its lines are not known; build it with -g, or "
					      "install its debug symbols.");
		return source;
	}
	source_text_read(&source, annotation->file, binary, arena);
	if (source.remark)
		annotation_remark(annotation, source.remark);
	return source;
}

int annotate(struct whereabouts *where, const struct measurement *measured, struct arena *arena, struct error *err)
{
	struct annotation *annotation = arena_alloc(arena, sizeof(*annotation));
	struct where_request request = { .callers = where->question->annotated };
	struct source_text source;
	const char *binary = NULL;

	if (!where->count)
		return error_set(err, "there is nothing to annotate: no sample was taken");
	request.weighing = where->items[0].weighing;
	if (annotation_begin(annotation, where->profile, &request, arena, err) < 0)
		return -1;
	if (annotation->end)
		binary = read_instructions(annotation, arena);
	else
		explain_no_code(annotation, arena);
	source = read_source(annotation, binary, arena);
	annotation_end(annotation, source.lines, source.count, arena);
	if (where->items[0].event && annotation->ninstructions)
		annotation_remark(annotation, skid_sentence(where->items[0].event,
							    measured->count ? measured->parts[0].origin.cpuid : NULL));
	where->annotation = annotation;
	return 0;
}
