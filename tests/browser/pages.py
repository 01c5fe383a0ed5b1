#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""pages.py - pages in a real browser, with the network off: nothing is loaded or reported, nothing is wider
than the window, everything is there without script too, axe-core finds nothing, and what is called like
markup is text."""
import json
import os
import pathlib
import subprocess
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import BUILD, TOPDOWN, check, chromium, finish, pages as made, read_json, temporary

AXE = pathlib.Path(os.environ.get("AXE", BUILD / "npm/node_modules/axe-core/axe.min.js"))
WIDTHS = (360, 1280, 3840)
HOSTILE = (
    "</script><script>document.title='executed'</script>",
    "<img src=x onerror=document.title='executed'>",
    "\"'><b>&amp;",
    "a\u202eb\u2066c",
    "x" * 10000,
    "--></title><svg onload=document.title='executed'>",
    "`|*_[a](javascript:alert(1))",
)


def expect(what, holds, found=None):
    check(holds, what, found)


def check_page(name, tab, path):
    expect(f"{name}: nothing is written to the console", not tab.messages, tab.messages)
    foreign = [address for address in tab.requests if address != path.resolve().as_uri()]
    expect(f"{name}: nothing else is loaded", not foreign, foreign)
    for width in WIDTHS:
        tab.resize(width)
        wide = tab.run("document.documentElement.scrollWidth")
        expect(f"{name}: {width} px hold it", wide <= width, f"it has {wide}")
    tab.resize(1280)
    size = path.stat().st_size
    expect(
        f"{name}: it has a heading and a title",
        tab.run("document.querySelectorAll('h1').length == 1 && document.title.length > 0"),
    )
    return size


def check_access(name, tab):
    """By axe-core, in both themes."""
    tab.run(AXE.read_text(encoding="utf-8"))
    for theme in ("light", "dark"):
        tab.call(
            "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": theme}]}
        )
        found = tab.run("axe.run().then(result => result.violations)")
        bad = [(one["id"], one["nodes"][0]["html"][:200]) for one in found]
        expect(f"{name}: axe-core finds nothing, {theme}", not bad, bad)


def texts(tab):
    """All that is in the document, closed folds too, but what is explored, which tables have too."""
    return tab.run(
        "(b => { b.querySelectorAll('.explorer, .tools').forEach(e => e.remove()); return b.textContent;"
        " })(document.body.cloneNode(true))"
    )


def check_without_script(name, browser, path, whole):
    tab = browser.open(path, has_script=False)
    tab.call("Emulation.setScriptExecutionDisabled", {"value": False})
    there = texts(tab)
    lost = [word for word in sorted(set(whole.split())) if word not in there]
    expect(f"{name}: without script there is the same", len(lost) < 20, lost[:20])
    tab.close()


def check_tree(browser, path):
    """Every node and number of the JSON report, by the exact value that an element has."""
    report = json.loads(
        subprocess.run(
            [TOPDOWN, "report", "-l3", "--format", "json", made.SESSION], check=True, capture_output=True
        ).stdout
    )
    tab = browser.open(path)
    text = texts(tab)
    values = set(tab.run("[...document.querySelectorAll('data[value]')].map(one => Number(one.value))"))
    for result in report["nodes"] + report["metrics"]:
        expect(f"node {result['title']}", result["title"] in text)
        if result["value"] is not None:
            near = any(abs(value - result["value"]) <= 1e-9 * abs(result["value"]) for value in values)
            expect(f"value of {result['title']}", near, result["value"])
    for command in [one["command"] for one in report["next"]]:
        expect("a command to go on with", command in text, command)
    tab.close()


def check_threads(browser, path):
    """A while of a thread's timeline leads the explorer to that time."""
    tab = browser.open(path)
    expect("each thread has a row", tab.run("document.querySelectorAll('.threads > li').length") == 3)
    tab.run(
        "document.querySelector('.threads a[href=\"#span=7-7\"] rect').dispatchEvent("
        "new MouseEvent('click', { bubbles: true, cancelable: true }))"
    )
    said = "document.querySelector('.explorer').textContent.includes('0.350 to 0.400 s')"
    expect("a click leads to its time", tab.run("location.hash") == "#span=7-7", tab.run("location.hash"))
    expect("of which the explorer is", tab.run(said))
    tab.close()


def renamed(session, names):
    """A session whose functions, files, modules and command are called otherwise."""
    other = read_json(session)
    left = iter(names * 1000)

    def walk(part, key=None):
        if isinstance(part, dict):
            return {inner: walk(value, inner) for inner, value in part.items()}
        if isinstance(part, list):
            return [walk(value, key) for value in part]
        if isinstance(part, str) and key in (
            "texts",
            "function",
            "file",
            "object",
            "path",
            "name",
            "program",
        ):
            return next(left)
        return part

    for key in ("profile", "lines"):
        if key in other:
            other[key] = walk(other[key])
    for key in ("command", "machine", "host", "kernel"):
        if isinstance(other.get(key), str):
            other[key] = next(left)
    return other


def check_hostile(browser, folder):
    for number, source in enumerate((made.SIMULATED, made.PROFILE)):
        session, page = folder / f"hostile{number}.json", folder / f"hostile{number}.html"
        session.write_text(json.dumps(renamed(source, list(HOSTILE))), encoding="utf-8")
        made.make(TOPDOWN, ["report", "--lines", str(session)], page)
        tab = browser.open(page)
        expect("nothing is executed", tab.run("document.title") != "executed")
        expect(
            "no element comes of a name",
            tab.run(
                "document.querySelectorAll('img, b').length == 0 &&"
                " document.querySelectorAll('script:not([type])').length == 2"
            ),
        )
        expect("a name is text", "</script><script>" in texts(tab))
        expect("no character turns the direction", not any(code in texts(tab) for code in "\u202e\u2066"))
        check_page(f"hostile {number}", tab, page)
        tab.close()


def main():
    if not chromium.find():
        print(
            "no Chromium here: pages are not looked at (./bootstrap.sh test installs chromium-headless-shell)"
        )
        sys.exit(77)
    with temporary() as folder, chromium.Browser() as browser:
        for name, words in made.pages(TOPDOWN, folder).items():
            path = folder / f"{name}.html"
            made.make(TOPDOWN, words, path)
            tab = browser.open(path)
            check_page(name, tab, path)
            if AXE.exists():
                check_access(name, tab)
            check_without_script(name, browser, path, texts(tab))
            tab.close()
        check_tree(browser, folder / "measurement.html")
        check_threads(browser, folder / "threads.html")
        check_hostile(browser, folder)
    if not AXE.exists():
        print("no axe-core here: accessibility was not looked at (./bootstrap.sh test fetches it with npm)")
    finish()


main()
