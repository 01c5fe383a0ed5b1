/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command/jobs/gate_history.h"

#include <string.h>

#include "command/jobs/history_record.h"
#include "common/base/text.h"
#include "common/system/file.h"
#include "cpu/identify/identity.h"
#include "engine/saved.h"
#include "present/history/trends.h"
#include "store/session/session.h"

/* What a measurement of the program would be called, before there is one. */
static int describe_run(struct history_run *run, const char *cpu, const struct history_choice *choice,
			const struct request *request, struct error *err)
{
	struct arena *arena = request->arena;
	struct repeat *repeat = arena_alloc(arena, sizeof(*repeat));
	struct counts *counts = arena_alloc(arena, sizeof(*counts));
	const struct measurement measured = { .parts = counts, .count = 1 };
	const struct report_set none = { .count = 0 };

	*repeat = (struct repeat){ .nruns = 0 };
	*counts = (struct counts){ .origin = { .cpu = cpu,
					       .command = program_choice_text(&request->setup->program, arena) },
				   .repeats = repeat,
				   .nrepeats = 1 };
	history_record_describe(run, &measured, &none, arena);
	return history_record_tag(run, choice, arena, err);
}

/* 0: there is none. */
static int64_t find_accepted(struct history *history, const struct history_choice *choice,
			     const struct request *request, struct error *err)
{
	const struct machine_choice *machine = &request->setup->machine;
	const struct identity identity = identity_of(machine->sysroot, request->arena);
	const char *cpus[] = { machine->pmu != PMU_CPU ? "sim" : NULL, machine->pmu != PMU_SIM ? "" : NULL };
	int64_t id = 0;

	for (size_t i = 0; i < COUNT_OF(cpus) && id == 0; i++) {
		struct history_run run;

		if (!cpus[i])
			continue;
		if (describe_run(&run, cpus[i], choice, request, err) < 0)
			return -1;
		id = history_baseline(history, run.program, *cpus[i] ? run.machine : identity.machine, err);
	}
	return id;
}

/* NULL with err. path: the history's. */
static struct measurement *read_run(struct history *history, int64_t id, const char *path, struct arena *arena,
				    struct error *err)
{
	struct measurement *measured = arena_alloc(arena, sizeof(*measured));
	struct session_text text = { .source = path };

	text.text = history_read_session(history, id, &text.length, arena, err);
	if (!text.text && !is_error(err))
		error_set(err,
			  "%s: the accepted run %lld has no session any more; `topdown history %s accept RUN` accepts "
			  "another one",
			  path, (long long)id, path);
	return text.text && session_read_text(measured, &text, arena, err) == 0 ? measured : NULL;
}

/* "run 3 of perf.db"; where it is not of a commit as that is, this too. NULL with err. */
static const char *label_of(struct history *history, int64_t id, const char *path, struct arena *arena,
			    struct error *err)
{
	const char *label = arena_printf(arena, "run %lld of %s", (long long)id, path);
	struct history_run run;

	if (history_read_run(history, id, &run, arena, err) < 0)
		return NULL;
	return run.revision && strstr(run.revision, CHANGED_FILES)
		       ? arena_printf(arena, "%s (commit %s, with files that were changed)", label,
				      trend_revision(run.revision, arena))
		       : label;
}

int gate_history_baseline(struct gate_baseline *baseline, const struct history_choice *choice,
			  const struct request *request, struct error *err)
{
	const char *path = history_path(choice);
	struct history *history;
	int64_t id;

	if (!is_file(path) && choice->is_accepted) /* the first one makes it */
		return 0;
	history = history_open_to_read(path, err);
	id = history ? find_accepted(history, choice, request, err) : -1;
	if (id > 0) {
		baseline->measured = read_run(history, id, path, request->arena, err);
		if (baseline->measured)
			baseline->label = label_of(history, id, path, request->arena, err);
	}
	history_close(history);
	return is_error(err) ? error_in(err, "gate: --history") : 0;
}

int gate_history_add(const struct measurement *measured, const struct history_choice *choice,
		     const struct request *request, struct error *err)
{
	const struct question question = { .level = DEEPEST_LEVEL };
	struct request all = *request;
	struct measurement own = *measured;
	struct report_set reports;

	all.question = &question;
	if (saved_evaluate(&reports, &own, "the measurement", &all, err) < 0)
		return -1;
	return history_record_add(choice, &own, &reports, request, err);
}
