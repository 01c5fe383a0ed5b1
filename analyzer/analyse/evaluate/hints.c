/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hints.c - what to do next: the worst node's own locating events, and the commands that a user can paste. */
#include <string.h>

#include "analyse/evaluate/evaluation.h"
#include "analyse/hotspots/hotspots.h"
#include "analyse/hotspots/locating.h"
#include "common/base/text.h"

static const struct metric *hints_parent_of(const struct evaluation *e, const struct metric *metric)
{
	return metric->parent == NO_PARENT ? NULL : &e->model->metrics[metric->parent];
}

/* A p for each level, with "u" when the kernel was out of scope. */
static const char *modifier(const struct evaluation *e, unsigned precise)
{
	bool is_user = e->counts->origin.scope && !strcmp(e->counts->origin.scope, "user");

	return arena_printf(e->arena, "%s%.*s", is_user ? "u" : "", (int)precise, "ppp");
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
			    (unsigned long long)period, modifier(e, locating_precise(e->model->database, row)));
}

/* ---- commands ---- */

/* What was measured, or a word for a program that nobody knows; NULL: it was no program. */
static const char *program_of(const struct origin *origin)
{
	return !origin->command && origin->selector.kind == SUBJECT_PROGRAM ? "PROGRAM" : origin->command;
}

static void add_word(struct string *text, const char *word)
{
	if (word && *word)
		string_printf(text, "%s%s", text->length ? " " : "", word);
}

/* The same measurement with other options, "topdown -l3 -D 100 -a ./prog". */
static const char *measure_with(const struct evaluation *e, const char *options)
{
	const struct origin *origin = &e->counts->origin;
	struct string text = STRING_INIT(e->arena);

	add_word(&text, e->model->is_simulated ? arena_worded(e->arena, "topdown {pmu} sim {lines}") : "topdown");
	add_word(&text, options);
	add_word(&text, origin->options);
	add_word(&text, selector_text(&origin->selector, e->arena));
	add_word(&text, program_of(origin));
	return text.text;
}

/* These counts with other options, which costs no run: "topdown report -l3 run.json". */
static const char *report_with(const struct evaluation *e, const char *options)
{
	struct string text = STRING_INIT(e->arena);

	add_word(&text, "topdown report");
	if (e->model->is_simulated && e->counts->has_lines)
		add_word(&text, arena_worded(e->arena, "{lines}"));
	add_word(&text, options);
	add_word(&text, e->counts->origin.file);
	return text.text;
}

/* Can the node be computed on this CPU, and is it below the other one? */
static bool is_below(const struct evaluation *e, size_t node, const struct metric *above)
{
	const struct metric *metric = &e->model->metrics[node];

	while (metric && metric != above)
		metric = hints_parent_of(e, metric);
	return metric && &e->model->metrics[node] != above && !e->model->metrics[node].failure;
}

/* Was it never to be counted? What was missing once would be missing again. */
static bool is_unasked(const struct evaluation *e, size_t node)
{
	return e->context_of[node] == TABLE_NONE && !e->is_selected &&
	       e->model->metrics[node].level > e->counts->origin.level;
}

/* The children's level, where the report does not show them all, or none of them was asked for; 0 otherwise. */
static unsigned open_level(const struct evaluation *e, const struct metric *node)
{
	size_t hidden = 0, unasked = 0, children = 0;

	for (size_t i = 0; i < e->model->nnodes; i++) {
		if (hints_parent_of(e, &e->model->metrics[i]) != node || e->model->metrics[i].failure)
			continue;
		hidden += !e->shown[i];
		unasked += is_unasked(e, i);
		children++;
	}
	return hidden || (children && unasked == children) ? node->level + 1 : 0;
}

/* Down to which level these counts give all that is below the node. */
static unsigned counted_level(const struct evaluation *e, const struct metric *node)
{
	unsigned deepest = 0, limit = DEEPEST_LEVEL;

	for (size_t i = 0; i < e->model->nnodes; i++) {
		unsigned level = e->model->metrics[i].level;

		if (!is_below(e, i, node))
			continue;
		deepest = level > deepest ? level : deepest;
		if (e->context_of[i] == TABLE_NONE && level <= limit)
			limit = level - 1;
	}
	return deepest < limit ? deepest : limit;
}

/* Of the worst node alone, where only a part of the tree was asked for. */
static const char *level_option(const struct evaluation *e, const struct metric *worst, unsigned level)
{
	return e->is_selected ? arena_worded(e->arena, "{nodes} '%s^/%u'", worst->title, level)
			      : arena_worded(e->arena, "{l}%u", level);
}

