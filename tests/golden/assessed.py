# SPDX-License-Identifier: GPL-2.0-or-later
"""What a reader of models/assessment.json makes of a golden case: figures, their values and verdicts. Nothing
is asked of the program."""
import fnmatch
import re

from expect import spelling
from golden import ROOT, read_json

WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*")


class Figure:
    """A figure with its value and verdict: None, "ok", "look", "high" or "low"."""

    def __init__(self, row, form, value, with_few):
        self.title, self.unit, self.value = row["Title"], row["Unit"], value
        self.sign = -1 if row.get("Worse") == "below" else 1
        self.good, self.bad = form.get("Good"), form.get("Bad")
        self.verdict = None
        if value is None or self.good is None:
            return
        self.verdict = "ok"
        if self.sign * value > self.sign * self.good and not with_few:
            is_bad = self.bad is not None and self.sign * value > self.sign * self.bad
            self.verdict = ("high" if self.sign > 0 else "low") if is_bad else "look"

    @property
    def words(self):
        """As the sentence has it: "high: above 10", "above 5"."""
        side = "above" if self.sign > 0 else "below"
        return f"{side} {self.good:g}" if self.verdict == "look" else f"{self.verdict}: {side} {self.bad:g}"


class Metrics:
    """The values of a case's metrics by name: the vendor's, else our own forms from the counts. None: not
    counted."""

    def __init__(self, golden):
        self.golden = golden
        self.vendors = {row.name.lower(): row for row in golden.nodes + golden.metrics if not row.needs}
        self.common = read_json(ROOT / "models/common.json")["Metrics"]

    def is_for(self, row):
        vendor, cpu = row.get("Vendor"), row.get("Cpu", "*")
        return (not vendor or vendor == self.golden.events.header["Vendor"]) and any(
            fnmatch.fnmatchcase(self.golden.cpu, glob) for glob in cpu.split(";")
        )

    def is_event(self, name):
        row = self.golden.events.rows.get(name)
        return name in ("cycles", "instructions") or (row is not None and "Unit" not in row)

    def count(self, name):
        return (
            self.golden.count(name.capitalize())
            if name in ("cycles", "instructions")
            else self.golden.counts.get(spelling(name))
        )

    def own_form(self, name):
        """The first of our forms whose names this CPU has; None: it has none."""
        for row in self.common:
            if row["MetricName"] != name or "Title" in row or not self.is_for(row):
                continue
            names = WORD.findall(row.get("MetricExpr", ""))
            if "MetricExpr" not in row:
                return None
            if all(self.is_event(word) or word in self.vendors for word in names):
                return row["MetricExpr"]
        return None

    def has(self, name):
        head = next((row for row in self.common if row["MetricName"] == name and "Title" in row), {})
        same = [name, *head.get("SameAs", "").split(";")]
        return any(other in self.vendors for other in same) or self.own_form(name) is not None

    def value(self, name):
        head = next((row for row in self.common if row["MetricName"] == name and "Title" in row), {})
        for other in [name, *head.get("SameAs", "").split(";")]:
            if other in self.vendors:
                return self.vendors[other].value
        form = self.own_form(name)
        return (
            calculate(form, lambda word: self.value(word) if word in self.vendors else self.count(word))
            if form
            else None
        )


def calculate(expression, value_of):
    values = {word: value_of(word) for word in WORD.findall(expression)}
    if None in values.values():
        return None
    text = WORD.sub(lambda match: repr(float(values[match.group()])), expression)
    try:
        return eval(text, {"__builtins__": {}})  # numbers and operators only
    except ZeroDivisionError:
        return None


def figures(golden):
    metrics, found, heads = Metrics(golden), {}, {}
    for row in read_json(ROOT / "models/assessment.json")["Assessments"]:
        name = row["MetricName"]
        if "Title" in row:
            heads[name] = row
            continue
        if name in found or not metrics.is_for(row):
            continue
        expression = row.get("MetricExpr")
        if expression and not all(metrics.has(word) for word in WORD.findall(expression)):
            continue
        few = heads[name].get("With") in found and found[heads[name]["With"]].verdict == "ok"
        found[name] = Figure(
            heads[name], row, calculate(expression, metrics.value) if expression else None, few
        )
    return list(found.values())


def beyond(golden):
    """Those that a report names without -v."""
    return [figure for figure in figures(golden) if figure.verdict in ("look", "high", "low")]
