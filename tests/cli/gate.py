#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""gate.py - `topdown gate` as a CI job meets it: what is refused before anything runs; a change that is
within the limits, beyond one, or not to be judged; every format of that, with names that mean something to
it; a new baseline at once or not at all."""
import json
import os
import re
import shutil
import sqlite3
import stat
import subprocess
import sys
import xml.etree.ElementTree as ET

sys.path.append(f"{sys.path[0]}/..")
from lib import (
    PATIENCE,
    SOURCE,
    TOPDOWN,
    check,
    check_failure,
    environment,
    finish,
    need_simulator,
    read_json,
    temporary,
)
from page import check_form, numbers

PROGRAM = r"""
#include <stdio.h>
#include <unistd.h>
static volatile unsigned sum;
__attribute__((noinline)) static void steady(void)
{
	for (unsigned i = 0; i < 60000; i++)
		sum += i * 31;
}
static void changed(void) __asm__(NAME);
__attribute__((noinline)) static void changed(void)
{
	for (unsigned i = 0; i < TIMES; i++)
		sum += i;
}
int main(int argc, char **argv)
{
	steady();
	changed();
	for (int i = 0; i < WRITES; i++)
		(void)!write(1, "x", 1);
	return argc > 1 ? argv[1][0] - '0' : STATUS;
}
"""
BASE = "topdown-baseline.json.gz"


def build(folder, times=1000, writes=1, name="prog", status=0, symbol="changed"):
    # A folder's name that has what means something to annotations.
    (folder / "src,a").mkdir(exist_ok=True)
    (folder / "src,a/a:b.c").write_text(PROGRAM, encoding="utf-8")
    subprocess.run(
        [
            "cc",
            "-O1",
            "-g",
            f"-DTIMES={times}",
            f"-DWRITES={writes}",
            f"-DSTATUS={status}",
            f'-DNAME="{symbol}"',
            "-o",
            name,
            "src,a/a:b.c",
        ],
        cwd=folder,
        check=True,
    )


def gate(folder, *words, env=None):
    return subprocess.run(
        [TOPDOWN, "gate", *map(str, words)],
        cwd=folder,
        env=env or environment(),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=PATIENCE,
        check=False,
    )


def gate_json(folder, *words):
    result = gate(folder, "--format", "json", "-o", "out.json", *words)
    check(not result.stderr, f"{words}: nothing but the file", result.stderr)
    document = read_json(folder / "out.json")
    check(
        document["status"] == result.returncode, f"{words}: status", (document["status"], result.returncode)
    )
    return document


def limits(folder, *items, name="topdown-limits.json"):
    (folder / name).write_text(
        json.dumps({"format": "topdown-limits", "version": 1, "limits": items}, indent=1), encoding="utf-8"
    )


def check_documented(document):
    """Each key stands in docs/FORMATS.md, and each there appears."""
    page = (
        (SOURCE / "docs/FORMATS.md")
        .read_text(encoding="utf-8")
        .split("## topdown-gate\n")[1]
        .split("\n## ")[0]
    )
    documented = set(re.findall(r"^\| `([^`]+)` \|", page, re.M))

    def keys(value, path):
        if isinstance(value, dict):
            for key, inner in value.items():
                yield from ((name := f"{path}.{key}" if path else key), *keys(inner, name))
        elif isinstance(value, list):
            for inner in value:
                yield from ((f"{path}[]",) if not isinstance(inner, dict) else ()) + tuple(
                    keys(inner, f"{path}[]")
                )

    found = set(keys(document, ""))
    check(found <= documented, "keys that are not documented", sorted(found - documented))
    check(documented - found <= {"notes[]"}, "keys that never appear", sorted(documented - found))


def check_refusals(folder):
    """Before the program has run: it would leave a file."""
    (folder / "prog.sh").write_text("#!/bin/sh\ntouch ran\n", encoding="utf-8")
    (folder / "prog.sh").chmod(0o755)
    for words, parts in (
        ((), ["which program?"]),
        (("--limits", "none.json", "--", "./prog.sh"), ["none.json", "No such file"]),
        (("--baseline", "none.json", "--", "./prog.sh"), ["the baseline", "none.json", "No such file"]),
        (("--format", "xml", "--", "./prog.sh"), ["--format", "junit"]),
        (("-o", "none/out", "--", "./prog.sh"), ["none/out"]),
        (("--update", "--baseline", "prog.sh", "--", "./prog.sh"), ["--update", "a program"]),
        (("--update", "--baseline", "none/base.json", "--", "./prog.sh"), ["--update", "none/base.json"]),
        (("--pmu", "sim", "-r", "5", "--", "./prog.sh"), ["-r", "--layouts"]),
    ):
        check_failure(gate(folder, *words), f"{words}", *parts)
    limits(folder, {"metric": "IPC", "max": "lots"})
    check_failure(
        gate(folder, "--", "./prog.sh"), "limits that are none", "topdown-limits.json: line 7, column 4: max:"
    )
    (folder / "topdown-limits.json").unlink()
    check(not (folder / "ran").exists(), "nothing has run")


def check_names(folder):
    """Names and units are asked of the baseline, so a typing error costs no measurement."""
    for item, parts in (
        (
            {"metric": "instrutions", "max_increase": 1},
            ["line 7, column 4: instrutions", "did you mean instructions?"],
        ),
        ({"metric": "IPC", "max_increase": "2 points"}, ["points are for metrics in percent", "IPC"]),
        ({"metric": "instructions", "max": "2 %"}, ["not in percent"]),
        (
            {"function": "chnged", "max_increase": "2 %"},
            ["line 7, column 4: chnged: no such function; did you mean changed"],
        ),
        (
            {"function": "changed", "metric": "IPC", "max_increase": "2 %"},
            ["a function has only cycles, instructions"],
        ),
        ({"metric": "syscalls.wirte", "max": 2}, ["no system call of that name", "syscalls.wirte"]),
        ({"metric": "syscalls.write", "max": "2 %"}, ["a number, not a share"]),
        ({"function": "changed", "max": "2 %"}, ["a number, not a share"]),
    ):
        limits(folder, item, name="l.json")
        check_failure(
            gate(folder, "--limits", "l.json", "--", "./no-such-program"), f"{item}", "l.json", *parts
        )


def check_variant(folder):
    """The compiler's name of a variant is no other function, whichever side has it."""
    for name in ("changed", "changed.constprop.0", "changed.isra.7"):
        build(folder, symbol="changed.constprop.0")
        limits(folder, {"function": name, "max_increase": "5 %"}, name="l.json")
        gate(folder, "--limits", "l.json", "-o", "out.json", "--pmu", "sim", "--layouts", "1", "--", "./prog")
        (row,) = read_json(folder / "out.json")["limits"]
        check(row["before"] and row["before"] == row["after"], f"{name}: measured on both sides", row)
    build(folder)


