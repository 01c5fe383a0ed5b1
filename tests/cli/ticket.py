#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""ticket.py - a report as Markdown for a ticket, rendered by cmark-gfm: its sections, its tables with their
heads and cells, each number against the JSON report of the same counts, and names of strangers that stay
text.
"""
import copy
import html.parser
import json
import re
import shutil
import subprocess
import sys
import unicodedata
import xml.etree.ElementTree as tree

sys.path.append(f"{sys.path[0]}/..")
from lib import SOURCE, check, check_all, check_success, finish, skip, temporary, topdown
from lib.profiles import HEAD, Profile

GOLDEN = SOURCE / "tests/golden"
SESSION, SAMPLED, SIMULATED = (
    SOURCE / "docs/sample-session.json",
    SOURCE / "docs/sample-profile.json",
    SOURCE / "tests/cli/formats/simulated.json",
)
NAMESPACE = "{http://commonmark.org/xml/1.0}"
SECTIONS = [
    "Environment",
    "Topdown summary",
    "Hotspots",
    "Cache hierarchy",
    "Branches",
    "TLBs",
    "Root cause",
    "Recommendations",
    "Validation plan",
]
HEADS = {
    "Topdown summary": ["Node", "Value", "Unit", "Assessment", "Quality", "Remark"],
    "Hotspots": ["Rank", "Symbol", "Self %", "95 %", "Module", "Likely cause"],
    "Cache hierarchy": [
        "Level",
        "Accesses",
        "Accesses per 1000 instr",
        "Misses",
        "Misses per 1000 instr",
        "Miss ratio %",
        "Assessment",
        "Bound of",
        "Quality",
    ],
    "Branches": ["Figure", "Value", "Unit", "Assessment", "Bound of", "Quality"],
    "TLBs": ["Figure", "Value", "Unit", "Assessment", "Bound of", "Quality"],
}
FACTORS = {"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
MOST_LINES = 100
HYBRID = """
           1,000,000      cpu_core/TOPDOWN.SLOTS/
             100,000      cpu_core/topdown-retiring/
             100,000      cpu_core/topdown-bad-spec/
             700,000      cpu_core/topdown-be-bound/
             100,000      cpu_core/topdown-fe-bound/
             100,000      cpu_atom/CPU_CLK_UNHALTED.CORE/
             150,000      cpu_atom/TOPDOWN_RETIRING.ALL/
             200,000      cpu_atom/TOPDOWN_FE_BOUND.ALL/
             100,000      cpu_atom/TOPDOWN_BE_BOUND.ALL/
