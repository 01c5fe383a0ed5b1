/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pfm_test.c - our encodings of the events that libpfm4 knows by the same name are libpfm4's. What differs stands in a
 * table, with the reason. Events that need an MSR are left out: libpfm4 makes one event with many unit masks of them.
 * libpfm4 4.13 knows no Zen 5, and of Intel nothing after Sapphire Rapids and no hybrid.
 */
#include "model_fixture.h"

#include <dlfcn.h>

#include "common/base/text.h"
#include "cpu/event/event_internal.h"
#include "cpu/identify/machine.h"

static const struct pfm_case {
	const char *cpu;
	const char *probe; /* an event that libpfm4 knows if it was built with this PMU at all (Arm's only on Arm) */
	size_t least;	   /* events that have to be compared then */
} cpus[] = {
	/* clang-format off */
	{ "nehalemep",         "INST_RETIRED:ANY_P",    227 },
	{ "nehalemex",         "INST_RETIRED:ANY_P",    223 },
	{ "westmereep-dp",     "INST_RETIRED:ANY_P",    244 },
	{ "westmereep-sp",     "INST_RETIRED:ANY_P",    246 },
	{ "sandybridge",       "INST_RETIRED:ANY_P",    212 },
	{ "jaketown",          "INST_RETIRED:ANY_P",    212 },
	{ "ivybridge",         "INST_RETIRED:ANY_P",    214 },
	{ "ivytown",           "INST_RETIRED:ANY_P",    218 },
	{ "haswell",           "INST_RETIRED:ANY_P",    291 },
	{ "haswellx",          "INST_RETIRED:ANY_P",    293 },
	{ "broadwell",         "INST_RETIRED:ANY_P",    285 },
	{ "broadwellde",       "INST_RETIRED:ANY_P",    285 },
	{ "broadwellx",        "INST_RETIRED:ANY_P",    288 },
	{ "skylake",           "INST_RETIRED:ANY_P",    230 },
	{ "skylakex",          "INST_RETIRED:ANY_P",    249 },
	{ "cascadelakex",      "INST_RETIRED:ANY_P",    251 },
	{ "icelake",           "INST_RETIRED:ANY_P",    229 },
	{ "icelakex",          "INST_RETIRED:ANY_P",    223 },
	{ "sapphirerapids",    "INST_RETIRED:ANY_P",    257 },
	{ "sapphirerapidshbm", "INST_RETIRED:ANY_P",    257 },
	{ "knightslanding",    "INST_RETIRED:ANY_P",    67 },
	{ "bonnell",           "INST_RETIRED:ANY_P",    148 },
	{ "silvermont",        "INST_RETIRED:ANY_P",    54 },
	{ "goldmont",          "INST_RETIRED:ANY_P",    78 },
	{ "elkhartlake",       "INSTRUCTION_RETIRED",      25 },
	{ "snowridgex",        "INSTRUCTION_RETIRED",      25 },
	{ "amdzen1",           "RETIRED_INSTRUCTIONS",  59 },
	{ "amdzen2",           "RETIRED_INSTRUCTIONS",  74 },
	{ "amdzen3",           "RETIRED_INSTRUCTIONS",  97 },
	{ "amdzen4",           "RETIRED_INSTRUCTIONS",  251 },
	{ "neoverse-n1",       "CPU_CYCLES",            50 },
	{ "neoverse-v1",       "CPU_CYCLES",            50 },
	/* clang-format on */
};

#define NEHALEM		"nehalemep nehalemex"
#define WESTMERE	"westmereep-dp westmereep-sp"
#define SANDY_BRIDGE	"sandybridge jaketown"
#define IVY_BRIDGE	"ivybridge ivytown"
#define HASWELL		"haswell haswellx broadwell broadwellde broadwellx"
#define SKYLAKE		"skylake skylakex cascadelakex"
#define ICE_LAKE	"icelake icelakex"
#define SAPPHIRE_RAPIDS "sapphirerapids sapphirerapidshbm"

/*
 * The vendors' own event files decide, and what the kernel takes (linux tools/perf/pmu-events/jevents.py). The reason says what
 * these have.
 */
