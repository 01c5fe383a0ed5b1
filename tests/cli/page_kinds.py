#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""page_kinds.py - the pages of comparisons and histories, and of lists and explanations: well-formed, every
number of the JSON, reasons that add up, links to runs, names that stay text; what is explored where there
is a profile."""
import json
import pathlib
import re
import subprocess
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import (
    SOURCE,
    TOPDOWN,
    check,
    check_all,
    check_success,
    finish,
    pages as made,
    read_json,
    temporary,
    topdown,
)
from lib.explored import block
from page import HOSTILE, PROFILE, SESSION, SIMULATED, check_form, numbers


def near(values, number):
    return any(abs(value - number) <= 1e-9 * abs(number) for value in values)


def check_numbers(name, words):
    """(page, JSON) of the same command."""
    document = json.loads(topdown(*words, "--format", "json").stdout)
    done = topdown(*words, "--format", "html")
    check_success(done, name)
    page = check_form(name, done.stdout)
    found = list(numbers(document))
    lost = [(path, number) for path, number in found if not near(page.values, number)]
    odd = re.findall(r">[-+]0(?:\.0+)?(?: %)?</(?:td|data)>|[-+]0\.0+ of the difference", done.stdout)
    check(not odd, f"{name}: nothing has no sign", odd[:3])
    check(len(found) > 3 and not lost, f"{name}: every number is on the page", lost[:4])
    return done.stdout, document


def scaled(path, factor, **changes):
    session = read_json(SESSION) | changes
    for item in session["counts"]:
        if item["value"] is not None and not item["event"].lower().startswith("inst"):
            item["value"] *= factor
            item["raw"] = int(item["raw"] * factor)
    path.write_text(json.dumps(session), encoding="utf-8")
    return path


def rows_of(text, heading):
    """The cycles of the rows of the table behind a heading: (title, exact)."""
    table = re.search(r"<table.*?</table>", text[text.index(heading) :], re.S)[0]
    rows = re.findall(r"<tr.*?</tr>", table.split("<tbody>")[1], re.S)
    return [
        (
            re.sub("<.*?>", "", re.search(r"<t[hd].*?</t[hd]>", row, re.S)[0]),
            float(re.search(r'<data value="([^"]+)">', row)[1]),
        )
        for row in rows
    ]


def check_comparison(folder):
    words = ("compare", scaled(folder / "a.json", 1), scaled(folder / "b.json", 1.3, kernel="6.6.1"))
    text, document = check_numbers("a comparison", words)
    rows = rows_of(text, 'id="reasons"')
    before, after, parts = rows[0], rows[-1], rows[1:-1]
    check((before[0], after[0]) == ("Before", "After"), "the waterfall's ends", (before, after))
    check(
        abs(before[1] + sum(part for _, part in parts) - after[1]) < 1e-6 * after[1], "the bars add up", rows
    )
    check(
        len(parts) == min(len(document["terms"]), 13),
        "a bar for each of the largest reasons, one for the others",
        len(parts),
    )
    check(
        text.index(document["sentence"]) < text.index("6.6.1") < text.index('id="reasons"'),
        "what differs besides stands behind the verdict",
    )
    check(
        text.index(document["sentence"])
        < text.index('id="reasons"')
        < text.index('id="tree"')
        < text.index('id="metrics"'),
        "the order",
    )


BOX = re.compile(
    r'<a href="#([^"]+)" tabindex="-1" class="k-\w+ ([^"]*)"><title>([^<]*)</title><rect x="([^"]+)"'
    r' y="([^"]+)" width="([^"]+)"'
)


def check_models(folder):
    """Of different CPUs only what both have is compared, so no reason is called the largest."""
    text = check_numbers(
        "different CPUs",
        (
            "compare",
            SOURCE / "tests/golden/clx-dram/counts.json",
            SOURCE / "tests/golden/zen4-frontend/counts.json",
        ),
    )[0]
    check("The CPUs differ" in text and "largest reason" not in text, "different CPUs: no largest reason")
    text, _ = check_numbers("one CPU", ("compare", SESSION, scaled(folder / "more.json", 1.2)))
    check("largest reason" in text, "one CPU: a largest reason")


def trees_of(text):
    """The boxes of each of both trees: {name of the node: (class, what it says, width, place)}."""
    names = dict(re.findall(r'<tr id="(node-\d+)" data-name="([^"]+)"', text))
    pair = text[text.index('<div class="pair">') : text.index("</figure>", text.index('<div class="pair">'))]
    return [
        {
            names[row]: (look, said, float(width) + 1, place)
            for place, (row, look, said, _, _, width) in enumerate(BOX.findall(tree))
        }
        for tree in pair.split("<svg")[1:]
    ]


# Which way is worse, by what a name has; of others neither is.
WORSE = (
    (r"ipc", -1),
    (r"uoppi|cpi|mpki|miss|misp|latency", 1),
    (r"hit|coverage|retiring$", -1),
    (r"_bound$|bad_speculation$", 1),
    (r"bandwidth$", 0),
    (r"mispredict|clears|bottleneck|heavy_operations|microcode", 1),
    (r"^(wall|cpu_time|instructions|cycles)$|^syscalls", 1),
)


def check_ratios(text, document):
    """Each ratio has its interval in the drawing, one that reaches below 0 too, and no colour where it may be
    chance."""
    rows = dict(re.findall(r'<tr data-name="([^"]+)" data-ratio_low=.*?(<svg.*?</svg>)', text))
    for metric in document["metrics"]:
        if (
            metric["ratio"] is None
            or metric["ratio_low"] is None
            or not metric["ratio_low"] < metric["ratio_high"]
        ):
            continue
        drawing = rows[metric["name"]]
        check(
            re.search(r'<path class="plain" d="M[\d.]+ 10H', drawing),
            f"{metric['name']}: its interval",
            drawing,
        )
        is_open = metric["ratio_low"] < 1 < metric["ratio_high"] or abs(metric["ratio"] - 1) < 0.0005
        look = re.search(r'class="(\w+) point"', drawing)[1]
        bad = next((way for pattern, way in WORSE if re.search(pattern, metric["name"], re.I)), 0)
        better_or_worse = "more" if (metric["ratio"] > 1) == (bad > 0) else "less"
        check(
            look == ("plain" if is_open or not bad else better_or_worse),
            f"{metric['name']}: its colour",
            (look, metric),
        )
    check(len(rows) > 20, "ratios have drawings", len(rows))


def check_trees(folder):
    """Both trees: a box as wide as its share, on one scale, and what surely changed is marked with its
    interval."""
    words = [str(word) for word in made.pages(TOPDOWN, folder)["comparison of repeats"]]
    text, document = check_numbers("two trees", words)
    trees = trees_of(text)
    check(len(trees) == 2, "two trees", len(trees))
    nodes, marked = {node["name"]: node for node in document["nodes"]}, 0
    largest = max(document["cycles_before"], document["cycles_after"])
    scales = {side: document[f"cycles_{side}"] / largest for side in ("before", "after")}
    for tree, side in zip(trees, ("before", "after")):
        for node in (one for one in nodes.values() if one["level"] == 1):
            check(
                abs(tree[node["name"]][2] - 6 * node[side] * scales[side]) < 0.02,
                f"{node['title']} {side} is as wide as its cycles",
                tree[node["name"]][2],
            )
        for name, (look, said, _, _) in tree.items():
            node = nodes[name]
            is_sure = (node["cycles_low"] > 0 or node["cycles_high"] < 0) and abs(
                node["cycles"]
            ) >= 0.005 * document["cycles_before"]
            check(
                look == (("more" if node["cycles"] > 0 else "less") if is_sure else "low"),
                f"{node['title']} {side} is marked as it changed",
                look,
            )
            check(
                (f" {side} {node[side]:.1f} %" in said or node[side] < 1)
                and (" to " in said)
                and said.startswith(node["path"]),
                "and says from where to where",
                said,
            )
            marked += is_sure
        wide = [name for name, node in nodes.items() if node["level"] == 2 and node[side] > 1]
        check(wide and all(name in tree for name in wide), f"each node of {side} has a box", wide)
    check(marked >= 6, "some changed", marked)
    check_ratios(text, document)
    common = [name for name in trees[0] if name in trees[1]]
    check(
        sorted(common, key=lambda name: trees[0][name][3])
        == sorted(common, key=lambda name: trees[1][name][3]),
        "in the same order",
    )
    uneven = [
        name
        for name in common
        if min(nodes[name]["before"], nodes[name]["after"]) > 2
        and abs(
            trees[1][name][2]
            * nodes[name]["before"]
            * scales["before"]
            / (trees[0][name][2] * nodes[name]["after"] * scales["after"])
            - 1
        )
        > 0.01
    ]
    check(not uneven, "on the same scale", uneven)
    text, _ = check_numbers(
        "two trees of one measurement each", ("compare", SESSION, scaled(folder / "one.json", 1.2))
    )
    check(
        "one measurement of each side has no interval" in text
        and not re.search(r'class="k-\w+ (more|less)"', text),
        "without an interval nothing is marked",
    )
    text, _ = check_numbers("trees of a simulation", ("compare", SIMULATED, SIMULATED))
    check(
        text.count('<svg class="icicle"') == 2 and not re.search(r'class="k-\w+ (more|less)"', text),
        "the same twice: nothing is marked",
    )


def check_explored(folder):
    """Both sides are in the page of a comparison, each as it is in its own."""
    other = read_json(PROFILE)
    other["profile"]["rows"]["weight"][0] *= 2
    (folder / "p.json").write_text(json.dumps(other), encoding="utf-8")
    text, _ = check_numbers("two profiles", ("compare", PROFILE, folder / "p.json"))
    bases = []
    for path, name in ((PROFILE, "topdown-view"), (folder / "p.json", "topdown-view-after")):
        side, own = block(text, name), topdown("report", path, "--format", "html").stdout
        check_form("a profile", own)
        own = block(own, "topdown-view")
        check(
            {**side, "sources": []} == {**own, "sources": []} and side["functions"]["name"],
            f"{name} is what a page of {path} has",
        )
        bases.append(side["base"]["whole"])
    check(bases[1] > bases[0], "the second one has more", bases)


def table_of(folder, notes):
    lines = ["time,commit,branch,program,machine,kernel,metric,unit,value,low,high,n"]
    for number in range(40):
        for metric, unit, level in (("wall", "s", 2), ("tma_retiring", "%", 40)):
            value = level * (1 + 0.001 * (number * 7 % 5)) * (1.1 if number >= 25 else 1)
            lines.append(
                f"{1_700_000_000 + 3600 * number},{number:040x},main,{notes},box,6.1,{metric},{unit},{value:.9g},{value * 0.99:.9g},"  # noqa: E501
                f"{value * 1.01:.9g},5"
            )
    (folder / "runs.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    database = folder / f"{len(list(folder.iterdir()))}.db"
    subprocess.run(
        [TOPDOWN, "history", database, "import", folder / "runs.csv"], check=True, capture_output=True
    )
    return database


def check_history(folder):
    database = table_of(folder, "prog")
    text, document = check_numbers("a history", ("history", "--metrics", "*", database))
    runs = [run["run"] for run in document["series"][0]["runs"]]
    check_all(
        runs,
        lambda run: f'id="run-{run}"' in text and f'href="#run-{run}"' in text,
        "each point leads to its run",
    )
    change = document["series"][0]["metrics"][0]["changes"][0]
    check(
        f"at run {change['run']}, commit {change['commit'][:10]}" in text, "a change has its commit", change
    )
    check(text.count('class="plot') >= 2, "a plot of each metric")
    small = re.search(r'<div class="multiples">(.*?)</figure>', text, re.S)
    check(small and small[1].count('class="mark') >= 1, "small plots of all of them, with their changes")
    heads = re.findall(r"<th[^>]*>([^<]*)</th>", text[text.index(">Runs</h3>") :])
    check("Note" not in heads and "Run" in heads, "no column in which nothing stands", heads)
    text = topdown("history", table_of(folder, "</script><b>"), "--format", "html").stdout
    check_form("a hostile program", text)
    check("<b>" not in text and "&lt;/script&gt;&lt;b&gt;" in text, "its name is text")


def check_hostile(folder):
    for number, name in enumerate(HOSTILE):
        session = read_json(SIMULATED) | {"command": name, "kernel": name}
        for line in session["lines"]:
            line["function"] = line["file"] = name
        path = folder / f"hostile{number}.json"
        path.write_text(json.dumps(session), encoding="utf-8")
        text = topdown("compare", SIMULATED, path, "--format", "html").stdout
        page = check_form(f"a comparison with {name[:20]!r}", text)
        check(page.tags.count("script") == 4 and "onload" not in page.attributes, f"{name[:20]!r} stays text")
        check("\u202e" not in text, f"no direction turns in {name[:20]!r}")


def check_lists():
    """Every word that the JSON has of a row is on the page."""
    for words, texts in (
        (("list", "nodes", "--cpu", "spr"), lambda found: [row["title"] for row in found["nodes"]]),
        (("list", "cpus"), lambda found: [row["title"] for row in found["cpus"]]),
        (
            ("explain", "--cpu", "spr", "DRAM_Bound"),
            lambda found: [row["means"] for row in found["explained"]],
        ),
        (
            ("plan", "-l3", "--cpu", "spr"),
            lambda found: [
                event["name"] for run in found["runs"] for group in run["groups"] for event in group["events"]
            ],
        ),
        (("doctor",), lambda found: [row[key] for row in found["checks"] for key in ("title", "found")]),
    ):
        name = " ".join(words)
        document = json.loads(topdown(*words, "--format", "json").stdout)
        page = check_form(name, topdown(*words, "--format", "html").stdout)
        shown = " ".join(" ".join(page.text).split())
        check_all(
            texts(document), lambda text, on=shown: " ".join(text.split()) in on, f"{name}: is on the page"
        )


def main():
    with temporary() as folder:
        folder = pathlib.Path(folder)
        check_comparison(folder)
        check_trees(folder)
        check_models(folder)
        check_explored(folder)
        check_history(folder)
        check_hostile(folder)
    check_lists()
    finish()


main()
