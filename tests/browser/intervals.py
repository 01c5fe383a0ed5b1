#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""intervals.py - the intervals of a measurement on its page: one page, its numbers those of the JSON reports,
thinned beside means that are computed here; and in a browser plots are pointed at, zoomed by drawing, by
buttons and by keys."""
import collections
import html.parser
import json
import re
import subprocess
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import TOPDOWN, check, chromium, finish, temporary
from lib.interval_table import LENGTH, series
from lib.soft_pmu import soft_pmu

SHOWN = ("Frontend_Bound", "Bad_Speculation", "Backend_Bound", "Retiring")
POINTS = 600


def expect(what, holds, found=None):
    check(holds, what, found)


def report(form, path, *words):
    run = subprocess.run(
        [TOPDOWN, "report", "-l2", "--cpu", "clx", "--format", form, *words, str(path)],
        capture_output=True,
        check=False,
    )
    expect(f"{form}: it is made", run.returncode == 0, run.stderr)
    return run.stdout.decode()


class Tables(html.parser.HTMLParser):
    """The page's tables, as lists of rows of texts, and the titles of its columns of plots."""

    def __init__(self, page):
        super().__init__()
        self.tables, self.text, self.svgs, self.titles, self.is_title = [], None, [], [], False
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        if tag == "table":
            self.tables.append([])
        elif tag == "tr" and self.tables:
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.text = ""
        elif tag == "svg":
            self.svgs.append(dict(attributes))
        elif tag == "title":
            self.is_title = True
            self.titles.append("")

    def handle_endtag(self, tag):
        if tag in ("td", "th") and self.text is not None:
            self.tables[-1][-1].append(self.text)
            self.text = None
        elif tag == "title":
            self.is_title = False

    def handle_data(self, data):
        if self.text is not None:
            self.text += data
        elif self.is_title:
            self.titles[-1] += data


def values(reports):
    """[{title: value}] of the intervals."""
    return [
        {**{node["title"]: node["value"] for node in one["nodes"]}, "IPC": one["summary"]["ipc"]}
        for one in reports
        if one["interval"]
    ]


def timeline_table(page):
    found = [table for table in Tables(page).tables if table and table[0][:1] == ["From, s"]]
    expect("one table of intervals", len(found) == 1, len(found))
    heads = [head.split(",")[0] for head in found[0][0]]
    return [dict(zip(heads, row)) for row in found[0][1:]]


def close(a, b, digits):
    return abs(a - b) <= 10.0**-digits * max(abs(a), abs(b), 1e-9)


def check_short(folder):
    path = series(folder / "short.csv", 40)
    reports = [json.loads(line) for line in report("json", path).splitlines()]
    page = report("html", path)
    expect("one page", page.count("<!DOCTYPE html>") == 1 and page.count("<h1") == 1)
    rows, wanted = timeline_table(page), values(reports)
    expect("a row for each interval", len(rows) == len(wanted) == 40, len(rows))
    for i, (row, interval) in enumerate(zip(rows, wanted)):
        expect(
            "times",
            close(float(row["From"]), i * LENGTH, 9) and close(float(row["To"]), (i + 1) * LENGTH, 9),
            row,
        )
        for name in (*SHOWN, "IPC"):
            expect(
                f"interval {i}, {name}: the number of the JSON report",
                close(float(row[name]), interval[name], 9),
                (row[name], interval[name]),
            )
    groups = [svg for svg in Tables(page).svgs if "data-group" in svg]
    expect(
        "level 1, IPC and clock have plots",
        {"Level 1 over time", "IPC over time", "Clock over time"} <= {svg["aria-label"] for svg in groups},
        groups,
    )
    expect(
        "from the first to the last",
        all(float(svg["data-low"]) == 0 and close(float(svg["data-high"]), 10, 9) for svg in groups),
        groups,
    )
    expect("nothing is said of thinning", "stands for" not in page)
    text = report("text", path, "-v")
    expect(
        "text has a tree for each",
        text.count("Frontend_Bound") == 41 and "Over time" not in text,
        text.count("Frontend_Bound"),
    )
    return path


