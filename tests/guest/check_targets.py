#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check_targets.py MACHINE OUT_DIR: compares what targets.sh left with the answers of machines/MACHINE.py."""
import json
import re
import sys

import machine as machines
from check_guest import MOST_OF, Guest, check_nodes, took, values

CPUS = 4
HALF = 0.5  # of that of many short threads, which hardly do anything else
EXACT = 1e-3  # of a count by the time that its counter ran
NODE = 0.5  # points


def parts(guest, step):
    """The reports of a measurement: one, or those of its parts."""
    report = guest.json(f"{step}.json")
    return report.get("parts", [report])


def cycles_s(guest, report):
    """Seconds, by the cycles that were counted."""
    cycles = report.get("summary", {}).get("cycles")
    return (cycles or 0) / guest.machine.khz / 1000


def threads_s(guest, name):
    """{thread: CPU seconds}, as prog --each prints them."""
    return {
        int(thread): int(ns) * 1e-9 for thread, ns in re.findall(r"thread=(\d+) (\d+)\n", guest.text(name))
    }


def program_s(guest, name):
    match = re.fullmatch(r"(?:thread=\d+ \d+\n)*cpu_ns=(\d+)\n", guest.text(name))
    guest.check(match, f"{name}: what the program printed")
    return int(match[1]) * 1e-9 if match else 0


def check_covers(guest, step, report, own_s, text, share=MOST_OF):
    """A count has the program's own CPU time, and no more than the step took on all CPUs. What passes before
    main() is counted, too."""
    seconds, most = cycles_s(guest, report), CPUS * took(guest).get(step, 0)
    guest.check(
        0 < share * own_s <= seconds <= most,
        f"{step}: {text}: {seconds} CPU seconds by the cycles, of {own_s} and at most {most}",
    )


def check_rate(guest, step, share=1.0):
    """Cycles by the time that their counter ran, which both are of the PMU's clock. Returns the counts."""
    counts = [
        count
        for count in guest.json(f"{step}.session.json").get("counts", [])
        if count["event"] == guest.machine.cycles
    ]
    guest.check(counts, f"{step}: cycles were counted")
    for count in counts:
        rate = 1e6 * (count["raw"] or 0) / max(count["running_ns"], 1) / guest.machine.khz
        guest.near(rate, share, EXACT * share, f"{step}: cycles by the time on a counter")
    return counts


def check_report_nodes(guest, step, report, expected, points=NODE):
    nodes = values(report.get("nodes", []))
    for name, percent in expected.items():
        guest.near(nodes.get(name), percent, points, f"{step}: {name}")


def check_wall(guest, step, least, left_out=0.0):
    """What was counted took so long at least, and no longer than the step without what is left out of it."""
    wall, most = summary(guest, step, "wall_s") or 0, took(guest).get(step, 0) - left_out
    guest.check(least < wall <= most, f"{step}: {wall} s of more than {least} and at most {most} s")


def summary(guest, step, key):
    return guest.json(f"{step}.json").get("summary", {}).get(key)


def check_each_cpu(guest, step, number):
    """Each of so many CPUs has counted for as long as it was asked to, whatever ran there."""
    for count in check_rate(guest, step):
        found = count.get("by_cpu") or []
        ran = [row for row in found if isinstance(row, list) and row[1] == row[2] > 0]
        guest.check(len(found) == len(ran) == number, f"{step}: of {number} CPUs: {found}")


