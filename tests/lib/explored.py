# SPDX-License-Identifier: GPL-2.0-or-later
"""explored.py - the data block of a page's explorer (docs/FORMATS.md), read as its script reads it."""
import base64
import collections
import gzip
import json
import re

Function = collections.namedtuple("Function", "name module values")
Line = collections.namedtuple("Line", "function file line values")


class Call:
    def __init__(self, function, parent, own):
        self.function, self.parent, self.own, self.total = function, parent, own, list(own)


def block(page, name):
    """The JSON of a block of a page, which is bytes or text."""
    text = page.decode("utf-8") if isinstance(page, bytes) else page
    found = re.search(rf'<script type="([^"]+)" id="{name}">(.*?)</script>', text, re.S)
    if not found:
        return None
    if found[1] == "application/json":
        return json.loads(found[2])
    return json.loads(gzip.decompress(base64.b64decode(found[2])))


class View:
    """Parts are lists: the base, then one for each node, with what is below it."""

    def __init__(self, data):
        self.data, self.nodes, texts = data, data["nodes"], data["texts"]
        values = self.unpack(data["functions"]["values"])
        self.functions = [
            Function(texts[name], texts[module], values[i] if i < len(values) else None)
            for i, (name, module) in enumerate(zip(data["functions"]["name"], data["functions"]["module"]))
        ]
        lines = data["lines"]
        self.lines = [
            Line(self.functions[function], texts[file], line, own)
            for function, file, line, own in zip(
                lines["function"], lines["file"], lines["line"], self.unpack(lines["values"])
            )
        ]
        calls = data["calls"]
        self.calls = [
            Call(self.functions[function] if function >= 0 else None, parent, own)
            for function, parent, own in zip(calls["function"], calls["parent"], self.unpack(calls["values"]))
        ]
        for call in reversed(self.calls[1:]):
            above = self.calls[call.parent].total
            for i, value in enumerate(call.total):
                above[i] += value

    def moments(self):
        """((moment, function or None), values) of each part of a call in a moment"""
        time = self.data.get("time", {})
        for moment, call, own in zip(time["moment"], time["call"], self.unpack(time["values"])):
            yield (moment, self.calls[call].function), own

    def unpack(self, flat):
        found, at = [], 0
        while at < len(flat):
            values, count = [0.0] * (1 + len(self.nodes)), flat[at]
            for k in range(at + 1, at + 1 + 2 * count, 2):
                values[flat[k]] = flat[k + 1] / self.data["scale"]
            at += 1 + 2 * count
            for i in range(len(self.nodes), 0, -1):
                if self.nodes[i - 1]["parent"] >= 0:
                    values[self.nodes[i - 1]["parent"] + 1] += values[i]
            found.append(values)
        return found

    def node(self, name):
        """Where a node's part stands in the lists."""
        return 1 + next(i for i, node in enumerate(self.nodes) if name in (node["name"], node["title"]))

    def paths(self):
        """((name, module) of each function from the outermost on, call); None: several that are narrow"""
        known = {0: ()}
        for i, call in enumerate(self.calls[1:], 1):
            own = (call.function.name, call.function.module) if call.function else None
            known[i] = known[call.parent] + (own,)
            yield known[i], call
