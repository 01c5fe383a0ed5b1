# SPDX-License-Identifier: GPL-2.0-or-later
"""Haswell with two threads on its core: load events are exclusive, so that their group gets two of the four
counters.

Such a group opens with four, and is then never counted. The counter masks and the rule are those of the
kernel's table for this CPU.
"""
from machine import Machine, intel

FRONTEND, BAD, BACKEND, RETIRING = 0.18, 0.12, 0.30, 0.40
RECOVERY = 0.02  # of the core's cycles
LATENCY = 0.08
INSTRUCTIONS = 1.5  # a cycle of the core
MISPREDICTS, CLEARS = 0.003, 0.001  # a cycle
L1, L2, L3, DRAM, STORES = (
    0.07,
    0.05,
    0.06,
    0.07,
    0.05,
)  # of the cycles; loads that hit L3 and that miss it distinguish L3 and DRAM
STALLS, ANY_UOPS, TWO_UOPS = 0.40, 0.60, 0.30
HITS = 0.012  # a cycle
DRAM_COST = 7  # of a miss, in hits: the formulas' own
WALKS, STLB_HITS, STLB_COST = 0.02, 0.001, 14
LCP = 0.01
DIVIDER = 0.08  # of the core's cycles, 10 for a division
MICROCODE = 0.03

ALONE = 0.5  # of the cycles of this thread those while the other is idle
CORE = (1 + ALONE) / 2  # cycles of the core a cycle of this thread
SLOTS = 4 * CORE
LOADS = L1 + L2 + L3 + DRAM
MEMORY = BACKEND * (LOADS + STORES) / (STALLS + (ANY_UOPS - TWO_UOPS) / 2 + STORES)
ISSUED = RETIRING + BAD - RECOVERY

