#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""faults.py - what pages once did wrongly in a browser, a check each: headings below the bar, a dark page on
paper, one program as two, a search that leaves empty headings, a moment outside of what is shown, buttons
over commands."""
import json
import re
import subprocess
import sys
import time

sys.path.append(f"{sys.path[0]}/..")
from lib import TOPDOWN, check, chromium, finish, pages as made, read_json, skip, temporary
from lib.interval_table import series
from lib.profiles import Profile

LONG_S = 60  # for what takes some ms


def wait(tab, expression):
    until = time.monotonic() + LONG_S
    while not tab.run(f"Boolean({expression})"):
        if time.monotonic() > until:
            check(False, "it comes", expression)
            return
        time.sleep(0.02)


def check_anchors(browser, path):
    """A link of the bar leads to its heading, which stands below the bar, however many rows that has."""
    for width in (700, 1280):
        tab = browser.open(path, width=width)
        links = tab.run("[...document.querySelectorAll('nav a')].map(e => e.getAttribute('href'))")
        check(len(links) > 4, "there are links", links)
        for link in links:
            tab.run(f"document.querySelector('nav a[href=\"{link}\"]').click()")
            top, bar = tab.run(
                f"[document.querySelector('{link} h2').getBoundingClientRect().top,"
                " document.querySelector('nav').getBoundingClientRect().bottom]"
            )
            check(top >= bar - 1, f"{width} px: {link} is in sight", (top, bar))
        tab.close()


def check_paper(browser, path):
    """The dark theme is one of screens."""
    tab = browser.open(path)
    tab.run("document.documentElement.setAttribute('data-theme', 'dark')")
    tab.call("Emulation.setEmulatedMedia", {"media": "print"})
    paper, ink, box = tab.run(
        "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color,"
        " getComputedStyle(document.querySelector('.icicle .k-be rect, .icicle .k-fe rect')).fill]"
    )
    check((paper, ink) == ("rgb(255, 255, 255)", "rgb(0, 0, 0)"), "black on white", (paper, ink))
    check(min(map(int, re.findall(r"\d+", box))) > 120, "boxes are light on paper", box)
    tab.close()


def renamed(folder, number):
    """A simulation of one program under a name of its own."""
    session = read_json(made.SIMULATED)
    items = {count["event"]: i for i, count in enumerate(session["counts"])}
    profile = Profile()
    place = (f"/bin/step{number}", (("main", "/src/step.c", 3),))
    inner = ("/lib/libx.so", (("work", "/src/work.c", 9),))
    line = session["lines"][0]
    for stack, share in (([place], 0.25), ([inner, place], 0.75)):
        profile.add_exact(stack, {items[event]: value * share for event, value in line["counts"].items()})
    path = folder / f"step{number}.json"
    made_up = profile.session({**session, "command": f"./step{number} 1000"})
    path.write_text(json.dumps(made_up), encoding="utf-8")
    return path


def check_one_program(browser, folder):
    """The measured program is itself, whatever its file is called."""
    page = folder / "both.html"
    made.make(TOPDOWN, ["compare", str(renamed(folder, 0)), str(renamed(folder, 1))], page)
    tab = browser.open(page)
    tab.run("location.hash = '#side=difference'")
    wait(tab, "document.querySelector('.x-functions h2').textContent.includes('difference')")
    text = tab.run("document.querySelector('.x-functions').textContent")
    check("gone" not in text and "new" not in text, "no function is gone or new", text)
    tab.run("location.hash = '#fn=main&side=after'")
    wait(tab, "document.querySelector('.x-tools').textContent.includes('× main')")
    tab.run("[...document.querySelectorAll('.x-tools button')].find(e => e.textContent == 'Before').click()")
    check(
        "fn=main" in tab.run("location.hash") and "side=before" in tab.run("location.hash"),
        "a function stays chosen on the other side",
        tab.run("location.hash"),
    )
    check(not tab.messages, "nothing is written to the console", tab.messages)
    tab.close()


def check_copies(browser, path):
    """What is chosen, as text and as a picture."""
    tab = browser.open(path)
    wait(tab, "document.querySelector('.x-tools button')")
    tab.run(
        "(window.saved = [], HTMLAnchorElement.prototype.click = function () {"
        " saved.push(this.download, this.href.slice(0, 5)); }, 1)"
    )
    one = "[...document.querySelectorAll('.x-tools button')].find(e => e.textContent.includes('{}')).click()"
    tab.run(one.format("PNG"))
    wait(tab, "saved.length")
    check(tab.run("saved") == ["topdown.png", "blob:"], "a picture is saved", tab.run("saved"))
    tab.run("(Object.defineProperty(navigator, 'clipboard', { value: null }), 1)")
    tab.run(one.format("Markdown"))
    wait(tab, "document.querySelector('.x-tools textarea')")
    text = tab.run("document.querySelector('.x-tools textarea').value")
    report = json.loads(
        subprocess.run(
            [TOPDOWN, "report", "-l3", "--format", "json", str(made.SESSION)], check=True, capture_output=True
        ).stdout
    )
    for node in report["nodes"]:
        row = f"{node['title']} | {node['value']:.1f} |".replace("_", "\\_")
        check(node["value"] < 1 or row in text, f"{node['title']} is in the text", text[:400])
    check(not tab.messages, "nothing is written to the console", tab.messages)
    tab.close()


def check_search(browser, path):
    """What is left is what was found: no heading above nothing, and the first hit is in sight."""
    tab = browser.open(path)
    tab.run(
        "(e => { e.value = 'LLC'; e.dispatchEvent(new Event('input')); })"
        "(document.querySelector('nav input'))"
    )
    wait(tab, "document.querySelector('nav [role=status]').textContent")
    empty = tab.run(
        "[...document.querySelectorAll('main > section')].filter(e => e.checkVisibility() &&"
        " !e.querySelector('.explorer') && ![...e.querySelectorAll('tbody tr')].some(row =>"
        " !row.classList.contains('miss'))).map(e => e.id)"
    )
    check(not empty, "no empty section", empty)
    place = tab.run(
        "(row => row && row.getBoundingClientRect().top)([...document.querySelectorAll('tbody tr')].find(e =>"
        " e.checkVisibility()))"
    )
    check(place is not None and 0 <= place <= 900, "the first hit is in sight", place)
    tab.close()


def check_moment(browser, path):
    """What is drawn over is shown, and so is the moment that is marked; percent have one decimal."""
    tab = browser.open(path)
    box = tab.run(
        "(e => { e.scrollIntoView({ block: 'center' }); const b = e.getBoundingClientRect();"
        " return [b.x, b.y, b.width, b.height]; })(document.querySelector('svg.axes[data-group] .area'))"
    )
    y = box[1] + box[3] / 2
    a, b, far = box[0] + 0.6 * box[2], box[0] + 0.8 * box[2], box[0] + 0.05 * box[2]
    tab.point(
        ("pointerMove", far, y),
        ("pointerMove", a, y),
        ("pointerDown", a, y),
        ("pointerMove", b, y),
        ("pointerUp", b, y),
    )
    marked, from_, width = tab.run(
        "(svg => [Number(svg.querySelector('.at').getAttribute('x')),"
        " ...svg.querySelector('.area').getAttribute('viewBox').split(' ').filter((p, i) => i == 0 || i =="
        " 2).map(Number)])(document.querySelector('svg.axes[data-group]'))"
    )
    check(width < 900 and from_ <= marked <= from_ + width, "the moment is shown", (marked, from_, width))
    said = tab.run("document.querySelector('.details.moment').textContent")
    check(not re.search(r"[1-9]\d*\.\d\d+ %", said), "percent are rounded", said[:200])
    tab.close()


def check_commands(browser, path):
    """On a phone no button covers the end of a command."""
    tab = browser.open(path, width=360)
    covered = tab.run(
        "[...document.querySelectorAll('.command')].filter(e => { const b ="
        " e.querySelector('button').getBoundingClientRect(), p ="
        " e.querySelector('pre').getBoundingClientRect();"
        " return b.top < p.bottom - 1 && b.bottom > p.top + 1; }).length"
    )
    check(covered == 0, "commands are not covered", covered)
    tab.close()


def main():
    if not chromium.find():
        skip("no Chromium here: pages are not looked at (./bootstrap.sh test all installs one)")
    with temporary() as folder, chromium.Browser() as browser:
        report, times = folder / "report.html", folder / "times.html"
        made.make(TOPDOWN, ["report", "-l3", str(made.SESSION)], report)
        made.make(TOPDOWN, ["report", "-l2", "--cpu", "clx", str(series(folder / "series.csv", 60))], times)
        check_anchors(browser, report)
        check_paper(browser, report)
        check_one_program(browser, folder)
        check_copies(browser, report)
        check_search(browser, report)
        check_moment(browser, times)
        check_commands(browser, report)
    finish()


main()
