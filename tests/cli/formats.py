#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""formats.py - docs/FORMATS.md against what the commands print as JSON and CSV about recorded sessions and
machines: each key and each column that appears stands there with its type, and each that stands there appears
at least once. An argument is another page to check.
"""
import copy
import csv
import gzip
import io
import json
import os
import pathlib
import re
import shutil
import sys

import hand_series
import jsonschema
from ceilings_made import made_up, write_kept
from first_made import made_machine
from guest_l3_made import L3_OF_A_GUEST

sys.path.append(f"{sys.path[0]}/..")
from lib import BUILD, SOURCE, check, check_success, environment, finish, read_json, temporary, topdown
from lib.explored import block
from lib.interval_table import series
from lib.job_sessions import rank_session, spread, write
from lib.profiles import CLOCK, Profile

PAGE = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else SOURCE / "docs/FORMATS.md")
SESSION = SOURCE / "docs/sample-session.json"
SIMULATED = SOURCE / "tests/cli/formats/simulated.json"
GOLDEN = SOURCE / "tests/golden"
SCHEMA = read_json(SOURCE / "schema/topdown.json")
MACHINES = SOURCE / "tests/machines"

# What needs counters, or the program and objdump: intervals are a measurement's, instructions are checked in
# views.py.
LIVE = {
    ("topdown-report", "interval"),
    ("topdown-report", "interval.from_s"),
    ("topdown-report", "interval.to_s"),
    *(
        ("topdown-report", f"annotation.instructions[].{key}")
        for key in ("address", "jump", "line", "samples", "share", "text")
    ),
    ("topdown-reports", "interval"),
    ("topdown-reports", "interval.from_s"),
    ("topdown-reports", "interval.to_s"),
}
# gate.py, errors.py and latency.py check them
OTHERS = ("topdown-limits", "topdown-gate", "topdown-error", "topdown-latency", "timed-calls")
LIVE |= {("topdown-comparison", "more_pairs"), ("known-kernel", "expected[]")}
LIVE_COLUMNS = {
    ("topdown-comparison", column) for column in ("low", "high", "ratio_low", "ratio_high", "p")
} | {("topdown-report", "from_s"), ("topdown-report", "to_s")}
# Of kernels that were measured: verify.py
LIVE_COLUMNS |= {
    ("topdown-verification", column)
    for column in (
        "expected",
        "found",
        "value",
        "unit",
        "runs",
        "ratio",
        "because",
        "found_path",
        "quality",
        "low",
        "high",
        "running",
        "expected_path",
        "expected_value",
        "groups",
        "wall_s",
        "instructions",
        "cycles",
        "ipc",
        "modelled_cycles",
        "measured_cycles",
        "ratio_low",
        "ratio_high",
        "no_ratio",
    )
}
LIVE_COLUMNS |= {("topdown-latency", column) for column in ("from_s", "to_s", "calls")}
OF_METRICS = "`topdown metrics`:"  # marks keys that `topdown list metrics` lacks


def as_key(text):
    """(section, key) that a column is the same as; or (None, type) of one of its own, before a colon."""
    match = re.fullmatch(r"([\w-]+) `([^`]+)`", text)
    return match.groups() if match else (None, text.split(":")[0])


class Page:
    """keys: {section: {key: (type, what)}}; sheets: {section: {column: (section, key)}}; what was seen of
    both."""

    def __init__(self, text):
        self.keys, self.sheets, self.seen, self.seen_columns = {}, {}, set(), set()
        for part in re.split(r"^## ", text, flags=re.M)[1:]:
            name = part.splitlines()[0].strip()
            rows = re.findall(r"^\| `([^`]+)` \| ([^|]*) \|(?: *([^|]*?) *\|)?$", part, flags=re.M)
            if name.endswith(" CSV"):
                as_keys = {column: as_key(key) for column, key, _ in rows}
                self.sheets[name.removesuffix(" CSV")] = as_keys
            else:
                self.keys[name] = {key: (kind, what) for key, kind, what in rows}

    def section(self, name):
        return self.keys.get(name, {})

    def walk(self, section, value, key, where):
        """Checks a value that stands at a key."""
        check(key in self.section(section), f"{where}: {key} stands in the section {section} of {PAGE.name}")
        if key not in self.section(section):
            return
        self.seen.add((section, key))
        kind = self.keys[section][key][0]
        if value is None:
            check(kind.endswith("?"), f"{where}: {key} is null, and {section} says {kind}")
        elif kind.rstrip("?") in self.keys:
            self.walk_object(kind.rstrip("?"), value, "", where)
        else:
            check(is_of(value, kind.rstrip("?")), f"{where}: {key} is {kind}", value)
            self.walk_object(section, value, f"{key}.", where)
            self.walk_list(section, value, f"{key}[]", where)

    def walk_object(self, section, value, prefix, where):
        keys = self.section(section)
        for name, member in value.items() if isinstance(value, dict) else ():
            is_any = prefix + name not in keys and prefix + "*" in keys
            self.walk(section, member, prefix + ("*" if is_any else name), where)

    def walk_list(self, section, value, path, where):
        for element in value if isinstance(value, list) else ():
            if path in self.section(section):
                self.walk(section, element, path, where)
            else:
                check(isinstance(element, dict), f"{where}: {path} stands in the section {section}", element)
                self.walk_object(section, element, f"{path}.", where)

    def document(self, text, where):
        document = json.loads(text)
        check(
            document.get("format") in self.keys, f"{where}: the page has its format", document.get("format")
        )
        self.walk_object(document.get("format"), document, "", where)
        schema = {name: part for name, part in SCHEMA.items() if name != "oneOf"}
        validator = jsonschema.Draft202012Validator({**schema, "$ref": f"#/$defs/{document.get('format')}"})
        errors = [f"{error.json_path}: {error.message[:100]}" for error in validator.iter_errors(document)]
        check(not errors, f"{where}: valid by its schema", errors[:3])

    def columns(self, sheet):
        """{column: type} of a sheet that has a table of its own, or the keys of a section."""
        if sheet in self.sheets:
            return {
                column: self.section(section).get(key, ("nothing", ""))[0] if section else key
                for column, (section, key) in self.sheets[sheet].items()
            }
        section, _, without = sheet.partition("!")
        return {
            key: kind
            for key, (kind, what) in self.section(section).items()
            if "[]" not in key and not (without and what.startswith(without))
        }

    def sheet(self, name, text, where):
        known = self.columns(name)
        rows = list(csv.DictReader(io.StringIO(text)))
        check(
            rows and list(rows[0]) == list(known),
            f"{where}: the columns are those of the page",
            list(rows[0]) if rows else None,
        )
        for row in rows:
            for column, field in row.items():
                if field:
                    self.seen_columns.add((name, column))
                    check(
                        is_field(field, known.get(column, "")),
                        f"{where}: {column} is {known.get(column)}",
                        field,
                    )


def is_of(value, kind):
    types = dict(text=str, number=(int, float), whole=int, truth=bool, list=list, object=dict)
    return kind in types and isinstance(value, types[kind]) and isinstance(value, bool) == (kind == "truth")


def is_field(field, kind):
    patterns = dict(number=r"-?[\d.]+(e[-+]?\d+)?", whole=r"-?\d+", truth="true|false")
    return re.fullmatch(patterns.get(kind.rstrip("?"), ".*"), field, flags=re.S) is not None


WALL_KINDS = "running ready lock disk network pipe timer fault child other unknown"
WALL_PARTS = {f"wall.{kind}": 0.125 for kind in WALL_KINDS.split()}

# Of two functions, the second of which called the first, with what can be said of them.
WALL = {
    "length_s": 1.5,
    "lost": 0,
    "looks": 9,
    "short_s": 0.25,
    "cpu_s": 0.001,
    "threads": [
        {
            "pid": 7,
            "tid": 7,
            "name": "prog",
            "from_s": 0,
            "to_s": 1.5,
            "running_s": 0.5,
            "preempted_s": 0.125,
            "throttled_s": 0.0625,
            "queued_s": 0.125,
            "waits": 12,
            "preemptions": 3,
            "migrations": 2,
            "ready_longest_s": 0.0625,
        }
    ],
    "causes": [
        {
            "thread": 0,
            "kind": "lock",
            "name": "big_lock",
            "time_s": 0.5,
            "longest_s": 0.25,
            "waits": 4,
            "looks": 6,
            "by": 8,
            "call": "futex",
            "by_name": "w",
        },
        {
            "thread": 0,
            "kind": "unknown",
            "name": None,
            "time_s": 0.25,
            "longest_s": 0,
            "waits": 0,
            "looks": 0,
            "by": 0,
        },
    ],
    "intervals": [{"from_s": 0, "to_s": 1.375, **{f"{kind}_s": 0.125 for kind in WALL_KINDS.split()}}],
    "timeline": [
        {
            "thread": 0,
            "from_s": 0,
            "to_s": 0.5,
            "running_s": 0.5,
            "ready_s": 0,
            "waiting_s": 0,
            "kind": "unknown",
        },
        {
            "thread": 0,
            "from_s": 0.5,
            "to_s": 1.5,
            "running_s": 0,
            "ready_s": 0.25,
            "waiting_s": 0.75,
            "kind": "lock",
        },
    ],
    "wakes": True,
    "calls": True,
    "summed": True,
    "of_many": True,
    "ready": {
        "sum_ns": 70,
        "least_ns": 20,
        "most_ns": 30,
        "buckets": [{"number": 20, "count": 2}, {"number": 30, "count": 1}],
    },
    "links": [
        {"tid": 8, "thread": "w", "what": "runs", "cause": None, "time_s": 0.25, "depth": 1},
        {"tid": 9, "thread": None, "what": "waits", "cause": "read, pipe", "time_s": 0.25, "depth": 2},
    ],
}
PROFILE = {
    "seconds": 1.5,
    "scope": "user",
    "method": "auto",
    "remarks": ["One record was lost."],
    "modules": [
        {"kind": "file", "path": "/bin/a", "build_id": "00ff", "remark": "it has no line numbers", "pid": 0}
    ],
    "tasks": [{"pid": 7, "tid": 8, "name": "a", "program": "/bin/a"}],
    "events": [
        {
            "event": "cycles",
            "node": "tma_backend_bound",
            "pmu": "cpu_core",
            "period": 0,
            "frequency": 997,
            "precise": 1,
            "wanted": 2,
            "samples": 40,
            "lost": 1,
            "throttled": 0,
            "weight": 4e7,
            "enabled_ns": 15e8,
            "running_ns": 15e8,
            "run": 0,
        }
    ],
    "texts": ["a.c", "leaf", "main"],
    "frames": {"function": [1, 2], "file": [0, -1], "line": [3, 0], "begin": [4096, 4160], "size": [64, 0]},
    "places": {"module": [0, 0], "address": [4100, 4170], "frames": [1, 1], "loop": [1, 0]},
    "loops": {"offset": [4], "inlined": [1], "file": [0], "line": [3], "last_line": [5]},
    "no_loops": "objdump is not here",
    "stacks": {"place": [1, 0], "caller": [-1, 0]},
    "rows": {
        "stack": [1, 0],
        "task": [0, 0],
        "event": [0, 0],
        "method": [1, 0],
        "truncated": [0, 1],
        "interval": [0, 1],
        "samples": [30, 10],
        "weight": [3e7, 1e7],
    },
    "counts": {"row": [0, 1], "item": [0, 1], "value": [5, 6.5]},
    "group_events": ["cycles", "instructions"],
    "groups": {"event": [0], "members": [2]},
    "deltas": {"place": [0, -1], "group": [0, 0], "batch": [0, 9], "pairs": [7, 8], "loop": [1, 0]},
    "delta_values": {"value": [100, 50, 30, 10.5]},
}


def software(**more):
    return [
        {"name": "context_switches", "value": 12, "source": "perf", **more},
        {"name": "read_bytes", "value": None, "reason": "/proc/PID/io can't be read", **more},
    ]


def variants(folder):
    """Files for `topdown report`: as recorded, with repeats, in parts, with what was refused, scaled and
    asked for."""
    session = read_json(SESSION)
    repeat = {key: copy.deepcopy(session[key]) for key in ("planned_runs", "groups", "runs", "counts")}
    for count in repeat["counts"]:
        count["value"] *= 1.02
        count["slices"] = [count["raw"] // 8] * 8
    repeat["runs"][0].update(preemptions=5, waited_s=0.25, cut=True, target_ended=True)
    repeat.update(remarks=["It was repeated."], syscalls={"write": 3}, no_syscalls="It was not to be.")
    repeat["wall_parts"] = WALL_PARTS
    for run in (*session["runs"], *repeat["runs"]):
        run["software"] = software()
    part = {key: value for key, value in session.items() if key not in ("format", "version")}
    odd = copy.deepcopy(session)
    odd.update(
        no_syscalls="root only",
        wall_parts=WALL_PARTS,
        events=odd["counts"][5]["event"],
        remarks=["The machine is odd."],
        host="frodo",
        kernel="6.12.1",
        microcode="0xa1",
        governor="performance",
        libc="glibc 2.36",
        compiler="GNU C17 12.2.0 -O2",
        form="perf-metrics",
        nodes_asked="+L3_Bound",
        metrics_asked="*",
        groups_asked="Mem",
        bottlenecks_asked=True,
        level=2,
    )
    odd["runs"][1].update(status=3, cut=True)
    odd["runs"][2]["wall_s"] = None
    for count in odd["counts"]:
        if count["group"] == 3:
            count.update(state="refused", value=None, reason="The kernel refused it.")
        elif count["group"] > 3:
            count["running_ns"] = count["enabled_ns"] // 2
            count["slices"] = [count["raw"] // 8] * 8
        if count["run"] == 4:
            count["value"] = (count["value"] or 0) * 3
    simulated = read_json(SIMULATED)
    simulated["anchor"].update(
        cycles=2e8,
        wall_s=0.06,
        cpu_s=0.05,
        tick_s=0.004,
        faults=90,
        preemptions=3,
        waited_s=0.01,
        hz_low=2e9,
        hidden="SHA",
        hidden_code="libcrypto.so.3 has code for this CPU's SHA",
    )
    simulated["anchor"]["software"] = software()
    simulated["what_if"] = [
        {
            "name": "branches",
            "what": "every branch is predicted",
            "cycles": 1e6,
            "cycles_ci95": 1e4,
            "nodes": ["tma_bad_speculation"],
        },
        {"name": "l2=2M", "what": "L2 has 2M", "cycles": 2e6, "nodes": []},
    ]
    simulated["inputs"] = [
        {"name": "a.txt", "bytes": 3, "digest": "0123456789abcdef"},
        {"name": "b", "bytes": 1 << 30, "digest": None},
    ]
    simulated["syscalls_asked"] = "all,write"
    simulated["runs"][0].update(preemptions=12, waited_s=0.5, target_ended=True)
    files = {
        "repeats": {**session, "planned_repeats": 2, "repeats": [repeat]},
        "parts": {
            "format": "topdown-session",
            "version": 2,
            "parts": [
                {
                    **part,
                    "part": f"socket {i}",
                    "part_kind": "socket",
                    "target": "all CPUs",
                    "selector": "-a",
                    "options": "--per-socket",
                }
                for i in range(2)
            ],
        },
        "odd": odd,
        "without": {
            **session,
            "counts": [count for count in session["counts"] if "UOP_DROPPING" not in count["event"]],
        },
        "generic": {
            "format": "topdown-counts",
            "cpu": "generic-arm-stalls",
            "counts": {"CPU_CYCLES": 2000, "INST_RETIRED": 900, "STALL_BACKEND": 1000, "STALL_FRONTEND": 100},
        },
        "by-cpu": {
            **session,
            "target": "CPUs 0,1",
            "selector": "-C 0,1",
            "options": "-A",
            "parts_asked": "all,cpu",
            "cpus": [{"cpu": i, "core": i, "socket": 0} for i in range(2)],
            "runs": [
                {**run, "cpu_s_by_cpu": [0.5, 0], "software": software(by_cpu=[7, None])}
                for run in session["runs"]
            ],
            "counts": [
                {**count, "by_cpu": [[count[key] for key in ("raw", "enabled_ns", "running_ns")], None]}
                for count in session["counts"]
            ],
        },
        "of-perf-stat": {
            **session,
            "counts": [{**count, "unit": "Joules"} for count in session["counts"][:1]]
            + session["counts"][1:],
            "printed": {"tma_retiring": 12.5, "tma_backend_bound": None},
        },
        "profile": {**session, "profile": PROFILE},
        "wall": {**session, "wall": WALL},
        "of-job": spread(rank_session(1, 4)),
        "wall-unknown": {**session, "wall": {**WALL, "refused": "no rights", "unlooked": "no rights"}},
        "intervals": {
            **session,
            "profile": {
                **PROFILE,
                "intervals": {"from_s": [0, 0.25], "to_s": [0.25, 0.5]},
                "moment_s": 0.25,
                "moments_s": 0.5,
                "moments": {"row": [0, 1], "number": [0, 1], "weight": [30, 10]},
            },
        },
        "sampled": {
            **session,
            "counts": [],
            "groups": 0,
            "profile": {key: value for key, value in PROFILE.items() if key != "counts"},
        },
        "simulated": simulated,
    }
    for name, content in files.items():
        (folder / name).write_text(json.dumps(content), encoding="utf-8")
    return [folder / name for name in files]


def profiled(folder):
    """Samples with all that rows can have; and a simulation with call stacks, whose native run was
    sampled."""
    places = [
        ("/bin/prog", (("main", "/src/a.c", 3), ("inlined", "/src/a.h", 4))),
        ("/bin/prog", (("leaf", "/src/a.c", 9),)),
    ]
    session = read_json(SESSION)
    misses = {**CLOCK, "event": "MISSES", "node": "tma_dram_bound"}
    sampled, modelled = (
        Profile(
            (
                CLOCK,
                misses,
                {**misses, "event": "HITS", "frequency": 997, "period": 0},
                {**CLOCK, "event": "CPU_CLK_UNHALTED.THREAD"},
            )
        ),
        Profile(),
    )
    simulated = read_json(SIMULATED)
    items = {count["event"]: i for i, count in enumerate(simulated["counts"])}
    sampled.sentences.append("One record was lost.")
    sampled.intervals = [(0, 0.25), (0.25, 0.5)]
    for event in range(3):
        sampled.add(places, 40, event=event)
        sampled.add(places[:1], 20, event=event, truncated=True)
    sampled.add_group(
        3,
        [
            "TOPDOWN.SLOTS",
            "topdown-retiring",
            "topdown-bad-spec",
            "topdown-fe-bound",
            "topdown-be-bound",
            "CPU_CLK_UNHALTED.THREAD",
        ],
    )
    for batch, place in enumerate((*places, None, *places)):
        sampled.add_delta(place, batch, 20, [6000, 1000 + batch, 2000, 1000, 2000, 1000])
    for line, place in zip(simulated["lines"], places):
        modelled.add_exact([place], {items[event]: value for event, value in line["counts"].items()})
        modelled.add([place], 50)
    (folder / "series").write_text(
        json.dumps({**session, "series": hand_series.made([session], [(0, 1, 1)])}), encoding="utf-8"
    )
    (folder / "drawn").write_text(json.dumps(sampled.session(session)), encoding="utf-8")
    session = modelled.session({**simulated, "remarks": ["So it is."]})
    session["profile"]["pairs"] = {"place": [0], "partner": [1], "kind": [3], "transfers": [12]}
    (folder / "modelled").write_text(json.dumps(session), encoding="utf-8")
    (folder / "placed").write_text(json.dumps(placed(session)), encoding="utf-8")


def placed(session):
    """The same with operations, bytes and ceilings."""
    events = [f"flops.f{bits}_{width}" for bits in (32, 64) for width in ("scalar", "128", "256")] + [
        "bytes.loaded",
        "bytes.stored",
        "lines.streamed",
    ]
    events += [f"lines.l{level}_{way}" for level in (1, 2, 3) for way in ("in", "out")]
    known = {count["event"] for count in session["counts"]}
    counts = [
        {**session["counts"][0], "event": event, "value": 1000, "raw": 1000}
        for event in events
        if event not in known
    ]
    ceilings = [
        {"type": "f64", "operation": "fma", "bits": 256, "threads": 1, "value": 4e10, "clock_hz": 3e9},
        {"level": "DRAM", "pattern": "read", "bits": 256, "threads": 1, "value": 1e10, "clock_hz": None},
    ]
    return {
        **session,
        "counts": session["counts"] + counts,
        "roofline_asked": True,
        "roofs": {"cpu": "this one", "measured": "2026-11-23T09:00:00Z", "ceilings": ceilings},
    }


def poor_database(folder):
    """A CPU with an event that none of its counters can count."""
    events = read_json(SOURCE / "events/cascadelakex.json")
    next(event for event in events["Events"] if event["EventName"] == "ARITH.DIVIDER_ACTIVE")["Counter"] = "7"
    (folder / "events").mkdir()
    (folder / "events/cascadelakex.json").write_text(json.dumps(events), encoding="utf-8")
    return folder


def job(folder, **changes):
    """Five ranks, of which one stands apart, one is missing and one can't be read."""
    folder.mkdir()
    for rank in range(4):
        write(folder / f"r-{rank}.json", rank_session(rank, 5, times=2 if rank == 3 else 1))
    write(folder / "r-2.json", rank_session(2, 5, **changes))
    (folder / "r-4.json").write_text("{", encoding="utf-8")
    return folder