MACHINE = Machine(
    arch="x86",
    qemu=["--cpu", "max,vendor=GenuineIntel,family=6,model=63,stepping=2", "--smp", "2,cores=1,threads=2"],
    ipc=INSTRUCTIONS * CORE,
    cycles="CPU_CLK_UNHALTED.THREAD",
    level1_runs=2,
    note="other thread was busy for 50 % of the time",
    not_for_users=("tma_bad_speculation", "tma_backend_bound"),
    pmu={
        "name": "cpu",
        "counters": "4",
        "fixed": "c0+2000c0,3c+20003c,300",  # with the any bit too
        "masks": "148:4,1c0:2,cd-cd:8,8a3:4,ca3:4",
        "exclusive": "d0,d1,d2,d3",
        "shared": "1b7+1bb:2,1cd:1",
        "privileged": "0x200000",  # any: both threads of the core
        "hw": "0:3c,1:c0,2:4f2e,3:412e,4:c4,5:c5,9:300",
        "formats": (
            "event:config:0-7;umask:config:8-15;edge:config:18;pc:config:19;any:config:21;inv:config:23;"
            "cmask:config:24-31;in_tx:config:32;in_tx_cp:config:33;offcore_rsp:config1:0-63;ldlat:config1:0-15"  # noqa: E501
        ),
        "events": (
            "branch-instructions:event=0xc4;branch-misses:event=0xc5;bus-cycles:event=0x3c,umask=0x01;"
            "cache-misses:event=0x2e,umask=0x41;cache-references:event=0x2e,umask=0x4f;cpu-cycles:event=0x3c;"
            "instructions:event=0xc0;ref-cycles:event=0x00,umask=0x03"
        ),
        "caps": "pmu_name:haswell;branches:16;max_precise:3",
    },
    rates={
        "CPU_CLK_UNHALTED.THREAD": (intel(0x3C), 1),
        "CPU_CLK_UNHALTED.THREAD_ANY": (intel(0x3C, any_thread=1), 1),
        "CPU_CLK_UNHALTED.REF_TSC": (intel(0x00, 0x03), 1),
        "CPU_CLK_UNHALTED.REF_XCLK": (intel(0x3C, 0x01), 0.01),
        "CPU_CLK_UNHALTED.ONE_THREAD_ACTIVE": (intel(0x3C, 0x02), 0.01 * ALONE),
        "INST_RETIRED.ANY": (intel(0xC0), INSTRUCTIONS * CORE),
        "IDQ_UOPS_NOT_DELIVERED.CORE": (intel(0x9C, 0x01), SLOTS * FRONTEND),
        "IDQ_UOPS_NOT_DELIVERED.CYCLES_0_UOPS_DELIV.CORE": (intel(0x9C, 0x01, cmask=4), CORE * LATENCY),
        "UOPS_ISSUED.ANY": (intel(0x0E, 0x01), SLOTS * ISSUED),
        "UOPS_RETIRED.RETIRE_SLOTS": (intel(0xC2, 0x02), SLOTS * RETIRING),
        "INT_MISC.RECOVERY_CYCLES_ANY": (intel(0x0D, 0x03, cmask=1, any_thread=1), 2 * CORE * RECOVERY),
        "BR_MISP_RETIRED.ALL_BRANCHES": (intel(0xC5), MISPREDICTS),
        "MACHINE_CLEARS.COUNT": (intel(0xC3, 0x01, cmask=1, edge=1), CLEARS),
        "CYCLE_ACTIVITY.CYCLES_NO_EXECUTE": (intel(0xA3, 0x04, cmask=4), STALLS),
        "CYCLE_ACTIVITY.STALLS_LDM_PENDING": (intel(0xA3, 0x06, cmask=6), LOADS),
        "CYCLE_ACTIVITY.STALLS_L1D_PENDING": (intel(0xA3, 0x0C, cmask=12), LOADS - L1),
        "CYCLE_ACTIVITY.STALLS_L2_PENDING": (intel(0xA3, 0x05, cmask=5), L3 + DRAM),
        "RESOURCE_STALLS.SB": (intel(0xA2, 0x08), STORES),
        "UOPS_EXECUTED.CORE, at least one": (intel(0xB1, 0x02, cmask=1), ANY_UOPS),
        "UOPS_EXECUTED.CORE, at least two": (intel(0xB1, 0x02, cmask=2), TWO_UOPS),
        "MEM_LOAD_UOPS_RETIRED.L1_HIT": (intel(0xD1, 0x01), 0.3),
        "MEM_LOAD_UOPS_RETIRED.L3_HIT": (intel(0xD1, 0x04), HITS),
        "MEM_LOAD_UOPS_RETIRED.L3_MISS": (intel(0xD1, 0x20), HITS * DRAM / L3 / DRAM_COST),
        "IDQ.MS_UOPS": (intel(0x79, 0x30), SLOTS * MICROCODE * ISSUED / RETIRING),
        "ITLB_MISSES.STLB_HIT": (intel(0x85, 0x60), STLB_HITS),
        "ITLB_MISSES.WALK_DURATION": (intel(0x85, 0x10), WALKS),
        "ILD_STALL.LCP": (intel(0x87, 0x01), LCP),
        "ARITH.DIVIDER_UOPS": (intel(0x14, 0x02), CORE * DIVIDER / 10),
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
        "tma_heavy_operations": 100 * MICROCODE,
        "tma_light_operations": 100 * (RETIRING - MICROCODE),
        "tma_itlb_misses": 100 * (STLB_COST * STLB_HITS + WALKS),
        "tma_lcp": 100 * LCP,
        "tma_l1_bound": 100 * L1,
        "tma_l2_bound": 100 * L2,
        "tma_l3_bound": 100 * L3,
        "tma_dram_bound": 100 * DRAM,
        "tma_store_bound": 100 * STORES,
        "tma_divider": 100 * DIVIDER,
    },
    asked=("MEM_LOAD_UOPS_RETIRED.L1_HIT", "MEM_LOAD_UOPS_RETIRED.L3_HIT", "MEM_LOAD_UOPS_RETIRED.L3_MISS"),
    fewer=3,
)