def check_thinned(folder):
    path = series(folder / "long.csv", 700)
    wanted, page = values(json.loads(line) for line in report("json", path).splitlines()), report(
        "html", path
    )
    expect("thinning is said", "Each point represents 2 intervals" in page)
    rows = timeline_table(page)
    expect("a row for two intervals", len(rows) == 350 <= POINTS, len(rows))
    for i, row in enumerate(rows):
        for name in SHOWN:
            pair = [one[name] for one in wanted[2 * i : 2 * i + 2]]
            found = [
                float(number) for number in re.fullmatch(r"(\S+) \((\S+) to (\S+)\)", row[name]).groups()
            ]
            expect(
                f"row {i}, {name}: mean, least and greatest",
                all(close(a, b, 5) for a, b in zip(found, (sum(pair) / 2, min(pair), max(pair)))),
                (found, pair),
            )


def check_parts(folder):
    path = series(folder / "sockets.csv", 12, [f"S{number}" for number in range(6)])
    page = report("html", path)
    small = collections.Counter(
        svg["aria-label"] for svg in Tables(page).svgs if "small" in svg.get("class", "")
    )
    expect("level 1 and IPC of each socket", all(small[f"S{number}"] == 2 for number in range(6)), small)
    expect(
        "a bar for each socket and node",
        sum(title.startswith(("Retiring, S", "Backend_Bound, S")) for title in Tables(page).titles) == 12,
    )


BUSY = "import time\nwhile time.process_time() < 1: bytearray(1000000)\nprint('it ran')"


