/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fixes.c - what each node's cause costs by itself: the modelled cycles by those of a simulation without it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/evaluate/evaluation.h"

#define CYCLES "core.cycles"

/* Of the run that the trials repeat, which is the first. */
static double modelled_cycles(const struct evaluation *e)
{
	const struct repeat *repeat = &e->counts->repeats[0];

	for (size_t i = 0; i < repeat->count; i++)
		if (!strcmp(repeat->items[i].event, CYCLES))
			return repeat->items[i].value;
	return NOT_COUNTED;
}

static void take_node(struct evaluation *e, struct fix *fix, const char *name)
{
	for (size_t i = 0; i < e->model->nnodes; i++) {
		if (strcmp(e->model->metrics[i].name, name) != 0)
			continue;
		fix->nodes[fix->nnodes++] = &e->model->metrics[i];
		e->results[i].if_fixed = fix->speedup > 0 ? fix->speedup : 0;
	}
}

static int by_gain(const void *a, const void *b)
{
	const struct fix *first = a, *second = b;

	return (first->speedup < second->speedup) - (first->speedup > second->speedup);
}

#define LEAST_LOSS 0.005 /* of a speed-up, from which it is worth a word */

static const struct fix *fix_named(const struct report *report, const char *name)
{
	for (size_t i = 0; i < report->nfixes; i++)
		if (!strcmp(report->fixes[i].name, name))
			return &report->fixes[i];
	return NULL;
}

/*
 * Without a cause nothing should take longer; and what has all data at one level gains no less than what has it at the
 * next one. Where that is not so a sample, or what the model does with the time won, is to blame.
 */
static void note_doubtful(struct evaluation *e)
{
	static const char *const levels[] = { "l1", "l2", "l3" };
	const struct report *report = e->report;

	for (size_t i = 0; i < report->nfixes; i++)
		if (report->fixes[i].speedup < 1 - LEAST_LOSS)
			note_add(e,
				 "{what-if} %s came out slower, which it can't be: take it for no gain, or model all "
				 "instructions ({sim-sample} 1).",
				 report->fixes[i].name);
	for (size_t i = 0; i + 1 < COUNT_OF(levels); i++) {
		const struct fix *near = fix_named(report, levels[i]), *far = fix_named(report, levels[i + 1]);

		if (near && far && near->speedup < far->speedup - LEAST_LOSS)
			note_add(e,
				 "{what-if} %s came out as less than %s, which it can't be: take %s for both, or model "
				 "all instructions ({sim-sample} 1).",
				 near->name, far->name, far->name);
	}
}

void fixes_fill(struct evaluation *e)
{
	const struct counts *counts = e->counts;
	struct report *report = e->report;
	double before = modelled_cycles(e);

	report->fixes = arena_array(e->arena, counts->ntrials + 1, sizeof(*report->fixes));
	for (size_t i = 0; i < counts->ntrials; i++) {
		const struct tried *trial = &counts->trials[i];
		struct fix *fix = &report->fixes[report->nfixes++];

		*fix = (struct fix){ .name = trial->name,
				     .what = trial->what,
				     .nodes = arena_array(e->arena, trial->nnodes + 1, sizeof(const struct metric *)),
				     .cycles = trial->cycles,
				     .speedup = trial->cycles > 0 ? before / trial->cycles : NOT_COUNTED };
		for (size_t k = 0; k < trial->nnodes; k++)
			take_node(e, fix, trial->nodes[k]);
	}
	if (report->nfixes)
		qsort(report->fixes, report->nfixes, sizeof(*report->fixes), by_gain);
	note_doubtful(e);
}
