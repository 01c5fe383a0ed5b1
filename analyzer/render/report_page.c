/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_page.c - a report as a page: the verdict first, then the tree, metrics, places, and how it was measured. */
#include "render/report_page.h"

#include <math.h>
#include <string.h>

#include "render/assessment_parts.h"
#include "render/human.h"
#include "render/report_timeline.h"
#include "render/placed_parts.h"
#include "render/sampled_parts.h"
#include "render/where_parts.h"

#define MOST_OPEN 4 /* parts whose trees are not in folds */

static void add_section(struct document *doc, const char *heading, const char *id)
{
	doc_add(doc, (struct block){ .kind = BLOCK_SECTION, .text = heading, .id = id });
}

/* ---- the verdict ---- */

static const char *share_text(const struct result *node, struct arena *arena)
{
	return arena_printf(arena, "%s %s", human_value(arena, node->metric, node->value),
			    human_unit(arena, node->metric));
}

/* The worst path above its leaf, from the top: "Backend_Bound (60.1 % slots), Memory_Bound (...)". */
static const char *path_text(const struct report *report, struct arena *arena)
{
	struct string text = STRING_INIT(arena);

	for (size_t i = 0; i < report->nnodes; i++) {
		const struct result *node = &report->nodes[i];

		if (!node->is_on_worst_path || node == report->worst)
			continue;
		string_printf(&text, "%s%s (%s)", text.length ? ", " : "", node->metric->title,
			      share_text(node, arena));
	}
	return text.text;
}

static const struct result *largest_root(const struct report *report)
{
	const struct result *largest = NULL;

	for (size_t i = 0; i < report->nnodes; i++) {
		const struct result *node = &report->nodes[i];

		if (node->metric->level == 1 && is_measured(node) && (!largest || node->value > largest->value))
			largest = node;
	}
	return largest;
}

const char *page_verdict(const struct report *report, struct arena *arena)
{
	const struct result *largest = largest_root(report), *worst = report->worst;
	const char *path = worst ? path_text(report, arena) : "";

	if (worst)
		return arena_printf(arena, "%s is the bottleneck: %s%s%s.", worst->metric->title,
				    share_text(worst, arena), *path ? ", below " : "", path);
	if (largest)
		return arena_printf(arena,
				    "No node that was measured is over its threshold; the largest is %s with %s.",
				    largest->metric->title, share_text(largest, arena));
	if (report->nnodes)
		return "No node of the tree was measured.";
	return arena_printf(arena, "No tree: %zu metrics.", report->nmetrics + report->nevents);
}

/* The part that says most of the program. */
static const struct report *busiest(const struct report_set *set)
{
	const struct report *most = &set->parts[0];

	for (size_t i = 1; i < set->count; i++)
		if (set->parts[i].summary.cycles > most->summary.cycles || isnan(most->summary.cycles))
			most = &set->parts[i];
	return most;
}

static void add_verdict(struct document *doc, const struct report_set *set)
{
	const struct report *report = busiest(set);
	const char *part = set->count > 1 && report->summary.part ? report->summary.part : NULL;
	const char *verdict = page_verdict(report, doc->arena);

	doc_add(doc, (struct block){ .kind = BLOCK_SENTENCE,
				     .text = part ? arena_printf(doc->arena, "%s: %s", part, verdict) : verdict,
				     .look = "verdict" });
	if (report->says_little)
		doc_sentence(doc, "The program did little: the remarks say why the tree says little of it.");
	report_advice(doc, report);
}

/* ---- the head ---- */

static void add_tiles(struct document *doc, const struct report *report)
{
	const struct summary *s = &report->summary;
	struct arena *arena = doc->arena;
	const struct {
		const char *label;
		double value;
		const char *text;
	} tiles[] = {
		{ "Time", s->wall_s, human_seconds(arena, s->wall_s) },
		{ "IPC", s->ipc, human_fixed(arena, s->ipc, 2) },
		{ "Instructions", s->instructions, human_count(arena, s->instructions) },
		{ "Cycles", s->cycles, human_count(arena, s->cycles) },
		{ "GHz", s->ghz, human_fixed(arena, s->ghz, 2) },
		{ "CPUs used", s->cpus_used, human_fixed(arena, s->cpus_used, 2) },
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
	if (count)
		doc_add(doc, (struct block){ .kind = BLOCK_FACTS,
					     .facts = facts,
					     .nfacts = count,
					     .exact = exact,
					     .look = "tiles" });
}

/* When, where, and by which version. */
static void add_when(struct document *doc, const struct summary *summary)
{
	const char *const parts[][2] = { { "", summary->started },
					 { "on ", summary->host },
					 { "Linux ", summary->kernel },
					 { "topdown ", summary->tool_version } };
	struct string text = STRING_INIT(doc->arena);

	for (size_t i = 0; i < COUNT_OF(parts); i++)
		if (parts[i][1])
			string_printf(&text, "%s%s%s", text.length ? ", " : "", parts[i][0], parts[i][1]);
	if (text.length)
		doc_add(doc, (struct block){ .kind = BLOCK_SENTENCE, .text = text.text, .look = "when" });
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
		page_icicle(doc, set, report);
		report_tree(doc, set, report);
	}
	report_causes(doc, report);
	report_fixes(doc, report);
	report_assessment(doc, report);
	report_notes(doc, report);
}

static bool has_other_values(const struct report *report)
{
	return report->nmetrics || report->nevents;
}

/* One part: tree and metrics are sections of their own. */
static void add_whole(struct document *doc, const struct report_set *set)
{
	add_section(doc, set->parts[0].nnodes ? "The tree" : "Remarks", "tree");
	add_tree(doc, set, &set->parts[0]);
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

static void add_parts(struct document *doc, const struct report_set *set)
{
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
					     .is_open = set->count <= MOST_OPEN || report == busiest(set) });
		add_tree(doc, set, report);
		report_metrics(doc, set, report);
		doc_add(doc, (struct block){ .kind = BLOCK_UNFOLD });
	}
}

/* ---- what to do next ---- */

static void add_next(struct document *doc, const struct report_set *set)
{
	const struct report *report = busiest(set);

	add_section(doc, "What to do next", "next");
	doc_commands(doc, "Measure the same again:", &report->repeat_command, report->repeat_command != NULL);
	report_next(doc, report);
}

static void add_where(struct document *doc, const struct report_set *set)
{
	if (!set->where)
		return;
	add_section(doc, "Where", "where");
	where_tables(doc, set->where);
}

static void add_sampled(struct document *doc, const struct report_set *set)
{
	const struct sampled *sampled = set->sampled;

	add_title(doc, sampled->origin->command, sampled->origin->target);
	sampled_head(doc, sampled);
	doc_flames(doc);
	add_where(doc, set);
	page_record(doc, set);
	sampled_notes(doc, sampled);
}

void report_page(struct document *doc, const void *what)
{
	const struct report_set *set = what;

	if (set->sampled) {
		add_sampled(doc, set);
		return;
	}
	add_title(doc, set->parts[0].summary.command, set->parts[0].summary.target);
	add_when(doc, &set->parts[0].summary);
	add_verdict(doc, set);
	add_tiles(doc, busiest(set));
	report_head(doc, set, &set->parts[0], true);
	placed_add(doc, set->roofline);
	if (set->count == 1)
		add_whole(doc, set);
	else
		add_parts(doc, set);
	report_timeline(doc, set->timeline);
	doc_flames(doc);
	add_where(doc, set);
	add_next(doc, set);
	page_record(doc, set);
	page_cards(doc, set);
}
