#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""page_truth.py - pages of all sample counts and sessions: each row of a node or metric beside the JSON
report of the same, with its value, its interval, its quality and what is said of it; the boxes of the
picture; the verdict. A page may round, and no more."""
import html
import json
import pathlib
import re
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import SOURCE, check, check_success, finish, pages as made, read_json, temporary, topdown
from page import check_form
from lib.soft_pmu import soft_pmu

FACTORS = {"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18}
NUMBER = r"-?\d+(?:\.\d+)?(?:e[-+]\d+)?"


def plain(markup):
    return " ".join(html.unescape(re.sub("<[^>]*>", "", markup)).split())


class Row:
    def __init__(self, part, markup):
        self.part = int(part)
        head, body = markup.split(">", 1)
        self.name = html.unescape(re.search(r'data-name="([^"]*)"', head)[1])
        self.cells = [plain(cell) for cell in re.findall(r"<t[hd].*?</t[hd]>", body, re.S)]
        self.inks = re.findall(r'<t[hd][^>]*class="([^"]*)"', body)


def rows_of(text):
    """[{name: row}] of the parts."""
    parts = {}
    for part, number, markup in re.findall(r'<tr id="n(\d+)\.(\d+)"(.*?)</tr>', text, re.S):
        row = Row(part, markup)
        parts.setdefault(row.part, {})[row.name] = row
    return parts


def parsed(text):
    """(value, half of the last digit that is shown)"""
    match = re.fullmatch(rf"({NUMBER})(?: ([kMGTPE]))?", text)
    if not match:
        return None
    digits = match[1].split("e")
    step = 10.0 ** -len(digits[0].partition(".")[2]) * (10.0 ** int(digits[1]) if len(digits) > 1 else 1)
    factor = FACTORS[match[2] or ""]
    return float(match[1]) * factor, step * factor / 2


def is_rounded(text, value):
    found = parsed(text)
    return found is not None and abs(found[0] - value) <= found[1] * 1.000001 + abs(value) * 1e-12


def check_value(what, row, result):
    shown, _, spread = row.cells[1].partition(" ±")
    if result["value"] is None:
        check(shown == "-" and not spread and "none" in row.cells[2:], f"{what}: not measured", row.cells)
        if result["reason"] is not None:
            check(row.cells[-1], f"{what}: why not", row.cells)
        return
    check(is_rounded(shown, result["value"]), f"{what}: its value", (row.cells, result["value"]))
    check(result["quality"] in row.cells[2:], f"{what}: its quality", (row.cells, result["quality"]))
    half = result.get("ci95")
    digit = parsed(shown)[1] if parsed(shown) else 0
    if spread:
        check(half is not None and is_rounded(spread, half), f"{what}: its interval", (row.cells, half))
    elif half is not None:
        check(half < 2 * digit, f"{what}: no interval is withheld", (row.cells, half))


def check_marks(what, row, node):
    """What stands in the row's last cell is what the report found."""
    remark = row.cells[-1]
    check(
        ("the worst" in remark or "on the worst path" in remark) == node["worst_path"],
        f"{what}: the worst path",
        remark,
    )
    check(remark.startswith("bottleneck") == node["bottleneck"], f"{what}: a bottleneck", remark)


def check_picture(what, part, text, nodes):
    boxes = re.findall(
        rf'<a href="#n{part}\.\d+" tabindex="-1" class="k-\w+ ([^"]*)"><title>([^<]*)</title>', text
    )
    by_path = {node["path"]: node for node in nodes}
    leaf = max((node for node in nodes if node["worst_path"]), key=lambda node: node["level"], default=None)
    for look, said in boxes:
        path, rest = html.unescape(said).split(": ", 1)
        node = by_path[path]
        check(
            is_rounded(rest.split(" ")[0], node["value"]), f"{what}: the box of {path}", (rest, node["value"])
        )
        expected = "worst" if node is leaf else "path" if node["worst_path"] else None
        check((look if look in ("worst", "path") else None) == expected, f"{what}: the mark of {path}", look)
    wide = [
        node["path"]
        for node in nodes
        if node["level"] == 1 and node["unit"] == "%" and (node["value"] or 0) > 1
    ]
    lost = set(wide) - {html.unescape(said).split(": ", 1)[0] for _, said in boxes}
    check(not boxes or not lost, f"{what}: each node of level 1 has a box", lost)


