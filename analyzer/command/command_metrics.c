/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * command_metrics.c - topdown metrics [NAME|GROUP|GLOB]... [-- PROGRAM [ARG]...]: the metrics beside the tree. Without
 * something to measure they are listed with what each is about and what it takes to measure it; else they are measured.
 */
#include <string.h>

#include "command/commands.h"
#include "command/jobs/catalog.h"
#include "command/jobs/output.h"
#include "common/base/text.h"
#include "cpu/load/glossary.h"
#include "cpu/load/select.h"
#include "cpu/load/topic.h"
#include "engine/limits.h"
#include "engine/selection.h"

enum {
	METRIC_TOPIC,
	METRIC_TITLE,
	METRIC_NAME,
	METRIC_ALSO_CALLED,
	METRIC_SOURCE,
	METRIC_LEVEL,
	METRIC_UNIT,
	METRIC_DOMAIN,
	METRIC_EVENT_COUNT,
	METRIC_RUNS,
	METRIC_GROUPS,
	METRIC_MEANS,
	METRIC_FORMULA,
	METRIC_EVENTS,
	METRIC_THRESHOLD,
	METRIC_FAILURE,
	METRIC_COLUMNS
};

static const struct column columns[METRIC_COLUMNS] = {
	/* clang-format off */
	[METRIC_TOPIC]       = { .key = "topic" },
	[METRIC_TITLE]       = { .key = "title", .heading = "Metric", .flags = COLUMN_IS_NAME },
	[METRIC_NAME]        = { .key = "name", .flags = COLUMN_IS_NAME },
	[METRIC_ALSO_CALLED] = { .key = "also_called", .flags = COLUMN_IS_NAME },
	[METRIC_SOURCE]      = { .key = "source" },
	[METRIC_LEVEL]       = { .key = "level", .flags = COLUMN_RIGHT },
	[METRIC_UNIT]        = { .key = "unit", .heading = "Unit" },
	[METRIC_DOMAIN]      = { .key = "domain" },
	[METRIC_EVENT_COUNT] = { .key = "event_count", .heading = "Events", .flags = COLUMN_RIGHT },
	[METRIC_RUNS]        = { .key = "runs", .heading = "Runs", .flags = COLUMN_RIGHT },
	[METRIC_GROUPS]      = { .key = "groups", .heading = "Groups" },
	[METRIC_MEANS]       = { .key = "means", .heading = "Means", .flags = COLUMN_BELOW },
	[METRIC_FORMULA]     = { .key = "formula", .heading = "Formula", .flags = COLUMN_BELOW },
	[METRIC_EVENTS]      = { .key = "events" },
	[METRIC_THRESHOLD]   = { .key = "threshold" },
	[METRIC_FAILURE]     = { .key = "failure" },
	/* clang-format on */
};

/* The metrics of one CPU as rows. */
struct offer {
	struct catalog catalog;
	const struct target *target;
	struct plan_limits limits;
	const char *glossary; /* path, or NULL */
	size_t *computable;   /* numbers of the metrics that can be measured */
	size_t ncomputable;
};

/* Runs that it takes to measure the metrics, one group each. 0 and err when these counters can't. */
static size_t count_runs(const struct offer *offer, const size_t *metrics, size_t count, struct error *err)
{
	const struct model *model = &offer->target->model;
	struct plan_request request = { .limits = offer->limits, .wanted = metrics, .nwanted = count };
	struct plan plan;

	if (plan_build(&plan, model, &request, offer->catalog.arena, err) < 0)
		return 0;
	for (size_t i = 0; count == 1 && i < model->metrics[*metrics].nevents; i++) {
		const struct event *event = &model->events.events[model->metrics[*metrics].events[i]];
		bool is_tool = is_clock(event->kind) || event->is_retire_latency;

		if (!is_tool && !plan.counted[model->metrics[*metrics].events[i]]) {
			error_set(err, "%s%s%s", event->absent ? "" : "no counter here can count ", event->name,
				  event->absent ? arena_printf(offer->catalog.arena, ": %s", event->absent) : "");
			return 0;
		}
	}
	return plan.nruns;
}

static const char *events_text(const struct model *model, const struct metric *metric, struct arena *arena)
{
	struct string text = STRING_INIT(arena);

	for (size_t i = 0; i < metric->nevents; i++)
		string_printf(&text, "%s%s", i ? ";" : "", model->events.events[metric->events[i]].name);
	return text.text;
}

