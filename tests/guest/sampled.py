# SPDX-License-Identifier: GPL-2.0-or-later
"""sampled.py - the check of guest.sh's steps "sampled" and "sampled-user": cycles of QEMU's own PMU, sampled
in a program whose shares are known. Names come from nm, since topdown for these guests is built without
libdw."""
import math
import subprocess

SHARE = 0.75  # of three_quarters in places.c
ERRORS = 4.5  # standard errors
LEAST = 300  # samples
TOOL = "aarch64-linux-gnu-nm"


def functions(path):
    """{name: its addresses}"""
    lines = subprocess.run(
        [TOOL, "-S", path], stdout=subprocess.PIPE, text=True, check=True
    ).stdout.splitlines()
    rows = (line.split() for line in lines)
    return {
        words[3]: range(int(words[0], 16), int(words[0], 16) + int(words[1], 16))
        for words in rows
        if len(words) == 4 and words[2] in "tT"
    }


def samples_of(profile, addresses):
    places, stacks, rows = profile["places"], profile["stacks"], profile["rows"]
    here = (stacks["place"][stack] for stack in rows["stack"])
    return sum(
        samples
        for place, samples in zip(here, rows["samples"])
        if profile["modules"][places["module"][place]]["kind"] == "file"
        and places["address"][place] in addresses
    )


def check(guest):
    found = functions(guest.out / "places")
    for step in ("sampled", "sampled-user"):
        guest.status(step, 0)
        profile = guest.json(f"{step}.session.json").get("profile")
        if not profile:
            guest.check(False, f"{step}: there is a profile")
            continue
        most, some = (samples_of(profile, found[name]) for name in ("three_quarters", "one_quarter"))
        both = most + some
        guest.check(both >= LEAST, f"{step}: {both} samples in the two functions, at least {LEAST}")
        if both:
            guest.near(
                most / both,
                SHARE,
                ERRORS * math.sqrt(SHARE * (1 - SHARE) / both),
                f"{step}: the share of three_quarters",
            )
        # Time follows the instructions, each of which takes a cycle of 1 ns.
        wall = int(guest.text(f"{step}.stdout").strip().removeprefix("wall_ns=") or 0)
        events = profile["events"]
        guest.check(len(events) == 1, f"{step}: one event: {[event['event'] for event in events]}")
        if step == "sampled":
            guest.near(events[0]["weight"], wall, 0.1 * wall, f"{step}: cycles that the samples stand for")
        else:
            kinds = {module["kind"] for module in profile["modules"]}
            guest.check("kernel" not in kinds, f"{step}: nothing of the kernel: {sorted(kinds)}")
            remarks = " ".join(profile.get("remarks", []))
            guest.check(
                "KiB per CPU instead of" in remarks, f"{step}: the smaller buffer is a remark: {remarks}"
            )
