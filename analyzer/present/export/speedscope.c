/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * speedscope.c - https://www.speedscope.app's own format: frames, and for each weighing a profile of call paths with
 * weights (jlfwong/speedscope, src/lib/file-format-spec.ts).
 */
#include "present/export/forms.h"

#include "common/json/json_write.h"
#include "present/export/call_tree.h"

static void write_frames(struct json_writer *writer, const struct export_frames *functions)
{
	json_write_object(writer, "shared");
	json_write_array(writer, "frames");
	for (uint32_t i = 0; i < functions->count; i++) {
		json_write_object(writer, NULL);
		json_write_string(writer, "name", functions->items[i].name);
		if (functions->items[i].file)
			json_write_string(writer, "file", functions->items[i].file);
		else if (*functions->items[i].module)
			json_write_string(writer, "file", functions->items[i].module);
		json_write_end(writer);
	}
	json_write_end(writer);
	json_write_end(writer);
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
	json_write_string(writer, "type", "sampled");
	json_write_string(writer, "name", weighing->title);
	json_write_string(writer, "unit", is_time(weighing) ? "nanoseconds" : "none");
	json_write_number(writer, "startValue", 0);
	json_write_number(writer, "endValue", tree->calls[0].total);
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
	json_write_string(writer, "$schema", "https://www.speedscope.app/file-format-schema.json");
	json_write_string(writer, "version", "0.0.1");
	json_write_string(writer, "exporter", "topdown " TOPDOWN_VERSION);
	json_write_string(writer, "name", subject->command ? subject->command : "topdown");
	json_write_integer(writer, "activeProfileIndex", subject->chosen);
	write_frames(writer, &functions);
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
