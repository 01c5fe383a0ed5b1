#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""parts.py - a session that keeps its counts by CPU is shown as a whole, by socket, core and CPU, whichever
is asked for later. What each part should be is computed here: the sums of its CPUs' counts, given to topdown
as flat counts."""
import csv
import io
import json
import re
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import SOURCE, check, check_all, check_failure, check_success, finish, read_json, temporary, topdown

CYCLES, FRONTEND = "CPU_CLK_UNHALTED.THREAD", "PERF_METRICS.FRONTEND_BOUND"
# number, core and socket; the golden counts times this; whether it was on a counter for half of the time;
# frontend stalls
CPUS = [
    (0, 0, 0, 2, False, 1),
    (1, 0, 0, 4, True, 3),
    (2, 1, 0, 1, False, 1),
    (3, 1, 0, 1, False, 1),
    (4, 2, 1, 8, False, 2),
    (5, 2, 1, 2, False, 1),
    (6, 3, 1, 0, False, 1),
    (7, 3, 1, 0, False, 1),
]
MS = 1000000
NAMES = {"socket": "socket {}", "core": "core {}", "cpu": "CPU {}"}
ALL = ("--global", "--per-socket", "--per-core", "-A")


def golden(name):
    return read_json(SOURCE / f"tests/golden/{name}/counts.json")


def read(event, count, cpu):
    """raw, enabled and running time of a count on a CPU."""
    _, _, _, times, is_half, frontend = cpu
    raw = int(count * times * (frontend if event == FRONTEND else 1))
    return raw // 2 if is_half else raw, 1000 * MS, 500 * MS if is_half else 1000 * MS


def scaled(reading):
    raw, enabled, running = reading
    return raw * enabled / running


def session(name, cpus, **changes):
    """What -a would save of the golden counts on these CPUs."""
    source = golden(name)
    counts = []
    for event, count in source["counts"].items():
        readings = [read(event, count, cpu) for cpu in cpus]
        raw, enabled, running = (sum(reading[i] for reading in readings) for i in range(3))
        counts.append(
            {
                "event": event,
                "group": 1,
                "run": 1,
                "value": sum(map(scaled, readings)),
                "raw": raw,
                "enabled_ns": enabled,
                "running_ns": running,
                "state": "ok",
                "reason": None,
                "by_cpu": [list(reading) for reading in readings],
            }
        )
    facts = dict.fromkeys(
        (
            "num_cpus",
            "num_cpus_online",
            "num_cores",
            "num_dies",
            "num_packages",
            "slots",
            "system_tsc_freq",
            "has_pmem",
        )
    )
    return {
        "format": "topdown-session",
        "version": 1,
        "cpu": source["cpu"],
        "cpuid": None,
        "machine": None,
        "command": None,
        "target": "all CPUs",
        "selector": "-a",
        "scope": "user+kernel",
        "started": None,
        "tool_version": None,
        "model_version": None,
        "level": 1,
        "events": None,
        "facts": {"smt_on": 1, "core_wide": 1, **facts},
        "planned_runs": 1,
        "groups": 1,
        "runs": [{"run": 1, "wall_s": 1, "cpu_s": None, "status": 0}],
        "cpus": [{"cpu": cpu[0], "core": cpu[1], "socket": cpu[2]} for cpu in cpus],
        "counts": counts,
        **changes,
    }


def report(file, *words):
    result = topdown("report", "--format", "json", *words, file)
    check_success(result, f"report {words}")
    document = json.loads(result.stdout or "{}")
    return document.get("parts", [document])


def nodes(part):
    return {node["name"]: node["value"] for node in part["nodes"]}


def expected(folder, cpus):
    """The nodes and cycles of the sums of these CPUs."""
    source = golden("spr-mispredict")
    sums = {
        event: sum(scaled(read(event, count, cpu)) for cpu in cpus)
        for event, count in source["counts"].items()
    }
    file = folder / "sums.json"
    file.write_text(json.dumps({**source, "constants": {}, "counts": sums}), encoding="utf-8")
    return nodes(report(file, "-l1")[0]), sums[CYCLES]


def is_near(found, wanted):
    if found is None or wanted is None:
        return found is wanted
    return abs(found - wanted) <= 1e-6 * max(abs(wanted), 1e-9)


def groups_of(kind):
    """The CPUs of each part of a kind, by its key."""
    groups = {}
    for cpu in CPUS:
        groups.setdefault(dict(socket=cpu[2], core=cpu[1], cpu=cpu[0], all=0)[kind], []).append(cpu)
    return groups


def check_parts(folder, parts, kind):
    groups = groups_of(kind)
    check(
        [part.get("part_kind") for part in parts] == [kind] * len(groups),
        f"{kind}: as many parts as there are",
        len(parts),
    )
    for part, (key, cpus) in zip(parts, groups.items()):
        wanted, cycles = expected(folder, cpus)
        check(
            part.get("part", "").startswith(NAMES.get(kind, "").format(key)),
            f"{kind} {key}: its name",
            part.get("part"),
        )
        if not cycles:
            check(nodes(part)["tma_retiring"] is None, f"{kind} {key}: nothing ran there", nodes(part))
            continue
        check(
            is_near(part["summary"]["cycles"], cycles),
            f"{kind} {key}: cycles",
            (part["summary"]["cycles"], cycles),
        )
        found = nodes(part)
        check_all(wanted.items(), lambda name, value: is_near(found[name], value), f"{kind} {key}: nodes")


def check_kinds(folder, file):
    whole = report(file)
    check(
        len(whole) == 1 and "part" not in whole[0], "without a word all CPUs together", whole[0].get("part")
    )
    wanted, cycles = expected(folder, CPUS)
    check(
        is_near(whole[0]["summary"]["cycles"], cycles)
        and all(is_near(nodes(whole[0])[n], v) for n, v in wanted.items()),
        "their sum",
    )
    for option, kind in (
        ("--per-socket", "socket"),
        ("--per-core", "core"),
        ("-A", "cpu"),
        ("--per-cpu", "cpu"),
        ("--global", "all"),
    ):
        check_parts(folder, report(file, option), kind)
    parts = report(file, *ALL)
    found = [part["part_kind"] for part in parts]
    check(
        found == ["all"] + 2 * ["socket"] + 4 * ["core"] + 8 * ["cpu"],
        "all kinds at once, in their order",
        found,
    )
    for kind in ("all", "socket", "core", "cpu"):
        check_parts(folder, [part for part in parts if part["part_kind"] == kind], kind)
    check(
        [part["part"] for part in parts[:2] + parts[3:4]] == ["all", "socket 0", "core 0 (CPU 0,1)"],
        "names",
        parts[0]["part"],
    )
    half = next(part for part in parts if part["part"] == "CPU 1")
    check(
        half["nodes"][0]["quality"] == "scaled" and half["nodes"][0]["running"] == 0.5,
        "a CPU's own running share",
        half["nodes"][0],
    )


def check_asked(folder):
    """What was asked for when it was measured is shown again, unless other parts are asked for."""
    file = folder / "asked.json"
    file.write_text(json.dumps(session("spr-mispredict", CPUS, parts_asked="socket,cpu")), encoding="utf-8")
    check(
        [part["part_kind"] for part in report(file)] == 2 * ["socket"] + 8 * ["cpu"],
        "parts that were asked for",
    )
    check([part["part_kind"] for part in report(file, "--per-core")] == 4 * ["core"], "others")
    for wrong, error in (
        ("thread", "parts_asked: expected a list"),
        ("", "parts_asked: expected"),
        (5, "parts_asked: expected"),
    ):
        file.write_text(json.dumps(session("spr-mispredict", CPUS, parts_asked=wrong)), encoding="utf-8")
        check_failure(topdown("report", file), f"parts_asked {wrong!r}", error)


def check_threads(folder):
    """On Skylake the slots belong to the core: whole cores were counted, and a thread's share of them was
    not."""
    file = folder / "skylake.json"
    file.write_text(json.dumps(session("clx-dram", CPUS[:4])), encoding="utf-8")
    check_all(
        nodes(report(file, "--per-core", "-l1")[0]).values(),
        lambda value: value is not None,
        "cores have their nodes",
    )
    threads = report(file, "-A", "-l1")[0]["nodes"]
    missing = {event for node in threads for event in node["missing"]}
    check(
        all(node["value"] is None for node in threads) and "CPU_CLK_UNHALTED.REF_XCLK" in missing,
        "threads lack what only -A counts",
        missing,
    )


def check_idle(file):
    """CPU 4 has most cycles, 8 times; 2 % of it are 0.16, 20 % are 1.6."""
    for percent, names in (("0", range(8)), ("2", range(6)), ("20", (0, 1, 4, 5)), ("100", (4,))):
        parts = report(file, "-A", "--idle-threshold", percent)
        check(
            [part["part"] for part in parts] == [f"CPU {i}" for i in names],
            f"--idle-threshold {percent}",
            [p["part"] for p in parts],
        )
    for part in report(file, "-A", "-l6")[6:]:
        values = [node["name"] for node in part["nodes"] if node["value"] is not None]
        check(not values, f"{part['part']}: no node of a CPU where nothing ran has a value", values)
    for form in ("text", "markdown", "csv"):
        text = topdown("report", "-A", "--idle-threshold", "20", "--format", form, file).stdout
        check("CPU 2, CPU 3, CPU 6, CPU 7" in text.replace("\n", " "), f"{form}: they are named", text[-300:])
    left_out = json.loads(
        topdown("report", "-A", "--idle-threshold", "20", "--format", "json", file).stdout
    ).get("left_out")
    check(left_out == ["CPU 2", "CPU 3", "CPU 6", "CPU 7"], "json: they are named", left_out)
    check_failure(
        topdown("report", "-A", "--idle-threshold", "101", file),
        "more than all",
        "--idle-threshold 101",
        "0 to 100",
    )


def check_screen(file):
    """Many parts are rows; few of them, and with -v all, are trees."""
    text = topdown("report", "-A", file).stdout
    rows = [line.split() for line in text.splitlines() if re.match(r"CPU \d+ ", line)]
    check([row[1] for row in rows] == [str(i) for i in range(8)], "a row for each CPU", text)
    by_cpu = {part["part"]: part for part in report(file, "-A")}
    for row in rows[:6]:
        part = by_cpu[f"CPU {row[1]}"]
        shown = [f"{node['value']:.1f}" for node in part["nodes"] if node["level"] == 1]
        check(" ".join(shown) in " ".join(row), f"CPU {row[1]}: level 1", row)
    wide = [line for line in text.splitlines() if len(line) > 80 and "perf record" not in line]
    check(not wide and "…" not in text, "80 columns, nothing cut", text)
    check(
        "Retiring" in text and "[CPU 1]" not in text and text.count("-v shows the tree") == 1,
        "no trees",
        text,
    )
    check("[CPU 1]" in topdown("report", "-A", "-v", file).stdout, "-v has them")
    check("[socket 0]" in topdown("report", "--per-socket", file).stdout, "two sockets are two trees")
    every = topdown("report", *ALL, file).stdout
    advice = {part["advice"]["node"] for part in report(file, *ALL)[:7] if "advice" in part}
    check(
        every.count("\nNext  ") == every.count("\nTry   ") == len(advice) == 2,
        "no words twice",
        (advice, every),
    )
    check(
        "| Part " in topdown("report", "-A", "--format", "markdown", file).stdout,
        "Markdown has the same table",
    )
    sheet = list(csv.DictReader(io.StringIO(topdown("report", *ALL, "--format", "csv", file).stdout)))
    found = {(row["part_kind"], row["part"]) for row in sheet if row["kind"] == "summary"}
    check(
        len(found) == 15 and ("core", "core 3 (CPU 6,7)") in found, "CSV has the parts and their kinds", found
    )


def check_refusals(folder):
    check_failure(
        topdown("report", "-A", SOURCE / "docs/sample-session.json"),
        "a program's session",
        "not recorded per CPU",
        "-a",
    )
    check_failure(
        topdown("report", "--per-core", SOURCE / "tests/golden/clx-dram/counts.json"),
        "flat counts",
        "not recorded per CPU",
    )
    for words in (["-A"], ["--global", "--per-socket"]):
        check_failure(topdown("-p", "1", "--per-thread", *words), f"--per-thread {words}", "--per-thread")
    for spot in ("S99", "S0-C9999", "T99", "s0-c0-t99"):
        check_failure(topdown("-C", f"0,{spot}", "--duration", "1"), f"-C {spot}", "no online CPU is there")
    for wrong in ("S", "C-T0", "T0-S0", "S0-", "S0-X1"):
        check_failure(
            topdown("-C", wrong, "--duration", "1"), f"-C {wrong}", f"'{wrong}' is not a CPU", "S0-C1-T0"
        )
    bad = session("spr-mispredict", CPUS)
    for change, error in (
        (lambda count: count["by_cpu"].pop(), 'one element for each of "cpus"'),
        (
            lambda count: count["by_cpu"].__setitem__(1, [1, 2]),
            "by_cpu: expected [raw, enabled_ns, running_ns]",
        ),
        (lambda count: count["by_cpu"].__setitem__(1, [-1, 2, 2]), "by_cpu: expected [raw"),
    ):
        broken = json.loads(json.dumps(bad))
        change(broken["counts"][2])
        (folder / "bad.json").write_text(json.dumps(broken), encoding="utf-8")
        check_failure(topdown("report", folder / "bad.json"), error, "counts[2].by_cpu", error)
    broken = {**bad, "cpus": [{**bad["cpus"][0], "core": "none"}]}
    (folder / "bad.json").write_text(json.dumps(broken), encoding="utf-8")
    check_failure(topdown("report", folder / "bad.json"), "a core that is no number", "cpus[0].core")


def check_states(folder):
    """Where nothing was read, and where the kernel refused it, says so; the others keep their values."""
    odd = session("spr-mispredict", CPUS[:4])
    for count in odd["counts"]:
        count["by_cpu"][2] = None
        count["by_cpu"][3] = "The kernel refused it."
    file = folder / "odd.json"
    file.write_text(json.dumps(odd), encoding="utf-8")
    parts = {part["part"]: part for part in report(file, "-A")}
    check(nodes(parts["CPU 0"])["tma_retiring"] is not None, "a CPU that was read")
    check(
        nodes(parts["CPU 2"])["tma_retiring"] is None and "ran here" in " ".join(parts["CPU 2"]["notes"]),
        "nothing was read",
        parts["CPU 2"]["notes"],
    )
    check("refused" in str(parts["CPU 3"]["nodes"][0]["reason"]), "refused", parts["CPU 3"]["nodes"][0])


def main():
    with temporary() as folder:
        file = folder / "session.json"
        file.write_text(json.dumps(session("spr-mispredict", CPUS)), encoding="utf-8")
        check_kinds(folder, file)
        check_asked(folder)
        check_threads(folder)
        check_idle(file)
        check_screen(file)
        check_refusals(folder)
        check_states(folder)
    finish()


main()
