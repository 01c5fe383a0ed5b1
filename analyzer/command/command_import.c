/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command_import.c - topdown import: a vendor's published files into a database of our own. */
#include "cpu/import/import.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "command/commands.h"
#include "common/base/cells.h"
#include "common/system/file.h"
#include "engine/target.h"

/* What the vendors' files do not say stands beside the databases; without it a CPU is imported by its files alone. */
static void find_facts(struct import_request *request, const struct options *options, struct arena *arena)
{
	const struct request asked = request_of(options, arena);
	struct error err = { 0 };
	const struct database *database = identified_database(&asked, &err);

	if (!database)
		return;
	request->cpus = database_file(database, "events", "cpus", arena, &err);
	for (size_t i = 0; i < database->ndirectories && !request->generic; i++) {
		const char *folder = arena_printf(arena, "%s/events/generic", database->directories[i].path);

		request->generic = is_directory(folder) ? folder : NULL;
	}
}

static int print_log(const struct import_log *log, struct arena *arena, struct error *err)
{
	for (size_t i = 0; i < log->count; i++)
		printf("%s\n", cells_safe(arena, log->lines[i], true));
	if (fflush(stdout) || ferror(stdout))
		return error_set(err, "standard output: %s", strerror(errno));
	return 0;
}

static int run_import(const struct options *options, struct arena *arena, struct error *err)
{
	struct import_request request = {
		.out = options->output.path,
		.only = options->setup.machine.cpu,
		.with_text = options->import.wants_text,
	};
	struct import_log log = { .count = 0 };

	find_facts(&request, options, arena);
	if (!options->import.from || !import_form_named(&request.form, options->import.from))
		return error_set(err, "import: --from names the source of the files: perfmon, perf or arm");
	if (!options->output.path)
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

static const struct option_row import_rows[] = {
	{ "from", 0, TAKE_TEXT, REPEATED_NEVER, "FORM", AT(import.from), NULL,
	  "source of the files: perfmon, perf or arm" },
	{ "with-text", 0, TAKE_FLAG, REPEATED_NEVER, NULL, AT(import.wants_text), NULL,
	  "keep the vendor's descriptions" },
};

static const struct option_set import_options = OPTION_SET("what to read", import_rows);

const struct command command_import = {
	.name = "import",
	.arguments = "--from FORM -o OUT DIR...",
	.summary = "make a database from a vendor's files",
	.examples = "topdown import --from perf -o OUT pmu-events/arch/x86/icelakex\n"
		    "topdown plan --db OUT --cpu icelakex\n",
	.run = run_import,
	.sets = { &import_options, &cpu_options, &file_options, &general_options },
};
