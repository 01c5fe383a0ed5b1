#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""assessment.py - figures judged by bounds: chosen counts on either side of each bound, for a CPU of each
vendor; and what is refused.

Which events a figure comes from is written below by the vendors' event lists; models/assessment.json is read
only to see that no bound is left out here.
"""
import csv
import io
import json
import pathlib
import shutil
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import FAILED, SOURCE, check, check_success, finish, read_json, temporary, topdown

INSTRUCTIONS = 1e9
FEW = 1e-3  # of a bound: so far on either side of it
RULES = read_json(SOURCE / "models/assessment.json")["Assessments"]


def per_1000(*events):
    """Counts that make so many events in 1000 instructions: all of the first one."""
    return lambda value: {events[0]: value * INSTRUCTIONS / 1000, **{event: 0 for event in events[1:]}}


def share(part, whole, **more):
    """Counts that make part so many percent of whole, with parts enough (40 in 1000 instructions) that the
    share matters."""
    return lambda value: {part: 0.04 * INSTRUCTIONS, whole: 4 * INSTRUCTIONS / value, **more}


def rate(cycles):
    return lambda value: {cycles: INSTRUCTIONS / value}


# {CPU: (events of instructions and cycles, {figure: (good, bad, counts of a value)})}
FAMILIES = {
    "cascadelakex": (
        "INST_RETIRED.ANY",
        "CPU_CLK_UNHALTED.THREAD",
        {
            "ipc": (1, 0.25, rate("CPU_CLK_UNHALTED.THREAD")),
            "branch_mispredicts": (5, 10, per_1000("BR_MISP_RETIRED.ALL_BRANCHES")),
            "branch_mispredict_ratio": (
                2,
                5,
                share("BR_MISP_RETIRED.ALL_BRANCHES", "BR_INST_RETIRED.ALL_BRANCHES"),
            ),
            "l1d_misses": (10, 20, per_1000("MEM_LOAD_RETIRED.L1_MISS")),
            "l1d_miss_ratio": (5, 10, share("MEM_LOAD_RETIRED.L1_MISS", "MEM_INST_RETIRED.ALL_LOADS")),
            "l2_misses": (5, 10, per_1000("MEM_LOAD_RETIRED.L2_MISS")),
            "l2_miss_ratio": (20, 50, share("MEM_LOAD_RETIRED.L2_MISS", "MEM_LOAD_RETIRED.L1_MISS")),
            "llc_misses": (1, 10, per_1000("MEM_LOAD_RETIRED.L3_MISS")),
            "llc_miss_ratio": (20, 50, share("MEM_LOAD_RETIRED.L3_MISS", "MEM_LOAD_RETIRED.L2_MISS")),
            "dtlb_walks": (
                1,
                5,
                per_1000("DTLB_STORE_MISSES.WALK_COMPLETED", "DTLB_LOAD_MISSES.WALK_COMPLETED"),
            ),
            "itlb_walks": (0.5, 2, per_1000("ITLB_MISSES.WALK_COMPLETED")),
            "page_walk_cycles": (
                10,
                50,
                lambda value: {
                    "CPU_CLK_UNHALTED.THREAD": 1e9,
                    "DTLB_LOAD_MISSES.WALK_PENDING": 2 * value / 100 * 1e9,
                    "ITLB_MISSES.WALK_PENDING": 0,
                    "DTLB_STORE_MISSES.WALK_PENDING": 0,
                    "EPT.WALK_PENDING": 0,
                },
            ),
        },
    ),
    "sierraforest": (
        "INST_RETIRED.ANY",
        "CPU_CLK_UNHALTED.CORE",
        {
            "ipc": (0.5, None, rate("CPU_CLK_UNHALTED.CORE")),
            "branch_mispredict_ratio": (
                2,
                5,
                share("BR_MISP_RETIRED.ALL_BRANCHES", "BR_INST_RETIRED.ALL_BRANCHES"),
            ),
        },
    ),
    "amdzen5": (
        "ex_ret_instr",
        "ls_not_halted_cyc",
        {
            "ipc": (1, None, rate("ls_not_halted_cyc")),
            "branch_mispredicts": (5, 10, per_1000("ex_ret_brn_misp")),
            "branch_mispredict_ratio": (2, 5, share("ex_ret_brn_misp", "ex_ret_brn")),
            "l1i_miss_ratio": (
                5,
                20,
                share(
                    "ic_tag_hit_miss.instruction_cache_miss", "ic_tag_hit_miss.all_instruction_cache_accesses"
                ),
            ),
            "l1d_misses": (10, 20, per_1000("ls_any_fills_from_sys.all")),
            "l1d_miss_ratio": (5, 10, share("ls_any_fills_from_sys.all", "ls_dispatch.all")),
            "l2_misses": (
                5,
                10,
                per_1000(
                    "l2_cache_req_stat.ic_dc_miss_in_l2",
                    "l2_pf_miss_l2_hit_l3.l2_hwpf",
                    "l2_pf_miss_l2_l3.l2_hwpf",
                ),
            ),
            "l2_miss_ratio": (
                20,
                50,
                share(
                    "l2_cache_req_stat.ic_dc_miss_in_l2",
                    "l2_request_g1.all_no_prefetch",
                    **{
                        event: 0
                        for event in (
                            "l2_pf_hit_l2.l2_hwpf",
                            "l2_pf_miss_l2_hit_l3.l2_hwpf",
                            "l2_pf_miss_l2_l3.l2_hwpf",
                        )
                    },
                ),
            ),
            "llc_misses": (1, 10, per_1000("ls_any_fills_from_sys.dram_io_all")),
            "dtlb_walks": (1, 5, per_1000("ls_l1_d_tlb_miss.all_l2_miss")),
            "itlb_walks": (0.5, 2, per_1000("bp_l1_tlb_miss_l2_tlb_miss.all")),
        },
    ),
    "amdzen4": (
        "ex_ret_instr",
        "ls_not_halted_cyc",
        {
            "branch_mispredict_ratio": (2, 5, share("ex_ret_brn_misp", "ex_ret_brn")),
            "l2_miss_ratio": (
                20,
                50,
                share(
                    "l2_cache_req_stat.ic_dc_miss_in_l2",
                    "l2_request_g1.all_no_prefetch",
                    **{
                        event: 0
                        for event in ("l2_pf_hit_l2.all", "l2_pf_miss_l2_hit_l3.all", "l2_pf_miss_l2_l3.all")
                    },
                ),
            ),
        },
    ),
    "neoverse-v1": (
        "INST_RETIRED",
        "CPU_CYCLES",
        {
            "ipc": (1, None, rate("CPU_CYCLES")),
            "branch_mispredicts": (5, 10, per_1000("BR_MIS_PRED_RETIRED")),
            "branch_mispredict_ratio": (2, 5, share("BR_MIS_PRED_RETIRED", "BR_RETIRED")),
            "l1i_misses": (10, 20, per_1000("L1I_CACHE_REFILL")),
            "l1i_miss_ratio": (5, 20, share("L1I_CACHE_REFILL", "L1I_CACHE")),
            "l1d_misses": (10, 20, per_1000("L1D_CACHE_REFILL")),
            "l1d_miss_ratio": (5, 10, share("L1D_CACHE_REFILL", "L1D_CACHE")),
            "l2_misses": (5, 10, per_1000("L2D_CACHE_REFILL")),
            "l2_miss_ratio": (20, 50, share("L2D_CACHE_REFILL", "L2D_CACHE")),
            "llc_misses": (1, 10, per_1000("LL_CACHE_MISS_RD")),
            "llc_miss_ratio": (20, 50, share("LL_CACHE_MISS_RD", "LL_CACHE_RD")),
            "dtlb_walks": (1, 5, per_1000("DTLB_WALK")),
            "itlb_walks": (0.5, 2, per_1000("ITLB_WALK")),
        },
    ),
}


# {CPU: (the event of instructions, {figure: (the events that count it, others that its formula reads)})}
LEVELS = {
    "cascadelakex": (
        "INST_RETIRED.ANY",
        {
            "l1d_accesses": (["MEM_INST_RETIRED.ALL_LOADS"], []),
            "l1d_misses": (["MEM_LOAD_RETIRED.L1_MISS"], []),
            "l2_accesses": (["MEM_LOAD_RETIRED.L1_MISS"], []),
            "l2_misses": (["MEM_LOAD_RETIRED.L2_MISS"], []),
            "llc_accesses": (["MEM_LOAD_RETIRED.L2_MISS"], []),
            "llc_misses": (["MEM_LOAD_RETIRED.L3_MISS"], []),
        },
    ),
    "amdzen5": (
        "ex_ret_instr",
        {
            "l1d_accesses": (["ls_dispatch.all"], []),
            "l1d_misses": (["ls_any_fills_from_sys.all"], []),
            "l2_accesses": (
                [
                    "l2_request_g1.all_no_prefetch",
                    "l2_pf_hit_l2.l2_hwpf",
                    "l2_pf_miss_l2_hit_l3.l2_hwpf",
                    "l2_pf_miss_l2_l3.l2_hwpf",
                ],
                [],
            ),
            "l2_misses": (
                [
                    "l2_cache_req_stat.ic_dc_miss_in_l2",
                    "l2_pf_miss_l2_hit_l3.l2_hwpf",
                    "l2_pf_miss_l2_l3.l2_hwpf",
                ],
                [],
            ),
            "llc_misses": (["ls_any_fills_from_sys.dram_io_all"], []),
        },
    ),
    "amdzen4": (
        "ex_ret_instr",
        {
            "l2_accesses": (
                [
                    "l2_request_g1.all_no_prefetch",
                    "l2_pf_hit_l2.all",
                    "l2_pf_miss_l2_hit_l3.all",
                    "l2_pf_miss_l2_l3.all",
                ],
                ["l2_cache_req_stat.ic_dc_miss_in_l2"],
            )
        },
    ),
    "neoverse-v1": (
        "INST_RETIRED",
        {
            "l1i_accesses": (["L1I_CACHE"], ["L1I_CACHE_REFILL"]),
            "l1i_misses": (["L1I_CACHE_REFILL"], []),
            "l1d_accesses": (["L1D_CACHE"], ["L1D_CACHE_REFILL"]),
            "l1d_misses": (["L1D_CACHE_REFILL"], []),
            "l2_accesses": (["L2D_CACHE"], ["L2D_CACHE_REFILL"]),
            "l2_misses": (["L2D_CACHE_REFILL"], []),
            "llc_accesses": (["LL_CACHE_RD"], ["LL_CACHE_MISS_RD"]),
            "llc_misses": (["LL_CACHE_MISS_RD"], []),
        },
    ),
}


def report(folder, cpu, counts, *options):
    file = folder / "counts.json"
    file.write_text(
        json.dumps({"format": "topdown-counts", "cpu": cpu, "smt": 0, "counts": counts}), encoding="utf-8"
    )
    result = topdown("report", *options, file)
    check_success(result, f"{cpu}: report {options}")
    return result.stdout


def figures(folder, cpu, counts, *options):
    rows = json.loads(report(folder, cpu, counts, *options, "--format", "json"))["assessment"]
    return {row["name"]: row for row in rows}


def expected(value, good, bad, is_low_worse):
    """Bounds belong to the better side."""
    sign = -1 if is_low_worse else 1
    if sign * value <= sign * good:
        return "ok"
    if bad is None or sign * value <= sign * bad:
        return "look"
    return "low" if is_low_worse else "high"


def check_family(folder, cpu):
    instructions, cycles, rows = FAMILIES[cpu]
    for name, (good, bad, counts_of) in rows.items():
        for bound in filter(None, (good, bad)):
            for value in (bound * (1 - FEW), bound, bound * (1 + FEW)):
                counts = {instructions: INSTRUCTIONS, cycles: INSTRUCTIONS / 2, **counts_of(value)}
                row = figures(folder, cpu, counts)[name]
                what = f"{cpu}: {name} {value:g}"
                check(
                    row["value"] is not None and abs(row["value"] - value) <= 1e-9 * value,
                    f"{what}: the value",
                    row,
                )
                check(
                    row["verdict"] == expected(value, good, bad, name == "ipc"), f"{what}: the verdict", row
                )
                check((row["good"], row["bad"]) == (good, bad), f"{what}: its bounds", row)
                check(
                    bool(row["good_source"]) and bool(row["bad_source"]) == (bad is not None),
                    f"{what}: whose bounds they are",
                    row,
                )
                check(bool(row["means"]) and row["reason"] is None, f"{what}: what it means", row)


def check_complete():
    """Each bound of a figure is tried above on some CPU."""
    known = {(name, *row[:2]) for _, _, rows in FAMILIES.values() for name, row in rows.items()}
    listed = {(row["MetricName"], row["Good"], row.get("Bad")) for row in RULES if "Good" in row}
    check(listed <= known, "each bound of models/assessment.json is tried", listed - known)
    sources = {row[key] for row in RULES for key in ("GoodSource", "BadSource") if key in row}
    check("topdown" in sources and len(sources) > 4, "bounds have sources", sources)


def check_levels(folder, cpu):
    """The number of accesses and misses: the counts of the events that are named."""
    instructions, rows = LEVELS[cpu]
    for name, (events, others) in rows.items():
        counts = {event: 1e6 * (i + 3) for i, event in enumerate(events)} | {event: 2e6 for event in others}
        row, whole = figures(folder, cpu, {instructions: INSTRUCTIONS, **counts})[name], sum(
            counts[event] for event in events
        )
        what = f"{cpu}: {name}"
        check(sorted(row["events"]) == sorted(events), f"{what}: its events", row["events"])
        check(
            row["count"] is not None and abs(row["count"] - whole) < 1e-6 * whole,
            f"{what}: how many",
            (row["count"], whole),
        )
        check(
            abs(row["value"] - whole / INSTRUCTIONS * 1000) < 1e-6 * row["value"],
            f"{what}: in 1000 instructions",
            row["value"],
        )
        row = figures(folder, cpu, {instructions: INSTRUCTIONS})[name]
        check(row["count"] is None and row["value"] is None, f"{what}: not counted", row)
    ratios = [
        row
        for row in figures(folder, cpu, {instructions: INSTRUCTIONS}).values()
        if row["role"] in ("own", "ratio")
    ]
    check(
        ratios and all(row["count"] is None and row["events"] == [] for row in ratios),
        f"{cpu}: a share is no number of events",
        ratios[:1],
    )


def check_few(folder):
    """A large share of few misses is no problem."""
    counts = {
        "INST_RETIRED.ANY": 1e9,
        "CPU_CLK_UNHALTED.THREAD": 5e8,
        "MEM_LOAD_RETIRED.L3_MISS": 0.9e6,
        "MEM_LOAD_RETIRED.L2_MISS": 1e6,
    }
    row = figures(folder, "cascadelakex", counts)["llc_miss_ratio"]
    check((row["value"], row["verdict"]) == (90, "ok"), "90 % of few", row)
    counts["MEM_LOAD_RETIRED.L3_MISS"], counts["MEM_LOAD_RETIRED.L2_MISS"] = 9e6, 10e6
    row = figures(folder, "cascadelakex", counts)["llc_miss_ratio"]
    check((row["value"], row["verdict"]) == (90, "high"), "90 % of many", row)


def check_missing(folder):
    """What was not counted has no value and no verdict, but a reason and a command."""
    counts = {"INST_RETIRED.ANY": 1e9, "CPU_CLK_UNHALTED.THREAD": 1e9}
    rows = figures(folder, "cascadelakex", counts)
    row = rows["l2_miss_ratio"]
    check(
        (row["value"], row["verdict"], row["quality"]) == (None, None, "none"), "not counted: no value", row
    )
    check("not counted" in row["reason"] and "L2MPKI" in row["reason"], "not counted: what is missing", row)
    check("no metric" in rows["l1i_misses"]["reason"], "no metric: the reason", rows["l1i_misses"])
    text = report(folder, "cascadelakex", counts, "-v")
    command = next((line for line in text.splitlines() if line.startswith("  topdown metrics ")), "")
    check(
        "Info_Memory_L2MPKI" in command and command.endswith("-- PROGRAM"),
        "-v names the command that counts it",
        command,
    )
    names = command.removesuffix(" -- PROGRAM").split()[2:]
    listed = topdown("plan", "--cpu", "cascadelakex", "--metrics", ",".join(names))
    check_success(listed, "its names are metrics")
    check("Beyond" not in report(folder, "cascadelakex", counts), "all that is known is healthy: no sentence")
    zero = figures(
        folder, "cascadelakex", {**counts, "MEM_LOAD_RETIRED.L2_MISS": 0, "MEM_LOAD_RETIRED.L1_MISS": 0}
    )["l2_miss_ratio"]
    check(zero["value"] is None and "divides by zero" in zero["reason"], "no accesses: no ratio", zero)


def check_forms(folder):
    counts = {"INST_RETIRED": 1e9, "CPU_CYCLES": 4e9, "L1D_CACHE_REFILL": 15e6, "BR_MIS_PRED_RETIRED": 12e6}
    text = report(folder, "neoverse-v1", counts)
    sentence = " ".join(text.split())
    check(
        "Beyond healthy bounds: IPC 0.25 per cycle (below 1), Branch_Mispredicts 12 MPKI (high: above 10),"
        " L1D_Misses 15 MPKI (above 10). -v shows all." in sentence,
        "text: what is beyond its bounds",
        text,
    )
    check(
        "ok: up to" not in text
        and "ok: up to" in report(folder, "neoverse-v1", {**counts, "L2D_CACHE_REFILL": 1e6}, "-v"),
        "-v has all",
    )
    check(
        "Beyond" not in report(folder, "neoverse-v1", counts, "--metrics", "IPC"),
        "nothing beside what was asked for",
    )
    rows = list(csv.DictReader(io.StringIO(report(folder, "neoverse-v1", counts, "--format", "csv"))))
    rows = {row["name"]: row for row in rows if row["kind"] == "assessment"}
    check(
        list(rows) == list(figures(folder, "neoverse-v1", counts)),
        "CSV has the same figures as JSON",
        list(rows),
    )
    row = rows["branch_mispredicts"]
    check(
        [row[key] for key in ("value", "unit", "verdict", "good", "bad", "topic")]
        == ["12", "MPKI", "high", "5", "10", "branches"],
        "CSV",
        row,
    )
    check(
        rows["l2_misses"]["value"] == ""
        and rows["l2_misses"]["verdict"] == ""
        and rows["l2_misses"]["reason"],
        "CSV: not counted",
        rows["l2_misses"],
    )


HEAD = '{"MetricName":"x","Title":"X","About":"branches","Unit":"MPKI","Worse":"above","Ok":"Few.","Beyond":"Many."}'  # noqa: E501
REFUSED = [  # rows of a file, and what is said of it
    ('{"Title":"X"}', "a row without MetricName"),
    (
        '{"MetricName":"x","Title":"X","About":"noise","Unit":"%"}',
        "'x': About: it is speed, branches, caches or tlbs",
    ),
    (
        '{"MetricName":"x","Title":"X","About":"caches","Role":"hits","Level":"L1","Unit":"%"}',
        "'x': Role: it is accesses, misses or ratio",
    ),
    (
        '{"MetricName":"x","Title":"X","About":"caches","Unit":"%"}',
        "'x': a figure about caches has a Level and a Role",
    ),
    ('{"MetricName":"x","Title":"X","About":"tlbs"}', "'x': it has no Unit"),
    (
        '{"MetricName":"x","Title":"X","About":"tlbs","Unit":"%","Worse":"left"}',
        "'x': Worse: it is above or below",
    ),
    (
        '{"MetricName":"x","Title":"X","About":"tlbs","Unit":"%","Worse":"above"}',
        "'x': where a value can be worse, Ok and Beyond say what that means",
    ),
    (
        '{"MetricName":"x","Title":"X","About":"tlbs","Unit":"%","Ok":"Few."}',
        "'x': Ok and Beyond say what is Worse, and nothing says which way that is",
    ),
    (
        '{"MetricName":"x","Title":"X","About":"tlbs","Unit":"%","With":"y"}',
        "'x': With: no figure 'y' stands above",
    ),
    (
        '{"MetricName":"x","Title":"X","About":"caches","Role":"misses","Level":"L1","Unit":"%"}',
        "'x': the Unit of accesses and misses is MPKI or per 1000 instr",
    ),
    (
        '{"MetricName":"x","Title":"X","About":"caches","Role":"misses","Level":"L1","Unit":"MPKI"},{"MetricName":"x","MetricExpr":"l1d_mpki","CountedBy":"LATER"}',  # noqa: E501
        "'x': CountedBy: its MetricExpr does not read 'LATER'",
    ),
    (f"{HEAD}", "'x': it has no form"),
    (f'{HEAD},{{"MetricName":"x","MetricExpr":"ipc"}},{HEAD}', "'x': it is there twice"),
    (f'{HEAD},{{"MetricName":"y","MetricExpr":"ipc"}}', "'y': a form stands below the row with its Title"),
    (f'{HEAD},{{"MetricName":"x"}}', "'x': a form has a MetricExpr, or says Without what it is"),
    (
        f'{HEAD},{{"MetricName":"x","MetricExpr":"ipc","Good":"five","GoodSource":"topdown"}}',
        "'x': Good is 'five', and a bound is a number",
    ),
    (
        f'{HEAD},{{"MetricName":"x","MetricExpr":"ipc","Good":"inf","GoodSource":"topdown"}}',
        "'x': Good is 'inf', and a bound is a number",
    ),
    (f'{HEAD},{{"MetricName":"x","MetricExpr":"ipc","Good":5}}', "'x': Good has no GoodSource"),
    (
        f'{HEAD},{{"MetricName":"x","MetricExpr":"ipc","Bad":5,"BadSource":"topdown"}}',
        "'x': it has Bad without Good",
    ),
    (
        f'{HEAD},{{"MetricName":"x","MetricExpr":"ipc","Good":5,"GoodSource":"a","Bad":5,"BadSource":"a"}}',
        "'x': Bad is not beyond Good",
    ),
    (f'{HEAD},{{"MetricName":"x","MetricExpr":"ipc +","Good":5,"GoodSource":"a"}}', "'x': MetricExpr: "),
]


def check_refused(folder):
    base = folder / "db"
    (base / "models").mkdir(parents=True)
    shutil.copy(SOURCE / "models/skylakex.json", base / "models")
    shutil.copytree(SOURCE / "events", base / "events")
    file = base / "models/assessment.json"
    for rows, words in REFUSED:
        file.write_text(f'{{"Assessments":[\n{rows}\n]}}', encoding="utf-8")
        result = topdown("report", "--db", base, pathlib.Path(folder / "counts.json"))
        check(
            result.returncode == FAILED and f"{file}: {words}" in result.stderr,
            f"refused: {words}",
            result.stderr,
        )
    file.write_text('{"Assessments":[', encoding="utf-8")
    result = topdown("report", "--db", base, folder / "counts.json")
    check(
        result.returncode == FAILED and str(file) in result.stderr and "line 1" in result.stderr,
        "no JSON: the place",
        result.stderr,
    )
    file.write_text(
        f'{{"Assessments":[{HEAD},{{"MetricName":"x","MetricExpr":"no_such_metric"}}]}}', encoding="utf-8"
    )
    row = json.loads(topdown("report", "--db", base, "--format", "json", folder / "counts.json").stdout)[
        "assessment"
    ][0]
    check(row["value"] is None and row["reason"], "a metric that this CPU lacks: a reason", row)


with temporary() as scratch:
    check_complete()
    for family in FAMILIES:
        check_family(scratch, family)
    for family in LEVELS:
        check_levels(scratch, family)
    check_few(scratch)
    check_missing(scratch)
    check_forms(scratch)
    report(scratch, "skylakex", {"INST_RETIRED.ANY": 1e9, "CPU_CLK_UNHALTED.THREAD": 1e9})
    check_refused(scratch)
finish()