def commands(files, database):
    """(name of the sheet, words)"""
    yield "topdown-plan", ["plan", "-l3", "--cpu", "clx", "--db", database]
    for file in [*sorted(GOLDEN.glob("*/counts.json")), SESSION, *files]:
        for words in ([], ["-l1"], ["--metrics", "*"]) if file.name != "sampled" else ([],):
            yield "topdown-report", ["report", *words, file]
    for file in (files[-1], SIMULATED):
        yield "topdown-report", ["report", "--lines", file]
        yield "topdown-report", [
            "report",
            "--functions",
            "--per-function",
            "--nodes",
            "Retiring,Core_Bound",
            file,
        ]
        yield "topdown-report", ["report", "--by", "module", "--callers", "main", file]
    for by in ("thread", "process", "module", "interval"):
        yield "topdown-report", [
            "report",
            "--lines",
            "--by",
            by,
            "--callers",
            "main",
            "--annotate",
            "leaf",
            files[0].parent / "drawn",
        ]
    yield "topdown-report", ["report", "--functions", "--per-function", files[0].parent / "drawn"]
    yield "topdown-report", ["report", "--roofline", "--per-function", files[0].parent / "drawn"]
    yield "topdown-report", ["report", "--lines", "--nodes", "Memory_Bound", files[0].parent / "modelled"]
    yield "topdown-report", [
        "report",
        "--functions",
        "--annotate",
        "main",
        "--per-function",
        files[0].parent / "modelled",
    ]
    yield "topdown-report", ["report", "--per-function", files[0].parent / "placed"]
    for name in ("profile", "sampled"):
        for words in (["--lines"], ["--callers", "leaf"], ["--by", "thread"], ["--by", "process"]):
            yield "topdown-report", ["report", *words, next(file for file in files if file.name == name)]
    yield "topdown-report", [
        "report",
        "--idle-threshold",
        "5",
        next(file for file in files if file.name == "by-cpu"),
    ]
    yield "topdown-report", [
        "report",
        "-A",
        "--idle-threshold",
        "5",
        next(file for file in files if file.name == "by-cpu"),
    ]
    yield "topdown-report", ["report", "-B", SESSION]
    yield "topdown-report", ["report", job(files[0].parent / "ranks")]
    yield "topdown-report", ["report", job(files[0].parent / "models", machine="another")]
    yield "first-value", ["first", "--duration", "0.1", "--sysroot", made_machine(files[0].parent / "made")]
    yield "check", ["doctor", "--steady"]
    yield "topdown-verification", ["verify", "--pmu", "cpu", "--times", "1", "--only", "chase-l2"]
    yield "topdown-report", ["report", "-B", GOLDEN / "spr-vector/counts.json"]
    yield "topdown-report", ["report", "-B", GOLDEN / "zen4-frontend/counts.json"]
    yield "topdown-report", ["report", "--nodes", "Memory_Bound", "--groups", "Mem", SESSION]
    yield "topdown-report", ["report", "--nodes", "Memory_Bound^", "-l2", SESSION]
    for cpu in ("clx", "alderlake:atom", "neoverse-v1", "amdzen4"):
        for words in (["-l1"], ["-l6"], ["--metrics", "*"], ["-l6", "--multiplex"]):
            yield "topdown-plan", ["plan", "--cpu", cpu, *words]
        for what in ("events", "metrics", "nodes", "groups"):
            yield f"list-{what}" + (f"!{OF_METRICS}" if what == "metrics" else ""), [
                "list",
                what,
                "--cpu",
                cpu,
            ]
        yield "list-metrics", ["metrics", "--cpu", cpu, "--nodes", "*", "--metrics", "*"]
        yield "explained", ["explain", "--cpu", cpu, "*"]
    yield "list-cpus", ["list", "cpus"]
    yield "list-cores", ["list", "cores"]
    for machine in sorted(path for path in MACHINES.iterdir() if path.is_dir()):
        yield "check", ["doctor", "--sysroot", machine]
        if machine.name != "cloud-vm":
            yield "topdown-plan", ["plan", "-l3", "--sysroot", machine]


