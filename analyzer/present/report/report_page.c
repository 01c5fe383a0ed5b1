/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_page.c - a report as a page: the verdict first, then the tree, metrics, places, and how it was measured. */
#include "present/report/report_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "present/document/human.h"
#include "present/explorer/explored.h"
#include "present/ranks/ranks_view.h"
#include "present/report/assessment_parts.h"
#include "present/report/report_sections.h"
#include "present/report/software_parts.h"
#include "present/roofline/roofline_parts.h"
#include "present/waits/waits_view.h"
#include "present/where/sampled_parts.h"
#include "present/where/where_parts.h"

#define MOST_OPEN  4   /* parts whose trees are not in folds */
#define MOST_PARTS 200 /* of a page; each takes 20 kB and some milliseconds */

static void add_section(struct document *doc, const char *heading, const char *id)
{
	doc_add(doc, (struct block){ .kind = BLOCK_SECTION, .text = heading, .id = id });
}

/* The verdict stands above it. */
static void add_cause(struct document *doc, const struct report_part *part)
{
	add_section(doc, "Why, and what to try", "cause");
	report_cause(doc, part);
	report_recommendations(doc, part);
}

/* ---- the head ---- */

static void add_tiles(struct document *doc, const struct report *report, const char *part)
{
	const struct summary *s = &report->summary;
	struct arena *arena = doc->arena;
	/* The time of a simulator is not the program's. */
	const bool is_modelled = report->model->is_simulated;
	const double wall_s = !is_modelled ? s->wall_s : report->anchor ? report->anchor->wall_s : NOT_COUNTED;
	const struct {
		const char *label;
		double value;
		const char *text;
	} tiles[] = {
		{ is_modelled ? "Natively" : "Time", wall_s, human_seconds(arena, wall_s) },
		{ "IPC", s->ipc, human_fixed(arena, s->ipc, 2) },
		{ "Instructions", s->instructions, human_count(arena, s->instructions) },
		{ is_modelled ? "Modelled cycles" : "Cycles", s->cycles, human_count(arena, s->cycles) },
		{ "GHz", s->ghz, human_fixed(arena, s->ghz, 2) },
		{ "CPUs used", is_modelled ? NOT_COUNTED : s->cpus_used, human_fixed(arena, s->cpus_used, 2) },
		{ "Modelled by native", is_modelled && report->anchor ? report->anchor->ratio : NOT_COUNTED,
		  human_fixed(arena, is_modelled && report->anchor ? report->anchor->ratio : NOT_COUNTED, 2) },
	};
	struct fact *facts = arena_array(arena, COUNT_OF(tiles), sizeof(*facts));
	const char **exact = arena_array(arena, COUNT_OF(tiles), sizeof(*exact));
	size_t count = 0;

	for (size_t i = 0; i < COUNT_OF(tiles); i++) {
		if (!isfinite(tiles[i].value))
			continue;
		exact[count] = plain_number(arena, tiles[i].value);
		facts[count++] = (struct fact){ .label = tiles[i].label, .text = tiles[i].text };
	}
	if (count && part)
		doc_sentence(doc, arena_printf(arena, "The figures of %s:", part));
	if (count)
		doc_add(doc, (struct block){ .kind = BLOCK_FACTS,
					     .facts = facts,
					     .nfacts = count,
					     .exact = exact,
					     .look = "tiles" });
}

static void add_title(struct document *doc, const char *command, const char *target)
{
	const char *what = command ? command : target;

	doc_add(doc, (struct block){ .kind = BLOCK_TITLE, .text = what ? what : "Topdown report", .level = 1 });
}

/* ---- the parts ---- */

static void add_tree(struct document *doc, const struct report_set *set, const struct report *report)
{
	if (set->count > 1)
		report_head(doc, set, report, false);
	report_caveats(doc, report);
	report_anchor_remark(doc, report);
	if (report->nnodes && !is_causes_only(report)) {
		if (set->count > 1)
			page_icicle(doc, set, report);
		report_tree(doc, set, report);
	}
	report_causes(doc, report);
	if (set->count > 1)
		report_fixes(doc, report);
	software_table(doc, &report->software);
	report_notes(doc, report);
}

/* Those of each topic, then all of them. */
static void report_page_add_figures(struct document *doc, const struct report_set *set, const struct report *report)
{
	const struct report_part part = { set, report, 3 };

	if (!report->nassessed)
		return;
	if (!report_is_list(set)) {
		report_speed(doc, report);
		report_caches(doc, &part);
		report_branches(doc, &part);
		report_tlbs(doc, &part);
	}
	doc_add(doc, (struct block){ .kind = BLOCK_FOLD,
				     .text = arena_printf(doc->arena, "All %zu figures", report->nassessed) });
	report_assessment(doc, report);
	doc_add(doc, (struct block){ .kind = BLOCK_UNFOLD });
}

