/* SPDX-License-Identifier: GPL-2.0-or-later */
/* catalog_cores.c - the rows of `topdown list cores`: what --sim-core takes. */
#include <string.h>

#include "collect/simulate/sim_core.h"
#include "command/catalog.h"

enum { CORE_NAME, CORE_TITLE, CORE_MACHINE, CORE_COLUMNS };

static const struct column core_columns[CORE_COLUMNS] = {
	/* clang-format off */
	[CORE_NAME]    = { .key = "name", .heading = "Core", .flags = COLUMN_IS_NAME },
	[CORE_TITLE]   = { .key = "title", .heading = "Title", .flags = COLUMN_IS_NAME | COLUMN_SHRINKS },
	[CORE_MACHINE] = { .key = "this_machine", .heading = "This machine" },
	/* clang-format on */
};

int catalog_cores(struct catalog *catalog, const struct target *identified, struct error *err)
{
	const struct database *database = &identified->database;
	struct error unknown = { .text = "" };
	const char *own = sim_core_match(database, identified->machine.cpuid, catalog->arena, &unknown);
	size_t count;
	const char **names = sim_core_names(database, &count, catalog->arena);

	catalog_begin(catalog, "cores", core_columns, CORE_COLUMNS);
	for (size_t i = 0; i < count; i++) {
		struct sim_core core;

		if (sim_core_load(&core, database, names[i], catalog->arena, err) < 0)
			return -1;
		const struct cell cells[CORE_COLUMNS] = {
			[CORE_NAME] = word_cell(names[i]),
			[CORE_TITLE] = word_cell(core.title),
			[CORE_MACHINE] = truth_cell(own && !strcmp(own, names[i])),
		};

		catalog_add(catalog, cells, 0);
	}
	return 0;
}
