# SPDX-License-Identifier: GPL-2.0-or-later
"""What Intel's sheets (TMA_Metrics-full.csv, Atom_TMA.csv) say of CPUs for which perfmon has no other form.

Used by expect.py. A column is a CPU; an empty cell means as the next column has it, of which those of
servers say nothing of other CPUs. A formula is Python as it stands, but for the names: "##X" is what the
causes of X add up to, "#X" a part of formulas, and "E*$PEBS" E times its retire latency.
"""
import ast
import csv
import functools
import json
import math
import re

SHEETS = {  # name: sheet, column, perfmon's file of events
    "elkhartlake": ("Atom_TMA.csv", "TNT", "EHL/events/elkhartlake_core.json"),
    "pantherlake:core": ("TMA_Metrics-full.csv", "PTL", "PTL/events/pantherlake_cougarcove_core.json"),
    "snowridgex": ("Atom_TMA.csv", "TNT", "SNR/events/snowridgex_core.json"),
}
CONSTANTS = {
    "TSC": "tsc",
    "#DurationTimeInSeconds": "duration_time",
    "DurationTimeInMilliSeconds": "milliseconds",
    "Num_CPUs": "cpus",
}
NAME = re.compile(r"#*(?<![\w.])(?!\d+(?:\.\d+)?(?:e\d+)?(?![\w.:]))[A-Za-z0-9_][\w.]*(?::[\w=]+)*")
WORDS = {"if", "else", "min", "max"}


class Row:
    def __init__(self, cells, header, formula):
        self.cells = dict(zip(header, (cell.strip() for cell in cells)))
        key = self.cells["Key"]
        levels = [number for number in range(1, 10) if self.cells.get(f"Level{number}")]
        self.name = self.cells[f"Level{levels[0]}"] if levels else ""
        self.level, self.parent, self.children, self.formula = 0, None, [], formula
        prefix = f"{key.replace('.', '_')}_" if key.startswith(("Info.", "Bottleneck")) else ""
        self.is_part = key == "Aux"
        if not prefix and not self.is_part:
            self.level = levels[0] if levels else 0
        self.metric = f"tma_{prefix}{self.name}".lower()


def own_formula(cells, servers, first, end):
    """The CPU's own cell, or that of the next one; None where that is "#NA", or where there is none."""
    for place in range(first, end):
        if cells[place].strip() and (not servers[place] or servers[first]):
            return None if cells[place].strip() == "#NA" else cells[place].strip()
    return None


def plain(formula):
    """Python over names that it can read, and what they stand for."""
    text = re.sub(r"([\w.:]+)\s*\*\s*min\(\s*\$PEBS", r"\1*min(\1:retire_latency", formula)
    text = re.sub(r"([\w.:]+)\s*\*\s*\$PEBS", r"\1*\1:retire_latency", text)
    names = {}

    def short(match):
        word = match.group(0)
        return word if word in WORDS else names.setdefault(word, f"name{len(names)}")

    text = NAME.sub(short, text)
    return text, {new: old for old, new in names.items()}


class Sheet:
    def __init__(self, reference, cpu):
        path, column, events = SHEETS[cpu]
        with open(reference / "tma" / path, encoding="utf-8-sig", newline="") as file:
            rows = list(csv.reader(file))
        at = next(number for number, row in enumerate(rows) if row[0] == "Key")
        header, servers = rows[at], [cell == "Server" for cell in rows[at - 1]]
        end = header.index("Locate-with")
        first = next(number for number in range(end) if column in header[number].split("/"))
        self.rows, self.trees = {}, {}
        above = {}
        for cells in rows[at + 1 :]:
            if cells[0].strip() in ("", "."):
                continue
            row = Row(cells, header, own_formula(cells, servers, first, end))
            self.rows.setdefault(row.name, row)
            if row.level:
                above[row.level] = row
                row.parent = above.get(row.level - 1)
        self.join()
        for row in self.rows.values():
            if row.parent:
                row.parent.children.append(row)
        own = reference / "intel" / events
        self.events = {
            event["EventName"].lower()
            for path in [own, *own.parent.glob("*_uncore*.json")]
            for event in json.loads(path.read_text(encoding="utf-8"))["Events"]
        }
        self.events |= {f"perf_metrics.{field}" for field in PERF_METRICS}
        self.known = {}

    def join(self):
        """A node of level 1 that is another one by a second name."""
        for row in list(self.rows.values()):
            same = self.rows.get(row.formula)
            if row.level == 1 and same and same.level == 1:
                row.level = 0
                for child in self.rows.values():
                    child.parent = same if child.parent is row else child.parent

    def flag(self, name):
        """What "X if #DS else Y" asks for; None where that is no row of the sheet."""
        if not name.startswith("#") or name.startswith("##") or name not in self.rows:
            return None
        return self.rows[name].formula not in (None, "0")

    def tree(self, name):
        """The formula without the branches that this CPU has not, and its names."""
        if name not in self.trees:
            text, names = plain(self.rows[name].formula)
            self.trees[name] = (Branches(self, names).visit(ast.parse(text, mode="eval")), names)
        return self.trees[name]

    def named(self, name):
        tree, names = self.tree(name)
        return [names[node.id] for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id in names]

    def is_there(self, name):
        if name.startswith("##") or name in CONSTANTS:
            return True
        if name not in self.rows:
            return name.split(":")[0].lower() in self.events or name.endswith("_ENERGY_STATUS")
        if name not in self.known:
            self.known[name] = True  # of a circle
            self.known[name] = self.rows[name].formula is not None and all(
                self.is_there(other) for other in self.named(name)
            )
        return self.known[name]


