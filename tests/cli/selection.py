#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""selection.py - what --nodes, --groups and --metrics select, against a reader of models/*.json that shares
no code with the program."""
import csv
import io
import json
import random
import re
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import (
    EVERY,
    SOURCE,
    check,
    check_failure,
    check_success,
    common_metrics,
    finish,
    read_json,
    some,
    system_rows,
    temporary,
    topdown,
)

COUNTS = {
    "cascadelakex": "clx-dram",
    "sapphirerapids": "spr-vector",
    "amdzen4": "zen4-frontend",
    "neoverse-v1": "v1-retiring",
}
DRAWS = 60 // EVERY  # random lists a CPU
FORMATS = ("text", "json", "csv", "markdown")


def regex(glob):
    """A shell pattern without brackets, for whole names in any case."""
    return re.compile("".join({"*": ".*", "?": "."}.get(c, re.escape(c)) for c in glob), re.I)


class Metric:
    def __init__(self, row):
        self.name, self.title = row["MetricName"], row["Title"]
        self.groups = [group for group in row.get("MetricGroup", "").split(";") if group]
        self.level = next((int(group[-1]) for group in self.groups if re.fullmatch(r"TopdownL\d", group)), 0)
        self.names, self.parent, self.children = {self.name, self.title}, None, []

    def paths(self):
        """All that may be typed for a node: any names of itself and of what is above it, from anywhere on."""
        own = self.names | {name.removeprefix("tma_") for name in self.names}
        found, node, below = set(own), self, self.title
        while node.parent:
            node = node.parent
            found |= {
                f"{name}.{below}" for name in node.names | {name.removeprefix("tma_") for name in node.names}
            }
            below = f"{node.title}.{below}"
        return found

    def tails(self):
        """The last parts of an Info metric's name."""
        words = self.name.split("_") if self.name.startswith("tma_info_") else []
        return {"_".join(words[i:]) for i in range(1, len(words))}

    def subtree(self):
        return {self}.union(*(child.subtree() for child in self.children))

    def ancestors(self):
        return {self.parent} | self.parent.ancestors() if self.parent else set()


class Model:
    def __init__(self, cpu):
        self.cpu = cpu
        rows = read_json(SOURCE / f"models/{cpu}.json")["Metrics"] + system_rows("Metrics", cpu)
        self.metrics = [Metric(row) for row in rows]
        common = common_metrics({row["MetricName"] for row in rows})
        titles = {
            row["MetricName"]: row["Title"]
            for row in read_json(SOURCE / "models/common.json")["Metrics"]
            if "Title" in row
        }
        self.metrics += [
            Metric({"MetricName": name, "Title": titles[name]})
            for name, vendors in common.items()
            if not vendors
        ]
        for metric in self.metrics:
            metric.names |= {name for name, vendors in common.items() if vendors == metric.name}
        by_name = {metric.name: metric for metric in self.metrics}
        for metric in self.metrics:
            parents = [
                by_name.get(group.removesuffix("_group"))
                for group in metric.groups
                if group.endswith("_group")
            ]
            metric.parent = next(
                (parent for parent in parents if parent and parent.level and metric.level > 1), None
            )
            if metric.parent:
                metric.parent.children.append(metric)
        self.nodes = [metric for metric in self.metrics if metric.level]
        self.others = [metric for metric in self.metrics if not metric.level]
        glossary = read_json(SOURCE / "models/glossary.json")
        for names in glossary["Header"]["SameNode"]:
            owner = next((by_name[name] for name in names if name in by_name), None)
            if owner:
                owner.names |= {name for name in names if name not in by_name}

    def below(self, nodes, level):
        return {node for top in nodes for node in top.subtree() if node.level <= level}

    def node_item(self, item, level):
        """The nodes of an item without its sign."""
        pattern, cut, above = item, None, False
        while re.search(r"\^$|/\d$", pattern):
            above |= pattern.endswith("^")
            cut = int(pattern[-1]) if pattern[-1] != "^" else cut
            pattern = re.sub(r"\^$|/\d$", "", pattern)
        wanted = regex(pattern)
        found = {node for node in self.nodes if any(wanted.fullmatch(path) for path in node.paths())}
        if cut:
            found = self.below(found, cut)
        elif level and re.search(r"[*?]", pattern):
            found = {node for node in found if node.level <= level}
        return found | {node for start in found for node in start.ancestors()} if above else found

    def nodes_selected(self, text, level=None):
        selected = set()
        for number, item in enumerate(
            text.removeprefix("!").split(",") if text.startswith("!+") else text.split(",")
        ):
            sign = item[0] if item[0] in "!-+" else ""
            if sign and not number and not text.startswith("!+"):
                selected = {node for node in self.nodes if node.level <= (level or 1)}
            found = self.node_item(item[len(sign) :], None if sign in ("!", "-") else level)
            if sign in ("!", "-"):
                selected -= found if re.search(r"/\d", item) else self.below(found, 9)
            else:
                selected |= found
        return {node.name for node in selected}

    def metrics_selected(self, glob):
        wanted = regex(glob)
        return {
            metric.name
            for metric in self.others
            if any(
                wanted.fullmatch(name)
                for name in metric.names | metric.tails() | {metric.name.removeprefix("tma_")}
            )
        }

    def group_selected(self, group):
        return {
            metric.name for metric in self.metrics if group.lower() in (own.lower() for own in metric.groups)
        }


