#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""payload_inputs.py [--all] [INPUT]... - the texts of payloads.py in what is no session: perf.data, what perf
stat prints, histories and notes, limits, databases, a program, its arguments and the machine's name. They
stay text in each form, which takes some of them without --all, by a fixed seed."""
import copy
import json
import random
import subprocess
import sys

sys.path.append(f"{sys.path[0]}/..")
import payloads
import perf_file as pf
from lib import SOURCE, TOPDOWN, check, environment, finish, soft_pmu, temporary
from payloads import (
    HARMLESS,
    PAYLOADS,
    check_form,
    made,
    of_csv,
    of_html,
    of_json,
    of_markdown,
    of_svg,
    of_text,
)

SEED, DRAWN = 21, 3
REPORTS = (
    ("--format", "html", of_html),
    ("--format", "markdown", of_markdown),
    ("--format", "json", of_json),
    ("--format", "csv", of_csv),
    ("--format", "text", of_text),
)
EXPORTS = (
    ("--to", "svg", of_svg),
    ("--to", "speedscope", of_json),
    ("--to", "firefox", of_json),
    ("--to", "folded", of_text),
    ("--to", "callgrind", of_text),
)
COMPARED = (("--format", "html", of_html), ("--format", "csv", of_csv), ("--format", "text", of_text))


def unbroken(text):
    """In names that end with a NUL, a comma, a blank or a line."""
    return "".join(char for char in text if char not in "\0\n\r,").strip()[:200] or "x"


def perf_data(folder, text):
    """Event, host, version, command, thread and module."""
    name = text.replace("\0", "") or "none"
    front = [pf.comm(7, 7, name[:15], 1, True), pf.mmap2(7, 0x400000, 0x4000, 0, f"/opt/{name}"[:4000], 2)]
    rows = [pf.sample(0x401000 + 16 * i, 7, 7, 50 + i) for i in range(40)]
    facts = {"host": name, "version": name, "command": ["perf", "record", name], "build_ids": {}}
    path = folder / "perf.data"
    path.write_bytes(pf.write_file(pf.Events(names=(name[:500],)), b"".join([*front, *rows]), **facts))
    return [path]


def printed(folder, text):
    """Program and event."""
    path = folder / "printed.txt"
    name = unbroken(text)
    path.write_text(
        f" Performance counter stats for '{name}':\n\n        1,000,000      cycles\n"
        f"        2,000,000      instructions   #  2.00  {name}\n             12      {name}\n\n"
        "       0.500000000 seconds time elapsed\n"
    )
    return ["--cpu", "skylakex", path]


def printed_csv(folder, text):
    path = folder / "printed.csv"
    name = unbroken(text)
    path.write_text(
        f"1000,,cycles,1000,100.00,,\n2000,,instructions,1000,100.00,2.0,{name}\n7,,{name},1000,100.00,,\n"
    )
    return ["--cpu", "skylakex", path]


def printed_json(folder, text):
    path = folder / "printed.json"
    rows = [("1000", "cycles"), ("2000", "instructions"), ("7", text or "x")]
    path.write_text(
        "".join(
            json.dumps(
                {
                    "counter-value": value,
                    "unit": text,
                    "event": event,
                    "event-runtime": 1000,
                    "pcnt-running": 100.0,
                    "metric-value": "1.0",
                    "metric-unit": text,
                }
            )
            + "\n"
            for value, event in rows
        )
    )
    return ["--cpu", "skylakex", path]


def ask(*words, **more):
    return subprocess.run(
        [TOPDOWN, *map(str, words)], capture_output=True, check=False, env=environment(**more)
    )


def kept(folder, text):
    """A run with the text in each field of its session, and as a note where one can be such."""
    database = folder / "runs.db"
    database.unlink(missing_ok=True)
    session = folder / "session.json"
    for factor in (1, 2):
        value = made(SOURCE / "docs/sample-session.json", text)
        value["started"] = f"2026-01-0{factor}T00:00:00Z"
        session.write_text(json.dumps(value))
        ask("history", database, "import", session)
    ask("history", database, "annotate", "1", text.replace("\0", ""))
    return [database]


def limits(folder, text):
    """The note of a limit that is exceeded."""
    words = soft_pmu.soft_pmu(folder)
    place = folder / "limits.json"
    bounds = [{"node": "Minor", "max": 0, "note": text}]
    place.write_text(json.dumps({"format": "topdown-limits", "version": 1, "limits": bounds}))
    base = folder / "base.json"
    if not base.exists():
        ask("gate", *words, "-r", "2", "--update", "--baseline", base, "true")
        (folder / "measured.json").write_bytes(base.read_bytes())
    return [*words, "-r", "2", "--limits", place, "--baseline", base, "true"]


def database(folder, text):
    """Titles, words and events of a model, of which counts are evaluated."""
    soft_pmu.soft_pmu(folder)
    events, model = copy.deepcopy(soft_pmu.EVENTS), copy.deepcopy(soft_pmu.MODEL)
    for metric in model["Metrics"]:
        metric |= {"Title": text[:200] or "x", "BriefDescription": text, "PublicDescription": text}
    for one in events["Events"]:
        one |= {"BriefDescription": text, "Errata": text}
    events["Header"] |= {"Title": text, "Source": text, "Version": text}
    (folder / "db/events/soft.json").write_text(json.dumps(events))
    (folder / "db/models/soft.json").write_text(json.dumps(model))
    counts = folder / "counts.json"
    values = {"CYCLES": 1000, "FAULTS": 100, "MINOR": 90, "MAJOR": 5}
    counts.write_text(json.dumps({"format": "topdown-counts", "cpu": "soft", "counts": values}))
    return ["--db", folder / "db", counts]


def named_program(folder, text):
    """Name and arguments of what is counted, and of the machine; what is kept of them is a session's."""
    name = "".join(char for char in text if char not in "\0/")[:60] or "x"
    program = folder / name
    program.write_text("#!/bin/sh\n:\n")
    program.chmod(0o755)
    payloads.variables["TOPDOWN_MACHINE"] = text.replace("\0", "")
    return [*soft_pmu.soft_pmu(folder), "-l1", "--", program, text.replace("\0", "")]


