/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command/jobs/export_choice.h"

#include <math.h>
#include <string.h>

#include "analyse/compare/compare.h"
#include "analyse/hotspots/line_profile.h"
#include "common/base/text.h"
#include "cpu/load/model.h"
#include "engine/saved.h"
#include "present/explorer/explored.h"

struct choice {
	const struct request *asked; /* NULL: of what is evaluated already */
	const struct profile *profile;
	struct measurement *measured;
	const struct report *report; /* NULL: nothing could be evaluated */
	struct weighings weighings;
	struct export_node *nodes;
	size_t nnodes;
	struct arena *arena;
};

/* ---- weighings ---- */

static bool has_nodes(const struct profile *profile)
{
	for (uint32_t i = 0; i < profile->nevents; i++)
		if (profile->events[i].node)
			return true;
	return has_exact_rows(profile);
}

/* Titles and nodes come from the model. Samples of time alone need none, so no CPU has to be known for them. */
static int evaluate_all(struct choice *choice, struct error *err)
{
	const struct question question = { .level = DEEPEST_LEVEL };
	struct request request = *choice->asked;
	struct report_set *reports = arena_alloc(choice->arena, sizeof(*reports));
	struct error unknown = { .text = "" };

	request.question = &question;
	if (!has_nodes(choice->profile) || !choice->measured->count)
		return 0;
	if (saved_evaluate(reports, choice->measured, "export", &request, &unknown) == 0) {
		choice->report = reports->count ? &reports->parts[0] : NULL;
		return 0;
	}
	if (has_exact_rows(choice->profile))
		return error_set(err, "%s", unknown.text);
	request_notice(&request, NOTICE_WARNING, "events only, no nodes: %s", unknown.text);
	return 0;
}

static void export_choice_add(struct choice *choice, const struct weighing *weighing)
{
	if (weighing->total > 0)
		choice->weighings.items[choice->weighings.count++] = *weighing;
}

static void weigh_exact(struct choice *choice)
{
	const struct report *report = choice->report;
	struct exact_rows rows = { .profile = choice->profile, .counts = &choice->measured->parts[0] };
	struct weighing weighing;

	if (!report || !has_exact_rows(choice->profile))
		return;
	rows.model = report->model;
	if (weighing_of_cycles(&weighing, &rows, choice->arena))
		export_choice_add(choice, &weighing);
	for (size_t i = 0; i < report->nnodes; i++)
		if (report->nodes[i].quality != QUALITY_NONE &&
		    weighing_of_node(&weighing, &rows, (size_t)(report->nodes[i].metric - report->model->metrics),
				     choice->arena))
			export_choice_add(choice, &weighing);
}

static void weigh_all(struct choice *choice)
{
	const struct report *report = choice->report;
	struct weighings events = weighings_of_events(choice->profile, choice->arena);
	size_t most = events.count + (report ? report->nnodes : 0) + 2;
	struct weighing wall;

	if (report)
		weighings_take_titles(&events, report->model, choice->arena);
	choice->weighings.items = arena_array(choice->arena, most, sizeof(struct weighing));
	weigh_exact(choice);
	for (size_t i = 0; i < events.count; i++)
		export_choice_add(choice, &events.items[i]);
	if (weighing_of_wall(&wall, &events, choice->profile, choice->arena))
		export_choice_add(choice, &wall);
}

/* ---- which of them is shown ---- */

/* The model knows a node by several names. Without a model they are compared as they are. */
static bool is_same_node(const struct choice *choice, const char *one, const char *other)
{
	const struct report *report = choice->report;
	size_t node = report ? model_find(report->model, one) : TABLE_NONE;

	return node != TABLE_NONE ? model_find(report->model, other) == node : is_same_name(one, other);
}

/* By any name that the model has for it: "DRAM_Bound", "tma_dram_bound", "dram_bound". */
static bool is_node_called(const struct weighing *weighing, const char *typed, const struct choice *choice)
{
	return weighing->node && (is_same_name(typed, weighing->title) || is_same_node(choice, weighing->node, typed));
}

