#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""plots.py - plots of pages are well-formed XML, what is drawn stands where its value says, and no text
becomes markup.

Scales and stacks are computed here once more, from the plot's description and the ticks that stand at its
axes."""
import json
import math
import re
import subprocess
import sys
import xml.etree.ElementTree as ET

sys.path.append(f"{sys.path[0]}/..")
from lib import BUILD, check, check_all, finish

UNITS = 1000
CLOSE = 0.006  # of a coordinate with two decimals
PREFIXES = {
    "": 1,
    "k": 1e3,
    "M": 1e6,
    "G": 1e9,
    "T": 1e12,
    "P": 1e15,
    "E": 1e18,
    "Ki": 2**10,
    "Mi": 2**20,
    "Gi": 2**30,
    "s": 1,
}
NAN = None


def draw(*plots):
    run = subprocess.run(
        [BUILD / "tests/plots_draw", "xml"],
        input=json.dumps(plots),
        capture_output=True,
        text=True,
        check=False,
    )
    check(run.returncode == 0, "draws", run.stderr)
    root = ET.fromstring(run.stdout)
    check(len(root) == len(plots), "one element for each plot", len(root))
    return list(root)


def line(y, x=None, **more):
    return {"kind": "line", "x": list(range(len(y))) if x is None else x, "y": y, **more}


def plot(*series, **more):
    return {"name": "a plot", "x": {}, "y": {}, "series": list(series), **more}


def of_class(element, name, word):
    return [found for found in element.iter(name) if word in found.get("class", "").split()]


def points(path):
    """Every point of a path of M, L, H, V, h0 and Z, in runs; a run is closed where Z ends it."""
    runs, at, command = [], [0.0, 0.0], None
    for word in re.findall(r"[MLHVhZ]|-?\d+(?:\.\d+)?", path):
        if word == "Z" or word.isalpha():
            command = word
            number = []
            if word == "M":
                runs.append([])
            continue
        number.append(float(word))
        if command in "ML" and len(number) == 2:
            at, number = list(number), []
        elif command == "H":
            at, number = [number[0], at[1]], []
        elif command == "V":
            at, number = [at[0], number[0]], []
        elif command == "h":
            at, number = [at[0] + number[0], at[1]], []
        else:
            continue
        runs[-1].append(tuple(at))
    return runs


def number_of(text):
    match = re.fullmatch(r"(-?[\d.]+(?:e-?\d+)?)(?: (\S+))?", text)
    return float(match[1]) * PREFIXES[match[2] or ""] if match else math.nan


def ticks(element, side):
    """(units, value) of each tick, by its text."""
    group = of_class(element, "g", side)[0]
    return [
        (float(text.get(side).rstrip("%")) * UNITS / 100, number_of(text.text)) for text in group.iter("text")
    ]


def scale_of(element, side, is_log=False):
    """The axis' function from values to units, by its first and last tick; all others have to agree."""
    marks = ticks(element, side)
    turn = math.log if is_log else float
    (place, value), (last_place, last) = marks[0], marks[-1]

    def units(number):
        return place + (turn(number) - turn(value)) / (turn(last) - turn(value)) * (last_place - place)

    check(len(marks) >= 2, f"{side} has ticks", marks)
    for found, number in marks:
        check(
            abs(found - units(number)) < 0.05,
            f"{side}: the tick of {number} is in its place",
            (found, units(number)),
        )
    return units


def near(a, b, margin=CLOSE):
    return abs(a - b) <= margin + 1e-9


def check_line():
    y = [1.25, 3.5, NAN, 2, NAN, 0.5]
    (drawn,) = draw(plot(line(y)))
    x_units, y_units = scale_of(drawn, "x"), scale_of(drawn, "y")
    runs = points(of_class(drawn, "path", "line")[0].get("d"))
    check([len(run) for run in runs] == [2, 2, 2], "a gap ends a line; a value alone is a dot", runs)
    wanted = [(0, 1.25), (1, 3.5), (3, 2), (3, 2), (5, 0.5), (5, 0.5)]
    for (place, value), found in zip(wanted, [point for run in runs for point in run]):
        check(
            near(found[0], x_units(place)) and near(found[1], y_units(value)),
            f"{place}, {value} stands there",
            found,
        )
    titles = [title.text for rect in of_class(drawn, "rect", "column") for title in rect.iter("title")]
    check(len(titles) == len(y), "each place can be pointed at", titles)


