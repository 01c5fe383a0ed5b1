# SPDX-License-Identifier: GPL-2.0-or-later
"""interval_table.py - a made-up series of intervals, in two phases, as perf stat -I prints it."""
import math

from lib.data import read_json
from lib.program import SOURCE

COUNTS = read_json(SOURCE / "tests/golden/clx-dram/counts.json")["counts"]
LENGTH = 0.25  # seconds of an interval


def series(path, count, parts=("",), second=("CYCLE", 0.3)):
    """What perf stat -I prints: another mix of work in each interval, and a second phase, in which some
    events are counted more often."""
    lines = []
    for i in range(count):
        for number, part in enumerate(parts):
            head = f"     {(i + 1) * LENGTH:.9f}," + (f"{part},1," if part else "")
            for name, value in COUNTS.items():
                factor = (
                    1
                    + 0.2 * math.sin(i / 9 + number) * (name.startswith(("IDQ", "UOPS")))
                    + (second[1] if i >= count / 2 and second[0] in name else 0)
                )
                lines.append(f"{head}{value * factor:.0f},,{name},1000,100.00,,")
            lines.append(f"{head}{1000 * LENGTH},msec,task-clock,250,100.00,,")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
