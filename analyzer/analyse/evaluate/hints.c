/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hints.c - what to do next: the worst node's own locating events, and the actions that look closer. */
#include <math.h>
#include <string.h>

#include "analyse/evaluate/evaluation.h"
#include "analyse/hotspots/hotspots.h"
#include "analyse/hotspots/locating.h"
#include "analyse/verdict/headline.h"
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

/* ---- actions ---- */

/* The same measurement with another question. A simulation has lines at once, which a closer look wants next. */
static struct action measure_with(const struct evaluation *e, const struct action *more)
{
	struct action action = *more;

	action.kind = ACTION_MEASURE;
	action.origin = &e->counts->origin;
	action.is_simulated = action.question.wants_lines = e->model->is_simulated;
	return action_make(&action, e->arena);
}

/* These counts with another question. */
static struct action report_with(const struct evaluation *e, const struct question *question)
{
	struct action action = { .kind = ACTION_REPORT, .origin = &e->counts->origin, .question = *question };

	if (e->model->is_simulated && e->counts->has_lines)
		action.question.wants_lines = true;
	return action_make(&action, e->arena);
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

/* Down to a level; of the worst node alone, where only a part of the tree was asked for. */
static struct question down_to(const struct evaluation *e, const struct metric *worst, unsigned level)
{
	if (e->is_selected)
		return (struct question){ .nodes = arena_printf(e->arena, "%s^/%u", worst->title, level) };
	return (struct question){ .level = level };
}

/* The worst node's source lines. A measurement with lines goes to the leaves by itself; counts have their level. */
static struct action look_at_lines(const struct evaluation *e, const struct metric *worst, unsigned counted)
{
	bool is_there = e->counts->has_lines && e->counts->origin.file;
	struct question question = { .nodes = e->is_selected ? worst->title : NULL };

	if (!e->is_selected && is_there && counted)
		question = down_to(e, worst, counted);
	return is_there ? report_with(e, &question) : measure_with(e, &(struct action){ .question = question });
}

#define CLOSE_POINTS 5.0 /* of two causes: their shares do not say which is worth more */

static bool is_leaf(const struct evaluation *e, size_t node)
{
	for (size_t i = 0; i < e->model->nnodes; i++)
		if (e->shown[i] && e->results[i].is_bottleneck && e->model->metrics[i].parent == node)
			return false;
	return true;
}

static bool is_as_bad(const struct evaluation *e, size_t node)
{
	const struct result *result = &e->results[node], *worst = e->report->worst;
	const char *partner = cause_partner(worst->metric->name);

	return e->shown[node] && result->is_bottleneck && result != worst && is_leaf(e, node) &&
	       !is_useful_work(result) && (!partner || strcmp(partner, result->metric->name) != 0) &&
	       compare_texts(result->metric->domain, worst->metric->domain) == 0 &&
	       fabs(cause_value(e, result) - cause_value(e, worst)) < CLOSE_POINTS;
}

/* Two causes lost about as much, and simulations without each have not been made: those would decide. */
static bool is_undecided(const struct evaluation *e)
{
	const struct counts *counts = e->counts;

	if (!e->report->worst || !e->model->is_simulated || e->is_selected || counts->ntrials || counts->nrepeats > 1 ||
	    counts->origin.part || counts->origin.is_flat || e->report->start_note || is_useful_work(e->report->worst))
		return false;
	for (size_t i = 0; i < e->model->nnodes; i++)
		if (is_as_bad(e, i))
			return true;
	return false;
}

/*
 * As deep as these counts reach, "topdown report -l4 run.json"; else one level more, "topdown -l4 ./prog". A simulation
 * counts everything at once: its next question is where. None: there is no worst node, or all below it is shown.
 */
static struct action look_closer(const struct evaluation *e)
{
	const struct metric *worst = e->report->worst ? e->report->worst->metric : NULL;
	bool lacks_lines = worst && e->model->is_simulated && !question_is_where(&e->counts->question);
	unsigned level = worst ? open_level(e, worst) : 0, counted = level ? counted_level(e, worst) : 0;
	bool is_counted = e->counts->origin.file && counted >= level;
	struct question deeper;

