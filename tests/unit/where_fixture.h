/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * where_fixture.h - a profile that is written as text: "main;f;g" is a stack from its root, "f+h:12" a place of f in line
 * 12 of the h that is inlined there, "lib!f" code of another file, "?" code without a name.
 */
#ifndef TOPDOWN_TEST_WHERE_FIXTURE_H
#define TOPDOWN_TEST_WHERE_FIXTURE_H

#include "rows.h"

#include <math.h>
#include <string.h>

#include "analyse/hotspots/where.h"
#include "common/base/text.h"

#define MOST_FRAMES 8

struct drawn_row {
	const char *stack;
	uint64_t samples;
	uint32_t thread; /* its number; the process is 10 * (thread / 10) */
	uint32_t event;
	bool is_truncated;
	struct source_count *counts;
	size_t ncounts;
};

#define DRAWN(stack_, samples_, thread_, ...)                                                                          \
	{                                                                                                              \
		.stack = (stack_), .samples = (samples_), .thread = (thread_), __VA_ARGS__                             \
	}

/* "f", or "f@7" for what is at line 7. */
static inline struct profile_frame drawn_frame(const char *text, struct arena *arena)
{
	const char *at = strchr(text, '@');
	uint64_t line;

	if (!at || !text_u64(at + 1, &line))
		return (struct profile_frame){ .function = text };
	return (struct profile_frame){ .function = arena_strndup(arena, text, (size_t)(at - text)),
				       .file = "/src/a.c",
				       .line = (uint32_t)line };
}

static inline uint32_t drawn_place(struct profile *profile, const char *text)
{
	struct arena *arena = profile->arena;
	const char *bang = strchr(text, '!'), *colon = strrchr(text, ':'), *part;
	const struct profile_module module = {
		.kind = MODULE_FILE,
		.path = arena_printf(arena, "/bin/%s",
				     bang ? arena_strndup(arena, text, (size_t)(bang - text)) : "prog"),
		.remark = bang ? "it was stripped" : NULL,
	};
	const char *names = bang ? bang + 1 : text;
	struct profile_frame *frames = arena_array(arena, MOST_FRAMES, sizeof(*frames));
	uint64_t address = 5381, line = 0;
	size_t length, count = 0;
	uint32_t place;

	for (const char *c = text; *c; c++)
		address = address * 33 + (unsigned char)*c;
	place = profile_place(profile, profile_module(profile, &module), address);
	if (colon && text_u64(colon + 1, &line))
		names = arena_strndup(arena, names, (size_t)(colon - names));
	/* The outermost stands first in the text, and last among the frames. */
	while (strcmp(names, "?") != 0 && (length = text_next(&names, "+", &part)) > 0) {
		memmove(&frames[1], &frames[0], count * sizeof(*frames));
		frames[0] = drawn_frame(arena_strndup(arena, part, length), arena);
		count++;
	}
	if (count && line) {
		frames[0].file = "/src/a.c";
		frames[0].line = (uint32_t)line;
	}
	profile->places[place].frames = frames;
	profile->places[place].nframes = count;
	return place;
}

static inline void drawn_add(struct profile *profile, const struct drawn_row *drawn)
{
	const struct profile_task task = { .pid = drawn->thread / 10 * 10,
					   .tid = drawn->thread,
					   .name = arena_printf(profile->arena, "worker%u", drawn->thread),
					   .program = "/bin/prog" };
	struct profile_row key = { .event = drawn->event,
				   .method = STACK_FP,
				   .is_truncated = drawn->is_truncated,
				   .stack = PROFILE_NONE },
			   *row;
	const char *stack = drawn->stack, *part;
	size_t length;

	while ((length = text_next(&stack, ";", &part)) > 0)
		key.stack = profile_stack(profile, drawn_place(profile, arena_strndup(profile->arena, part, length)),
					  key.stack);
	key.task = profile_task(profile, &task);
	row = profile_row(profile, &key);
	row->samples += drawn->samples;
	row->weight += 100.0 * (double)drawn->samples;
	row->counts = drawn->counts;
	row->ncounts = drawn->ncounts;
	if (drawn->event != PROFILE_NONE)
		profile->events[drawn->event].samples += drawn->samples;
}

/* With events "cycles", of no node, and "MISSES", which locates tma_dram_bound. */
static inline void drawn_profile(struct profile *profile, const struct drawn_row *rows, size_t count,
				 struct arena *arena)
{
	profile_init(profile, arena);
	(void)profile_event(profile, &(struct profile_event){ .event = "cycles", .period = 100 });
	(void)profile_event(profile,
			    &(struct profile_event){ .event = "MISSES", .node = "tma_dram_bound", .period = 100 });
	for (size_t i = 0; i < count; i++)
		drawn_add(profile, &rows[i]);
}

/* "f 60/80 g 40/40": rows with their self, and their total where they have one, in percent. */
static inline const char *rows_text(const struct where_rows *rows, struct arena *arena)
{
	struct string text = STRING_INIT(arena);

	for (size_t i = 0; i < rows->count; i++) {
		const struct where_row *row = &rows->items[i];

		string_printf(&text, "%s%s", i ? " " : "", row->function ? row->function : "?");
		if (row->line)
			string_printf(&text, ":%u", row->line);
		if (row->into)
			string_printf(&text, row->at_line ? "(%s:%u)" : "(%s)", row->into, row->at_line);
		string_printf(&text, " %g", floor(row->self.percent * 1e6 + 0.5) / 1e6);
		if (!isnan(row->total.percent))
			string_printf(&text, "/%g", floor(row->total.percent * 1e6 + 0.5) / 1e6);
	}
	return text.text;
}

#endif
