/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_nodes_arm.c - the tree of an arm64 core in Linux' pmu-events. The files name levels or groups, but no parents:
 * what a formula divides by, names or counts says whose share it is.
 */
#include <fnmatch.h>
#include <string.h>

#include "common/base/text.h"
#include "cpu/import/convert.h"
#include "cpu/import/importer.h"
#include "cpu/load/model.h"

#define NO_NODE ((size_t)-1)

struct arm_node {
	unsigned level;			     /* 0: not in the tree */
	size_t parent;			     /* or NO_NODE */
	bool is_share;			     /* of the stalls of the node above, not of all slots or cycles */
	const char *numerator, *denominator; /* of the formula, where it is one ratio; or NULL */
};

struct arm_tree {
	struct import *import;
	struct arm_node *nodes; /* [import->nmetrics] */
};

static size_t find_metric(const struct import *import, const char *name, size_t length)
{
	for (size_t i = 0; i < import->nmetrics; i++)
		if (strlen(import->metrics[i].name) == length && !strncmp(import->metrics[i].name, name, length))
			return i;
	return NO_NODE;
}

/* ---- stage 2: Topdown_Frontend and Topdown_Backend ---- */

static const char stage_prefix[] = "Topdown_";

/* "backend_bound" for a metric of the group Topdown_Backend; NULL for one of no such group. */
static const char *stage_root(const struct import_metric *metric, struct arena *arena)
{
	const char *groups = metric->groups, *part;
	size_t length;

	while ((length = text_next(&groups, ";", &part)) > 0)
		if (length > strlen(stage_prefix) && has_name_prefix(part, stage_prefix))
			return arena_printf(arena, "%s_bound",
					    text_lower(arena, arena_strndup(arena, part + strlen(stage_prefix),
									    length - strlen(stage_prefix))));
	return NULL;
}

/* What it is a share of: the metric of the same stage that counts what this one divides by, else the stage's root. */
static size_t stage_parent(const struct arm_tree *tree, size_t number, const char *root)
{
	const struct import *import = tree->import;
	const char *denominator = tree->nodes[number].denominator;

	for (size_t i = 0; denominator && i < import->nmetrics; i++) {
		const char *other = stage_root(&import->metrics[i], import->arena);

		if (i != number && other && !strcmp(other, root) && tree->nodes[i].numerator &&
		    !strcmp(tree->nodes[i].numerator, denominator))
			return i;
	}
	return find_metric(import, root, strlen(root));
}

static bool place_stages(struct arm_tree *tree)
{
	bool is_changed = false;

	for (size_t i = 0; i < tree->import->nmetrics; i++) {
		const char *root = stage_root(&tree->import->metrics[i], tree->import->arena);
		size_t parent = root && !tree->nodes[i].level ? stage_parent(tree, i, root) : NO_NODE;

		if (parent == NO_NODE || !tree->nodes[parent].level || tree->nodes[parent].level >= DEEPEST_LEVEL)
			continue;
		tree->nodes[i].level = tree->nodes[parent].level + 1;
		tree->nodes[i].parent = parent;
		tree->nodes[i].is_share = true;
		is_changed = true;
	}
	return is_changed;
}

/* ---- levels that the files name, TopdownL2 and below ---- */

static unsigned named_level(const struct import_metric *metric)
{
	const char *found = strstr(metric->groups, "TopdownL");

	return found && found[8] >= '1' && found[8] <= '9' ? (unsigned)(found[8] - '0') : 0;
}

static bool perf_nodes_arm_is_placed(const struct arm_tree *tree, size_t number, unsigned level)
{
	return number != NO_NODE && tree->nodes[number].level == level;
}

/* The node of a level that a formula names. */
static size_t named_node(const struct arm_tree *tree, const char *expr, unsigned level)
{
	const char *name;
	size_t length;

	while ((length = formula_next_name(&expr, &name)) > 0) {
		size_t number = find_metric(tree->import, name, length);

		if (perf_nodes_arm_is_placed(tree, number, level))
			return number;
	}
	return NO_NODE;
}

