#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""page_faults.py - what pages and terminals once said wrongly, a check each: labels over points, commands
that measure something else, bars that are all full, two lines in one."""
import json
import os
import re
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import (
    SOURCE,
    TOPDOWN,
    check,
    check_success,
    finish,
    need_simulator,
    pages as made,
    read_json,
    temporary,
    topdown,
)
from lib.profiles import Profile
from lib.terminal import SEQUENCE, Bare, run_on

SIMULATED = SOURCE / "tests/cli/formats/simulated.json"
ROOFLINE = SOURCE / "docs/sample-roofline.json"


def page(*words):
    done = topdown(*words, "--format", "html")
    check_success(done, words)
    return done.stdout


def words_of(html):
    body = re.sub(r"(?s)<(style|script)[ >].*?</\1>", "", html)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", body))


def check_roofline():
    """Ceilings have a colour and a place in the legend each, so that no label covers the point; the
    headline is the roofline's."""
    text = page("report", "--roofline", ROOFLINE)
    plot = text[text.index('aria-label="Memory bound') :]
    plot = plot[: plot.index("</figure>")]
    legend = re.findall(r'<li>.*?class="\w+ (c\d+)".*?</svg>([^<]*)</li>', plot)
    levels = [name for _, name in legend if re.match(r"(L1|L2|L3|DRAM) [\d.]+ GB/s", name)]
    check(len(levels) == 4 and len({colour for colour, _ in legend}) == len(legend), "a colour each", legend)
    check(not re.search(r"<text[^>]*>(L1|L2|L3|DRAM) [\d.]+", plot), "no label on a ceiling")
    verdict = re.search(r'<p class="verdict">(.*?)</p>', text)[1]
    check("% of what the bandwidth of DRAM allows" in verdict, "the headline is what was asked for", verdict)
    said = len(re.findall(rf"<p[^>]*>{re.escape(verdict)}</p>", text))
    check(said == 1, "which is not said again", said)


def check_few_samples(folder):
    """A native run of a few samples compares no functions."""
    session = read_json(SIMULATED)
    items = {count["event"]: i for i, count in enumerate(session["counts"])}
    for samples, is_table in ((4, False), (50, True)):
        profile = Profile()
        place = ("/bin/prog", (("main", "/src/a.c", 3),))
        line = session["lines"][0]
        profile.add_exact([place], {items[event]: value for event, value in line["counts"].items()})
        profile.add([place], samples)
        path = folder / f"samples{samples}.json"
        path.write_text(json.dumps(profile.session(session)), encoding="utf-8")
        text = topdown("report", "--lines", "-v", path).stdout
        check(("Measured %" in text) == is_table, f"{samples} samples: a table", text[-900:])
        check(("too few to compare" in text) != is_table, f"{samples} samples: a sentence")


def check_commands(folder):
    """A simulation without -l is repeated without one; standard input is not forgotten."""
    session = read_json(SIMULATED)
    session["level"] = 9
    session["inputs"] = [{"name": "standard input", "bytes": 10, "digest": "0123456789abcdef"}]
    path = folder / "again.json"
    path.write_text(json.dumps(session), encoding="utf-8")
    text = words_of(page("report", path))
    again = re.search(r"Measure the same again: (.*?) Validation plan", text)[1]
    check("topdown --pmu sim" in again and "-l" not in again.split("--")[0].split(), "the same again", again)
    check(not re.search(r" -l\d", again), "no level that nobody asked for", again)
    check("give it the same again" in text, "its standard input is said")


def check_advice(folder):
    """Whoever waited gets no word about nodes without advice, and remarks are called what they are."""
    session = read_json(made.SESSION)
    for run in session["runs"]:
        run.update(wall_s=2.0, cpu_s=0.1)
    path = folder / "waits.json"
    path.write_text(json.dumps(session), encoding="utf-8")
    text = words_of(page("report", "-l3", path))
    check("no node stands out" not in text, "a bottleneck is not called none", text[:600])
    check("see the notes" not in text, "what is not there is not pointed at")


def check_gate(folder):
    """Limits that are missed by 30 and by 80 times have bars of different lengths."""
    base = folder / "base.json"
    words = ["--pmu", "sim", "--anchor", "never"]
    check(topdown(*words, "--save", base, "true").returncode == 0, "a simulation")
    session = read_json(base)
    for count in session["counts"]:
        factor = {"core.cycles": 0.5, "inst.retired": 0.5}.get(count["event"])
        if factor:
            count["value"] = count["raw"] = round(count["value"] * factor)
    base.write_text(json.dumps(session), encoding="utf-8")
    limits, shown = folder / "limits.json", folder / "gate.html"
    rows = [{"metric": name, "max_increase": "1 %"} for name in ("cycles", "instructions")]
    limits.write_text(
        json.dumps({"format": "topdown-limits", "version": 1, "limits": rows}), encoding="utf-8"
    )
    done = topdown("gate", *words, "--baseline", base, "--limits", limits, "-o", shown, "true")
    check(shown.exists(), "the page of a gate", done.stderr)
    text = shown.read_text(encoding="utf-8") if shown.exists() else ""
    bars = [float(width) for width in re.findall(r'<rect class="(?:more|doubt)" [^>]*width="([\d.]+)"', text)]
    check(len(bars) == 2 and abs(bars[0] - bars[1]) > 20, "each bar its length", bars)