static const struct difference {
	const char *cpus, *event;
	uint64_t ours, theirs;
	const char *reason;
} differences[] = {
	/* clang-format off */
	{ NEHALEM " " WESTMERE, "BR_INST_RETIRED.ALL_BRANCHES", 0x4c4, 0xc4, "Intel: unit mask 0x4" },
	{ NEHALEM, "INST_RETIRED.ANY_P", 0x1c0, 0xc0, "Intel: unit mask 0x1" },
	{ NEHALEM, "MACRO_INSTS.FUSIONS_DECODED", 0x1a6, 0x1d0, "Intel: event 0xa6" },
	{ WESTMERE " " SAPPHIRE_RAPIDS, "INST_RETIRED.ANY", 0xc0, 0x1c0, "the kernel takes the fixed counter's event by 0xc0" },
	{ WESTMERE, "BR_MISP_RETIRED.ALL_BRANCHES", 0x4c5, 0xc5, "Intel: unit mask 0x4" },
	{ SANDY_BRIDGE, "BR_INST_RETIRED.ALL_BRANCHES", 0xc4, 0x4c4, "Intel: unit mask 0x0" },
	{ SANDY_BRIDGE, "BR_MISP_RETIRED.ALL_BRANCHES", 0xc5, 0x4c5, "Intel: unit mask 0x0" },
	{ IVY_BRIDGE, "MOVE_ELIMINATION.INT_ELIMINATED", 0x158, 0x458, "Intel: unit mask 0x1" },
	{ IVY_BRIDGE, "MOVE_ELIMINATION.INT_NOT_ELIMINATED", 0x458, 0x158, "Intel: unit mask 0x4" },
	{ "ivytown", "MEM_LOAD_UOPS_LLC_MISS_RETIRED.LOCAL_DRAM", 0x3d3, 0x1d3, "Intel: unit mask 0x3" },
	{ HASWELL, "L2_RQSTS.CODE_RD_HIT", 0xc424, 0x4424, "Intel: unit mask 0xc4" },
	{ HASWELL, "L2_RQSTS.DEMAND_DATA_RD_HIT", 0xc124, 0x4124, "Intel: unit mask 0xc1" },
	{ HASWELL, "L2_RQSTS.L2_PF_HIT", 0xd024, 0xd824, "Intel: unit mask 0xd0" },
	{ HASWELL, "L2_RQSTS.L2_PF_MISS", 0x3024, 0x3824, "Intel: unit mask 0x30" },
	{ HASWELL, "L2_RQSTS.RFO_HIT", 0xc224, 0x4224, "Intel: unit mask 0xc2" },
	{ HASWELL, "UOPS_RETIRED.TOTAL_CYCLES", 0x108001c2, 0xa8001c2, "Intel: counter mask 16" },
	{ SKYLAKE, "UOPS_RETIRED.STALL_CYCLES", 0x18002c2, 0x18001c2, "Intel: unit mask 0x2" },
	{ SKYLAKE, "UOPS_RETIRED.TOTAL_CYCLES", 0x108002c2, 0xa8001c2, "Intel: unit mask 0x2, counter mask 16" },
	{ ICE_LAKE, "INST_RETIRED.ANY", 0xc0, 0x100, "the kernel takes the fixed counter's event by 0xc0" },
	{ ICE_LAKE, "MEM_LOAD_MISC_RETIRED.UC", 0x4d4, 0x4c4, "Intel: event 0xd4" },
	{ ICE_LAKE " " SAPPHIRE_RAPIDS, "TOPDOWN.BACKEND_BOUND_SLOTS", 0x2a4, 0x200, "Intel: event 0xa4" },
	{ SAPPHIRE_RAPIDS, "ARITH.IDIV_ACTIVE", 0x10008b0, 0x8b0, "Intel: counter mask 1" },
	{ SAPPHIRE_RAPIDS, "ARITH.INT_DIVIDER_ACTIVE", 0x10008b0, 0x8b0, "Intel: counter mask 1" },
	{ SAPPHIRE_RAPIDS, "CPU_CLK_UNHALTED.THREAD", 0x3c, 0x200, "the kernel takes the fixed counter's event by 0x3c" },
	{ SAPPHIRE_RAPIDS, "MEM_TRANS_RETIRED.STORE_SAMPLE", 0x2cd, 0x3cd, "Intel: unit mask 0x2" },
	{ SAPPHIRE_RAPIDS, "TOPDOWN.BAD_SPEC_SLOTS", 0x4a4, 0x400, "Intel: event 0xa4" },
	{ SAPPHIRE_RAPIDS, "TOPDOWN.BR_MISPREDICT_SLOTS", 0x8a4, 0x800, "Intel: event 0xa4" },
	{ SAPPHIRE_RAPIDS, "TOPDOWN.MEMORY_BOUND_SLOTS", 0x10a4, 0x1000, "Intel: event 0xa4" },
	{ "knightslanding", "PAGE_WALKS.D_SIDE_WALKS", 0x40105, 0x1040105, "Intel: counter mask 0" },
	{ "knightslanding", "PAGE_WALKS.I_SIDE_WALKS", 0x40205, 0x1040205, "Intel: counter mask 0" },
	{ "knightslanding", "PAGE_WALKS.WALKS", 0x40305, 0x1040305, "Intel: counter mask 0" },
	{ "bonnell", "BOGUS_BR", 0x1e4, 0xe4, "Intel: unit mask 0x1" },
	{ "bonnell", "BR_INST_RETIRED.MISPRED", 0xc5, 0xac4, "Intel: event 0xc5, unit mask 0x0" },
	{ "bonnell", "BUS_LOCK_CLOCKS.ALL_AGENTS", 0xe063, 0x6063, "Intel: unit mask 0xe0" },
	{ "bonnell", "BUS_REQUEST_OUTSTANDING.ALL_AGENTS", 0xe060, 0x6060, "Intel: unit mask 0xe0" },
	{ "bonnell", "BUS_TRANS_ANY.SELF", 0x4070, 0x7070, "Intel: unit mask 0x40" },
	{ "bonnell", "BUS_TRANS_BRD.ALL_AGENTS", 0xe065, 0x6065, "Intel: unit mask 0xe0" },
	{ "bonnell", "BUS_TRANS_BURST.SELF", 0x406e, 0x706e, "Intel: unit mask 0x40" },
	{ "bonnell", "BUS_TRANS_DEF.SELF", 0x406d, 0x706d, "Intel: unit mask 0x40" },
	{ "bonnell", "BUS_TRANS_IFETCH.ALL_AGENTS", 0xe068, 0x6068, "Intel: unit mask 0xe0" },
	{ "bonnell", "BUS_TRANS_INVAL.SELF", 0x4069, 0x7069, "Intel: unit mask 0x40" },
	{ "bonnell", "BUS_TRANS_IO.SELF", 0x406c, 0x706c, "Intel: unit mask 0x40" },
	{ "bonnell", "BUS_TRANS_MEM.SELF", 0x406f, 0x706f, "Intel: unit mask 0x40" },
	{ "bonnell", "BUS_TRANS_P.ALL_AGENTS", 0xe06b, 0x606b, "Intel: unit mask 0xe0" },
	{ "bonnell", "BUS_TRANS_PWR.SELF", 0x406a, 0x706a, "Intel: unit mask 0x40" },
	{ "bonnell", "BUS_TRANS_RFO.SELF", 0x4066, 0x7066, "Intel: unit mask 0x40" },
	{ "bonnell", "BUS_TRANS_WB.SELF", 0x4067, 0x7067, "Intel: unit mask 0x40" },
	{ "bonnell", "CYCLES_DIV_BUSY", 0x114, 0x14, "Intel: unit mask 0x1" },
	{ "bonnell", "HW_INT_RCV", 0xc8, 0x1c8, "Intel: unit mask 0x0" },
	{ "bonnell", "L1D_CACHE.LD", 0xa140, 0x2140, "Intel: unit mask 0xa1" },
	{ "bonnell", "L1D_CACHE.ST", 0xa240, 0x2240, "Intel: unit mask 0xa2" },
	{ "bonnell", "PREFETCH.PREFETCHNTA", 0x8807, 0x807, "Intel: unit mask 0x88" },
	{ "bonnell", "PREFETCH.PREFETCHT0", 0x8107, 0x107, "Intel: unit mask 0x81" },
	{ "bonnell", "PREFETCH.SW_L2", 0x8607, 0x607, "Intel: unit mask 0x86" },
	{ "bonnell", "SNOOP_STALL_DRV.SELF", 0x407e, 0x707e, "Intel: unit mask 0x40" },
	{ "bonnell", "UOPS_RETIRED.STALLED_CYCLES", 0x10c2, 0x18010c2, "Intel: counter mask 0" },
	{ "bonnell", "UOPS_RETIRED.STALLS", 0x10c2, 0x18410c2, "Intel: no edge, counter mask 0" },
	{ "goldmont", "CPU_CLK_UNHALTED.CORE", 0x3c, 0x200, "the kernel takes the fixed counter's event by 0x3c" },
	{ "goldmont", "CPU_CLK_UNHALTED.CORE_P", 0x3c, 0x0, "Intel: event 0x3c" },
	{ "goldmont", "CPU_CLK_UNHALTED.REF", 0x13c, 0x100, "Intel: event 0x3c" },
	{ "amdzen1", "l2_pf_hit_l2", 0xff70, 0x3f70, "Linux: unit mask 0xff" },
	{ "amdzen1", "l2_pf_miss_l2_hit_l3", 0xff71, 0x3f71, "Linux: unit mask 0xff" },
	{ "amdzen1", "l2_pf_miss_l2_l3", 0xff72, 0x3f72, "Linux: unit mask 0xff" },
	{ "amdzen2", "l2_pf_hit_l2", 0xff70, 0x1f70, "Linux: unit mask 0xff" },
	{ "amdzen2", "l2_pf_miss_l2_hit_l3", 0xff71, 0x1f71, "Linux: unit mask 0xff" },
	{ "amdzen2", "l2_pf_miss_l2_l3", 0xff72, 0x1f72, "Linux: unit mask 0xff" },
	{ "amdzen2", "ls_tlb_flush", 0x78, 0xff78, "Linux: unit mask 0x0" },
	/* clang-format on */
};

