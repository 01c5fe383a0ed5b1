#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""version.py - the version of --version is that of CMakeLists.txt, and the newest one of NEWS.md."""
import re
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import SOURCE, check, check_all, check_success, finish, topdown

NEWS = re.compile(r"^## (\d+\.\d+\.\d+) \((in preparation|\d{4}-\d\d-\d\d)\)$", re.M)


def numbers(version):
    return [int(number) for number in version.split(".")]


def check_version():
    built = re.search(
        r"^project\(topdown VERSION (\S+) ", (SOURCE / "CMakeLists.txt").read_text(encoding="utf-8"), re.M
    )[1]
    result = topdown("--version")
    check_success(result, "--version")
    check(
        result.stdout == f"topdown {built}\n",
        "--version prints the version of CMakeLists.txt",
        (result.stdout, built),
    )
    return built


def check_news(built):
    text = (SOURCE / "NEWS.md").read_text(encoding="utf-8")
    versions = NEWS.findall(text)
    headings = re.findall(r"^## .*", text, re.M)
    check(len(versions) == len(headings), "each heading of NEWS.md is a version and a date", headings)
    check(
        versions and versions[0][0] == built,
        "NEWS.md begins with the version of CMakeLists.txt",
        (versions[:1], built),
    )
    order = [numbers(version) for version, _ in versions]
    check(order == sorted(order, reverse=True), "the newest comes first", order)
    check_all(versions[1:], lambda _, date: date != "in preparation", "only the newest is in preparation")


check_news(check_version())
finish()