def check_step_and_band():
    x, y = [0, 10, 15], [4, 8, 6]
    low, high = [3, 7, NAN], [5, 9, 7]
    (drawn,) = draw(
        plot(
            {"kind": "band", "x": x, "lows": low, "highs": high, "is_stepped": True},
            {"kind": "step", "name": "IPC", "x": x, "y": y},
            x={"low": 0, "high": 20},
        )
    )
    x_units, y_units = scale_of(drawn, "x"), scale_of(drawn, "y")
    found = points(of_class(drawn, "path", "line")[0].get("d"))[0]
    wanted = [(0, 4), (10, 4), (10, 8), (15, 8), (15, 6), (20, 6)]
    check(
        len(found) == len(wanted)
        and all(near(a, x_units(p)) and near(b, y_units(v)) for (a, b), (p, v) in zip(found, wanted)),
        "a step holds up to the next, the last to the end",
        found,
    )
    found = points(of_class(drawn, "path", "band")[0].get("d"))[0]
    wanted = [(0, 5), (10, 5), (10, 9), (15, 9), (15, 7), (10, 7), (10, 3), (0, 3)]
    check(
        len(found) == len(wanted)
        and all(near(a, x_units(p)) and near(b, y_units(v)) for (a, b), (p, v) in zip(found, wanted)),
        "a band goes along its upper edge and back along the lower one",
        found,
    )


def check_areas():
    layers = [[10, 20, NAN, NAN, 5], [30, NAN, 10, NAN, 5], [60, 40, 50, NAN, 90]]
    (drawn,) = draw(
        plot(
            *(
                {"kind": "area", "name": f"layer {i}", "color": i, "x": list(range(5)), "y": y}
                for i, y in enumerate(layers)
            ),
            y={"low": 0, "high": 100},
        )
    )
    y_units = scale_of(drawn, "y")
    sums = [0.0] * 5
    for layer, path in zip(layers, of_class(drawn.find("svg"), "path", "fill")):
        below = list(sums)
        sums = [total + (value or 0) for total, value in zip(sums, layer)]
        runs = points(path.get("d"))
        check(len(runs) == 2, "where no layer has a value there is a gap", runs)
        wanted = [sums[0], sums[1], sums[2], below[2], below[1], below[0], sums[4], below[4]]
        found = [point[1] for run in runs for point in run]
        check(
            len(found) == 8 and all(near(a, y_units(b)) for a, b in zip(found, wanted)),
            "a layer stands on those before it",
            (found, wanted),
        )
    check(
        [item.findtext(".") or "".join(item.itertext()) for item in drawn.find("ul")]
        == ["layer 0", "layer 1", "layer 2"],
        "the legend has all",
    )


def rect_of(rect):
    return tuple(float(rect.get(key)) for key in ("x", "y", "width", "height"))


def check_bars():
    names, values = ["a", "b", "c"], [4, NAN, -2]
    drawn, lying = draw(
        plot(
            {"kind": "bars", "name": "n", "x": [0, 1, 2], "y": values}, x={"scale": "names", "names": names}
        ),
        plot(
            {"kind": "bars", "name": "n", "y": [0, 1, 2], "x": [4, 6, 5], "lows": [NAN, 4, 6]},
            y={"scale": "names", "names": names},
        ),
    )
    y_units, rects = scale_of(drawn, "y"), [
        rect_of(rect) for rect in of_class(drawn.find("svg"), "rect", "fill")
    ]
    check(len(rects) == 2, "a bar that is not known is missing", rects)
    for (x, y, width, height), (place, value) in zip(rects, [(0, 4), (2, -2)]):
        check(near(x + width / 2, (place + 0.5) * UNITS / 3, 0.02), "a bar stands over its name", x)
        check(
            near(y, min(y_units(0), y_units(value)), 0.02)
            and near(height, abs(y_units(0) - y_units(value)), 0.02),
            "and is as high as its value",
            y,
        )
    x_units, rects = scale_of(lying, "x"), [
        rect_of(rect) for rect in of_class(lying.find("svg"), "rect", "fill")
    ]
    for place, (rect, (begin, end)) in enumerate(zip(rects, [(0, 4), (4, 6), (5, 6)])):
        check(
            near(rect[0], x_units(begin), 0.02) and near(rect[2], x_units(end) - x_units(begin), 0.02),
            "a lying bar goes from low to x",
            rect,
        )
        check(
            near(rect[1] + rect[3] / 2, (place + 0.5) * UNITS / 3, 0.02),
            "the first name is the uppermost",
            rect,
        )