def check_interval(folder, document):
    """From where to where a change is stands in each form for people, of what has a range."""
    words = ("--pmu", "sim", "--layouts", "2", "--", "./prog")
    ranges = [
        f"{row['amount_low']:+.2f} % to {row['amount_high']:+.2f} %"
        for row in document["limits"]
        if row["amount_low"] < row["amount_high"]
    ]
    check(ranges, "something has a range", document["limits"])
    for form in ("text", "markdown", "html"):
        gate(folder, "--format", form, "-o", "out.txt", *words)
        text = (folder / "out.txt").read_text(encoding="utf-8")
        check(
            "Interval" in text
            and all(one.replace("+0.00", "0.00") in text.replace("+0.00", "0.00") for one in ranges),
            f"{form}: intervals",
            (ranges, text[:900]),
        )


def check_within(folder):
    """In two layouts, whose range is what is judged."""
    document = gate_json(folder, "--pmu", "sim", "--layouts", "2", "--", "./prog")
    check(
        document["verdict"] == "within" and document["limits_file"] is None and document["baseline"] == BASE,
        "the same program is within",
        document,
    )
    check(
        {row["metric"] for row in document["limits"]} == {"instructions", "cycles"},
        "default limits",
        document["limits"],
    )
    check(abs(document["limits"][0]["amount"]) < 0.01, "the same instructions", document["limits"])
    check_interval(folder, document)
    check(
        "(1 layout before, 2 now: " in document["limits"][1]["sentence"],
        "what the range is of",
        document["limits"][1],
    )


