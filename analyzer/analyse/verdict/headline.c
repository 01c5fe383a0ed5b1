/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/verdict/headline.h"

#include <math.h>
#include <string.h>

#include "analyse/hotspots/sampled.h"
#include "common/base/text.h"

const char *const headline_kind_names[HEADLINE_KINDS] = {
	[HEADLINE_LOSS] = "loss",	[HEADLINE_USEFUL] = "useful",	[HEADLINE_START] = "start",
	[HEADLINE_EVEN] = "even",	[HEADLINE_NO_TREE] = "no-tree", [HEADLINE_UNKNOWN] = "unknown",
	[HEADLINE_SAMPLES] = "samples",
};

/* ---- the cause ---- */

static bool has_value(const struct result *node)
{
	return node->quality != QUALITY_NONE && isfinite(node->value);
}

static const struct result *node_named(const struct report *report, const char *name)
{
	for (size_t i = 0; name && i < report->nnodes; i++)
		if (!strcmp(report->nodes[i].metric->name, name))
			return has_value(&report->nodes[i]) ? &report->nodes[i] : NULL;
	return NULL;
}

/* Slots and clocks can't be added. */
static bool has_same_unit(const struct metric *one, const struct metric *other)
{
	return !strcmp(one->unit, other->unit) && compare_texts(one->domain, other->domain) == 0;
}

/* The node, and the other one that counts the same cause, if both have one unit: one number for one cause. */
static void take_cause(struct headline *headline, const struct report *report, const struct result *node)
{
	const struct result *partner = node_named(report, cause_partner(node->metric->name));

	headline->cause = cause_words(node->metric->name);
	headline->nodes[headline->nnodes++] = node;
	headline->value = node->value;
	if (!partner || !has_same_unit(partner->metric, node->metric))
		return;
	headline->nodes[headline->nnodes++] = partner;
	headline->value += partner->value;
}

/* ---- useful work ---- */

bool is_useful_work(const struct result *node)
{
	return has_name_prefix(node->metric->path, "Retiring");
}

static double useful_of(const struct report *report)
{
	for (size_t i = 0; i < report->nnodes; i++)
		if (report->nodes[i].metric->level == 1 && is_useful_work(&report->nodes[i]) &&
		    has_value(&report->nodes[i]))
			return report->nodes[i].value;
	return NAN;
}

#define MOSTLY_USEFUL 50 /* percent of the slots, where IPC is at least */
#define HIGH_IPC      3
#define LITTLE_LOST   20 /* percent: more is worth a look all the same */

static bool is_busy(const struct report *report, const struct headline *headline)
{
	return headline->useful >= MOSTLY_USEFUL && report->summary.ipc >= HIGH_IPC &&
	       !(headline->value >= LITTLE_LOST);
}

/* The worst node or, where that is useful work, the largest bottleneck that is a loss; NULL: there is none. */
static const struct result *largest_loss(const struct report *report)
{
	const struct result *largest = NULL;

	if (report->worst && !is_useful_work(report->worst))
		return report->worst;
	for (size_t i = 0; i < report->nnodes; i++) {
		const struct result *node = &report->nodes[i];

		if (node->is_bottleneck && has_value(node) && !is_useful_work(node) &&
		    !has_bottleneck_below(report, node) && (!largest || node->value > largest->value))
			largest = node;
	}
	return largest;
}

/* ---- what it would bring ---- */

#define LEAST_GAIN 1.01

static double speedup_of(const struct report *report, const struct headline *headline)
{
	for (size_t i = 0; headline->nnodes && i < report->nfixes; i++)
		for (size_t k = 0; k < report->fixes[i].nnodes; k++)
			if (report->fixes[i].nodes[k] == headline->nodes[0]->metric)
				return report->fixes[i].speedup >= LEAST_GAIN ? report->fixes[i].speedup : NAN;
	return NAN;
}

/* ---- where ---- */

/* A line with less of what its hottest function has is no place to begin: that function has no lines. */
#define LEAST_OF_FUNCTION 0.1

static const struct where_row *hottest_line(const struct where *where, const struct where_row *function)
{
	for (size_t i = 0; i < where->lines.count; i++) {
		const struct where_row *row = &where->lines.items[i];

		if (row->line && row->file)
			return row->self.percent < LEAST_OF_FUNCTION * function->self.percent ? NULL : row;
	}
	return NULL;
}

/* Is it known where the first node is, and not another one? Where nothing was counted it is time, or an event. */
static bool is_about(const struct where *where, const struct headline *headline, const struct report *report)
{
	return !report ||
	       (headline->nnodes && compare_texts(where->weighing->node, headline->nodes[0]->metric->name) == 0);
}

static void take_place(struct headline *headline, const struct where *where)
{
	const struct weighing *weighing = where->weighing;

	headline->has_few = !weighing->is_exact && !weighing->is_waiting && weighing->samples < ROUGH_SAMPLES;
	headline->samples = weighing->samples;
	if (headline->has_few)
		return;
	if (!where->functions.count || !(where->functions.items[0].self.percent > 0))
		return;
	headline->of = weighing->title;
	headline->function = &where->functions.items[0];
	headline->line = hottest_line(where, headline->function);
	if (headline->function->self.percent < HEADLINE_FLAT)
		headline->nfunctions = where->functions.count;
}

/* ---- all of it ---- */

static enum headline_kind headline_kind(const struct report *report, const struct headline *headline)
{
	bool is_measured = false;

	for (size_t i = 0; i < report->nnodes; i++)
		is_measured |= has_value(&report->nodes[i]);
	if (!report->nnodes)
		return HEADLINE_NO_TREE;
	if (!is_measured)
		return HEADLINE_UNKNOWN;
	if (report->start_note)
		return HEADLINE_START;
	if ((report->worst && is_useful_work(report->worst)) || is_busy(report, headline))
		return HEADLINE_USEFUL;
	return report->worst ? HEADLINE_LOSS : HEADLINE_EVEN;
}

struct headline headline_of(const struct report_set *set, const struct report *report)
{
	struct headline headline = { .kind = HEADLINE_SAMPLES, .value = NAN, .useful = NAN, .speedup = NAN };
	const struct hotspots *places = set->where;

	if (report) {
		const struct result *loss = largest_loss(report);

		if (loss)
			take_cause(&headline, report, loss);
		headline.useful = useful_of(report);
		headline.speedup = speedup_of(report, &headline);
		headline.has_waited = report->has_waited;
		headline.kernel = report->kernel_percent;
		headline.kind = headline_kind(report, &headline);
	}
	headline.has_few = set->sampled && !set->sampled->samples;
	if (places && places->count && (!report || report == set->parts) &&
	    is_about(&places->items[0], &headline, report))
		take_place(&headline, &places->items[0]);
	return headline;
}