static void command_metrics_add_metric(struct offer *offer, size_t number)
{
	const struct model *model = &offer->target->model;
	const struct metric *metric = &model->metrics[number];
	struct arena *arena = offer->catalog.arena;
	struct error err = { .text = "" };
	size_t runs = metric->failure ? 0 : count_runs(offer, &number, 1, &err);
	const char *failure = metric->failure ? metric->failure : is_error(&err) ? arena_strdup(arena, err.text) : NULL;
	const char *topic = topic_name(metric_topic(metric));
	const struct cell cells[METRIC_COLUMNS] = {
		[METRIC_TOPIC] = word_cell(topic),
		[METRIC_TITLE] = word_cell(metric->title),
		[METRIC_NAME] = word_cell(metric->name),
		[METRIC_ALSO_CALLED] = parts_cell(metric->also_called),
		[METRIC_SOURCE] = word_cell(metric->is_ours || model->is_simulated ? "topdown" : "vendor"),
		[METRIC_LEVEL] = known_cell(metric->level),
		[METRIC_UNIT] = word_cell(metric->unit),
		[METRIC_DOMAIN] = word_cell(metric->domain),
		[METRIC_EVENT_COUNT] = known_cell(failure ? 0 : metric->nevents),
		[METRIC_RUNS] = known_cell(runs),
		[METRIC_GROUPS] = parts_cell(metric->groups),
		[METRIC_MEANS] = word_cell(glossary_meaning(offer->glossary, metric->name, arena)),
		[METRIC_FORMULA] = word_cell(program_text(model->program, number)),
		[METRIC_EVENTS] = parts_cell(events_text(model, metric, arena)),
		[METRIC_THRESHOLD] = word_cell(metric->has_threshold ? program_text(model->thresholds, number) : NULL),
		[METRIC_FAILURE] = word_cell(failure),
	};
	struct grid_row *row = catalog_add(&offer->catalog, cells, 0);

	row->section = failure ? arena_printf(arena, "Not here: %s", failure) : topic;
	if (!failure)
		offer->computable[offer->ncomputable++] = number;
}

static bool has_failed(const struct grid_row *row)
{
	return row->cells[METRIC_FAILURE].text != NULL;
}

static size_t section_rank(const struct grid *listing, const struct grid_row *row)
{
	size_t first = 0;

	while (strcmp(listing->rows[first].section, row->section) != 0)
		first++;
	return first;
}

/* By topic, each in the model's order; last what can't be measured here, by the reason that it shares. */
static void sort_rows(struct grid *listing, struct arena *arena)
{
	struct grid_row *sorted = arena_array(arena, listing->count, sizeof(*sorted));
	size_t count = 0;

	for (enum topic topic = 0; topic < TOPIC_COUNT; topic++)
		for (size_t i = 0; i < listing->count; i++)
			if (!has_failed(&listing->rows[i]) && !strcmp(listing->rows[i].section, topic_name(topic)))
				sorted[count++] = listing->rows[i];
	for (size_t first = 0; first < listing->count; first++)
		for (size_t i = first; i < listing->count; i++)
			if (has_failed(&listing->rows[i]) && section_rank(listing, &listing->rows[i]) == first)
				sorted[count++] = listing->rows[i];
	listing->rows = sorted;
}

/* The same words, with something to measure. */
static const char *measuring_command(const struct options *options, struct arena *arena)
{
	struct string text = STRING_INIT(arena);
	const char *chosen = options_repeated(options, REPEATED_QUESTION, "", arena);

	string_printf(&text, "topdown metrics %s%s", chosen ? chosen : "", chosen ? " " : "");
	for (size_t i = 0; i < options->nwords; i++)
		string_printf(&text, strpbrk(options->words[i], "*?[! ^()/") ? "'%s' " : "%s ", options->words[i]);
	string_add(&text, "-- PROGRAM");
	return text.text;
}

/* What it takes to measure all that is listed. */
static void sum_up(struct offer *offer, const struct options *options)
{
	struct listing *listing = &offer->catalog.listing;
	struct arena *arena = offer->catalog.arena;
	struct error unused = { .text = "" };
	const char *all = listing->table.count == 1 ? "It" : arena_printf(arena, "All %zu", listing->table.count);
	const char *which = arena_printf(arena, "%zu of these %zu", offer->ncomputable, listing->table.count);

	listing->note = "None of them can be measured with a core's counters.";
	if (!offer->ncomputable)
		return;
	listing->runs = count_runs(offer, offer->computable, offer->ncomputable, &unused);
	listing->note = arena_printf(arena, "%s can be measured, together in %zu run%s of a program:",
				     offer->ncomputable == listing->table.count ? all : which, listing->runs,
				     listing->runs == 1 ? "" : "s");
	listing->next = measuring_command(options, arena);
}

