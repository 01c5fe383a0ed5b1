# SPDX-License-Identifier: GPL-2.0-or-later
"""Cascade Lake: four slots, everything counted on general counters: eight without SMT, which is this guest,
four with it.

The counter masks are those of the kernel's table for this CPU.
"""
from machine import Machine, intel

FRONTEND, BAD, BACKEND, RETIRING = 0.18, 0.12, 0.30, 0.40
RECOVERY = 0.02  # of the core's cycles
LATENCY = 0.08
FUSED = 0.1  # a cycle of the core
INSTRUCTIONS = 1.5  # a cycle of the core
MISPREDICTS, CLEARS = 0.003, 0.001  # a cycle
L1, L2, L3, DRAM, STORES = 0.07, 0.05, 0.06, 0.07, 0.05  # of the cycles; other events distinguish L2 and DRAM
STALLS, ONE_PORT, TWO_PORTS = 0.35, 0.10, 0.25
ITLB, LCP, DIVIDER = 0.02, 0.01, 0.08

LOADS = L1 + L2 + L3 + DRAM
MEMORY = BACKEND * (LOADS + STORES) / (STALLS + ONE_PORT + RETIRING * TWO_PORTS + STORES)


def cascade_lake(qemu, counters, fewer, alone, **facts):
    """alone: of the cycles of this thread those while the other is idle; without SMT it is never there."""
    core_cycles = (1 + alone) / 2  # a cycle of this thread
    slots = 4 * core_cycles
    ipc = INSTRUCTIONS * core_cycles
    heavy = RETIRING + (FUSED - INSTRUCTIONS) / 4
    return Machine(
        arch="x86",
        qemu=["--cpu", "max,vendor=GenuineIntel,family=6,model=85,stepping=7", *qemu],
        ipc=ipc,
        pmu={
            "name": "cpu",
            "counters": str(counters),
            "fixed": "c0+2000c0,3c+20003c,300",  # with the any bit too
            "masks": "0-0:0,1c0:2,d0-d2:f,cd-cd:f,c6-c6:f",
            "shared": "1b7+1bb:2,1c6:1,1cd:1",
            "privileged": "0x200000",  # any: both threads of the core
            "hw": "0:3c,1:c0,2:4f2e,3:412e,4:c4,5:c5,9:300",
            "formats": (
                "event:config:0-7;umask:config:8-15;edge:config:18;pc:config:19;any:config:21;inv:config:23;"
                "cmask:config:24-31;in_tx:config:32;in_tx_cp:config:33;offcore_rsp:config1:0-63;"
                "ldlat:config1:0-15;frontend:config1:0-23"
            ),
            "events": (
                "branch-instructions:event=0xc4;branch-misses:event=0xc5;bus-cycles:event=0x3c,umask=0x01;"
                "cache-misses:event=0x2e,umask=0x41;cache-references:event=0x2e,umask=0x4f;cpu-cycles:event=0x3c;"  # noqa: E501
                "instructions:event=0xc0;ref-cycles:event=0x00,umask=0x03"
            ),
            "caps": "pmu_name:skylake;branches:32;max_precise:3",
        },
        rates={
            "CPU_CLK_UNHALTED.THREAD": (intel(0x3C), 1),
            "CPU_CLK_UNHALTED.THREAD_ANY": (intel(0x3C, any_thread=1), 1),  # a program keeps its core busy
            "CPU_CLK_UNHALTED.REF_TSC": (intel(0x00, 0x03), 1),
            "CPU_CLK_UNHALTED.REF_XCLK": (intel(0x3C, 0x01), 0.01),
            "CPU_CLK_UNHALTED.ONE_THREAD_ACTIVE": (intel(0x3C, 0x02), 0.01 * alone),
            "INST_RETIRED.ANY": (intel(0xC0), ipc),
            "IDQ_UOPS_NOT_DELIVERED.CORE": (intel(0x9C, 0x01), slots * FRONTEND),
            "IDQ_UOPS_NOT_DELIVERED.CYCLES_0_UOPS_DELIV.CORE": (
                intel(0x9C, 0x01, cmask=4),
                core_cycles * LATENCY,
            ),
            "UOPS_ISSUED.ANY": (intel(0x0E, 0x01), slots * (RETIRING + BAD - RECOVERY)),
            "UOPS_RETIRED.RETIRE_SLOTS": (intel(0xC2, 0x02), slots * RETIRING),
            "UOPS_RETIRED.MACRO_FUSED": (intel(0xC2, 0x04), core_cycles * FUSED),
            "INT_MISC.RECOVERY_CYCLES": (intel(0x0D, 0x01), core_cycles * RECOVERY),
            "INT_MISC.RECOVERY_CYCLES_ANY": (intel(0x0D, 0x01, any_thread=1), 2 * core_cycles * RECOVERY),
            "BR_MISP_RETIRED.ALL_BRANCHES": (intel(0xC5), MISPREDICTS),
            "MACHINE_CLEARS.COUNT": (intel(0xC3, 0x01, cmask=1, edge=1), CLEARS),
            "CYCLE_ACTIVITY.STALLS_TOTAL": (intel(0xA3, 0x04, cmask=4), STALLS),
            "CYCLE_ACTIVITY.STALLS_MEM_ANY": (intel(0xA3, 0x14, cmask=20), LOADS),
            "CYCLE_ACTIVITY.STALLS_L1D_MISS": (intel(0xA3, 0x0C, cmask=12), LOADS - L1),
            "CYCLE_ACTIVITY.STALLS_L2_MISS": (intel(0xA3, 0x05, cmask=5), L3 + DRAM),
            "CYCLE_ACTIVITY.STALLS_L3_MISS": (intel(0xA3, 0x06, cmask=6), DRAM),
            "EXE_ACTIVITY.BOUND_ON_STORES": (intel(0xA6, 0x40), STORES),
            "EXE_ACTIVITY.1_PORTS_UTIL": (intel(0xA6, 0x02), ONE_PORT),
            "EXE_ACTIVITY.2_PORTS_UTIL": (intel(0xA6, 0x04), TWO_PORTS),
            "ICACHE_64B.IFTAG_STALL": (intel(0x83, 0x04), ITLB),
            "ILD_STALL.LCP": (intel(0x87, 0x01), LCP),
            "ARITH.DIVIDER_ACTIVE": (intel(0x14, 0x01, cmask=1), DIVIDER),
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
            "tma_branch_mispredicts": 100 * BAD * MISPREDICTS / (MISPREDICTS + CLEARS),
            "tma_machine_clears": 100 * BAD * CLEARS / (MISPREDICTS + CLEARS),
            "tma_memory_bound": 100 * MEMORY,
            "tma_core_bound": 100 * (BACKEND - MEMORY),
            "tma_heavy_operations": 100 * heavy,
            "tma_light_operations": 100 * (RETIRING - heavy),
            "tma_itlb_misses": 100 * ITLB,
            "tma_lcp": 100 * LCP,
            "tma_l1_bound": 100 * L1,
            "tma_l3_bound": 100 * L3,
            "tma_store_bound": 100 * STORES,
            "tma_divider": 100 * DIVIDER,
        },
        # Frontend and backend are over their thresholds of 15 and 20 %, then core bound over 10; fetch
        # latency (10) and memory bound (20) are not.
        drill_level=3,
        drilled=("tma_fetch_latency", "tma_memory_bound", "tma_core_bound", "tma_divider"),
        not_drilled=("tma_branch_mispredicts", "tma_heavy_operations", "tma_itlb_misses", "tma_l1_bound"),
        fewer=fewer,
        **facts,
    )


MACHINE = cascade_lake(qemu=[], counters=8, fewer=3, alone=1, cycles="CPU_CLK_UNHALTED.THREAD")