static bool is_event_called(const struct weighing *weighing, const char *typed, const struct choice *choice UNUSED)
{
	return (!weighing->node || weighing->event != PROFILE_NONE) && is_same_name(typed, weighing->name);
}

/* An option that names a weighing. */
struct wish {
	const char *option, *typed;
	bool (*is_called)(const struct weighing *weighing, const char *typed, const struct choice *choice);
};

static int not_there(const struct wish *wish, const struct weighings *weighings, struct arena *arena, struct error *err)
{
	const char **names = arena_array(arena, weighings->count + 1, sizeof(*names)), *near;
	struct string all = STRING_INIT(arena);

	for (size_t i = 0; i < weighings->count; i++) {
		names[i] = weighings->items[i].node ? weighings->items[i].title : weighings->items[i].name;
		string_printf(&all, "%s%s", i ? ", " : "", names[i]);
	}
	near = nearest_names(arena, wish->typed, names, weighings->count);
	if (near)
		return error_set(err, "%s %s: not in the profile; did you mean %s?", wish->option, wish->typed, near);
	return error_set(err, "%s %s: not in the profile, which has %s", wish->option, wish->typed, all.text);
}

/* Samples of the worst node's event, or its exact slots; else cycles or time, whatever comes first. */
static uint32_t shown_by_default(const struct choice *choice)
{
	const struct report *report = choice->report;
	const char *worst = report && report->worst ? report->worst->metric->name : NULL;

	for (size_t i = 0; worst && i < choice->weighings.count; i++)
		if (choice->weighings.items[i].node && is_same_node(choice, choice->weighings.items[i].node, worst))
			return (uint32_t)i;
	return 0;
}

static int export_choice_choose(uint32_t *chosen, const struct choice *choice, struct error *err)
{
	const struct question *question = choice->asked->question;
	const struct wish wishes[] = { { "--nodes", question->nodes, is_node_called },
				       { "--event", question->events, is_event_called } };

	*chosen = shown_by_default(choice);
	for (size_t k = 0; k < COUNT_OF(wishes); k++) {
		uint32_t i = 0;

		if (!wishes[k].typed)
			continue;
		while (i < choice->weighings.count &&
		       !wishes[k].is_called(&choice->weighings.items[i], wishes[k].typed, choice))
			i++;
		if (i == choice->weighings.count)
			return not_there(&wishes[k], &choice->weighings, choice->arena, err);
		*chosen = i;
	}
	return 0;
}

/* ---- colours ---- */

static uint32_t weighing_of(const struct choice *choice, const struct metric *metric)
{
	for (size_t i = 0; i < choice->weighings.count; i++)
		if (choice->weighings.items[i].node &&
		    is_same_node(choice, choice->weighings.items[i].node, metric->name))
			return (uint32_t)i;
	return PROFILE_NONE;
}

/* The nearest node above it that was weighed too. of: each metric's number among the nodes; PROFILE_NONE: none. */
static uint32_t export_choice_parent_of(const struct model *model, const struct metric *metric, const uint32_t *of)
{
	size_t parent = metric->parent;

	while (parent != NO_PARENT && of[parent] == PROFILE_NONE)
		parent = model->metrics[parent].parent;
	return parent == NO_PARENT ? PROFILE_NONE : of[parent];
}

