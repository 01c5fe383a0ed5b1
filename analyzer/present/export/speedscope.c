/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * speedscope.c - https://www.speedscope.app's own format: frames, and for each weighing a profile of call paths with
 * weights (jlfwong/speedscope, src/lib/file-format-spec.ts).
 */
#include "present/export/forms.h"

#include "present/document/data.h"
#include "present/export/call_tree.h"

static struct cell frames_cell(const struct export_frames *functions, struct arena *arena)
{
	struct grid *grid = grid_new(arena, NULL, 0);

	for (uint32_t i = 0; i < functions->count; i++) {
		const struct export_function *function = &functions->items[i];
		const char *file = function->file ? function->file : function->module;

		grid_members(grid, arena,
			     MEMBERS({ "name", text_cell(function->name) },
				     { "file", function->file || *file ? text_cell(file) : absent_cell() }));
	}
	return rows_cell(grid);
}

/* The functions from the outermost to the call's; path has room for all. */
static void write_path(struct json_writer *writer, const struct call_tree *tree, uint32_t call, uint32_t *path)
{
	uint32_t count = 0;

	for (; call; call = tree->calls[call].parent)
		path[count++] = tree->calls[call].function;
	json_write_array(writer, NULL);
	while (count--)
		json_write_integer(writer, NULL, path[count]);
	json_write_end(writer);
}

static void write_profile(struct json_writer *writer, const struct call_tree *tree, const struct weighing *weighing,
			  uint32_t *path)
{
	json_write_object(writer, NULL);
	json_members(writer,
		     MEMBERS({ "type", text_cell("sampled") }, { "name", text_cell(weighing->title) },
			     { "unit", text_cell(is_time(weighing) ? "nanoseconds" : "none") },
			     { "startValue", whole_cell(0) }, { "endValue", exact_cell(tree->calls[0].total) }));
	json_write_array(writer, "samples");
	for (uint32_t i = 0; i < tree->count; i++)
		if (tree->calls[i].self > 0)
			write_path(writer, tree, i, path);
	json_write_end(writer);
	json_write_array(writer, "weights");
	for (uint32_t i = 0; i < tree->count; i++)
		if (tree->calls[i].self > 0)
			json_write_number(writer, NULL, tree->calls[i].self);
	json_write_end(writer);
	json_write_end(writer);
}

int speedscope_write(FILE *out, const struct export_subject *subject, struct arena *arena, struct error *err)
{
	struct json_writer *writer = json_writer_new();
	struct export_subject plain = *subject;
	struct export_frames functions;

	plain.roots = ROOTS_NONE; /* frames are functions */
	frames_init(&functions, subject->profile, arena);
	json_writer_on_one_line(writer);
	json_members(writer,
		     MEMBERS({ "$schema", text_cell("https://www.speedscope.app/file-format-schema.json") },
			     { "version", text_cell("0.0.1") }, { "exporter", text_cell("topdown " TOPDOWN_VERSION) },
			     { "name", text_cell(subject->command ? subject->command : "topdown") },
			     { "activeProfileIndex", whole_cell(subject->chosen) },
			     { "shared", object_cell(arena, MEMBERS({ "frames", frames_cell(&functions, arena) })) }));
	json_write_array(writer, "profiles");
	for (size_t i = 0; i < subject->weighings->count; i++) {
		struct call_tree tree;

		call_tree_init(&tree, &plain, &subject->weighings->items[i], &functions, arena);
		write_profile(writer, &tree, &subject->weighings->items[i],
			      arena_array(arena, tree.count, sizeof(uint32_t)));
	}
	json_write_end(writer);
	return json_writer_finish(writer, out, err);
}
