/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cpu/import/importer.h"

#include <string.h>

#include "common/base/text.h"

static unsigned level_of(const struct import_metric *metric)
{
	const char *found = strstr(metric->groups, "TopdownL");

	return found && found[8] >= '1' && found[8] <= '9' ? (unsigned)(found[8] - '0') : 0;
}

static bool is_child(const struct import_metric *metric, const struct import_metric *parent, struct arena *arena)
{
	if (!parent)
		return level_of(metric) == 1;
	return level_of(metric) == level_of(parent) + 1 &&
	       has_word(metric->groups, ";", arena_printf(arena, "%s_group", parent->name));
}

struct sorter {
	struct import *import;
	struct import_metric *sorted;
	bool *is_placed;
	size_t count;
};

static void perf_nodes_place(struct sorter *s, size_t number)
{
	s->sorted[s->count++] = s->import->metrics[number];
	s->is_placed[number] = true;
}

static void place_children(struct sorter *s, const struct import_metric *parent)
{
	for (size_t i = 0; i < s->import->nmetrics; i++) {
		if (s->is_placed[i] || !is_child(&s->import->metrics[i], parent, s->import->arena))
			continue;
		perf_nodes_place(s, i);
		place_children(s, &s->import->metrics[i]);
	}
}

/* Takes the groups TopdownL<n> away. */
static const char *without_level(const char *groups, struct arena *arena)
{
	struct string kept = STRING_INIT(arena);
	const char *part;
	size_t length;

	while ((length = text_next(&groups, ";", &part)) > 0)
		if (!has_name_prefix(part, "TopdownL"))
			string_printf(&kept, "%s%.*s", kept.length ? ";" : "", (int)length, part);
	return kept.text;
}

void perf_nodes_sort(struct import *import)
{
	struct arena *arena = import->arena;
	struct sorter s = { .import = import,
			    .sorted = arena_array(arena, import->nmetrics + 1, sizeof(*s.sorted)),
			    .is_placed = arena_array(arena, import->nmetrics + 1, sizeof(*s.is_placed)) };

	place_children(&s, NULL);
	for (size_t i = 0; i < import->nmetrics; i++) {
		struct import_metric *metric = &import->metrics[i];

		if (s.is_placed[i])
			continue;
		if (level_of(metric)) {
			import_say(import, "%s: level %u without a parent one level up; no node of the tree",
				   metric->name, level_of(metric));
			metric->groups = without_level(metric->groups, arena);
		}
		perf_nodes_place(&s, i);
	}
	import->metrics = s.sorted;
	import->metrics_capacity = import->nmetrics + 1;
}

/* Of two places, 0 is the last; equal ones keep their order. */
static bool is_behind(const struct import_metric *a, const struct import_metric *b)
{
	return b->place && (!a->place || a->place > b->place);
}

void perf_nodes_order(struct import *import)
{
	for (size_t i = 1; i < import->nmetrics; i++) {
		struct import_metric metric = import->metrics[i];
		size_t k = i;

		for (; k > 0 && is_behind(&import->metrics[k - 1], &metric); k--)
			import->metrics[k] = import->metrics[k - 1];
		import->metrics[k] = metric;
	}
	perf_nodes_sort(import);
}