/* is_all: those that are not located too. Returns their number. */
static size_t find_nodes(struct choice *choice, bool is_all)
{
	const struct report *report = choice->report;
	uint32_t *of = arena_array(choice->arena, report ? report->model->count + 1 : 1, sizeof(*of));

	choice->nodes = arena_array(choice->arena, report ? report->nnodes + 1 : 1, sizeof(*choice->nodes));
	for (size_t i = 0; report && i < report->model->count; i++)
		of[i] = PROFILE_NONE;
	for (size_t i = 0; report && i < report->nnodes; i++) {
		const struct result *node = &report->nodes[i];
		uint32_t weighing = weighing_of(choice, node->metric);

		if ((weighing == PROFILE_NONE && !is_all) || !(node->value > 0) || strcmp(node->metric->unit, "%") != 0)
			continue;
		of[node->metric - report->model->metrics] = (uint32_t)choice->nnodes;
		choice->nodes[choice->nnodes++] =
			(struct export_node){ .name = node->metric->name,
					      .title = node->metric->title,
					      .level = node->metric->level,
					      .weighing = weighing,
					      .parent = export_choice_parent_of(report->model, node->metric, of),
					      .slots = node->value };
	}
	return choice->nnodes;
}

/* The wall clock; PROFILE_NONE: waits were not recorded, or not beside time. */
static uint32_t find_wall(const struct choice *choice)
{
	const struct weighings *all = &choice->weighings;

	return all->count && is_wall(&all->items[all->count - 1]) ? (uint32_t)all->count - 1 : PROFILE_NONE;
}

/* What the wall clock's colours are of: where threads ran, and where they waited. */
static void take_wall_nodes(struct choice *choice, uint32_t wall)
{
	const struct weighings *all = &choice->weighings;

	choice->nodes = arena_array(choice->arena, all->count, sizeof(*choice->nodes));
	choice->nnodes = 0;
	for (uint32_t i = 0; i < all->count; i++) {
		bool is_waiting = all->items[i].is_waiting;

		if (i == wall || (i && !is_waiting))
			continue;
		choice->nodes[choice->nnodes++] =
			(struct export_node){ .name = is_waiting ? "waiting" : "running",
					      .title = is_waiting ? "Waiting" : "Running",
					      .level = 1,
					      .weighing = i,
					      .parent = PROFILE_NONE,
					      .slots = 100 * all->items[i].total / all->items[wall].total };
	}
}

static int export_choice_begin(struct choice *choice, struct error *err)
{
	if (evaluate_all(choice, err) < 0)
		return -1;
	weigh_all(choice);
	return choice->weighings.count ? 0
				       : error_set(err, "nothing was sampled, so there is nothing to export; measure "
							"for longer, or at a higher frequency (-F)");
}

static void take_subject(struct export_subject *subject, const struct choice *choice, uint32_t chosen)
{
	const struct measurement *measured = choice->measured;
	struct weighings *weighings = arena_alloc(choice->arena, sizeof(*weighings));

	*weighings = choice->weighings;
	*subject = (struct export_subject){ .profile = measured->profile,
					    .weighings = weighings,
					    .chosen = chosen,
					    .command = measured->count ? measured->parts[0].origin.command : NULL,
					    .nodes = choice->nodes,
					    .nnodes = choice->nnodes };
}

static struct choice choice_of_measured(struct measurement *measured, const struct request *request)
{
	return (struct choice){
		.asked = request, .profile = measured->profile, .measured = measured, .arena = request->arena
	};
}

int export_choice_subject(struct export_subject *subject, struct measurement *measured,
			  const struct export_choice *shown, const struct request *request, struct error *err)
{
	struct choice choice = choice_of_measured(measured, request);
	enum export_colors colors = (enum export_colors)shown->colors;
	uint32_t chosen;

	if (export_choice_begin(&choice, err) < 0 || export_choice_choose(&chosen, &choice, err) < 0)
		return -1;
	if (colors == COLORS_NODE && chosen != find_wall(&choice) && !find_nodes(&choice, false))
		return error_set(err, "--color-by node: this profile has no nodes; `topdown -l3 --lines PROGRAM` "
				      "locates them, and with --pmu sim all of them");
	if (chosen == find_wall(&choice)) {
		take_wall_nodes(&choice, chosen);
		colors = COLORS_NODE;
	}
	take_subject(subject, &choice, chosen);
	subject->roots = (enum export_roots)shown->roots;
	subject->colors = colors;
	return 0;
}

/* ---- of what is evaluated already ---- */

