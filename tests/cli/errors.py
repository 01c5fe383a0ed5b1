#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""errors.py - --errors json: one object on standard error, with the sentence that people get, and a command
that runs and does not fail in the same way."""
import json
import shlex
import sys

import jsonschema

sys.path.append(f"{sys.path[0]}/..")
from lib import NO_PMU, SOURCE, check, finish, read_json, temporary, topdown

SCHEMA = read_json(SOURCE / "schema/topdown.json")
SESSION = str(SOURCE / "docs/sample-session.json")
BARE = ("--sysroot", str(NO_PMU))

# Command lines that fail, by what is wrong with them.
PATHS = (
    ("--bogus", "true"),
    ("-l", "true"),
    ("-l10", "true"),
    ("-l0", "true"),
    ("-I", "1", "true"),
    ("-r", "0", "true"),
    ("--format", "yaml", "true"),
    ("--format", "perf", "true"),
    ("--color", "green", "true"),
    ("--budget", "10", "true"),
    ("--pmu", "gpu", "true"),
    ("-p",),
    ("-p", "notapid"),
    (),
    ("--duration", "1"),
    ("./no-such-program",),
    ("no-such-program",),
    ("/etc/passwd",),
    ("/etc",),
    ("reprot",),
    (*BARE, "-l1", "true"),
    (*BARE, "-p", "1"),
    (*BARE, "-a", "--duration", "0.1"),
    ("--pmu=sim", "-I", "100", "true"),
    ("--pmu=sim", "-p", "1"),
    ("--pmu=sim", "--sim-core", "zen9", "true"),
    ("--pmu=sim", "--nodes", "L3Bound", "true"),
    ("--pmu=sim", "--what-if", "l9", "true"),
    ("-o", "/nowhere/report.txt", "true"),
    ("--save", "/nowhere/session.json", "true"),
    ("report", "nosuch.json"),
    ("report", "/etc/passwd"),
    ("report", "--nodes", "Nothing", SESSION),
    ("report", "-o", "report.svg", SESSION),
    ("compare", SESSION),
    ("compare", SESSION, "nosuch.json"),
    ("plan", "--cpu", "zen99"),
    ("list", "things"),
    ("list", "metrics", "--cpu", "zen99"),
    ("explain", "--cpu", "zen4", "Backend_Bond"),
    ("explain",),
    ("history", "show"),
    ("gate", "--limits", "nosuch.json", "--", "true"),
    ("schema", "raport"),
    ("help", "nosuch"),
    ("completion", "tcsh"),
    ("import", "nosuch"),
)


def check_path(words, folder):
    what = " ".join(words) or "no words"
    plain = topdown(*words, cwd=folder)
    if not plain.returncode or not plain.stderr:
        check(not words, f"{what}: it fails", plain)  # without words there is the overview
        return
    at = 1 if words and not words[0].startswith(("-", ".", "/")) and words[0] not in PROGRAMS else 0
    failed = topdown(*words[:at], "--errors", "json", *words[at:], cwd=folder)
    check(failed.returncode == plain.returncode, f"{what}: the same status", (plain, failed))
    line = failed.stderr.splitlines()[-1]
    document = json.loads(line) if line.startswith("{") else {}
    validator = jsonschema.Draft202012Validator({"$defs": SCHEMA["$defs"], "$ref": "#/$defs/topdown-error"})
    check(not list(validator.iter_errors(document)), f"{what}: valid", line)
    error = document.get("error", {"message": "", "command": "true"})
    sentence = plain.stderr.splitlines()[-1].removeprefix("topdown: ")
    check(error["message"] == sentence, f"{what}: what people read", (error["message"], sentence))
    check(error["fix"] is None or error["fix"] in sentence, f"{what}: a part of it", error)
    command = shlex.split(error["command"])
    check(command[0] == "topdown", f"{what}: topdown's command", command)
    helping = topdown(*command[1:], cwd=folder)
    check(helping.returncode in (0, 1) and helping.stdout, f"{what}: {error['command']} runs", helping)
    check(sentence not in helping.stderr, f"{what}: without the same error", helping.stderr)


PROGRAMS = ("no-such-program", "reprot")

with temporary() as scratch:
    for path in PATHS:
        check_path(path, scratch)
check(len(PATHS) >= 40, "40 error paths", len(PATHS))
finish()
