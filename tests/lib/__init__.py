# SPDX-License-Identifier: GPL-2.0-or-later
"""lib - what the tests share. A script of tests/FOLDER/ puts tests/ on its path, and then imports from here:

sys.path.append(f"{sys.path[0]}/..")
from lib import check, finish, topdown
"""
from lib.checks import FAILED, SKIPPED, check, check_all, check_failure, check_success, failed, finish, skip
from lib.data import common_metrics, read_json, read_linux, system_rows
from lib.program import (
    BUILD,
    COUNTS,
    EVERY,
    NO_PMU,
    PATIENCE,
    SOURCE,
    TOPDOWN,
    can_trace,
    environment,
    output_of,
    run,
    some,
    temporary,
    topdown,
)
from lib.simulation import need_simulator, simulate
from lib.waiting import cpu_s, until_enough, children_of, is_there, lines_in, state_of, wait_until

__all__ = [
    "BUILD",
    "COUNTS",
    "EVERY",
    "FAILED",
    "NO_PMU",
    "PATIENCE",
    "SKIPPED",
    "SOURCE",
    "TOPDOWN",
    "can_trace",
    "check",
    "check_all",
    "check_failure",
    "check_success",
    "children_of",
    "cpu_s",
    "until_enough",
    "common_metrics",
    "environment",
    "failed",
    "finish",
    "is_there",
    "lines_in",
    "need_simulator",
    "output_of",
    "read_json",
    "read_linux",
    "run",
    "simulate",
    "skip",
    "some",
    "state_of",
    "system_rows",
    "temporary",
    "topdown",
    "wait_until",
]
