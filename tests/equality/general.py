#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Random counts through topdown's general form of Intel's formulas, and through Intel's own text: every value
must be equal.

usage: general.py [--draws N] [CPU]...     TOPDOWN names the program, REFERENCE the vendors' data

Two comparisons. The nodes of intel/PerfSpect's *_alt_tma_metrics.json (levels 1, 2, part of 3) equal its
formulas. All metrics of the CPU equal the formulas of its usual form, when each field of PERF_METRICS has the
count of the event that counts its slots; on Ice Lake and its kin without what reads Backend_Bound, which
Intel defines otherwise there. topdown gets neither slots nor fields. Exit status 77 when the vendors' data
are not there.
"""
import functools
import sys

from equality import SKIPPED, Draw, Tally, expect, expected_of, is_withheld, is_without_source, main, report

TEXTS = (
    dict.fromkeys(("icelake", "icelakex", "tigerlake", "rocketlake"), "icx")
    | dict.fromkeys(("alderlake:core", "sapphirerapids", "sapphirerapidshbm"), "spr")
    | dict.fromkeys(("emeraldrapids",), "emr")
    | dict.fromkeys(("meteorlake:core", "graniterapids"), "gnr")
)
FILES = {
    "icelake": "ICL icelake",
    "icelakex": "ICX icelakex",
    "tigerlake": "TGL tigerlake",
    "rocketlake": "RKL rocketlake",
    "alderlake:core": "ADL alderlake_goldencove",
    "sapphirerapids": "SPR sapphirerapids",
    "sapphirerapidshbm": "SPR sapphirerapids",
    "emeraldrapids": "EMR emeraldrapids",
    "meteorlake:core": "MTL meteorlake_redwoodcove",
    "graniterapids": "GNR graniterapids",
    "lunarlake:core": "LNL lunarlake_lioncove",
    "arrowlake:core": "ARL arrowlake_lioncove",
    "pantherlake:core": "PTL pantherlake_cougarcove",
    "novalake:core": "NVL novalake_coyotecove",
}  # of the vendor's events
WIDTH = {"icx": 5, "spr": 6, "emr": 6, "gnr": 6, None: 8}
ENCODING = (
    "EventCode",
    "UMask",
    "UMaskExt",
    "CounterMask",
    "Invert",
    "EdgeDetect",
    "AnyThread",
    "MSRIndex",
    "MSRValue",
)

# What counts the slots of which a field is the share: Intel's descriptions of the events.
FIELDS = {
    "frontend_bound": "IDQ_BUBBLES.CORE",
    "bad_speculation": "TOPDOWN.BAD_SPEC_SLOTS",
    "retiring": "UOPS_RETIRED.SLOTS",
    "backend_bound": "TOPDOWN.BACKEND_BOUND_SLOTS",
    "heavy_operations": "UOPS_RETIRED.HEAVY",
    "branch_mispredicts": "TOPDOWN.BR_MISPREDICT_SLOTS",
    "memory_bound": "TOPDOWN.MEMORY_BOUND_SLOTS",
}
KERNEL = {
    "topdown-fe-bound": "frontend_bound",
    "topdown-bad-spec": "bad_speculation",
    "topdown-retiring": "retiring",
    "topdown-be-bound": "backend_bound",
    "topdown-heavy-ops": "heavy_operations",
    "topdown-br-mispredict": "branch_mispredicts",
    "topdown-fetch-lat": "fetch_latency",
    "topdown-mem-bound": "memory_bound",
}  # Linux' names of the fields
LEVEL_1 = ("frontend_bound", "bad_speculation", "retiring", "backend_bound")


def is_close(found, expected):
    """A difference of two nearly equal shares is as exact as they are, not as itself."""
    if None in (found, expected):
        return found is expected
    return expect.math.isclose(found, expected, rel_tol=1e-9, abs_tol=1e-10)


@functools.lru_cache(maxsize=None)
def encodings(cpu, reference):
    """{name: encoding} of the vendor's events, both without regard to case."""
    platform, name = FILES[cpu].split()
    rows = expect.read_json(reference / f"intel/{platform}/events/{name}_core.json")["Events"]
    return {row["EventName"].lower(): str([row.get(key) for key in ENCODING]).lower() for row in rows}


