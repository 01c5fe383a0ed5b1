# SPDX-License-Identifier: GPL-2.0-or-later
"""What groups.c found out in the guest about the groups of `topdown plan -l6`: for check_guest.py."""
import re

EINVAL = 22
LINE = re.compile(r"group (\d+) events (\d+): opened (\d+), enabled (\d+) running (\d+); more (-?\d+), enabled (\d+) running (\d+), then errno (\d+)")


def check(guest):
    """Each group opens and runs all of the time; it has room for as many events as the plan leaves counters free, and for no more."""
    guest.status("plan6", 0)
    guest.status("groups", 0)
    plan = guest.json("plan6.stdout")
    planned = [group for run in plan.get("runs", []) for group in run["groups"]]
    found = [[int(number) for number in match] for match in LINE.findall(guest.text("groups.stdout"))]
    guest.check(planned and len(found) == len(planned), f"groups: {len(found)} of {len(planned)} planned groups opened")
    full = 0
    for group, (number, _, opened, enabled, running, more, enabled_full, running_full, error) in zip(planned, found):
        free = plan["counters"]["general"] - sum(event["counter"] == "gp" for event in group["events"])
        full += not free
        holds = (opened == len(group["events"]) and enabled == running > 0 and enabled_full == running_full > 0
                 and (more, error) == (free, EINVAL))
        if not holds:
            guest.check(False, f"groups: group {number}: {opened} of {len(group['events'])} events opened, they ran {running} of {enabled} ns, "
                        f"with {more} events more on {free} free counters {running_full} of {enabled_full} ns; then error {error}")
    guest.check(full, f"groups: {full} of {len(planned)} have no counter free")
