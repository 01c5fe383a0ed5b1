#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
where_page.py - docs/WHERE.md: each command with an output below it prints that output. With --write the page
gets what they print.
"""
import pathlib
import re
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import SOURCE, check, finish, read_json, temporary, topdown

PAGE = SOURCE / "docs/WHERE.md"
FILES = {
    "run.json": SOURCE / "docs/sample-profile.json",
    "sim.json": SOURCE / "tests/cli/formats/simulated.json",
}
# A command, and what it prints: the part of the report from its first table on. In the page both are
# indented.
EXAMPLE = re.compile(r"^    topdown (report [^\n]*)\n\n((?:(?:    [^\n]*)?\n)+)(?=\S)", re.M)


def output_of(words, folder):
    for name, file in FILES.items():
        (folder / name).write_bytes(file.read_bytes())
    result = topdown(*words.split(), cwd=folder)
    check(result.returncode == 0, words, result.stderr)
    text = result.stdout
    start = re.search(r"^(Lines|Functions|Modules|Threads) of |^\S+ \[\S+\] has ", text, re.M)
    check(start, f"{words}: a table", text)
    tail = text[start.start() :] if start else text
    return re.split(r"\n\n(?:In |Try|Next|Run) ", tail)[0].rstrip("\n")


def indented(text):
    return "".join(f"    {line}".rstrip() + "\n" for line in text.splitlines()) + "\n"


def main():
    page = PAGE.read_text(encoding="utf-8")
    with temporary() as folder:
        if "--write" in sys.argv:
            page = re.sub(
                r"^    topdown (report [^\n]*)\n\nOUTPUT\n\n",
                lambda match: f"    topdown {match[1]}\n\n{indented(output_of(match[1], folder))}",
                page,
                flags=re.M,
            )
            PAGE.write_text(page, encoding="utf-8")
        examples = EXAMPLE.findall(page)
        check(len(examples) >= 4, "the page has examples", len(examples))
        for words, output in examples:
            printed = indented(output_of(words, folder))
            check(output.strip("\n") == printed.strip("\n"), words, (output, printed))
    program = re.search(r"```c\n(.*?)```", page, re.S)[1].splitlines()
    lines = read_json(FILES["run.json"])["profile"]["frames"]["line"]
    check(
        max(lines) <= len(program) or max(lines) > 50, "the program has the lines", (max(lines), len(program))
    )
    check(
        program[2].endswith("}") and "part(unsigned" in program[2] and "for (" in program[7],
        "part and the loop are where the profile says",
        program,
    )
    check(
        pathlib.Path(SOURCE / "README.md").read_text(encoding="utf-8").count("docs/WHERE.md"),
        "README.md names the page",
    )
    finish()


main()
