/* SPDX-License-Identifier: GPL-2.0-or-later */
/* core_fixture.h - a core with round figures, and blocks made by hand; included by one file of a test. */
#ifndef TOPDOWN_TESTS_CORE_FIXTURE_H
#define TOPDOWN_TESTS_CORE_FIXTURE_H

#include <stdlib.h>
#include <string.h>

#include "common/base/macros.h"
#include "rows.h"
#include "simulator/model/core.h"
#include "simulator/model/host.h"

/* 4 slots, 4 ALUs, one load a cycle; a mispredict costs 20, DRAM 200. */
static const char core_text[] =
	"width 4\nreorder_buffer 100\nscheduler 60\nload_queue 40\nstore_queue 20\ndecode_queue 32\nfetch_queue 8\n"
	"decode_width 4\ndecode_bytes 64\nuop_cache_width 8\nuop_cache_lines 64\nuop_cache_ways 8\nuop_cache_fetches "
	"1\npaired_blocks 0\nmicrocode_width 4\n"
	"string_bytes 32\nstring_start 10\nstring_long_start 30\n"
	"mispredict_penalty 20\nmispredict_recovery 5\nunknown_branch_penalty 8\nbranch_targets 1024\nreturn_stack 8\n"
	"predictor_entries 2048\n"
	"l1i_kib 32\nl1i_ways 8\nl1i_latency 1\nl1d_kib 32\nl1d_ways 8\nl1d_latency 5\nl2_kib 256\nl2_ways "
	"8\nl2_latency 14\n"
	"l3_kib 1024\nl3_ways 16\nl3_latency 50\nfetch_buffers 8\nfetch_line_cycles 1\nitlb_entries 64\nitlb_ways "
	"8\ndtlb_entries 64\ndtlb_ways 4\n"
	"stlb_entries 1024\nstlb_ways 8\nstlb_latency 7\ncode_stlb_entries 0\ncode_stlb_ways 1\nwalk_latency "
	"0\npage_walkers 2\nnested_pages 0\nhost_page_kib 4\npage_kib 1048576\n"
	"dram_latency 200\ndram_line_cycles 1\nl2_bytes 256\nl3_bytes 256\nfill_buffers 10\n"
	"prefetch_lines 0\nnear_strides 0\nnear_pages 0\nstore_forward 5\nfailed_forward 12\nalias_penalty 4\n"
	"renames_memory 0\nstore_commits 1\nline_commits 1\npause_latency 40\nlock_latency 10\nfull_fence_latency "
	"30\nload_fence_latency 3\ngather_slots 4\n"
	"gather_lane_slots 2\ntransfer_latency 100\n"
	"alu_units 4\nmultiply_units 1\nvector_units 2\nshuffle_units 1\nbits_units 0\nfp_units 2\nfp_add_units "
	"0\nbranch_units 1\nload_units "
	"1\nstore_units 1\nscaled_load_latency 0\nextends_by_alu 0\n"
	"alu_latency 1\nbranch_latency 1\nvector_latency 1\nshuffle_latency 1\nscaled_sum_latency 1\nlong_sum_latency "
	"3\nvector_move_latency "
	"2\ncross_lane_latency 3\nbits_latency 3\nmultiply_latency "
	"3\nfp_add_latency 4\nfp_add_chain_latency 4\n"
	"convert_latency 4\nconvert_move_latency 4\nfp_multiply_latency 4\nfp_fused_latency 4\nx87_add_latency "
	"4\nx87_multiply_latency "
	"4\nvector_multiply_latency 5\ncrypto_latency 4\n"
	"divide_32_latency 20\ndivide_64_latency 30\nfp_divide_32_latency 10\nfp_divide_64_latency 14\nfp_root_latency "
	"18\n"
	"microcode_latency 20\ndivide_32_occupancy 10\ndivide_64_occupancy 20\nfp_divide_32_occupancy 3\n"
	"fp_divide_64_occupancy 4\nfp_root_occupancy 6\n";

/* memory.c: gives back all that was allocated, cores too. */
void sim_forget(void);

#define REGISTER(number) (VALUE_REGISTERS + (number))

static inline struct parameters read_parameters(void)
{
	struct parameters parameters;
	const char *wrong = parameters_read(&parameters, core_text);

	if (wrong)
		print_error("parameters: %s\n", wrong);
	assert_null(wrong);
	return parameters;
}

static inline struct core *core_new(void)
{
	static struct attribution nothing;
	struct parameters parameters = read_parameters();
	struct core *core = sim_allocate(1, sizeof(*core));
	struct cache *l3 = sim_allocate(1, sizeof(*l3));

	cache_init(l3, parameters.l3.kib * 16, parameters.l3.ways);
	core_init(core, &parameters, l3);
	core->attribution = &nothing;
	return core;
}

#define MOST 16

struct made {
	struct block block;
	struct insn insns[MOST];
	struct uop uops[MOST];
	bool is_store[MOST];
};

/* count instructions of one micro-op each, in one line of code. */
static inline void make_block(struct made *made, enum kind kind, unsigned count, bool is_chain)
{
	const struct parameters parameters = read_parameters();

	*made = (struct made){ .block = { .address = 0x400000, .end = 0x400000 + 4 * count } };
	made->block.insns = made->insns;
	made->block.uops = made->uops;
	made->block.is_store = made->is_store;
	made->block.ninsns = made->block.nuops = (uint16_t)count;
	for (unsigned i = 0; i < count; i++) {
		made->insns[i] = (struct insn){ .address = 0x400000 + 4 * i,
						.bytes = 4,
						.nuops = 1,
						.slots = 1,
						.flags = i ? 0 : INSN_STARTS_LINE,
						.loads = kind == KIND_LOAD,
						.cached_cost = FETCH_UNIT / 8,
						.legacy_cost = FETCH_UNIT / 4 };
		made->uops[i] = (struct uop){ .kind = (uint8_t)kind, .size = 8, .access = (uint16_t)i };
		made->uops[i].sources[0] = is_chain ? REGISTER(0) : VALUE_READY;
		made->uops[i].target = is_chain ? REGISTER(0) : (uint16_t)REGISTER(1 + i);
	}
	block_finish(&made->block, &parameters);
}

#endif
