#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""use.py - pages used as a person does, by real clicks and keys: search, theme, sorting, cards, boxes and
paper."""
import json
import re
import shutil
import subprocess
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import TOPDOWN, check, chromium, finish, pages as made, skip, temporary

MOMENT = "new Promise(done => setTimeout(done, {}))"


def press(tab, *keys):
    for key in keys:
        tab.press(key, *chromium.KEYS[key])


def click(tab, where):
    """In the middle of what a selector or an expression of an element finds."""
    found = (
        where
        if "(" in where and "." in where and where.startswith("(")
        else f"document.querySelector({json.dumps(where)})"
    )
    box = tab.run(
        f"(() => {{ const e = {found}; e.scrollIntoView({{ block: 'center' }}); const b ="
        " e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; })()"
    )
    for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
        tab.call(
            "Input.dispatchMouseEvent",
            {
                "type": kind,
                "x": box[0],
                "y": box[1],
                "button": "none" if kind == "mouseMoved" else "left",
                "clickCount": 0 if kind == "mouseMoved" else 1,
            },
        )


def button(text):
    """The expression of the button that says so."""
    return (
        "([...document.querySelectorAll('button')].find(one =>"
        f" one.textContent.startsWith({json.dumps(text)})))"
    )


def tab_to(tab, holds, most=80):
    """Whether so many tab stops reach an element for which the expression holds, which calls it e."""
    for _ in range(most):
        press(tab, "Tab")
        if tab.run(f"(e => Boolean({holds}))(document.activeElement)"):
            return True
    return False


def seen(tab, selector):
    """The number of them that is displayed."""
    return tab.run(
        f"[...document.querySelectorAll({json.dumps(selector)})].filter(e => e.checkVisibility()).length"
    )


def check_search(tab):
    rows = "tbody tr"
    before = seen(tab, rows)
    press(tab, "/")
    check(tab.run("document.activeElement.matches('nav input[type=search]')"), "/ leads to the search")
    tab.type("itlb_misses")
    tab.run(MOMENT.format(200))
    names = tab.run(
        "[...document.querySelectorAll('tbody tr')].filter(e => e.checkVisibility()).map(e => e.textContent +"
        " e.dataset.name)"
    )
    check(
        names and all("itlb_misses" in name.lower() for name in names) and len(names) < before,
        "only rows with the word",
        names[:3],
    )
    check(seen(tab, "tr.minor") > 0, "rows of nodes that are fine too")
    tab.run("document.activeElement.select()")
    tab.press("Backspace", 8)
    tab.run(MOMENT.format(200))
    check(seen(tab, rows) == before, "an empty field brings all back", (seen(tab, rows), before))
    tab.type("no such name")
    tab.run(MOMENT.format(200))
    said = tab.run("document.querySelector('nav [role=status]')?.textContent")
    check(seen(tab, rows) == 0 and said == "0 rows", "what is nowhere is said to be", said)
    press(tab, "Escape")
    tab.run(MOMENT.format(200))
    check(
        seen(tab, rows) == before and tab.run("document.querySelector('nav input').value") == "",
        "Escape empties it",
    )


def check_theme(tab):
    def colours():
        return tab.run(
            "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color].join()"
        )

    themes = {}
    system = colours()
    for name in ("light", "dark", "auto"):
        click(tab, button("Theme"))
        themes[name] = colours()
        check(tab.run(f"{button('Theme')}.textContent") == f"Theme: {name}", f"the button says {name}")
    check(
        themes["light"] == themes["auto"] == system and themes["dark"] != system,
        "light as the system has it, and dark",
        themes,
    )
    tab.call("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})
    check(colours() == themes["dark"], "auto goes with the system", colours())
    click(tab, button("Theme"))
    check(colours() == themes["light"], "light does not", colours())
    tab.call("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "light"}]})
    press(tab, " ", " ")
    check(tab.run(f"{button('Theme')}.textContent") == "Theme: auto", "the key of a button works too")


def check_sorting(tab):
    click(tab, button("Open all"))
    check(
        tab.run("[...document.querySelectorAll('main details')].every(fold => fold.open)"), "all folds open"
    )
    table = (
        "([...document.querySelectorAll('table')].find(t => t.tHead?.querySelector('button') &&"
        " t.querySelectorAll('tbody tr').length > 2 && t.checkVisibility()))"
    )

    def column(number):
        return tab.run(
            f"[...{table}.tBodies[0].rows].map(row => row.cells[{number}].querySelector('data')?.value ??"
            f" row.cells[{number}].textContent.trim())"
        )

    numeric = tab.run(f"[...{table}.tBodies[0].rows[0].cells].findIndex(cell => cell.querySelector('data'))")
    head = f"({table}.tHead.rows[0].cells[{numeric}])"
    before = column(numeric)

    def state():
        return tab.run(f"{head}.getAttribute('aria-sort')"), [
            float(text) for text in column(numeric) if re.fullmatch(r"[-+.\de]+", text) and text != "-"
        ]

    for _ in range(2):
        click(tab, f"({head}.querySelector('button'))")
        way, numbers = state()
        check(
            way in ("ascending", "descending") and numbers == sorted(numbers, reverse=way == "descending"),
            f"{way} by a click",
            numbers,
        )
        check(sorted(column(numeric)) == sorted(before), "no row is lost")
    first = way
    tab.run(f"{table}.tHead.querySelector('button').focus()")
    tab.run(f"{head}.querySelector('button').focus()")
    press(tab, "Enter")
    way, numbers = state()
    check(
        way and way != first and numbers == sorted(numbers, reverse=way == "descending"),
        "Enter turns it",
        (way, numbers),
    )
    check(tab.run(f"{table}.querySelectorAll('[aria-sort]').length") == 1, "one column says so")


def check_first_click(tab):
    """Text from a to z, numbers from the largest."""
    heads = tab.run(
        """[...document.querySelectorAll('table')].filter(t => t.tHead?.querySelector('button') && t.tBodies[0].rows.length > 1).
        flatMap(t => [...t.tHead.rows[0].cells].map(head => { head.querySelector('button').click();
        return [head.textContent, head.getAttribute('aria-sort'), [...t.tBodies[0].rows].some(row => row.cells[head.cellIndex].querySelector('data') ||
            /^-?[0-9.]+$/.test(row.cells[head.cellIndex].textContent))]; }))"""  # noqa: E501
    )
    wrong = [head for head in heads if head[1] != ("descending" if head[2] else "ascending")]
    check(
        len(heads) > 3 and {head[2] for head in heads} == {True, False} and not wrong,
        "the first click on a head",
        wrong or heads,
    )


def check_pair(tab):
    """Both trees of a comparison: beside each other where there is room, else below; a box leads to its
    row."""
    for width, is_beside in ((360, False), (1280, True), (3840, True)):
        tab.resize(width)
        (x, y), (other_x, other_y) = tab.run(
            "[...document.querySelectorAll('.pair svg')].map(e => { const b = e.getBoundingClientRect();"
            " return [b.x, b.y]; })"
        )
        check(
            (other_x > x and other_y == y) if is_beside else (other_x == x and other_y > y),
            f"both trees at {width} px",
            (x, y, other_x, other_y),
        )
        small = tab.run(
            "Math.min(...[...document.querySelectorAll('.pair svg')].map(e => e.getBoundingClientRect().width"
            " / e.viewBox.baseVal.width * 11))"
        )
        check(small > 9, f"their letters at {width} px", small)
    tab.resize(1280)
    click(tab, "(document.querySelector('.pair svg a'))")
    check(
        tab.run("document.querySelector('tr:target')?.dataset.name == 'tma_frontend_bound'"),
        "a box leads to the row of its node",
        tab.run("location.hash"),
    )


def check_cards(tab):
    name = (
        "([...document.querySelectorAll('#tree button.name')].find(e =>"
        " e.textContent.includes('Memory_Bound') && e.checkVisibility()))"
    )
    opened = "document.querySelector('.card:popover-open')"
    for how in ("a click", "Enter"):
        if how == "a click":
            click(tab, name)
        else:
            tab.run(f"{name}.focus()")
            press(tab, "Enter")
        text = tab.run(f"{opened}?.innerText")
        check(
            text and "Memory_Bound" in text and "Formula" in text and "Events" in text,
            f"{how} opens the card",
            text,
        )
        press(tab, "Escape")
        check(not tab.run(opened), "Escape closes it")
        check(tab.run(f"document.activeElement === {name}"), "and leads back to the name")
    click(tab, name)
    click(tab, f"({opened}.querySelector('.close'))")
    check(not tab.run(opened), "Close does too")
    click(
        tab,
        "([...document.querySelectorAll('.x-icicle button')].find(e => e.title.startsWith('Memory_Bound')))",
    )
    click(tab, button("About Memory_Bound"))
    check(tab.run(f"Boolean({opened})"), "a box of the picture leads to one")
    press(tab, "Escape")
    check(not tab.run(opened), "which Escape closes")


def check_print(tab, folder):
    report = json.loads(
        subprocess.run(
            [TOPDOWN, "report", "-l3", "--format", "json", made.SESSION], check=True, capture_output=True
        ).stdout
    )
    nodes = [node["title"] for node in report["nodes"] if node["worst_path"]]
    verdict = tab.run("document.querySelector('.verdict').textContent")
    tab.call("Emulation.setEmulatedMedia", {"media": "print"})
    check(
        seen(tab, "nav") == 0 and seen(tab, ".filter") == 0 and seen(tab, ".command button") == 0,
        "no tools on paper",
    )
    check(seen(tab, "#tree tbody tr") > 2 and seen(tab, ".verdict") == 1, "the tree and the verdict on paper")
    check(tab.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)", "on white")
    tab.call("Emulation.setEmulatedMedia", {"media": ""})
    pdf = folder / "page.pdf"
    pdf.write_bytes(tab.pdf())
    check(pdf.read_bytes().startswith(b"%PDF"), "a PDF")
    if shutil.which("pdftotext"):
        text = subprocess.run(
            ["pdftotext", "-layout", str(pdf), "-"], check=True, capture_output=True, text=True
        ).stdout
        flat = re.sub(r"\W+", "", text)
        check(re.sub(r"\W+", "", verdict) in flat, "the PDF has the verdict", verdict)
        for title in nodes:
            shown = tab.run(
                "[...document.querySelectorAll('#tree tbody tr')].find(row =>"
                " row.querySelector('.name')?.textContent =="
                f" {json.dumps(title)}).querySelector('data').textContent"
            )
            check(re.search(rf"{title}\b.*{re.escape(shown)}", text), f"the PDF has {title}", shown)
        check("Theme:" not in text and "Search" not in text, "the PDF has no tools")


def check_room(tab):
    """A window of 1280 px and more has all columns of the metrics in sight, at a width where there are two of
    tables too."""
    for width in (1280, 1920, 3840):
        tab.resize(width)
        cut = tab.run(
            "[...document.querySelectorAll('.metrics .wide')].filter(e => e.scrollWidth >"
            " e.clientWidth).map(e => e.ariaLabel)"
        )
        check(seen(tab, ".metrics .wide") > 3 and not cut, f"{width} px show all columns", cut)
    tab.resize(1280)


def check_boxes(browser, path):
    """Without script: the box of a table shows every node."""
    tab = browser.open(path, has_script=False)
    few, every = seen(tab, "#tree tbody tr"), tab.run("document.querySelectorAll('#tree tbody tr').length")
    check(0 < few < every, "not all rows at first", (few, every))
    click(tab, "#tree .all")
    check(seen(tab, "#tree tbody tr") == every, "the box shows all", seen(tab, "#tree tbody tr"))
    tab.run("document.querySelector('#tree .all').focus()")
    press(tab, " ")
    check(seen(tab, "#tree tbody tr") == few, "the space bar hides them again")
    tab.close()


def used(browser, path, *checks):
    tab = browser.open(path)
    for one in checks:
        one(tab)
    check(not tab.messages, "nothing is written to the console", tab.messages)
    tab.close()


def main():
    if not chromium.find():
        skip("no Chromium here: pages are not used (./bootstrap.sh test installs chromium-headless-shell)")
    with temporary() as folder, chromium.Browser() as browser:
        report, profile = folder / "report.html", folder / "profile.html"
        made.make(TOPDOWN, ["report", "-l3", str(made.SESSION)], report)
        made.make(TOPDOWN, ["report", str(made.PROFILE)], profile)
        used(
            browser,
            report,
            check_room,
            check_search,
            check_theme,
            check_cards,
            lambda tab: check_print(tab, folder),
        )
        used(browser, profile, check_sorting)
        both = folder / "both.html"
        made.make(TOPDOWN, made.pages(TOPDOWN, folder)["comparison of repeats"], both)
        used(browser, both, check_pair, check_first_click)
        check_boxes(browser, report)
    finish()


main()
