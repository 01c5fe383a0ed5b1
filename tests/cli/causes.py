#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""causes.py - what is said to be the cause is the cause: of a refusal, and of what a report marks."""
import csv
import io
import json
import os
import re
import resource
import shutil
import subprocess
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import NO_PMU, SOURCE, check, check_failure, finish, read_json, temporary, topdown

SHORT_S = 0.0383


def check_durations():
    """The vendor's test of Info_System_Time, < 1 s, says that the measurement was short: nothing is over a
    threshold."""
    counts = read_json(SOURCE / "tests/golden/clx-dram/counts.json")
    counts["constants"]["DURATIONTIMEINMILLISECONDS"] = 1000 * SHORT_S
    with temporary() as folder:
        (folder / "short.json").write_text(json.dumps(counts), encoding="utf-8")

        def report(form):
            return topdown(
                "report",
                "-l1",
                "--metrics",
                "Info_System_Time,Info_Thread_IPC",
                "--format",
                form,
                folder / "short.json",
            ).stdout

        row = next(
            (line for line in report("markdown").splitlines() if line.startswith("| Info_System_Time")), ""
        )
        check("0.0383" in row and "threshold" not in row, "Markdown: a time is over no threshold", row)
        row = next(
            (line for line in report("text").splitlines() if line.strip().startswith("Info_System_Time ")), ""
        )
        check(row.split() == ["Info_System_Time", "0.0383"], "text: a time is over no threshold", row)
        rows = {row["title"]: row for row in csv.DictReader(io.StringIO(report("csv")))}
        check(
            rows["Info_System_Time"]["over_threshold"] == "false",
            "CSV: a time is over no threshold",
            rows["Info_System_Time"],
        )
        rows = {row["title"]: row for row in json.loads(report("json"))["metrics"]}
        time = rows["Info_System_Time"]
        check(
            abs(time["value"] - SHORT_S) < 1e-9 and time["over_threshold"] is False and time["has_threshold"],
            "JSON: the same",
            time,
        )


def check_limits():
    """Files that can't be opened are not taken for files that are not there."""
    for files in (4, 8):

        def limit(number=files):
            resource.setrlimit(resource.RLIMIT_NOFILE, (number, number))

        result = topdown("-l1", "true", preexec_fn=limit)
        check_failure(
            result, f"{files} open files", f"this process may have {files} open files", "`ulimit -n 1024`"
        )
    result = topdown("doctor", preexec_fn=limit)
    check("host" not in result.stderr, "doctor with few open files", result.stderr)


def check_attached():
    """Without a PMU there is a way out for what runs already too."""
    for words in (["-p", "1"], ["--tid", "1"], ["-a"]):
        check_failure(
            topdown("--sysroot", NO_PMU, *words, "--duration", "0.1"),
            f"{words} without a PMU",
            "without CPU counters",
            "can't be simulated",
            "`topdown PROGRAM`",
            "`topdown doctor`",
        )


def is_without_counters():
    return "SIMULATED" in topdown("true").stderr


def check_samples_instead(folder):
    """What can be neither counted nor simulated is sampled, and one sentence says why: never a bare refusal.
    Numbers that were asked for by name are another thing than samples."""
    spin = ("sh", "-c", "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done")
    other = folder / "other"
    shutil.copy(shutil.which("sh"), other)
    os.chown(other, 1, 1)
    other.chmod(0o4755)
    with subprocess.Popen(["sh", "-c", "while :; do :; done"]) as process:
        cases = (
            (("-p", str(process.pid), "--duration", "0.3"), "what already runs can't be simulated"),
            (("-l3", "-a", "--duration", "0.3"), "what already runs can't be simulated"),
            (("-I", "50", *spin), "--interval"),
            (("--per-core", *spin), "--per-core"),
            ((str(other), *spin[1:]), "with other rights than yours"),
        )
        for words, why in cases:
            result = topdown("--no-last", *words)
            notice, _, report = result.stderr.partition("\n")
            check(
                result.returncode == 0 and "by samples: nothing can be counted" in notice and why in notice,
                f"{words}: the reason",
                result,
            )
            check(re.search(r"^Run   .*\b\d+ samples? in ", report, re.M), f"{words}: samples", report)
        refused = topdown("--metrics", "IPC", "-p", str(process.pid), "--duration", "0.1")
        check_failure(refused, "a metric of what runs", "what already runs can't be simulated")
        process.kill()


check_durations()
check_limits()
check_attached()
if is_without_counters() and os.geteuid() == 0:
    with temporary() as scratch:
        check_samples_instead(scratch)
finish()
