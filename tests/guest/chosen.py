#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What the vendor's formulas make of the counts of a machine's PMUs beside the cores.

usage: chosen.py MACHINE    prints the names of its metrics that read such PMUs, as a list for --metrics

Counts are those of pmu/units.c, by the configs that the kernel's formats give an event's terms. The formulas
are the text of models/; that this is what the vendor published is shown by tests/equality.
"""
import json
import pathlib
import re
import sys

import machine as machines

ROOT = pathlib.Path(__file__).resolve().parents[2]
LEAST, MOST = 1000, 1_000_000  # rates of pmu/units.c, counts per ms
SOCKETS = 2
CPUS = 4
NOT_CHOSEN = re.compile(r"msr@|CPU_CLK|#has_pmem")  # of the kernel's own PMU, or of this guest's making
TOKEN = re.compile(
    r"\s*([A-Za-z_]\w*@[^@]*@|#\w+|[A-Za-z_][\w.]*(?::[\w.=\\]+)*|\d+\.?\d*(?:e[+-]?\d+)?|[-+*/(),<>]=?)"
)
CPUS_OF = {"units": "sapphirerapids", "units-amd": "amdzen4", "units-arm": "neoverse-v1"}
SYSTEMS_OF = {"units-arm": ("system/cmn",)}  # files beside the CPU's own
KINDS = re.compile(r"(_\d+|_[0-9a-f]{4,})$")
WORDS = {"if": " if ", "else": " else ", "min": "min", "max": "max"}


def rate(configs):
    """Counts per ms of an event in the first unit of the first socket."""
    mixed = (
        sum(config * factor for config, factor in zip(configs, (0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D)))
        & (1 << 64) - 1
    )
    mixed ^= mixed >> 29
    return LEAST + mixed % MOST


def put(configs, layout, value):
    """Bits of value from the lowest on, into the ranges of a format file."""
    place, _, ranges = layout.partition(":")
    number = int(place.removeprefix("config") or 0)
    for part in ranges.split(","):
        low, _, high = part.partition("-")
        for bit in range(int(low), int(high or low) + 1):
            configs[number] |= (value & 1) << bit
            value >>= 1
    assert not value, (layout, value)


def pairs(text):
    return {
        name: int(value or "1", 0)
        for name, _, value in (term.partition("=") for term in text.split(",") if term)
    }


class Chosen:
    def __init__(self, machine, machine_name):
        cpu = CPUS_OF[machine_name]
        self.machine = machine
        self.seconds = self.duration = 1  # of the units' clock, and of the report
        self.cores = {}  # counts of the cores' events
        self.kinds = {unit.name: unit for unit in machine.units}
        files = (cpu, *SYSTEMS_OF.get(machine_name, ()))

        def read(folder, key):
            texts = [(ROOT / folder / f"{file}.json").read_text(encoding="utf-8") for file in files]
            return [row for text in texts for row in json.loads(text)[key]]

        self.rows = {row["EventName"].lower(): row for row in read("events", "Events") if "Unit" in row}
        self.formulas = {row["MetricName"]: row["MetricExpr"] for row in read("models", "Metrics")}
        self.units = {row["MetricName"]: row.get("ScaleUnit", "") for row in read("models", "Metrics")}

    def names(self):
        """Metrics that read these PMUs, directly or through others, and nothing that the test did not
        choose."""
        found, before = set(), None
        while before != found:
            before = set(found)
            found |= {
                name
                for name, text in self.formulas.items()
                if any(self.is_beside(word) or word in found for word in self.words(text))
            }
        return sorted(name for name in found if not self.reads(name, NOT_CHOSEN))

    def words(self, text):
        return [word for word in TOKEN.findall(text) if word[0].isalpha()]

    def is_beside(self, word):
        return (
            word.split(":")[0].lower() in self.rows
            or self.kind_of(word.partition("@")[0]) is not None
            and "@" in word
        )

    def reads(self, name, pattern):
        text = self.formulas[name]
        return pattern.search(text) or any(
            self.reads(word, pattern) for word in self.words(text) if word in self.formulas
        )

    def kind_of(self, pmu):
        plain = KINDS.sub("", pmu)
        return self.kinds.get(pmu) or self.kinds.get(plain) or self.kinds.get(f"uncore_{plain}")

    def count(self, word):
        """Of the whole machine."""
        name, *modifiers = word.split(":")
        pmu, _, spelled = name.partition("@")
        row, terms = self.rows.get(name.lower()), {}
        is_one = "one_unit" in modifiers
        if row:
            unit = self.kinds[row["Unit"]]
            terms = {
                "event": int(row.get("EventCode", "0"), 0),
                "umask": int(row.get("UMask", "0"), 0),
            } | pairs(row.get("Terms", ""))
            terms["thresh"] = next(
                (int(modifier[1:]) for modifier in modifiers if re.fullmatch(r"c\d+", modifier)), 0
            )
        else:
            unit, spelled, is_one = (
                self.kind_of(pmu),
                spelled.rstrip("@").replace("\\", ""),
                bool(re.search(r"_\d+$", pmu)),
            )
            terms = pairs(spelled) if "=" in spelled else {}
        if row and row.get("KernelEvent"):
            terms = {}
        alias = row.get("KernelEvent") if row else spelled if "=" not in spelled else None
        return self.total(unit, alias, terms, is_one) / float(row.get("UnitScale", 1) if row else 1)

    def total(self, unit, alias, terms, is_one):
        configs, scale = [0, 0, 0], 1
        if alias:
            terms, scale = pairs(unit.events[alias]) | terms, float(unit.events.get(f"{alias}.scale", 1))
        for name, value in terms.items():
            if value:
                put(configs, unit.formats[name], value)
        sockets = 1 if "cpumask" in unit.files else SOCKETS
        places = [(i + 1) * (k + 1) for i in range(max(unit.count, 1)) for k in range(sockets)]
        share = 1 if is_one else sum(places)
        if unit.name.startswith("cstate_"):
            share /= len(places)
        return 1000 * self.seconds * rate(configs) * share * scale

    def spelled(self, spelling):
        """The count of PMU/NAME,TERM=VALUE.../, or of an event of the database."""
        pmu, slash, text = spelling.partition("/")
        if not slash:
            return self.count(spelling)
        alias, terms = None, {}
        for name, value in (term.partition("=")[::2] for term in text.strip("/").split(",")):
            if value:
                terms[name] = int(value, 0)
            else:
                alias = name
        kinds = [
            unit
            for unit in self.machine.units
            if unit.name in (pmu, KINDS.sub("", pmu)) or KINDS.sub("", unit.name) == pmu
        ]
        if pmu in (unit.name for unit in kinds) or len(kinds) > 1:
            return sum(self.total(unit, alias, terms, False) for unit in kinds)
        number = int(pmu.rpartition("_")[2]) + 1
        return number * self.total(kinds[0], alias, terms, True)

    def number(self, word):
        facts = {
            "#num_packages": SOCKETS,
            "#num_dies": SOCKETS,
            "#num_cpus_online": CPUS,
            "#core_wide": 1,
            "duration_time": self.duration,
            "#num_cores": CPUS // 2 if self.machine.units[0].name == "uncore_imc" else CPUS,
        }
        if word in facts:
            return facts[word]
        if word in self.formulas:
            return self.value(word)
        return self.count(word) if self.is_beside(word) else self.cores[word]

    def shown(self, name):
        """As a report has it: "6.103515625e-5MiB" is that many MiB for each of the formula's."""
        number = re.match(r"\d[\d.]*(?:e[+-]?\d+)?", self.units[name])
        return self.value(name) * float(number[0] if number else 1)

    def value(self, name):
        """The formula's, before its ScaleUnit."""
        text = re.sub(
            r"source_count\((\w+)[^)]*\)",
            lambda match: str(max(self.kinds[self.rows[match[1].lower()]["Unit"]].count, 1)),
            self.formulas[name],
        )
        tokens = []
        for word in TOKEN.findall(text):
            is_name = word[0].isalpha() or word[0] == "#"
            tokens.append(
                WORDS.get(word)
                or ("ratio" if word == "d_ratio" else repr(self.number(word)) if is_name else word)
            )
        return eval(
            "".join(tokens), {"ratio": lambda a, b: a / b if b else 0}
        )  # numbers and operators of our own file


def of(name):
    return Chosen(machines.load(name), name)


if __name__ == "__main__":
    print(",".join(of(sys.argv[1]).names()))
