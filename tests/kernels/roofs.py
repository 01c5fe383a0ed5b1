#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""roofs.py - topdown roofline on roofs.c, simulated: operations, bytes and verdicts that follow from the
kernels and from chosen ceilings.

TOPDOWN and TOPDOWN_BUILD name the program and its build directory. Exit status 77 where the simulator is not
there.

The core is skylake with 4 KiB of L1, 64 KiB of L2 and 1 MiB of L3, so that small arrays go through all
levels.
"""
import csv
import io
import json
import pathlib
import platform
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import (
    BUILD,
    SOURCE,
    check,
    check_success,
    environment,
    finish,
    need_simulator,
    read_json,
    temporary,
    topdown,
)

SIZES = {"l1d_kib": 4, "l1d_ways": 4, "l2_kib": 64, "l2_ways": 16, "l3_kib": 1024, "l3_ways": 16}
LARGE = 1 << 18  # elements of an array of 2 MiB: twice L3
ROUNDS = 8  # what is in the caches at first and at last is little of them all
IS_X86 = platform.machine() == "x86_64"

# kernel: elements, rounds, operations of all rounds, bytes of L1, and of the other levels, or of some of them
# (None: not known exactly)
LINES = LARGE * 8 * ROUNDS  # bytes of one array in all rounds
SIDE, TILE = 96, 16  # of matrices, and of roofs.c's blocks
CELLS = SIDE**2
KERNELS = {
    # Two arrays are read and one is written, whose lines come in and go out.
    "triad": (LARGE, ROUNDS, 2 * LARGE * ROUNDS, 3 * LINES, 4 * LINES),
    # What fills the arrays has left L3 full of written lines, which go out meanwhile: of fewer bytes they are
    # more.
    "dot": (LARGE, 2 * ROUNDS, 4 * LARGE * ROUNDS, 4 * LINES, 4 * LINES),
    "stencil": (LARGE, ROUNDS, 3 * (LARGE - 2) * ROUNDS, None, 3 * LINES),
    "compare": (LARGE, 1, 0, None, None),
    # 2 n^3; the sum is added to each element of the result. A matrix of 72 KiB does not fit into L2, and all
    # three into L3: of c all lines come once for each row of the result, or for each row of blocks. The
    # others come once, and the result goes out.
    "naive": (SIDE, 1, 2 * SIDE**3 + CELLS, 16 * (SIDE**3 + CELLS), {"L3": 8 * CELLS * (SIDE + 3)}),
    "blocked": (
        SIDE,
        4,
        4 * 2 * SIDE**3,
        4 * 8 * SIDE**3 * (3 + 1 / TILE),
        {"L3": 4 * 8 * CELLS * (SIDE / TILE + 3)},
    ),
    "floats": (10000, 1, 20000, 80000, None),
}
if IS_X86:
    KERNELS.update(
        {
            "fused": (LARGE, ROUNDS, 2 * LARGE * ROUNDS, 3 * LINES, 4 * LINES),
            "alternating": (10000, 1, 20000, 240000, None),
            "extended": (10000, 1, 10000, None, None),
            "streams": (LARGE, 2 * ROUNDS, 4 * LARGE * ROUNDS, 6 * LINES, None),
        }
    )
# kernel: the type, and the bits of its vectors
WIDTHS = {
    "triad": ("f64", 64),
    "dot": ("f64", 64),
    "stencil": ("f64", 64),
    "floats": ("f32", 32),
    "fused": ("f64", 256),
    "alternating": ("f32", 128),
    "extended": ("f64", 64),
    "streams": ("f64", 128),
}


def make_core(folder):
    core = read_json(SOURCE / "events/sim/skylake.json")
    for row in core["Parameters"]:
        row["Value"] = SIZES.get(row["Name"], row["Value"])
    path = folder / "small.json"
    path.write_text(json.dumps(core), encoding="utf-8")
    return path


def place(core, kernel, n, rounds, *options):
    # A program that is modelled in windows has its whole operations and lines all the same, but not by
    # function.
    done = topdown("report", "--roofline", "--per-function", *options, simulate(core, kernel, n, rounds))
    check_success(done, kernel)
    return json.loads(done.stdout)


def simulate(core, kernel, n, rounds):
    session = core.parent / f"{kernel}.json"
    done = topdown(
        "--pmu",
        "sim",
        "--sim-core",
        core,
        "--sim-sample",
        "1",
        "--anchor",
        "never",
        "-e",
        "lines.l3_in",
        "-l1",
        "--functions",
        "--save",
        session,
        BUILD / "kernels/roofs",
        kernel,
        str(n),
        str(rounds),
    )
    check(session.exists(), f"{kernel}: simulated", done.stderr)
    return session


def near(found, expected, what, within=0.02):
    check(found is not None and abs(found - expected) <= within * expected, what, (found, expected))


def check_kernel(core, kernel):
    n, rounds, flops, loaded, lines = KERNELS[kernel]
    points = {
        point["name"]: point
        for point in place(core, kernel, n, rounds, "--format", "json")["roofline"]["points"]
    }
    point = points.get(kernel)
    check(point is not None, f"{kernel}: its function is placed", list(points))
    if point is None:
        return
    check(point["flops"] == flops, f"{kernel}: operations", (point["flops"], flops))
    levels = {level["level"]: level for level in point["levels"]}
    expected = lines if isinstance(lines, dict) else {level: lines for level in ("L2", "L3", "DRAM") if lines}
    for level, number in (({"L1": loaded} if loaded else {}) | expected).items():
        near(levels[level]["bytes"], number, f"{kernel}: bytes of {level}")
        if flops:
            near(levels[level]["intensity"], flops / number, f"{kernel}: intensity of {level}")
    if kernel in WIDTHS:
        widths = [(width["type"], width["bits"]) for width in point["widths"] if width["flops"]]
        check(widths == [WIDTHS[kernel]], f"{kernel}: type and width", widths)
        share = 100 if WIDTHS[kernel][1] >= 128 else 0
        check(point["vector_percent"] == share, f"{kernel}: share of vectors", point["vector_percent"])
    if kernel == "streams":
        # What is stored past the caches is written once, and never comes in.
        near(levels["DRAM"]["bytes"], 6 * LINES, "streams: bytes of memory")
        near(levels["L2"]["bytes"], 4 * LINES, "streams: bytes of L2")


def check_strings(core):
    """An instruction that repeats itself moves as many bytes as its count says."""
    few, many = (
        {
            point["name"]: point
            for point in place(core, "string", n, 1, "--format", "json")["roofline"]["points"]
        }["all"]
        for n in (1000, 21000)
    )
    more = [many["levels"][0]["bytes"] - few["levels"][0]["bytes"]]
    near(
        more[0],
        20000 * (16 + 3 * 8),
        "string: bytes that 20000 elements more take, with those that fill the arrays",
        0.03,
    )


CLOCK = 3e9
CEILINGS = [
    {"type": "f64", "operation": "fma", "bits": 256, "threads": 1, "value": 48e9, "clock_hz": CLOCK},
    {"type": "f64", "operation": "mul+add", "bits": 64, "threads": 1, "value": 6e9, "clock_hz": CLOCK},
    {"level": "L1", "pattern": "read", "bits": 256, "threads": 1, "value": 190e9, "clock_hz": CLOCK},
    {"level": "L2", "pattern": "read", "bits": 256, "threads": 1, "value": 90e9, "clock_hz": CLOCK},
    {"level": "L3", "pattern": "read", "bits": 256, "threads": 1, "value": 60e9, "clock_hz": CLOCK},
    {"level": "DRAM", "pattern": "copy", "bits": 256, "threads": 1, "value": 15e9, "clock_hz": CLOCK},
    {"level": "DRAM", "pattern": "read", "bits": 256, "threads": 1, "value": 20e9, "clock_hz": CLOCK},
    {"level": "DRAM", "pattern": "read", "bits": 256, "threads": 8, "value": 200e9, "clock_hz": CLOCK},
]


def with_ceilings(core, kernel, ceilings):
    session = read_json(core.parent / f"{kernel}.json")
    session["roofs"] = {"cpu": "chosen", "ceilings": ceilings}
    path = core.parent / f"{kernel}-below.json"
    path.write_text(json.dumps(session), encoding="utf-8")
    return path, session


def check_below(core, kernel):
    """Against chosen ceilings: the nearest one, the distance to it, and the time, worked out here once
    more."""
    path, session = with_ceilings(core, kernel, CEILINGS)
    report = json.loads(topdown("report", "--roofline", "--format", "json", path).stdout)["roofline"]
    point = report["points"][0]
    cycles = next(count["value"] for count in session["counts"] if count["event"] == "core.cycles")
    check(report["clock"] == "modelled", f"{kernel}: the time is modelled", report["clock"])
    near(point["seconds"], cycles / CLOCK, f"{kernel}: seconds", 1e-6)
    near(point["flops_per_s"], point["flops"] / point["seconds"], f"{kernel}: operations a second", 1e-6)
    bandwidth = {"L1": 190e9, "L2": 90e9, "L3": 60e9, "DRAM": 20e9}
    allowed = {
        level["level"]: point["flops"] / level["bytes"] * bandwidth[level["level"]]
        for level in point["levels"]
    }
    allowed["peak"] = 6e9  # of scalar operations, which all are
    limit = min(allowed, key=allowed.get)
    check(point["limit"] == limit, f"{kernel}: the nearest ceiling", (point["limit"], allowed))
    near(point["ceiling_flops_per_s"], allowed[limit], f"{kernel}: its height", 1e-6)
    near(
        point["ceiling_percent"], 100 * point["flops_per_s"] / allowed[limit], f"{kernel}: the distance", 1e-6
    )
    bound = "neither" if point["ceiling_percent"] < 50 else "compute" if limit == "peak" else "memory"
    check(point["bound"] == bound, f"{kernel}: the verdict", (point["bound"], bound))
    return path, point


def check_nothing(core):
    """What computes nothing, or next to nothing: its bytes below the bandwidths, and no plot."""
    for flops, word in ((0, "nothing"), (7, "next to nothing")):
        path, session = with_ceilings(core, "compare", CEILINGS)
        next(count for count in session["counts"] if count["event"] == "flops.f64_scalar").update(
            value=flops, raw=flops
        )
        path.write_text(json.dumps(session), encoding="utf-8")
        point = json.loads(topdown("report", "--roofline", "--format", "json", path).stdout)["roofline"][
            "points"
        ][0]
        bandwidth = {"L1": 190e9, "L2": 90e9, "L3": 60e9, "DRAM": 20e9}
        shares = {
            level["level"]: 100 * level["bytes"] / point["seconds"] / bandwidth[level["level"]]
            for level in point["levels"]
        }
        limit = max(shares, key=shares.get)
        check(
            point["bound"] == "no operations" and point["limit"] == limit,
            f"{word}: the nearest bandwidth",
            (point["bound"], point["limit"], shares),
        )
        near(point["ceiling_percent"], shares[limit], f"{word}: the distance", 1e-6)
        check(
            point["ceiling_flops_per_s"] is None and point["flops"] == flops,
            f"{word}: no ceiling of operations",
            point,
        )
        for level in point["levels"]:
            near(level["percent"], shares[level["level"]], f"{word}: share of {level['level']}", 1e-6)
            near(
                level["bytes_per_s"],
                level["bytes"] / point["seconds"],
                f"{word}: bytes a second of {level['level']}",
                1e-6,
            )
        text = topdown("report", "--roofline", path).stdout
        says = " ".join(text.split())
        check(
            f"computes {word} with floating-point numbers" in says and f"{limit}: it moves" in says,
            f"{word}: the sentence",
            text,
        )
        check(("Memory bound" in says) == (shares[limit] >= 50), f"{word}: the verdict", text)
        check(
            "moves GB/s" in text and "FLOP/B" not in text and "FLOP/byte" not in text,
            f"{word}: no plot, and no intensities",
            text,
        )
    path.write_text(
        json.dumps(session | {"roofs": {"cpu": "chosen", "ceilings": CEILINGS[:2]}}), encoding="utf-8"
    )
    check(
        "a roofline does not apply" in " ".join(topdown("report", "--roofline", path).stdout.split()),
        "nothing: nor are bandwidths known",
    )


def check_forms(core):
    path, point = check_below(core, "triad")
    text = topdown("report", "--roofline", path).stdout
    check("DRAM 20 GB/s" in text or "DRAM" in text, "text: the plot has its ceilings", text)
    check(point["verdict"].split(":")[0] in " ".join(text.split()), "text: the verdict", text)
    check(
        "roofline" not in topdown("report", path).stdout.lower().split("topdown report")[0],
        "without --roofline there is none",
    )
    rows = list(csv.DictReader(io.StringIO(topdown("report", "--roofline", "--format", "csv", path).stdout)))
    figures = {row["name"]: row for row in rows if row["kind"] == "roofline"}
    near(float(figures["DRAM_intensity"]["value"]), point["intensity_dram"], "CSV: intensity", 1e-6)
    near(float(figures["of_ceiling"]["value"]), point["ceiling_percent"], "CSV: distance", 1e-6)
    page = topdown("report", "--roofline", "--format", "html", path).stdout
    check("Roofline" in page and "<svg" in page, "HTML: a plot")
    sheet = topdown("report", "--roofline", "--format", "markdown", path).stdout
    check("```" in sheet and "DRAM" in sheet, "Markdown: a plot")


def check_command(core):
    """The command itself, whose session says by itself that a roofline was asked for."""
    session = core.parent / "own.json"
    output = core.parent / "own-report.json"
    done = topdown(
        "roofline",
        "--seconds",
        "0.5",
        "--pmu",
        "sim",
        "--sim-core",
        core,
        "--anchor",
        "never",
        "--no-last",
        "--save",
        session,
        "-o",
        output,
        BUILD / "kernels/roofs",
        "triad",
        "20000",
        "2",
        env=environment(HOME=str(core.parent)),
    )
    check(done.returncode == 0, "roofline: exit status", (done.returncode, done.stderr))
    report = read_json(output)["roofline"]
    check(
        any(ceiling["ceiling"].startswith("L1 ") for ceiling in report["ceilings"]),
        "roofline: this machine's ceilings",
        report["ceilings"],
    )
    check(report["points"][0]["flops"] == 80000, "roofline: operations", report["points"][0]["flops"])
    again = json.loads(topdown("report", "--format", "json", session).stdout).get("roofline")
    check(
        again is not None and again["points"][0]["levels"] == report["points"][0]["levels"],
        "roofline: its session says the same",
    )


def main():
    need_simulator()
    with temporary() as folder:
        core = make_core(pathlib.Path(folder))
        for kernel in sys.argv[1:] or KERNELS:
            check_kernel(core, kernel)
        if not sys.argv[1:]:
            if IS_X86:
                check_strings(core)
            check_below(core, "dot")
            check_below(core, "stencil")
            check_nothing(core)
            check_forms(core)
            check_command(core)
    finish()


if __name__ == "__main__":
    main()