static bool has_other_values(const struct report *report)
{
	return report->nmetrics || report->nevents;
}

/* One part: tree and metrics are sections of their own. */
static void report_page_add_whole(struct document *doc, const struct report_set *set)
{
	add_section(doc, set->parts[0].nnodes ? "The tree" : "Remarks", "tree");
	add_tree(doc, set, &set->parts[0]);
	if (set->parts[0].nassessed)
		add_section(doc, "Assessment", "assessment");
	report_page_add_figures(doc, set, &set->parts[0]);
	if (!has_other_values(&set->parts[0]))
		return;
	doc_add(doc, (struct block){ .kind = BLOCK_SECTION, .text = "Metrics", .id = "metrics", .look = "metrics" });
	report_metrics(doc, set, &set->parts[0]);
}

/* Runs of parts that share a model have a table of their level 1. */
static void add_overviews(struct document *doc, const struct report_set *set)
{
	for (size_t i = 0, count; i < set->count; i += count) {
		count = report_many(doc, set, i);
		if (count)
			report_parts(doc, &set->parts[i], count);
		else
			count = 1;
	}
}

/* Of the busiest part it stands above all of them. */
static void add_part_cause(struct document *doc, const struct report_set *set, const struct report *report)
{
	const struct report_part part = { set, report, 3 };

	if (report_is_list(set))
		return;
	report_root_cause(doc, &part);
	report_recommendations(doc, &part);
}

static void report_page_add_parts(struct document *doc, const struct report_set *set)
{
	const struct report *busiest = report_busiest(set->parts, set->count);

	add_section(doc, "Parts", "parts");
	report_part_bars(doc, set->parts, set->count);
	add_overviews(doc, set);
	if (set->nidle)
		doc_sentence(doc, idle_text(doc->arena, set));
	for (size_t i = 0; i < set->count; i++) {
		const struct report *report = &set->parts[i];

		doc_add(doc, (struct block){ .kind = BLOCK_FOLD,
					     .text = report_part_heading(doc, set, report),
					     .id = arena_printf(doc->arena, "part%zu", i),
					     .is_open = (set->count <= MOST_OPEN && !are_core_models(set)) ||
							report == busiest });
		if (report != busiest && !report_many(doc, set, i))
			add_part_cause(doc, set, report);
		add_tree(doc, set, report);
		report_page_add_figures(doc, set, report);
		report_metrics(doc, set, report);
		doc_add(doc, (struct block){ .kind = BLOCK_UNFOLD });
	}
}

/* ---- what to do next ---- */

static void add_next(struct document *doc, const struct report_part *part)
{
	const struct report *report = part->report;

	add_section(doc, "What to do next", "next");
	if (report)
		doc_commands(doc, "Measure the same again:", &report->actions.repeat.command,
			     report->actions.repeat.command != NULL);
	report_validation(doc, part);
}

static void add_where(struct document *doc, const struct report_set *set)
{
	if (!set->where)
		return;
	add_section(doc, "Where", "where");
	where_tables(doc, set->where);
}

#define MOST_CORES 4 /* that the headline names beside the fastest */

/* "zen4 takes the fewest cycles, 180 M; skylake 1.19 times as many." */
static const char *cores_text(const struct report_set *set, struct arena *arena)
{
	const struct report *best = &set->parts[0];
	struct string text = STRING_INIT(arena);
	size_t named = 0;

	for (size_t i = 1; i < set->count; i++)
		if (set->parts[i].summary.cycles < best->summary.cycles)
			best = &set->parts[i];
	string_printf(&text, "%s takes the fewest cycles, %s", best->summary.part,
		      human_count(arena, best->summary.cycles));
	for (size_t i = 0; i < set->count && named < MOST_CORES; i++) {
		const struct summary *other = &set->parts[i].summary;

		if (&set->parts[i] == best || !(other->cycles > 0))
			continue;
		string_printf(&text, "%s %s %s times as many", named++ ? "," : ";", other->part,
			      human_fixed(arena, other->cycles / best->summary.cycles, 2));
	}
	string_add(&text, set->count > MOST_CORES + 1 ? ", and others." : ".");
	return text.text;
}

