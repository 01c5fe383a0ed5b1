/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simulator/model/parameters.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static const struct row {
	const char *name;
	size_t offset;
	uint32_t least, most;
} rows[] = {
	{ "width", offsetof(struct parameters, width), 1, 16 },
	{ "reorder_buffer", offsetof(struct parameters, reorder_buffer), 16, 1024 },
	{ "scheduler", offsetof(struct parameters, schedulers[QUEUE_OTHERS]), 4, 1024 },
	{ "load_queue", offsetof(struct parameters, load_queue), 4, 512 },
	{ "store_queue", offsetof(struct parameters, store_queue), 4, 512 },
	{ "decode_queue", offsetof(struct parameters, decode_queue), 4, 512 },
	{ "fetch_queue", offsetof(struct parameters, fetch_queue), 1, 64 },
	{ "decode_width", offsetof(struct parameters, decode_width), 1, 16 },
	{ "decode_bytes", offsetof(struct parameters, decode_bytes), 4, 128 },
	{ "uop_cache_width", offsetof(struct parameters, uop_cache_width), 1, 16 },
	{ "uop_cache_lines", offsetof(struct parameters, uop_cache_lines), 0, 1 << 16 },
	{ "uop_cache_ways", offsetof(struct parameters, uop_cache_ways), 1, 64 },
	{ "uop_cache_fetches", offsetof(struct parameters, uop_cache_fetches), 1, 16 },
	{ "paired_blocks", offsetof(struct parameters, paired_blocks), 0, 64 },
	{ "microcode_width", offsetof(struct parameters, microcode_width), 1, 16 },
	{ "string_bytes", offsetof(struct parameters, string_bytes), 1, 64 },
	{ "string_start", offsetof(struct parameters, string_start), 0, 500 },
	{ "string_long_start", offsetof(struct parameters, string_long_start), 0, 500 },
	{ "mispredict_penalty", offsetof(struct parameters, mispredict_penalty), 1, 100 },
	{ "mispredict_recovery", offsetof(struct parameters, mispredict_recovery), 0, 100 },
	{ "unknown_branch_penalty", offsetof(struct parameters, unknown_branch_penalty), 0, 100 },
	{ "branch_targets", offsetof(struct parameters, branch_targets), 16, 1 << 20 },
	{ "return_stack", offsetof(struct parameters, return_stack), 1, 256 },
	{ "predictor_entries", offsetof(struct parameters, predictor_entries), 1 << 11, 1 << 16 },
	{ "l1i_kib", offsetof(struct parameters, l1i.kib), 1, 1 << 12 },
	{ "l1i_ways", offsetof(struct parameters, l1i.ways), 1, 64 },
	{ "l1i_latency", offsetof(struct parameters, l1i.latency), 1, 1000 },
	{ "l1d_kib", offsetof(struct parameters, l1d.kib), 1, 1 << 12 },
	{ "l1d_ways", offsetof(struct parameters, l1d.ways), 1, 64 },
	{ "l1d_latency", offsetof(struct parameters, l1d.latency), 1, 1000 },
	{ "l2_kib", offsetof(struct parameters, l2.kib), 1, 1 << 20 },
	{ "l2_ways", offsetof(struct parameters, l2.ways), 1, 64 },
	{ "l2_latency", offsetof(struct parameters, l2.latency), 1, 1000 },
	{ "l3_kib", offsetof(struct parameters, l3.kib), 1, 1 << 20 },
	{ "l3_ways", offsetof(struct parameters, l3.ways), 1, 64 },
	{ "l3_latency", offsetof(struct parameters, l3.latency), 1, 1000 },
	{ "fetch_buffers", offsetof(struct parameters, fetch_buffers), 1, 64 },
	{ "fetch_line_cycles", offsetof(struct parameters, fetch_line_cycles), 1, 100 },
	{ "itlb_entries", offsetof(struct parameters, itlb.entries), 1, 1 << 16 },
	{ "itlb_ways", offsetof(struct parameters, itlb.ways), 1, 64 },
	{ "dtlb_entries", offsetof(struct parameters, dtlb.entries), 1, 1 << 16 },
	{ "dtlb_ways", offsetof(struct parameters, dtlb.ways), 1, 64 },
	{ "stlb_entries", offsetof(struct parameters, stlb.entries), 1, 1 << 16 },
	{ "stlb_ways", offsetof(struct parameters, stlb.ways), 1, 64 },
	{ "code_stlb_entries", offsetof(struct parameters, code_stlb.entries), 0, 1 << 16 },
	{ "code_stlb_ways", offsetof(struct parameters, code_stlb.ways), 1, 64 },
	{ "stlb_latency", offsetof(struct parameters, stlb_latency), 0, 100 },
	{ "walk_latency", offsetof(struct parameters, walk_latency), 0, 1000 },
	{ "page_walkers", offsetof(struct parameters, page_walkers), 1, 64 },
	{ "nested_pages", offsetof(struct parameters, nested_pages), 0, 1 },
	{ "host_page_kib", offsetof(struct parameters, host_page_kib), 4, 1 << 20 },
	{ "page_kib", offsetof(struct parameters, page_kib), 4, 1 << 20 },
	{ "dram_latency", offsetof(struct parameters, dram_latency), 1, 2000 },
	{ "dram_line_cycles", offsetof(struct parameters, dram_line_cycles), 1, 500 },
	{ "l2_bytes", offsetof(struct parameters, l2_bytes), 1, 256 },
	{ "l3_bytes", offsetof(struct parameters, l3_bytes), 1, 256 },
	{ "fill_buffers", offsetof(struct parameters, fill_buffers), 1, 64 },
	{ "prefetch_lines", offsetof(struct parameters, prefetch_lines), 0, 64 },
	{ "near_strides", offsetof(struct parameters, near_strides), 0, 32 },
	{ "near_pages", offsetof(struct parameters, near_pages), 0, 2 },
	{ "store_forward", offsetof(struct parameters, store_forward), 0, 100 },
	{ "failed_forward", offsetof(struct parameters, failed_forward), 0, 100 },
	{ "alias_penalty", offsetof(struct parameters, alias_penalty), 0, 100 },
	{ "renames_memory", offsetof(struct parameters, renames_memory), 0, 2 },
	{ "store_commits", offsetof(struct parameters, store_commits), 1, 8 },
	{ "line_commits", offsetof(struct parameters, line_commits), 1, 8 },
	{ "lock_latency", offsetof(struct parameters, lock_latency), 0, 500 },
	{ "full_fence_latency", offsetof(struct parameters, full_fence_latency), 0, 500 },
	{ "load_fence_latency", offsetof(struct parameters, load_fence_latency), 0, 500 },
	{ "pause_latency", offsetof(struct parameters, pause_latency), 0, 500 },
	{ "gather_slots", offsetof(struct parameters, gather_slots), 1, 100 },
	{ "gather_lane_slots", offsetof(struct parameters, gather_lane_slots), 1, 10 },
	{ "transfer_latency", offsetof(struct parameters, transfer_latency), 0, 1000 },
	{ "alu_units", offsetof(struct parameters, units[PORT_ALU]), 1, MOST_UNITS },
	{ "multiply_units", offsetof(struct parameters, units[PORT_MULTIPLY]), 1, MOST_UNITS },
	{ "vector_units", offsetof(struct parameters, units[PORT_VECTOR]), 1, MOST_UNITS },
	{ "shuffle_units", offsetof(struct parameters, units[PORT_SHUFFLE]), 1, MOST_UNITS },
	{ "bits_units", offsetof(struct parameters, units[PORT_BITS]), 0, MOST_UNITS },
	{ "fp_units", offsetof(struct parameters, units[PORT_FP]), 1, MOST_UNITS },
	{ "fp_add_units", offsetof(struct parameters, units[PORT_FP_ADD]), 0, MOST_UNITS },
	{ "branch_units", offsetof(struct parameters, units[PORT_BRANCH]), 1, MOST_UNITS },
	{ "load_units", offsetof(struct parameters, units[PORT_LOAD]), 1, MOST_UNITS },
	{ "scaled_load_latency", offsetof(struct parameters, scaled_load), 0, 1 },
	{ "store_units", offsetof(struct parameters, units[PORT_STORE]), 1, MOST_UNITS },
	{ "extends_by_alu", offsetof(struct parameters, extends_by_alu), 0, 1 },
	{ "alu_latency", offsetof(struct parameters, latency[KIND_ALU]), 1, 100 },
	{ "branch_latency", offsetof(struct parameters, latency[KIND_BRANCH]), 1, 100 },
	{ "vector_latency", offsetof(struct parameters, latency[KIND_VECTOR]), 1, 100 },
	{ "shuffle_latency", offsetof(struct parameters, latency[KIND_SHUFFLE]), 1, 100 },
	{ "scaled_sum_latency", offsetof(struct parameters, latency[KIND_SCALED_SUM]), 1, 100 },
	{ "long_sum_latency", offsetof(struct parameters, latency[KIND_LONG_SUM]), 1, 100 },
	{ "vector_move_latency", offsetof(struct parameters, latency[KIND_VECTOR_MOVE]), 1, 100 },
	{ "cross_lane_latency", offsetof(struct parameters, latency[KIND_CROSS_LANE]), 1, 100 },
	{ "bits_latency", offsetof(struct parameters, latency[KIND_BITS]), 1, 100 },
	{ "multiply_latency", offsetof(struct parameters, latency[KIND_MULTIPLY]), 1, 100 },
	{ "fp_add_latency", offsetof(struct parameters, latency[KIND_FP_ADD]), 1, 100 },
	{ "fp_add_chain_latency", offsetof(struct parameters, fp_add_chain), 1, 100 },
	{ "convert_latency", offsetof(struct parameters, latency[KIND_CONVERT]), 1, 100 },
	{ "convert_move_latency", offsetof(struct parameters, latency[KIND_CONVERT_MOVE]), 1, 100 },
	{ "fp_multiply_latency", offsetof(struct parameters, latency[KIND_FP_MULTIPLY]), 1, 100 },
	{ "fp_fused_latency", offsetof(struct parameters, latency[KIND_FP_FUSED]), 1, 100 },
	{ "x87_add_latency", offsetof(struct parameters, latency[KIND_X87_ADD]), 1, 100 },
	{ "x87_multiply_latency", offsetof(struct parameters, latency[KIND_X87_MULTIPLY]), 1, 100 },
	{ "vector_multiply_latency", offsetof(struct parameters, latency[KIND_VECTOR_MULTIPLY]), 1, 100 },
	{ "crypto_latency", offsetof(struct parameters, latency[KIND_CRYPTO]), 1, 100 },
	{ "divide_32_latency", offsetof(struct parameters, latency[KIND_DIVIDE_32]), 1, 200 },
	{ "divide_64_latency", offsetof(struct parameters, latency[KIND_DIVIDE_64]), 1, 200 },
	{ "fp_divide_32_latency", offsetof(struct parameters, latency[KIND_FP_DIVIDE_32]), 1, 200 },
	{ "fp_divide_64_latency", offsetof(struct parameters, latency[KIND_FP_DIVIDE_64]), 1, 200 },
	{ "fp_root_latency", offsetof(struct parameters, latency[KIND_FP_ROOT]), 1, 200 },
	{ "microcode_latency", offsetof(struct parameters, latency[KIND_MICROCODE]), 1, 500 },
	{ "divide_32_occupancy", offsetof(struct parameters, occupancy[KIND_DIVIDE_32]), 1, 200 },
	{ "divide_64_occupancy", offsetof(struct parameters, occupancy[KIND_DIVIDE_64]), 1, 200 },
	{ "fp_divide_32_occupancy", offsetof(struct parameters, occupancy[KIND_FP_DIVIDE_32]), 1, 200 },
	{ "fp_divide_64_occupancy", offsetof(struct parameters, occupancy[KIND_FP_DIVIDE_64]), 1, 200 },
	{ "fp_root_occupancy", offsetof(struct parameters, occupancy[KIND_FP_ROOT]), 1, 200 },
	{ "memory_scheduler", offsetof(struct parameters, schedulers[QUEUE_MEMORY]), 0, 1024 },
	{ "vector_scheduler", offsetof(struct parameters, schedulers[QUEUE_VECTOR]), 0, 1024 },
	{ "vector_load_units", offsetof(struct parameters, units[PORT_VECTOR_LOAD]), 0, MOST_UNITS },
	{ "stores_take_loads", offsetof(struct parameters, stores_take_loads), 0, 1 },
	{ "shift_units", offsetof(struct parameters, units[PORT_SHIFT]), 0, MOST_UNITS },
	{ "transfer_units", offsetof(struct parameters, units[PORT_TRANSFER]), 0, MOST_UNITS },
	{ "select_units", offsetof(struct parameters, units[PORT_SELECT]), 0, MOST_UNITS },
	{ "long_run_cycles", offsetof(struct parameters, long_run), 0, 16 },
	{ "call_cycles", offsetof(struct parameters, call_turn), 0, 16 },
	{ "return_cycles", offsetof(struct parameters, return_turn), 0, 16 },
	{ "indirect_cycles", offsetof(struct parameters, indirect_turn), 0, 16 },
	{ "transfer_adders", offsetof(struct parameters, transfer_adders), 0, MOST_UNITS },
	{ "stores_take_transfers", offsetof(struct parameters, stores_take_transfers), 0, 1 },
	{ "several_targets_cycles", offsetof(struct parameters, targets_turn), 0, 16 },
	{ "near_branch_targets", offsetof(struct parameters, near_targets), 0, 1 << 20 },
	{ "far_target_cycles", offsetof(struct parameters, far_turn), 0, 16 },
	{ "string_short", offsetof(struct parameters, string_short), 0, 4096 },
	{ "store_lines_beside", offsetof(struct parameters, store_lines_beside), 0, 100 },
	{ "indirect_outcomes", offsetof(struct parameters, indirect_outcomes), 0, 40 },
	{ "indirect_history", offsetof(struct parameters, indirect_history), 5, 40 },
	{ "ideal_branches", offsetof(struct parameters, ideal[IDEAL_BRANCHES]), 0, 1 },
	{ "ideal_code", offsetof(struct parameters, ideal[IDEAL_CODE]), 0, 1 },
	{ "ideal_itlb", offsetof(struct parameters, ideal[IDEAL_ITLB]), 0, 1 },
	{ "ideal_dtlb", offsetof(struct parameters, ideal[IDEAL_DTLB]), 0, 1 },
	{ "ideal_l1", offsetof(struct parameters, ideal[IDEAL_L1]), 0, 1 },
	{ "ideal_l2", offsetof(struct parameters, ideal[IDEAL_L2]), 0, 1 },
	{ "ideal_l3", offsetof(struct parameters, ideal[IDEAL_L3]), 0, 1 },
	{ "ideal_stores", offsetof(struct parameters, ideal[IDEAL_STORES]), 0, 1 },
	{ "ideal_fences", offsetof(struct parameters, ideal[IDEAL_FENCES]), 0, 1 },
	{ "ideal_dependencies", offsetof(struct parameters, ideal[IDEAL_DEPENDENCIES]), 0, 1 },
};

