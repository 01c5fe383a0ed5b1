#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Intel's sheet as tests/golden/expect_sheet.py reads it is what Linux has of the same version, Lunar Lake's:
every metric of both has the same value and verdict for random counts. So the rules of the sheet are right for
the columns of which Linux has nothing.

usage: sheets.py     REFERENCE names the vendors' data; exit status 77 without them
"""
import collections
import math
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests/golden"), str(ROOT / "tests/equality")]
import equality  # noqa: E402  (its folder has to be on the path first)
import expect  # noqa: E402
import expect_sheet  # noqa: E402

CPU, DRAWS, SKIPPED = "lunarlake:core", 6, 77
LUNAR_LAKE = ("TMA_Metrics-full.csv", "LNL", "LNL/events/lunarlake_lioncove_core.json")
EXPLAINED = {"tma_info_system_power"}  # Linux names the kernel's energy, the sheet the register


def is_same(ours, theirs):
    if None in (ours["value"], theirs["value"]):
        return ours["value"] is theirs["value"]
    is_near = math.isclose(ours["value"], theirs["value"], rel_tol=1e-6, abs_tol=1e-9)
    return is_near and ours.get("over_threshold") == theirs.get("over_threshold")


def main():
    reference = Path(os.environ.get("REFERENCE", ROOT / "tests/reference"))
    if not all((reference / folder).is_dir() for folder in ("tma", "intel", expect.LINUX_FOLDER)):
        print(f"skipped, {reference} has no tma/; tests/fetch-reference.sh fetches it")
        return SKIPPED
    expect_sheet.SHEETS[CPU] = LUNAR_LAKE
    compared, differing = set(), collections.Counter()
    for seed in range(DRAWS):
        case = equality.Draw(CPU, 0, seed)
        found = expect_sheet.sheet_expected(expect, case, reference)[1:]
        wanted = expect.linux_expected(case, reference)[1:]
        for ours, theirs in zip(found, wanted):
            compared |= ours.keys() & theirs.keys()
            differing.update(
                name for name in ours.keys() & theirs.keys() if not is_same(ours[name], theirs[name])
            )
    # One draw alone may differ by rounding, where large values cancel out.
    wrong = {name for name, count in differing.items() if count > 1} ^ EXPLAINED
    print(f"sheets.py: {len(compared)} metrics compared, these differ: {sorted(wrong)}")
    return 1 if wrong or len(compared) < 230 else 0


if __name__ == "__main__":
    sys.exit(main())