/* Linux' names for AMD's events, or for their part before the dot, and libpfm4's. */
static const struct amd_name {
	const char *name, *pfm;
} amd_names[] = {
	/* clang-format off */
	{ "de_no_dispatch_per_slot.no_ops_from_frontend", "DISPATCH_STALLS_1:FE_NO_OPS" },
	{ "de_no_dispatch_per_slot.backend_stalls", "DISPATCH_STALLS_1:BE_STALLS" },
	{ "de_no_dispatch_per_slot.smt_contention", "DISPATCH_STALLS_1:SMT_CONTENTION" },
	{ "de_src_op_disp.op_cache",       "OPS_SOURCE_DISPATCHED_FROM_DECODER:OPCACHE" },
	{ "ex_no_retire.not_complete",     "CYCLES_NO_RETIRE:NOT_COMPLETE_LOAD_AND_ALU" },
	{ "ex_no_retire.load_not_complete", "CYCLES_NO_RETIRE:NOT_COMPLETE_MISSING_LOAD" },
	{ "op_cache_hit_miss.op_cache_hit", "OP_CACHE_HIT_MISS:OC_HIT" },
	{ "op_cache_hit_miss.op_cache_miss", "OP_CACHE_HIT_MISS:OC_MISS" },
	{ "op_cache_hit_miss.all_op_cache_accesses", "OP_CACHE_HIT_MISS:ALL_OC_ACCESS" },
	{ "ic_tag_hit_miss.instruction_cache_hit", "IC_TAG_HIT_MISS:IC_HIT" },
	{ "ic_tag_hit_miss.instruction_cache_miss", "IC_TAG_HIT_MISS:IC_MISS" },
	{ "ic_tag_hit_miss.all_instruction_cache_accesses", "IC_TAG_HIT_MISS:ALL_IC_ACCESS" },
	{ "bp_de_redirect",                "DECODER_OVERRIDE_BRANCH_PRED" },
	{ "bp_dyn_ind_pred",               "DYNAMIC_INDIRECT_PREDICTIONS" },
	{ "bp_l1_tlb_fetch_hit",           "L1_ITLB_FETCH_HIT" },
	{ "bp_l1_tlb_miss_l2_tlb_hit",     "L1_ITLB_MISS_L2_ITLB_HIT" },
	{ "bp_l1_tlb_miss_l2_tlb_miss",    "L1_ITLB_MISS_L2_ITLB_MISS" },
	{ "bp_l2_btb_correct",             "L2_BTB_CORRECTION" },
	{ "de_dis_dispatch_token_stalls1", "DISPATCH_RESOURCE_STALL_CYCLES_1" },
	{ "de_dis_dispatch_token_stalls2", "DISPATCH_RESOURCE_STALL_CYCLES_2" },
	{ "de_op_queue_empty",             "OPS_QUEUE_EMPTY" },
	{ "de_src_op_disp",                "OPS_SOURCE_DISPATCHED_FROM_DECODER" },
	{ "ex_div_busy",                   "DIV_CYCLES_BUSY_COUNT" },
	{ "ex_div_count",                  "DIV_OP_COUNT" },
	{ "ex_no_retire",                  "CYCLES_NO_RETIRE" },
	{ "ex_ret_brn",                    "RETIRED_BRANCH_INSTRUCTIONS" },
	{ "ex_ret_brn_far",                "RETIRED_FAR_CONTROL_TRANSFERS" },
	{ "ex_ret_brn_ind_misp",           "RETIRED_INDIRECT_BRANCH_INSTRUCTIONS_MISPREDICTED" },
	{ "ex_ret_brn_misp",               "RETIRED_BRANCH_INSTRUCTIONS_MISPREDICTED" },
	{ "ex_ret_brn_tkn",                "RETIRED_TAKEN_BRANCH_INSTRUCTIONS" },
	{ "ex_ret_brn_tkn_misp",           "RETIRED_TAKEN_BRANCH_INSTRUCTIONS_MISPREDICTED" },
	{ "ex_ret_cond",                   "RETIRED_CONDITIONAL_BRANCH_INSTRUCTIONS" },
	{ "ex_ret_fused_instr",            "RETIRED_FUSED_INSTRUCTIONS" },
	{ "ex_ret_ind_brch_instr",         "RETIRED_INDIRECT_BRANCH_INSTRUCTIONS" },
	{ "ex_ret_instr",                  "RETIRED_INSTRUCTIONS" },
	{ "ex_ret_msprd_brnch_instr_dir_msmtch", "RETIRED_BRANCH_MISPREDICTED_DIRECTION_MISMATCH" },
	{ "ex_ret_near_ret",               "RETIRED_NEAR_RETURNS" },
	{ "ex_ret_near_ret_mispred",       "RETIRED_NEAR_RETURNS_MISPREDICTED" },
	{ "ex_ret_ops",                    "RETIRED_OPS" },
	{ "ex_ret_ucode_instr",            "RETIRED_UCODE_INSTRUCTIONS" },
	{ "ex_ret_ucode_ops",              "RETIRED_UCODE_OPS" },
	{ "ex_ret_uncond_brnch_instr",     "RETIRED_UNCONDITIONAL_BRANCH_INSTRUCTIONS" },
	{ "ex_ret_uncond_brnch_instr_mispred", "RETIRED_UNCONDITIONAL_INDIRECT_BRANCH_INSTRUCTIONS_MISPREDICTED" },
	{ "ex_tagged_ibs_ops",             "TAGGED_IBS_OPS" },
	{ "fp_disp_faults",                "FP_DISPATCH_FAULTS" },
	{ "fp_ops_retired_by_type",        "RETIRED_FP_OPS_BY_TYPE" },
	{ "fp_ops_retired_by_width",       "RETIRED_FP_OPS_BY_WIDTH" },
	{ "fp_pack_ops_retired",           "PACKED_FP_OPS_RETIRED" },
	{ "fp_ret_sse_avx_ops",            "RETIRED_SSE_AVX_FLOPS" },
	{ "fp_ret_x87_fp_ops",             "RETIRED_X87_FP_OPS" },
	{ "fp_retired_ser_ops",            "RETIRED_SERIALIZING_OPS" },
	{ "ic_cache_fill_l2",              "INSTRUCTION_CACHE_REFILLS_FROM_L2" },
	{ "ic_cache_fill_sys",             "INSTRUCTION_CACHE_REFILLS_FROM_SYSTEM" },
	{ "l2_cache_req_stat",             "CORE_TO_L2_CACHEABLE_REQUEST_ACCESS_STATUS" },
	{ "l2_pf_hit_l2",                  "L2_PREFETCH_HIT_L2" },
	{ "l2_pf_miss_l2_hit_l3",          "L2_PREFETCH_HIT_L3" },
	{ "l2_pf_miss_l2_l3",              "L2_PREFETCH_MISS_L3" },
	{ "l2_request_g1",                 "REQUESTS_TO_L2_GROUP1" },
	{ "ls_alloc_mab_count",            "ALLOC_MAB_COUNT" },
	{ "ls_any_fills_from_sys",         "ANY_DATA_CACHE_FILLS_FROM_SYSTEM" },
	{ "ls_bad_status2",                "BAD_STATUS_2" },
	{ "ls_dmnd_fills_from_sys",        "DEMAND_DATA_CACHE_FILLS_FROM_SYSTEM" },
	{ "ls_hw_pf_dc_fills",             "HARDWARE_PREFETCH_DATA_CACHE_FILLS" },
	{ "ls_inef_sw_pref",               "INEFFECTIVE_SOFTWARE_PREFETCH" },
	{ "ls_int_taken",                  "INTERRUPT_TAKEN" },
	{ "ls_l1_d_tlb_miss",              "L1_DTLB_MISS" },
	{ "ls_locks",                      "RETIRED_LOCK_INSTRUCTIONS" },
	{ "ls_misal_loads",                "MISALIGNED_LOADS" },
	{ "ls_not_halted_cyc",             "CYCLES_NOT_IN_HALT" },
	{ "ls_not_halted_p0_cyc",          "P0_FREQ_CYCLES_NOT_IN_HALT" },
	{ "ls_ret_cl_flush",               "RETIRED_CLFLUSH_INSTRUCTIONS" },
	{ "ls_ret_cpuid",                  "RETIRED_CPUID_INSTRUCTIONS" },
	{ "ls_smi_rx",                     "SMI_RECEIVED" },
	{ "ls_stlf",                       "STORE_TO_LOAD_FORWARD" },
	{ "ls_sw_pf_dc_fills",             "SOFTWARE_PREFETCH_DATA_CACHE_FILLS" },
	{ "ls_tlb_flush",                  "TLB_FLUSHES" },
	{ "packed_int_op_type",            "PACKED_INT_OPS_RETIRED" },
	{ "resyncs_or_nc_redirects",       "RESYNCS" },
	{ "sse_avx_ops_retired",           "RETIRED_INT_OPS" },
	/* clang-format on */
};

