/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * level_1.c - possible executions, and what level 1 has to say about them.
 *
 * Every execution takes 1e9 cycles of its core, whose width times that are the slots. The shares were chosen first, and the
 * counts follow from what the events count (the vendors' event files): a slot either waits for the frontend, or for the
 * backend, or is taken by an operation that retires or does not.
 */
#include "data.h"

#include "common/base/text.h"

enum smt { SMT_OFF, SMT_ON, SMT_ANY, GENERAL_FORM /* of Intel's formulas, SMT on or off */ };

static const char frontend_20[] = "tma_frontend_bound=20 tma_bad_speculation=10 tma_backend_bound=30 tma_retiring=40";
static const char arm_20[] = "frontend_bound=20 bad_speculation=10 backend_bound=30 retiring=40";

/* Cores of which a thread counts the cycles, and both threads share the slots. */
#define PER_CORE                                                                                                       \
	"sandybridge jaketown ivybridge ivytown haswell haswellx broadwell broadwellde broadwellx skylake skylakex "   \
	"cascadelakex"

static const struct execution {
	const char *cpus;
	enum smt smt;
	const char *counts;  /* of all events that the level-1 nodes read, and of no others */
	const char *percent; /* the chosen shares */
	const char *no_sum;  /* why these are not all slots; NULL: they are */
} executions[] = {
	/* clang-format off */
	/*
	 * Four slots a cycle. 0.2e9 of the issued operations do not retire, and 0.05e9 cycles of four slots are lost to
	 * recovery. The sibling is idle; what is counted for "any" thread is counted on both threads of the core.
	 */
	{ PER_CORE, SMT_OFF,
	  "CPU_CLK_UNHALTED.THREAD=1e9 IDQ_UOPS_NOT_DELIVERED.CORE=0.8e9 UOPS_ISSUED.ANY=1.8e9 "
	  "UOPS_RETIRED.RETIRE_SLOTS=1.6e9 INT_MISC.RECOVERY_CYCLES=0.05e9", frontend_20, NULL },
	{ PER_CORE, SMT_ON,
	  "CPU_CLK_UNHALTED.THREAD=1e9 CPU_CLK_UNHALTED.ONE_THREAD_ACTIVE=0.1e9 CPU_CLK_UNHALTED.REF_XCLK=0.1e9 "
	  "IDQ_UOPS_NOT_DELIVERED.CORE=0.8e9 UOPS_ISSUED.ANY=1.8e9 UOPS_RETIRED.RETIRE_SLOTS=1.6e9 "
	  "INT_MISC.RECOVERY_CYCLES_ANY=0.1e9", frontend_20, NULL },
	/* The sibling is busy for half of the time, and has half of the slots then: 3e9 are left to this thread. */
	{ PER_CORE, SMT_ON,
	  "CPU_CLK_UNHALTED.THREAD=1e9 CPU_CLK_UNHALTED.ONE_THREAD_ACTIVE=0.05e9 CPU_CLK_UNHALTED.REF_XCLK=0.1e9 "
	  "IDQ_UOPS_NOT_DELIVERED.CORE=0.6e9 UOPS_ISSUED.ANY=1.35e9 UOPS_RETIRED.RETIRE_SLOTS=1.2e9 "
	  "INT_MISC.RECOVERY_CYCLES_ANY=0.075e9", frontend_20, NULL },
	/*
	 * The fields of PERF_METRICS are all slots. One percent of them, counted as frontend bound, are operations that
	 * were dropped; on the wide cores of five slots one percent, five slots for each clear, is backend bound beyond the field.
	 */
	{ "icelake icelakex tigerlake rocketlake", SMT_ANY,
	  "TOPDOWN.SLOTS=5e9 PERF_METRICS.FRONTEND_BOUND=1.05e9 PERF_METRICS.BAD_SPECULATION=0.5e9 "
	  "PERF_METRICS.BACKEND_BOUND=1.45e9 PERF_METRICS.RETIRING=2e9 INT_MISC.UOP_DROPPING=0.05e9 "
	  "INT_MISC.CLEARS_COUNT=0.01e9", frontend_20, NULL },
	{ "alderlake:core sapphirerapids sapphirerapidshbm emeraldrapids meteorlake:core graniterapids", SMT_ANY,
	  "TOPDOWN.SLOTS=6e9 PERF_METRICS.FRONTEND_BOUND=1.26e9 PERF_METRICS.BAD_SPECULATION=0.54e9 "
	  "PERF_METRICS.BACKEND_BOUND=1.8e9 PERF_METRICS.RETIRING=2.4e9 INT_MISC.UOP_DROPPING=0.06e9", frontend_20, NULL },
	{ "lunarlake:core arrowlake:core", SMT_ANY,
	  "PERF_METRICS.FRONTEND_BOUND=1.6e9 PERF_METRICS.BAD_SPECULATION=0.8e9 PERF_METRICS.BACKEND_BOUND=2.4e9 "
	  "PERF_METRICS.RETIRING=3.2e9", frontend_20, NULL },
	/* The same from general counters. Backend_Bound of the cores of five slots lacks the slots of the clears there. */
	{ "icelake icelakex tigerlake rocketlake", GENERAL_FORM,
	  "TOPDOWN.SLOTS_P=5e9 IDQ_UOPS_NOT_DELIVERED.CORE=1.05e9 TOPDOWN.BACKEND_BOUND_SLOTS=1.45e9 "
	  "UOPS_RETIRED.SLOTS=2e9 INT_MISC.UOP_DROPPING=0.05e9 INT_MISC.CLEARS_COUNT=0.01e9",
	  "tma_frontend_bound=20 tma_bad_speculation=10 tma_backend_bound=29 tma_retiring=40",
	  "five slots of each clear are in no node" },
	{ "alderlake:core sapphirerapids sapphirerapidshbm emeraldrapids meteorlake:core graniterapids", GENERAL_FORM,
	  "TOPDOWN.SLOTS_P=6e9 IDQ_BUBBLES.CORE=1.26e9 TOPDOWN.BACKEND_BOUND_SLOTS=1.8e9 UOPS_RETIRED.SLOTS=2.4e9 "
	  "INT_MISC.UOP_DROPPING=0.06e9", frontend_20, NULL },
	{ "lunarlake:core arrowlake:core pantherlake:core novalake:core", GENERAL_FORM,
	  "TOPDOWN.SLOTS_P=8e9 IDQ_BUBBLES.CORE=1.6e9 TOPDOWN.BAD_SPEC_SLOTS=0.8e9 TOPDOWN.BACKEND_BOUND_SLOTS=2.4e9 "
	  "UOPS_RETIRED.SLOTS=3.2e9", frontend_20, NULL },
	/* Efficient cores: five slots, of which those lost to speculation are what is left; six; eight. */
	{ "alderlake:atom alderlaken", SMT_ANY,
	  "CPU_CLK_UNHALTED.CORE=1e9 TOPDOWN_FE_BOUND.ALL=1e9 TOPDOWN_BE_BOUND.ALL=1.5e9 TOPDOWN_RETIRING.ALL=2e9",
	  frontend_20, NULL },
	{ "meteorlake:atom arrowlake:lowpower sierraforest grandridge", SMT_ANY,
	  "CPU_CLK_UNHALTED.CORE=1e9 TOPDOWN_FE_BOUND.ALL_P=1.2e9 TOPDOWN_BAD_SPECULATION.ALL_P=0.6e9 "
	  "TOPDOWN_BE_BOUND.ALL_P=1.8e9 TOPDOWN_RETIRING.ALL_P=2.4e9", frontend_20, NULL },
	{ "lunarlake:atom arrowlake:atom", SMT_ANY,
	  "CPU_CLK_UNHALTED.CORE=1e9 TOPDOWN_FE_BOUND.ALL=1.6e9 TOPDOWN_BAD_SPECULATION.ALL_P=0.8e9 "
	  "TOPDOWN_BE_BOUND.ALL_P=2.4e9 TOPDOWN_RETIRING.ALL=3.2e9", frontend_20, NULL },
	/* AMD: slots in which the other thread dispatched are a fifth part, which is 0 without one. */
	{ "amdzen4", SMT_OFF,
	  "ls_not_halted_cyc=1e9 de_no_dispatch_per_slot.no_ops_from_frontend=1.2e9 de_src_op_disp.all=3e9 ex_ret_ops=2.4e9 "
	  "de_no_dispatch_per_slot.backend_stalls=1.8e9 de_no_dispatch_per_slot.smt_contention=0",
	  "frontend_bound=20 bad_speculation=10 backend_bound=30 smt_contention=0 retiring=40", NULL },
	{ "amdzen4", SMT_ON,
	  "ls_not_halted_cyc=1e9 de_no_dispatch_per_slot.no_ops_from_frontend=1.2e9 de_src_op_disp.all=3e9 ex_ret_ops=2.4e9 "
	  "de_no_dispatch_per_slot.backend_stalls=1.5e9 de_no_dispatch_per_slot.smt_contention=0.3e9",
	  "frontend_bound=20 bad_speculation=10 backend_bound=25 smt_contention=5 retiring=40", NULL },
	{ "amdzen5 amdzen6", SMT_OFF,
	  "ls_not_halted_cyc=1e9 de_no_dispatch_per_slot.no_ops_from_frontend=1.6e9 de_src_op_disp.all=4e9 ex_ret_ops=3.2e9 "
	  "de_no_dispatch_per_slot.backend_stalls=2.4e9 de_no_dispatch_per_slot.smt_contention=0",
	  "frontend_bound=20 bad_speculation=10 backend_bound=30 smt_contention=0 retiring=40", NULL },
	{ "amdzen5 amdzen6", SMT_ON,
	  "ls_not_halted_cyc=1e9 de_no_dispatch_per_slot.no_ops_from_frontend=1.6e9 de_src_op_disp.all=4e9 ex_ret_ops=3.2e9 "
	  "de_no_dispatch_per_slot.backend_stalls=2e9 de_no_dispatch_per_slot.smt_contention=0.4e9",
	  "frontend_bound=20 bad_speculation=10 backend_bound=25 smt_contention=5 retiring=40", NULL },
	/*
	 * Arm: STALL_SLOT is the sum of its two parts. Of the other slots 40/46 are taken by what retires; the rest and four
	 * percent of stalled slots (of the frontend, on N2 and V2 also of the backend) are due to mispredictions or flushes.
	 * N2 up to r0p2 counts a slot too much in each cycle (the erratum of Arm's formulas).
	 */
	{ "neoverse-n2 neoverse-n2-r0p0 neoverse-n2-r0p1", SMT_ANY,
	  "CPU_CYCLES=1e9 STALL_SLOT_FRONTEND=2.05e9 STALL_SLOT_BACKEND=1.65e9 STALL_SLOT=3.7e9 OP_SPEC=2.3e9 OP_RETIRED=2e9 "
	  "BR_MIS_PRED=0.01e9", arm_20, NULL },
	{ "neoverse-n2-r0p3", SMT_ANY,
	  "CPU_CYCLES=1e9 STALL_SLOT_FRONTEND=1.05e9 STALL_SLOT_BACKEND=1.65e9 STALL_SLOT=2.7e9 OP_SPEC=2.3e9 OP_RETIRED=2e9 "
	  "BR_MIS_PRED=0.01e9", arm_20, NULL },
	{ "neoverse-n3", SMT_ANY,
	  "CPU_CYCLES=1e9 STALL_SLOT_FRONTEND=1.2e9 STALL_SLOT_BACKEND=1.5e9 STALL_SLOT=2.7e9 OP_SPEC=2.3e9 OP_RETIRED=2e9 "
	  "STALL_FRONTEND_FLUSH=0.04e9", arm_20, NULL },
	{ "neoverse-v1", SMT_ANY,
	  "CPU_CYCLES=1e9 STALL_SLOT_FRONTEND=1.92e9 STALL_SLOT_BACKEND=2.4e9 STALL_SLOT=4.32e9 OP_SPEC=3.68e9 "
	  "OP_RETIRED=3.2e9 BR_MIS_PRED=0.01e9", arm_20, NULL },
	{ "neoverse-v2", SMT_ANY,
	  "CPU_CYCLES=1e9 STALL_SLOT_FRONTEND=1.68e9 STALL_SLOT_BACKEND=2.64e9 STALL_SLOT=4.32e9 OP_SPEC=3.68e9 "
	  "OP_RETIRED=3.2e9 BR_MIS_PRED=0.01e9", arm_20, NULL },
	{ "neoverse-v3", SMT_ANY,
	  "CPU_CYCLES=1e9 STALL_SLOT_FRONTEND=2.4e9 STALL_SLOT_BACKEND=3e9 STALL_SLOT=5.4e9 OP_SPEC=4.6e9 OP_RETIRED=4e9 "
	  "STALL_FRONTEND_FLUSH=0.04e9", arm_20, NULL },
	/* C1's own cores count 0.1e9 cycles of waiting (WFX) as well, and their slots as stalled in the one or the other. */
	{ "c1-ultra c1-premium", SMT_ANY,
	  "CPU_CYCLES=1.1e9 IMP_WFX_CLOCK_CYCLES=0.1e9 STALL_SLOT_FRONTEND=3.4e9 STALL_SLOT_BACKEND=3e9 STALL_SLOT=6.4e9 "
	  "OP_SPEC=4.6e9 OP_RETIRED=4e9 STALL_FRONTEND_FLUSH=0.14e9", arm_20, NULL },
	{ "c1-pro", SMT_ANY,
	  "CPU_CYCLES=1.1e9 IMP_WFX_CLOCK_CYCLES=0.1e9 STALL_SLOT_FRONTEND=1.2e9 STALL_SLOT_BACKEND=2e9 STALL_SLOT=3.2e9 "
	  "OP_SPEC=2.3e9 OP_RETIRED=2e9 STALL_FRONTEND_FLUSH=0.04e9", arm_20, NULL },
	{ "c1-nano", SMT_ANY,
	  "CPU_CYCLES=1e9 STALL_SLOT_FRONTEND=0.72e9 STALL_SLOT_BACKEND=0.9e9 STALL_SLOT=1.62e9 OP_SPEC=1.38e9 "
	  "OP_RETIRED=1.2e9 STALL_FRONTEND_FLUSH=0.04e9", arm_20, NULL },
	{ "neoverse-n1", SMT_ANY, "CPU_CYCLES=1e9 STALL_FRONTEND=0.2e9 STALL_BACKEND=0.3e9",
	  "frontend_stalled_cycles=20 backend_stalled_cycles=30", "shares of the cycles; those without a stall are in neither" },
	/* Other arm64 cores whose frontend bound slots have no correction. AmpereOne's are what is left, OP_SPEC has both others. */
	{ "olympus", SMT_ANY,
	  "CPU_SLOT=10e9 STALL_SLOT_FRONTEND_WITHOUT_MISPRED=2e9 STALL_SLOT_BACKEND=3e9 STALL_SLOT=5.4e9 OP_SPEC=4.6e9 "
	  "OP_RETIRED=4e9", arm_20, NULL },
	{ "kunpeng920", SMT_ANY, "CPU_CYCLES=1e9 FETCH_BUBBLE=0.8e9 INST_SPEC=2e9 INST_RETIRED=1.6e9", arm_20, NULL },
	{ "ampereone ampereonex", SMT_ANY, "CPU_CYCLES=1e9 STALL_SLOT_BACKEND=1.2e9 OP_SPEC=2e9 OP_RETIRED=1.6e9",
	  "frontend_bound=20 slots_lost_misspeculation_fraction=10 backend_bound=30 retired_fraction=40", NULL },
	{ "generic-arm cortex-a78 cortex-a510 cortex-a710 cortex-x1 cortex-x2", SMT_ANY,
	  "CPU_CYCLES=1e9 STALL_SLOT_FRONTEND=1e9 STALL_SLOT_BACKEND=1.5e9 STALL_SLOT=2.5e9 OP_SPEC=2.5e9 OP_RETIRED=2e9",
	  arm_20, NULL },
	{ "generic-arm-stalls cortex-a55 cortex-a65 cortex-a75 cortex-a76 cortex-a77 neoverse-e1 a64fx", SMT_ANY,
	  "CPU_CYCLES=1e9 STALL_FRONTEND=0.2e9 STALL_BACKEND=0.3e9",
	  "frontend_stalled_cycles=20 backend_stalled_cycles=30", "shares of the cycles; those without a stall are in neither" },
	/* Intel cores that no file knows: PERF_METRICS, and the slots of an efficient core, which only add up. */
	{ "generic-intel generic-intel:core pantherlake:core novalake:core", SMT_ANY,
	  "PERF_METRICS.FRONTEND_BOUND=1.2e9 PERF_METRICS.BAD_SPECULATION=0.6e9 PERF_METRICS.BACKEND_BOUND=1.8e9 "
	  "PERF_METRICS.RETIRING=2.4e9", frontend_20, NULL },
	{ "generic-atom generic-intel:atom pantherlake:atom novalake:atom clearwaterforest", SMT_ANY,
	  "TOPDOWN_FE_BOUND.ALL=1.2e9 TOPDOWN_BAD_SPECULATION.ALL=0.6e9 TOPDOWN_BE_BOUND.ALL=1.8e9 "
	  "TOPDOWN_RETIRING.ALL=2.4e9", frontend_20, NULL },
	/* Tremont has four slots in a cycle. */
	{ "elkhartlake snowridgex", SMT_ANY,
	  "CPU_CLK_UNHALTED.CORE=1e9 TOPDOWN_FE_BOUND.ALL=0.8e9 TOPDOWN_BAD_SPECULATION.ALL=0.4e9 TOPDOWN_BE_BOUND.ALL=1.2e9 "
	  "TOPDOWN_RETIRING.ALL=1.6e9", frontend_20, NULL },
	/* Goldmont has three; 0.2e9 of the issued operations do not retire, and 0.1e9 slots are lost to recovery. */
	{ "goldmont", SMT_ANY,
	  "CPU_CLK_UNHALTED.CORE=1e9 UOPS_NOT_DELIVERED.ANY=0.6e9 UOPS_ISSUED.ANY=1.4e9 UOPS_RETIRED.ANY=1.2e9 "
	  "ISSUE_SLOTS_NOT_CONSUMED.RECOVERY=0.1e9", frontend_20, NULL },
	/* A simulated core: each lost slot has one cause. */
	{ "sim", SMT_ANY,
	  "slots.all=6e9 slots.retired=2.4e9 lost.icache=0.3e9 lost.itlb=0.1e9 lost.unknown_branch=0.04e9 "
	  "lost.resteer=0.06e9 lost.microcode=0.1e9 lost.legacy_decode=0.3e9 lost.uop_cache=0.3e9 lost.mispredict=0.6e9 lost.l1=0.2e9 "
	  "lost.dtlb=0.1e9 lost.l2=0.2e9 lost.l3=0.2e9 lost.dram=0.4e9 lost.store=0.1e9 lost.contested=0.03e9 "
	  "lost.data_sharing=0.02e9 lost.false_sharing=0.05e9 lost.divider=0.1e9 "
	  "lost.serialization=0.1e9 lost.ports=0.1e9 lost.dependency=0.2e9", frontend_20, NULL },
	/* clang-format on */
};

/* The number behind "name=" in a list; NAN when the name is not there. */
static double number_of(const char *list, const char *name)
{
	size_t length, wanted = strlen(name);
	double number = (double)NAN;
	const char *part;

	while ((length = text_next(&list, " ", &part)) > 0) {
		const char *end;

		if (length > wanted && part[wanted] == '=' && !strncmp(part, name, wanted) &&
		    text_double_prefix(part + wanted + 1, &end, &number))
			return number;
	}
	return (double)NAN;
}

/* One name of a list and no more: the events and nodes of an execution are those of the model, neither more nor less. */
static size_t list_length(const char *list)
{
	size_t count = 0;
	const char *part;

	while (text_next(&list, " ", &part) > 0)
		count++;
	return count;
}

/* Counts of the events that level 1 reads, by event number; all others are not counted. */
static void take_counts(double *counts, const struct machine_check *e, const struct execution *execution)
{
	const struct model *model = &e->loaded->model;
	size_t nread = 0;

	for (size_t i = 0; i < model->events.count; i++)
		counts[i] = (double)NAN;
	for (size_t i = 0; i < model->nnodes; i++) {
		const struct metric *node = &model->metrics[i];

		for (size_t k = 0; k < node->nevents && node->level == 1; k++) {
			const char *name = model->events.events[node->events[k]].name;

			nread += isnan(counts[node->events[k]]) ? 1 : 0;
			counts[node->events[k]] = number_of(execution->counts, name);
			expect(e, name, !isnan(counts[node->events[k]]),
			       "is read by level 1 and has no count in level_1.c");
		}
	}
	expect(e, "level 1", nread == list_length(execution->counts), "level_1.c has counts that no node reads");
}

static void check_shares(const struct machine_check *e, const struct execution *execution, const double *values)
{
	const struct model *model = &e->loaded->model;
	double sum = 0;
	size_t nnodes = 0;

	for (size_t i = 0; i < model->nnodes; i++) {
		const struct metric *node = &model->metrics[i];
		double percent = program_value(model->program, values, i) * node->scale;
		double chosen = number_of(execution->percent, node->name);
		char what[96];

		if (node->level != 1)
			continue;
		snprintf(what, sizeof(what), "%.17g %% instead of %g %%", percent, chosen);
		expect(e, node->name, fabs(percent - chosen) < 1e-9, what);
		sum += percent;
		nnodes++;
	}
	expect(e, "level 1", nnodes == list_length(execution->percent), "a chosen share is of no node");
	expect(e, "level 1", (fabs(sum - 100) <= 0.1) == !execution->no_sum,
	       execution->no_sum ? "adds up to 100 %, where it should not" : "does not add up to 100 %");
}

static void check_execution(const struct machine_check *e, const struct execution *execution)
{
	const struct model *model = &e->loaded->model;
	double *counts = arena_array(&e->loaded->arena, model->events.count + 1, sizeof(*counts));
	double *values = arena_array(&e->loaded->arena, program_size(model->program) + 1, sizeof(*values));

	take_counts(counts, e, execution);
	program_eval(model->program, counts, values);
	check_shares(e, execution, values);
}

static bool is_of(const struct execution *execution, const struct machine_check *e)
{
	bool is_general = e->loaded->model.form == FORM_GENERAL;

	if (!has_word(execution->cpus, " ", e->cpu) || (execution->smt == GENERAL_FORM) != is_general)
		return false;
	return is_general || execution->smt == SMT_ANY || (execution->smt == SMT_ON) == e->smt_on;
}

void check_level_1(const struct machine_check *e)
{
	const struct model *model = &e->loaded->model;
	bool is_described = false, is_slots_tree = model->nnodes > 0 && !model->no_tree;

	for (size_t i = 0; i < COUNT_OF(executions); i++) {
		if (!is_of(&executions[i], e))
			continue;
		check_execution(e, &executions[i]);
		expect(e, "level 1", is_slots_tree || executions[i].no_sum,
		       "is no tree of slots, but level_1.c says so");
		is_described = true;
	}
	expect(e, "level 1", is_described == (model->nnodes > 0), "level_1.c has no execution for these nodes");
	expect(e, "level 1", model->nnodes > 0 || model->no_tree, "neither nodes nor a reason why there are none");
}
