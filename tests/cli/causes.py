#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""causes.py - what is said to be the cause is the cause: of a refusal, and of what a report marks."""
import csv
import io
import json
import resource
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


check_durations()
check_limits()
check_attached()
finish()
