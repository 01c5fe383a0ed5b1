# SPDX-License-Identifier: GPL-2.0-or-later
"""Zen 4: six slots, six general counters, none fixed. Level 1 needs all six at once. The guest has two
cores."""
from machine import Machine, Placed, amd

SLOTS = 6
FRONTEND, BAD, BACKEND, SMT, RETIRING = 0.20, 0.10, 0.30, 0.05, 0.35
LATENCY = 0.10
MISPREDICTS, RESYNCS = 0.003, 0.001  # a cycle
NOT_COMPLETE, LOADS_NOT_COMPLETE = 0.50, 0.30  # of the cycles
MICROCODE = 0.02
IPC, FILLS, FROM_MEMORY = 1.5, 0.03, 0.006  # a cycle
ADDITIONS, PRODUCTS, QUOTIENTS, FUSED = 1.5, 2.5, 0.25, 8  # operations a cycle
PREFETCHES_HIT, PREFETCHES_MISSED, L2_MISSES = 0.005, 0.002, 0.01  # lines a cycle

MACHINE = Machine(
    arch="x86",
    second=Machine(
        arch="x86",
        qemu=[],
        cycles="",
        ipc=0,
        pmu={"name": "ibs_op", "counters": "1", "exact": "1", "formats": "cnt_ctl:config:19"},
        rates={"cycles": (0, 1)},
        level1={},
    ),
    qemu=["--cpu", "max,vendor=AuthenticAMD,family=25,model=17,stepping=1"],
    cycles="ls_not_halted_cyc",
    ipc=IPC,
    no_ipc=("level1", "level3"),
    pmu={
        "name": "cpu",
        "counters": "6",
        "paired": "3",
        "elsewhere": "1",
        "hw": "0:76,1:c0,2:ff60,3:964,4:c2,5:c3",
        "formats": "event:config:0-7,32-35;umask:config:8-15;edge:config:18;inv:config:23;cmask:config:24-31",
        "events": (
            "branch-instructions:event=0xc2;branch-misses:event=0xc3;cache-misses:event=0x64,umask=0x09;"
            "cache-references:event=0x60,umask=0xff;cpu-cycles:event=0x76;instructions:event=0xc0"
        ),
        "caps": "branches:16;max_precise:0",
    },
    rates={
        "ls_not_halted_cyc": (amd(0x76), 1),
        "ex_ret_instr": (amd(0xC0), IPC),
        "ls_any_fills_from_sys.all": (amd(0x44, 0xFF), FILLS),
        "ls_any_fills_from_sys.dram_io_all": (amd(0x44, 0x48), FROM_MEMORY),
        "ex_ret_ops": (amd(0xC1), SLOTS * RETIRING),
        "de_src_op_disp.all": (amd(0xAA, 0x07), SLOTS * (RETIRING + BAD)),
        "de_no_dispatch_per_slot.no_ops_from_frontend": (amd(0x1A0, 0x01), SLOTS * FRONTEND),
        "the same, cycles without any": (amd(0x1A0, 0x01, cmask=6), LATENCY),
        "de_no_dispatch_per_slot.backend_stalls": (amd(0x1A0, 0x1E), SLOTS * BACKEND),
        "de_no_dispatch_per_slot.smt_contention": (amd(0x1A0, 0x60), SLOTS * SMT),
        "ex_ret_brn_misp": (amd(0xC3), MISPREDICTS),
        "resyncs_or_nc_redirects": (amd(0x96), RESYNCS),
        "ex_no_retire.not_complete": (amd(0xD6, 0x02), NOT_COMPLETE),
        "ex_no_retire.load_not_complete": (amd(0xD6, 0xA2), LOADS_NOT_COMPLETE),
        "ex_ret_ucode_ops": (amd(0x1C2), SLOTS * MICROCODE),
        # 16 FLOPs a cycle need more than one counter's bits: each of these takes two counters.
        "fp_ret_sse_avx_ops.add_sub_flops": (amd(0x03, 0x01), ADDITIONS),
        "fp_ret_sse_avx_ops.mult_flops": (amd(0x03, 0x02), PRODUCTS),
        "fp_ret_sse_avx_ops.div_flops": (amd(0x03, 0x04), QUOTIENTS),
        "fp_ret_sse_avx_ops.mac_flops": (amd(0x03, 0x08), FUSED),
        "l2_cache_req_stat.ls_rd_blk_c": (amd(0x64, 0x08), L2_MISSES),
        "l2_pf_miss_l2_hit_l3.all": (amd(0x71, 0xFF), PREFETCHES_HIT),
        "l2_pf_miss_l2_l3.all": (amd(0x72, 0xFF), PREFETCHES_MISSED),
    },
    level1={
        "frontend_bound": 100 * FRONTEND,
        "bad_speculation": 100 * BAD,
        "backend_bound": 100 * BACKEND,
        "smt_contention": 100 * SMT,
        "retiring": 100 * RETIRING,
    },
    deeper={
        "frontend_bound_latency": 100 * LATENCY,
        "frontend_bound_bandwidth": 100 * (FRONTEND - LATENCY),
        "bad_speculation_mispredicts": 100 * BAD * MISPREDICTS / (MISPREDICTS + RESYNCS),
        "bad_speculation_pipeline_restarts": 100 * BAD * RESYNCS / (MISPREDICTS + RESYNCS),
        "backend_bound_memory": 100 * BACKEND * LOADS_NOT_COMPLETE / NOT_COMPLETE,
        "backend_bound_cpu": 100 * BACKEND * (1 - LOADS_NOT_COMPLETE / NOT_COMPLETE),
        "retiring_fastpath": 100 * (RETIRING - MICROCODE),
        "retiring_microcode": 100 * MICROCODE,
    },
    placed=Placed(
        widths={("any", None): ADDITIONS + PRODUCTS + QUOTIENTS + FUSED},
        lines={
            "L2": FILLS,
            "L3": L2_MISSES + PREFETCHES_HIT + PREFETCHES_MISSED,
            "DRAM": FROM_MEMORY + PREFETCHES_MISSED,
        },
        sources={
            "flops": "fp_ret_sse_avx_ops.mult_flops",
            "L2": "ls_any_fills_from_sys.all",
            "L3": "l2_pf_miss_l2_hit_l3.all",
            "DRAM": "ls_any_fills_from_sys.dram_io_all",
        },
        vectors=None,
    ),
    # AMD publishes none of these: they are topdown's, under the names that every CPU has.
    part=("backend_bound", "IPC CPI Branch_MPKI L1D_MPKI LLC_MPKI"),
    part_rows=("backend_bound", "ipc", "cpi", "branch_mpki", "l1d_mpki", "llc_mpki"),
    part_metrics={
        "ipc": IPC,
        "cpi": 1 / IPC,
        "branch_mpki": 1000 * MISPREDICTS / IPC,
        "l1d_mpki": 1000 * FILLS / IPC,
        "llc_mpki": 1000 * FROM_MEMORY / IPC,
    },
    asked=(
        "fp_ret_sse_avx_ops.add_sub_flops",
        "fp_ret_sse_avx_ops.mult_flops",
        "fp_ret_sse_avx_ops.div_flops",
        "fp_ret_sse_avx_ops.mac_flops",
    ),
    fewer=4,
    refused=True,
)
