# SPDX-License-Identifier: GPL-2.0-or-later
"""made.py - pages of every command that shows something, from sessions that are at hand: for the tests and
for `make gallery`."""
import gzip
import json
import pathlib
import subprocess

SOURCE = pathlib.Path(__file__).resolve().parents[2]
SESSION, PROFILE, SIMULATED = (
    SOURCE / path
    for path in ("docs/sample-session.json", "docs/sample-profile.json", "tests/cli/formats/simulated.json")
)

GOLDEN = SOURCE / "tests/golden"
# What perf stat prints of a CPU with two types of cores.
HYBRID = """
 1,000,000  cpu_core/TOPDOWN.SLOTS/
   100,000  cpu_core/topdown-retiring/
   100,000  cpu_core/topdown-bad-spec/
   700,000  cpu_core/topdown-be-bound/
   100,000  cpu_core/topdown-fe-bound/
   100,000  cpu_atom/CPU_CLK_UNHALTED.CORE/
   150,000  cpu_atom/TOPDOWN_RETIRING.ALL/
   200,000  cpu_atom/TOPDOWN_FE_BOUND.ALL/
   100,000  cpu_atom/TOPDOWN_BE_BOUND.ALL/
"""
# More slots and cycles, all of them lost on memory.
WORSE = {
    "TOPDOWN.SLOTS": 1.2,
    "CPU_CLK_UNHALTED": 1.2,
    "PERF_METRICS.BACKEND": 1.293,
    "PERF_METRICS.MEMORY": 1.365,
    "MEMORY_ACTIVITY": 1.4,
    "EXE_ACTIVITY": 1.35,
}


def scaled(session, factor, names):
    """A copy of a session in which some events are counted more often."""
    other = json.loads(json.dumps(session))

    def walk(part):
        if isinstance(part, dict):
            if part.get("event") in names and isinstance(part.get("value"), (int, float)):
                part["value"] = int(part["value"] * factor)
            for value in part.values():
                walk(value)
        elif isinstance(part, list):
            for value in part:
                walk(value)

    walk(other)
    return other


def repeated(session, factors, count=8):
    """A copy of a session with so many repeats that vary by two permille; events whose names begin so are
    counted that much more often."""
    other = json.loads(json.dumps(session))
    first = {key: other[key] for key in ("planned_runs", "groups", "runs", "counts")}
    other["planned_repeats"] = count

    def varied(number):
        repeat = json.loads(json.dumps(first))
        for place, item in enumerate(repeat["counts"]):
            factor = next((by for begin, by in factors.items() if item["event"].startswith(begin)), 1)
            factor *= 1 + 0.002 * ((number * 7 + place * 5 + 3) % count - count / 2) / count
            if item["value"] is not None:
                item["value"] *= factor
                item["raw"] = int(item["raw"] * factor)
        return repeat

    other.update(varied(0))
    other["repeats"] = [varied(number) for number in range(1, count)]
    return other


MEASURED = [("wall", "s", 2.0), ("IPC", "", 1.5), ("tma_retiring", "%", 40.0)]
MEASURED += [("tma_frontend_bound", "%", 30.0), ("tma_l3_bound", "%", 5.0), ("tma_dtlb_load", "%", 2.0)]


def history(topdown, folder):
    """A history with a step in the middle, of a table."""
    table = folder / "runs.csv"
    lines = ["time,commit,branch,program,machine,kernel,metric,unit,value,low,high,n"]
    for n in range(60):
        for metric, unit, level in MEASURED:
            value = level * (1 + 0.002 * (n * 7919 % 11 - 5) / 5) * (1.06 if n >= 35 else 1)
            lines.append(
                f"{1_700_000_000 + 3600 * n},{n * 2654435761 % (1 << 64):016x}00000000,main,prog"
                f" 6,box,6.1,{metric},{unit},{value:.9g},{value * 0.995:.9g},{value * 1.005:.9g},5"
            )
    table.write_text("\n".join(lines) + "\n", encoding="utf-8")
    subprocess.run(
        [topdown, "history", str(folder / "history.db"), "import", str(table)],
        check=True,
        capture_output=True,
    )
    return folder / "history.db"


