#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check_sampling.py MACHINE OUT_DIR: compares what sampling.sh left with the program's shares and the PMU's
rates."""
import math
import re
import sys

import machine as machines
import spots
from check_guest import Guest

HZ = 1e9  # of the synthetic PMU: cycles a second
SHARE = 0.75
ERRORS = 4.5  # standard errors
SCALE = 4  # a wrong unit is off by more
POINTS = 1  # percent of a function's slots; the chosen trees are 40 points apart
LINE = 64
PLACED_SHARE = 0.05  # of a value; few pairs begin and end in a function and were in the other one between
PLACED_WIDTH = 0.3  # of a value: its interval
LEAST_PAIRS = 15  # in 1.5 s
RATES = {"CPU_CLK_UNHALTED.THREAD": 1, "INST_RETIRED.ANY": 1.5, "MEM_LOAD_RETIRED.L3_MISS": 0.05}


def profile(guest, step):
    return guest.json(f"{step}.session.json").get("profile", {})


def functions(data, event, pmu=None):
    """Samples of an event, on a hybrid of a PMU, by the function where they were taken."""
    found = {}
    for stack, sampled, samples in zip(data["rows"]["stack"], data["rows"]["event"], data["rows"]["samples"]):
        place = data["stacks"]["place"][stack]
        first = sum(data["places"]["frames"][:place])
        number = data["frames"]["function"][first] if data["places"]["frames"][place] else -1
        name = data["texts"][number] if number >= 0 else None
        if data["events"][sampled]["event"] == event and data["events"][sampled].get("pmu") == pmu:
            found[name] = found.get(name, 0) + samples
    return found


def check_shares(guest, step, event, least, pmu=None):
    found = functions(profile(guest, step), event, pmu)
    most, some = found.get("three_quarters", 0), found.get("one_quarter", 0)
    both = most + some
    guest.check(
        both >= least, f"{step}: {both} samples of {event} in the two functions, at least {least}: {found}"
    )
    if both:
        guest.near(
            most / both,
            SHARE,
            ERRORS * math.sqrt(SHARE * (1 - SHARE) / both),
            f"{step}: the share of three_quarters",
        )


def wall_seconds(guest, step):
    """Of programs that have a CPU each. An emulated CPU's timers need not keep in step with the time that it
    is busy."""
    return sum(int(number) for number in re.findall(r"wall_ns=(\d+)", guest.text(f"{step}.stdout"))) * 1e-9


def check_weight(guest, step, event):
    """What the samples stand for is what the PMU has counted in that time."""
    found = next(
        (row for row in profile(guest, step).get("events", []) if row["event"] == event), {"weight": 0}
    )
    expected = RATES[event] * HZ * wall_seconds(guest, step)
    ratio = found["weight"] / expected if expected else 0
    guest.check(
        1 / SCALE < ratio < SCALE,
        f"{step}: events that the samples of {event} stand for, of the rate's: {ratio:.2f}",
    )


def check_nodes(guest):
    data = profile(guest, "nodes")
    row = next(
        (row for row in data.get("events", []) if row["event"].startswith("MEM_LOAD_RETIRED.L3_MISS")), {}
    )
    guest.check(
        row.get("node") == "tma_l3_miss_bound", f"nodes: the node of {row.get('event')}: {row.get('node')}"
    )
    guest.check(
        row.get("wanted", 0) > 0 and row.get("precise") == 0,
        f"nodes: precise_ip {row.get('precise')} of {row.get('wanted')}",
    )
    guest.check(
        any("precise_ip 0 instead of" in remark for remark in data.get("remarks", [])),
        f"nodes: what was lowered is a remark: {data.get('remarks')}",
    )
    check_shares(guest, "nodes", row.get("event"), 100)
    cycles = [row["event"] for row in data.get("events", []) if row.get("node") is None]
    guest.check(len(cycles) == 1, f"nodes: cycles beside it: {cycles}")


def check_precise(guest):
    """Precise samples hit the instruction that the test chose, plain ones the skid; a level that was lowered
    is a remark."""
    for step, level in (("precise0", 0), ("precise1", 1), ("precise3", None)):
        guest.status(step, 0)
        data = profile(guest, step)
        row = next(
            (row for row in data.get("events", []) if row.get("node") == "tma_l3_miss_bound"),
            {"event": None, "wanted": -1, "precise": -1},
        )
        wanted = row["wanted"]
        guest.check(
            wanted >= 1 and row["precise"] == (wanted if level is None else min(level, wanted)),
            f"{step}: precise_ip {row['precise']} of {wanted}",
        )
        told = any("precise_ip" in remark and "instead of" in remark for remark in data.get("remarks", []))
        guest.check(
            told == (row["precise"] < wanted), f"{step}: a remark where it was lowered: {data.get('remarks')}"
        )
        chosen, behind = spots.chosen(guest, step)
        found = spots.addresses(data, row["event"], "spotted")
        guest.check(
            set(found) == {chosen if row["precise"] else behind} and sum(found.values()) >= LEAST_PAIRS,
            (
                f"{step}: samples at {chosen:#x}, or with skid at {behind:#x}:"
                f" { {hex(key): value for key, value in found.items()} }"
            ),
        )


def check_lbr(guest):
    """Callers that only the branch records name, as nobody called them."""
    guest.status("lbr", 0)
    data = profile(guest, "lbr")
    folded = guest.text("lbr.folded")
    guest.check(
        ";stranger;spotted " in folded and "stranger_too;stranger;spotted " in folded,
        f"lbr: stacks by branch records: {folded[:400]}",
    )
    guest.check(
        not any("branch records" in remark for remark in data.get("remarks", [])),
        f"lbr: nothing was given up: {data.get('remarks')}",
    )


def check_trees(guest, step):
    """Each function's tree is the one whose rates held while it ran."""
    report = guest.json(f"{step}.json")
    trees = {"(mixed)" if tree["mixed"] else tree["name"]: tree for tree in report.get("function_trees", [])}
    for name, expected in (("first_mix", guest.machine.level1), ("second_mix", guest.machine.second_level1)):
        tree = trees.get(
            name, {"nodes": {}, "nodes_low": {}, "nodes_high": {}, "samples": 0, "cycles_percent": 0}
        )
        guest.check(tree["samples"] >= LEAST_PAIRS, f"{step}: {name}: {tree['samples']} pairs of samples")
        for node, value in expected.items():
            guest.near(tree["nodes"].get(node), value, POINTS, f"{step}: {name}: {node}")
            low, high = (tree[key].get(node) or 0 for key in ("nodes_low", "nodes_high"))
            guest.check(
                0 <= high - low <= 2 * POINTS, f"{step}: {name}: {node}: from {low:.2f} to {high:.2f}"
            )
    shares = [tree["cycles_percent"] for tree in trees.values()]
    guest.check(
        abs(sum(shares) - 100) < 35 if step == "tree-all" else abs(sum(shares) - 100) < 1,
        f"{step}: shares: {shares}",
    )
    guest.check("(mixed)" in trees, f"{step}: what is mixed: {list(trees)}")