"""

if not shutil.which("cmark-gfm"):
    skip("cmark-gfm is not here, which renders the Markdown")


def tag(element):
    return element.tag.removeprefix(NAMESPACE)


def text_of(element):
    """All that is text below it; emphasis, links and HTML would be elements of their own."""
    if tag(element) in ("text", "code"):
        return element.text or ""
    return "".join(" " if tag(child) in ("softbreak", "linebreak") else text_of(child) for child in element)


class Page:
    """What a CommonMark implementation makes of it: {section: [(kind, content)]}, in order."""

    def __init__(self, markdown):
        done = subprocess.run(
            ["cmark-gfm", "-e", "table", "-e", "strikethrough", "-e", "autolink", "--to", "xml"],
            input=markdown,
            text=True,
            encoding="utf-8",
            stdout=subprocess.PIPE,
            check=True,
        )
        self.markdown, self.sections, self.elements = markdown, {}, set()
        root, name = tree.fromstring(done.stdout), ""
        for element in root.iter():
            self.elements.add(tag(element))
        for element in root:
            if tag(element) == "heading" and element.get("level") in ("1", "2"):
                name = text_of(element)
                self.sections[name] = []
            else:
                self.sections[name].append((tag(element), element))

    def tables(self, section):
        return [
            [[text_of(cell) for cell in row] for row in element]
            for kind, element in self.sections.get(section, [])
            if kind == "table"
        ]

    def words(self, section):
        return [text_of(element) for kind, element in self.sections.get(section, []) if kind == "paragraph"]

    def items(self, section):
        return [
            text_of(item).strip()
            for kind, element in self.sections.get(section, [])
            if kind == "list"
            for item in element
        ]


def is_rounded(text, value):
    """Is text the value, as far as its digits go?"""
    if value is None or text == "-":
        return text == "-" and value is None
    match = re.fullmatch(r"(-?\d+(?:\.(\d+))?)(?: ([kMGT]))?", text)
    factor = FACTORS[match.group(3) or ""] if match else 0
    return bool(match) and abs(float(match.group(1)) * factor - value) <= 0.5000001 * factor * 10.0 ** -len(
        match.group(2) or ""
    )


def check_cells(what, page):
    for section, heads in HEADS.items():
        tables = page.tables(section)
        if section in ("Branches", "TLBs", "Cache hierarchy", "Hotspots"):
            check(len(tables) <= 1, f"{what}: {section}: one table at most", len(tables))
        for table in tables[:1]:
            check(table[0] == heads, f"{what}: {section}: the heads", table[0])
        for table in tables:
            check_all(
                table, lambda row: len(row) == len(table[0]), f"{what}: {section}: as many cells as heads"
            )
    for section in page.sections:
        check(
            section == "Topdown report" or page.sections[section],
            f"{what}: {section} has something, or says why not",
        )


def check_summary(what, page, report):
    nodes = {node["title"]: node for node in report["nodes"]}
    rows = page.tables("Topdown summary")[0][1:] if report["nodes"] else []
    shown = [row[0].lstrip("- ") for row in rows]
    check(
        {title for title, node in nodes.items() if node["level"] == 1 or node["bottleneck"]} <= set(shown),
        f"{what}: nodes",
        shown,
    )
    for row, title in zip(rows, shown):
        node = nodes[title]
        value = row[1].split(" ±")[0]
        check(is_rounded(value, node["value"]), f"{what}: {title}", (row, node["value"]))
        check(
            row[0].count("- ") == node["level"] - 1
            or node["parent"] not in {nodes[name]["name"] for name in shown},
            f"{what}: {title}: its place",
            row,
        )
        verdict = row[3].split(":")[0]
        expected = (
            ("-",)
            if node["value"] is None or node["over_threshold"] is None
            else ("high", "low")
            if node["over_threshold"]
            else ("ok",)
            if node["has_threshold"]
            else ("",)
        )
        check(verdict in expected, f"{what}: {title}: {expected}", row)
        check(("worst" in row[5]) == bool(node["worst_path"]), f"{what}: {title}: the worst path", row)


VERDICTS = {"ok": ("ok",), "look": ("look closer",), "high": ("high",), "low": ("low",), None: ()}


def check_figure(what, row, figure):
    title, value, unit, verdict, source, quality = row
    check(is_rounded(value, figure["value"]), f"{what}: {title}", (row, figure["value"]))
    check(
        quality == figure["quality"] and unit == (figure["unit"] if figure["value"] is not None else ""),
        f"{what}: {title}: unit, quality",
        row,
    )
    if figure["value"] is None:
        check(verdict == figure["reason"], f"{what}: {title}: the reason", row)
        return
    check(verdict.split(":")[0] in VERDICTS[figure["verdict"]], f"{what}: {title}: the verdict", row)
    bound = figure["bad_source"] if figure["verdict"] in ("high", "low") else figure["good_source"]
    check(bound.startswith(source) and source, f"{what}: {title}: whose bound it is", row)
    number = re.search(r"[\d.]+$", verdict)
    named = figure["bad"] if figure["verdict"] in ("high", "low") else figure["good"]
    check(not number or float(number.group()) == named, f"{what}: {title}: the bound", row)


def check_figures(what, page, report):
    by_title = {figure["title"]: figure for figure in report["assessment"]}
    for section in ("Branches", "TLBs"):
        wanted = [
            figure["title"]
            for figure in report["assessment"]
            if figure["about"] == section.lower() and figure["metrics"]
        ]
        tables = page.tables(section)
        has_any = any(by_title[title]["value"] is not None for title in wanted)
        check(
            [row[0] for table in tables for row in table[1:]] == wanted * has_any,
            f"{what}: {section}: its figures",
            tables,
        )
        for row in tables[0][1:] if tables else []:
            check_figure(what, row, by_title[row[0]])
    caches = {
        (figure["level"], figure["role"]): figure
        for figure in report["assessment"]
        if figure["about"] == "caches"
    }
    tables = page.tables("Cache hierarchy")
    check(
        bool(tables) == any(figure["value"] is not None for figure in caches.values()),
        f"{what}: caches are there when one was counted",
    )
    for row in tables[0][1:] if tables else []:
        for cell, role, key in zip(
            row[1:6],
            ("accesses", "accesses", "misses", "misses", "ratio"),
            ("count", "value", "count", "value", "value"),
        ):
            check(
                is_rounded(cell, caches.get((row[0], role), {key: None})[key]),
                f"{what}: {row[0]} {role} {key}",
                row,
            )
        known = {
            figure["quality"]
            for (level, _), figure in caches.items()
            if level == row[0] and figure["value"] is not None
        }
        check(row[8] in (known or {"none"}), f"{what}: {row[0]}: the quality", row)


def check_hotspots(what, page, found):
    """found: the profile's functions and trees as JSON has them."""
    rows = page.tables("Hotspots")[0][1:]
    trees, functions = found.get("function_trees", []), found["profile"]["functions"]
    check([row[0] for row in rows] == [str(i + 1) for i in range(len(rows))], f"{what}: ranks", rows)
    for row, tree_row in zip(rows, trees):
        check(
            row[1] == tree_row["name"] and is_rounded(row[2], tree_row["cycles_percent"]),
            f"{what}: a function's share of the cycles",
            (row, tree_row),
        )
    for row, function in zip(rows, [] if trees else functions):
        check(
            row[1] == function["name"] and is_rounded(row[2], function["self"]),
            f"{what}: a function's share",
            (row, function),
        )
        check(row[4] == function["module"].rsplit("/", 1)[-1], f"{what}: its module", row)