def check_cpus(guest):
    """A CPU counts all the time, whatever runs there."""
    cpus = {
        "all": CPUS,
        "some": 2,
        "with-program": CPUS,
        "by-core": 2,
        "by-socket": CPUS,
        "interrupted": CPUS,
    }
    names = {"all": "all CPUs", "some": "CPUs 1,3", "interrupted": "all CPUs"}
    guest.check(
        parts(guest, "by-core")[0]["summary"]["target"] == "CPUs 0,1", "by-core: S0-C0 are CPUs 0 and 1"
    )
    for step, count in cpus.items():
        guest.status(step, 0)
        reports = parts(guest, step)
        check_each_cpu(guest, step, count)
        for report in reports:
            check_report_nodes(guest, step, report, guest.machine.level1)
    for step, name in names.items():
        target = guest.json(f"{step}.json").get("summary", {}).get("target")
        guest.check(target == name, f"{step}: the target is {target}")
    for step in ("all", "some"):
        check_wall(guest, step, 0)
    guest.status("killed", 128 + 9)
    check_nodes(guest, "killed", guest.machine.level1)


def check_every_kind(guest):
    """All kinds of parts of one measurement, which add up, and the same again from the saved session."""
    names = [
        "all",
        "socket 0",
        "socket 1",
        "core 0 (CPU 0,1)",
        "core 1 (CPU 2,3)",
        "CPU 0",
        "CPU 1",
        "CPU 2",
        "CPU 3",
    ]
    reports = {report.get("part"): report for report in parts(guest, "by-every")}
    guest.check(list(reports) == names, f"by-every: the parts are {list(reports)}")
    seconds = {name: cycles_s(guest, report) for name, report in reports.items()}
    sums = {"all": names[1:3], "core 0 (CPU 0,1)": names[5:7], "core 1 (CPU 2,3)": names[7:9]}
    for name, of in sums.items():
        guest.near(
            seconds.get(name),
            sum(seconds.get(part, 0) for part in of),
            1e-6 * seconds.get(name, 1),
            f"by-every: {name} is the sum",
        )
    for report in reports.values():
        check_report_nodes(guest, f"by-every, {report.get('part')}", report, guest.machine.level1)
    again = {report.get("part"): values(report["nodes"]) for report in parts(guest, "by-every-again")}
    there = {name: values(report["nodes"]) for name, report in reports.items() if name in names[3:]}
    guest.check(again == there, f"by-every: topdown report gives the same values: {again}, {there}")
    guest.status("all-again", 0)
    sockets = [report.get("part") for report in parts(guest, "all-again")]
    guest.check(sockets == names[1:3], f"all: a session of -a has its sockets: {sockets}")


def check_parts(guest):
    expected = {
        "by-socket": ["socket 0", "socket 1"],
        "by-core": ["core 0 (CPU 0,1)"],
        "program-by-core": ["core 0 (CPU 0,1)", "core 1 (CPU 2,3)"],
    }
    for step, names in expected.items():
        found = [report.get("part") for report in parts(guest, step)]
        guest.check(found == names, f"{step}: the parts are {found}")
    check_every_kind(guest)
    guest.status("program-by-core", 0)
    first, second = parts(guest, "program-by-core")
    own_s = program_s(guest, "program-by-core.stdout")
    check_covers(guest, "program-by-core", second, own_s, "where the program was")
    guest.check(
        cycles_s(guest, first) < cycles_s(guest, second),
        f"program-by-core: less where it was not: {cycles_s(guest, first)} s",
    )
    check_report_nodes(guest, "program-by-core", second, guest.machine.level1)


def check_level3(guest):
    """Multiplexed groups on all CPUs: the fractions stay, and each CPU had each group."""
    guest.status("level3", 0)
    check_nodes(guest, "level3", guest.machine.level1 | guest.machine.deeper)
    marks = {
        node["quality"] for node in guest.json("level3.json").get("nodes", []) if node["value"] is not None
    }
    guest.check(marks <= {"scaled", "clamped", "estimated"}, f"level3: values are marked {sorted(marks)}")
    there, here = (values(guest.json(name).get("nodes", [])) for name in ("level3.json", "again.json"))
    guest.check(
        there and there == here, "level3: topdown report gives the same values from the saved session"
    )


