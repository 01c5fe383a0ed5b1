/* SPDX-License-Identifier: GPL-2.0-or-later */

#include <stdlib.h>
#include <string.h>

#include "command/jobs/history_record.h"
#include "command/jobs/saved_files.h"
#include "common/base/text.h"
#include "common/system/file.h"
#include "engine/saved.h"
#include "store/history/run_table.h"

/* 1: it was added; 0: it is there already. */
static int add_new(struct history *history, struct history_run *run, const char *session, size_t length,
		   struct error *err)
{
	int is_there = history_has(history, run, err);

	if (is_there)
		return is_there < 0 ? -1 : 0;
	return history_add(history, run, session, length, err) < 0 ? -1 : 1;
}

static int import_session(struct history *history, const char *path, const struct history_choice *choice,
			  const struct request *request, struct error *err)
{
	struct measurement measured;
	struct report_set reports;
	struct history_run run;
	size_t length = 0;
	char *session;
	int result;

	if (saved_files_read(&measured, path, request->arena, err) < 0)
		return -1;
	if (saved_evaluate(&reports, &measured, "history", request, err) < 0)
		return error_in(err, "%s", path);
	history_record_describe(&run, &measured, &reports, request->arena);
	if (history_record_tag(&run, choice, request->arena, err) < 0)
		return -1;
	session = history_record_session(&measured, &length, err);
	result = session ? add_new(history, &run, session, length, err) : -1;
	free(session);
	return result;
}

/* ---- tables ---- */

/* "bench/parser.csv" is of the program "parser", where it does not say it. */
static const char *stem_of(const char *path, struct arena *arena)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	return arena_strndup(arena, name, strcspn(name, "."));
}

static int import_table(struct history *history, const char *path, const struct history_choice *choice,
			struct arena *arena, struct error *err)
{
	struct run_table table = { .path = path, .program = stem_of(path, arena) };
	size_t length;
	char *text = file_read(path, &length, arena, err);
	int added = 0;

	if (!text || run_table_read(&table, text, length, arena, err) < 0)
		return -1;
	for (size_t i = 0; i < table.count; i++) {
		int result = history_record_tag(&table.runs[i], choice, arena, err);

		if (result == 0)
			result = add_new(history, &table.runs[i], NULL, 0, err);
		if (result < 0)
			return -1;
		added += result;
	}
	return added;
}

int history_import(struct history *history, const char *path, const struct history_choice *choice,
		   const struct request *request, struct error *err)
{
	size_t length = strlen(path);
	bool is_table = length > 4 && is_same_name(path + length - 4, ".csv");

	return is_table ? import_table(history, path, choice, request->arena, err)
			: import_session(history, path, choice, request, err);
}