def counts_of(cpu):
    return SOURCE / "tests/golden" / COUNTS[cpu] / "counts.json"


def reported(cpu, *words):
    """Names of nodes and metrics in the report of the CPU's flat counts."""
    result = topdown("report", counts_of(cpu), *words, "--format", "json")
    check_success(result, f"{cpu} {words}")
    report = json.loads(result.stdout or '{"nodes": [], "metrics": []}')
    return [row["name"] for row in report["nodes"]], [row["name"] for row in report["metrics"]]


def check_nodes(model, text, level=None):
    expected = model.nodes_selected(text, level)
    if not expected:
        check_failure(
            topdown("report", counts_of(model.cpu), f"--nodes={text}", *([f"-l{level}"] if level else [])),
            f"{model.cpu}: {text}",
            "",
        )
        return
    nodes, metrics = reported(model.cpu, f"--nodes={text}", *([f"-l{level}"] if level else []))
    check(
        set(nodes) == expected and len(nodes) == len(expected),
        f"{model.cpu}: --nodes {text!r} -l{level}",
        sorted(set(nodes) ^ expected),
    )
    base = (
        text[0] in "!-+" and not text.startswith("!+") and (level or 1) > 1
    )  # what explains nodes comes along with a level
    check(not metrics or base, f"{model.cpu}: --nodes {text!r}: no metrics", metrics)


def draw_item(random_, model):
    """A name, a glob or a path, with what may stand behind it; no name that only some metrics have."""
    node = random_.choice(model.nodes)
    name = random_.choice(
        [
            node.title,
            node.name,
            node.title.lower(),
            f"{node.parent.title}.{node.title}" if node.parent else node.title,
        ]
    )
    kind = random_.randrange(6)
    if kind == 0:
        return name + "*"
    if kind == 1:
        return name[: random_.randrange(2, len(name))] + "*"
    if kind == 2:
        return name.replace(random_.choice(name), "?")
    return name + random_.choice(["", "^", "/3", "/5^", ""])


def check_random(model):
    random_, checked = random.Random(model.cpu), 0
    for _ in range(DRAWS):
        items = [draw_item(random_, model)]
        for _ in range(random_.randrange(3)):
            item = draw_item(random_, model)
            items.append("!" + item.replace("^", "") if random_.randrange(3) == 0 else item)
        first = random_.choice(["", "", "", "+", "!", "!+"])
        items[0] = first + (items[0].replace("^", "") if first == "!" else items[0])
        level = random_.choice([None, None, 2, 4])
        text = ",".join(items)
        if all(
            model.node_item(
                item.lstrip("!-+"), level if item[0] not in "!-" or item.startswith("!+") else None
            )
            for item in items
        ):
            check_nodes(model, text, level)
            checked += 1
    check(checked > DRAWS / 2, f"{model.cpu}: random lists that could be checked", checked)


def check_model(cpu):
    model = Model(cpu)
    for text in ("Backend_Bound*", "!Retiring", "+Backend_Bound.*", "*_Bound"):
        if cpu != "neoverse-v1":  # its titles have blanks, and its tree one level
            check_nodes(model, text)
            check_nodes(model, text, 2)
    if cpu == "cascadelakex":
        for text in (
            "Memory_Bound^,!Core_Bound,DRAM_Bound*",
            "L3_Miss_Bound*",
            "!+L3_Bound*/4",
            "tma_*_bound",
            "Backend_Bound/3,-Ports_Utilization",
        ):
            check_nodes(model, text)
    check_random(model)
    for glob in ("*", "*mpki*", "*ratio*", "*IPC", "l?_*"):
        expected = model.metrics_selected(glob)
        if expected:
            nodes, metrics = reported(cpu, "--metrics", glob)
            check(
                not nodes and set(metrics) == expected,
                f"{cpu}: --metrics {glob}",
                sorted(set(metrics) ^ expected),
            )
    for group in some(sorted({group for metric in model.metrics for group in metric.groups})):
        nodes, metrics = reported(cpu, "--groups", group.lower())
        check(set(nodes + metrics) == model.group_selected(group), f"{cpu}: --groups {group}")


