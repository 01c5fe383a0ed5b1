#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""planted.py - ten pairs of programs with a known cause, simulated: the first reason names its node, its
function and its line, and all reasons add up to the whole difference. The lines are those with HERE in the
sources.
"""
import json
import shutil
import subprocess
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import SOURCE, check, check_all, check_success, finish, need_simulator, skip, temporary, topdown

SOURCES = SOURCE / "tests/compare/planted"
MEMORY = {"L2_Bound", "L3_Bound", "DRAM_Bound", "DTLB_Load", "L3_Bound, rest"}
CAUSES = {  # source: (nodes that name the cause, functions)
    "record": (MEMORY, {"total"}),
    "branch": ({"Branch_Mispredicts", "Mispredicts_Resteers"}, {"pick"}),
    "division": ({"Divider"}, {"scale"}),
    "sharing": ({"False_Sharing"}, {"count"}),
    "colder": ({"ICache_Misses", "ITLB_Misses"}, {f"cold_{n}" for n in range(49)}),
    "workingset": (MEMORY, {"gather"}),
    "work": ({"more instructions"}, {"mix"}),
    "inlining": ({"more instructions"}, {"step", "walk"}),
    "unrolled": ({"MITE", "ICache_Misses"}, {"sums"}),
    "stride": (MEMORY, {"column"}),
}


def build(source, program, *flags):
    subprocess.run(["cc", "-O2", "-g", *flags, "-pthread", "-o", program, source], check=True)


def simulate(folder, cause, side):
    program, session = folder / f"{cause}-{side}", folder / f"{cause}-{side}.json"
    build(SOURCES / f"{cause}.c", program, *(["-DAFTER"] if side == "after" else []))
    result = topdown(
        "--pmu",
        "sim",
        "--sim-core",
        "zen4",
        "--sim-sample",
        "1",
        "--anchor",
        "never",
        "--lines",
        "--save",
        session,
        "-o",
        folder / "report.txt",
        program,
    )
    check(session.exists(), f"{cause} {side}: a session", result.stderr)
    return session


def lines_here(cause):
    text = (SOURCES / f"{cause}.c").read_text(encoding="utf-8").splitlines()
    return {number for number, line in enumerate(text, 1) if "HERE */" in line}


def check_sums(cause, report):
    """Simulated, so both divide all of the difference."""
    whole = report["cycles_after"] - report["cycles_before"]
    terms = sum(term["cycles"] for term in report["terms"])
    functions = sum(function["difference"] for function in report["functions"]) + report["functions_left"]
    leaves = sum(node["cycles"] for node in report["nodes"] if node["level"] == 1)
    check(abs(terms - whole) <= 1e-3 * abs(whole), f"{cause}: reasons add up", (terms, whole))
    check(abs(functions - whole) <= 1e-3 * abs(whole), f"{cause}: functions add up", (functions, whole))
    check(abs(leaves - whole) <= 1e-3 * abs(whole), f"{cause}: level 1 adds up", (leaves, whole))


def check_untouched(cause, report):
    """What the loader does in as many cycles it does with as many instructions, and it is no reason."""
    loader = {
        f["name"]: f
        for f in report["functions"]
        if f["name"] and "ld-linux" in f["module"] and abs(f["difference"]) < 1
    }
    check(len(loader) > 20, f"{cause}: the loader's functions", len(loader))
    check_all(
        loader.values(),
        lambda f: abs(f["instructions_after"] - f["instructions_before"]) <= 1e-6 * f["instructions_before"],
        f"{cause}: as many instructions",
    )
    whole = abs(report["cycles_after"] - report["cycles_before"])
    check_all(
        report["terms"],
        lambda term: term["function"] not in loader or abs(term["cycles"]) < 0.01 * whole,
        f"{cause}: the loader is no reason",
    )


def check_cause(folder, cause):
    nodes, functions = CAUSES[cause]
    before, after = (simulate(folder, cause, side) for side in ("before", "after"))
    result = topdown("compare", before, after, "--format", "json")
    check_success(result, cause)
    report = json.loads(result.stdout)
    first = report["terms"][0]
    check(report["verdict"] == "slower", f"{cause}: verdict", report["sentence"])
    check(
        first["title"] in nodes,
        f"{cause}: node",
        [(t["title"], round(t["cycles"])) for t in report["terms"][:4]],
    )
    check(first["function"] in functions, f"{cause}: function", first)
    check(first["line"] in lines_here(cause), f"{cause}: line", (first, lines_here(cause)))
    check_sums(cause, report)
    check_untouched(cause, report)
    if cause == "inlining":
        step = [function for function in report["functions"] if function["name"] == "step"]
        check(
            step and step[0]["inlined_before"] and not step[0]["inlined_after"],
            "inlining: it is said that it was inlined",
            step,
        )


def check_renamed(folder):
    """By its lines; what is new or gone has other ones."""
    before, after = (simulate(folder, "renamed", side) for side in ("before", "after"))
    report = json.loads(topdown("compare", before, after, "--format", "json").stdout)
    found = {
        function["name"]: (function["change"], function["name_before"]) for function in report["functions"]
    }
    expected = {"mixed_well": ("renamed", "mixed"), "fresh": ("new", None), "stale": ("removed", None)}
    check(
        {name: found.get(name) for name in expected} == expected,
        "renamed, new and gone",
        {n: found.get(n) for n in (*expected, "mixed")},
    )
    check_sums("renamed", report)
    text = topdown("compare", "-v", before, after).stdout
    check("was mixed" in text and "removed" in text, "renamed: it is said", text)


def main():
    need_simulator()
    if not shutil.which("cc"):
        skip("no compiler")
    with temporary() as folder:
        for cause in CAUSES if len(sys.argv) == 1 else set(sys.argv) & set(CAUSES):
            check_cause(folder, cause)
        if len(sys.argv) == 1 or "renamed" in sys.argv:
            check_renamed(folder)
    finish()


main()
