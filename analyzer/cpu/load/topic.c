/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cpu/load/topic.h"

#include <fnmatch.h>
#include <string.h>

#include "common/base/text.h"

static const char *const names[TOPIC_COUNT] = {
	[TOPIC_TREE] = "Nodes of the tree",
	[TOPIC_BOTTLENECKS] = "Bottlenecks",
	[TOPIC_SPEED] = "Speed",
	[TOPIC_INSTRUCTIONS] = "Instruction mix",
	[TOPIC_FLOATING_POINT] = "Floating point and vectors",
	[TOPIC_BRANCHES] = "Branches",
	[TOPIC_FRONTEND] = "Frontend",
	[TOPIC_CACHES] = "Caches",
	[TOPIC_TLBS] = "Address translation",
	[TOPIC_MEMORY] = "Memory",
	[TOPIC_SYSTEM] = "System",
	[TOPIC_OTHERS] = "Others",
};

/*
 * The first row that matches the name (without tma_info_) or one of the groups decides, so what is particular stands
 * before what is general: misses of the instruction TLB are about address translation, not about the frontend.
 */
static const struct rule {
	enum topic topic;
	const char *names, *groups; /* globs, ';'-separated; "" for none */
} rules[] = {
	/* clang-format off */
	{ TOPIC_BOTTLENECKS,    "tma_bottleneck_*;botlnk_*;bottleneck_*", "" },
	{ TOPIC_SPEED,          "ipc;cpi;clock;clks;*instructions;"
				"thread_c*;thread_e*;thread_s*;thread_ipc;thread_uoppi;core_*ipc;core_cpi;"
				"core_epc;system_time;*cpu_utilization;*cpus_utilized;*turbo_utilization;"
				"system_core_frequency;cpu_operating_frequency;average_frequency;"
				"*_stalled_cycles;*_bound_aux;gflops;*_mips;cpu_cycles_*;*_port_utilization", "Stall" },
	{ TOPIC_INSTRUCTIONS,   "*ippause;loads_*per_instr;stores_*per_instr", "Operation_Mix;Instructions" },
	{ TOPIC_TLBS,           "*tlb*;*page_walk*", "tlb" },
	{ TOPIC_FLOATING_POINT, "fp*_percentage;*fp_ops*;sve_*;sse_*;*vectormix*;sm_active_*;"
				"za_active_*;cme_*", "Flops;FP_*;SVE_*" },
	{ TOPIC_FRONTEND,       "fetch_*;frontend_*;ic_fetch_*;op_cache_*;l1i_*;*mpi_code*;ifetch_*;*uops_delivered*;"
				"*code_read*;*demand_code*;l1_i_*", "" },
	{ TOPIC_BRANCHES,       "branch_*;branches_*;br_*;bad_spec_*;machine_clear_*;*ipbranch;*ipfarbranch;*ipmisp*",
				"Branches;BrMispredicts;branch_prediction;Branch_*" },
	{ TOPIC_SYSTEM,         "llc_misses.pcie_*;power_*", "" },
	{ TOPIC_CACHES,         "*l1*mpki*;*l2*mpki*;*l3*mpki*;l1d_*;l2_*;l2d_*;l3_*;l3d_*;ll_*;llc_*;slc_*;sf_*",
				"l2_cache;l1_dcache;l3_cache;CacheHits;"
				"CacheMisses;L?*_Cache_*;Prefetches;L2Evicts" },
	{ TOPIC_INSTRUCTIONS,   "inst_mix_*;mem_mix_*;uop_mix_*;arith_inst_mix_*", "InsType" },
	{ TOPIC_SYSTEM,         "*residency;smi_*;tsx_*;io_*;iio_*;qpi_*;upi_*;cpu_cstate*;uncore_*",
				"IoBW;data_fabric" },
	{ TOPIC_MEMORY,         "mc_*;unc_m_*;l1_bound_*;*memory*;*dram*;*mem_*;*numa_*;*load*;*store*;"
				"l3_cache_fill_bw;cas_*;lse_*",
				"Mem;MemOffcore;memory_controller;Offcore;load_store_bound" },
	{ TOPIC_SYSTEM,         "", "cmn" },
	{ TOPIC_FRONTEND,       "*fetch*;macro_ops_dispatched", "Fed;DSBmiss;IcMiss;MicroSeq;decoder" },
	{ TOPIC_SYSTEM,         "system_*;*utilization;*frequency;bus_*", "Power;OS;SoC" },
	{ TOPIC_SPEED,          "macro_ops_retired;total_dispatch_slots;core_*;serialization_*;stall_*_rate;"
				"backend_*;rename_*;iq_*;mcq_*",
				"Summary;General;Pipeline" },
	/* clang-format on */
};

const char *topic_name(enum topic topic)
{
	return names[topic];
}

/* Globs as fnmatch(3) has them, letters of either case. */
static bool topic_is_match(const char *globs, const char *text)
{
	const char *part;
	char glob[64];
	size_t length;

	while ((length = text_next(&globs, ";", &part)) > 0) {
		if (length >= sizeof(glob))
			continue;
		memcpy(glob, part, length);
		glob[length] = '\0';
		if (fnmatch(glob, text, FNM_CASEFOLD) == 0)
			return true;
	}
	return false;
}

static bool is_any_match(const char *globs, const char *groups)
{
	const char *part;
	char group[64];
	size_t length;

	while (*globs && (length = text_next(&groups, ";", &part)) > 0) {
		if (length >= sizeof(group))
			continue;
		memcpy(group, part, length);
		group[length] = '\0';
		if (topic_is_match(globs, group))
			return true;
	}
	return false;
}

enum topic topic_of(const char *name, const char *groups)
{
	const char *bare = has_name_prefix(name, "tma_info_") ? name + strlen("tma_info_") : name;

	for (size_t i = 0; i < COUNT_OF(rules); i++)
		if (topic_is_match(rules[i].names, bare) || is_any_match(rules[i].groups, groups))
			return rules[i].topic;
	return TOPIC_OTHERS;
}
