/* SPDX-License-Identifier: GPL-2.0-or-later */
/* load.c CPU - a CPU's events and metrics read from the files of events/ and models/, and from the program: seconds of each. */
#include "bench.h"

#include "common/system/embedded.h"
#include "cpu/load/tables.h"

struct files {
	const char *events, *metrics;
	struct arena arena;
};

static void load(void *context)
{
	struct files *files = context;
	struct model_sources sources = { .arena = &files->arena, .by_name = TABLE_INIT(&files->arena) };
	struct model model = { .by_name = TABLE_INIT(&files->arena) };
	struct event_database events;
	struct error err = { .text = "" };

	if (event_database_load(&events, files->events, &files->arena, &err) < 0 ||
	    model_read(&sources, &model, files->metrics, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		exit(1);
	}
	arena_reset(&files->arena);
}

int main(int argc, char **argv)
{
	const char *const places[] = { "./", BUILT_IN };
	struct arena names;

	if (argc != 2)
		return 2;
	arena_init(&names);
	for (size_t i = 0; i < COUNT_OF(places); i++) {
		struct files files = {
			.events = arena_printf(&names, "%sevents/%s.json", places[i], argv[1]),
			.metrics = arena_printf(&names, "%smodels/%s.json", places[i], argv[1]),
		};

		arena_init(&files.arena);
		printf("%g%c", bench_median(load, &files), i ? '\n' : ' ');
		arena_release(&files.arena);
	}
	arena_release(&names);
	return 0;
}
