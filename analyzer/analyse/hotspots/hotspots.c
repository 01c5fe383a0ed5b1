/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/hotspots/hotspots.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/hotspots/line_profile.h"
#include "common/base/text.h"

static bool has_lines(const struct measurement *measured)
{
	return measured->count && measured->parts[0].has_lines;
}

bool has_hotspots(const struct measurement *measured)
{
	return (measured->profile && measured->profile->nrows) || has_lines(measured);
}

/* What the tables are of, while they are chosen. */
struct choice {
	const struct hotspots_request *request;
	const struct profile *profile;
	struct exact_rows exact; /* profile NULL: there are none */
	struct weighing *nodes;	 /* exact */
	size_t nnodes;
	struct weighings events;
	struct weighing *cycles; /* exact, of all rows; NULL: none */
	struct hotspots *where;
	struct arena *arena;
};

static void hotspots_add_remark(struct hotspots *where, const char *sentence, struct arena *arena)
{
	const char **remarks = arena_array(arena, where->nremarks + 1, sizeof(*remarks));

	for (size_t i = 0; i < where->nremarks; i++)
		remarks[i] = where->remarks[i];
	remarks[where->nremarks++] = sentence;
	where->remarks = remarks;
}

/* Rows of a profile, or lines alone where nothing else was kept. */
static void find_exact(struct choice *c)
{
	const struct measurement *measured = c->request->measured;
	const struct report_set *reports = c->request->reports;

	c->profile = measured->profile;
	if (!has_exact_rows(c->profile) && has_lines(measured) && (!c->profile || !c->profile->nrows))
		c->profile = profile_of_lines(&measured->parts[0], c->arena);
	if (has_exact_rows(c->profile) && reports->count)
		c->exact = (struct exact_rows){ .profile = c->profile,
						.counts = &measured->parts[0],
						.model = reports->parts[0].model };
}

static void weigh_node(struct choice *c, const struct result *node)
{
	size_t metric = (size_t)(node->metric - c->exact.model->metrics);

	if (node->quality != QUALITY_NONE && weighing_of_node(&c->nodes[c->nnodes], &c->exact, metric, c->arena))
		c->nnodes++;
}

/* The nodes that were asked for by name, or else the worst. */
static void weigh_nodes(struct choice *c)
{
	const struct report *report = &c->request->reports->parts[0];
	bool is_named = false;

	c->nodes = arena_array(c->arena, report->nnodes + 1, sizeof(*c->nodes));
	for (size_t i = 0; i < report->nnodes; i++) {
		if (!report->nodes[i].is_named)
			continue;
		is_named = true;
		weigh_node(c, &report->nodes[i]);
	}
	if (!is_named && report->worst)
		weigh_node(c, report->worst);
	if (!is_named && !report->worst)
		hotspots_add_remark(c->where,
				    arena_worded(c->arena, "No node is over its threshold, so this is where the "
							   "cycles are; {nodes} NAME chooses a node."),
				    c->arena);
	c->cycles = arena_alloc(c->arena, sizeof(*c->cycles));
	if (!weighing_of_cycles(c->cycles, &c->exact, c->arena))
		c->cycles = NULL;
}

static bool is_base(const struct weighing *weighing)
{
	return !weighing->node && (!strcmp(weighing->unit, "cycles") || !strcmp(weighing->unit, "ns"));
}

static const char *pmu_of(const struct choice *c, const struct weighing *weighing)
{
	return weighing->event == PROFILE_NONE ? NULL : c->profile->events[weighing->event].pmu;
}

/* Cycles, or time, of the same type of cores. */
static const struct weighing *hotspots_base_of(const struct choice *c, const struct weighing *weighing)
{
	if (weighing->is_exact)
		return c->cycles == weighing ? NULL : c->cycles;
	for (size_t i = 0; i < c->events.count; i++) {
		const struct weighing *base = &c->events.items[i];

		if (base != weighing && is_base(base) && base->samples &&
		    (!strcmp(base->unit, "ns") || compare_texts(pmu_of(c, base), pmu_of(c, weighing)) == 0))
			return is_base(weighing) ? NULL : base;
	}
	return NULL;
}

static int add_tables(struct choice *c, const struct weighing *weighing, struct error *err)
{
	const struct question *question = c->request->question;
	const struct where_request request = { .weighing = weighing,
					       .base = hotspots_base_of(c, weighing),
					       .filter = &question->filter,
					       .callers = question->callers };

	return where_fill(&c->where->items[c->where->count++], c->profile, &request, c->arena, err);
}