def waited(session):
    """A copy of a profile with the wall clock of three threads, one of which is called like markup, and with
    60 moments."""
    other = json.loads(json.dumps(session))
    rows, steps = len(other["profile"]["rows"]["stack"]), range(60)
    moments = {"row": [step % rows for step in steps], "number": list(steps), "weight": [1] * 60}
    other["profile"].update(moment_s=0.05, moments_s=3, moments=moments)
    names = ("prog", "worker with a name that is longer than its column", '"><img src=x onerror=alert(1)>')
    kinds = ("lock", "disk", "network", "pipe", "timer", "fault", "child", "other", "unknown")
    threads, causes, timeline = [], [], []
    for number, name in enumerate(names):
        times = {"running_s": 0.9, "preempted_s": 0.3, "throttled_s": 0, "queued_s": 0, "waits": 9}
        times.update(preemptions=9, migrations=1, ready_longest_s=0.01)
        threads.append({"pid": 7, "tid": 7 + number, "name": name, "from_s": 0, "to_s": 3, **times})
        for place in range(9 if number else 1):
            cause = {"kind": kinds[place], "name": None, "time_s": 0.2 if number else 1.8}
            causes.append({"thread": number, "longest_s": 0.2, "waits": 1, "looks": 1, "by": 0, **cause})
        for step in steps:
            parts = {"running_s": 0.015, "ready_s": 0.005, "waiting_s": 0.03, "kind": kinds[step % 9]}
            timeline.append({"thread": number, "from_s": 0.05 * step, "to_s": 0.05 * (step + 1), **parts})
    other["wall"] = {"length_s": 3, "lost": 0, "looks": 9, "short_s": 0, "cpu_s": 0.01}
    other["wall"].update(threads=threads, causes=causes, timeline=timeline, links=[])
    return other


def pages(topdown, folder):
    """{name: the words behind topdown that make it}, without where it goes."""
    session = json.loads(SESSION.read_text(encoding="utf-8"))
    slower = folder / "slower.json.gz"
    slower.write_bytes(gzip.compress(json.dumps(scaled(session, 1.4, {"CPU_CLK_UNHALTED.THREAD"})).encode()))
    repeats = {}
    for name, factors in (("before", {}), ("after", WORSE)):
        repeats[name] = folder / f"{name}.json"
        repeats[name].write_text(json.dumps(repeated(session, factors)), encoding="utf-8")
    threads = folder / "threads.json"
    profile = json.loads(PROFILE.read_text(encoding="utf-8"))
    threads.write_text(json.dumps(waited(profile)), encoding="utf-8")
    hybrid = folder / "hybrid.txt"
    hybrid.write_text(HYBRID, encoding="utf-8")
    return {
        "measurement": ["report", "-l3", str(SESSION)],
        "profile": ["report", str(PROFILE)],
        "threads": ["report", str(threads)],
        "simulated": ["report", "--lines", str(SIMULATED)],
        "metrics": ["report", "-v", str(SESSION)],
        "repeats": ["report", "-l3", str(repeats["after"])],
        "counts of Arm": ["report", "-l6", str(GOLDEN / "n1-backend/counts.json")],
        "bottlenecks": ["report", "-B", "-l6", str(GOLDEN / "clx-dram/counts.json")],
        "two types of cores": ["report", "--cpu", "adl", str(hybrid)],
        "comparison": ["compare", str(SESSION), str(slower)],
        "comparison of repeats": ["compare", str(repeats["before"]), str(repeats["after"])],
        "history": ["history", "--metrics", "*", str(history(topdown, folder))],
        "plan": ["plan", "-l3", "--cpu", "spr"],
        "explanation": ["explain", "--cpu", "spr", "DRAM_Bound"],
        "list of nodes": ["list", "nodes", "--cpu", "neoverse-v2"],
        "list of CPUs": ["list", "cpus"],
        "diagnosis": ["doctor"],
    }


def make(topdown, words, path):
    """The page at path; what topdown said where it made none."""
    done = subprocess.run(
        [topdown, words[0], "--format", "html", "-o", str(path), *words[1:]],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode > 1 or not path.exists():  # 1: what doctor found
        raise RuntimeError(f"topdown {' '.join(words)}: {done.returncode}: {done.stderr}")