/* What AMD's nodes are called without _by_ and _from_; %s is the node's own name. */
static const struct amd_row {
	const char *key, *title, *threshold, *samples;
} amd_rows[] = {
	/* clang-format off */
	{ "frontend_bound", "Frontend_Bound", "%s > 0.15",
	  "ic_tag_hit_miss.instruction_cache_miss op_cache_hit_miss.op_cache_miss op_cache_hit_miss.miss" },
	{ "frontend_bound_latency", "Frontend_Latency", "%s > 0.1 & frontend_bound > 0.15",
	  "ic_tag_hit_miss.instruction_cache_miss ic_fills_from_sys.all bp_l1_tlb_miss_l2_tlb_miss.all" },
	{ "frontend_bound_bandwidth", "Frontend_Bandwidth", "%s > 0.1 & frontend_bound > 0.15",
	  "op_cache_hit_miss.op_cache_miss op_cache_hit_miss.miss" },
	{ "bad_speculation", "Bad_Speculation", "%s > 0.15",
	  "ex_ret_brn_misp resyncs_or_nc_redirects bp_redirects.resync bp_fe_redir.resync" },
	{ "bad_speculation_mispredicts", "Mispredicts", "%s > 0.1 & bad_speculation > 0.15",
	  "ex_ret_brn_misp" },
	{ "bad_speculation_pipeline_restarts", "Pipeline_Restarts", "%s > 0.05 & bad_speculation > 0.15",
	  "resyncs_or_nc_redirects bp_redirects.resync bp_fe_redir.resync" },
	{ "backend_bound", "Backend_Bound", "%s > 0.2",
	  "ls_not_halted_cyc" },
	{ "backend_bound_memory", "Backend_Memory", "%s > 0.2 & backend_bound > 0.2",
	  "ls_dmnd_fills_from_sys.all ls_any_fills_from_sys.dram_io_all ls_l1_d_tlb_miss.all_l2_miss "
	  "ls_l1_d_tlb_miss.l2_miss_all" },
	{ "backend_bound_cpu", "Backend_CPU", "%s > 0.1 & backend_bound > 0.2",
	  "ex_div_busy ls_not_halted_cyc" },
	{ "smt_contention", "SMT_Contention", "%s > 0.2",
	  "" },
	{ "retiring", "Retiring", "%s > 0.7",
	  "ex_ret_ops" },
	{ "retiring_fastpath", "Fastpath", "%s > 0.6",
	  "ex_ret_ops" },
	{ "retiring_microcode", "Microcode", "%s > 0.1",
	  "ex_ret_ucode_ops" },
	/* clang-format on */
};

/* "frontend_bound_by_latency" and "retiring_from_fastpath" without the word between. */
static const char *amd_key(const char *name, struct arena *arena)
{
	static const char *const words[] = { "_by_", "_from_" };

	for (size_t i = 0; i < COUNT_OF(words); i++) {
		const char *found = strstr(name, words[i]);

		if (found)
			return arena_printf(arena, "%.*s_%s", (int)(found - name), name, found + strlen(words[i]));
	}
	return name;
}

static const char *amd_groups(const char *list, struct arena *arena)
{
	struct string groups = STRING_INIT(arena);
	const char *part;
	size_t length;

	while ((length = text_next(&list, ";", &part)) > 0) {
		string_printf(&groups, "%s%.*s", groups.length ? ";" : "", (int)length, part);
		if (has_name_prefix(part, "PipelineL"))
			string_printf(&groups, ";Topdown%.*s", (int)(length - 8), part + 8);
	}
	return groups.text;
}

static const struct amd_row *amd_row(const struct import_metric *metric, struct arena *arena)
{
	for (size_t i = 0; i < COUNT_OF(amd_rows); i++)
		if (strstr(metric->groups, "PipelineL") && !strcmp(amd_rows[i].key, amd_key(metric->name, arena)))
			return &amd_rows[i];
	return NULL;
}

static const char *amd_threshold(const struct import *import, const struct import_metric *metric, const char *format)
{
	struct arena *arena = import->arena;
	const char *text = arena_printf(arena, "%s%s", metric->name, format + 2);

	for (size_t i = 0; i < import->nmetrics && !strcmp(metric->name, "retiring"); i++)
		if (!strcmp(amd_key(import->metrics[i].name, arena), "retiring_microcode"))
			return arena_printf(arena, "%s | %s > 0.1", text, import->metrics[i].name);
	return text;
}

static void perf_nodes_add_samples(struct import *import, struct import_metric *metric, const char *list)
{
	const char *part;
	size_t length;

	while ((length = text_next(&list, " ", &part)) > 0)
		if (has_import_event(import, arena_strndup(import->arena, part, length)))
			metric_add_sample(import, metric, part, length);
}

static void amd_node(struct import *import, struct import_metric *metric, const struct amd_row *row)
{
	metric->title = row->title;
	metric->threshold = amd_threshold(import, metric, row->threshold);
	metric->unit = "100%";
	metric->domain = "Slots";
	metric->nsamples = 0;
	perf_nodes_add_samples(import, metric, row->samples);
}

