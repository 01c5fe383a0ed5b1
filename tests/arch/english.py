#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""english.py - plain English in documentation, comments and messages: no worn words, short sentences, lines
that fit.

usage: english.py [--list]     --list names all of it, also where the budget allows it

A budget is for what is left from before. It may shrink, and never grows.
"""
import ast
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COLUMNS = 100  # of documentation; tables and examples are as wide as they need
SOURCE_COLUMNS, TAB = 120, 8  # of C; clang-format leaves comments and hand-made tables as they are
WORDS = 25  # in a sentence
DOCUMENTS = ("*.md", ":!tests/golden/*/*", ":!.github/*")  # golden reports are what the program prints
TESTS = ("tests/*.[ch]", "tests/*.py", "tests/*.sh", "tests/*.cmake", "tests/*CMakeLists.txt")

# Budgets of what is left from before
BUDGETS = {
    "long sentences in documentation": 34,
    "wide lines in documentation": 0,
    "worn words in documentation": 0,
    "worn words in comments": 0,
    "worn words in comments of the tests": 0,
    "worn words in messages": 0,
    "wide lines in sources": 0,
}

# What to write instead
WORN = {
    r"(?<!can't )tells?|told|telling": "report, print, say, name, distinguish",
    r"by turns": "multiplexed, share the counters, interleaved",
    r"so much later": "after MS milliseconds",
    r"how many": "the number of",
    r"heard": "verbose",
    r"nobody would|nobody but": "the reason itself",
    r"gives the sign|get the sign": "SIGUSR2",
}
WORN_WORD = re.compile(r"\b(" + "|".join(WORN) + r")\b", re.I)


def tracked(*patterns):
    out = subprocess.run(
        ["git", "-C", ROOT, "ls-files", "-z", "--", *patterns], check=True, capture_output=True, text=True
    ).stdout
    return [ROOT / name for name in out.split("\0") if name and (ROOT / name).exists()]


def place(path, line):
    return f"{path.relative_to(ROOT)}:{line}"


def prose(path):
    """(line number, text) of a Markdown file's lines that are neither example nor table nor heading."""
    fenced = False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        fenced ^= line.startswith("```")
        if not fenced and not line.startswith(("```", "    ", "|", "#", "---")):
            yield number, line


def sentences(path):
    """(line number, words) of each sentence; an item of a list begins one, code counts as a word."""
    text, start = "", 0
    for number, line in [*prose(path), (0, "")]:
        line = re.sub(r"^> ?", "", line)
        item = re.match(r"\s*([-*]|\d+\.) ", line)
        line = line[item.end() :] if item else line
        if not line.strip() or item:
            for sentence in re.split(r"(?<=[.!?])[\s)*]+", re.sub(r"`[^`]*`", "code", text)):
                yield start, sentence.split()
            text, start = "", number
        text, start = f"{text} {line.strip()}", start or number


# C's comments, and its string literals, of which neighbours are one
C_PARTS = re.compile(
    r"(?P<comment>/\*.*?\*/|//[^\n]*)|(?P<string>(?:\"(?:\\.|[^\"\\\n])*\"\s*)+)|'(?:\\.|[^'\\\n])+'", re.S
)


def c_parts(path, kind):
    """(line number, text) of each line of C's comments, or of each string."""
    text = path.read_text(encoding="utf-8")
    for match in C_PARTS.finditer(text):
        part = match[kind] or ""
        if kind == "string":
            part = re.sub(r"\\[a-z]", " ", re.sub(r"\"\s*\"", "", part))
        for offset, line in enumerate(part.splitlines()):
            yield text.count("\n", 0, match.start()) + 1 + offset, line


def docstrings(text):
    for node in ast.walk(ast.parse(text)):
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            for offset, line in enumerate(node.value.value.splitlines()):
                yield node.lineno + offset, line


def comments(path):
    """(line number, text) of the comments of C, Python, shell and CMake."""
    if path.suffix in (".c", ".h"):
        yield from c_parts(path, "comment")
        return
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        yield from docstrings(text)
    for number, line in enumerate(text.splitlines(), 1):
        match = re.search(r"(?:^|\s)#.*", line)
        if match:
            yield number, match[0]


def messages(path):
    return c_parts(path, "string")


def worn(lines, path):
    for number, line in lines:
        for match in WORN_WORD.finditer(line):
            better = next(text for pattern, text in WORN.items() if re.fullmatch(pattern, match[0], re.I))
            yield f"{place(path, number)}: '{match[0]}'; write {better}"


def wide_lines(path):
    for number, line in prose(path):
        if len(line) > COLUMNS:
            yield f"{place(path, number)}: {len(line)} columns, {COLUMNS} are enough"


def wide_sources(path):
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        width = len(line.expandtabs(TAB))
        if width > SOURCE_COLUMNS:
            yield f"{place(path, number)}: {width} columns, {SOURCE_COLUMNS} are enough"


def long_sentences(path):
    for number, words in sentences(path):
        if len(words) > WORDS:
            yield f"{place(path, number)}: {len(words)} words: {' '.join(words[:8])} ..."


def all_of(find, paths):
    return [found for path in paths for found in find(path)]


def main(words):
    try:
        documents, sources, tests = tracked(*DOCUMENTS), tracked("analyzer/*.[ch]"), tracked(*TESTS)
    except (OSError, subprocess.CalledProcessError):
        print("english.py: skipped, this is no git checkout")
        return 77
    results = {
        "long sentences in documentation": all_of(long_sentences, documents),
        "wide lines in documentation": all_of(wide_lines, documents),
        "worn words in documentation": all_of(lambda path: worn(prose(path), path), documents),
        "worn words in comments": all_of(lambda path: worn(comments(path), path), sources),
        "worn words in comments of the tests": all_of(lambda path: worn(comments(path), path), tests),
        "worn words in messages": all_of(lambda path: worn(messages(path), path), sources),
        "wide lines in sources": all_of(wide_sources, sources),
    }
    failed = not documents or not sources or not tests
    for what, found in results.items():
        print(f"{len(found)} {what}, {BUDGETS[what]} allowed")
        if len(found) > BUDGETS[what] or "--list" in words:
            print("\n".join(found))
        failed |= len(found) > BUDGETS[what]
    return 1 if failed else 0


sys.exit(main(sys.argv[1:]))