bool export_choice_find_profile(struct measurement *measured, struct arena *arena)
{
	if (measured->profile && measured->profile->nrows)
		return true;
	if (!measured->count || !measured->parts[0].has_lines)
		return false;
	measured->profile = profile_of_lines(&measured->parts[0], arena);
	return measured->profile->nrows > 0;
}

static struct choice choice_of_report(struct measurement *measured, const struct report *report, struct arena *arena)
{
	struct choice choice = { .profile = measured->profile, .measured = measured, .report = report, .arena = arena };

	weigh_all(&choice);
	return choice;
}

struct explored *export_choice_explored(const struct measurement *measured, const struct report *report,
					const struct timeline *timeline, struct arena *arena)
{
	struct export_subject *subject = arena_alloc(arena, sizeof(*subject));
	struct explored *explored = arena_alloc(arena, sizeof(*explored));
	struct measurement copy = *measured;
	struct choice choice = { .measured = &copy, .report = report, .arena = arena };
	uint32_t wall;

	if (export_choice_find_profile(&copy, arena))
		choice = choice_of_report(&copy, report, arena);
	if (!find_nodes(&choice, true) && !choice.weighings.count)
		return NULL;
	wall = choice.nnodes ? PROFILE_NONE : find_wall(&choice);
	if (wall != PROFILE_NONE)
		take_wall_nodes(&choice, wall);
	take_subject(subject, &choice, wall == PROFILE_NONE ? 0 : wall);
	explored_fill(explored, subject, timeline, arena);
	return explored;
}

/* ---- two profiles ---- */

static bool is_comparable(const struct weighing *one, const struct weighing *other)
{
	return one->is_exact == other->is_exact && is_same_name(one->name, other->name) &&
	       compare_texts(one->unit, other->unit) == 0;
}

static const char *titles_of(const struct choice *choice)
{
	struct string titles = STRING_INIT(choice->arena);

	for (size_t i = 0; i < choice->weighings.count; i++)
		string_printf(&titles, "%s%s%s", i ? ", " : "", choice->weighings.items[i].title,
			      choice->weighings.items[i].is_exact ? " (simulated)" : "");
	return titles.text;
}

/* What both have, the first one of it: cycles, or time. */
static int choose_common(uint32_t *chosen, const struct choice *choices, struct error *err)
{
	for (uint32_t i = 0; i < choices[0].weighings.count; i++)
		for (uint32_t k = 0; k < choices[1].weighings.count; k++)
			if (is_comparable(&choices[0].weighings.items[i], &choices[1].weighings.items[k])) {
				chosen[0] = i;
				chosen[1] = k;
				return 0;
			}
	return error_set(err, "the two profiles have nothing in common: the first has %s, the second %s",
			 titles_of(&choices[0]), titles_of(&choices[1]));
}

int export_choice_pair(struct export_subject *subjects, struct measurement *measured, char *const *names,
		       const struct request *request, struct error *err)
{
	const bool is_named = request->question->nodes || request->question->events;
	struct choice choices[2];
	uint32_t chosen[2] = { 0 };

	for (size_t i = 0; i < 2; i++) {
		choices[i] = choice_of_measured(&measured[i], request);
		if (export_choice_begin(&choices[i], err) < 0 ||
		    (is_named && export_choice_choose(&chosen[i], &choices[i], err) < 0))
			return error_in(err, "%s", names[i]);
	}
	if (!is_named && choose_common(chosen, choices, err) < 0)
		return -1;
	if (!is_comparable(&choices[0].weighings.items[chosen[0]], &choices[1].weighings.items[chosen[1]]))
		return error_set(err, "%s can't be compared: one is exact, or in other units (%s, %s)",
				 choices[0].weighings.items[chosen[0]].title,
				 choices[0].weighings.items[chosen[0]].unit,
				 choices[1].weighings.items[chosen[1]].unit);
	for (size_t i = 0; i < 2; i++)
		take_subject(&subjects[i], &choices[i], chosen[i]);
	return 0;
}
