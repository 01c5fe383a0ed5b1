#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""export.py - `topdown export` of a session whose profile the test wrote by docs/FORMATS.md: each form from
the file, the form by the file's name, what is shown by default and by name, and what is refused with which
words."""
import collections
import gzip
import json
import os
import pty
import shutil
import stat
import subprocess
import sys
import xml.etree.ElementTree as ET

sys.path.append(f"{sys.path[0]}/..")
from lib import (
    BUILD,
    PATIENCE,
    SOURCE,
    TOPDOWN,
    check,
    check_failure,
    check_success,
    environment,
    finish,
    made_up,
    read_json,
    temporary,
    topdown,
)

SESSION = SOURCE / "docs/sample-session.json"
DIVIDE = BUILD / "kernels/divide"
HAS_PPROF = b"TOPDOWN_PROTOBUF_C" in (BUILD / "compile_commands.json").read_bytes()


def save(path, made):
    session = read_json(SESSION)
    path.write_text(json.dumps({**session, "profile": made_up.profile_of(made)}), encoding="utf-8")


def folded_sums(text):
    sums = collections.Counter()
    for line in text.splitlines():
        names, weight = line.rsplit(" ", 1)
        sums[names.split(";")[-1]] += int(weight)
    return sums


def shown(function):
    return function[0].replace(";", ":")


def check_chosen(session, made):
    """The worst node of the session is what the model calls L3_Miss_Bound, and older ones DRAM_Bound; its
    event is shown where nothing else is asked for."""
    for words, event in (
        ((), 1),
        (("-e", "cycles"), 0),
        (("--event", "CPU-CLOCK"), 2),
        (("--nodes", "dram_bound"), 1),
        (("-e", made_up.EVENTS[1][0]), 1),
    ):
        result = topdown("export", "--to", "folded", *words, session)
        check_success(result, f"folded {words}")
        check(
            folded_sums(result.stdout) == made.own(event, shown),
            f"{words}: event {event} is shown",
            result.stdout[:200],
        )
    check_failure(
        topdown("export", "--to", "folded", "--nodes", "L3_Mis_Bound", session),
        "a misspelt node",
        "did you mean L3_Miss_Bound?",
    )
    check_failure(
        topdown("export", "--to", "folded", "-e", "instructions", session),
        "an event that is not there",
        "cycles, L3_Miss_Bound, cpu-clock",
    )
    check_failure(
        topdown("export", "--to", "folded", "-e", "cycles", "--nodes", "DRAM_Bound", session),
        "two of them",
        "exclude each other",
    )


def check_forms(folder, session, made):
    """Each form by the file's name, and by --to on standard output: the same bytes."""
    files = {
        "svg": "x.svg",
        "folded": "x.folded",
        "speedscope": "x.speedscope.json",
        "firefox": "x.firefox.json",
        "callgrind": "callgrind.out.7",
    }
    for form, name in files.items():
        check_success(topdown("export", "-o", folder / name, session), f"-o {name}")
        result = topdown("export", "--to", form, session)
        check_success(result, f"--to {form}")
        check((folder / name).read_text(encoding="utf-8") == result.stdout, f"{name} is {form}")
        mode = stat.S_IMODE(os.stat(folder / name).st_mode)
        check(mode == 0o644, f"{name}: mode", oct(mode))
    check(
        folded_sums((folder / "x.folded").read_text(encoding="utf-8")) == made.own(1, shown), "a file's sums"
    )
    ET.parse(folder / "x.svg")
    check(
        [profile["name"] for profile in read_json(folder / "x.speedscope.json")["profiles"]]
        == ["cycles", "L3_Miss_Bound", "time"],
        "all events, by their titles",
    )
    (folder / "old.folded").touch(mode=0o600)
    check_success(topdown("export", "-o", folder / "old.folded", session), "over an old file")
    check(stat.S_IMODE(os.stat(folder / "old.folded").st_mode) == 0o600, "an old file's mode")
    check_success(topdown("export", "-o", folder / "x.svg.gz", session), "-o x.svg.gz")
    check(gzip.decompress((folder / "x.svg.gz").read_bytes()) == (folder / "x.svg").read_bytes(), "x.svg.gz")