def check_points_and_marks():
    (drawn,) = draw(
        plot(
            {
                "kind": "points",
                "name": "kernels",
                "x": [0.5, 4, -1],
                "y": [10, 40, 10],
                "lows": [8, 30, 1],
                "highs": [12, 50, 1],
                "links": ["#run-1", "javascript:alert(1)", None],
            },
            x={"scale": "log2", "low": 0.25, "high": 8},
            y={"scale": "log10", "low": 1, "high": 100},
            marks=[
                {"kind": "ceiling", "at": 20, "label": "20 GB/s"},
                {"kind": "y", "at": 60, "label": "peak"},
                {"kind": "x", "at": 1, "label": "one"},
                {"kind": "x", "at": 99, "label": "outside"},
            ],
        )
    )
    x_units, y_units = scale_of(drawn, "x", True), scale_of(drawn, "y", True)
    found = of_class(drawn, "svg", "point")
    check(len(found) == 2, "a logarithmic axis has no place for -1", len(found))
    for point, (place, value) in zip(found, [(0.5, 10), (4, 40)]):
        at = [float(point.get(key).rstrip("%")) * UNITS / 100 for key in "xy"]
        check(
            near(at[0], x_units(place), 0.06) and near(at[1], y_units(value), 0.06),
            "a point stands at its logarithms",
            at,
        )
    check("1 value is left out" in "".join(drawn.itertext()), "what is left out is counted")
    check([a.get("href") for a in drawn.iter("a")] == ["#run-1"], "a link stays on the page")
    check(
        drawn.find("svg").get("role") == "group" and all(a.findtext("title") for a in drawn.iter("a")),
        "keys reach links, which have names",
    )
    marks = [points(path.get("d"))[0] for path in of_class(drawn, "path", "mark")]
    check(len(marks) == 3, "a mark outside is not drawn", marks)
    for (x, y), place in zip(marks[0], [0.25, 8]):
        check(
            near(x, x_units(place), 0.06) and near(y, y_units(20 * place), 0.06),
            "a ceiling is y = 20 x",
            (x, y),
        )
    check(
        near(marks[1][0][1], y_units(60), 0.06) and near(marks[2][0][0], x_units(1), 0.06),
        "the others stand at their values",
    )
    lines = list(drawn.iter("line"))
    check(
        near(float(lines[0].get("y1").rstrip("%")) * 10, y_units(8), 0.06),
        "a whisker begins at low",
        lines[0].attrib,
    )


def check_odd():
    rows = {
        "one point": plot(line([7])),
        "constant": plot(line([3, 3, 3])),
        "constant 0": plot(line([0, 0])),
        "empty": plot(),
        "no values": plot(line([NAN, NAN])),
        "wide": plot(line([1e-300, 1e300, 5])),
        "wide log": plot(line([1e-300, 1, 1e300]), y={"scale": "log10"}),
        "both ends": plot(line([-1.7e308, 1.7e308])),
        "infinite": plot(line([1, "inf", "-inf", 2])),
        "negative log": plot(line([-1, -2]), y={"scale": "log2"}),
        "narrow": plot(line([1e9, 1e9 + 1e-6])),
        "tiny": plot(line([5e-324, 1e-323])),
        "one date": plot(line([1], x=[1.7e9]), x={"scale": "date"}),
        "one stepped": plot(
            {"kind": "area", "is_stepped": True, "x": [0], "y": [50]},
            x={"scale": "seconds", "low": 0, "high": 1},
        ),
        "far": plot(line([1, 2], x=[0, 1e18]), x={"scale": "date"}),
        "turned": plot(line([1, 2]), y={"low": 9, "high": 3}),
        "bars on a log axis": plot(
            {"kind": "bars", "name": "n", "x": [0, 1], "y": [10, 1000]}, y={"scale": "log10"}
        ),
    }
    for (name, _), element in zip(rows.items(), draw(*rows.values())):
        text = ET.tostring(element, encoding="unicode")
        check(not re.search(r'(nan|inf)["% ,HVLMZ]', text), f"{name}: every coordinate is a number", text)
        has_plot = element.find("svg") is not None
        check(
            has_plot != (name in ("empty", "no values", "negative log")),
            f"{name}: drawn where there is something",
        )
        if has_plot:
            values = [value for value in element.find("svg").iter("path") if "grid" not in value.get("class")]
            places = [
                float(found)
                for path in values
                for run in points(path.get("d"))
                for point in run
                for found in point
            ]
            rects = [rect_of(rect) for rect in of_class(element.find("svg"), "rect", "fill")]
            check(
                places and all(-UNITS * 100 <= place <= UNITS * 100 for place in places),
                f"{name}: within reach",
            )
            check_all(
                rects,
                lambda _x, _y, width, height: width > 0 and height > 0,
                f"{name}: bars can be seen",
                least=0,
            )
            for side in "xy":
                check_all(
                    ticks(element, side),
                    lambda units, _: -0.01 <= units <= UNITS + 0.01,
                    f"{name}: ticks lie on the axis",
                )
        else:
            check("no value" in text, f"{name}: says so")
    (infinite,) = draw(rows["infinite"])
    check("2 values are left out" in "".join(infinite.itertext()), "infinite values are counted")