def check_verdict(what, text, report):
    worst = max(
        (node for node in report["nodes"] if node["worst_path"]), key=lambda node: node["level"], default=None
    )
    said = plain(re.search(r'<p class="verdict">(.*?)</p>', text, re.S)[1])
    if worst:
        check(worst["title"] in said, f"{what}: the verdict names the worst", said)
    else:
        check("bottleneck" not in said, f"{what}: without a worst no bottleneck", said)


def check_page(what, *words):
    report = json.loads(topdown(*words, "--format", "json").stdout)
    done = topdown(*words, "--format", "html")
    check_success(done, what)
    text = done.stdout
    check_form(what, text)
    rows, parts, seen = rows_of(text), report.get("parts", [report]), 0
    for number, part in enumerate(parts):
        mine = rows.get(number, {})
        for result in part["nodes"] + part["metrics"]:
            row = mine.get(result["name"])
            if not row:
                check("level" not in result, f"{what}: {result['name']} has a row")
                continue
            seen += 1
            check_value(f"{what}: {result['name']}", row, result)
            if "level" in result:
                check_marks(f"{what}: {result['name']}", row, result)
        check_picture(what, number, text, part["nodes"])
    check(seen > 0, f"{what}: rows", seen)
    if len(parts) == 1:
        check_verdict(what, text, report)


def check_unknown_cycles(folder):
    """Where no part has cycles, the first one stands at the top. No heading has nothing below it."""
    path = pathlib.Path(folder) / "cpus.json"
    done = topdown(*soft_pmu(pathlib.Path(folder)), "-l1", "-a", "-A", "--save", path, "--", "true")
    check(done.returncode == 0, "counts of each CPU", done.stderr)
    parts = json.loads(
        topdown("report", "--db", pathlib.Path(folder) / "db", "--format", "json", path).stdout
    ).get("parts", [])
    text = topdown("report", "--db", pathlib.Path(folder) / "db", "--format", "html", path).stdout
    said = plain(re.search(r'<p class="verdict">(.*?)</p>', text, re.S)[1])
    check(len(parts) < 2 or said.startswith(f"{parts[0]['part']}: "), "the first part", said)
    empty = re.findall(r"<h3>([^<]*)</h3>\s*<h[123]>", text)
    check(not empty, "headings with nothing below them", empty)


def main():
    for counts in sorted((SOURCE / "tests/golden").glob("*/counts.json")):
        for words in (["-l6"], ["-v", "-l3"], ["-B", "-l6"])[
            : 2 if counts.parent.name.startswith("n1") else 3
        ]:
            check_page(f"{counts.parent.name} {' '.join(words)}", "report", *words, counts)
    for session in (made.SESSION, made.SIMULATED):
        check_page(session.name, "report", "-l6", session)
    with temporary() as folder:
        content = read_json(made.SESSION)
        for name, factors in (("repeats", {}), ("worse", made.WORSE)):
            path = pathlib.Path(folder) / f"{name}.json"
            path.write_text(json.dumps(made.repeated(content, factors)), encoding="utf-8")
            check_page(name, "report", "-l6", path)
            check_page(f"{name} -v", "report", "-v", path)
        path = pathlib.Path(folder) / "stat.txt"
        path.write_text(made.HYBRID, encoding="utf-8")
        check_page("two types of cores", "report", "--cpu", "adl", path)
        text = plain(topdown("report", "--cpu", "adl", "--format", "html", path).stdout)
        check_unknown_cycles(folder)
        check(
            "cpu_core: 70.0 % of the slots" in text[text.index("Topdown report", 20) :][:400],
            "of a type without cycles nobody knows how busy it is: the first one is the headline",
            text[-3000:][:300],
        )
    finish()


main()
