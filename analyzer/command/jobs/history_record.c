/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command/jobs/history_record.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "command/jobs/progress.h"
#include "common/base/table.h"
#include "common/base/text.h"
#include "common/waits/waits.h"
#include "cpu/identify/identity.h"
#include "store/history/run_table.h"
#include "store/session/session.h"

#define MS_IN_SECOND 1000
#define NS_IN_MS     1000000
#define SIMULATED    "simulated"

const char *history_path(const struct history_choice *choice)
{
	const char *path = choice->file ? choice->file : getenv("TOPDOWN_HISTORY");

	return path && (*path || choice->file) ? path : NULL;
}

int history_record_check(const struct history_choice *choice, struct error *err)
{
	const char *path = history_path(choice);
	struct history *history;

	if (!path && choice->ntags)
		return error_set(err, "--tag needs a history: --history FILE.db, or TOPDOWN_HISTORY");
	if (!path)
		return 0;
	history = history_open(path, err);
	if (!history)
		return error_in(err, "--history");
	history_close(history);
	return 0;
}

/* ---- values ---- */

struct filling {
	struct history_run *run;
	struct history_value *values;
	size_t capacity;
	struct table names; /* a metric that is also a figure of the head is there once */
	const char *part;   /* NULL: there is one only */
	struct arena *arena;
};

static void add_value(struct filling *filling, const char *name, const char *unit, double value,
		      const struct statistics *spread)
{
	const char *full = filling->part ? arena_printf(filling->arena, "%s/%s", filling->part, name) : name;
	size_t count = filling->run->nvalues;
	bool has_spread = spread->n > 1 && isfinite(spread->ci95);

	if (!isfinite(value) || table_set(&filling->names, full, 1) != TABLE_NONE)
		return;
	filling->values =
		arena_grow(filling->arena, filling->values, count, &filling->capacity, sizeof(*filling->values));
	filling->values[count] = (struct history_value){ .name = full,
							 .unit = unit,
							 .value = value,
							 .low = has_spread ? value - spread->ci95 : NOT_COUNTED,
							 .high = has_spread ? value + spread->ci95 : NOT_COUNTED,
							 .n = spread->n ? (unsigned)spread->n : 1 };
	filling->run->values = filling->values;
	filling->run->nvalues++;
}

/* The time that a simulation takes is the simulator's. */
static void history_record_add_head(struct filling *filling, const struct summary *summary, bool is_simulated)
{
	const struct {
		const char *name, *unit;
		double value;
		enum figure figure;
		bool is_of_simulator;
	} figures[] = {
		{ "wall", "s", summary->wall_s, FIGURE_WALL, true },
		{ "cpus", "", summary->cpus_used, FIGURE_CPUS, true },
		{ "instructions", "", summary->instructions, FIGURE_INSTRUCTIONS, false },
		{ "cycles", "", summary->cycles, FIGURE_CYCLES, false },
		{ "IPC", "", summary->ipc, FIGURE_IPC, false },
		{ "GHz", "", summary->ghz, FIGURE_GHZ, true },
	};

	for (size_t i = 0; i < COUNT_OF(figures); i++)
		if (!(is_simulated && figures[i].is_of_simulator))
			add_value(filling, figures[i].name, figures[i].unit, figures[i].value,
				  &summary->spread[figures[i].figure]);
}

static void add_results(struct filling *filling, const struct result *results, size_t count)
{
	for (size_t i = 0; i < count; i++)
		add_value(filling, results[i].metric->name, results[i].metric->unit, results[i].value,
			  &results[i].spread);
}

static void history_record_add_values(struct filling *filling, const struct report_set *reports)
{
	for (size_t i = 0; i < reports->count; i++) {
		const struct report *report = &reports->parts[i];

		filling->part = reports->count > 1 ? report->summary.part : NULL;
		history_record_add_head(filling, &report->summary, report->model->is_simulated);
		add_results(filling, report->nodes, report->nnodes);
		add_results(filling, report->metrics, report->nmetrics);
		add_results(filling, report->events, report->nevents);
	}
}

/* Of samples alone there is no report: the times are all. CPU time says more where others use the machine. */
static void add_times(struct filling *filling, const struct measurement *measured)
{
	const struct repeat *repeat = &measured->parts[0].repeats[0];
	const struct statistics once = { .n = 1 };

	if (!repeat->nruns)
		return;
	add_value(filling, "wall", "s", repeat->runs[0].wall_s, &once);
	add_value(filling, "cpu_time", "s", repeat->runs[0].cpu_s, &once);
}

/* The main thread's wall clock in parts (--wall), of those repeats in which it is known. */
static void history_record_add_wall(struct filling *filling, const struct counts *counts)
{
	double *values = arena_array(filling->arena, counts->nrepeats + 1, sizeof(*values));

	for (size_t part = 0; part < WALL_PARTS; part++) {
		struct statistics spread;
		size_t count = 0;

		for (size_t i = 0; i < counts->nrepeats; i++)
			if (counts->repeats[i].wall)
				values[count++] = counts->repeats[i].wall[part];
		spread = statistics_of(values, count);
		if (count)
			add_value(filling, wall_part_name(part), "s", spread.mean, &spread);
	}
}

/* ---- what it was ---- */

static bool is_simulation(const struct measurement *measured)
{
	return !compare_texts(measured->parts[0].origin.cpu, "sim");
}

