#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""verify.py - topdown verify without counters: each kernel has, on a simulated core of Intel's of 2015 to
2019, the node that its source decides; all forms say the same; nothing of host, user and paths is in them;
refusals and exit statuses.

The core is always skylake, so the machine that runs the test does not matter. What is expected is written
down here, not read from topdown.
"""
import csv
import getpass
import io
import json
import os
import pathlib
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import (
    BUILD,
    TOPDOWN,
    check,
    check_all,
    check_failure,
    environment,
    finish,
    need_simulator,
    temporary,
    topdown,
)

# kernel: titles of which one is the worst node, and the least percentage that it must have there
KERNELS = {
    "chase": ({"DRAM_Bound"}, 60),
    "chase-l3": ({"L3_Bound"}, 60),
    "chase-l2": ({"L2_Bound"}, 60),
    "stores": ({"Store_Bound"}, 50),
    "branches": ({"Branch_Mispredicts", "Branch_Resteers"}, 20),
    "divide": ({"Divider"}, 60),
    "multiply": ({"Dependency_Chains"}, 50),
    "adds": ({"Other_Light_Ops", "Light_Operations", "Retiring"}, 70),
    "jumps": ({"ICache_Misses"}, 50),
    "stream": ({"DRAM_Bound"}, 30),
}
X86_ONLY = {"prefixes"}  # no simulated core has them: absent
SIM = ("--pmu", "sim", "--sim-core", "skylake", "--seconds", "600")
HEAD = ("tool_version", "cpuid", "kernel", "machine")


def run(*words, **changes):
    return topdown("verify", *words, env=environment(**changes))


def check_kernels(document):
    kernels = {row["kernel"]: row for row in document["kernels"]}
    check(set(KERNELS) <= set(kernels) <= set(KERNELS) | X86_ONLY, "the kernels", sorted(kernels))
    for name, (titles, least) in KERNELS.items():
        row = kernels[name]
        check(
            row["verdict"] == "yes" and row["reason"] is None,
            f"{name}: as expected",
            (row["verdict"], row["reason"]),
        )
        check(
            row["found"] in titles and row["value"] >= least,
            f"{name}: {row['found']} {row['value']}, must be {titles} of {least} % at least",
        )
        check(row["quality"] == "simulated" and row["runs"] == 1 and row["expected"], f"{name}: how", row)
        check(
            row["ratio"] is None and "skylake is not this machine's core" in row["no_ratio"] or row["ratio"],
            f"{name}: no ratio",
            row["no_ratio"],
        )
        check(
            row["instructions"] > 5e6 and row["cycles"] > 5e6,
            f"{name}: starting the program is a small part",
            (row["instructions"], row["cycles"]),
        )
    for name in X86_ONLY & set(kernels):
        row = kernels[name]
        check(
            row["verdict"] == "absent" and row["expected"] == [],
            f"{name}: no node of this tree is about it",
            row,
        )


def check_head(document):
    check(
        (document["format"], document["version"], document["status"]) == ("topdown-verification", 1, 0),
        "head",
        document["status"],
    )
    check(
        all(document[key] for key in HEAD) and document["kernel"] == os.uname().release,
        "who and where",
        {key: document[key] for key in HEAD},
    )
    check(
        "Skylake" in document["simulated"] and document["level"] == 3 and document["times"] == 1,
        "how",
        document["simulated"],
    )
    check(
        document["conclusion"] == "10 of 10 kernels show the node that their source predicts.",
        "conclusion",
        document["conclusion"],
    )
    checks = {row["check"]: row for row in document["doctor"]["checks"]}
    check(
        {"cpu", "pmu", "kernel"} <= set(checks) and document["doctor"]["conclusion"],
        "doctor's findings",
        sorted(checks),
    )


def check_secrets(text, what):
    """Host, user, home and the program's folders; and nothing that looks like a home."""
    secrets = {
        os.uname().nodename,
        getpass.getuser() if os.getuid() else "",
        os.environ.get("HOME", ""),
        str(BUILD),
        str(pathlib.Path(TOPDOWN).parent),
        "/home/",
        "/nonexistent",
    }
    for secret in secrets - {"", "/", "localhost"}:
        words = text.replace("/", " ").split() if "/" not in secret and len(secret) < 5 else text
        check(
            secret not in words,
            f"{what} names {secret!r}",
            [line for line in text.splitlines() if secret in line][:2],
        )