def near_share(guest, found, expected, share, text):
    guest.near(found, expected, share * expected, text)


def check_point(guest, point, placed):
    """A function's operations and bytes are those of its own rates, each with its samples and an interval
    around it."""
    name = point["name"]
    operations = sum(placed.widths.values())
    guest.check(
        min(point["samples"], point["time_samples"]) >= LEAST_PAIRS,
        f"placed: {name}: {point['samples']} samples of its operations",
    )
    guest.near(point["vector_percent"], placed.vectors, POINTS, f"placed: {name}: share of vectors")
    for level in point["levels"]:
        if level["level"] == "L1":
            guest.check(
                level["bytes"] is None and level["intensity"] is None,
                f"placed: {name}: L1, which no event counts: {level}",
            )
            continue
        expected = operations / LINE / placed.lines[level["level"]]
        near_share(
            guest,
            level["intensity"],
            expected,
            PLACED_SHARE,
            f"placed: {name}: intensity of {level['level']}",
        )
        low, high = level["intensity_low"], level["intensity_high"]
        guest.check(
            low <= level["intensity"] <= high and high - low < PLACED_WIDTH * expected,
            f"placed: {name}: from {low} to {high}",
        )
        guest.check(
            level["samples"] >= LEAST_PAIRS and placed.sources[level["level"]] in level["source"],
            f"placed: {name}: {level['source']}",
        )
    for width in point["widths"]:
        expected = placed.widths[width["type"], width["bits"]] / operations
        near_share(
            guest,
            width["flops"] / point["flops"],
            expected,
            PLACED_SHARE,
            f"placed: {name}: {width['type']} of {width['bits']} bits",
        )


def check_loop(guest, roofline, function, placed):
    """All that the function does is in one loop: it has the loop's rates, and nearly all of its samples and
    time."""
    loops = [point for point in roofline["points"] if point["loop_of"] == function["name"]]
    missing = [note for note in roofline["notes"] if "Not all loops" in note]
    if not loops and any("objdump is not here" in note for note in missing):
        return
    guest.check(not missing, f"placed: {function['name']}: nothing is said to be missing: {missing}")
    guest.check(
        [loop["name"][:10] for loop in loops] == ["loop at +0"],
        f"placed: {function['name']}: its loops: {[loop['name'] for loop in loops]}",
    )
    for loop in loops:
        check_point(guest, {**loop, "name": f"{function['name']}'s {loop['name']}"}, placed)
        guest.check(
            0.7 * function["samples"] <= loop["samples"] <= function["samples"],
            f"placed: {function['name']}: {loop['samples']} samples of it",
        )
        guest.check(
            0.7 * function["seconds"] <= loop["seconds"] <= function["seconds"],
            f"placed: {function['name']}: {loop['seconds']} of its seconds",
        )