def check_unplugged(guest):
    guest.status("unplugged", 0)
    report = guest.json("unplugged.json")
    for count in check_rate(guest, "unplugged"):
        found = count.get("by_cpu") or []
        stayed = min((row[2] for row in found[: CPUS - 1] if isinstance(row, list)), default=0)
        guest.check(
            len(found) == CPUS and 0 < found[CPUS - 1][2] < stayed,
            f"unplugged: CPU 3 was counted for less time than the others: {found}",
        )
    check_nodes(guest, "unplugged", guest.machine.level1)
    notes = " ".join(report["notes"])
    guest.check("CPU 3 " in notes, f"unplugged: the CPU is reported: {notes}")


def check_plugged(guest):
    """A CPU that comes online meanwhile is not counted, and a note says so."""
    guest.status("plugged", 0)
    notes = " ".join(guest.json("plugged.json").get("notes", []))
    guest.check(
        "CPU 3 came online meanwhile" in notes and "not counted" in notes, f"plugged: the notes: {notes}"
    )
    check_each_cpu(guest, "plugged", CPUS - 1)
    guest.status("two", 0)
    check_each_cpu(guest, "two", 2)
    check_nodes(guest, "two", guest.machine.level1)
    guest.status("not-plugged", 0)
    notes = " ".join(guest.json("not-plugged.json").get("notes", []))
    guest.check("online" not in notes, f"not-plugged: nothing to remark of CPUs: {notes}")


def check_attached(guest):
    for step in ("attach", "forks", "thread"):
        guest.status(step, 0)
        check_nodes(guest, step, guest.machine.level1)
    perf = guest.json("attach.json")["next"][0]["command"]
    guest.check(
        re.fullmatch(r"perf record (-d )?-p \d+ -e \S+", perf), f"attach: what is to be sampled: {perf}"
    )
    for step in ("attach", "forks"):
        own_s = program_s(guest, f"{step}.prog")
        check_covers(guest, step, guest.json(f"{step}.json"), own_s, "all of its threads and children")
    threads, own = guest.text("thread.threads").split(), threads_s(guest, "thread.prog")
    last, seconds = max(map(int, threads)), cycles_s(guest, guest.json("thread.json"))
    guest.check(
        MOST_OF * own.get(last, 99) <= seconds < sum(own.values()),
        f"thread: {seconds} CPU seconds of thread {last}, and not of all: {own}",
    )
    guest.status("many", 0)
    guest.check(cycles_s(guest, guest.json("many.json")) > 0, "many: threads are counted")
    states = {count["state"] for count in guest.json("many.session.json").get("counts", [])}
    guest.check(states == {"ok"}, f"many: the counts are {states}")


def check_by_thread(guest):
    guest.status("by-thread", 0)
    threads = guest.text("by-thread.threads").split()
    reports = parts(guest, "by-thread")
    found = [report.get("part") for report in reports]
    guest.check(
        found == [f"thread {thread} prog" for thread in sorted(threads, key=int)],
        f"by-thread: the parts are {found}",
    )
    own = threads_s(guest, "by-thread.prog")
    guest.check(len(own) == 3, f"by-thread: three threads worked: {own}")
    for report in reports:
        thread = int(report["part"].split()[1])
        if thread in own:
            check_covers(guest, "by-thread", report, own[thread], f"thread {thread}")


def check_gone(guest):
    guest.status("gone", 125)
    guest.check(
        "process 999999 no longer exists" in guest.text("gone.stderr"), f"gone: {guest.text('gone.stderr')}"
    )
    guest.status("gone-and-there", 0)
    check_nodes(guest, "gone-and-there", guest.machine.level1)
    guest.status("exiting", 0)
    check_nodes(guest, "exiting", guest.machine.level1)
    check_wall(guest, "exiting", 0)
    guest.status("no-cgroup", 125)
    guest.check(
        "nowhere is not a cgroup" in guest.text("no-cgroup.stderr"),
        f"no-cgroup: {guest.text('no-cgroup.stderr')}",
    )


