#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""mutants.py - what the C tests would not notice: changes one operator or number of a module, compiles that
file alone, links the program of its test with it and runs that test. A mutant that the test passes with is
printed, and wants a row there, unless it changes nothing that anybody could see.

    tests/bench/mutants.py --build build --number 60 --seed 1
    tests/bench/mutants.py --build build --at analyzer/analyse/evaluate/judge.c:161    all of that line

The build folder needs -DTOPDOWN_TESTS=ON -DCMAKE_EXPORT_COMPILE_COMMANDS=ON, and is left as it is. No part
of the gate: 60 mutants take some minutes."""
import argparse
import json
import random
import re
import resource
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
CPU_SECONDS, WALL_SECONDS = 60, 600

# What is no code: comments, texts, characters, and the preprocessor's lines.
NO_CODE = re.compile(
    r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^[ \t]*#(?:\\\n|[^\n])*', re.S | re.M
)
OPERATORS = {
    r"==": "!=",
    r"!=": "==",
    r"<=": "<",
    r">=": ">",
    r"(?<= )<(?= )": "<=",
    r"(?<= )>(?= )": ">=",
    r"&&": "||",
    r"\|\|": "&&",
    r"(?<=[\w)\]] )\+(?= )": "-",
    r"(?<=[\w)\]] )-(?= )": "+",
    r"!(?=[\w(])": "",
    r"\btrue\b": "false",
    r"\bfalse\b": "true",
}
NUMBER = re.compile(r"(?<![\w.])\d+(?![\w.])")


def sites_of(path):
    """(path, offset, old, new) of what can be changed; in bodies of functions and tables only."""
    text = path.read_text()
    code = NO_CODE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    found = [(m.start(), m[0], new) for old, new in OPERATORS.items() for m in re.finditer(old, code)]
    found += [(m.start(), m[0], str(int(m[0]) + 1)) for m in NUMBER.finditer(code)]
    is_in_body = lambda at: code[code.rfind("\n", 0, at) + 1] == "\t"  # noqa: E731
    return [(path, at, old, new) for at, old, new in sorted(found) if is_in_body(at)]


def tests_of(build, only):
    """By source: the program's folder and name, and the words that it is given. Of only one test: of all."""
    programs = {}
    for folder, made in (("unit", build / "tests"), ("simulator", build / "tests/simulator")):
        for test in sorted((SOURCE / "tests" / folder).glob("*_test.c")):
            module = test.stem.removesuffix("_test")
            alone = (made / f"CMakeFiles/{test.stem}.dir").is_dir()
            command = (made, test.stem, []) if alone else (made, f"{folder}_tests", [module])
            sources = "*.c" if module == only else f"{module}.c" if not only else ""
            for source in (SOURCE / "analyzer").rglob(sources) if sources else []:
                programs[source] = command
    return programs


def bounded():
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))


class Mutants:
    def __init__(self, build, scratch, only):
        self.build, self.scratch, self.passing = build, scratch, {}
        self.tests = tests_of(build, only)
        self.commands = {
            Path(entry["file"]): entry for entry in json.loads((build / "compile_commands.json").read_text())
        }
        self.tests = {source: test for source, test in self.tests.items() if source in self.commands}

    def compile(self, source, text):
        """The object file's bytes; None: it is no C."""
        entry, made = self.commands[source], self.scratch / source.name
        made.write_text(text)
        words = [word for word in shlex.split(entry["command"]) if "ccache" not in word]
        words = [str(made) if word == str(source) else word for word in words]
        words[words.index("-o") + 1] = str(self.scratch / "mutant.o")
        words += ["-iquote", str(source.parent), "-Wno-error", "-w"]
        if subprocess.run(words, cwd=entry["directory"], capture_output=True, check=False).returncode:
            return None
        return (self.scratch / "mutant.o").read_bytes()

    def passes(self, source):
        """Does the test pass with the object file that was compiled last? The library's own is not taken."""
        made, program, words = self.tests[source]
        link = shlex.split((made / f"CMakeFiles/{program}.dir/link.txt").read_text())
        link = [word for word in link if "ccache" not in word]
        link[link.index("-o") + 1] = str(self.scratch / program)
        link.insert(link.index("-o") + 2, str(self.scratch / "mutant.o"))
        if subprocess.run(link, cwd=made, capture_output=True, check=False).returncode:
            return False
        try:
            test = subprocess.run(
                [self.scratch / program, *words],
                cwd=SOURCE,
                capture_output=True,
                stdin=subprocess.DEVNULL,
                preexec_fn=bounded,
                timeout=WALL_SECONDS,
                check=False,
            )  # fmt: skip  pylint: disable=subprocess-popen-preexec-fn
        except subprocess.TimeoutExpired:
            return False
        return test.returncode == 0

    def fate(self, site):
        source, at, old, new = site
        text = source.read_text()
        original = self.compile(source, text)
        if source not in self.passing:
            self.passing[source] = self.passes(source)
        if not self.passing[source]:
            return "not tried: its test fails without it"
        mutant = self.compile(source, text[:at] + new + text[at + len(old) :])
        if mutant is None or mutant == original:
            return "no C" if mutant is None else "equal"
        return "survived" if self.passes(source) else "killed"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", type=Path, default=SOURCE / "build")
    parser.add_argument("--number", type=int, default=60, help="of mutants that compile to something else")
    parser.add_argument("--test", help="this module's test instead of the one with the source's name")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--at", action="append", default=[], metavar="FILE:LINE", help="all mutants of that line"
    )
    options = parser.parse_args()
    tally = {}
    with tempfile.TemporaryDirectory() as scratch:
        mutants = Mutants(options.build.resolve(), Path(scratch), options.test)
        sites = [site for source in sorted(mutants.tests) for site in sites_of(source)]
        where = (
            lambda site: f"{site[0].relative_to(SOURCE)}:{site[0].read_text().count(chr(10), 0, site[1]) + 1}"
        )  # noqa: E731
        if options.at:
            sites = [site for site in sites if where(site) in options.at]
        else:
            random.Random(options.seed).shuffle(sites)
        for site in sites:
            fate = mutants.fate(site)
            tally[fate] = tally.get(fate, 0) + 1
            if fate != "equal" and (fate != "killed" or options.at):
                line = site[0].read_text()[: site[1]].count("\n")
                print(f"{where(site)}: '{site[2]}' -> '{site[3]}': {fate}")
                print("    " + site[0].read_text().split("\n")[line].strip(), flush=True)
            if not options.at and tally.get("killed", 0) + tally.get("survived", 0) >= options.number:
                break
    print(", ".join(f"{number} {fate}" for fate, number in sorted(tally.items())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
