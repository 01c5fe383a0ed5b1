#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check_hybrid.py MACHINE OUT_DIR: compares what hybrid.sh left with the answers of machines/MACHINE.py."""
import csv
import io
import sys

import machine as machines
from check_guest import MOST_OF, Guest
from check_sampling import functions, profile
from check_targets import EXACT, check_report_nodes, parts, program_s

TYPES = ["cpu_core", "cpu_atom"]
IPC = 0.02
LEAST_SAMPLES = 20


class Hybrid(Guest):
    def machine_of(self, part):
        return self.machine if part == "cpu_core" else self.machine.second

    def seconds(self, report):
        """By the cycles of its own clock."""
        return (report["summary"]["cycles"] or 0) / self.machine_of(report["part"]).khz / 1000

    def parts(self, step):
        self.status(step, 0)
        reports = parts(self, step)
        found = [report.get("part") for report in reports]
        self.check(found == TYPES, f"{step}: the parts are {found}")
        return dict(zip(found, reports))


def check_covers(guest, step, report, output):
    """All of a program's own CPU time was counted; what passes before main() is, too."""
    seconds, own_s = guest.seconds(report), program_s(guest, output)
    guest.check(
        seconds >= MOST_OF * own_s > 0,
        f"{step}: {seconds} CPU seconds on {report['part']}, of {own_s} that the program took",
    )


def check_rates(guest, step):
    """The cycles of each type by the time on a counter, to the last digit."""
    found = {}
    for part in guest.json(f"{step}.session.json").get("parts", []):
        machine = guest.machine_of(part["part"])
        for count in part["counts"]:
            if count["event"] == machine.cycles and count["running_ns"]:
                rate = 1e6 * count["raw"] / count["running_ns"] / machine.khz
                guest.near(rate, 1, EXACT, f"{step}: cycles of {part['part']} by the time on a counter")
                found[part["part"]] = count
    guest.check(sorted(found) == sorted(TYPES), f"{step}: types with cycles: {sorted(found)}")
    return found


def check_one(guest, step, there, elsewhere):
    """A program that stays on one type of cores: the other one has counted nothing, which is not 0, or what
    passed until it was there."""
    reports = guest.parts(step)
    check_covers(guest, step, reports[there], f"{step}.stdout")
    check_report_nodes(guest, step, reports[there], guest.machine_of(there).level1)
    marks = {node["quality"] for node in reports[there]["nodes"]}
    guest.check(marks == {"exact"}, f"{step}: the nodes of {there} are marked {marks}")
    left = [node["value"] for node in reports[elsewhere]["nodes"] if node["value"] is not None]
    guest.check(
        not left or guest.seconds(reports[elsewhere]) < guest.seconds(reports[there]),
        f"{step}: {elsewhere} has {left}",
    )


def check_both(guest, step):
    reports = guest.parts(step)
    for part in TYPES:
        guest.near(reports[part]["summary"]["ipc"], guest.machine_of(part).ipc, IPC, f"{step}: IPC on {part}")
        check_report_nodes(guest, step, reports[part], guest.machine_of(part).level1)
    return reports


def check_all_of_both(guest, step):
    reports = check_both(guest, step)
    check_rates(guest, step)
    check_covers(guest, step, reports["cpu_core"], f"{step}.stdout")
    check_covers(guest, step, reports["cpu_atom"], f"{step}.atom")


def check_level3(guest):
    """Both plans at the same time: as many runs as the longer one has, and each part has its own."""
    reports = check_both(guest, "level3")
    check_report_nodes(guest, "level3", reports["cpu_core"], guest.machine.deeper)
    runs = {part: report["summary"]["runs"] for part, report in reports.items()}
    planned = max(len(part["runs"]) for part in guest.json("plan.stdout")["parts"])
    guest.check(
        runs["cpu_core"] == planned and 1 < runs["cpu_atom"],
        f"level3: runs of each part {runs}, {planned} planned",
    )
    there = {part: [node["value"] for node in report["nodes"]] for part, report in reports.items()}
    here = {report["part"]: [node["value"] for node in report["nodes"]] for report in parts(guest, "again")}
    guest.check(there == here, "level3: topdown report gives the same values from the saved session")


def check_cpus(guest):
    reports = guest.parts("all")
    for part, count in check_rates(guest, "all").items():
        ran = [row for row in count.get("by_cpu") or [] if isinstance(row, list) and row[1] == row[2] > 0]
        guest.check(len(ran) == len(count.get("by_cpu") or []) == 2, f"all: two CPUs of {part}: {ran}")
        check_report_nodes(guest, "all", reports[part], guest.machine_of(part).level1)
    guest.status("some", 0)
    report = guest.json("some.json")
    guest.check(report.get("part") == "cpu_atom", f"some: the only part is {report.get('part')}")
    check_report_nodes(guest, "some", report, guest.machine.second.level1)


def check_named(guest):
    guest.status("named", 0)
    report = guest.json("named.json")
    guest.check(report.get("cpu") == "alderlake:atom", f"named: it is {report.get('cpu')}")
    check_report_nodes(guest, "named", report, guest.machine.second.level1)


def check_formats(guest):
    guest.status("text", 0)
    text = guest.text("text.stderr")
    guest.check(text.index("[cpu_core]") < text.index("[cpu_atom]"), "text: both parts are there")
    guest.check(text.count("\nRun   ") == 1, "text: what they share is printed once")
    rows = list(csv.DictReader(io.StringIO(guest.text("csv.csv"))))
    nodes = [row["part"] for row in rows if row["level"]]
    guest.check(nodes == ["cpu_core"] * 4 + ["cpu_atom"] * 4, f"csv: a column has the part: {nodes}")


def check_sampled(guest):
    """Each core type has an event of its own PMU, with samples of what ran on its CPUs."""
    guest.status("sampled", 0)
    events = [(row["event"], row.get("pmu")) for row in profile(guest, "sampled").get("events", [])]
    guest.check(
        sorted(pmu for _, pmu in events) == ["cpu_atom", "cpu_core"],
        f"sampled: an event of each core type: {events}",
    )
    for event, pmu in events:
        found = functions(profile(guest, "sampled"), event, pmu)
        most, some = found.get("three_quarters", 0), found.get("one_quarter", 0)
        guest.check(most + some >= LEAST_SAMPLES and most > some, f"sampled: {pmu}: {found}")


def main(name, out):
    guest = Hybrid(machines.load(name), out)
    check_one(guest, "core", "cpu_core", "cpu_atom")
    check_one(guest, "atom", "cpu_atom", "cpu_core")
    check_all_of_both(guest, "both")
    check_level3(guest)
    check_both(guest, "turns")
    check_all_of_both(guest, "moving")
    check_cpus(guest)
    check_named(guest)
    check_sampled(guest)
    check_formats(guest)
    print("guest seconds after each step:", ", ".join(guest.text("times").split("\n")).rstrip(", "))
    return guest.failures != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
