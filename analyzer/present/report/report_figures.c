/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_figures.c - sections that are tables of judged figures: caches, branches, TLBs; and a sentence about IPC. */
#include <math.h>
#include <string.h>

#include "present/document/human.h"
#include "present/report/assessment_parts.h"
#include "present/report/report_sections.h"

static bool report_figures_is_known(const struct assessed *assessed)
{
	return assessed && assessed->health != HEALTH_UNKNOWN;
}

static bool report_figures_has_any(const struct report *report, enum assessment_topic topic)
{
	for (size_t i = 0; i < report->nassessed; i++)
		if (report->assessed[i].rule->topic == topic && report_figures_is_known(&report->assessed[i]))
			return true;
	return false;
}

/* "IPC 0.35 per cycle, look closer: below 1 (bound of Intel VTune help)" */
void report_speed(struct document *doc, const struct report *report)
{
	for (size_t i = 0; i < report->nassessed; i++) {
		const struct assessed *ipc = &report->assessed[i];

		if (ipc->rule->topic != ASSESS_SPEED || !report_figures_is_known(ipc))
			continue;
		doc_sentence(doc, arena_printf(doc->arena, "%s %s %s, %s (bound of %s)", ipc->rule->title,
					       assessed_value(doc->arena, ipc), ipc->rule->unit,
					       assessed_text(doc->arena, ipc), assessed_source(doc->arena, ipc)));
		return;
	}
}

/* With why there is no table, in one line; true where there is one. */
static bool report_figures_begin(struct document *doc, const struct report_part *part, const char *heading,
				 enum assessment_topic topic)
{
	const struct report *report = part->report;
	const char *command = report ? report->actions.assess_topics[topic].command : NULL;

	report_heading(doc, part, heading);
	if (report && report_figures_has_any(report, topic))
		return true;
	doc_sentence(doc, !report   ? "Nothing was counted: there are only samples."
			  : command ? "Not counted here. What counts it:"
				    : "This CPU's model has no metric for it.");
	if (command)
		doc_add(doc, (struct block){ .kind = BLOCK_COMMAND, .text = command });
	return false;
}

/* ---- branches and TLBs: a figure a line ---- */

void report_branches(struct document *doc, const struct report_part *part)
{
	if (report_figures_begin(doc, part, "Branches", ASSESS_BRANCHES))
		assessment_table(doc, part->report, ASSESS_BRANCHES);
}

void report_tlbs(struct document *doc, const struct report_part *part)
{
	if (report_figures_begin(doc, part, "TLBs", ASSESS_TLBS))
		assessment_table(doc, part->report, ASSESS_TLBS);
}

/* ---- caches: a level a line ---- */

enum {
	CACHE_LEVEL,
	CACHE_ACCESSES,
	CACHE_ACCESS_RATE,
	CACHE_MISSES,
	CACHE_MISS_RATE,
	CACHE_RATIO,
	CACHE_VERDICT,
	CACHE_SOURCE,
	CACHE_QUALITY,
	CACHE_COLUMNS
};

static const struct column cache_columns[CACHE_COLUMNS] = {
	[CACHE_LEVEL] = { .heading = "Level" },
	[CACHE_ACCESSES] = { .heading = "Accesses", .flags = COLUMN_RIGHT, .gap = 2 },
	[CACHE_ACCESS_RATE] = { .heading = "Accesses per 1000 instr", .flags = COLUMN_RIGHT, .gap = 2 },
	[CACHE_MISSES] = { .heading = "Misses", .flags = COLUMN_RIGHT, .gap = 2 },
	[CACHE_MISS_RATE] = { .heading = "Misses per 1000 instr", .flags = COLUMN_RIGHT, .gap = 2 },
	[CACHE_RATIO] = { .heading = "Miss ratio %", .flags = COLUMN_RIGHT, .gap = 2 },
	[CACHE_VERDICT] = { .heading = "Assessment", .gap = 2 },
	[CACHE_SOURCE] = { .heading = "Bound of", .gap = 2 },
	[CACHE_QUALITY] = { .heading = "Quality", .gap = 2 },
};

/* What is known of a level, by the role of each figure; NULL: there is no such rule. */
struct cache_level {
	const char *name;
	const struct assessed *by_role[ASSESS_RATIO + 1];
};

/* In the order of the rules; those of a level follow each other. Returns their number. */
static size_t find_levels(struct cache_level *levels, const struct report *report)
{
	size_t count = 0;

	for (size_t i = 0; i < report->nassessed; i++) {
		const struct assessment_rule *rule = report->assessed[i].rule;

		if (rule->topic != ASSESS_CACHES)
			continue;
		if (!count || strcmp(levels[count - 1].name, rule->level) != 0)
			levels[count++] = (struct cache_level){ .name = rule->level };
		levels[count - 1].by_role[rule->role] = &report->assessed[i];
	}
	return count;
}

