# SPDX-License-Identifier: GPL-2.0-or-later
"""What groups.c found out in the guest about the groups of `topdown plan -l6`: for check_guest.py."""
import re

EINVAL = 22
LINE = re.compile(
    r"group (\d+) events (\d+): opened (\d+), enabled (\d+) running (\d+); more (-?\d+), enabled (\d+)"
    r" running (\d+), then errno (\d+)"
)


CODE = re.compile(r"event=(0x[0-9a-f]+)")


def codes(guest, rule):
    return {int(code, 16) for code in guest.machine.pmu.get(rule, "").split(",") if code}


def check(guest):
    """Each group opens and runs all of the time; it has room for as many events as the plan leaves counters
    free, and for no more."""
    guest.status("plan6", 0)
    guest.status("groups", 0)
    plan = guest.json("plan6.stdout")
    planned = [group for run in plan.get("runs", []) for group in run["groups"]]
    found = [[int(number) for number in match] for match in LINE.findall(guest.text("groups.stdout"))]
    guest.check(
        planned and len(found) == len(planned),
        f"groups: {len(found)} of {len(planned)} planned groups opened",
    )
    full = 0
    general, exclusive, paired = (
        plan["counters"]["general"],
        codes(guest, "exclusive"),
        codes(guest, "paired"),
    )
    for group, (number, _, opened, enabled, running, more, enabled_full, running_full, error) in zip(
        planned, found
    ):
        events = [
            int(CODE.search(event["perf"])[1], 16) for event in group["events"] if event["counter"] == "gp"
        ]
        free = general - len(events) - len(paired & set(events))
        # Beside an exclusive event the kernel opens as many, but then the group is not on the counters any
        # more.
        full_runs = not exclusive & set(events) or len(events) + free <= general // 2
        full += not free or not full_runs
        holds = (
            opened == len(group["events"])
            and enabled == running > 0
            and (more, error) == (free, EINVAL)
            and (enabled_full == running_full > 0 if full_runs else running_full < enabled_full / 2)
        )
        if not holds:
            guest.check(
                False,
                (
                    f"groups: group {number}: {opened} of {len(group['events'])} events opened, they ran"
                    f" {running} of {enabled} ns, with {more} events more on {free} free counters"
                    f" {running_full} of {enabled_full} ns; then error {error}"
                ),
            )
    guest.check(full or len(planned) == 1, f"groups: {full} of {len(planned)} have no counter free")
