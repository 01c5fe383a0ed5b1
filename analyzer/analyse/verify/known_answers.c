/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/verify/verification.h"

#include <math.h>
#include <string.h>

#define MOST_NODES    2
#define HALF_OF_SLOTS 50.0 /* percent */
#define SUCCESS	      0
#define SIGNAL_BEGIN  128

/*
 * A node that a tree may have, or two that share the cost. Of a kernel's rows the first one counts that the tree has:
 * the deepest come first, and trees of different vendors have different names. Nodes below the named ones count too.
 */
struct answer {
	const char *kernel;
	const char *nodes[MOST_NODES];
	const char *because;
};

/* clang-format off */
static const struct answer answers[] = {
	{ "chase", { "tma_dram_bound", "tma_l3_miss_bound" }, "memory latency" },
	{ "chase", { "tma_memory_bound", NULL }, "memory latency" },
	{ "chase", { "backend_bound_memory", "backend_bound_by_memory" }, "memory latency" },
	{ "chase", { "backend_memory", "backend_mem_bound" }, "memory latency" },
	{ "chase", { "tma_backend_bound", "backend_bound" }, "memory latency" },
	{ "chase", { "backend_stalled_cycles", NULL }, "memory latency" },

	{ "chase-l3", { "tma_l3_bound", NULL }, "L3 latency" },
	{ "chase-l3", { "tma_memory_bound", NULL }, "L3 latency" },
	{ "chase-l3", { "backend_bound_memory", "backend_bound_by_memory" }, "L3 latency" },
	{ "chase-l3", { "backend_memory", "backend_mem_bound" }, "L3 latency" },
	{ "chase-l3", { "tma_backend_bound", "backend_bound" }, "L3 latency" },
	{ "chase-l3", { "backend_stalled_cycles", NULL }, "L3 latency" },

	{ "chase-l2", { "tma_l2_bound", NULL }, "L2 latency" },
	{ "chase-l2", { "tma_memory_bound", NULL }, "L2 latency" },
	{ "chase-l2", { "backend_bound_memory", "backend_bound_by_memory" }, "L2 latency" },
	{ "chase-l2", { "backend_memory", "backend_mem_bound" }, "L2 latency" },
	{ "chase-l2", { "tma_backend_bound", "backend_bound" }, "L2 latency" },
	{ "chase-l2", { "backend_stalled_cycles", NULL }, "L2 latency" },

	/* Prefetchers bring lines into any cache before they are asked for: which one is waited for is the core's. */
	{ "stream", { "tma_memory_bound", NULL }, "memory bandwidth" },
	{ "stream", { "backend_bound_memory", "backend_bound_by_memory" }, "memory bandwidth" },
	{ "stream", { "backend_memory", "backend_mem_bound" }, "memory bandwidth" },
	{ "stream", { "tma_backend_bound", "backend_bound" }, "memory bandwidth" },
	{ "stream", { "backend_stalled_cycles", NULL }, "memory bandwidth" },

	{ "stores", { "tma_store_bound", NULL }, "full store queue" },
	{ "stores", { "tma_memory_bound", NULL }, "full store queue" },
	{ "stores", { "backend_bound_memory", "backend_bound_by_memory" }, "full store queue" },
	{ "stores", { "backend_memory", "backend_mem_bound" }, "full store queue" },
	{ "stores", { "tma_backend_bound", "backend_bound" }, "full store queue" },
	{ "stores", { "backend_stalled_cycles", NULL }, "full store queue" },

	/* A part of a misprediction's cost is the wrong path, the other is the new begin of fetch. */
	{ "branches", { "tma_branch_mispredicts", "tma_branch_resteers" }, "mispredictions" },
	{ "branches", { "tma_bad_speculation", NULL }, "mispredictions" },
	{ "branches", { "bad_speculation_mispredicts", "bad_speculation_from_mispredicts" }, "mispredictions" },
	{ "branches", { "branch_mispredict", NULL }, "mispredictions" },
	{ "branches", { "bad_speculation", NULL }, "mispredictions" },

	{ "divide", { "tma_divider", NULL }, "divider" },
	{ "divide", { "tma_core_bound", NULL }, "divider" },
	{ "divide", { "backend_bound_cpu", "backend_bound_by_cpu" }, "divider" },
	{ "divide", { "backend_core", NULL }, "divider" },
	{ "divide", { "tma_backend_bound", "backend_bound" }, "divider" },
	{ "divide", { "backend_stalled_cycles", NULL }, "divider" },

	{ "multiply", { "tma_core_bound", NULL }, "dependency chain" },
	{ "multiply", { "backend_bound_cpu", "backend_bound_by_cpu" }, "dependency chain" },
	{ "multiply", { "backend_core", NULL }, "dependency chain" },
	{ "multiply", { "tma_backend_bound", "backend_bound" }, "dependency chain" },
	{ "multiply", { "backend_stalled_cycles", NULL }, "dependency chain" },

	{ "adds", { "tma_retiring", "retiring" }, "nothing is lost" },
	{ "adds", { "retired_fraction", NULL }, "nothing is lost" },

	{ "jumps", { "tma_fetch_latency", "tma_ifetch_latency" }, "code misses" },
	{ "jumps", { "frontend_bound_latency", "frontend_bound_by_latency" }, "code misses" },
	{ "jumps", { "frontend_latency", NULL }, "code misses" },
	{ "jumps", { "tma_frontend_bound", "frontend_bound" }, "code misses" },
	{ "jumps", { "frontend_stalled_cycles", NULL }, "code misses" },

	{ "prefixes", { "tma_lcp", NULL }, "slow decoding" },
};
/* clang-format on */