GATE = (*REPORTS[:3], REPORTS[4], ("--format", "junit", of_svg), ("--format", "github", of_text))
MEASURED = ("-o", "-")
# For each: how it is made, whether it may be refused, and which commands read it in which forms.
INPUTS = {
    "perf.data": (
        perf_data,
        False,
        ((("report", "--functions"), REPORTS), (("export",), EXPORTS), (("compare", "FILE"), COMPARED)),
    ),
    "perf stat": (printed, True, ((("report",), REPORTS),)),
    "perf stat -x,": (printed_csv, True, ((("report",), REPORTS),)),
    "perf stat -j": (printed_json, True, ((("report",), REPORTS),)),
    "history": (kept, False, ((("history",), REPORTS),)),
    "limits": (limits, True, ((("gate", *MEASURED), GATE),)),
    "database": (database, True, ((("report", "-v"), REPORTS),)),
    "program": (named_program, False, ((MEASURED, REPORTS[4:]),)),
}
REFUSED, EXCEEDED = 125, 3
# What a measurement may have by itself: a remark, also of a text that was cut, and what took more.
CAUSE = ("", ".node", ".function", ".module", ".file", ".line", ".amount", ".unit")
REMARK = {".notes[]", ("ul", ""), ("li", ""), *(f".limits[].causes[]{member}" for member in CAUSE)}
REMARK |= {("tr", f"data-{member}") for member in ("file", "function", "line", "module", "node")}


def check_input(name, texts):
    make, may_refuse, commands = INPUTS[name]
    fine = (EXCEEDED,) if name == "limits" else (0,)
    statuses = (*fine, REFUSED) if may_refuse else fine
    for words, forms in commands:
        for option, form, shape in forms:
            known = set(REMARK)
            for text in HARMLESS:
                with temporary() as folder:
                    status, text, said = payloads.run(words, option, form, make(folder, text))
                check(status in fine, f"{name}, {words} {form}: a harmless text", (status, said[-300:]))
                known |= shape(text) if status in fine else set()
            for payload in texts():
                with temporary() as folder:
                    what = f"{name}, {payload[:60]!a}"
                    check_form((words, option, form), shape, make(folder, payload), known, what, statuses)


def main():
    draw = random.Random(SEED)
    chosen = [word for word in sys.argv[1:] if word in INPUTS]
    for name in chosen or INPUTS:
        check_input(name, lambda: PAYLOADS if "--all" in sys.argv else draw.sample(PAYLOADS, DRAWN))
    finish()


main()