def check_saved(page, folder):
    """A session that is saved here; by simulation, which needs no counters."""
    if not any((BUILD / "libexec/topdown").glob("topdown-*-linux")) or not shutil.which("valgrind"):
        print("the session of a simulation is left out: there is no simulator, or no Valgrind")
        return
    result = topdown(
        "--pmu",
        "sim",
        "-l1",
        "--lines",
        "--format",
        "json",
        "--save",
        folder / "saved.json.gz",
        "-o",
        folder / "out",
        "true",
    )
    check_success(result, "a simulation")
    page.document(
        gzip.decompress((folder / "saved.json.gz").read_bytes()).decode(),
        "a session that is saved compressed",
    )
    page.document((folder / "out").read_text(encoding="utf-8"), "a simulation's report")
    summary = read_json(folder / "out")["summary"]
    here = (os.uname().nodename, os.uname().release)
    check((summary["host"], summary["kernel"]) == here, "a measurement knows its host and kernel", summary)
    kept = json.loads(topdown("report", "--format", "json", folder / "saved.json.gz").stdout)["summary"]
    check(
        (kept["host"], kept["kernel"], kept["started"]) == (*here, summary["started"]),
        "and its session keeps them",
        kept,
    )


def remembered(folder):
    """A history with a change, another kernel, an accepted run, a note, and a measurement, which has a
    status."""
    database, table = folder / "history.db", folder / "prog.csv"
    lines = [
        f"2024-01-01T00:00:{n:02},prog,{'6.1' if n < 20 else '6.8'},Some"
        f" CPU,0x1,abcdef{n:02},main,clx,wall,s,{v},{v - 1},{v + 1},5"
        for n in range(40)
        for v in (100 + n % 3 + 50 * (n % 20 > 9),)
    ]
    table.write_text(
        "\n".join(
            ["time,program,kernel,model,microcode,commit,branch,cpu,metric,unit,value,low,high,n", *lines, ""]
        ),
        encoding="utf-8",
    )
    for words in (
        ["import", table, "--tag", "a=b"],
        ["import", SESSION],
        ["annotate", "35", "a note"],
        ["accept", "35"],
    ):
        result = topdown("history", database, *words)
        check(result.returncode == 0, f"history {words[0]}", result.stderr)
    return database


