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

/* ---- which of two causes is the worst ---- */

double own_value(const struct model *model, const struct result *nodes, size_t count, const struct result *node)
{
	double own = node->value;

	for (size_t i = 0; i < count; i++) {
		size_t parent = nodes[i].metric->parent;

		if (parent < model->count && &model->metrics[parent] == node->metric && isfinite(nodes[i].value))
			own -= nodes[i].value;
	}
	return own;
}

/* What was lost to a cause that was tried, in percent of the slots, and the bottleneck that has most of it. */
struct loss {
	const struct fix *fix;
	double percent, most;
	struct result *node; /* NULL: none is shown */
};

static struct loss loss_of(const struct evaluation *e, const struct fix *fix)
{
	struct loss loss = { .fix = fix };

	for (size_t i = 0; i < fix->nnodes; i++) {
		size_t number = (size_t)(fix->nodes[i] - e->model->metrics);
		struct result *node = &e->results[number];
		double own = own_value(e->model, e->results, e->model->nnodes, node);

		if (!isfinite(own))
			continue;
		loss.percent += own;
		if (own <= loss.most || !node->is_bottleneck || !e->shown[number] || result_is_impossible(node))
			continue;
		loss.most = own;
		loss.node = node;
	}
	return loss;
}

static bool has_node(const struct fix *fix, const struct metric *node)
{
	for (size_t i = 0; i < fix->nnodes; i++)
		if (fix->nodes[i] == node)
			return true;
	return false;
}

/* That of the worst node; without a fix where that was not tried. */
static struct loss worst_loss(const struct evaluation *e)
{
	const struct report *report = e->report;

	for (size_t i = 0; report->worst && i < report->nfixes; i++)
		if (has_node(&report->fixes[i], report->worst->metric))
			return loss_of(e, &report->fixes[i]);
	return (struct loss){ .fix = NULL };
}

#define CLOSE_POINTS 5.0 /* of the slots: shares that are closer do not say which cause is worth more */

/* Of the other causes that which would gain most, and is a bottleneck; without a fix: there is none. */
static struct loss find_rival(const struct evaluation *e, const struct loss *worst)
{
	for (size_t i = 0; i < e->report->nfixes; i++) { /* sorted by what they gain */
		struct loss loss = loss_of(e, &e->report->fixes[i]);

		if (loss.fix != worst->fix && loss.node && isfinite(loss.fix->speedup))
			return loss;
	}
	return (struct loss){ .fix = NULL };
}

static double half_width(const struct fix *fix)
{
	return isnan(fix->ci95) ? 0 : fix->ci95;
}

static bool gains_more(const struct fix *a, const struct fix *b)
{
	return a->speedup - half_width(a) > b->speedup + half_width(b) + LEAST_LOSS;
}

static const char *fixed_text(const struct evaluation *e, const struct loss *loss)
{
	return arena_printf(e->arena, "%.2fx without %s (%.1f %% of the slots)", loss->fix->speedup,
			    loss->node->metric->title, loss->percent);
}

/* What was tried knows better than shares what a cause is worth; where these are far apart and agree, it is no news. */
static void decide_worst(struct evaluation *e)
{
	struct loss worst = worst_loss(e), other = { .fix = NULL };
	bool is_other, is_close;

	if (worst.fix && worst.node && isfinite(worst.fix->speedup))
		other = find_rival(e, &worst);
	if (!other.fix)
		return;
	is_close = fabs(other.percent - worst.percent) <= CLOSE_POINTS;
	is_other = gains_more(other.fix, worst.fix);
	if (!is_close && !is_other)
		return;
	e->is_decided = true;
	note_add(e, "%s, and {what-if} decides: %s, %s; so %s is %s.",
		 is_close ? "Two causes lost about as much" : "A smaller share is worth more", fixed_text(e, &other),
		 fixed_text(e, &worst), (is_other ? other : worst).node->metric->title,
		 is_other ? "the worst" : "still the worst");
	if (is_other)
		lead_to(e, other.node);
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
	decide_worst(e);
	for (size_t i = 0; i < report->nfixes; i++)
		note_slower(e, &report->fixes[i]);
}