/* Does anything stand beside this base, so that it needs no tables of its own? */
static bool is_beside(const struct choice *c, const struct weighing *base)
{
	for (size_t i = 0; i < c->events.count; i++)
		if (c->events.items[i].samples && hotspots_base_of(c, &c->events.items[i]) == base)
			return true;
	return c->nnodes > 0;
}

/* Is it of a group that was read with samples, while the same event stands in a table already? */
static bool is_repeated(const struct choice *c, size_t number)
{
	bool is_of_group = false;

	for (uint32_t i = 0; i < c->profile->ngroups; i++)
		is_of_group = is_of_group || c->profile->groups[i].event == number;
	for (size_t i = 0; is_of_group && i < number; i++)
		if (c->events.items[i].samples && is_base(&c->events.items[i]) &&
		    compare_texts(pmu_of(c, &c->events.items[i]), pmu_of(c, &c->events.items[number])) == 0)
			return true;
	return false;
}

static int fill_tables(struct choice *c, struct error *err)
{
	size_t most = c->nnodes + c->events.count + 1;

	c->where->items = arena_array(c->arena, most, sizeof(*c->where->items));
	for (size_t i = 0; i < c->nnodes; i++)
		if (add_tables(c, &c->nodes[i], err) < 0)
			return -1;
	if (!c->nnodes && c->cycles && add_tables(c, c->cycles, err) < 0)
		return -1;
	for (size_t i = 0; i < c->events.count; i++) {
		const struct weighing *weighing = &c->events.items[i];

		if (!weighing->samples || (is_base(weighing) && is_beside(c, weighing)) || is_repeated(c, i))
			continue;
		if (add_tables(c, weighing, err) < 0)
			return -1;
	}
	return 0;
}

/* ---- the simulated core beside a native run ---- */

#define LEAST_PAIRED 1.0 /* percent of either that is worth a row */
#define FAR_POINTS   1.0

static const struct weighing *time_of(const struct choice *c)
{
	for (size_t i = 0; i < c->events.count && c->cycles; i++)
		if (!strcmp(c->events.items[i].unit, "ns") && c->events.items[i].samples)
			return &c->events.items[i];
	return NULL;
}

/* Of many functions with few samples, some are always beyond their interval: those are not judged. */
static bool is_apart(const struct paired_function *pair, uint64_t samples)
{
	double beyond = fmax(pair->measured.low - pair->modelled, pair->modelled - pair->measured.high);
	double expected = pair->modelled / 100 * (double)samples;

	return beyond > 0 && fmax(expected, (double)pair->measured.samples) >= ROUGH_SAMPLES &&
	       fabs(pair->modelled - pair->measured.percent) > FAR_POINTS;
}

/* The simulator and the sampler may name a function's module differently: names decide. */
static const struct where_row *hotspots_find_row(const struct where_rows *rows, const struct where_row *like)
{
	for (size_t i = 0; i < rows->count; i++)
		if (rows->items[i].function && like->function && !strcmp(rows->items[i].function, like->function) &&
		    compare_texts(module_base_name(rows->items[i].module), module_base_name(like->module)) == 0)
			return &rows->items[i];
	return NULL;
}

static bool is_worth(const struct where_row *row)
{
	return row->self.percent >= LEAST_PAIRED;
}

static void add_pair(struct choice *c, const struct where_row *modelled, const struct where_row *measured)
{
	struct paired_function pair = { .function = measured ? measured->function : modelled->function,
					.module = measured ? measured->module : modelled->module };

	pair.modelled = modelled ? modelled->self.percent : 0;
	if (measured)
		pair.measured = measured->self;
	else
		pair.measured = share_of_samples(0, time_of(c)->samples);
	pair.is_far = is_apart(&pair, time_of(c)->samples);
	c->where->pairs[c->where->npairs++] = pair;
}

/* Skid moves samples between functions that are inlined: what they took belongs to the one that they are part of. */
static struct profile without_inlining(const struct profile *profile, struct arena *arena)
{
	struct profile plain = *profile;

	plain.places = arena_array(arena, (size_t)profile->nplaces + 1, sizeof(*plain.places));
	for (uint32_t i = 0; i < profile->nplaces; i++) {
		plain.places[i] = profile->places[i];
		if (plain.places[i].nframes > 1) {
			plain.places[i].frames += plain.places[i].nframes - 1;
			plain.places[i].nframes = 1;
		}
	}
	return plain;
}