def check_forms(folder):
    """One kernel in each form: the same verdict and value."""
    words = (*SIM, "--only", "chase-l2,multiply")
    document = json.loads(run(*words, "--format", "json").stdout)
    rows = {row["kernel"]: row for row in document["kernels"]}
    check(list(rows) == ["chase-l2", "multiply"], "only these", list(rows))
    lines = list(csv.DictReader(io.StringIO(run(*words, "--format", "csv").stdout)))
    check([line["kernel"] for line in lines] == list(rows), "CSV: the kernels", lines)
    for line in lines:
        check(abs(float(line["value"]) / rows[line["kernel"]]["value"] - 1) < 0.02, "CSV: the value", line)
        check(line["expected"] == ";".join(rows[line["kernel"]]["expected"]), "CSV: expected", line)
    result = run(*words, "-o", folder / "verify.md")
    text = (folder / "verify.md").read_text(encoding="utf-8")
    check(
        result.returncode == 0 and not result.stdout and not result.stderr,
        "-o: nothing else is printed",
        result,
    )
    check(
        "| chase-l2 | yes | L2\\_Bound | L2\\_Bound |" in text
        or "| chase-l2 | yes | L2_Bound | L2_Bound |" in text,
        "Markdown: a row",
        text[:1500],
    )
    check_secrets(text, "Markdown")
    text = run(*words, COLUMNS="80").stdout
    check_all(text.splitlines(), lambda line: len(line) <= 80, "text fits a window")
    check(
        "\n2 of 2 kernels show the node that their source predicts.\n" in text, "text: the conclusion", text
    )


def check_statuses():
    """What can't be measured is unknown, with the reason; a kernel alone ends as a program does."""
    result = run("--pmu", "cpu", "--only", "divide", "--format", "json", TOPDOWN_DB=None)
    document = json.loads(result.stdout)
    if not document["doctor"]["can_measure"]:
        check(
            result.returncode == document["status"] == 4,
            "nothing was counted: exit status",
            (result.returncode, document["status"]),
        )
        check(
            document["kernels"][0]["verdict"] == "unknown"
            and document["kernels"][0]["reason"]
            and document["kernels"][0]["value"] is None,
            "the reason",
            document["kernels"],
        )
    result = run(*SIM[:-1], "0.000001", "--only", "divide,multiply", "--format", "json")
    late = json.loads(result.stdout)["kernels"][-1]
    check(
        result.returncode == 4 and late["verdict"] == "unknown" and "--seconds" in late["reason"],
        "no kernel begins late",
        late,
    )
    result = run("--work", "multiply")
    check((result.returncode, result.stdout, result.stderr) == (0, "", ""), "a kernel alone", result)


def check_refusals(folder):
    for words, part in (
        (("--only", "chase,nosuch"), "unknown kernel 'nosuch'; there are chase, chase-l3"),
        (("--work", "nosuch"), "unknown kernel"),
        (("chase",), "--only NAME chooses kernels"),
        (("--work", "chase", "--only", "divide"), "--only and --work exclude each other"),
        (("--format", "html"), "text, json, csv or markdown"),
        (("-o", folder / "no/file.md"), "No such file"),
    ):
        check_failure(topdown("verify", *words), " ".join(map(str, words)), part)
    text = topdown("verify", "--help").stdout
    check_all(
        ("--only", "--work", "--times", "--seconds", "--sim-core"), lambda option: option in text, "--help"
    )


def main():
    with temporary() as folder:
        check_refusals(folder)
        need_simulator()
        result = run(*SIM, "--format", "json")
        check(
            result.returncode == 0 and not result.stderr,
            "all kernels: exit status",
            (result.returncode, result.stderr),
        )
        document = json.loads(result.stdout)
        check_head(document)
        check_kernels(document)
        check_secrets(result.stdout, "JSON")
        check_forms(folder)
        check_statuses()
    finish()


main()
