# SPDX-License-Identifier: GPL-2.0-or-later
"""Which events a level of a CPU's model needs: models/NAME.json and events/NAME.json read without the
program's help.

A formula needs what it reads on the branches that its constants leave open: `A if #SMT_on else B` needs only
one of them.
"""
import ast
import functools
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "golden"))
sys.path.append(str(ROOT / "tests"))
from expect import plain_names, spelling  # noqa: E402  (its folder has to be on the path first)
from golden import Events, number, read_json  # noqa: E402

TOOLS = ("duration_time", "TSC", "tsc", "msr@tsc@")
OPERATORS = {
    ast.Lt: lambda a, b: a < b,
    ast.Gt: lambda a, b: a > b,
    ast.LtE: lambda a, b: a <= b,
    ast.GtE: lambda a, b: a >= b,
    ast.Eq: lambda a, b: a == b,
}


class Unknown(Exception):
    """The formula names what one core's counters do not give."""


class Cpu:
    def __init__(self, name, smt, form="MetricExpr"):
        self.name, self.smt, self.form = name, smt, form
        self.events = Events(name)
        self.header = self.events.header
        self.rows = {row_name.lower(): row for row_name, row in self.events.rows.items()}
        model = read_json(ROOT / "models" / f"{name.replace(':', '-')}.json")["Metrics"]
        self.metrics = {row["MetricName"].lower(): row for row in model}
        self.order = [row["MetricName"].lower() for row in model]

    def role(self, key):
        """The event of a role, or None; in the general form slots are what general counters count."""
        other = {"SlotsEvent": "SlotsGeneral"} if self.form == "MetricExprGeneral" else {}
        name = self.header.get(other.get(key, key))
        return (name.lower(),) if name else None

    # Formulas

    def event(self, name):
        """The event behind any spelling as a tuple: its row's name, then the modifiers that differ from the
        row."""
        generic = {
            "slots": "SlotsEvent",
            "cycles": "Cycles",
            "cpu-cycles": "Cycles",
            "instructions": "Instructions",
            "ref-cycles": "Reference",
        }
        base, *modifiers = (spelling(name) if "@" in name else spelling(name.replace("\\", ""))).split(":")
        base = self.header.get(generic.get(base, ""), base).lower()
        if base not in self.rows or "Unit" in self.rows[base]:
            raise Unknown(name)
        row = self.rows[base]
        same = (
            {f"c{number(row, 'CounterMask')}", f"u0x{number(row, 'UMask'):x}"}
            | ({"e1"} if number(row, "EdgeDetect") else set())
            | ({"i1"} if number(row, "Invert") else set())
        )
        return (base, *(each for each in modifiers if each not in same))

    def constant(self, name):
        """The value of a literal that is known without a machine, or None."""
        return {"#SMT_on": float(self.smt), "#core_wide": 0.0, "#has_pmem": 0.0}.get(name)

    @functools.lru_cache(maxsize=None)
    def needed(self, metric):
        """The events of a metric; Unknown when it can't be computed from them."""
        row = self.metrics[metric]
        text, names = plain_names(row.get(self.form, row["MetricExpr"]))
        text = re.sub(r"&&?", " and ", re.sub(r"\|\|?", " or ", text))
        return self.walk(ast.parse(text.strip(), mode="eval").body, names)[1]

    def walk(self, node, names):
        """(constant value or None, events) of a part of a formula."""
        if isinstance(node, ast.Constant):
            return float(node.value), frozenset()
        if isinstance(node, ast.Name):
            return self.name_needs(names[node.id])
        if isinstance(node, ast.IfExp):
            return self.branch(node, names)
        if isinstance(node, ast.Call) and node.func.id in ("has_event", "source_count"):
            return 1.0, frozenset()
        parts = [
            self.walk(part, names)
            for part in ast.iter_child_nodes(node)
            if isinstance(part, ast.expr) and part is not getattr(node, "func", None)
        ]
        return self.fold(node, [value for value, _ in parts]), frozenset().union(
            *(events for _, events in parts)
        )

    def fold(self, node, values):
        if not isinstance(node, ast.Compare) or None in values:
            return None
        return float(OPERATORS[type(node.ops[0])](*values))

    def branch(self, node, names):
        test, events = self.walk(node.test, names)
        if test is None:
            sides = [self.walk(side, names)[1] for side in (node.body, node.orelse)]
            return None, events.union(*sides)
        return self.walk(node.body if test else node.orelse, names)

    def name_needs(self, name):
        if name.startswith("#"):
            return self.constant(name), frozenset()
        if name in TOOLS:
            return None, frozenset()
        if name.lower() not in self.rows and name.lower() in self.metrics:
            return None, self.needed(name.lower())
        event = self.event(name)
        return None, frozenset([event]) if not set(event) & {"retire_latency", "r"} else frozenset()

    # Levels

    def level(self, metric):
        found = re.search(r"\bTopdownL(\d)", self.metrics[metric].get("MetricGroup", ""))
        return int(found.group(1)) if found else 0

    def wanted(self, level):
        """The metrics of a level, as lists of events; those that can't be computed are left out."""
        nodes = [name for name in self.order if self.level(name)]
        names = [name for name in nodes if self.level(name) <= level]
        groups = {
            group for name in nodes for group in self.metrics[name].get("NextGroups", "").split(";") if group
        }
        for name in self.order:
            own = set(self.metrics[name].get("MetricGroup", "").split(";"))
            if not self.level(name) and (not nodes or (level > 1 and own & groups)):
                names.append(name)
        found = {}
        for name in names:
            try:
                found[name] = self.needed(name)
            except (Unknown, KeyError):
                continue
        return found