/* EVENT.UMASK is EVENT:UMASK there; AMD's have other names. */
static const char *pfm_name(const char *name, struct arena *arena)
{
	char *copy = arena_strdup(arena, name), *dot;

	for (size_t i = 0; i < COUNT_OF(amd_names); i++)
		if (!strcmp(amd_names[i].name, name))
			return amd_names[i].pfm;
	dot = strchr(copy, '.');
	if (!dot)
		return copy;
	*dot = '\0';
	for (size_t i = 0; i < COUNT_OF(amd_names); i++)
		if (!strcmp(amd_names[i].name, copy))
			return arena_printf(arena, "%s:%s", amd_names[i].pfm, dot + 1);
	*dot = ':';
	return copy;
}

static bool is_known_difference(const char *cpu, const char *event, uint64_t ours, uint64_t theirs)
{
	for (size_t i = 0; i < COUNT_OF(differences); i++)
		if (has_word(differences[i].cpus, " ", cpu) && !strcmp(differences[i].event, event))
			return differences[i].ours == ours && differences[i].theirs == theirs;
	return false;
}

static uint64_t our_config(struct loaded *loaded, const char *name, const struct pmu *pmu)
{
	struct error err = { .text = "" };
	size_t number = event_set_add(&loaded->model.events, name, &err);
	uint64_t config[4] = { 0 };

	if (number == TABLE_NONE || pmu_pack(config, pmu, loaded->model.events.events[number].terms,
					     loaded->model.events.events[number].nterms, &err) < 0)
		fail_msg("%s: %s", name, err.text);
	return config[0];
}

