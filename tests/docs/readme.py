#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""readme.py - README.md is two or three screens, prints what topdown prints of the recorded sessions, and
names files and options that are there; so do docs/FEATURES.md and docs/INSTALL.md. What it shows of the
tutorial's programs, tests/tutorial compares."""
import re
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import SOURCE, check, check_success, environment, finish, topdown

README = (SOURCE / "README.md").read_text(encoding="utf-8")
PAGES = ("README.md", "docs/FEATURES.md", "docs/INSTALL.md")
QUESTIONS = ("What takes the time?", "Where?", "What changed?", "How far from the limit?")
LONGEST = 130  # lines
# What a question shows is an excerpt of what this prints, in one piece or in several of at least so many
# lines.
RECORDED = {
    "What takes the time?": (("report", "-l3", "docs/sample-session.json"), 16),
    "How far from the limit?": (("report", "--roofline", "docs/sample-roofline.json"), 20),
}
OTHERS = {"--build", "--target", "--define"}  # cmake's, rpmbuild's


def shown(question):
    """The blocks below a question, without their indentation: pieces that a plot's or a paragraph's end
    divides."""
    section = README.split(f"**{question}**", 1)[1].split("\n", 1)[1]
    lines = re.match(r"(?:\n|    .*\n)+", section)[0].strip("\n").splitlines()
    return [line[4:].rstrip() for line in lines]


def check_recorded(question, words, least):
    result = topdown(*words, cwd=SOURCE, env=environment(COLUMNS="80"))
    check_success(result, " ".join(words))
    printed = [line.rstrip() for line in result.stdout.splitlines()]
    at, found = -1, shown(question)
    check(len(found) >= least, f"{question} shows something", found)
    for line in filter(None, found):  # in their order
        rest = printed[at + 1 :]
        check(line in rest, f"{question} topdown {' '.join(words)} prints this line next", line)
        at = at + 1 + rest.index(line) if line in rest else at


def check_names(page, options):
    text = (SOURCE / page).read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:docs|packaging|tests|analyzer|events|models)/[\w./-]+|[A-Z]+\.md)`", text))
    check(named, f"{page} names files")
    for name in sorted(named):
        check((SOURCE / name).exists(), f"{page}: {name} is there")
    missing = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", text)) - options - OTHERS
    check(not missing, f"{page} names options that the manual has", sorted(missing))


def check_commands():
    """`topdown WORD` in quotes is a command, an option, or what is measured."""
    commands = set(re.findall(r"^  ([a-z]+)  ", topdown("help").stdout, re.M))
    for page in PAGES:
        words = re.findall(r"`topdown ([a-z]\w*)", (SOURCE / page).read_text(encoding="utf-8"))
        check(set(words) <= commands, f"{page}: these are commands", sorted(set(words) - commands))


at_most = len(README.splitlines())
check(at_most <= LONGEST, f"README.md has {LONGEST} lines at most", at_most)
places = [README.find(f"**{question}**") for question in QUESTIONS]
check(places == sorted(places) and places[0] > 0, "the four questions, in their order", places)
for asked, (arguments, fewest) in RECORDED.items():
    check_recorded(asked, arguments, fewest)
known = set()
for manual in (SOURCE / "docs/man").glob("*.md"):
    known |= set(re.findall(r"\*\*(--[a-z][a-z-]+)", manual.read_text(encoding="utf-8")))
for document in PAGES:
    check_names(document, known)
check_commands()
finish()