class GeneralDraw(Draw):
    """Two names of one event have one count; PERF_METRICS has what the events say, and is no count of its
    own."""

    def __init__(self, cpu, smt, seed, reference):
        super().__init__(cpu, smt, seed)
        self.encodings, self.twins, self.width = encodings(cpu, reference), {}, WIDTH[TEXTS.get(cpu)]

    def field(self, name):
        if name == "fetch_latency":
            old, new = "IDQ_BUBBLES.CYCLES_0_UOPS_DELIV.CORE", "IDQ_BUBBLES.STARVATION_CYCLES"
            return self.width * self.count(new if new.lower() in self.encodings else old)
        old = {"frontend_bound": "IDQ_UOPS_NOT_DELIVERED.CORE"}.get(name)
        new = FIELDS[name]
        return self.count(new if new.lower() in self.encodings or not old else old)

    def count(self, name):
        key = expect.spelling(name)
        if key.startswith("perf_metrics."):
            return self.field(key.partition(".")[2])
        if key in KERNEL:
            return self.field(KERNEL[key])
        if key in ("topdown.slots", "slots"):
            return self.count("TOPDOWN.SLOTS_P")
        if key == "topdown.slots_p" and key not in self.counts:
            self.names[key] = name
            self.counts[key] = sum(map(self.field, LEVEL_1))
        base, *modifiers = key.split(":")
        twin = self.twins.setdefault((self.encodings.get(base, base), *modifiers), key)
        if twin != key and key not in self.counts and key not in ("tsc", "duration_time"):
            self.counts[key], self.names[key] = self.counts[twin], name
        return super().count(name)

    def may_read(self, names):
        for name in names:
            if expect.spelling(name) not in ("tsc", "duration_time"):
                self.count(name)


def text_of(cpu, reference):
    if cpu not in TEXTS:
        return {}
    rows = expect.read_json(reference / f"perfspect/{TEXTS[cpu]}_alt_tma_metrics.json")["Metrics"]
    return {"tma_" + row["MetricName"].lower(): row for row in rows}


def reads(metrics, name, wanted, seen):
    """Does the metric read the node wanted, by itself or through others?"""
    if name in seen or name not in metrics:
        return False
    seen.add(name)
    found = set(expect.re.findall(r"tma_\w+", metrics[name].get("BaseFormula", "")))
    return wanted in found or any(reads(metrics, other, wanted, seen) for other in found)


def same_in_both(cpu, reference):
    """Whether a metric means the same in both of Intel's texts: of the older cores not what Backend_Bound is
    in."""
    if TEXTS.get(cpu) != "icx":
        return lambda name: True
    rows = expect.read_json(reference / f"intel/{FILES[cpu].split()[0]}/metrics/{cpu}_metrics.json")[
        "Metrics"
    ]
    metrics = {"tma_" + row["MetricName"].lower(): row for row in rows if row["Category"] == "TMA"}
    through = set(text_of(cpu, reference)) - {"tma_backend_bound"}  # these contain it as in the other text
    return lambda name: name != "tma_backend_bound" and (
        name in through or not reads(metrics, name, "tma_backend_bound", set(through))
    )


def draw(cpu, smt, seed, reference):
    case = GeneralDraw(cpu, smt, seed, reference)
    text = {name: expect.intel_value(row, case) for name, row in text_of(cpu, reference).items()}
    usual = expected_of(case, reference)
    case.count(
        "TOPDOWN.SLOTS_P"
    )  # which the sum of the fields is in topdown's formulas, also where no text names it
    return case, text, usual["nodes"] | usual["metrics"]


def compare(tally, where, found, text, usual, is_same):
    rows = {row["name"]: row for row in found["nodes"] + found["metrics"]}
    tally.compare(f"{where}: form", found["form"], "general", lambda a, b: a == b)
    for name, wanted in text.items():
        if name in rows and not is_withheld(
            rows[name]
        ):  # part of level 3 has other names in newer versions of the method
            wanted = None if wanted is None or expect.math.isnan(wanted) else wanted
            tally.compare(f"{where}: {name}, PerfSpect", rows[name]["raw"], wanted, is_close)
    for name, wanted in usual.items():
        if name in rows and is_same(name) and not is_withheld(rows[name]):
            tally.compare(f"{where}: {name}", rows[name]["raw"], wanted["value"], is_close)


def check(cpu, draws, reference):
    if is_without_source(cpu, reference):
        return SKIPPED
    tally, is_same = Tally(), same_in_both(cpu, reference)
    for smt in (0, 1):
        for seed in range(draws):
            case, text, usual = draw(cpu, smt, seed, reference)
            found = report(case)
            names = {row["name"] for row in found["nodes"]}
            level_2 = [name for name, row in text_of(cpu, reference).items() if row["Level"] <= 2]
            tally.compare(
                f"{cpu}: nodes of levels 1 and 2", sorted(set(level_2) - names), [], lambda a, b: a == b
            )
            compare(tally, f"{cpu}, SMT {smt}, draw {seed}", found, text, usual, is_same)
    print(
        f"general.py: {cpu}: {tally.compared} numbers compared, {tally.empty} of them undefined,"
        f" {tally.differing} differ"
    )
    return 1 if tally.differing or tally.empty * 4 > tally.compared * 3 or not tally.compared else 0


if __name__ == "__main__":
    sys.exit(main(check, FILES, "intel", "perfspect"))