/* False when libpfm4 does not know the event. */
static bool compare_event(struct rows *rows, struct loaded *loaded, const struct pmu *pmu, const struct event_row *row)
{
	const char *cpu = loaded->database.cpu;
	uint64_t theirs[2], ours;
	char what[128];

	if (row->msr || row->is_metric ||
	    !pfm_encode(loaded->database.pfm, pfm_name(row->name, &loaded->arena), theirs))
		return false;
	ours = our_config(loaded, row->name, pmu);
	snprintf(what, sizeof(what), "%s: ours is 0x%llx, libpfm4's 0x%llx", cpu, (unsigned long long)ours,
		 (unsigned long long)theirs[0]);
	row_expect(rows, row->name, ours == theirs[0] || is_known_difference(cpu, row->name, ours, theirs[0]), what);
	return true;
}

/* Is it a CPU that libpfm4 knows? */
static bool compare_cpu(struct rows *rows, const struct pfm_case *pfm)
{
	struct loaded loaded;
	const struct pmu *pmu;
	size_t compared = 0;
	bool is_known;

	loaded_shipped(&loaded, pfm->cpu, true);
	pmu = pmu_assumed(loaded.database.pmu, loaded.database.vendor, &loaded.arena);
	for (size_t i = 0; i < loaded.database.count; i++)
		compared += compare_event(rows, &loaded, pmu, &loaded.database.rows[i]);
	print_message("%s: %zu of %zu events compared\n", pfm->cpu, compared, loaded.database.count);
	is_known = pfm_encode(loaded.database.pfm, pfm->probe, (uint64_t[2]){ 0 });
	if (is_known)
		row_expect(rows, pfm->cpu, compared >= pfm->least, "too few events compared");
	else
		print_message("%s: not in this libpfm4\n", pfm->cpu);
	loaded_release(&loaded);
	return is_known;
}

