#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""run.py [--check] - how long topdown takes and how much memory: a table of medians, whole processes first.

With --check the exit status is 1 when a goal is missed. TOPDOWN, TOPDOWN_BUILD, BENCH and REFERENCE name the
program, its build folder, the folder with the C benches and the vendors' data, as the target `bench` does.
"""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

import beside_perf
import known_shares
import naming
import overhead
import ranks
import sampling_cost

sys.path.append(f"{sys.path[0]}/..")
from lib import chromium

SOURCE = pathlib.Path(__file__).resolve().parents[2]
TOPDOWN = os.environ.get("TOPDOWN", str(SOURCE / "build/topdown"))
BUILD = os.environ.get("TOPDOWN_BUILD", str(SOURCE / "build"))
BENCH = pathlib.Path(os.environ.get("BENCH", str(SOURCE / "build/tests/bench")))
REFERENCE = pathlib.Path(os.environ.get("REFERENCE", str(SOURCE / "tests/reference"))).resolve()
SESSION = SOURCE / "docs/sample-session.json"
RUNS = 41

# words, and the goals: wall time in ms, peak RSS in MiB
PROCESSES = [
    (["--version"], None, None),
    (["plan", "-l3", "--cpu", "sapphirerapids"], None, None),
    (["plan", "-l6", "--cpu", "sapphirerapids"], 6, 12),
    (["plan", "-l6", "--cpu", "cascadelakex"], None, None),
    (["report", "-l3", str(SESSION.relative_to(SOURCE))], 10, None),
    (["completion", "words", "--", "report", "--cpu", "sapphirerapids", "--nodes", "D"], 50, None),
    (["completion", "words", "--", "plan", "--cpu", "sapphirerapids", "-e", ""], 50, None),
    (["completion", "words", "--", "plan", "--cpu", ""], 50, None),
    (["help", "topdown"], None, None),
]
# The same with the program that is one file, which has nothing but what is inside it.
ONE_FILE = [
    (["--version"], None, None),
    (["plan", "-l6", "--cpu", "sapphirerapids"], 6, 12),
    (["plan", "-l6", "--cpu", "cascadelakex"], None, None),
    (["list", "cpus"], None, None),
]
INTERVAL_MS, LAST_MS = 1, 2
SAVED_MIB, SAVED_S, SAVED_MEMORY_MIB = 44, 5, 200
SERIES, SERIES_NODES, SERIES_S, SERIES_MIB, SERIES_OPEN_S = 100_000, 300, 2, 20, 3
HISTORY_RUNS = 100_000
ATTACH_PROCESSES, ATTACH_ROUNDS = 300, 3
INPUT_MIB, INPUT_ROUNDS, INPUT_RATIO = 500, 7, 1.5

# Folders of the vendors' data by form; Intel's of Linux have no events here. The goals are for a CPU, and for
# each folder.
IMPORTS = {
    "perfmon": "intel/*/",
    "perf": (
        "linux-7.3/x86/amdzen*/ linux-7.3/arm64/arm/cortex-*/ linux-7.3/arm64/ampere/ampereone*/"
        " linux-7.3/arm64/nvidia/*/"
    ),
    "arm": "arm/",
}
IMPORT_MS, IMPORT_MIB, IMPORT_RUNS = 500, 64, 11

# Lengths of plans: CPU, SMT ("cores": on, and all of a core is counted, as with -a), level, groups of a peer,
# and the groups that were wished for, unless a proven bound is higher. Both are the
# figures that the planner set out with; a peer is not run here.
PLANS = [
    ("cascadelakex", "on", 1, 1, 1),
    ("cascadelakex", "on", 2, 7, 4),
    ("cascadelakex", "on", 3, 29, 12),
    ("cascadelakex", "on", 6, 62, 27),
    ("cascadelakex", "cores", 1, 1, 1),
    ("cascadelakex", "cores", 2, 7, 4),
    ("cascadelakex", "cores", 3, 29, 12),
    ("cascadelakex", "cores", 6, 62, 27),
    ("cascadelakex", "off", 1, 1, 1),
    ("cascadelakex", "off", 2, 3, 2),
    ("cascadelakex", "off", 3, 11, 6),
    ("cascadelakex", "off", 6, 26, 14),
    ("icelakex", "on", 2, 5, 3),
    ("icelakex", "on", 3, 16, 7),
    ("broadwellx", "on", 2, 10, 4),
    ("broadwellx", "on", 6, 50, 20),
    ("broadwellx", "cores", 2, 10, 4),
    ("broadwellx", "cores", 6, 50, 20),
    ("sapphirerapids", "on", 1, 2, 1),
    ("sapphirerapids", "on", 2, 2, 1),
    ("sapphirerapids", "on", 3, 12, 7),
    ("sapphirerapids", "on", 6, 40, 16),
    ("graniterapids", "on", 3, 10, 7),
    ("graniterapids", "on", 6, 32, 20),
    ("alderlake:core", "on", 6, 38, 15),
    ("alderlake:atom", "on", 6, None, 15),
    ("amdzen4", "on", 2, None, 2),
    ("amdzen5", "on", 2, None, 2),
    ("neoverse-v1", "on", 1, None, 1),
]
# How long planning alone takes, for each CPU: level and goal in ms; "n": per node.
PLANNING = {"3": 5, "6": 50, "6n": None}

EXPORTED = 100000

# CPUs whose data is read from files and from the program
LOADED = ["cascadelakex", "sapphirerapids", "neoverse-v1"]

UNFOLD = """(() => { const begin = performance.now(); document.querySelectorAll('details').forEach(one => one.open = true);
    document.documentElement.getBoundingClientRect(); return (performance.now() - begin) / 1000; })()"""  # noqa: E501

missed = []


PAIR_NS = 2


def goal(what, value, limit, unit):
    if limit is None:
        return ""
    if value > limit:
        missed.append(what)
    return f"{'missed' if value > limit else 'met'}: {limit} {unit}"


def c_bench(name, *words, env=None):
    """The numbers that it prints, line by line."""
    output = subprocess.run(
        [BENCH / f"bench_{name}", *words], cwd=SOURCE, env=env, check=True, stdout=subprocess.PIPE, text=True
    ).stdout
    return [[float(word) for word in line.split()] for line in output.splitlines()]


def processes(title, program, rows, env=None):
    print(
        f"| {title}, median of {RUNS} | wall ms | least | CPU ms | peak MiB | goal"
        " |\n|---|---:|---:|---:|---:|---|"
    )
    for words, limit_ms, limit_mib in rows:
        runs = c_bench("process", str(RUNS + 1), program, *words, env=env)[
            1:
        ]  # the first one fills the page cache
        wall, cpu, rss = map(statistics.median, zip(*runs))
        rss /= 1024
        what = "topdown " + " ".join(words)
        goals = filter(None, [goal(what, wall, limit_ms, "ms"), goal(what, rss, limit_mib, "MiB")])
        print(
            f"| `{what}` | {wall:.1f} | {min(run[0] for run in runs):.1f} | {cpu:.1f} | {rss:.1f} |"
            f" {', '.join(goals)} |"
        )


def one_file():
    built = subprocess.run(
        [SOURCE / "tests/static.sh", BUILD], stdout=subprocess.PIPE, text=True, check=False
    )
    if built.returncode == 0:
        print()
        processes("one file", built.stdout.strip(), ONE_FILE, env={"HOME": "/nonexistent"})


def interval():
    everything, formulas, metrics, operations = c_bench("interval", SESSION)[0]
    print(
        f"\n| counts of 8 CPUs, {metrics:.0f} metrics of {operations:.0f} operations | ms | goal"
        " |\n|---|---:|---|"
    )
    print(
        f"| evaluated: values, quality, thresholds, notes, hints | {everything * 1e3:.3f} | "
        f"{goal('interval', everything * 1e3, INTERVAL_MS, 'ms')} |"
    )
    print(f"| the formulas alone | {formulas * 1e3:.4f} | |")


def keeping():
    with tempfile.TemporaryDirectory() as state:
        median, least = c_bench("last", SESSION, env={"XDG_STATE_HOME": state})[0]
    print("\n| the last measurement, of level 3 in 8 runs | ms | least | goal |\n|---|---:|---:|---|")
    print(
        f"| kept | {median * 1e3:.2f} | {least * 1e3:.2f} |"
        f" {goal('keeping the last measurement', median * 1e3, LAST_MS, 'ms')} |"
    )


def history():
    """On the disk of the temporary folder, whose fdatasync is most of an insertion: four of them."""
    with tempfile.TemporaryDirectory() as folder:
        middle, longest, trend, size, points = c_bench("history", f"{folder}/bench.db", str(HISTORY_RUNS))[0]
    print(f"\n| a history of {HISTORY_RUNS} runs, 300 values each | | goal |\n|---|---:|---|")
    for what, value, most, unit in (
        ("a run is added, with opening and closing", middle * 1e3, 20, "ms"),
        ("the longest of 500", longest * 1e3, None, "ms"),
        ("a metric's trend, with its changes", trend, 0.2, "s"),
        ("bytes a run, without sessions", size, 10_000, "B"),
        ("changes of 1,000 points", points * 1e3, 10, "ms"),
    ):
        print(f"| {what} | {value:.3g} {unit} | {goal(what, value, most, unit) if most else ''} |")


def regions():
    """What marks cost a program that nobody measures."""
    cost = c_bench("regions")[0][0]
    met = goal("regions", cost, PAIR_NS, "ns")
    print(f"\n| a region that nobody measures: begin and end | {cost:.2f} ns | {met} |")


def series():
    """A page of 100,000 intervals: what it costs beyond their evaluation, and how long a browser takes to
    open it."""
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder) / "page.html"
        taken, drawn, size = c_bench("series", str(SERIES), str(SERIES_NODES), "1", str(page))[0]
        print(
            f"\n| the page of {SERIES:,} intervals with {SERIES_NODES} nodes each | | goal |\n|---|---:|---|"
        )
        print(
            f"| made, beyond the evaluation: values taken, drawn | {taken:.2f} + {drawn:.2f} s |"
            f" {goal('series', taken + drawn, SERIES_S, 's')} |"
        )
        print(f"| its size | {size / 2**20:.1f} MiB | {goal('series', size / 2**20, SERIES_MIB, 'MiB')} |")
        cost, written, read, size, memory, each = c_bench(
            "saved_intervals", str(SERIES), str(SERIES_NODES), f"{folder}/session.json"
        )[0]
        print(
            f"| a session of as many intervals with {SERIES_NODES} events | {size:.1f} MiB, each the sum of"
            f" {each:.0f} | {goal('series', size, SAVED_MIB, 'MiB')} |"
        )
        print(
            f"| taken, a count; written; read | {cost:.0f} ns; {written:.2f} s; {read:.2f} s |"
            f" {goal('series', written + read, SAVED_S, 's')} |"
        )
        print(f"| memory at most | {memory:.0f} MiB | {goal('series', memory, SAVED_MEMORY_MIB, 'MiB')} |")
        if chromium.find():
            with chromium.Browser() as browser:
                tabs = [browser.open(page) for _ in range(5)]
                loaded, unfolded = (
                    statistics.median(times)
                    for times in ([tab.load_s for tab in tabs], [tab.run(UNFOLD) for tab in tabs])
                )
            print(
                f"| opened by a headless Chromium, then all folds | {loaded:.2f} s, {unfolded:.2f} s |"
                f" {goal('series', loaded + unfolded, SERIES_OPEN_S, 's')} |"
            )


def exports():
    print(f"\n| {EXPORTED} stacks of 30 calls, exported | s | MB |\n|---|---:|---:|")
    for form in ("svg", "explored", "folded", "speedscope", "firefox", "pprof", "callgrind"):
        seconds, size = c_bench("exports", form, str(EXPORTED))[0]
        print(
            f"| {'what a page explores' if form == 'explored' else form} | {seconds:.2f} | {size / 1e6:.1f} |"
        )
    seconds, size = c_bench("exports", "explored", "2000")[0]
    print(
        f"\n50,000 calls (2,000 stacks), as a page explores them: {seconds:.2f} s, {size / 1e6:.1f} MB:"
        f" {goal('50,000 calls in a page', seconds, 1, 's')}"
    )


def loading():
    print("\n| events and metrics of a CPU | from JSON files, ms | from the program, ms |\n|---|---:|---:|")
    for cpu in LOADED:
        files, inside = c_bench("load", cpu)[0]
        print(f"| {cpu} | {files * 1e3:.2f} | {inside * 1e3:.3f} |")


def unwinding():
    frames, warm, cold, libdw = c_bench("unwind")[0]
    peer = f"{libdw:.0f} ns a frame, {libdw / warm:.1f} times as long" if libdw else "not built with libdw"
    print(f"\n| a stack of {frames:.0f} frames by call frame information, least | |\n|---|---:|")
    print(
        f"| a walk whose addresses are known | {warm:.0f} ns a frame |\n| libdw's walk of the same | {peer} |"
    )
    print(f"| the first walk, which reads the files | {cold:.2f} ms |")


def standard_input():
    """Least times: beside other work on the machine three processes share fewer CPUs than two."""
    rows = c_bench("input", str(INPUT_MIB), str(INPUT_ROUNDS))
    direct, first, following = (min(row[i] for row in rows) for i in range(3))
    print(
        f"\n| {INPUT_MIB} MiB through a pipe to a program, least of {INPUT_ROUNDS} | s | of direct | goal"
        " |\n|---|---:|---:|---|"
    )
    print(f"| directly | {direct:.2f} | 1.0 | |")
    print(
        f"| first run | {first:.2f} | {first / direct:.1f} |"
        f" {goal('stdin of the first run', first / direct, INPUT_RATIO, 'times')} |"
    )
    print(f"| later runs | {following:.2f} | {following / direct:.1f} | |")


def attaching():
    """Beside 300 busy processes: what gets only its turn, what gets more of them, and what goes first."""
    rows = [c_bench("attach", str(ATTACH_PROCESSES), "10") for _ in range(ATTACH_ROUNDS)]
    plain, nice, first = (statistics.median(run[line][0] for run in rows) for line in range(3))
    print(
        f"\n| {ATTACH_PROCESSES} busy processes: 10 groups of 5 events opened, switched and closed, median of"
        f" {ATTACH_ROUNDS} | s | of nice -20 |\n|---|---:|---:|"
    )
    print(f"| at nice 0 | {plain:.2f} | {plain / nice:.1f} |")
    print(f"| at nice -20 | {nice:.2f} | 1.0 |")
    print(f"| before all others, as topdown | {first:.2f} | {first / nice:.2f} |")


def import_of(form, folder, out):
    """Medians of one folder: wall ms, CPU ms, MiB."""
    more = sorted(REFERENCE.glob("linux-7.3/x86/*/")) if form == "perfmon" else []
    words = ["import", "--db", SOURCE, "--from", form, "-o", out, folder, *more]
    runs = c_bench("process", str(IMPORT_RUNS + 1), TOPDOWN, *map(str, words))[1:]
    wall, cpu, rss = map(statistics.median, zip(*runs))
    return wall, cpu, rss / 1024, folder.name


def imports():
    print(
        "\n| `topdown import`, each folder of a form | folders | fastest, wall ms | slowest, wall ms | its"
        " CPU ms | largest MiB | goal |\n|---|---:|---:|---:|---:|---:|---|"
    )
    for form, patterns in IMPORTS.items():
        folders = sorted(path for pattern in patterns.split() for path in REFERENCE.glob(pattern))
        with tempfile.TemporaryDirectory() as out:
            rows = [import_of(form, folder, out) for folder in folders]
        if not rows:
            continue
        slowest, largest = max(rows), max(rows, key=lambda row: row[2])
        what = f"topdown import --from {form}"
        goals = [goal(what, slowest[0], IMPORT_MS, "ms"), goal(what, largest[2], IMPORT_MIB, "MiB")]
        print(
            f"| `--from {form}` | {len(rows)} | {min(rows)[0]:.1f} ({min(rows)[3]}) |"
            f" {slowest[0]:.1f} ({slowest[3]}) | {slowest[1]:.1f} | {largest[2]:.1f} ({largest[3]}) |"
            f" {', '.join(goals)} |"
        )


def plans_of(smt, level, cpus):
    """(groups, lower bound, simple bound, median ms, least ms) of each CPU"""
    return dict(zip(cpus, c_bench("plans", smt, level, *cpus), strict=True))


def lengths():
    print(
        "\n| plans: groups | a peer's | wished | ours | general events / general counters | bound by matching"
        " | |\n|---|---:|---:|---:|---:|---:|---|"
    )
    for cpu, smt, level, peer, wished in PLANS:
        groups, bound, simple, *_ = plans_of(smt, str(level), [cpu])[cpu]
        what = f"{cpu} -l{level}, {'-a, SMT on' if smt == 'cores' else 'SMT ' + smt}"
        if groups > max(wished, bound):
            missed.append(what)
        proof = "proven" if groups == bound else "not proven"
        print(
            f"| {what} | {peer or '–'} | {wished} | {groups:.0f} | {simple:.0f} | {bound:.0f} |"
            f" {proof}{', above the wish' * (groups > wished)} |"
        )


def shipped_cpus():
    headers = [json.loads(path.read_text()) for path in sorted((SOURCE / "events").glob("*.json"))]
    return [header.get("Header", header)["Cpu"] for header in headers if isinstance(header, dict)]


def planning():
    cpus = shipped_cpus()
    found = {level: plans_of("on", level, cpus) for level in (*"12", *PLANNING)}
    levels = [f"-l{level.replace('n', ' --per-node')}" for level in found]
    print(
        f"\n| planning alone, SMT on: groups (bound) | {' | '.join(levels)} |"
        f" {' | '.join(f'ms at {level}' for level in levels[2:])} |\n"
        f"|---|{'---:|' * (len(found) + len(PLANNING))}"
    )
    for cpu in cpus:
        groups = [f"{found[level][cpu][0]:.0f} ({found[level][cpu][1]:.0f})" for level in found]
        print(
            f"| {cpu} | {' | '.join(groups)} |"
            f" {' | '.join(f'{found[level][cpu][3]:.1f}' for level in PLANNING)} |"
        )
    for level, limit in PLANNING.items():
        slowest = max(cpus, key=lambda cpu: found[level][cpu][3])
        median, least = found[level][slowest][3:]
        print(
            f"\nSlowest at {level}: {slowest}, median {median:.2f} ms, least {least:.2f} ms."
            f" {goal(f'planning {level}', median, limit, 'ms')}"
        )


processes("whole process", TOPDOWN, PROCESSES)
one_file()
lengths()
planning()
interval()
series()
keeping()
history()
exports()
loading()
unwinding()
standard_input()
attaching()
imports()
overhead.tables(sys.modules[__name__])
sampling_cost.tables(sys.modules[__name__])
naming.tables(sys.modules[__name__])
ranks.tables(sys.modules[__name__])
regions()
beside_perf.tables(sys.modules[__name__])
known_shares.tables(sys.modules[__name__])
if missed:
    print(f"\nMissed goals: {', '.join(missed)}")
sys.exit(1 if missed and sys.argv[1:] == ["--check"] else 0)
