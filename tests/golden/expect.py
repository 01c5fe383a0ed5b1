#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Write or check expected.json of every case in this folder, straight from the vendors' published formulas.

usage: expect.py [--check] [REFERENCE_DIR [CASE...]]   default: tests/reference, which
tests/fetch-reference.sh fills

This shares nothing with topdown and its import: Intel's values come from the flattened formulas and
thresholds over letters, not from those that refer to other metrics; AMD's from Linux' pipeline.json and
recommended.json; Arm's from the telemetry files. The thresholds of AMD and Arm, which are topdown's own,
stand below once more.

Values are in the unit that topdown prints (percent for the tree). A value that needs a count that the case
does not have is null and has no over_threshold. --check compares with a relative error of 1e-9; it exits with
77 when the reference folder is not there, as tests do that are skipped.
"""
import ast
import functools
import json
import math
import re
import sys
from pathlib import Path

import expect_generic
import expect_sheet

HERE = Path(__file__).resolve().parent
SKIPPED = 77
INTEL = {  # name: platform, and the metrics file where it is not the name's
    "haswell": "HSW",
    "haswellx": "HSX",
    "broadwell": "BDW",
    "broadwellx": "BDX",
    "icelake": "ICL",
    "icelakex": "ICX",
    "tigerlake": "TGL",
    "sapphirerapids": "SPR",
    "sapphirerapidshbm": "SPR",
    "emeraldrapids": "EMR",
    "graniterapids": "GNR",
    "sierraforest": "SRF",
    "grandridge": "GRR",
    "clearwaterforest": "CWF",
}
# name: folder of pmu-events whose metrics it has, and the core type; those with a tree in perfmon are newer
# here
LINUX = {
    "sandybridge": "sandybridge",
    "jaketown": "jaketown",
    "ivybridge": "ivybridge",
    "ivytown": "ivytown",
    "broadwellde": "broadwellde",
    "alderlaken": "alderlaken",
    "skylake": "skylake",
    "skylakex": "skylakex",
    "cascadelakex": "cascadelakex",
    "rocketlake": "rocketlake",
    "alderlake:core": "alderlake cpu_core",
    "alderlake:atom": "alderlake cpu_atom",
    "meteorlake:core": "meteorlake cpu_core",
    "meteorlake:atom": "meteorlake cpu_atom",
    "lunarlake:core": "lunarlake cpu_core",
    "lunarlake:atom": "lunarlake cpu_atom",
    "arrowlake:core": "arrowlake cpu_core",
    "arrowlake:atom": "arrowlake cpu_atom",
    "arrowlake:lowpower": "meteorlake cpu_atom",
}
NO_L3 = re.compile(
    ".*_(ifetch.*_with_l3miss|with_l3hit|with_l2miss)"
)  # arrowlake:lowpower: Meteor Lake's core, without an L3
EFFICIENT = (
    "sierraforest",
    "grandridge",
    "clearwaterforest",
    "elkhartlake",
    "alderlaken",
    "alderlake:atom",
    "meteorlake:atom",
    "lunarlake:atom",
    "arrowlake:atom",
    "arrowlake:lowpower",
)
AMD = ("amdzen1", "amdzen2", "amdzen3", "amdzen4", "amdzen5", "amdzen6")
LINUX_FOLDER, LINUX_NAME = "linux-7.3/x86", "Linux 7.3 pmu-events x86"

# Percent; the names of a threshold are joined by 'and' (all must hold) or 'or'.
AMD_THRESHOLDS = """
frontend_bound: frontend_bound > 15
bad_speculation: bad_speculation > 15
backend_bound: backend_bound > 20
retiring: retiring > 70 or MICROCODE > 10
smt_contention: smt_contention > 20
LATENCY: LATENCY > 10 and frontend_bound > 15
BANDWIDTH: BANDWIDTH > 10 and frontend_bound > 15
MISPREDICTS: MISPREDICTS > 10 and bad_speculation > 15
RESTARTS: RESTARTS > 5 and bad_speculation > 15
MEMORY: MEMORY > 20 and backend_bound > 20
CPU: CPU > 10 and backend_bound > 20
FASTPATH: FASTPATH > 60
MICROCODE: MICROCODE > 10
"""
AMD_LEVEL_2 = dict(
    amdzen4=dict(
        LATENCY="frontend_bound_latency",
        BANDWIDTH="frontend_bound_bandwidth",
        MISPREDICTS="bad_speculation_mispredicts",
        RESTARTS="bad_speculation_pipeline_restarts",
        MEMORY="backend_bound_memory",
        CPU="backend_bound_cpu",
        FASTPATH="retiring_fastpath",
        MICROCODE="retiring_microcode",
    ),
    amdzen5=dict(
        LATENCY="frontend_bound_by_latency",
        BANDWIDTH="frontend_bound_by_bandwidth",
        MISPREDICTS="bad_speculation_from_mispredicts",
        RESTARTS="bad_speculation_from_pipeline_restarts",
        MEMORY="backend_bound_by_memory",
        CPU="backend_bound_by_cpu",
        FASTPATH="retiring_from_fastpath",
        MICROCODE="retiring_from_microcode",
    ),
)
AMD_LEVEL_2["amdzen6"] = AMD_LEVEL_2["amdzen5"]
ARM_LIMITS = dict(
    frontend_bound=15,
    bad_speculation=15,
    backend_bound=20,
    retiring=70,
    frontend_stalled_cycles=15,
    backend_stalled_cycles=20,
)
ARM_FILES = {
    "c1-ultra": "arm-c1-ultra-r0p0-pmu",
    "c1-premium": "arm-c1-premium-r0p0-pmu",
    "c1-pro": "arm-c1-pro-r1p2-pmu",
    "c1-nano": "arm-c1-nano-r0p0-pmu",
}  # of names that differ


class Missing(Exception):
    """A count that a formula needs is not in the case."""


# Evaluation: Python reads the formula, the walk below gives it perf's meaning.


def divide(a, b):
    return a / b if b else math.nan


def d_ratio(a, b):
    """perf's, but for x / 0: perf says 0, we say that it is not known (models/README.md)."""
    return 0.0 if a == b == 0 else divide(a, b)