static void test_encodings(void **state UNUSED)
{
	struct rows rows = { 0 };
	size_t known = 0;

	for (size_t i = 0; i < COUNT_OF(cpus); i++)
		known += compare_cpu(&rows, &cpus[i]);
	row_expect(&rows, "libpfm4", known || !dlopen("libpfm.so.4", RTLD_NOW), "it is there, and knows no CPU");
	rows_end(&rows);
}

/* An event that our own tables lack, as libpfm4 spells it. */
static void test_event(void **state UNUSED)
{
	struct loaded loaded;
	struct event event = { .name = NULL };

	loaded_shipped(&loaded, "skylakex", true);
	if (!pfm_encode(loaded.database.pfm, "INST_RETIRED:ANY_P", (uint64_t[2]){ 0 })) {
		loaded_release(&loaded);
		skip();
	}
	assert_true(pfm_event(&event, &loaded.model.events, "INST_RETIRED:ANY_P"));
	assert_string_equal(event.name, "INST_RETIRED:ANY_P");
	assert_int_equal(event.terms[0].value & 0xffff, 0xc0);
	assert_false(pfm_event(&event, &loaded.model.events, "INST_RETIRED:NONE_SUCH"));
	assert_false(pfm_event(&event, &loaded.model.events, "INST_RETIRED:ANY_P/x"));
	loaded_release(&loaded);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_encodings), cmocka_unit_test(test_event) };

	return cmocka_run_group_tests_name("pfm", tests, NULL, NULL);
}