def check_all(page, folder):
    files = variants(folder)
    profiled(folder)
    for form, show in (
        ("json", page.document),
        ("csv", lambda text, where: page.sheet("topdown-history", text, where)),
    ):
        show(topdown("history", remembered(folder), "--format", form).stdout, f"history as {form}")
    for file in [
        SESSION,
        SIMULATED,
        folder / "modelled",
        folder / "series",
        folder / "placed",
        *files,
        *sorted(GOLDEN.glob("*/counts.json")),
    ]:
        page.document(file.read_text(encoding="utf-8"), file.name)
        brief = topdown("report", "--format", "brief", file)
        if brief.returncode:
            check(False, f"{file.name}, in brief", brief.stderr)
            continue
        page.document(brief.stdout, f"{file.name}, in brief")
    for sheet, words in commands(files, poor_database(folder)):
        where = " ".join(map(str, words)).replace(str(SOURCE) + "/", "")
        statuses = {"doctor": (0, 1), "verify": (0, 3, 4)}.get(words[0], (0,))
        for form in ("json", "csv"):
            result = topdown(*words, "--format", form)
            check(result.returncode in statuses, f"{where}: exit status", (result.returncode, result.stderr))
            if form == "json":
                page.document(result.stdout, where)
            else:
                page.sheet(sheet, result.stdout, f"{where} as CSV")
    check_saved(page, folder)
    check_comparison(page, folder)
    check_ceilings(page, folder)
    check_explored(page, folder)
    check_latency(page, folder)
    page.document(json.dumps(L3_OF_A_GUEST), "the L3 of a guest")


