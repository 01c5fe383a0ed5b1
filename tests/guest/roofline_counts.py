# SPDX-License-Identifier: GPL-2.0-or-later
"""The checks of topdown roofline: a program's operations and bytes are those of the rates, each value names
its events, and the ceilings are of the guest's own CPU."""

LINE = 64
NEAR = 0.1  # of a value: groups are counted in different runs of a program that takes the same time in each
SAME_RUN = 0.01
LEAST = 10  # samples of a value that is shown


def cycles_of(guest, report):
    """Or what its instructions come to, where all general counters are taken and none is left for cycles."""
    summary = report.get("summary", {})
    found = summary.get("cycles") or (summary.get("instructions") or 0) / guest.machine.ipc
    guest.check(found > 0, f"roofline: cycles: {found}")
    return found or 1


def check_ceilings(guest, report):
    """Those of an emulated CPU: its instruction sets, as the guest's kernel lists them, and rows that hold
    together."""
    guest.status("ceilings", 0)
    rows = guest.json("ceilings.json").get("ceilings", [])
    flags = guest.text("cpuinfo.stdout").split()
    compute = [row for row in rows if row["kind"] == "compute" and row["scope"] == "thread"]
    guest.check(
        compute and all(row["value"] and row["value"] > 0 for row in rows),
        f"ceilings: {len(rows)} rows, all above 0",
    )
    guest.check(
        any(row["scalable"] for row in rows) == ("sve" in flags),
        "ceilings: scalable vectors where the CPU has them, and nowhere else",
    )
    most = 512 if "avx512f" in flags else 256 if "avx2" in flags and "fma" in flags else 128
    widest = max((row["bits"] for row in compute if not row["scalable"] and row["type"] == "f64"), default=0)
    guest.check(widest == most, f"ceilings: vectors of {widest} bits, of {most}")
    guest.check({"L1", "DRAM"} <= {row["level"] for row in rows}, "ceilings: L1 and memory are among them")
    kept = {(row["value"], row["threads"]) for row in rows if row["scope"] in ("thread", "all")}
    found = {(ceiling["value"], ceiling["threads"]) for ceiling in report.get("ceilings", [])}
    guest.check(found and found <= kept, f"roofline: its {len(found)} ceilings are the kept ones")


def check(guest):
    guest.status("roofline", 0)
    whole = guest.json("roofline.json")
    report, placed = whole.get("roofline", {}), guest.machine.placed
    points = report.get("points", [])
    guest.check(len(points) == 1, f"roofline: {len(points)} points")
    if not points:
        return
    point, cycles = points[0], cycles_of(guest, whole)
    operations = sum(placed.widths.values())
    found = {(width["type"], width["bits"]): width["flops"] / cycles for width in point["widths"]}
    guest.check(set(found) == set(placed.widths), f"roofline: types and widths: {sorted(map(str, found))}")
    for key, expected in placed.widths.items():
        guest.near(found.get(key), expected, NEAR * expected, f"roofline: operations a cycle of {key}")
    guest.near(point["flops"] / cycles, operations, NEAR * operations, "roofline: operations a cycle")
    guest.near(
        point["flops_per_s"] * point["seconds"],
        point["flops"],
        SAME_RUN * point["flops"],
        "roofline: operations a second, and seconds",
    )
    if placed.vectors is None:
        guest.check(
            point["vector_percent"] is None,
            f"roofline: vectors are not told apart: {point['vector_percent']}",
        )
    else:
        guest.near(
            point["vector_percent"], placed.vectors, NEAR * placed.vectors, "roofline: share of vectors"
        )
    guest.check(
        placed.sources["flops"] in report.get("flops_source", ""),
        f"roofline: operations are counted by {report.get('flops_source')}",
    )
    check_levels(guest, point, cycles)
    check_ceilings(guest, report)


def check_parts(guest):
    """The hottest function of a program whose rates are the same everywhere, by groups that were divided to
    have room for cycles."""
    if not guest.text("placed-parts.status"):
        return
    guest.status("placed-parts", 0)
    points = guest.json("placed-parts.json").get("roofline", {}).get("points", [])
    guest.check(len(points) == 2, f"placed-parts: {len(points)} points")
    if len(points) < 2:
        return
    placed, function = guest.machine.placed, points[1]
    operations = sum(placed.widths.values())
    guest.check(
        function["samples"] >= LEAST, f"placed-parts: {function['samples']} samples of its operations"
    )
    for level in function["levels"]:
        if level["level"] in placed.lines:
            expected = operations / LINE / placed.lines[level["level"]]
            guest.near(
                level["intensity"],
                expected,
                SAME_RUN * expected,
                f"placed-parts: intensity of {level['level']}",
            )
            guest.check(
                level["samples"] >= LEAST, f"placed-parts: {level['samples']} samples of {level['level']}"
            )


def check_levels(guest, point, cycles):
    placed = guest.machine.placed
    operations = sum(placed.widths.values())
    levels = {level["level"]: level for level in point["levels"]}
    guest.check(
        levels["L1"]["bytes"] is None and levels["L1"]["source"],
        f"roofline: L1, which no event counts: {levels['L1']}",
    )
    for name, lines in placed.lines.items():
        level = levels[name]
        guest.near(
            (level["bytes"] or 0) / cycles,
            LINE * lines,
            NEAR * LINE * lines,
            f"roofline: bytes of {name} a cycle",
        )
        guest.near(
            level["intensity"],
            operations / LINE / lines,
            NEAR * operations / LINE / lines,
            f"roofline: intensity of {name}",
        )
        guest.check(
            placed.sources[name] in (level["source"] or ""),
            f"roofline: {name} is counted by {level['source']}",
        )