def check_words(what, page, report):
    """Sentences name what was measured."""
    cause = " ".join(page.words("Root cause") + page.items("Root cause"))
    worst = [node for node in report["nodes"] if node["worst_path"]]
    check_all(worst, lambda node: node["title"] in cause, f"{what}: the worst path is the cause")
    beyond = [
        figure["title"] for figure in report["assessment"] if figure["verdict"] in ("look", "high", "low")
    ]
    check(
        [item.split()[0] for item in page.items("Root cause")] == beyond,
        f"{what}: what is beyond its bounds",
        page.items("Root cause"),
    )
    advice = report.get("advice") or {}
    items = " ".join(page.items("Recommendations"))
    check(not advice.get("try") or advice["try"] in items, f"{what}: advice", items)
    plan = page.items("Validation plan")
    check(
        plan and plan[-1].startswith("topdown compare ") and all("--save" in step for step in plan[:-1]),
        f"{what}: how to check it",
        plan,
    )


def read(file, *words):
    """The page, and the report of the same as JSON."""
    markdown, data = topdown("report", *words, "--format", "markdown", file), topdown(
        "report", *words, "--format", "json", file
    )
    check_success(markdown, f"{file}: Markdown")
    check_success(data, f"{file}: JSON")
    return Page(markdown.stdout), json.loads(data.stdout)


class Html(html.parser.HTMLParser):
    """The text of a page of HTML, and the cells of its rows."""

    def __init__(self, text):
        super().__init__()
        self.words, self.rows, self.is_cell = [], set(), False
        self.feed(text)
        self.text = " ".join("".join(self.words).split())

    def handle_starttag(self, name, attributes):
        if name == "tr":
            self.row = []
        if name in ("td", "th"):
            self.row.append("")
            self.is_cell = True
        self.words.append("" if name in ("data", "code", "span", "button") else " ")

    def handle_endtag(self, name):
        self.is_cell = self.is_cell and name not in ("td", "th")
        if name == "tr":
            self.rows.add(tuple(" ".join(cell.split()) for cell in self.row))
        self.words.append("" if name in ("data", "code", "span", "button") else " ")

    def handle_data(self, data):
        self.words.append(data)
        if self.is_cell:
            self.row[-1] += data


def check_same(what, page, file, *words):
    """A page of HTML says what the ticket says, in its words."""
    done = topdown("report", *words, "--format", "html", file)
    check_success(done, f"{what}: HTML")
    found = Html(done.stdout)
    verdict = page.words("Root cause")[0]
    check(
        f" {verdict} " in found.text[: found.text.index("All ") if "All " in found.text else None],
        f"{what}: the page has the verdict",
        verdict,
    )
    for section in ("Root cause", "Recommendations", "Validation plan")[
        : 3 if page.items("Validation plan") else 2
    ]:
        lost = [
            sentence
            for sentence in page.words(section) + page.items(section)
            if " ".join(sentence.split()) not in found.text
        ]
        check(not lost, f"{what}: the page has each sentence of {section}", lost[:2])
    for section in ("Cache hierarchy", "Branches", "TLBs") if page.items("Validation plan") else ():
        rows = [tuple(row) for table in page.tables(section) for row in table]
        check(
            set(rows) <= found.rows,
            f"{what}: the page has each row of {section}",
            sorted(set(rows) - found.rows)[:2],
        )
        lost = [
            sentence for sentence in page.words(section) + page.items(section) if sentence not in found.text
        ]
        check(not lost, f"{what}: and what stands beside it", lost[:2])
    lost = [
        item
        for item in page.items("Environment")
        if not item.startswith(("Command", "Work", "Time")) and item.split(": ", 1)[1] not in found.text
    ]
    check(not lost, f"{what}: the page has the environment", lost[:2])


