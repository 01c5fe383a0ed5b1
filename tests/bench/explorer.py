#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""explorer.py [SESSION...] - what pages of programs weigh, when they are shown, and how long a click takes,
in a headless Chromium. Without sessions python3, sqlite3 and gcc are simulated first."""
import pathlib
import subprocess
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import TOPDOWN, chromium, temporary

SIZE_KB, SHOWN_MS, CLICK_MS = 400, 500, 50  # goals
SMALL_C = "int f(int x) { int s = 0; for (int i = 0; i < x; i++) s += i * x; return s; }\n"
QUERY = """with recursive n(i) as (select 1 union all select i + 1 from n where i < 90000)
select sum(i * i) from n;"""
TIMED = "(e => {{ const t = performance.now(); e.click(); return performance.now() - t; }})({})"
CLICKS = (
    "document.querySelector('.x-icicle button')",
    "document.querySelector('.x-functions .x-row')",
    "[...document.querySelectorAll('.x-flame button')].find(e => e.textContent == 'Inverted')",
    "document.querySelector('.x-tools button')",
)


def simulated(folder):
    (folder / "small.c").write_text(SMALL_C, encoding="utf-8")
    for name, words in {
        "python3": ["/usr/bin/python3", "-c", "import json; print(len(json.dumps(list(range(90000)))))"],
        "sqlite3": ["sqlite3", ":memory:", QUERY],
        "gcc": ["gcc", "-O2", "-c", "-o", str(folder / "small.o"), str(folder / "small.c")],
    }.items():
        path = folder / f"{name}.json"
        subprocess.run(
            [TOPDOWN, "--pmu", "sim", "--anchor", "never", "--lines", "-l6", "--save", str(path), *words],
            capture_output=True,
            check=False,
        )
        yield path


def median(values):
    return sorted(values)[len(values) // 2]


def main():
    with temporary() as folder, chromium.Browser() as browser:
        sessions = [pathlib.Path(word) for word in sys.argv[1:]] or list(simulated(folder))
        print("| page of | kB | shown after, ms | a click, ms, median and most |\n|---|---:|---:|---:|")
        for session in sessions:
            page = folder / f"{session.stem}.html"
            subprocess.run([TOPDOWN, "report", "--lines", "-l6", "-o", str(page), str(session)], check=True)
            shown, took = [], []
            for _ in range(5):
                tab = browser.open(page)
                tab.run("new Promise(done => setTimeout(done, 400))")
                shown.append(tab.run("performance.getEntriesByName('topdown-shown')[0].startTime"))
                for click in CLICKS:
                    took.append(tab.run(TIMED.format(click)))
                tab.close()
            print(
                f"| {session.stem} | {page.stat().st_size / 1e3:.0f} | {median(shown):.0f} |"
                f" {median(took):.0f}, {max(took):.0f} |"
            )
    print(f"\nGoals: {SIZE_KB} kB, {SHOWN_MS} ms, {CLICK_MS} ms.")


main()
