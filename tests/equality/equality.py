#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Random counts through topdown and through the vendor's published formulas: every value and threshold must
be equal.

usage: equality.py [--draws N] [CPU]...     TOPDOWN names the program, REFERENCE the vendors' data

The vendor's side is tests/golden/expect.py, which shares nothing with the program. Draws are the same at
every run.
Exit status 77 when the vendors' data are not there.
"""
import argparse
import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "golden"))
sys.path.append(str(ROOT / "tests"))
import expect  # noqa: E402  (its folder has to be on the path first)
from lib.rows import SKIPPED, run_rows  # noqa: E402

DRAWS = 20
# Nobody publishes a formula for these.
WITHOUT_FORMULAS = {"bonnell", "goldmontplus", "knightslanding", "nehalemep", "nehalemex", "silvermont"}
WITHOUT_FORMULAS |= {"westmereep-dp", "westmereep-sp", "westmereex"}
OURS = {
    row["MetricName"]
    for row in json.loads((ROOT / "models/common.json").read_text(encoding="utf-8"))["Metrics"]
}  # tested by cli.common
TOOLS = ("tsc", "duration_time")
TWINS = {
    r"uncore_cha_0@event\=0x1@": "UNC_CHA_CLOCKTICKS:one_unit",
    r"cha_0@event\=0x0@": "UNC_CHA_CLOCKTICKS:one_unit",
    r"cbox_0@event\=0x0@": "UNC_C_CLOCKTICKS:one_unit",
}  # Linux' names of what perfmon calls so
# perf's count of one unit is the sum over the sockets. So Linux' UNCORE_FREQ divides by the dies, and its
# latencies are too small by their number. Intel's own texts have one socket's clock, and no number of dies:
# these are what holds.
OF_ONE_SOCKET = {
    "tma_info_system_socket_clks",
    "tma_info_system_uncore_frequency",
    "tma_info_system_mem_read_latency",
}
OWN_TEXTS = {
    "skylakex": "intel/SKX/metrics/skylakex_metrics.json",
    "cascadelakex": "intel/CLX/metrics/cascadelakex_metrics.json",
}

BESIDE = re.compile(r"unc_|freerun_|(uncore_)?\w+_\d+@|\w+[/@]")  # Intel's events of PMUs beside the cores


class Draw(expect.Case):
    """A case without a folder; asking for a count that it does not have yet draws one."""

    def __init__(self, cpu, smt, seed):
        self.cpu, self.smt, self.random = cpu, smt, random.Random(f"{cpu} {smt} {seed}")
        self.constants = {
            "SYSTEM_TSC_FREQ": self.random.randrange(10**9, 4 * 10**9),
            "DURATIONTIMEINMILLISECONDS": 1000,
            "#num_cpus_online": self.random.randrange(1, 257),
            "#slots": 4 + seed % 7,
            "#core_wide": 1,  # perfmon's formulas are for whole cores
            "#has_pmem": self.random.randrange(2),
        }
        self.beside = random.Random(
            f"{cpu} {smt} {seed} beside"
        )  # so that the cores' counts do not depend on it
        sockets, cores = self.beside.randrange(1, 9), self.beside.randrange(1, 129)
        self.constants.update(
            {
                "SOCKET_COUNT": sockets,
                "CORES_PER_SOCKET": cores,
                "#num_packages": sockets,
                "#num_dies": sockets,
                "#num_cores": cores * sockets,
                "CHAS_PER_SOCKET": self.beside.randrange(1, 129),
            }
        )
        self.counts, self.names = {}, {}

    def draw(self, key):
        """Zeros for divisions by zero; otherwise any size: each side of a min, max or threshold has its
        turn."""
        source = self.beside if BESIDE.match(key) else self.random
        kind = source.random()
        if kind < 0.02:
            return 0
        if kind < 0.5:
            return source.randrange(10**8, 10**10)
        return int(10 ** source.uniform(0, 10))

    def count(self, name):
        key = expect.spelling(name)
        if key in TOOLS:
            return self.tool(key)
        if key not in self.counts:
            twin = TWINS.get(key, key)
            self.counts[key] = self.count(twin) if twin != key else self.draw(key)
            self.names[key] = key.upper() if key.startswith("perf_metrics.") else name
        return float(self.counts[key])

    def may_read(self, names):
        for name in names:
            if expect.spelling(name) not in TOOLS:
                self.count(name)

    def flat(self):
        return dict(
            format="topdown-counts",
            cpu=self.cpu,
            smt=self.smt,
            constants=self.constants,
            counts={self.names[key]: value for key, value in self.counts.items()},
        )


def perfmon_texts(reference, path):
    return {
        f"tma_{metric['MetricName'].lower()}": metric
        for metric in expect.read_json(reference / path)["Metrics"]
    }


def expected_of(case, reference):
    """What the formulas make of the counts, which are drawn on the way."""
    expected = expect.expected(case, reference)
    metrics = expected["metrics"]
    texts = perfmon_texts(reference, OWN_TEXTS.get(case.cpu, OWN_TEXTS["cascadelakex"]))
    if "UNCORE_FREQ" in metrics:
        clock = metrics["tma_info_system_socket_clks"]["value"]
        text = texts["tma_info_system_uncore_frequency"]["Formula"]
        value = expect.evaluate(
            text,
            lambda alias: (
                math.nan if clock is None else clock if alias == "a" else case.constant(alias.upper())
            ),
        )
        metrics["UNCORE_FREQ"] = expect.entry(value, None)
    for name in OF_ONE_SOCKET & set(metrics) if case.cpu in OWN_TEXTS else ():
        metrics[name] = expect.entry(expect.intel_value(texts[name], case), None)
    return expected


def draw(cpu, smt, seed, reference):
    """Counts for everything that some formula reads, and what the formulas make of them."""
    case = Draw(cpu, smt, seed)
    return case, expected_of(case, reference)


def report(case):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(case.flat(), file)
        file.flush()
        command = [os.environ.get("TOPDOWN", "topdown"), "report", "--format", "json", file.name]
        return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)


def is_withheld(row):
    """Of cycles or instructions one was drawn as 0, which cannot be: topdown computes nothing from it."""
    return (row.get("reason") or "").startswith("counted 0, which cannot be")


def is_below_withheld(row, rows):
    """A node's threshold may ask for its parents' values, too: what has none is over no threshold."""
    while row.get("parent"):
        row = rows.get(row["parent"], {})
        if is_withheld(row):
            return True
    return False


def is_close(found, expected):
    if None in (found, expected):
        return found is expected
    return math.isclose(found, expected, rel_tol=1e-9)


class Tally:
    def __init__(self):
        self.compared = self.differing = self.empty = 0

    def compare(self, what, found, expected, is_equal):
        self.compared += 1
        self.empty += expected is None
        if is_equal(found, expected):
            return
        self.differing += 1
        if self.differing <= 20:
            print(f"{what}: topdown says {found}, the vendor {expected}")


def compare(tally, where, found, expected):
    names = {**expected["nodes"], **expected["metrics"]}
    rows = {
        row["name"]: row
        for row in found["nodes"] + found["metrics"]
        if row["name"] in names or row["name"] not in OURS
    }
    tally.compare(f"{where}: names", sorted(rows), sorted(names), lambda a, b: a == b)
    for name, wanted in names.items():
        row = rows.get(name, {})
        if is_withheld(row):
            continue
        tally.compare(f"{where}: {name}", row.get("raw"), wanted["value"], is_close)
        if "over_threshold" in wanted:
            # A threshold of how long it took says that the measurement was short: nothing is over it.
            is_over = wanted["over_threshold"] and row.get("domain") != "Seconds"
            if is_over and row.get("over_threshold") is False and is_below_withheld(row, rows):
                continue
            tally.compare(
                f"{where}: {name}: threshold", row.get("over_threshold"), is_over, lambda a, b: a is b
            )


def reference_with(*folders):
    """Where the vendors' data are; None where one of the folders is not, which is printed."""
    reference = Path(os.environ.get("REFERENCE", ROOT / "tests/reference"))
    missing = [folder for folder in folders if not (reference / folder).is_dir()]
    if missing:
        print(f"skipped, {missing[0]} is not at {reference}; tests/fetch-reference.sh fetches it")
    return None if missing else reference