def check_beyond(folder):
    """3 % more instructions in changed(): named, with its line, in each form."""
    limits(
        folder,
        {"metric": "instructions", "max_increase": "0.3 %", "note": "Ask\nthe team: 100 %"},
        {"function": "changed", "max_increase": "50 %"},
        {"function": "steady", "max_increase": "1 %"},
        {"metric": "IPC", "min": 0.01},
        {"node": "Retiring", "max": "100 points"},
        {"metric": "syscalls.write", "max_increase": 1},
        {"metric": "syscalls", "max_increase": "1 %"},
        {"metric": "syscalls.writev", "max": 0},
    )
    words = ("--pmu", "sim", "--layouts", "1", "--", "./prog")
    document = gate_json(folder, *words)
    verdicts = [row["verdict"] for row in document["limits"]]
    check(
        document["status"] == 3
        and verdicts == ["beyond", "beyond", "within", "within", "within", "beyond", "beyond", "within"],
        "verdicts",
        [row["sentence"] for row in document["limits"]],
    )
    first = document["limits"][0]
    more = (first["after"] - first["before"]) / 11000
    check(3 < more < 9 and abs(more - round(more)) < 0.05, "11,000 times the loop's instructions more", first)
    calls = document["limits"][5]
    check((calls["before"], calls["after"], calls["amount"]) == (1, 4, 3), "calls are counted", calls)
    check(
        first["causes"]
        and first["causes"][0]["function"] == "changed"
        and first["causes"][0]["line"] in (13, 14),
        "the cause",
        first["causes"],
    )
    check(first["causes"][0]["file"] == "src,a/a:b.c", "a path in the repository", first["causes"])
    check_documented(document)
    text = gate(folder, *words)
    check(
        text.returncode == 3
        and "FAILED: 4 of 8 limits are exceeded" in text.stderr
        and "changed (src,a/a:b.c:1" in text.stderr,
        "text",
        text.stderr,
    )
    check("topdown compare topdown-baseline.json.gz" in text.stderr, "the next command", text.stderr)
    markdown = gate(folder, "--format", "markdown", *words).stderr
    check(
        markdown.startswith("# topdown gate\n") and "| FAILED | Instructions |" in markdown,
        "Markdown",
        markdown[:300],
    )
    check_github(folder, words)
    check_junit(folder, words)
    check_page(folder, words, document)


def check_page(folder, words, document):
    """Every number of the JSON, which simulates the same; the words of each verdict; where what was measured
    stands beside its limit."""
    result = gate(folder, "-o", "out.html", *words)
    text = (folder / "out.html").read_text(encoding="utf-8")
    check(result.returncode == 3 and not result.stderr, "-o out.html", result.stderr)
    page = check_form("the page of a gate", text)
    lost = [
        (path, number)
        for path, number in numbers(document)
        if not any(abs(value - number) <= 1e-9 * abs(number) for value in page.values)
    ]
    check(not lost, "every number is on the page", lost[:4])
    check(text.count("✗ FAILED") == 4 and text.count("✓ ok") == 4, "a sign and a word for each verdict")
    strips = re.findall(r'<svg class="strip".*?</svg>', text)
    check(len(strips) == 8, "a drawing for each limit", len(strips))
    for strip, row in zip(strips, document["limits"]):
        line = float(re.search(r'class="limit line" d="M([\d.]+) ', strip)[1])
        bar = re.search(r'<rect class="(\w+)" x="([\d.]+)" y="[^"]*" width="([\d.]+)"', strip)
        is_beyond = float(bar[2]) + float(bar[3]) > line + 1
        check(
            is_beyond == (row["verdict"] == "beyond") == (bar[1] == "more"),
            f"{row['sentence']}: its bar",
            strip,
        )
    check(
        "What lies beyond the scale is drawn at its end." in text,
        "more than three times its limit is cut, and that is said",
    )
    check(text.index("FAILED: 4 of 8") < text.index("Instructions rose by"), "the verdict first")