/* What was asked for is the headline: how far the ceilings are, before what limits the program otherwise. */
static void add_headline(struct document *doc, const struct report_set *set, const struct report *report,
			 const char *name)
{
	if (set->roofline && set->roofline->count && set->roofline->points[0].verdict) {
		doc_add(doc, (struct block){ .kind = BLOCK_SENTENCE,
					     .text = set->roofline->points[0].verdict,
					     .look = "verdict" });
		doc_sentence(doc, report_verdict(set, report, doc->arena));
		return;
	}
	if (are_core_models(set)) {
		doc_add(doc, (struct block){
				     .kind = BLOCK_SENTENCE, .text = cores_text(set, doc->arena), .look = "verdict" });
		doc_sentence(doc, report_verdict(set, report, doc->arena));
		return;
	}
	report_answer(doc, set, report, name);
}

/* What one measurement was made for stands first. */
static void add_what_was_asked(struct document *doc, const struct report_set *set, const struct report *report,
			       const struct page_content *content)
{
	roofline_add(doc, set->roofline);
	ranks_add_answer(doc, set->ranks);
	ranks_add_tables(doc, set->ranks);
	waits_add(doc, set->waits, set->count == 1 ? report : NULL);
	waits_timeline(doc, set->waits, content->explored ? content->explored->before : NULL);
	if (set->count == 1)
		report_fixes(doc, report);
}

static void add_explored(struct document *doc, const struct report *report, const struct report_set *set,
			 const struct page_content *content)
{
	if (!content->explored || !content->explored->before)
		return;
	doc_add(doc, (struct block){ .kind = BLOCK_SECTION, .id = "explore" });
	if (report && set->count == 1 && report->nnodes && !is_causes_only(report))
		page_icicle(doc, set, report);
	explored_section(doc, content->explored);
}

static void add_sampled(struct document *doc, const struct report_set *set, const struct page_content *content)
{
	const struct report_part part = { .set = set, .level = 3 };

	add_title(doc, set->sampled->origin->command, set->sampled->origin->target);
	report_answer(doc, set, NULL, NULL);
	waits_add(doc, set->waits, NULL);
	waits_timeline(doc, set->waits, content->explored ? content->explored->before : NULL);
	add_explored(doc, NULL, set, content);
	add_cause(doc, &part);
	add_where(doc, set);
	page_record(doc, set, content);
	sampled_notes(doc, set->sampled);
}

/* Parts without cycles come last, and of equals the earlier one first. */
static int compare_busy(const void *a, const void *b)
{
	const struct report *x = *(const struct report *const *)a, *y = *(const struct report *const *)b;
	double more = x->summary.cycles, less = y->summary.cycles;

	if (more > less || (!isnan(more) && isnan(less)))
		return -1;
	if (more < less || (isnan(more) && !isnan(less)))
		return 1;
	return x < y ? -1 : x > y;
}

static int compare_place(const void *a, const void *b)
{
	const struct report *const *x = a, *const *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* The busiest parts in their order: a browser does not open a report of each of thousands. */
static struct report_set busiest_parts(const struct report_set *set, struct arena *arena)
{
	const struct report **order = arena_array(arena, set->count + 1, sizeof(const struct report *));
	struct report_set few = *set;

	for (size_t i = 0; i < set->count; i++)
		order[i] = &set->parts[i];
	qsort(order, set->count, sizeof(const struct report *), compare_busy);
	qsort(order, MOST_PARTS, sizeof(const struct report *), compare_place);
	few.parts = arena_array(arena, MOST_PARTS, sizeof(*few.parts));
	for (few.count = 0; few.count < MOST_PARTS; few.count++)
		few.parts[few.count] = *order[few.count];
	return few;
}

void report_page(struct document *doc, const void *what, const struct page_content *content)
{
	const struct report_set *whole = what, *set = whole;
	struct report_part part = { .level = 3 };
	struct report_set few;
	const char *name;

	if (set->sampled) {
		add_sampled(doc, set, content);
		return;
	}
	if (whole->count > MOST_PARTS) {
		few = busiest_parts(whole, doc->arena);
		set = &few;
	}
	part.set = set;
	part.report = report_busiest(set->parts, set->count);
	name = set->count > 1 ? part.report->summary.part : NULL;
	add_title(doc, set->parts[0].summary.command, set->parts[0].summary.target);
	add_headline(doc, set, part.report, name);
	if (set != whole)
		doc_sentence(
			doc,
			arena_printf(
				doc->arena,
				"The page has the %d parts with most cycles of %zu; JSON and CSV have all of them.",
				MOST_PARTS, whole->count));
	add_tiles(doc, part.report, name);
	add_what_was_asked(doc, set, part.report, content);
	add_explored(doc, part.report, set, content);
	if (!report_is_list(set))
		add_cause(doc, &part);
	if (set->count == 1)
		report_page_add_whole(doc, set);
	else
		report_page_add_parts(doc, set);
	report_timeline(doc, content->timeline);
	add_where(doc, set);
	add_next(doc, &part);
	page_record(doc, set, content);
	page_cards(doc, set);
}
