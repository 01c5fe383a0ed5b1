#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks that the wings of analyzer/ include what docs/ARCHITECTURE.md allows, that each library is touched
only where it says, that each header has a guard of its own, made of its path, and that no two files of
different folders have the same base name. Nothing below the command layer prints or spells an option, and
only perf opens events. A README.md names no file that is not there."""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs/ARCHITECTURE.md").read_text(encoding="utf-8")
LIBRARIES = {
    "jansson.h": "jansson",
    "cjson/cJSON.h": "cJSON",
    "zlib.h": "zlib",
    "perfmon/pfmlib_perf_event.h": "libpfm4",
    "elfutils/libdw.h": "libdw, libelf",
    "elfutils/libdwfl.h": "libdw, libelf",
    "elfutils/libebl.h": "libdw, libelf",
    "dwarf.h": "libdw, libelf",
    "gelf.h": "libdw, libelf",
    "libelf.h": "libdw, libelf",
    "sqlite3.h": "SQLite 3",
    "libiberty/demangle.h": "libiberty",
}

# What code may not do, the folders that may, and the files that may all the same, each for its reason
RULES = (
    (
        "prints",
        r"\b(stdout|stderr|v?printf *\(|puts *\(|putchar *\(|perror *\()",
        ("command/", "present/", "simulator/"),
        {
            "common/base/arena.c": "without memory no error can be handed up",
            "cpu/load/compile_tables.c": "a program of the build, which has no command layer",
        },
    ),  # simulator: a program of its own
    ("opens events", r"\b(SYS_|__NR_)?perf_event_open\b", ("collect/perf/",), {}),
)
# Files below the command layer that spell options all the same, each for its reason
SPELLERS = {
    "analyse/diagnose/judge_steady.c": "of docker",
    "analyse/evaluate/missing_notes.c": "of perf",
    "collect/simulate/simulate.c": "of the simulator, which is a tool of Valgrind",
    "collect/simulate/simulator.c": "of Valgrind",
    "common/measurement/scope.c": "words of the session's format",
    "store/session/session_part.c": "words of the session's format",
}
ROW = re.compile(r'\{ "([a-z][a-z-]*)", (?:0|\'(.)\'), TAKE_')
NO_CODE = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|/\*.*?\*/|//[^\n]*', re.S)


def table(title):
    """The rows of the first table below a heading, without its two header lines."""
    body = TEXT.split(f"## {title}\n", 1)[1].split("\n## ", 1)[0]
    rows = [line.strip("|").split("|") for line in body.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row] for row in rows[2:]]


def includes(path):
    return re.findall(r'^#include [<"]([^>"]+)[>"]', path.read_text(encoding="utf-8"), re.M)


def guards(paths):
    """Sentences about headers whose include guard is not their path."""
    for path in paths:
        guard = "TOPDOWN_" + re.sub(r"[/.]", "_", str(path.relative_to(ROOT / "analyzer"))).upper()
        if f"#ifndef {guard}\n#define {guard}\n" not in path.read_text(encoding="utf-8"):
            yield f"{path.relative_to(ROOT)}: its include guard is not {guard}"


def base_names(paths):
    """Sentences about files of different folders with the same name before the dot."""
    homes = {}
    for path in paths:
        homes.setdefault(path.stem, set()).add(str(path.parent.relative_to(ROOT / "analyzer")))
    for stem, folders in sorted(homes.items()):
        if len(folders) > 1:
            yield f'the base name {stem} stands in {", ".join(sorted(folders))}'


def listed(readme, there):
    """Sentences about files that a README.md names and that are not there."""
    text = readme.read_text(encoding="utf-8")
    for name in sorted(set(re.findall(r"(?<![\w/.>])([a-z0-9_]+\.[ch])\b", text)) - there):
        yield f"{readme.relative_to(ROOT)} names {name}, which is not there"


def effects(path):
    """Sentences about what a file does that only others may; and about an exception that it does not need."""
    name = str(path.relative_to(ROOT / "analyzer"))
    code = NO_CODE.sub(lambda text: "\n" * text[0].count("\n"), path.read_text(encoding="utf-8"))
    for what, pattern, folders, exceptions in RULES:
        if name.startswith(folders):
            continue
        found = [code.count("\n", 0, match.start()) + 1 for match in re.finditer(pattern, code)]
        if name in exceptions and not found:
            yield f"{name} needs no exception: nothing in it {what}"
        elif name not in exceptions:
            yield from (f"{name}:{line} {what}" for line in found)


def options():
    """What the tables of the command line have: names, and letters."""
    text = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "analyzer/command").glob("*.c"))
    return {word for row in ROW.findall(text) for word in row if word}


def spelled(path, known):
    """Sentences about what a file below the command layer says of options: their names stand in braces there,
    and the command layer spells them (common/base/text.h)."""
    name = str(path.relative_to(ROOT / "analyzer"))
    if name.startswith(("command/", "simulator/")):
        return
    text = path.read_text(encoding="utf-8")
    found = []
    for match in NO_CODE.finditer(text):
        if not match[0].startswith('"'):
            continue
        line = text.count("\n", 0, match.start()) + 1
        words = set(re.findall(r"(?<![\w-])--([a-z][a-z-]+)", match[0])) & known
        found += [f"{name}:{line} spells --{word}" for word in sorted(words)]
        for word in re.findall(r"\{([a-zA-Z][a-z-]*)(?: [\w -]+)?\}", match[0]):
            if word not in known:
                yield f"{name}:{line}: no option is called {{{word}}}"
    if name in SPELLERS and not found:
        yield f"{name} needs no exception: it spells no option"
    elif name not in SPELLERS:
        yield from found


def main():
    allowed = {
        row[0]: {word.strip() for word in row[1].split(",") if word.strip()}
        for row in table("Who may include whom")
    }
    homes = {row[0]: set(re.findall(r"`([^`]+)`", row[2])) for row in table("Libraries")}
    wings = {path.name for path in (ROOT / "analyzer").iterdir() if path.is_dir()}
    wrong = [f"analyzer/{name} is not in the table" for name in wings - allowed.keys()]
    seen = 0
    paths = sorted((ROOT / "analyzer").rglob("*.[ch]"))
    wrong += guards(path for path in paths if path.suffix == ".h")
    wrong += base_names(paths)
    there = {path.name for path in paths}
    wrong += [
        said for readme in sorted((ROOT / "analyzer").rglob("README.md")) for said in listed(readme, there)
    ]
    wrong += [sentence for path in paths for sentence in effects(path)]
    known = options()
    wrong += [sentence for path in paths for sentence in spelled(path, known)]
    for path in paths:
        name = str(path.relative_to(ROOT / "analyzer"))
        wing, room = name.split("/")[0], str(path.parent.relative_to(ROOT / "analyzer"))
        for header in includes(path):
            seen += 1
            other = header.split("/")[0]
            if header in LIBRARIES and not {name, room} & homes[LIBRARIES[header]]:
                wrong.append(f"{name} touches {LIBRARIES[header]}")
            if other in wings and other != wing and not {other, header} & allowed.get(wing, set()):
                wrong.append(f"{name} includes {header}")
            if room == "simulator/model" and header.startswith("simulator/guest/"):
                wrong.append(f"{name} includes {header}")
            jobs = ("command/jobs/", "command/pages/", "command/programs/")
            is_job = room == "command/jobs"
            if is_job and other == "command" and not header.startswith(jobs):
                wrong.append(f"{name} includes {header}")
    print("\n".join(wrong) or f"{seen} includes, all as the table says")
    return 1 if wrong or not seen else 0


sys.exit(main())
