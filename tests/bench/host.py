# SPDX-License-Identifier: GPL-2.0-or-later
"""host.py - what core, caches and memory give right now (bench_memory, memory.c), beside what the simulated
core assumes of them.

A virtual machine shares the last cache and memory, and often the core itself, with neighbours of whom it sees
nothing but that. So a kernel that waits for them judges the model only where they are as the core's
description says, or where the model gets their measured figures.
"""
import json
import os
import pathlib
import subprocess

LINE = 64
TOLERANCE = 1.15  # times what is described, or what the probe before has found
MISSES = 1.5  # times L3's latency: what takes longer has come from memory at times
SYSFS = pathlib.Path("/sys/devices/system/cpu/cpu0/cache")

# What the probe finds: what it is called, and whether less of it is worse than more. All but the first are
# parameters of the core too.
FIGURES = {
    "additions": ("cycles for eight additions", False),
    "l3_kib": ("KiB of L3", True),
    "l3_latency": ("cycles to L3", False),
    "dram_latency": ("cycles to memory", False),
    "dram_line_cycles": ("cycles a line of streams", False),
}


def read_core(path, caches=SYSFS, is_virtual=False):
    """The parameters that topdown takes by default: a core's file, with the sizes of this machine's caches
    and nested page walks."""
    core = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    machine = {"nested_pages": int(is_virtual)}
    for index in sorted(caches.glob("index*")):
        level, kind, size, ways = (
            (index / name).read_text(encoding="utf-8").strip() if (index / name).exists() else ""
            for name in ("level", "type", "size", "ways_of_associativity")
        )
        name = {"Data": "l1d", "Instruction": "l1i"}.get(kind, f"l{level}") if level == "1" else f"l{level}"
        if size.endswith("K") and ways.isdigit() and 0 < int(ways) <= 64 and int(size[:-1]):
            machine |= {f"{name}_kib": int(size[:-1]), f"{name}_ways": int(ways)}
    for row in core["Parameters"]:
        row["Value"] = machine.get(row["Name"], row["Value"])
    return core


def parameters(core):
    values = {row["Name"]: row["Value"] for row in core["Parameters"]}
    return values | {"additions": 8 / min(values["alu_units"], values["width"])}


def write_core(core, figures, path):
    """The core with the given figures in place of its own."""
    rows = [
        row
        | (
            {"Value": max(1, round(figures[row["Name"]])), "Source": "probe"}
            if figures.get(row["Name"])
            else {}
        )
        for row in core["Parameters"]
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        json.dumps({"Header": core["Header"] | {"Core": path.stem}, "Parameters": rows}), encoding="utf-8"
    )


def parse(text):
    """Of each name its sizes (KiB) with cycles; the least of those that were measured twice."""
    found = {}
    for line in text.splitlines():
        name, kib, cycles = line.split()
        sizes = found.setdefault(name, {})
        sizes[int(kib)] = min(float(cycles), sizes.get(int(kib), float("inf")))
    return found


def probe(program, *words):
    """Takes some seconds."""
    return parse(
        subprocess.run(
            [program, *words], check=True, capture_output=True, text=True, env=os.environ | {"LC_ALL": "C"}
        ).stdout
    )


def additions(program):
    """The cycles of eight independent additions: more than described where somebody else has the core's other
    thread, or its time. Takes some 20 ms."""
    return next(iter(probe(program, "core")["additions"].values()))


def size_for_chains(cycles, l2_kib, l3_latency, dram_latency):
    """
    How much of L3 finds its lines again at a chain's pace: where loads in random order have come a quarter of
    the way from L3's latency to memory's.
    Half of them wait for memory there: the prefetcher has brought the line beside for the other half.
    """
    edge = l3_latency + (dram_latency - l3_latency) / 4
    before = (l2_kib, 0)
    for kib in sorted(kib for kib in cycles if kib > l2_kib):
        if cycles[kib] > edge:
            share = (edge - before[1]) / (cycles[kib] - before[1])
            return before[0] + share * (kib - before[0])
        before = (kib, cycles[kib])
    return before[0]


def size_for_stores(cycles, l2_kib, in_l3, in_memory):
    """How much of it keeps what independent stores come to again and again: of a set that does not fit, the
    share that is found there; the mean of such sets. What fits into L3 is found there but for a tenth, as
    page walks take their time too, and what is hardly found is ignored.
    """
    fits, shares = l2_kib, []
    for kib in sorted(kib for kib in cycles if kib > l2_kib):
        share = (in_memory - cycles[kib]) / (in_memory - in_l3)
        if share > 0.9:
            fits = kib
        elif share > 0.1:
            shares.append(share * kib)
    return max(fits, sum(shares) / len(shares) if shares else 0)


