# SPDX-License-Identifier: GPL-2.0-or-later
"""Sapphire Rapids: six slots, level 1 and 2 from the perf-metrics register, which counts slots.

The counter masks are those of the kernel's table for this CPU: event codes below 0x90 use counters 0 to 3
only.
"""
from machine import Machine, Placed, intel

SLOTS = 6
FRONTEND, BAD, BACKEND, RETIRING = 0.18, 0.12, 0.30, 0.40
DROPPED = (
    0.01  # of the slots; the register has them as frontend bound, the formula takes them for bad speculation
)
LATENCY, MISPREDICTS, MEMORY, HEAVY = 0.10, 0.09, 0.20, 0.05
L1, L2, L3, DRAM, STORES = 0.07, 0.06, 0.05, 0.04, 0.03  # of the cycles
ICACHE, ITLB, LCP, DIVIDER = 0.06, 0.02, 0.01, 0.08
# FP_ARITH_INST_RETIRED: unit mask, type, bits, operations an instruction, instructions a cycle
FP_ARITH = {
    "SCALAR_DOUBLE": (0x01, "f64", 64, 1, 0.2),
    "SCALAR_SINGLE": (0x02, "f32", 32, 1, 0.1),
    "128B_PACKED_DOUBLE": (0x04, "f64", 128, 2, 0.05),
    "128B_PACKED_SINGLE": (0x08, "f32", 128, 4, 0.025),
    "256B_PACKED_DOUBLE": (0x10, "f64", 256, 4, 0.25),
    "256B_PACKED_SINGLE": (0x20, "f32", 256, 8, 0.0125),
    "512B_PACKED_DOUBLE": (0x40, "f64", 512, 8, 0.0625),
    "512B_PACKED_SINGLE": (0x80, "f32", 512, 16, 0.03),
}
OPERATIONS = {(kind, bits): each * rate for _, kind, bits, each, rate in FP_ARITH.values()}
L1_IN, L2_IN, L2_OUT, L3_MISSES, WRITTEN = 0.05, 0.03, 0.01, 0.004, 0.002  # lines a cycle

