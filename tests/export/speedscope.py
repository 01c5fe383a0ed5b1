#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""speedscope.py - `topdown export --to speedscope`: the rules of speedscope's file-format-spec.ts hold, and
each function has what the test gave it, in each weighing."""
import collections
import json
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import check, check_all, finish
from lib.made_up import chosen, deep, hostile, write

UNITS = ("none", "nanoseconds", "microseconds", "milliseconds", "seconds", "bytes")


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def check_rules(file):
    check(file["$schema"] == "https://www.speedscope.app/file-format-schema.json", "$schema", file["$schema"])
    check(isinstance(file["version"], str) and isinstance(file["name"], str), "version and name are texts")
    frames = file["shared"]["frames"]
    for frame in frames:
        check(
            isinstance(frame["name"], str) and isinstance(frame.get("file", ""), str),
            "a frame has a name",
            frame,
        )
        check(
            is_number(frame.get("line", 1)) and not set(frame) - {"name", "file", "line", "col"},
            "a frame's fields",
            frame,
        )
    check(0 <= file["activeProfileIndex"] < len(file["profiles"]), "activeProfileIndex")
    for profile in file["profiles"]:
        check(
            profile["type"] == "sampled" and isinstance(profile["name"], str) and profile["unit"] in UNITS,
            "a profile's head",
            profile["name"],
        )
        check(
            is_number(profile["startValue"]) and profile["endValue"] >= profile["startValue"], "start and end"
        )
        check(len(profile["samples"]) == len(profile["weights"]), "a weight for each sample")
        check_all(profile["weights"], lambda weight: is_number(weight) and weight >= 0, "weights are numbers")
        check(
            all(isinstance(i, int) and 0 <= i < len(frames) for sample in profile["samples"] for i in sample),
            "frames are there",
        )
        check(
            abs(sum(profile["weights"]) - profile["endValue"]) <= 1e-9 * profile["endValue"],
            "the end is the sum",
            profile["endValue"],
        )


def check_sums(made, file):
    names = [frame["name"] for frame in file["shared"]["frames"]]
    for number, profile in enumerate(file["profiles"]):
        own, total = collections.Counter(), collections.Counter()
        for sample, weight in zip(profile["samples"], profile["weights"]):
            own[names[sample[-1]]] += weight
            for name in {names[i] for i in sample}:
                total[name] += weight
        check(own == made.own(number, lambda function: function[0]), f"profile {number}: own")
        check(total == made.totals(number, lambda function: function[0]), f"profile {number}: totals")
        check(profile["name"] == made.weighings[number].title, "name", profile["name"])
        check(
            (profile["unit"] == "nanoseconds") == (made.weighings[number].unit == "ns"),
            "unit",
            profile["unit"],
        )


def main():
    for seed in range(5):
        made = chosen(seed)
        file = json.loads(write(made, "speedscope", seed % 3))
        check_rules(file)
        check_sums(made, file)
        check(file["activeProfileIndex"] == seed % 3, "the chosen one is shown first")
    for made in (hostile(), deep(1000)):
        file = json.loads(write(made, "speedscope"))
        check_rules(file)
        check(sum(file["profiles"][0]["weights"]) == made.total(0), "sum")
    check(len(file["profiles"][0]["samples"][0]) == 1000, "1,000 frames")
    finish()


main()