/* "backend_core = backend_bound - backend_memory": the two are what the first consists of. */
static size_t parent_by_sibling(const struct arm_tree *tree, size_t number, unsigned level)
{
	const struct import *import = tree->import;

	for (size_t i = 0; i < import->nmetrics; i++) {
		const struct import_metric *sibling = &import->metrics[i];

		if (named_level(sibling) == level && formula_has_name(sibling->expr, import->metrics[number].name) &&
		    named_node(tree, sibling->expr, level - 1) != NO_NODE)
			return named_node(tree, sibling->expr, level - 1);
	}
	return NO_NODE;
}

/* Words that two names begin with: STALL_BACKEND_MEM and STALL_BACKEND_TLB have two of them. */
static unsigned common_words(const char *a, size_t a_length, const char *b, size_t b_length)
{
	unsigned words = 0;

	for (size_t n = 0; n <= a_length && n <= b_length; n++) {
		char left = n < a_length ? a[n] : '_', right = n < b_length ? b[n] : '_';

		if (left != right)
			break;
		words += left == '_';
	}
	return words;
}

static unsigned common_words_of(const char *expr, const char *other)
{
	const char *name, *rest, *second;
	unsigned most = 0, words;
	size_t length, second_length;

	while ((length = formula_next_name(&expr, &name)) > 0)
		for (rest = other; (second_length = formula_next_name(&rest, &second)) > 0;) {
			words = name[0] >= 'A' && name[0] <= 'Z' && strncmp(name, "CPU_CYCLES", length) != 0
					? common_words(name, length, second, second_length)
					: 0;
			most = words > most ? words : most;
		}
	return most;
}

#define RELATED 2 /* words that the names of related events begin with, at least */

/* The node of the level above whose events are most like this one's. */
static size_t parent_by_events(const struct arm_tree *tree, size_t number, unsigned level)
{
	const struct import *import = tree->import;
	unsigned most = RELATED - 1;
	size_t found = NO_NODE;

	for (size_t i = 0; i < import->nmetrics; i++) {
		unsigned words = perf_nodes_arm_is_placed(tree, i, level - 1)
					 ? common_words_of(import->metrics[number].expr, import->metrics[i].expr)
					 : 0;

		if (words > most) {
			most = words;
			found = i;
		}
	}
	return found;
}

/* Kunpeng's backend_bound is what the other nodes leave over, so nothing in its formula shows what it consists of. */
static size_t parent_by_name(const struct arm_tree *tree, size_t number, unsigned level)
{
	static const char *const names[][2] = { { "core_bound", "backend_bound" },
						{ "memory_bound", "backend_bound" } };

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		size_t parent = find_metric(tree->import, names[i][1], strlen(names[i][1]));

		if (!strcmp(tree->import->metrics[number].name, names[i][0]) &&
		    perf_nodes_arm_is_placed(tree, parent, level - 1))
			return parent;
	}
	return NO_NODE;
}

static void place_level(struct arm_tree *tree, unsigned level)
{
	const struct import *import = tree->import;

	for (size_t i = 0; i < import->nmetrics; i++) {
		size_t parent;

		if (tree->nodes[i].level || named_level(&import->metrics[i]) != level)
			continue;
		parent = named_node(tree, import->metrics[i].expr, level - 1);
		if (parent == NO_NODE)
			parent = parent_by_sibling(tree, i, level);
		if (parent == NO_NODE)
			parent = parent_by_events(tree, i, level);
		if (parent == NO_NODE)
			parent = parent_by_name(tree, i, level);
		if (parent == NO_NODE)
			continue;
		tree->nodes[i].level = level;
		tree->nodes[i].parent = parent;
	}
}

/* ---- level 1 ---- */

static const struct arm_row {
	const char *name, *title;
	unsigned percent;    /* threshold */
	const char *samples; /* the first of them that the CPU has; NULL: what the formula counts */
} arm_rows[] = {
	/* clang-format off */
	{ "frontend_bound",                     "Frontend_Bound",          15, NULL },
	{ "bad_speculation",                    "Bad_Speculation",         15, "BR_MIS_PRED_RETIRED;BR_MIS_PRED" },
	{ "slots_lost_misspeculation_fraction", "Bad_Speculation",         15, "BR_MIS_PRED_RETIRED;BR_MIS_PRED" },
	{ "backend_bound",                      "Backend_Bound",           20, NULL },
	{ "retiring",                           "Retiring",                70, NULL },
	{ "retired_fraction",                   "Retiring",                70, NULL },
	{ "frontend_stalled_cycles",            "Frontend_Stalled_Cycles", 15, NULL },
	{ "backend_stalled_cycles",             "Backend_Stalled_Cycles",  20, NULL },
	/* clang-format on */
};