def check_placed(guest, second):
    """Two functions below the ceilings, whose intensities differ ten times."""
    guest.status("placed", 0)
    guest.status("placed-again", 0)
    roofline = guest.json("placed.json").get("roofline", {"points": []})
    points = {point["name"]: point for point in roofline["points"]}
    guest.check({"first_mix", "second_mix"} <= set(points), f"placed: points: {list(points)}")
    if not {"first_mix", "second_mix"} <= set(points):
        return
    first, other, placed = points["first_mix"], points["second_mix"], guest.machine.placed
    check_point(guest, first, placed)
    check_point(guest, other, second)
    check_loop(guest, roofline, first, placed)
    check_loop(guest, roofline, other, second)
    near_share(
        guest,
        first["flops_per_s"] / other["flops_per_s"],
        sum(placed.widths.values()) / sum(second.widths.values()),
        PLACED_SHARE,
        "placed: operations a second of one by the other's",
    )
    for point in (first, other):
        guest.check(
            point["flops_per_s_low"] <= point["flops_per_s"] <= point["flops_per_s_high"],
            f"placed: {point['name']}: operations a second",
        )
    guest.check("samples" not in roofline["points"][0], "placed: the program's own values are counts")
    guest.check(
        any("by samples" in note for note in roofline["notes"]),
        f"placed: it says that it is by samples: {roofline['notes']}",
    )
    text = guest.text("placed-again.stdout")
    guest.check(
        "Functions below the ceilings, by samples" in text and "second_mix" in text,
        f"placed-again: a saved session shows them: {text[-900:]}",
    )


def check_cgroup(guest):
    """The program in it, and not the one beside it."""
    guest.status("cgroup", 0)
    check_shares(guest, "cgroup", "CPU_CLK_UNHALTED.THREAD", 40)
    programs = {task["program"] for task in profile(guest, "cgroup").get("tasks", [])}
    guest.check(
        "places" in programs and "prog" not in programs, f"cgroup: programs: {sorted(map(str, programs))}"
    )


def main(name, out):
    guest = Guest(machines.load(name), out)
    for step in ("frequency", "period", "user", "nodes", "all", "threads"):
        guest.status(step, 0)
    for step, event, least in (
        ("frequency", "CPU_CLK_UNHALTED.THREAD", 90),
        ("period", "INST_RETIRED.ANY", 90),
        ("user", "CPU_CLK_UNHALTED.THREAD", 90),
        ("all", "CPU_CLK_UNHALTED.THREAD", 90),
        ("threads", "CPU_CLK_UNHALTED.THREAD", 40),
    ):
        check_shares(guest, step, event, least)
    for step, event in (
        ("frequency", "CPU_CLK_UNHALTED.THREAD"),
        ("period", "INST_RETIRED.ANY"),
        ("threads", "CPU_CLK_UNHALTED.THREAD"),
    ):
        check_weight(guest, step, event)
    user = profile(guest, "user")
    guest.check(
        not any(module["kind"] in ("kernel", "driver") for module in user.get("modules", [])),
        "user: nothing of the kernel",
    )
    check_nodes(guest)
    check_precise(guest)
    check_lbr(guest)
    check_cgroup(guest)
    check_placed(guest, machines.definitions(name)["SECOND_PLACED"])
    for step in ("tree", "tree-all", "tree-pid", "tree-again"):
        guest.status(step, 0)
    check_trees(guest, "tree")
    check_trees(guest, "tree-all")
    check_trees(guest, "tree-pid")
    names = [row["name"] for row in guest.json("tree-all.json").get("profile", {}).get("functions", [])]
    guest.check(
        "first_mix" in names and "second_mix" in names,
        f"tree-all: functions of the worst node, in a run before: {names[:5]}",
    )
    text = guest.text("tree-again.stdout")
    guest.check("6.12" in text, f"tree-again: what Linux 6.1 can't do is in the text: {text[-600:]}")
    guest.check(
        "Tree per function" in text and "(mixed)" in text,
        f"tree-again: a saved session shows them: {text[-400:]}",
    )
    remarks = profile(guest, "tree").get("remarks", [])
    guest.check(
        any("6.12" in remark for remark in remarks), f"tree: what Linux 6.1 can't do is a remark: {remarks}"
    )
    return guest.failures != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