CALLS = dict(
    min=lambda a, b: a if a < b else b,
    max=lambda a, b: a if a > b else b,
    d_ratio=d_ratio,
    has_event=lambda name: 1.0,
    source_count=lambda name: 1.0,
)


class Meaning(ast.NodeTransformer):
    """Python's division raises where perf's gives NaN; numbers are all doubles."""

    def visit_BinOp(self, node):
        self.generic_visit(node)
        if not isinstance(node.op, ast.Div):
            return node
        return ast.copy_location(ast.Call(ast.Name("divide", ast.Load()), [node.left, node.right], []), node)

    def visit_Constant(self, node):
        return ast.copy_location(ast.Constant(float(node.value)), node)


def is_times(node):
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult)


class Brackets(ast.NodeTransformer):
    """Intel's client files say events * (27 * f) - (3 * f), where Linux and their own server files have
    events * (24 * f)."""

    def visit_BinOp(self, node):
        self.generic_visit(node)
        left, right = node.left, node.right
        if not (isinstance(node.op, ast.Sub) and is_times(left) and is_times(right) and is_times(left.right)):
            return node
        one, other = left.right, right
        if not (isinstance(one.left, ast.Constant) and isinstance(other.left, ast.Constant)) or ast.dump(
            one.right
        ) != ast.dump(other.right):
            return node
        each = ast.BinOp(one, ast.Sub(), other)
        return ast.copy_location(ast.BinOp(left.left, ast.Mult(), each), node)


class Names(dict):
    """What a formula's names stand for, asked one by one."""

    def __init__(self, look_up):
        super().__init__(CALLS, divide=divide)
        self.look_up = look_up

    def __missing__(self, name):
        return self.look_up(name)


