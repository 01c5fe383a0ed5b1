#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""manual.py - the pages of docs/man have the commands and options of --help, no others, and their examples
work."""
import concurrent.futures
import json
import os
import re
import subprocess
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import (
    COUNTS,
    NO_PMU,
    PATIENCE,
    SOURCE,
    TOPDOWN,
    check,
    check_success,
    environment,
    finish,
    made_up,
    some,
    temporary,
    topdown,
)


FOLDER = SOURCE / "docs/man"
PAGES = {path.stem: path.read_text(encoding="utf-8") for path in FOLDER.glob("topdown*.md")}
MAIN = PAGES["topdown.1"]
SESSION = SOURCE / "docs/sample-session.json"
TERM = re.compile(r"^\*\*-.*$", re.M)
OLDER_SPELLINGS = {("roofline", "--functions")}  # which others have as an option of their own


def section(page, name):
    found = re.search(rf"^## {name}\n(.*?)(?=^## |\Z)", page, re.M | re.S)
    return found[1] if found else ""


def terms(page):
    """The options that a page explains: "-l, --level N"."""
    return [line.replace("*", "") for line in TERM.findall(section(page, "OPTIONS"))]


def left(lines):
    """What stands left of the explanations."""
    return [re.split(r"  +", line.strip())[0] for line in lines]


def short_help(command):
    """What the command's --help says: of a measurement, all options."""
    words = ("help", "options", "--every") if command == "options" else (command, "--help")
    return topdown(*words, env=environment(COLUMNS="80")).stdout


OVERVIEW = re.search(r"^commands:\n(.*?)\n\n", topdown("--help").stdout, re.M | re.S)[1]
COMMANDS = [line.split()[0] for line in OVERVIEW.splitlines() if re.match(r"  \w", line)]
SUMMARIES = {part.split()[0]: " ".join(part.split()[1:]) for part in re.split(r"\n(?=  \w)", OVERVIEW)}


def option_lines(command="options"):
    return left(line for line in short_help(command).splitlines() if re.match(r"  (-\w, |    )--", line))


def page_of(command):
    return "topdown.1" if command == "options" else f"topdown-{command}.1"


def check_pages():
    """A page for each command, by its words in the overview."""
    check(len(COMMANDS) > 12, "commands", COMMANDS)
    pages = {"topdown.1", "topdown-session.5", "topdown-model.5", *map(page_of, COMMANDS)}
    check(pages == set(PAGES), "a page for each command, and no other", pages ^ set(PAGES))
    for command in COMMANDS:
        page = PAGES.get(page_of(command), "")
        usage = left([re.search(r"^usage:\n(.*)", short_help(command), re.M)[1]])[0]
        check(
            section(page, "NAME").strip() == f"topdown-{command} - {SUMMARIES[command]}",
            f"{command}: NAME",
            section(page, "NAME"),
        )
        check(section(page, "SYNOPSIS").strip() == usage, f"{command}: SYNOPSIS", section(page, "SYNOPSIS"))
        check(f"**topdown-{command}**(1)" in section(MAIN, "COMMANDS"), f"topdown(1) names {command}")
    for name, page in PAGES.items():
        check(page.startswith(f"# {name[:-2]}({name[-1]})\n"), f"{name}: its heading", page[:40])
        check(re.search(r"[–—“”‘’]", page) is None, f"{name}: a smart dash or quotation mark")
        for other, number in re.findall(r"\*\*(topdown[\w-]*)\*\*\((\d)\)", page):
            check(f"{other}.{number}" in PAGES, f"{name} refers to {other}({number})")


def check_options():
    """Each page that is composed has the options of its command in their order, each explained by a page of
    docs/man."""
    used = set()
    for command in ("options", *COMMANDS):
        name, here = page_of(command), option_lines(command)
        there = terms(topdown("help", "--format", "markdown", name).stdout)
        check(
            here == there,
            f"{name}: the options of --help",
            (sorted(set(here) ^ set(there)), here[:3], there[:3]),
        )
        unknown = set(terms(PAGES[name])) - set(here)
        check(not unknown, f"{name} explains what --help lacks", unknown)
        for term in here:
            check(term in terms(PAGES[name]) or term in terms(MAIN), f"{name}: nothing explains {term}")
        used.update((name if term in terms(PAGES[name]) else "topdown.1", term) for term in here)
    doubled = [
        (name, term)
        for name, page in PAGES.items()
        for term in set(terms(page))
        if terms(page).count(term) > 1
    ]
    check(not doubled, "explained twice", doubled)
    unused = [
        (name, term) for name, page in PAGES.items() for term in terms(page) if (name, term) not in used
    ]
    check(not unused, "what no page shows", unused)


