# SPDX-License-Identifier: GPL-2.0-or-later
"""Both forms of Intel's metrics, intel/perfmon's and Linux' pmu-events, evaluated in Python on the same
counts.

A count belongs to an encoding, so that two names of one event have the same. What only another PMU counts is
left out.
"""
import json
import math
import random
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "golden"))
import expect  # noqa: E402  (its folder has to be on the path first)

LINUX = "linux-7.3/x86"
CPUS = {  # name: perfmon's metrics, its events, Linux' folder and the core type
    "haswell": "HSW",
    "haswellx": "HSX",
    "broadwell": "BDW",
    "broadwellx": "BDX",
    "skylake": "SKL",
    "skylakex": "SKX",
    "cascadelakex": "CLX",
    "icelake": "ICL",
    "icelakex": "ICX",
    "tigerlake": "TGL",
    "rocketlake": "RKL",
    "sapphirerapids": "SPR",
    "emeraldrapids": "EMR",
    "graniterapids": "GNR",
    "sierraforest": "SRF",
    "grandridge": "GRR",
    "clearwaterforest": "CWF",
    "alderlake:core": "ADL goldencove",
    "meteorlake:core": "MTL redwoodcove",
    "lunarlake:core": "LNL lioncove",
    "arrowlake:core": "ARL lioncove",
}
FIELDS = {
    "retiring": "RETIRING",
    "bad-spec": "BAD_SPECULATION",
    "fe-bound": "FRONTEND_BOUND",
    "be-bound": "BACKEND_BOUND",
    "heavy-ops": "HEAVY_OPERATIONS",
    "br-mispredict": "BRANCH_MISPREDICTS",
    "fetch-lat": "FETCH_LATENCY",
    "mem-bound": "MEMORY_BOUND",
}
SINCE = {"tma_l3_miss_bound": "5.2", "tma_bottleneck_data_cache_memory_bandwidth": "5.1"}  # latest first
LETTERS = dict(c="cmask", i="inv", e="edge", u="umask")


class Elsewhere(Exception):
    """Another PMU than the core's counts it, or nobody does."""


def read_json(path):
    return json.loads(Path(path).read_text(encoding="utf-8"))


def number(text):
    return int(str(text or "0").split(",")[0].strip() or "0", 0)


class Events:
    """A CPU's events of perfmon, which are also Linux': from a name with modifiers to what identifies the
    count."""

    def __init__(self, path):
        self.rows = {row["EventName"].lower(): row for row in read_json(path)["Events"]}

    def key(self, name):
        base, *modifiers = name.split(":")
        base = base.lower()
        if base.startswith("perf_metrics."):
            return base
        if base not in self.rows:
            raise Elsewhere(name)
        row = self.rows[base]
        terms = {
            "code": number(row["EventCode"]),
            "umask": number(row["UMask"]),
            "cmask": number(row.get("CounterMask")),
            "inv": number(row.get("Invert")),
            "edge": number(row.get("EdgeDetect")),
            "any": number(row.get("AnyThread")),
            "msr": number(row.get("MSRValue")),
            "counter": "",
        }
        if row["Counter"].startswith("Fixed"):
            terms["counter"] = row["Counter"]
        for modifier in modifiers:
            self.modify(terms, modifier.lower())
        return tuple(sorted(terms.items()))

    @staticmethod
    def modify(terms, modifier):
        if modifier in ("perf_metrics", "opt"):
            return
        if modifier in ("retire_latency", "r"):
            terms["latency"] = 1
        elif modifier == "percore":
            terms["percore"] = 1
        elif modifier in ("sup", "k", "user", "u"):
            terms["ring"] = modifier[0].replace("s", "k")
        elif modifier.startswith("ocr_msr_val="):
            terms["msr"] = number(modifier.split("=")[1])
        elif re.fullmatch(r"[ciu](0x[0-9a-f]+|\d+)|e1|i1|eq1", modifier):
            letter, value = re.fullmatch(r"(eq|[a-z])(.*)", modifier).groups()
            terms[LETTERS.get(letter, letter)] = int(value, 0)
        else:
            raise Elsewhere(modifier)