@functools.lru_cache(maxsize=None)
def parse(text):
    tree = Meaning().visit(Brackets().visit(ast.parse(text.strip(), mode="eval")))
    return compile(ast.fix_missing_locations(tree), "formula", "eval")


def walk(code, look_up):
    return eval(code, {"__builtins__": {}}, Names(look_up))


def evaluate(text, look_up):
    """Value of a formula over plain names; None when a count is missing."""
    try:
        return walk(parse(text), look_up)
    except Missing:
        return None


def threshold_holds(text, look_up):
    return evaluate(re.sub(r"&&?", " and ", re.sub(r"\|\|?", " or ", text)), look_up)


# The case: counts under one spelling

FIELDS = {
    "retiring": "retiring",
    "bad-spec": "bad_speculation",
    "fe-bound": "frontend_bound",
    "be-bound": "backend_bound",
    "heavy-ops": "heavy_operations",
    "br-mispredict": "branch_mispredicts",
    "fetch-lat": "fetch_latency",
    "mem-bound": "memory_bound",
}  # of PERF_METRICS, as the kernel and as Intel call them


@functools.lru_cache(maxsize=None)
def spelling(name):
    """Any spelling of an event with modifiers as name:modifier..., lower case, modifiers in a fixed order."""
    field = re.fullmatch(r"(?:\w+@)?topdown\\-([a-z\\-]+)@?", name)
    if field:
        return "perf_metrics." + FIELDS[field.group(1).replace("\\", "")]
    at_form = re.fullmatch(r"\w+@([^\\@]+)((?:\\,[a-z_]+(?:\\=[^\\@]+)?)*)@([ukR]?)", name)
    if at_form:
        letters = dict(
            cmask="c{}",
            edge="e{}",
            inv="i{}",
            eq="eq{}",
            any="any{}",
            umask="u{:#x}",
            offcore_rsp="ocr_msr_val={:#x}",
        )
        terms = re.findall(r"([a-z_]+)(?:\\=(0x[0-9a-f]+|\d+))?", at_form.group(2))
        modifiers = [letters[term].format(int(value or "1", 0)) for term, value in terms]
        return spelling(":".join([at_form.group(1)] + modifiers + list(at_form.group(3))))
    base, *modifiers = name.lower().split(":")
    same = dict(sup="k", user="u", r="retire_latency")
    modifiers = [same.get(modifier, modifier) for modifier in modifiers if modifier != "perf_metrics"]
    return ":".join([base] + sorted(modifiers))


class Case:
    def __init__(self, folder):
        self.folder = folder
        data = json.loads((folder / "counts.json").read_text(encoding="utf-8"))
        self.cpu, self.smt = data["cpu"], data.get("smt", 0)
        self.constants = data.get("constants", {})
        self.counts = {spelling(name): float(value) for name, value in data["counts"].items()}

    def count(self, name):
        if spelling(name) in self.counts:
            return self.counts[spelling(name)]
        return self.tool(spelling(name))

    def tool(self, name):
        """What needs no counter: wall time, and the time stamps of that time."""
        seconds = self.constants.get("DURATIONTIMEINMILLISECONDS", math.nan) / 1000
        value = dict(
            duration_time=seconds, tsc=seconds * self.constants.get("SYSTEM_TSC_FREQ", math.nan)
        ).get(name)
        if value is None or math.isnan(value):
            raise Missing(name)
        return value

    def may_read(self, names):
        """Counts that a formula reads, or would read if a condition in it were another."""

    def constant(self, name):
        """Intel's constants by their published names."""
        if name.isdigit():
            return float(name)
        if name == "HYPERTHREADING_ON":
            return float(self.smt)
        if name == "THREADS_PER_CORE":
            return 1.0 + self.smt
        if name == "DURATIONTIMEINSECONDS":
            return self.constant("DURATIONTIMEINMILLISECONDS") / 1000
        key = "#num_cpus_online" if name.startswith("system.sockets") else name
        if key not in self.constants:
            raise Missing(name)
        return float(self.constants[key])


def entry(value, over):
    """One expected value; over is None when there is no threshold."""
    if value is None or math.isnan(value):
        return dict(value=None)
    return dict(value=value) if over is None else dict(value=value, over_threshold=bool(over))