/* The worst node's source lines. A measurement with --lines goes to the leaves by itself; counts have their level. */
static const char *command_for_lines(const struct evaluation *e, const struct metric *worst, unsigned counted)
{
	bool is_there = e->counts->has_lines && e->counts->origin.file;
	const char *options = "";

	if (e->is_selected)
		options = arena_worded(e->arena, "{nodes} %s", worst->title);
	else if (is_there && counted)
		options = level_option(e, worst, counted);
	return is_there ? report_with(e, options) : measure_with(e, options);
}

/*
 * As deep as these counts reach, "topdown report -l4 run.json"; else one level more, "topdown -l4 ./prog". A simulation
 * counts everything at once: its next question is where. NULL: there is no worst node, or all below it is shown.
 */
static const char *command_to_look_closer(const struct evaluation *e)
{
	const struct metric *worst = e->report->worst ? e->report->worst->metric : NULL;
	bool lacks_lines = worst && e->model->is_simulated && !question_is_where(&e->counts->question);
	unsigned level = worst ? open_level(e, worst) : 0, counted = level ? counted_level(e, worst) : 0;

	if (lacks_lines && (!level || e->counts->has_lines))
		return command_for_lines(e, worst, counted);
	if (!level)
		return NULL;
	if (e->counts->origin.file && counted >= level)
		return report_with(e, level_option(e, worst, counted));
	return lacks_lines ? command_for_lines(e, worst, counted) : measure_with(e, level_option(e, worst, level));
}

/* An option with a list, quoted for a shell; "" without one. */
static const char *list_option(const struct evaluation *e, const char *option, const char *list)
{
	struct string text = STRING_INIT(e->arena);

	if (!list)
		return "";
	string_printf(&text, "%s ", option);
	string_add_shell_word(&text, list);
	return text.text;
}

/* The same measurement once more; NULL: numbers from elsewhere do not say how they were made. */
static const char *command_to_repeat(const struct evaluation *e)
{
	const struct origin *origin = &e->counts->origin;
	const struct question *question = &e->counts->question;
	unsigned level = origin->level ? origin->level : question->level;
	struct string options = STRING_INIT(e->arena);

	if (origin->is_flat || !origin->tool_version)
		return NULL;
	if (level && !question->nodes)
		add_word(&options, arena_worded(e->arena, "{l}%u", level));
	add_word(&options, list_option(e, arena_worded(e->arena, "{nodes}"), question->nodes));
	add_word(&options, list_option(e, arena_worded(e->arena, "{groups}"), question->groups));
	add_word(&options, list_option(e, arena_worded(e->arena, "{metrics}"), question->metrics));
	add_word(&options, list_option(e, arena_worded(e->arena, "{e}"), question->events));
	add_word(&options, question->wants_causes ? arena_worded(e->arena, "{B}") : "");
	if (e->counts->nrepeats > 1)
		add_word(&options, arena_worded(e->arena, "{r} %zu", e->counts->nrepeats));
	return measure_with(e, options.text);
}

/* perf record's options for whose work is sampled: before the list, and where it has to follow the event. */
static const struct {
	const char *before, *behind;
} perf_options[] = {
	/* clang-format off */
	[SUBJECT_PROGRAM]   = { "",    "" },
	[SUBJECT_PROCESSES] = { "-p ", "" },
	[SUBJECT_THREADS]   = { "-t ", "" },
	[SUBJECT_CPUS]      = { "-C ", "" },
	[SUBJECT_CGROUP]    = { "-a ", " -G " },
	/* clang-format on */
};

/* "perf record -d -e ... -- ./prog"; data: "-d ", where the samples have addresses, or "". */
static const char *command_to_record(const struct evaluation *e, const char *event, const char *data)
{
	const struct origin *origin = &e->counts->origin;
	const struct selector *selector = &origin->selector;
	const char *behind = perf_options[selector->kind].behind, *program = program_of(origin);
	struct string text = STRING_INIT(e->arena);

	string_printf(&text, "perf record %s", data);
	if (selector->kind == SUBJECT_CPUS && !selector->list)
		string_add(&text, "-a ");
	else if (selector->list)
		string_printf(&text, "%s%s%s", perf_options[selector->kind].before, *behind ? "" : selector->list,
			      *behind ? "" : " ");
	string_printf(&text, "-e %s%s%s", event, behind, *behind ? selector->list : "");
	if (program)
		string_printf(&text, " -- %s", program);
	return text.text;
}