def check_text():
    evil = "</title></svg><script>alert(1)</script>\"'&<b>\u202e\x01\n"
    (drawn,) = draw(
        {
            "name": evil,
            "x": {"title": evil, "unit": evil},
            "y": {"title": evil, "unit": evil},
            "note": evil,
            "group": "g",
            "series": [
                line([1, 2], name=evil),
                line([2, 3], name=evil, said=[evil, None]),
                {"kind": "points", "name": evil, "x": [0], "y": [1], "links": ["#" + evil]},
            ],
            "marks": [{"kind": "x", "at": 0.5, "label": evil, "said": evil}],
        }
    )
    (bars,) = draw(
        plot({"kind": "bars", "name": evil, "y": [0], "x": [1]}, y={"scale": "names", "names": [evil * 30]})
    )
    for element in (drawn, bars):
        kinds = {found.tag for found in element.iter()}
        check(
            kinds <= {"div", "svg", "g", "text", "title", "path", "rect", "line", "ul", "li", "p", "a"},
            "names make no elements",
            kinds,
        )
        attributes = {key for found in element.iter() for key in found.attrib}
        check(
            not any(key.startswith("on") or key in ("style", "id") for key in attributes),
            "no attribute runs or styles",
            attributes,
        )
        text = "".join(element.itertext())
        check(
            "<script>alert(1)</script>" in text and "\u202e" not in text and "\x01" not in text,
            "names are shown as text",
        )


def check_texts_of_ticks():
    def texts(scale, low, high):
        (drawn,) = draw(plot(line([1, 2], x=[low, high]), x={"scale": scale}))
        return [text.text for text in of_class(drawn, "g", "x")[0].iter("text")]

    day = 86400
    check(
        texts("seconds", 0, 4)[:2] == ["0 s", "1 s"] or texts("seconds", 0, 4)[1] == "0.5 s",
        "seconds",
        texts("seconds", 0, 4),
    )
    check(set(texts("seconds", 0, 600)) >= {"0:00 min", "10:00 min"}, "minutes", texts("seconds", 0, 600))
    check(
        set(texts("seconds", 0, 7200)) >= {"0:00 h", "1:00 h", "2:00 h"}, "hours", texts("seconds", 0, 7200)
    )
    check(
        "2024-02-29" in texts("date", 1709164800 - 2 * day, 1709164800 + 4 * day),
        "the leap day",
        texts("date", 1709164800 - 2 * day, 1709164800 + 4 * day),
    )
    years = texts("date", 0, 40 * 365.25 * day)
    check(years and all(re.fullmatch(r"\d{4}", year) for year in years) and "1980" in years, "years", years)
    months = texts("date", 1704067200, 1704067200 + 300 * day)  # 2024-01-01
    check(
        months and all(re.fullmatch(r"2024-\d\d", month) for month in months) and months[0] == "2024-01",
        "months",
        months,
    )
    check("64 Ki" in texts("log2", 1024, 2**20), "sizes", texts("log2", 1024, 2**20))


def main():
    for part in (
        check_line,
        check_step_and_band,
        check_areas,
        check_bars,
        check_points_and_marks,
        check_odd,
        check_text,
        check_texts_of_ticks,
    ):
        part()
    finish()


main()