# Intel


def intel_value(metric, case):
    events = {event["Alias"]: event["Name"] for event in metric["Events"]}
    constants = {constant["Alias"]: constant["Name"] for constant in metric["Constants"]}

    def look_up(alias):
        if alias == "NA":
            return math.nan
        return case.count(events[alias]) if alias in events else case.constant(constants.get(alias, alias))

    text = metric["Formula"].replace("#NA", "NA").replace("> =", ">=")
    for alias in re.findall(r"(\w+)\[0\]", text):
        if alias in events:  # one unit, of one socket: what is divided by it is of all sockets already
            events[alias] += ":one_unit"
            text = text.replace(" * socket_count", "")
    case.may_read(events.values())
    return evaluate(text.replace("[0]", ""), look_up)


def named_threshold(text, values):
    """The efficient cores' thresholds name metrics, and compare percentages with fractions."""
    found = {}

    def plain(match):
        found[f"metric{len(found)}"] = values[match.group(0)]
        return f"metric{len(found) - 1}{' / 100' if match.group(1) else ''}"

    return re.sub(r"metric_TMA_[\w.]*(\(%\))?", plain, text), found


def intel_over(metric, values):
    threshold = metric.get("Threshold") or {}
    text = threshold.get("Formula", "")
    if not text:
        return None
    if "ThresholdMetrics" in threshold:
        named = {row["Alias"]: values[row["Value"]] for row in threshold["ThresholdMetrics"]}
    else:
        text, named = named_threshold(text, values)
    return threshold_holds(text, lambda alias: math.nan if named[alias] is None else named[alias])


def intel_expected(case, reference):
    platform, *file = INTEL[case.cpu].split()
    path = f"intel/{platform}/metrics/{file[0] if file else case.cpu + '_metrics'}.json"
    metrics = read_json(reference / path)["Metrics"]
    values = {metric["LegacyName"]: intel_value(metric, case) for metric in metrics}
    if all(metric["MetricName"] != "HBM_Bound" for metric in metrics):
        lost = [metric for metric in metrics if "hbm_bound" in metric.get("BaseFormula", "")]
        names = [f"tma_{metric['MetricName'].lower()}" for metric in lost]
        lost += [metric for metric in metrics if any(name in metric.get("BaseFormula", "") for name in names)]
        linux = linux_metrics(case, reference, case.cpu, []) if lost else {}
        values.update(
            {
                metric["LegacyName"]: linux_scaled("tma_" + metric["MetricName"].lower(), linux, case)
                for metric in lost
            }
        )
    nodes, others = {}, {}
    for metric in metrics:
        is_tma = metric["Category"] == "TMA"
        name = "tma_" + metric["MetricName"].lower() if is_tma else metric["MetricName"]
        is_node = is_tma and not metric["MetricName"].startswith(("Info_", "Bottleneck_"))
        into = nodes if is_node else others
        into[name] = entry(values[metric["LegacyName"]], intel_over(metric, values))
    return (
        f"intel/perfmon {path[6:]}",
        nodes,
        {**others, **linux_others(case, reference, {**nodes, **others})},
    )


# Linux


def linux_name(name):
    return name.replace("%_", "").replace(" ", "")


def linux_literal(name, case):
    if name == "#SMT_on":
        return float(case.smt)
    if name in ("#core_wide", "#has_pmem"):
        return float(case.constants.get(name, 0))
    return case.constant(
        {"#SYSTEM_TSC_FREQ": "SYSTEM_TSC_FREQ", "#chas_per_socket": "CHAS_PER_SOCKET"}.get(name, name)
    )


def linux_value(name, metrics, case):
    """Each once for a case: formulas refer to each other many times."""
    if name == "tma_info_core_core_clks" and not case.smt:
        name = "tma_info_thread_clks"  # Linux asks for the share of the idle sibling here too, which is 1
    if name not in case.known:
        try:
            case.known[name] = linux_formula(name, metrics, case)
        except Missing as missing:
            case.known[name] = missing
    if isinstance(case.known[name], Missing):
        raise case.known[name]
    return case.known[name]