def check_cgroup(guest):
    guest.status("cgroup", 0)
    own_s = program_s(guest, "cgroup.stdout")
    check_covers(guest, "cgroup", guest.json("cgroup.json"), own_s, "those in it")
    most = took(guest).get("cgroup", 0)  # of one process at a time; another one spins beside it
    guest.check(cycles_s(guest, guest.json("cgroup.json")) <= most, "cgroup: and nothing else")
    check_nodes(guest, "cgroup", guest.machine.level1)


def check_programs(guest):
    for step in ("threads", "close-stderr", "user", "kernel"):
        guest.status(step, 0)
        check_nodes(guest, step, guest.machine.level1)
    for step, share in (("user", 1 - guest.machine.kernel_share), ("kernel", guest.machine.kernel_share)):
        scope = guest.json(f"{step}.json").get("summary", {}).get("scope")
        guest.check(scope == step, f"{step}: the scope is {scope}")
        check_rate(guest, step, share)
    own_s = program_s(guest, "threads.stdout")
    check_covers(guest, "threads", guest.json("threads.json"), own_s, "1200 of them", HALF)
    guest.status("tree", 0)
    check_nodes(guest, "tree", guest.machine.level1)
    own_s = program_s(guest, "tree.1") + program_s(guest, "tree.2")
    check_covers(guest, "tree", guest.json("tree.json"), own_s, "seven processes")
    guest.status("timeout", 128 + 15)
    check_wall(guest, "timeout", 0)
    check_nodes(guest, "timeout", guest.machine.level1)


def check_when(guest):
    """What is counted begins when that was asked for; the program spins all the time."""
    guest.status("delay", 128 + 15)
    check_wall(guest, "delay", 0, 0.28)
    guest.status("late", 3)
    late = guest.json("late.json")
    measured = [node["name"] for node in late["nodes"] if node["value"] is not None]
    guest.check(
        not measured and summary(guest, "late", "cycles") is None,
        f"late: nothing was counted: {measured}, {late['summary']}",
    )
    for text in (" ".join(late["notes"]), guest.text("late-text.stderr")):
        guest.check("Nothing was counted: it ended before the delay of 60000 ms" in text, f"late: {text}")
    guest.status("control", 128 + 15)
    guest.check(guest.text("control.answers") == 4 * "ack\n", f"control: {guest.text('control.answers')}")
    check_wall(guest, "control", 0.38, 0.38)
    guest.status("signal", 128 + 15)
    guest.check(
        re.match(r"topdown: counting begins with `kill -USR2 \d+`\n", guest.text("signal.stderr")),
        "signal: the process that gets it is named",
    )
    check_wall(guest, "signal", 0, 0.28)
    for step in ("delay", "control", "signal"):
        check_nodes(guest, step, guest.machine.level1)
        counted, most = cycles_s(guest, guest.json(f"{step}.json")), took(guest).get(step, 0) - 0.28
        guest.check(0 < counted <= most, f"{step}: {counted} CPU seconds, nothing of before: {most} at most")


def check_mux(guest):
    """The kernel's setting is another one while the program runs, and only then."""
    before = guest.text("mux.before")
    guest.status("mux", 0)
    check_nodes(guest, "mux", guest.machine.level1 | guest.machine.deeper)
    during = guest.text("mux.stdout").split("\n")[0]
    guest.check(during == "15" and before != "15\n", f"mux: {before.strip()} ms before, {during} meanwhile")
    for step in ("mux", "mux-killed"):
        after = guest.text(f"{step}.after")
        guest.check(after == before, f"{step}: {after.strip()} ms afterwards")
    guest.status("mux-user", 125)
    refusal = guest.text("mux-user.stderr")
    guest.check("--mux-interval 15" in refusal and "as root" in refusal, f"mux-user: {refusal}")


def series(guest, step):
    """The reports of the intervals, and that of all the time."""
    lines = [json.loads(line) for line in guest.text(f"{step}.json").splitlines()]
    guest.check(
        len(lines) > 3 and lines[-1]["interval"] is None,
        f"{step}: {len(lines) - 1} intervals and one for all of the time",
    )
    return lines[:-1], lines[-1]


