/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_bulk.c - any bytes as an event database: refused with words, or every event in it can be asked for. */
#include "cpu/event/event.h"
#include "cpu/identify/machine.h"
#include "memfile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask(const struct event_database *database, struct arena *arena)
{
	struct event_set set;

	event_set_init(&set, database, pmu_assumed("cpu", database->vendor, arena), true, arena);
	for (size_t i = 0; i < database->count; i++) {
		struct error err = { .text = "" };
		size_t number = event_set_add(&set, database->rows[i].name, &err);

		if ((number == TABLE_NONE) != is_error(&err))
			abort();
		if (number != TABLE_NONE && event_set_find(&set, set.events[number].name) != number)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct event_database database;
	struct error err = { .text = "" };
	struct memfile file;
	struct arena arena;
	int result;

	memfile_open(&file, data, size);
	arena_init(&arena);
	result = event_database_load(&database, file.path, &arena, &err);
	if ((result < 0) != is_error(&err))
		abort();
	database.pfm = NULL;
	if (result == 0)
		ask(&database, &arena);
	arena_release(&arena);
	memfile_close(&file);
	return 0;
}
