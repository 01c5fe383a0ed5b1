/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * folded.c - a line for each call path, "main;work;read 12", as Brendan Gregg's FlameGraph reads it (its README, and
 * the pattern of flamegraph.pl: all up to the last blank, then a number).
 */
#include "present/export/forms.h"

#include "common/base/text.h"
#include "present/export/call_tree.h"

/* A semicolon would begin another function. */
static void folded_add_name(struct string *path, const char *name)
{
	size_t begin = path->length;

	string_add(path, name);
	for (size_t i = begin; i < path->length; i++)
		if (path->text[i] == ';')
			path->text[i] = ':';
}

struct walk {
	const struct call_tree *tree;
	const struct export_subject *subject;
	struct string path;
	size_t *ends; /* of the path, at each call */
	struct whole whole;
	struct arena *arena;
};

static void write_call(FILE *out, struct walk *walk, uint32_t call)
{
	const struct call *here = &walk->tree->calls[call];
	uint64_t weight;

	if (!call) {
		weight = whole_next(&walk->whole, here->self);
		if (weight)
			fprintf(out, "[unknown] %llu\n", (unsigned long long)weight);
		return;
	}
	walk->path.length = walk->ends[here->parent];
	walk->path.text[walk->path.length] = '\0';
	string_add(&walk->path, walk->path.length ? ";" : "");
	folded_add_name(&walk->path, call_name(walk->tree, call, walk->subject->roots, walk->arena));
	walk->ends[call] = walk->path.length;
	weight = whole_next(&walk->whole, here->self);
	if (weight)
		fprintf(out, "%s %llu\n", walk->path.text, (unsigned long long)weight);
}

int folded_write(FILE *out, const struct export_subject *subject, struct arena *arena, struct error *err UNUSED)
{
	struct export_frames functions;
	struct call_tree tree;
	struct walk walk = { .tree = &tree, .subject = subject, .path = STRING_INIT(arena), .arena = arena };
	uint32_t *waiting, nwaiting = 0;

	frames_init(&functions, subject->profile, arena);
	call_tree_init(&tree, subject, &subject->weighings->items[subject->chosen], &functions, arena);
	walk.ends = arena_array(arena, tree.count, sizeof(*walk.ends));
	waiting = arena_array(arena, tree.count, sizeof(*waiting));
	waiting[nwaiting++] = 0;
	while (nwaiting) {
		uint32_t call = waiting[--nwaiting];

		write_call(out, &walk, call);
		for (uint32_t i = tree.first[call + 1]; i-- > tree.first[call];)
			waiting[nwaiting++] = tree.order[i];
	}
	return 0;
}
