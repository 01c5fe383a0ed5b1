#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""import.py - what topdown import says when it is done, and that a failed one leaves nothing behind."""
import json
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import check, check_failure, check_success, finish, temporary, topdown

EVENTS = [
    {"EventName": "CPU_CYCLES", "EventCode": "0x11"},
    {"EventName": "INST_RETIRED", "EventCode": "0x08"},
    {"EventName": "STALL_FRONTEND", "EventCode": "0x23"},
]


def write(folder, name, rows=()):
    """A folder of pmu-events for a CPU."""
    path = folder / "pmu-events/arch/arm64/arm" / name
    path.mkdir(parents=True)
    (path / "core.json").write_text(json.dumps([*EVENTS, *rows]), encoding="utf-8")
    return path


def check_next(folder):
    for name, is_known in (("neoverse-n9", False), ("cortex-a53", True)):
        source, out = write(folder, name), folder / f"out of {name}"
        result = topdown("import", "--from", "perf", "-o", out, source)
        check_success(result, f"import of {name}")
        check(
            f"`topdown plan --db '{out}' --cpu {name}`" in result.stdout,
            f"{name}: the next command",
            result.stdout,
        )
        plan = topdown("plan", "--db", out, "--cpu", name)
        check_success(plan, f"{name}: that command works")
        row = next(
            line
            for line in (out / "events/mapfile.csv").read_text(encoding="utf-8").splitlines()
            if name in line
        )
        check(row.startswith("-,") != is_known, f"{name}: its row", row)
        check(
            ("events/mapfile.csv has -" in result.stdout and f"of {name}:" in result.stdout) != is_known,
            f"{name}: the row to complete",
            result.stdout,
        )


def check_left_out(folder):
    """A file of metrics of which none can be computed is no import; one of two is, and the other is named."""
    bad = {"MetricName": "bad", "MetricExpr": "NO_SUCH_EVENT / CPU_CYCLES", "MetricGroup": "TopdownL1"}
    good = {"MetricName": "good", "MetricExpr": "INST_RETIRED / (4 * CPU_CYCLES)", "MetricGroup": "TopdownL1"}
    out = folder / "left out"
    words = ("import", "--from", "perf", "-o", out)
    result = topdown(*words, write(folder, "nothing", [bad]))
    check_failure(result, "nothing is left", "none of the 1 metrics can be computed")
    check("NO_SUCH_EVENT" in result.stderr, "nothing is left: why", result.stderr)
    check(not out.exists(), "nothing is left: no files", out)
    result = topdown(*words, write(folder, "something", [bad, good]))
    check_success(result, "one is left")
    check("something: bad: left out: " in result.stdout, "one is left: the other", result.stdout)


def check_architecture(folder):
    """Kunpeng's form: events of the vendor alone, and formulas of these, of the architecture's, and of codes;
    fractions without a unit, and a comma too many."""
    root = folder / "hi/pmu-events/arch/arm64"
    path = root / "hisilicon/hip9"
    path.mkdir(parents=True)
    standard = [
        {"EventName": name, "EventCode": code}
        for name, code in (("CPU_CYCLES", "0x11"), ("INST_RETIRED", "0x08"), ("INST_SPEC", "0x1b"))
    ]
    (root / "mapfile.csv").write_text("", encoding="utf-8")
    (root / "common.json").write_text(json.dumps(standard), encoding="utf-8")
    own = [
        {"EventName": name, "EventCode": code}
        for name, code in (("FETCH_BUBBLE", "0x2014"), ("EXE", "0x7001"), ("MEM", "0x7004"))
    ]
    formulas = {
        "frontend_bound": ("FETCH_BUBBLE / (4 * CPU_CYCLES)", "TopDownL1"),
        "bad_speculation": ("(INST_SPEC - INST_RETIRED) / (4 * CPU_CYCLES)", "TopDownL1"),
        "retiring": ("INST_RETIRED / (4 * CPU_CYCLES)", "TopDownL1"),
        "backend_bound": ("1 - (frontend_bound + bad_speculation + retiring)", "TopDownL1"),
        "fetch_latency_bound": ("armv8_pmuv3_0@event\\=0x201d@ / CPU_CYCLES", "TopDownL2"),
        "fetch_bandwidth_bound": ("frontend_bound - fetch_latency_bound", "TopDownL2"),
        "memory_bound": ("(armv8_pmuv3_0@event\\=0x7005@ + EXE) / CPU_CYCLES", "TopDownL2"),
        "core_bound": ("(EXE - (MEM + armv8_pmuv3_0@event\\=0x7001@)) / CPU_CYCLES", "TopDownL2"),
    }
    rows = [
        {"MetricName": name, "MetricExpr": expr, "MetricGroup": group}
        for name, (expr, group) in formulas.items()
    ]
    (path / "core.json").write_text(json.dumps(own + rows)[:-1] + ",\n]\n", encoding="utf-8")
    out = folder / "out of hip9"
    result = topdown("import", "--from", "perf", "-o", out, path)
    check_success(result, "Kunpeng's form")
    check(
        "hip9: INST_SPEC: taken from the architecture, because a formula names it" in result.stdout,
        "Kunpeng's form: the log",
        result.stdout,
    )
    nodes = topdown("list", "nodes", "--db", out, "--cpu", "hip9", "--format", "json")
    names = {row["name"]: row["level"] for row in json.loads(nodes.stdout)["nodes"]}
    check(
        {name: names.get(name) for name in formulas}
        == {name: int(group[-1]) for name, (_, group) in formulas.items()},
        "Kunpeng's form: the tree",
        names,
    )
    check_codes(out, json.loads(nodes.stdout)["nodes"])


