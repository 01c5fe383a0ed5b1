#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""man_pages.py - the manual pages that the build has made: mandoc and groff have nothing to say, they fit 80
columns, whatis finds their NAME, and they have the words of `topdown help`. Skipped where no pandoc made
them; checks by a tool that is not here are left out."""
import re
import shutil
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import BUILD, SOURCE, check, environment, finish, run, skip, topdown

FOLDER = BUILD / "man"


def shown(page, columns, *words):
    return run(
        "man",
        "--warnings",
        *words,
        "-l",
        page,
        env=environment(MANWIDTH=str(columns), MAN_KEEP_FORMATTING=None),
    )


def letters(text):
    """All but blanks; the signs of lists are man's own."""
    return re.sub(r"\s+", "", text.replace("•", "-").replace("‐", "-").replace("−", "-").replace("…", "..."))


def check_lint(page):
    result = run("mandoc", "-T", "lint", "-W", "warning", page)
    check(
        result.returncode == 0 and not result.stdout,
        f"mandoc -T lint {page.name}",
        (result.stdout + result.stderr)[:400],
    )


def check_shown(page):
    result = shown(page, 80)
    check(result.returncode == 0 and not result.stderr, f"man --warnings {page.name}", result.stderr[:400])
    wide = [line for line in result.stdout.splitlines() if len(line) > 80]
    check(len(result.stdout) > 400 and not wide, f"{page.name} fits 80 columns", wide[:3])


def check_words(page):
    """Without what stands at top and bottom, and without hyphens at the ends of lines."""
    lines = shown(page, 80, "--no-hyphenation", "--no-justification").stdout.strip().splitlines()
    ours = topdown("help", page.name).stdout.split("\n", 2)[2]
    theirs, ours = letters("\n".join(lines[1:-1])), letters(ours)
    at = next(
        (i for i, pair in enumerate(zip(theirs, ours)) if pair[0] != pair[1]), min(len(theirs), len(ours))
    )
    check(
        theirs == ours,
        f"{page.name} has the words of `topdown help`",
        (theirs[max(at - 40, 0) : at + 40], ours[max(at - 40, 0) : at + 40]),
    )


def check_dashes(page):
    """An option can be pasted: its dashes are those of the keyboard."""
    text = page.read_text(encoding="utf-8")
    check(
        not re.search(r"[–—“”‘’]|\\\[(en|em|hy|lq|rq)\]|\\\((en|em|hy|lq|rq)", text),
        f"{page.name}: a smart dash or quotation mark",
    )
    soft = [
        line
        for line in text.splitlines()
        if not line.startswith(".") and re.search(r"(?<!\\)-", line.replace("\\[t+-]", ""))
    ]
    check(not soft, f"{page.name}: a dash that groff may replace", soft[:3])
    check(page.suffix == ".5" or "\\-\\-help" in text, f"{page.name}: --help")


def check_name(page):
    result = run("lexgrog", page)
    check(
        result.returncode == 0 and f'"{page.stem} - ' in result.stdout,
        f"whatis finds {page.name}",
        result.stdout,
    )


def main():
    if not shutil.which("pandoc") or not FOLDER.is_dir():
        skip(f"no pandoc has made manual pages in {FOLDER}")
    pages = sorted(FOLDER.glob("man?/*"))
    made = {page.name for page in pages}
    check(
        made == {path.stem for path in (SOURCE / "docs/man").glob("topdown*.md")},
        "a page for each of docs/man",
        made,
    )
    for page in pages:
        check(page.parent.name == f"man{page.suffix[1:]}", f"{page.name} is in its section's folder", page)
        check_dashes(page)
        for tool, checks in (
            ("mandoc", (check_lint,)),
            ("man", (check_shown, check_words)),
            ("lexgrog", (check_name,)),
        ):
            for one in checks if shutil.which(tool) else ():
                one(page)
    finish()


main()
