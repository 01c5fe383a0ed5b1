#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""payloads.py [--all] - texts of strangers in each free field of a session: markup, event handlers, formulas,
escapes of terminals, commands of CI, what turns the writing direction, bytes that are no text. In each form
they stay text: read back by an independent parser, the output has the elements, attributes, columns and lines
that it has with a harmless text. Without --all each form takes some of the texts, by a fixed seed."""
import csv
import html.parser
import io
import json
import math
import random
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as tree

sys.path.append(f"{sys.path[0]}/..")
from lib import SOURCE, TOPDOWN, check, environment, finish, profiles, read_json, temporary

SEED, DRAWN = 20, 3
variables = {}  # of topdown's environment
HARMLESS = ("harmless", "n" * 5000)  # what is cut has its whole text in an attribute
SESSIONS = (
    SOURCE / "docs/sample-session.json",
    SOURCE / "docs/sample-profile.json",
    SOURCE / "tests/cli/formats/simulated.json",
    None,
)
# What has a meaning for a reader of sessions, and is no free text; names of counted events have one each.
MEANINGS = set(
    "format cpu cpuid scope started tool_version model_version state kind event node pmu method data digest"
    " level pattern type operation build_id seal selector events events_asked nodes_asked groups_asked"
    " metrics_asked syscalls_asked part_kind parts_asked source form hidden".split()
)
TAGS = (
    "img src=x onerror=alert(1)",
    "svg onload=alert(1)",
    "script",
    "iframe src=//evil",
    "/td",
    "/title",
    "b",
)
PAYLOADS = [
    *(f"a<{tag}>b" for tag in TAGS),
    *(f'"{quote}><{tag}>' for tag in TAGS for quote in ("", "'")),
    *(f"{end}<{tag}>" for tag in TAGS for end in ("]]>", "-->", "</script>", "</style>", "</svg>")),
    *(f'x" on{name}="alert(1)' for name in ("click", "load", "error", "mouseover", "focus", "toggle")),
    *(f"x' on{name}='alert(1)" for name in ("click", "load", "error")),
    *("&lt;img&gt;", "&#60;img src=x&#62;", "&#0;", "&bogus;", "<!--", "<![CDATA["),
    *("<?xml?>", "<!DOCTYPE x>"),
    *(f"{first}{rest}" for first in "=+-@" for rest in ("1+1", "cmd|' /C calc'!A0", "SUM(A1)")),
    *(f"{first}=1+1" for first in ("\t", "\r", "\n", " \t", '"', ";", ",")),
    "x\n::add-mask::INJECTED",
    "x\n::warning file=a,line=1::INJECTED",
    "x\n::group::INJECTED",
    "x\n::debug::INJECTED",
    *('a","b', "a\nb,c,d", 'a"\n"b', "a;b;c", "a\tb\tc"),
    *(f"\x1b{rest}" for rest in ("[31mred", "]0;title\x07", "[2J", "c", "P1$r\x1b\\", "[6n")),
    "\x1b]8;;http://e\x07x",
    *(f"a{chr(code)}b" for code in (*range(1, 32), 0x7F, 0x85, 0x9B, 0x9D, 0xAD)),
    *(f"a{chr(code)}b" for code in (0x200B, 0x200E, 0x202A, 0x202E, 0x2028, 0x2029, 0x2066, 0x2069, 0xFEFF)),
    *(f"a{chr(code)}b" for code in (0xFFFE, 0xFFFF, 0xFDD0, 0x10FFFF, 0xE0001, 0x1F600, 0x0301)),
    *(f"x{line}INJECTED" for line in ("\n", "\r\n", "\r", "\n\n", "\u2028", "\u0085", "\x0b", "\x0c")),
    *(f"x\n{word}INJECTED" for word in ("::error::", "::set-output name=a::", "##vso[task.x]")),
    *("x%0A::error::INJECTED", "a,title=b::c", "::stop-commands::x"),
    *("[a](javascript:alert(1))", "![a](x)", "`<b>`", "``` \n<b>", "a|b|c", "\\|<b>"),
    *("# x", "* x", "<http://e>", "~~a~~"),
    *("%s%n%n", "{anchor always}", "{}", "{to folded}", "../../etc/passwd", "$(touch x)"),
    *("`touch x`", "a'b", "a\\"),
    *("n" * 5000, "<" * 3000, "ä" * 3000, " ", "", "-", "null"),
]  # fmt: skip
STEERING = re.compile(
    "[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff" "\U000e0000-\U000e0fff]"
)


def is_free(key, value):
    return isinstance(value, str) and key not in MEANINGS


def replaced(value, text, key=""):
    """The session with text in each free field."""
    if isinstance(value, dict):
        if key in ("facts", "syscalls", "printed", "counts", "series", "roofs"):
            return value
        return {name: replaced(one, text, name) for name, one in value.items()}
    if isinstance(value, list):
        return [replaced(one, text, key) for one in value]
    return text if is_free(key, value) else value


def made(session, text):
    """The session with the text, or one whose event, thread, program, file and function are called so."""
    if session:
        return replaced(read_json(session), text)
    profile = profiles.Profile(({**profiles.CLOCK, "event": text or "none"},))  # an event has a name
    profile.add([(text, [(text, text, 1)]), (text, [(f"{text} ", text, 2)])], 50, (10, 11, text, text))
    return profile.session({**profiles.HEAD, "command": text, "machine": text})


class Elements(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = set()

    def handle_starttag(self, tag, attrs):
        self.found |= {(tag, name) for name, _ in attrs} | {(tag, "")}

    def handle_decl(self, decl):
        self.found.add(("declaration", decl))

    def handle_pi(self, data):
        self.found.add(("instruction", data))


def elements(text):
    parser = Elements()
    parser.feed(text)
    return parser.found


def of_html(text):
    return elements(text)


def of_svg(text):
    return {(one.tag, name) for one in tree.fromstring(text).iter() for name in ("", *one.attrib)}


def of_json(text):
    def keys(value, path):
        if isinstance(value, dict):
            for key, one in value.items():
                yield from keys(one, f"{path}.{key}")
        elif isinstance(value, list):
            for one in value:
                yield from keys(one, f"{path}[]")
        yield path

    return set(keys(json.loads(text), ""))


def is_number(cell):
    try:
        return math.isfinite(float(cell))
    except ValueError:
        return False


def of_csv(text):
    rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    formulas = {
        cell
        for row in rows
        for cell in row
        if len(cell) > 1 and cell[0] in "=+-@\t\r" and not is_number(cell)
    }
    return {(len(row), *(row[:0])) for row in rows} | {("formula", cell) for cell in formulas}


def of_markdown(text):
    if not shutil.which("cmark-gfm"):
        return set()
    drawn = subprocess.run(
        ["cmark-gfm", "--unsafe", "-e", "table", "-e", "autolink", "-e", "strikethrough"],
        input=text,
        capture_output=True,
        check=True,
        encoding="utf-8",
    ).stdout
    return elements(drawn)


def of_text(text):
    return set()


FORMS = (
    (("report", "--functions"), "--format", "html", of_html),
    (("report", "--functions"), "--format", "markdown", of_markdown),
    (("report", "--functions"), "--format", "json", of_json),
    (("report", "--functions"), "--format", "csv", of_csv),
    (("report", "--functions"), "--format", "text", of_text),
    (("report",), "--format", "html", of_html),
    (("report",), "--format", "csv", of_csv),
    (("export",), "--to", "svg", of_svg),
    (("export", "--by", "thread", "--color-by", "node"), "--to", "svg", of_svg),
    (("export",), "--to", "speedscope", of_json),
    (("export",), "--to", "firefox", of_json),
    (("export",), "--to", "folded", of_text),
    (("export",), "--to", "callgrind", of_text),
    (("compare", "FILE"), "--format", "html", of_html),
    (("compare", "FILE"), "--format", "csv", of_csv),
)


def run(words, option, form, file):
    """(status, text of stdout, text of stderr); what isn't UTF-8 is a fault. file may be several words."""
    rest = file if isinstance(file, list) else [file]
    words = [rest[-1] if word == "FILE" else word for word in words]
    words = [TOPDOWN, *words, option, form, *rest]
    env = environment(**variables)
    done = subprocess.run(list(map(str, words)), capture_output=True, check=False, env=env)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def check_lines(text, what, allowed="\n\t"):
    found = {char for char in STEERING.findall(text) if char not in allowed}
    check(not found, f"{what}: characters that steer", sorted(map(ascii, found)))
    # A line of folded begins with a function, one of github with a command of ours.
    begin = "INJECTED" if re.search("to folded|format github", what) else "::|##vso|INJECTED"
    check(not [line for line in text.split("\n") if re.match(begin, line)], f"{what}: no line is the text's")
    check(
        "text," not in what and "stderr" not in what or "##vso[" not in text, f"{what}: no command of Azure's"
    )