static const struct arm_row *arm_row(const char *name)
{
	for (size_t i = 0; i < COUNT_OF(arm_rows); i++)
		if (!strcmp(arm_rows[i].name, name))
			return &arm_rows[i];
	return NULL;
}

/* A core that counts no slots has its stalled cycles as level 1, as Arm's own tree of Neoverse N1. */
static void place_roots(struct arm_tree *tree)
{
	const struct import *import = tree->import;
	bool has_slots = false;

	for (size_t i = 0; i < import->nmetrics; i++) {
		tree->nodes[i].level = named_level(&import->metrics[i]) == 1;
		has_slots = has_slots || tree->nodes[i].level;
	}
	for (size_t i = 0; i < import->nmetrics && !has_slots; i++)
		tree->nodes[i].level = has_word(import->metrics[i].groups, ";", "Cycle_Accounting") &&
				       arm_row(import->metrics[i].name);
}

/* ---- what a node has besides ---- */

#define LEVEL_1_LIMIT 20 /* of a node that is not in the table */
#define LEVEL_2_LIMIT 10 /* percent of all slots or cycles */
#define DEEPER_LIMIT  5
#define SHARE_LIMIT   20 /* percent of the stalls of the node above, as in import_arm.c */

static unsigned limit_of(const struct arm_tree *tree, size_t number)
{
	const struct arm_node *node = &tree->nodes[number];
	const struct arm_row *row = arm_row(tree->import->metrics[number].name);

	if (node->level == 1)
		return row ? row->percent : LEVEL_1_LIMIT;
	if (node->is_share)
		return SHARE_LIMIT;
	return node->level == 2 ? LEVEL_2_LIMIT : DEEPER_LIMIT;
}

/* Formulas are in percent, or fractions that the unit makes percent. */
static bool is_fraction(const struct import_metric *metric)
{
	return has_name_prefix(metric->unit, "100");
}

static const char *threshold_of(const struct arm_tree *tree, size_t number)
{
	struct arena *arena = tree->import->arena;
	struct string text = STRING_INIT(arena);

	for (size_t at = number; at != NO_NODE; at = tree->nodes[at].parent) {
		const struct import_metric *metric = &tree->import->metrics[at];
		unsigned limit = limit_of(tree, at);

		string_printf(&text, "%s%s > ", at == number ? "" : " & ", metric->name);
		if (is_fraction(metric))
			string_printf(&text, "0.%s%u", limit < 10 ? "0" : "", limit % 10 ? limit : limit / 10);
		else
			string_printf(&text, "%u", limit);
	}
	return text.text;
}

static const char *groups_of(const struct arm_tree *tree, size_t number)
{
	const struct arm_node *node = &tree->nodes[number];
	const char *groups = tree->import->metrics[number].groups, *part;
	struct string text = STRING_INIT(tree->import->arena);
	size_t length;

	string_printf(&text, "TopdownL%u", node->level);
	if (node->parent != NO_NODE)
		string_printf(&text, ";%s_group", tree->import->metrics[node->parent].name);
	while ((length = text_next(&groups, ";", &part)) > 0)
		if (!has_name_prefix(part, "TopdownL") && strncmp(part, "Default", length) != 0)
			string_printf(&text, ";%.*s", (int)length, part);
	return text.text;
}

/* "1percent of slots" and "100percent of cycles" as "1%" and "100%", and what the value is a share of. */
static void perf_nodes_arm_read_unit(struct import_metric *metric, struct arena *arena)
{
	static const struct {
		const char *text, *domain;
	} units[] = {
		{ "percent of slots", "Slots" },
		{ "percent of cycles", "Clocks" },
		{ "percent of operations", "Operations" },
	};
	size_t digits = strspn(metric->unit, "0123456789");

	for (size_t i = 0; i < COUNT_OF(units); i++) {
		if (strcmp(metric->unit + digits, units[i].text) != 0)
			continue;
		metric->unit = arena_printf(arena, "%.*s%%", (int)digits, metric->unit);
		metric->domain = units[i].domain;
	}
}

