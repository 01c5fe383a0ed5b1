/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cause_words.c - what slots are lost to, in words: nodes that mean the same have the same, whoever's they are. */
#include <string.h>

#include "analyse/verdict/headline.h"
#include "common/base/macros.h"

#define MOST_NAMES 10

static const struct {
	const char *words;
	const char *names[MOST_NAMES];
} rows[] = {
	{ "waiting for code", { "tma_frontend_bound", "frontend_bound", "frontend_stalled_cycles" } },
	{ "gaps in fetch",
	  { "tma_fetch_latency", "tma_ifetch_latency", "frontend_bound_latency", "frontend_bound_by_latency",
	    "frontend_latency", "fetch_latency_bound" } },
	{ "fetch and decode that deliver too little",
	  { "tma_fetch_bandwidth", "tma_ifetch_bandwidth", "frontend_bound_bandwidth", "frontend_bound_by_bandwidth",
	    "frontend_bandwidth", "fetch_bandwidth_bound" } },
	{ "code that is not in the instruction cache",
	  { "tma_icache_misses", "i_cache_miss_rate", "frontend_mem_cache_bound", "frontend_cache_l1i_bound" } },
	{ "code that is not in L2", { "tma_code_l2_miss", "frontend_cache_l2i_bound" } },
	{ "code that L2 has to send", { "tma_code_l2_hit" } },
	{ "translation of code addresses",
	  { "tma_itlb_misses", "i_tlb_miss_rate", "frontend_mem_tlb_bound", "tma_code_stlb_miss",
	    "tma_code_stlb_miss_4k" } },
	{ "fetch that has to start anew",
	  { "tma_branch_resteers", "tma_branch_resteer", "frontend_core_flush_bound",
	    "frontend_core_flush_resteer_bound" } },
	{ "mispredicted branches",
	  { "tma_branch_mispredicts", "tma_mispredicts_resteers", "branch_mispredicts", "branch_mispredict",
	    "bad_speculation_mispredicts", "bad_speculation_from_mispredicts" } },
	{ "wrong paths", { "tma_bad_speculation", "bad_speculation", "slots_lost_misspeculation_fraction" } },
	{ "mispredicted conditional branches",
	  { "tma_cond_nt_mispredicts", "tma_cond_tk_mispredicts", "tma_cond_tk_bwd_mispredicts",
	    "tma_cond_tk_fwd_mispredicts" } },
	{ "mispredicted indirect jumps", { "tma_ind_jump_mispredicts" } },
	{ "mispredicted indirect calls", { "tma_ind_call_mispredicts" } },
	{ "mispredicted returns", { "tma_ret_mispredicts" } },
	{ "machine clears",
	  { "tma_machine_clears", "tma_clears_resteers", "machine_clears", "bad_speculation_pipeline_restarts",
	    "bad_speculation_from_pipeline_restarts", "frontend_core_flush_machine_clear_bound", "tma_nuke",
	    "tma_fast_nuke" } },
	{ "branches that fetch does not know", { "tma_unknown_branches", "tma_branch_detect" } },
	{ "microcode", { "tma_ms_switches", "tma_ms", "tma_microcode_sequencer", "retiring_microcode" } },
	{ "decoding", { "tma_mite", "tma_decode", "tma_decoder0_alone", "tma_lcp", "tma_predecode" } },
	{ "too few operations from the micro-op cache", { "tma_dsb" } },
	{ "changes between micro-op cache and decoders", { "tma_dsb_switches" } },
	{ "waiting for data or units", { "tma_backend_bound", "backend_bound", "backend_stalled_cycles" } },
	{ "waiting for data",
	  { "tma_memory_bound", "memory_bound", "backend_bound_memory", "backend_bound_by_memory", "backend_memory",
	    "backend_mem_bound", "backend_mem_cache_bound" } },
	{ "loads that L1 answers", { "tma_l1_bound", "backend_cache_l1d_bound", "tma_l1_latency_dependency" } },
	{ "loads that wait for L2", { "tma_l2_bound", "tma_l2_hit_latency", "d_cache_miss_rate" } },
	{ "loads that wait for L3",
	  { "tma_l3_bound", "tma_l3_hit_latency", "d_cache_l2_miss_rate", "backend_cache_l2d_bound" } },
	{ "loads that wait for memory", { "tma_dram_bound", "tma_l3_miss_bound", "tma_mem_latency", "tma_local_mem" } },
	{ "the bandwidth of memory", { "tma_mem_bandwidth" } },
	{ "memory of another socket", { "tma_remote_mem", "tma_remote_cache" } },
	{ "translation of data addresses",
	  { "tma_dtlb_load", "tma_dtlb_store", "tma_load_stlb_miss", "tma_load_stlb_hit", "tma_store_stlb_miss",
	    "backend_mem_tlb_bound", "d_tlb_miss_rate", "tma_load_stlb_miss_4k" } },
	{ "loads behind stores that cannot forward", { "tma_store_fwd_blk", "tma_store_early_blk" } },
	{ "loads that look like stores 4 KiB away", { "tma_4k_aliasing" } },
	{ "accesses over the end of a line", { "tma_split_loads", "tma_split_stores" } },
	{ "locked instructions", { "tma_lock_latency" } },
	{ "too many misses at once", { "tma_fb_full", "tma_sq_full" } },
	{ "stores that wait",
	  { "tma_store_bound", "tma_store_latency", "backend_mem_store_bound", "tma_store_buffer" } },
	{ "lines that other threads write", { "tma_contested_accesses", "tma_data_sharing" } },
	{ "lines whose other bytes another thread uses", { "tma_false_sharing" } },
	{ "stores past the caches", { "tma_streaming_stores" } },
	{ "waiting for results or units",
	  { "tma_core_bound", "core_bound", "backend_bound_cpu", "backend_bound_by_cpu", "backend_core",
	    "backend_core_bound" } },
	{ "chains of operations that wait for each other", { "dependency_chains", "tma_ports_utilized_0" } },
	{ "divisions and square roots", { "tma_divider", "tma_fp_divider", "tma_int_divider", "tma_fpdiv_uops" } },
	{ "units that are busy",
	  { "tma_ports_utilization", "tma_ports_utilized_1", "tma_ports_utilized_2", "tma_ports_utilized_3m",
	    "backend_busy_bound", "tma_non_mem_scheduler", "tma_alu_op_utilization" } },
	{ "fences and the like", { "tma_serializing_operation", "tma_memory_fence", "tma_serialization" } },
	{ "PAUSE", { "tma_slow_pause" } },
	{ "changes between SSE and AVX", { "tma_mixing_vectors" } },
	{ "the core's other thread", { "smt_contention" } },
};

static const char *const partners[][2] = {
	{ "tma_branch_mispredicts", "tma_mispredicts_resteers" },
	{ "tma_machine_clears", "tma_clears_resteers" },
};

const char *cause_words(const char *node)
{
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		for (size_t k = 0; k < MOST_NAMES && rows[i].names[k]; k++)
			if (!strcmp(rows[i].names[k], node))
				return rows[i].words;
	return NULL;
}

const char *cause_partner(const char *node)
{
	for (size_t i = 0; i < COUNT_OF(partners); i++)
		for (size_t k = 0; k < 2; k++)
			if (!strcmp(partners[i][k], node))
				return partners[i][!k];
	return NULL;
}
