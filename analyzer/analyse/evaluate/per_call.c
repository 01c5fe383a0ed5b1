/* SPDX-License-Identifier: GPL-2.0-or-later */
/* per_call.c - system calls by name, as metrics behind the one that has them all: "syscalls.write". */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/evaluate/evaluation.h"

#define SUM "all" /* collect/observe/traced_calls.c; a simulation's has an event, and so a metric */

static size_t count_names(const struct counts *counts)
{
	size_t count = 0;

	for (size_t i = 0; i < counts->nrepeats; i++)
		count += counts->repeats[i].ncalls;
	return count;
}

/* --syscalls of a simulation, word by word without SUM; NULL: none. */
static const char **asked_names(const struct evaluation *e, size_t *count)
{
	const char *cursor = e->counts->question.calls, *part;
	const char **names = arena_array(e->arena, cursor ? strlen(cursor) + 1 : 1, sizeof(*names));
	size_t length;

	*count = 0;
	while (cursor && (length = text_next(&cursor, ",", &part)) > 0) {
		const char *name = arena_strndup(e->arena, part, length);

		if (strcmp(name, SUM) != 0)
			names[(*count)++] = name;
	}
	return names;
}

size_t per_call_most(const struct evaluation *e)
{
	size_t nasked;

	asked_names(e, &nasked);
	return count_names(e->counts) + nasked + 1;
}

static int compare_names(const void *first, const void *second)
{
	return strcmp(*(const char *const *)first, *(const char *const *)second);
}

/* Of all repeats, each once. */
static const char **find_names(const struct evaluation *e, size_t *count)
{
	size_t all = 0, nasked;
	const char **asked = asked_names(e, &nasked);
	const char **names = arena_array(e->arena, count_names(e->counts) + nasked + 1, sizeof(*names));

	for (size_t i = 0; i < nasked && e->repeat->calls; i++)
		names[all++] = asked[i];
	for (size_t i = 0; i < e->counts->nrepeats; i++)
		for (size_t k = 0; k < e->counts->repeats[i].ncalls; k++)
			names[all++] = e->counts->repeats[i].calls[k].name;
	if (all)
		qsort(names, all, sizeof(*names), compare_names);
	*count = 0;
	for (size_t i = 0; i < all; i++)
		if (!i || strcmp(names[i], names[i - 1]) != 0)
			names[(*count)++] = names[i];
	return names;
}

static double count_in(const struct repeat *repeat, const char *name)
{
	if (!repeat->calls)
		return NOT_COUNTED;
	for (size_t i = 0; i < repeat->ncalls; i++)
		if (!strcmp(repeat->calls[i].name, name))
			return repeat->calls[i].count;
	return 0;
}

static struct result call_result(const struct evaluation *e, const struct result *all, const char *name)
{
	double *values = arena_array(e->arena, e->counts->nrepeats, sizeof(*values));
	struct metric *metric = arena_alloc(e->arena, sizeof(*metric));
	struct result result = {
		.metric = metric, .quality = all->quality, .running = all->running, .is_named = all->is_named
	};

	*metric = *all->metric;
	metric->name = strcmp(name, SUM) != 0 ? arena_printf(e->arena, ALL_CALLS ".%s", name) : ALL_CALLS;
	metric->title = metric->path = metric->name;
	for (size_t i = 0; i < e->counts->nrepeats; i++)
		values[i] = count_in(&e->counts->repeats[i], name);
	result.spread = statistics_of(values, e->counts->nrepeats);
	result.value = result.raw = result.spread.mean;
	return result;
}

/* Was one of its words asked for by --metrics? Marks each word that it is. */
static bool is_asked(const char *const *words, bool *is_met, size_t count, const char *name)
{
	bool is_any = false;

	for (size_t i = 0; i < count; i++) {
		bool is_this = fnmatch(words[i], name, FNM_CASEFOLD) == 0;

		is_met[i] |= is_this;
		is_any |= is_this;
	}
	return is_any;
}

