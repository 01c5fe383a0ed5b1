/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ticket_figures.c - sections of a ticket that are tables of judged figures: caches, branches, TLBs. */
#include <math.h>
#include <string.h>

#include "present/document/human.h"
#include "present/report/assessment_parts.h"
#include "present/ticket/ticket_parts.h"

static bool ticket_figures_is_known(const struct assessed *assessed)
{
	return assessed && assessed->health != HEALTH_UNKNOWN;
}

static bool ticket_figures_has_any(const struct report *report, enum assessment_topic topic)
{
	for (size_t i = 0; i < report->nassessed; i++)
		if (report->assessed[i].rule->topic == topic && ticket_figures_is_known(&report->assessed[i]))
			return true;
	return false;
}

/* Why there is no table, in one line; true where there is none. */
static bool add_absence(struct document *doc, const struct ticket *ticket, enum assessment_topic topic)
{
	const struct report *report = ticket->report;
	const char *command;

	if (report && ticket_figures_has_any(report, topic))
		return false;
	if (!report) {
		doc_sentence(doc, "Nothing was counted: there are only samples.");
		return true;
	}
	command = report->assess_commands[topic];
	doc_sentence(doc, command ? "Not counted here. What counts it:" : "This CPU's model has no metric for it.");
	if (command)
		doc_add(doc, (struct block){ .kind = BLOCK_COMMAND, .text = command });
	return true;
}

/* ---- branches and TLBs: a figure a line ---- */

enum { FIGURE_TITLE, FIGURE_VALUE, FIGURE_UNIT, FIGURE_VERDICT, FIGURE_SOURCE, FIGURE_QUALITY, FIGURE_COLUMNS };

static void ticket_figures_add_figures(struct document *doc, const struct ticket *ticket, enum assessment_topic topic)
{
	static const struct column columns[FIGURE_COLUMNS] = {
		[FIGURE_TITLE] = { .heading = "Figure" },
		[FIGURE_VALUE] = { .heading = "Value", .flags = COLUMN_RIGHT, .gap = 2 },
		[FIGURE_UNIT] = { .heading = "Unit", .gap = 1 },
		[FIGURE_VERDICT] = { .heading = "Assessment", .gap = 2 },
		[FIGURE_SOURCE] = { .heading = "Bound of", .gap = 2 },
		[FIGURE_QUALITY] = { .heading = "Quality", .gap = 2 },
	};
	const struct report *report = ticket->report;
	struct grid *grid = arena_alloc(doc->arena, sizeof(*grid));

	if (add_absence(doc, ticket, topic))
		return;
	*grid = (struct grid){ .columns = columns, .ncolumns = FIGURE_COLUMNS, .has_heads = true };
	for (size_t i = 0; i < report->nassessed; i++) {
		const struct assessed *row = &report->assessed[i];

		if (row->rule->topic != topic || (!row->rule->expression && !doc->style->is_verbose))
			continue;
		grid_add(grid,
			 (const struct cell[FIGURE_COLUMNS]){
				 shown_cell(row->rule->title, INK_PLAIN),
				 shown_cell(assessed_value(doc->arena, row), INK_PLAIN),
				 shown_cell(ticket_figures_is_known(row) ? row->rule->unit : "", INK_PLAIN),
				 shown_cell(assessed_text(doc->arena, row),
					    row->health >= HEALTH_LOOK ? INK_BOLD : INK_PLAIN),
				 shown_cell(assessed_source(doc->arena, row), INK_PLAIN),
				 shown_cell(quality_name(row->quality), INK_PLAIN) },
			 doc->arena);
	}
	doc_add(doc, (struct block){ .kind = BLOCK_TABLE, .grid = grid });
}

void ticket_branches(struct document *doc, const struct ticket *ticket)
{
	ticket_heading(doc, ticket, "Branches");
	ticket_figures_add_figures(doc, ticket, ASSESS_BRANCHES);
}

