/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * exports.c FORM ROWS - a made-up profile of so many stacks of 30 calls in a form of `topdown export`, or with FORM
 * explored as a page carries it: least seconds, bytes.
 */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

#include "present/explorer/explored.h"
#include "present/export/forms.h"

enum { FUNCTIONS = 2000, DEPTH = 30, ROUNDS = 3 };

struct job {
	const struct export_form_row *form; /* NULL: what a page explores */
	struct export_subject subject;
	size_t bytes;
};

static void write_explored(FILE *stream, const struct export_subject *subject, struct arena *arena)
{
	struct explored explored;
	const char *type;

	explored_fill(&explored, subject, NULL, arena);
	fputs(explored_block(&explored, &type, arena), stream);
}

static void write_once(void *context)
{
	struct job *job = context;
	struct error err = { .text = "" };
	struct arena arena;
	char *text;
	FILE *stream = open_memstream(&text, &job->bytes);

	arena_init(&arena);
	if (stream && !job->form) {
		write_explored(stream, &job->subject, &arena);
	} else if (!stream || job->form->write(stream, &job->subject, &arena, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		exit(1);
	}
	fclose(stream);
	free(text);
	arena_release(&arena);
}

/* Stacks that share their outer halves, as those of programs do. */
static void make_up(struct profile *profile, uint32_t rows)
{
	const struct profile_module module = { .kind = MODULE_FILE, .path = "/usr/bin/prog" };
	const struct profile_task task = { .pid = 1, .tid = 1, .name = "prog" };
	uint64_t state = 1;

	profile_module(profile, &module);
	profile_task(profile, &task);
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		uint32_t number = profile_place(profile, 0, 16 * (uint64_t)i);
		struct profile_place *place = &profile->places[number];

		place->nframes = 1;
		place->frames = arena_array(profile->arena, 1, sizeof(*place->frames));
		place->frames->function = arena_printf(profile->arena, "some_function_number_%u", i);
		place->frames->file = "prog.c";
		place->frames->line = i + 1;
	}
	for (uint32_t i = 0; i < rows; i++) {
		struct profile_row key = { .stack = PROFILE_NONE, .interval = i };

		for (uint32_t k = 0; k < DEPTH; k++) {
			state = state * 6364136223846793005u + 1442695040888963407u;
			key.stack = profile_stack(profile, (uint32_t)(state >> 33) % (k < DEPTH / 2 ? 2 : FUNCTIONS),
						  key.stack);
		}
		profile_row(profile, &key)->samples = 1;
	}
}

int main(int argc, char **argv)
{
	struct weighing weighing = { .name = "cycles", .title = "cycles", .unit = "cycles", .event = PROFILE_NONE };
	const struct weighings weighings = { &weighing, 1 };
	struct profile profile;
	double least = 0;
	bool is_explored;
	struct job job;
	struct arena arena;

	if (argc != 3)
		return 2;
	is_explored = !strcmp(argv[1], "explored");
	if (!is_explored && export_form_named(argv[1]) == EXPORT_FORMS)
		return 2;
	arena_init(&arena);
	profile_init(&profile, &arena);
	make_up(&profile, (uint32_t)atoi(argv[2]));
	weighing.weights = arena_array(&arena, profile.nrows, sizeof(double));
	for (uint32_t i = 0; i < profile.nrows; i++)
		weighing.weights[i] = 1;
	weighing.total = weighing.whole = profile.nrows;
	weighing.samples = profile.nrows;
	job = (struct job){ .form = is_explored ? NULL : &export_forms[export_form_named(argv[1])],
			    .subject = { .profile = &profile, .weighings = &weighings } };
	for (size_t i = 0; i < ROUNDS; i++) {
		double start = bench_now(), took;

		write_once(&job);
		took = bench_now() - start;
		least = i && least < took ? least : took;
	}
	printf("%g %zu\n", least, job.bytes);
	arena_release(&arena);
	return 0;
}
