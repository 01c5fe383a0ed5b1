# SPDX-License-Identifier: GPL-2.0-or-later
"""ceilings_made.py - ceilings that a test makes up, and a machine that has kept them."""
import json

NAME = "made-up"
CPUINFO = """processor\t: 0
vendor_id\t: GenuineIntel
cpu family\t: 6
model\t\t: 143
model name\t: Intel(R) Xeon(R) made up
stepping\t: 8
microcode\t: 0x2b000603
"""
CONDITIONS = {
    "cpu": "GenuineIntel-6-8F-8, Intel(R) Xeon(R) made up",
    "microcode": "0x2b000603",
    "kernel": "6.1.0",
    "governor": None,
    "cpus": "0-3",
    "measured": "2026-11-23T08:41:07Z",
    "version": "0.2.0",
    "took_s": 4.25,
    "nominal_hz": 2e9,
    "nominal_of": "cpufreq",
    "quota_cpus": 3.5,
    "load": 0.25,
    "steal": 0.01,
    "waited": 0,
    "smt_on": True,
    "l1_bytes": 49152,
    "l2_bytes": 2097152,
    "l3_bytes": 31457280,
    "l3_cpus": 4,
    "sizes": "sysfs",
}


def compute(kind, operation, bits, value, **more):
    return {
        "kind": "compute",
        "type": kind,
        "operation": operation,
        "level": "",
        "pattern": "",
        "scope": "thread",
        "place": 0,
        "threads": 1,
        "bits": bits,
        "value": value,
        "spread": 0.005,
        "attempts": 12,
        "bytes": 0,
        "clock_hz": 2e9,
        "limits": [],
        **more,
    }


def bandwidth(level, pattern, size, value, **more):
    return {
        **compute("f64", "", 512, value),
        "kind": "bandwidth",
        "level": level,
        "pattern": pattern,
        "bytes": size,
        **more,
    }


def rows():
    """Of one thread: 32 operations a cycle at 2 GHz are 64 GFLOP/s, 4 of scalar FMA 8; the caches and memory
    in powers of two."""
    one = [
        compute("f64", "mul+add", 64, 4e9),
        compute("f64", "fma", 64, 8e9),
        compute("f64", "mul+add", 512, 32e9),
        compute("f64", "fma", 512, 64e9),
        compute("f32", "fma", 512, 128e9, scalable=True),
        compute("int", "add", 32, None, spread=None, clock_hz=None, attempts=0),
        bandwidth("L1", "read", 24576, 256e9),
        bandwidth("L2", "read", 1 << 20, 128e9),
        bandwidth("L3", "read", 15 << 20, 32e9),
        bandwidth("DRAM", "read", 120 << 20, 16e9),
        bandwidth("DRAM", "write-nt", 120 << 20, 12e9, limits=["memory", "load"]),
    ]
    every = [
        {**row, "scope": "all", "threads": 4, "value": row["value"] and 4 * row["value"]} for row in one[:10]
    ]
    every[-1].update(value=40e9, limits=["quota"])
    return [
        *one,
        *every,
        {**bandwidth("DRAM", "read", 60 << 20, 20e9), "scope": "node", "place": 1, "threads": 2},
    ]


def made_up(**conditions):
    return {
        "format": "topdown-ceilings",
        "version": 1,
        "conditions": {**CONDITIONS, **conditions},
        "ceilings": rows(),
    }


def write_kept(folder, ceilings):
    """The file that keeps them, the machine's files, and the environment in which topdown finds both."""
    machine, state = folder / "machine", folder / "state"
    for name, text in (
        ("proc/cpuinfo", CPUINFO),
        ("proc/sys/kernel/osrelease", "6.1.0\n"),
        ("sys/devices/system/cpu/online", "0-3\n"),
    ):
        (machine / name).parent.mkdir(parents=True, exist_ok=True)
        (machine / name).write_text(text, encoding="utf-8")
    file = state / f"topdown/ceilings-{NAME}.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(ceilings), encoding="utf-8")
    return file, machine, {"XDG_STATE_HOME": str(state), "TOPDOWN_MACHINE": NAME}