def check_measured(folder):
    """A measurement writes one page, whose intervals add up to the session that it saves."""
    page, session = folder / "measured.html", folder / "measured.json"
    machine = list(map(str, soft_pmu(folder)))
    run = subprocess.run(
        [
            TOPDOWN,
            *machine,
            "-I",
            "50",
            "-e",
            "FAULTS",
            "-o",
            str(page),
            "--save",
            str(session),
            "--",
            sys.executable,
            "-c",
            BUSY,
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    expect(
        "the program's output is its own",
        (run.returncode, run.stdout) == (0, "it ran\n"),
        (run.returncode, run.stdout, run.stderr),
    )
    text = page.read_text(encoding="utf-8")
    again = subprocess.run(
        [TOPDOWN, "report", "--format", "json", *machine[2:], str(session)],
        capture_output=True,
        text=True,
        check=False,
    )
    last = json.loads(again.stdout.splitlines()[-1])  # behind the intervals stands all of the time
    rows, whole = timeline_table(text), {event["title"]: event["value"] for event in last["events"]}["FAULTS"]
    expect("one page of all intervals", text.count("<!DOCTYPE html>") == 1 and len(rows) > 1, len(rows))
    expect(
        "they follow each other",
        all(one["To"] == other["From"] for one, other in zip(rows, rows[1:])),
        rows[:2],
    )
    faults = [
        float(row["FAULTS"]) for row in rows if row["FAULTS"] not in ("", "-")
    ]  # the last one may be too short to count, and one in which it had no CPU
    expect(
        "what was counted in the intervals is what was counted in all",
        close(sum(faults), whole, 9) and max(faults) > 0,
        (sum(faults), whole),
    )


def look(browser, path, folder):
    page = folder / "page.html"
    page.write_text(report("html", path), encoding="utf-8")
    tab = browser.open(page)
    for width in (360, 1280, 3840):
        tab.resize(width)
        expect(
            f"{width} px hold it",
            tab.run("document.documentElement.scrollWidth") <= width,
            tab.run("document.documentElement.scrollWidth"),
        )
        sizes = tab.run(
            "[...document.querySelectorAll('svg.axes.whole text, svg.axes.half text')].map(t =>"
            " t.getBoundingClientRect().height)"
        )
        expect(
            f"{width} px: text can be read",
            sizes and min(size for size in sizes if size) >= 11,
            sorted(sizes)[:3],
        )
        overlap = tab.run(
            """[...document.querySelectorAll('svg.axes g.x')].filter(g => {
            const boxes = [...g.children].map(t => t.getBoundingClientRect()).filter(b => b.width);
            return boxes.some((b, i) => i && b.left < boxes[i - 1].right);
        }).length"""
        )
        expect(f"{width} px: no tick covers another", overlap == 0, overlap)
    tab.resize(1280)
    box = tab.run(
        """(() => { const svg = document.querySelector('svg.axes[data-group]'); svg.scrollIntoView();
        const b = svg.querySelector('.area').getBoundingClientRect(); return [b.left, b.top, b.width, b.height]; })()"""  # noqa: E501
    )

    def mouse(kind, share, **more):
        tab.call(
            "Input.dispatchMouseEvent",
            {"type": kind, "x": box[0] + box[2] * share, "y": box[1] + box[3] / 2, **more},
        )

    def view():
        return [
            list(map(float, found.split()))
            for found in tab.run(
                "[...document.querySelectorAll('svg.axes[data-group] .area')].map(a =>"
                " a.getAttribute('viewBox'))"
            )
        ]

    mouse("mouseMoved", 0.5125)
    said = tab.run("document.querySelector('.moment').textContent")
    expect(
        "what is pointed at is said of all plots",
        all(f"{name}: " in said for name in (*SHOWN, "IPC")) and said.startswith("5 s"),
        said,
    )
    mouse("mouseMoved", 0.25)
    mouse("mousePressed", 0.25, button="left", buttons=1, clickCount=1)
    mouse("mouseMoved", 0.5, buttons=1, button="left")
    mouse("mouseReleased", 0.5, button="left", clickCount=1)
    expect(
        "drawing over a plot zooms all",
        len(view()) >= 3 and all(abs(a - 250) < 3 and abs(w - 250) < 3 for a, _, w, _ in view()),
        view(),
    )
    ticks = tab.run(
        "[...document.querySelector('svg.axes[data-group] g.x').children].map(t => [t.textContent,"
        " parseFloat(t.getAttribute('x'))])"
    )
    expect(
        "ticks stand at their times",
        ticks and all(abs((float(text.split()[0]) - 2.5) / 2.5 * 100 - place) < 1 for text, place in ticks),
        ticks,
    )
    tab.run("[...document.querySelectorAll('button')].find(b => b.textContent == 'Whole').click()")
    expect("Whole shows all again", all(one[0] == 0 and one[2] == 1000 for one in view()), view())
    tab.run("[...document.querySelectorAll('button')].find(b => b.textContent == 'Zoom in').click()")
    expect("Zoom in halves it", all(abs(one[2] - 500) < 1 for one in view()), view())
    tab.run("document.querySelector('label input[type=range]').focus()")
    tab.press("End", 35)
    said = tab.run("document.querySelector('.moment').textContent")
    expect("keys reach the last interval", said.startswith("9.75 s"), said)
    expect("and bring it into sight", view()[0][0] + view()[0][2] > 999, view())
    expect("nothing is written to the console", not tab.messages, tab.messages)
    tab.close()
    plain = browser.open(page, has_script=False)
    plain.call("Emulation.setScriptExecutionDisabled", {"value": False})
    expect(
        "without script there are the same plots",
        plain.run("document.querySelectorAll('svg.axes[data-group]').length") >= 3,
    )
    plain.close()


def main():
    with temporary() as folder:
        path = check_short(folder)
        check_thinned(folder)
        check_parts(folder)
        check_measured(folder)
        if not chromium.find():
            print(
                "no Chromium here: zooming was not looked at (./bootstrap.sh test installs"
                " chromium-headless-shell)"
            )
        else:
            with chromium.Browser() as browser:
                look(browser, path, folder)
    finish()


main()
