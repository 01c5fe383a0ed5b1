#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""no_pmu.py OUT_DIR: compares what the guest of no-pmu.sh left with what is known of its kernels."""
import sys

from check_guest import Guest

# What ends the worst path, and the least share of the slots of all of it in percent. The rest is the loader's
# start.
WORST = {
    "divide": (("Divider",), 70),
    "quicksort": (("Branch_Mispredicts", "Branch_Resteers"), 60),
    "chase": (("L2_Bound",), 60),
}
ROUNDS = 200000  # of behave.c's threads, of six instructions of arm64 each
STATUS = {"divide": 0, "again": 0, "quicksort": 0, "chase": 0, "threads": 0, "status": 7, "refused": 125}


def counts_of(guest, step):
    return [(row["event"], row["raw"]) for row in guest.json(f"{step}.session.json").get("counts", [])]


def check_kernels(guest):
    for step, (titles, least) in WORST.items():
        report = guest.json(f"{step}.json")
        guest.check(
            report["summary"]["machine"].startswith("simulated Neoverse V1 (neoverse-v1)"),
            f"{step}: the core of the guest's CPU",
        )
        path = [node["title"] for node in report["nodes"] if node["worst_path"]]
        guest.check(path and path[-1] in titles, f"{step}: the worst is {path}")
        value = sum(node["value"] for node in report["nodes"] if node["title"] in titles)
        guest.check(value >= least, f"{step}: {titles} {value:.1f} %, at least {least}")
        total = sum(node["value"] for node in report["nodes"] if node["level"] == 1)
        guest.check(abs(total - 100) < 0.01, f"{step}: level 1 is {total} %")


def check_lines(guest):
    line = guest.json("divide.json")["lines"][0]["lines"][0]
    guest.check(
        (line["function"], line["file"].rsplit("/", 1)[-1]) == ("main", "divide.c") and line["percent"] > 95,
        f"the line of the divider: {line}",
    )


def check_threads(guest):
    counted = {part["part"]: part["summary"]["instructions"] for part in guest.json("threads.json")["parts"]}
    guest.check(list(counted) == [f"thread {i} behave" for i in range(1, 6)], f"threads: {list(counted)}")
    for label, number in list(counted.items())[1:]:
        guest.near(number, 6 * ROUNDS + 1000, 1000, f"instructions of {label}")


def main(out):
    guest = Guest(None, out)
    for step, status in STATUS.items():
        guest.status(step, status)
        said = "the program runs on a SIMULATED core" in guest.text(f"{step}.stderr")
        guest.check(said != (step == "refused"), f"{step}: it is said that it is simulated, and why")
    guest.check("virtual PMU" in guest.text("refused.stderr"), "refused: the reason and the remedy")
    check_kernels(guest)
    check_lines(guest)
    check_threads(guest)
    first, second = counts_of(guest, "divide"), counts_of(guest, "again")
    guest.check(
        len(first) > 40 and first == second,
        f"two runs count the same: {[pair for pair in zip(first, second) if pair[0] != pair[1]]}",
    )
    return guest.failures != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