def is_without_source(cpu, reference):
    """The CPU's formulas stand in files that an older reference lacks, which is printed."""
    path = expect.source_path(cpu, reference)
    if path.exists():
        return False
    print(f"{cpu}: {path} is not there; tests/fetch-reference.sh fetches it")
    return True


def main(check, names, *folders):
    """Runs check(name, draws, reference) for all names, or for those of the command line."""
    words = argparse.ArgumentParser()
    words.add_argument("--draws", type=int, default=DRAWS)
    words.add_argument("names", nargs="*")
    chosen = words.parse_args()
    reference = reference_with(*folders)
    if not reference:
        return SKIPPED
    run_rows(names, lambda name: check(name, chosen.draws, reference), chosen.names, data=True)


def check(cpu, draws, reference):
    if is_without_source(cpu, reference):
        return SKIPPED
    tally = Tally()
    for smt in (0, 1):
        for seed in range(draws):
            case, expected = draw(cpu, smt, seed, reference)
            compare(tally, f"{cpu}, SMT {smt}, draw {seed}", report(case), expected)
    print(
        f"equality.py: {cpu}: {tally.compared} numbers compared, {tally.empty} of them undefined, "
        f"{tally.differing} differ"
    )
    return 1 if tally.differing or tally.empty * 5 > tally.compared * 4 or not tally.compared else 0


if __name__ == "__main__":
    CPUS = [row["Name"] for row in json.loads((ROOT / "events/cpus.json").read_text(encoding="utf-8"))]
    sys.exit(main(check, [cpu for cpu in CPUS if cpu not in WITHOUT_FORMULAS], "intel"))