static struct cell figure_cell(const struct document *doc, const struct assessed *assessed)
{
	return shown_cell(assessed ? assessed_value(doc->arena, assessed) : "-", INK_PLAIN);
}

static struct cell count_cell(const struct document *doc, const struct assessed *assessed)
{
	bool has_count = assessed && isfinite(assessed->count);

	return shown_cell(has_count ? human_count(doc->arena, assessed->count) : "-", INK_PLAIN);
}

/* The least good of the three that has a value. */
static enum quality quality_of(const struct cache_level *level)
{
	enum quality worst = QUALITY_NONE;

	for (enum assessment_role role = ASSESS_ACCESSES; role <= ASSESS_RATIO; role++) {
		const struct assessed *assessed = level->by_role[role];

		if (report_figures_is_known(assessed) && (worst == QUALITY_NONE || assessed->quality > worst))
			worst = assessed->quality;
	}
	return worst;
}

/* The misses decide, as they cost the time; where they were not counted, their share does. */
static const struct assessed *decisive(const struct cache_level *level)
{
	const struct assessed *misses = level->by_role[ASSESS_MISSES], *ratio = level->by_role[ASSESS_RATIO];

	return report_figures_is_known(misses) || !report_figures_is_known(ratio) ? misses : ratio;
}

static void add_level(struct document *doc, struct grid *grid, const struct cache_level *level)
{
	const struct assessed *const *by_role = level->by_role, *judged = decisive(level);
	bool is_bad = judged && judged->health >= HEALTH_LOOK;

	if (judged && !judged->rule->expression && !doc->style->is_verbose)
		return; /* no CPU of this kind has it */
	grid_add(grid,
		 (const struct cell[CACHE_COLUMNS]){
			 [CACHE_LEVEL] = shown_cell(level->name, INK_PLAIN),
			 [CACHE_ACCESSES] = count_cell(doc, by_role[ASSESS_ACCESSES]),
			 [CACHE_ACCESS_RATE] = figure_cell(doc, by_role[ASSESS_ACCESSES]),
			 [CACHE_MISSES] = count_cell(doc, by_role[ASSESS_MISSES]),
			 [CACHE_MISS_RATE] = figure_cell(doc, by_role[ASSESS_MISSES]),
			 [CACHE_RATIO] = figure_cell(doc, by_role[ASSESS_RATIO]),
			 [CACHE_VERDICT] = shown_cell(judged ? assessed_text(doc->arena, judged) : "-",
						      is_bad ? INK_BOLD : INK_PLAIN),
			 [CACHE_SOURCE] = shown_cell(judged ? assessed_source(doc->arena, judged) : "", INK_PLAIN),
			 [CACHE_QUALITY] = shown_cell(quality_name(quality_of(level)), INK_PLAIN) },
		 doc->arena);
}

/* "L1D: accesses are MEM_INST_RETIRED.ALL_LOADS; misses are MEM_LOAD_RETIRED.L1_MISS." */
static void report_figures_add_events(struct document *doc, const struct report *report,
				      const struct cache_level *level)
{
	static const char *const what[] = { [ASSESS_ACCESSES] = "accesses", [ASSESS_MISSES] = "misses" };
	struct string text = STRING_INIT(doc->arena);

	for (enum assessment_role role = ASSESS_ACCESSES; role <= ASSESS_MISSES; role++) {
		const struct assessed *assessed = level->by_role[role];
		const char *events =
			report_figures_is_known(assessed) ? assessed_events(doc->arena, report, assessed, ", ") : "";

		if (*events)
			string_printf(&text, "%s %s are %s", text.length ? ";" : "", what[role], events);
	}
	if (text.length)
		doc_add(doc, (struct block){ .kind = BLOCK_NOTE,
					     .text = arena_printf(doc->arena, "%s:%s.", level->name, text.text) });
}

void report_caches(struct document *doc, const struct report_part *part)
{
	const struct report *report = part->report;
	struct grid *grid = arena_alloc(doc->arena, sizeof(*grid));
	struct cache_level *levels;
	size_t count;

	if (!report_figures_begin(doc, part, "Cache hierarchy", ASSESS_CACHES))
		return;
	levels = arena_array(doc->arena, report->nassessed, sizeof(*levels));
	count = find_levels(levels, report);
	*grid = (struct grid){ .columns = cache_columns, .ncolumns = CACHE_COLUMNS, .has_heads = true };
	for (size_t i = 0; i < count; i++)
		add_level(doc, grid, &levels[i]);
	doc_add(doc, (struct block){ .kind = BLOCK_TABLE, .grid = grid });
	for (size_t i = 0; (doc->style->is_verbose || doc->is_page) && i < count; i++)
		report_figures_add_events(doc, report, &levels[i]);
}