def check_latency(page, folder):
    """Where this machine lets topdown set probes."""
    out = folder / "latency"
    for form, show in (
        ("json", page.document),
        ("csv", lambda text, where: page.sheet("topdown-latency", text, where)),
    ):
        words = ["latency", "libc:malloc", "--format", form, "-o", out, "--", "sh", "-c", ":"]
        if topdown(*words).returncode == 0:
            show(out.read_text(encoding="utf-8"), f"latency as {form}")


def check_explored(page, folder):
    """What pages explore: with source text, and over time."""
    text = folder / "source" / "divide.c"
    text.parent.mkdir()
    text.write_text("int line;\n" * 40, encoding="utf-8")
    table = series(folder / "series.csv", 60, second=("IDQ_UOPS_NOT_DELIVERED.CORE", 3))
    for words in (
        ["--lines", "--source", text.parent, SIMULATED],
        ["--cpu", "clx", table],
        [folder / "drawn"],
        [SOURCE / "docs/sample-profile.json"],
    ):
        done = topdown("report", "--format", "html", *words)
        check_success(done, f"the page of {words}")
        data = block(done.stdout, "topdown-view")
        page.document(json.dumps(data), f"what the page of {words} explores")


def check_ceilings(page, folder):
    """What a machine has kept, in both formats; and stale."""
    for name, changes in (("kept", {}), ("stale", {"kernel": "5.4.0"})):
        file, machine, env = write_kept(folder / name, made_up(**changes))
        page.document(file.read_text(encoding="utf-8"), f"{name} ceilings")
        for form, show in (
            ("json", page.document),
            ("csv", lambda text, where: page.sheet("ceiling", text, where)),
        ):
            result = topdown("roofline", "--sysroot", machine, "--format", form, env=environment(**env))
            check_success(result, f"{name} ceilings as {form}")
            show(result.stdout, f"{name} ceilings as {form}")


