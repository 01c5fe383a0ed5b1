#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""lines.py - topdown --pmu sim --lines on kernels: the source line that must lose the slots, in all formats
and from a session.

TOPDOWN and TOPDOWN_BUILD name the program and its build directory. Exit status 77 where the simulator is not
there.
"""
import csv
import functools
import gzip
import io
import json
import re
import shutil
import subprocess
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import (
    BUILD,
    COUNTS,
    SOURCE,
    check,
    check_failure,
    check_success,
    finish,
    need_simulator,
    read_json,
    temporary,
    topdown,
)

WORK = 200000  # rounds of behave.c's spin
SIM = ("--pmu", "sim", "--sim-core", "skylake", "--lines")

# kernel: arguments, the node, the texts of the lines that lose its slots, the function (inlined into main or
# not), and the least percentage of them together
KERNELS = {
    "chase": (["8192", "300000"], "L3_Bound", ["node = node->next;"], "main", 95),
    "divide": (["300000"], "Divider", ["x = x / divisor + RANDOM_START;"], "main", 95),
    "quicksort": (
        ["60000"],
        "Branch_Mispredicts",
        ["while (*low < pivot)", "while (*high > pivot)", "if (low <= high)"],
        "sort",
        85,
    ),
    "multiply": (["500000"], "Dependency_Chains", None, "multiply", 95),
    "stores": (["65536", "100000"], "Store_Bound", None, "main", 80),
}


def line_numbers(name, texts):
    source = (SOURCE / f"tests/kernels/{name}.c").read_text(encoding="utf-8").splitlines()
    numbers = {number for number, line in enumerate(source, 1) if line.strip() in texts}
    check(len(numbers) >= len(texts), f"{name}.c has the lines", texts)
    return numbers


simulate = functools.partial(topdown, *SIM)


def lines_of(report):
    check(len(report["lines"]) == 1, "lines of one node", [node["title"] for node in report["lines"]])
    return report["lines"][0]


def check_kernel(name):
    words, node, texts, function, least = KERNELS[name]
    report = json.loads(simulate("--format", "json", BUILD / "kernels" / name, *words).stderr)
    lines = lines_of(report)
    check(lines["title"] == node, f"{name}: the node", lines["title"])
    check(
        abs(sum(line["percent"] for line in lines["lines"]) - lines["attributed_percent"]) < 1e-6,
        f"{name}: the sum of lines",
    )
    check(
        95 < lines["attributed_percent"] < 100.001,
        f"{name}: what belongs to instructions",
        lines["attributed_percent"],
    )
    by_function = {}
    for line in lines["lines"]:
        key = line["function"], line["object"]
        by_function[key] = by_function.get(key, 0) + line["percent"]
    reported = {(row["function"], row["object"]): row["percent"] for row in lines["functions"]}
    check(
        set(reported) == set(by_function)
        and all(abs(reported[key] - by_function[key]) < 1e-6 for key in reported),
        f"{name}: functions are sums",
    )
    check(
        lines["functions"][0]["function"] == function and lines["functions"][0]["percent"] >= least,
        f"{name}: function",
        lines["functions"][:2],
    )
    if not texts:
        return
    numbers = line_numbers(name, texts)
    share = sum(
        line["percent"]
        for line in lines["lines"]
        if line["file"] and line["file"].endswith(f"tests/kernels/{name}.c") and line["line"] in numbers
    )
    check(share >= least, f"{name}: lines {sorted(numbers)} have {share:.1f} %", lines["lines"][:4])
    print(f"{name:10} {node}: {share:.1f} % in lines {sorted(numbers)}")


def check_sharing():
    """Both lines that write to one line of memory are rows of False_Sharing."""
    report = json.loads(
        simulate(
            "--format", "json", "--nodes", "False_Sharing", BUILD / "kernels/falseshare", "300000", "8"
        ).stderr
    )
    lines = lines_of(report)
    for text in ("*work->counter += 1; /* shared: up */", "*work->counter -= 1; /* shared: down */"):
        numbers = line_numbers("falseshare", [text])
        share = sum(line["percent"] for line in lines["lines"] if line["line"] in numbers)
        check(share >= 25, f"falseshare: line {sorted(numbers)} has {share:.1f} %", lines["lines"][:4])


def named(row):
    return {(partner["function"], partner["line"]): partner for partner in row.get("shares_lines_with", [])}


def check_partners(folder):
    """Each of both lines names the other one; in all forms and from a session. With data of their own:
    nothing.

    Many rounds: which thread follows which is Valgrind's choice, and a thread that is done early meets
    nobody.
    """
    session, words = folder / "shared.json.gz", ("report", "--lines", "--nodes")
    result = simulate(
        "--save", session, "--nodes", "False_Sharing", BUILD / "kernels/falseshare", "1000000", "8"
    )
    check(result.returncode == 0, "false sharing", result.stderr)
    lines = {
        "count_up": line_numbers("falseshare", ["*work->counter += 1; /* shared: up */"]).pop(),
        "count_down": line_numbers("falseshare", ["*work->counter -= 1; /* shared: down */"]).pop(),
    }
    report = json.loads(topdown(*words, "False_Sharing", "--format", "json", session).stdout)
    for row in report["profile"]["lines"][:2]:
        partners = named(row)
        check(row["line"] == lines[row["function"]], "the line", row)
        other = next(line for line in lines.items() if line[0] != row["function"])
        check(
            other in partners and set(partners) <= set(lines.items()),
            f"{row['function']}: its partners",
            partners,
        )
        check(
            partners[other]["kind"] == "False_Sharing" and partners[other]["transfers"] > 100,
            "of which kind",
            partners,
        )
    for form in ("text", "markdown"):
        text = " ".join(topdown(*words, "Memory_Bound", "--format", form, session).stdout.split())
        for function, line in lines.items():
            check(
                re.search(rf"(False_Sharing with|,) falseshare.c:{line} \({function}\) [\d.]+ k", text),
                f"{form}: {function} is named",
                text[-1500:],
            )
    text = topdown(*words, "Branch_Mispredicts", session).stdout
    check("False_Sharing with" not in text, "a node that is about something else", text)
    padded = json.loads(
        simulate(
            "--format", "json", "--nodes", "Memory_Bound", BUILD / "kernels/falseshare", "100000", "128"
        ).stderr
    )
    partners = [
        row
        for row in padded["profile"]["lines"]
        if row["function"] in lines and named(row).keys() & set(lines.items())
    ]
    check(not partners, "padded: nothing", partners)
    damaged = json.loads(gzip.decompress(session.read_bytes()))
    damaged["profile"]["pairs"]["partner"][0] = 10**6
    (folder / "damaged.json").write_text(json.dumps(damaged), encoding="utf-8")
    check_failure(
        topdown(*words, "False_Sharing", folder / "damaged.json"),
        "a place that is not there",
        "profile.pairs",
        "partner",
    )


def check_session(folder):
    """One count is reported in all formats, for any node; a second count is the same."""
    program = [BUILD / "kernels/chase", "8192", "100000"]
    sessions = []
    for name in ("a", "b"):
        result = simulate("--save", folder / name, "--format", "json", *program)
        sessions.append(read_json(folder / name))
    check(
        sessions[0]["lines"] == sessions[1]["lines"] and len(sessions[0]["lines"]) > 100,
        "two runs have the same lines",
    )
    check(sessions[0]["counts"] == sessions[1]["counts"], "and the same counts")
    again = topdown("report", "--lines", "--format", "json", folder / "b")
    check_success(again, "report")
    check(json.loads(again.stdout) == json.loads(result.stderr), "the session has what was reported")
    (number,) = line_numbers("chase", ["node = node->next;"])
    text = topdown("report", "--lines", folder / "a").stdout
    check(
        re.search(
            (
                r"^Lines of L3_Bound, in percent of it:\n +Self %  Cycles %  Line +Function\n +(9\d|100)\.\d"
                rf" +\d+\.\d  chase\.c:{number} +main$"
            ),
            text,
            re.M,
        ),
        "text",
        text,
    )
    check(
        re.search(
            (
                r"^  Functions:\n +Self %  Total %  Cycles %  Object +Function\n( +(9\d|100)\.\d){2} +\d+\.\d"
                r"  \[chase\] +main$"
            ),
            text,
            re.M,
        ),
        "functions as text",
        text,
    )
    text = topdown("report", "--lines", "--format", "markdown", folder / "a").stdout
    check(
        re.search(
            rf"### Lines of L3_Bound\n\n.*\n.*\n\| (9\d|100)\.\d \| \d+\.\d \| chase\.c:{number} \| main \|",
            text,
        ),
        "Markdown",
        text,
    )
    rows = list(
        csv.DictReader(io.StringIO(topdown("report", "--lines", "--format", "csv", folder / "a").stdout))
    )
    row = next(row for row in rows if row["line"])
    check(
        row["title"] == "L3_Bound"
        and row["line"] == str(number)
        and row["function"] == "main"
        and float(row["value"]) > 90,
        "CSV",
        row,
    )
    check(
        row["file"].endswith("chase.c") and row["object"].endswith("kernels/chase"),
        "CSV: file and object",
        row,
    )
    named = topdown("report", "--lines", "--format", "json", "--nodes", "Store_Bound,Retiring", folder / "a")
    report = json.loads(named.stdout)
    check(
        [node["title"] for node in report["lines"]] == ["Store_Bound", "Retiring"],
        "nodes by name",
        named.stdout[:200],
    )
    check(
        report["lines"][1]["attributed_percent"] > 99,
        "what retires belongs to lines too",
        report["lines"][1]["attributed_percent"],
    )
    plain = json.loads(topdown("report", "--format", "json", folder / "a").stdout)
    check("lines" not in plain, "none where nobody asked")
    check(
        plain["look_closer"] == f"topdown report --lines {folder / 'a'}",
        "but the command that has them",
        plain["look_closer"],
    )
    piped = topdown("report", "--format", "json", "-", input=(folder / "a").read_text(encoding="utf-8"))
    check(
        re.fullmatch(
            r"topdown --pmu sim --lines --sim-core skylake \S*kernels/chase 8192 100000",
            json.loads(piped.stdout)["look_closer"],
        ),
        "of what came through a pipe it takes another simulation",
        piped.stdout[-300:],
    )
    above = json.loads(
        topdown("report", "--lines", "--format", "json", "--nodes", "Backend_Bound", folder / "a").stdout
    )
    check(
        above["look_closer"] == f"topdown report --lines --nodes 'Backend_Bound^/4' {folder / 'a'}",
        "what is below it, from the session",
        above["look_closer"],
    )
    calm = topdown("report", "--lines", "--nodes", "Frontend_Bound/3", folder / "a").stdout
    check("Lines of Frontend_Bound" in calm, "a node below its threshold, by its name", calm)


def check_refusals(folder):
    plain = topdown("--pmu", "sim", "--sim-core", "skylake", "--save", folder / "plain", "true")
    check(plain.returncode == 0, "without --lines")
    check_failure(
        topdown("report", "--lines", folder / "plain"),
        "a session without lines",
        "no source lines",
        "--lines --save",
    )
    check_failure(topdown("report", "--lines", COUNTS), "counts of a PMU", "no source lines")
    broken = read_json(folder / "a")
    broken["lines"][3]["counts"] = {"no.such": 1}
    (folder / "broken").write_text(json.dumps(broken), encoding="utf-8")
    check_failure(
        topdown("report", folder / "broken"), "an event that the session has not", "lines[3].counts"
    )
    broken["lines"] = 7
    (folder / "broken").write_text(json.dumps(broken), encoding="utf-8")
    check_failure(topdown("report", folder / "broken"), "lines that are none", "lines: expected an array")


def check_without_debug(folder):
    """Without -g: the function, and the sentence; stripped: where it begins."""
    compiler, strip = shutil.which("cc"), shutil.which("strip")
    if not compiler or not strip:
        return
    program = folder / "plain-divide"
    subprocess.run(
        [compiler, "-O2", "-g0", "-D_GNU_SOURCE", "-o", program, SOURCE / "tests/kernels/divide.c"],
        check=True,
    )
    lines = lines_of(json.loads(simulate("--format", "json", program, "100000").stderr))
    check(
        lines["lines"][0]["function"] == "main" and lines["lines"][0]["line"] is None,
        "without -g: a function",
        lines["lines"][0],
    )
    check(
        "plain-divide" in lines["note"] and "-g" in lines["note"], "without -g: the sentence", lines["note"]
    )
    subprocess.run([strip, program], check=True)
    text = simulate(program, "100000").stderr
    check(
        re.search(r"\[plain-divide\] +plain-divide\+0x[0-9a-f]+\n", text)
        and "build it with -g" in " ".join(text.split()),
        "stripped",
        text,
    )


def check_processes(folder):
    """The work of four threads, and of a forked child, belongs to the function that does it."""
    for what, times in (("threads", 4), ("fork", 1)):
        simulate("--save", folder / what, BUILD / "kernels/behave", what)
        session = read_json(folder / what)
        slots = sum(
            line["counts"].get("slots.retired", 0) for line in session["lines"] if line["function"] == "spin"
        )
        check(3 * times * WORK <= slots <= 6 * times * WORK, f"{what}: slots of spin", slots)
        places = [
            (line["object"], line["file"], line.get("line"), line["function"]) for line in session["lines"]
        ]
        check(len(places) == len(set(places)), f"{what}: each line stands once")


def check_sampled():
    """What is modelled of a fraction only is still all of the node, in the same line."""
    lines = lines_of(
        json.loads(
            simulate(
                "--no-anchor",
                "--sim-sample",
                "0.1",
                "--format",
                "json",
                BUILD / "kernels/chase",
                "8192",
                "2000000",
            ).stderr
        )
    )
    (number,) = line_numbers("chase", ["node = node->next;"])
    check(
        lines["title"] == "L3_Bound"
        and lines["lines"][0]["line"] == number
        and lines["lines"][0]["percent"] > 95,
        "sampled",
        lines["lines"][:2],
    )
    check(98 < lines["attributed_percent"] < 102, "sampled: all of it", lines["attributed_percent"])


def check_unloaded():
    """Lines of a library that is not mapped any more at the end."""
    result = simulate("--format", "json", "--nodes", "Retiring", BUILD / "kernels/behave", "dlclose")
    lines = lines_of(json.loads(result.stderr))
    objects = {line["object"] for line in lines["lines"]}
    check(
        any("libm" in (name or "") for name in objects),
        "a library that was closed",
        sorted(map(str, objects)),
    )


need_simulator()
with temporary() as place:
    for kernel in KERNELS:
        check_kernel(kernel)
    check_sharing()
    check_partners(place)
    check_session(place)
    check_refusals(place)
    check_without_debug(place)
    check_processes(place)
    check_sampled()
    check_unloaded()
finish()