void ticket_tlbs(struct document *doc, const struct ticket *ticket)
{
	ticket_heading(doc, ticket, "TLBs");
	ticket_figures_add_figures(doc, ticket, ASSESS_TLBS);
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

static const struct assessed *ticket_figures_find(const struct report *report, const char *level,
						  enum assessment_role role)
{
	for (size_t i = 0; i < report->nassessed; i++) {
		const struct assessment_rule *rule = report->assessed[i].rule;

		if (rule->topic == ASSESS_CACHES && rule->role == role && !strcmp(rule->level, level))
			return &report->assessed[i];
	}
	return NULL;
}

static const char *ticket_figures_value_of(const struct document *doc, const struct assessed *assessed)
{
	return assessed ? assessed_value(doc->arena, assessed) : "-";
}

static const char *ticket_figures_count_of(const struct document *doc, const struct assessed *assessed)
{
	return assessed && isfinite(assessed->count) ? human_count(doc->arena, assessed->count) : "-";
}

/* The least good of the three that has a value. */
static enum quality quality_of(const struct report *report, const char *level)
{
	enum quality worst = QUALITY_NONE;

	for (enum assessment_role role = ASSESS_ACCESSES; role <= ASSESS_RATIO; role++) {
		const struct assessed *assessed = ticket_figures_find(report, level, role);

		if (ticket_figures_is_known(assessed) && (worst == QUALITY_NONE || assessed->quality > worst))
			worst = assessed->quality;
	}
	return worst;
}

/* The misses decide, as they cost the time; where they were not counted, their share does. */
static const struct assessed *decisive(const struct assessed *misses, const struct assessed *ratio)
{
	return ticket_figures_is_known(misses) || !ticket_figures_is_known(ratio) ? misses : ratio;
}

static void add_level(struct document *doc, struct grid *grid, const struct report *report, const char *level)
{
	const struct assessed *accesses = ticket_figures_find(report, level, ASSESS_ACCESSES);
	const struct assessed *misses = ticket_figures_find(report, level, ASSESS_MISSES),
			      *ratio = ticket_figures_find(report, level, ASSESS_RATIO);
	const struct assessed *judged = decisive(misses, ratio);
	bool is_bad = judged && judged->health >= HEALTH_LOOK;

	if (judged && !judged->rule->expression && !doc->style->is_verbose)
		return; /* no CPU of this kind has it */
	grid_add(grid,
		 (const struct cell[CACHE_COLUMNS]){
			 shown_cell(level, INK_PLAIN), shown_cell(ticket_figures_count_of(doc, accesses), INK_PLAIN),
			 shown_cell(ticket_figures_value_of(doc, accesses), INK_PLAIN),
			 shown_cell(ticket_figures_count_of(doc, misses), INK_PLAIN),
			 shown_cell(ticket_figures_value_of(doc, misses), INK_PLAIN),
			 shown_cell(ticket_figures_value_of(doc, ratio), INK_PLAIN),
			 shown_cell(judged ? assessed_text(doc->arena, judged) : "-", is_bad ? INK_BOLD : INK_PLAIN),
			 shown_cell(judged ? assessed_source(doc->arena, judged) : "", INK_PLAIN),
			 shown_cell(quality_name(quality_of(report, level)), INK_PLAIN) },
		 doc->arena);
}

/* "L1D: accesses are MEM_INST_RETIRED.ALL_LOADS; misses are MEM_LOAD_RETIRED.L1_MISS." */
static void ticket_figures_add_events(struct document *doc, const struct report *report, const char *level)
{
	const struct assessed *accesses = ticket_figures_find(report, level, ASSESS_ACCESSES);
	const struct assessed *misses = ticket_figures_find(report, level, ASSESS_MISSES);
	const char *access =
		ticket_figures_is_known(accesses) ? assessed_events(doc->arena, report, accesses, ", ") : "";
	const char *miss = ticket_figures_is_known(misses) ? assessed_events(doc->arena, report, misses, ", ") : "";

	if (*access || *miss)
		doc_add(doc, (struct block){ .kind = BLOCK_NOTE,
					     .text = arena_printf(doc->arena, "%s: %s%s%s%s%s.", level,
								  *access ? "accesses are " : "", access,
								  *access && *miss ? "; " : "",
								  *miss ? "misses are " : "", miss) });
}

static const char *next_level(const struct report *report, size_t *i, const char *before)
{
	for (; *i < report->nassessed; ++*i) {
		const struct assessment_rule *rule = report->assessed[*i].rule;

		if (rule->topic == ASSESS_CACHES && strcmp(rule->level, before) != 0)
			return rule->level;
	}
	return NULL;
}

void ticket_caches(struct document *doc, const struct ticket *ticket)
{
	const struct report *report = ticket->report;
	struct grid *grid = arena_alloc(doc->arena, sizeof(*grid));
	const char *level = "";

	ticket_heading(doc, ticket, "Cache hierarchy");
	if (add_absence(doc, ticket, ASSESS_CACHES))
		return;
	*grid = (struct grid){ .columns = cache_columns, .ncolumns = CACHE_COLUMNS, .has_heads = true };
	for (size_t i = 0; (level = next_level(report, &i, level)) != NULL;)
		add_level(doc, grid, report, level);
	doc_add(doc, (struct block){ .kind = BLOCK_TABLE, .grid = grid });
	level = "";
	for (size_t i = 0; (doc->style->is_verbose || doc->is_page) && (level = next_level(report, &i, level)) != NULL;)
		ticket_figures_add_events(doc, report, level);
}