def check_github(folder, words):
    (folder / "summary.md").write_text("# before\n", encoding="utf-8")
    result = gate(
        folder, "--format", "github", *words, env=environment(GITHUB_STEP_SUMMARY=str(folder / "summary.md"))
    )
    lines = result.stderr.splitlines()
    stop = [line for line in lines if line.startswith("::stop-commands::")]
    check(
        len(stop) == 1 and lines[0] == stop[0] and f"::{stop[0].split('::')[2]}::" in lines,
        "the text is no command",
        lines[:2],
    )
    commands = [line for line in lines[lines.index(f"::{stop[0].split('::')[2]}::") + 1 :] if line]
    check(
        len(commands) == 4
        and all(
            re.match(r"::error file=src%2Ca/a%3Ab\.c,line=1\d,title=topdown gate%3A [^:,]*::[^\r\n]*$", line)
            for line in commands[:2]
        ),
        "annotations",
        commands,
    )
    check(
        "0.3 %25 are allowed" in commands[0] and "%0Achanged (src,a/a:b.c:1" in commands[0],
        "a message is escaped",
        commands[0],
    )
    summary = (folder / "summary.md").read_text(encoding="utf-8")
    check(summary.startswith("# before\n# topdown gate\n"), "the summary is added", summary[:100])
    env = environment(GITHUB_STEP_SUMMARY=str(folder / "none/summary.md"))
    check_failure(
        gate(folder, "--format", "github", "--", "./no-such-program", env=env),
        "a summary that can't be written",
        "GITHUB_STEP_SUMMARY",
    )


