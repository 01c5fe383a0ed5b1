#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""svg.py - `topdown export --to svg`: strict XML with whatever names, rectangles as wide as the functions'
weights and inside their callers, colours that can be read, nothing from elsewhere; and the script zooms and
searches."""
import collections
import json
import pathlib
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET

sys.path.append(f"{sys.path[0]}/..")
from lib import check, check_all, finish
from lib.made_up import Profile, Frame, Row, Weighing, chosen, deep, hostile, write

SVG = "{http://www.w3.org/2000/svg}"
WIDTH, ROW = 1200, 17
CLOSE = 0.002
SMALLEST = 0.0005
Box = collections.namedtuple("Box", "name x y width fill title text")


def read(data):
    root = ET.fromstring(data)
    boxes = []
    for group in root.iter(SVG + "g"):
        rect, title, text = group.find(SVG + "rect"), group.find(SVG + "title").text, group.find(SVG + "text")
        boxes.append(
            Box(
                title.split("\n")[0],
                *(float(rect.get(key)) for key in ("x", "y", "width")),
                rect.get("fill"),
                title,
                None if text is None else text.text,
            )
        )
    return root, boxes


def check_layout(boxes):
    """Each is within one of the row above, none covers another."""
    rows = collections.defaultdict(list)
    for box in boxes:
        rows[round(box.y, 1)].append(box)
    levels = sorted(rows)
    check_all(zip(levels, levels[1:]), lambda a, b: abs(b - a - ROW) < 0.01, "rows follow each other")
    for above, level in zip([None, *levels], levels):
        end = -1
        for box in rows[level]:
            check(box.x >= end - CLOSE, "no box covers another", box)
            end = box.x + box.width
            check(
                above is None
                or any(a.x <= box.x + CLOSE and end <= a.x + a.width + CLOSE for a in rows[above]),
                "a box is below its caller",
                box,
            )
    check(
        rows[levels[0]][0].x == 0 and rows[levels[0]][0].width == WIDTH, "the whole is as wide as the picture"
    )


def check_widths(made, weighing, boxes):
    """Each stack is a path of boxes; of these, what is wide enough is there with its width."""
    wanted = collections.Counter()
    for row in made.rows:
        stack = [function[0] for function in made.stack(row)]
        modules = [function for function in made.stack(row)]
        for depth in range(len(stack)):
            wanted[tuple(modules[: depth + 1])] += row.weights[weighing]
    total = made.total(weighing)
    wanted = collections.Counter(
        {
            (path[-1][0], len(path), round(weight / total * WIDTH, 3)): 1
            for path, weight in wanted.items()
            if weight >= SMALLEST * total
        }
    )
    found = collections.Counter(
        {
            (box.name, round((box.y - boxes[0].y) / ROW), box.width): 1
            for box in boxes[1:]
            if not re.match(r"\d+ more$", box.name)
        }
    )
    check(
        found == wanted,
        f"weighing {weighing}: functions, depths and widths",
        list((found - wanted) + (wanted - found))[:4],
    )


def luminance(color):
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    parts = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(one, other):
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def check_page(data, root):
    text = data.decode("utf-8")
    check(
        not re.search(
            r"\b(href|src|url\(|@import|style=|<style|on[a-z]+=)",
            re.sub(r"<title>.*?</title>|<text.*?</text>", "", text, flags=re.S),
        ),
        "nothing from elsewhere, no style, no handler in an attribute",
    )
    check(
        set(re.findall(r"https?://[^\"' ]+", text))
        == {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xhtml"},
        "no address but the names of SVG and HTML",
    )
    check(len(list(root.iter(SVG + "script"))) == 1, "one script")
    color = root.get("fill")
    for fill in {rect.get("fill") for rect in root.iter(SVG + "rect")}:
        check(contrast(color, fill) >= 4.5, "the text can be read", (color, fill))


def check_texts(boxes):
    for box in boxes:
        if box.text is not None:
            check(len(box.text) * 7.25 <= box.width, "a text stays in its box", box)
            check(
                box.text == box.name or box.text.endswith("…") and box.name.startswith(box.text[:-1]),
                "a text is the name's beginning",
                box,
            )
        elif box.width > 60:
            check(False, "a wide box has a text", box)


def check_numbers():
    """Counts, percent and the interval of Wilson in the tooltips."""
    made = Profile([Weighing("cycles", "cycles", "events", "event")])
    made.modules, made.tasks = [("/bin/a", 0)], [(1, 1, "a", "/bin/a")]
    made.places = [(0, 1, [Frame("main", "a.c", 1)]), (0, 2, [Frame("hot", "a.c", 2)])]
    made.rows = [Row(0, 75, [7500], [1, 0]), Row(0, 25, [2500], [0])]
    _, boxes = read(write(made, "svg"))
    lines = {box.name: box.title.split("\n") for box in boxes}
    p, n, z = 0.75, 100, 1.959964
    middle, half = (p + z * z / 2 / n) / (1 + z * z / n), z * (p * (1 - p) / n + z * z / 4 / n / n) ** 0.5 / (
        1 + z * z / n
    )
    check(
        lines["hot"]
        == [
            "hot",
            "a, a.c",
            "7,500 events",
            f"75.00 % (95 %: {100 * (middle - half):.2f} to {100 * (middle + half):.2f}), 75 samples",
            "itself 7,500 events",
        ],
        "tooltip",
        lines["hot"],
    )
    check(
        lines["main"][2] == "10,000 events" and lines["main"][-1] == "itself 2,500 events",
        "tooltip of the caller",
        lines["main"],
    )


def check_colors_by_node():
    """hot loses its slots to DRAM, branchy to mispredicts, plain retires; rare has too few samples."""
    names = (
        ("Retiring", -1),
        ("Bad_Speculation", -1),
        ("Branch_Mispredicts", 1),
        ("Backend_Bound", -1),
        ("Memory_Bound", 3),
        ("DRAM_Bound", 4),
    )
    made = Profile(
        [Weighing("cycles", "cycles", "cycles", "event")]
        + [Weighing(name, name, "slots", "event") for name, _ in names]
    )
    made.nodes = [
        (name, number + 1, parent, slots)
        for number, ((name, parent), slots) in enumerate(zip(names, (300, 200, 180, 500, 400, 300)))
    ]
    made.modules, made.tasks = [("/bin/a", 0)], [(1, 1, "a", "/bin/a")]
    parts = {
        "hot": (10, 5, 5, 90, 90, 90),
        "branchy": (10, 90, 90, 5, 5, 5),
        "plain": (80, 5, 5, 5, 5, 5),
        "rare": (1, 1, 1, 1, 1, 1),
    }
    for number, (name, weights) in enumerate(parts.items()):
        made.places.append((0, number, [Frame(name, "a.c", 1)]))
        for weighing, weight in enumerate((40, *weights)):
            made.rows.append(
                Row(
                    0,
                    1 if name == "rare" else 100,
                    [weight if weighing == i else 0 for i in range(7)],
                    [number],
                )
            )
    root, boxes = read(write(made, "svg", 0, "none", "node"))
    mostly = {box.name: re.findall(r"mostly (.*)", box.title) for box in boxes}
    check(
        mostly["hot"] == ["DRAM_Bound"]
        and mostly["branchy"] == ["Branch_Mispredicts"]
        and mostly["plain"] == ["Retiring"],
        "nodes",
        mostly,
    )
    check(mostly["rare"] == [], "too few samples", mostly["rare"])
    fills = {box.name: box.fill for box in boxes}
    check(len({fills[name] for name in parts}) == 4, "four colours", fills)
    shown = [text.text for text in root.findall(SVG + "text")]
    check(
        {"DRAM_Bound", "Branch_Mispredicts", "Retiring", "too few samples"} <= set(shown), "a legend", shown
    )


def check_many():
    """30,000 stacks stay a picture that a browser draws."""
    made = Profile([Weighing("cycles", "cycles", "cycles", "event")])
    made.modules, made.tasks = [("/bin/a", 0)], [(1, 1, "a", "/bin/a")]
    made.places = [(0, number, [Frame(f"f{number}", "a.c", 1)]) for number in range(320)]
    made.rows = [Row(0, 1, [1], [number % 320, number // 320]) for number in range(30000)]
    data = write(made, "svg")
    root, boxes = read(data)
    check_layout(boxes)
    check(len(data) < 2e6 and len(boxes) < 5000, "small enough", (len(data), len(boxes)))
    check(
        any("narrower than 0.05 %" in (text.text or "") for text in root.iter(SVG + "text")),
        "what is merged is said",
    )
    check(sum(box.width for box in boxes if box.name.endswith(" more")) > 1000, "what is merged is there")


def check_script(data):
    """The script, run by node in a document of the test's own."""
    if not shutil.which("node"):
        print("no node here: the script was not run")
        return
    root, boxes = read(data)
    text = root.find(SVG + "script").text
    check(len(text.splitlines()) <= 200, "the script is short")
    target = next(box for box in boxes if box.name == "work" and box.width < 900)
    done = subprocess.run(
        ["node", pathlib.Path(__file__).with_name("page.js"), text],
        input=json.dumps(
            {"boxes": [b._asdict() for b in boxes], "target": boxes.index(target), "word": "WORK"}
        ),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    check(done.returncode == 0, "the script runs", done.stderr)
    if done.returncode == 0:
        check_behaviour(json.loads(done.stdout), boxes, target)


def check_behaviour(state, boxes, target):
    for box, after in zip(boxes, state["zoomed"]):
        inside = target.x - CLOSE <= box.x and box.x + box.width <= target.x + target.width + CLOSE
        around = box.x <= target.x + CLOSE and target.x + target.width <= box.x + box.width + CLOSE
        if box.y < target.y:
            wanted = (0, WIDTH) if around else None
        else:
            wanted = (
                ((box.x - target.x) * WIDTH / target.width, box.width * WIDTH / target.width)
                if inside
                else None
            )
        check(
            (wanted is None) == (after["display"] == "none"),
            "zoom shows callers and what is called",
            (box, after),
        )
        if wanted and after["display"] != "none":
            check(
                abs(after["x"] - wanted[0]) < 0.5 and abs(after["width"] - wanted[1]) < 0.5,
                "zoom stretches",
                (box, after, wanted),
            )
    check(
        [(after["x"], after["width"], after["display"]) for after in state["reset"]]
        == [(box.x, box.width, "inline") for box in boxes],
        "reset",
    )
    found = [index for index, after in enumerate(state["found"]) if after["fill"] != boxes[index].fill]
    check(
        found == [index for index, box in enumerate(boxes) if "work" in box.name.lower()],
        "search marks",
        found[:5],
    )
    covered, end = 0, -1
    for index in found:
        if boxes[index].x >= end - CLOSE:
            covered += boxes[index].width
            end = boxes[index].x + boxes[index].width
    check(f"{100 * covered / WIDTH:.1f} %" in state["message"], "search says how much", state["message"])
    check(contrast("#111111", state["found"][found[0]]["fill"]) >= 4.5, "a mark can be read")
    check(state["prevented"] and state["focused"], "Ctrl-F is the search field's")
    check_all(
        zip(state["escaped"], boxes), lambda after, box: after["fill"] == box.fill, "Escape ends a search"
    )


def main():
    for seed in range(4):
        made = chosen(seed)
        for weighing in range(3):
            data = write(made, "svg", weighing)
            root, boxes = read(data)
            check_layout(boxes)
            check_widths(made, weighing, boxes)
            check_texts(boxes)
        check_page(data, root)
    check(data == write(made, "svg", 2), "the same again")
    check_script(data)
    by_thread = read(write(made, "svg", 0, "thread"))[1]
    check({"prog (tid 10)", "w (tid 11)", "other (tid 12)"} <= {box.name for box in by_thread}, "--by thread")
    data = write(hostile(), "svg")
    root, boxes = read(data)
    check_layout(boxes)
    check(len(list(root.iter(SVG + "script"))) == 1, "hostile names: no script of theirs")
    _, boxes = read(write(deep(1000), "svg"))
    check(len(boxes) == 1001 and {box.width for box in boxes} == {WIDTH}, "1,000 frames")
    check_numbers()
    check_colors_by_node()
    check_many()
    finish()


main()