def linux_modifiers(terms):
    """cmask=0x8,inv=0x1 as :c8:i1"""
    letters = {term: letter for letter, term in LETTERS.items()}
    for term in terms:
        name, _, value = term.replace("\\", "").partition("=")
        if name == "offcore_rsp":
            yield f"ocr_msr_val={value}"
            continue
        if name not in letters:
            raise Elsewhere(term)
        yield (
            f"{letters[name]}{value or '1'}" if name == "umask" else f"{letters[name]}{int(value or '1', 0)}"
        )


def linux_event(name):
    """A name of Linux' grammar in perfmon's spelling."""
    if name.startswith("topdown\\-"):
        name = f"cpu@{name}@"
    found = re.fullmatch(r"(cpu|cpu_core|cpu_atom|msr)@((?:[^@\\,]|\\[^,])+)((?:\\?,[^@]*)?)@([ukR]?)", name)
    if not found:
        if re.match(r"\w+@", name) or name.startswith("UNC_"):
            raise Elsewhere(name)
        return "TOPDOWN.SLOTS" if name == "slots" else name
    pmu, event, terms, ring = found.groups()
    event = event.replace("\\", "")
    if pmu == "msr":
        if event != "tsc":
            raise Elsewhere(name)
        return "TSC"
    if event == "slots":
        return "TOPDOWN.SLOTS"
    if event.startswith("topdown-"):
        return f"PERF_METRICS.{FIELDS[event[len('topdown-'):]]}"
    words = [
        event,
        *linux_modifiers(re.split(r"\\?,", terms)[1:]),
        *(["retire_latency"] if ring == "R" else [ring] if ring else []),
    ]
    return ":".join(words)


class Draw:
    """Random counts and constants; a count is drawn when it is first asked for."""

    def __init__(self, cpu, events, smt, seed):
        self.events, self.smt, self.random, self.counts = (
            events,
            smt,
            random.Random(f"{cpu} {smt} {seed}"),
            {},
        )
        self.values = {}  # of Linux' metrics
        self.seconds, self.frequency = (1.0, 1.7)[seed % 2], float(
            self.random.randrange(10**9, 4 * 10**9)
        )
        self.has_pmem = float(seed % 4 == 3)
        self.cpus = float(self.random.randrange(2, 257))

    def count(self, name):
        if name.upper() in ("TSC", "DURATION_TIME"):
            return self.seconds * (self.frequency if name.upper() == "TSC" else 1)
        key = self.events.key(name)
        if key not in self.counts:
            is_small = "latency" in dict(key) if isinstance(key, tuple) else False
            self.counts[key] = self.random.uniform(0, 400) if is_small else self.size()
        return self.counts[key]

    def size(self):
        if self.random.random() < 0.5:
            return float(self.random.randrange(10**8, 10**10))
        return float(int(10 ** self.random.uniform(0, 10)))

    def constant(self, name):
        values = {
            "HYPERTHREADING_ON": self.smt,
            "#SMT_on": self.smt,
            "smt_on": self.smt,
            "THREADS_PER_CORE": 1 + self.smt,
            "SYSTEM_TSC_FREQ": self.frequency,
            "#SYSTEM_TSC_FREQ": self.frequency,
            "#core_wide": 1,
            "DURATIONTIMEINMILLISECONDS": self.seconds * 1000,
            "DURATIONTIMEINSECONDS": self.seconds,
            "#num_cpus_online": self.cpus,
            "#has_pmem": self.has_pmem,
            "#num_packages": 1.0,
            "SOCKET_COUNT": 1.0,
        }
        name = "#num_cpus_online" if name.startswith("system.sockets") else name
        name = name if name in values else name.upper()
        if name.isdigit():
            return float(name)
        if name not in values:
            raise Elsewhere(name)
        return float(values[name])


# intel/perfmon