static int command_metrics_fill(struct offer *offer, const struct request *request, struct error *err)
{
	const struct question *asked = request->question;
	struct select_request selected = { asked->nodes, asked->groups, asked->metrics, asked->level,
					   asked->wants_causes };
	struct arena *arena = offer->catalog.arena;
	struct error unused = { .text = "" };
	struct selection selection;
	struct found found;

	if (select_metrics(&selection, &offer->target->model, &selected, arena, err) < 0 ||
	    limits_find(&found, offer->target, request, err) < 0)
		return -1;
	offer->limits = found.limits;
	catalog_begin(&offer->catalog, "metrics", columns, METRIC_COLUMNS);
	offer->catalog.listing.cpu = offer->target->cpu;
	offer->glossary = glossary_file(offer->target->database, &offer->target->model, arena, &unused);
	offer->computable = arena_array(arena, selection.count, sizeof(*offer->computable));
	for (size_t i = 0; i < selection.count; i++)
		command_metrics_add_metric(offer, selection.items[i]);
	sort_rows(&offer->catalog.listing.table, arena);
	return 0;
}

/* A word that looks like a program is one, put in the wrong place. */
static int suggest_program(const struct options *options, struct error *err)
{
	for (size_t i = 0; i < options->nwords; i++) {
		if (!strchr(options->words[i], '/'))
			continue;
		*err = (struct error){ .text = "" };
		return error_set(err, "metrics: unknown metric '%s'; put a program after --", options->words[i]);
	}
	return -1;
}

static int list_metrics(const struct options *options, struct arena *arena, struct error *err)
{
	const struct request request = request_of(options, arena);
	struct offer offer = { .catalog = { .arena = arena } };
	struct target target;

	if (target_find(&target, &request, err) < 0)
		return -1;
	target_warn(&target, &request);
	offer.target = &target;
	if (command_metrics_fill(&offer, &request, err) < 0)
		return suggest_program(options, err);
	sum_up(&offer, options);
	return output_listing(&options->output, &offer.catalog.listing, err);
}

/* The words, behind what --metrics has; everything where nothing is named. */
static const char *join_words(const struct options *options, struct arena *arena)
{
	const struct question *question = &options->question;
	struct string list = STRING_INIT(arena);

	string_add(&list, question->metrics ? question->metrics : "");
	for (size_t i = 0; i < options->nwords; i++)
		string_printf(&list, "%s%s", list.length ? "," : "", options->words[i]);
	if (options->nwords || question->metrics)
		return list.text;
	return question->nodes || question->groups || question->wants_causes ? NULL : "*";
}

static int run_metrics(const struct options *options, struct arena *arena, struct error *err)
{
	struct options asked = *options;

	asked.question.metrics = join_words(options, arena);
	if (options->setup.program.nwords || setup_has_subject(&options->setup))
		return run_measurement(&asked, arena, err);
	if (options_measuring(options))
		return error_set(err, "metrics: --%s of what? Put a program after --", options_measuring(options));
	return list_metrics(&asked, arena, err);
}

const struct command command_metrics = {
	.name = "metrics",
	.arguments = "[NAME]... [-- PROGRAM [ARG]...]",
	.summary = "metrics outside the tree: list or measure them",
	.examples = "topdown metrics --cpu spr\n"
		    "topdown metrics IPC '*MPKI*' -- ./prog\n",
	.run = run_metrics,
	.has_program = true,
	.sets = { &level_options,    &selection_options, &event_options,   &worst_options,	&lines_options,
		  &source_options,   &all_cpus_options,	 &subject_options, &thread_options,	&division_options,
		  &interval_options, &timing_options,	 &repeat_options,  &pressure_options,	&wall_options,
		  &steady_options,   &packing_options,	 &pmu_options,	   &simulation_options, &what_if_options,
		  &cpu_options,	     &form_options,	 &sysroot_options, &file_options,	&save_options,
		  &style_options,    &general_options },
};
