/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fixes.c - what each node's cause costs by itself: the modelled cycles by those of a simulation without it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/evaluate/evaluation.h"
#include "common/measurement/sampled_windows.h"

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

/*
 * Both numbers of cycles may be off by their intervals, each in its own direction: phases that gain most may be those
 * that windows met too often. So the parts are added, as a rule to more than needed: both runs have the same windows.
 */
static double speedup_ci95(const struct tried *trial, double speedup, double before)
{
	return speedup * (before + trial->cycles_ci95 / trial->cycles);
}

/* Half of the interval of the modelled cycles, as a part of them; NAN: nothing was sampled, or too little. */
static double modelled_error(const struct evaluation *e)
{
	struct sampled_windows windows;

	if (!sampled_windows_read(&windows, &e->counts->repeats[0]))
		return NOT_COUNTED;
	return sampled_windows_cycles_error(&windows);
}

#define LEAST_LOSS 0.005 /* of a speed-up, from which it is worth a word */

/*
 * Without a cause nothing should take longer. Where it does so beyond its interval, what the model does with the time
 * won is to blame: what is ready earlier may be in the way of others. A word with a value may mean a smaller part.
 */
static void note_slower(struct evaluation *e, const struct fix *fix)
{
	double most = fix->speedup + (isnan(fix->ci95) ? 0 : fix->ci95);

	if (most < 1 - LEAST_LOSS && !strchr(fix->name, '='))
		note_add(e, "{what-if} %s came out slower, %.2f times as fast: take it for no gain%s.", fix->name,
			 fix->speedup,
			 e->report->summary.is_sampled ? ", or model all instructions ({sim-sample} 1)" : "");
}

void fixes_fill(struct evaluation *e)
{
	const struct counts *counts = e->counts;
	struct report *report = e->report;
	double before = repeat_value(&counts->repeats[0], "core.cycles"), error = modelled_error(e);

	report->fixes = arena_array(e->arena, counts->ntrials + 1, sizeof(*report->fixes));
	for (size_t i = 0; i < counts->ntrials; i++) {
		const struct tried *trial = &counts->trials[i];
		struct fix *fix = &report->fixes[report->nfixes++];

		*fix = (struct fix){ .name = trial->name,
				     .what = trial->what,
				     .nodes = arena_array(e->arena, trial->nnodes + 1, sizeof(const struct metric *)),
				     .cycles = trial->cycles,
				     .speedup = trial->cycles > 0 ? before / trial->cycles : NOT_COUNTED };
		fix->ci95 = speedup_ci95(trial, fix->speedup, trial->cycles_ci95 > 0 ? error : NOT_COUNTED);
		for (size_t k = 0; k < trial->nnodes; k++)
			take_node(e, fix, trial->nodes[k]);
	}
	if (report->nfixes)
		qsort(report->fixes, report->nfixes, sizeof(*report->fixes), by_gain);
	for (size_t i = 0; i < report->nfixes; i++)
		note_slower(e, &report->fixes[i]);
}
