#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""compare.py [COMPARISONS] - real comparisons by time: of a program with itself, which shall seldom be called
slower or faster, and with one that does 2 % more, which shall be found where times vary by 1 % at most.
Prints a line for each kind. Needs some minutes.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

TOPDOWN = os.environ.get("TOPDOWN", "build/topdown")
SOURCE = r"""
#include <stdlib.h>
int main(int argc, char **argv)
{
	unsigned long value = 1, rounds = strtoul(argv[argc - 1], NULL, 10);

	for (unsigned long i = 0; i < rounds; i++)
		__asm__ volatile("imul $3, %0, %0" : "+r"(value));
	return 0;
}
"""
ROUNDS = 40_000_000  # some 40 ms
PAIRS = 10


def compared(*words):
    result = subprocess.run(
        [TOPDOWN, "compare", "--run", "--format", "json", "-r", str(PAIRS), *words],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=True,
    )
    report = json.loads(result.stderr[result.stderr.index("{") :])
    return report, {metric["name"]: metric for metric in report["metrics"]}


def spread(metric):
    """Half of the interval of the ratio, in percent."""
    return 50 * (metric["ratio_high"] - metric["ratio_low"])


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    with tempfile.TemporaryDirectory() as folder:
        source, program = pathlib.Path(folder) / "spin.c", pathlib.Path(folder) / "spin"
        source.write_text(SOURCE, encoding="utf-8")
        subprocess.run(["cc", "-O2", "-o", program, source], check=True)
        for name, factor, options in (
            ("itself", 1, ()),
            ("2 % more", 1.02, ()),
            ("2 % more, --duet", 1.02, ("--duet",)),
        ):
            verdicts, widths, ratios = [], [], []
            for _ in range(count if factor == 1 else max(count // 2, 1)):
                report, metrics = compared(
                    *options, f"{program} {ROUNDS}", f"{program} {int(ROUNDS * factor)}"
                )
                verdicts.append(report["verdict"])
                widths.append(spread(metrics["cpu_s"]))
                ratios.append(metrics["cpu_s"]["ratio"])
            seen = {verdict: verdicts.count(verdict) for verdict in ("slower", "faster", "same", "unknown")}
            middle = sorted(widths)[len(widths) // 2]
            print(
                (
                    f"{name:17} {len(verdicts)} comparisons of {PAIRS} pairs: {seen}; CPU time x"
                    f" {sorted(ratios)[len(ratios) // 2]:.4f}, +-{middle:.1f} %"
                ),
                flush=True,
            )


main()
