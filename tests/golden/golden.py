# SPDX-License-Identifier: GPL-2.0-or-later
"""A golden case as a reader would work it out: expected.json, the tree's shape and marks, what to sample
next.

Numbers come from expected.json (the vendors' formulas, see expect.py) and from the counts. The tree's order,
titles and parents come from models/*.json, event encodings from events/*.json. Nothing is asked of the
program.
"""
import json
import math
import re
from pathlib import Path

from expect import spelling

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
DEFAULT_PERIOD = 1000003
MSR_TERMS = {0x1A6: "offcore_rsp", 0x1A7: "offcore_rsp", 0x3F6: "ldlat", 0x3F7: "frontend"}


def read_json(path):
    return json.loads(Path(path).read_text(encoding="utf-8"))


def number(row, key):
    """The first number of a field such as "0x1a6,0x1a7"; 0 when it is absent."""
    return int(row.get(key, "0").split(",")[0].strip(), 0)


class Events:
    """events/NAME.json"""

    def __init__(self, cpu):
        data = read_json(ROOT / "events" / f"{cpu.replace(':', '-')}.json")
        self.header = data["Header"]
        self.rows = {row["EventName"]: row for row in data["Events"]}

    def terms(self, name, modifiers=()):
        """The terms of an event with modifiers such as c1, e1 as (term, value), those that say nothing left
        out."""
        row = self.rows[name]
        values = [re.fullmatch(r"(ocr_msr_val=|[a-z])(\w*)", modifier).groups() for modifier in modifiers]
        extra = {key: int(value or "1", 0) for key, value in values}
        terms = [
            ("event", number(row, "EventCode")),
            ("umask", extra.get("u", number(row, "UMask") | number(row, "UMaskExt") << 8)),
            ("edge", extra.get("e", number(row, "EdgeDetect"))),
            ("any", number(row, "AnyThread")),
            ("inv", extra.get("i", number(row, "Invert"))),
            ("cmask", extra.get("c", number(row, "CounterMask"))),
            ("eq", number(row, "Equal")),
        ]
        msr = MSR_TERMS.get(number(row, "MSRIndex"))
        if msr:
            terms.append((msr, extra.get("ocr_msr_val=", number(row, "MSRValue"))))
        return terms[:1] + [term for term in terms[1:] if term[1]]

    def perf(self, name, pmu=None, modifiers=()):
        """ "cpu/event=0xc2,umask=0x2" without its last slash"""
        terms = ",".join(f"{term}=0x{value:x}" for term, value in self.terms(name, modifiers))
        return f"{pmu or self.header['Pmu']}/{terms}"

    def command(self, name):
        """The perf record command that samples this event."""
        row = self.rows[name]
        period = number(row, "SampleAfterValue") or DEFAULT_PERIOD
        precise = {0: "", 1: "pp", 2: "ppp"}[number(row, "PEBS")]
        address = "-d " if number(row, "Data_LA") else ""
        return f"perf record {address}-e {self.perf(name)},name={name},period={period}/{precise} -- PROGRAM"

    def can_sample(self, name):
        row = self.rows.get(name)
        return bool(row) and "Unit" not in row and not row.get("Counter", "").startswith("Metric")


