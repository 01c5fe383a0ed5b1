/* SPDX-License-Identifier: GPL-2.0-or-later */
/* import.c - topdown import: a vendor's published files into a database of our own. */
#include "import/import.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cells.h"
#include "command/commands.h"
#include "load/database.h"

/* What the vendors' files do not say stands beside the databases; without it a CPU is imported by its files alone. */
static const char *find_cpus(const struct options *options, struct arena *arena)
{
	struct error err = { 0 };
	struct database database;

	if (database_open(&database, options->database, arena, &err) < 0)
		return NULL;
	return database_file(&database, "events", "cpus", arena, &err);
}

static int print_log(const struct import_log *log, struct arena *arena, struct error *err)
{
	for (size_t i = 0; i < log->count; i++)
		printf("%s\n", cells_safe(arena, log->lines[i], true));
	if (fflush(stdout) || ferror(stdout))
		return error_set(err, "standard output: %s", strerror(errno));
	return 0;
}

int command_import(const struct options *options, struct arena *arena, struct error *err)
{
	struct import_request request = {
		.out = options->output,
		.cpus = find_cpus(options, arena),
		.only = options->cpu,
		.with_text = options->wants_text,
	};
	struct import_log log = { .count = 0 };

	if (!options->from || !import_form_named(&request.form, options->from))
		return error_set(err, "import: --from says whose files they are: perfmon, perf or arm");
	if (!options->output)
		return error_set(err, "import: -o names the folder that gets events/ and models/");
	if (!options->nwords)
		return error_set(err, "import: which folder? `topdown import --from perfmon|perf|arm -o OUT DIR...`");
	request.folder = options->words[0];
	request.more = (const char *const *)options->words + 1;
	request.nmore = options->nwords - 1;
	if (import_run(&log, &request, arena, err) < 0)
		return -1;
	return print_log(&log, arena, err);
}