def check_plan():
    """The plan of a choice has all of it and nothing else."""
    model = Model("cascadelakex")
    for words in (
        ["--nodes", "DRAM_Bound^"],
        ["--metrics", "IPC,L2MPKI"],
        ["--groups", "DSB", "--metrics", "IPC"],
    ):
        result = topdown("plan", "--cpu", "clx", *words, "--format", "json")
        check_success(result, f"plan {words}")
        plan = json.loads(result.stdout)
        completed = {name for run in plan["runs"] for group in run["groups"] for name in group["metrics"]}
        expected = {
            "--nodes": {"tma_backend_bound", "tma_memory_bound", "tma_dram_bound"},
            "--metrics": {"tma_info_thread_ipc", "tma_info_memory_l2mpki"},
            "--groups": model.group_selected("DSB") | {"tma_info_thread_ipc"},
        }[words[0]]
        planned = completed | set(plan["split"])
        check(planned == expected, f"plan {words}", planned)
        check(len(plan["runs"]) < 10, f"plan {words}: runs", len(plan["runs"]))
    check(
        topdown("plan", "--cpu", "clx", "--nodes", "DRAM_Bound^").stdout.startswith(
            "cascadelakex, 3 nodes: "
        ),
        "plan: 3 nodes",
    )
    check(
        json.loads(topdown("plan", "--cpu", "clx", "--metrics", "IPC", "--format", "json").stdout)["level"]
        is None,
        "plan: metrics have no level",
    )
    result = topdown("plan", "--cpu", "clx", "--metrics", "*latency*")
    check_success(result, "metrics of which some need another PMU")
    units = json.loads(
        topdown("plan", "--cpu", "clx", "--metrics", "DRAM_BW_Use", "--format", "json").stdout
    )["units"]
    check(
        [(unit["run"], unit["pmu"], [event["name"] for event in unit["events"]]) for unit in units]
        == [(1, "uncore_imc", ["UNC_M_CAS_COUNT.RD", "UNC_M_CAS_COUNT.WR"])],
        "a metric of another PMU",
        units,
    )


def rows_of(text, form):
    if form == "json":
        return [row["name"] for key in ("nodes", "metrics") for row in json.loads(text)[key]]
    if form == "csv":
        return [row["name"] for row in csv.DictReader(io.StringIO(text)) if row["kind"] in ("node", "metric")]
    return None


def check_formats():
    words = [
        "report",
        counts_of("cascadelakex"),
        "--nodes",
        "Memory_Bound^",
        "--metrics",
        "IPC,IpBranch,DRAM_BW_Use",
    ]
    names = [
        "tma_backend_bound",
        "tma_memory_bound",
        "tma_info_thread_ipc",
        "tma_info_inst_mix_ipbranch",
        "tma_info_system_dram_bw_use",
    ]
    titles = [
        "Backend_Bound",
        "Memory_Bound",
        "Info_Thread_IPC",
        "Info_Inst_Mix_IpBranch",
        "Info_System_DRAM_BW_Use",
    ]
    for form in FORMATS:
        result = topdown(*words, "--format", form)
        check_success(result, f"{form} of a choice")
        rows = rows_of(result.stdout, form)
        if rows is not None:
            check(sorted(rows) == sorted(names), f"{form}: rows", rows)
        check(rows or all(title in result.stdout for title in titles), f"{form}: titles", result.stdout)
        check(rows or "L1_Bound" not in result.stdout, f"{form}: nothing else")
        check(form == "csv" or "Memory_Bound^" in result.stdout, f"{form}: says what was asked for")
    report = json.loads(topdown(*words, "--format", "json").stdout)
    check(
        report["asked"]
        == {"nodes": "Memory_Bound^", "groups": None, "metrics": "IPC,IpBranch,DRAM_BW_Use", "level": None},
        "asked",
    )
    check(report["level"] == 2, "the deepest level", report["level"])


def check_metrics_in_nodes():
    """A name that no node has may be a metric's; ^ takes away."""
    words = ["report", counts_of("cascadelakex")]
    both = json.loads(topdown(*words, "--nodes", "!+Memory_Bound*/3,IPC,*L3MPKI", "--format", "json").stdout)
    tree = json.loads(topdown(*words, "--nodes", "Memory_Bound*/3", "--format", "json").stdout)
    check(
        both["nodes"] == tree["nodes"] and tree["nodes"], "the nodes are those that are named", both["nodes"]
    )
    check(
        [row["name"] for row in both["metrics"]] == ["tma_info_thread_ipc", "tma_info_memory_l3mpki"],
        "metrics in --nodes",
        both["metrics"],
    )
    for form in ("text", "markdown"):
        text = topdown(*words, "--nodes", "Memory_Bound^,IPC", "--format", form).stdout
        check("Info_Thread_IPC" in text and "Memory_Bound" in text, f"{form}: metrics in --nodes", text)
    for sign in "!-^":
        left = json.loads(
            topdown(*words, f"--nodes=Backend_Bound*,{sign}Memory_Bound", "--format", "json").stdout
        )
        check(
            left["nodes"] and not any("Memory_Bound" in row["path"] for row in left["nodes"]),
            f"{sign} takes away",
            left["nodes"],
        )