def check_cores():
    """Of two core types one without cycles is not passed over; one figure fills no row."""
    with temporary() as folder:
        path = folder / "hybrid.txt"
        path.write_text(made.HYBRID, encoding="utf-8")
        text = topdown("report", "--cpu", "adl", path).stdout
        check(text.startswith("cpu_core: 70.0 % of the slots"), "the larger one is the answer", text[:200])
        check("auto-fit,minmax(8.5rem" not in page("report", "--cpu", "adl", path), "tiles keep their width")


def check_models(folder):
    """Of several modelled cores one part is open, and no assessment widens its column by a riddle."""
    path, shown = folder / "models.json", folder / "models.html"
    words = ["--pmu", "sim", "--anchor", "never", "--sim-core", "skylake,zen4"]
    check(topdown(*words, "--save", path, "true").returncode == 0, "two cores")
    check_success(topdown("report", "-l3", "-o", shown, path), "their page")
    text = shown.read_text(encoding="utf-8")
    parts = re.findall(r'<details id="part\d+"( open)?>', text)
    check(len(parts) == 2 and parts.count(" open") == 1, "one of two is open", parts)
    check("asks for more" not in text, "no riddle in a cell")
    parts = json.loads(topdown("report", "--format", "json", path).stdout)["parts"]
    cycles = {part["part"]: part["summary"]["cycles"] for part in parts}
    fastest, slowest = sorted(cycles, key=cycles.get)
    said = re.search(r'<p class="verdict">(.*?)</p>', text)[1]
    check(
        said.startswith(f"{fastest} takes the fewest cycles")
        and f"{slowest} {cycles[slowest] / cycles[fastest]:.2f} times as many" in said,
        "the headline is which core is how fast",
        (said, cycles),
    )


def check_doctor():
    text = topdown("doctor", "--format", "html").stdout
    table = text[text.index("<table>") : text.index("</table>")]
    check("`" not in table and "<code>topdown" in table, "commands in a table are code")
    check("check</th>" not in table and "title</th>" in table, "one name for each check")


def check_history(folder):
    """At 80 columns the newest end and the run of the change are there."""
    database = made.history(TOPDOWN, folder)
    _, text = run_on(80, "history", database, "--metrics", "*")
    row = SEQUENCE.sub("", next(line for line in text.splitlines() if line.startswith("wall ")))
    check(row.endswith("+6.0 %, worse, run 36") and len(row) <= 80, "the whole row", row)
    check("█  +" in row, "the newest end of the sparkline", row)
    names = {SEQUENCE.sub("", line).split(" ")[0] for line in text.splitlines()}
    titles = {"Retiring", "Frontend_Bound", "L3_Bound", "DTLB_Load"}
    check(titles <= names, "nodes have the names that a tree gives them", names)


def check_trees(folder):
    """A side that takes half the cycles has a tree half as wide."""
    slow, fast = folder / "slow.json", folder / "fast.json"
    check(topdown("--pmu", "sim", "--anchor", "never", "--save", slow, "true").returncode == 0, "simulated")
    session = read_json(slow)
    for count in session["counts"]:
        if count["value"]:
            count["value"] = count["raw"] = count["value"] // 2
    session["lines"] = []
    fast.write_text(json.dumps(session), encoding="utf-8")
    text = page("compare", slow, fast)
    widths = [
        sum(
            float(width)
            for title, width in re.findall(
                r'<title>([^:<]*): before[^<]*</title><rect [^>]*width="([\d.]+)"', side
            )
            if "." not in title
        )
        for side in re.findall(r'<svg class="icicle".*?</svg>', text, re.S)
    ]
    check(
        len(widths) == 2 and abs(widths[1] / widths[0] - 0.5) < 0.03, "the trees are scaled by cycles", widths
    )


def check_lines(folder):
    """What the second program prints has a line of its own on a terminal."""
    script = folder / "say.sh"
    script.write_text("#!/bin/sh\nprintf 'said %s\\n' \"$1\"\n", encoding="utf-8")
    os.chmod(script, 0o755)
    shown = Bare([TOPDOWN, "compare", "--run", "--pmu", "sim", f"{script} one", f"{script} two"])
    shown.end()
    shown.close()
    text = shown.written.decode("utf-8", "replace")
    for word in ("said one", "said two"):
        line = next((part for part in re.split(r"[\r\n]+", text) if word in part), "")
        check(SEQUENCE.sub("", line) == word, f"{word}: a line of its own", line)


def main():
    check_roofline()
    check_cores()
    check_doctor()
    with temporary() as folder:
        check_few_samples(folder)
        check_commands(folder)
        check_advice(folder)
        check_history(folder)
        need_simulator()
        check_gate(folder)
        check_trees(folder)
        check_models(folder)
        check_lines(folder)
    finish()


main()