def check_own_options():
    """A command's help has the options that the command takes, and no others."""
    every = set(option_lines()).union(*(option_lines(command) for command in COMMANDS))
    for number, command in enumerate(sorted(COMMANDS)):
        own = set(option_lines(command))
        check(
            len(own) > (1 if command in ("help", "version", "completion", "schema") else 5) and own < every,
            f"{command} --help lists its options",
            own,
        )
        for line in some(sorted(every), number):
            name, *argument = re.search(r"--.*", line)[0].replace("[=N]", "").replace("[=LIST]", "").split()
            word = f"{name}=1" if argument else name
            error = topdown(command, word, "--help").stderr
            is_taken = line in own or (command, word) in OLDER_SPELLINGS
            check(("has no use for it" in error) != is_taken, f"{command} {word}", error)


def check_text():
    """`topdown help` shows the same words as the page's Markdown, whatever the width, and nothing of its
    marks."""
    for name in some(sorted(PAGES)):
        markdown = topdown("help", "--format", "markdown", name).stdout
        for columns in (40, 80):
            text = topdown("help", name, env=environment(COLUMNS=str(columns))).stdout
            check(
                letters(text) == letters(plain(markdown)),
                f"help {name}: the words of the page ({columns} columns)",
                first_difference(letters(text), letters(plain(markdown))),
            )
            check(
                "**" not in text.replace("**x**", "") and "<!--" not in text,
                f"help {name}: marks of Markdown are left",
            )


def plain(markdown):
    """The words alone. A row of a table is "key (type) what"; the headings of its columns are left out."""
    lines, code = [], False
    for line in re.sub(r"^\|.*\n\|-.*\n", "", markdown, flags=re.M).splitlines():
        code ^= line.startswith("```")
        if line.startswith(("```", "<!--")):
            continue
        if code or line.startswith("    "):
            lines.append(line.replace("*", "\1").replace("`", "\2").replace("\\", "\3"))
            continue
        line = re.sub(r"^#+ |^> ?", "", line)
        if line.startswith("|"):
            cells = [
                cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))
            ]
            line = f"{cells[0]} ({cells[1]}) {cells[2]}" if len(cells) > 2 else " ".join(cells)
        lines.append(line)
    text = re.sub(
        r"`([^`]*)`", lambda match: match[1].replace("*", "\1").replace("\\", "\3"), "\n".join(lines)
    )
    text = re.sub(r"\\([*_|\\])", lambda match: "\1" if match[1] == "*" else match[1], text)
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"(?<!\s)\*+|\*+(?!\s)", "", text).replace("\1", "*").replace("\2", "`").replace("\3", "\\")


def letters(text):
    return re.sub(r"\s+", "", text)


def first_difference(a, b):
    at = next((i for i, pair in enumerate(zip(a, b)) if pair[0] != pair[1]), min(len(a), len(b)))
    return a[max(at - 40, 0) : at + 40], b[max(at - 40, 0) : at + 40]


def prepare(folder):
    """The files that the examples are about."""
    (folder / "prog").write_text("#!/bin/sh\n", encoding="utf-8")
    (folder / "prog").chmod(0o755)
    (folder / "run.json").write_bytes((SESSION if SESSION.exists() else COUNTS).read_bytes())
    session = json.loads((folder / "run.json").read_bytes())
    (folder / "where.json").write_text(
        json.dumps({**session, "profile": made_up.profile_of(made_up.chosen(1))}), encoding="utf-8"
    )
    (folder / "state/topdown").mkdir(parents=True)
    (folder / "state/topdown/last.json").symlink_to(folder / "where.json")
    (folder / "counts.json").write_text(
        re.search(r"```json\n(.*?)```", section(PAGES["topdown-report.1"], "FILES"), re.S)[1],
        encoding="utf-8",
    )
    (folder / "bin").mkdir()
    (folder / "bin/topdown").symlink_to(TOPDOWN)