/* Where the worst node is: in the profile that is there, or by sampling. */
static const char *command_to_sample(const struct evaluation *e)
{
	const struct origin *origin = &e->counts->origin;
	const struct metric *worst = e->report->worst->metric;
	const char *scope = origin->scope ? origin->scope : "", *program = program_of(origin);
	struct string text = STRING_INIT(e->arena);

	if (origin->has_profile && origin->file)
		return report_with(e, arena_worded(e->arena, "{lines}"));
	add_word(&text, "topdown sample");
	add_word(&text, !strcmp(scope, "user")	   ? arena_worded(e->arena, "{u}")
			: !strcmp(scope, "kernel") ? arena_worded(e->arena, "{k}")
						   : "");
	add_word(&text, arena_worded(e->arena, "{nodes} %s", worst->title));
	add_word(&text, selector_text(&origin->selector, e->arena));
	if (program)
		string_printf(&text, " -- %s", program);
	return text.text;
}

const char *command_for_metrics(const struct evaluation *e, const char *names)
{
	const struct origin *origin = &e->counts->origin;
	struct string text = STRING_INIT(e->arena);

	if (e->model->is_simulated)
		return NULL;
	add_word(&text, "topdown metrics");
	add_word(&text, names);
	add_word(&text, origin->options);
	add_word(&text, selector_text(&origin->selector, e->arena));
	if (program_of(origin))
		string_printf(&text, " -- %s", program_of(origin));
	return text.text;
}

/* What was asked for, as options. */
static const char *asked_options(const struct evaluation *e)
{
	const struct select_request *asked = &e->report->asked;
	const struct {
		const char *option, *list;
	} lists[] = { { arena_worded(e->arena, "{nodes}"), asked->nodes },
		      { arena_worded(e->arena, "{groups}"), asked->groups },
		      { arena_worded(e->arena, "{metrics}"), asked->metrics } };
	struct string text = STRING_INIT(e->arena);

	for (size_t i = 0; i < COUNT_OF(lists); i++) {
		add_word(&text, list_option(e, lists[i].option, lists[i].list));
	}
	if (asked->wants_causes)
		add_word(&text, arena_worded(e->arena, "{B}"));
	if (asked->level || !text.length)
		add_word(&text, arena_worded(e->arena, "{l}%u", e->report->level));
	return text.text;
}

/* How to see whether a change helped. A session that is there is what the next one is compared with. */
static void fill_validation(const struct evaluation *e)
{
	const struct origin *origin = &e->counts->origin;
	const char *options = asked_options(e), *before = "before.json";

	if (!origin->is_flat && origin->file && *origin->file)
		before = origin->file;
	else
		e->report->before_command = measure_with(e, arena_worded(e->arena, "%s {save} before.json", options));
	e->report->again_command = measure_with(e, arena_worded(e->arena, "%s {save} after.json", options));
	e->report->compare_command = arena_printf(e->arena, "topdown compare %s after.json", before);
}

/* ---- hints ---- */

static bool make_hint(const struct evaluation *e, struct hint *hint, const struct locating_event *event)
{
	const struct event_row *row = event->row;

	*hint = (struct hint){ .node = event->node, .event = row->name, .precise = event->precise };
	hint->period = event->period ? event->period : DEFAULT_PERIOD;
	hint->perf = perf_event(e, row, hint->period);
	if (!hint->perf)
		return false;
	hint->command = command_to_record(e, hint->perf, row->has_address ? "-d " : "");
	return true;
}

/* Where the vendor names no event on the whole path, cycles show at least where the time goes. */
static size_t list_events(struct locating_event *events, const struct evaluation *e)
{
	const struct event_database *database = e->model->database;
	const struct event_row *cycles = database->cycles ? event_database_find(database, database->cycles) : NULL;
	const struct metric *worst = e->report->worst ? e->report->worst->metric : NULL;
	size_t count = worst ? locating_published(events, e->model, worst) : 0;

	if (worst && !count && cycles && is_locating(cycles))
		events[count++] = (struct locating_event){ .node = worst,
							   .row = cycles,
							   .period = cycles->period,
							   .precise = locating_precise(database, cycles) };
	return count;
}

void hints_fill(struct evaluation *e)
{
	struct locating_event events[MOST_LOCATING];
	struct report *report = e->report;
	size_t count = e->model->is_simulated ? 0 : list_events(events, e); /* perf knows nothing of these events */

	report->repeat_command = command_to_repeat(e);
	report->next_command = command_to_look_closer(e);
	fill_validation(e);
	if (count && !question_is_where(&e->counts->question))
		report->sample_command = command_to_sample(e);
	report->next = arena_array(e->arena, MOST_LOCATING, sizeof(*report->next));
	for (size_t i = 0; i < count; i++)
		if (make_hint(e, &report->next[report->nnext], &events[i]))
			report->nnext++;
}
