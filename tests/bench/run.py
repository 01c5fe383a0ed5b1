#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""run.py [--check] - how long topdown takes and how much memory: a table of medians, whole processes first.

With --check the exit status is 1 when a goal is missed. TOPDOWN, TOPDOWN_BUILD, BENCH and REFERENCE name the program, its build
folder, the folder with the C benches and the vendors' data, as the target `bench` does.
"""
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
TOPDOWN = os.environ.get("TOPDOWN", str(SOURCE / "build/topdown"))
BUILD = os.environ.get("TOPDOWN_BUILD", str(SOURCE / "build"))
BENCH = pathlib.Path(os.environ.get("BENCH", str(SOURCE / "build/tests/bench")))
REFERENCE = pathlib.Path(os.environ.get("REFERENCE", str(SOURCE.parent / "shared/reference"))).resolve()
SESSION = SOURCE / "docs/sample-session.json"
RUNS = 41

# words, and the goals: wall time in ms, peak RSS in MiB
PROCESSES = [
    (["--version"], None, None),
    (["plan", "-l3", "--cpu", "sapphirerapids"], None, None),
    (["plan", "-l6", "--cpu", "sapphirerapids"], 15, 12),
    (["plan", "-l6", "--cpu", "cascadelakex"], None, None),
    (["report", "-l3", str(SESSION.relative_to(SOURCE))], 10, None),
]
# The same with the program that is one file, which has nothing but what is inside it.
ONE_FILE = [
    (["--version"], None, None),
    (["plan", "-l6", "--cpu", "sapphirerapids"], 15, 12),
    (["plan", "-l6", "--cpu", "cascadelakex"], None, None),
    (["list", "cpus"], None, None),
]
INTERVAL_MS = 1

# Folders of the vendors' data by form; Intel's of Linux have no events here. The goals are for a CPU, and for each folder.
IMPORTS = {
    "perfmon": "intel/*/",
    "perf": "linux/x86/amdzen*/ linux/arm64/*/*/",
    "arm": "arm/",
}
IMPORT_MS, IMPORT_MIB, IMPORT_RUNS = 500, 64, 11

# files for both JSON libraries: ours, and the vendor's as it is published
DATABASES = [
    SOURCE / "events/cascadelakex.json",
    SOURCE / "models/cascadelakex.json",
    REFERENCE / "intel/CLX/events/cascadelakex_core.json",
]

missed = []


def goal(what, value, limit, unit):
    if limit is None:
        return ""
    if value > limit:
        missed.append(what)
    return f"{'missed' if value > limit else 'met'}: {limit} {unit}"


def c_bench(name, *words, env=None):
    """The numbers that it prints, line by line."""
    output = subprocess.run([BENCH / f"bench_{name}", *words], cwd=SOURCE, env=env, check=True, stdout=subprocess.PIPE, text=True).stdout
    return [[float(word) for word in line.split()] for line in output.splitlines()]


def processes(title, program, rows, env=None):
    print(f"| {title}, median of {RUNS} | wall ms | least | CPU ms | peak MiB | goal |\n|---|---:|---:|---:|---:|---|")
    for words, limit_ms, limit_mib in rows:
        runs = c_bench("process", str(RUNS + 1), program, *words, env=env)[1:]  # the first one fills the page cache
        wall, cpu, rss = map(statistics.median, zip(*runs))
        rss /= 1024
        what = "topdown " + " ".join(words)
        goals = filter(None, [goal(what, wall, limit_ms, "ms"), goal(what, rss, limit_mib, "MiB")])
        print(f"| `{what}` | {wall:.1f} | {min(run[0] for run in runs):.1f} | {cpu:.1f} | {rss:.1f} | {', '.join(goals)} |")


def one_file():
    built = subprocess.run([SOURCE / "tests/static.sh", BUILD], stdout=subprocess.PIPE, text=True, check=False)
    if built.returncode == 0:
        print()
        processes("one file", built.stdout.strip(), ONE_FILE, env={"HOME": "/nonexistent"})


def interval():
    everything, formulas, metrics, operations = c_bench("interval", SESSION)[0]
    print(f"\n| counts of 8 CPUs, {metrics:.0f} metrics of {operations:.0f} operations | ms | goal |\n|---|---:|---|")
    print(f"| evaluated: values, quality, thresholds, notes, hints | {everything * 1e3:.3f} | "
          f"{goal('interval', everything * 1e3, INTERVAL_MS, 'ms')} |")
    print(f"| the formulas alone | {formulas * 1e3:.4f} | |")


def libraries():
    print("\n| JSON parsed and freed | kB | cJSON ms | jansson ms | ratio |\n|---|---:|---:|---:|---:|")
    for path in DATABASES:
        if not path.exists():
            continue
        cjson, jansson, size = c_bench("json", path)[0]
        name = path.relative_to(SOURCE) if path.is_relative_to(SOURCE) else path.name
        print(f"| `{name}` | {size / 1e3:.0f} | {cjson * 1e3:.2f} | {jansson * 1e3:.2f} | {jansson / cjson:.1f} |")


def import_of(form, folder, out):
    """Medians of one folder: wall ms, CPU ms, MiB."""
    more = sorted(REFERENCE.glob("linux/x86/*/")) if form == "perfmon" else []
    words = ["import", "--db", SOURCE, "--from", form, "-o", out, folder, *more]
    runs = c_bench("process", str(IMPORT_RUNS + 1), TOPDOWN, *map(str, words))[1:]
    wall, cpu, rss = map(statistics.median, zip(*runs))
    return wall, cpu, rss / 1024, folder.name


def imports():
    print("\n| `topdown import`, each folder of a form | folders | fastest, wall ms | slowest, wall ms | its CPU ms | largest MiB | goal |\n"
          "|---|---:|---:|---:|---:|---:|---|")
    for form, patterns in IMPORTS.items():
        folders = sorted(path for pattern in patterns.split() for path in REFERENCE.glob(pattern))
        with tempfile.TemporaryDirectory() as out:
            rows = [import_of(form, folder, out) for folder in folders]
        if not rows:
            continue
        slowest, largest = max(rows), max(rows, key=lambda row: row[2])
        what = f"topdown import --from {form}"
        goals = [goal(what, slowest[0], IMPORT_MS, "ms"), goal(what, largest[2], IMPORT_MIB, "MiB")]
        print(f"| `--from {form}` | {len(rows)} | {min(rows)[0]:.1f} ({min(rows)[3]}) | {slowest[0]:.1f} ({slowest[3]}) | "
              f"{slowest[1]:.1f} | {largest[2]:.1f} ({largest[3]}) | {', '.join(goals)} |")


processes("whole process", TOPDOWN, PROCESSES)
one_file()
interval()
libraries()
imports()
if missed:
    print(f"\nMissed goals: {', '.join(missed)}")
sys.exit(1 if missed and sys.argv[1:] == ["--check"] else 0)