/* One of the row's own. */
static bool add_row_sample(struct import *import, struct import_metric *metric, const struct arm_row *row)
{
	const char *list = row && row->samples ? row->samples : "", *part;
	size_t length;

	while ((length = text_next(&list, ";", &part)) > 0) {
		if (!has_import_event(import, arena_strndup(import->arena, part, length)))
			continue;
		metric_add_sample(import, metric, part, length);
		return true;
	}
	return false;
}

/* What is counted, without what "a - b" takes off it. */
static const char *counted_part(const char *expr, struct arena *arena)
{
	const char *minus = strstr(expr, " - ");

	return minus ? arena_strndup(arena, expr, (size_t)(minus - expr)) : expr;
}

/* The events that the formula counts, without those that it divides by or takes off. */
static void perf_nodes_arm_add_samples(struct import *import, struct import_metric *metric, const struct arm_node *node)
{
	const char *expr = node->numerator ? counted_part(node->numerator, import->arena) : metric->expr, *name;
	size_t length;

	if (add_row_sample(import, metric, arm_row(metric->name)))
		return;
	while ((length = formula_next_name(&expr, &name)) > 0) {
		size_t number = table_get(&import->event_names, arena_strndup(import->arena, name, length));

		if (number == TABLE_NONE || is_same_name(import->events[number].name, "CPU_CYCLES"))
			continue;
		metric_add_sample(import, metric, import->events[number].name, length);
		if (!node->numerator)
			return;
	}
}

/* Groups of metrics to look at next, for nodes that have none below: Arm's methodology for the Neoverse cores. */
static const struct next_row {
	const char *node; /* glob */
	const char *groups;
} next_rows[] = {
	/* clang-format off */
	{ "frontend_core_*",         "Branch_Effectiveness" },
	{ "*_cache_l1i_bound",       "L1I_Cache_Effectiveness" },
	{ "*_cache_l1d_bound",       "L1D_Cache_Effectiveness" },
	{ "*_cache_l2?_bound",       "L2_Cache_Effectiveness;LL_Cache_Effectiveness" },
	{ "frontend_*tlb_bound",     "ITLB_Effectiveness" },
	{ "backend_*tlb_bound",      "DTLB_Effectiveness" },
	{ "i_cache_miss_rate",       "L1I_Cache_Effectiveness" },
	{ "i_tlb_miss_rate",         "ITLB_Effectiveness" },
	{ "d_cache_l2_miss_rate",    "L2_Cache_Effectiveness" },
	{ "d_cache_miss_rate",       "L1D_Cache_Effectiveness" },
	{ "d_tlb_miss_rate",         "DTLB_Effectiveness" },
	{ "frontend_bound",          "Branch_Effectiveness;ITLB_Effectiveness;L1I_Cache_Effectiveness;"
				     "L2_Cache_Effectiveness;LL_Cache_Effectiveness" },
	{ "frontend_stalled_cycles", "Branch_Effectiveness;ITLB_Effectiveness;L1I_Cache_Effectiveness;"
				     "L2_Cache_Effectiveness;LL_Cache_Effectiveness" },
	{ "backend_bound",           "DTLB_Effectiveness;L1D_Cache_Effectiveness;L2_Cache_Effectiveness;"
				     "LL_Cache_Effectiveness;Operation_Mix" },
	{ "backend_stalled_cycles",  "DTLB_Effectiveness;L1D_Cache_Effectiveness;L2_Cache_Effectiveness;"
				     "LL_Cache_Effectiveness;Operation_Mix" },
	{ "bad_speculation",         "Branch_Effectiveness" },
	{ "retir*",                  "Operation_Mix" },
	/* clang-format on */
};

static bool has_children(const struct arm_tree *tree, size_t number)
{
	for (size_t i = 0; i < tree->import->nmetrics; i++)
		if (tree->nodes[i].level && tree->nodes[i].parent == number)
			return true;
	return false;
}

static bool has_group(const struct import *import, const char *group)
{
	for (size_t i = 0; i < import->nmetrics; i++)
		if (has_word(import->metrics[i].groups, ";", group))
			return true;
	return false;
}