def check_intervals(guest):
    guest.status("intervals", 128 + 15)
    intervals, whole = series(guest, "intervals")
    counts = [report["events"][0]["value"] for report in intervals]
    guest.near(
        sum(counts),
        whole["events"][0]["value"],
        1e-9 * sum(counts),
        "intervals: their cycles are those of the whole",
    )
    guest.near(
        sum(report["summary"]["wall_s"] for report in intervals),
        whole["summary"]["wall_s"],
        1e-6,
        "intervals: their times too",
    )
    ends = [report["interval"]["to_s"] for report in intervals]
    starts = [report["interval"]["from_s"] for report in intervals]
    guest.check(starts == [0] + ends[:-1], "intervals: each starts where the last one ended")
    for report in intervals[:2] + [whole]:
        check_report_nodes(guest, "intervals", report, guest.machine.level1)


def check_rotate(guest):
    """Each interval has one group; together they have the tree."""
    guest.status("rotate", 128 + 15)
    intervals, whole = series(guest, "rotate")
    measured = [
        {node["name"] for node in report["nodes"] if node["value"] is not None} for report in intervals
    ]
    guest.check(measured[0] != measured[1], "rotate: intervals have different nodes")
    marks = {node["quality"] for report in intervals for node in report["nodes"] if node["value"] is not None}
    guest.check(
        "scaled" not in marks and "runs" not in marks,
        f"rotate: what an interval has is marked {sorted(marks)}",
    )
    check_report_nodes(guest, "rotate", whole, guest.machine.level1 | guest.machine.deeper)
    guest.check(whole["events"][0]["value"], f"rotate: cycles of all the time: {whole['events']}")


def check_duet(guest):
    """Rates are the same on both sides, so all of the difference is more instructions; how much they do
    varies with the host."""
    guest.status("duet", 0)
    report = guest.json("duet.json")
    ratios = {metric["name"]: metric["ratio"] for metric in report["metrics"]}
    whole = report["cycles_after"] - report["cycles_before"]
    guest.check(report["pairs"] == 3 and report["paired"], f"duet: {report['sentence']}")
    reasons = sum(term["cycles"] for term in report["terms"])
    guest.near(reasons, whole, 1e-6 * report["cycles_before"], "duet: reasons add up")
    guest.near(ratios["instructions"] / ratios["cycles"], 1, 0.01, "duet: instructions and cycles")
    level1 = {node["name"]: node["before"] for node in report["nodes"] if node["level"] == 1}
    for name, percent in guest.machine.level1.items():
        guest.near(level1.get(name), percent, NODE, f"duet: {name}")


def check_users(guest):
    for paranoid in (2, 1):
        guest.status(f"user-all{paranoid}", 125)
        text = guest.text(f"user-all{paranoid}.stderr")
        guest.check(
            "whole CPUs" in text and f"perf_event_paranoid = {paranoid}" in text,
            f"user-all{paranoid}: {text}",
        )
        guest.status(f"user-pid{paranoid}", 125)
        text = guest.text(f"user-pid{paranoid}.stderr")
        guest.check("may not count that process" in text, f"user-pid{paranoid}: {text}")
    guest.status("user-kernel", 125)
    text = guest.text("user-kernel.stderr")
    guest.check("perf_event_paranoid" in text and "kernel" in text, f"user-kernel: {text}")


def main(name, out):
    guest = Guest(machines.load(name), out)
    for check in (
        check_cpus,
        check_parts,
        check_level3,
        check_unplugged,
        check_plugged,
        check_attached,
        check_by_thread,
        check_gone,
        check_cgroup,
        check_programs,
        check_when,
        check_mux,
        check_intervals,
        check_rotate,
        check_duet,
        check_users,
    ):
        check(guest)
    print("guest seconds after each step:", ", ".join(guest.text("times").split("\n")).rstrip(", "))
    return guest.failures != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