/* A native run that did something else says nothing about the simulated one. */
static bool is_anchor_good(const struct measurement *measured)
{
	return !measured->parts[0].anchor || !measured->parts[0].anchor->reason;
}

static int fill_pairs(struct choice *c, struct error *err)
{
	const struct weighing *time = time_of(c);
	struct profile *profile;
	const struct profile_filter all = { .by = BY_NOTHING };
	struct where modelled, measured;
	struct where_request request = { .weighing = c->cycles, .filter = &all };

	if (!time || !is_anchor_good(c->request->measured))
		return 0;
	profile = arena_alloc(c->arena, sizeof(*profile));
	*profile = without_inlining(c->profile, c->arena);
	c->where->paired_samples = time->samples;
	if (where_fill(&modelled, profile, &request, c->arena, err) < 0)
		return -1;
	request.weighing = time;
	if (where_fill(&measured, profile, &request, c->arena, err) < 0)
		return -1;
	c->where->pairs = arena_array(c->arena, modelled.functions.count + measured.functions.count + 1,
				      sizeof(*c->where->pairs));
	/* Rows begin with the largest, so few are looked for. */
	for (size_t i = 0; i < measured.functions.count && is_worth(&measured.functions.items[i]); i++)
		add_pair(c, hotspots_find_row(&modelled.functions, &measured.functions.items[i]),
			 &measured.functions.items[i]);
	for (size_t i = 0; i < modelled.functions.count && is_worth(&modelled.functions.items[i]); i++) {
		const struct where_row *other = hotspots_find_row(&measured.functions, &modelled.functions.items[i]);

		if (!other || !is_worth(other))
			add_pair(c, &modelled.functions.items[i], other);
	}
	return 0;
}

/* ---- all of it ---- */

/* Of the first core type, where there are several: its groups stand first. */
static bool fill_sampled_trees(struct choice *c, size_t most)
{
	const struct report_set *reports = c->request->reports;
	const char *pmu;

	if (!c->profile->ndeltas || !reports->count)
		return false;
	pmu = c->profile->events[c->profile->groups[0].event].pmu;
	if (pmu)
		hotspots_add_remark(c->where,
				    arena_printf(c->arena, "The trees per function are those of %s only.", pmu),
				    c->arena);
	return sampled_trees_fill(&c->where->trees, c->profile, &(struct sampled_model){ reports->parts[0].model, pmu },
				  most, c->arena);
}

static void fill_trees(struct choice *c)
{
	size_t most = c->request->question->nper_function;

	if (!most || (c->exact.profile && function_trees_fill(&c->where->trees, &c->exact, most, c->arena)) ||
	    fill_sampled_trees(c, most))
		return;
	hotspots_add_remark(
		c->where,
		arena_worded(c->arena,
			     "There is no tree per function: it needs events that were read with samples, by "
			     "`topdown {per-function}` on a PMU, or the exact counts of a simulation ({pmu} sim)."),
		c->arena);
}

#define MOST_WAITED_FOR 64 /* functions, those with the most cycles, in which others may have run meanwhile */

/* Where others ran while a thread waited for them has a tree too. */
static void join_waits(struct choice *c)
{
	const struct waits *waits = c->request->reports->waits;
	struct function_trees trees = { .count = 0 };

	c->where->waits = waits;
	if (waits && waits->nlinks && c->exact.profile &&
	    function_trees_fill(&trees, &c->exact, MOST_WAITED_FOR, c->arena))
		c->where->waits = waits_with_trees(waits, &trees, c->arena);
	else if (waits && waits->nlinks && c->where->trees.count)
		c->where->waits = waits_with_trees(waits, &c->where->trees, c->arena);
}

int hotspots_fill(struct hotspots *where, const struct hotspots_request *request, struct arena *arena,
		  struct error *err)
{
	struct choice c = { .request = request, .where = where, .arena = arena };

	*where = (struct hotspots){ .question = request->question };
	find_exact(&c);
	where->profile = c.profile;
	/* A report of samples alone has them as its notes. */
	for (size_t i = 0; i < c.profile->nremarks && request->reports->count; i++)
		hotspots_add_remark(where, c.profile->remarks[i], arena);
	if (c.exact.profile)
		weigh_nodes(&c);
	c.events = weighings_of_events(c.profile, arena);
	for (size_t i = 0; i < request->reports->count && i < 1; i++)
		weighings_take_titles(&c.events, request->reports->parts[i].model, arena);
	if (fill_tables(&c, err) < 0 || fill_pairs(&c, err) < 0)
		return -1;
	fill_trees(&c);
	join_waits(&c);
	return 0;
}