/* Those of the first row that the CPU has. */
static const char *next_groups(const struct arm_tree *tree, size_t number)
{
	struct string list = STRING_INIT(tree->import->arena);
	const char *groups = "", *part;
	size_t length;

	for (size_t i = COUNT_OF(next_rows); i-- > 0 && !has_children(tree, number);)
		if (fnmatch(next_rows[i].node, tree->import->metrics[number].name, 0) == 0)
			groups = next_rows[i].groups;
	while ((length = text_next(&groups, ";", &part)) > 0)
		if (has_group(tree->import, arena_strndup(tree->import->arena, part, length)))
			string_printf(&list, "%s%.*s", list.length ? ";" : "", (int)length, part);
	return list.text;
}

/* A node without a ScaleUnit is a fraction: of slots, or of the cycles that it divides by. */
static void add_unit(struct import_metric *metric, const struct arm_node *node)
{
	if (metric->unit[0])
		return;
	metric->unit = "100%";
	if (node->denominator && !strcmp(node->denominator, "CPU_CYCLES"))
		metric->domain = "Clocks";
}

static void finish_node(struct arm_tree *tree, size_t number)
{
	struct import_metric *metric = &tree->import->metrics[number];

	metric->domain = metric->domain ? metric->domain : "Slots";
	metric->threshold = threshold_of(tree, number);
	metric->groups = groups_of(tree, number);
	metric->next = next_groups(tree, number);
	perf_nodes_arm_add_samples(tree->import, metric, &tree->nodes[number]);
}

/* "L1D_TLB_Miss_Ratio" for l1d_tlb_miss_ratio. */
static const char *perf_nodes_arm_title_of(const char *name, struct arena *arena)
{
	static const char short_words[] =
		"ase dp dtlb fp fp16 fp32 fp64 fsu id ipc itlb ixu l1d l1i l2 l2d l2i l3 l3d ll lob "
		"mips mpki ops pc prf rob rw rwl1prf rwl1prfl2prf simd smt sob st sve tlb";
	struct string title = STRING_INIT(arena);

	for (size_t length; *name; name += length + (name[length] == '_')) {
		char *word;

		length = strcspn(name, "_");
		word = arena_strndup(arena, name, length);
		if (has_word(short_words, " ", word))
			word = text_upper(arena, word);
		else
			word[0] = text_upper(arena, word)[0];
		string_printf(&title, "%s%s", title.length ? "_" : "", word);
	}
	return title.text;
}

/* "Miss_Ratio;l1d_cache_read_miss" is a name with a group before it. */
static void repair_name(struct import *import, struct import_metric *metric)
{
	const char *last = strrchr(metric->name, ';');

	if (!last)
		return;
	import_say(import, "%s: is the metric %s of these groups", metric->name, last + 1);
	metric->groups = arena_printf(import->arena, "%.*s%s%s", (int)(last - metric->name), metric->name,
				      metric->groups[0] ? ";" : "", metric->groups);
	metric->name = last + 1;
}

void perf_nodes_arm(struct import *import)
{
	struct arm_tree tree = { .import = import,
				 .nodes = arena_array(import->arena, import->nmetrics + 1, sizeof(*tree.nodes)) };

	import->own_thresholds = true;
	for (size_t i = 0; i < import->nmetrics; i++) {
		struct import_metric *metric = &import->metrics[i];
		const struct arm_row *row;

		tree.nodes[i] = (struct arm_node){ .parent = NO_NODE };
		repair_name(import, metric);
		row = arm_row(metric->name);
		metric->title = row ? row->title : perf_nodes_arm_title_of(metric->name, import->arena);
		perf_nodes_arm_read_unit(metric, import->arena);
		formula_ratio(&tree.nodes[i].numerator, &tree.nodes[i].denominator, metric->expr, import->arena);
	}
	place_roots(&tree);
	while (place_stages(&tree))
		;
	for (unsigned level = 2; level <= DEEPEST_LEVEL; level++)
		place_level(&tree, level);
	for (size_t i = 0; i < import->nmetrics; i++)
		if (tree.nodes[i].level)
			add_unit(&import->metrics[i], &tree.nodes[i]);
	for (size_t i = 0; i < import->nmetrics; i++)
		if (tree.nodes[i].level)
			finish_node(&tree, i);
	perf_nodes_sort(import);
}