/* Behind these rows are those that may be left out: what few cores have, and ideal[]. */
#define OPTIONAL 20
#define NEEDED	 (COUNT_OF(rows) - OPTIONAL - IDEAL_COUNT)

static bool is_name(const char *name, const char *text, size_t length)
{
	size_t i = 0;

	while (i < length && name[i] && name[i] == text[i])
		i++;
	return i == length && !name[i];
}

static const struct row *parameters_find_row(const char *name, size_t length)
{
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		if (is_name(rows[i].name, name, length))
			return &rows[i];
	return NULL;
}

static uint32_t *number(struct parameters *parameters, const struct row *row)
{
	return (uint32_t *)(void *)((char *)parameters + row->offset);
}

bool parameters_limits(const char *name, size_t length, uint32_t *least, uint32_t *most)
{
	const struct row *row = parameters_find_row(name, length);

	if (!row)
		return false;
	*least = row->least;
	*most = row->most;
	return true;
}

/* The decimal number at *text, which then points behind it; more than fits is the largest. */
static uint32_t parameters_read_number(const char **text)
{
	uint64_t value = 0;

	for (; **text >= '0' && **text <= '9'; (*text)++)
		if (value <= UINT32_MAX)
			value = value * 10 + (uint64_t)(**text - '0');
	return value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

static bool end_line(const char **text)
{
	if (**text == '\n')
		(*text)++;
	else if (**text)
		return false;
	return true;
}

/* One line; false when it says nothing that can be. */
static bool parameters_read_line(struct parameters *parameters, const char **text, bool *is_given)
{
	const char *name = *text;
	const struct row *row;

	while (**text && **text != ' ' && **text != '\n')
		(*text)++;
	if (**text == ' ' && is_name(PARAMETERS_INSTRUCTION, name, (size_t)(*text - name))) {
		(*text)++;
		return forms_read(&parameters->forms, text) && end_line(text);
	}
	row = parameters_find_row(name, (size_t)(*text - name));
	if (!row || **text != ' ')
		return false;
	(*text)++;
	*number(parameters, row) = parameters_read_number(text);
	is_given[row - rows] = true;
	return end_line(text) && *number(parameters, row) >= row->least && *number(parameters, row) <= row->most;
}

const char *parameters_read(struct parameters *parameters, const char *text)
{
	bool is_given[COUNT_OF(rows)] = { false };

	*parameters = (struct parameters){ .width = 0 };
	while (*text) {
		const char *line = text;

		if (!parameters_read_line(parameters, &text, is_given))
			return line;
	}
	for (size_t i = 0; i < NEEDED; i++)
		if (!is_given[i])
			return rows[i].name;
	parameters->latency[KIND_SHIFT] = parameters->latency[KIND_SELECT] = parameters->latency[KIND_ALU];
	return NULL;
}
