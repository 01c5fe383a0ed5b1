#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""security.py - SECURITY.md names each program that topdown starts and each setting of the kernel that it
writes. Code that starts, forks or writes elsewhere fails, and so does a row that is not needed. Files
are written by one writer (common/system/output_file.h), and texts get into markup by one function."""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NO_CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.S)

# What code does, and for each file that does it the words of SECURITY.md about that
RULES = (
    (
        "executes a program",
        r"(?<!\w)(exec[lv]p?e?|execvpe|fexecve|execveat|posix_spawnp?|popen|system)\s*\(",
        {
            "command/manual_pages.c": ("pager", "`less`"),
            "command/pages/page_open.c": ("`xdg-open`",),
            "collect/count/launch.c": ("measured program",),
            "cpu/identify/uncommitted.c": ("`git status`",),
            "collect/simulate/simulator.c": ("`valgrind`", "simulator"),
            "simulator/guest/launcher.c": ("simulator",),
            "program/code/disassembly.c": ("`objdump`",),
        },
    ),
    (
        "starts a process",
        r"(?<![\w.>])(fork|vfork|clone3?|posix_spawnp?|popen)\s*\(",
        {
            "command/manual_pages.c": ("pager",),
            "command/pages/page_open.c": ("`xdg-open`",),
            "collect/count/launch.c": ("measured program",),
            "collect/count/setting.c": ("guard",),
            "collect/count/supervisor.c": ("supervisor",),
            "engine/pair_process.c": ("pairs",),
            "cpu/identify/uncommitted.c": ("`git status`",),
            "collect/simulate/simulator.c": ("`valgrind`",),
            "program/symbols/isolate.c": ("symbols", "`objdump`"),
            "program/symbols/name_search.c": ("symbols",),
        },
    ),
    (
        "writes to a file that it has not made",
        r"\bopen(?:at)?\((?![^;]*(?:O_CREAT|O_TMPFILE))[^;]*O_(?:WRONLY|RDWR)",
        {
            "command/jobs/live_terminal.c": (),  # the terminal
            "collect/count/control.c": (),  # perf's control FIFO, of the user's
            "collect/count/launch.c": (),  # /dev/null
            "cpu/identify/uncommitted.c": (),  # /dev/null
            "program/symbols/isolate.c": (),  # /dev/null
            "common/system/output_file.c": (),  # a device, FIFO or file that the user names
            "collect/count/setting.c": (
                "NMI watchdog",
                "`--nmi-watchdog off`",
                "multiplexing interval",
                "`--mux-interval",
            ),
            "collect/count/steady.c": ("`--steady=", "governor", "turbo", "SMT"),
        },
    ),
    (
        "uses the network",
        r"(?<!\w)(socket|getaddrinfo|gethostbyname|connectx?)\s*\(\s*(?:AF_|PF_|\w+,\s*\(struct)",
        {},
    ),
)
# All that these files can write, as macros and strings: a new one needs words above
SETTINGS = {
    "collect/count/setting.c": {"proc/sys/kernel/nmi_watchdog", "sys/bus/event_source/devices"},
    "collect/count/steady.c": {
        "/policy*/scaling_governor",
        "intel_pstate/no_turbo",
        "cpufreq/boost",
        "smt/control",
    },
}
# Files are written by one writer, whole or not at all; these others make some too, each for its reason
WRITER = "common/system/output_file.c"
WRITERS = {
    "collect/count/input_copy.c": "a copy of standard input, without a name",
    "collect/simulate/lookout.c": "signs between the simulator and topdown, in their own folder",
    "command/jobs/live_terminal.c": "what the program says meanwhile, without a name",
    "cpu/load/compile_tables.c": "a program of the build",
    "store/history/history_file.c": "of SQLite",
}
# Markup is written as formats. What a "%s" of them takes is a word of topdown's own, as many times as here: a
# class, an identifier, an element. Texts go through html_text or xml_write, the only ones that escape.
MARKUP = {
    "present/compare/comparison_trees.c": 1,
    "present/compare/gate_forms.c": 2,
    "present/document/draw_html.c": 15,
    "present/document/html.c": 4,  # the styles, the scripts and their hashes
    "present/plot/boxes.c": 2,
    "present/plot/flame_page.c": 2,
    "present/plot/plot.c": 5,
    "present/plot/plot_series.c": 4,
    "present/plot/strip.c": 4,
    "present/waits/waits_timeline.c": 3,  # classes, by kinds
}
ESCAPING = {"&lt;": "common/base/xml.c", "%%%02X": "common/base/text.c"}
TEXT = re.compile(r'(?:"(?:\\.|[^"\\\n])*"\s*)+')
NO_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
WRITES = (
    r'\bf(?:re)?open\([^;]*"(?:[wa]|r[be]*\+)|\b(?:mk[od]?stemps?|creat|tmpfile|gzopen)\s*\('
    r"|\bopen(?:at)?\([^;]*O_(?:CREAT|TMPFILE)|\b(?:rename(?:at2?)?|linkat|symlink)\s*\("
)
PATHS = r'"((?:proc|sys)/[\w/.]+|/policy\*/\w+|[\w]+/(?:no_turbo|boost|control))"'


def wrong_in(what, pattern, places, text):
    """Sentences about one kind of thing that code does."""
    found = set()
    for path in sorted((ROOT / "analyzer").rglob("*.c")):
        code = NO_CODE.sub("0", path.read_text(encoding="utf-8"))
        if re.search(pattern, code):
            found.add(str(path.relative_to(ROOT / "analyzer")))
    for name in sorted(found - places.keys()):
        yield f"{name} {what}: SECURITY.md has to say so, and tests/arch/security.py to have a row"
    for name in sorted(places.keys() - found):
        yield f"{name} needs no row: it no longer {what}"
    for name, words in sorted(places.items()):
        yield from (f"SECURITY.md does not have '{word}', for {name}" for word in words if word not in text)


def other_writers():
    """Sentences about files that open others for writing, or give them names, and are not the writer."""
    found = set()
    for path in sorted((ROOT / "analyzer").rglob("*.c")):
        name = str(path.relative_to(ROOT / "analyzer"))
        if not name.startswith("simulator/") and re.search(
            WRITES, NO_COMMENT.sub("", path.read_text(encoding="utf-8"))
        ):
            found.add(name)
    if WRITER not in found:
        yield f"{WRITER} writes no file: who does?"
    for name in sorted(found - WRITERS.keys() - {WRITER}):
        yield f"{name} writes a file: that is for {WRITER}"
    for name in sorted(WRITERS.keys() - found):
        yield f"{name} needs no row: it no longer writes a file"


def markup_with_words():
    """Sentences about formats of markup that take a text, and about code of its own that escapes."""
    found = {}
    for path in sorted((ROOT / "analyzer").rglob("*.c")):
        name, code = str(path.relative_to(ROOT / "analyzer")), NO_COMMENT.sub(
            "", path.read_text(encoding="utf-8")
        )
        for text in TEXT.findall(code):
            if re.search(r"<[a-z/%!]", text) and re.search(r"%(?:\.\*)?s", text):
                found[name] = found.get(name, 0) + 1
            for escape, where in ESCAPING.items():
                if escape in text and name != where:
                    yield f"{name} escapes by itself ({escape}): that is for {where}"
    for name in sorted(found.keys() | MARKUP.keys()):
        if found.get(name, 0) != MARKUP.get(name, 0):
            yield (
                f"{name} has {found.get(name, 0)} formats of markup that take a text, where the test knows"
                f" {MARKUP.get(name, 0)}: html_text and xml_write are for texts"
            )


def main():
    text = " ".join((ROOT / "SECURITY.md").read_text(encoding="utf-8").split())
    wrong = [
        sentence for what, pattern, places in RULES for sentence in wrong_in(what, pattern, places, text)
    ]
    for name, known in SETTINGS.items():
        paths = set(re.findall(PATHS, (ROOT / "analyzer" / name).read_text(encoding="utf-8")))
        paths -= {"sys/devices/system/cpu/"}
        if paths != known:
            wrong.append(f"{name} writes other settings than the test knows: {sorted(paths ^ known)}")
    wrong.extend(other_writers())
    wrong.extend(markup_with_words())
    print("\n".join([*wrong, f"{len(RULES) + 2} rules, {len(wrong)} faults"]))
    return 1 if wrong else 0


sys.exit(main())