def check_codes(out, nodes):
    """What Kunpeng's formulas spell by codes are events of its file, and its nodes have units and parents."""
    wanted = {
        "fetch_latency_bound": "frontend_bound",
        "memory_bound": "backend_bound",
        "core_bound": "backend_bound",
    }
    parents = {node["name"]: node["parent"] for node in nodes}
    check({name: parents.get(name) for name in wanted} == wanted, "Kunpeng's form: parents", parents)
    samples = {node["name"]: node["sample"] for node in nodes}
    check(
        samples["core_bound"] == ["EXE"], "Kunpeng's form: sampled is what is counted, not taken off", samples
    )
    model = (out / "models/hip9.json").read_text(encoding="utf-8")
    check(model.count('"ScaleUnit":"100%"') == len(nodes), "Kunpeng's form: fractions of 100 %", model)
    check("armv8" not in model, "Kunpeng's form: no PMU in a formula", model)
    events = json.loads((out / "events/hip9.json").read_text(encoding="utf-8"))["Events"]
    codes = {event["EventName"]: event["EventCode"] for event in events}
    wanted = {"R201D": "0x201d", "R7005": "0x7005", "EXE": "0x7001"}
    check(
        {name: codes.get(name) for name in wanted} == wanted and "R7001" not in codes,
        "Kunpeng's form: events of codes",
        codes,
    )


def check_arm_identity(folder):
    """Arm's files say which core they are of; where one does not, the example is of arm64 as well."""
    source = folder / "telemetry"
    source.mkdir()
    product = {"implementer": "0x41", "part_num": "0xd9f"}
    for name, words in (("lumex-n9", {"product_configuration": product}), ("lumex-n8", {})):
        events = {"CPU_CYCLES": {"code": "0x11"}, "INST_RETIRED": {"code": "0x08"}}
        (source / f"{name}.json").write_text(json.dumps({**words, "events": events}), encoding="utf-8")
    out = folder / "out of telemetry"
    result = topdown("import", "--from", "arm", "-o", out, source)
    check_success(result, "two files of Arm's")
    rows = (out / "events/mapfile.csv").read_text(encoding="utf-8").splitlines()
    check("0x00000000410fd9f0,v1,lumex-n9,core," in rows, "the MIDR of its row", rows)
    check("-,v1,lumex-n8,core," in rows, "no MIDR", rows)
    check("of lumex-n8:" in result.stdout and "Intel" not in result.stdout, "the example", result.stdout)


def check_arm_tree(folder):
    """A node to which nodes of another branch lead as well stands below the one nearest to the root."""
    source = folder / "branches"
    source.mkdir()
    leads = {
        "backend_bound": ["backend_core_bound", "backend_mem_bound"],
        "backend_core_bound": ["backend_wait_bound"],
        "backend_wait_bound": ["backend_mem_bound", "Some_Group"],
        "backend_mem_bound": ["backend_near_bound"],
        "backend_near_bound": ["backend_bound"],
    }
    metric = {"formula": "STALL / CPU_CYCLES * 100", "units": "percent of ilock cycles from cme"}
    tree = {
        "root_nodes": ["backend_bound"],
        "metrics": [{"name": name, "next_items": items} for name, items in leads.items()],
    }
    data = {
        "product_configuration": {"implementer": "0x41", "part_num": "0xd9e"},
        "events": {
            "CPU_CYCLES": {"code": "0x11"},
            "STALL": {"code": "0x3c"},
            "INST_RETIRED": {"code": "0x08"},
        },
        "metrics": {name: {**metric, "title": name} for name in leads},
        "groups": {"metrics": {}},
        "methodologies": {"topdown_methodology": {"decision_tree": tree}},
    }
    (source / "lumex-n7.json").write_text(json.dumps(data), encoding="utf-8")
    out = folder / "out of branches"
    check_success(topdown("import", "--from", "arm", "-o", out, source), "a tree with references")
    result = topdown("list", "nodes", "--db", out, "--cpu", "lumex-n7", "--format", "json")
    nodes = {row["name"]: row for row in json.loads(result.stdout or '{"nodes": []}')["nodes"]}
    parents = {
        "backend_bound": None,
        "backend_core_bound": "backend_bound",
        "backend_wait_bound": "backend_core_bound",
        "backend_mem_bound": "backend_bound",
        "backend_near_bound": "backend_mem_bound",
    }
    found = {name: row["parent"] for name, row in nodes.items()}
    check(found == parents, "a tree with references: parents", found)
    check({row["unit"] for row in nodes.values()} == {"%"}, "percent of stalled cycles", nodes)


def check_failed(folder):
    out, empty = folder / "failed", folder / "empty"
    empty.mkdir()
    source = folder / "pmu-events/arch/arm64/arm/neoverse-n9"
    for words, part in (
        (["--from", "perfmon", empty], "events"),
        (["--from", "perf", empty], "no events in it"),
        (["--from", "arm", empty], "no CPU of this form"),
        (["--from", "perf", "--cpu", "spr", source], "no such CPU"),
        (["--from", "perf", source / "core.json"], f"takes the folder that it is in, {source}"),
        (["--from", "arm", source / "core.json"], "is a file"),
        (["--from", "perfmon", source / "core.json"], "is a file"),
        (["--from", "perf", source, source / "core.json"], "is a file"),
    ):
        check_failure(topdown("import", "-o", out, *words), f"{words}", part)
        check(not out.exists(), f"{words}: nothing is left", sorted(out.rglob("*")) if out.exists() else None)
    check_failure(
        topdown("import", "-o", out, "--from", "perf", "core.json", cwd=source),
        "a file here",
        "the folder that it is in, .",
    )


with temporary() as here:
    check_next(here)
    check_left_out(here)
    check_architecture(here)
    check_arm_identity(here)
    check_arm_tree(here)
    check_failed(here)
finish()
