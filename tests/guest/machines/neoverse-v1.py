"""Neoverse V1: eight slots, six general counters and the cycle counter; the same PMU name as a server with ACPI has.

QEMU has no V1 of its own: an N1 says that it is one, and hands its PMU's place to the module.
"""
from machine import Machine

SLOTS = 8
FRONTEND, BAD, BACKEND, RETIRING = 0.15, 0.10, 0.35, 0.40
FLUSH = 0.01  # of the slots: stalled in the frontend after a mispredicted branch, which the formula takes for bad speculation
MISPREDICTS = FLUSH / 4  # a cycle
STALLED = FRONTEND + FLUSH + BACKEND  # of the slots

MACHINE = Machine(
    arch="arm64",
    qemu=["--cpu", "neoverse-n1,midr=0x411fd401,pmu=off"],
    cycles="CPU_CYCLES",
    ipc=1.5,
    pmu={
        "name": "armv8_pmuv3_0",
        "counters": "6",
        "fixed": "11",
        "hw": "0:11,1:8,3:3,5:10",
        "cpus": "0",
        "formats": "event:config:0-15;long:config1:0;rdpmc:config1:1",
        "events": "cpu_cycles:event=0x0011;inst_retired:event=0x0008;op_retired:event=0x003a;op_spec:event=0x003b;"
                  "stall_slot:event=0x003f;stall_slot_frontend:event=0x003e;stall_slot_backend:event=0x003d;"
                  "stall_frontend:event=0x0023;stall_backend:event=0x0024;br_mis_pred:event=0x0010;br_retired:event=0x0021;"
                  "br_mis_pred_retired:event=0x0022;l1d_cache:event=0x0004;l1d_cache_refill:event=0x0003",
        "caps": "slots:0x00000008;bus_slots:0x00000000;bus_width:0x00000000",
    },
    rates={
        "CPU_CYCLES": (0x11, 1),
        "INST_RETIRED": (0x08, 1.5),
        "STALL_SLOT_FRONTEND": (0x3e, SLOTS * (FRONTEND + FLUSH)),
        "STALL_SLOT_BACKEND": (0x3d, SLOTS * BACKEND),
        "STALL_SLOT": (0x3f, SLOTS * STALLED),
        "OP_SPEC": (0x3b, SLOTS * (1 - STALLED)),
        "OP_RETIRED": (0x3a, SLOTS * RETIRING),
        "BR_MIS_PRED": (0x10, MISPREDICTS),
    },
    level1={
        "frontend_bound": 100 * FRONTEND,
        "bad_speculation": 100 * BAD,
        "backend_bound": 100 * BACKEND,
        "retiring": 100 * RETIRING,
    },
    fewer=3,
)
