/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * evaluate_fixture.h - counts of the small CPU (fixtures/small), written as text, and their report.
 *
 *   "CYCLES=1000 FRONT=400; run=1 share=0.5 wall=2 cpu=1.5 CYCLES=2000 DONE=never BACK=refused"
 *
 * Groups are parted by "; ". A group is counted in run `run` (from 0), on its counters for `share` of the time;
 * wall and cpu are the run's seconds, status is how it ended, and with cut=1 topdown ended it. Counts are as the collector hands them on: scaled to the whole time.
 */
#ifndef TOPDOWN_TEST_EVALUATE_FIXTURE_H
#define TOPDOWN_TEST_EVALUATE_FIXTURE_H

#include "model_fixture.h"

#include "analyse/evaluate/evaluate.h"
#include "common/base/text.h"

#define REFUSAL	  "the kernel said no"
#define LITTLE	  "that was not long enough"
#define MOST_RUNS 8

struct evaluated {
	struct loaded loaded;
	struct counts counts;
	struct report report;
	struct repeat repeat;
	struct count_run runs[MOST_RUNS];
	struct count items[64];
	double share; /* of the group that is being read */
	size_t run;
};

/* What may differ from a plain evaluation. */
struct evaluate_request {
	const char *counts;
	unsigned level;
	bool smt_on;
	const char *scope, *command, *asked;
	const char *nodes, *metrics; /* lists that select */
	const char *options, *selector;
	const char *file; /* that has the counts; NULL: none */
	unsigned max_precise;
};

static inline void evaluated_add(struct evaluated *e, const char *name, const char *text)
{
	struct count *item = &e->items[e->repeat.count++];

	*item = (struct count){ .event = name, .group = e->repeat.ngroups - 1, .run = e->run, .value = (double)NAN };
	item->enabled_ns = 1000000;
	item->running_ns = (uint64_t)(e->share * 1e6);
	if (!strcmp(text, "never")) {
		item->state = COUNT_NEVER_RAN;
		item->running_ns = 0;
	} else if (!strcmp(text, "idle")) {
		item->state = COUNT_NEVER_RAN;
		item->enabled_ns = item->running_ns = 0;
	} else if (!strcmp(text, "withheld")) {
		item->state = COUNT_WITHHELD;
		item->reason = LITTLE;
	} else if (!strcmp(text, "refused")) {
		item->state = COUNT_REFUSED;
		item->reason = REFUSAL;
		item->enabled_ns = item->running_ns = 0;
	} else if (!text_double(text, &item->value)) {
		fail_msg("'%s' is no count", text);
	}
}

static inline void evaluated_word(struct evaluated *e, const char *name, const char *value)
{
	double number = 0;
	bool is_number = text_double(value, &number);

	if (!strcmp(name, "share") && is_number)
		e->share = number;
	else if (!strcmp(name, "run") && is_number)
		e->run = (size_t)number;
	else if (!strcmp(name, "wall") && is_number)
		e->runs[e->run].wall_s = number;
	else if (!strcmp(name, "cpu") && is_number)
		e->runs[e->run].cpu_s = number;
	else if (!strcmp(name, "status") && is_number)
		e->runs[e->run].status = (int)number;
	else if (!strcmp(name, "attached") && is_number)
		e->counts.origin.target = "process 1";
	else if (!strcmp(name, "cut") && is_number)
		e->runs[e->run].is_cut = number != 0;
	else
		evaluated_add(e, name, value);
	if (e->run >= e->repeat.nruns)
		e->repeat.nruns = e->run + 1;
}

static inline void evaluated_group(struct evaluated *e, const char *text)
{
	const char *part;
	size_t length;

	e->repeat.ngroups++;
	e->share = 1;
	e->run = 0;
	while ((length = text_next(&text, " ", &part)) > 0) {
		char *word = arena_strndup(&e->loaded.arena, part, length), *equals = strchr(word, '=');

		assert_non_null(equals);
		*equals = '\0';
		evaluated_word(e, word, equals + 1);
	}
}

/* Does not move. Released with evaluated_release. */
static inline void evaluated_init(struct evaluated *e, const struct evaluate_request *request)
{
	const char *cursor = request->counts, *part;
	size_t length;

	*e = (struct evaluated){ .share = 1 };
	loaded_init(&e->loaded, &(struct loaded_request){ .events = "tests/unit/fixtures/small/events.json",
							  .model = "tests/unit/fixtures/small/model.json",
							  .smt_on = request->smt_on,
							  .asked = request->asked });
	e->loaded.database.max_precise = request->max_precise;
	e->repeat = (struct repeat){ .runs = e->runs, .items = e->items };
	e->counts = (struct counts){ .repeats = &e->repeat, .nrepeats = 1 };
	e->counts.origin.cpu = "small";
	e->counts.origin.scope = request->scope;
	e->counts.origin.command = request->command;
	e->counts.origin.options = request->options;
	e->counts.origin.file = request->file;
	if (request->selector && !selector_parse(&e->counts.origin.selector, request->selector, &e->loaded.arena))
		fail_msg("'%s' selects nothing", request->selector);
	e->counts.question.level = request->level;
	e->counts.question.nodes = request->nodes;
	e->counts.question.metrics = request->metrics;
	for (size_t i = 0; i < MOST_RUNS; i++)
		e->runs[i] = (struct count_run){ .wall_s = (double)NAN, .cpu_s = (double)NAN };
	while ((length = text_next(&cursor, ";", &part)) > 0)
		evaluated_group(e, arena_strndup(&e->loaded.arena, part, length));
	if (evaluate(&e->report, &e->loaded.model, &e->counts, &e->loaded.arena, &e->loaded.err) < 0)
		fail_msg("%s: %s", request->counts, e->loaded.err.text);
}

static inline void evaluated_release(struct evaluated *e)
{
	loaded_release(&e->loaded);
}

/* The row of the report by title; the test fails when there is none. */
static inline const struct result *evaluated_row(const struct evaluated *e, const char *title)
{
	for (size_t i = 0; i < e->report.nnodes; i++)
		if (!strcmp(e->report.nodes[i].metric->title, title))
			return &e->report.nodes[i];
	for (size_t i = 0; i < e->report.nmetrics; i++)
		if (!strcmp(e->report.metrics[i].metric->title, title))
			return &e->report.metrics[i];
	fail_msg("no row %s", title);
	return NULL;
}

#endif
