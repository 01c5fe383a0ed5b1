# SPDX-License-Identifier: GPL-2.0-or-later
"""spots.py - samples at an instruction that the test chose (places.c, spot), and the check of guest.sh's
steps "ibs" and "no-ibs"."""
import re


def addresses(data, event, function):
    """Samples of an event in a function, by address."""
    found = {}
    for stack, sampled, samples in zip(data["rows"]["stack"], data["rows"]["event"], data["rows"]["samples"]):
        place = data["stacks"]["place"][stack]
        first = sum(data["places"]["frames"][:place])
        number = data["frames"]["function"][first] if data["places"]["frames"][place] else -1
        if number >= 0 and data["texts"][number] == function and data["events"][sampled]["event"] == event:
            address = data["places"]["address"][place]
            found[address] = found.get(address, 0) + samples
    return found


def chosen(guest, step):
    """The chosen instruction and the one behind the skid, as the program printed them."""
    found = [int(number, 16) for number in re.findall(r"=(0x[0-9a-f]+)", guest.text(f"{step}.stdout"))]
    guest.check(len(found) == 2, f"{step}: what the program printed: {guest.text(f'{step}.stdout')}")
    return found if len(found) == 2 else (0, 0)


def check(guest):
    """AMD: cycles are sampled by IBS, which hits the instruction; an event that nobody wants precise has the
    core PMU's skid."""
    for step, event, is_exact in (("ibs", None, True), ("no-ibs", "ex_ret_instr", False)):
        guest.status(step, 0)
        data = guest.json(f"{step}.session.json").get(
            "profile", {"rows": {"stack": [], "event": [], "samples": []}}
        )
        at, behind = chosen(guest, step)
        event = event or next((row["event"] for row in data.get("events", [])), None)
        found = addresses(data, event, "spotted")
        guest.check(
            set(found) == {at if is_exact else behind} and sum(found.values()) >= 15,
            (
                f"{step}: samples at {at:#x}, or with skid at {behind:#x}:"
                f" { {hex(key): value for key, value in found.items()} }"
            ),
        )
        told = any("IBS (ibs_op), whose samples are precise" in remark for remark in data.get("remarks", []))
        guest.check(told == is_exact, f"{step}: by IBS: {data.get('remarks')}")
