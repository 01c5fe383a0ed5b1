# SPDX-License-Identifier: GPL-2.0-or-later
"""Neoverse V1: eight slots, six general counters and the cycle counter; the same PMU name as a server with
ACPI has.

QEMU has no V1 of its own: an N1 says that it is one, and hands its PMU's place to the module.
"""
from machine import Machine, Placed

SLOTS = 8
FRONTEND, BAD, BACKEND, RETIRING = 0.15, 0.10, 0.35, 0.40
# of the slots: stalled in the frontend after a mispredicted branch, which the formula takes for bad
# speculation
FLUSH = 0.01
MISPREDICTS = FLUSH / 4  # a cycle
STALLED = FRONTEND + FLUSH + BACKEND  # of the slots
IPC = 1.5
BRANCHES, BRANCH_MISSES = 0.2, 0.002  # a cycle, retired
LOADS, STORES, INTEGER = 0.30, 0.10, 0.50  # of the speculative operations
OPERATIONS = 1.6  # speculative, a cycle
L1D, L1D_REFILLS = 0.4, 0.02  # a cycle
L1D_WRITTEN, L2D_REFILLS, L2D_WRITTEN, LL_MISSES = 0.008, 0.012, 0.005, 0.004
FIXED, SCALABLE = 1.2, 0.9  # operations a cycle; of vectors of 128 bits, of which SVE has two here

MACHINE = Machine(
    arch="arm64",
    qemu=["--cpu", "neoverse-n1,midr=0x411fd401,pmu=off"],
    cycles="CPU_CYCLES",
    ipc=IPC,
    no_ipc=("level1",),
    pmu={
        "name": "armv8_pmuv3_0",
        "counters": "6",
        "fixed": "11",
        "hw": "0:11,1:8,3:3,5:10",
        "cpus": "0",
        "formats": "event:config:0-15;long:config1:0;rdpmc:config1:1",
        "events": (
            "sw_incr:event=0x0000;l1i_cache_refill:event=0x0001;l1i_tlb_refill:event=0x0002;"
            "l1d_cache_refill:event=0x0003;l1d_cache:event=0x0004;l1d_tlb_refill:event=0x0005;"
            "inst_retired:event=0x0008;br_mis_pred:event=0x0010;cpu_cycles:event=0x0011;"
            "br_pred:event=0x0012;mem_access:event=0x0013;l1i_cache:event=0x0014;l1d_cache_wb:event=0x0015;l2d_cache:event=0x0016;"  # noqa: E501
            "l2d_cache_refill:event=0x0017;l2d_cache_wb:event=0x0018;bus_access:event=0x0019;inst_spec:event=0x001b;"  # noqa: E501
            "bus_cycles:event=0x001d;br_retired:event=0x0021;br_mis_pred_retired:event=0x0022;"
            "stall_frontend:event=0x0023;stall_backend:event=0x0024;l1d_tlb:event=0x0025;"
            "l1i_tlb:event=0x0026;l2d_tlb_refill:event=0x002d;l2d_tlb:event=0x002f;dtlb_walk:event=0x0034;"
            "itlb_walk:event=0x0035;ll_cache_rd:event=0x0036;ll_cache_miss_rd:event=0x0037;"
            "op_retired:event=0x003a;op_spec:event=0x003b;stall:event=0x003c;"
            "stall_slot_backend:event=0x003d;stall_slot_frontend:event=0x003e;stall_slot:event=0x003f;"
            "cnt_cycles:event=0x4004;stall_backend_mem:event=0x4005"
        ),
        "caps": "slots:0x00000008;bus_slots:0x00000000;bus_width:0x00000000",
    },
    rates={
        "CPU_CYCLES": (0x11, 1),
        "INST_RETIRED": (0x08, IPC),
        "STALL_SLOT_FRONTEND": (0x3E, SLOTS * (FRONTEND + FLUSH)),
        "STALL_SLOT_BACKEND": (0x3D, SLOTS * BACKEND),
        "STALL_SLOT": (0x3F, SLOTS * STALLED),
        "OP_SPEC": (0x3B, SLOTS * (1 - STALLED)),
        "OP_RETIRED": (0x3A, SLOTS * RETIRING),
        "BR_MIS_PRED": (0x10, MISPREDICTS),
        "BR_RETIRED": (0x21, BRANCHES),
        "BR_MIS_PRED_RETIRED": (0x22, BRANCH_MISSES),
        "INST_SPEC": (0x1B, OPERATIONS),
        "LD_SPEC": (0x70, OPERATIONS * LOADS),
        "ST_SPEC": (0x71, OPERATIONS * STORES),
        "DP_SPEC": (0x73, OPERATIONS * INTEGER),
        "L1D_CACHE": (0x04, L1D),
        "L1D_CACHE_REFILL": (0x03, L1D_REFILLS),
        "L1D_CACHE_WB": (0x15, L1D_WRITTEN),
        "L2D_CACHE_REFILL": (0x17, L2D_REFILLS),
        "L2D_CACHE_WB": (0x18, L2D_WRITTEN),
        "LL_CACHE_MISS_RD": (0x37, LL_MISSES),
        "FP_SCALE_OPS_SPEC": (0x80C0, SCALABLE),
        "FP_FIXED_OPS_SPEC": (0x80C1, FIXED),
    },
    level1={
        "frontend_bound": 100 * FRONTEND,
        "bad_speculation": 100 * BAD,
        "backend_bound": 100 * BACKEND,
        "retiring": 100 * RETIRING,
    },
    metrics={
        "ipc": IPC,
        "branch_mpki": 1000 * BRANCH_MISSES / IPC,
        "branch_misprediction_ratio": BRANCH_MISSES / BRANCHES,
        "load_percentage": 100 * LOADS,
        "store_percentage": 100 * STORES,
        "integer_dp_percentage": 100 * INTEGER,
        "l1d_cache_miss_ratio": L1D_REFILLS / L1D,
        "l1d_cache_mpki": 1000 * L1D_REFILLS / IPC,
    },
    placed=Placed(
        widths={("any", None): FIXED, ("any", 256): 2 * SCALABLE},
        lines={"L2": L1D_REFILLS + L1D_WRITTEN, "L3": L2D_REFILLS + L2D_WRITTEN, "DRAM": LL_MISSES},
        sources={
            "flops": "FP_SCALE_OPS_SPEC",
            "L2": "L1D_CACHE_WB",
            "L3": "L2D_CACHE_REFILL",
            "DRAM": "LL_CACHE_MISS_RD",
        },
        vectors=None,
    ),
    part=("backend_bound", "ipc l1d_cache_mpki Branch_Effectiveness"),
    part_rows=("backend_bound", "ipc", "l1d_cache_mpki", "branch_mpki", "branch_misprediction_ratio"),
    fewer=3,
    refused=True,
)
