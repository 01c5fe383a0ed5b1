#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""loops.py - topdown roofline on the loops of one function (loops.c), simulated: operations and bytes of each
by arithmetic, and where it is shown.

Exit status 77 where the simulator, a compiler or objdump is not there."""
import csv
import io
import json
import pathlib
import platform
import shutil
import subprocess
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import (
    SOURCE,
    check,
    check_all,
    check_success,
    environment,
    finish,
    need_simulator,
    read_json,
    skip,
    temporary,
    topdown,
)

CODE = SOURCE / "tests/simulated/loops.c"
LENGTH, SIDE = 300003, 129  # odd, so that vectors leave something over
BYTES = 8
# loop: operations, bytes of L1; of the product those of its innermost loop, and of what adds its sums
LOOPS = {
    "triad": (2 * LENGTH, 3 * BYTES * LENGTH),
    "dot": (2 * LENGTH, 2 * BYTES * LENGTH),
    "product": (2 * SIDE**3 + SIDE**2, None),
    "inlined": (3 * LENGTH, 2 * BYTES * LENGTH),
}
WITHIN = 0.02


def lines_of(loop):
    """First and last line of a loop: those before the comment that names it, up to the next empty line at the
    left."""
    lines = CODE.read_text(encoding="utf-8").splitlines()
    last = next(i for i, line in enumerate(lines) if f"/* {loop} */" in line)
    first = last
    while not lines[first].startswith("\tfor"):
        first -= 1
    return first + 1, last + 1


def compile_as(folder, name, *flags):
    subprocess.run(["cc", "-Wall", *flags, "-o", folder / name, CODE], check=True)
    return folder / name


def roofline(folder, program, *words):
    session = folder / "run.json"
    done = topdown(
        "roofline",
        "--pmu",
        "sim",
        "--sim-sample",
        "1",
        "--sim-core",
        "skylake",
        "--anchor",
        "never",
        "--per-function=1",
        "--seconds",
        "0.5",
        "--save",
        session,
        "--format",
        "json",
        "-o",
        folder / "report.json",
        program,
        str(LENGTH),
        str(SIDE),
        *words,
        env=environment(HOME=str(folder)),
    )
    check(done.returncode == 0, f"{program.name}: exit status", (done.returncode, done.stderr[-400:]))
    return read_json(folder / "report.json")["roofline"], session


def near(found, expected, what):
    check(found is not None and abs(found - expected) <= WITHIN * expected, what, (found, expected))


def moved(point):
    return point["levels"][0]["bytes"]


def check_sums(function, loops, what):
    for key in ("flops", "time_percent", "seconds"):
        whole, sum_of_loops = function[key], sum(loop[key] for loop in loops)
        check(
            sum_of_loops <= whole * (1 + 1e-9),
            f"{what}: {key} of its loops are a part of the function's",
            (sum_of_loops, whole),
        )
    check(sum(map(moved, loops)) <= moved(function), f"{what}: so are the bytes")
    check(
        [loop["time_percent"] for loop in loops]
        == sorted((loop["time_percent"] for loop in loops), reverse=True),
        f"{what}: the most first",
        loops,
    )
    for loop in loops:
        check(
            loop["loop_of"] == function["name"] and loop["object"] == function["object"],
            f"{what}: whose loop it is",
            loop,
        )
        check(
            loop["time_percent"] >= 0.05 * function["time_percent"],
            f"{what}: no loop that is next to nothing",
            loop,
        )


def check_lines(folder, flags):
    what = " ".join(flags)
    report, session = roofline(folder, compile_as(folder, "lined", "-g", *flags))
    function, loops = report["points"][1], report["points"][2:]
    check(
        function["name"].startswith("work") and function["loop_of"] is None and function["line"] is None,
        f"{what}: the function",
        function,
    )
    check_sums(function, loops, what)
    near(function["flops"], sum(flops for flops, _ in LOOPS.values()), f"{what}: operations of the function")
    for name, (flops, loaded) in LOOPS.items():
        first, last = lines_of(name)
        mine = [loop for loop in loops if first <= loop["line"] and loop["last_line"] <= last]
        near(sum(loop["flops"] for loop in mine), flops, f"{what}: operations of {name}")
        if loaded:
            of, inlined = (" of distance", "distance") if name == "inlined" else ("", None)
            check(
                [(loop["name"], loop["inlined"]) for loop in mine]
                == [(f"loop{of} at loops.c:{first}-{last}", inlined)],
                f"{what}: {name} is one loop, with its name",
                mine,
            )
            near(sum(map(moved, mine)), loaded, f"{what}: bytes of {name}")
    check_all(loops, lambda loop: loop["file"].endswith("loops.c"), f"{what}: their file")
    kept = read_json(session)["profile"]["loops"]
    lines = list(zip(kept["line"], kept["last_line"]))
    check(len(set(lines)) == len(lines), f"{what}: vectors and what they leave over are one loop", lines)
    if platform.machine() == "x86_64" and "-O3" in flags:
        check_all(
            [loop for loop in loops if loop["line"] <= lines_of("dot")[1]],
            lambda loop: loop["vector_percent"] > 90,
            f"{what}: they are of vectors",
        )
    return report, session


def check_forms(folder, report, session):
    """A colleague has the session alone."""
    (folder / "lined").unlink()
    again = json.loads(
        topdown("report", "--roofline", "--per-function=1", "--format", "json", session).stdout
    )["roofline"]
    check(again["points"] == report["points"], "the session says the same, without the program")
    point = report["points"][2]
    short = f"loop {point['line']}-{point['last_line']}"
    text = topdown("report", "--roofline", "--per-function=1", session).stdout
    check(short in text and "Loops" not in text, "text", text)
    first, last = lines_of("inlined")
    check(
        f"Of functions inlined there: loop {first}-{last} (distance)." in text, "text: whose loop it is", text
    )
    page = topdown("report", "--roofline", "--per-function=1", "--format", "html", session).stdout
    check(
        point["name"] in page and f"work, {point['name']}: " in page,
        "HTML: the table, and a point of the plot",
    )
    rows = list(
        csv.DictReader(
            io.StringIO(
                topdown("report", "--roofline", "--per-function=1", "--format", "csv", session).stdout
            )
        )
    )
    figures = {
        row["name"]: row
        for row in rows
        if row["kind"] == "roofline_loop" and row["function"] == f"work, {point['name']}"
    }
    near(float(figures["flops"]["value"]), point["flops"], "CSV: operations")
    check(
        figures["flops"]["file"] == point["file"] and int(figures["flops"]["line"]) == point["line"],
        "CSV: file and line",
        figures["flops"],
    )
    names = {row["function"] for row in rows if row["kind"] == "roofline" and row["function"]}
    check(names == {"work"}, "CSV: functions stay apart from loops", names)


def check_no_lines(folder):
    report, session = roofline(folder, compile_as(folder, "bare", "-O2", "-g0"))
    function, loops = report["points"][1], report["points"][2:]
    check_sums(function, loops, "without lines")
    check_all(
        loops,
        lambda loop: loop["name"].startswith("loop at +0x") and loop["line"] is None and loop["file"] is None,
        "named by their offsets",
    )
    for name in ("triad", "dot"):
        flops, loaded = LOOPS[name]
        check(
            any(
                abs(loop["flops"] - flops) <= WITHIN * flops and abs(moved(loop) - loaded) <= WITHIN * loaded
                for loop in loops
            ),
            f"{name} by its offset",
            loops,
        )
    text = topdown("report", "--roofline", "--per-function=1", session).stdout
    check("loop +0x" in text, "text: an offset", text)


def check_gone(folder):
    report, _ = roofline(folder, compile_as(folder, "gone", "-g", "-O2"), "gone")
    check(
        any("Not all loops are distinguished" in note for note in report["notes"]),
        "a note says why there are no loops",
        report["notes"],
    )
    check_all(report["points"], lambda point: point["loop_of"] is None, "there are none")


def check_others(folder):
    """Who did not ask for a roofline of functions has lines as before, and no loops."""
    session = folder / "other.json"
    check_success(
        topdown(
            "--pmu",
            "sim",
            "--anchor",
            "never",
            "--lines",
            "--save",
            session,
            "-o",
            "/dev/null",
            compile_as(folder, "other", "-g", "-O2"),
            "3000",
            "9",
        ),
        "lines",
    )
    profile = read_json(session)["profile"]
    check(
        "loops" not in profile and "loop" not in profile["places"] and "no_loops" not in profile, "no loops"
    )


def main():
    need_simulator()
    if not shutil.which("cc") or not shutil.which("objdump"):
        skip("there is no compiler, or no objdump")
    with temporary() as name:
        folder = pathlib.Path(name)
        check_forms(folder, *check_lines(folder, ["-O2"]))
        check_lines(folder, ["-O3", "-ffast-math"])
        if " avx2 " in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8"):
            check_lines(folder, ["-O2", "-ftree-vectorize", "-ffast-math", "-mavx2", "-mfma"])
        check_no_lines(folder)
        check_gone(folder)
        check_others(folder)
    finish()


if __name__ == "__main__":
    main()