MACHINE = Machine(
    arch="x86",
    qemu=["--cpu", "max,vendor=GenuineIntel,family=6,model=143,stepping=8"],
    cycles="CPU_CLK_UNHALTED.THREAD",
    ipc=1.5,
    pmu={
        "name": "cpu",
        "counters": "8",
        "metrics": "1",
        "fixed": "c0+100,3c,300,400",
        "masks": "0-0:0,2e-2e:ff,3c-3c:ff,1-8f:f,1a3:f,2a3:f,8a3:f,4a4:1,8a4:1,2cd:1,ce-ce:1,d0-df:f",
        "shared": "12a+12b:2,1c6+40ad+4c2:1,1cd:1",
        "hw": "0:3c,1:c0,2:4f2e,3:412e,4:c4,5:c5,9:300",
        "formats": (
            "event:config:0-7;umask:config:8-15;edge:config:18;pc:config:19;inv:config:23;cmask:config:24-31;"
            "in_tx:config:32;in_tx_cp:config:33;offcore_rsp:config1:0-63;ldlat:config1:0-15;frontend:config1:0-23"  # noqa: E501
        ),
        "events": (
            "branch-instructions:event=0xc4;branch-misses:event=0xc5;bus-cycles:event=0x3c,umask=0x01;"
            "cache-misses:event=0x2e,umask=0x41;cache-references:event=0x2e,umask=0x4f;cpu-cycles:event=0x3c;"
            "instructions:event=0xc0;ref-cycles:event=0x00,umask=0x03;slots:event=0x00,umask=0x4;"
            "topdown-retiring:event=0x00,umask=0x80;topdown-bad-spec:event=0x00,umask=0x81;"
            "topdown-fe-bound:event=0x00,umask=0x82;topdown-be-bound:event=0x00,umask=0x83;"
            "topdown-heavy-ops:event=0x00,umask=0x84;topdown-br-mispredict:event=0x00,umask=0x85;"
            "topdown-fetch-lat:event=0x00,umask=0x86;topdown-mem-bound:event=0x00,umask=0x87"
        ),
        "caps": "pmu_name:sapphire_rapids;branches:32;max_precise:3",
    },
    rates={
        "CPU_CLK_UNHALTED.THREAD": (intel(0x3C), 1),
        "CPU_CLK_UNHALTED.THREAD:c1": (intel(0x3C, cmask=1), 1),  # the same, on a general counter
        "CPU_CLK_UNHALTED.REF_TSC": (intel(0x00, 0x03), 1),
        "CPU_CLK_UNHALTED.REF_TSC_P": (intel(0x3C, 0x01), 1),
        "INST_RETIRED.ANY": (intel(0xC0), 1.5),
        "TOPDOWN.SLOTS": (intel(0x00, 0x04), SLOTS),
        "topdown-retiring": (intel(0x00, 0x80), SLOTS * RETIRING),
        "topdown-bad-spec": (intel(0x00, 0x81), SLOTS * (BAD - DROPPED)),
        "topdown-fe-bound": (intel(0x00, 0x82), SLOTS * (FRONTEND + DROPPED)),
        "topdown-be-bound": (intel(0x00, 0x83), SLOTS * BACKEND),
        "topdown-heavy-ops": (intel(0x00, 0x84), SLOTS * HEAVY),
        "topdown-br-mispredict": (intel(0x00, 0x85), SLOTS * MISPREDICTS),
        "topdown-fetch-lat": (intel(0x00, 0x86), SLOTS * (LATENCY + DROPPED)),
        "topdown-mem-bound": (intel(0x00, 0x87), SLOTS * MEMORY),
        "INT_MISC.UOP_DROPPING": (intel(0xAD, 0x10), SLOTS * DROPPED),
        # what Intel's second form reads, which needs no perf-metrics register
        "TOPDOWN.SLOTS_P": (intel(0xA4, 0x01), SLOTS),
        "TOPDOWN.BACKEND_BOUND_SLOTS": (intel(0xA4, 0x02), SLOTS * BACKEND),
        "TOPDOWN.BR_MISPREDICT_SLOTS": (intel(0xA4, 0x08), SLOTS * MISPREDICTS),
        "TOPDOWN.MEMORY_BOUND_SLOTS": (intel(0xA4, 0x10), SLOTS * MEMORY),
        "UOPS_RETIRED.SLOTS": (intel(0xC2, 0x02), SLOTS * RETIRING),
        "UOPS_RETIRED.HEAVY": (intel(0xC2, 0x01), SLOTS * HEAVY),
        "IDQ_BUBBLES.CORE": (intel(0x9C, 0x01), SLOTS * (FRONTEND + DROPPED)),
        "IDQ_BUBBLES.CYCLES_0_UOPS_DELIV.CORE": (intel(0x9C, 0x01, cmask=6), LATENCY + DROPPED),
        "ICACHE_DATA.STALLS": (intel(0x80, 0x04), ICACHE),
        "ICACHE_TAG.STALLS": (intel(0x83, 0x04), ITLB),
        "DECODE.LCP": (intel(0x87, 0x01), LCP),
        "EXE_ACTIVITY.BOUND_ON_LOADS": (intel(0xA6, 0x21, cmask=5), L1 + L2 + L3 + DRAM),
        "MEMORY_ACTIVITY.STALLS_L1D_MISS": (intel(0x47, 0x03, cmask=3), L2 + L3 + DRAM),
        "MEMORY_ACTIVITY.STALLS_L2_MISS": (intel(0x47, 0x05, cmask=5), L3 + DRAM),
        "MEMORY_ACTIVITY.STALLS_L3_MISS": (intel(0x47, 0x09, cmask=9), DRAM),
        "EXE_ACTIVITY.BOUND_ON_STORES": (intel(0xA6, 0x40, cmask=2), STORES),
        "ARITH.DIV_ACTIVE": (intel(0xB0, 0x09, cmask=1), DIVIDER),
        **{
            f"FP_ARITH_INST_RETIRED.{name}": (intel(0xC7, umask), rate)
            for name, (umask, _, _, _, rate) in FP_ARITH.items()
        },
        "L1D.REPLACEMENT": (intel(0x51, 0x01), L1_IN),
        "L2_LINES_IN.ALL": (intel(0x25, 0x1F), L2_IN),
        "L2_LINES_OUT.NON_SILENT": (intel(0x26, 0x02), L2_OUT),
        "LONGEST_LAT_CACHE.MISS": (intel(0x2E, 0x41), L3_MISSES),
        "OCR.WRITE_ESTIMATE.MEMORY": (intel(0x2A, 0x01), WRITTEN),
    },
    level1={
        "tma_frontend_bound": 100 * FRONTEND,
        "tma_bad_speculation": 100 * BAD,
        "tma_backend_bound": 100 * BACKEND,
        "tma_retiring": 100 * RETIRING,
    },
    deeper={
        "tma_fetch_latency": 100 * LATENCY,
        "tma_fetch_bandwidth": 100 * (FRONTEND - LATENCY),
        "tma_branch_mispredicts": 100 * MISPREDICTS,
        "tma_machine_clears": 100 * (BAD - MISPREDICTS),
        "tma_memory_bound": 100 * MEMORY,
        "tma_core_bound": 100 * (BACKEND - MEMORY),
        "tma_heavy_operations": 100 * HEAVY,
        "tma_light_operations": 100 * (RETIRING - HEAVY),
        "tma_icache_misses": 100 * ICACHE,
        "tma_itlb_misses": 100 * ITLB,
        "tma_lcp": 100 * LCP,
        "tma_l1_bound": 100 * L1,
        "tma_l2_bound": 100 * L2,
        "tma_l3_bound": 100 * L3,
        "tma_l3_miss_bound": 100 * DRAM,
        "tma_store_bound": 100 * STORES,
        "tma_divider": 100 * DIVIDER,
    },
    # Frontend and backend are over their thresholds of 15 and 20 %; bad speculation (15) and retiring (70)
    # are not.
    drill_level=2,
    drilled=("tma_fetch_latency", "tma_fetch_bandwidth", "tma_memory_bound", "tma_core_bound"),
    not_drilled=(
        "tma_branch_mispredicts",
        "tma_machine_clears",
        "tma_heavy_operations",
        "tma_light_operations",
    ),
    placed=Placed(
        widths=OPERATIONS,
        lines={"L2": L1_IN, "L3": L2_IN + L2_OUT, "DRAM": L3_MISSES + WRITTEN},
        sources={
            "flops": "FP_ARITH_INST_RETIRED",
            "L2": "L1D.REPLACEMENT",
            "L3": "L2_LINES_OUT.NON_SILENT",
            "DRAM": "LONGEST_LAT_CACHE.MISS",
        },
        vectors=100
        * sum(rate for (_, bits), rate in OPERATIONS.items() if bits >= 128)
        / sum(OPERATIONS.values()),
    ),
    verified={"divide": "tma_divider", "adds": "tma_retiring"},
    part=("DRAM_Bound^,Divider", "IPC"),
    part_rows=(
        "tma_backend_bound",
        "tma_memory_bound",
        "tma_l3_miss_bound",
        "tma_divider",
        "tma_info_thread_ipc",
    ),
    fewer=3,
    refused=True,
    faults="dead-metrics",
)
