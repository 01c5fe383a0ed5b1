/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * metrics.c - topdown metrics [NAME|GROUP|GLOB]... [-- PROGRAM [ARG]...]: the metrics beside the tree. Without something to
 * measure they are listed with what each is about and what it takes to measure it; else they are measured.
 */
#include <string.h>

#include "base/text.h"
#include "command/catalog.h"
#include "command/commands.h"
#include "command/limits.h"
#include "command/output.h"
#include "command/wanted.h"
#include "load/glossary.h"
#include "load/select.h"
#include "load/topic.h"

static const struct list_column columns[] = {
	/* clang-format off */
	{ "topic",       NULL,      LIST_TEXT,   false },
	{ "title",       "Metric",  LIST_TEXT,   true },
	{ "name",        NULL,      LIST_TEXT,   true },
	{ "also_called", NULL,      LIST_PARTS,  true },
	{ "level",       NULL,      LIST_NUMBER, false },
	{ "unit",        "Unit",    LIST_TEXT,   false },
	{ "domain",      NULL,      LIST_TEXT,   false },
	{ "event_count", "Events",  LIST_NUMBER, false },
	{ "runs",        "Runs",    LIST_NUMBER, false },
	{ "groups",      "Groups",  LIST_PARTS,  false },
	{ "means",       "Means",   LIST_DETAIL, false },
	{ "formula",     "Formula", LIST_DETAIL, false },
	{ "events",      NULL,      LIST_PARTS,  false },
	{ "threshold",   NULL,      LIST_TEXT,   false },
	{ "failure",     NULL,      LIST_TEXT,   false },
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
		bool is_tool = event->kind == EVENT_DURATION || event->kind == EVENT_TSC || event->is_retire_latency;

		if (!is_tool && !plan.counted[model->metrics[*metrics].events[i]]) {
			error_set(err, "no counter here can count %s", event->name);
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

static const char *words_about(const struct offer *offer, const struct metric *metric)
{
	struct error unused = { .text = "" };
	struct glossary_entry entry;

	if (!offer->glossary ||
	    glossary_read_entry(&entry, offer->glossary, metric->name, offer->catalog.arena, &unused) < 0)
		return NULL;
	return entry.means;
}

static const char *number_text(size_t number, struct arena *arena)
{
	return number ? arena_printf(arena, "%zu", number) : NULL;
}

static void add_metric(struct offer *offer, size_t number)
{
	const struct model *model = &offer->target->model;
	const struct metric *metric = &model->metrics[number];
	struct arena *arena = offer->catalog.arena;
	struct error err = { .text = "" };
	size_t runs = metric->failure ? 0 : count_runs(offer, &number, 1, &err);
	const char *failure = metric->failure ? metric->failure : is_error(&err) ? arena_strdup(arena, err.text) : NULL;
	const char *topic = topic_name(metric_topic(metric));
	const char *cells[COUNT_OF(columns)] = {
		topic,
		metric->title,
		metric->name,
		metric->also_called,
		number_text(metric->level, arena),
		metric->unit,
		metric->domain,
		failure ? NULL : number_text(metric->nevents, arena),
		number_text(runs, arena),
		metric->groups,
		words_about(offer, metric),
		program_text(model->program, number),
		events_text(model, metric, arena),
		metric->has_threshold ? program_text(model->thresholds, number) : NULL,
		failure,
	};
	struct list_row *row = catalog_add(&offer->catalog, cells, 0);

	row->section = failure ? arena_printf(arena, "Not here: %s", failure) : topic;
	if (!failure)
		offer->computable[offer->ncomputable++] = number;
}

static bool has_failed(const struct list_row *row)
{
	return row->cells[COUNT_OF(columns) - 1] != NULL;
}

static size_t section_rank(const struct listing *listing, const struct list_row *row)
{
	size_t first = 0;

	while (strcmp(listing->rows[first].section, row->section) != 0)
		first++;
	return first;
}

/* By topic, each in the model's order; last what can't be measured here, by the reason that it shares. */
static void sort_rows(struct listing *listing, struct arena *arena)
{
	struct list_row *sorted = arena_array(arena, listing->count, sizeof(*sorted));
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
	const char *chosen = options_chosen(options, arena);

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
	const char *all = listing->count == 1 ? "It" : arena_printf(arena, "All %zu", listing->count);
	const char *which = arena_printf(arena, "%zu of these %zu", offer->ncomputable, listing->count);

	listing->note = "None of them can be measured with the counters of a core.";
	if (!offer->ncomputable)
		return;
	listing->runs = count_runs(offer, offer->computable, offer->ncomputable, &unused);
	listing->note = arena_printf(arena, "%s can be measured, together in %zu run%s of a program:",
				     offer->ncomputable == listing->count ? all : which, listing->runs,
				     listing->runs == 1 ? "" : "s");
	listing->next = measuring_command(options, arena);
}

static int fill(struct offer *offer, const struct options *options, struct error *err)
{
	struct select_request request = { options->nodes, options->groups, options->metrics, options->level };
	struct arena *arena = offer->catalog.arena;
	struct error unused = { .text = "" };
	struct selection selection;

	if (select_metrics(&selection, &offer->target->model, &request, arena, err) < 0 ||
	    limits_find(&offer->limits, offer->target, options, err) < 0)
		return -1;
	catalog_begin(&offer->catalog, "metrics", columns, COUNT_OF(columns));
	offer->catalog.listing.cpu = offer->target->cpu;
	offer->glossary = database_file(&offer->target->database, "models", "glossary", arena, &unused);
	offer->computable = arena_array(arena, selection.count, sizeof(*offer->computable));
	for (size_t i = 0; i < selection.count; i++)
		add_metric(offer, selection.items[i]);
	sort_rows(&offer->catalog.listing, arena);
	sum_up(offer, options);
	return 0;
}

/* A word that looks like a program is one, put in the wrong place. */
static int tell_program(const struct options *options, struct error *err)
{
	for (size_t i = 0; i < options->nwords; i++) {
		if (!strchr(options->words[i], '/'))
			continue;
		*err = (struct error){ .text = "" };
		return error_set(err, "metrics: '%s'? A program to measure stands behind --", options->words[i]);
	}
	return -1;
}

static int list_metrics(const struct options *options, struct arena *arena, struct error *err)
{
	struct offer offer = { .catalog = { .arena = arena } };
	struct output output;
	struct target target;

	if (target_find(&target, options, arena, err) < 0)
		return -1;
	target_warn(&target);
	offer.target = &target;
	if (fill(&offer, options, err) < 0)
		return tell_program(options, err);
	if (output_open(&output, options, stdout, err) < 0)
		return -1;
	if (render_listing(output.file, &offer.catalog.listing, &output.style, err) < 0)
		return output_failed(&output, err);
	return output_close(&output, err);
}

/* The words, behind what --metrics has; everything where nothing is named. */
static const char *join_words(const struct options *options, struct arena *arena)
{
	struct string list = STRING_INIT(arena);

	string_add(&list, options->metrics ? options->metrics : "");
	for (size_t i = 0; i < options->nwords; i++)
		string_printf(&list, "%s%s", list.length ? "," : "", options->words[i]);
	if (options->nwords || options->metrics)
		return list.text;
	return options->nodes || options->groups ? NULL : "*";
}

int command_metrics(const struct options *options, struct arena *arena, struct error *err)
{
	struct options asked = *options;

	asked.metrics = join_words(options, arena);
	if (!options->nprogram && !options_have_subject(options)) {
		if (options_counting(options))
			return error_set(err, "metrics: --%s of what? A program to measure stands behind --",
					 options_counting(options));
		return list_metrics(&asked, arena, err);
	}
	asked.words = options->program;
	asked.nwords = options->nprogram;
	return command_measure(&asked, arena, err);
}
