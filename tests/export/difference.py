#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""difference.py - `topdown export --to svg BEFORE AFTER` of two profiles made by hand: widths, colours, and
the numbers of each box by hand; what only one side has stays; what chance may do is grey; names from
strangers stay names; and what can't be compared is refused."""
import collections
import json
import re
import sys
import xml.etree.ElementTree as ET

sys.path.append(f"{sys.path[0]}/..")
from lib import (
    BUILD,
    check,
    check_all,
    check_failure,
    check_success,
    finish,
    need_simulator,
    read_json,
    temporary,
    topdown,
)
from lib.profiles import CLOCK, HEAD, Profile

SVG = "{http://www.w3.org/2000/svg}"
MS = 1000000
Box = collections.namedtuple("Box", "name change x width fill lines")


def place(function, module="prog", file="a.c"):
    return (module, [(function, file, 1)])


def save(path, rows, module="prog", events=(CLOCK,), command="./prog"):
    """rows: {"main;work": samples}"""
    made = Profile(events)
    for stack, samples in rows.items():
        made.add([place(name, module) for name in stack.split(";")], samples, task=(10, 10, module, module))
    path.write_text(json.dumps(made.session({**HEAD, "command": command})), encoding="utf-8")
    return path


def boxes_of(text):
    found = {}
    for group in ET.fromstring(text).iter(SVG + "g"):
        lines = group.find(SVG + "title").text.split("\n")
        rect = group.find(SVG + "rect")
        name, change = re.fullmatch(r"(.*) \((.*)\)", lines[0]).groups()
        check(name not in found, "each function is one box", name)
        found[name] = Box(
            name, change, float(rect.get("x")), float(rect.get("width")), rect.get("fill"), lines[1:]
        )
    return found


def difference(*words):
    result = topdown("export", "--to", "svg", *words)
    check_success(result, "export --to svg BEFORE AFTER")
    return result.stdout


def is_red(fill):
    return int(fill[1:3], 16) > int(fill[5:7], 16) + 8


def is_blue(fill):
    return int(fill[5:7], 16) > int(fill[1:3], 16) + 8