def linux_formula(name, metrics, case):
    if name in metrics:
        expr = re.sub(r"\\,cpu=\w+", "", metrics[name]["MetricExpr"])  # on the CPUs of that core type
        expr = re.sub(
            r"([A-Z][\w.]+)@(offcore_rsp[^@]*)@", r"cpu@\1\\,\2@", expr
        )  # no PMU has the event's name
        expr = re.sub(
            r"source_count\(UNC_CHA_\w+\)", "#chas_per_socket", expr
        )  # units of which a count is the sum
        expr = re.sub(
            r"(?:cpu_core@)?TOPDOWN\.SLOTS@? / 2\) if", "TOPDOWN.SLOTS:percore / 2) if", expr
        )  # as perfmon has it
        expr = re.sub(
            r"(UOPS\\,cmask\\=0x8\\,inv\\=0x1)@", r"\1\\,eq\\=0x1@", expr
        )  # Lion Cove: Intel's own text has UOPS:c8:i1:eq1, 1 to 7 of them
        text, names = plain_names(expr)
        case.may_read(
            name
            for name in names.values()
            if name not in metrics and not name.startswith("#") and name != "cycles"
        )
        return walk(parse(text), lambda short: linux_value(names[short], metrics, case))
    name = {"msr@tsc@": "TSC", "cycles": case.cycles}.get(name, name)
    return linux_literal(name, case) if name.startswith("#") else case.count(name)


def linux_scaled(name, metrics, case):
    try:
        value = linux_value(name, metrics, case)
    except Missing:
        return None
    scale = re.match(r"[0-9.]+(?:[eE]-?[0-9]+)?", metrics[name].get("ScaleUnit", "1"))
    return value * (float(scale.group(0)) if scale else 1)


def linux_over(name, metrics, case):
    text = metrics[name].get("MetricThreshold")
    if not text:
        return None
    text, names = plain_names(re.sub("&", " and ", text.replace("|", " or ")))

    def look_up(short):
        try:
            return linux_value(names[short], metrics, case)
        except Missing:
            return math.nan

    return walk(parse(text), look_up)


def linux_metrics(case, reference, folder, unit):
    case.known = {}
    case.cycles = "CPU_CLK_UNHALTED.CORE" if case.cpu in EFFICIENT else "CPU_CLK_UNHALTED.THREAD"
    paths = sorted((reference / LINUX_FOLDER / folder).glob("*.json"))
    rows = [row for path in paths for row in read_json(path) if "MetricName" in row]
    return {
        linux_name(row["MetricName"]): row for row in rows if not unit or row.get("Unit", unit[0]) == unit[0]
    }


def linux_others(case, reference, there):
    """What Linux has beside the metrics of perfmon that are there: no nodes."""
    metrics = linux_metrics(case, reference, case.cpu, [])
    known = {linux_name(name).lower() for name in there}
    return {
        name: entry(linux_scaled(name, metrics, case), linux_over(name, metrics, case))
        for name in metrics
        if name.lower() not in known and "TopdownL" not in metrics[name].get("MetricGroup", "")
    }


def linux_expected(case, reference):
    folder, *unit = LINUX[case.cpu].split()
    metrics = linux_metrics(case, reference, folder, unit)
    if case.cpu == "arrowlake:lowpower":
        text = json.dumps({name: row for name, row in metrics.items() if not NO_L3.match(name)})
        metrics = json.loads(text.replace("cpu_atom", "cpu_lowpower"))
    found = {
        name: entry(linux_scaled(name, metrics, case), linux_over(name, metrics, case)) for name in metrics
    }
    nodes = {name: found[name] for name in metrics if "TopdownL" in metrics[name].get("MetricGroup", "")}
    return f"{LINUX_NAME}/{folder}", nodes, {name: found[name] for name in metrics if name not in nodes}


# AMD