const char *known_verdict_name(enum known_verdict verdict)
{
	static const char *const names[] = {
		[KNOWN_YES] = "yes", [KNOWN_NO] = "no", [KNOWN_UNKNOWN] = "unknown", [KNOWN_ABSENT] = "absent"
	};

	return names[verdict];
}

static bool is_named(const struct metric *metric, const struct answer *answer)
{
	for (size_t i = 0; i < MOST_NODES; i++)
		if (answer->nodes[i] && !strcmp(metric->name, answer->nodes[i]))
			return true;
	return false;
}

/* The first of the kernel's rows of which the report has a node; NULL: none. */
static const struct answer *find_answer(const struct known_kernel *kernel, const struct report *report)
{
	for (size_t i = 0; i < COUNT_OF(answers); i++) {
		if (strcmp(answers[i].kernel, kernel->name) != 0)
			continue;
		for (size_t node = 0; node < report->nnodes; node++)
			if (is_named(report->nodes[node].metric, &answers[i]))
				return &answers[i];
	}
	return NULL;
}

static struct known_node node_of(const struct result *result)
{
	double half = result->spread.ci95;

	return (struct known_node){
		.title = result->metric->title,
		.path = result->metric->path,
		.metric = result->metric,
		.value = result->value,
		.low = result->value - half,
		.high = result->value + half,
		.running = result->running,
		.quality = quality_name(result->quality),
	};
}

/* The nodes that are expected, the largest of them, and the first that was not measured. */
static const struct result *take_expected(struct known_result *result, const struct answer *answer,
					  const struct report *report, struct arena *arena)
{
	const struct result *unmeasured = NULL, *largest = NULL;

	result->expected = arena_array(arena, MOST_NODES, sizeof(*result->expected));
	result->because = answer->because;
	for (size_t i = 0; i < report->nnodes; i++) {
		const struct result *node = &report->nodes[i];

		if (!is_named(node->metric, answer) || result->nexpected == MOST_NODES)
			continue;
		result->expected[result->nexpected++] = node->metric->title;
		if (isnan(node->value))
			unmeasured = unmeasured ? unmeasured : node;
		else if (!largest || node->value > largest->value)
			largest = node;
	}
	if (largest)
		result->wanted = node_of(largest);
	return unmeasured;
}

