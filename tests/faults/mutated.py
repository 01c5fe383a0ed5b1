#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""mutated.py - inputs of each reader, damaged by chance: sessions, baselines, printed records, perf.data,
histories, limits, databases, vendors' files, the environment. Whatever they are, topdown ends by itself with
a status of its own, says a sentence where it fails, and its sanitizers (where it has them) find nothing.

mutated.py [--each N] [--seed N] [--keep DIR] [READER]...; N mutants of each reader.
"""
import argparse
import concurrent.futures
import copy
import json
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys

sys.path[:0] = [f"{sys.path[0]}/..", f"{sys.path[0]}/../cli"]
import perf_file as pf  # noqa: E402
from lib import FAILED, SOURCE, TOPDOWN, check, environment, finish, soft_pmu, temporary  # noqa: E402

VERDICTS = {1, 3, 4}  # of commands that judge, or compare
MOST_BYTES = 64 << 20  # of what is below a megabyte
HANG_S = 600  # of an input below a megabyte: only what waits for ever takes as long
SESSIONS = [
    SOURCE / "docs/sample-session.json",
    SOURCE / "docs/sample-profile.json",
    SOURCE / "docs/sample-roofline.json",
    SOURCE / "tests/cli/formats/simulated.json",
]
FORMS = ("text", "json", "csv", "markdown", "html")
EXPORTS = ("svg", "folded", "speedscope", "firefox", "pprof", "callgrind")
FOUND = re.compile(rb"(AddressSanitizer|LeakSanitizer|UndefinedBehavior|runtime error:|Assertion )[^\n]*")
# fmt: off
ODD = (
    None, True, -1, 0, 0.5, 1e308, -1e-320, 2**31, 2**63, 2**64, 10**40, "", " ", "-", "nan", "inf",
    "1e999", "0x", "9" * 400, "a" * 5000, "\x1b[31m", "ä" * 200, "../../x", "/dev/full", "%s%n", [], {}, [[]],
    {"": ""}, [None] * 50,
)
# fmt: on
NUMBERS = (b"0", b"-1", b"1e308", b"18446744073709551616", b"4294967296", b"1e-9", b"nan", b"", b"9" * 300)


# ---- damage ----


def paths_of(value, path=()):
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inner:
        yield from paths_of(one, (*path, key))


def changed(chance, parent, key):
    """One element of an object or list: another value, gone, there many times, or somewhere else."""
    kind = chance.randrange(6)
    if kind == 0:
        del parent[key]
    elif kind == 1 and isinstance(parent, list):
        most = 1000 if len(repr(parent[key])) < 200 else 2
        parent[key:key] = [copy.deepcopy(parent[key]) for _ in range(chance.choice((1, 2, most)))]
    elif kind == 1:
        parent[chance.choice(("", "x" * 300, f"{key} ", key.upper()))] = copy.deepcopy(parent[key])
    elif kind == 2:
        other = chance.choice(list(parent) if isinstance(parent, dict) else range(len(parent)))
        parent[key], parent[other] = copy.deepcopy(parent[other]), parent[key]
    elif kind == 3 and isinstance(parent[key], (int, float)):
        parent[key] = parent[key] * chance.choice((-1, 1e9, 1e-9, 0, 2)) + chance.choice((0, 1))
    else:
        parent[key] = copy.deepcopy(chance.choice(ODD))


def damaged_json(chance, data):
    value = json.loads(data)
    for _ in range(chance.choice((1, 1, 2, 5, 20))):
        paths = [path for path in paths_of(value) if path]
        if not paths:
            break
        *steps, key = chance.choice(paths)
        parent = value
        for step in steps:
            parent = parent[step]
        changed(chance, parent, key)
    return json.dumps(value).encode()


def damaged_bytes(chance, data):
    data = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 5, 20))):
        at = chance.randrange(len(data) + 1)
        end = min(len(data), at + chance.choice((1, 2, 4, 8, 100, 3000)))
        kind = chance.randrange(7)
        if kind == 0 and at < len(data):
            data[at] ^= 1 << chance.randrange(8)
        elif kind == 1:
            data[at:end] = chance.randbytes(end - at)
        elif kind == 2:
            del data[at:end]
        elif kind == 3:
            data[at:at] = data[at:end] * chance.choice((1, 2, 50))
        elif kind == 4:
            del data[at:]
        elif kind == 5:
            to = chance.randrange(len(data) + 1)
            data[to:to] = data[at:end]
        else:
            numbers = list(re.finditer(rb"\d+", bytes(data)))
            if numbers:
                found = chance.choice(numbers)
                data[slice(*found.span())] = chance.choice(NUMBERS)
    return bytes(data)


def damaged(chance, path):
    """path becomes a mutant of itself."""
    data = path.read_bytes()
    is_json = path.suffix == ".json" and chance.random() < 0.7
    try:
        path.write_bytes(damaged_json(chance, data) if is_json else damaged_bytes(chance, data))
    except ValueError:  # more than one value in the file
        path.write_bytes(damaged_bytes(chance, data))


# ---- readers: each makes its inputs in a folder, damages one, and gives a command that reads it ----


def read_as(chance, path):
    """Some command that reads a session or a record."""
    return chance.choice(
        (
            *(["report", "--functions", "--format", form, path] for form in FORMS),
            ["report", "-v", "--per-function", path],
            ["compare", path, path],
            *(["export", "--to", to, path] for to in EXPORTS),
            ["history", "runs.db", "import", path],
        )
    )


def session(chance, folder):
    path = folder / "input.json"
    shutil.copy(chance.choice(SESSIONS), path)
    damaged(chance, path)
    return read_as(chance, path)


def other_side(chance, folder):
    first = chance.choice(SESSIONS)
    path = folder / "input.json"
    shutil.copy(first, path)
    damaged(chance, path)
    sides = [first, path] if chance.random() < 0.5 else [path, first]
    return ["compare", "--format", chance.choice(FORMS), *sides]


def record(chance, folder):
    cases = [
        case
        for case in json.loads((SOURCE / "tests/field/cases/index.json").read_bytes())["cases"]
        if case["file"] and not case.get("build")
    ]
    case = chance.choice(cases)
    path = folder / case["file"]
    shutil.copy(SOURCE / "tests/field/cases" / case["file"], path)
    damaged(chance, path)
    words = [word.replace("{file}", str(path)).replace("{dir}", str(folder)) for word in case["command"]]
    has_form = any(word in ("--format", "--to") for word in words)
    return words if has_form else [*words[:1], "--format", chance.choice(FORMS), *words[1:]]


def perf_data(chance, folder):
    front = [pf.comm(7, 7, "work", 1, True), pf.mmap2(7, 0x400000, 0x4000, 0, "/opt/work", 2)]
    chain = [pf.IN_USER, 0x401000, 0x401100, 0x401200]
    has_chains = chance.random() < 0.5
    rows = [
        pf.sample(0x401000 + 16 * i, 7, 7, 50 + i, chain=chain if has_chains else None) for i in range(40)
    ]
    write = chance.choice((pf.write_file, pf.write_pipe))
    facts = {"host": "h", "version": "6.1", "command": ["perf", "record", "./work"], "build_ids": {}}
    path = folder / "perf.data"
    path.write_bytes(write(pf.Events(has_chains=has_chains), b"".join([*front, *rows]), **facts))
    damaged(chance, path)
    return read_as(chance, path)


def history(chance, folder):
    path = folder / "runs.db"
    subprocess.run(
        [TOPDOWN, "history", path, "import", *SESSIONS[:2]],
        env=environment(),
        capture_output=True,
        check=True,
    )
    damaged(chance, path)
    return [
        "history",
        path,
        *chance.choice(
            ([], ["show", "1"], ["compare", "1", "last"], ["accept", "last"], ["prune", "--keep", "1"])
        ),
    ]


def gate(chance, folder, name):
    """A measurement is judged by limits and a baseline, of which name is damaged."""
    limits = {
        "format": "topdown-limits",
        "version": 1,
        "limits": [
            {"metric": "cycles", "max_increase": "900 %", "line": "a.c:1"},
            {"metric": "minor", "max": 90, "function": "main"},
            {"metric": "time", "max_increase": "9 s"},
        ],
    }
    words = [*soft_pmu.soft_pmu(folder), "-r", "2"]
    (folder / "limits.json").write_text(json.dumps(limits), "utf-8")
    subprocess.run(
        [TOPDOWN, "gate", *words, "--update", "--baseline", folder / "base.json", "true"],
        env=environment(),
        capture_output=True,
        check=True,
    )
    damaged(chance, folder / name)
    return ["gate", *words, "--limits", folder / "limits.json", "--baseline", folder / "base.json", "true"]


def database(chance, folder):
    """Events, model, map file or the rules of a CPU, beside what is installed."""
    soft_pmu.soft_pmu(folder)
    (folder / "db/models").mkdir(exist_ok=True)
    for name in ("events/skylakex.json", "models/skylakex.json", "models/assessment.json"):
        shutil.copy(SOURCE / name, folder / "db" / name)
    files = [path for path in (folder / "db").rglob("*") if path.is_file()]
    damaged(chance, chance.choice(files))
    cpu = chance.choice(("skylakex", "soft"))
    words = chance.choice(
        (
            ["list", "nodes", "--cpu", cpu],
            ["plan", "-l", "6", "--cpu", cpu],
            ["metrics", "--cpu", cpu],
            ["explain", "--cpu", cpu, "Memory_Bound"],
            ["report", SESSIONS[0]],
        )
    )
    return [words[0], "--db", folder / "db", *words[1:]]


def vendor(chance, folder):
    """What the import reads, made by hand: no file of a vendor is needed."""
    source = folder / "toy"
    (source / "events").mkdir(parents=True)
    (source / "metrics").mkdir()
    events = [
        {"EventName": "A", "EventCode": "0x1", "UMask": "0x2", "Counter": "0,1", "BriefDescription": "a"},
        {"EventName": "B.C", "EventCode": "0x2", "Counter": "Fixed counter 0"},
        {"ArchStdEvent": "CPU_CYCLES"},
    ]
    metrics = [
        {
            "MetricName": "tma_frontend_bound",
            "MetricExpr": "max(0, A / B.C) if #SMT_on else 1 - d_ratio(A, B.C)",
            "MetricGroup": "TopdownL1;tma_L1_group",
            "MetricThreshold": "tma_frontend_bound > 0.2",
            "ScaleUnit": "100%",
        }
    ]
    arm = {
        "product_configuration": {"part_num": "0xd0c", "implementer": "0x41", "num_slots": 5},
        "events": {"A": {"code": "0x1", "title": "a"}, "B": {"code": "0x2"}},
        "metrics": {"m": {"formula": "A / B * 100", "units": "percent of slots", "events": ["A", "B"]}},
        "groups": {"metrics": {"G": {"title": "g", "metrics": ["m"]}}},
        "methodologies": {
            "topdown_methodology": {
                "decision_tree": {"root_nodes": ["m"], "metrics": [{"name": "m", "next_items": ["G"]}]}
            }
        },
    }
    form = chance.choice(("perf", "perfmon", "arm"))
    files = {
        "perf": {"events.json": events, "metrics.json": metrics},
        "perfmon": {"events/toy_core.json": events[:2], "metrics/toy_metrics.json": metrics},
        "arm": {"n9.json": arm},
    }[form]
    for name, value in files.items():
        (source / name).write_text(json.dumps(value), "utf-8")
    damaged(chance, source / chance.choice(list(files)))
    return ["import", "--from", form, "-o", folder / "out", source]


def surroundings(chance, folder):
    """A report with variables of any text; folder / "variables.json" has them."""
    names = (
        "COLUMNS TERM PAGER LC_ALL HOME TMPDIR NO_COLOR TOPDOWN_DB TOPDOWN_HISTORY TOPDOWN_LAST"
        " TOPDOWN_MACHINE XDG_DATA_HOME XDG_STATE_HOME GITHUB_SHA GITHUB_WORKSPACE VALGRIND_LIB"
    ).split()
    texts = (
        "",
        "0",
        "-1",
        "9" * 30,
        "x" * 20000,
        "/dev/null",
        str(folder),
        "\x1b[31m",
        "\udcff",
        "a\nb",
        "%s%n",
    )
    variables = {name: chance.choice(texts) for name in chance.sample(names, 4)}
    (folder / "variables.json").write_text(json.dumps(variables), "utf-8")
    return chance.choice(
        (
            ["report", SESSIONS[0]],
            ["list", "nodes", "--cpu", "skylakex"],
            ["history"],
            ["report"],
            ["sample", "true"],
            ["-l1", "true"],
        )
    )


READERS = {
    "session": session,
    "other-side": other_side,
    "record": record,
    "perf-data": perf_data,
    "history": history,
    "limits": lambda chance, folder: gate(chance, folder, "limits.json"),
    "baseline": lambda chance, folder: gate(chance, folder, "base.json"),
    "database": database,
    "vendor": vendor,
    "environment": surroundings,
}


# ---- the run ----


def limited():
    """A mutant that writes without end ends, and not the machine."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_BYTES, MOST_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def variables_of(folder):
    path = folder / "variables.json"
    return json.loads(path.read_text("utf-8")) if path.exists() else {}


