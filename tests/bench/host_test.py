#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""host_test.py - whether a host is reported as busy (host.py): probes of machines whose caches are made up
here, and this machine's own."""
import json
import math
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "cli"), str(Path(__file__).resolve().parent)]
sys.path.append(f"{sys.path[0]}/..")
from lib import BUILD, SOURCE, check, finish, temporary
import host  # noqa: E402  pylint: disable=wrong-import-position

L1, L2, L3, MEMORY, LINE = 4, 14, 60, 440, 9
KIB = 1024


def core(**changes):
    values = {
        "l1d_kib": 32,
        "l1d_latency": L1,
        "l2_kib": KIB,
        "l2_latency": L2,
        "l3_kib": 32 * KIB,
        "l3_latency": L3,
        "dram_latency": MEMORY,
        "dram_line_cycles": LINE,
        "fill_buffers": 20,
        "alu_units": 4,
        "width": 6,
    }
    return {
        "Header": {"Core": "mine"},
        "Parameters": [
            {"Name": name, "Value": value, "Source": "sog"} for name, value in (values | changes).items()
        ],
    }


def probe_text(kept_kib, memory=MEMORY, line=LINE, l3=L3, additions=2.04):
    """What the probe prints where L3 keeps so much: a set in random order is found whole or not at all, one
    of random accesses as far as it fits."""

    def chain(kib):
        return L1 if kib <= 32 else L2 if kib <= KIB else l3 if kib <= kept_kib else memory

    lines = [f"additions 0 {additions}"] + [
        f"scattered {kib} {chain(kib)}" for power in range(4, 19) for kib in (1 << power, 3 << power - 1)
    ]
    lines += [
        f"near {kib} {chain(2 * kib if kib >= KIB else kib)}"
        for kib in (16, 64, 256, KIB, 2 * KIB, 4 * KIB, 128 * KIB)
    ]
    for power in range(10, 17):
        found = min(1, kept_kib / (1 << power))
        lines.append(f"random_stores {1 << power} {found * l3 / 20 + (1 - found) * memory / 20}")
    lines += [
        f"{name} {128 * KIB} {memory / 20}"
        for name in ("near_reads", "near_stores", "distant_reads", "distant_stores")
    ]
    return "\n".join(lines + [f"distant {128 * KIB} {memory + 100}", f"sequence {256 * KIB} {line}"])


def figures_of(*words, **changes):
    return host.find_figures(host.parse(probe_text(*words, **changes)), host.parameters(core()))


def check_figures():
    for kept_mib in (2, 4, 8, 16, 32):
        figures = figures_of(kept_mib * KIB)
        for name in ("l3_kib", "stores_l3_kib"):
            check(
                0.99 < figures[name] / KIB / kept_mib < 1.5,
                f"{name} where {kept_mib} MiB of L3 are kept",
                figures[name] / KIB,
            )
    figures = figures_of(32 * KIB)
    check(
        (figures["l3_latency"], figures["dram_latency"], figures["dram_line_cycles"]) == (L3, MEMORY, LINE),
        "latencies",
        figures,
    )
    check(figures_of(KIB)["l3_latency"] is None, "an L3 of which nothing is left has no latency")
    check(KIB <= figures_of(KIB)["l3_kib"] < 1.5 * KIB, "nothing of L3 is left", figures_of(KIB)["l3_kib"])
    twice = host.parse("near 16 5\nnear 16 4\nnear 32 4\nnear 32 5")
    check(twice == {"near": {16: 4, 32: 4}}, "the least of what was measured twice", twice)


# What the probe finds, and what of it is reported: a host is idle within 15 %, and faster memory is no load.
LOADS = [
    ((32 * KIB, {}), []),
    ((32 * KIB, {"memory": 500}), []),
    ((32 * KIB, {"memory": 300, "line": 5}), []),
    ((32 * KIB, {"memory": 520}), ["520 cycles to memory, not 440"]),
    ((32 * KIB, {"line": 12}), ["12 cycles a line of streams, not 9"]),
    ((32 * KIB, {"l3": 75}), ["75 cycles to L3, not 60"]),
    ((32 * KIB, {"additions": 2.45}), ["2.5 cycles for eight additions, not 2"]),
    ((4 * KIB, {"memory": 600}), ["KiB of L3, not 32768", "600 cycles to memory, not 440"]),
]