def find_figures(found, described):
    """What the probe says of the core's parameters, and more. L3's latency is None where there is too little
    of it to measure."""
    only = {name: next(iter(sizes.values())) for name, sizes in found.items() if len(sizes) == 1}
    near, l2, l3_latency = found["near"], described["l2_kib"], described["l3_latency"]
    dram_latency = near[max(near)]
    in_l3 = [
        cycles for kib, cycles in near.items() if 2 * l2 <= kib < max(near) and cycles < MISSES * l3_latency
    ]
    stored = {kib: cycles for kib, cycles in found["random_stores"].items() if kib <= 2 * described["l3_kib"]}
    return only | {
        "l3_kib": size_for_chains(found["scattered"], l2, l3_latency, dram_latency),
        "stores_l3_kib": size_for_stores(
            stored, l2, l3_latency / described["fill_buffers"], only["distant_stores"]
        ),
        "l3_latency": min(in_l3, default=None),
        "dram_latency": dram_latency,
        "dram_line_cycles": only["sequence"],
    }


def mean(before, after):
    """The mean of two probes; what one of them lacks is the other's."""
    pairs = {name: [value for value in (before[name], after[name]) if value] for name in before}
    return {name: sum(values) / len(values) if values else None for name, values in pairs.items()}


def at_pace(figures, name):
    """With the size of L3 under that name as the size."""
    return figures | {"l3_kib": figures[name]}


def rounded(value):
    return f"{value:.0f}" if value >= 10 or value == round(value) else f"{value:.1f}"


def is_near(additions, described):
    return not additions > TOLERANCE * described["additions"]


def find_load(figures, described):
    """In what the host gives less than is described, in words; nothing when it is idle."""
    load = []
    for name, (title, more_is_better) in FIGURES.items():
        figure = figures.get(name)
        if figure and (described[name] / figure if more_is_better else figure / described[name]) > TOLERANCE:
            load.append(f"{rounded(figure)} {title}, not {rounded(described[name])}")
    return load


def find_changes(before, after):
    """What differed between two probes, in words."""
    return [
        f"{rounded(before[name])}, then {rounded(after[name])} {title}"
        for name, (title, _) in FIGURES.items()
        if before[name]
        and after[name]
        and max(before[name], after[name]) / min(before[name], after[name]) > TOLERANCE
    ]


def table(found, figures, described):
    """Lines of Markdown."""

    def row(title, value, assumed):
        return f"| {title} | {'-' if value is None else format(value, '.1f')} | {assumed} |"

    near, l2 = found["near"], described["l2_kib"]
    l3_mib = f"{described['l3_kib'] / 1024:.1f}"
    at_once = max(described["dram_latency"] / described["fill_buffers"], described["dram_line_cycles"])
    return [
        "| the host now, in cycles of the core | probe | described |",
        "|---|---:|---:|",
        row("eight independent additions", figures["additions"], rounded(described["additions"])),
        row("a load that finds its line in L1", near[min(near)], described["l1d_latency"]),
        row(
            "in L2", near[max(kib for kib in near if kib <= max(l2 // 4, min(near)))], described["l2_latency"]
        ),
        row("in L3", figures["l3_latency"], described["l3_latency"]),
        row("in memory", figures["dram_latency"], described["dram_latency"]),
        row("in memory, with a page walk", figures["distant"], ""),
        row("MiB of L3 that keep what a chain of loads comes back to", figures["l3_kib"] / 1024, l3_mib),
        row(
            "MiB of L3 that keep what independent stores come back to",
            figures["stores_l3_kib"] / 1024,
            l3_mib,
        ),
        row("a line of memory, by streams", figures["dram_line_cycles"], described["dram_line_cycles"]),
        row("by independent loads", figures["near_reads"], f"{at_once:.0f}: latency / fill buffers"),
        row("by independent stores", figures["near_stores"], f"{at_once:.0f}"),
        row("by independent loads, with page walks", figures["distant_reads"], ""),
        row("by independent stores, with page walks", figures["distant_stores"], ""),
        "",
        "A load of a chain through so many KiB: "
        + ", ".join(f"{kib} {cycles:.0f}" for kib, cycles in sorted(found["scattered"].items()))
        + ".",
    ]