/* The words of --metrics that are about single calls; none: all calls are meant. */
static const char **asked_words(const struct evaluation *e, size_t *count)
{
	const char *cursor = e->report->asked.metrics ? e->report->asked.metrics : "", *part;
	const char **words = arena_array(e->arena, strlen(cursor) + 1, sizeof(*words));
	size_t length;

	*count = 0;
	while ((length = text_next(&cursor, ",", &part)) > 0) {
		const char *word = arena_strndup(e->arena, part, length);

		if (has_name_prefix(word, ALL_CALLS "."))
			words[(*count)++] = word;
	}
	return words;
}

#define MOST_SHOWN 5

static bool per_call_is_listed(const struct evaluation *e, const char *name)
{
	size_t nasked;
	const char **asked = asked_names(e, &nasked);

	for (size_t i = 0; i < nasked; i++)
		if (!strcmp(asked[i], name))
			return true;
	return false;
}

/* The number of rows that were made more often; of equal ones those before. */
static size_t rank_of(const struct result *rows, size_t count, size_t number)
{
	size_t rank = 0;

	for (size_t i = 0; i < count; i++)
		rank += rows[i].value > rows[number].value || (rows[i].value == rows[number].value && i < number);
	return rank;
}

/* Of a simulation, where --syscalls asks: what it names, and with SUM the most frequent ones. */
static void name_calls(struct evaluation *e, struct result *all, struct result *rows, size_t count)
{
	const char *asked = e->counts->question.calls;
	size_t nasked, nwords = 0;

	if (!asked)
		return;
	asked_names(e, &nasked);
	for (const char *part; text_next(&asked, ",", &part) > 0;)
		nwords++;
	all->is_named = true;
	for (size_t i = 0; i < count; i++)
		rows[i].is_named = per_call_is_listed(e, rows[i].metric->name + strlen(ALL_CALLS ".")) ||
				   (nwords > nasked && rank_of(rows, count, i) < MOST_SHOWN);
}

static void add_calls(struct evaluation *e, struct result *all)
{
	struct report *report = e->report;
	size_t count, nwords;
	const char **names = find_names(e, &count), **words = asked_words(e, &nwords);
	bool *is_met = arena_array(e->arena, nwords + 1, sizeof(*is_met));
	size_t first = report->nmetrics;

	for (size_t i = 0; i < count; i++) {
		struct result result = call_result(e, all, names[i]);

		if (!nwords || is_asked(words, is_met, nwords, result.metric->name))
			report->metrics[report->nmetrics++] = result;
	}
	for (size_t i = 0; i < nwords && e->repeat->calls; i++)
		if (!is_met[i])
			note_add(e, "%s: the program made no system call of that name.", words[i]);
	name_calls(e, all, report->metrics + first, report->nmetrics - first);
}

/* Counted by the kernel, for no formula of the CPU's: what a metric of them is like. */
static struct result *kernel_result(const struct evaluation *e)
{
	struct metric *metric = arena_alloc(e->arena, sizeof(*metric));
	struct result *result = arena_alloc(e->arena, sizeof(*result));

	*metric = (struct metric){ .name = ALL_CALLS,
				   .title = ALL_CALLS,
				   .path = ALL_CALLS,
				   .groups = "OS",
				   .domain = "",
				   .scale = 1,
				   .unit = "",
				   .parent = NO_PARENT,
				   .next_groups = "" };
	*result = (struct result){ .metric = metric, .quality = QUALITY_EXACT, .running = 1, .is_named = true };
	return result;
}

/* A "-" with the reason. */
static void add_missing(struct report *report, const struct result *like, const char *reason)
{
	struct result *result = &report->metrics[report->nmetrics++];

	*result = *like;
	result->quality = QUALITY_NONE;
	result->value = result->raw = result->running = NOT_COUNTED;
	result->reason = reason;
}

void per_call_fill(struct evaluation *e)
{
	struct report *report = e->report;
	const struct repeat *first = e->repeat;
	struct result *all = NULL;

	for (size_t i = 0; i < report->nmetrics && !all; i++)
		if (!strcmp(report->metrics[i].metric->name, ALL_CALLS))
			all = &report->metrics[i];
	if (!all && !e->model->is_simulated && (first->calls || first->no_calls))
		all = kernel_result(e);
	if (all && first->no_calls)
		add_missing(report, all, first->no_calls);
	else if (all)
		add_calls(e, all);
}
