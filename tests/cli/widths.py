#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""widths.py - whatever topdown prints fits a terminal's window, and no line of it is paged. Only what is
there to be pasted may be longer: a command, or a single word such as an event of perf's."""
import concurrent.futures
import json
import os
import re
import sys

from first_made import made_machine

sys.path.append(f"{sys.path[0]}/..")
from lib import SOURCE, check, environment, finish, read_json, some, temporary, topdown
from lib.soft_pmu import soft_pmu
from lib.terminal import SEQUENCE, cells, run_on

WIDTHS = (40, 60, 80, 132, 200)
SESSION, PROFILE = SOURCE / "docs/sample-session.json", SOURCE / "docs/sample-profile.json"
GOLDEN = SOURCE / "tests/golden"
WORK = ["--", "sh", "-c", "i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done"]
CPU = ["--cpu", "sapphirerapids"]
PASTED = re.compile(r"^(Next)? *((\S*/)?topdown|perf) ")


def rows(folder):
    soft = soft_pmu(folder)
    yield from ([word] for word in ("--help", "version", "doctor", "nosuchprogram"))
    yield from (["help", word] for word in ("options", "topdown", "plan", "gate", "session", "model"))
    yield from ([word, "--help"] for word in ("sample", "gate", "history", "import"))
    yield from (["list", word, *CPU] for word in ("events", "metrics", "nodes", "groups"))
    yield from (["list", word] for word in ("cpus", "cores"))
    yield from (["list", word, "--cpu", "neoverse-v1"] for word in ("metrics", "nodes"))
    yield from (["metrics", "--cpu", name] for name in ("sapphirerapids", "zen4", "neoverse-n1"))
    yield from (
        ["plan", "-l3", "-v", "--cpu", name]
        for name in ("sapphirerapids", "alderlake", "zen5", "neoverse-v2")
    )
    yield from (["explain", name, *CPU] for name in ("DRAM_Bound", "Retiring", "IPC"))
    yield ["list", "nodes", "--cpu", "nosuch"]
    yield ["doctor", "-v"]
    for more in ([], ["-v"]):
        yield ["first", "--duration", "0.1", "--sysroot", folder / "made/now", *more]
    for words in (["-l3"], ["-v"], ["-B"], ["-v", "-B"]):
        yield ["report", *words, SESSION]
    for counts in sorted(GOLDEN.glob("*/counts.json")):
        yield ["report", "-l6", counts]
        yield ["report", "-v", "-B", "-l3", counts]
    for words in (
        ["--lines"],
        ["--functions", "-v"],
        ["--callers", "main"],
        ["--by", "thread"],
        ["--by", "module"],
    ):
        yield ["report", *words, PROFILE]
    yield ["compare", GOLDEN / "clx-dram/counts.json", GOLDEN / "clx-two-levels/counts.json"]
    yield ["compare", folder / "before.json", folder / "after.json"]
    yield ["history", folder / "runs.db"]
    yield ["history", folder / "runs.db", "show", "1"]
    yield ["history", "--metrics", "IPC", folder / "runs.db"]
    yield [
        "gate",
        *soft,
        "--limits",
        folder / "limits.json",
        "--baseline",
        folder / "soft.json",
        "--",
        "true",
    ]
    yield [*soft, "-l1", "-I", "60", *WORK]
    yield [*soft, "-l1", "-a", "-A", "--", "true"]
    yield ["sample", "-I", "60", *WORK]


def changed(folder):
    """The sample session, and one with another number of cycles; both in a history."""
    session = read_json(SESSION)
    for name, factor in (("before", 1), ("after", 1.25)):
        for count in session["counts"]:
            if isinstance(count.get("raw"), int) and "CYCLE" in count["event"].upper():
                count["raw"] = int(count["raw"] * factor)
                count["value"] = count["raw"]
        session["started"] = f"2026-01-0{1 + (name == 'after')}T10:00:00Z"
        (folder / f"{name}.json").write_text(json.dumps(session), encoding="utf-8")
        topdown("history", folder / "runs.db", "import", folder / f"{name}.json")
    (folder / "limits.json").write_text(
        json.dumps(
            {
                "format": "topdown-limits",
                "version": 1,
                "limits": [
                    {"metric": "minor", "max_increase": "5 %"},
                    {"metric": "wall_s", "max_increase": "900 %"},
                ],
            }
        ),
        encoding="utf-8",
    )
    topdown(*soft_pmu(folder), "-l1", "--save", folder / "soft.json", "--", "true")
    made_machine(folder / "made")


def is_fitting(line, columns):
    plain = SEQUENCE.sub("", line)
    return cells(line) <= columns or PASTED.match(plain) or len(plain.split()) <= 1


def look(words, columns, locale):
    status, text = run_on(columns, *words, LC_ALL=locale)
    name = f"{' '.join(os.path.basename(str(word)) for word in words)[:70]} ({columns} columns, {locale})"
    wide = [line for line in text.split("\n") if not is_fitting(line.split("\r")[-1], columns)]
    check(status >= 0 and text.strip(), f"{name}: says something", (status, text))
    check(not wide, f"{name}: wider than the window", wide[:3])


def look_piped(words, columns):
    """On no terminal the width is that of COLUMNS, and there are no bars."""
    result = topdown(*words, env=environment(COLUMNS=str(columns), LC_ALL="C.UTF-8"))
    text = result.stdout
    name = f"{' '.join(os.path.basename(str(word)) for word in words)[:70]} (a pipe of {columns} columns)"
    wide = [line for line in text.split("\n") if not is_fitting(line, columns)]
    check(text.strip() and not wide, f"{name}: wider than asked", wide[:3])
    check("█" not in text or words[0] == "history", f"{name}: bars", text[:400])


def piped(folder):
    yield from (
        ["report", "-v", path] for path in (SESSION, PROFILE, SOURCE / "tests/cli/formats/simulated.json")
    )
    yield from (["report", "-v", "-B", "-l3", counts] for counts in sorted(GOLDEN.glob("[!n]*/counts.json")))
    yield ["compare", "-v", folder / "before.json", folder / "after.json"]
    yield ["plan", "-l3", "-v", *CPU]
    yield ["history", "-v", folder / "runs.db"]
    yield ["help", "report"]


def main():
    check(
        len(topdown("report", "-v", SESSION, env=environment(COLUMNS="none")).stdout) > 1000,
        "COLUMNS that is no number",
    )
    with temporary() as folder, concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        changed(folder)
        waits = [
            pool.submit(look, words, columns, "C.UTF-8")
            for number, words in enumerate(rows(folder))
            for columns in some(WIDTHS, number)
        ]
        waits += [pool.submit(look, words, 60, "C") for words in some(rows(folder))]
        waits += [
            pool.submit(look_piped, words, columns)
            for number, words in enumerate(piped(folder))
            for columns in some((40, 72), number)
        ]
        for wait in waits:
            wait.result()
    finish()


if __name__ == "__main__":
    main()