def check_case(file, *words):
    what = f"{file.parent.name}/{file.name} {' '.join(words)}"
    page, report = read(file, *words)
    check(
        [name for name in page.sections if name] == ["Topdown report", *SECTIONS],
        f"{what}: sections",
        list(page.sections),
    )
    check(
        page.markdown.count("\n") <= MOST_LINES or "-v" in words,
        f"{what}: two screens",
        page.markdown.count("\n"),
    )
    check_cells(what, page)
    check_summary(what, page, report)
    check_figures(what, page, report)
    check_words(what, page, report)
    check_same(what, page, file, *words)
    return page, report


def check_simulated():
    page, _ = check_case(SIMULATED)
    asked = json.loads(
        topdown("report", "--lines", "--per-function=10", "--format", "json", SIMULATED).stdout
    )
    check_hotspots("simulated", page, asked)
    line = asked["profile"]["lines"][0]
    check(
        f"At {line['file'].rsplit('/', 1)[-1]}:{line['line']} in {line['function']}:"
        in page.items("Recommendations")[0],
        "advice at a line",
        page.items("Recommendations"),
    )
    lines = topdown("report", "--lines", "--format", "markdown", SIMULATED).stdout
    check("## Where" in lines and "### Lines of" in lines, "what --lines asks for is there too")