class Branches(ast.NodeTransformer):
    def __init__(self, sheet, names):
        self.sheet, self.names = sheet, names

    def visit_IfExp(self, node):
        name = self.names.get(node.test.id, "") if isinstance(node.test, ast.Name) else ""
        if self.sheet.flag(name) is None:
            return self.generic_visit(node)
        return self.visit(node.body if self.sheet.flag(name) else node.orelse)


PERF_METRICS = """retiring bad_speculation frontend_bound backend_bound heavy_operations branch_mispredicts
fetch_latency memory_bound""".split()


class Values:
    """Of one case."""

    def __init__(self, expect, sheet, case):
        self.expect, self.sheet, self.case, self.known = expect, sheet, case, {}

    def constant(self, word):
        if word == "cpus":
            return self.case.constant("#num_cpus_online")
        return self.case.tool("duration_time") * 1000 if word == "milliseconds" else self.case.tool(word)

    def of(self, name):
        if name in CONSTANTS:
            return self.constant(CONSTANTS[name])
        if name.startswith("##"):
            children = self.sheet.rows[name[2:]].children
            return sum(self.of(child.name) for child in children if self.sheet.is_there(child.name))
        if name not in self.sheet.rows:
            return self.case.count(name)
        if name not in self.known:
            tree, names = self.sheet.tree(name)
            self.case.may_read(
                other
                for other in self.sheet.named(name)
                if other not in self.sheet.rows and other not in CONSTANTS and not other.startswith("#")
            )
            whole = ast.fix_missing_locations(self.expect.Meaning().visit(tree))
            self.sheet.trees[name] = (tree, names)
            self.known[name] = self.expect.walk(
                compile(whole, "formula", "eval"), lambda short: self.of(names[short])
            )
        return self.known[name]

    def over(self, name):
        """None without a threshold."""
        text = self.sheet.rows[name].cells["Threshold"].split(";")[0].strip()
        text = text[1:-1] if text.startswith("(") else text
        parts = [
            part.strip() for part in re.split("[&|]", text) if part.strip() and part.strip()[0] not in "$~"
        ]
        found = [self.one(name, part) for part in parts]
        found = [verdict for verdict in found if verdict is not None]
        if not found:
            return None
        return any(found) if "|" in text else all(found)

    def one(self, name, part):
        if part[0] in "<>":
            limit, names = plain(part[1:])
            limit = self.expect.walk(self.expect.parse(limit), lambda short: self.of(names[short]))
            return self.of(name) > limit if part[0] == ">" else self.of(name) < limit
        parent = self.sheet.rows[name].parent
        other = (parent.name if parent else "") if part == "P" else part
        return self.over(other) if other in self.sheet.rows and self.sheet.is_there(other) else None


@functools.lru_cache(maxsize=None)
def read(reference, cpu):
    return Sheet(reference, cpu)


def sheet_expected(expect, case, reference):
    sheet = read(reference, case.cpu)
    values, nodes, others = Values(expect, sheet, case), {}, {}
    for name, row in sheet.rows.items():
        if row.is_part or not sheet.is_there(name):
            continue
        value = values.of(name) * (100 if row.level else 1)
        entry = expect.entry(None if math.isnan(value) else value, values.over(name))
        (nodes if row.level else others)[row.metric] = entry
    others |= expect.linux_others(case, reference, {**nodes, **others})
    return f"intel/perfmon {SHEETS[case.cpu][0]}", nodes, others