def outcome(words, folder):
    """Status, or None where it hangs; what it printed and what it said."""
    paths = [folder / "printed", folder / "said"]
    with open(paths[0], "wb") as printed, open(paths[1], "wb") as said:
        try:
            status = subprocess.run(
                [TOPDOWN, *map(str, words)],
                cwd=folder,
                env=environment(**({"XDG_STATE_HOME": str(folder / "state")} | variables_of(folder))),
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=said,
                check=False,
                timeout=HANG_S,
                preexec_fn=limited,
            ).returncode
        except subprocess.TimeoutExpired:
            status = None
    return status, *(path.read_bytes() for path in paths)


def is_json(words, printed):
    """One document, or several: intervals."""
    if "json" not in words or words[0] != "report":
        return True
    try:
        text = printed.decode().strip()
        while text:
            text = text[json.JSONDecoder().raw_decode(text)[1] :].strip()
        return bool(printed)
    except ValueError:
        return False


def fault_of(words, result):
    """What is wrong with the end of a mutant; None where nothing is."""
    status, printed, said = result
    lines = said.rstrip().splitlines() or [b""]
    found = FOUND.search(said)
    if status is None or status < 0 or found:
        return f"status {status}" if not found else found.group().decode()
    if max(len(printed), len(said)) >= MOST_BYTES:
        return "output without end"
    if status == FAILED and not lines[-1].startswith(b"topdown: "):
        return "no sentence"
    if status not in (0, FAILED, *VERDICTS):
        return f"status {status}"
    return None if status or is_json(words, printed) else "no JSON"


def check_one(name, seed, number, keep):
    """Whether the mutant was refused."""
    with temporary() as folder:
        words = READERS[name](random.Random(f"{name}:{seed}:{number}"), folder)
        result = outcome(words, folder)
        fault = fault_of(words, result)
        check(not fault, f"{name}, --seed {seed}, mutant {number}", (fault, words, result[2][-1500:]))
        if fault and keep:
            shutil.copytree(folder, keep / f"{name}-{seed}-{number}", symlinks=True, dirs_exist_ok=True)
    return result[0] == FAILED


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--each", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("readers", nargs="*")
    arguments = parser.parse_args()
    names = arguments.readers or list(READERS)
    rows = [
        (name, arguments.seed, number, arguments.keep) for name in names for number in range(arguments.each)
    ]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        refused = [result.result() for result in [pool.submit(check_one, *row) for row in rows]]
    print(f"{len(rows)} mutants, {sum(refused)} refused")
    check(
        arguments.readers or 0 < sum(refused) < len(rows),
        "mutants that are refused, and that are not",
        sum(refused),
    )
    finish()


main()