def check_unjudged():
    """Counts of DRAM_Bound alone: over its threshold, and nothing is known of what is above it."""
    counts = read_json(counts_of("cascadelakex"))
    counts["counts"] = {
        name: value
        for name, value in counts["counts"].items()
        if not name.startswith(("IDQ_UOPS_NOT", "UOPS_ISSUED", "INT_MISC"))
    }
    with temporary() as folder:
        (folder / "counts.json").write_text(json.dumps(counts), encoding="utf-8")
        words = ["report", folder / "counts.json", "--nodes", "DRAM_Bound"]
        node = json.loads(topdown(*words, "--format", "json").stdout)["nodes"][0]
        check(
            node["bottleneck"] is None and node["over_threshold"] is None and node["value"] > 50,
            "JSON: not judged",
            node,
        )
        sheet = csv.DictReader(io.StringIO(topdown(*words, "--format", "csv").stdout))
        row = next(row for row in sheet if row["kind"] == "node")
        check(row["bottleneck"] == "" and row["over_threshold"] == "", "CSV: not judged", row)
        for form in ("text", "markdown"):
            text = topdown(*words, "--format", form).stdout
            check(
                ("? perhaps: a node above" if form == "text" else "may be a bottleneck") in text
                and "Whether DRAM_Bound is a bottleneck is not known" in text,
                f"{form}: not judged",
                text,
            )
        text = topdown(*words).stdout
        check(
            re.search(r"^DRAM_Bound +58.4 \?$", text, re.M) and "none over" not in text and "<==" not in text,
            "text: a mark",
            text,
        )


def check_session():
    """A session shows what it was asked for, until something else is asked."""
    session = read_json(SOURCE / "docs/sample-session.json")
    session |= {"level": 0, "nodes_asked": "Memory_Bound^", "metrics_asked": "IPC"}
    with temporary() as folder:
        path = folder / "run.json"
        path.write_text(json.dumps(session), encoding="utf-8")

        def names(*words):
            result = topdown("report", path, *words, "--format", "json")
            check_success(result, f"report of a session {words}")
            report = json.loads(result.stdout)
            return [row["name"] for key in ("nodes", "metrics") for row in report[key]]

        check(
            names() == ["tma_backend_bound", "tma_memory_bound", "tma_info_thread_ipc"],
            "as it was asked for",
            names(),
        )
        check(
            names("--nodes", "Retiring") == ["tma_retiring"], "--nodes instead", names("--nodes", "Retiring")
        )
        everything = names("-l1")
        check(
            {"tma_retiring", "tma_frontend_bound"} <= set(everything)
            and "tma_memory_bound" not in everything,
            "-l1 instead",
            everything,
        )
        session["nodes_asked"] = "Mmory_Bound"
        path.write_text(json.dumps(session), encoding="utf-8")
        check_failure(topdown("report", path), "a session that asks for nothing known", "Memory_Bound")


def check_hybrid():
    """Two core types, two models: a part that has nothing of what is asked for is left out, with a word."""
    session = read_json(SOURCE / "docs/sample-session.json")
    part = {key: value for key, value in session.items() if key not in ("format", "version")}
    parts = [part | {"cpu": f"alderlake:{name}", "part": f"cpu_{name}"} for name in ("core", "atom")]
    with temporary() as folder:
        path = folder / "run.json"
        path.write_text(
            json.dumps({"format": "topdown-session", "version": 2, "parts": parts}), encoding="utf-8"
        )
        both = topdown("report", path, "--nodes", "Backend_Bound", "--format", "json")
        check_success(both, "a node that both core types have")
        check(
            [part["part"] for part in json.loads(both.stdout)["parts"]] == ["cpu_core", "cpu_atom"],
            "both parts",
            both.stdout,
        )
        one = topdown("report", path, "--nodes", "Ports_Utilization")
        check(
            one.returncode == 0 and "cpu_core" in one.stdout and "cpu_atom" not in one.stdout,
            "a node of one core type",
            one.stdout,
        )
        check(
            "cpu_atom is left out: alderlake:atom has no node 'Ports_Utilization'" in one.stderr,
            "the other is reported",
            one.stderr,
        )
        check_failure(
            topdown("report", path, "--nodes", "L9_Bound"),
            "a node of none",
            "alderlake:core has no node 'L9_Bound'",
        )


for name in COUNTS:
    check_model(name)
check_plan()
check_formats()
check_metrics_in_nodes()
check_unjudged()
check_session()
check_hybrid()
finish()