def luminance(fill):
    parts = [int(fill[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    parts = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


BEFORE = {"main;hot": 4000, "main;old": 1000, "main;same": 3000, "main;cold": 2000}
AFTER = {"main;hot": 9000, "main;new": 1500, "main;same": 3010, "main;cold": 1490}


def check_numbers(folder):
    """10,000 samples of 1 ms before, 15,000 after: the picture is as wide as 12,500."""
    text = difference(save(folder / "a", BEFORE), save(folder / "b", AFTER))
    boxes = boxes_of(text)
    wanted = {"main": 12500, "all": 12500, "hot": 6500, "old": 500, "new": 750, "same": 3005, "cold": 1745}
    check(set(boxes) == set(wanted), "every function of either side has a box", sorted(boxes))
    for name, mean in wanted.items():
        check(
            abs(boxes[name].width - mean * 1200 / 12500) < 0.01, f"{name}: its width is the mean", boxes[name]
        )
    check(
        {name: box.change for name, box in boxes.items()}
        == {
            "all": "+50.0 %",
            "main": "+50.0 %",
            "hot": "+125.0 %",
            "old": "gone",
            "new": "new",
            "same": "+0.3 %",
            "cold": "-25.5 %",
        },
        "changes",
    )
    check(
        boxes["hot"].lines
        == [
            "prog, a.c",
            "before 4000.000 ms, 40.00 %, 4,000 samples",
            "after 9000.000 ms, 60.00 %, 9,000 samples",
            "difference +5000.000 ms, +50.00 % of all before",
            "of that itself +5000.000 ms, +50.00 % of all before",
        ],
        "the words of hot",
        boxes["hot"].lines,
    )
    check(
        boxes["old"].lines[1:4]
        == [
            "before 1000.000 ms, 10.00 %, 1,000 samples",
            "after 0.000 ms, 0.00 %, 0 samples",
            "difference -1000.000 ms, -10.00 % of all before",
        ],
        "the words of old",
        boxes["old"].lines,
    )
    check_all(("main", "hot", "new"), lambda name: is_red(boxes[name].fill), "slower is red")
    check_all(("old", "cold"), lambda name: is_blue(boxes[name].fill), "faster is blue")
    check(
        not is_red(boxes["same"].fill) and not is_blue(boxes["same"].fill),
        "the same is grey",
        boxes["same"].fill,
    )
    check("before 10000.000 ms, after 15000.000 ms (+50.0 %)" in text, "the head has both")
    dark = luminance("#111111") + 0.05
    for fill in set(re.findall(r'fill="(#[0-9a-f]{6})"', text)) - {"#111111"}:
        check((luminance(fill) + 0.05) / dark >= 4.5, "the text can be read", fill)


def check_normalized(folder):
    """The shares: hot has 40 % and then 60 %, same 30 % and then 20.07 %, so it is blue."""
    text = difference("--normalize", folder / "a", folder / "b")
    boxes = boxes_of(text)
    check(
        boxes["main"].change == "+0.0 %" and boxes["hot"].change == "+50.0 %",
        "shares are compared",
        boxes["hot"],
    )
    check(
        abs(boxes["hot"].width - 600) < 0.01 and abs(boxes["main"].width - 1200) < 0.01,
        "widths are shares",
        boxes["hot"],
    )
    check(
        boxes["hot"].lines[1:4]
        == [
            "before 4000.000 ms, 40.00 %, 4,000 samples",
            "after 9000.000 ms, 60.00 %, 9,000 samples",
            "difference +20.00 points",
        ],
        "in points, with what was measured",
        boxes["hot"].lines,
    )
    check(is_blue(boxes["same"].fill), "a smaller share is blue")
    check("as shares" in text, "it says so")


def check_chance(folder):
    """6 samples against none are no chance (2 * 0.5^6 = 3.1 %), 5 are (6.3 %); 100 and 110 are, 1,000 and
    1,100 are not."""
    save(folder / "a", {"six": 6, "ten": 100, "thousand": 1000, "five": 5})
    save(folder / "b", {"ten": 110, "thousand": 1100})
    boxes = boxes_of(difference(folder / "a", folder / "b"))
    for name, is_chance in {"six": False, "five": True, "ten": True, "thousand": False}.items():
        check(("chance may do that" in boxes[name].lines[-1]) == is_chance, f"{name}: chance", boxes[name])
        check(
            (is_red(boxes[name].fill) or is_blue(boxes[name].fill)) != is_chance,
            f"{name}: colour",
            boxes[name],
        )


def check_matching(folder):
    """./old and ./new are the same program; libc.so.6 and libc.so.7 the same library; other modules'
    functions are others."""
    for name, module, library in (("a", "old", "libc.so.6"), ("b", "new", "libc.so.7")):
        made = Profile()
        made.add(
            [place("main", "/x/" + module), place("read", "/lib/" + library)],
            100,
            task=(1, 1, module, "/x/" + module),
        )
        made.add(
            [place("main", "/x/" + module), place("helper", f"/lib/{name}.so")],
            100,
            task=(1, 1, module, "/x/" + module),
        )
        (folder / name).write_text(json.dumps(made.session()), encoding="utf-8")
    text = difference(folder / "a", folder / "b")
    changes = [group.find(SVG + "title").text.split("\n")[0] for group in ET.fromstring(text).iter(SVG + "g")]
    check(
        sorted(changes)
        == ["all (+0.0 %)", "helper (gone)", "helper (new)", "main (+0.0 %)", "read (+0.0 %)"],
        "what is the same",
        changes,
    )


def changes_of(text):
    return [group.find(SVG + "title").text.split("\n") for group in ET.fromstring(text).iter(SVG + "g")]


def check_exact(folder):
    """A simulation beside itself, with one function renamed: nothing is chance, and that function is gone and
    new."""
    need_simulator()
    result = topdown(
        "-l2",
        "--pmu",
        "sim",
        "--sim-core",
        "zen4",
        "--functions",
        "--no-anchor",
        "--save",
        folder / "a",
        BUILD / "kernels/divide",
        "2",
    )
    check(result.returncode == 0, "a simulation", result.stderr)
    session = read_json(folder / "a")
    texts = session["profile"]["texts"]
    texts[texts.index("main")] = "renamed"
    (folder / "b").write_text(json.dumps(session), encoding="utf-8")
    for words, unit in (((), "cycles"), (("--nodes", "Retiring"), "slots")):
        titles = changes_of(difference(*words, folder / "a", folder / "b"))
        check_all(
            titles,
            lambda title: re.match(rf"before [\d,]+ {unit}, [\d.]+ %$", title[2]),
            f"{unit}, without samples",
        )
        heads = [title[0] for title in titles]
        check("main (gone)" in heads and "renamed (new)" in heads, f"{unit}: on one side only", heads[:5])
        check(
            {head for head in heads if head.startswith("_dl_map_object ")} <= {"_dl_map_object (+0.0 %)"},
            f"{unit}: the same",
            heads[:5],
        )
    check_failure(
        topdown("export", "--to", "svg", folder / "a", folder / "clock"),
        "exact and sampled",
        "nothing in common",
        "simulated",
    )


def check_refusals(folder):
    save(folder / "clock", BEFORE)
    cycles = {**CLOCK, "event": "cycles", "period": 10007}
    save(folder / "cycles", BEFORE, events=(cycles,))
    pair = (folder / "clock", folder / "clock")
    check_failure(
        topdown("export", "--to", "svg", folder / "clock", folder / "cycles"),
        "other events",
        "nothing in common: the first has time, the second cycles",
    )
    check_failure(
        topdown("export", "--to", "svg", "-e", "cycles", folder / "cycles", folder / "clock"),
        "one lacks it",
        str(folder / "clock"),
        "--event cycles",
    )
    check_failure(topdown("export", "--to", "folded", *pair), "another form", "only --to svg")
    check_failure(
        topdown("export", "--to", "svg", "--by", "thread", *pair),
        "--by",
        "threads of two files can't be matched",
    )
    check_failure(
        topdown("export", "--to", "svg", "--color-by", "node", *pair),
        "--color-by",
        "colours show the difference",
    )
    check_failure(
        topdown("export", "--to", "svg", "--normalize", folder / "clock"), "--normalize", "needs two files"
    )
    check_failure(topdown("export", "--to", "svg", *pair, folder / "clock"), "three files", "which file?")


def check_hostile(folder):
    """Names that are markup, and no characters at all."""
    names = [
        "<script>alert(1)</script>",
        "a&b",
        '"><g onload="x()">',
        "tab\tand\nline",
        "]]>",
        "日本語",
        "x" * 5000,
    ]
    for file, count in (("a", 100), ("b", 200)):
        made = Profile()
        for name in names:
            made.add([place(name)], count)
        (folder / file).write_text(
            json.dumps(made.session({**HEAD, "command": "./<b>&\u0001"})), encoding="utf-8"
        )
    text = difference(folder / "a", folder / "b")
    root = ET.fromstring(text)
    check(
        len(list(root.iter(SVG + "script"))) == 1 and len(list(root.iter(SVG + "g"))) == len(names) + 1,
        "names stay names",
    )
    check(not re.search(r"\b(href|src)=", text), "nothing from elsewhere")


def main():
    with temporary() as folder:
        check_numbers(folder)
        check_normalized(folder)
        check_refusals(folder)
        check_chance(folder)
        check_matching(folder)
        check_hostile(folder)
        save(folder / "clock", BEFORE)
        check_exact(folder)
    finish()


main()
