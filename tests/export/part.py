#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""part.py - a flame graph as a section of a page: boxes as wide as the functions' weights, names that stay
text, no styles and no script of its own, and a table with what each function has."""
import collections
import html.parser
import re
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import check, finish
from lib.made_up import chosen, deep, hostile, write

WIDTH, ROW, SMALLEST = 1200, 17, 0.0005
VOID = {"rect"}
TAGS = {
    "section",
    "h2",
    "figure",
    "figcaption",
    "div",
    "p",
    "ul",
    "li",
    "span",
    "svg",
    "rect",
    "g",
    "title",
    "text",
    "details",
    "summary",
    "table",
    "caption",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "data",
}


class Part(html.parser.HTMLParser):
    """Boxes as (name, depth, width), rows of the table, and what tags and attributes there are."""

    def __init__(self, data):
        super().__init__(convert_charrefs=True)
        self.boxes, self.rows, self.tags, self.attributes, self.open, self.texts, self.wrong = (
            [],
            [],
            set(),
            set(),
            [],
            "",
            [],
        )
        self.feed(re.search(r"<section.*</section>", data.decode("utf-8"), re.S)[0])
        self.close()

    def handle_starttag(self, tag, attrs):
        own = dict(attrs)
        self.tags.add(tag)
        self.attributes |= set(own)
        if tag == "g":
            self.boxes.append({"title": ""})
        elif tag == "rect" and "g" in self.open:
            self.boxes[-1].update(
                depth=round(float(own["y"]) / ROW), width=float(own["width"]), x=float(own["x"])
            )
        elif tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")
        elif tag == "data":
            self.rows[-1].append(float(own["value"]))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)

    def handle_data(self, data):
        self.texts += data
        if self.open and self.open[-1] == "title":
            self.boxes[-1]["title"] += data
        elif self.open and self.open[-1] in ("td", "th"):
            self.rows[-1][-1] += data


def check_form(name, part):
    check(
        not part.wrong and not part.open, f"{name}: elements are closed in order", (part.wrong[:3], part.open)
    )
    check(part.tags <= TAGS, f"{name}: no other elements", part.tags - TAGS)
    check(
        not part.attributes & {"style", "href", "src", "xmlns"}
        and not [one for one in part.attributes if one.startswith("on")],
        f"{name}: no styles, addresses, handlers",
        part.attributes,
    )


def check_widths(made, weighing, part):
    wanted = collections.Counter()
    for row in made.rows:
        stack = made.stack(row)
        for depth in range(len(stack)):
            wanted[tuple(stack[: depth + 1])] += row.weights[weighing]
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
            (box["title"].split("\n")[0], box["depth"], box["width"]): 1
            for box in part.boxes[1:]
            if not re.match(r"\d+ more$", box["title"].split("\n")[0])
        }
    )
    check(
        found == wanted,
        f"weighing {weighing}: functions, depths and widths",
        list((found - wanted) + (wanted - found))[:4],
    )


def check_table(made, weighing, part):
    """The heaviest first; own and total are those of the stacks."""
    own, totals, whole = made.own(weighing), made.totals(weighing), made.total(weighing)
    rows = [row for row in part.rows if row and isinstance(row[3], float)]
    check(rows, "there is a table", part.rows[:2])
    order = [row[3] for row in rows]
    check(order == sorted(order, reverse=True), "the heaviest first", order[:5])
    wanted = collections.Counter(
        (name, round(100 * own[(name, module)] / whole, 6), round(100 * totals[(name, module)] / whole, 6))
        for name, module in totals
    )
    found = collections.Counter((row[0], round(row[3], 6), round(row[5], 6)) for row in rows)
    check(
        len(rows) == min(len(wanted), 100) and not found - wanted,
        f"weighing {weighing}: the table",
        list((found - wanted).items())[:3],
    )


def main():
    for seed in range(3):
        made = chosen(seed)
        for weighing in range(3):
            part = Part(write(made, "part", weighing))
            check_form(f"seed {seed}", part)
            check_widths(made, weighing, part)
            check_table(made, weighing, part)
    part = Part(write(hostile(), "part"))
    check_form("hostile names", part)
    check("</title><script>alert(1)</script>" in part.texts, "a name that is markup is text")
    check(
        not re.search("[\u202a-\u202e\u2066-\u2069\x00-\x08]", part.texts), "no character turns the direction"
    )
    part = Part(write(deep(1000), "part"))
    check(len(part.boxes) == 1001 and {box["width"] for box in part.boxes} == {WIDTH}, "1,000 frames")
    finish()


main()
