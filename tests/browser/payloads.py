#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""payloads.py - pages and pictures made of strangers' texts (tests/cli/payloads.py), in Chromium: nothing of
them runs, asks for an address, opens a dialog or becomes an element with a handler."""
import json
import sys

sys.path[:0] = [f"{sys.path[0]}/..", f"{sys.path[0]}/../cli"]
from lib import TOPDOWN, check, chromium, environment, finish, profiles, run, skip, temporary  # noqa: E402
from payloads import PAYLOADS, SESSIONS, made  # noqa: E402

HANDLERS = """[...document.querySelectorAll('*')].flatMap(element => [...element.attributes]
    .filter(one => /^on/i.test(one.name) || /^\\s*javascript:/i.test(one.value)).map(one => one.name))"""
KINDS = "[...new Set([...document.querySelectorAll('*')].map(element => element.localName))]"
FORBIDDEN = {"iframe", "img", "object", "embed", "base", "form"}
DRAWN = 24  # of the texts, one in every field of a session


def every_text():
    """A profile whose functions, modules, threads and programs are called as the texts, all at once."""
    profile = profiles.Profile()
    for number, text in enumerate(PAYLOADS):
        profile.add(
            [(text, [(text, text, 1)]), (text, [(f"{text} ", text, 2)])], 50, (10, 11 + number, text, text)
        )
    return profile.session({**profiles.HEAD, "command": " ".join(PAYLOADS[:20])})


def sources():
    yield every_text()
    for number, text in enumerate(PAYLOADS[:: len(PAYLOADS) // DRAWN]):
        yield made(SESSIONS[number % len(SESSIONS)], text)


def check_page(browser, path, what):
    tab = browser.open(path)
    check(not tab.own_events("Page.javascriptDialogOpening"), f"{what}: a dialog")
    check(not tab.messages, f"{what}: messages", tab.messages)
    check(set(tab.requests) <= {path.as_uri()}, f"{what}: requests", tab.requests)
    check(not tab.run(HANDLERS), f"{what}: handlers", tab.run(HANDLERS))
    check(not FORBIDDEN & set(tab.run(KINDS)), f"{what}: elements", tab.run(KINDS))
    tab.close()


def main():
    if not chromium.find():
        skip("there is no Chromium")
    with temporary() as folder, chromium.Browser() as browser:
        session, page = folder / "session.json", folder / "page.html"
        page.write_text("<p><b onclick=alert(1)>a</b><iframe></iframe>")
        tab = browser.open(page)
        check(tab.run(HANDLERS) == ["onclick"] and FORBIDDEN & set(tab.run(KINDS)), "a page that has them")
        for number, source in enumerate(sources()):
            session.write_text(json.dumps(source))
            for words in (
                ["report", "-o", page, session],
                ["compare", "-o", page, session, session],
                ["export", "--to", "svg", "-o", folder / "page.svg", session],
            ):
                done = run(TOPDOWN, *words, env=environment())
                if done.returncode and words[0] == "export":
                    continue  # of counts there is no flame graph
                check(done.returncode == 0, f"{number}: {words[0]}", done.stderr[-300:])
                check_page(browser, words[words.index("-o") + 1], f"{number}, {words[0]}")
    finish()


main()