def check_comparison(page, folder):
    """A simulation with itself at twice the counts; and with the counts of a PMU, which lack most of its
    keys."""
    session = read_json(SIMULATED)
    double = folder / "double.json"
    for count in session["counts"]:
        if count["event"] != "inst.retired":
            count["value"] = count["value"] and 2 * count["value"]
            count["raw"] = count["raw"] and 2 * count["raw"]
    for line in session["lines"]:
        line["counts"] = {event: 2 * value for event, value in line["counts"].items()}
    session["kernel"] = "7.0"
    double.write_text(json.dumps(session), encoding="utf-8")
    for words in ((SIMULATED, double), (SIMULATED, SESSION), (SESSION, SESSION)):
        page.document(topdown("compare", *words, "--format", "json").stdout, f"compare {words}")
        page.sheet(
            "topdown-comparison",
            topdown("compare", *words, "--format", "csv").stdout,
            f"compare {words} as CSV",
        )


def main():
    page = Page(PAGE.read_text(encoding="utf-8"))
    with temporary() as folder:
        check_all(page, folder)
    documented = {(section, key) for section, keys in page.keys.items() for key in keys}
    for section, key in sorted(pair for pair in documented - page.seen - LIVE if pair[0] not in OTHERS):
        check(False, f"the section {section} has {key}, which never appears")
    columns = {(name, column) for name in page.sheets for column in page.columns(name)}
    for name, column in sorted(columns - page.seen_columns - LIVE_COLUMNS):
        check(False, f"the sheet {name} has the column {column}, in which never is anything")
    check(len(documented) > 250, "the page was read", len(documented))
    finish()


main()