class Node:
    """A node or another metric, with what the vendor's formulas say about it."""

    def __init__(self, row, expected):
        self.name, self.groups = row["MetricName"], row.get("MetricGroup", "").split(";")
        self.title = row["Title"]
        levels = [int(group[-1]) for group in self.groups if re.fullmatch(r"TopdownL\d", group)]
        self.level = levels[0] if levels else 0
        self.scale_unit = re.sub(r"^[0-9.]+([eE]-?[0-9]+)?", "", row.get("ScaleUnit", ""))
        self.domain = row.get("CountDomain", "")
        self.samples = [name for name in row.get("LocateWith", "").split(";") if name]
        self.next_groups = [name for name in row.get("NextGroups", "").split(";") if name]
        self.parent, self.children = None, []
        self.raw = expected["value"]
        self.has_threshold = "MetricThreshold" in row
        self.over = bool(expected.get("over_threshold"))
        self.bottleneck = self.worst_path = False

    @property
    def value(self):
        """What is shown: a share of the tree can't leave 0 ... 100 %."""
        if self.raw is None or not self.level or self.scale_unit != "%":
            return self.raw
        return min(max(self.raw, 0.0), 100.0)

    @property
    def path(self):
        return f"{self.parent.path}.{self.title}" if self.parent else self.title

    @property
    def quality(self):
        if self.raw is None:
            return "none"
        if not math.isclose(self.raw, self.value, rel_tol=0, abs_tol=1e-9):
            return "clamped"
        return "estimated" if "Estimated" in self.domain else "exact"

    @property
    def unit(self):
        """ "% slots": how the vendor obtained the number is no part of it"""
        domain = re.sub(r"_(Estimated|Calculated|Retired)$", "", self.domain)
        if self.scale_unit != "%" or domain in ("", "Metric"):
            return self.scale_unit
        return "% " + domain.lower().replace("_", " ")


def common(names):
    """{name: title} of the metrics that models/common.json may add to a model with these names; cli.common
    tests them."""
    rows = read_json(ROOT / "models/common.json")["Metrics"]
    return {
        row["MetricName"]: row["Title"] for row in rows if "Title" in row and row["MetricName"] not in names
    }


def system(cpu):
    """{name: title} of the metrics of systems that the CPU may be in, whose PMUs no case has counted."""
    path = ROOT / f'events/{cpu.replace(":", "-")}.json'
    names = read_json(path)["Header"].get("System", "").split(",")
    rows = [
        row for name in names if name for row in read_json(ROOT / f"models/system/{name}.json")["Metrics"]
    ]
    return {row["MetricName"]: row["Title"] for row in rows}


class Units:
    """The PMUs beside the cores that count what a formula reads, directly or not."""

    def __init__(self, cpu, metrics):
        events = read_json(ROOT / "events" / f"{cpu.replace(':', '-')}.json")["Events"]
        self.units = {event["EventName"].lower(): event["Unit"] for event in events if "Unit" in event}
        self.kernel = {
            (event["Unit"], event.get("KernelEvent")): event["Unit"] for event in events if "Unit" in event
        }
        self.metrics = {row["MetricName"]: row["MetricExpr"] for row in metrics}

    def find(self, name, counts):
        """PMUs of events that were not counted, in the order of the formula."""
        text = self.metrics[name]
        for word in re.findall(
            r"(?:cha|imc|cbox|uncore_cha)_0(?=@)|[\w.]+@[^@]*@|[A-Za-z_][\w.]*(?::\w+)*", text
        ):
            pmu, _, rest = word.partition("@")
            if word in self.metrics and word != name:
                yield from self.find(word, counts)
            elif pmu.split(":")[0].lower() in self.units:
                yield self.units[pmu.split(":")[0].lower()]
            elif pmu in ("cha_0", "imc_0", "cbox_0", "uncore_cha_0"):
                yield f"uncore_{pmu.removeprefix('uncore_')}"
            elif rest and rest.split("\\,")[0].rstrip("@").lower() in self.units:
                yield self.units[rest.split("\\,")[0].rstrip("@").lower()]
            elif rest and pmu in ("power", "cstate_core", "cstate_pkg") or word in ("msr@aperf@", "msr@smi@"):
                yield pmu

    def missing(self, name, counts):
        return ", ".join(sorted(set(self.find(name, counts)))) or None