def check_junit(folder, words):
    result = gate(folder, "-o", "out.xml", *words)
    check(result.returncode == 3 and not result.stderr, "-o out.xml", result.stderr)
    suite = ET.parse(folder / "out.xml").getroot()[0]
    check(
        (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("8", "4", "0"),
        "JUnit counts",
        suite.attrib,
    )
    failures = suite.findall("testcase/failure")
    check(
        len(failures) == 4
        and failures[0].get("message").startswith("Instructions rose by")
        and "changed (src,a/a:b.c:1" in failures[0].text,
        "JUnit says why",
        [failure.attrib for failure in failures],
    )


def check_unknown(folder):
    """Exit status 4: the baseline is of another kind, or there is none, or the program ended otherwise."""
    (folder / "topdown-limits.json").unlink(missing_ok=True)
    words = ("--pmu", "sim", "--layouts", "1")
    document = gate_json(folder, *words, "--sim-core", "zen4", "--", "./prog")
    check(
        document["status"] == 4 and "core" in document["limits"][0]["sentence"],
        "another core",
        document["limits"][0],
    )
    document = gate_json(folder, *words, "--", "./prog", "0")
    check(
        document["status"] == 4 and "of `prog`, and this is `prog 0`" in document["limits"][0]["sentence"],
        "another command",
        document["limits"][0],
    )
    shutil.copy(folder / "prog", folder / "prog-new")
    document = gate_json(folder, *words, "--", "./prog-new")
    check(
        document["status"] == 3 and "can't tell" not in json.dumps(document),
        "another name of the program, as two builds have",
        document["limits"],
    )
    text = gate(folder, *words, "--", "./prog-new").stderr
    check(re.search(r"^Baseline .*, of prog$", text, re.M), "which is said", text)
    build(folder, name="prog", status=3)
    document = gate_json(folder, *words, "--", "./prog")
    check(
        document["status"] == 4
        and "status 3, and in the baseline with 0" in document["limits"][0]["sentence"],
        "another status",
        document["limits"][0],
    )
    build(folder, 12000, 4)
    with temporary() as empty:
        (empty / "prog").symlink_to(folder / "prog")
        document = gate_json(empty, *words, "--", "./prog")
        check(
            document["status"] == 4
            and "there is no baseline; --update makes one" in document["limits"][0]["sentence"],
            "no baseline",
            document["limits"],
        )
        limits(empty, {"metric": "IPC", "min": 0.01})
        check(gate_json(empty, *words, "--", "./prog")["status"] == 0, "absolute limits need none")


def check_update(folder):
    before = (folder / BASE).read_bytes()
    result = gate(
        folder, "--update", "--pmu", "sim", "--layouts", "1", "--baseline", "/dev/full", "--", "./prog"
    )
    check(result.returncode == 125, "a full disk", result.stderr)
    check((folder / BASE).read_bytes() == before, "another baseline stays")
    result = gate(folder, "--update", "--layouts", "1", "--", "./prog")
    check(
        result.returncode == 0 and f"{BASE} is the new baseline" in result.stderr,
        "--update, simulated as before",
        result.stderr,
    )
    check(
        (folder / BASE).read_bytes() != before
        and gate(folder, "--layouts", "1", "--", "./prog").returncode == 0,
        "is the new baseline",
    )
    kept = (folder / BASE).read_bytes()
    limits(folder, {"metric": "cycles", "function": "nobody", "max": 1e9})
    result = gate(folder, "--update", "--layouts", "1", "--", "./prog")
    check(
        result.returncode == 125 and "nobody: no such function" in result.stderr,
        "--update, a function that nobody can judge",
        result.stderr,
    )
    check((folder / BASE).read_bytes() == kept, "the baseline is as it was")
    (folder / "topdown-limits.json").unlink()
    check(not [name for name in os.listdir(folder) if ".tmp" in name], "nothing is left over")


def check_history(folder):
    """The baseline is the last accepted run of the same program; each run is added."""
    words = ("--pmu", "sim", "--layouts", "1", "--history", "h.db")
    if "without SQLite" in gate(folder, *words, "--", "./no-such-program").stderr:
        print("no SQLite in this build: no history")
        return
    (folder / "h.db").unlink(missing_ok=True)
    result = gate(folder, *words, "--update", "--", "./prog")
    check(
        result.returncode == 0 and "is accepted as the baseline in h.db" in result.stderr,
        "the first run is accepted",
        result.stderr,
    )
    build(folder, 30000, 4)
    document = gate_json(folder, *words, "--", "./prog")
    check(
        document["status"] == 3 and document["baseline"] == "run 1 of h.db",
        "the accepted run is the baseline",
        document["limits"],
    )
    document = gate_json(folder, *words, "--", "./prog", "0")
    check(
        document["status"] == 4 and document["baseline"] is None,
        "another command has none",
        document["limits"],
    )
    with sqlite3.connect(folder / "h.db") as database:
        accepted = [row[0] for row in database.execute("SELECT id FROM run WHERE accepted > 0")]
    check(accepted == [1], "only the run of --update is accepted", accepted)
    if not shutil.which("git"):
        print("no git: a baseline beside changed files is left out")
        return
    env = environment(
        GIT_CONFIG_GLOBAL="/dev/null",
        GIT_AUTHOR_NAME="a",
        GIT_AUTHOR_EMAIL="a@b",
        GIT_COMMITTER_NAME="a",
        GIT_COMMITTER_EMAIL="a@b",
    )
    (folder / "known").write_text("one", encoding="utf-8")
    for git in (("init",), ("add", "known"), ("commit", "-m", "one")):
        subprocess.run(["git", *git], cwd=folder, env=env, capture_output=True, check=True)
    (folder / "known").write_text("other", encoding="utf-8")
    result = gate(folder, *words, "--update", "--", "./prog")
    check(
        result.returncode == 0 and "files were changed since the commit" in result.stderr,
        "a changed checkout is accepted, not silently",
        result.stderr,
    )
    baseline = gate_json(folder, *words, "--", "./prog")["baseline"]
    check(
        "run 4 of h.db (commit " in baseline and "+, with files that were changed)" in baseline,
        "it is said of the baseline",
        baseline,
    )
    shutil.rmtree(folder / ".git")


def check_signal(folder):
    """What is cut short is judged by nobody, and no baseline."""
    words = (
        TOPDOWN,
        "gate",
        "--pmu",
        "sim",
        "--update",
        "--baseline",
        "cut.json",
        "--",
        "sh",
        "-c",
        "echo begun; while :; do :; done",
    )
    with subprocess.Popen(
        words, cwd=folder, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        process.stdout.readline()
        process.terminate()
        said = process.communicate(timeout=PATIENCE)[1]
    check(
        process.returncode in (125, 143) and not (folder / "cut.json").exists(),
        "cut short",
        (process.returncode, said),
    )


def check_program_baseline(folder):
    """The program as it was, measured in the same job."""
    build(folder, 1000, name="old")
    build(folder, 12000, name="new")
    document = gate_json(folder, "--pmu", "sim", "--layouts", "1", "--baseline", "old", "--", "./new")
    check(
        document["status"] == 3 and document["limits"][0]["causes"][0]["function"] == "changed",
        "a program as the baseline",
        document["limits"][0],
    )


def check_place(folder):
    """Where the program stands is no other command, whatever the folder is called; layouts of samples have
    cycles too."""
    words = ("--pmu", "sim", "--layouts", "2", "--sim-sample", "0.2", "--baseline")
    place = folder / "it's a"
    place.mkdir()
    build(folder, 30000, name="pr og")
    (folder / "pr og").rename(place / "pr og")
    result = gate(folder, "--update", *words, "there.json", "--", place / "pr og", "a b")
    check(result.returncode == 0, "a baseline of samples", result.stderr)
    document = gate_json(place, *words, folder / "there.json", "--", "./pr og", "a b")
    (folder / "out.json").unlink(missing_ok=True)
    cycles = [limit for limit in document["limits"] if limit["metric"] == "cycles"]
    check(
        document["status"] == 0 and len(cycles) == 1 and cycles[0]["after"] > 0,
        "the same from another folder",
        document["limits"],
    )


def main():
    with temporary() as folder:
        check_refusals(folder)
        need_simulator()
        build(folder)
        first = ("--update", "--pmu", "sim", "--layouts", "1", "--", "./prog")
        limits(folder, {"function": "chnged", "max_increase": "2 %"}, name="l.json")
        result = gate(folder, "--limits", "l.json", *first)
        check(
            result.returncode == 125 and "chnged: no such function; did you mean changed" in result.stderr,
            "a limit's function is in no program",
            result.stderr,
        )
        check(not (folder / BASE).exists(), "no baseline of limits that can't be judged")
        result = gate(folder, *first)
        check(
            result.returncode == 0 and stat.S_IMODE((folder / BASE).stat().st_mode) == 0o644,
            "the first --update: a file for others too",
            result.stderr,
        )
        check_names(folder)
        check_variant(folder)
        check_within(folder)
        build(folder, 12000, 4)
        check_beyond(folder)
        check_unknown(folder)
        check_update(folder)
        check_signal(folder)
        check_history(folder)
        check_program_baseline(folder)
        check_place(folder)
    finish()


main()