def check_pprof(folder, session):
    if not HAS_PPROF:
        check_failure(topdown("export", "--to", "pprof", session), "pprof", "protobuf-c", "folded")
        return
    check_success(topdown("export", "-o", folder / "x.pb.gz", session), "-o x.pb.gz")
    result = subprocess.run(
        [TOPDOWN, "export", "--to", "pprof", session],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
        check=False,
        timeout=PATIENCE,
    )
    check(result.returncode == 0 and not result.stderr, "--to pprof in a pipe", result.stderr)
    check(
        gzip.decompress(result.stdout) == gzip.decompress((folder / "x.pb.gz").read_bytes()),
        "the same in a pipe",
    )
    check(stat.S_IMODE(os.stat(folder / "x.pb.gz").st_mode) == 0o644, "x.pb.gz: mode")
    check_success(topdown("export", "--to", "pprof", "-o", folder / "plain", session), "-o plain")
    check((folder / "plain").read_bytes()[:2] == b"\x1f\x8b", "packed whatever the name is")
    main, other = pty.openpty()
    check_failure(
        topdown("export", "--to", "pprof", session, stdout=other), "pprof on a terminal", "-o FILE.pb.gz"
    )
    os.close(main)
    os.close(other)


def check_refusals(folder, session):
    check_failure(
        topdown("export", session), "no form", "--to", "svg, folded, speedscope, firefox, pprof or callgrind"
    )
    check_failure(
        topdown("export", "-o", folder / "x.txt", session), "a name that says nothing", "which form?"
    )
    check(not (folder / "x.txt").exists(), "nothing is written")
    check_failure(
        topdown("export", "--to", "perf", session), "a form that there is not", "must be one of svg"
    )
    check_failure(
        topdown("export", "--to", "svg", "-o", folder / "y.folded", session),
        "a form and another name",
        "folded",
        "svg",
    )
    check_failure(
        topdown("export", "--to", "svg", SESSION), "no profile", "no profile", "--lines", "topdown sample"
    )
    check_failure(topdown("export", "--to", "svg", folder / "none.json"), "no file", "No such file")
    check_failure(topdown("export", "--to", "svg", session, session, session), "three files", "one at a time")
    check_failure(topdown("export", "--to", "svg", "-o", folder / "no/x.svg", session), "no folder", "-o")
    check_failure(
        topdown("export", "--to", "svg", "--format", "json", session), "--format", "has no use for it"
    )
    if os.path.exists("/dev/full"):
        check_failure(
            topdown("export", "--to", "svg", "-o", "/dev/full", session),
            "a full disk",
            "/dev/full",
            "No space",
        )
    check_failure(
        topdown("export", "--to", "folded", env=environment(XDG_STATE_HOME=str(folder / "state"))),
        "no last measurement",
        "export: which file?",
    )


def check_last(folder, session):
    state = folder / "state/topdown"
    state.mkdir(parents=True)
    shutil.copy(session, state / "last.json")
    result = topdown("export", "--to", "folded", env=environment(XDG_STATE_HOME=str(folder / "state")))
    check(
        result.returncode == 0 and "the last measurement" in result.stderr,
        "the last measurement",
        result.stderr,
    )
    check(result.stdout == topdown("export", "--to", "folded", session).stdout, "of the last measurement")


def check_colors(session):
    result = topdown("export", "--to", "svg", "--color-by", "node", "--by", "thread", session)
    check_success(result, "--color-by node")
    check("mostly L3_Miss_Bound" in result.stdout and "w (tid 11)" in result.stdout, "nodes and threads")


def check_time_only(folder, made):
    """Samples of time need no CPU that is known, and know no nodes."""
    made.rows = [made_up.Row(row.task, row.samples, [0, 0, row.weights[2]], row.places) for row in made.rows]
    session = read_json(SESSION)
    profile = made_up.profile_of(made)
    profile["events"] = profile["events"][2:]
    profile["rows"]["event"] = [0 for _ in profile["rows"]["event"]]
    path = folder / "time.json"
    path.write_text(json.dumps({**session, "profile": profile}), encoding="utf-8")
    result = topdown("export", "--to", "folded", path)
    check_success(result, "time only")
    check(folded_sums(result.stdout) == made.own(2, shown), "time only: sums")
    check_failure(
        topdown("export", "--to", "svg", "--color-by", "node", path), "no nodes", "--color-by node", "--lines"
    )
    profile["rows"] = {key: [] for key in profile["rows"]}
    path.write_text(json.dumps({**session, "profile": profile}), encoding="utf-8")
    check_failure(
        topdown("export", "--to", "svg", path), "an empty profile", "no sample was taken", "for longer"
    )


def near_report(path, what):
    """The folded shares of functions are those that `topdown report` prints of the same file."""
    report = json.loads(topdown("report", "--functions", "--format", "json", path).stdout)
    profile = report["profile"]
    result = topdown("export", "--to", "folded", path)
    check_success(result, what)
    sums = folded_sums(result.stdout)
    whole = sum(sums.values())
    known = collections.Counter()
    for row in profile["functions"]:
        known[row["name"].replace(";", ":") if row["name"] else None] += row["self"]
    far = [
        (name, share, 100 * sums[name] / whole)
        for name, share in known.items()
        if name and abs(100 * sums[name] / whole - share) > 0.5
    ]
    check(whole > 0 and known and not far, f"{what}: shares as in the report", far[:3])
    return profile