class Golden:
    def __init__(self, name):
        self.name, self.folder = name, HERE / name
        self.data = read_json(self.folder / "counts.json")
        self.cpu = self.data["cpu"]
        self.counts = {spelling(event): value for event, value in self.data["counts"].items()}
        self.expected = read_json(self.folder / "expected.json")
        model = read_json(ROOT / "models" / f"{self.cpu.replace(':', '-')}.json")
        self.header, self.events = model["Header"], Events(self.cpu)
        known = {**self.expected["nodes"], **self.expected["metrics"]}
        rows = [Node(row, known[row["MetricName"]]) for row in model["Metrics"]]
        units = Units(self.cpu, model["Metrics"])
        for row in rows:
            row.needs = units.missing(row.name, self.counts) if row.raw is None else None
        self.nodes = [row for row in rows if row.level]
        self.metrics = [row for row in rows if not row.level]
        self.system = system(self.cpu)
        self.common = common({row.name for row in rows}) | self.system
        self.link()

    def link(self):
        by_group = {f"{node.name}_group": node for node in self.nodes}
        for node in self.nodes:
            parents = [by_group[group] for group in node.groups if group in by_group]
            if node.level > 1:
                node.parent = parents[0]
                node.parent.children.append(node)
            node.bottleneck = node.over and (not node.parent or node.parent.bottleneck)

    @property
    def tops(self):
        return [node for node in self.nodes if node.level == 1]

    def find_worst(self, level):
        """Marks the worst path down to a level and returns its leaf, or None."""
        for node in self.nodes:
            node.worst_path = False
        leaf, siblings = None, self.tops
        while True:
            found = [node for node in siblings if node.bottleneck and node.level <= level]
            lost = [node for node in found if node.level > 1 or node.title != "Retiring"]
            if not found:
                return leaf
            leaf = max(lost or found, key=lambda node: node.value)
            leaf.worst_path = True
            siblings = leaf.children

    def close(self, level):
        """A sentence for each node of the worst path below level 1 that has bottlenecks within 5 points
        beside it."""
        self.find_worst(level)
        for node in self.nodes:
            rivals = (
                [
                    other
                    for other in node.parent.children
                    if other is not node and other.bottleneck and node.value - other.value < 5
                ]
                if node.worst_path and node.parent
                else []
            )
            if rivals:
                others = ", ".join(f"{other.title} ({other.value:.1f} %)" for other in rivals[:3])
                more = f" and {len(rivals) - 3} more" if len(rivals) > 3 else ""
                yield (
                    f"Below {node.parent.title} it is close: {node.title} ({node.value:.1f} %) is within 5"
                    f" points of {others}{more}."
                )

    def commands(self, level):
        """What to sample next: at most three events of the worst node or of its nearest ancestor that has
        some; cycles where the vendor names none."""
        worst = node = self.find_worst(level)
        while node:
            names = [name for name in node.samples if self.events.can_sample(name)][:3]
            if names:
                return [self.events.command(name) for name in names]
            node = node.parent
        return [self.events.command(self.events.header["Cycles"])] if worst else []

    def sampler(self, level):
        """topdown's own command for that, or None where no node is the worst."""
        worst = self.find_worst(level)
        return f"topdown sample --nodes {worst.title} -- PROGRAM" if worst else None

    def closer(self, level):
        """The command that shows the worst node's children where the report ends above them, or None. The
        counts are evaluated again, as deep as they reach; the program is measured again only for what they
        lack."""
        node = self.find_worst(level)
        children = [child for child in node.children if not child.needs] if node else []
        if not children or (node.level < level and any(child.raw is not None for child in children)):
            return None
        below = [other for other in self.nodes if other.path.startswith(f"{node.path}.") and not other.needs]
        lacking = [other.level for other in below if other.raw is None]
        counted = min(min(lacking, default=99) - 1, max(other.level for other in below))
        return (
            f"topdown report -l{counted} counts.json"
            if counted > node.level
            else f"topdown -l{node.level + 1} PROGRAM"
        )

    def words(self, level):
        """What the worst node means and what to try, as paragraphs."""
        node = self.find_worst(level)
        entry = read_json(ROOT / "models" / "glossary.json").get(node.name) if node else None
        return [f"{node.title}: {entry['means']}", f"Try: {entry['try']}"] if entry else []

    def title(self, name):
        return next(node.title for node in self.nodes if node.name == name)

    def count(self, role):
        """The count of an event with a fixed role ("Cycles"), or None."""
        return self.counts.get(spelling(self.events.header[role]))
