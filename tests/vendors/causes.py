# SPDX-License-Identifier: GPL-2.0-or-later
"""Why perfmon's form and Linux' form of a metric differ, and which side is right. One row is one cause.

(CPUs, metrics, right, cause): CPUs and metrics are patterns as of file names, separated by blanks; 'right' is
the side that is.
"""
NEWER = (
    "skylake skylakex cascadelakex rocketlake",
    "alderlake:core meteorlake:core lunarlake:core arrowlake:core",
)
LION_COVE = "lunarlake:core arrowlake:core"

# The value of the metric itself differs, with equal counts and with equal values of the metrics that it
# refers to.
VALUES = [
    (
        "*",
        "tma_info_system_core_frequency tma_info_system_cpus_utilized",
        "Linux",
        (
            "perfmon's flattened formula takes the frequency of the time stamps for their number, and divides"
            " by the time once more: right for one second only. Its formula over other metrics says what"
            " Linux says."
        ),
    ),
    (
        "sierraforest grandridge",
        "tma_info_system_cpu_utilization",
        "Linux",
        "As above: the frequency instead of the number.",
    ),
    (
        "meteorlake:core lunarlake:core arrowlake:core",
        "tma_contested_accesses tma_data_sharing tma_l3_hit_latency",
        "Linux",
        (
            "perfmon lost parentheses: `n * (27 * f) - (3 * f)` for `n * (27 * f - 3 * f)`. Its server files"
            " have them. `topdown import` puts them back."
        ),
    ),
    (
        "cascadelakex icelakex sapphirerapids graniterapids",
        "tma_dram_bound tma_l3_miss_bound tma_bottleneck_*",
        "Linux",
        (
            "Linux parts the stalls of persistent memory (CXL_Mem_Bound) from those of DRAM. Without such"
            " memory (`#has_pmem` 0) both are equal. Where perfmon's text is as new or newer, all of it is"
            " taken: CXL's stalls are part of its L3_Miss_Bound. Linux' node beside it would count them"
            " twice."
        ),
    ),
    (
        "emeraldrapids",
        "tma_bottleneck_data_cache_memory_bandwidth tma_bottleneck_data_cache_memory_latency",
        "Linux",
        (
            "perfmon names HBM_Bound, a node that only Xeon Max has, and its flattened formula something"
            " else. Linux takes 0 for it, and so does `topdown import`."
        ),
    ),
    (
        (
            "icelake icelakex tigerlake rocketlake alderlake:core sapphirerapids emeraldrapids"
            " meteorlake:core graniterapids"
        ),
        "tma_info_thread_slots_utilization",
        "perfmon",
        (
            "perfmon counts the slots of both threads of the core (`:percore`). Linux lost that and divides a"
            " thread's slots by half of the same, which is 2 with SMT. `topdown import` knows the metric as"
            " one that needs both threads."
        ),
    ),
    ("rocketlake", "tma_ms", "Linux", "5.1 divides the cycles of the microcode sequencer by 3.3, 5.01 by 2."),
    (
        "rocketlake",
        "tma_bottleneck_instruction_fetch_bw tma_bottleneck_irregular_overhead",
        "Linux",
        "5.1 takes MS itself, 5.01 its share of Fetch_Bandwidth.",
    ),
    (
        "icelakex sapphirerapids",
        "tma_info_frontend_dsb_coverage",
        "perfmon",
        (
            "5.2 (perfmon) divides by the operations of all sources, 5.1 by those issued, which is more than"
            " 1 at times."
        ),
    ),
    (
        "sapphirerapids",
        "tma_lock_latency tma_split_loads",
        "perfmon",
        "5.2 (perfmon) counts the cycles of locks and the split loads themselves, 5.1 estimates them.",
    ),
    (
        "sapphirerapids",
        "tma_mem_bandwidth",
        "perfmon",
        "5.2 (perfmon) counts cycles with 12 requests, 5.1 those with 4.",
    ),
    (
        "alderlake:core",
        "tma_lock_latency tma_split_loads",
        "Linux",
        "5.2 (Linux) counts the cycles of locks and the split loads themselves, 5.1 estimates them.",
    ),
    (
        NEWER[1],
        "tma_info_frontend_dsb_coverage tma_info_frontend_lsd_coverage",
        "Linux",
        (
            "5.2 (Linux) divides by the operations of all sources, 5.1 by those issued, which is more than 1"
            " at times."
        ),
    ),
    (
        f"meteorlake:core {LION_COVE}",
        "tma_cond_*_mispredicts tma_ind_*_mispredicts tma_ret_mispredicts",
        "Linux",
        (
            "5.2 (Linux) takes the kind's share of the mispredicted branches, 5.1 retire latencies, which"
            " need sampling."
        ),
    ),
    (
        LION_COVE,
        "tma_icache_misses tma_itlb_misses",
        "Linux",
        (
            "5.2 (Linux) counts the cycles with a full fetch buffer (ISB_Full) to the cache's misses, 5.1 to"
            " the TLB's."
        ),
    ),
    (
        LION_COVE,
        "tma_mite tma_dsb tma_lsd",
        "Linux",
        (
            "5.2 (Linux) weighs a cycle with the slots that were not filled, 5.1 with a constant. Linux lost"
            " `eq1` of `IDQ.MITE_UOPS:c8:i1:eq1` and so counts the cycles with none too. Intel's sheet and"
            " perfmon have it, cycles with 1 to 7 operations; `topdown import` puts it back."
        ),
    ),
    (
        LION_COVE,
        "tma_ms",
        "Linux",
        "5.2 (Linux) weighs a cycle with the slots that were not filled, 5.1 with a constant.",
    ),
    (LION_COVE, "tma_l2_bound", "Linux", "5.2 (Linux) leaves out what uncached loads cost (UC_Bound)."),
    ("arrowlake:core", "tma_store_early_blk", "Linux", "5.2 (Linux) counts cycles, 5.1 cycles times 7."),
    (
        "arrowlake:core",
        "tma_bottleneck_data_cache_memory_bandwidth",
        "Linux",
        "perfmon's sum lacks nodes of this core.",
    ),
]
THRESHOLDS = []
ONLY_LINUX = [
    ("*", "C*_Residency UNCORE_FREQ", "", "C-states and the uncore's clock, which other PMUs count"),
    ("*", "smi_* tsx_*", "", "events of the kernel: system management interrupts, transactions"),
    (
        "cascadelakex icelakex sapphirerapids emeraldrapids graniterapids",
        "tma_cxl_mem_bound tma_info_system_cxl_* *_pmm_*",
        "",
        "persistent memory and CXL, which perfmon's 5.2 left",
    ),
    (NEWER[0], "tma_info_pipeline_fetch_ms", "", "5.1, where perfmon has 5.01"),
    (
        "sierraforest grandridge",
        "tma_info_*missbound_with_l?miss",
        "",
        "shares that perfmon lacks for these cores",
    ),
    (
        NEWER[1],
        (
            "tma_info_inst_mix_vectormixpki tma_info_pipeline_retire_stall tma_isb_full tma_uc_bound"
            " tma_store_early_blk tma_false_sharing tma_info_system_dram_bw_use tma_bottleneck_*"
        ),
        "",
        "5.2, where perfmon has 5.1",
    ),
    (
        "alderlake:core tigerlake rocketlake",
        "tma_info_system_mem_parallel_reads tma_info_system_mem_read_latency",
        "",
        "the memory controller's requests",
    ),
    (
        "icelakex sapphirerapids",
        "tma_info_system_power_license* tma_info_system_mem_irq_* tma_info_system_uncore_frequency",
        "",
        "of 5.1, left by 5.2",
    ),
]
ONLY_PERFMON = [
    ("sapphirerapids", "tma_info_inst_mix_vectormixpki", "", "5.2, where Linux has 5.1"),
    (NEWER[1], "tma_info_system_uncore_frequency", "", "Linux calls it UNCORE_FREQ"),
    (LION_COVE, "tma_l1_latency_dependency", "", "of 5.1, left by 5.2 on this core"),
]