def check_example(line, folder, commands):
    """A measurement is for a machine without a PMU: it gets as far as that, so its options and words are
    right."""
    words = line.split()
    command = words[1] if words[1] in commands else ""
    measures = words[0] == "topdown" and (not command or command == "metrics" and "--" in words)
    script = (
        line.replace(f"topdown {command}", f"topdown {command} --sysroot {NO_PMU} ", 1) if measures else line
    )
    env = environment(
        PATH=f"{folder}/bin:{os.environ['PATH']}",
        HOME=str(folder),
        XDG_STATE_HOME=f"{folder}/state",
        TOPDOWN_LAST="0",
    )
    result = subprocess.run(
        ["sh", "-c", script],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=PATIENCE,
    )
    if command == "sample":
        check(
            result.returncode in (0, 125)
            and (re.search(r" samples? in ", result.stderr) or "sampled" in result.stderr),
            line,
            (result.returncode, result.stderr),
        )
    elif " compare --run" in line:  # measures, by time where there is no PMU
        check(
            result.returncode == 0 and "\nMeasured 5 pairs" in result.stderr,
            line,
            (result.returncode, result.stderr),
        )
    elif command == "latency":  # probes, as far as this machine lets topdown set them
        check(result.returncode in (0, 125) and result.stderr, line, (result.returncode, result.stderr))
    elif command == "verify":  # counted or simulated, as the machine can
        check(result.returncode in (0, 3, 4) and not result.stderr, line, (result.returncode, result.stderr))
        check(
            "| chase-l2 |" in (folder / "verify.md").read_text(encoding="utf-8"),
            f"{line}: a row of the table",
        )
    elif command == "gate":
        check(
            result.returncode == 0 and "baseline" in result.stderr.lower() or "Valgrind" in result.stderr,
            line,
            (result.returncode, result.stderr),
        )
    elif "--pmu sim" in line:
        check(
            result.returncode == 0
            and "simulated" in result.stderr
            or "simulator" in result.stderr
            or "Valgrind" in result.stderr,
            line,
            (result.returncode, result.stderr),
        )
    elif measures:
        check(
            result.returncode == 125 and ("counters" in result.stderr or "counted" in result.stderr),
            line,
            (result.returncode, result.stderr),
        )
    else:
        result.stderr = re.sub(r"^topdown: the last measurement: .*\n", "", result.stderr)
        check_success(result, line)
        check(
            result.stdout or re.search(r" -o | >", line) or "topdown" not in line, f"{line}: prints something"
        )


def examples(page):
    """The commands of a page; one that goes on in a line further to the right is a single one."""
    lines = [line[4:] for line in section(page, "EXAMPLES").splitlines() if line.startswith("    ")]
    return re.sub(r"\n(?= )", "\n", "\n".join(lines)).replace("\n ", "\1 ").split("\n") if lines else []


def check_examples():
    """Each page's, one after the other in a folder of its own: a page may use what its own examples made."""
    commands = set(COMMANDS)
    for name in sorted(PAGES):
        lines = [line.replace("\1", "\n") for line in examples(PAGES[name])]
        check(any("topdown" in line for line in lines), f"{name}: examples", lines)
        if name.endswith(".1") and name != "topdown.1":
            command = name[len("topdown-") : -len(".1")]
            check(
                any(f"topdown {command}" in line for line in lines), f"{name}: an example of {command}", lines
            )
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        for wait in [pool.submit(run_examples, PAGES[name], commands) for name in sorted(PAGES)]:
            wait.result()


def run_examples(page, commands):
    with temporary() as folder:
        prepare(folder)
        for line in examples(page):
            check_example(line.replace("\1", "\n"), folder, commands)


def check_flat_counts():
    """The example of flat counts has all that a level 1 needs."""
    with temporary() as folder:
        prepare(folder)
        result = topdown("report", folder / "counts.json")
        values = re.findall(r"^[A-Z]\w+_?\w* +([\d.]+|-)(?: !| *$)", result.stdout, re.M)
        check(
            len(values) == 4 and abs(sum(map(float, values)) - 100) < 0.3,
            "the flat counts of FILES have a level 1",
            values,
        )


check_pages()
check_options()
check_own_options()
check_text()
check_examples()
check_flat_counts()
finish()