def check_rare_line(folder):
    """A hottest function without lines is named itself: a line with a thousandth of it is no place to
    begin."""
    session = json.loads(SIMULATED.read_text())
    hot = session["lines"][0]
    rare = {
        **hot,
        "function": "helper",
        "file": "far.c",
        "line": 3,
        "counts": {key: value // 1000 for key, value in hot["counts"].items()},
    }
    for line in session["lines"]:
        line.update({"file": None})
        line.pop("line", None)
    session["lines"].append(rare)
    path = folder / "rare.json"
    path.write_text(json.dumps(session))
    done = topdown("report", "--format", "markdown", path)
    check_success(done, "a rare line")
    check(
        "In main: " in done.stdout and "far.c:3 in helper" not in done.stdout,
        "the function, not a rare line",
        done.stdout[-1500:],
    )


def check_sampled():
    """Samples alone: where, and why the rest is not there."""
    page, report = read(SAMPLED)
    check(
        [name for name in page.sections if name] == ["Topdown report", *SECTIONS],
        "samples alone: sections",
        list(page.sections),
    )
    check_cells("samples alone", page)
    check_hotspots("samples alone", page, report)
    check_same("samples alone", page, SAMPLED)
    for section in SECTIONS[3:6]:
        check(
            "there are only samples" in " ".join(page.words(section)),
            f"samples alone: {section} says why",
            page.words(section),
        )
    check(
        not page.items("Validation plan") and "no counts" in page.words("Validation plan")[0],
        "samples alone: nothing to compare",
    )


def check_hybrid(folder):
    file = folder / "stat.txt"
    file.write_text(HYBRID, encoding="utf-8")
    page, report = read(file, "--cpu", "adl")
    check(len(report["parts"]) == 2, "hybrid: two parts")
    for part in report["parts"]:
        name = part["part"]
        values = {row[0]: row[1] for table in page.tables(name) if table[0][0] == "Node" for row in table[1:]}
        for node in part["nodes"]:
            if node["level"] == 1:
                check(
                    is_rounded(values.get(node["title"], "none"), node["value"]),
                    f"hybrid: {name}: {node['title']}",
                    values,
                )
        heads = [text_of(element) for kind, element in page.sections.get(name, []) if kind == "heading"]
        check(heads == SECTIONS[1:], f"hybrid: {name}: sections", heads)


def check_missing(folder):
    """Without a figure a section names the command that counts it."""
    file = folder / "few.json"
    file.write_text(
        json.dumps(
            {
                "format": "topdown-counts",
                "cpu": "amdzen2",
                "smt": 0,
                "counts": {"ex_ret_instr": 1e9, "ls_not_halted_cyc": 5e8},
            }
        ),
        encoding="utf-8",
    )
    page, _ = read(file)
    check(
        [name for name in page.sections if name] == ["Topdown report", *SECTIONS],
        "no tree: sections",
        list(page.sections),
    )
    for section, name in (("Branches", "Branch_MPKI"), ("TLBs", "DTLB_MPKI"), ("Cache hierarchy", "L2_MPKI")):
        command = page.items(section)
        check(
            len(command) == 1 and command[0].startswith("topdown metrics ") and name in command[0],
            f"no tree: {section}: what counts it",
            command,
        )
    check(
        "nothing names a cause" in " ".join(page.words("Root cause")),
        "no tree: no cause",
        page.words("Root cause"),
    )
    check(
        "dispatch slots" in " ".join(page.words("Topdown summary")),
        "no tree: why",
        page.words("Topdown summary"),
    )


NAMES = [
    "a|b",
    "`tick` ``two``",
    "<script>alert(1)</script>",
    "new\nline",
    "left\u202eright",
    "_init_",
    "__all__",
    "**bold** *it*",
    "[x](http://e.org)",
    "![i](j.png)",
    "$x$ ~~gone~~",
    "&lt;amp&amp;",
    "back\\slash|pipe",
    "a\\|b",
    "# head",
    "- item",
    "1. one",
    "http://example.org/x",
    "www.example.org",
    "trailing\\",
    "operator||(std::pair<int, int> const&)",
    "`",
    "  blanks  ",
    "\x1b[31mred\x07",
]


ESCAPES = {"\n": "\\n", "\x07": "\\a"}


def visible(text):
    """A name as it is shown: what would act is written as C does; one blank for many, as CommonMark has
    it."""
    kept = "".join(
        (
            ESCAPES.get(char, f"\\x{ord(char):02x}" if ord(char) < 256 else f"\\u{ord(char):04x}")
            if unicodedata.category(char) in ("Cc", "Cf")
            else char
        )
        for char in text
    )
    return " ".join(kept.split())


def check_names(folder):
    for i, name in enumerate(NAMES):
        head = copy.deepcopy(HEAD)
        head["command"] = f"./prog '{name}'"
        profile = Profile()
        profile.add([(f"/opt/{name.replace('/', '')}", ((name, f"/src/{name.replace('/', '')}.c", 7),))], 900)
        profile.add([("/opt/other", (("other", "/src/other.c", 3),))], 100)
        file = folder / f"name{i}.json"
        file.write_text(json.dumps(profile.session(head)), encoding="utf-8")
        page, _ = read(file)
        what = f"name {name!r}"
        check(
            [section for section in page.sections if section] == ["Topdown report", *SECTIONS],
            f"{what}: sections",
            list(page.sections),
        )
        check(
            not page.elements
            & {"html_inline", "html_block", "link", "image", "emph", "strong", "strikethrough"},
            f"{what}: markup",
            page.elements,
        )
        check_cells(what, page)
        row = page.tables("Hotspots")[0][1]
        check(visible(row[1]) == visible(name), f"{what}: the symbol is text", row)
        check(visible(row[4]) == visible(name.replace("/", "")), f"{what}: the module is text", row)
        cause = " ".join(page.words("Root cause"))
        check(visible(f"of time is in {name}.") in visible(cause), f"{what}: the sentence has it", cause)
        check(
            visible(f"./prog '{name}'") in visible(" ".join(page.items("Environment"))),
            f"{what}: the command",
            page.items("Environment"),
        )
        check(
            not re.search("[\x00-\x08\x0b-\x1f\x7f\u202e]", page.markdown),
            f"{what}: nothing that acts on a terminal or a reader",
        )


with temporary() as scratch:
    for case in (
        "clx-dram",
        "spr-mispredict",
        "skx-divider",
        "arl-skymont",
        "zen4-frontend",
        "zen5-memory",
        "v1-retiring",
        "n1-backend",
        "clx-two-levels",
    ):
        check_case(GOLDEN / case / "counts.json")
    check_case(GOLDEN / "spr-vector/counts.json", "-v")
    check_case(SESSION)
    check_simulated()
    check_sampled()
    check_hybrid(scratch)
    check_rare_line(scratch)
    check_missing(scratch)
    check_names(scratch)
finish()