def check_form(command, shape, file, known, what, statuses=(0,)):
    words, option, form = command
    what = f"{' '.join(map(str, words))} {option} {form}, {what}"
    status, text, said = run(words, option, form, file)
    check(status in statuses, f"{what}: exit status", (status, said[:300]))
    check_lines(said, f"{what}, stderr")
    if form not in ("html", "svg"):  # which have scripts of ours
        is_json = form in (
            "json",
            "speedscope",
            "firefox",
        )  # which keeps what it escapes, and is read by programs
        check_lines(ascii(text) if is_json else text, what, "\n\r\t" if form == "csv" else "\n\t")
    if status in statuses and text:
        try:
            more = shape(text) - known
        except (ValueError, tree.ParseError, csv.Error) as fault:
            more = {("unreadable", str(fault))}
        check(not more, f"{what}: elements of the text", sorted(map(str, more))[:5])


def main():
    is_all = "--all" in sys.argv
    draw = random.Random(SEED)
    with temporary() as folder:
        for session in SESSIONS:
            file = folder / "session.json"
            for words, option, form, shape in FORMS:
                known = set()
                for text in HARMLESS:
                    file.write_text(json.dumps(made(session, text)))
                    status, text, _ = run(words, option, form, file)
                    known |= shape(text) if status == 0 else set()
                if status != 0:
                    continue  # there is no such form of this session
                for payload in PAYLOADS if is_all else draw.sample(PAYLOADS, DRAWN):
                    file.write_text(json.dumps(made(session, payload)))
                    what = f"{session.name if session else 'names'}, {payload[:60]!a}"
                    check_form((words, option, form), shape, file, known, what)
    finish()


if __name__ == "__main__":
    main()