	if (is_undecided(e))
		return measure_with(e, &(struct action){ .tries_causes = true });
	if (lacks_lines && (!level || e->counts->has_lines))
		return look_at_lines(e, worst, counted);
	if (!level)
		return (struct action){ .kind = ACTION_NONE };
	deeper = down_to(e, worst, is_counted ? counted : level);
	if (is_counted)
		return report_with(e, &deeper);
	return lacks_lines ? look_at_lines(e, worst, counted) : measure_with(e, &(struct action){ .question = deeper });
}

/* The same measurement once more; none: numbers from elsewhere do not say how they were made. */
static struct action measure_again(const struct evaluation *e)
{
	const struct origin *origin = &e->counts->origin;
	const struct question *asked = &e->counts->question;
	unsigned level = origin->level ? origin->level : asked->level;
	size_t repeats = e->counts->nrepeats;

	if (origin->is_flat || !origin->tool_version)
		return (struct action){ .kind = ACTION_NONE };
	if (e->model->is_simulated && level >= DEEPEST_LEVEL)
		level = 0; /* which it has anyway */
	return measure_with(e, &(struct action){ .question = { .level = asked->nodes ? 0 : level,
							       .nodes = asked->nodes,
							       .groups = asked->groups,
							       .metrics = asked->metrics,
							       .events = asked->events,
							       .wants_causes = asked->wants_causes },
						 .repeats = repeats > 1 ? repeats : 0 });
}

/* Where the worst node is: in the profile that is there, or by sampling. */
static struct action sample_worst(const struct evaluation *e)
{
	const struct origin *origin = &e->counts->origin;
	const struct action action = { .kind = ACTION_SAMPLE,
				       .origin = origin,
				       .question = { .nodes = e->report->worst->metric->title } };

	if (origin->has_profile && origin->file)
		return report_with(e, &(struct question){ .wants_lines = true });
	return action_make(&action, e->arena);
}

struct action hints_count_metrics(const struct evaluation *e, const char *names)
{
	const struct action action = { .kind = names && !e->model->is_simulated ? ACTION_METRICS : ACTION_NONE,
				       .origin = &e->counts->origin,
				       .question = { .metrics = names } };

	return action_make(&action, e->arena);
}

/* How to see whether a change helped. A session that is there is what the next one is compared with. */
static void fill_validation(const struct evaluation *e)
{
	const struct origin *origin = &e->counts->origin;
	const struct select_request *asked = &e->report->asked;
	struct action again = { .question = { .nodes = asked->nodes,
					      .groups = asked->groups,
					      .metrics = asked->metrics,
					      .wants_causes = asked->wants_causes },
				.save = "before.json" };
	struct action compare = { .kind = ACTION_COMPARE, .before = "before.json", .after = "after.json" };

	if (!e->model->is_simulated && (asked->level || !is_selecting(asked)))
		again.question.level = e->report->level;
	if (!origin->is_flat && origin->file && *origin->file)
		compare.before = origin->file;
	else
		e->report->actions.before = measure_with(e, &again);
	again.save = "after.json";
	e->report->actions.again = measure_with(e, &again);
	e->report->actions.compare = action_make(&compare, e->arena);
}

/* ---- what perf can record of it ---- */

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
	const char *behind = perf_options[selector->kind].behind, *program = action_program(origin);
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

	report->actions.repeat = measure_again(e);
	report->actions.look_closer = look_closer(e);
	fill_validation(e);
	if (count && !question_is_where(&e->counts->question))
		report->actions.sample = sample_worst(e);
	report->next = arena_array(e->arena, MOST_LOCATING, sizeof(*report->next));
	for (size_t i = 0; i < count; i++)
		if (make_hint(e, &report->next[report->nnext], &events[i]))
			report->nnext++;
}
