# SPDX-License-Identifier: GPL-2.0-or-later
"""explained.py - what topdown does not print as a record has it, and why."""

# What perf calls otherwise than the models do.
NAMES = {
    "Retiring": "tma_retiring",
    "Frontend_Bound": "tma_frontend_bound",
    "Bad_Speculation": "tma_bad_speculation",
    "Backend_Bound": "tma_backend_bound",
    "Retiring_SMT": "tma_retiring",
    "Frontend_Bound_SMT": "tma_frontend_bound",
    "Bad_Speculation_SMT": "tma_bad_speculation",
    "Backend_Bound_SMT": "tma_backend_bound",
    "retiring": "tma_retiring",
    "frontend bound": "tma_frontend_bound",
    "bad speculation": "tma_bad_speculation",
    "backend bound": "tma_backend_bound",
    "Frontend Bound": "tma_frontend_bound",
    "Bad Speculation": "tma_bad_speculation",
    "Backend Bound": "tma_backend_bound",
    "insn per cycle": "ipc",
    "backend cycles idle": "backend_stalled_cycles",
    "frontend cycles idle": "frontend_stalled_cycles",
    "SLOTS": "tma_info_thread_slots",
    "SLOTS_SMT": "tma_info_thread_slots",
    "CoreIPC": "tma_info_core_coreipc",
    "CoreIPC_SMT": "tma_info_core_coreipc",
    "Instructions": "tma_info_inst_mix_instructions",
    "store_spec_rate": "store_percentage",
    "load_spec_rate": "load_percentage",
    "float_point_spec_rate": "scalar_fp_percentage",
    "data_process_spec_rate": "integer_dp_percentage",
    "crypto_spec_rate": "crypto_percentage",
    "l1d_cache_mpki": "l1d_cache_mpki",
    "l2d_cache_mpki": "l2_cache_mpki",
    "l1d_cache_miss_rate": "l1d_cache_miss_ratio",
    "l2d_cache_miss_rate": "l2_cache_miss_ratio",
}

GRACEMONT = "the tree of Gracemont of 2023 had other nodes and formulas"
GOLDEN_COVE = "the formula of 2023 read other events"
MEANS = "the mean of five runs' values, where the counts are the means of the runs"

# (record, name): why. A row that is not needed any more fails the test.
EXPLAINED = {
    ("adl-atom-l2", "tma_fetch_latency"): GRACEMONT,
    ("adl-atom-l2", "tma_fetch_bandwidth"): GRACEMONT,
    ("adl-atom-l2", "tma_memory_bound"): GRACEMONT,
    ("adl-atom-l2", "tma_core_bound"): GRACEMONT,
    ("adl-atom-l2", "tma_resource_bound"): GRACEMONT,
    ("adl-atom-l2", "tma_base"): GRACEMONT,
    ("adl-atom-l2", "tma_ms_uops"): GRACEMONT,
    ("adl-l4", "tma_shuffles"): "the node has another name and other events by now",
    ("adl-l4", "tma_fp_vector"): "an event without the vectors of 512 bits; today's counts them too",
    ("adl-l4", "tma_ports_utilized_0"): GOLDEN_COVE,
    ("adl-l4", "tma_lock_latency"): GOLDEN_COVE,
    ("adl-l4", "tma_split_loads"): GOLDEN_COVE,
    ("icx-make-bzimage", "insn per cycle"): MEANS,
    ("icx-make-bzimage", "frontend bound"): MEANS,
    ("icx-make-bzimage", "backend bound"): MEANS,
    ("tgl-wiki-ports", "tma_ports_utilized_0"): "the formula of 2023 had more terms",
}