/* "./build/prog 6" is the series "prog 6", wherever it was built. A program's name with blanks is left as it is. */
static const char *series_name(const struct origin *origin)
{
	const char *command = origin->command, *end, *slash;

	if (!command)
		return origin->target ? origin->target : "unnamed";
	if (*command == '\'' || *command == '"')
		return command;
	end = command + strcspn(command, " ");
	for (slash = end; slash > command && slash[-1] != '/';)
		slash--;
	return slash < end ? slash : command;
}

static bool history_record_is_cut(const struct measurement *measured)
{
	const struct counts *counts = &measured->parts[0];
	const struct repeat *repeat = &counts->repeats[0];

	for (size_t i = 0; i < repeat->nruns; i++)
		if (repeat->runs[i].is_cut)
			return true;
	return measured->cut_by != 0 || counts->nrepeats < counts->planned_repeats;
}

static int64_t now_ms(void)
{
	struct timespec now = { 0 };

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * MS_IN_SECOND + now.tv_nsec / NS_IN_MS;
}

void history_record_describe(struct history_run *run, const struct measurement *measured,
			     const struct report_set *reports, struct arena *arena)
{
	const struct counts *counts = &measured->parts[0];
	const struct origin *origin = &counts->origin;
	const struct repeat *repeat = &counts->repeats[0];
	struct filling filling = { .run = run, .names = TABLE_INIT(arena), .arena = arena };
	bool is_simulated = is_simulation(measured);

	*run = (struct history_run){ .program = series_name(origin),
				     .command = origin->command,
				     .machine = is_simulated   ? SIMULATED
						: origin->host ? origin->host
							       : "unknown",
				     .cpu = origin->cpu ? origin->cpu : "",
				     .model = origin->machine,
				     .kernel = is_simulated ? NULL : origin->kernel,
				     .host = origin->host,
				     .tool = origin->tool_version,
				     .status = repeat->nruns ? repeat->runs[0].status : NO_STATUS,
				     .is_cut = history_record_is_cut(measured) };
	if (!origin->started || !history_time(&run->time_ms, origin->started))
		run->time_ms = now_ms();
	if (reports->count)
		history_record_add_values(&filling, reports);
	else
		add_times(&filling, measured);
	if (!is_simulated)
		history_record_add_wall(&filling, counts);
}

/* ---- tags ---- */

int history_record_tag(struct history_run *run, const struct history_choice *choice, struct arena *arena,
		       struct error *err)
{
	const struct {
		const char *key, **text;
	} own[] = { { "commit", &run->revision }, { "branch", &run->branch }, { "program", &run->program } };
	struct history_tag *tags = arena_array(arena, choice->ntags + 1, sizeof(*tags));

	for (size_t i = 0; i < choice->ntags; i++) {
		const char *word = choice->tags[i], *sign = strchr(word, '=');
		const char *key = sign ? arena_strndup(arena, word, (size_t)(sign - word)) : "";
		const char **text = NULL;

		if (!*key)
			return error_set(err, "--tag %s: a tag is KEY=VALUE", word);
		for (size_t k = 0; k < COUNT_OF(own); k++)
			if (!strcmp(own[k].key, key))
				text = own[k].text;
		if (text)
			*text = sign + 1;
		else
			tags[run->ntags++] = (struct history_tag){ key, sign + 1 };
	}
	run->tags = tags;
	return 0;
}

/* ---- adding ---- */

char *history_record_session(const struct measurement *measured, size_t *length, struct error *err)
{
	char *text = NULL;
	FILE *stream = open_memstream(&text, length);
	int result = stream ? session_write(stream, measured, err) : error_set(err, "no memory left");

	if (stream && fclose(stream) != 0 && result == 0)
		result = error_set(err, "no memory left");
	if (result == 0)
		return text;
	free(text);
	return NULL;
}

static int add_to_history(const char *path, struct history_run *run, const struct measurement *measured,
			  struct error *err)
{
	size_t length = 0;
	char *session = history_record_session(measured, &length, err);
	struct history *history = session ? history_open(path, err) : NULL;
	int result = history ? history_add(history, run, session, length, err) : -1;

	history_close(history);
	free(session);
	return result;
}

/* "1a2b+": of that commit, and not as it is there. */
static const char *revision_of(const struct checkout *checkout, struct arena *arena)
{
	bool is_changed = checkout->is_of_files && uncommitted_find(NULL) == UNCOMMITTED_SOME;

	return is_changed ? arena_printf(arena, "%s" CHANGED_FILES, checkout->revision) : checkout->revision;
}

int history_record_add(const struct history_choice *choice, const struct measurement *measured,
		       const struct report_set *reports, const struct request *request, struct error *err)
{
	struct arena *arena = request->arena;
	const struct checkout checkout = checkout_identify(NULL, arena);
	const struct identity identity = identity_of(request->setup->machine.sysroot, arena);
	struct history_run run;

	history_record_describe(&run, measured, reports, arena);
	run.revision = revision_of(&checkout, arena);
	run.branch = checkout.branch;
	run.accepted_ms = choice->is_accepted ? now_ms() : 0;
	if (!is_simulation(measured)) {
		run.machine = identity.machine;
		run.microcode = identity.microcode;
	}
	if (history_record_tag(&run, choice, arena, err) < 0)
		return -1;
	if (run.accepted_ms && run.revision && strstr(run.revision, CHANGED_FILES))
		notice_print(NULL, NOTICE_WARNING,
			     "files were changed since the commit, so the accepted run is of none that others have; "
			     "commit first, and --update again");
	return add_to_history(history_path(choice), &run, measured, err) < 0 ? error_in(err, "--history") : 0;
}
