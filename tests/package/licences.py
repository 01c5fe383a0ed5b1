#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""licences.py - debian/copyright gives each file of data the licence of its source, which the file names in
its header; and all packages have the version of CMakeLists.txt."""
import fnmatch
import re
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import SOURCE, check, finish, read_json

# What NOTICE.md says of a source. Intel's models have Linux' metrics beside those of perfmon.
OURS, INTEL, LINUX, ARM = "GPL-2+", "BSD-3-Clause and GPL-2", "GPL-2", "Apache-2.0"
WRITTEN = (
    "events/cpus.json",
    "models/assessment.json",
    "models/common.json",
    "models/glossary.json",
    "models/glossary-sim.json",
    "models/roofline.json",
)  # without a header: ours


def stanzas():
    """[(patterns, licence)] of the Files stanzas, of which the last that matches holds."""
    text = (SOURCE / "debian/copyright").read_text(encoding="utf-8")
    for stanza in re.split(r"\n\n+", text):
        fields = dict(re.findall(r"^([\w-]+):((?:.*\n?)(?:[ \t].*\n?)*)", stanza, re.M))
        if "Files" in fields:
            yield fields["Files"].split(), fields["License"].split("\n")[0].strip()


def licence_of(name, rows):
    return [
        licence
        for patterns, licence in rows
        if any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)
    ][-1]


def expected(name, header, events_header):
    source, vendor = header.get("Source", ""), events_header.get("Vendor", "")
    if name.startswith(("events/sim/", "events/generic/")) or name in WRITTEN:
        return OURS
    if source.startswith("topdown") and "/generic-" in name or "sim.json" in name:
        return OURS
    if vendor == "Intel":
        return INTEL
    if "telemetry-solution" in events_header.get("Source", ""):
        return ARM
    return LINUX if "Linux" in events_header.get("Source", "") else None


def header(path):
    content = read_json(path) if path.is_file() else {}
    return content.get("Header", {}) if isinstance(content, dict) else {}


def check_data():
    rows = list(stanzas())
    names = [
        path.relative_to(SOURCE)
        for folder in ("events", "models")
        for path in sorted((SOURCE / folder).rglob("*.json"))
    ]
    check(len(names) > 150, "there are data", len(names))
    for path in names:
        about = {} if str(path) in WRITTEN else header(SOURCE / path)
        found, wanted = licence_of(str(path), rows), expected(
            str(path), about, header(SOURCE / "events" / path.name) or about
        )
        check(found == wanted, f"{path}: its licence", (found, wanted))
    check(
        licence_of("analyzer/present/plot/flame_graph.js", rows) == "Expat"
        and licence_of("analyzer/present/document/page.js", rows) == "Expat"
        and licence_of("include/topdown.h", rows) == "0BSD"
        and licence_of("analyzer/cpu/load/model.c", rows) == OURS,
        "licences of code",
    )
    for _, licence in rows:
        for name in licence.split(" and "):
            check(
                re.search(
                    rf"^License: {re.escape(name)}\n ",
                    (SOURCE / "debian/copyright").read_text(encoding="utf-8"),
                    re.M,
                ),
                f"{name} has a text",
            )


def check_versions():
    built = re.search(
        r"^project\(topdown VERSION (\S+) ", (SOURCE / "CMakeLists.txt").read_text(encoding="utf-8"), re.M
    )[1]
    debian = re.match(r"topdown \(([^)]+)\)", (SOURCE / "debian/changelog").read_text(encoding="utf-8"))[1]
    rpm = re.search(
        r"^Version: +(\S+)$", (SOURCE / "packaging/topdown.spec").read_text(encoding="utf-8"), re.M
    )[1]
    check(
        (debian, rpm) == (built, built), "packages have the version of CMakeLists.txt", (built, debian, rpm)
    )


check_data()
check_versions()
finish()