/* The nodes in the order of the table, each file's metrics behind them in their own. */
static void amd_order(struct import *import)
{
	struct arena *arena = import->arena;
	struct sorter s = { .import = import,
			    .sorted = arena_array(arena, import->nmetrics + 1, sizeof(*s.sorted)),
			    .is_placed = arena_array(arena, import->nmetrics + 1, sizeof(*s.is_placed)) };

	for (size_t k = 0; k < COUNT_OF(amd_rows); k++)
		for (size_t i = 0; i < import->nmetrics; i++)
			if (!s.is_placed[i] && amd_row(&import->metrics[i], arena) == &amd_rows[k])
				perf_nodes_place(&s, i);
	for (size_t i = 0; i < import->nmetrics; i++)
		if (!s.is_placed[i])
			perf_nodes_place(&s, i);
	import->metrics = s.sorted;
	import->metrics_capacity = import->nmetrics + 1;
}

void perf_nodes_amd(struct import *import)
{
	import->own_thresholds = true;
	amd_order(import);
	for (size_t i = 0; i < import->nmetrics; i++) {
		struct import_metric *metric = &import->metrics[i];
		const struct amd_row *row = amd_row(metric, import->arena);

		if (row)
			amd_node(import, metric, row);
		metric->groups = amd_groups(metric->groups, import->arena);
	}
}

/* Intel names no events to sample for nodes of efficient cores: those of the same cause, the precise ones first. */
static const struct efficient_row {
	const char *metric, *samples;
} efficient_rows[] = {
	/* clang-format off */
	{ "tma_frontend_bound",     "FRONTEND_RETIRED.ALL ICACHE.MISSES" },
	{ "tma_ifetch_latency",     "FRONTEND_RETIRED.ICACHE FRONTEND_RETIRED.ITLB_MISS ICACHE.MISSES" },
	{ "tma_icache_misses",      "FRONTEND_RETIRED.ICACHE ICACHE.MISSES" },
	{ "tma_itlb_misses",        "FRONTEND_RETIRED.ITLB_MISS ITLB_MISSES.WALK_COMPLETED" },
	{ "tma_branch_detect",      "FRONTEND_RETIRED.BRANCH_DETECT BACLEARS.ANY" },
	{ "tma_branch_resteer",     "FRONTEND_RETIRED.BRANCH_RESTEER" },
	{ "tma_ifetch_bandwidth",   "FRONTEND_RETIRED.DECODE FRONTEND_RETIRED.PREDECODE FRONTEND_RETIRED.CISC" },
	{ "tma_cisc",               "FRONTEND_RETIRED.CISC UOPS_RETIRED.MS" },
	{ "tma_decode",             "FRONTEND_RETIRED.DECODE" },
	{ "tma_predecode",          "FRONTEND_RETIRED.PREDECODE" },
	{ "tma_other_fb",           "FRONTEND_RETIRED.OTHER" },
	{ "tma_bad_speculation",    "BR_MISP_RETIRED.ALL_BRANCHES" },
	{ "tma_branch_mispredicts", "BR_MISP_RETIRED.ALL_BRANCHES" },
	{ "tma_machine_clears",     "MACHINE_CLEARS.ANY MACHINE_CLEARS.SLOW" },
	{ "tma_nuke",               "MACHINE_CLEARS.SLOW" },
	{ "tma_fast_nuke",          "MACHINE_CLEARS.ANY_FAST MACHINE_CLEARS.FAST MACHINE_CLEARS.MEMORY_ORDERING" },
	{ "tma_mem_scheduler",      "MEM_LOAD_UOPS_RETIRED.L1_MISS MEM_SCHEDULER_BLOCK.ALL" },
	{ "tma_non_mem_scheduler",  "UOPS_RETIRED.FPDIV UOPS_RETIRED.IDIV" },
	{ "tma_reorder_buffer",     "MEM_LOAD_UOPS_RETIRED.L2_MISS" },
	{ "tma_serialization",      "SERIALIZATION.NON_C01_MS_SCB" },
	{ "tma_retiring",           "UOPS_RETIRED.ALL" },
	/* clang-format on */
};

void efficient_samples(struct import *import)
{
	if (!has_import_event(import, "TOPDOWN_BE_BOUND.ALL") && !has_import_event(import, "TOPDOWN_BE_BOUND.ALL_P"))
		return;
	for (size_t i = 0; i < import->nmetrics; i++)
		for (size_t k = 0; k < COUNT_OF(efficient_rows); k++)
			if (!import->metrics[i].nsamples && level_of(&import->metrics[i]) &&
			    is_same_name(import->metrics[i].name, efficient_rows[k].metric))
				perf_nodes_add_samples(import, &import->metrics[i], efficient_rows[k].samples);
}