def check_loads():
    for (kept, changes), wanted in LOADS:
        load = host.find_load(figures_of(kept, **changes), host.parameters(core()))
        check(
            len(load) == len(wanted) and all(found.endswith(words) for found, words in zip(load, wanted)),
            f"{kept} KiB, {changes}",
            load,
        )
    for (before, after), wanted in (
        ((500, 570), []),
        ((500, 600), ["500, then 600 cycles to memory"]),
        ((600, 500), ["600, then 500 cycles to memory"]),
    ):
        changes = host.find_changes(figures_of(32 * KIB, memory=before), figures_of(32 * KIB, memory=after))
        check(changes == wanted, f"{before} cycles, then {after}", changes)
    one, other = figures_of(KIB), figures_of(32 * KIB, memory=640)
    check(host.mean(one, other)["dram_latency"] == 540, "the mean of two probes")
    check(host.mean(one, other)["l3_latency"] == L3, "what one lacks is the other's")


def check_core():
    """The core that topdown takes by default, and the one that is made of a probe."""
    with temporary() as folder:
        for index, (level, kind, size, ways) in enumerate(
            (
                (1, "Data", "48K", "12"),
                (1, "Instruction", "64K", "8"),
                (2, "Unified", "512K", ""),
                (3, "Unified", "2048K", "16"),
            )
        ):
            (folder / f"cache/index{index}").mkdir(parents=True)
            for name, value in (
                ("level", level),
                ("type", kind),
                ("size", size),
                ("ways_of_associativity", ways),
            ):
                (folder / f"cache/index{index}" / name).write_text(f"{value}\n", encoding="utf-8")
        read = host.parameters(
            host.read_core(SOURCE / "events/sim/zen4.json", folder / "cache", is_virtual=True)
        )
        wanted = {
            "l1d_kib": 48,
            "l1d_ways": 12,
            "l1i_kib": 64,
            "l2_kib": 1024,
            "l3_kib": 2048,
            "l3_ways": 16,
            "nested_pages": 1,
        }
        check(
            {name: read[name] for name in wanted} == wanted,
            "the machine's caches, where sizes and ways are known",
            read,
        )
        path = folder / "events/sim/probed.json"
        host.write_core(core(), figures_of(KIB, memory=511.6), path)
        written = json.loads(path.read_text(encoding="utf-8"))
        values = {row["Name"]: (row["Value"], row["Source"]) for row in written["Parameters"]}
        check(
            values["dram_latency"] == (512, "probe")
            and values["l3_latency"] == (L3, "sog")
            and written["Header"]["Core"] == "probed",
            "the core of a probe",
            values,
        )


def check_probe():
    """What this machine's probe prints can be read; how long its loads take is nobody's promise."""
    found = host.probe(BUILD / "tests/bench/bench_memory", "16")
    names = {
        "additions",
        "scattered",
        "random_stores",
        "near",
        "near_reads",
        "near_stores",
        "distant",
        "distant_reads",
        "distant_stores",
        "sequence",
    }
    check(set(found) == names, "names", set(found))
    check(
        all(math.isnan(cycles) or cycles > 0 for sizes in found.values() for cycles in sizes.values()),
        "cycles",
        found,
    )
    described = host.parameters(core(l2_kib=256))
    lines = host.table(found, host.find_figures(found, described), described)
    check(sum(line.startswith("|") for line in lines) == 15, "the table", lines)
    additions = host.additions(BUILD / "tests/bench/bench_memory")
    check(math.isnan(additions) or additions > 0, "the core alone", additions)
    check(host.is_near(2.2, described) and not host.is_near(2.4, described), "whose core it is")


check_figures()
check_loads()
check_core()
check_probe()
finish()
