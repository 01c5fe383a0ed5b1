/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command/jobs/gate_baseline.h"

#include <stdio.h>
#include <string.h>

#include "command/jobs/gate_history.h"
#include "command/jobs/history_record.h"
#include "command/jobs/saved_files.h"
#include "common/system/file.h"
#include "common/system/gzip.h"

static const char *const usual_baselines[] = { "topdown-baseline.json.gz", "topdown-baseline.json" };

/* A program, or a script that names its own. */
static bool is_program_file(const char *path)
{
	char begin[4] = "";
	FILE *file = fopen(path, "re");
	size_t length = file ? fread(begin, 1, sizeof(begin), file) : 0;

	if (file)
		fclose(file);
	return (length == 4 && !memcmp(begin, "\177ELF", 4)) || (length >= 2 && !memcmp(begin, "#!", 2));
}

const char *gate_baseline_path(const struct gate_baseline *baseline)
{
	struct error unable = { .text = "" };

	if (baseline->path)
		return baseline->path;
	return usual_baselines[gzip_check(usual_baselines[0], &unable) < 0 ? 1 : 0];
}

int gate_find_baseline(struct gate_baseline *baseline, const struct gate_choice *choice,
		       const struct history_choice *history, const struct request *request, struct error *err)
{
	const char *named = choice->baseline;

	*baseline = (struct gate_baseline){ .path = named, .is_of_history = !named && history->file };
	for (size_t i = 0; i < COUNT_OF(usual_baselines) && !baseline->path && !baseline->is_of_history; i++)
		if (is_file(usual_baselines[i]))
			baseline->path = usual_baselines[i];
	baseline->is_of_history = !baseline->path && history_path(history);
	if (baseline->is_of_history)
		return gate_history_baseline(baseline, history, request, err);
	baseline->label = baseline->path;
	/* The first --update makes it. */
	if (!baseline->path || (choice->wants_update && !is_file(baseline->path)))
		return 0;
	if (is_program_file(baseline->path)) {
		baseline->program = baseline->path;
		return choice->wants_update ? error_set(err, "gate: --update of %s: that is a program, not a session",
							baseline->path)
					    : 0;
	}
	baseline->measured = arena_alloc(request->arena, sizeof(*baseline->measured));
	return saved_files_read(baseline->measured, baseline->path, request->arena, err) < 0
		       ? error_in(err, "gate: the baseline")
		       : 0;
}