def plain_names(text):
    """The formula with every dotted or @ name replaced by a plain one, and what stands for what."""
    names = {}

    def plain(match):
        if match.group(0) in CALLS or match.group(0) in ("if", "else", "and", "or"):
            return match.group(0)
        return names.setdefault(match.group(0), f"name{len(names)}")

    text = re.sub(
        r"[\w.]+@[^@]*@[ukR]?|#\w+|(?<![\w.])[A-Za-z_](?:[\w.:]|\\.)*|(?<![\w.])[0-9]+[A-Z_][\w.]*",
        plain,
        text,
    )
    return text, {short: name for name, short in names.items()}


def amd_value(name, metrics, case):
    if name not in metrics:
        return case.count("ex_ret_instr" if name == "instructions" else name)
    text, names = plain_names(metrics[name]["MetricExpr"])
    return walk(parse(text), lambda short: amd_value(names[short], metrics, case))


def amd_scaled(name, metrics, case):
    try:
        value = amd_value(name, metrics, case)
    except Missing:
        return None
    scale = re.match(r"[0-9.]+(?:[eE]-?[0-9]+)?", metrics[name].get("ScaleUnit", "1"))
    return value * float(scale.group(0))


def amd_over(name, values, renamed):
    rules = dict(line.split(": ") for line in AMD_THRESHOLDS.strip().splitlines())
    rule = rules.get({full: short for short, full in renamed.items()}.get(name, name))

    def look_up(word):
        value = values[renamed.get(word, word)]
        return math.nan if value is None else value

    return evaluate(rule, look_up)


def amd_expected(case, reference):
    rows = [
        row
        for path in sorted((reference / LINUX_FOLDER / case.cpu).glob("*.json"))
        for row in read_json(path)
    ]
    metrics = {row["MetricName"]: row for row in rows if "MetricName" in row}
    values = {name: amd_scaled(name, metrics, case) for name in metrics}
    nodes = {
        name: entry(values[name], amd_over(name, values, AMD_LEVEL_2.get(case.cpu, {})))
        for name in metrics
        if "PipelineL" in metrics[name].get("MetricGroup", "")
    }
    others = {name: entry(values[name], None) for name in metrics if name not in nodes}
    return f"{LINUX_NAME}/{case.cpu}", nodes, others


# Arm


def arm_parents(tree, metrics):
    """The node above each node, which is the one nearest to the roots of those that lead to it; a node that
    none leads to belongs to the root of the same first word."""
    items = {node["name"]: node["next_items"] for node in tree["metrics"]}
    roots = tree["root_nodes"]
    parents, waiting = dict.fromkeys(roots), list(roots)

    def spread():
        while waiting:
            node = waiting.pop(0)
            for item in items.get(node, []):
                if item in metrics and item not in parents:
                    parents[item] = node
                    waiting.append(item)

    spread()
    for name in items:
        if name not in parents:
            same = [root for root in roots if root.split("_")[0] == name.split("_")[0]]
            parents[name] = same[0] if same else None
            waiting.append(name)
            spread()
    return {name: parent for name, parent in parents.items() if name not in roots}


def arm_over(name, values, parents):
    while name:
        value = values[name]
        if value is None or not value > ARM_LIMITS.get(name, 20):
            return False
        name = parents.get(name)
    return True


def arm_expected(case, reference):
    path = source_path(case.cpu, reference)
    data = read_json(path)
    tree = data["methodologies"]["topdown_methodology"]["decision_tree"]
    values, nodes, others = {}, {}, {}
    for name, metric in data["metrics"].items():
        text, names = plain_names(metric["formula"])
        values[name] = evaluate(text, lambda short, names=names: case.count(names[short]))
    parents = arm_parents(tree, data["metrics"])
    for name, value in values.items():
        if name in tree["root_nodes"] or name in parents:
            nodes[name] = entry(value, arm_over(name, values, parents))
        else:
            others[name] = entry(value, None)
    return f"Arm telemetry-solution {path.name}", nodes, others


# Writing and checking


@functools.lru_cache(maxsize=None)
def read_json(path):
    return json.loads(path.read_text(encoding="utf-8"))