/*
 * A report names retired slots as the worst only where nothing is lost. Where they are more than half of all slots and
 * over their threshold, no other node of level 1 is larger.
 */
static bool has_most(const struct report *report, const struct answer *answer)
{
	for (size_t i = 0; i < report->nnodes; i++) {
		const struct result *node = &report->nodes[i];

		if (node->metric->level == 1 && is_named(node->metric, answer))
			return node->is_bottleneck && node->value > HALF_OF_SLOTS;
	}
	return false;
}

/* Is it one of the expected nodes, or below one? */
static bool is_below(const struct result *found, const struct answer *answer, const struct model *model)
{
	const struct metric *metric = found->metric;

	while (!is_named(metric, answer)) {
		if (metric->parent == NO_PARENT)
			return false;
		metric = &model->metrics[metric->parent];
	}
	return true;
}

static void take_figures(struct known_result *result, const struct report *report)
{
	const struct anchoring *anchor = report->anchor;

	result->runs = report->summary.runs;
	result->groups = report->summary.groups;
	result->wall_s = report->summary.wall_s;
	result->instructions = report->summary.instructions;
	result->cycles = report->summary.cycles;
	result->ipc = report->summary.ipc;
	if (!anchor)
		return;
	result->modelled = anchor->modelled;
	result->measured = anchor->measured;
	result->ratio = anchor->ratio;
	result->ratio_low = anchor->ratio_low;
	result->ratio_high = anchor->ratio_high;
	result->no_ratio = anchor->reason;
}

void known_give_up(struct known_result *result, const struct known_kernel *kernel, const char *reason)
{
	const struct known_node none = { .value = NAN, .low = NAN, .high = NAN, .running = NAN };

	*result = (struct known_result){
		.kernel = kernel,
		.verdict = KNOWN_UNKNOWN,
		.reason = reason,
		.wanted = none,
		.found = none,
		.wall_s = NAN,
		.instructions = NAN,
		.cycles = NAN,
		.ipc = NAN,
		.modelled = NAN,
		.measured = NAN,
		.ratio = NAN,
		.ratio_low = NAN,
		.ratio_high = NAN,
	};
}

/* How the kernel ended; NULL: as it should. */
static const char *bad_end(const struct summary *summary, struct arena *arena)
{
	if (!summary->has_status || summary->status == SUCCESS)
		return NULL;
	if (summary->status > SIGNAL_BEGIN)
		return arena_printf(arena, "signal %d ended the kernel", summary->status - SIGNAL_BEGIN);
	return arena_printf(arena, "the kernel ended with status %d", summary->status);
}

void known_judge(struct known_result *result, const struct known_kernel *kernel, const struct report *report,
		 struct arena *arena)
{
	const struct answer *answer = find_answer(kernel, report);
	const struct result *unmeasured;

	known_give_up(result, kernel, bad_end(&report->summary, arena));
	take_figures(result, report);
	if (!answer) {
		result->verdict = result->reason ? KNOWN_UNKNOWN : KNOWN_ABSENT;
		return;
	}
	unmeasured = take_expected(result, answer, report, arena);
	if (report->worst)
		result->found = node_of(report->worst);
	if (result->reason)
		return;
	if (unmeasured && (!result->wanted.title || !report->worst)) {
		result->reason =
			arena_printf(arena, "%s was not measured: %s", unmeasured->metric->title, unmeasured->reason);
		return;
	}
	if (has_most(report, answer) || (report->worst && is_below(report->worst, answer, report->model))) {
		result->verdict = KNOWN_YES;
		return;
	}
	result->verdict = KNOWN_NO;
	result->reason = report->worst ? arena_printf(arena, "%s is the worst", report->worst->metric->title)
				       : "no node is over its threshold";
}