class Perfmon:
    def __init__(self, reference, cpu):
        platform, *core = CPUS[cpu].split()
        stem = cpu.split(":")[0]
        name = f"{stem}_metrics_{core[0]}_core" if core else f"{stem}_metrics"
        self.path = f"intel/{platform}/metrics/{name}.json"
        data = read_json(reference / self.path)
        self.version = data["Header"]["TmaVersion"]
        self.metrics = {self.name(row): row for row in data["Metrics"]}
        self.published = {row["LegacyName"]: name for name, row in self.metrics.items()}
        events = f"{stem}_{core[0]}_core" if core else f"{stem}_core"
        self.events = Events(reference / f"intel/{platform}/events/{events}.json")

    @staticmethod
    def name(row):
        return ("tma_" if row["Category"] == "TMA" else "") + row["MetricName"].lower()

    def value(self, name, draw):
        """As shown: percent where it is one."""
        row = self.metrics[name]
        events = {event["Alias"]: event["Name"] for event in row["Events"]}
        constants = {constant["Alias"]: constant["Name"] for constant in row["Constants"]}

        def look_up(alias):
            if alias == "NA":
                return math.nan
            return (
                draw.count(events[alias]) if alias in events else draw.constant(constants.get(alias, alias))
            )

        return expect.walk(parse(row["Formula"].replace("#NA", "NA").replace("> =", ">=")), look_up)

    def over(self, name, values):
        """Whether the threshold holds, by the values of all metrics as shown; None without one."""
        threshold = self.metrics[name].get("Threshold") or {}
        text = threshold.get("Formula", "")
        if not text:
            return None
        if "ThresholdMetrics" in threshold:
            named = {
                row["Alias"]: values.get(self.published[row["Value"]])
                for row in threshold["ThresholdMetrics"]
            }
        else:
            text, named = expect.named_threshold(
                text, {published: values.get(own) for published, own in self.published.items()}
            )
        if None in named.values():
            raise Elsewhere(name)
        return bool(expect.threshold_holds(text, lambda alias: named[alias]))


def parse(text):
    """As expect.py reads a formula, but as it is written: without repairs."""
    tree = expect.Meaning().visit(expect.ast.parse(text.strip(), mode="eval"))
    return compile(expect.ast.fix_missing_locations(tree), "formula", "eval")


# Linux


class Linux:
    def __init__(self, reference, cpu):
        stem, *core = cpu.split(":")
        self.folder = stem
        unit = f"cpu_{core[0]}" if core else None
        rows = [
            row
            for path in sorted((reference / LINUX / stem).glob("*-metrics.json"))
            for row in read_json(path)
        ]
        self.metrics = {
            expect.linux_name(row["MetricName"]): row for row in rows if row.get("Unit", unit) == unit
        }
        self.parsed = {}

    def version(self):
        """The version of the method at least: Linux does not say it, but later ones have metrics that earlier
        ones lack."""
        return next((version for metric, version in SINCE.items() if metric in self.metrics), None)

    def read(self, text):
        """The formula over plain names, and what stands for what."""
        if text not in self.parsed:
            plain = re.sub(r"\\,cpu=\w+", "", text)  # on the CPUs of that core type
            plain = re.sub(
                r"([A-Z][\w.]+)@(offcore_rsp[^@]*)@", r"cpu@\1\\,\2@", plain
            )  # no PMU has the event's name
            plain, names = expect.plain_names(plain)
            self.parsed[text] = parse(plain), names
        return self.parsed[text]

    def scale(self, name):
        found = re.match(r"[0-9.]+(?:e-?[0-9]+)?", self.metrics[name].get("ScaleUnit", "1"))
        return float(found.group(0)) if found else 1.0

    def fraction(self, name, draw, known):
        """Unscaled; the metrics of known are taken as they are there."""
        code, names = self.read(self.metrics[name]["MetricExpr"])

        def look_up(short):
            full = names[short]
            if full in known:
                return known[full]
            if full in self.metrics:
                return self.fraction(full, draw, known) if known else self.whole(full, draw)
            return draw.constant(full) if full.startswith("#") else draw.count(linux_event(full))

        return expect.walk(code, look_up)

    def whole(self, name, draw):
        """Unscaled, over counts alone; each once for a draw."""
        if name not in draw.values:
            draw.values[name] = self.fraction(name, draw, {})
        return draw.values[name]

    def over(self, name, draw, known):
        text = self.metrics[name].get("MetricThreshold")
        if not text:
            return None
        code, names = self.read(text.replace("&", " and ").replace("|", " or "))
        return bool(
            expect.walk(
                code,
                lambda short: (
                    known[names[short]] if names[short] in known else self.fraction(names[short], draw, known)
                ),
            )
        )
