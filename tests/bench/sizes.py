#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""sizes.py [--mb N]... [--limit SECONDS] [--all] [KIND]... - what inputs of a size cost, of kinds that grow
in one place: the most CPU time, peak memory and output among the commands that read it, and which command
that was. The inputs are the same at each call.
"""
import argparse
import json
import os
import pathlib
import random
import resource
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "cli")]
import perf_file as pf  # noqa: E402
from lib import profiles  # noqa: E402

TOPDOWN = os.environ.get("TOPDOWN", str(HERE.parents[1] / "build/topdown"))
FACTS = {"host": "h", "version": "6.1", "command": ["perf", "record", "./work"], "build_ids": {}}
FORMS = ("text", "markdown", "html", "json", "csv")
EXPORTS = ("svg", "folded", "speedscope", "firefox", "pprof", "callgrind")
MIB = 1 << 20

READ = (("report", "--format", "json", "FILE"),)
REPORTS = tuple(("report", "--functions", "--format", form, "FILE") for form in FORMS)
PROFILE = (
    *REPORTS,
    *(("export", "--to", to, "FILE") for to in EXPORTS),
    ("export", "--by", "process", "--to", "folded", "FILE"),
    ("compare", "FILE", "FILE"),
    ("export", "--to", "svg", "FILE", "FILE"),
)
SESSION = (*(("report", "--format", form, "FILE") for form in FORMS), ("compare", "FILE", "FILE"))


def session(**changes):
    return json.dumps({**profiles.HEAD, **changes}).encode()


# ---- sessions ----


def remarks(size):
    return session(remarks=[f"remark number {i}" for i in range(size // 24)])


def long_remark(size):
    return session(remarks=["word " * (size // 5)])


def long_command(size):
    return session(command="./prog " + "arg " * (size // 4))


def counts(size):
    return session(
        events="a",
        groups=1,
        counts=[
            {
                "event": f"event_{i}",
                "group": 1,
                "run": 1,
                "value": i,
                "raw": i,
                "enabled_ns": 1000,
                "running_ns": 1000,
                "state": "ok",
                "reason": None,
            }
            for i in range(size // 140)
        ],
    )


def runs(size):
    each = [{"run": i + 1, "wall_s": 0.5, "cpu_s": 0.4, "status": 0} for i in range(size // 56)]
    return session(runs=each, planned_runs=len(each))


def parts(size):
    head = {key: value for key, value in profiles.HEAD.items() if key not in ("format", "version")}
    each = len(json.dumps(head)) + 60
    return json.dumps(
        {
            "format": "topdown-session",
            "version": 2,
            "parts": [
                {**head, "part": f"thread {i} worker", "part_kind": "thread"} for i in range(size // each)
            ],
        }
    ).encode()


def unknown_keys(size):
    return session(**{f"key_{i}": i for i in range(size // 20)})


def lines(size):
    return session(
        lines=[
            {"function": f"f{i}", "file": "a.c", "line": i, "object": "a.out", "counts": {}}
            for i in range(size // 80)
        ]
    )


def inputs(size):
    return session(
        inputs=[{"name": f"file {i}", "bytes": i, "digest": "0123456789abcdef"} for i in range(size // 66)]
    )


def syscalls(size):
    return session(syscalls={f"call_{i}": i for i in range(size // 24)})


def printed(size):
    return session(printed={f"node_{i}": i % 100 for i in range(size // 22)})


def made(build):
    """A session with a profile that build fills, and what it takes for each element."""

    def of_size(size):
        few = profiles.Profile()
        build(few, 200)
        each = len(json.dumps(few.session())) - 1500
        number = max(1, size * 200 // each)
        profile = profiles.Profile()
        build(profile, number)
        return json.dumps(profile.session()).encode()

    return of_size


def functions(profile, number):
    for i in range(number):
        profile.add([("/bin/prog", [(f"function_{i}", "a.c", i)])], 1)


def leaves(profile, number):
    for i in range(number):
        profile.add([("/bin/prog", [("main", "a.c", 1)]), ("/bin/prog", [(f"leaf_{i}", "a.c", i)])], 1)


def add_chain(profile, number, frame, is_each):
    """A stack of so many calls; with is_each a row at each of them."""
    caller, task = -1, profile.tasks.of((10, 11, "worker", "prog"))
    for i in range(number):
        place = profile.places.of((profile.modules.of("/bin/prog"), (frame(i),)))
        caller = profile.stacks.of((place, caller))
        if is_each or i + 1 == number:
            profile.rows.append((caller, task, 0, 1, 0, 1, 1000000))
            profile.events[0]["samples"] += 1
            profile.events[0]["weight"] += 1000000


def chain(profile, number):
    add_chain(profile, number, lambda i: (f"f{i}", "a.c", 1), True)


def recursion(profile, number):
    add_chain(profile, number, lambda i: ("fib", "a.c", i % 2), True)


def chain_end(profile, number):
    add_chain(profile, number, lambda i: (f"f{i}", "a.c", 1), False)


def comb(profile, number):
    """A chain of 1,000 calls, and all others below its end."""
    add_chain(profile, 1000, lambda i: (f"f{i}", "a.c", 1), True)
    end = len(profile.stacks.all) - 1
    for i in range(number - min(number, 1000)):
        place = profile.places.of((0, ((f"leaf{i}", "a.c", 1),)))
        profile.rows.append((profile.stacks.of((place, end)), 0, 0, 1, 0, 1, 1000000))


def tree(profile, number):
    draw = random.Random(1)
    for i in range(number):
        depth = draw.randrange(2, 12)
        profile.add([("/bin/prog", [(f"f{draw.randrange(9)}", "a.c", 1)]) for _ in range(depth)], 1)


def tasks(profile, number):
    for i in range(number):
        profile.add([("/bin/prog", [("main", "a.c", 1)])], 1, (1000 + i, 1000 + i, f"worker {i}", f"p{i}"))


def modules(profile, number):
    for i in range(number):
        profile.add([(f"/lib/lib{i}.so", [(f"f{i}", "a.c", 1)])], 1)


def nameless(profile, number):
    for i in range(number):
        profile.add([(f"/lib/lib{i % 7}.so", ())], 1)
        profile.places.of((0, ((f"f{i}", "a.c", i),)))


def inlined(profile, number):
    profile.add([("/bin/prog", [(f"f{i}", "a.c", i) for i in range(number)])], 1)


def sampled_events(profile, number):
    for i in range(number):
        profile.events.append({**profiles.CLOCK, "event": f"event_{i}", "samples": 0, "weight": 0})
        profile.add([("/bin/prog", [("main", "a.c", 1)])], 1, event=len(profile.events) - 1)


def profile_remarks(profile, number):
    functions(profile, 2)
    profile.sentences += [f"sentence {i} is here" for i in range(number)]


def periods(profile, number):
    functions(profile, 2)
    profile.intervals = [(i / 8, (i + 1) / 8) for i in range(number)]


def files(profile, number):
    for i in range(number):
        profile.add([("/bin/prog", [("main", f"/src/file{i}.c", i)])], 1)


def long_names(each):
    def build(profile, number):
        for i in range(number):
            profile.add([("/bin/prog", [(f"{i}" + "n" * each, "a.c", 1)])], 1)

    return build


def long_name(size):
    return made(lambda profile, number: profile.add([("/bin/p", [("n" * size, "a.c", 1)])], number))(1)


def names_1mb(size):
    profile = profiles.Profile()
    for i in range(max(1, size // MIB)):
        profile.add([("/bin/prog", [(f"{i}" + "n" * min(size, MIB), "a.c", 1)])], 1)
    return json.dumps(profile.session()).encode()


def wide_names(size):
    profile = profiles.Profile()
    profile.add([("/bin/prog", [("ä" * (size // 2), "a.c", 1)])], 1)
    return json.dumps(profile.session(), ensure_ascii=False).encode()


def markup_name(size):
    profile = profiles.Profile()
    profile.add([("/bin/prog", [("<&\"'" * (size // 4), "a.c", 1)])], 1)
    return json.dumps(profile.session()).encode()


# ---- text and JSON that is none ----


def nested(size):
    return session()[:-1] + b', "x": ' + b"[" * size


def printed_events(size):
    rows = [f"{i + 1:>18,}      event_{i}\n" for i in range(size // 33)]
    return (
        " Performance counter stats for './prog':\n\n" + "".join(rows) + "\n 0.5 seconds time elapsed\n"
    ).encode()


def printed_intervals(size):
    rows = [f"{(i + 1) / 10:>14.9f} {i + 1:>18,}      cycles\n" for i in range(size // 47)]
    return ("#           time             counts unit events\n" + "".join(rows)).encode()


def printed_cpus(size):
    rows = [f"CPU{i:<8} {i + 1:>18,}      cycles\n" for i in range(size // 44)]
    return (" Performance counter stats for 'system wide':\n\n" + "".join(rows) + "\n").encode()


def csv_events(size):
    return "".join(f"{i},,event_{i},1000,100.00,,\n" for i in range(size // 32)).encode()


def csv_intervals(size):
    return "".join(f"{i / 10:.9f},{i},,cycles,1000,100.00,,\n" for i in range(size // 42)).encode()


def json_events(size):
    row = (
        '{"counter-value": "%d", "unit": "", "event": "e%d", "event-runtime": 1000, "pcnt-running": 100.0}\n'
    )
    return "".join(row % (i, i) for i in range(size // 92)).encode()


def json_intervals(size):
    row = '{"interval": %.3f, "counter-value": "%d", "unit": "", "event": "cycles", "event-runtime": 1000, "pcnt-running": 100.0}\n'  # noqa: E501
    return "".join(row % (i / 10, i) for i in range(size // 115)).encode()


def flat(size):
    return json.dumps(
        {
            "format": "topdown-counts",
            "cpu": "skylakex",
            "counts": {f"EVENT_{i}": i for i in range(size // 24)},
        }
    ).encode()


def flat_csv(size):
    return "".join(f"event_{i},{i}\n" for i in range(size // 18)).encode()


# ---- perf.data ----


def perf_data(records, chained=False):
    front = [pf.comm(7, 7, "work", 1, True), pf.mmap2(7, 0x400000, 0x40000000, 0, "/opt/work", 2)]
    return pf.write_file(pf.Events(has_chains=chained), b"".join([*front, *records]), **FACTS)


def samples(size):
    return perf_data([pf.sample(0x401000 + 16 * i, 7, 7, 50 + i) for i in range(size // 56)])


def deep_chains(size):
    draw = random.Random(1)
    return perf_data(
        [
            pf.sample(
                0x401000,
                7,
                7,
                50 + i,
                chain=[pf.IN_USER, *(0x401000 + 16 * draw.randrange(1 << 20) for _ in range(127))],
            )
            for i in range(size // 1090)
        ],
        True,
    )


def one_chain(size):
    chained = [pf.IN_USER, *(0x401000 + 16 * i for i in range(min(size // 8, 8000)))]
    return perf_data(
        [pf.sample(0x401000, 7, 7, 50 + i, chain=chained) for i in range(max(1, size // 64000))], True
    )


def mappings(size):
    return perf_data(
        [
            pf.mmap2(7, 0x50000000 + 0x10000 * i, 0x10000, 0, f"/lib/lib{i}.so", 3 + i)
            for i in range(size // 130)
        ]
        + [pf.sample(0x50000000 + 0x10000 * i, 7, 7, size + i) for i in range(100)]
    )


def same_mapping(size):
    return perf_data(
        [
            part
            for i in range(size // 180)
            for part in (
                pf.mmap2(7, 0x50000000, 0x10000, 0, f"/lib/lib{i}.so", 3 + 2 * i),
                pf.sample(0x50000010, 7, 7, 4 + 2 * i),
            )
        ]
    )


def threads(size):
    return perf_data(
        [
            part
            for i in range(size // 110)
            for part in (pf.comm(8 + i, 8 + i, f"t{i}", 3), pf.sample(0x401000, 8 + i, 8 + i, 50 + i))
        ]
    )


def renames(size):
    return perf_data(
        [
            part
            for i in range(size // 110)
            for part in (pf.comm(7, 7, f"name {i}", 3 + 2 * i), pf.sample(0x401000, 7, 7, 4 + 2 * i))
        ]
    )


# ---- limits ----


def limits(metric):
    def of_size(size):
        row = json.dumps({"metric": metric % 1000000, "max_increase": "0.3 %"}) if "%" in metric else ""
        each = len(row or json.dumps({"metric": metric, "max_increase": "0.3 %"})) + 2
        return json.dumps(
            {
                "format": "topdown-limits",
                "version": 1,
                "limits": [
                    {"metric": metric % i if "%" in metric else metric, "max_increase": "0.3 %"}
                    for i in range(size // each)
                ],
            }
        ).encode()

    return of_size


def limited_functions(size):
    return json.dumps(
        {
            "format": "topdown-limits",
            "version": 1,
            "limits": [{"function": f"f{i}", "max_increase": "0.3 %"} for i in range(size // 45)],
        }
    ).encode()


def long_limit(size):
    return json.dumps(
        {"format": "topdown-limits", "version": 1, "limits": [{"metric": "m" * size, "max": "1"}]}
    ).encode()


GATE = (
    ("gate", "--pmu", "sim", "--layouts", "1", "--limits", "FILE", "--baseline", "/dev/null", "/bin/true"),
)

KINDS = {
    "session: remarks": (remarks, SESSION),
    "session: one long remark": (long_remark, SESSION),
    "session: a long command": (long_command, SESSION),
    "session: counts": (counts, SESSION),
    "session: runs": (runs, SESSION),
    "session: parts": (parts, SESSION[:-1]),
    "session: unknown keys": (unknown_keys, READ),
    "session: lines": (lines, REPORTS),
    "session: inputs": (inputs, READ),
    "session: system calls": (syscalls, SESSION),
    "session: percentages": (printed, SESSION),
    "profile: functions": (made(functions), PROFILE),
    "profile: leaves of one function": (made(leaves), PROFILE),
    "profile: one chain, a row at each call": (made(chain), PROFILE),
    "profile: recursion, a row at each call": (made(recursion), PROFILE),
    "profile: one chain, a row at its end": (made(chain_end), PROFILE),
    "profile: leaves below 1,000 calls": (made(comb), PROFILE),
    "profile: a tree": (made(tree), PROFILE),
    "profile: threads": (made(tasks), PROFILE),
    "profile: modules": (made(modules), PROFILE),
    "profile: code without names": (made(nameless), PROFILE),
    "profile: inlined functions of one place": (made(inlined), PROFILE),
    "profile: events": (made(sampled_events), PROFILE),
    "profile: remarks": (made(profile_remarks), PROFILE),
    "profile: intervals": (made(periods), PROFILE),
    "profile: source files": (made(files), PROFILE),
    "profile: names of 1 kB": (made(long_names(1000)), PROFILE),
    "profile: names of 1 MB": (names_1mb, PROFILE),
    "profile: one name": (long_name, PROFILE),
    "profile: one name beyond ASCII": (wide_names, PROFILE),
    "profile: one name of markup": (markup_name, PROFILE),
    "blank lines": (lambda size: b"\n" * size, READ),
    "blanks": (lambda size: b" " * size, READ),
    "zeros": (lambda size: bytes(size), READ),
    "one line": (lambda size: b"x" * size, READ),
    "one line with commas": (lambda size: b"," * size, READ),
    "nested lists": (nested, READ),
    "perf stat: events": (printed_events, SESSION),
    "perf stat: intervals": (printed_intervals, SESSION),
    "perf stat: CPUs": (printed_cpus, SESSION),
    "perf stat as CSV: events": (csv_events, SESSION),
    "perf stat as CSV: intervals": (csv_intervals, SESSION),
    "perf stat as JSON: events": (json_events, SESSION),
    "perf stat as JSON: intervals": (json_intervals, SESSION),
    "flat counts": (flat, SESSION),
    "flat counts as CSV": (flat_csv, SESSION),
    "perf.data: samples": (samples, PROFILE),
    "perf.data: chains of 127": (deep_chains, PROFILE),
    "perf.data: chains of 8,000": (one_chain, PROFILE),
    "perf.data: mappings": (mappings, PROFILE),
    "perf.data: one mapping again": (same_mapping, PROFILE),
    "perf.data: threads": (threads, PROFILE),
    "perf.data: a thread's names": (renames, PROFILE),
    "limits: of one metric": (limits("cycles"), GATE),
    "limits: of unknown metrics": (limits("metric %d"), GATE),
    "limits: of functions": (limited_functions, GATE),
    "limits: a long name": (long_limit, GATE),
}


def run(words, folder, limit_s):
    """(status, CPU seconds, peak MiB, bytes written, first line of what it said)"""

    def bound():
        resource.setrlimit(resource.RLIMIT_CPU, (limit_s, limit_s + 1))
        resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))

    with open(folder / "out", "wb") as out, open(folder / "said", "wb") as said:
        child = subprocess.Popen(
            [TOPDOWN, *words],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=said,
            preexec_fn=bound,
            env={**os.environ, "HOME": str(folder), "TOPDOWN_LAST": "0"},
        )
        _, status, usage = os.wait4(child.pid, 0)
    text = (folder / "said").read_bytes()[:300].decode(errors="replace").split("\n")[0]
    return (
        os.waitstatus_to_exitcode(status),
        usage.ru_utime + usage.ru_stime,
        usage.ru_maxrss / 1024,
        (folder / "out").stat().st_size / MIB,
        text,
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mb", type=float, action="append")
    parser.add_argument("--limit", type=int, default=20)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("kinds", nargs="*")
    asked = parser.parse_args()
    print("| input | MiB | status | s | by | peak MiB | by | output MiB | by | said |")
    print("|---|---:|---:|---:|---|---:|---|---:|---|---|")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for kind, (make, commands) in KINDS.items():
            if asked.kinds and not any(word in kind for word in asked.kinds):
                continue
            for size in asked.mb or (1, 10, 100):
                data = make(int(size * MIB))
                (folder / "input").write_bytes(data)
                rows = []
                for words in commands:
                    done = run(
                        [str(folder / "input") if w == "FILE" else w for w in words], folder, asked.limit
                    )
                    rows.append((words, done))
                for words, done in rows if asked.all else []:
                    print("   ", " ".join(words), "%d %.2f s %.0f MiB out %.1f: %s" % done)
                cells = [kind, f"{len(data) / MIB:.1f}", str(rows[0][1][0])]
                for number, form in ((1, ".2f"), (2, ".0f"), (3, ".1f")):
                    words, done = max(rows, key=lambda row: row[1][number])
                    cells += [format(done[number], form), f"`{' '.join(words)}`"]
                print(f"| {' | '.join(cells)} | {rows[0][1][4][:90]} |", flush=True)


if __name__ == "__main__":
    main()