def check_simulated(folder):
    """Exact: the worst node's slots, and all nodes beside it."""
    if not any((BUILD / "libexec/topdown").glob("topdown-*-linux")) or not shutil.which("valgrind"):
        print("no simulator here: no simulated session was exported")
        return
    path = folder / "simulated.json"
    topdown("--pmu", "sim", "--lines", "--no-anchor", "--save", path, DIVIDE, "200000")
    profile = near_report(path, "simulated")
    check(profile["exact"], "simulated: exact", profile["exact"])
    file = json.loads(topdown("export", "--to", "speedscope", path).stdout)
    check(
        file["profiles"][file["activeProfileIndex"]]["name"] == profile["title"],
        "simulated: the worst node is shown",
        profile["title"],
    )
    names = {item["name"] for item in file["profiles"]}
    check({"cycles", "Retiring", "Backend_Bound"} <= names, "simulated: nodes side by side", names)
    result = topdown("export", "--to", "svg", "--color-by", "node", path)
    check(
        result.returncode == 0 and f"mostly {profile['title']}" in result.stdout,
        "simulated: coloured by node",
        result.stderr,
    )
    check_two_callers(folder)


TWO_CALLERS = """
static volatile unsigned long sum;
__attribute__((noinline)) void slow(unsigned long n) { for (unsigned long i = 0; i < n; i++) sum += i * i; }
__attribute__((noinline)) void often(void) { slow(30000); sum++; }
__attribute__((noinline)) void seldom(void) { slow(10000); sum++; }
int main(void) { for (int i = 0; i < 5; i++) { often(); seldom(); } return 0; }
"""


def check_two_callers(folder):
    """Exact slots of one slow function, by who called it: three to one, in the flame graph too."""
    program, path = folder / "two", folder / "two.json"
    if (
        not shutil.which("gcc")
        or subprocess.run(
            ["gcc", "-g", "-O1", "-x", "c", "-o", program, "-"], input=TWO_CALLERS, text=True, check=False
        ).returncode
    ):
        print("no compiler here: no program with two callers")
        return
    topdown("--pmu", "sim", "--lines", "--no-anchor", "--save", path, program)
    weights = {}
    for line in topdown("export", "--to", "folded", "--nodes", "Retiring", path).stdout.splitlines():
        names, weight = line.rsplit(" ", 1)
        weights[tuple(names.split(";")[-2:])] = int(weight)
    often, seldom = weights.get(("often", "slow"), 0), weights.get(("seldom", "slow"), 1)
    check(abs(often / seldom - 3) < 0.03, "two callers: folded", (often, seldom))
    boxes = {}
    for group in ET.fromstring(topdown("export", "--to", "svg", "--nodes", "Retiring", path).stdout).iter(
        "{http://www.w3.org/2000/svg}g"
    ):
        name = group[0].text.split("\n")[0]
        boxes.setdefault(name, []).append(float(group[1].get("width")))
    wide = sorted(boxes.get("slow", []))
    check(len(wide) == 2 and abs(wide[1] / wide[0] - often / seldom) < 0.001, "two callers: svg", wide)


def check_sampled(folder):
    """Samples of time of a program that spends it in one function."""
    path = folder / "sampled.json"
    result = topdown("sample", "-e", "cpu-clock", "--save", path, DIVIDE, "20000000")
    if result.returncode or not path.exists():
        print("nothing can be sampled here:", result.stderr.splitlines()[-1:])
        return
    near_report(path, "sampled")
    check(stat.S_IMODE(os.stat(path).st_mode) == 0o600, "sampled: the session's mode")
    if HAS_PPROF:
        check_success(topdown("export", "-o", folder / "sampled.pb.gz", path), "sampled: pprof")


def check_recorded(folder):
    """What perf recorded."""
    path = folder / "perf.data"
    if (
        not shutil.which("perf")
        or subprocess.run(
            ["perf", "record", "-q", "-e", "cpu-clock", "-g", "-o", path, DIVIDE, "20000000"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        ).returncode
    ):
        print("no perf here, or it can't record")
        return
    near_report(path, "perf.data")


def main():
    made = made_up.chosen(11)
    with temporary() as folder:
        session = folder / "run.json"
        save(session, made)
        check_chosen(session, made)
        check_forms(folder, session, made)
        check_pprof(folder, session)
        check_refusals(folder, session)
        check_last(folder, session)
        check_colors(session)
        check_time_only(folder, made)
        check(
            DIVIDE.exists(),
            "the target kernel_divide is built: sessions of that program are exported",
            DIVIDE,
        )
        for check_program in (check_simulated, check_sampled, check_recorded) if DIVIDE.exists() else ():
            check_program(folder)
    finish()


main()