def source_path(cpu, reference):
    """Where a CPU's own formulas are; the reference itself for CPUs of its older parts."""
    if cpu in expect_sheet.SHEETS:
        return reference / "tma"
    if cpu in expect_generic.LINUX_ARM:
        return reference / expect_generic.ARM64 / expect_generic.LINUX_ARM[cpu]
    if cpu in expect_generic.WITHOUT_METRICS:
        return reference / expect_generic.ARM64 / expect_generic.WITHOUT_METRICS[cpu]
    if cpu.startswith(("neoverse-", "c1-")):
        return reference / "arm" / f"{ARM_FILES.get(cpu, cpu)}.json"
    return reference


def expected(case, reference):
    if case.cpu in expect_sheet.SHEETS:
        source, nodes, others = expect_sheet.sheet_expected(sys.modules[__name__], case, reference)
        return dict(cpu=case.cpu, source=source, nodes=nodes, metrics=others)
    generic = expect_generic.reader(case.cpu)
    if generic:
        source, nodes, others = generic(sys.modules[__name__], case, reference)
        if generic in (expect_generic.linux_arm_expected, expect_generic.generic_arm_expected):
            others |= expect_generic.system_expected(sys.modules[__name__], case, reference)
        return dict(cpu=case.cpu, source=source, nodes=nodes, metrics=others)
    readers = ((INTEL, intel_expected), (LINUX, linux_expected), (AMD, amd_expected))
    reader = next((reader for cpus, reader in readers if case.cpu in cpus), arm_expected)
    source, nodes, others = reader(case, reference)
    if reader == arm_expected:
        others |= expect_generic.system_expected(sys.modules[__name__], case, reference)
    if case.cpu == "clearwaterforest":  # Darkmont, whose tree nobody publishes
        nodes = expect_generic.generic_intel_expected(sys.modules[__name__], case, reference)[1]
    return dict(cpu=case.cpu, source=source, nodes=nodes, metrics=others)


def lines(entries):
    return ",\n".join(f"  {json.dumps(name)}: {json.dumps(value)}" for name, value in entries.items())


def write(case, result):
    text = (
        f'{{ "cpu": {json.dumps(result["cpu"])}, "source": {json.dumps(result["source"])},\n'
        f' "nodes": {{\n{lines(result["nodes"])} }},\n "metrics": {{\n{lines(result["metrics"])} }} }}\n'
    )
    (case.folder / "expected.json").write_text(text, encoding="utf-8")


def same(a, b):
    if a.get("over_threshold") != b.get("over_threshold") or None in (a["value"], b["value"]):
        return a == b
    return math.isclose(a["value"], b["value"], rel_tol=1e-9)


def differences(old, new):
    """What the file says and the formulas do not, one line each."""
    for kind in ("nodes", "metrics"):
        for name in {**old[kind], **new[kind]}:
            a, b = old[kind].get(name), new[kind].get(name)
            if a is None or b is None or not same(a, b):
                yield f"{name}: file {a}, formulas {b}"


def check(case, result):
    found = list(differences(read_json(case.folder / "expected.json"), result))
    for line in found:
        print(f"{case.folder.name}: {line}")
    return not found


def main(arguments):
    checking = arguments[:1] == ["--check"]
    arguments = arguments[checking:]
    reference = Path(arguments[0]) if arguments else HERE.parent / "reference"
    if not (reference / "intel").is_dir():
        print(
            f"expect.py: skipped, the vendors' data are not at {reference}; tests/fetch-reference.sh fetches"
            " them"
        )
        return SKIPPED
    names = arguments[1:] or sorted(path.parent.name for path in HERE.glob("*/counts.json"))
    good = True
    for case in (Case(HERE / name) for name in names):
        result = expected(case, reference)
        if checking:
            good = check(case, result) and good
        else:
            write(case, result)
    print(
        f"expect.py: {len(names)} cases"
        f" {'checked' if checking else 'written'}{'' if good else ', with differences'}"
    )
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
