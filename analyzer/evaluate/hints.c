/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hints.c - what to sample next: the worst node's own locating events as a perf record command that can be pasted. */
#include <string.h>

#include "evaluate/internal.h"

#define MAX_HINTS      3
#define DEFAULT_PERIOD 1000003 /* a prime, where the vendor publishes no SampleAfterValue */

static const struct metric *parent_of(const struct evaluation *e, const struct metric *metric)
{
	return metric->parent == NO_PARENT ? NULL : &e->model->metrics[metric->parent];
}

/* "ppp" where only precise samples are right, "pp" where they can be had, with "u" when the kernel was out of scope. */
static const char *modifier(const struct evaluation *e, unsigned precise)
{
	bool is_user = e->counts->scope && !strcmp(e->counts->scope, "user");

	if (precise > 1)
		return is_user ? "uppp" : "ppp";
	if (precise == 1)
		return is_user ? "upp" : "pp";
	return is_user ? "u" : "";
}

static const char *perf_event(const struct evaluation *e, const struct event_row *row, uint64_t period)
{
	struct event_set set;
	struct error err = { 0 };
	const char *text, *slash;
	size_t number;

	event_set_init(&set, e->model->database, e->model->events.pmu, e->model->events.smt_on, e->arena);
	number = event_set_add(&set, row->name, &err);
	if (number == TABLE_NONE)
		return NULL;
	text = event_perf_string(&set.events[number], set.pmu, "", e->arena);
	slash = strrchr(text, '/');
	return arena_printf(e->arena, "%.*s,name=%s,period=%llu/%s", (int)(slash - text), text, row->name,
			    (unsigned long long)period, modifier(e, row->precise));
}

/* What is to be measured again, and how: "./prog", "-p 123", "-D 100 -a ./prog". */
static const char *again(const struct evaluation *e)
{
	const struct counts *counts = e->counts;
	const char *parts[] = { counts->options, counts->selector, counts->command };
	struct string text = STRING_INIT(e->arena);

	if (!counts->selector && !counts->command)
		parts[COUNT_OF(parts) - 1] = "./prog";
	for (size_t i = 0; i < COUNT_OF(parts); i++)
		if (parts[i])
			string_printf(&text, "%s%s", text.length ? " " : "", parts[i]);
	return text.text;
}

/* perf record's spelling of what topdown's options select; the cgroup has to follow its event. */
static const struct selector {
	const char *option, *before, *behind;
} selectors[] = {
	/* clang-format off */
	{ "-p",       "-p ", "" },
	{ "--tid",    "-t ", "" },
	{ "-a",       "-a",  "" },
	{ "-C",       "-C ", "" },
	{ "--cgroup", "-a",  " -G " },
	/* clang-format on */
};

static const struct selector *find_selector(const char *text)
{
	for (size_t i = 0; text && i < COUNT_OF(selectors); i++)
		if (!strncmp(text, selectors[i].option, strlen(selectors[i].option)))
			return &selectors[i];
	return NULL;
}

static const char *record_command(const struct evaluation *e, const char *event, const char *data)
{
	static const struct selector none = { "", "", "" };
	const struct selector *selector = find_selector(e->counts->selector), *row = selector ? selector : &none;
	const char *list = selector ? strchr(e->counts->selector, ' ') : NULL, *command = e->counts->command;
	struct string text = STRING_INIT(e->arena);

	if (!command && !selector)
		command = "./prog";
	list = list ? list + 1 : "";
	string_printf(&text, "perf record %s%s%s%s", data, row->before, *row->behind ? "" : list, selector ? " " : "");
	string_printf(&text, "-e %s%s%s", event, row->behind, *row->behind ? list : "");
	string_printf(&text, "%s%s", command ? " -- " : "", command ? command : "");
	return text.text;
}

static bool make_hint(const struct evaluation *e, struct hint *hint, const struct metric *node, const char *event)
{
	const struct event_row *row = event_database_find(e->model->database, event);
	if (!row || row->unit || row->is_metric)
		return false;
	*hint = (struct hint){ .node = node, .event = row->name, .precise = row->precise ? row->precise + 1 : 0 };
	hint->period = row->period ? row->period : DEFAULT_PERIOD;
	hint->perf = perf_event(e, row, hint->period);
	if (!hint->perf)
		return false;
	hint->command = record_command(e, hint->perf, row->has_address ? "-d " : "");
	return true;
}

/* The same again with other options: of a simulation, which counts everything at once, from the file where it is in one. */
static const char *with_options(const struct evaluation *e, const char *options)
{
	const struct counts *counts = e->counts;
	const char *lines = e->model->is_simulated ? "--lines " : "";

	if (e->model->is_simulated && counts->file && counts->has_lines)
		return arena_printf(e->arena, "topdown report %s%s%s", lines, options, counts->file);
	return arena_printf(e->arena, "topdown %s%s%s%s", e->model->is_simulated ? "--pmu sim " : "", lines, options,
			    again(e));
}

/* One level more, where the model can still divide the worst node: of it alone, where only a part of the tree was asked for. */
static const char *closer_command(const struct evaluation *e)
{
	const struct result *worst = e->report->worst;

	if (!worst)
		return NULL;
	/* Everything is simulated at once, so that the next question is where; --lines goes to the leaves by itself. */
	if (e->model->is_simulated && !e->counts->wants_lines)
		return with_options(e,
				    e->is_selected ? arena_printf(e->arena, "--nodes %s ", worst->metric->title) : "");
	for (size_t i = 0; i < e->model->nnodes; i++) {
		const struct metric *metric = &e->model->metrics[i];

		if (e->shown[i] || metric->parent != (size_t)(worst->metric - e->model->metrics))
			continue;
		return with_options(e, e->is_selected ? arena_printf(e->arena, "--nodes '%s^/%u' ",
								     worst->metric->title, metric->level)
						      : arena_printf(e->arena, "-l%u ", metric->level));
	}
	return NULL;
}

/*
 * The events of the worst node, or of its nearest ancestor that has some that this CPU can sample. Where the vendor names none
 * on the whole path, cycles tell at least where the time goes.
 */
void hints_fill(struct evaluation *e)
{
	struct report *report = e->report;
	const struct metric *node = report->worst ? report->worst->metric : NULL;

	report->closer = closer_command(e);
	report->next = arena_array(e->arena, MAX_HINTS, sizeof(*report->next));
	if (e->model->is_simulated)
		return; /* perf knows nothing of these events */
	for (; node && !report->nnext; node = parent_of(e, node))
		for (size_t i = 0; i < node->nsamples && report->nnext < MAX_HINTS; i++)
			if (make_hint(e, &report->next[report->nnext], node, node->samples[i]))
				report->nnext++;
	if (report->worst && !report->nnext && e->model->database->cycles &&
	    make_hint(e, &report->next[0], report->worst->metric, e->model->database->cycles))
		report->nnext++;
}
